#include "report/markup.h"

void nadi_markup_add(struct nadi_str *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            nadi_str_add(out, "&lt;");
            break;
        case '>':
            nadi_str_add(out, "&gt;");
            break;
        case '&':
            nadi_str_add(out, "&amp;");
            break;
        case '"':
            nadi_str_add(out, "&quot;");
            break;
        case '\n':
        case '\t':
            nadi_str_add_char(out, *text);
            break;
        default:
            nadi_str_add_char(out, (unsigned char)*text < 0x20 ? ' ' : *text);
        }
}
