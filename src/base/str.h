/* str: growable text, and functions on strings.
 *
 * struct nadi_str is always terminated once something was added; `text` is NULL while empty. */
#ifndef NADI_BASE_STR_H
#define NADI_BASE_STR_H

#include "base/base.h"

enum { NADI_SENTENCE_COLUMNS = 96 }; /* to which sentences for people are wrapped */

struct nadi_str {
    char *text;
    size_t length, capacity;
};

#define NADI_STR_INIT                                                                              \
    {                                                                                              \
        0                                                                                          \
    }

void nadi_str_release(struct nadi_str *s);
void nadi_str_clear(struct nadi_str *s); /* keeps the memory */
void nadi_str_add(struct nadi_str *s, const char *text);
void nadi_str_add_bytes(struct nadi_str *s, const void *bytes, size_t count);
void nadi_str_add_char(struct nadi_str *s, char c);
void nadi_str_printf(struct nadi_str *s, const char *format, ...) NADI_PRINTF(2, 3);
void nadi_str_vprintf(struct nadi_str *s, const char *format, va_list args) NADI_PRINTF(2, 0);
/* The text, "" while empty; valid until the next change. */
const char *nadi_str_get(const struct nadi_str *s);

bool nadi_str_equal(const char *a, const char *b); /* NULL equals NULL only */
bool nadi_str_starts(const char *s, const char *prefix);
bool nadi_str_ends(const char *s, const char *suffix);
/* "an" before a vowel, else "a". */
const char *nadi_str_article(const char *noun);

/* The candidate nearest to `word` if near enough to be a typing error, or the only one that shares
 * most of the word's beginning; else NULL. */
const char *nadi_str_nearest(const char *word, const char *const *candidates, size_t count);

/* Text to numbers: decimal digits, stricter than C's own functions: no leading blanks, no
 * hexadecimal, no "nan" or "inf", nothing after the number, nothing out of range (a double is
 * finite). A sign may stand before an i64 and a double. On false, *value is as it was. */
bool nadi_str_to_u64(const char *s, uint64_t *value) NADI_MUST_USE;
bool nadi_str_to_u32(const char *s, uint32_t most, uint32_t *value) NADI_MUST_USE;
bool nadi_str_to_i64(const char *s, int64_t *value) NADI_MUST_USE;
bool nadi_str_to_double(const char *s, double *value) NADI_MUST_USE;
/* The same for a number at the beginning of a text: returns the rest of the text, or NULL. */
const char *nadi_str_take_u64(const char *text, uint64_t *value) NADI_MUST_USE;
const char *nadi_str_take_double(const char *text, double *value) NADI_MUST_USE;
/* A name that may end with a number: "tree4" is the word "tree" and 4, "ring" is "ring" and 0.
 * False when what begins with the first digit is not a number from 1 to 2^31 - 1, or the word has
 * no room. */
bool nadi_str_split_number(const char *name, char *word, size_t room,
                           uint32_t *number) NADI_MUST_USE;

#endif
