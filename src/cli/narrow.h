/* narrow: text for people on a terminal that has fewer columns than it was made for. */
#ifndef NADI_CLI_NARROW_H
#define NADI_CLI_NARROW_H

#include "base/str.h"

/* The columns to write in: COLUMNS, else those of the terminal that standard output is; 0: as many
 * as there are. */
int nadi_narrow_columns(void);

/* The text in so many columns: of a line that is too wide first its bar goes, then its columns move
 * together, then it goes on in the next line, indented; a number stays with its unit. Sentences
 * that were wrapped are joined first. wrapped: the columns they were wrapped to (what ends earlier
 * ended there); 0: lines of sentences that follow each other are one paragraph. Nothing else is
 * left out. Colours count nothing. O(text). */
void nadi_narrow_text(const char *text, int columns, int wrapped, struct nadi_str *out);

#endif
