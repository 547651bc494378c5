/* out_text: numbers and JSON strings into the buffer. */
#include "format/base64.h"
#include "format/out.h"
#include "format/utf8.h"

void nadi_out_u64(struct nadi_out *o, uint64_t value)
{
    enum { DIGITS = 20 };
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "6869707172737475767778798081828384858687888990919293949596979899";
    char digits[DIGITS];
    size_t at = DIGITS;
    while (value >= 100) {
        at -= 2;
        memcpy(digits + at, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(digits + at, pairs + 2 * value, 2);
    } else {
        digits[--at] = (char)('0' + value);
    }
    nadi_out_reserve(o, DIGITS);
    memcpy(o->at, digits + at, DIGITS - at);
    o->at += DIGITS - at;
}

void nadi_out_i64(struct nadi_out *o, int64_t value)
{
    if (value < 0)
        nadi_out_char(o, '-');
    nadi_out_u64(o, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void nadi_out_micros(struct nadi_out *o, int64_t ns)
{
    const uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    const unsigned fraction = (unsigned)(magnitude % 1000);
    if (ns < 0)
        nadi_out_char(o, '-');
    nadi_out_u64(o, magnitude / 1000);
    if (!fraction)
        return;
    const char text[4] = {'.', (char)('0' + fraction / 100), (char)('0' + fraction / 10 % 10),
                          (char)('0' + fraction % 10)};
    nadi_out_short(o, text, fraction % 10 ? 4 : fraction % 100 ? 3 : 2);
}

void nadi_out_base64(struct nadi_out *o, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < bytes; i += 3) {
        nadi_out_reserve(o, 4);
        nadi_base64_group(o->at, p + i, bytes - i);
        o->at += 4;
    }
}

/* Bytes that may stand in a JSON string as they are: eight at a time, then one. */
static size_t plain_length(const uint8_t *p, size_t bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
        uint64_t w;
        memcpy(&w, p + i, 8);
        const uint64_t quote = w ^ ones * '"', slash = w ^ ones * '\\', del = w ^ ones * 0x7f;
        /* A high bit for every byte below 0x20, equal to one of the three, or beyond ASCII. A byte
         * after such a one may be marked too: it is then looked at alone. */
        const uint64_t odd =
            ((w - ones * 0x20) | (quote - ones) | (slash - ones) | (del - ones) | w) & highs;
        if (odd)
            break;
    }
    while (i < bytes && p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

static void put_hex4(struct nadi_out *o, unsigned value)
{
    static const char digits[] = "0123456789abcdef";
    const char text[6] = {'\\',
                          'u',
                          digits[value >> 12 & 15],
                          digits[value >> 8 & 15],
                          digits[value >> 4 & 15],
                          digits[value & 15]};
    nadi_out_short(o, text, sizeof text);
}

static void put_escape(struct nadi_out *o, uint8_t c, enum nadi_json_style style)
{
    static const char letters[] = "btn_fr"; /* 8, 9, 10, 12, 13 */
    if (c == '"' || c == '\\') {
        nadi_out_char(o, '\\');
        nadi_out_char(o, (char)c);
    } else if (style != NADI_JSON_HEX && c >= 8 && c <= 13 && c != 11) {
        nadi_out_char(o, '\\');
        nadi_out_char(o, letters[c - 8]);
    } else {
        put_hex4(o, c);
    }
}

static void put_beyond_ascii(struct nadi_out *o, const uint8_t *p, size_t length,
                             enum nadi_json_style style)
{
    if (style != NADI_JSON_ASCII) {
        nadi_out_short(o, (const char *)p, length);
        return;
    }
    const uint32_t code = nadi_utf8_code(p, length);
    if (code < 0x10000) {
        put_hex4(o, code);
        return;
    }
    put_hex4(o, 0xd800 + ((code - 0x10000) >> 10));
    put_hex4(o, 0xdc00 + ((code - 0x10000) & 0x3ff));
}

bool nadi_out_json(struct nadi_out *o, const void *text, size_t bytes, enum nadi_json_style style)
{
    static const uint8_t replacement[] = {0xef, 0xbf, 0xbd};
    const uint8_t *p = text, *end = p + bytes;
    bool valid = true;
    nadi_out_char(o, '"');
    while (p < end) {
        const size_t plain = plain_length(p, (size_t)(end - p));
        nadi_out_bytes(o, p, plain);
        p += plain;
        if (p == end)
            break;
        if (*p == 0x7f && style != NADI_JSON_ASCII) {
            nadi_out_char(o, (char)*p++);
            continue;
        }
        if (*p < 0x80) {
            put_escape(o, *p++, style);
            continue;
        }
        const size_t length = nadi_utf8_length_within(p, (size_t)(end - p));
        valid &= length > 0;
        put_beyond_ascii(o, length ? p : replacement, length ? length : 3, style);
        p += length ? length : 1;
    }
    nadi_out_char(o, '"');
    return valid;
}
