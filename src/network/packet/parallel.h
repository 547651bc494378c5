/* parallel: runs a network in parts, one thread each, with the same results as in one.
 *
 * A packet that goes from one part to another is on its cable for at least `reach`. All events up
 * to `reach` behind the next one of any part can therefore be handled by all parts at once: a
 * window. Then the threads meet, take in what was sent to them, and agree on the next window. Only
 * what all parts of a network have in common is not known in the middle of a window: whether
 * anything still moves anywhere (stood_still). */
#ifndef NADI_NETWORK_PACKET_PARALLEL_H
#define NADI_NETWORK_PACKET_PARALLEL_H

#include "network/packet/packet.h"

enum { NADI_PKT_MAX_PARTS = 256 };

struct nadi_pkt_parallel {
    struct nadi_pkt **nets; /* by part */
    uint32_t count;
    uint32_t *part_of; /* by node */
    nadi_time reach;   /* ticks; NADI_TIME_MAX with one part */
    struct nadi_pkt_member *members;
};

/* Of a network with all its flows prepared and nothing begun, and of copies of it: its own from
 * now on. At most `most` parts; as many as the network allows. */
struct nadi_pkt_parallel *nadi_pkt_parallel_create(struct nadi_pkt *net, uint32_t most);
void nadi_pkt_parallel_destroy(struct nadi_pkt_parallel *parallel); /* NULL is allowed */

struct nadi_pkt_parallel_orders {
    nadi_time until;          /* handle events up to and including this tick */
    const volatile int *stop; /* may be NULL; nonzero: stop soon */
    /* When all of it has happened `pause` is called, by one thread while the others wait; returns
     * the next such tick. `more`: something is due later. NADI_TIME_MAX: none */
    nadi_time pause_at;
    nadi_time (*pause)(void *context, bool more);
    void *context;
};

/* False when the parts cannot tell what the whole network would have done, because a part saw
 * nothing move, or when there are no threads to be had: it must be run as one. */
bool nadi_pkt_parallel_run(struct nadi_pkt_parallel *parallel,
                           const struct nadi_pkt_parallel_orders *orders);

#endif
