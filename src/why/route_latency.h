/* route_latency: how much of a message's time on its way no bandwidth shortens, and how much longer
 * it takes where switches forward whole packets. Private to why/. */
#ifndef NADI_WHY_ROUTE_LATENCY_H
#define NADI_WHY_ROUTE_LATENCY_H

#include "bound/lower_bound.h"

struct nadi_route_latencies; /* remembers routes of a graph; not thread safe */

/* `bounds` must outlive it. */
struct nadi_route_latencies *
nadi_route_latencies_create(const struct nadi_inputs *in,
                            const struct nadi_lower_bounds *bounds) NADI_MUST_USE;
void nadi_route_latencies_destroy(struct nadi_route_latencies *w); /* NULL is allowed */

/* The latencies of the links between two ranks, ns; of several routes the shortest. 0: none. */
uint64_t nadi_route_latency(struct nadi_route_latencies *w, uint32_t src, uint32_t dst);

/* The time of a byte on all links between two ranks but the slowest, ns: so long each byte of a
 * packet that every switch forwards whole delays its message. 0: one link, or no route. */
double nadi_route_forwarding(struct nadi_route_latencies *w, uint32_t src, uint32_t dst);

#endif
