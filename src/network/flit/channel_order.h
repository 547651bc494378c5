/* channel_order: in which order shortest paths of a graph take its channels.
 *
 * Packets that take channels in ascending order of some rank cannot wait for each other in a
 * circle; where a path descends it goes on in the next class of virtual channels. Two orders are
 * tried, and the one with fewer classes is taken: up by level, then across by dimension, then down,
 * which suits trees and products of dimensions; and the order in which channels follow each other
 * on paths (Dally and Seitz 1987), circles cut where that order is lowest: one class wherever no
 * such circle exists, as on a line or a tree.
 *
 * O(hosts * links * ports of a switch). */
#ifndef NADI_NETWORK_FLIT_CHANNEL_ORDER_H
#define NADI_NETWORK_FLIT_CHANNEL_ORDER_H

#include "platform/graph.h"

/* The rank of each channel, all different, to be freed. *classes: those that shortest paths need,
 * whichever of several equal ports they take. port_of: by channel, the port that sends over it. */
uint32_t *nadi_flit_channel_order(const struct nadi_graph *g, const uint32_t *port_of,
                                  uint32_t *classes) NADI_MUST_USE;

#endif
