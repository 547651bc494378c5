/* graph_trim: the first NPUs of a graph, with all of its fabric.
 *
 * NPUs behind them are gone with their cables, the routers on their boards, and the switches that
 * served them alone. All other switches and cables stay: what the first NPUs send takes the ways
 * that it took. A product of dimensions, whose routers are NPUs' own and forward for others, and a
 * graph of switches made of micro-switches, which depends on the number of ports, stay whole. */
#ifndef NADI_PLATFORM_GRAPH_TRIM_H
#define NADI_PLATFORM_GRAPH_TRIM_H

#include "platform/graph.h"

/* Of a finished graph. O(nodes). */
bool nadi_graph_may_be_trimmed(const struct nadi_graph *g);

/* The graph, finished, which may be trimmed, becomes its first `npus` NPUs; it has more. O(nodes +
 * links). */
void nadi_graph_trim(struct nadi_graph *g, uint32_t npus);

#endif
