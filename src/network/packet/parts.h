/* parts: a network that is run in parts. Each part has a whole copy of the network's state, a
 * replica, and handles the events of its own nodes only.
 *
 * What a port sends to a node of another part leaves the replica as a parcel. There it lies in that
 * replica's copy of the same queue, from which it arrives like any other packet. A flow's sender is
 * in the replica of its source, its receiver in that of its destination; where packets go and what
 * a flow is called is the same in all of them. */
#ifndef NADI_NETWORK_PACKET_PARTS_H
#define NADI_NETWORK_PACKET_PARTS_H

#include "network/packet/internal.h"

struct nadi_pkt_parcel {
    nadi_time arrival;
    struct nadi_pkt_packet packet;
    uint32_t queue;
    uint16_t words; /* telemetry INT: of its record; 0: it has none */
    uint16_t hops;  /* what its place says of them */
    uint64_t value; /* TIME: its stamp; PINT: its power */
};

struct nadi_pkt_outbox { /* of one part for another */
    struct nadi_pkt_parcel *items;
    size_t count, capacity;
    struct {
        uint64_t *items;
        size_t count, capacity;
    } words;         /* of the records */
    nadi_time first; /* earliest arrival, NADI_TIME_MAX without any */
};

void nadi_pkt_outbox_clear(struct nadi_pkt_outbox *box); /* keeps its memory */
void nadi_pkt_outbox_release(struct nadi_pkt_outbox *box);

/* Takes in what is in the box; the arrivals lie behind everything that was handled. */
void nadi_pkt_deliver(struct nadi_pkt *net, const struct nadi_pkt_outbox *box);

/* The node's part, for every node, at most `most` of them; returns how many. Ends of cables without
 * latency are in one part. By the packets that the flows will put on cables, so that parts have
 * about as much to do; hosts that follow each other stay together, switches go to where most of
 * their cables end. O(flows x hops + ports x parts). */
uint32_t nadi_pkt_cut(const struct nadi_pkt *net, uint32_t most, uint32_t *part_of);

/* The flows of `from`, all of which are there but not begun, are those of `to` as well. What does
 * not change is shared: `to` must go first, by forget_flows. */
void nadi_pkt_share_flows(struct nadi_pkt *to, const struct nadi_pkt *from);
void nadi_pkt_forget_flows(struct nadi_pkt *to);

#endif
