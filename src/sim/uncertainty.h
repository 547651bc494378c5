/* uncertainty: a platform's fitted intervals carried through to the end of the run.
 *
 * Each sample draws every figure that has an interval from the log-normal distribution whose 2.5 %
 * and 97.5 % points the interval's ends are, independently of the others, simulates, and keeps the
 * end. Figures of one fit go together (a longer launch, a shorter hop), which an interval does not
 * say: the result is rather too wide. Deterministic for a seed. Costs `samples` simulations. */
#ifndef NADI_SIM_UNCERTAINTY_H
#define NADI_SIM_UNCERTAINTY_H

#include "inputs/inputs.h"
#include "sim/result.h"

/* The network must be a platform with intervals, and the run itself done. */
struct nadi_uncertainty nadi_sample_platform(const struct nadi_inputs *in, uint32_t samples,
                                             uint64_t seed, struct nadi_arena *arena);

#endif
