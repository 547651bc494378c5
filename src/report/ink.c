#include "report/ink.h"

#include <math.h>

void nadi_ink(struct nadi_str *out, bool colour, enum nadi_ink ink)
{
    static const char *const codes[] = {"0", "1", "2", "32", "31", "33", "34"};
    if (colour)
        nadi_str_printf(out, "\x1b[%sm", codes[ink]);
}

void nadi_ink_text(struct nadi_str *out, bool colour, enum nadi_ink ink, const char *text)
{
    nadi_ink(out, colour, ink);
    nadi_str_add(out, text);
    nadi_ink(out, colour, NADI_INK_PLAIN);
}

void nadi_ink_bar(struct nadi_str *out, bool colour, enum nadi_ink ink, double share, int cells)
{
    static const char *const parts[] = {"",
                                        "\xe2\x96\x8f",
                                        "\xe2\x96\x8e",
                                        "\xe2\x96\x8d",
                                        "\xe2\x96\x8c",
                                        "\xe2\x96\x8b",
                                        "\xe2\x96\x8a",
                                        "\xe2\x96\x89",
                                        "\xe2\x96\x88"};
    int eighths = (int)(fmin(fmax(share, 0), 1) * cells * 8 + 0.5), used = 0;
    nadi_ink(out, colour, ink);
    for (; eighths >= 8; eighths -= 8, used++)
        nadi_str_add(out, parts[8]);
    if (eighths) {
        nadi_str_add(out, parts[eighths]);
        used++;
    }
    nadi_ink(out, colour, NADI_INK_DIM);
    for (; used < cells; used++)
        nadi_str_add(out, "\xc2\xb7");
    nadi_ink(out, colour, NADI_INK_PLAIN);
}
