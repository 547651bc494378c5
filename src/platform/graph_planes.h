/* graph_planes: equal planes of several switches each: an NPU's NICs lead to leaves of their own,
 * and those to spines of their own, or to the same; the NICs may be nodes.
 *
 * Two planes correspond if a one-to-one mapping of the switches of the one to those of the other
 * keeps kinds, roles, limits and cables, and leaves every NPU and every switch outside in its
 * place. The mapping is found from the cables of an NPU: their switches correspond, then what these
 * lead to, switches with the lowest NPU first, then in the order of the cables; what both lead to
 * stays in its place. A mapping that does not hold is not used, so planes in another order may be
 * missed, and stay apart. Private to graph_stripe. */
#ifndef NADI_PLATFORM_GRAPH_PLANES_H
#define NADI_PLATFORM_GRAPH_PLANES_H

#include "platform/graph.h"

/* Of a finished graph; number[node] is 1 and set[node] the node for all. Switches of the first
 * plane of each set get the number of its planes and one node as their set, those of the others the
 * number 0. Were there any? O(nodes + links) a set, and as much in all for mappings that do not
 * hold. */
bool nadi_graph_find_planes(const struct nadi_graph *g, uint32_t *number,
                            uint32_t *set) NADI_MUST_USE;

#endif
