/* split_run: a placed network run by its workers, each with nothing but what it computed and what
 * was sent to it: everything else in its memory is no number. */
#ifndef NADI_PARTITION_SPLIT_RUN_H
#define NADI_PARTITION_SPLIT_RUN_H

#include "partition/traffic.h"

/* The outputs as worker 0 has them in the end, channels x positions x samples, from the heap. */
float *nadi_split_run(const struct nadi_nn *nn, const struct nadi_placement *p,
                      const struct nadi_placed_traffic *t, const float *x,
                      uint32_t samples) NADI_MUST_USE;

/* Samples whose outputs are, bit for bit, those of the network in one place. */
uint64_t nadi_split_same(const struct nadi_nn *nn, const struct nadi_placement *p,
                         const struct nadi_placed_traffic *t, const float *x, uint32_t samples);

#endif
