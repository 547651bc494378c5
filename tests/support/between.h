/* between: a whole number of a seeded stream. */
#ifndef NADI_TESTS_BETWEEN_H
#define NADI_TESTS_BETWEEN_H

#include "base/rng.h"

/* low .. high, both included */
static inline int64_t rng_between(struct nadi_rng *rng, int64_t low, int64_t high)
{
    return low + (int64_t)nadi_rng_below(rng, (uint64_t)(high - low) + 1);
}

#endif
