/* step_simulated: how to divide an NPU's bandwidth between dimensions so that the simulated step of
 * a model is shortest: whatever overlaps, pipelines as well.
 *
 * A search, since the simulated time is no convex function: from the start bandwidth goes from one
 * dimension to another, for all pairs, in steps that become smaller, while the step becomes
 * shorter. What each dimension could do with the whole budget for itself bounds all divisions, as
 * far as more bandwidth never makes a step longer; the gap is to that. */
#ifndef NADI_DESIGN_STEP_SIMULATED_H
#define NADI_DESIGN_STEP_SIMULATED_H

#include "model/study.h"
#include "optimize/bandwidth.h"

enum { NADI_SIMULATED_MOST = 400 }; /* simulations of one answer */

struct nadi_simulated_setup {
    const struct nadi_bandwidth_network *network;
    const struct nadi_study_setup *study; /* its cluster gives the device; it has dimensions */
    const struct nadi_linear *conditions; /* the budget is one of them */
    double budget;
    const double *start; /* that keeps them; NULL: equal bandwidths, or any that keep them */
};

/* Fills best.b, best.time_ns, best.price (one more GB/s of each), time_ns[0], equal_ns[0], gap and
 * simulations. False with an error. */
bool nadi_split_simulated(struct nadi_bandwidth_answer *a, const struct nadi_simulated_setup *setup,
                          struct nadi_diags *diags) NADI_MUST_USE;

#endif
