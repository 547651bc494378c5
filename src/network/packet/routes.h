/* routes: what the other files of the folder ask of routes.c besides internal.h. */
#ifndef NADI_NETWORK_PACKET_ROUTES_H
#define NADI_NETWORK_PACKET_ROUTES_H

#include "network/packet/internal.h"

/* IPv4 address of a node in the HPCC simulator: 11.x.y.1. */
uint32_t nadi_pkt_address(uint32_t node);
/* A port stops or starts to carry packets; paths are found anew from then on. */
void nadi_pkt_routes_set(struct nadi_pkt_routes *r, uint32_t port, bool down);
/* More than any packet is on this cable, and than an injected pause: where nothing was put on a
 * cable for longer than the longest of these, nothing moves any more. */
static inline nadi_time nadi_pkt_still_after(const struct nadi_pkt *net, uint32_t port)
{
    const uint32_t full = net->config.payload_bytes + net->frames.data_overhead;
    const nadi_time hop =
        nadi_time_add(net->ports[port].latency, net->ports[port].ticks[full].busy);
    return nadi_time_mul(nadi_time_add(hop, 2000000 / net->tick), 4);
}

/* What a port adds to the time of a packet of so many bytes. */
static inline nadi_time nadi_pkt_time_of(const struct nadi_pkt *net, uint32_t port, uint32_t bytes)
{
    return nadi_time_add(net->ports[port].latency, net->ports[port].ticks[bytes].arrives);
}

/* Finds the flow's routes anew, behind its first cables. */
void nadi_pkt_routes_again(struct nadi_pkt *net, uint32_t flow);
/* Where the routes to a host come together: the switch of a host with a single cable, else itself.
 */
uint32_t nadi_pkt_root_of(const struct nadi_pkt *net, uint32_t host);
/* round_trips.c: the longest round trip and the largest bandwidth-delay product, hosts taken to be
 * alike that hang at one switch by like cables. O(switches^2) where they do. */
void nadi_pkt_routes_longest(struct nadi_pkt *net, nadi_time *rtt, uint64_t *bdp);

#endif
