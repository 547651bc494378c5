/* nn_case: a small network with layers of every kind, drawn. */
#ifndef NADI_TESTS_NN_CASE_H
#define NADI_TESTS_NN_CASE_H

#include "base/rng.h"
#include "neural/nn.h"

/* trained: without kinds and activations that are not trained. */
void nn_case_build(struct nadi_nn *nn, bool trained, struct nadi_rng *rng);
/* samples x values of the input, from -1 to 1; nadi_mem_free. */
float *nn_case_samples(const struct nadi_nn *nn, uint32_t samples, struct nadi_rng *rng);

#endif
