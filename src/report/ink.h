/* ink: colours of the terminal, and bars. Without colour nothing but the text is added. */
#ifndef NADI_REPORT_INK_H
#define NADI_REPORT_INK_H

#include "base/str.h"

enum nadi_ink {
    NADI_INK_PLAIN,
    NADI_INK_BOLD,
    NADI_INK_DIM,
    NADI_INK_GREEN,
    NADI_INK_RED,
    NADI_INK_YELLOW,
    NADI_INK_BLUE,
};

/* Until the next one. */
void nadi_ink(struct nadi_str *out, bool colour, enum nadi_ink ink);
void nadi_ink_text(struct nadi_str *out, bool colour, enum nadi_ink ink, const char *text);
/* A bar of so many cells in eighths of a cell, 0 to 1 of them full, the others dotted. */
void nadi_ink_bar(struct nadi_str *out, bool colour, enum nadi_ink ink, double share, int cells);

#endif
