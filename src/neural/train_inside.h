/* train_inside: slopes of a layer's inputs and weights from those of its outputs. */
#ifndef NADI_NEURAL_TRAIN_INSIDE_H
#define NADI_NEURAL_TRAIN_INSIDE_H

#include "neural/nn.h"

struct nadi_nn_back {
    const struct nadi_nn *nn;
    const struct nadi_nn_run *run;
    float **slopes;        /* of each layer's outputs; those of its inputs are added to */
    float *weights, *bias; /* of this layer, added to */
};

void nadi_nn_backward(const struct nadi_nn_back *b, uint32_t layer);

#endif
