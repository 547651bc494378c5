/* placement: which worker computes which channel of every layer.
 *
 * Channels that must lie together are a class: those of a sum, of a head in queries, keys, values
 * and output, of an expert. Classes of one layer, and of all layers that share one, form a space;
 * each worker takes its share of a space. Inputs lie where the sensors are, in equal blocks, or
 * everywhere; so do channels made of them alone, without weights. */
#ifndef NADI_PARTITION_PLACEMENT_H
#define NADI_PARTITION_PLACEMENT_H

#include "neural/nn.h"

struct nadi_placement {
    uint32_t workers, layers;
    uint32_t *first;    /* layers + 1: number of each layer's first channel */
    uint32_t *class_of; /* of each channel */
    uint32_t class_count;
    uint32_t *space_of;  /* of each class: the first layer of its space */
    uint32_t *worker;    /* of each class; NADI_NONE: none yet, or everywhere */
    uint8_t *everywhere; /* of each class */
    uint8_t *summed; /* of each layer, NULL: none: workers multiply the inputs that they have, and
                      * an output's worker adds up what they send it */
};

enum nadi_input_place {
    NADI_INPUT_BLOCKS,
    NADI_INPUT_EVERYWHERE,
};

/* Only the inputs are placed. Released by nadi_placement_release. */
void nadi_placement_init(struct nadi_placement *p, const struct nadi_nn *nn, uint32_t workers,
                         enum nadi_input_place input);
void nadi_placement_release(struct nadi_placement *p);
/* All others in equal blocks, in the order of the channels. */
void nadi_placement_fill(struct nadi_placement *p, const struct nadi_nn *nn, const double *shares);
/* Everything on one worker; inputs stay. */
void nadi_placement_gather(struct nadi_placement *p, uint32_t worker);

static inline uint32_t nadi_placement_class(const struct nadi_placement *p, uint32_t layer,
                                            uint32_t channel)
{
    return p->class_of[p->first[layer] + channel];
}

/* NADI_NONE: everywhere. */
static inline uint32_t nadi_placement_of(const struct nadi_placement *p, uint32_t layer,
                                         uint32_t channel)
{
    return p->worker[nadi_placement_class(p, layer, channel)];
}

/* Classes of a space that each worker takes, of `count`: equal, or by shares. */
void nadi_placement_capacities(const struct nadi_placement *p, uint32_t count, const double *shares,
                               uint32_t *capacity);

#endif
