/* flow: what is told of the flow model besides network.h; docs/models/flow.md has the equations. */
#ifndef NADI_NETWORK_FLOW_H
#define NADI_NETWORK_FLOW_H

#include "base/base.h"

struct nadi_flow_config {
    double startup_ns;     /* of each message, before its first byte */
    double overhead_ns;    /* of each message, during which its sender can do no other */
    uint64_t window_bytes; /* in flight of a message; 0: unbounded */
    uint64_t packet_bytes; /* payload of a packet, with headers beside it; 0: there are none */
};

enum { NADI_FLOW_HEADER_BYTES = 62 }; /* of a packet, as in the packet model */

#endif
