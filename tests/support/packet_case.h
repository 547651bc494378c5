/* packet_case: small networks and flows for tests of the packet model. */
#ifndef NADI_TESTS_PACKET_CASE_H
#define NADI_TESTS_PACKET_CASE_H

#include "sim/run.h"

/* Empty inputs for a list of flows as packets, with the default configuration. */
void packet_case_inputs(struct nadi_inputs *in);

struct packet_case {
    struct nadi_inputs in;
    struct nadi_result result;
    const struct nadi_flows_result *listed; /* of the result */
    bool ran;
};

/* `hosts` hosts on one switch (node `hosts`), 400 Gb/s, 1 us. Exact mode with the HPCC simulator's
 * values. Change c->in before packet_case_run. */
void packet_case_star(struct packet_case *c, uint32_t hosts);
/* `racks` racks of `hosts` hosts, `spines` spines, every rack switch to every spine. */
void packet_case_clos(struct packet_case *c, uint32_t racks, uint32_t hosts, uint32_t spines);
void packet_case_flow(struct packet_case *c, uint32_t src, uint32_t dst, uint64_t bytes,
                      uint64_t start_ns);
void packet_case_run(struct packet_case *c);
void packet_case_release(struct packet_case *c);

/* Completion time of flow i of the list, ns; the case must have run and the flow be done. */
uint64_t packet_case_ns(const struct packet_case *c, uint32_t flow);

#endif
