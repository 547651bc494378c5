/* graph_dims: the graph that a list of dimensions stands for.
 *
 * One Switch dimension: hosts around a switch. One FullyConnected dimension: a cable between each
 * two hosts. Otherwise every NPU is a host and a router of its own (a switch): the cables of all
 * dimensions meet at the router, where messages pass through to others; the cable between host and
 * router costs no time that matters (no latency, the rate of all the router's cables together) and
 * belongs to no dimension (NADI_NONE). Rings, lines and meshes join routers, a Switch dimension has
 * one switch for each group of ranks that differ only in its coordinate; where it is
 * oversubscribed, the switch forwards less than its cables carry. */
#ifndef NADI_PLATFORM_GRAPH_DIMS_H
#define NADI_PLATFORM_GRAPH_DIMS_H

#include "platform/graph.h"
#include "platform/topology.h"

/* A product of dimensions whose routers carry several hosts and whose neighbours are joined by
 * several cables: tori, HyperX. */
struct nadi_graph_grid {
    const struct nadi_topology *shape; /* of the routers, finished; its links may be of any kind */
    uint32_t hosts;                    /* a router, >= 1; host h is at router h / hosts */
    const uint32_t *parallel_cables;   /* cables by dimension of the shape; NULL: 1 each */
    uint64_t host_bits_per_s; /* of a host's cable, which is then dimension 0 and the shape's
                                 dimensions follow; 0: on board, as above, for one host only */
    nadi_time host_latency;
    const char *router_role; /* "router", "switch" */
    /* Adds nodes and cables that are not of the product, before the graph is finished; or NULL. */
    void (*more)(struct nadi_graph *g, uint32_t first_router, const void *context);
    const void *context;
};

/* Cables that nadi_graph_from_dims would make. */
uint64_t nadi_graph_dims_links(const struct nadi_topology *t);
/* Fills and finishes an initialised, empty graph. Rates are rounded to bit/s, at most 10^16. More
 * axes than NADI_MAX_DIMS are a bug: nadi_topology_expand tells. */
void nadi_graph_from_dims(struct nadi_graph *g, const struct nadi_topology *t);

/* The same for a grid, always with routers. */
uint64_t nadi_graph_grid_links(const struct nadi_graph_grid *grid);
void nadi_graph_from_grid(struct nadi_graph *g, const struct nadi_graph_grid *grid);

#define NADI_GRAPH_MOST_BITS_PER_S 1e16

/* B/ns to bit/s: rounded, at least 1, at most those. */
uint64_t nadi_graph_rate(double bytes_per_ns);

#endif
