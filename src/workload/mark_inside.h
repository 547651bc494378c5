/* mark_inside: what a mark holds (workload/fast_forward.h), for those that write, compare and move
 * it. */
#ifndef NADI_WORKLOAD_MARK_INSIDE_H
#define NADI_WORKLOAD_MARK_INSIDE_H

#include "workload/fast_forward.h"
#include "workload/internal.h"

enum { NADI_COUNTS_OF_RANK = 10 }; /* counters of a rank in a mark */

struct nadi_mark {
    nadi_time at;
    struct nadi_state state, tags; /* see nadi_system_state */
    uint32_t *low, *reach; /* by actor: the first node that is not done; the last of those that are
                              done, run or could */
    struct nadi_state begun; /* nodes some of whose parents are done: node << 32 | how many are not,
                                ascending by actor */
    size_t *begun_start;     /* by actor, and the end */
    /* counts: */
    struct nadi_state counters; /* of ranks, then of all */
    struct nadi_network_counts network;
    struct nadi_system_mark system;
    size_t spans;
};
/* Nothing will happen, or has since it stopped. */
static inline bool nadi_rank_has_ended(const struct rank_state *r)
{
    return r->view.finished || r->stopped;
}

#endif
