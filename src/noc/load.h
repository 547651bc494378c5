/* load: how a network of routers answers synthetic traffic.
 *
 * Every NPU makes packets at random (a Bernoulli trial a cycle) and queues them without limit. What
 * is made in the cycles measured is followed to its end: latency is from its making to the arrival
 * of its tail, in cycles, its queue at the source included; accepted is what arrived in those
 * cycles. The confidence interval is that of the means of ten parts of the time (batch means, 95
 * %). A load is too high where the measured packets do not end in ten times the cycles measured. */
#ifndef NADI_NOC_LOAD_H
#define NADI_NOC_LOAD_H

#include "network/flit/config.h"
#include "noc/traffic.h"
#include "platform/graph.h"

enum { NADI_NOC_BATCHES = 10 };

/* So many flits went out of a node by a cable; on a board between NPU and router too. */
typedef void nadi_noc_passed_fn(void *context, const struct nadi_graph_link *link, uint32_t from,
                                uint64_t flits);

struct nadi_noc_setup {
    const struct nadi_graph *graph;
    const struct nadi_flit_config *config; /* packet_flits: of each packet */
    const struct nadi_noc_traffic *traffic;
    uint64_t warmup, measured; /* cycles */
    uint64_t seed;
    double enough; /* cycles: a load whose latency is above is not followed to its end; 0: any */
    nadi_noc_passed_fn
        *passed; /* what crossed the network in the cycles measured; NULL: none asks */
    void *context;
};

struct nadi_noc_load {
    double rate;                          /* offered: flits an NPU and cycle */
    double accepted;                      /* likewise */
    double least_accepted, most_accepted; /* of one NPU's packets that arrived: unfairness */
    double latency, half_width;           /* cycles; half of the 95 % interval */
    double hops;                          /* routers, of the measured packets; 0: adaptive */
    uint64_t worst_latency;
    uint64_t packets;
    uint64_t cycles; /* all that were run */
    uint64_t no_vc, no_credit, lost_arbitration;
    double joules; /* of the cycles measured, whoever knows it fills it in; NAN: nobody */
    bool saturated, stuck;
    uint32_t circle[8], circle_count; /* stuck: nodes in a circle, the first of them */
};

/* False with a diagnostic: a network, configuration or rate that cannot be. A deadlock is a result.
 */
bool nadi_noc_run(const struct nadi_noc_setup *setup, double rate, struct nadi_noc_load *load,
                  struct nadi_diags *diags) NADI_MUST_USE;

/* The load at which the latency is three times that without load, between the last that is not
 * saturated and the first that is, by bisection to 1/512 of `most`; and what is accepted there. */
bool nadi_noc_saturation(const struct nadi_noc_setup *setup, double most,
                         struct nadi_noc_load *load, struct nadi_diags *diags) NADI_MUST_USE;

/* Cycles of one packet alone from src to dst, from its making to its tail's arrival: for
 * tests. */
bool nadi_noc_alone(const struct nadi_noc_setup *setup, uint32_t src, uint32_t dst,
                    uint64_t *cycles, uint32_t *routers, struct nadi_diags *diags) NADI_MUST_USE;

#endif
