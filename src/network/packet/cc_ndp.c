/* ndp: NDP (Handley et al., SIGCOMM 2017). A flow sends a first window, the bandwidth-delay
 * product, at line rate; every packet takes its own route; switches cut the payload off packets
 * that find their short queue full and pass the header on first; the receiver answers each header
 * with a NACK and each arrival with a pull, which it paces to its own line rate. The sender sends
 * one packet a pull, those to repeat first. Mechanics: switch.c (trimming), routes.c (spraying),
 * pull.c and track.c. Queue: 8 packets of 9 kB in the paper, trim-queue here. */
#include "network/packet/internal.h"

const struct nadi_cc_ops nadi_cc_ndp = {
    .name = "ndp",
    .summary = "NDP (SIGCOMM 2017): packets are sprayed over all paths, full queues trim them to "
               "headers, and the receiver pulls one packet for each that arrives.",
    .needs_window = true,
    .receiver_driven = true,
    .arrival_clocked = true,
    .start = nadi_cc_no_start,
    .on_ack = nadi_cc_no_ack,
    .on_timer = nadi_cc_no_timer,
    .on_timeout = nadi_cc_no_timeout,
};
