/* tables: the CSV files of a result, each appended to `out`. Units stand in the column names. */
#ifndef NADI_REPORT_TABLES_H
#define NADI_REPORT_TABLES_H

#include "base/str.h"
#include "inputs/inputs.h"
#include "report/detail.h"
#include "sim/result.h"
#include "why/sensitivity.h"
#include "why/why.h"

void nadi_table_ranks(const struct nadi_inputs *in, const struct nadi_result *r,
                      struct nadi_str *out);
/* A row is ranks with the same figures: first, first + stride, ... last. In order of `first`. */
void nadi_table_rank_classes(const struct nadi_inputs *in, const struct nadi_result *r,
                             struct nadi_str *out);
/* d: NULL, or what of it all (report/detail.h). */
void nadi_table_collectives(const struct nadi_inputs *in, const struct nadi_result *r,
                            const struct nadi_detail *d, struct nadi_str *out);
void nadi_table_links(const struct nadi_inputs *in, const struct nadi_result *r,
                      struct nadi_str *out);
/* What each link carried in each of at most 64 equal spans of time: the data of a heat map. */
void nadi_table_link_usage(const struct nadi_inputs *in, const struct nadi_result *r,
                           struct nadi_str *out);
/* The same as JSON, a row a link and a dimension; utilisation is 0 to 1. */
void nadi_link_usage_json(const struct nadi_inputs *in, const struct nadi_result *r,
                          struct nadi_str *out);
void nadi_table_ops(const struct nadi_inputs *in, const struct nadi_result *r,
                    struct nadi_str *out);

/* Name, TotalTime(us), ComputeTime(us), ExposedCommunicationTime(us), TotalMessageSize(MB): one row
 * for the run, as ASTRA-sim 1.0's tutorial wrote it. Of the rank that finishes last: total =
 * compute + exposed (the reference's meaning); the size is what this rank's trace offers, in 10^6
 * bytes. Name is the workload prefix without its folder. */
void nadi_table_five_column(const struct nadi_inputs *in, const struct nadi_result *r,
                            struct nadi_str *out);

void nadi_table_critical_path(const struct nadi_inputs *in, const struct nadi_result *r,
                              const struct nadi_why *why, const struct nadi_detail *d,
                              struct nadi_str *out);
void nadi_table_sensitivities(const struct nadi_sensitivities *list, struct nadi_str *out);

#endif
