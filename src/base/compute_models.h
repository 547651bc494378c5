/* compute_models: how kernels are timed, X(name), a line each. The words of plans and the table of
 * compute/kernel.c follow; `<name>_model` there says the rest. */
#ifndef NADI_BASE_COMPUTE_MODELS_H
#define NADI_BASE_COMPUTE_MODELS_H

#define NADI_COMPUTE_MODELS(X) X(roofline) X(tiles) X(systolic)

#define NADI_COMPUTE_MODEL_WORD(name) #name,
#define NADI_COMPUTE_MODEL_WORDS      NADI_COMPUTE_MODELS(NADI_COMPUTE_MODEL_WORD)

#endif
