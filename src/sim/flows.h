/* flows: one run of a workload that is a list of flows: no traces, no collectives. Each flow is a
 * message, or of the packet model a queue pair of its own. */
#ifndef NADI_SIM_FLOWS_H
#define NADI_SIM_FLOWS_H

#include "inputs/inputs.h"
#include "sim/result.h"

/* An error when packets wait for each other's buffers in a circle: ports > 0. */
void nadi_sim_explain_blocked(uint32_t ports, uint32_t node, struct nadi_diags *diags);

/* Fills a result that is empty but for arena and messages. stop: may be NULL; nonzero: stop soon.
 */
void nadi_flows_simulate(const struct nadi_inputs *in, const volatile int *stop,
                         struct nadi_result *result);
void nadi_flows_result_release(struct nadi_flows_result *r);

/* The rest is private to flows*.c. */

struct nadi_flows_run {
    const struct nadi_inputs *in;
    const volatile int *stop;
    struct nadi_result *result; /* `listed` is there, and empty */
    size_t waiting;             /* flows that have had no route since a cable went down */
    bool cut;                   /* the configuration's stop time ended it */
    bool beyond;                /* flows are left that do not end within the clock's range */
};

/* flows_packets.c: for packets. False with an error where there is no network, or no route. */
bool nadi_flows_run_packets(struct nadi_flows_run *run) NADI_MUST_USE;
/* flows_messages.c: for the other models. False with an error where the model cannot go on. */
bool nadi_flows_run_messages(struct nadi_flows_run *run) NADI_MUST_USE;
/* flows_spread.c: of ECMP. */
void nadi_flows_count_spread(const struct nadi_inputs *in, struct nadi_result *result);

#endif
