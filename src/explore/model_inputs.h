/* model_inputs: the inputs of a simulation made from a study, without files.
 *
 * The same as `nadi model trace` writes and the loaders read: one graph a rank of the pipeline,
 * shared by all ranks of the stage; families of groups; the cluster as network and system. A test
 * holds the two ways against each other. */
#ifndef NADI_EXPLORE_MODEL_INPUTS_H
#define NADI_EXPLORE_MODEL_INPUTS_H

#include "inputs/inputs.h"
#include "model/step.h"

/* The study has a cluster. options: what the run wants (executor, limits); its paths are not read.
 * False with errors. The caller releases `in` in both cases. */
bool nadi_model_inputs(struct nadi_inputs *in, const struct nadi_model_step *step,
                       const struct nadi_run_options *options,
                       struct nadi_diags *diags) NADI_MUST_USE;

#endif
