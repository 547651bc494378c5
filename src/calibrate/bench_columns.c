/* bench_columns: what the names of a table's columns say: bench_csv.c lists them. */
#include "calibrate/bench_sheet.h"

#include <ctype.h>

#include "base/units.h"

void nadi_bench_squeeze(const char *name, char *out, size_t capacity)
{
    size_t length = 0;
    for (; *name && length + 1 < capacity; name++)
        if (*name != ' ')
            out[length++] = (char)tolower((unsigned char)*name);
    out[length] = '\0';
    char *word = strstr(out, "bandwidth");
    if (word) {
        word[1] = 'w';
        memmove(word + 2, word + 9, strlen(word + 9) + 1);
    }
}

static uint32_t find_column(const struct nadi_csv_table *t, const char *const *names)
{
    for (; *names; names++)
        for (uint32_t c = 0; c < t->column_count; c++) {
            char name[64];
            nadi_bench_squeeze(t->header[c], name, sizeof(name));
            if (strcmp(name, *names) == 0)
                return c;
        }
    return NADI_NONE;
}

/* The number before "node" in a name; 0: none. */
static uint32_t nodes_in(const char *name)
{
    const char *word = strstr(name, "node");
    if (!word || word == name || !isdigit((unsigned char)word[-1]))
        return 0;
    while (word > name && isdigit((unsigned char)word[-1]))
        word--;
    uint64_t n;
    return !nadi_str_take_u64(word, &n) || n > 100000 ? 0 : (uint32_t)n;
}

bool nadi_bench_take_word(const char **at, char *word, size_t capacity)
{
    static const char *const between = " _()[]{},;:.-";
    *at += strspn(*at, between);
    const size_t length = strcspn(*at, between);
    snprintf(word, capacity, "%.*s", (int)length, *at);
    *at += length;
    return length > 0;
}

/* A time's unit in us. */
static bool time_unit(const char *word, double *unit)
{
    static const char *const names[] = {"ps ", "ns nsec nanoseconds ",
                                        "us usec microseconds \xc2\xb5s \xce\xbcs ",
                                        "ms msec milliseconds ", "s sec secs seconds "};
    static const double us[] = {1e-6, 1e-3, 1, 1e3, 1e6};
    const size_t length = strlen(word);
    for (int i = 0; i < 5; i++)
        for (const char *at = names[i]; *at; at = strchr(at, ' ') + 1)
            if (strcspn(at, " ") == length && strncasecmp(at, word, length) == 0) {
                *unit = us[i];
                return true;
            }
    return false;
}

bool nadi_bench_rate_unit(const char *word, double *unit)
{
    char text[80];
    const size_t length = strlen(word);
    const bool small = !strpbrk(word, "BKMGT"), bits = strstr(word, "bit") != NULL;
    const bool per_s = length > 2 && strcmp(word + length - 2, "ps") == 0;
    const bool bare = !per_s && !strchr(word, '/');
    if (per_s && !bits && (small || word[length - 3] == 'B'))
        snprintf(text, sizeof(text), "1%.*s/s", (int)length - 2, word);
    else
        snprintf(text, sizeof(text), "1%s%s", word, bare ? "/s" : "");
    if (small && text[1] != 'k')
        text[1] = (char)toupper((unsigned char)text[1]);
    char *sign = strchr(text, 'b');
    if (small && !bits && sign)
        *sign = 'B';
    bool has_unit;
    if (!nadi_units_parse(text, NADI_DIMENSION_RATE, unit, &has_unit) || !has_unit)
        return false;
    *unit /= 1e9;
    return true;
}

/* The unit that a column's name says last: us or GB/s if none. */
static double unit_of(const char *header, bool is_time)
{
    double unit = 1, found;
    char word[64];
    for (const char *at = header; nadi_bench_take_word(&at, word, sizeof(word));)
        if (is_time ? time_unit(word, &found) : nadi_bench_rate_unit(word, &found))
            unit = found;
    return unit;
}

bool nadi_bench_same_series(const struct value_column *a, const struct value_column *b)
{
    return a->in_place == b->in_place && a->nodes == b->nodes && a->without_nvls == b->without_nvls;
}

/* Of the columns of one series a time says most, then a bus bandwidth. */
static void add_value(struct sheet *s, struct value_column v)
{
    for (uint32_t i = 0; i < s->value_count; i++)
        if (nadi_bench_same_series(&s->values[i], &v)) {
            const struct value_column other = v.what < s->values[i].what ? s->values[i] : v;
            if (v.what < s->values[i].what)
                s->values[i] = v;
            if (s->beside_count < MOST_VALUES)
                s->beside[s->beside_count++] = other;
            return;
        }
    if (s->value_count < MOST_VALUES)
        s->values[s->value_count++] = v;
}

static void find_values(struct sheet *s)
{
    for (uint32_t c = 0; c < s->csv.column_count; c++) {
        char name[64];
        nadi_bench_squeeze(s->csv.header[c], name, sizeof(name));
        struct value_column v = {.index = c, .nodes = nodes_in(name)};
        v.in_place =
            nadi_str_starts(name, "ip_") || strstr(name, "inplace") || strstr(name, "in_place");
        v.without_nvls = strstr(name, "nvls_off") != NULL;
        if (strstr(name, "min") || strstr(name, "max") || strstr(name, "iter") ||
            strstr(name, "pct") || strstr(name, "stamp"))
            continue;
        if (strstr(name, "time") || strstr(name, "latency"))
            v.what = TIME_COLUMN;
        else if (strstr(name, "busbw"))
            v.what = BUS_COLUMN;
        else if (strstr(name, "algbw"))
            v.what = ALGORITHM_COLUMN;
        else
            continue;
        v.unit = unit_of(s->csv.header[c], v.what == TIME_COLUMN);
        add_value(s, v);
    }
}

void nadi_bench_find_columns(struct sheet *s)
{
    static const char *const size[] = {"tensor_bytes",
                                       "size_bytes",
                                       "size_bytes_power_of_two",
                                       "bytes",
                                       "size_b",
                                       "size",
                                       "message_size",
                                       "msg_size",
                                       "message_bytes",
                                       "payload",
                                       "size(b)",
                                       "size(bytes)",
                                       "msgsize",
                                       "messagesize(bytes)",
                                       "messagesize",
                                       NULL};
    static const char *const kind[] = {"collective", "opcode", "op", "operation", "kind", NULL};
    static const char *const ranks[] = {
        "num_devices_per_group", "ranks", "gpus", "nranks", "num_gpus", "world_size", "np", NULL};
    static const char *const nodes[] = {"nodes", "num_nodes", "nnodes", NULL};
    static const char *const device[] = {"device_key", "device", "gpu", "hardware",
                                         "node",       "system", NULL};
    static const char *const algorithm[] = {"algo_picked", "algo", "algorithm", NULL};
    static const char *const groups[] = {"num_replica_groups", "groups", NULL};
    static const char *const pairs[] = {"source_target_pairs", NULL};
    s->size = find_column(&s->csv, size);
    s->kind = find_column(&s->csv, kind);
    s->ranks = find_column(&s->csv, ranks);
    s->nodes = find_column(&s->csv, nodes);
    s->device = find_column(&s->csv, device);
    s->algorithm = find_column(&s->csv, algorithm);
    s->groups = find_column(&s->csv, groups);
    s->pairs = find_column(&s->csv, pairs);
    find_values(s);
}
