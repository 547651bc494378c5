#include "cli/options.h"
#include "base/str.h"
#include "base/time.h"
#include "base/units.h"
#include "cli/stop.h"

#include <math.h>

struct common {
    uint64_t max_wall_ns;
};

static const struct nadi_option common_rows[] = {
    {.name = "max-wall",
     .argument = "TIME",
     .type = NADI_OPTION_WALL_TIME,
     .offset = offsetof(struct common, max_wall_ns),
     .help = "Stop after so much real time, like 2min (a bare number is seconds)"},
    {.name = NULL},
};

const struct nadi_option_group nadi_common_options = {"Any command", common_rows, 0};

struct parser {
    const char *command;
    const struct nadi_option_group *groups;
    char *values;
    struct common common;
    bool failed;
};

enum { MAX_OPTIONS = 64, MAX_WORD = 256 };

static void complain(struct parser *p, const char *format, ...) NADI_PRINTF(2, 3);

static void complain(struct parser *p, const char *format, ...)
{
    p->failed = true;
    fprintf(stderr, "nadi %s: error: ", p->command);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* --- values ------------------------------------------------------------------------------------
 */

static bool is_word(const char *words, const char *text)
{
    const size_t length = strlen(text);
    for (const char *at = words; length > 0; at++) {
        const size_t here = strcspn(at, "|");
        if (here == length && memcmp(at, text, length) == 0)
            return true;
        at += here;
        if (*at == '\0')
            break;
    }
    return false;
}

bool nadi_options_any_word(const char *words, const char *text)
{
    char word[MAX_WORD];
    bool any = false;
    for (const char *at = text; *at && !any; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof(word), "%.*s", (int)length, at);
        any = length < sizeof(word) && is_word(words, word);
        at += length;
    }
    return any;
}

/* Words with commas between, each once. */
static bool are_words(const char *words, const char *text)
{
    char word[MAX_WORD];
    const char *at = text;
    for (;;) {
        const size_t length = strcspn(at, ",");
        if (length >= sizeof(word))
            return false;
        memcpy(word, at, length);
        word[length] = '\0';
        if (!is_word(words, word))
            return false;
        for (const char *before = text; before < at; before += strcspn(before, ",") + 1)
            if (strcspn(before, ",") == length && memcmp(before, at, length) == 0)
                return false;
        if (at[length] == '\0')
            return true;
        at += length + 1;
    }
}

/* A whole number of ns or bytes; a bare number is multiplied by `bare`. */
static bool parse_amount(const char *text, enum nadi_dimension dimension, double bare,
                         uint64_t *amount)
{
    double value;
    bool has_unit;
    if (!nadi_units_parse(text, dimension, &value, &has_unit))
        return false;
    if (!has_unit)
        value *= bare;
    if (!(value >= 0) || value >= 9.2e18)
        return false;
    *amount = nadi_count_round(value);
    return true;
}

static bool parse_range(const char *text, const char *between, enum nadi_dimension dimension,
                        struct nadi_range *range)
{
    char first[MAX_WORD];
    const char *found = strstr(text, between);
    if (!found) { /* one rank; a window needs both ends */
        if (dimension != NADI_DIMENSION_NONE || !nadi_str_to_u64(text, &range->first))
            return false;
        range->last = range->first;
        range->given = true;
        return true;
    }
    const size_t length = (size_t)(found - text);
    if (length >= sizeof(first))
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    const char *last = found + strlen(between);
    range->given = true;
    if (dimension == NADI_DIMENSION_NONE)
        return nadi_str_to_u64(first, &range->first) && nadi_str_to_u64(last, &range->last) &&
               range->first <= range->last;
    return parse_amount(first, dimension, 1, &range->first) &&
           parse_amount(last, dimension, 1, &range->last) && range->first < range->last;
}

static bool parse_count(const char *text, uint32_t *value)
{
    uint64_t wide;
    if (!nadi_str_to_u64(text, &wide) || wide < 1 || wide > INT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}

static bool parse_factor(const char *text, double *value)
{
    return nadi_str_to_double(text, value) && isfinite(*value) && *value >= 0;
}

static const char *what_is_allowed(const struct nadi_option *o)
{
    switch (o->type) {
    case NADI_OPTION_FLAG:
        return "no value";
    case NADI_OPTION_TEXT:
        return "a text that is not empty";
    case NADI_OPTION_WORD:
        return o->words;
    case NADI_OPTION_WORDS:
        return o->words;
    case NADI_OPTION_COUNT:
        return "a whole number from 1 to 2147483647";
    case NADI_OPTION_NUMBER:
        return "a whole number from 0";
    case NADI_OPTION_FACTOR:
        return "a number that is not negative";
    case NADI_OPTION_BYTES:
        return "a size like 4096, 64KiB or 1.5GB";
    case NADI_OPTION_TIME:
    case NADI_OPTION_WALL_TIME:
        return "a time like 500ns, 10ms or 2s";
    case NADI_OPTION_RANKS:
        return "a rank or a range of ranks like 0-7";
    case NADI_OPTION_TIME_WINDOW:
        return "two times like 1ms..2.5ms, the earlier first";
    }
    return "";
}

static bool parse_value(const struct nadi_option *o, const char *text, void *at)
{
    switch (o->type) {
    case NADI_OPTION_FLAG:
        *(bool *)at = true;
        return true;
    case NADI_OPTION_WORD:
    case NADI_OPTION_WORDS:
        if (!(o->type == NADI_OPTION_WORDS ? are_words : is_word)(o->words, text))
            return false;
        *(const char **)at = text;
        return true;
    case NADI_OPTION_TEXT:
        *(const char **)at = text;
        return *text != '\0';
    case NADI_OPTION_COUNT:
        return parse_count(text, at);
    case NADI_OPTION_NUMBER:
        return nadi_str_to_u64(text, at);
    case NADI_OPTION_FACTOR:
        return parse_factor(text, at);
    case NADI_OPTION_BYTES:
        return parse_amount(text, NADI_DIMENSION_BYTES, 1, at);
    case NADI_OPTION_TIME:
        return parse_amount(text, NADI_DIMENSION_TIME, 1, at);
    case NADI_OPTION_WALL_TIME:
        return parse_amount(text, NADI_DIMENSION_TIME, 1e9, at);
    case NADI_OPTION_RANKS:
        return parse_range(text, "-", NADI_DIMENSION_NONE, at);
    case NADI_OPTION_TIME_WINDOW:
        return parse_range(text, "..", NADI_DIMENSION_TIME, at);
    }
    return false;
}

/* --- names -------------------------------------------------------------------------------------
 */

struct found {
    const struct nadi_option *option; /* NULL: no such option */
    void *value;
    size_t index; /* among all options of the command */
};

static bool is_option(const struct nadi_option *o, const char *name, size_t length, char letter)
{
    return letter ? o->letter == letter
                  : strlen(o->name) == length && !memcmp(o->name, name, length);
}

static struct found find_option(struct parser *p, const char *name, size_t length, char letter)
{
    size_t index = 0;
    for (const struct nadi_option_group *g = p->groups; g->heading; g++) {
        for (const struct nadi_option *o = g->rows; o->name; o++, index++)
            if (is_option(o, name, length, letter))
                return (struct found){o, p->values + g->offset + o->offset, index};
    }
    for (const struct nadi_option *o = common_rows; o->name; o++, index++)
        if (is_option(o, name, length, letter))
            return (struct found){o, (char *)&p->common + o->offset, index};
    return (struct found){0};
}

static void complain_unknown(struct parser *p, const char *word, size_t length)
{
    const char *names[MAX_OPTIONS];
    size_t count = 0;
    for (const struct nadi_option_group *g = p->groups; g->heading; g++) {
        for (const struct nadi_option *o = g->rows; o->name && count < MAX_OPTIONS; o++)
            names[count++] = o->name;
    }
    for (const struct nadi_option *o = common_rows; o->name && count < MAX_OPTIONS; o++)
        names[count++] = o->name;
    char written[MAX_WORD];
    snprintf(written, sizeof(written), "%.*s", (int)nadi_min_u64(length, sizeof(written) - 1),
             word);
    const char *nearest = nadi_str_nearest(written + strspn(written, "-"), names, count);
    if (nearest)
        complain(p, "unknown option '%s', did you mean '--%s'?", written, nearest);
    else
        complain(p, "unknown option '%s'", written);
}

/* --- the words ---------------------------------------------------------------------------------
 */

/* Reads the option at arguments[i]; returns the index of the last word that it used. */
static int read_option(struct parser *p, int i, int count, char **arguments, bool *seen)
{
    const char *word = arguments[i];
    const bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    const size_t length = equals ? (size_t)(equals - word) : strlen(word);
    struct found found = {0};
    if (is_long)
        found = find_option(p, word + 2, length - 2, '\0');
    else if (length == 2)
        found = find_option(p, NULL, 0, word[1]);
    const struct nadi_option *o = found.option;
    if (!o) {
        complain_unknown(p, word, length);
        /* Its value, if it has one, is not a word of its own. */
        return !equals && i + 1 < count && arguments[i + 1][0] != '-' ? i + 1 : i;
    }
    seen[found.index] = true;
    const char *value = equals ? equals + 1 : NULL;
    if (o->type == NADI_OPTION_FLAG) {
        if (value)
            complain(p, "'--%s' takes no value, found '%s'", o->name, value);
    } else if (!value) {
        if (i + 1 >= count || nadi_str_starts(arguments[i + 1], "--")) {
            complain(p, "'%.*s' needs a value: %s", (int)length, word, what_is_allowed(o));
            return i;
        }
        value = arguments[++i];
    }
    if (!parse_value(o, value, found.value))
        complain(p, "'--%s' wants %s, found '%s'", o->name, what_is_allowed(o), value);
    return i;
}

static void set_defaults(struct parser *p)
{
    for (const struct nadi_option_group *g = p->groups; g->heading; g++) {
        for (const struct nadi_option *o = g->rows; o->name; o++) {
            if (o->initial && !parse_value(o, o->initial, p->values + g->offset + o->offset))
                NADI_BUG("default of --%s: '%s'", o->name, o->initial);
        }
    }
}

static void find_missing(struct parser *p, const bool *seen)
{
    size_t index = 0;
    for (const struct nadi_option_group *g = p->groups; g->heading; g++) {
        for (const struct nadi_option *o = g->rows; o->name; o++, index++) {
            if (o->required && !seen[index])
                complain(p, "'--%s %s' is missing", o->name, o->argument);
        }
    }
}

bool nadi_options_parse(const char *name, const struct nadi_option_group *groups, int max_words,
                        int count, char **arguments, void *values, struct nadi_words *words)
{
    struct parser p = {.command = name, .groups = groups, .values = values};
    bool seen[MAX_OPTIONS] = {false};
    set_defaults(&p);
    int kept = 0; /* words go to the front, where all has been read */
    bool ended = false;
    for (int i = 0; i < count; i++) {
        if (!ended && nadi_str_equal(arguments[i], "--")) {
            ended = true;
        } else if (!ended && arguments[i][0] == '-' && arguments[i][1] != '\0') {
            i = read_option(&p, i, count, arguments, seen);
        } else if (arguments[i][0] == '\0') {
            complain(&p, "a word is empty: was a variable of the shell not set?");
        } else if (kept < max_words) {
            arguments[kept++] = arguments[i];
        } else {
            complain(&p, "unexpected word '%s'", arguments[i]);
        }
    }
    *words = (struct nadi_words){(const char *const *)arguments, kept};
    find_missing(&p, seen);
    nadi_stop_after(p.common.max_wall_ns);
    if (p.failed)
        fprintf(stderr, "`nadi help %s` shows the options\n", name);
    return !p.failed;
}

bool nadi_words_wanted(const char *name, const struct nadi_words *words, int least,
                       const char *what)
{
    if (words->count >= least)
        return true;
    fprintf(stderr, "nadi %s: error: name %s\n`nadi help %s` shows the options\n", name, what,
            name);
    return false;
}
