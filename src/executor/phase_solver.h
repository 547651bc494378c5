/* phase_solver: one phase of a collective on one ring of ranks, from start times to end times,
 * without events (max-plus algebra; system-network spec section 15.2).
 *
 * Where messages never contend, the end of each participant is a function of all starts. The forms:
 *   ring, one message on the way: T(i,k+1) = max(T(i,k), T(i-1,k) + d(i-1)) + stage(k), so
 *     end(i) = stages + max over j of start(i-j) + (delays of the j links before i), one pass;
 *   halving-doubling and rendezvous rings: the same recurrence step by step;
 *   direct with an unlimited window: a maximum over the peers, twice for all-reduce
 *     (phase_solver_halves.c);
 *   direct with a window: the packet engine's counters on a private clock (phase_solver_direct.c);
 *   double binary tree: one pass up, one down.
 * Times are ns, NADI_TIME_NEVER beyond their range (base/time.h). All participants start at some
 * time >= 0 relative to a common origin. */
#ifndef NADI_EXECUTOR_PHASE_SOLVER_H
#define NADI_EXECUTOR_PHASE_SOLVER_H

#include "base/time.h"
#include "collective/plan.h"
#include "network/network.h"

struct nadi_phase_solver {
    const struct nadi_phase *phase;
    uint32_t n;
    bool clockwise, max_tree, rendezvous;
    int64_t endpoint_ns;
    int64_t reduce_ns;            /* of message_bytes */
    double local_mem_bw;          /* for reductions of other sizes */
    struct nadi_network *network; /* unaware */
    const uint32_t *ranks;        /* by local index */
    /* routes by clockwise distance where they do not depend on the place, else NULL */
    const uint32_t *routes;
    const int64_t *start; /* by local index */
    int64_t *end;         /* out */
    int64_t *scratch;     /* 6 n words */
};

/* The reduction behind the participant's last endpoint stage, ns; -1 if there is none. The last
 * timers before an end order it among the rank's other timers of the same tick. */
int64_t nadi_phase_solver_last_reduction(const struct nadi_phase_solver *m, uint32_t local);
/* Is that the same for all members? */
bool nadi_phase_solver_ends_alike(const struct nadi_phase *p);

/* False: the end depends on the order of events within a tick, which is not known here. */
bool nadi_phase_solver_evaluate(struct nadi_phase_solver *m) NADI_MUST_USE;

/* If all start together and `routes` is known: the common duration, from one participant alone. */
bool nadi_phase_solver_lockstep(const struct nadi_phase_solver *m,
                                int64_t *duration_ns) NADI_MUST_USE;

/* Local index of the parent in the double binary tree; NADI_NONE for the root. */
uint32_t nadi_phase_solver_tree_parent(const struct nadi_phase_solver *m, uint32_t local);

/* ---- shared with phase_solver_direct.c and phase_solver_halves.c ---- */
uint32_t nadi_phase_solver_route(const struct nadi_phase_solver *m, uint32_t from, uint32_t to);
int64_t nadi_phase_solver_delay(const struct nadi_phase_solver *m, uint32_t from, uint32_t to,
                                uint64_t bytes);
int64_t nadi_phase_solver_reduce(const struct nadi_phase_solver *m, uint32_t packet);
/* When a message has been received that takes `there`, its control message `back`: sent at `sent`,
 * its receive posted at `posted`. */
static inline int64_t nadi_phase_solver_joined(const struct nadi_phase_solver *m, int64_t sent,
                                               int64_t there, int64_t posted, int64_t back)
{
    if (!m->rendezvous)
        return nadi_max_i64(posted, nadi_time_add(sent, there));
    return nadi_time_add(nadi_max_i64(sent, nadi_time_add(posted, back)), there);
}
/* The same between two participants. */
int64_t nadi_phase_solver_received(const struct nadi_phase_solver *m, uint32_t from, int64_t sent,
                                   uint32_t to, int64_t posted, uint64_t bytes);
/* participants 1: lockstep, everybody does what local 0 does; else n. */
bool nadi_phase_solver_direct(const struct nadi_phase_solver *m, uint32_t participants,
                              const int64_t *start, int64_t *end) NADI_MUST_USE;
/* Direct, no window: not all-reduce; */
void nadi_phase_solver_once(struct nadi_phase_solver *m);
/* all-reduce. OTHER: its credits mix, nadi_phase_solver_direct can tell. */
enum nadi_phase_solver_outcome {
    NADI_PHASE_SOLVER_DONE,
    NADI_PHASE_SOLVER_UNDECIDED,
    NADI_PHASE_SOLVER_OTHER
};
enum nadi_phase_solver_outcome nadi_phase_solver_halves(struct nadi_phase_solver *m) NADI_MUST_USE;

#endif
