/* fabric: the directed links of a network and the route of a message over them.
 *
 * Made from a list of dimensions or from a graph. Of dimensions: Ring both ways between neighbours
 * (the shorter route is taken, clockwise on a tie); FullyConnected one for each ordered pair;
 * Switch one up and one down for each NPU. In several dimensions every group of ranks that differ
 * only in one coordinate has its own ring, mesh or switch, and messages cross the dimensions in
 * ascending order, through the NPUs. Of a graph: its channels (platform/graph.h), routes by
 * platform/routing.h.
 *
 * A route is one way from a source to a destination, found once and kept: the number of a pair's
 * route is constant, its links change when links go down or come up, and with adaptive routing
 * whenever the model asks for a choice by the loads of now. Finding one costs its hops, and what
 * routing costs. Memory: 4 bytes a hop of each different route and about 60 a pair that was asked
 * for. */
#ifndef NADI_NETWORK_FABRIC_H
#define NADI_NETWORK_FABRIC_H

#include "base/arena.h"
#include "base/map.h"
#include "network/network.h"
#include "platform/routing.h"
#include "platform/topology.h"

struct nadi_fabric_link {
    double bytes_per_ns, latency_ns;
    uint32_t dim;      /* NADI_NONE: belongs to none */
    uint32_t from, to; /* NPU, or npu_count + k for switch k */
    bool exists;       /* numbers of dimensions' links have holes */
    bool down;         /* graphs only */
};

struct nadi_fabric_path {               /* a cache line */
    _Alignas(64) const uint32_t *links; /* in order; valid until links change */
    uint32_t hops;
    uint32_t src, dst;   /* src NADI_NONE: over link dst alone, always */
    uint32_t version;    /* of the links that were up */
    uint32_t changes;    /* how often it was another route than before */
    uint32_t flows;      /* of the pair that have a route, in the pair's first one */
    double latency_ns;   /* of all hops */
    double bytes_per_ns; /* of the slowest; infinite without hops */
    uint64_t connection; /* whose messages take it; 0: of none yet */
    uint32_t flow;       /* its number among those of the pair */
    bool broken;         /* there is no route at present */
};

_Static_assert(sizeof(struct nadi_fabric_path) == 64, "a route is a cache line");

struct nadi_fabric {
    const struct nadi_topology *topology;
    const struct nadi_graph *graph; /* NULL: dimensions */
    struct nadi_arena arena;
    struct nadi_fabric_link *items;
    uint32_t count;
    uint32_t npu_count;
    const struct nadi_uniform *uniform; /* routes have one link of each kind: network/uniform.h;
                                           behind a route's links stand their NPUs' places as seen
                                           from its source, then its end's; NULL: not so */
    uint32_t first_of_dim[NADI_MAX_DIMS + 1]; /* dimensions only */
    struct nadi_fabric_path *routes;
    size_t route_count, route_capacity;
    struct nadi_map64 index;      /* src << 32 | dst -> route */
    struct nadi_map64 by_flow;    /* hash of a pair's route and a connection -> route */
    bool hashes;                  /* flows of a pair may take different routes */
    uint32_t version;             /* of the set of links that are up */
    struct nadi_routing *routing; /* graphs only */
    struct nadi_route found;      /* scratch */
    double *loads;           /* adaptive routing: by link, kept by nadi_fabric_load; else NULL */
    struct nadi_map64 paths; /* of adaptive routing: hash of route and links -> place in `kept` */
    struct {
        const uint32_t **items;
        size_t count, capacity;
    } kept;
};

/* All arguments must outlive the links. graph NULL: the topology's dimensions; routing is about
 * graphs only, NULL: dimension order. */
void nadi_fabric_init(struct nadi_fabric *l, const struct nadi_topology *topology,
                      const struct nadi_graph *graph, const struct nadi_routing_config *routing);
void nadi_fabric_release(struct nadi_fabric *l);

/* Number of the pair's route, src != dst. */
uint32_t nadi_fabric_route(struct nadi_fabric *l, uint32_t src, uint32_t dst);
/* Where routing hashes: the route of a connection of the pair, whose route is given; that one for
 * the first, and for messages of none. They are numbered in the order in which they are asked for,
 * as ports of packets are. */
uint32_t nadi_fabric_route_of(struct nadi_fabric *l, uint32_t route, uint64_t connection);
/* Is the connection's route known, so that to ask for it numbers no other's? */
bool nadi_fabric_knows(const struct nadi_fabric *l, uint32_t route, uint64_t connection);
/* Number of the route over one link (network.h). */
uint32_t nadi_fabric_over(struct nadi_fabric *l, uint32_t link);
/* The route as it is now; check `broken`. */
const struct nadi_fabric_path *nadi_fabric_path(struct nadi_fabric *l, uint32_t route);

/* The same, but with adaptive routing chosen anew for so many bytes by the loads of now. Links of
 * routes that were the pair's before stay valid. */
const struct nadi_fabric_path *nadi_fabric_choose(struct nadi_fabric *l, uint32_t route,
                                                  uint64_t bytes);
/* Bytes that are on their way over these links, more or (negative) less; nothing to do unless
 * routing is adaptive. */
static inline void nadi_fabric_load(struct nadi_fabric *l, const uint32_t *links, uint32_t hops,
                                    double bytes)
{
    for (uint32_t i = 0; l->loads && i < hops; i++)
        l->loads[links[i]] += bytes;
}

/* Links are as the states say from now on; a cable goes down and comes up with both its links:
 * number / 2 of a link is its cable. Graphs only. All routes are looked at anew when next asked
 * for.
 */
void nadi_fabric_change(struct nadi_fabric *l, const struct nadi_link_state *states, size_t count);

struct nadi_fabric_tally { /* what a link has done */
    uint64_t messages, bytes;
    uint64_t wire_bytes; /* loadstore */
    nadi_time busy, wait;
    nadi_time since; /* flow: that it carries something */
    uint32_t most_waiting;
};

/* flows of network.h: one for each route between NPUs. */
void nadi_fabric_flows(const struct nadi_fabric *l, nadi_counted_flow_fn *visit, void *context);

/* too_far of network.h. */
const char *nadi_fabric_too_far(const struct nadi_fabric *l);

/* Fast-forwarding (rest, count and repeat of ops.h) for models of tallies. Routes are no state: a
 * route that is known has the number that it would get. */
bool nadi_fabric_rests(const struct nadi_fabric *f);
void nadi_fabric_count(const struct nadi_fabric *f, const struct nadi_fabric_tally *tallies,
                       const struct nadi_network_sent *sent, struct nadi_network_counts *counts);
void nadi_fabric_repeat(const struct nadi_fabric *f, struct nadi_fabric_tally *tallies,
                        struct nadi_network_sent *sent, const uint64_t *then, uint64_t times);

/* The counters of network.h, from a tally for each link. */
void nadi_fabric_counters(const struct nadi_fabric *f, const struct nadi_fabric_tally *tallies,
                          bool links, nadi_network_visit_fn *visit, void *context);

#endif
