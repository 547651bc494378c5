/* lower_bound: the least time of one operation on idle resources: the time that the executor would
 * charge, less everything that depends on others. bound/bound.h uses it. */
#ifndef NADI_BOUND_LOWER_BOUND_H
#define NADI_BOUND_LOWER_BOUND_H

#include "inputs/inputs.h"

struct nadi_lower_bound { /* ns from the issue on one member ... */
    uint64_t own;         /* ... to the completion on the same member, even if it comes last */
    uint64_t last;        /* ... to the completion on some member; at least own */
    /* aware: by dimension, how long each link is busy with it on average; only of collectives among
     * all ranks, whose members load all links of a dimension alike. Over a graph: how long the
     * cables of a member are busy with what it sends, in any group */
    uint64_t load[NADI_MAX_DIMS];
    uint64_t cut; /* over a graph, among all ranks: how long the slowest links are: bound/cut.h */
    /* over a graph, a ring through all ranks: how long the fullest channel is, of those that the
     * routes between neighbours go over */
    uint64_t neighbours;
    uint64_t leaving; /* bytes, over a graph, in other groups: what each member sends out of its
                         island at least (bound/cut.h) */
};

struct nadi_lower_bounds; /* remembers plans and groups; not thread safe */

struct nadi_lower_bounds *nadi_lower_bounds_create(const struct nadi_inputs *in) NADI_MUST_USE;
void nadi_lower_bounds_destroy(struct nadi_lower_bounds *f);

/* Group of the collective node of a trace, run by `rank`; NADI_NONE if there is none. Where several
 * ranks run it (rank NADI_NONE) and the name means another group on each, a number from
 * groups.count on stands for all of them: it is below nadi_lower_bounds_group_count. */
uint32_t nadi_lower_bounds_group(const struct nadi_lower_bounds *f, const struct nadi_trace *t,
                                 uint32_t node, uint32_t rank);
uint32_t nadi_lower_bounds_group_count(const struct nadi_lower_bounds *f);

/* Do the ranks that mean a group by its name, `users` of them, make up the whole group? For a
 * number that stands for several: does each rank's group consist of ranks that mean it? */
bool nadi_lower_bounds_group_is_whole(const struct nadi_lower_bounds *f, uint32_t group,
                                      uint32_t users);

/* How long links are busy with what leaves islands: leaving[trace_of[rank]] bytes from each rank.
 */
uint64_t nadi_lower_bounds_leaving_ns(const struct nadi_lower_bounds *f, const uint64_t *leaving,
                                      const uint32_t *trace_of);

/* The rank that comm_src or comm_dst means on `rank`. */
uint32_t nadi_lower_bounds_peer(const struct nadi_lower_bounds *f, uint32_t rank, uint32_t written);

/* Bytes of a send's or receive's message, comm-scale applied. */
uint64_t nadi_lower_bounds_message_bytes(const struct nadi_lower_bounds *f,
                                         const struct nadi_trace *t, uint32_t node);

/* A collective node on its group. O(phases), remembered for repeated sizes. */
struct nadi_lower_bound nadi_lower_bound_collective(struct nadi_lower_bounds *f,
                                                    const struct nadi_trace *t, uint32_t node,
                                                    uint32_t group);

/* A message between two ranks on idle links; 0 where the network is a graph. */
uint64_t nadi_lower_bound_message(const struct nadi_lower_bounds *f, uint32_t src, uint32_t dst,
                                  uint64_t bytes);

/* Any other node, run by `rank`; NADI_NONE: by several ranks. */
uint64_t nadi_lower_bound_node(const struct nadi_lower_bounds *f, const struct nadi_trace *t,
                               uint32_t node, uint32_t rank);

#endif
