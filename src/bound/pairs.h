/* pairs: the critical path across ranks along point-to-point messages.
 *
 * Where a message's key (source, destination, tag, size) occurs once on either side, its receive
 * cannot end before the send's earliest start plus the idle network's delay. Pipelines are chains
 * of such pairs. Keys that occur more often are matched in an order that only the run knows: they
 * are left out. O(nodes + dependencies), 12 bytes a node while it runs. */
#ifndef NADI_BOUND_PAIRS_H
#define NADI_BOUND_PAIRS_H

#include "bound/lower_bound.h"

/* only_rank: by owned trace, the one rank that runs it; NADI_NONE where there are several: such a
 * trace's messages count where peers are distances, and those at a distance run one trace: then
 * what is found of the trace holds on each of its ranks. trace_of: by rank. 0 when there are no
 * pairs. */
uint64_t nadi_pairs_bound(const struct nadi_inputs *in, struct nadi_lower_bounds *bounds,
                          const uint32_t *only_rank, const uint32_t *trace_of);

#endif
