#include "base/rng.h"

#include "base/map.h"

void nadi_rng_init(struct nadi_rng *r, uint64_t seed, const char *stream)
{
    r->state = nadi_hash_u64(seed) ^ nadi_hash_bytes(stream, strlen(stream));
}

uint64_t nadi_rng_u64(struct nadi_rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t nadi_rng_below(struct nadi_rng *r, uint64_t limit)
{
    uint64_t threshold = (0 - limit) % limit;
    uint64_t x;
    do
        x = nadi_rng_u64(r);
    while (x < threshold);
    return x % limit;
}

double nadi_rng_unit(struct nadi_rng *r)
{
    return (double)(nadi_rng_u64(r) >> 11) * 0x1p-53;
}
