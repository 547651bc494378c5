#include "format/utf8.h"

static bool continues(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

size_t nadi_utf8_length(const char *s)
{
    unsigned char a = (unsigned char)s[0], b;
    if (a < 0x80)
        return 1;
    if (a < 0xc2 || a > 0xf4 || !continues(b = (unsigned char)s[1]))
        return 0;
    if (a < 0xe0)
        return 2;
    /* overlong forms, surrogates and code points beyond U+10FFFF show in the second byte */
    if ((a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f) || (a == 0xf0 && b < 0x90) ||
        (a == 0xf4 && b > 0x8f) || !continues((unsigned char)s[2]))
        return 0;
    if (a < 0xf0)
        return 3;
    return continues((unsigned char)s[3]) ? 4 : 0;
}

size_t nadi_utf8_length_within(const void *s, size_t left)
{
    enum { LONGEST = 4 };
    char tail[LONGEST + 1] = "";
    if (left > LONGEST)
        return nadi_utf8_length(s);
    memcpy(tail, s, left);
    return nadi_utf8_length(tail);
}

uint32_t nadi_utf8_code(const void *s, size_t length)
{
    const uint8_t *p = s;
    uint32_t code = length == 1 ? p[0] : p[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (p[i] & 0x3fu);
    return code;
}

size_t nadi_utf8_columns(const char *s)
{
    size_t columns = 0;
    while (*s) {
        size_t length = nadi_utf8_length(s);
        s += length ? length : 1;
        columns++;
    }
    return columns;
}
