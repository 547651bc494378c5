#include "format/json_pull.h"

#include "base/str.h"
#include "base/time.h"

#include <math.h>

#if defined(__SSE2__)

static inline unsigned match(__m128i bytes, char c)
{
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

static inline __m128i load(const char *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

/* Control characters other than the zero at the end count as blanks. */
const char *nadi_pull_blanks(const char *at)
{
    const __m128i first = _mm_set1_epi8('!');
    for (;; at += 16) {
        __m128i b = load(at);
        unsigned stop = (unsigned)_mm_movemask_epi8(_mm_or_si128(
            _mm_cmpeq_epi8(_mm_max_epu8(b, first), b), _mm_cmpeq_epi8(b, _mm_setzero_si128())));
        if (stop)
            return at + __builtin_ctz(stop);
    }
}

/* To the first quote, backslash or control character (the zero at the end is one). */
static inline const char *string_stop(const char *at)
{
    const __m128i top = _mm_set1_epi8(0x1f);
    for (;; at += 16) {
        __m128i b = load(at);
        unsigned control = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(b, top), top));
        unsigned stop = match(b, '"') | match(b, '\\') | control;
        if (stop)
            return at + __builtin_ctz(stop);
    }
}

/* To the first quote, bracket, brace or zero. */
static inline const char *nested_stop(const char *at)
{
    const __m128i bit = _mm_set1_epi8(0x20);
    for (;; at += 16) {
        __m128i b = load(at), lower = _mm_or_si128(b, bit);
        unsigned stop = match(lower, '{') | match(lower, '}') | match(b, '"') | match(b, 0);
        if (stop)
            return at + __builtin_ctz(stop);
    }
}

#else

const char *nadi_pull_blanks(const char *at)
{
    while (*at && (unsigned char)*at <= ' ')
        at++;
    return at;
}

static inline const char *string_stop(const char *at)
{
    while (*at != '"' && *at != '\\' && (unsigned char)*at > 0x1f)
        at++;
    return at;
}

static inline const char *nested_stop(const char *at)
{
    while (*at && *at != '"' && *at != '[' && *at != ']' && *at != '{' && *at != '}')
        at++;
    return at;
}

#endif

const char *nadi_pull_string_stop(const char *at)
{
    return string_stop(at);
}

/* Reads into the pad. */
const char *nadi_pull_ascii_end(const char *at, const char *end)
{
#if defined(__SSE2__)
    for (; at < end; at += 16) {
        unsigned high =
            (unsigned)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)at));
        if (high) {
            at += __builtin_ctz(high);
            break;
        }
    }
#else
    while (at < end && (unsigned char)*at < 0x80)
        at++;
#endif
    return at < end ? at : end;
}

bool nadi_pull_fail(struct nadi_pull *s, const char *fault)
{
    if (s->fault)
        return false;
    s->ran_out = s->at >= s->end;
    s->fault = s->ran_out ? "the text ends here" : fault;
    return false;
}

bool nadi_pull_string_rest(struct nadi_pull *s, struct nadi_view *text)
{
    const char *begin = s->at;
    bool escaped = false;
    for (const char *at = begin;;) {
        at = string_stop(at);
        if (NADI_LIKELY(*at == '"')) {
            size_t bytes = (size_t)(at - begin);
            if (NADI_UNLIKELY(bytes > UINT32_MAX))
                return nadi_pull_fail(s, "a string of more than 4 GiB");
            *text = (struct nadi_view){begin, (uint32_t)bytes, escaped};
            s->at = at + 1;
            return true;
        }
        if (*at == '\\' && at + 1 < s->end) {
            escaped = true;
            at += 2;
            continue;
        }
        s->at = at + (*at == '\\');
        return nadi_pull_fail(s, "a control character inside a string");
    }
}

/* Over an object or array: brackets balanced and of one kind, strings closed. */
static bool skip_nested(struct nadi_pull *s)
{
    uint64_t braces = 0; /* bit d: level d is an object */
    unsigned depth = 0;
    const char *at = s->at;
    struct nadi_view text;
    for (;;) {
        at = nested_stop(at);
        s->at = at;
        char c = *at++;
        if (c == '"') {
            s->at = at;
            if (!nadi_pull_string_rest(s, &text))
                return false;
            at = s->at;
        } else if (c == '[' || c == '{') {
            if (depth == NADI_PULL_DEPTH)
                return nadi_pull_fail(s, "nested more than 64 deep");
            braces = braces << 1 | (c == '{');
            depth++;
        } else if (c == ']' || c == '}') {
            if ((c == '}') != (braces & 1))
                return nadi_pull_fail(s, "a bracket of the other kind is wanted");
            braces >>= 1;
            if (--depth == 0) {
                s->at = at;
                return true;
            }
        } else {
            return nadi_pull_fail(s, "a zero byte");
        }
    }
}

/* Letters, digits and what stands in numbers: a bit for each of the 128 ASCII characters. */
static inline bool is_bare(char c)
{
    static const uint64_t signs = UINT64_C(1) << '+' | UINT64_C(1) << '-' | UINT64_C(1) << '.';
    static const uint64_t digits = UINT64_C(0x3ff) << '0';
    static const uint64_t letters = UINT64_C(0x3ffffff) << ('A' - 64) | UINT64_C(0x3ffffff)
                                                                            << ('a' - 64);
    unsigned char u = (unsigned char)c;
    return u < 64 ? (signs | digits) >> u & 1 : u < 128 && (letters >> (u - 64) & 1);
}

/* A number or word: to the first byte that cannot belong to one. */
static bool bare_word(struct nadi_pull *s, struct nadi_view *text)
{
    const char *at = s->at;
    while (is_bare(*at))
        at++;
    if (at == s->at)
        return nadi_pull_fail(s, "a value is wanted");
    *text = (struct nadi_view){.at = s->at,
                               .bytes = (uint32_t)nadi_min_u64((uint64_t)(at - s->at), UINT32_MAX)};
    s->at = at;
    if (at >= s->end) /* the next piece of the input may go on with it */
        return nadi_pull_fail(s, "a value is wanted");
    return true;
}

bool nadi_pull_skip(struct nadi_pull *s, struct nadi_view *text)
{
    if (s->fault)
        return false;
    char c = nadi_pull_peek(s);
    const char *begin = s->at;
    struct nadi_view inner;
    bool good;
    if (c == '[' || c == '{')
        good = skip_nested(s);
    else if (c == '"')
        good = nadi_pull_string(s, &inner);
    else
        good = bare_word(s, &inner);
    if (!good)
        return false;
    if (s->at - begin > (ptrdiff_t)UINT32_MAX)
        return nadi_pull_fail(s, "a value of more than 4 GiB");
    *text = (struct nadi_view){.at = begin, .bytes = (uint32_t)(s->at - begin)};
    return true;
}

/* Digits with at most one point and one exponent, or a word for what is not finite. */
static bool is_number(struct nadi_view t)
{
    const char *at = t.at, *end = t.at + t.bytes;
    at += at < end && *at == '-';
    const char *digits = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    if (at == digits)
        return NADI_VIEW_IS(t, "NaN") || NADI_VIEW_IS(t, "Infinity") ||
               NADI_VIEW_IS(t, "-Infinity") || NADI_VIEW_IS(t, "nan") || NADI_VIEW_IS(t, "inf") ||
               NADI_VIEW_IS(t, "-inf") || NADI_VIEW_IS(t, "-nan");
    if (at < end && *at == '.') {
        at++;
        while (at < end && *at >= '0' && *at <= '9')
            at++;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '-' || *at == '+');
        digits = at;
        while (at < end && *at >= '0' && *at <= '9')
            at++;
        if (at == digits)
            return false;
    }
    return at == end;
}

static inline bool all_digits(struct nadi_view t)
{
    for (uint32_t i = 0; i < t.bytes; i++)
        if (t.at[i] < '0' || t.at[i] > '9')
            return false;
    return true;
}

bool nadi_pull_value(struct nadi_pull *s, struct nadi_value *value)
{
    if (s->fault)
        return false;
    char c = nadi_pull_peek(s);
    if (c == '"') {
        value->kind = NADI_VALUE_STRING;
        return nadi_pull_string(s, &value->text);
    }
    if (c == '[' || c == '{') {
        value->kind = NADI_VALUE_NESTED;
        return nadi_pull_skip(s, &value->text);
    }
    const char *begin = s->at;
    if (!bare_word(s, &value->text))
        return false;
    if (NADI_LIKELY(c >= '0' && c <= '9' && all_digits(value->text))) {
        value->kind = NADI_VALUE_NUMBER;
        return true;
    }
    if (NADI_LIKELY((c >= '0' && c <= '9') || c == '-'))
        value->kind = NADI_VALUE_NUMBER;
    else if (NADI_VIEW_IS(value->text, "null"))
        value->kind = NADI_VALUE_NULL;
    else if (NADI_VIEW_IS(value->text, "true"))
        value->kind = NADI_VALUE_TRUE;
    else if (NADI_VIEW_IS(value->text, "false"))
        value->kind = NADI_VALUE_FALSE;
    else
        value->kind = NADI_VALUE_NUMBER;
    if (value->kind == NADI_VALUE_NUMBER && !is_number(value->text)) {
        s->at = begin;
        return nadi_pull_fail(s, "a value is wanted");
    }
    return true;
}

bool nadi_value_integer(const struct nadi_value *v, int64_t *number)
{
    if (v->kind != NADI_VALUE_NUMBER && v->kind != NADI_VALUE_STRING)
        return false;
    const char *at = v->text.at, *end = at + v->text.bytes;
    bool negative = at < end && *at == '-';
    at += negative;
    const char *digits = at;
    uint64_t n = 0;
    while (at < end && *at >= '0' && *at <= '9') {
        uint64_t digit = (uint64_t)(*at++ - '0');
        if (n > (UINT64_MAX - digit) / 10)
            return false;
        n = n * 10 + digit;
    }
    if (at == digits || (negative && n > (uint64_t)INT64_MAX + 1))
        return false;
    if (at < end && *at == '.') /* a fraction is cut */
        for (at++; at < end && *at >= '0' && *at <= '9';)
            at++;
    if (at < end)
        return false;
    *number = (int64_t)(negative ? 0 - n : n);
    return true;
}

bool nadi_value_real(const struct nadi_value *v, double *number)
{
    double value;
    if ((v->kind != NADI_VALUE_NUMBER && v->kind != NADI_VALUE_STRING) ||
        nadi_str_take_double(v->text.at, &value) != v->text.at + v->text.bytes)
        return false;
    *number = value;
    return true;
}

static bool micros_by_double(const struct nadi_value *v, int64_t *ns)
{
    double micros;
    if (!nadi_value_real(v, &micros) || !(fabs(micros) < 9e15))
        return false;
    *ns = nadi_signed_trunc(micros * 1000);
    return true;
}

bool nadi_value_micros(const struct nadi_value *v, int64_t *ns)
{
    if (v->kind != NADI_VALUE_NUMBER)
        return false;
    const char *at = v->text.at, *end = at + v->text.bytes;
    bool negative = at < end && *at == '-';
    at += negative;
    uint64_t n = 0;
    unsigned fraction = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (n >= (uint64_t)INT64_MAX / 10000) /* no room for one more digit and the nanoseconds */
            return false;
        n = n * 10 + (uint64_t)(*at - '0');
    }
    if (at < end && *at == '.')
        for (at++; at < end && *at >= '0' && *at <= '9'; at++)
            if (fraction < 3) {
                n = n * 10 + (uint64_t)(*at - '0');
                fraction++;
            }
    if (at < end) /* an exponent */
        return micros_by_double(v, ns);
    for (; fraction < 3; fraction++)
        n *= 10;
    *ns = negative ? -(int64_t)n : (int64_t)n;
    return true;
}

bool nadi_view_has(struct nadi_view v, const char *part)
{
    return v.bytes > 0 && memmem(v.at, v.bytes, part, strlen(part)) != NULL;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool hex4(const char *at, const char *end, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = at + i < end ? hex_digit(at[i]) : -1;
        if (digit < 0)
            return false;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

static size_t put_utf8(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(lead[extra] | code >> (6 * extra));
    for (size_t i = 1; i <= extra; i++)
        to[i] = (char)(0x80 | (code >> (6 * (extra - i)) & 0x3f));
    return extra + 1;
}

/* \uXXXX, a pair of them for what is beyond 16 bits; 0 when it is neither. `at` is behind the u. */
static size_t unescape_unit(const char **at, const char *end, char *to)
{
    uint32_t unit, low;
    if (!hex4(*at, end, &unit))
        return 0;
    const char *next = *at + 4;
    if (unit >= 0xd800 && unit < 0xe000) {
        if (unit >= 0xdc00 || end - next < 6 || next[0] != '\\' || next[1] != 'u' ||
            !hex4(next + 2, end, &low) || low < 0xdc00 || low >= 0xe000)
            return 0;
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        next += 6;
    }
    *at = next;
    return put_utf8(unit, to);
}

size_t nadi_view_unescape(struct nadi_view text, char *to)
{
    static const char names[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
    const char *at = text.at, *end = at + text.bytes;
    char *begin = to;
    while (at < end) {
        if (*at != '\\' || at + 1 == end) {
            *to++ = *at++;
            continue;
        }
        const char *name = at[1] ? strchr(names, at[1]) : NULL;
        const char *after = at + 2;
        size_t made = at[1] == 'u' ? unescape_unit(&after, end, to) : 0;
        if (name) {
            *to++ = codes[name - names];
            at += 2;
        } else if (made) {
            to += made;
            at = after;
        } else {
            *to++ = *at++;
        }
    }
    return (size_t)(to - begin);
}
