/* eqds: EQDS (Olteanu et al., NSDI 2022), its receiver-driven mode. A flow sends a first window of
 * a bandwidth-delay product unasked; from then on the receiver, which knows how much its senders
 * hold, hands out credit in turns at its line rate, at most a bandwidth-delay product of it ahead
 * of what has arrived, the unasked packets not counted. Packets are sprayed and full queues trim
 * them as in NDP; unlike there credit does not wait for arrivals, so that a flow held up inside the
 * network may have twice as much on its way. Mechanics: switch.c, routes.c, pull.c and track.c. */
#include "network/packet/internal.h"

static void start(struct nadi_pkt *net, uint32_t flow)
{
    (void)net, (void)flow;
}

static void on_ack(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_ack *ack)
{
    (void)net, (void)flow, (void)ack;
}

static void on_timer(struct nadi_pkt *net, uint32_t flow, uint32_t which)
{
    (void)net, (void)flow, (void)which;
}

static void on_timeout(struct nadi_pkt *net, uint32_t flow)
{
    (void)net, (void)flow;
}

const struct nadi_cc_ops nadi_cc_eqds = {
    .name = "eqds",
    .summary = "EQDS (NSDI 2022): the receiver hands out credit at its line rate to the senders in "
               "turns; packets are sprayed and trimmed as in NDP.",
    .needs_window = true,
    .receiver_driven = true,
    .start = start,
    .on_ack = on_ack,
    .on_timer = on_timer,
    .on_timeout = on_timeout,
};
