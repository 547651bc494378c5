/* graph_dims: the graph that a list of dimensions stands for.
 *
 * One Switch dimension: hosts around a switch. One FullyConnected dimension: a cable between each
 * two hosts. Otherwise every NPU is a host and a router of its own (a switch): the cables of all
 * dimensions meet at the router, where messages pass through to others; the cable between host and
 * router costs no time that matters (no latency, the rate of all the router's cables together) and
 * belongs to no dimension (NADI_NONE). Rings and meshes join routers, a Switch dimension has one
 * switch for each group of ranks that differ only in its coordinate. */
#ifndef NADI_PLATFORM_GRAPH_DIMS_H
#define NADI_PLATFORM_GRAPH_DIMS_H

#include "platform/graph.h"
#include "platform/topology.h"

/* Cables that nadi_graph_from_dims would make. */
uint64_t nadi_graph_dims_links(const struct nadi_topology *t);
/* Fills and finishes an initialised, empty graph. Rates are rounded to bit/s, at most 10^16. */
void nadi_graph_from_dims(struct nadi_graph *g, const struct nadi_topology *t);

#endif
