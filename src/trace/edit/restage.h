/* restage: the trace of one stage of a pipeline as that of a stage of a pipeline with more or
 * fewer.
 *
 * A trace is cut into forward and backward passes at the messages between stages, in the order of
 * ids. Passes of GPipe keep their order. Of 1F1B, with m micro-batches, stage s of q does
 *
 *   min(m, q - 1 - s) forward passes, then one forward and one backward in turns, then the rest
 *
 * What waits for the pass before it waits for the one that now is; all else waits as it did.
 * Messages get the tags of those between the first two stages. A stage in the middle of a job
 * that had two is the first without what it has more than the last: its forward pass from where
 * both are alike on, its backward pass up to there, with the messages of the last one. */
#ifndef NADI_TRACE_EDIT_RESTAGE_H
#define NADI_TRACE_EDIT_RESTAGE_H

#include "base/base.h"
#include "base/diag.h"
#include "base/str.h"
#include "trace/full.h"

struct nadi_pipeline {           /* of a job */
    int64_t *forward, *backward; /* tags of messages between two stages, in their order */
    uint32_t batches;            /* micro-batches */
    bool gpipe;                  /* else 1F1B */
};

/* From its first and last stage; `stride` ranks are between two stages, `apart` is of the last
 * one's nodes, as below. False with an error where the messages are of no such schedule; released
 * in both cases. */
bool nadi_pipeline_read(struct nadi_pipeline *p, const struct nadi_full *first,
                        const struct nadi_full *last, const bool *apart, int64_t stride,
                        struct nadi_diags *diags) NADI_MUST_USE;
void nadi_pipeline_release(struct nadi_pipeline *p);

struct nadi_restage {
    const struct nadi_pipeline *pipeline;
    const struct nadi_full
        *last; /* makes a middle stage of the first; NULL: the trace is of such */
    const bool *apart, *last_apart; /* by node: may be anywhere in a pass (gradients, gathers) */
    int64_t stride;
    uint32_t stages, stage, new_stages, new_stage; /* first to first, last to last */
};

/* The new trace, framed, to `out`; ids count from 1. */
bool nadi_restage_write(const struct nadi_full *f, const struct nadi_restage *r,
                        struct nadi_str *out, struct nadi_diags *diags) NADI_MUST_USE;

#endif
