/* noc: loads and latencies of a network of routers, as text, CSV, JSON and a picture. */
#ifndef NADI_REPORT_NOC_H
#define NADI_REPORT_NOC_H

#include "noc/load.h"

#include "base/str.h"

struct nadi_noc_sweep {
    const char *network, *traffic;
    const struct nadi_graph *graph;
    const struct nadi_flit_config *config;
    uint32_t buffer_flits;
    const struct nadi_noc_load *loads; /* by rising rate */
    size_t count;
    const struct nadi_noc_load *saturation; /* NULL: not asked for */
    double alone;                           /* cycles, of a packet at the lowest load */
    uint64_t measured;                      /* cycles of each load */
    double clock_ghz;
    const char *energy; /* catalogue of the loads' joules; NULL: none was named */
    bool energy_made_up;
};

void nadi_noc_text(const struct nadi_noc_sweep *s, struct nadi_str *out);
void nadi_noc_csv(const struct nadi_noc_sweep *s, struct nadi_str *out);
void nadi_noc_json(const struct nadi_noc_sweep *s, struct nadi_str *out);
void nadi_noc_svg(const struct nadi_noc_sweep *s, struct nadi_str *out);

#endif
