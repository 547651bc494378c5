/* trace_stats: the statistics of traces as text, CSV and JSON. */
#ifndef NADI_REPORT_TRACE_STATS_H
#define NADI_REPORT_TRACE_STATS_H

#include "base/str.h"
#include "trace/stats.h"

/* For people; `title` is what was read, `rows` the most of a table to show (0: all). */
void nadi_trace_stats_text(const struct nadi_stats *s, const char *title, uint32_t rows,
                           struct nadi_str *out);
/* Everything. */
void nadi_trace_stats_json(const struct nadi_stats *s, const char *title, struct nadi_str *out);

/* One table: a name of nadi_stats_table_name, "ranks" or "time". False when there is no such. */
bool nadi_trace_stats_csv(const struct nadi_stats *s, const char *table, struct nadi_str *out);

#define NADI_TRACE_STATS_TABLES "types, operators, groups, lanes, path, ranks, time"

#endif
