/* setting: reading and writing values by their rows. */
#include "settings/setting.h"

#include "base/str.h"
#include "base/time.h"
#include "format/number.h"

#include <math.h>

enum { MOST_WORDS = 64, WORD_LENGTH = 64, NUMBER_MARK_LENGTH = 3 /* "[N]" */ };

/* --- numbers ------------------------------------------------------------------------------------
 */

double nadi_setting_factor(const struct nadi_setting *s)
{
    return s->unit_factor > 0 ? s->unit_factor : 1;
}

bool nadi_setting_number(const struct nadi_setting *s, const char *text,
                         struct nadi_setting_number *number)
{
    const double factor = nadi_setting_factor(s);
    double value;
    if (!nadi_units_parse(text, s->dimension, &value, &number->has_unit))
        return false;
    number->in_unit = number->has_unit ? value / factor : value;
    number->base = number->has_unit ? value : value * factor;
    return true;
}

enum nadi_bound nadi_setting_bound(const struct nadi_setting *s, double in_unit)
{
    if (s->max <= 0 || (isinf(in_unit) && in_unit > 0 && s->may_be_infinite))
        return NADI_BOUND_WITHIN;
    if (s->above_min ? in_unit <= s->min : in_unit < s->min)
        return NADI_BOUND_BELOW;
    return in_unit > s->max ? NADI_BOUND_ABOVE : NADI_BOUND_WITHIN;
}

void nadi_setting_bound_text(const struct nadi_setting *s, enum nadi_bound bound,
                             struct nadi_str *out)
{
    const bool low = bound == NADI_BOUND_BELOW;
    nadi_str_add(out, low && s->above_min ? "more than " : low ? "at least " : "at most ");
    nadi_number_add_double(out, low ? s->min : s->max);
    if (s->unit)
        nadi_str_printf(out, " %s", s->unit);
}

void nadi_setting_range_text(const struct nadi_setting *s, struct nadi_str *out)
{
    if (s->max <= 0)
        return;
    nadi_str_add(out, s->above_min ? "more than " : "");
    nadi_number_add_double(out, s->min);
    if (s->max < DBL_MAX) {
        nadi_str_add(out, s->above_min ? ", at most " : " to ");
        nadi_number_add_double(out, s->max);
    } else if (!s->above_min) {
        nadi_str_add(out, " and more");
    }
    if (s->may_be_infinite)
        nadi_str_add(out, ", or .inf");
}

/* A whole number of ns or bytes; bounds are looked at in the row's unit. */
static bool read_amount(const struct nadi_setting *s, const char *text, uint64_t *amount)
{
    struct nadi_setting_number n;
    if (!nadi_setting_number(s, text, &n) || !(n.base >= 0) || n.base >= 9.2e18 ||
        nadi_setting_bound(s, n.in_unit) != NADI_BOUND_WITHIN)
        return false;
    *amount = nadi_count_round(n.base);
    return true;
}

/* A whole number, or a power of 2: "2^18". */
static bool read_plain(const char *text, uint64_t *value)
{
    uint32_t exponent;
    if (!nadi_str_starts(text, "2^"))
        return nadi_str_to_u64(text, value);
    if (!nadi_str_to_u32(text + 2, 63, &exponent))
        return false;
    *value = UINT64_C(1) << exponent;
    return true;
}

static bool read_integer(const struct nadi_setting *s, const char *text, void *member)
{
    uint64_t value;
    if (s->dimension != NADI_DIMENSION_NONE) {
        if (!read_amount(s, text, &value))
            return false;
    } else if (!read_plain(text, &value) ||
               nadi_setting_bound(s, (double)value) != NADI_BOUND_WITHIN) {
        return false;
    }
    if (s->size != sizeof(uint32_t))
        *(uint64_t *)member = value;
    else if (value <= UINT32_MAX)
        *(uint32_t *)member = (uint32_t)value;
    return s->size != sizeof(uint32_t) || value <= UINT32_MAX;
}

static uint64_t whole(const struct nadi_setting *s, const void *member)
{
    return s->size == sizeof(uint32_t) ? *(const uint32_t *)member : *(const uint64_t *)member;
}

const char *nadi_setting_base_unit(const struct nadi_setting *s)
{
    static const char *const units[] = {
        [NADI_DIMENSION_TIME] = "ns",  [NADI_DIMENSION_BYTES] = "B",
        [NADI_DIMENSION_RATE] = "B/s", [NADI_DIMENSION_FLOPS] = "FLOP/s",
        [NADI_DIMENSION_NONE] = "",
    };
    return units[s->dimension];
}

static void write_integer(const struct nadi_setting *s, const void *member, struct nadi_str *out)
{
    nadi_str_printf(out, "%" PRIu64 "%s", whole(s, member), nadi_setting_base_unit(s));
}

static void allow_integer(const struct nadi_setting *s, struct nadi_str *out)
{
    if (s->dimension == NADI_DIMENSION_BYTES)
        nadi_str_add(out, "a size like 4096, 64KiB or 1.5GB");
    else if (s->dimension == NADI_DIMENSION_TIME)
        nadi_str_add(out, "a time like 500ns, 10ms or 2s");
    else
        nadi_str_add(out, "a whole number");
    if (s->max > 0) {
        nadi_str_add(out, " from ");
        nadi_setting_range_text(s, out);
    } else if (s->dimension == NADI_DIMENSION_NONE) {
        nadi_str_add(out, " from 0");
    }
}

static bool read_number(const struct nadi_setting *s, const char *text, void *member)
{
    struct nadi_setting_number n = {0};
    if (s->dimension == NADI_DIMENSION_NONE) {
        if (!nadi_str_to_double(text, &n.in_unit))
            return false;
        n.base = n.in_unit * nadi_setting_factor(s);
    } else if (!nadi_setting_number(s, text, &n)) {
        return false;
    }
    if (!isfinite(n.base) || nadi_setting_bound(s, n.in_unit) != NADI_BOUND_WITHIN)
        return false;
    *(double *)member = n.base;
    return true;
}

static void write_number(const struct nadi_setting *s, const void *member, struct nadi_str *out)
{
    nadi_number_add_double(out, *(const double *)member);
    nadi_str_add(out, nadi_setting_base_unit(s));
}

static void allow_number(const struct nadi_setting *s, struct nadi_str *out)
{
    if (s->max >= DBL_MAX && s->min >= 0 && !s->above_min) {
        nadi_str_add(out, "a number that is not negative");
        return;
    }
    nadi_str_add(out, "a number");
    if (s->max > 0) {
        nadi_str_add(out, s->above_min ? " " : " from ");
        nadi_setting_range_text(s, out);
    }
}

/* --- words --------------------------------------------------------------------------------------
 */

size_t nadi_setting_stem_length(const char *word)
{
    return strlen(word) - (nadi_str_ends(word, "[N]") ? NUMBER_MARK_LENGTH : 0);
}

/* Matches "direct8" to "direct[N]": digits and nothing after them, at most 5 as in the reference.
 */
static bool match_numbered(const char *text, const char *word, int64_t *number)
{
    const size_t stem = nadi_setting_stem_length(word);
    uint32_t value = 0;
    if (strncmp(text, word, stem) != 0 ||
        (text[stem] && (strlen(text + stem) > 5 || !nadi_str_to_u32(text + stem, 99999, &value))))
        return false;
    *number = value;
    return true;
}

static bool match_word(const char *text, const char *word, int64_t *number)
{
    *number = 0;
    return nadi_str_ends(word, "[N]") ? match_numbered(text, word, number)
                                      : strcmp(text, word) == 0;
}

bool nadi_setting_word(const struct nadi_setting *s, const char *text, uint32_t *place,
                       int64_t *number)
{
    for (*place = 0; s->words[*place]; ++*place)
        if (match_word(text, s->words[*place], number))
            return true;
    return false;
}

void nadi_setting_words_text(const struct nadi_setting *s, const char *between,
                             struct nadi_str *out)
{
    for (size_t i = 0; s->words[i]; i++)
        nadi_str_printf(out, "%s%s", i ? between : "", s->words[i]);
}

const char *nadi_setting_nearest_word(const struct nadi_setting *s, const char *text)
{
    const char *stems[MOST_WORDS] = {NULL};
    char buffers[MOST_WORDS][WORD_LENGTH];
    size_t count = 0;
    for (; s->words[count] && count < MOST_WORDS; count++) {
        snprintf(buffers[count], WORD_LENGTH, "%.*s",
                 (int)nadi_setting_stem_length(s->words[count]), s->words[count]);
        stems[count] = buffers[count];
    }
    const char *near = nadi_str_nearest(text, stems, count);
    for (size_t i = 0; near && i < count; i++)
        if (near == stems[i])
            return s->words[i];
    return NULL;
}

static bool read_word(const struct nadi_setting *s, const char *text, void *member)
{
    uint32_t place;
    int64_t number;
    if (!nadi_setting_word(s, text, &place, &number))
        return false;
    if (s->size == sizeof(uint32_t))
        *(uint32_t *)member = place;
    else
        *(const char **)member = text;
    return true;
}

static void write_word(const struct nadi_setting *s, const void *member, struct nadi_str *out)
{
    nadi_str_add(out, s->size == sizeof(uint32_t) ? s->words[*(const uint32_t *)member]
                                                  : *(const char *const *)member);
}

static void allow_words(const struct nadi_setting *s, struct nadi_str *out)
{
    nadi_setting_words_text(s, "|", out);
}

/* Words with commas between, each once. */
static bool read_words(const struct nadi_setting *s, const char *text, void *member)
{
    char word[WORD_LENGTH];
    uint32_t place;
    int64_t number;
    for (const char *at = text;;) {
        const size_t length = strcspn(at, ",");
        if (length >= sizeof(word))
            return false;
        memcpy(word, at, length);
        word[length] = '\0';
        if (!nadi_setting_word(s, word, &place, &number))
            return false;
        for (const char *before = text; before < at; before += strcspn(before, ",") + 1)
            if (strcspn(before, ",") == length && memcmp(before, at, length) == 0)
                return false;
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    *(const char **)member = text;
    return true;
}

/* --- flags, texts, ranges -----------------------------------------------------------------------
 */

static bool read_flag(const struct nadi_setting *s, const char *text, void *member)
{
    static const char *const words[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
    enum { COUNT = sizeof(words) / sizeof(*words) };
    size_t place = 0;
    while (text && place < COUNT && !nadi_str_equal(text, words[place]))
        place++;
    if (place == COUNT)
        return false;
    const bool on = !text || place % 2 == 1;
    if (s->size == sizeof(int))
        *(int *)member = on;
    else
        *(bool *)member = on;
    return true;
}

static void write_flag(const struct nadi_setting *s, const void *member, struct nadi_str *out)
{
    const bool on = s->size == sizeof(int) ? *(const int *)member != 0 : *(const bool *)member;
    nadi_str_add(out, on ? "on" : "off");
}

static void allow_flag(const struct nadi_setting *s, struct nadi_str *out)
{
    (void)s;
    nadi_str_add(out, "on or off");
}

static bool read_text(const struct nadi_setting *s, const char *text, void *member)
{
    (void)s;
    *(const char **)member = text;
    return *text != '\0';
}

static void write_text(const struct nadi_setting *s, const void *member, struct nadi_str *out)
{
    (void)s;
    nadi_str_add(out, *(const char *const *)member);
}

static void allow_text(const struct nadi_setting *s, struct nadi_str *out)
{
    (void)s;
    nadi_str_add(out, "a text that is not empty");
}

static bool read_end(const struct nadi_setting *s, const char *text, uint64_t *end)
{
    return s->dimension == NADI_DIMENSION_NONE ? nadi_str_to_u64(text, end)
                                               : read_amount(s, text, end);
}

static bool read_range(const struct nadi_setting *s, const char *text, void *member)
{
    struct nadi_range *range = member;
    const bool times = s->dimension != NADI_DIMENSION_NONE;
    const char *between = times ? ".." : "-", *found = strstr(text, between);
    char first[WORD_LENGTH];
    range->given = true;
    if (!found) { /* one rank; a window needs both ends */
        const bool ok = !times && nadi_str_to_u64(text, &range->first);
        range->last = range->first;
        return ok;
    }
    const size_t length = (size_t)(found - text);
    if (length >= sizeof(first))
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    return read_end(s, first, &range->first) &&
           read_end(s, found + strlen(between), &range->last) &&
           range->first + times <= range->last;
}

static void write_range(const struct nadi_setting *s, const void *member, struct nadi_str *out)
{
    const struct nadi_range *r = member;
    nadi_str_printf(out, "%" PRIu64 "%s%s%" PRIu64 "%s", r->first, nadi_setting_base_unit(s),
                    s->dimension == NADI_DIMENSION_NONE ? "-" : "..", r->last,
                    nadi_setting_base_unit(s));
}

static void allow_range(const struct nadi_setting *s, struct nadi_str *out)
{
    nadi_str_add(out, s->dimension == NADI_DIMENSION_NONE
                          ? "a rank or a range of ranks like 0-7"
                          : "two times like 1ms..2.5ms, the earlier first");
}

/* --- the types ----------------------------------------------------------------------------------
 */

struct type {
    const char *one, *list, *or_one; /* names */
    bool (*read)(const struct nadi_setting *s, const char *text, void *member);
    void (*write)(const struct nadi_setting *s, const void *member, struct nadi_str *out);
    void (*allow)(const struct nadi_setting *s, struct nadi_str *out);
};

static const struct type types[NADI_TYPES] = {
    [NADI_TYPE_NONE] = {.one = "any"},
    [NADI_TYPE_FLAG] = {"flag (0 is off)", NULL, NULL, read_flag, write_flag, allow_flag},
    [NADI_TYPE_SWITCH] = {"0 or 1", NULL, NULL, read_flag, write_flag, allow_flag},
    [NADI_TYPE_INTEGER] = {"whole number", "list of whole numbers", "whole number or list of them",
                           read_integer, write_integer, allow_integer},
    [NADI_TYPE_NUMBER] = {"number", "list of numbers", "number or list of them", read_number,
                          write_number, allow_number},
    [NADI_TYPE_TEXT] = {"text", "list of texts", NULL, read_text, write_text, allow_text},
    [NADI_TYPE_WORD] = {"word", "list of words", "word or list of them", read_word, write_word,
                        allow_words},
    [NADI_TYPE_WORDS] = {"words with commas between", NULL, NULL, read_words, write_text,
                         allow_words},
    [NADI_TYPE_RANGE] = {"range", NULL, NULL, read_range, write_range, allow_range},
    [NADI_TYPE_MAP] = {"map", "list of maps", NULL, NULL, NULL, NULL},
    [NADI_TYPE_PAIRS] = {"list of pairs", NULL, NULL, NULL, NULL, NULL},
};

bool nadi_setting_read(const struct nadi_setting *s, const char *text, void *member)
{
    return types[s->type].read(s, text, member);
}

bool nadi_setting_set(const struct nadi_setting *s, const char *text, void *values)
{
    union nadi_any value;
    if (!s->put)
        return nadi_setting_read(s, text, (char *)values + s->offset);
    if (!nadi_setting_read(s, text, &value))
        return false;
    s->put(&value, values);
    return true;
}

bool nadi_setting_allows(const struct nadi_setting *s, const char *text)
{
    union nadi_any value;
    return nadi_setting_read(s, text, &value);
}

void nadi_setting_write(const struct nadi_setting *s, const void *member, struct nadi_str *out)
{
    types[s->type].write(s, member, out);
}

void nadi_setting_allowed(const struct nadi_setting *s, struct nadi_str *out)
{
    types[s->type].allow(s, out);
}

const char *nadi_setting_type_name(const struct nadi_setting *s)
{
    const struct type *t = &types[s->type];
    if (s->or_one && t->or_one)
        return t->or_one;
    return s->list && t->list ? t->list : t->one;
}

const char nadi_library_default[] = "";

/* The largest unit that counts it whole. */
static void show_amount(const struct nadi_setting *s, uint64_t amount, struct nadi_str *out)
{
    static const struct unit {
        const char *name;
        uint64_t size;
    } times[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}},
      sizes[] = {{"TiB", UINT64_C(1) << 40},
                 {"GiB", 1 << 30},
                 {"MiB", 1 << 20},
                 {"KiB", 1 << 10},
                 {"B", 1}};
    const struct unit *u = s->dimension == NADI_DIMENSION_TIME ? times : sizes;
    while (amount % u->size)
        u++;
    nadi_str_printf(out, "%" PRIu64 "%s", amount / u->size, u->name);
}

bool nadi_setting_default(const struct nadi_setting *s, const void *values, struct nadi_str *out)
{
    const char *member = (const char *)values + s->offset;
    if (s->preset != nadi_library_default) {
        nadi_str_add(out, s->preset ? s->preset : "");
        return s->preset != NULL;
    }
    const bool is_text =
        s->size == sizeof(char *) &&
        (s->type == NADI_TYPE_TEXT || s->type == NADI_TYPE_WORD || s->type == NADI_TYPE_WORDS);
    if (is_text && !*(const char *const *)(const void *)member)
        return false;
    if (s->type == NADI_TYPE_INTEGER && s->dimension != NADI_DIMENSION_NONE)
        show_amount(s, whole(s, member), out);
    else if (s->type == NADI_TYPE_NUMBER) /* as a bare number of the row's unit */
        nadi_number_add_double(out, *(const double *)(const void *)member / nadi_setting_factor(s));
    else
        nadi_setting_write(s, member, out);
    return true;
}

void nadi_settings_preset(const struct nadi_setting *rows, void *values)
{
    for (const struct nadi_setting *s = rows; s->name; s++)
        if (s->preset && s->preset != nadi_library_default &&
            !nadi_setting_set(s, s->preset, values))
            NADI_BUG("default of %s: '%s'", s->name, s->preset);
}

const struct nadi_setting *nadi_settings_find(const struct nadi_setting *rows, const char *name,
                                              size_t length)
{
    for (const struct nadi_setting *s = rows; s->name; s++)
        if (strlen(s->name) == length && memcmp(s->name, name, length) == 0)
            return s;
    return NULL;
}
