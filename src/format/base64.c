#include "format/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void nadi_base64_group(char four[4], const uint8_t *data, size_t left)
{
    const uint32_t word = (uint32_t)data[0] << 16 | (left > 1 ? (uint32_t)data[1] << 8 : 0) |
                          (left > 2 ? data[2] : 0);
    four[0] = digits[word >> 18];
    four[1] = digits[word >> 12 & 63];
    four[2] = left > 1 ? digits[word >> 6 & 63] : '=';
    four[3] = left > 2 ? digits[word & 63] : '=';
}

void nadi_base64_add(struct nadi_str *out, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    char four[4];
    for (size_t i = 0; i < bytes; i += 3) {
        nadi_base64_group(four, p + i, bytes - i);
        nadi_str_add_bytes(out, four, sizeof four);
    }
}

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool nadi_base64_decode(struct nadi_str *out, const char *text, size_t bytes)
{
    if (bytes % 4 != 0)
        return false;
    for (size_t i = 0; i < bytes; i += 4) {
        const char *c = text + i;
        const bool last = i + 4 == bytes;
        const size_t pad = last && c[3] == '=' ? (c[2] == '=' ? 2 : 1) : 0;
        uint32_t word = 0;
        for (size_t k = 0; k < 4; k++) {
            const int digit = k >= 4 - pad ? 0 : digit_of(c[k]);
            if (digit < 0)
                return false;
            word = word << 6 | (uint32_t)digit;
        }
        const char three[3] = {(char)(word >> 16), (char)(word >> 8 & 0xff), (char)(word & 0xff)};
        nadi_str_add_bytes(out, three, 3 - pad);
    }
    return true;
}
