/* zoo: small networks on data that are drawn, trained in seconds, for `nadi partition bench`.
 *
 *   mlp     784-800-10 on digits of 28 x 28 pixels
 *   lenet   two convolutions, three dense layers, on shapes of 20 x 20 pixels
 *   block   one transformer block on sequences: which symbol follows the marker? */
#ifndef NADI_NEURAL_ZOO_H
#define NADI_NEURAL_ZOO_H

#include "neural/train.h"

struct nadi_zoo_net {
    const char *name, *title;
    uint32_t height, width, channels, classes;
    bool everywhere; /* every worker has the inputs: a picture of one channel */
    void (*build)(struct nadi_nn *nn);
    void (*draw)(float *x, uint32_t label, struct nadi_rng *rng);
    struct nadi_nn_training training;
    uint32_t training_samples;
};

extern const struct nadi_zoo_net nadi_zoo[]; /* ends without a name */

/* Draws samples; stream: "train", "test", ... */
void nadi_zoo_draw(const struct nadi_zoo_net *net, uint32_t count, uint64_t seed,
                   const char *stream, struct nadi_nn_samples *samples);
void nadi_zoo_release(struct nadi_nn_samples *samples);
/* Built and trained. */
void nadi_zoo_train(const struct nadi_zoo_net *net, uint64_t seed, struct nadi_nn *nn);

#endif
