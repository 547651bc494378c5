#include "format/number.h"

#include <float.h>
#include <math.h>

void nadi_number_add_u64(struct nadi_str *out, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    nadi_str_add_bytes(out, digits + at, sizeof(digits) - at);
}

void nadi_number_add_i64(struct nadi_str *out, int64_t value)
{
    if (value < 0)
        nadi_str_add_char(out, '-');
    nadi_number_add_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static bool same_bits(double a, double b)
{
    return bits_of(a) == bits_of(b);
}

/* Writes so many digits; are they enough? */
static bool reads_back(char text[32], int digits, double value)
{
    snprintf(text, 32, "%.*g", digits, value);
    return same_bits(strtod(text, NULL), value);
}

void nadi_number_add_double(struct nadi_str *out, double value)
{
    static const double exact = 9007199254740992.0; /* 2^53: every integer below is a double */
    char text[32];
    if (isnan(value)) {
        nadi_str_add(out, "nan");
        return;
    }
    if (isinf(value)) {
        nadi_str_add(out, value < 0 ? "-inf" : "inf");
        return;
    }
    if (fabs(value) < exact && same_bits(value, (double)(int64_t)value)) {
        nadi_number_add_i64(out, (int64_t)value);
        return;
    }
    /* 16 digits decide whether 15 may be enough or 17 are needed, which always are */
    char shorter[32];
    if (!reads_back(text, DBL_DIG + 1, value))
        snprintf(text, sizeof(text), "%.*g", DBL_DECIMAL_DIG, value);
    else if (reads_back(shorter, DBL_DIG, value))
        memcpy(text, shorter, sizeof(text));
    nadi_str_add(out, text);
}
