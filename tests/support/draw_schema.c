#include "support/draw_schema.h"

#include <math.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What no table allows, or what is read in another way than its writer thinks. */
static const char *const strange[] = {
    "-1",
    "0",
    "1e300",
    "-1e300",
    "1e-320",
    "NaN",
    ".nan",
    ".inf",
    "-.inf",
    "\"nan\"",
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "\"\"",
    "\"x\"",
    "\"-5us\"",
    "010",
    "0x10",
    "[1, 2]",
    "{\"a\": 1}",
    "1.5",
    "\"1e999GB/s\"",
    "9223372036854775807",
    "18446744073709551616",
    "\"1 parsec\"",
    "4294967295",
};

static const double usual_numbers[] = {1,   2,   10,   100, 400,   0.5,  50,    5,      3,  0.001,
                                       0.1, 1.5, 1000, 0,   10000, 1e-6, 65536, 100000, 1e6};
static const double usual_integers[] = {1,  2,  3,  4,   8,    0,    5,     7,
                                        10, 16, 60, 100, 1000, 4096, 100000};

static const char *const units_of[][4] = {
    [NADI_DIMENSION_TIME] = {"ns", "us", "ns", "us"},
    [NADI_DIMENSION_RATE] = {"GB/s", "Gbps", "MB/s", "B/s"},
    [NADI_DIMENSION_BYTES] = {"B", "kB", "KiB", "MB"},
};

static bool in_range(const struct nadi_setting *key, double value)
{
    if (key->max <= 0)
        return value >= 0;
    return value <= key->max && (key->above_min ? value > key->min : value >= key->min);
}

static double usual(struct draw *d, const struct nadi_setting *key)
{
    const bool whole = key->type == NADI_TYPE_INTEGER;
    const double *pool = whole ? usual_integers : usual_numbers;
    const size_t count = whole ? COUNT_OF(usual_integers) : COUNT_OF(usual_numbers);
    const size_t first = draw_below(d, count);
    for (size_t i = 0; i < count; i++)
        if (in_range(key, pool[(first + i) % count]))
            return pool[(first + i) % count];
    return key->max > 0 ? key->max : 1;
}

/* The limits, or any magnitude between them. */
static double far(struct draw *d, const struct nadi_setting *key)
{
    const double most = key->max > 0 ? key->max : 1e18;
    const double least = key->min > 0 && !key->above_min ? key->min : most * 1e-18;
    switch (draw_below(d, 4)) {
    case 0:
        return key->above_min ? least : key->min;
    case 1:
        return most;
    default:
        return exp(log(least) + (double)draw_below(d, 65536) / 65536 * (log(most) - log(least)));
    }
}

static void put_number(struct draw *d, const struct nadi_setting *key, enum draw_temper temper,
                       struct nadi_str *out)
{
    const uint64_t way = draw_below(d, 16);
    const bool whole = key->type == NADI_TYPE_INTEGER;
    double value = temper > DRAW_PLAIN && way > 13 ? far(d, key) : usual(d, key);
    if (key->preset && way < 4) {
        nadi_str_add(out, key->preset);
        return;
    }
    if (temper > DRAW_PLAIN && key->may_be_infinite && way == 13) {
        nadi_str_add(out, ".inf");
        return;
    }
    if (whole)
        value = floor(value);
    const char *const *units =
        (size_t)key->dimension < COUNT_OF(units_of) ? units_of[key->dimension] : units_of[0];
    if (units[0] && way == 12)
        nadi_str_printf(out, "\"%.9g%s\"", value, units[draw_below(d, 4)]);
    else if (whole && value < 1e18)
        nadi_str_printf(out, "%.0f", value);
    else
        nadi_str_printf(out, "%.9g", value);
}

static void put_word(struct draw *d, const struct nadi_setting *key, enum draw_temper temper,
                     struct nadi_str *out)
{
    static const char *const numbers[] = {"", "", "", "2", "1", "3", "4", "8"};
    static const char *const odd[] = {"0", "-1", "99999", "1000000", "x", "02"};
    size_t count = 0;
    while (key->words[count])
        count++;
    const char *word = key->words[draw_below(d, count)];
    const size_t length = strlen(word), mark = strlen("[N]");
    if (!nadi_str_ends(word, "[N]")) {
        nadi_str_printf(out, "\"%s\"", word);
        return;
    }
    const char *number = temper == DRAW_WILD && rarely(d, 8)
                             ? odd[draw_below(d, COUNT_OF(odd))]
                             : numbers[draw_below(d, COUNT_OF(numbers))];
    nadi_str_printf(out, "\"%.*s%s\"", (int)(length - mark), word, number);
}

void draw_value(struct draw *d, const struct nadi_setting *key, enum draw_temper temper,
                struct nadi_str *out)
{
    if (temper == DRAW_WILD && rarely(d, 24)) {
        nadi_str_add(out, strange[draw_below(d, COUNT_OF(strange))]);
        return;
    }
    switch (key->type) {
    case NADI_TYPE_INTEGER:
    case NADI_TYPE_NUMBER:
        put_number(d, key, temper, out);
        return;
    case NADI_TYPE_WORD:
        put_word(d, key, temper, out);
        return;
    case NADI_TYPE_FLAG:
    case NADI_TYPE_SWITCH:
        nadi_str_add(out, draw_below(d, 2) ? "1" : "0");
        return;
    case NADI_TYPE_NONE:
    case NADI_TYPE_WORDS: /* of no file */
    case NADI_TYPE_RANGE:
    case NADI_TYPES:
    case NADI_TYPE_TEXT:
    case NADI_TYPE_MAP:
    case NADI_TYPE_PAIRS:
        break;
    }
    nadi_str_add(out, "\"x\"");
}

static void put_list(struct draw *d, const struct draw_map *m, const struct nadi_setting *key,
                     struct nadi_str *out)
{
    uint64_t length = m->list_length;
    if (key->list_max)
        length = nadi_min_u64(length, key->list_max);
    if (m->temper == DRAW_WILD && rarely(d, 16))
        length = draw_below(d, 20);
    nadi_str_add(out, "[");
    for (uint64_t i = 0; i < length; i++) {
        nadi_str_add(out, i ? ", " : "");
        draw_value(d, key, m->temper, out);
    }
    nadi_str_add(out, "]");
}

/* Keys that only this reader's caller can fill, and those of old programs. */
static bool is_foreign(const struct nadi_setting *key)
{
    return key->type == NADI_TYPE_NONE || key->type == NADI_TYPE_TEXT ||
           key->type == NADI_TYPE_MAP || key->type == NADI_TYPE_PAIRS;
}

static bool put_value(struct draw *d, const struct draw_map *m, const struct nadi_setting *key,
                      struct nadi_str *out)
{
    const enum draw_own own = m->own ? m->own(m->context, d, key, out) : DRAW_AS_TABLE;
    if (own != DRAW_AS_TABLE)
        return own == DRAW_WRITTEN;
    if (is_foreign(key) && !(m->temper == DRAW_WILD && rarely(d, 32)))
        return false;
    if (key->list)
        put_list(d, m, key, out);
    else
        draw_value(d, key, m->temper, out);
    return true;
}

static bool comes(struct draw *d, const struct draw_map *m, const struct nadi_setting *key)
{
    char word[64];
    snprintf(word, sizeof(word), " %s ", key->name);
    if (key->required || (m->always && strstr(m->always, word)))
        return !(m->temper == DRAW_WILD && rarely(d, 64));
    return rarely(d, m->one_in);
}

void draw_map(struct draw *d, const struct draw_map *m, struct nadi_str *out)
{
    const struct nadi_schema *schema = nadi_schema_of(m->kind);
    bool first = true;
    nadi_str_add(out, "{");
    for (size_t i = 0; i < schema->count; i++) {
        const struct nadi_setting *key = &schema->keys[i];
        if (!comes(d, m, key))
            continue;
        const size_t before = out->length;
        nadi_str_printf(out, "%s\"%s\": ", first ? "" : ",\n ", key->name);
        if (put_value(d, m, key, out)) {
            first = false;
            continue;
        }
        out->length = before;
        out->text[before] = '\0';
    }
    nadi_str_add(out, "}\n");
}

uint64_t draw_count(struct draw *d, enum draw_temper temper)
{
    static const uint64_t odd[] = {0, UINT32_MAX, UINT64_MAX, (uint64_t)1 << 40, (uint64_t)1 << 62};
    if (temper > DRAW_PLAIN && rarely(d, 64))
        return odd[draw_below(d, COUNT_OF(odd))];
    return draw_below(d, 16);
}
