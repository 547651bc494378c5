#include "base/str.h"

#include "base/guard.h"
#include "base/mem.h"

#include <math.h>

void nadi_str_release(struct nadi_str *s)
{
    nadi_mem_free(s->text);
    *s = (struct nadi_str)NADI_STR_INIT;
}

void nadi_str_clear(struct nadi_str *s)
{
    s->length = 0;
    if (s->text)
        s->text[0] = '\0';
}

/* Does it pass a multiple of 64 KiB? There a long text looks whether its writing shall end. */
static void look(size_t before, size_t after)
{
    enum { BITS = 16 };
    if (NADI_UNLIKELY(before >> BITS != after >> BITS))
        (void)nadi_guard_look();
}

void nadi_str_add_bytes(struct nadi_str *s, const void *bytes, size_t count)
{
    look(s->length, s->length + count);
    if (s->length + count + 1 > s->capacity)
        s->text = nadi_mem_grow(s->text, &s->capacity, s->length + count + 1, 1);
    if (count)
        memcpy(s->text + s->length, bytes, count);
    s->length += count;
    s->text[s->length] = '\0';
}

void nadi_str_add(struct nadi_str *s, const char *text)
{
    nadi_str_add_bytes(s, text, strlen(text));
}

void nadi_str_add_char(struct nadi_str *s, char c)
{
    nadi_str_add_bytes(s, &c, 1);
}

void nadi_str_vprintf(struct nadi_str *s, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, args);
    NADI_ASSERT(count >= 0);
    look(s->length, s->length + (size_t)count);
    size_t want = s->length + (size_t)count + 1;
    if (want > s->capacity)
        s->text = nadi_mem_grow(s->text, &s->capacity, want, 1);
    vsnprintf(s->text + s->length, (size_t)count + 1, format, again);
    va_end(again);
    s->length += (size_t)count;
}

void nadi_str_printf(struct nadi_str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    nadi_str_vprintf(s, format, args);
    va_end(args);
}

const char *nadi_str_get(const struct nadi_str *s)
{
    return s->text ? s->text : "";
}

bool nadi_str_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool nadi_str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

const char *nadi_str_article(const char *noun)
{
    return *noun && strchr("aeiouAEIOU", *noun) ? "an" : "a";
}

bool nadi_str_ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

enum { LONGEST_COMPARED = 63 };

/* Edit distance (insert, delete, replace, swap of neighbours = 1), case ignored; O(|a| |b|). */
static unsigned str_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_COMPARED || m > LONGEST_COMPARED)
        return strcasecmp(a, b) == 0 ? 0 : LONGEST_COMPARED;
    unsigned rows[3][LONGEST_COMPARED + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned cost = lower(a[i - 1]) != lower(b[j - 1]);
            unsigned best = last[j - 1] + cost;
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        unsigned *t = before;
        before = last;
        last = now;
        now = t;
    }
    return last[m];
}

static size_t common_prefix(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && lower(a[n]) == lower(b[n]))
        n++;
    return n;
}

/* The one candidate that goes on as most of the word does; NULL where two do as well. */
static const char *same_start(const char *word, const char *const *candidates, size_t count)
{
    enum { SHORTEST = 5 };
    size_t length = strlen(word), longest = length - length / 3;
    if (longest < SHORTEST)
        longest = SHORTEST;
    const char *best = NULL;
    bool tied = false;
    for (size_t i = 0; i < count; i++) {
        size_t n = common_prefix(word, candidates[i]);
        if (n < longest)
            continue;
        tied = best && n == longest;
        longest = n;
        best = candidates[i];
    }
    return tied ? NULL : best;
}

const char *nadi_str_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    unsigned limit = length < 4 ? 1 : length < 8 ? 2 : (unsigned)(length / 3);
    const char *best = NULL;
    for (size_t i = 0; i < count; i++) {
        unsigned d = str_distance(word, candidates[i]);
        if (d <= limit) {
            limit = d ? d - 1 : 0;
            best = candidates[i];
            if (d == 0)
                break;
        }
    }
    return best ? best : same_start(word, candidates, count);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

const char *nadi_str_take_u64(const char *text, uint64_t *value)
{
    uint64_t number = 0;
    if (!is_digit(*text))
        return NULL;
    for (; is_digit(*text); text++)
        if (__builtin_mul_overflow(number, 10U, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number))
            return NULL;
    *value = number;
    return text;
}

static const char *skip_digits(const char *p)
{
    while (is_digit(*p))
        p++;
    return p;
}

/* Behind a decimal number; NULL: there is none. An 'e' without digits is not part of it. */
static const char *end_of_decimal(const char *p)
{
    p += *p == '+' || *p == '-';
    const char *digits = p;
    p = skip_digits(p);
    bool any = p > digits;
    if (*p == '.' && (any || is_digit(p[1]))) {
        p = skip_digits(p + 1);
        any = true;
    }
    if (!any)
        return NULL;
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1;
        exponent += *exponent == '+' || *exponent == '-';
        if (is_digit(*exponent))
            p = skip_digits(exponent);
    }
    return p;
}

const char *nadi_str_take_double(const char *text, double *value)
{
    const char *behind = end_of_decimal(text);
    char *end;
    if (!behind)
        return NULL;
    const double number = strtod(text, &end);
    if (end != behind || !isfinite(number))
        return NULL;
    *value = number;
    return behind;
}

bool nadi_str_to_u64(const char *s, uint64_t *value)
{
    uint64_t number;
    const char *end = nadi_str_take_u64(s, &number);
    if (!end || *end)
        return false;
    *value = number;
    return true;
}

bool nadi_str_to_u32(const char *s, uint32_t most, uint32_t *value)
{
    uint64_t number;
    if (!nadi_str_to_u64(s, &number) || number > most)
        return false;
    *value = (uint32_t)number;
    return true;
}

bool nadi_str_to_i64(const char *s, int64_t *value)
{
    uint64_t magnitude;
    const bool negative = *s == '-';
    if (!nadi_str_to_u64(s + (negative || *s == '+'), &magnitude) ||
        magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

bool nadi_str_to_double(const char *s, double *value)
{
    double number;
    const char *end = nadi_str_take_double(s, &number);
    if (!end || *end)
        return false;
    *value = number;
    return true;
}

bool nadi_str_split_number(const char *name, char *word, size_t room, uint32_t *number)
{
    const size_t letters = strcspn(name, "0123456789");
    *number = 0;
    word[0] = '\0';
    if (letters >= room)
        return false;
    memcpy(word, name, letters);
    word[letters] = '\0';
    return !name[letters] || (nadi_str_to_u32(name + letters, INT32_MAX, number) && *number > 0);
}
