/* words: lines and words of a text workload, with their places. */
#include "generate/v1/words.h"
#include "base/str.h"

struct nadi_place nadi_v1_place(const struct nadi_v1_words *r)
{
    struct nadi_place p = NADI_IN_FILE(r->w->path);
    p.line = r->number;
    p.column = r->last_column;
    return p;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Moves to the next line that is not empty; false at the end. */
bool nadi_v1_next_line(struct nadi_v1_words *r)
{
    while (*r->at) {
        r->line = r->word = r->at;
        r->end = strchr(r->at, '\n');
        r->end = r->end ? r->end : r->at + strlen(r->at);
        r->at = *r->end ? r->end + 1 : r->end;
        r->number++;
        r->last_column = 1;
        for (const char *c = r->line; c < r->end; c++) {
            if (!is_blank(*c))
                return true;
        }
    }
    return false;
}

/* The next word of the line, NULL at its end; *length of it. */
const char *nadi_v1_next_word(struct nadi_v1_words *r, size_t *length)
{
    while (r->word < r->end && is_blank(*r->word))
        r->word++;
    const char *start = r->word;
    while (r->word < r->end && !is_blank(*r->word))
        r->word++;
    *length = (size_t)(r->word - start);
    r->last_column = (uint32_t)(start - r->line) + 1;
    return *length ? start : NULL;
}

bool nadi_v1_missing(struct nadi_v1_words *r, const char *what)
{
    return nadi_error(r->diags, "text/missing", nadi_v1_place(r),
                      "a layer is: name, -1, three times (compute time, collective, bytes), update "
                      "time",
                      "the line ends where %s is wanted", what);
}

bool nadi_v1_read_number(struct nadi_v1_words *r, const char *what, uint64_t most, uint64_t *value)
{
    size_t length;
    char text[NADI_V1_WORD_SHOWN + 4];
    const char *word = nadi_v1_next_word(r, &length);
    if (!word)
        return nadi_v1_missing(r, what);
    snprintf(text, sizeof text, "%.*s", (int)nadi_min_u64(length, NADI_V1_WORD_SHOWN), word);
    char *fraction = strchr(text, '.'); /* Python divides: "8388608.0" */
    if (fraction && fraction > text && fraction[1] &&
        strspn(fraction + 1, "0") == strlen(fraction + 1))
        *fraction = '\0';
    if (length > NADI_V1_WORD_SHOWN || !nadi_str_to_u64(text, value) || *value > most)
        return nadi_error(r->diags, "text/number", nadi_v1_place(r), NULL,
                          "%s must be a whole number from 0 to %" PRIu64 ", found '%s'", what, most,
                          text);
    return true;
}

/* The index of a word in the table; `count` with an error when it is none of them. */
uint32_t nadi_v1_choose(struct nadi_v1_words *r, const char *word, size_t length, const char *what,
                        const char *const *names, uint32_t first, uint32_t count)
{
    char text[NADI_V1_WORD_SHOWN + 4];
    for (uint32_t i = first; i < count; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
            return i;
    }
    struct nadi_str allowed = NADI_STR_INIT;
    for (uint32_t i = first; i < count; i++)
        nadi_str_printf(&allowed, "%s%s", i > first ? ", " : "", names[i]);
    snprintf(text, sizeof text, "%.*s", (int)nadi_min_u64(length, NADI_V1_WORD_SHOWN), word);
    const char *near = nadi_str_nearest(text, names + first, count - first);
    nadi_error(r->diags, "text/word", nadi_v1_place(r), nadi_str_get(&allowed),
               "'%s' is no %s%s%s%s", text, what, near ? ", did you mean '" : "", near ? near : "",
               near ? "'?" : "");
    nadi_str_release(&allowed);
    return count;
}

/* The same of the next word. */
uint32_t nadi_v1_read_choice(struct nadi_v1_words *r, const char *what, const char *const *names,
                             uint32_t first, uint32_t count)
{
    size_t length;
    const char *word = nadi_v1_next_word(r, &length);
    if (word)
        return nadi_v1_choose(r, word, length, what, names, first, count);
    (void)!nadi_v1_missing(r, what);
    return count;
}

bool nadi_v1_at_end_of_line(struct nadi_v1_words *r, const char *what)
{
    size_t length;
    const char *word = nadi_v1_next_word(r, &length);
    return !word ||
           nadi_error(r->diags, "text/extra", nadi_v1_place(r), "remove it", "'%.*s' follows %s",
                      (int)nadi_min_u64(length, NADI_V1_WORD_SHOWN), word, what);
}
