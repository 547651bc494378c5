/* run_rows: what is asked of the databases of runs, by the text and the JSON about them alike. */
#ifndef NADI_REPORT_RUN_ROWS_H
#define NADI_REPORT_RUN_ROWS_H

#include "format/database.h"

#define NADI_RUN_WORDS_SQL "select value from runs, json_each(summary, '$.in_words') order by key"

#define NADI_RUN_CAUSES_SQL                                                                        \
    "select cause, sum(duration_ns) as ns from critical_path group by cause order by ns desc"

/* As nadi_rank_works of report/figures.h. */
#define NADI_RUN_WORKS_SQL "communication_ns > 0 or finish_ns >= (select end_ns from runs) / 1000"

/* Ranks of a class have the same shares: those of its first one count for all. */
#define NADI_RUN_MEAN_SQL                                                                          \
    "with working as (select rank, class from ranks where " NADI_RUN_WORKS_SQL "), homes as "      \
    "(select min(rank) as home, count(*) as n from working group by class) select cause, "         \
    "sum(ns * n) * 1.0 / (select count(*) from working) as ns from shares join homes on "          \
    "home = rank group by cause"

#define NADI_RUN_NODES_SQL                                                                         \
    "select coalesce(nullif(name, ''), cause) as name, sum(duration_ns) as ns from critical_path " \
    "group by 1 order by ns desc, min(step)"

/* "rank 3 to switch 0" */
#define NADI_RUN_LINK_NAME                                                                         \
    "case when from_device glob '[0-9]*' then 'rank ' else '' end || from_device || ' to ' || "    \
    "case when to_device glob '[0-9]*' then 'rank ' else '' end || to_device"

#define NADI_RUN_COLLECTIVES_SQL                                                                   \
    "select lower(replace(kind, '_', '-')) || ' ' || bytes || ' B on ' || participants as "        \
    "collective, sum(duration_ns * instances) as ns from collectives group by 1"

/* Bytes: what tiers and links of the memory file carried; most that lay in an instance of a tier.
 */
#define NADI_RUN_TIER_BYTES_SQL                                                                    \
    "select kind || ' ' || name || ', moved', in_bytes + out_bytes from tiers union all select "   \
    "kind || ' ' || name || ', at its peak', peak_bytes from tiers where peak_bytes > 0"
/* Times: with a request in flight, of the mean instance; of requests, lost to others. */
#define NADI_RUN_TIER_TIMES_SQL                                                                    \
    "select kind || ' ' || name || ', busy', busy_share * (select end_ns from runs) from tiers "   \
    "where busy_share > 0 union all select kind || ' ' || name || ', lost to others', lost_ns "    \
    "from tiers where lost_ns > 0"

/* Rows (label, ns) of two runs beside each other, those that differ most first. */
struct nadi_run_pair {
    char label[96];
    double before, after;
};

struct nadi_run_pairs {
    struct nadi_run_pair *items;
    size_t count, capacity;
};

/* The caller frees items, also where it fails. */
bool nadi_run_pairs_read(struct nadi_database *before, struct nadi_database *after, const char *sql,
                         struct nadi_run_pairs *pairs, struct nadi_diags *diags) NADI_MUST_USE;

/* Calls `differs` with each setting that two runs differ in, in order of the keys; NULL: not set.
 */
bool nadi_run_settings(struct nadi_database *before, struct nadi_database *after,
                       void (*differs)(void *context, const char *key, const char *before,
                                       const char *after),
                       void *context, struct nadi_diags *diags) NADI_MUST_USE;

#endif
