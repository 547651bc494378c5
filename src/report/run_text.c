#include "base/mem.h"
#include "base/units.h"
#include "report/ink.h"
#include "report/query.h"
#include "report/run_rows.h"
#include "report/run_text_inside.h"
#include "report/words.h"
#include "why/why.h"

#include <math.h>

enum { CELLS = 28, MOST_LABEL = 64 };

void nadi_run_text_bold(const struct nadi_run_text *t, const char *line)
{
    nadi_str_printf(t->out, t->colour ? "\x1b[1m%s\x1b[0m\n" : "%s\n", line);
}

static void bar(const struct nadi_run_text *t, double share, enum nadi_ink ink)
{
    nadi_ink_bar(t->out, t->colour, ink, share, CELLS);
}

void nadi_run_text_time(const struct nadi_run_text *t, double ns)
{
    char text[32];
    nadi_units_time(text, fabs(ns));
    nadi_str_printf(t->out, "%s%10s", ns < 0 ? "-" : " ", text);
}

const char *nadi_run_text_cause(const char *cause)
{
    for (int c = 0; c < NADI_CAUSES; c++)
        if (nadi_str_equal(nadi_cause_name((enum nadi_cause)c), cause))
            return nadi_cause_label((enum nadi_cause)c);
    return cause;
}

double nadi_run_text_number(const struct nadi_run_text *t, const char *sql)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(t->db, sql, t->diags);
    double value = q && nadi_query_next(q, &failed, t->diags) ? nadi_query_double(q, 0) : 0;
    nadi_query_close(q);
    return value;
}

/* Columns for the labels of a query's rows: NADI_RUN_TEXT_LABEL, or more where names need it. */
static int label_width(const struct nadi_run_text *t, const char *sql)
{
    struct nadi_str widest = NADI_STR_INIT;
    nadi_str_printf(&widest, "with rows(label, value) as (%s) select max(length(label)) from rows",
                    sql);
    const double width = nadi_run_text_number(t, nadi_str_get(&widest));
    nadi_str_release(&widest);
    return (int)fmin(fmax(width, NADI_RUN_TEXT_LABEL), MOST_LABEL);
}

/* Rows of (label, ns): a line each with share and bar. */
static bool bars(const struct nadi_run_text *t, const char *sql, enum nadi_ink ink)
{
    bool failed = false;
    const int width = label_width(t, sql);
    struct nadi_query *q = nadi_query_open(t->db, sql, t->diags);
    if (!q)
        return false;
    while (nadi_query_next(q, &failed, t->diags)) {
        double ns = nadi_query_double(q, 1);
        nadi_str_printf(t->out, "  %-*.*s", width, width,
                        nadi_run_text_cause(nadi_query_text(q, 0)));
        nadi_run_text_time(t, ns);
        nadi_str_printf(t->out, "  %5.1f %%  ", t->end_ns > 0 ? 100 * ns / t->end_ns : 0);
        bar(t, t->end_ns > 0 ? ns / t->end_ns : 0, ink);
        nadi_str_add_char(t->out, '\n');
    }
    nadi_query_close(q);
    return !failed;
}

/* The one number of a query; 0 where there is none. */
static void word(const struct nadi_run_text *t, const char *sql, char *text, size_t room)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(t->db, sql, t->diags);
    text[0] = '\0';
    if (q && nadi_query_next(q, &failed, t->diags))
        snprintf(text, room, "%s", nadi_query_text(q, 0));
    nadi_query_close(q);
}

void nadi_run_text_heading(const struct nadi_run_text *t, const char *run)
{
    char time[32], outcome[32], model[32];
    word(t, "select outcome from runs", outcome, sizeof(outcome));
    word(t, "select network_model from runs", model, sizeof(model));
    nadi_units_time(time, t->end_ns);
    nadi_str_printf(t->out, t->colour ? "\x1b[1m%s\x1b[0m: " : "%s: ", run);
    nadi_str_printf(t->out, "%s  (%.0f ns), %s, %.0f ranks, network %s\n", time, t->end_ns, outcome,
                    nadi_run_text_number(t, "select ranks from runs"), model);
}

/* The end with the platform's intervals carried through to it, where that was asked for. */
#define INTERVAL(key)                                                                              \
    "select json_extract(summary, '$.sanity.end_to_end_interval." key "') from runs"

void nadi_run_text_interval(const struct nadi_run_text *t)
{
    char low[32], median[32], high[32];
    const double samples = nadi_run_text_number(t, INTERVAL("samples"));
    if (samples > 0)
        nadi_str_printf(t->out, "  95 %% between %s and %s, median %s: %.0f samples\n",
                        nadi_units_time(low, nadi_run_text_number(t, INTERVAL("low_ns"))),
                        nadi_units_time(high, nadi_run_text_number(t, INTERVAL("high_ns"))),
                        nadi_units_time(median, nadi_run_text_number(t, INTERVAL("median_ns"))),
                        samples);
}

/* What the summary of the run says in words. */
static bool sentences(const struct nadi_run_text *t)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(t->db, NADI_RUN_WORDS_SQL, t->diags);
    while (q && nadi_query_next(q, &failed, t->diags))
        nadi_words_put(nadi_query_text(q, 0), t->out);
    nadi_query_close(q);
    return q && !failed;
}

static bool path(const struct nadi_run_text *t)
{
    char why[160];
    word(t, "select no_path_because from runs", why, sizeof(why));
    if (why[0]) {
        nadi_str_printf(t->out, "\nno critical path: %s\n", why);
        return true;
    }
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "critical path, by cause");
    if (!bars(t, NADI_RUN_CAUSES_SQL, NADI_INK_BLUE))
        return false;
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "by name of the node");
    return bars(t, NADI_RUN_NODES_SQL " limit 6", NADI_INK_BLUE);
}

static bool communication(const struct nadi_run_text *t)
{
    if (nadi_run_text_number(t, "select count(*) from critical_path where dimension is not null") <
        1)
        return true;
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "its communication, by group, dimension and algorithm");
    return bars(t,
                "select case when group_name is null then 'messages' when group_name = '' then "
                "'all ranks' else group_name end || ', dimension ' || dimension || "
                "coalesce(', ' || algorithm, ''), sum(duration_ns) as ns from critical_path where "
                "dimension is not null and cause not in ('link_queueing', 'pair_queueing') group "
                "by 1 order by ns desc limit 8",
                NADI_INK_BLUE);
}

static bool queues(const struct nadi_run_text *t)
{
    if (nadi_run_text_number(
            t, "select count(*) from critical_path where cause = 'link_queueing'") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "its queueing, by link");
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
static bool messages(const struct nadi_run_text *t)
{
    bool failed = false;
    char size[64], times[4][32], line[160];
    if (nadi_run_text_number(t, "select count(*) from completions") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    snprintf(line, sizeof(line), "%-32s %12s %10s %10s %10s %10s", "messages, by size", "number",
             "median", "p90", "p99", "longest");
    nadi_run_text_bold(t, line);
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
static bool sizes(const struct nadi_run_text *t, const char *sql, unit_fn *unit, enum nadi_ink ink)
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

static bool packet_counts(const struct nadi_run_text *t)
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

static bool packets(const struct nadi_run_text *t)
{
    if (nadi_run_text_number(t, "select count(*) from packets") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "packets");
    bool ok = packet_counts(t);
    if (ok && nadi_run_text_number(t, "select pfc_pauses from packets") > 0) {
        nadi_str_add_char(t->out, '\n');
        nadi_run_text_bold(t, "links paused longest");
        ok = bars(t,
                  "select " NADI_RUN_LINK_NAME
                  ", paused_ns from ports join links using (link) where "
                  "paused_ns > 0 order by 2 desc, link limit 6",
                  NADI_INK_RED);
    }
    if (ok && nadi_run_text_number(t, "select peak_queue_bytes from packets") > 0) {
        nadi_str_add_char(t->out, '\n');
        nadi_run_text_bold(t, "longest queues, of one class");
        ok = sizes(t,
                   "select " NADI_RUN_LINK_NAME
                   ", peak_queue_bytes from ports join links using (link) "
                   "where peak_queue_bytes > 0 order by 2 desc, link limit 6",
                   nadi_units_bytes, NADI_INK_BLUE);
    }
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "busiest links");
    return ok &&
           bars(t,
                "select " NADI_RUN_LINK_NAME ", busy_ns from links order by 2 desc, link limit 6",
                NADI_INK_GREEN);
}

/* Routers: for what packets waited at the heads of buffers, and for which links. */
static bool stalls(const struct nadi_run_text *t)
{
    if (nadi_run_text_number(t, "select sum(no_vc_ns + no_credit_ns + lost_turn_ns) from stalls") <=
        0)
        return true;
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "packets waited in routers, all together");
    if (!sizes(t,
               "select 'for a virtual channel', sum(no_vc_ns) from stalls union all select 'for "
               "room at the other end', sum(no_credit_ns) from stalls union all select 'for their "
               "turn', sum(lost_turn_ns) from stalls order by 2 desc",
               nadi_units_time, NADI_INK_RED))
        return false;
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "for which links most");
    return sizes(t,
                 "select " NADI_RUN_LINK_NAME ", no_vc_ns + no_credit_ns + lost_turn_ns from "
                 "stalls join links using (link) where no_vc_ns + no_credit_ns + lost_turn_ns > 0 "
                 "order by 2 desc, link limit 6",
                 nadi_units_time, NADI_INK_RED);
}

/* Links that hashes gave more than an even share: where most bytes came of it. */
static bool hashing(const struct nadi_run_text *t)
{
    if (nadi_run_text_number(t, "select count(*) from hashing") < 1)
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
            nadi_run_text_bold(t,
                               "ECMP: links on which hashes put more than an even share of flows");
        }
        nadi_str_printf(t->out, "  %-32s %s flows, evenly spread %s; equal and idle: %s\n",
                        nadi_query_text(q, 0), nadi_query_text(q, 1), nadi_query_text(q, 2),
                        nadi_query_text(q, 3));
    }
    nadi_query_close(q);
    return q && !failed;
}

static bool ranks(const struct nadi_run_text *t)
{
    if (nadi_run_text_number(t, "select count(*) from shares") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "mean of the ranks");
    return bars(t, NADI_RUN_MEAN_SQL " order by 2 desc", NADI_INK_GREEN);
}

/* What more of something buys, in rows of (label, ns). */
static bool gains(const struct nadi_run_text *t, const char *sql)
{
    bool failed = false;
    const int width = label_width(t, sql);
    struct nadi_query *q = nadi_query_open(t->db, sql, t->diags);
    while (q && nadi_query_next(q, &failed, t->diags)) {
        double gain = nadi_query_double(q, 1), share = t->end_ns > 0 ? gain / t->end_ns : 0;
        nadi_str_printf(t->out, "  %-*.*s", width, width, nadi_query_text(q, 0));
        nadi_run_text_time(t, gain);
        nadi_str_printf(t->out, "  %5.2f %%  ", 100 * share);
        bar(t, share * 10, gain < 0 ? NADI_INK_RED : NADI_INK_GREEN);
        nadi_str_add_char(t->out, '\n');
    }
    nadi_query_close(q);
    return q && !failed;
}

static bool sensitivities(const struct nadi_run_text *t)
{
    if (nadi_run_text_number(t, "select count(*) from sensitivities") < 1)
        return true;
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "10 % more (latencies, delays: less) buys");
    bool ok = gains(t, "select parameter, coalesce(gain_large_ns, 100 * path_gain_ns) as gain from "
                       "sensitivities where unit <> 'chunks' and gain is not null order by gain "
                       "desc");
    if (ok &&
        nadi_run_text_number(t, "select count(*) from sensitivities where unit = 'chunks'") > 0) {
        nadi_str_add_char(t->out, '\n');
        nadi_run_text_bold(t, "twice, and half, as many buy");
        ok = gains(
            t,
            "select 'twice the ' || parameter, gain_small_ns as gain from sensitivities "
            "where unit = 'chunks' and gain_small_ns is not null union all select 'half the ' || "
            "parameter, gain_large_ns as gain from sensitivities where unit = 'chunks' "
            "and gain_large_ns is not null order by 2 desc");
    }
    nadi_str_add_char(t->out, '\n');
    nadi_run_text_bold(t, "bounds");
    return ok && bars(t, "select bound, ns from bounds order by ns desc", NADI_INK_BLUE);
}

static bool tiers(const struct nadi_run_text *t)
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
            nadi_run_text_bold(t, "memory tiers and their links");
        }
        nadi_str_printf(t->out, "  %-*.*s%11s moved", NADI_RUN_TEXT_LABEL, NADI_RUN_TEXT_LABEL,
                        nadi_query_text(q, 0), nadi_units_bytes(moved, nadi_query_double(q, 1)));
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

bool nadi_run_text_open(struct nadi_run_text *t, const char *run, bool colour, struct nadi_str *out,
                        struct nadi_diags *diags)
{
    *t = (struct nadi_run_text){.out = out, .diags = diags, .colour = colour};
    t->db = nadi_run_open_whole(run, diags);
    if (t->db)
        t->end_ns = nadi_run_text_number(t, "select end_ns from runs");
    return t->db != NULL;
}

bool nadi_run_text(const char *run, bool colour, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_run_text t;
    if (!nadi_run_text_open(&t, run, colour, out, diags))
        return false;
    size_t errors = diags->errors;
    nadi_run_text_heading(&t, run);
    nadi_run_text_interval(&t);
    bool ok = sentences(&t) && path(&t) && communication(&t) && queues(&t) && messages(&t) &&
              packets(&t) && stalls(&t) && hashing(&t) && tiers(&t) && ranks(&t) &&
              sensitivities(&t);
    nadi_database_close(t.db);
    return ok && diags->errors == errors;
}
