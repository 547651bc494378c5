/* cut_inside: what the parts of cut share. */
#ifndef NADI_PARTITION_CUT_INSIDE_H
#define NADI_PARTITION_CUT_INSIDE_H

#include "partition/cut.h"

enum {
    NADI_CUT_SMALL_GROUPS = 16,
    NADI_CUT_SMALL_COLUMNS = 64
}; /* rows that are searched further */

enum nadi_cut_fate {
    NADI_CUT_OPEN, /* to be decided */
    NADI_CUT_STAYS,
    NADI_CUT_GOES,
};

/* One worker's look at some rows of a block. */
struct nadi_cut_view {
    const struct nadi_layer_cut *cut;
    const struct nadi_cut_block *block;
    uint32_t worker;
    const uint32_t *rows;
    uint32_t row_count;
    bool by_row;     /* each row decides for itself; else all rows of the view together */
    uint8_t *fate;   /* of each group, enum nadi_cut_fate; together: decided when it returns */
    double *cost;    /* of each row: error and prices of what stays */
    double *weights; /* row_count x columns; NULL: not wanted */
};

/* Decides what is open: with a diagonal G, where that is exact, and with a full one. */
void nadi_cut_threshold(const struct nadi_cut_view *v);
void nadi_cut_eliminate(const struct nadi_cut_view *v);
/* By rows, for few inputs: a better support than `weights` has, and the weights of least squares on
 * it. Returns error and prices. price: of each group. */
double nadi_cut_search_row(const struct nadi_cut_block *b, uint32_t row, const double *price,
                           double *weights);
/* By rows, for many inputs: least squares on each row's support, by conjugate gradients. */
void nadi_cut_refit(const struct nadi_cut_view *v);

/* What a weight of the group costs a row on the worker; 0: it always stays. */
static inline double nadi_cut_price(const struct nadi_layer_cut *c, const struct nadi_cut_block *b,
                                    uint32_t group, uint32_t worker)
{
    if (group >= b->groups - b->constant)
        return 0;
    const bool crosses =
        !c->by_transfer && b->owner[group] != NADI_NONE && b->owner[group] != worker;
    return (c->lambda + (crosses ? c->mu : 0)) * (b->start[group + 1] - b->start[group]);
}

/* Must the group be sent to the worker before its rows can read it? */
static inline bool nadi_cut_is_remote(const struct nadi_cut_block *b, uint32_t group,
                                      uint32_t worker)
{
    return group < b->groups - b->constant && b->owner[group] != NADI_NONE &&
           b->owner[group] != worker && !(b->paid && b->paid[(size_t)group * b->workers + worker]);
}

#endif
