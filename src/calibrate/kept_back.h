/* kept_back: the third of all measurements that nothing is fitted to, by a rule that cannot be
 * tuned: the first four bytes of SHA-256 of the file's name, '|' and the row's text, as a number
 * with the highest byte first, are a multiple of 3. Rows of one run take the text of its first
 * line. */
#ifndef NADI_CALIBRATE_KEPT_BACK_H
#define NADI_CALIBRATE_KEPT_BACK_H

#include "base/base.h"

/* file: without the folder. */
bool nadi_kept_back(const char *file, const char *row, size_t length);
/* The line of a text, from 1, without its end; length 0 behind the last one. */
const char *nadi_line_of(const char *text, uint32_t line, size_t *length);

#endif
