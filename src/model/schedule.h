/* schedule: the order in which the ranks of a pipeline process micro-batches.
 *
 *   gpipe        all forward, then all backward (Huang et al., arXiv 1811.06965)
 *   1f1b         one forward, one backward after a warm-up (PipeDream-flush, arXiv 2006.09503)
 *   interleaved  1f1b over vp stages a rank (Narayanan et al., arXiv 2104.04473)
 *   zb-h1        1f1b with the weights' gradients put off into the bubbles, at the activation
 *                memory of 1f1b (Qi et al., arXiv 2401.10241)
 *   dualpipe     micro-batches enter at both ends; a rank holds stages r and pp - 1 - r
 * (DeepSeek-V3, arXiv 2412.19437, figure 5)
 *
 * With equal stages, F = forward, B = gradient of inputs, W = gradient of weights, m micro-batches
 * and no time between stages, the idle time of a rank is
 *   gpipe, 1f1b  (p - 1)(F + B + W)         zb-h1     (p - 1)(F + B - W)
 *   interleaved  (p - 1)(F + B + W) / vp    dualpipe  (p/2 - 1)(F + 2 B - W), of F + B + W together
 * which tests/unit/model/test_schedule.c holds the lists against. */
#ifndef NADI_MODEL_SCHEDULE_H
#define NADI_MODEL_SCHEDULE_H

#include "model/plan.h"

enum nadi_pass {
    NADI_PASS_FORWARD,
    NADI_PASS_BACKWARD, /* of inputs and weights together */
    NADI_PASS_INPUT,    /* of inputs only */
    NADI_PASS_WEIGHT,   /* what INPUT left */
};

struct nadi_action {
    uint8_t pass;   /* enum nadi_pass */
    bool paired;    /* with the next action: neither waits for the other's communication */
    uint16_t chunk; /* which of the rank's stages */
    uint32_t micro; /* micro-batch of the step */
};

struct nadi_actions {
    const struct nadi_action *items;
    uint32_t count;
};

struct nadi_schedule {
    struct nadi_arena arena;
    enum nadi_schedule_kind kind;
    uint32_t ranks, chunks; /* stages a rank */
    uint32_t stages;        /* distinct: ranks x chunks, or ranks for dualpipe */
    uint32_t micro_batches;
    struct nadi_actions *lists; /* by rank of the pipeline */
};

/* Forward only (inference) when `train` is false. The plan's checks hold (nadi_plan_resolve). */
void nadi_schedule_build(struct nadi_schedule *s, enum nadi_schedule_kind kind, uint32_t ranks,
                         uint32_t chunks, uint32_t micro_batches, bool train);
void nadi_schedule_release(struct nadi_schedule *s);

/* The stage that is a rank's chunk, and the rank that does a stage for a micro-batch. */
uint32_t nadi_schedule_stage(const struct nadi_schedule *s, uint32_t rank, uint32_t chunk);
uint32_t nadi_schedule_rank(const struct nadi_schedule *s, uint32_t stage, uint32_t micro);
/* May actions be paired? */
bool nadi_schedule_pairs(const struct nadi_schedule *s);

struct nadi_stage_cost { /* any unit of time */
    double forward, input, weight;
    double pair; /* what a paired forward and backward take less than one after the other */
    double send; /* from the end of a pass to its arrival at the neighbour */
};

/* Start and end of every action of every rank if only its inputs and the rank's order delay it.
 * times[rank][action]; both arrays live in the caller's arena. O(actions). */
struct nadi_action_time {
    double start, end;
};
double nadi_schedule_times(const struct nadi_schedule *s, const struct nadi_stage_cost *by_stage,
                           struct nadi_arena *arena, struct nadi_action_time ***times);

#endif
