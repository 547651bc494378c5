#include "base/str.h"

#include "base/mem.h"

#include <errno.h>

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

void nadi_str_add_bytes(struct nadi_str *s, const void *bytes, size_t count)
{
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

bool nadi_str_to_u64(const char *s, uint64_t *value)
{
    char *end;
    if (*s < '0' || *s > '9')
        return false;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    if (errno || *end)
        return false;
    *value = v;
    return true;
}

bool nadi_str_to_i64(const char *s, int64_t *value)
{
    char *end;
    const char *digits = *s == '-' || *s == '+' ? s + 1 : s;
    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    long long v = strtoll(s, &end, 10);
    if (errno || *end)
        return false;
    *value = v;
    return true;
}

bool nadi_str_to_double(const char *s, double *value)
{
    char *end;
    if (*s == '\0' || *s == ' ' || *s == '\t' || *s == '\n')
        return false;
    double v = strtod(s, &end);
    if (end == s || *end)
        return false;
    *value = v;
    return true;
}
