/* comparison: two fleets of traces, simulated and held against each other: the same result to the
 * last bit?
 *
 * Unlike nadi_inputs_load the traces are named one by one, and system and network may be left out:
 * then the network is one ring of 50 GB/s and 500 ns, collectives go around it in one chunk, and
 * remote memory answers after 100 ns at 3 GB/s. */
#ifndef NADI_SIM_COMPARISON_H
#define NADI_SIM_COMPARISON_H

#include "base/str.h"
#include "inputs/inputs.h"
#include "sim/result.h"

/* options: workload is for messages only; system, network, memory and groups may be NULL. False
 * with errors. The caller releases `in` in both cases. */
bool nadi_comparison_load(struct nadi_inputs *in, const struct nadi_run_options *options,
                          const char *const *paths, uint32_t count,
                          struct nadi_diags *diags) NADI_MUST_USE;

/* Are the graphs the same as far as a simulation reads them, names aside? What differs to `why`. */
bool nadi_comparison_same_graph(const struct nadi_trace *a, const struct nadi_trace *b,
                                struct nadi_str *why);

/* Simulates both and compares everything that a result has: outcome, each rank's times, each node's
 * start and end, collectives, messages. To `proof`: what was compared, or what differs. */
bool nadi_comparison_same_result(const struct nadi_inputs *a, const struct nadi_inputs *b,
                                 struct nadi_str *proof);

#endif
