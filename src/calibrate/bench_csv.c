/* bench_csv: measured collectives as comma-separated values, with the columns known by their names.
 *
 *   size        size_bytes, bytes, size, tensor_bytes, payload, message_size; with or without unit
 *   time        a name with "time" or "latency"; us, or the last unit among its words, as of
 *               "time_ms", "Time [msec]", "latency_seconds_avg"
 *   bandwidth   a name with busbw or algbw; GB/s, or its unit ("Gb/s", "busbw_MBps"; small letters
 *               alone, "gbps", are bytes, as benchmarks print them); used where there is no time
 *   in place    a name that begins with ip_ or has inplace in it
 *   about       collective, op, opcode; ranks, gpus, num_devices_per_group; nodes; device,
 *               device_key, node, hardware; algo; groups
 *
 * Several bandwidth columns are several tables: "busbw_4nodes_GBps" is of four nodes,
 * "busbw_NVLS_off_GBps" of a ring. Without a size column the size is taken from the comments or the
 * file's name ("8 GiB payload", "_16gib_"). */
#include <ctype.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/units.h"
#include "calibrate/bench_sheet.h"

#define DOUBT 0.1 /* GB/s and GiB/s are told apart by few */
#define LEAST 0.5 /* GB/s: smaller bandwidths are printed with a digit or two */

enum { MOST_RANKS = 10000000 };

/* "8 GiB" or "16gib": the first such size in a text; 0: none. */
static double payload_in(const char *text)
{
    for (const char *at = text; *at; at++) {
        if (!isdigit((unsigned char)*at) || (at > text && isalnum((unsigned char)at[-1])))
            continue;
        double number;
        const char *end = nadi_str_take_double(at, &number);
        while (end && *end == ' ')
            end++;
        if (!end)
            return 0;
        if ((end[0] == 'G' || end[0] == 'g') && end[1] == 'i' && tolower(end[2]) == 'b')
            return number * 1073741824.0;
        if ((end[0] == 'M' || end[0] == 'm') && end[1] == 'i' && tolower(end[2]) == 'b')
            return number * 1048576.0;
    }
    return 0;
}

/* The file's name as a device, where nothing else tells it. */
static const char *upper(struct sheet *s, const char *text)
{
    char *out = nadi_arena_strdup(&s->r->log->arena, text);
    for (char *at = out; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return out;
}

/* A collective that a comment mentions, by an unmistakable name. */
static enum nadi_comm_kind mentioned_kind(const char *text)
{
    const enum nadi_comm_kind kind = nadi_comm_kind_of(text);
    return kind == NADI_COMM_ALL_REDUCE || kind == NADI_COMM_ALL_GATHER ||
                   kind == NADI_COMM_REDUCE_SCATTER || kind == NADI_COMM_ALL_TO_ALL
               ? kind
               : NADI_COMM_NONE;
}

/* "32gpu" in the file's name. */
static uint32_t ranks_in_name(const char *name)
{
    for (const char *at = name; (at = strstr(at, "gpu")); at++) {
        const char *digits = at;
        while (digits > name && isdigit((unsigned char)digits[-1]))
            digits--;
        uint64_t n;
        if (nadi_str_take_u64(digits, &n) && n > 1 && n < 1000000)
            return (uint32_t)n;
    }
    return 0;
}

static void read_comments(struct sheet *s, const char *text, size_t bytes)
{
    enum nadi_comm_kind mentioned = NADI_COMM_NONE;
    struct nadi_str line = NADI_STR_INIT;
    const char *name = nadi_file_name(s->r->path);
    for (const char *at = text, *end = text + bytes; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        if (*at == '#') {
            nadi_str_clear(&line);
            nadi_str_add_bytes(&line, at, (size_t)(stop - at));
            nadi_str_add(&line, "");
            nadi_bench_comment(s->r->log, &s->facts, line.text);
            mentioned = mentioned ? mentioned : mentioned_kind(line.text);
            if (!(s->payload > 0) && strstr(line.text, "payload"))
                s->payload = payload_in(line.text);
        }
        at = stop + 1;
    }
    nadi_str_clear(&line);
    for (; *name; name++)
        nadi_str_add_char(&line, *name == '_' ? ' ' : *name);
    if (!(s->payload > 0))
        s->payload = payload_in(nadi_str_get(&line));
    if (!s->facts.kind)
        s->facts.kind = nadi_comm_kind_of(nadi_str_get(&line));
    if (!s->facts.kind)
        s->facts.kind = mentioned;
    for (uint32_t i = 0; i < s->value_count && !s->facts.kind; i++)
        if (s->values[i].without_nvls) /* only all-reduces are compared that way */
            s->facts.kind = NADI_COMM_ALL_REDUCE;
    if (!s->facts.ranks && !(s->facts.nodes && s->facts.per_node))
        s->facts.ranks = ranks_in_name(nadi_str_get(&line));
    if (!s->facts.device && nadi_str_get(&line)[0])
        s->facts.device = upper(s, nadi_str_get(&line));
    nadi_str_release(&line);
}

/* Of a field that check_counts() accepted. */
static uint32_t whole_field(const struct sheet *s, uint32_t row, uint32_t column)
{
    uint32_t n;
    return nadi_str_to_u32(nadi_csv_field(&s->csv, row, column), MOST_RANKS, &n) ? n : 0;
}

/* Counts of ranks, nodes and groups are whole numbers, or are not given. */
static bool check_counts(const struct sheet *s, uint32_t row)
{
    const uint32_t columns[] = {s->ranks, s->nodes, s->groups};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        const char *text = nadi_csv_field(&s->csv, row, columns[i]);
        uint32_t n;
        if (*text && !nadi_str_equal(text, "N/A") && !nadi_str_equal(text, "-") &&
            (!nadi_str_to_u32(text, MOST_RANKS, &n) || n == 0))
            return nadi_bench_error(s->r, s->csv.lines[row], NULL,
                                    "'%s' in column '%s' is no whole number from 1 to %d", text,
                                    s->csv.header[columns[i]], MOST_RANKS);
    }
    return true;
}

static bool check_pairs(const struct sheet *s, uint32_t row)
{
    const char *pairs = nadi_csv_field(&s->csv, row, s->pairs),
               *wrong = nadi_bench_wrong_pair(pairs);
    return !wrong ||
           nadi_bench_error(s->r, s->csv.lines[row], "pairs are written as in \"0>1;1>0\"",
                            "'%.*s' in column '%s' is no pair of ranks", (int)strcspn(wrong, ";"),
                            wrong, s->csv.header[s->pairs]);
}

static struct nadi_bench_table wanted(struct sheet *s, uint32_t row, const struct value_column *v)
{
    struct nadi_arena *arena = &s->r->log->arena;
    const char *device = nadi_csv_field(&s->csv, row, s->device);
    const char *algorithm = nadi_csv_field(&s->csv, row, s->algorithm);
    const char *pairs = nadi_csv_field(&s->csv, row, s->pairs);
    struct nadi_bench_table t = {
        .kind = nadi_comm_kind_of(nadi_csv_field(&s->csv, row, s->kind)),
        .ranks = whole_field(s, row, s->ranks),
        .nodes = s->nodes != NADI_NONE ? whole_field(s, row, s->nodes) : v->nodes,
        .groups = whole_field(s, row, s->groups),
        .partners = nadi_bench_partners(pairs),
    };
    if (v->nodes && s->facts.per_node && !t.ranks)
        t.ranks = v->nodes * s->facts.per_node;
    if (!t.ranks && *pairs)
        t.ranks = nadi_bench_pairs_ranks(pairs);
    t.groups = t.groups ? t.groups : 1;
    t.device = *device ? nadi_arena_strdup(arena, device) : NULL;
    t.algorithm = v->without_nvls ? "ring"
                  : *algorithm    ? nadi_arena_strdup(arena, algorithm)
                                  : NULL;
    return t;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static struct nadi_bench_table *table_of(struct sheet *s, uint32_t row,
                                         const struct value_column *v)
{
    const struct nadi_bench_table want = wanted(s, row, v);
    struct nadi_bench_log *log = s->r->log;
    for (size_t i = log->count; i-- > s->first_table;) {
        struct nadi_bench_table *t = &log->tables[i];
        if (t->kind == want.kind && t->ranks == want.ranks && t->nodes == want.nodes &&
            t->groups == want.groups && t->partners == want.partners &&
            same_text(t->device, want.device) && same_text(t->algorithm, want.algorithm))
            return t;
    }
    const struct nadi_bench_facts none = {.kind = want.kind};
    struct nadi_bench_table *t = nadi_bench_begin(s->r, &none, s->csv.lines[row]);
    t->ranks = want.ranks;
    t->nodes = want.nodes;
    t->groups = want.groups;
    t->partners = want.partners;
    t->device = want.device;
    t->algorithm = want.algorithm;
    return t;
}

static bool size_of_row(struct sheet *s, uint32_t row, double *bytes)
{
    const char *text = nadi_csv_field(&s->csv, row, s->size);
    bool has_unit;
    *bytes = s->payload;
    if (s->size == NADI_NONE)
        return true;
    const bool is_size = nadi_units_parse(text, NADI_DIMENSION_BYTES, bytes, &has_unit) &&
                         *bytes >= 0 && *bytes < 1e18; /* an exabyte */
    if (!is_size)
        return nadi_bench_error(s->r, s->csv.lines[row], NULL, "'%s' is no size", text);
    return true;
}

static bool leave_out(struct sheet *s, uint32_t row, const char *reason)
{
    nadi_bench_leave_out(s->r, s->csv.lines[row], false, reason);
    return true;
}

/* A value that is none: an error, or one more that is unread. */
static bool refuse_value(struct sheet *s, uint32_t row, const char *text,
                         const struct value_column *v)
{
    const char *what = v->what == TIME_COLUMN ? "time" : "bandwidth";
    if (!s->r->known->keep_going)
        return nadi_bench_error(s->r, s->csv.lines[row], NULL, "'%s' in column '%s' is no %s", text,
                                s->csv.header[v->index], what);
    nadi_bench_leave_out(s->r, s->csv.lines[row], true,
                         nadi_arena_printf(&s->r->log->arena, "'%s' in column '%s' is no %s", text,
                                           s->csv.header[v->index], what));
    return true;
}

/* "time_us" and "time_ms" are one time, "time_us" and "cpu_time_us" two. */
static bool same_time(const char *a, const char *b)
{
    const size_t length = strcspn(a, "_ ([");
    return strncasecmp(a, b, length) == 0 && strcspn(b, "_ ([") == length &&
           !strpbrk(a + length + (a[length] != '\0'), "_ ([") &&
           !strpbrk(b + length + (b[length] != '\0'), "_ ([");
}

/* "oop_busbw (GB/s)", not "busbw 2" or "busbw_peak", which are of something else. */
static bool is_plain_bandwidth(const char *header)
{
    char name[64], word[64];
    double unit;
    nadi_bench_squeeze(header, name, sizeof(name));
    const char *at = name + strcspn(name, "ab");
    if (!nadi_str_starts(at, "algbw") && !nadi_str_starts(at, "busbw"))
        return false;
    for (at += strlen("algbw"); nadi_bench_take_word(&at, word, sizeof(word));)
        if (!nadi_bench_rate_unit(word, &unit))
            return false;
    return true;
}

/* Whether a bandwidth or a time beside the value says something else of the row. */
static bool is_contradicted(struct sheet *s, uint32_t row, double bytes,
                            const struct value_column *v, struct nadi_bench_row r)
{
    const struct nadi_bench_known *k = s->r->known;
    const struct nadi_bench_table t = wanted(s, row, v);
    const enum nadi_comm_kind kind = k->kind ? k->kind : t.kind ? t.kind : s->facts.kind;
    const uint32_t ranks = k->ranks ? k->ranks : t.ranks ? t.ranks : s->facts.ranks;
    const double factor = kind && ranks > 1 ? nadi_comm_bus_factor(kind, ranks) : 0;
    for (uint32_t i = 0; i < s->beside_count; i++) {
        const struct value_column *o = &s->beside[i];
        const char *text = nadi_csv_field(&s->csv, row, o->index);
        const bool time = o->what == TIME_COLUMN, bus = o->what == BUS_COLUMN;
        double value, rounding;
        if (!nadi_bench_same_series(o, v) || v->what != TIME_COLUMN || (bus && !(factor > 0)) ||
            !(time ? same_time(s->csv.header[o->index], s->csv.header[v->index])
                   : is_plain_bandwidth(s->csv.header[o->index])) ||
            !nadi_bench_number(text, &value, &rounding) || !(value * o->unit > (time ? 0 : LEAST)))
            continue;
        const double us =
            time ? value * o->unit : (bus ? factor : 1) * bytes / (value * o->unit) / 1e3;
        const double off = r.time_us / us, doubt = 1 + DOUBT + rounding + r.rounding;
        const bool sent = !time && !bus && factor > 0 && factor < 1 && /* algbw of what is sent */
                          off > factor / doubt && off < factor * doubt;
        if (!sent && (off > doubt || off < 1 / doubt))
            return true;
    }
    return false;
}

/* Bandwidths need the ranks: they are turned into times once these are known. */
static bool read_value(struct sheet *s, uint32_t row, double bytes, const struct value_column *v)
{
    const char *text = nadi_csv_field(&s->csv, row, v->index);
    double value, rounding;
    if (!*text || nadi_str_equal(text, "N/A") || nadi_str_equal(text, "-"))
        return true;
    if (nadi_str_equal(text, "inf") || nadi_str_equal(text, "nan"))
        return leave_out(s, row, "implausible: the value is not finite");
    if (!nadi_bench_number(text, &value, &rounding) || value < 0)
        return refuse_value(s, row, text, v);
    if (!(bytes > 0))
        return leave_out(s, row, "under-specified: a size of 0 bytes");
    if (!(value > 0))
        return leave_out(s, row, "implausible: a time or bandwidth of 0");
    struct nadi_bench_row r = {
        .bytes = bytes, .in_place = v->in_place, .rounding = rounding, .line = s->csv.lines[row]};
    r.time_us = v->what == TIME_COLUMN ? value * v->unit : bytes / (value * v->unit) / 1e3;
    if (s->beside_count && is_contradicted(s, row, bytes, v, r))
        return leave_out(s, row, "contradictory: its time and what stands beside it differ");
    if (v->what == BUS_COLUMN)
        r.time_us = -r.time_us; /* times the bus factor: end_tables */
    nadi_bench_add(table_of(s, row, v), r);
    return true;
}

/* Bus over algorithm bandwidth of a sheet that is one table; it tells the ranks. */
static struct nadi_bench_ratio bus_ratio(const struct sheet *s)
{
    struct nadi_bench_ratio ratio = {0};
    uint32_t bus = NADI_NONE, algorithm = NADI_NONE;
    double a, b, bus_rounding, rounding;
    if (s->r->log->count - s->first_table != 1)
        return ratio;
    for (uint32_t c = 0; c < s->csv.column_count; c++) {
        char name[64];
        nadi_bench_squeeze(s->csv.header[c], name, sizeof(name));
        if (strstr(name, "busbw") && bus == NADI_NONE)
            bus = c;
        if (strstr(name, "algbw") && algorithm == NADI_NONE)
            algorithm = c;
    }
    for (uint32_t r = 0; r < s->csv.row_count && bus != NADI_NONE && algorithm != NADI_NONE; r++)
        if (nadi_bench_number(nadi_csv_field(&s->csv, r, bus), &b, &bus_rounding) &&
            nadi_bench_number(nadi_csv_field(&s->csv, r, algorithm), &a, &rounding) && a > 1)
            nadi_bench_ratio_add(&ratio, b, bus_rounding, a, rounding);
    return ratio;
}

static bool end_tables(struct sheet *s)
{
    const struct nadi_bench_ratio ratio = bus_ratio(s);
    struct nadi_bench_log *log = s->r->log;
    const size_t last = log->count;
    bool ok = true;
    for (size_t i = s->first_table; ok && i < last; i++) { /* nadi_bench_end looks at the last */
        const struct nadi_bench_table t = log->tables[i];
        log->count = i + 1;
        struct nadi_bench_facts facts = s->facts;
        ok = nadi_bench_end(s->r, &facts, &ratio);
        log->tables[i].algorithm = t.algorithm ? t.algorithm : log->tables[i].algorithm;
        const double factor = nadi_comm_bus_factor(log->tables[i].kind, log->tables[i].ranks);
        for (size_t k = 0; ok && k < t.count; k++)
            if (t.rows[k].time_us < 0)
                t.rows[k].time_us *= -factor;
    }
    log->count = last;
    return ok;
}

static bool read_rows(struct sheet *s)
{
    for (uint32_t row = 0; row < s->csv.row_count; row++) {
        double bytes;
        if (!check_counts(s, row) || !check_pairs(s, row) || !size_of_row(s, row, &bytes)) {
            if (!s->r->known->keep_going)
                return false;
            nadi_bench_leave_out(s->r, s->csv.lines[row], true,
                                 "its size, its number of ranks or its pairs cannot be read");
            continue;
        }
        bool any = false;
        for (uint32_t v = 0; v < s->value_count; v++)
            any |= *nadi_csv_field(&s->csv, row, s->values[v].index) != '\0';
        if (!any && s->r->known->keep_going) {
            nadi_bench_leave_out(s->r, s->csv.lines[row], true,
                                 "the row has no time and no bandwidth");
            continue;
        }
        if (!any)
            return nadi_bench_error(
                s->r, s->csv.lines[row],
                "was the table cut off here? Write N/A for what was not measured",
                "the row has no time and no bandwidth");
        for (uint32_t v = 0; v < s->value_count; v++)
            if (!read_value(s, row, bytes, &s->values[v]))
                return false;
    }
    return end_tables(s);
}

/* A sheet of something else, or of sizes alone: no row of it is a measurement of a collective. */
static bool other_sheet(struct sheet *s)
{
    const char *what = s->value_count ? "sizes" : "times or bandwidths";
    if (!s->r->known->keep_going || s->csv.row_count == 0)
        return nadi_bench_error(s->r, s->csv.row_count ? s->csv.lines[0] : 1,
                                "columns like size_bytes,time_us or size,busbw are looked for",
                                "the table has no column of %s", what);
    const char *reason = nadi_arena_printf(&s->r->log->arena,
                                           "under-specified: the table has no column of %s", what);
    for (uint32_t row = 0; row < s->csv.row_count; row++)
        nadi_bench_leave_out(s->r, s->csv.lines[row], false, reason);
    return true;
}

bool nadi_bench_csv(struct nadi_bench_reader *r, const char *text, size_t bytes)
{
    struct sheet s = {.r = r, .first_table = r->log->count};
    bool ok = nadi_csv_parse(&s.csv, r->path, text, bytes, r->diags);
    if (ok) {
        nadi_bench_find_columns(&s);
        read_comments(&s, text, bytes);
        if (s.value_count == 0 || (s.size == NADI_NONE && !(s.payload > 0)))
            ok = other_sheet(&s);
        else
            ok = read_rows(&s);
    }
    nadi_csv_release(&s.csv);
    return ok;
}
