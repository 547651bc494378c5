/* job_draw: what the generators of random jobs share. */
#ifndef NADI_TESTS_JOB_DRAW_H
#define NADI_TESTS_JOB_DRAW_H

#include "support/job.h"

static inline uint64_t pick(struct nadi_rng *rng, uint64_t low, uint64_t high)
{
    return low + nadi_rng_below(rng, high - low + 1);
}

static inline bool chance(struct nadi_rng *rng, uint64_t of)
{
    return nadi_rng_below(rng, of) == 0;
}

/* From 1 B to about 2^most_bits, each magnitude as likely. */
static inline uint64_t pick_size(struct nadi_rng *rng, uint64_t most_bits)
{
    return (UINT64_C(1) << pick(rng, 0, most_bits)) + pick(rng, 0, 1000);
}

void draw_system(struct job *j, struct nadi_rng *rng);
void draw_algorithms(struct job *j, struct nadi_rng *rng); /* after the groups */
/* How soon DCQCN is marked and acts. */
void draw_dcqcn(struct nadi_packet_config *c, struct nadi_rng *rng);

#endif
