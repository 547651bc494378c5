/* markup: text within HTML, SVG and XML. */
#ifndef NADI_REPORT_MARKUP_H
#define NADI_REPORT_MARKUP_H

#include "base/str.h"

/* Adds the text with <, >, & and " escaped; control characters become blanks, but for line breaks
 * and tabs. */
void nadi_markup_add(struct nadi_str *out, const char *text);

#endif
