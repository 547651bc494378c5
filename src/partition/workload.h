/* workload: a placed network's inference as traces, one a worker: what it computes, and what it
 * sends and receives in between, layer by layer. A layer waits for what it reads, a worker computes
 * one layer at a time. */
#ifndef NADI_PARTITION_WORKLOAD_H
#define NADI_PARTITION_WORKLOAD_H

#include "partition/traffic.h"

struct nadi_partition_workload {
    uint32_t batch;    /* samples of one inference */
    double macs_per_s; /* multiplications and additions of a worker */
};

/* PREFIX.<worker>.et. False with an error when they cannot be written. */
bool nadi_partition_write_traces(const struct nadi_nn *nn, const struct nadi_placement *p,
                                 const struct nadi_placed_traffic *t,
                                 const struct nadi_partition_workload *w, const char *prefix,
                                 struct nadi_diags *diags) NADI_MUST_USE;

#endif
