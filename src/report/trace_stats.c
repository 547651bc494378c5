#include "report/trace_stats.h"

#include "base/time.h"
#include "base/units.h"
#include "format/csv_write.h"
#include "format/json_write.h"
#include "format/utf8.h"

enum { NAME_COLUMNS = 44 };

static uint64_t total_span(const struct nadi_stats *s)
{
    uint64_t span = 0;
    for (size_t i = 0; i < s->ranks.count; i++)
        span = nadi_count_add(span, s->ranks.items[i].span);
    return span;
}

static struct nadi_stats_rank sum_of(const struct nadi_stats *s)
{
    struct nadi_stats_rank sum = {.rank = NADI_NONE};
    for (size_t i = 0; i < s->ranks.count; i++) {
        const struct nadi_stats_rank *r = &s->ranks.items[i];
        sum.nodes += r->nodes;
        sum.deps += r->deps;
        sum.span = nadi_max_u64(sum.span, r->span);
        sum.compute = nadi_count_add(sum.compute, r->compute);
        sum.comm = nadi_count_add(sum.comm, r->comm);
        sum.exposed_comm = nadi_count_add(sum.exposed_comm, r->exposed_comm);
        sum.memory = nadi_count_add(sum.memory, r->memory);
        sum.host = nadi_count_add(sum.host, r->host);
        sum.idle = nadi_count_add(sum.idle, r->idle);
        sum.recorded |= r->recorded;
        sum.critical_ns = nadi_max_u64(sum.critical_ns, r->critical_ns);
    }
    return sum;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char *time_text(char buffer[32], uint64_t ns)
{
    return ns ? nadi_units_time(buffer, (double)ns) : "-";
}

static const char *bytes_text(char buffer[32], uint64_t bytes)
{
    return bytes ? nadi_units_bytes(buffer, (double)bytes) : "-";
}

/* --- text --------------------------------------------------------------------------------------
 */

static void add_part(struct nadi_str *out, const char *name, uint64_t ns, uint64_t whole)
{
    char time[32];
    nadi_str_printf(out, "  %-24s %12s %6.1f %%\n", name, time_text(time, ns), share(ns, whole));
}

static void add_breakdown(const struct nadi_stats *s, struct nadi_str *out)
{
    const struct nadi_stats_rank sum = sum_of(s);
    const uint64_t whole = total_span(s);
    char time[32];
    nadi_str_printf(out, "\nWhere the time goes%s\n",
                    s->ranks.count > 1 ? ", all ranks together" : "");
    add_part(out, "compute", sum.compute, whole);
    add_part(out, "exposed communication", sum.exposed_comm, whole);
    add_part(out, "memory only", sum.memory, whole);
    add_part(out, "host only", sum.host, whole);
    add_part(out, "idle", sum.idle, whole);
    if (s->tables[NADI_STATS_GROUPS].count && sum.comm == 0) {
        nadi_str_add(out, "  communication has no recorded durations: `nadi run` simulates it\n");
        return;
    }
    nadi_str_printf(out, "  communication in all %16s, of which %.1f %% is exposed\n",
                    time_text(time, sum.comm), share(sum.exposed_comm, sum.comm));
}

/* The name in a fixed number of columns, shortened in the middle. */
static void add_name(struct nadi_str *out, const char *name)
{
    struct nadi_str clean = NADI_STR_INIT;
    for (const char *c = name; *c;) {
        const size_t length = nadi_utf8_length(c);
        if (length == 0 || (unsigned char)*c < 0x20 || *c == 0x7f)
            nadi_str_add_char(&clean, '?');
        else
            nadi_str_add_bytes(&clean, c, length);
        c += length ? length : 1;
    }
    const size_t columns = nadi_utf8_columns(nadi_str_get(&clean));
    if (columns <= NAME_COLUMNS) {
        nadi_str_add(out, nadi_str_get(&clean));
        for (size_t i = columns; i < NAME_COLUMNS; i++)
            nadi_str_add_char(out, ' ');
    } else {
        const char *at = nadi_str_get(&clean);
        size_t column = 0;
        for (; *at && column < columns; column++) {
            const size_t length = nadi_utf8_length(at);
            if (column < 26 || column >= columns - (NAME_COLUMNS - 29))
                nadi_str_add_bytes(out, at, length);
            else if (column == 26)
                nadi_str_add(out, "...");
            at += length;
        }
    }
    nadi_str_release(&clean);
}

static void add_table(const struct nadi_stats *s, enum nadi_stats_table table, const char *title,
                      uint32_t rows, struct nadi_str *out)
{
    const struct nadi_stats_rows *t = &s->tables[table];
    uint64_t whole = 0;
    char time[32], bytes[32];
    if (t->count == 0)
        return;
    for (size_t i = 0; i < t->count; i++)
        whole = nadi_count_add(whole, t->items[i].ns);
    nadi_str_add(out, "\n");
    struct nadi_str head = NADI_STR_INIT;
    nadi_str_add(&head, title);
    if (rows && t->count > rows)
        nadi_str_printf(&head, ", first %u of %zu", rows, t->count);
    nadi_str_printf(out, "%-*s %9s %12s %8s %12s\n", NAME_COLUMNS + 2, head.text, "nodes", "time",
                    "share", "bytes");
    nadi_str_release(&head);
    for (size_t i = 0; i < t->count && (rows == 0 || i < rows); i++) {
        const struct nadi_stats_row *row = &t->items[i];
        nadi_str_add(out, "  ");
        add_name(out, row->name);
        nadi_str_printf(out, " %9" PRIu64 " %12s %6.1f %% %12s\n", row->nodes,
                        time_text(time, row->ns), share(row->ns, whole),
                        bytes_text(bytes, row->bytes));
    }
}

static void add_ranks(const struct nadi_stats *s, uint32_t rows, struct nadi_str *out)
{
    char span[32], compute[32], exposed[32], idle[32], path[32];
    if (s->ranks.count < 2)
        return;
    nadi_str_printf(out, "\n%-8s %10s %12s %12s %12s %12s %14s\n", "Ranks", "nodes", "span",
                    "compute", "exposed", "idle", "critical path");
    for (size_t i = 0; i < s->ranks.count && (rows == 0 || i < rows); i++) {
        const struct nadi_stats_rank *r = &s->ranks.items[i];
        nadi_str_printf(out, "%8u %10" PRIu64 " %12s %12s %12s %12s %14s\n", r->rank, r->nodes,
                        time_text(span, r->span), time_text(compute, r->compute),
                        time_text(exposed, r->exposed_comm), time_text(idle, r->idle),
                        time_text(path, r->critical_ns));
    }
    if (rows && s->ranks.count > rows)
        nadi_str_printf(out, "     ... and %zu more\n", s->ranks.count - rows);
}

static void add_bars(const struct nadi_stats *s, struct nadi_str *out)
{
    static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    double most = 0;
    for (unsigned b = 0; b < NADI_STATS_BUCKETS; b++)
        most = s->parallelism[b] > most ? s->parallelism[b] : most;
    if (most <= 0)
        return;
    nadi_str_add(out, "\nOver time\n  nodes at once      |");
    for (unsigned b = 0; b < NADI_STATS_BUCKETS; b++)
        nadi_str_add(out, blocks[(unsigned)(8 * s->parallelism[b] / most + 0.5)]);
    nadi_str_printf(out, "| up to %.2f\n  communication      |", most);
    for (unsigned b = 0; b < NADI_STATS_BUCKETS; b++)
        nadi_str_add(out, blocks[(unsigned)(8 * s->comm_share[b] + 0.5)]);
    nadi_str_add(out, "| share of the time\n");
}

void nadi_trace_stats_text(const struct nadi_stats *s, const char *title, uint32_t rows,
                           struct nadi_str *out)
{
    const struct nadi_stats_rank sum = sum_of(s);
    char span[32], path[32];
    nadi_str_printf(out, "%s: %" PRIu64 " nodes, %" PRIu64 " dependencies", title, sum.nodes,
                    sum.deps);
    if (s->ranks.count > 1)
        nadi_str_printf(out, ", %zu ranks", s->ranks.count);
    nadi_str_printf(out, "\n%s: %s%s\n",
                    sum.recorded ? "recorded times" : "replayed from durations and dependencies",
                    time_text(span, sum.span), s->ranks.count > 1 ? " for the longest rank" : "");
    nadi_str_printf(out, "critical path: %s, %.1f %% of %s\n", time_text(path, sum.critical_ns),
                    share(sum.critical_ns, sum.span),
                    s->ranks.count > 1 ? "the longest rank" : "it");
    add_breakdown(s, out);
    add_table(s, NADI_STATS_TYPES, "By type", 0, out);
    add_table(s, NADI_STATS_STREAMS, "By lane", rows, out);
    add_table(s, NADI_STATS_GROUPS, "By group or peer", rows, out);
    add_table(s, NADI_STATS_OPERATORS, "By operator", rows, out);
    add_table(s, NADI_STATS_PATH, "Critical path", rows, out);
    add_ranks(s, rows, out);
    add_bars(s, out);
}

/* --- CSV ---------------------------------------------------------------------------------------
 */

static void rows_csv(const struct nadi_stats_rows *rows, struct nadi_csv *csv)
{
    nadi_csv_header(csv, "name,nodes,time_ns,bytes");
    for (size_t i = 0; i < rows->count; i++) {
        nadi_csv_text(csv, rows->items[i].name);
        nadi_csv_u64(csv, rows->items[i].nodes);
        nadi_csv_u64(csv, rows->items[i].ns);
        nadi_csv_u64(csv, rows->items[i].bytes);
        nadi_csv_end_row(csv);
    }
}

static void ranks_csv(const struct nadi_stats *s, struct nadi_csv *csv)
{
    nadi_csv_header(csv, "rank,nodes,dependencies,span_ns,compute_ns,communication_ns,"
                         "exposed_communication_ns,memory_only_ns,host_only_ns,idle_ns,"
                         "critical_path_ns,critical_path_nodes");
    for (size_t i = 0; i < s->ranks.count; i++) {
        const struct nadi_stats_rank *r = &s->ranks.items[i];
        const uint64_t values[] = {r->nodes, r->deps,         r->span,          r->compute,
                                   r->comm,  r->exposed_comm, r->memory,        r->host,
                                   r->idle,  r->critical_ns,  r->critical_nodes};
        if (r->rank == NADI_NONE)
            nadi_csv_empty(csv);
        else
            nadi_csv_u64(csv, r->rank);
        for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
            nadi_csv_u64(csv, values[k]);
        nadi_csv_end_row(csv);
    }
}

static void time_csv(const struct nadi_stats *s, struct nadi_csv *csv)
{
    nadi_csv_header(csv, "from_percent,to_percent,nodes_at_once,communication_share");
    for (unsigned b = 0; b < NADI_STATS_BUCKETS; b++) {
        nadi_csv_u64(csv, b * 100 / NADI_STATS_BUCKETS);
        nadi_csv_u64(csv, (b + 1) * 100 / NADI_STATS_BUCKETS);
        nadi_csv_double(csv, s->parallelism[b]);
        nadi_csv_double(csv, s->comm_share[b]);
        nadi_csv_end_row(csv);
    }
}

bool nadi_trace_stats_csv(const struct nadi_stats *s, const char *table, struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    for (unsigned t = 0; t < NADI_STATS_TABLES; t++) {
        if (nadi_str_equal(table, nadi_stats_table_name((enum nadi_stats_table)t))) {
            rows_csv(&s->tables[t], &csv);
            return true;
        }
    }
    if (nadi_str_equal(table, "ranks"))
        ranks_csv(s, &csv);
    else if (nadi_str_equal(table, "time"))
        time_csv(s, &csv);
    else
        return false;
    return true;
}

/* --- JSON --------------------------------------------------------------------------------------
 */

static void rank_json(const struct nadi_stats_rank *r, struct nadi_json *j)
{
    nadi_json_row(j, NULL);
    if (r->rank != NADI_NONE)
        nadi_json_u64(j, "rank", r->rank);
    nadi_json_string(j, "times", r->recorded ? "recorded" : "replayed");
    nadi_json_u64(j, "nodes", r->nodes);
    nadi_json_u64(j, "dependencies", r->deps);
    nadi_json_u64(j, "span_ns", r->span);
    nadi_json_u64(j, "compute_ns", r->compute);
    nadi_json_u64(j, "communication_ns", r->comm);
    nadi_json_u64(j, "exposed_communication_ns", r->exposed_comm);
    nadi_json_u64(j, "memory_only_ns", r->memory);
    nadi_json_u64(j, "host_only_ns", r->host);
    nadi_json_u64(j, "idle_ns", r->idle);
    nadi_json_u64(j, "critical_path_ns", r->critical_ns);
    nadi_json_u64(j, "critical_path_nodes", r->critical_nodes);
    nadi_json_close(j);
}

static void table_json(const struct nadi_stats *s, enum nadi_stats_table table, struct nadi_json *j)
{
    const struct nadi_stats_rows *rows = &s->tables[table];
    nadi_json_array(j, nadi_stats_table_name(table));
    for (size_t i = 0; i < rows->count; i++) {
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", rows->items[i].name);
        nadi_json_u64(j, "nodes", rows->items[i].nodes);
        nadi_json_u64(j, "time_ns", rows->items[i].ns);
        nadi_json_u64(j, "bytes", rows->items[i].bytes);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

void nadi_trace_stats_json(const struct nadi_stats *s, const char *title, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "trace", title);
    nadi_json_array(&j, "ranks");
    for (size_t i = 0; i < s->ranks.count; i++)
        rank_json(&s->ranks.items[i], &j);
    nadi_json_close(&j);
    for (unsigned t = 0; t < NADI_STATS_TABLES; t++)
        table_json(s, (enum nadi_stats_table)t, &j);
    nadi_json_row_array(&j, "nodes_at_once");
    for (unsigned b = 0; b < NADI_STATS_BUCKETS; b++)
        nadi_json_double(&j, NULL, s->parallelism[b]);
    nadi_json_close(&j);
    nadi_json_row_array(&j, "communication_share");
    for (unsigned b = 0; b < NADI_STATS_BUCKETS; b++)
        nadi_json_double(&j, NULL, s->comm_share[b]);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
