/* dcqcn: DCQCN (Zhu et al., SIGCOMM 2015), reaction point.
 *
 *   first mark:      Rt = R, alpha = 1, timers start
 *   alpha timer:     alpha = (1 - g) alpha + g [a mark since the last time]      (paper: eq. 1, 2)
 *   decrease timer:  after a mark Rt = R, R = R (1 - alpha / 2), stages = 0      (paper: eq. 1)
 *   increase:        stages below F: R = (R + Rt) / 2                            (paper: eq. 3)
 *                    F of one of the two:  Rt += R_AI, then the same             (paper: eq. 4)
 *                    both beyond F:        Rt += R_HAI, then the same
 *
 * An increase happens each `increase_interval` and, where `increase_bytes` is set, each time so
 * many bytes were acknowledged. As the NICs do it (and the HPCC simulator), decreases are acted on
 * once a `decrease_interval` and the target moves only when the rate has risen since, unless
 * clamp_target. */
#include "base/time.h"
#include "network/packet/internal.h"

enum { ALPHA, DECREASE, INCREASE }; /* timers */

struct state {
    double alpha;
    uint64_t target;
    uint32_t time_stage, byte_stage;
    uint32_t counted; /* packets acknowledged when byte_stage last moved */
    bool started, marked_alpha, marked_rate;
};

static void start(struct nadi_pkt *net, uint32_t flow)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    s->target = net->flows[flow].rate;
}

static void on_mark(struct nadi_pkt *net, uint32_t flow, struct state *s)
{
    const struct nadi_dcqcn_config *c = &net->config.dcqcn;
    s->marked_alpha = s->started; /* the first mark sets alpha itself */
    s->marked_rate = true;
    if (s->started)
        return;
    s->started = true;
    s->alpha = 1;
    s->target = net->flows[flow].rate;
    nadi_pkt_set_timer(net, flow, ALPHA, c->alpha_interval / net->tick);
    nadi_pkt_set_timer(net, flow, DECREASE, (c->decrease_interval + NADI_PS_PER_NS) / net->tick);
}

static void decrease(struct nadi_pkt *net, uint32_t flow, struct state *s)
{
    const uint64_t rate = net->flows[flow].rate;
    s->marked_rate = false;
    if (net->config.dcqcn.clamp_target || s->time_stage || s->byte_stage)
        s->target = rate;
    s->time_stage = s->byte_stage = 0;
    const uint64_t lower = nadi_count_trunc((double)rate * (1 - s->alpha / 2));
    nadi_pkt_set_rate(net, flow, nadi_max_u64(lower, net->config.min_rate), false);
    nadi_pkt_set_timer(net, flow, INCREASE, net->config.dcqcn.increase_interval / net->tick);
}

static void increase(struct nadi_pkt *net, uint32_t flow, struct state *s)
{
    const uint32_t recovery = net->config.dcqcn.fast_recovery;
    const bool by_bytes = net->config.dcqcn.increase_bytes > 0;
    const uint32_t bytes = by_bytes ? s->byte_stage : s->time_stage;
    const struct nadi_pkt_flow *f = &net->flows[flow];
    if (s->time_stage > recovery && bytes > recovery)
        s->target += net->config.rate_hai;
    else if (s->time_stage >= recovery || bytes >= recovery)
        s->target += net->config.rate_ai;
    s->target = nadi_min_u64(s->target, f->line_rate);
    nadi_pkt_set_rate(net, flow, f->rate / 2 + s->target / 2, false);
}

static void on_ack(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_ack *ack)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const uint64_t step = net->config.dcqcn.increase_bytes;
    const bool started = s->started;
    if (ack->marked)
        on_mark(net, flow, s);
    if (!started)
        s->counted = s->started ? ack->seq : 0;
    else if (step && (uint64_t)(ack->seq - s->counted) * net->config.payload_bytes >= step) {
        s->counted = ack->seq;
        increase(net, flow, s);
        s->byte_stage++;
    }
}

static void on_timer(struct nadi_pkt *net, uint32_t flow, uint32_t which)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const struct nadi_dcqcn_config *c = &net->config.dcqcn;
    const double g = net->config.gain;
    switch (which) {
    case ALPHA:
        s->alpha = (1 - g) * s->alpha + (s->marked_alpha ? g : 0);
        s->marked_alpha = false;
        nadi_pkt_set_timer(net, flow, ALPHA, c->alpha_interval / net->tick);
        return;
    case DECREASE:
        nadi_pkt_set_timer(net, flow, DECREASE, c->decrease_interval / net->tick);
        if (s->marked_rate)
            decrease(net, flow, s);
        return;
    case INCREASE:
        nadi_pkt_set_timer(net, flow, INCREASE, c->increase_interval / net->tick);
        increase(net, flow, s);
        s->time_stage++;
        return;
    default:
        NADI_BUG("no such timer");
    }
}

/* Up to the next increase by bytes. */
static uint32_t unchanged(const struct nadi_pkt *net, uint32_t flow)
{
    const struct state *s = nadi_pkt_cc_state(net, flow);
    const uint64_t step = net->config.dcqcn.increase_bytes, payload = net->config.payload_bytes;
    if (!s->started || !step)
        return UINT32_MAX;
    const uint64_t counted = net->flows[flow].una - s->counted;
    const uint64_t due = step / payload + (step % payload > 0);
    return counted < due ? (uint32_t)nadi_min_u64(due - 1 - counted, UINT32_MAX) : 0;
}

const struct nadi_cc_ops nadi_cc_dcqcn = {
    .full_alone = true,
    .name = "dcqcn",
    .summary = "DCQCN (SIGCOMM 2015): the receiver answers ECN marks with CNPs; the sender cuts "
               "its rate by an estimate of how often, and recovers by timers.",
    .hpcc_mode = 1,
    .needs_marks = true,
    .notifies = true,
    .state_bytes = sizeof(struct state),
    .steady = true,
    .start = start,
    .on_ack = on_ack,
    .on_timer = on_timer,
    .on_timeout = nadi_cc_no_timeout,
    .unchanged = unchanged,
};
