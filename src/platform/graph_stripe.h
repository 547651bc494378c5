/* graph_stripe: planes as one switch, parallel cables of an NPU as one cable.
 *
 * A device that is cabled to several equal switches (the planes of an NVSwitch system), or by
 * several equal cables to one, sends a stripe of each message over each of them. As long as stripes
 * are equal that is one switch, or one cable, with the bandwidth of all together: every stripe
 * takes the same time, and so does the message. Planes are switches that join the same NPUs by the
 * same cables, and lead on to the same switches, if to any, by the same cables: also the leaves of
 * an NPU with several NICs, as a collective library sends a part of each message over each NIC.
 * Whole networks of switches are planes too (graph_planes.h): leaves that lead to spines of their
 * own, or behind NICs that are nodes of their own. Leaves that lead to different switches and do
 * not correspond are none: there a connection takes one of the routes (platform/routing.h).
 */
#ifndef NADI_PLATFORM_GRAPH_STRIPE_H
#define NADI_PLATFORM_GRAPH_STRIPE_H

#include "platform/graph.h"

/* Makes *out, which the caller releases, of a finished graph: each set of planes is the first of
 * them, with the sum of their rates. False, and *out is not made: there is nothing to put together.
 * O(links log links). */
bool nadi_graph_stripe(const struct nadi_graph *g, struct nadi_graph *out) NADI_MUST_USE;

#endif
