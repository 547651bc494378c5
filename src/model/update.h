/* update: what the optimizer's step moves where parts of the model do not lie with the device.
 *
 * The optimizer runs on the device: states and gradients come for it, states and parameters go back
 * where they lie. Pieces go in buckets, of which two are with the device: while one is updated and
 * leaves, the other comes. */
#ifndef NADI_MODEL_UPDATE_H
#define NADI_MODEL_UPDATE_H

#include "model/plan.h"

enum { NADI_UPDATE_MOVES = 4 }; /* states, gradients, parameters, parameters of experts */

struct nadi_update_move {
    enum nadi_offload_flag flag; /* of the part */
    bool load, store;
    double bytes; /* of what this rank updates, interleaved or not; 0: the part stays */
};

struct nadi_update {
    double own[2]; /* parameters that this rank updates: dense, of experts */
    struct nadi_update_move moves[NADI_UPDATE_MOVES];
    uint32_t buckets; /* 0: nothing moves */
};

/* dense, expert: parameters with gradients on the rank before ZeRO splits them. */
struct nadi_update nadi_update_of(const struct nadi_model_plan *p, double dense, double expert);
/* Of what moves, the most that is with the device at a time. */
double nadi_update_here(const struct nadi_model_plan *p, const struct nadi_update *u);

#endif
