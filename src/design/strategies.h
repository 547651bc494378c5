/* strategies: those of one workload on one design: estimated, then simulated. Private to design. */
#ifndef NADI_DESIGN_STRATEGIES_H
#define NADI_DESIGN_STRATEGIES_H

#include "design/design.h"

struct nadi_design_ask {
    const struct nadi_design_problem *p;
    uint32_t workload;
    const struct nadi_design_changes *changes;
    unsigned threads;
};

struct nadi_design_strategy {
    struct nadi_strategy strategy;
    double estimate_ns, low_ns; /* low: at least, as far as the margin goes */
    double simulated_ns;        /* 0: not yet */
};

struct nadi_design_strategies {
    struct nadi_design_strategy *rows; /* those with the lowest bounds, by estimate */
    uint32_t count;
    double next_low; /* of the rest; HUGE_VAL: there is none */
    uint64_t strategies;
};

/* False with an error. Where none fits, step->fits is false. */
bool nadi_design_estimate(struct nadi_design_strategies *s, const struct nadi_design_ask *ask,
                          struct nadi_design_step *step, struct nadi_diags *diags) NADI_MUST_USE;
/* Simulates at most so many, and fills the step with the fastest. */
bool nadi_design_simulate(struct nadi_design_strategies *s, const struct nadi_design_ask *ask,
                          uint32_t most, struct nadi_design_step *step, uint64_t *simulations,
                          struct nadi_diags *diags) NADI_MUST_USE;

/* The same of strategies that are the best of other designs: those that are possible here, fit, and
 * are not simulated yet. */
void nadi_design_try(struct nadi_design_strategies *s, const struct nadi_design_ask *ask,
                     const struct nadi_strategy *others, uint32_t count,
                     struct nadi_design_step *step, uint64_t *simulations);

/* The setup of the workload's search on the design; texts live in `arena`. */
struct nadi_search_setup nadi_design_search_setup(const struct nadi_design_ask *ask,
                                                  struct nadi_arena *arena);

#endif
