/* window: a static window and nothing else. In flight are at most window-size bytes, or the
 * bandwidth-delay product of the pair where that is 0; ACKs clock what follows. */
#include "network/packet/internal.h"

static void start(struct nadi_pkt *net, uint32_t flow)
{
    nadi_pkt_set_window(net, flow, nadi_pkt_initial_packets(net, flow));
}

const struct nadi_cc_ops nadi_cc_window = {
    .name = "window",
    .summary = "A static window: at most so many bytes in flight (the bandwidth-delay product, or "
               "window-size), whatever happens.",
    .needs_window = true,
    .steady = true,
    .start = start,
    .on_ack = nadi_cc_no_ack,
    .on_timer = nadi_cc_no_timer,
    .on_timeout = nadi_cc_no_timeout,
};
