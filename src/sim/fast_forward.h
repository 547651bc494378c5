/* fast_forward: when a run looks for repetition (workload/fast_forward.h), and what it has
 * fast-forwarded.
 *
 * Of every instant the state is hashed, or, where that would take too long, of those of some
 * patterns. Of a state that is met again a mark is kept: of its last meeting, and of the last whose
 * number is a power of two (Brent 1980), so that a period of any length that begins anywhere is
 * found after a few of its lengths. Where the state is met once more it is compared with both, and
 * the run is fast-forwarded from the one from which it gets further.
 *
 * The executor `message`, where it is asked for, never fast-forwards: it is what others are
 * compared with.
 */
#ifndef NADI_SIM_FAST_FORWARD_H
#define NADI_SIM_FAST_FORWARD_H

#include "inputs/inputs.h"
#include "sim/result.h"
#include "workload/workload.h"

struct nadi_fast_forward;

/* logged: what each message waited for is recorded. */
struct nadi_fast_forward *nadi_fast_forward_create(const struct nadi_inputs *in, bool logged,
                                                   struct nadi_workload *w) NADI_MUST_USE;
void nadi_fast_forward_destroy(struct nadi_fast_forward *l); /* NULL is allowed */
struct nadi_instant {                                        /* at which the engine has paused */
    nadi_time at, until;                                     /* until: of the run */
    uint64_t events; /* of the engine so far, with those that chunks were spared */
};
/* Fast-forwards, if it can, not beyond `until`. */
void nadi_fast_forward_look(struct nadi_fast_forward *l, const struct nadi_instant *instant);
/* What was fast-forwarded so far. */
struct nadi_fast_forward_result nadi_fast_forward_sum(const struct nadi_fast_forward *l);

#endif
