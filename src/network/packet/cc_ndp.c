/* ndp: NDP (Handley et al., SIGCOMM 2017). A flow sends a first window, the bandwidth-delay
 * product, at line rate; every packet takes its own route; switches cut the payload off packets
 * that find their short queue full and pass the header on first; the receiver answers each header
 * with a NACK and each arrival with a pull, which it paces to its own line rate. The sender sends
 * one packet a pull, those to repeat first. Mechanics: switch.c (trimming), routes.c (spraying),
 * pull.c and track.c. Queue: 8 packets of 9 kB in the paper, trim-queue here. */
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

const struct nadi_cc_ops nadi_cc_ndp = {
    .name = "ndp",
    .summary = "NDP (SIGCOMM 2017): packets are sprayed over all paths, full queues trim them to "
               "headers, and the receiver pulls one packet for each that arrives.",
    .needs_window = true,
    .receiver_driven = true,
    .arrival_clocked = true,
    .start = start,
    .on_ack = on_ack,
    .on_timer = on_timer,
    .on_timeout = on_timeout,
};
