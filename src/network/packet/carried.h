/* carried: what each port sends over time, found by looking at its counter now and then.
 *
 * Nothing is asked of packets: the counters are read once a span of usage.h, O(ports) a look and
 * about 32 looks for each doubling of the time. A packet counts where its transmission begins, as
 * far as the port's rate allows, and a queue as long as it is at the look. */
#ifndef NADI_NETWORK_PACKET_CARRIED_H
#define NADI_NETWORK_PACKET_CARRIED_H

#include "network/packet/packet.h"
#include "network/usage.h"

struct nadi_pkt_carried {
    struct nadi_usage *usage; /* NULL: nobody asks */
    double *seen;             /* by port: bytes up to the last look */
    nadi_time since;          /* last look; ps */
};

/* Returns the usage that is filled; it must be freed after `c`. */
struct nadi_usage *nadi_pkt_carried_init(struct nadi_pkt_carried *c, uint32_t port_count);
void nadi_pkt_carried_release(struct nadi_pkt_carried *c);

/* Counts what was sent since the last look, up to the network's time. Nothing was sent since then
 * before `begun`, ps. */
void nadi_pkt_carried_look(struct nadi_pkt_carried *c, const struct nadi_pkt *net, nadi_time begun);
/* The same at the end, when no further look is due: what came after the last one are ACKs, within a
 * span of it, however long timers then went on. */
void nadi_pkt_carried_end(struct nadi_pkt_carried *c, const struct nadi_pkt *net);

#endif
