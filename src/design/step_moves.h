/* step_moves: a model's step as a problem of dividing bandwidth (optimize/split.h).
 *
 * The collectives of a rank are those of the step's graph (model/step.h), over the members of their
 * groups in the dimensions of the network, all dimensions at once; compute times are those of the
 * cluster's device. Nothing overlaps: every transfer is exposed, which is what the loop
 * `no-overlap` of a table of layers says. A pipeline has no such sum and is refused. */
#ifndef NADI_DESIGN_STEP_MOVES_H
#define NADI_DESIGN_STEP_MOVES_H

#include "model/study.h"
#include "optimize/bandwidth.h"

/* The caller releases the split in both cases. False with an error. */
bool nadi_split_of_model(struct nadi_split *s, const struct nadi_bandwidth_network *n,
                         const struct nadi_study_setup *setup,
                         struct nadi_diags *diags) NADI_MUST_USE;

#endif
