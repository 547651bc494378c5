/* join: which things belong together (union-find with path halving; Tarjan and van Leeuwen, JACM
 * 1984). above[i] leads from i to the one that stands for all it was joined with; at first each
 * stands for itself: above[i] = i. Amortised O(log n). */
#ifndef NADI_BASE_JOIN_H
#define NADI_BASE_JOIN_H

#include "base/base.h"

/* The one that stands for i and all it was joined with. */
static inline uint32_t nadi_joined(uint32_t *above, uint32_t i)
{
    while (above[i] != i)
        i = above[i] = above[above[i]];
    return i;
}

/* From now on the lesser of the two that stood for a and b stands for both. */
static inline void nadi_join(uint32_t *above, uint32_t a, uint32_t b)
{
    a = nadi_joined(above, a);
    b = nadi_joined(above, b);
    above[a < b ? b : a] = a < b ? a : b;
}

#endif
