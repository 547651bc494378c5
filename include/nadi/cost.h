/* nadi: what a cluster costs and draws. */
#ifndef NADI_COST_H
#define NADI_COST_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bill of materials of a cluster, or of a network alone. Parts without a price or a power are
 * named, and the sum is then said to be incomplete. */
struct nadi_cost_options {
    size_t size;
    const char *cluster;   /* name or path; NULL: only the network */
    const char *network;   /* instead of the cluster's: file, platform or generator; may be NULL */
    const char *catalogue; /* name or path */
    uint32_t ranks;        /* devices of a cluster of any size; 0: all that it has */
    const char *memory;    /* beside each device's own: "ddr5=256GiB, ..."; NULL: none */
    double years;          /* over which the parts are paid */
    double electricity;    /* $ per kWh */
    double pue;            /* power of the facility by that of the parts */
    const char *form;      /* "text", "json", "csv" */
};

void nadi_cost_options_init(struct nadi_cost_options *options);

enum nadi_status nadi_cost(const struct nadi_cost_options *options, char **report,
                           struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
