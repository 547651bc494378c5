/* none: PFC alone. Flows send at line rate, bounded by the window if there is one. */
#include "network/packet/cc.h"

const struct nadi_cc_ops nadi_cc_none = {
    .full_alone = true,
    .name = "none",
    .summary = "No congestion control: flows send at line rate within their window; only PFC "
               "holds them back.",
    .hpcc_mode = 12,
    .steady = true,
    .start = nadi_cc_no_start,
    .on_ack = nadi_cc_no_ack,
    .on_timer = nadi_cc_no_timer,
    .on_timeout = nadi_cc_no_timeout,
};
