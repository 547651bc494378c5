#include "report/run_text.h"

#include "base/mem.h"
#include "base/units.h"
#include "report/ink.h"
#include "report/query.h"
#include "report/run_rows.h"
#include "report/words.h"
#include "why/why.h"

#include <math.h>

enum { CELLS = 28, LABEL = 30, MOST_LABEL = 64 };

struct text {
    struct nadi_database *db;
    struct nadi_str *out;
    struct nadi_diags *diags;
    bool colour;
    double end_ns;
};

static void bold(const struct text *t, const char *line)
{
    nadi_str_printf(t->out, t->colour ? "\x1b[1m%s\x1b[0m\n" : "%s\n", line);
}

static void bar(const struct text *t, double share, enum nadi_ink ink)
{
    nadi_ink_bar(t->out, t->colour, ink, share, CELLS);
}

static void time_cell(const struct text *t, double ns)
{
    char text[32];
    nadi_units_time(text, fabs(ns));
    nadi_str_printf(t->out, "%s%10s", ns < 0 ? "-" : " ", text);
}

static const char *label_of(const char *cause)
{
    for (int c = 0; c < NADI_CAUSES; c++)
        if (nadi_str_equal(nadi_cause_name((enum nadi_cause)c), cause))
            return nadi_cause_label((enum nadi_cause)c);
    return cause;
}

static double number(const struct text *t, const char *sql)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(t->db, sql, t->diags);
    double value = q && nadi_query_next(q, &failed, t->diags) ? nadi_query_double(q, 0) : 0;
    nadi_query_close(q);
    return value;
}

/* Columns for the labels of a query's rows: LABEL, or more where names need it. */
static int label_width(const struct text *t, const char *sql)
{
    struct nadi_str widest = NADI_STR_INIT;
    nadi_str_printf(&widest, "with rows(label, value) as (%s) select max(length(label)) from rows",
                    sql);
    const double width = number(t, nadi_str_get(&widest));
    nadi_str_release(&widest);
    return (int)fmin(fmax(width, LABEL), MOST_LABEL);
}

/* Rows of (label, ns): a line each with share and bar. */
static bool bars(const struct text *t, const char *sql, enum nadi_ink ink)
{
    bool failed = false;
    const int width = label_width(t, sql);
    struct nadi_query *q = nadi_query_open(t->db, sql, t->diags);
    if (!q)
        return false;
    while (nadi_query_next(q, &failed, t->diags)) {
        double ns = nadi_query_double(q, 1);
        nadi_str_printf(t->out, "  %-*.*s", width, width, label_of(nadi_query_text(q, 0)));
        time_cell(t, ns);
        nadi_str_printf(t->out, "  %5.1f %%  ", t->end_ns > 0 ? 100 * ns / t->end_ns : 0);
        bar(t, t->end_ns > 0 ? ns / t->end_ns : 0, ink);
        nadi_str_add_char(t->out, '\n');
    }
    nadi_query_close(q);
    return !failed;
}

/* The one number of a query; 0 where there is none. */
static void word(const struct text *t, const char *sql, char *text, size_t room)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(t->db, sql, t->diags);
    text[0] = '\0';
    if (q && nadi_query_next(q, &failed, t->diags))
        snprintf(text, room, "%s", nadi_query_text(q, 0));
    nadi_query_close(q);
}

static void heading(const struct text *t, const char *run)
{
    char time[32], outcome[32], model[32];
    word(t, "select outcome from runs", outcome, sizeof(outcome));
    word(t, "select network_model from runs", model, sizeof(model));
    nadi_units_time(time, t->end_ns);
    nadi_str_printf(t->out, t->colour ? "\x1b[1m%s\x1b[0m: " : "%s: ", run);
    nadi_str_printf(t->out, "%s  (%.0f ns), %s, %.0f ranks, network %s\n", time, t->end_ns, outcome,
                    number(t, "select ranks from runs"), model);
}

/* The end with the platform's intervals carried through to it, where that was asked for. */
#define INTERVAL(key)                                                                              \
    "select json_extract(summary, '$.sanity.end_to_end_interval." key "') from runs"

static void interval(const struct text *t)
{
    char low[32], median[32], high[32];
    const double samples = number(t, INTERVAL("samples"));
    if (samples > 0)
        nadi_str_printf(t->out, "  95 %% between %s and %s, median %s: %.0f samples\n",
                        nadi_units_time(low, number(t, INTERVAL("low_ns"))),
                        nadi_units_time(high, number(t, INTERVAL("high_ns"))),
                        nadi_units_time(median, number(t, INTERVAL("median_ns"))), samples);
}

/* What the summary of the run says in words. */
static bool sentences(const struct text *t)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(t->db, NADI_RUN_WORDS_SQL, t->diags);
    while (q && nadi_query_next(q, &failed, t->diags))
        nadi_words_put(nadi_query_text(q, 0), t->out);
    nadi_query_close(q);
    return q && !failed;
}

static bool path(const struct text *t)
{
    char why[160];
    word(t, "select no_path_because from runs", why, sizeof(why));
    if (why[0]) {
        nadi_str_printf(t->out, "\nno critical path: %s\n", why);
        return true;
    }
    nadi_str_add_char(t->out, '\n');
    bold(t, "critical path, by cause");
    if (!bars(t, NADI_RUN_CAUSES_SQL, NADI_INK_BLUE))
        return false;
    nadi_str_add_char(t->out, '\n');
    bold(t, "by name of the node");
    return bars(t, NADI_RUN_NODES_SQL " limit 6", NADI_INK_BLUE);
}

static bool communication(const struct text *t)
{
    if (number(t, "select count(*) from critical_path where dimension is not null") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    bold(t, "its communication, by group, dimension and algorithm");
    return bars(t,
                "select case when group_name is null then 'messages' when group_name = '' then "
                "'all ranks' else group_name end || ', dimension ' || dimension || "
                "coalesce(', ' || algorithm, ''), sum(duration_ns) as ns from critical_path where "
                "dimension is not null and cause not in ('link_queueing', 'pair_queueing') group "
                "by 1 order by ns desc limit 8",
                NADI_INK_BLUE);
}

static bool queues(const struct text *t)
{
    if (number(t, "select count(*) from critical_path where cause = 'link_queueing'") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    bold(t, "its queueing, by link");
    return bars(t,
                "select " NADI_RUN_LINK_NAME
                ", sum(duration_ns) as ns from critical_path join links as l using (link) where "
                "cause = 'link_queueing' group by link order by ns desc, link limit 8",
                NADI_INK_BLUE);
}

/* ---- messages ------------------------------------------------------------------------------ */

/* "4 KiB to 16 KiB" */
static const char *size_class(const struct nadi_query *q, char text[64])
{
    char least[32], below[32];
    const double from = nadi_query_double(q, 0);
    nadi_units_bytes(least, from);
    if (nadi_query_is_null(q, 1))
        snprintf(text, 64, "%s and more", least);
    else if (from > 0)
        snprintf(text, 64, "%s to %s", least, nadi_units_bytes(below, nadi_query_double(q, 1)));
    else
        snprintf(text, 64, "below %s", nadi_units_bytes(below, nadi_query_double(q, 1)));
    return text;
}

/* How long those of a size took; nothing where that is not known. */
static bool messages(const struct text *t)
{
    bool failed = false;
    char size[64], times[4][32], line[160];
    if (number(t, "select count(*) from completions") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    snprintf(line, sizeof(line), "%-32s %12s %10s %10s %10s %10s", "messages, by size", "number",
             "median", "p90", "p99", "longest");
    bold(t, line);
    struct nadi_query *q = nadi_query_open(
        t->db,
        "select least_bytes, below_bytes, messages, p50_ns, p90_ns, p99_ns, max_ns from "
        "completions order by least_bytes",
        t->diags);
    while (q && nadi_query_next(q, &failed, t->diags)) {
        for (int i = 0; i < 4; i++)
            nadi_units_time(times[i], nadi_query_double(q, 3 + i));
        nadi_str_printf(t->out, "  %-30s %12s %10s %10s %10s %10s\n", size_class(q, size),
                        nadi_query_text(q, 2), times[0], times[1], times[2], times[3]);
    }
    nadi_query_close(q);
    return q && !failed;
}

/* ---- packets ------------------------------------------------------------------------------- */

typedef const char *unit_fn(char buffer[32], double value);

/* Rows of (label, amount), the largest first: the bar is of the first. */
static bool sizes(const struct text *t, const char *sql, unit_fn *unit, enum nadi_ink ink)
{
    bool failed = false;
    double most = 0;
    char size[32];
    const int width = label_width(t, sql);
    struct nadi_query *q = nadi_query_open(t->db, sql, t->diags);
    while (q && nadi_query_next(q, &failed, t->diags)) {
        const double amount = nadi_query_double(q, 1);
        most = fmax(most, amount);
        nadi_str_printf(t->out, "  %-*.*s %10s           ", width, width, nadi_query_text(q, 0),
                        unit(size, amount));
        bar(t, amount / most, ink);
        nadi_str_add_char(t->out, '\n');
    }
    nadi_query_close(q);
    return q && !failed;
}

static bool packet_counts(const struct text *t)
{
    bool failed = false;
    char paused[32];
    struct nadi_query *q =
        nadi_query_open(t->db,
                        "select data, retransmitted, dropped, trimmed, ecn_marks, pfc_pauses, "
                        "paused_ns from packets",
                        t->diags);
    if (q && nadi_query_next(q, &failed, t->diags))
        nadi_str_printf(t->out, "  %s data packets, %s sent again, %s dropped, %s trimmed, ",
                        nadi_query_text(q, 0), nadi_query_text(q, 1), nadi_query_text(q, 2),
                        nadi_query_text(q, 3));
    if (q && !failed)
        nadi_str_printf(t->out, "%s ECN marks\n  %s PFC pauses, of all links together %s\n",
                        nadi_query_text(q, 4), nadi_query_text(q, 5),
                        nadi_units_time(paused, nadi_query_double(q, 6)));
    nadi_query_close(q);
    return q && !failed;
}

static bool packets(const struct text *t)
{
    if (number(t, "select count(*) from packets") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    bold(t, "packets");
    bool ok = packet_counts(t);
    if (ok && number(t, "select pfc_pauses from packets") > 0) {
        nadi_str_add_char(t->out, '\n');
        bold(t, "links paused longest");
        ok = bars(t,
                  "select " NADI_RUN_LINK_NAME
                  ", paused_ns from ports join links using (link) where "
                  "paused_ns > 0 order by 2 desc, link limit 6",
                  NADI_INK_RED);
    }
    if (ok && number(t, "select peak_queue_bytes from packets") > 0) {
        nadi_str_add_char(t->out, '\n');
        bold(t, "longest queues, of one class");
        ok = sizes(t,
                   "select " NADI_RUN_LINK_NAME
                   ", peak_queue_bytes from ports join links using (link) "
                   "where peak_queue_bytes > 0 order by 2 desc, link limit 6",
                   nadi_units_bytes, NADI_INK_BLUE);
    }
    nadi_str_add_char(t->out, '\n');
    bold(t, "busiest links");
    return ok &&
           bars(t,
                "select " NADI_RUN_LINK_NAME ", busy_ns from links order by 2 desc, link limit 6",
                NADI_INK_GREEN);
}

/* Routers: for what packets waited at the heads of buffers, and for which links. */
static bool stalls(const struct text *t)
{
    if (number(t, "select sum(no_vc_ns + no_credit_ns + lost_turn_ns) from stalls") <= 0)
        return true;
    nadi_str_add_char(t->out, '\n');
    bold(t, "packets waited in routers, all together");
    if (!sizes(t,
               "select 'for a virtual channel', sum(no_vc_ns) from stalls union all select 'for "
               "room at the other end', sum(no_credit_ns) from stalls union all select 'for their "
               "turn', sum(lost_turn_ns) from stalls order by 2 desc",
               nadi_units_time, NADI_INK_RED))
        return false;
    nadi_str_add_char(t->out, '\n');
    bold(t, "for which links most");
    return sizes(t,
                 "select " NADI_RUN_LINK_NAME ", no_vc_ns + no_credit_ns + lost_turn_ns from "
                 "stalls join links using (link) where no_vc_ns + no_credit_ns + lost_turn_ns > 0 "
                 "order by 2 desc, link limit 6",
                 nadi_units_time, NADI_INK_RED);
}

/* Links that hashes gave more than an even share: where most bytes came of it. */
static bool hashing(const struct text *t)
{
    if (number(t, "select count(*) from hashing") < 1)
        return true;
    bool failed = false;
    struct nadi_query *q =
        nadi_query_open(t->db,
                        "select " NADI_RUN_LINK_NAME
                        ", hashed_flows, printf('%.1f', even_flows), idle_equals from links where "
                        "hashed_flows > 1 and hashed_flows > even_flows order by bytes * (1 - "
                        "even_flows / hashed_flows) desc, link limit 6",
                        t->diags);
    for (bool any = false; q && nadi_query_next(q, &failed, t->diags); any = true) {
        if (!any) {
            nadi_str_add_char(t->out, '\n');
            bold(t, "ECMP: links on which hashes put more than an even share of flows");
        }
        nadi_str_printf(t->out, "  %-32s %s flows, evenly spread %s; equal and idle: %s\n",
                        nadi_query_text(q, 0), nadi_query_text(q, 1), nadi_query_text(q, 2),
                        nadi_query_text(q, 3));
    }
    nadi_query_close(q);
    return q && !failed;
}

static bool ranks(const struct text *t)
{
    if (number(t, "select count(*) from shares") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    bold(t, "mean of the ranks");
    return bars(t, NADI_RUN_MEAN_SQL " order by 2 desc", NADI_INK_GREEN);
}

/* What more of something buys, in rows of (label, ns). */
static bool gains(const struct text *t, const char *sql)
{
    bool failed = false;
    const int width = label_width(t, sql);
    struct nadi_query *q = nadi_query_open(t->db, sql, t->diags);
    while (q && nadi_query_next(q, &failed, t->diags)) {
        double gain = nadi_query_double(q, 1), share = t->end_ns > 0 ? gain / t->end_ns : 0;
        nadi_str_printf(t->out, "  %-*.*s", width, width, nadi_query_text(q, 0));
        time_cell(t, gain);
        nadi_str_printf(t->out, "  %5.2f %%  ", 100 * share);
        bar(t, share * 10, gain < 0 ? NADI_INK_RED : NADI_INK_GREEN);
        nadi_str_add_char(t->out, '\n');
    }
    nadi_query_close(q);
    return q && !failed;
}

static bool sensitivities(const struct text *t)
{
    if (number(t, "select count(*) from sensitivities") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    bold(t, "10 % more (latencies, delays: less) buys");
    bool ok = gains(t, "select parameter, coalesce(gain_large_ns, 100 * path_gain_ns) as gain from "
                       "sensitivities where unit <> 'chunks' and gain is not null order by gain "
                       "desc");
    if (ok && number(t, "select count(*) from sensitivities where unit = 'chunks'") > 0) {
        nadi_str_add_char(t->out, '\n');
        bold(t, "twice, and half, as many buy");
        ok = gains(
            t,
            "select 'twice the ' || parameter, gain_small_ns as gain from sensitivities "
            "where unit = 'chunks' and gain_small_ns is not null union all select 'half the ' || "
            "parameter, gain_large_ns as gain from sensitivities where unit = 'chunks' "
            "and gain_large_ns is not null order by 2 desc");
    }
    nadi_str_add_char(t->out, '\n');
    bold(t, "bounds");
    return ok && bars(t, "select bound, ns from bounds order by ns desc", NADI_INK_BLUE);
}

static bool tiers(const struct text *t)
{
    bool failed = false;
    char moved[32], peak[32], capacity[32];
    struct nadi_query *q =
        nadi_query_open(t->db,
                        "select kind || ' ' || name, in_bytes + out_bytes, busy_share, peak_bytes, "
                        "capacity_bytes from tiers where requests > 0 or peak_bytes > 0",
                        t->diags);
    for (bool any = false; q && nadi_query_next(q, &failed, t->diags); any = true) {
        if (!any) {
            nadi_str_add_char(t->out, '\n');
            bold(t, "memory tiers and their links");
        }
        nadi_str_printf(t->out, "  %-*.*s%11s moved", LABEL, LABEL, nadi_query_text(q, 0),
                        nadi_units_bytes(moved, nadi_query_double(q, 1)));
        if (nadi_query_double(q, 2) > 0)
            nadi_str_printf(t->out, "  busy %5.1f %%", 100 * nadi_query_double(q, 2));
        if (nadi_query_double(q, 3) > 0)
            nadi_str_printf(t->out, "  at its peak %s",
                            nadi_units_bytes(peak, nadi_query_double(q, 3)));
        if (nadi_query_double(q, 3) > 0 && nadi_query_double(q, 4) > 0)
            nadi_str_printf(t->out, " of %s", nadi_units_bytes(capacity, nadi_query_double(q, 4)));
        nadi_str_add_char(t->out, '\n');
    }
    nadi_query_close(q);
    return q && !failed;
}

static bool open_text(struct text *t, const char *run, bool colour, struct nadi_str *out,
                      struct nadi_diags *diags)
{
    *t = (struct text){.out = out, .diags = diags, .colour = colour};
    t->db = nadi_run_open_whole(run, diags);
    if (t->db)
        t->end_ns = number(t, "select end_ns from runs");
    return t->db != NULL;
}

bool nadi_run_text(const char *run, bool colour, struct nadi_str *out, struct nadi_diags *diags)
{
    struct text t;
    if (!open_text(&t, run, colour, out, diags))
        return false;
    size_t errors = diags->errors;
    heading(&t, run);
    interval(&t);
    bool ok = sentences(&t) && path(&t) && communication(&t) && queues(&t) && messages(&t) &&
              packets(&t) && stalls(&t) && hashing(&t) && tiers(&t) && ranks(&t) &&
              sensitivities(&t);
    nadi_database_close(t.db);
    return ok && diags->errors == errors;
}

/* ---- two runs ------------------------------------------------------------------------------ */

static void diff_line(const struct text *t, const char *label, double before, double after)
{
    nadi_str_printf(t->out, "  %-*.*s", LABEL, LABEL, label);
    time_cell(t, before);
    nadi_str_add(t->out, "  ");
    time_cell(t, after);
    nadi_str_add(t->out, "  ");
    if (t->colour && fabs(after - before) > 0.5)
        nadi_ink(t->out, t->colour, after < before ? NADI_INK_GREEN : NADI_INK_RED);
    nadi_str_add(t->out, after > before + 0.5 ? "+" : after < before - 0.5 ? "-" : " ");
    char text[32];
    nadi_units_time(text, fabs(after - before));
    nadi_str_printf(t->out, "%10s", text);
    if (before > 0)
        nadi_str_printf(t->out, "  %+7.2f %%", 100 * (after / before - 1));
    nadi_str_add(t->out, t->colour ? "\x1b[0m\n" : "\n");
}

/* Rows (label, ns) of both runs, those that differ most first. */
static bool diff_rows(const struct text *a, const struct text *b, const char *sql, size_t most)
{
    struct nadi_run_pairs pairs;
    const bool ok = nadi_run_pairs_read(a->db, b->db, sql, &pairs, a->diags);
    for (size_t i = 0; i < pairs.count && i < most; i++)
        diff_line(a, label_of(pairs.items[i].label), pairs.items[i].before, pairs.items[i].after);
    nadi_mem_free(pairs.items);
    return ok;
}

/* What the packets of two runs did; of a run without packets nothing is told. */
static bool diff_packets(const struct text *a, const struct text *b)
{
    static const struct {
        const char *label, *sql;
        bool is_time;
    } rows[] = {
        {"data packets", "select data from packets", false},
        {"sent again", "select retransmitted from packets", false},
        {"dropped", "select dropped from packets", false},
        {"trimmed", "select trimmed from packets", false},
        {"ECN marks", "select ecn_marks from packets", false},
        {"PFC pauses", "select pfc_pauses from packets", false},
        {"links paused, together", "select paused_ns from packets", true},
        {"longest queue, bytes", "select peak_queue_bytes from packets", false},
    };
    static const char counted[] = "select count(*) from packets";
    if (number(a, counted) < 1 || number(b, counted) < 1)
        return true;
    nadi_str_add_char(a->out, '\n');
    bold(a, "packets");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const double before = number(a, rows[i].sql), after = number(b, rows[i].sql);
        if (rows[i].is_time && (before > 0 || after > 0))
            diff_line(a, rows[i].label, before, after);
        else if (before > 0 || after > 0)
            nadi_str_printf(a->out, "  %-*s%11.0f  %11.0f  %+11.0f\n", LABEL, rows[i].label, before,
                            after, after - before);
    }
    return a->diags->errors == 0 && b->diags->errors == 0;
}

static void diff_bytes(const struct text *t, const struct nadi_run_pair *p)
{
    char before[32], after[32], by[32];
    nadi_str_printf(t->out, "  %-*.*s%11s  %11s  %s%10s", LABEL, LABEL, p->label,
                    nadi_units_bytes(before, p->before), nadi_units_bytes(after, p->after),
                    p->after > p->before   ? "+"
                    : p->after < p->before ? "-"
                                           : " ",
                    nadi_units_bytes(by, fabs(p->after - p->before)));
    if (p->before > 0)
        nadi_str_printf(t->out, "  %+7.2f %%", 100 * (p->after / p->before - 1));
    nadi_str_add_char(t->out, '\n');
}

static bool diff_tiers(const struct text *a, const struct text *b)
{
    static const char counted[] = "select count(*) from tiers where requests > 0 or peak_bytes > 0";
    struct nadi_run_pairs pairs;
    if (number(a, counted) + number(b, counted) < 1)
        return true;
    nadi_str_add_char(a->out, '\n');
    bold(a, "memory tiers and their links");
    const bool ok = nadi_run_pairs_read(a->db, b->db, NADI_RUN_TIER_BYTES_SQL, &pairs, a->diags);
    for (size_t i = 0; i < pairs.count; i++)
        if (pairs.items[i].before > 0 || pairs.items[i].after > 0)
            diff_bytes(a, &pairs.items[i]);
    nadi_mem_free(pairs.items);
    return ok && diff_rows(a, b, NADI_RUN_TIER_TIMES_SQL, SIZE_MAX);
}

struct setting_lines {
    const struct text *t;
    size_t shown;
};

static void setting_line(void *context, const char *key, const char *before, const char *after)
{
    struct setting_lines *lines = context;
    if (lines->shown++ == 0) {
        nadi_str_add_char(lines->t->out, '\n');
        bold(lines->t, "settings that differ");
    }
    nadi_str_printf(lines->t->out, "  %-32s %.60s -> %.60s\n", key, before ? before : "(not set)",
                    after ? after : "(not set)");
}

static bool diff_settings(const struct text *a, const struct text *b)
{
    struct setting_lines lines = {.t = a};
    return nadi_run_settings(a->db, b->db, setting_line, &lines, a->diags);
}

#define COLLECTIVES "select count(*) from collectives"

bool nadi_run_diff(const char *first, const char *second, bool colour, struct nadi_str *out,
                   struct nadi_diags *diags)
{
    struct text a, b = {0};
    bool ok = open_text(&a, first, colour, out, diags) && open_text(&b, second, colour, out, diags);
    if (ok) {
        heading(&a, first);
        interval(&a);
        heading(&b, second);
        interval(&b);
        nadi_str_printf(out, "\n  %-*s%11s  %11s  %11s\n", LABEL, "", "first", "second",
                        "difference");
        diff_line(&a, "end to end", a.end_ns, b.end_ns);
        nadi_str_add_char(out, '\n');
        bold(&a, "critical path, by cause");
        ok = diff_rows(&a, &b, NADI_RUN_CAUSES_SQL, NADI_CAUSES);
        nadi_str_add_char(out, '\n');
        bold(&a, "mean of the ranks");
        ok = ok && diff_rows(&a, &b, NADI_RUN_MEAN_SQL, NADI_CAUSES);
        if (number(&a, COLLECTIVES) + number(&b, COLLECTIVES) > 0) {
            nadi_str_add_char(out, '\n');
            bold(&a, "collectives, their times added up");
        }
        ok = ok && diff_rows(&a, &b, NADI_RUN_COLLECTIVES_SQL, 10);
        ok = ok && diff_packets(&a, &b) && diff_tiers(&a, &b) && diff_settings(&a, &b);
    }
    nadi_database_close(a.db);
    nadi_database_close(b.db);
    return ok;
}
