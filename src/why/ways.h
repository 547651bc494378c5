/* ways: how much of a message's time on its way no bandwidth shortens. Private to why/. */
#ifndef NADI_WHY_WAYS_H
#define NADI_WHY_WAYS_H

#include "bound/lower_bound.h"

struct nadi_ways; /* remembers routes of a graph; not thread safe */

/* `bounds` must outlive it. */
struct nadi_ways *nadi_ways_create(const struct nadi_inputs *in,
                                   const struct nadi_lower_bounds *bounds) NADI_MUST_USE;
void nadi_ways_destroy(struct nadi_ways *w); /* NULL is allowed */

/* The latencies of the links between two ranks, ns; of several ways the shortest. 0: none. */
uint64_t nadi_ways_latency(struct nadi_ways *w, uint32_t src, uint32_t dst);

#endif
