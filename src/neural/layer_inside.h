/* layer_inside: what running and training a layer share. */
#ifndef NADI_NEURAL_LAYER_INSIDE_H
#define NADI_NEURAL_LAYER_INSIDE_H

#include "neural/nn.h"

/* Where a kernel's place of an output position lies in the input; false: in the padding. */
static inline bool nadi_nn_source(const struct nadi_nn_layer *l, const struct nadi_nn_layer *in,
                                  uint32_t position, uint32_t ky, uint32_t kx, size_t *at)
{
    const int64_t y = (int64_t)(position / l->width) * l->stride + ky - l->padding;
    const int64_t x = (int64_t)(position % l->width) * l->stride + kx - l->padding;
    if (y < 0 || x < 0 || y >= in->height || x >= in->width)
        return false;
    *at = (size_t)y * in->width + (size_t)x;
    return true;
}

float nadi_nn_activate(enum nadi_nn_activation activation, float x);

/* Weights of attention: of one head, position t, all positions x samples. Returns how many
 * positions it looks at. */
uint32_t nadi_nn_attend(const struct nadi_nn_layer *l, uint32_t head, uint32_t t,
                        const float *const *inputs, uint32_t samples, float *share);

#endif
