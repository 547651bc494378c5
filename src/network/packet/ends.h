/* ends: hosts for switches that take part in collectives.
 *
 * A switch that reduces ends the queue pairs of its neighbours in a port of its own (the
 * aggregation node of SHARP). Here that is a host of its own behind a cable without latency that
 * carries as much as all the switch's other cables together. Packets to and from it therefore meet
 * only what other packets meet. Its cable belongs to no dimension and is not counted.
 */
#ifndef NADI_NETWORK_PACKET_ENDS_H
#define NADI_NETWORK_PACKET_ENDS_H

#include "platform/graph.h"

struct nadi_pkt_ends {
    struct nadi_graph graph; /* the network with these hosts, behind all others */
    uint32_t *host;          /* by number of the switch; NADI_NONE: it only forwards */
};

struct nadi_pkt_ends *nadi_pkt_ends_create(const struct nadi_graph *graph);
void nadi_pkt_ends_destroy(struct nadi_pkt_ends *e); /* NULL is fine */

#endif
