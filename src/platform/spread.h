/* spread: how a hash spreads flows over links that are equally short (ECMP).
 *
 * Each switch on a flow's way that has several ports on shortest paths takes one by its hash
 * (platform/routing.h). Here flows are sent the same ways once more and counted: how many came to a
 * link, and how many would if every switch shared its flows out evenly. Links as far along the ways
 * of the same flows are equal; one of them that no flow took is idle for the whole run. What the
 * flows carry and when is not looked at. The graph as it is without events.
 *
 * A flow costs its route, each pair of NPUs (of switches, where NPUs have one cable) all its
 * shortest paths together. Memory: 24 bytes a channel, 16 a pair. */
#ifndef NADI_PLATFORM_SPREAD_H
#define NADI_PLATFORM_SPREAD_H

#include "platform/routing.h"

struct nadi_hash_spread_link {
    double even;    /* flows, were they spread evenly; 0: it is no flow's choice */
    uint32_t flows; /* that came there */
    uint32_t idle;  /* of the links equal to it: how many no flow took */
};

/* Has it several flows while an equal link has none? */
static inline bool nadi_hash_spread_collides(const struct nadi_hash_spread_link *l)
{
    return l->flows > 1 && l->flows > l->even && l->idle > 0;
}

struct nadi_hash_spread;

/* Both must outlive it; the scheme is ecmp. */
struct nadi_hash_spread *
nadi_hash_spread_create(const struct nadi_graph *g,
                        const struct nadi_routing_config *config) NADI_MUST_USE;
void nadi_hash_spread_destroy(struct nadi_hash_spread *s); /* NULL is fine */

/* The flow of that number among those from NPU src to NPU dst. */
void nadi_hash_spread_add(struct nadi_hash_spread *s, uint32_t src, uint32_t dst, uint64_t flow);
/* A flow whose route is known, src != dst. */
void nadi_hash_spread_add_known(struct nadi_hash_spread *s, uint32_t src, uint32_t dst,
                                const uint32_t *channels, uint32_t count);
/* After the last one: by channel. */
const struct nadi_hash_spread_link *nadi_hash_spread_finish(struct nadi_hash_spread *s);

#endif
