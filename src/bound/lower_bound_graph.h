/* lower_bound_graph: the least time of a message over a graph with any routing.
 *
 * NPUs do not forward, unless they have a router of their own. Without them the graph falls into
 * parts (the NVSwitches of one server, the fabric between servers, all routers of a torus), and a
 * message goes through one part or over a cable from NPU to NPU. So its bytes take at least as long
 * as the cables between the source and the parts that it shares with the destination need for them,
 * the best of them where messages take one route, else all together; likewise at the destination.
 * With `aware` each cable has carried the whole message before the next one begins. Between NPUs
 * that forward it crosses at least the links of a shortest path. O(links) to create; a query is
 * O(cables of an NPU), for those that forward and are no product of dimensions once O(links) a
 * destination. */
#ifndef NADI_BOUND_LOWER_BOUND_GRAPH_H
#define NADI_BOUND_LOWER_BOUND_GRAPH_H

#include "network/ops.h"
#include "platform/graph.h"
#include "platform/routing.h"

struct nadi_lower_bound_graph;

/* The graph must outlive it; what its links take at the least by the model. whole: a message takes
 * one route. */
struct nadi_lower_bound_graph *nadi_lower_bound_graph_create(const struct nadi_graph *g,
                                                             const struct nadi_link_least *links,
                                                             const struct nadi_network_ops *model,
                                                             bool whole) NADI_MUST_USE;
void nadi_lower_bound_graph_destroy(struct nadi_lower_bound_graph *f); /* NULL is fine */

struct nadi_lower_bound_route {
    uint64_t ns;        /* from the first bit's leaving to the last one's arrival */
    uint64_t serial_ns; /* what each further message that follows adds */
};

/* From NPU src to another one; 0 where there is no route. */
struct nadi_lower_bound_route nadi_lower_bound_graph_route(const struct nadi_lower_bound_graph *f,
                                                           uint32_t src, uint32_t dst,
                                                           uint64_t bytes);
/* Between the two NPUs that are best cabled. */
uint64_t nadi_lower_bound_graph_least_ns(const struct nadi_lower_bound_graph *f, uint64_t bytes);
/* What a message carries for nothing where times are rounded: that much of the fastest cable. */
uint64_t nadi_lower_bound_graph_spared_bytes(const struct nadi_lower_bound_graph *f);
/* How long links are busy with one message between each two of the graph's first `count` NPUs, all
 * of them on average; 0 where NPUs do not forward. */
uint64_t nadi_lower_bound_graph_busy_ns(struct nadi_lower_bound_graph *f, uint32_t count,
                                        uint64_t bytes);
/* For how many ns the fullest channel is busy with a byte from each of the first `count` NPUs to
 * the next, the last one's to the first; round the other way if that takes less. Where routes are
 * not given by the pair alone (routing NULL) each has the best of all. O(links log links), with
 * routing O(hops) a pair and O(links) once a destination; too many pairs are as without. */
double nadi_lower_bound_graph_round(const struct nadi_graph *g, const struct nadi_link_least *links,
                                    const struct nadi_routing_config *routing, uint32_t count);
/* Until that many bytes have left one NPU, the one with most bandwidth. */
uint64_t nadi_lower_bound_graph_leave_ns(const struct nadi_lower_bound_graph *f, uint64_t bytes);

#endif
