/* gram: what a layer's inputs look like: Gram matrices of the windows that it sees. */
#ifndef NADI_PARTITION_GRAM_H
#define NADI_PARTITION_GRAM_H

#include "neural/nn.h"

struct nadi_gram {
    uint32_t columns; /* channels of a group x kernel, and 1 for the bias */
    double *own;      /* columns x columns: mean of x x' */
    double *from;     /* the same of x0 x', x0 of the given network; NULL where they are alike */
    double *diagonal; /* columns: of `own` */
};

/* Of a mixing layer and one of its groups; activations of a batch of the layer it reads. given:
 * those of the network before it was changed; NULL: the same. */
void nadi_gram_of(const struct nadi_nn *nn, uint32_t layer, uint32_t group, const float *input,
                  const float *given, uint32_t samples, struct nadi_gram *g);
/* The diagonal alone, with the bits that it has there; the matrices are NULL. */
void nadi_gram_diagonal_of(const struct nadi_nn *nn, uint32_t layer, uint32_t group,
                           const float *input, uint32_t samples, struct nadi_gram *g);
void nadi_gram_release(struct nadi_gram *g);

/* weights (rows x columns, the last one the bias) become those whose outputs on the changed inputs
 * come nearest to the given outputs; `ridge` of the mean energy holds them where inputs say little.
 */
void nadi_gram_follow(const struct nadi_gram *g, double ridge, uint32_t rows, double *weights);

#endif
