/* job_draw: what the generators of random jobs share. */
#ifndef NADI_TESTS_JOB_DRAW_H
#define NADI_TESTS_JOB_DRAW_H

#include "network/network.h"
#include "support/draw.h"
#include "support/job.h"

void draw_system(struct job *j, struct draw *rng);
void draw_algorithms(struct job *j, struct draw *rng); /* after the groups */
/* job_alike.c: up to three dimensions of rings, cliques and switches; a system whose algorithms do
 * the same on all ranks, on a graph also one algorithm for all dimensions. */
void draw_dims_alike(struct nadi_rng *rng, uint32_t most_ranks, struct nadi_dim *dims,
                     uint32_t *count);
void draw_system_alike(struct job *j, struct nadi_rng *rng);
/* How soon DCQCN is marked and acts. */
void draw_dcqcn(struct nadi_packet_config *c, struct nadi_rng *rng);
/* A packet file: mode, scheme, frames, windows, buffers, timers. */
void draw_packets(struct nadi_packet_config *c, struct nadi_rng *rng);
/* Messages of a connection at once (struct nadi_network_setup); mostly the default. */
static inline uint32_t draw_in_flight(struct nadi_rng *rng)
{
    const uint64_t drawn = chance(rng, 4) ? pick(rng, 0, 3) : 1;
    return drawn ? (uint32_t)drawn : NADI_IN_FLIGHT_ANY;
}

#endif
