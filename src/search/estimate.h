/* estimate: the time of a step and its memory, in closed form, for one strategy after another.
 *
 * What costs time is done once for each shape of a layer (the degrees that split it, the
 * micro-batch) and each split of the layers into stages: kernels, transfers, bytes kept. A strategy
 * then is sums over kinds of layers and stages:
 *
 *   pipeline    the slowest stages' passes with the transfers that hold them up, and the bubble
 *               (search/pipeline.h)
 *   gradients   what of the reductions is left when the last backward pass of a rank is over
 *   parameters  what of the gathers does not hide behind the layer before
 *   remote      what of the transfers to offloaded memory does not hide behind a layer
 *   optimizer   the states through memory
 *   host        what the passes wait for a host that is late with their kernels
 *
 * The footprint is nadi_memory_estimate's. The network is idle but for the step's own transfers, as
 * in the network model `unaware`; with `chooses` messages across several dimensions meet, as where
 * the simulation takes the network model that is right for it. nadi_strategy_margin says how far
 * above the simulation of the step an estimate is there at most. Training with the schedules 1f1b,
 * interleaved and gpipe, in any order of ranks in which the members of each group lie evenly apart.
 * About a microsecond for a strategy once shape and stages are known; not thread safe: one
 * estimator for each thread. */
#ifndef NADI_SEARCH_ESTIMATE_H
#define NADI_SEARCH_ESTIMATE_H

#include "model/study.h"

struct nadi_strategy {
    uint32_t tp, cp, pp, vp, dp, ep, micro_batch;
    uint8_t zero, recompute, offload; /* enum nadi_recompute, mask of enum nadi_offload_flag */
    bool sequence_parallel;
    uint32_t order; /* of the ranks: nadi_strategy_order */
};

enum { NADI_ORDERS = 24 };
/* The number-th order of tp, cp, dp, pp, as words sort them; 0: that one. */
void nadi_strategy_order(uint32_t number, enum nadi_degree order[NADI_DEGREES]);

enum nadi_step_part { /* they add up to the step */
                      NADI_STEP_COMPUTE,
                      NADI_STEP_TRANSFERS, /* of tensor, context and expert parallelism */
                      NADI_STEP_PIPELINE,
                      NADI_STEP_PARAMETERS,
                      NADI_STEP_GRADIENTS,
                      NADI_STEP_REMOTE,
                      NADI_STEP_OPTIMIZER,
                      NADI_STEP_HOST, /* late with the launch of kernels */
                      NADI_STEP_PARTS
};
const char *nadi_step_part_name(enum nadi_step_part part);

struct nadi_estimate {
    double ns, parts[NADI_STEP_PARTS]; /* of the rank that ends last */
    /* What no order of passes can hide of a rank's own, of those before it and after it: kernels;
     * and with the transfers of tensor, context and expert parallelism. */
    double kernels_ns, passes_ns;
    double memory_bytes;  /* of the fullest rank */
    double missing_bytes; /* of that rank, or of a tier of the memory file; 0: it fits */
    bool remote_shared;   /* the part REMOTE is that of all ranks at once: an upper limit */
    double links_shared;  /* by how much links may carry less than of all groups at once, which
                             transfers are (search/link_load.h); 1: they are each alone */
};

struct nadi_estimator;

/* study: of any strategy with the model, the cluster and the ranks. asked: the plan as it was read,
 * not resolved; a strategy's keys replace its own. Both must outlive the estimator. NULL with an
 * error: there is no closed form of what the plan asks for. The caller destroys it. */
struct nadi_estimator *nadi_estimator_create(const struct nadi_study *study,
                                             const struct nadi_model_plan *asked, bool chooses,
                                             struct nadi_diags *diags) NADI_MUST_USE;
void nadi_estimator_destroy(struct nadi_estimator *e); /* NULL is allowed */

/* False: the strategy is not possible (nadi_plan_resolve). Cheapest when strategies come in an
 * order in which zero, recompute and offload vary fastest. */
bool nadi_estimator_time(struct nadi_estimator *e, const struct nadi_strategy *s,
                         struct nadi_estimate *estimate) NADI_MUST_USE;

/* An estimate is above the simulated time by at most this share of it (tests/property/estimate.c):
 * 15 %; more where parameters, gradients or states travel in every pass, beside everything else,
 * and 15 % more of all of it where groups share links. */
double nadi_strategy_margin(const struct nadi_strategy *s, const struct nadi_estimate *e);
/* No simulation of the strategy is faster than the highest of: the estimate over one plus its
 * margin; the kernels that one waits for another in; these with their layers' own transfers, over
 * 1.1; and the estimate without what travels beside the passes, over 1.15 (the last two over as
 * much again as the margin has for shared links). The first is loose where much travels, the others
 * are not. Where ranks share remote memory the second and third alone hold. */
double nadi_strategy_least_ns(const struct nadi_strategy *s, const struct nadi_estimate *e);

/* The plan's keys that a strategy has. */
void nadi_strategy_apply(const struct nadi_strategy *s, struct nadi_model_plan *p);

#endif
