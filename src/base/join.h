/* join: disjoint sets (union-find with path halving; Tarjan and van Leeuwen, JACM 1984). above[i]
 * leads from i towards the representative of its set; initially above[i] = i. Amortised O(log
 * n). */
#ifndef NADI_BASE_JOIN_H
#define NADI_BASE_JOIN_H

#include "base/base.h"

/* The representative of the set of i. */
static inline uint32_t nadi_joined(uint32_t *above, uint32_t i)
{
    while (above[i] != i)
        i = above[i] = above[above[i]];
    return i;
}

/* Joins the sets of a and b; the smaller of their representatives represents both. */
static inline void nadi_join(uint32_t *above, uint32_t a, uint32_t b)
{
    a = nadi_joined(above, a);
    b = nadi_joined(above, b);
    above[a < b ? b : a] = a < b ? a : b;
}

#endif
