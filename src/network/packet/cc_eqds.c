/* eqds: EQDS (Olteanu et al., NSDI 2022), its receiver-driven mode. A flow sends a first window of
 * a bandwidth-delay product unasked; from then on the receiver, which knows how much its senders
 * hold, hands out credit in turns at its line rate, at most a bandwidth-delay product of it ahead
 * of what has arrived, the unasked packets not counted. Packets are sprayed and full queues trim
 * them as in NDP; unlike there credit does not wait for arrivals, so that a flow held up inside the
 * network may have twice as much on its way. Mechanics: switch.c, routes.c, pull.c and track.c. */
#include "network/packet/internal.h"

const struct nadi_cc_ops nadi_cc_eqds = {
    .name = "eqds",
    .summary = "EQDS (NSDI 2022): the receiver hands out credit at its line rate to the senders in "
               "turns; packets are sprayed and trimmed as in NDP.",
    .needs_window = true,
    .receiver_driven = true,
    .start = nadi_cc_no_start,
    .on_ack = nadi_cc_no_ack,
    .on_timer = nadi_cc_no_timer,
    .on_timeout = nadi_cc_no_timeout,
};
