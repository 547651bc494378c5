/* phase_row: chunks of one collective that follow each other on one ring of ranks: each begins for
 * a member when the one before has ended for it. From the starts of the first chunk to the ends of
 * the last one.
 *
 * Where a chunk takes equally long for all members, however they start, so do those behind it: a
 * phase is a map of maxima and sums (phase_solver.h), of which later starts make equally later
 * ends. Behind a late member that is so from the second or third chunk on.
 *
 * Times are ns, NADI_TIME_NEVER beyond their range. Cost: that of the chunks until then. */
#ifndef NADI_EXECUTOR_PHASE_ROW_H
#define NADI_EXECUTOR_PHASE_ROW_H

#include "executor/phase_solver.h"

struct nadi_phase_row {
    struct nadi_phase_solver *m; /* its `start` and `end` are these: */
    int64_t *start, *end;        /* by place; start: overwritten */
    uint32_t places;             /* of the ring, or 1 that stands for all */
    bool has_lockstep;           /* a common duration for a common start: */
    int64_t lockstep_ns;
    int64_t last_ns;  /* by which a member's last message comes before its end */
    int64_t until_ns; /* what ends later does not end within the run */
    uint64_t left;    /* chunks */
    uint64_t solved;  /* out: chunks that all places begin */
    /* Out: if not all chunks can be begun by all, then nobody ends the last one, all ends are
     * NADI_TIME_NEVER, and this is the last time at which somebody ends a chunk. Else -1. */
    int64_t passed_ns;
};

/* halving-doubling does not reach everybody on 6, 12, ... ranks */
extern const char nadi_phase_row_early[];

/* NULL: done. Else why the ends depend on the order of events, or are not known before a start. */
const char *nadi_phase_row_solve(struct nadi_phase_row *r) NADI_MUST_USE;

#endif
