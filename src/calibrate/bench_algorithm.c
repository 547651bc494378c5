/* bench_algorithm: what a log says of the library's algorithm and protocol. */
#include <ctype.h>
#include <strings.h>

#include "calibrate/bench_read.h"

#define KNOWN "known are ring, tree, NVLS, NVLSTree, CollNet, PAT and direct"

struct words {
    enum nadi_comm_algorithm algorithm; /* the first that is named */
    uint32_t count, others;             /* all words; those that are neither names nor between */
    bool several, negated;
    bool only;                     /* "ring only" among others */
    enum nadi_comm_algorithm sole; /* that "only" is said of */
};

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcasecmp(word, *list) == 0)
            return true;
    return false;
}

/* The next run of letters, digits and '_', and whether '^' or '!' stands before it. */
static bool take_word(const char **at, char *word, size_t capacity, bool *negated)
{
    *negated = false;
    for (; **at && !isalnum((unsigned char)**at) && **at != '_'; (*at)++)
        *negated |= **at == '^' || **at == '!';
    size_t length = 0;
    for (; isalnum((unsigned char)**at) || **at == '_'; (*at)++)
        if (length + 1 < capacity)
            word[length++] = **at;
    word[length] = '\0';
    return length > 0;
}

static struct words words_of(const char *text)
{
    static const char *const negations[] = {"not", "no", "without", "never", NULL};
    static const char *const between[] = {"and", "or", NULL};
    struct words w = {.algorithm = NADI_COMM_AUTO};
    enum nadi_comm_algorithm before = NADI_COMM_AUTO;
    bool hat, tied = false, tied_before = false; /* to the word before, as in "not ring" */
    char word[32];
    while (take_word(&text, word, sizeof(word), &hat)) {
        const enum nadi_comm_algorithm a = nadi_comm_algorithm_of(word);
        const bool negation = is_one_of(word, negations), joins = is_one_of(word, between);
        w.count++;
        w.negated |= negation || (hat && a);
        w.several |= a && w.algorithm && a != w.algorithm;
        w.algorithm = w.algorithm ? w.algorithm : a;
        if (before && strcasecmp(word, "only") == 0 && !tied_before) {
            w.only = true;
            w.sole = before;
        } else if (!a && !negation && !joins && strcasecmp(word, "only") != 0) {
            w.others++;
        }
        tied_before = tied || hat;
        tied = negation || joins;
        before = a;
    }
    return w;
}

/* The part of "ring;allreduce:tree,ring" that is of the collective; false: none is. */
static bool part_of(const char *text, enum nadi_comm_kind kind, char *out, size_t capacity)
{
    bool found = false;
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, ";");
        const char *colon = memchr(at, ':', length);
        char name[32] = "";
        if (colon && (size_t)(colon - at) < sizeof(name))
            memcpy(name, at, (size_t)(colon - at));
        const bool own = colon && kind && nadi_comm_kind_of(name) == kind;
        const bool odd = colon && !nadi_comm_kind_of(name); /* name_of will not know it either */
        if (own || odd || (!colon && !found)) {
            const char *from = own ? colon + 1 : at;
            snprintf(out, capacity, "%.*s", (int)(at + length - from), from);
            found = true;
            if (odd)
                return true;
        }
        at += length + (at[length] == ';');
    }
    return found;
}

/* "Ring" of a setting or a cell: one name, or why it is none. */
static const char *name_of(const char *text, enum nadi_comm_algorithm *algorithm)
{
    const struct words w = words_of(text);
    if (w.negated || w.several)
        return "several or negated algorithms: name the one that the rows took";
    if (w.others)
        return "no algorithm of the model: " KNOWN;
    *algorithm = w.algorithm;
    return NULL;
}

/* Words of a sentence: what "only" is said of; nothing but names; else it is a note. */
static const char *name_in(const char *text, enum nadi_comm_algorithm *algorithm)
{
    const struct words w = words_of(text);
    if (w.others == 0 || w.count == 1)
        return name_of(text, algorithm);
    if (w.only)
        *algorithm = w.sole;
    return NULL;
}

/* The value of a variable that is set in the text; NULL: it is not. Up to a blank, or a list. */
static const char *setting(const char *text, const char *name, char *out, size_t capacity)
{
    const char *at = strcasestr(text, name);
    if (!at)
        return NULL;
    at += strlen(name);
    at += strspn(at, " \t\"'");
    snprintf(out, capacity, "%.*s", (int)strcspn(at, " \t\"')"), at);
    return out;
}

const char *nadi_bench_algorithm_of(const char *text, enum nadi_comm_kind kind,
                                    enum nadi_comm_algorithm *algorithm)
{
    static const char *const unsaid[] = {"", "-", "N/A", "none", "auto", "default", "unset", NULL};
    char value[128], part[128];
    *algorithm = NADI_COMM_AUTO;
    if (strncmp(text, "one", 3) == 0 && isupper((unsigned char)text[3]))
        text += 3; /* "oneRing" of `nadi collective bench` */
    if (is_one_of(text, unsaid))
        return NULL;
    if (setting(text, "NCCL_PROTO=", value, sizeof(value)) && !is_one_of(value, unsaid))
        return "the model chooses the protocol and cannot be told one";
    const bool set = setting(text, "NCCL_ALGO=", value, sizeof(value)) != NULL;
    if (!set && strpbrk(text, " \t"))
        return name_in(text, algorithm);
    if (!set)
        snprintf(value, sizeof(value), "%s", text);
    if (is_one_of(value, unsaid) || !part_of(value, kind, part, sizeof(part)))
        return NULL;
    return name_of(part, algorithm);
}

enum nadi_comm_algorithm nadi_bench_algorithm(const struct nadi_bench_table *t)
{
    enum nadi_comm_algorithm algorithm;
    nadi_bench_algorithm_of(t->algorithm, t->kind, &algorithm);
    return algorithm;
}
