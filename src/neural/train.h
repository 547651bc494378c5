/* train: small networks trained from nothing, for benchmarks and tests: Adam on the cross entropy
 * of the outputs, in batches of a fixed order, one thread. Layers gate, softmax and the activation
 * gelu are not trained. The same seed gives the same weights on one machine. */
#ifndef NADI_NEURAL_TRAIN_H
#define NADI_NEURAL_TRAIN_H

#include "base/rng.h"
#include "neural/nn.h"

struct nadi_nn_samples {
    float *x;      /* count x values */
    float *labels; /* count */
    uint32_t count;
    size_t values;
};

struct nadi_nn_training {
    uint32_t epochs, batch;
    double rate; /* at the start; falls to 0 along half a cosine */
};

/* Draws the weights, then trains them. */
void nadi_nn_train(struct nadi_nn *nn, const struct nadi_nn_samples *samples,
                   const struct nadi_nn_training *training, struct nadi_rng *rng);

/* Share of samples whose largest output is the label's. */
double nadi_nn_accuracy(const struct nadi_nn *nn, const struct nadi_nn_samples *samples);

#endif
