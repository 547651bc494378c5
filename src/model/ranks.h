/* ranks: which rank has which coordinates, and the process groups of each axis.
 *
 * rank = sum of coordinate x stride, strides in the plan's order. Ranks of one stage (all but pp)
 * form a block in the same order; experts divide the block differently: etp innermost, then ep,
 * then edp. Groups of one member are never named. Names are decimal numbers from 1 on, axis after
 * axis, as the reference requires; members ascend, so rings follow the innermost degree first. */
#ifndef NADI_MODEL_RANKS_H
#define NADI_MODEL_RANKS_H

#include "model/plan.h"
#include "platform/groups.h"

struct nadi_grid {
    uint32_t ranks;
    uint32_t degree[NADI_DEGREES]; /* tp, cp, dp, pp */
    uint32_t stride[NADI_DEGREES];
    enum nadi_degree order[NADI_DEGREES];
    uint32_t etp, ep, edp;
    bool tied;     /* first and last stage share the embedding */
    bool mirrored; /* a rank holds the stage of the rank at the pipeline's other end, too */
    bool world;    /* somebody talks to all */
    bool experts;
    uint32_t copies; /* of a token for its experts, where each node gets one at most; else 0 */
    double limited;  /* share of the nodes that a token may go to */
    bool heads;      /* context ranks exchange heads and tokens */
};

void nadi_grid_init(struct nadi_grid *g, const struct nadi_model_plan *p,
                    const struct nadi_model *m);

static inline uint32_t nadi_grid_coordinate(const struct nadi_grid *g, uint32_t rank,
                                            enum nadi_degree d)
{
    return rank / g->stride[d] % g->degree[d];
}
/* The rank with another stage. */
uint32_t nadi_grid_stage_rank(const struct nadi_grid *g, uint32_t rank, uint32_t stage);

/* Members of the rank's group on an axis, ascending; the count (1: no communication). `members` has
 * room for nadi_grid_size(g, axis) and may be NULL. */
uint32_t nadi_grid_size(const struct nadi_grid *g, enum nadi_axis axis);
/* Are all-to-alls among what the axis's groups do? */
bool nadi_grid_exchanges(const struct nadi_grid *g, enum nadi_axis axis);
void nadi_grid_members(const struct nadi_grid *g, enum nadi_axis axis, uint32_t rank,
                       uint32_t *members);
/* The index of the axis's group that contains the rank; NADI_NONE when it is in none (tied, middle
 * stage). */
uint32_t nadi_grid_group(const struct nadi_grid *g, enum nadi_axis axis, uint32_t rank);

const char *nadi_axis_name(enum nadi_axis axis);

#endif
