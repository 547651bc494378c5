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

struct nadi_decimal nadi_decimal_of(const char *text, size_t bytes)
{
    struct nadi_decimal d = {0};
    const char *at = text, *end = text + bytes;
    bool fraction = false;
    d.negative = at < end && *at == '-';
    for (at += d.negative; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        if (d.count == 0 && *at == '0') {
            d.point -= fraction;
            continue;
        }
        if (d.count < (int)sizeof(d.digits))
            d.digits[d.count++] = *at;
        d.point += !fraction;
    }
    int exponent = 0;
    if (at < end) {
        bool minus = at + 1 < end && at[1] == '-';
        for (at++; at < end; at++)
            if (*at >= '0' && *at <= '9' && exponent < 100000)
                exponent = exponent * 10 + (*at - '0');
        d.point += minus ? -exponent : exponent;
    }
    while (d.count && d.digits[d.count - 1] == '0')
        d.count--;
    return d;
}

void nadi_number_add_decimal(struct nadi_str *out, const struct nadi_decimal *d)
{
    char text[64], *to = text;
    int point = d->count ? d->point : 1;
    if (d->negative)
        *to++ = '-';
    if (d->count == 0) {
        memcpy(to, "0.0", 3);
        to += 3;
    } else if (point > 16 || point < -3) {
        *to++ = d->digits[0];
        if (d->count > 1) {
            *to++ = '.';
            memcpy(to, d->digits + 1, (size_t)d->count - 1);
            to += d->count - 1;
        }
        to += snprintf(to, 8, "e%+03d", point - 1);
    } else {
        if (point <= 0) {
            *to++ = '0';
            *to++ = '.';
            for (int i = point; i < 0; i++)
                *to++ = '0';
        }
        for (int i = 0; i < d->count || i < point; i++) {
            if (i == point && i > 0)
                *to++ = '.';
            *to++ = i < d->count ? d->digits[i] : '0';
        }
        if (point >= d->count && point > 0) {
            *to++ = '.';
            *to++ = '0';
        }
    }
    nadi_str_add_bytes(out, text, (size_t)(to - text));
}
