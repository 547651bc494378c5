/* optimize_bandwidth: answers of `nadi optimize bandwidth` as text, JSON, CSV and a network file.
 */
#ifndef NADI_REPORT_OPTIMIZE_BANDWIDTH_H
#define NADI_REPORT_OPTIMIZE_BANDWIDTH_H

#include "base/str.h"
#include "optimize/bandwidth.h"

struct nadi_bandwidth_rows { /* one or several budgets, or costs */
    const struct nadi_bandwidth_network *network;
    const char *goal, *loop;      /* as the user named them */
    const char *const *workloads; /* files, by step */
    uint32_t step_count;
    bool has_prices;
    const struct nadi_bandwidth_answer *items;
    size_t count;
};

/* One answer in full; several as a table. */
void nadi_bandwidth_text(const struct nadi_bandwidth_rows *r, struct nadi_str *out);
void nadi_bandwidth_json(const struct nadi_bandwidth_rows *r, struct nadi_str *out);
void nadi_bandwidth_csv(const struct nadi_bandwidth_rows *r, struct nadi_str *out);
/* A network.yml with the first answer's bandwidths, for every command that takes a network. */
void nadi_bandwidth_network_file(const struct nadi_bandwidth_rows *r, struct nadi_str *out);

#endif
