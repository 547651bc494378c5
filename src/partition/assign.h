/* assign: rows to workers of limited capacity at the least cost, exactly.
 *
 * Jonker and Volgenant's shortest augmenting paths, in which a column is a worker that takes
 * several rows: a row that finds its worker full pushes another row on along the cheapest chain.
 * O(rows^2 * workers), which is their O(n^3) where every worker takes one row. Prices prove the
 * answer: with them each row is where cost - price is least, and a worker with room left has price
 * 0.
 *
 * R. Jonker, A. Volgenant: A shortest augmenting path algorithm for dense and sparse linear
 * assignment problems. Computing 38, 1987. */
#ifndef NADI_PARTITION_ASSIGN_H
#define NADI_PARTITION_ASSIGN_H

#include "base/base.h"

enum { NADI_ASSIGN_MOST = 8192 }; /* rows of one exact assignment; more are assigned in blocks */

struct nadi_assign {
    const double *cost; /* rows x workers, finite */
    const uint32_t *capacity;
    uint32_t rows, workers; /* the capacities have room for all rows */
};

/* worker[row]; price[worker], at most 0, may be NULL. Returns the cost. Of more than
 * NADI_ASSIGN_MOST rows each block gets its share of every capacity; prices are then the last
 * block's. */
double nadi_assign_solve(const struct nadi_assign *a, uint32_t *worker, double *price);

#endif
