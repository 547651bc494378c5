/* forwarding: how packets go through switches where that is not told by their path alone.
 *
 * Routes. Sprayed packets, and those whose route was found anew while they were on it, look for
 * their port at each switch.
 *
 * Nodes that forward only so much (a PCIe switch, an oversubscribed hub) have a server of that rate
 * between their ports: a pair of ports of their own behind all ports of the graph. A packet waits
 * for the server, passes it and goes on to its egress queue, held all the time by the port at which
 * it came in; so there is nothing inside that could be paused, and the node stays one switch with
 * one buffer. ECN and telemetry see the server as another hop. Control frames and answers pass
 * beside it: behind the sender's own data they would hold it back. So does what the node reduces or
 * spreads itself: it does not forward it.
 *
 * Classes. Lossless queues whose routes go in circles can wait for each other for ever. All nodes
 * have an order: by their distance from hosts, the farthest highest, then by the distance from one
 * of the highest; each cable leads up or down. Routes that go up and then down only, as in all
 * trees, make no circle (Schroeder et al., Autonet, 1991). Where a route turns up again after it
 * went down the packet goes on in the next class, which has buffers, headroom and pauses of its own
 * (Hu et al., "Tagger", CoNEXT 2017; Dally and Seitz, 1987): so each class is free of circles, and
 * no class waits for a lower one. A ring needs two, a torus of k dimensions k + 1 in dimension
 * order; class 7 is the last, and packets that turn more often stay in it. Exact mode has none of
 * this. */
#ifndef NADI_NETWORK_PACKET_FORWARDING_H
#define NADI_NETWORK_PACKET_FORWARDING_H

#include "network/packet/internal.h"

struct nadi_pkt_forwarding {
    uint32_t out;   /* port; NADI_NONE: no route */
    uint32_t class; /* of its queue there */
    uint32_t in;    /* port * CLASSES + class: who holds it */
    bool held;      /* since it came in before */
};

/* The port to the server that packets from `src` to `dst`, nodes of hosts, pass at the node; NONE:
 * it has none, or one of them is its own end (ends.h), as what a switch reduces is not forwarded.
 */
uint32_t nadi_pkt_server_of(const struct nadi_pkt *net, uint32_t node, uint32_t src, uint32_t dst);

/* Of the packet at `at`, which came to `port` and left `queue`. */
struct nadi_pkt_forwarding nadi_pkt_forwarding_find(struct nadi_pkt *net, uint32_t port,
                                                    uint32_t at, uint32_t queue);

/* Does the flow's route turn up again after it went down, so that switches are to look at its
 * packets? Where they look at all (looks_up), nobody asks. */
bool nadi_pkt_route_turns(const struct nadi_pkt *net, uint32_t flow, bool back);

/* Once, after the ports: orders the nodes. */
void nadi_pkt_forwarding_order(struct nadi_pkt *net);

#endif
