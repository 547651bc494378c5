/* rng: seeded random numbers, one stream per purpose.
 *
 * A stream is derived from (seed, name), so a new user of randomness does not change the numbers of
 * others. Generator: splitmix64 (Steele, Lea, Flood, OOPSLA 2014), 2^64 period, enough for drawing
 * cases. */
#ifndef NADI_BASE_RNG_H
#define NADI_BASE_RNG_H

#include "base/base.h"

struct nadi_rng {
    uint64_t state;
};

void nadi_rng_init(struct nadi_rng *r, uint64_t seed, const char *stream);
uint64_t nadi_rng_u64(struct nadi_rng *r);
uint64_t nadi_rng_below(struct nadi_rng *r, uint64_t limit); /* 0 .. limit-1, unbiased; limit > 0 */
double nadi_rng_unit(struct nadi_rng *r);                    /* [0, 1) */

#endif
