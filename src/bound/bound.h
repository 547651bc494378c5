/* bound: a lower bound of the time of a run, for any executor and network model.
 *
 * It is the maximum of four bounds:
 *
 *   rank    The nodes of one rank at their best: a compute node its duration, a send the idle
 *           network's delay, a collective what its member pays even if all others came early, a
 *           receive nothing. No rank ends before its critical path, nor before the sum of what
 *           each of its three slots must run one after another. With `aware`, nor before the links
 *           of a dimension have carried what the collectives among all ranks send over them; over
 *           a graph, nor before the cables of an NPU have carried what it sends, nor before the
 *           slowest links have carried what crosses them (bound/cut.h), and what leaves a
 *           server in any group, nor before the fullest channel has carried what a ring of all
 *           ranks sends over it.
 *   group   Where every rank runs the same graph on matching groups: the last end of a collective
 *           lies at least its own time after the last start of it (each algorithm has a chain of
 *           messages from any member to some other one), so the critical path may charge whole
 *           collectives, and each node what it takes on the quickest rank. The collectives
 *           of one group follow each other: their sum holds for any graphs.
 *   pairs   The critical path of all ranks along sends and receives that can only be each other's,
 *           with the nodes at their best: bound/pairs.h.
 *   server  A server of remote memory serves its requests one after another.
 *
 * It does not apply to a run that does not finish. Skew and queueing are not counted, so `aware` is
 * further above it than `unaware`. O(nodes + dependencies) of the distinct traces. */
#ifndef NADI_BOUND_BOUND_H
#define NADI_BOUND_BOUND_H

#include "inputs/inputs.h"

uint64_t nadi_lower_bound_ns(const struct nadi_inputs *in);

#endif
