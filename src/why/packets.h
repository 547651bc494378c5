/* packets: what a run of flows leaves out of the network: that data go in packets.
 *
 * A packet has NADI_FLOW_HEADER_BYTES of headers, and a switch that stores it forwards it when it
 * has all of it: a message takes longer by what `flow-packet` adds (docs/models/flow.md). Along the
 * critical path, where the messages on it are known one by one, that is an estimate; else, from the
 * messages of all links, a bound for the mean rank: of its messages that are on their way together
 * each counts.
 */
#ifndef NADI_WHY_PACKETS_H
#define NADI_WHY_PACKETS_H

#include "why/why.h"

struct nadi_packets_left {
    double ns;        /* by which packets would make the run longer; 0: nothing, or not known */
    bool is_bound;    /* up to about, else about */
    uint32_t payload; /* bytes of a packet */
};

/* Of a run that is done. `why` may be NULL. O(links). */
struct nadi_packets_left nadi_packets_left_out(const struct nadi_inputs *in,
                                               const struct nadi_result *r,
                                               const struct nadi_why *why);

/* Of one message: `forwarding` is nadi_route_forwarding, ns a byte, and `moving_ns` how long its
 * bytes take as it is. */
double nadi_packets_of_message(uint64_t bytes, double forwarding, double moving_ns);

#endif
