/* routing: which way a flow takes through a graph.
 *
 * A route is a list of channels (platform/graph.h) in the order of travel, from the source's cable
 * to the destination's; the channel of a node that forwards only so much stands between the links
 * that meet there. Cables on board (between an NPU and its own router) take no time and are left
 * out. Hosts do not forward. The same graph, configuration, pair, flow and (adaptive)
 * loads give the same route, whatever was asked before.
 *
 *   shortest         the first of the shortest paths: cables in the order in which they were added
 *   dimension-order  a shortest path that crosses the dimensions in ascending order, rings
 * clockwise where both directions are as short; this is also what shortest does in a product of
 * dimensions, and elsewhere it is shortest ecmp             each switch takes one of its ports on
 * shortest paths by a hash of seed, source, destination, flow and switch (RFC 2992 has the idea)
 *   valiant          first to a switch drawn from all of more than one cable that the source
 *                    reaches, then on, both parts by ecmp (Valiant, Brebner, STOC 1981); within
 *                    one switch the direct route
 *   adaptive         the port with the least load among those on shortest paths, or the detour of
 *                    valiant where load times hops is less along it; the load is the time that a
 *                    channel needs for what it has to carry and for what is sent now: UGAL with
 *                    global knowledge (Kim, Dally, Scott, Abts, ISCA 2008, section 4)
 *
 * An NPU that could begin a shortest way in several dimensions takes the lowest: two NPUs of one
 * server talk over NVLink even where their NICs meet in one leaf, as far away. So does a router on
 * the board of an NPU: to another rail a message goes over NVLink first (PXN).
 *
 * Cost. In a product of dimensions (tori, meshes, HyperX: graph->product) with all links up, a hop
 * costs the ports of a router and nothing is stored. Elsewhere a hop looks at a switch's ports in a
 * table of distances to the destination's switch: 2 bytes for each switch of the connected part,
 * made by one breadth-first search, O(switches + cables between them), when first needed. Hosts of
 * one switch share it; no table grows with the hosts. Tables above a limit (256 MiB) are dropped
 * and made again. Not thread safe; one routing for each simulation. */
#ifndef NADI_PLATFORM_ROUTING_H
#define NADI_PLATFORM_ROUTING_H

#include "platform/graph.h"

enum nadi_route_scheme {
    NADI_ROUTE_NONE,
    NADI_ROUTE_SHORTEST,
    NADI_ROUTE_DIMENSION_ORDER,
    NADI_ROUTE_ECMP,
    NADI_ROUTE_VALIANT,
    NADI_ROUTE_ADAPTIVE,
};

struct nadi_routing_config {
    enum nadi_route_scheme scheme;
    uint64_t seed;       /* ecmp, valiant, adaptive */
    size_t table_limit;  /* bytes; 0: 256 MiB */
    const double *loads; /* adaptive: by channel, bytes that it has still to carry; must outlive
                            the routing; NULL: no load anywhere */
};

/* Channels of a route; the caller frees items with nadi_mem_free. */
struct nadi_route {
    uint32_t *items;
    size_t count, capacity;
};

struct nadi_routing;

/* The graph must be finished and outlive the routing. */
struct nadi_routing *nadi_routing_create(const struct nadi_graph *g,
                                         const struct nadi_routing_config *config);
void nadi_routing_destroy(struct nadi_routing *r); /* NULL is fine */

/* The route of flow `flow` from NPU src to NPU dst (src != dst), put over what `route` held. False,
 * with an empty route, when there is none. */
bool nadi_routing_find(struct nadi_routing *r, uint32_t src, uint32_t dst, uint64_t flow,
                       struct nadi_route *route) NADI_MUST_USE;

/* The hash of ecmp, for those who walk themselves: of a flow from NPU src to NPU dst, and which of
 * `count` equal ways out of a node, in the order of its ports, it takes there. */
uint64_t nadi_routing_key(uint64_t seed, uint32_t src, uint32_t dst, uint64_t flow);
uint32_t nadi_routing_pick(uint64_t key, uint32_t node, uint32_t count);

/* All shortest routes from NPU src to NPU dst, taken evenly: each node shares what comes to it out
 * over its choices. By channel and number of the hop, what part of the whole goes there; a channel
 * that is reached from several sides is told for each. */
typedef void nadi_routing_part_fn(void *context, uint32_t hop, uint32_t channel, double part);
void nadi_routing_parts(struct nadi_routing *r, uint32_t src, uint32_t dst,
                        nadi_routing_part_fn *on_part, void *context);

/* All shortest ways from NPU src to NPU dst (src != dst) leave by one channel to one switch, and
 * come from one switch by one channel. False: they do not, or there is none. NPUs with the same two
 * switches have the same routes between these. */
struct nadi_routing_between {
    uint32_t first, last; /* nodes; one where the NPUs share a switch */
    uint32_t out, in;     /* channels; NADI_NONE: on board */
};
bool nadi_routing_between(struct nadi_routing *r, uint32_t src, uint32_t dst,
                          struct nadi_routing_between *b) NADI_MUST_USE;

/* Was there no route because one of 65,535 links or more would be needed? */
bool nadi_routing_too_far(const struct nadi_routing *r);

/* Adaptive: the bytes that the next routes are for; 0 at first. */
void nadi_routing_set_own_load(struct nadi_routing *r, double load);

/* Takes link `link` out, both ways, or puts it back. Routes found before are not touched. */
void nadi_routing_set_down(struct nadi_routing *r, uint32_t link, bool down);

/* Links of a shortest path from NPU src to NPU dst; NADI_NONE when there is none. */
uint32_t nadi_routing_hops(struct nadi_routing *r, uint32_t src, uint32_t dst);

/* "shortest", "dimension-order", "ecmp", "valiant", "adaptive"; NONE when not known. */
enum nadi_route_scheme nadi_route_scheme_find(const char *name);
const char *nadi_route_scheme_name(enum nadi_route_scheme scheme);

#endif
