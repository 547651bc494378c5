/* cut: one layer taken apart: which worker computes which unit, which weights stay, what crosses.
 *
 * A layer is y = W x, W of rows x columns. Columns come in groups (the kernel windows of an input
 * channel; a group of one in a dense layer), each of which lies on one worker or on all. Rows come
 * in units that move as one (the rows of an attention head). Searched are a worker for each unit,
 * within capacities, and W' with the least
 *
 *     |W' - W|^2 in the metric G  +  lambda * weights that stay  +  the cost of what crosses
 *
 * where G is the Gram matrix of the inputs. What crosses is counted in one of two ways. By weights:
 * each weight whose input lies elsewhere costs mu. By transfers: an input that any row of another
 * worker reads is sent to it once, for mu times its bytes.
 *
 * G diagonal, by weights: exact. A weight stays if its energy W^2 G exceeds its price, the costs of
 * rows on workers are sums, and assign.h places the units. By transfers the prices depend on who
 * else reads an input: placement and transfers take turns until the objective falls no more.
 * G full: inputs are taken away one by one, the least useful first, each time the weights that are
 * still open make up for what it brought (the idea of the optimal brain surgeon: with G = U'U, one
 * factor serves all rows of a worker); then the weights that stay are those of least squares.
 * Rows of few inputs are searched further, until no input that is added, left out or exchanged
 * makes them better.
 *
 * O(workers * (columns^3 + rows * columns^2)) a round with a full G, O(workers * rows * columns)
 * with a diagonal one. Memory: a factor and the errors of all rows, for each thread. */
#ifndef NADI_PARTITION_CUT_H
#define NADI_PARTITION_CUT_H

#include "base/base.h"

struct nadi_cut_block { /* rows that read the same inputs */
    uint32_t rows, groups, columns, workers;
    const uint32_t *start;  /* groups + 1: the first column of each */
    const uint32_t *unit;   /* of each row */
    const uint32_t *owner;  /* of each group: its worker; NADI_NONE: every worker has it */
    const double *bytes;    /* by transfers: of each group */
    const uint8_t *paid;    /* groups x workers: sent there already; NULL: nothing */
    const double *weights;  /* rows x columns */
    const double *gram;     /* columns x columns; NULL: diagonal */
    const double *diagonal; /* columns: of G */
    uint32_t constant;      /* so many groups, the last ones, are free and stay: the bias */
};

struct nadi_layer_cut {
    const struct nadi_cut_block *blocks;
    uint32_t block_count, units, workers;
    const uint32_t *capacity; /* units that each worker takes */
    const uint32_t *fixed;    /* worker of each unit; NULL: free */
    double lambda, mu;
    bool by_transfer;
    uint32_t rounds; /* at most, of placement and transfers */
    unsigned threads;
};

struct nadi_cut_answer {
    uint32_t *worker; /* of each unit */
    double **weights; /* of each block, rows x columns */
    double error, objective;
    uint64_t kept;  /* weights, those of constant groups apart */
    double crosses; /* weights, or bytes */
};

/* The answer is released by nadi_cut_release. */
void nadi_cut_solve(const struct nadi_layer_cut *c, struct nadi_cut_answer *answer);
void nadi_cut_release(const struct nadi_layer_cut *c, struct nadi_cut_answer *answer);

/* The objective of any weights and placement, from its definition; sets the answer's sums. */
void nadi_cut_measure(const struct nadi_layer_cut *c, struct nadi_cut_answer *answer);

#endif
