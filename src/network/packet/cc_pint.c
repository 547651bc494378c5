/* pint: HPCC with one byte of telemetry (PINT, Ben Basat et al., SIGCOMM 2020, section 4.3).
 *
 * A switch port keeps its utilisation as a moving average over the base round trip T,
 *
 *   U = (T - dt) / T U + bytes / (B T) + queue dt / (B T^2)
 *
 * dt since the last packet and bytes that packet's size, and a packet carries the largest U on its
 * route as a power of 1.05, rounded up or down at random so that the mean is right. The sender
 * steps as in HPCC (cc_hpcc.c) with this U; a share 1 - pint_probability of the ACKs is passed
 * over. */
#include "network/packet/telemetry.h"

struct state {
    uint64_t rate; /* Rc */
    uint32_t stage;
    uint32_t last_update; /* packets sent when Rc last moved; 0: no ACK yet */
};

static void start(struct nadi_pkt *net, uint32_t flow)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    s->rate = net->flows[flow].line_rate;
}

static void update(struct nadi_pkt *net, uint32_t flow, double u, bool fast)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const struct nadi_hpcc_config *c = &net->config.hpcc;
    const double load = u / c->target;
    uint64_t rate = s->rate;
    uint32_t stage = s->stage + 1;
    if (load >= 1 || s->stage >= c->mi_threshold) {
        const double scaled = (double)s->rate / load;
        rate = nadi_count_trunc_to(scaled, NADI_PKT_MOST_RATE);
        stage = 0;
    }
    rate = nadi_max_u64(rate + net->config.rate_ai, net->config.min_rate);
    rate = nadi_min_u64(rate, net->flows[flow].line_rate);
    nadi_pkt_set_rate(net, flow, rate, true);
    if (!fast) {
        s->rate = rate;
        s->stage = stage;
    }
}

static bool passed_over(struct nadi_pkt *net, uint32_t flow)
{
    const double share = net->config.hpcc.pint_probability;
    return share < 1 && nadi_rng_unit(&net->rngs[net->nics[net->flows[flow].nic].port]) >= share;
}

static void on_ack(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_ack *ack)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const uint32_t sent = net->flows[flow].next;
    const bool fast = ack->seq <= s->last_update;
    if (ack->mark_alone || passed_over(net, flow))
        return;
    if (s->last_update == 0) {
        s->last_update = sent;
        return;
    }
    if (fast && !net->config.hpcc.fast_react)
        return;
    update(net, flow, nadi_pint_decode(net, net->powers[ack->packet]), fast);
    if (!fast && sent > s->last_update)
        s->last_update = sent;
}

static void forward(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_forward *forward)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    s->last_update += s->last_update > 0 ? forward->packets : 0;
}

const struct nadi_cc_ops nadi_cc_pint = {
    .name = "hpcc-pint",
    .summary = "HPCC-PINT (SIGCOMM 2020): HPCC with one byte of telemetry a packet, the largest "
               "utilisation on its way.",
    .hpcc_mode = 10,
    .telemetry = NADI_TELEMETRY_PINT,
    .state_bytes = sizeof(struct state),
    .rescales = true,
    .start = start,
    .on_ack = on_ack,
    .on_timer = nadi_cc_no_timer,
    .on_timeout = nadi_cc_no_timeout,
    .forward = forward,
};
