/* none: PFC alone. Flows send at line rate, bounded by the window if there is one. */
#include "network/packet/cc.h"

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

const struct nadi_cc_ops nadi_cc_none = {
    .name = "none",
    .summary = "No congestion control: flows send at line rate within their window; only PFC "
               "holds them back.",
    .hpcc_mode = 12,
    .steady = true,
    .start = start,
    .on_ack = on_ack,
    .on_timer = on_timer,
    .on_timeout = on_timeout,
};
