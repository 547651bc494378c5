#include "capture/repr.h"

#include "format/number.h"
#include "format/utf8.h"

#include <float.h>
#include <math.h>

static void put(struct nadi_str *out, const char *text)
{
    nadi_wire_add(out, text, strlen(text));
}

/* Digits that at most 15 do not tell, or fewer near the smallest double: by trial. */
static struct nadi_decimal shortest(double value)
{
    char text[40];
    for (int digits = fabs(value) < 1e-290 ? 1 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*e", digits - 1, value);
        double again = strtod(text, NULL);
        if (memcmp(&again, &value, sizeof(value)) == 0)
            break;
    }
    return nadi_decimal_of(text, strlen(text));
}

static void put_real(struct nadi_view text, struct nadi_str *out)
{
    struct nadi_value v = {NADI_VALUE_NUMBER, text};
    struct nadi_decimal d = nadi_decimal_of(text.at, text.bytes);
    double value = 0;
    bool small = d.count <= 15 && d.point > -290 && d.point < 300;
    if (!small && nadi_value_real(&v, &value)) {
        d = shortest(value);
    } else if (d.point > DBL_MAX_10_EXP) { /* no double: what Python reads it as */
        put(out, d.negative ? "-inf" : "inf");
        return;
    }
    nadi_number_add_decimal(out, &d);
}

static void put_number(struct nadi_view t, struct nadi_str *out)
{
    const char *digits = t.at + (*t.at == '-');
    if (*digits == 'N' || *digits == 'n')
        put(out, "nan");
    else if (*digits == 'I' || *digits == 'i')
        put(out, *t.at == '-' ? "-inf" : "inf");
    else if (memchr(t.at, '.', t.bytes) || memchr(t.at, 'e', t.bytes) || memchr(t.at, 'E', t.bytes))
        put_real(t, out);
    else if (NADI_VIEW_IS(t, "-0"))
        put(out, "0");
    else
        nadi_wire_add(out, t.at, t.bytes);
}

/* What Python does not print as it is: controls, formats, separators, surrogates, private use. */
static const struct {
    uint32_t first, last;
} unprintable[] = {
    {0x0080, 0x00a0},   {0x00ad, 0x00ad},   {0x0600, 0x0605},     {0x061c, 0x061c},
    {0x06dd, 0x06dd},   {0x070f, 0x070f},   {0x0890, 0x0891},     {0x08e2, 0x08e2},
    {0x1680, 0x1680},   {0x180e, 0x180e},   {0x2000, 0x200f},     {0x2028, 0x202f},
    {0x205f, 0x2064},   {0x2066, 0x206f},   {0x3000, 0x3000},     {0xd800, 0xf8ff},
    {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd},   {0x110cd, 0x110cd},
    {0x13430, 0x13438}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},   {0xe0001, 0xe0001},
    {0xe0020, 0xe007f}, {0xf0000, 0xffffd}, {0x100000, 0x10fffd},
};

static bool is_unprintable(uint32_t code)
{
    for (size_t i = 0; i < sizeof(unprintable) / sizeof(unprintable[0]); i++)
        if (code <= unprintable[i].last)
            return code >= unprintable[i].first;
    return false;
}

/* One character of a string that may need an escape. */
static const char *put_character(const char *at, const char *end, char quote, struct nadi_str *out)
{
    static const char names[] = "\\\n\r\t", codes[] = "\\nrt";
    char text[16];
    unsigned char c = (unsigned char)*at;
    const size_t length = nadi_utf8_length_within(at, (size_t)(end - at));
    const size_t bytes = length ? length : 1; /* a byte that is no character stays as it is */
    const uint32_t code = length ? nadi_utf8_code(at, length) : c;
    const char *name = c ? strchr(names, c) : NULL;
    if (name) {
        snprintf(text, sizeof(text), "\\%c", codes[name - names]);
        put(out, text);
    } else if (c == (unsigned char)quote) {
        snprintf(text, sizeof(text), "\\%c", quote);
        put(out, text);
    } else if (c < ' ' || c == 0x7f) {
        snprintf(text, sizeof(text), "\\x%02x", c);
        put(out, text);
    } else if (bytes > 1 && is_unprintable(code)) {
        snprintf(text, sizeof(text),
                 code < 0x100     ? "\\x%02" PRIx32
                 : code < 0x10000 ? "\\u%04" PRIx32
                                  : "\\U%08" PRIx32,
                 code);
        put(out, text);
    } else {
        nadi_wire_add(out, at, bytes);
    }
    return at + bytes;
}

static void put_string_slowly(const char *text, size_t bytes, struct nadi_str *out)
{
    const char *at = text, *end = text + bytes;
    bool apostrophe = memchr(text, '\'', bytes) != NULL, quotes = memchr(text, '"', bytes) != NULL;
    char quote = apostrophe && !quotes ? '"' : '\'';
    nadi_wire_add(out, &quote, 1);
    while (at < end)
        at = put_character(at, end, quote, out);
    nadi_wire_add(out, &quote, 1);
}

static bool is_simple(struct nadi_view t)
{
    if (t.escaped)
        return false;
    for (uint32_t i = 0; i < t.bytes; i++) {
        unsigned char c = (unsigned char)t.at[i];
        if (c == '\'' || c >= 0x7f)
            return false;
    }
    return true;
}

static void put_string(struct nadi_view t, struct nadi_str *out)
{
    if (NADI_LIKELY(is_simple(t))) {
        char *to = nadi_wire_room(out, (size_t)t.bytes + 2);
        to[0] = '\'';
        memcpy(to + 1, t.at, t.bytes);
        to[1 + t.bytes] = '\'';
        nadi_wire_advance(out, (size_t)t.bytes + 2);
        return;
    }
    char *plain = NADI_NEW(char, t.bytes + 1);
    size_t bytes = nadi_view_unescape(t, plain);
    put_string_slowly(plain, bytes, out);
    nadi_mem_free(plain);
}

static bool put_scalar(struct nadi_pull *s, struct nadi_str *out)
{
    struct nadi_value v;
    if (!nadi_pull_value(s, &v))
        return false;
    switch (v.kind) {
    case NADI_VALUE_STRING:
        put_string(v.text, out);
        return true;
    case NADI_VALUE_NUMBER:
        put_number(v.text, out);
        return true;
    case NADI_VALUE_TRUE:
        put(out, "True");
        return true;
    case NADI_VALUE_FALSE:
        put(out, "False");
        return true;
    case NADI_VALUE_NULL:
        put(out, "None");
        return true;
    case NADI_VALUE_NESTED:
        break;
    }
    NADI_BUG("a bracket is no scalar");
}

/* A whole number with nothing odd about it, the commonest item by far: copied digit by digit. */
static inline bool put_digits(struct nadi_pull *s, struct nadi_str *out)
{
    const char *at = s->at;
    char *to = nadi_wire_room(out, 20);
    while (*at >= '0' && *at <= '9' && at - s->at < 19)
        *to++ = *at++;
    if (at == s->at || (*at != ',' && *at != ']' && *at != '\n'))
        return false;
    nadi_wire_advance(out, (size_t)(at - s->at));
    s->at = at;
    return true;
}

bool nadi_repr(struct nadi_pull *s, struct nadi_str *out)
{
    uint64_t braces = 0; /* bit d: level d is an object */
    unsigned depth = 0;
    for (;;) {
        char c = nadi_pull_peek(s);
        if (c == '[' || c == '{') {
            if (depth == NADI_PULL_DEPTH)
                return nadi_pull_fail(s, "nested more than 64 deep");
            nadi_pull_open(s, c);
            nadi_wire_add(out, &c, 1);
            braces = braces << 1 | (c == '{');
            depth++;
        } else if (!put_digits(s, out) && !put_scalar(s, out)) {
            return false;
        }
        for (;;) {
            if (depth == 0)
                return true;
            char close = braces & 1 ? '}' : ']';
            bool first = s->first;
            if (nadi_pull_more(s, close)) {
                if (!first)
                    nadi_wire_add(out, ", ", 2);
                break;
            }
            if (s->fault)
                return false;
            nadi_wire_add(out, &close, 1);
            braces >>= 1;
            depth--;
        }
        if (braces & 1) {
            struct nadi_view key;
            if (!nadi_pull_string(s, &key))
                return false;
            put_string(key, out);
            if (nadi_pull_peek(s) != ':')
                return nadi_pull_fail(s, "':' is wanted");
            s->at++;
            put(out, ": ");
        }
    }
}
