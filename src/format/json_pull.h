/* pull: a pull tokenizer for JSON in memory, fast enough for captures of gigabytes.
 *
 *   if (nadi_pull_open(s, '{'))
 *       while (nadi_pull_key(s, &key))
 *           read or skip the value;
 *   good = !s->fault;
 *
 * Nothing is allocated or copied: texts are views of the input with their escapes. The caller asks
 * for what it expects; the first mismatch sets `fault` (a sentence), and every later call returns
 * false at once. Skipped values are checked for balance only, values that are read are checked
 * fully. The bytes from end to end + NADI_PULL_PAD must be zero, so that loops need no bounds. NaN,
 * Infinity and the bare words nan and inf, which PyTorch writes, count as numbers. O(bytes); 16
 * bytes at a time where the machine has SSE2. */
#ifndef NADI_FORMAT_JSON_PULL_H
#define NADI_FORMAT_JSON_PULL_H

#include "base/base.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { NADI_PULL_PAD = 64, NADI_PULL_DEPTH = 64 };

struct nadi_view { /* bytes of the input; of a string: between the quotes */
    const char *at;
    uint32_t bytes;
    bool escaped; /* has backslashes */
};

struct nadi_pull {
    const char *at, *end;
    const char *fault; /* NULL: no fault; else s->at is its place */
    bool first;        /* no item of the innermost object or array was read yet */
    bool ran_out;      /* the fault is that the bytes ended */
};

enum nadi_value_kind {
    NADI_VALUE_NULL = 1,
    NADI_VALUE_FALSE,
    NADI_VALUE_TRUE,
    NADI_VALUE_NUMBER,
    NADI_VALUE_STRING,
    NADI_VALUE_NESTED, /* object or array, skipped */
};

struct nadi_value {
    enum nadi_value_kind kind;
    struct nadi_view text; /* the bytes of the value; of a string: between the quotes */
};

static inline struct nadi_pull nadi_pull_of(const char *at, size_t bytes)
{
    return (struct nadi_pull){.at = at,
                              .end = at ? at + bytes : at}; /* nothing may have no address */
}

/* Out of line: over blanks; to the first quote, backslash or control character; to the first byte
 * that is not ASCII, at most to `end`; to the end of a string; a nested value. */
const char *nadi_pull_blanks(const char *at);
const char *nadi_pull_string_stop(const char *at);
const char *nadi_pull_ascii_end(const char *at, const char *end);
bool nadi_pull_string_rest(struct nadi_pull *s, struct nadi_view *text);
bool nadi_pull_skip(struct nadi_pull *s, struct nadi_view *text);
bool nadi_pull_fail(struct nadi_pull *s, const char *fault); /* returns false */

/* Bytes before the closing quote when there are less than 16 and nothing odd is among them; 16
 * otherwise. */
static inline unsigned nadi_pull_short_string(const char *at)
{
#if defined(__SSE2__)
    const __m128i top = _mm_set1_epi8(0x1f);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)at);
    unsigned quote = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(b, _mm_set1_epi8('"')));
    unsigned odd = (unsigned)_mm_movemask_epi8(_mm_or_si128(
        _mm_cmpeq_epi8(b, _mm_set1_epi8('\\')), _mm_cmpeq_epi8(_mm_max_epu8(b, top), top)));
    /* the lowest bit of both is the quote's */
    return quote && (odd & (quote ^ (quote - 1))) == 0 ? (unsigned)__builtin_ctz(quote) : 16;
#else
    (void)at;
    return 16;
#endif
}

/* The next byte that is no blank, not consumed; 0 at the end. */
static inline char nadi_pull_peek(struct nadi_pull *s)
{
    if ((unsigned char)*s->at <= ' ')
        s->at = (unsigned char)s->at[1] > ' ' && *s->at ? s->at + 1 : nadi_pull_blanks(s->at);
    return *s->at;
}

/* Consumes '{' or '['. */
static inline bool nadi_pull_open(struct nadi_pull *s, char bracket)
{
    if (NADI_UNLIKELY(s->fault || nadi_pull_peek(s) != bracket))
        return nadi_pull_fail(s, bracket == '{' ? "an object is wanted" : "a list is wanted");
    s->at++;
    s->first = true;
    return true;
}

/* True when there is another item before `close`, which is consumed otherwise. */
static inline bool nadi_pull_more(struct nadi_pull *s, char close)
{
    if (NADI_UNLIKELY(s->fault))
        return false;
    char c = nadi_pull_peek(s);
    if (c == close) {
        s->at++;
        s->first = false;
        return false;
    }
    if (!s->first) {
        if (NADI_UNLIKELY(c != ','))
            return nadi_pull_fail(s,
                                  close == '}' ? "',' or '}' is wanted" : "',' or ']' is wanted");
        s->at++;
    }
    s->first = false;
    return true;
}

static inline bool nadi_pull_item(struct nadi_pull *s)
{
    return nadi_pull_more(s, ']');
}

/* A string; consumes it. Most are shorter than 16 bytes and without escapes. */
static inline bool nadi_pull_string(struct nadi_pull *s, struct nadi_view *text)
{
    if (NADI_UNLIKELY(s->fault || nadi_pull_peek(s) != '"'))
        return nadi_pull_fail(s, "a string is wanted");
    s->at++;
    unsigned length = nadi_pull_short_string(s->at);
    if (NADI_LIKELY(length < 16)) {
        *text = (struct nadi_view){s->at, length, false};
        s->at += length + 1;
        return true;
    }
    return nadi_pull_string_rest(s, text);
}

/* The next key of an object, its colon consumed; false behind the closing brace. */
static inline bool nadi_pull_key(struct nadi_pull *s, struct nadi_view *key)
{
    if (!nadi_pull_more(s, '}') || !nadi_pull_string(s, key))
        return false;
    if (NADI_UNLIKELY(nadi_pull_peek(s) != ':'))
        return nadi_pull_fail(s, "':' is wanted");
    s->at++;
    return true;
}

/* Any value; nested ones are skipped. */
bool nadi_pull_value(struct nadi_pull *s, struct nadi_value *value);

/* Strict RFC 8259, unlike the rest: the whole text is one value, in UTF-8, with valid numbers,
 * escapes and blanks. A fault describes the violation at s->at. (json_strict.c) */
bool nadi_pull_strict(struct nadi_pull *s);
/* The same of a string, behind its opening quote, and of a number. Bytes that continue a character
 * are added to *inner. */
bool nadi_pull_strict_string(struct nadi_pull *s, struct nadi_view *text, size_t *inner);
bool nadi_pull_strict_number(struct nadi_pull *s);

/* Numbers and strings that hold numbers. False: not a whole number of 64 bits (negative ones as
 * two's complement); fractions and exponents are cut off. */
bool nadi_value_integer(const struct nadi_value *v, int64_t *number);
/* The number as a double, correctly rounded. */
bool nadi_value_real(const struct nadi_value *v, double *number);
/* Microseconds with a fraction to whole nanoseconds, exact; further digits are cut off. */
bool nadi_value_micros(const struct nadi_value *v, int64_t *ns);

static inline bool nadi_view_is(struct nadi_view v, const char *text, size_t bytes)
{
    return v.bytes == bytes && memcmp(v.at, text, bytes) == 0;
}
#define NADI_VIEW_IS(v, literal) nadi_view_is((v), "" literal, sizeof(literal) - 1)

bool nadi_view_has(struct nadi_view v, const char *part);

/* Escapes resolved, into `to` of at least text.bytes bytes; returns the length. Lone surrogates and
 * unknown escapes stay as they are written. */
size_t nadi_view_unescape(struct nadi_view text, char *to);

#endif
