/* timely: TIMELY (Mittal et al., SIGCOMM 2015), with its hyperactive increase.
 *
 * Once a round trip, with d the average change of the round-trip time and g = d / minRTT:
 *
 *   d = (1 - a) d + a (rtt - rtt');  rtt < Tlow: increase;  rtt > Thigh: R (1 - b (1 - Thigh/rtt));
 *   g <= 0: increase;  else R (1 - b g)                                       (paper: algorithm 1)
 *
 * a 0.875, b 0.8, Tlow 50 us, Thigh 500 us, minRTT 20 us. An increase adds R_AI, after five in a
 * row R_HAI. */
#include "base/time.h"
#include "network/packet/steady.h"

#include <math.h>

struct state {
    nadi_time last_rtt;
    double difference;
    uint64_t rate;
    uint32_t stage;
    uint32_t last_update; /* packets sent at the last update; 0: no ACK yet */
    uint32_t updates;
    uint32_t
        felt; /* of them, those at which the difference counted or the round trip had changed */
};

static void start(struct nadi_pkt *net, uint32_t flow)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    s->rate = net->flows[flow].line_rate;
}

static void increase(const struct nadi_pkt *net, uint32_t flow, struct state *s)
{
    const bool large = s->stage >= net->config.timely.hyper_after;
    s->rate += large ? net->config.rate_hai : net->config.rate_ai;
    s->rate = nadi_min_u64(s->rate, net->flows[flow].line_rate);
    if (!large)
        s->stage++;
}

static void decrease(const struct nadi_pkt *net, struct state *s, double factor)
{
    s->rate = nadi_max_u64(nadi_count_trunc((double)s->rate * factor), net->config.min_rate);
    s->stage = 0;
}

static void update(struct nadi_pkt *net, uint32_t flow, nadi_time rtt)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const struct nadi_timely_config *c = &net->config.timely;
    const nadi_time low = c->low / net->tick, high = c->high / net->tick;
    const nadi_time least = c->least_rtt / net->tick;
    s->updates++;
    s->felt += rtt >= low || rtt != s->last_rtt;
    s->difference = (1 - c->alpha) * s->difference + c->alpha * (double)(rtt - s->last_rtt);
    const double gradient = s->difference / (double)least;
    if (rtt < low)
        increase(net, flow, s);
    else if (rtt > high)
        decrease(net, s, 1 - c->beta * (1 - (double)high / (double)rtt));
    else if (gradient <= 0)
        increase(net, flow, s);
    else
        decrease(net, s, c->beta * gradient < 1 ? 1 - c->beta * gradient : 0);
    nadi_pkt_set_rate(net, flow, s->rate, false);
}

static void on_ack(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_ack *ack)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const nadi_time rtt = net->wheel.now - net->stamps[ack->packet];
    const uint32_t sent = net->flows[flow].next;
    if (ack->mark_alone)
        return;
    if (s->last_update == 0) {
        s->last_update = sent;
        s->last_rtt = rtt;
        return;
    }
    if (ack->seq <= s->last_update)
        return;
    update(net, flow, rtt);
    if (sent > s->last_update) {
        s->last_update = sent;
        s->last_rtt = rtt;
    }
}

/* With equal round trips below Tlow the difference fades away, and has no effect. */
static bool fades(const struct state *s)
{
    return fabs(s->difference) < 0x1p-20;
}

static void write_state(const struct nadi_pkt *net, uint32_t flow, struct nadi_pkt_pen *pen)
{
    const struct state *s = nadi_pkt_cc_state(net, flow);
    nadi_pkt_put(pen, s->rate);
    nadi_pkt_put(pen, (uint64_t)s->last_rtt);
    nadi_pkt_put_two(pen, s->last_update > 0,
                     s->last_update ? s->last_update - net->flows[flow].una : 0);
    nadi_pkt_put_two(pen, s->stage, fades(s) ? s->felt : 0);
    nadi_pkt_put_double(pen, fades(s) ? 0 : s->difference);
}

/* After so many updates at equal round trips, until they change nothing any more. */
static double faded(double difference, double alpha, uint64_t updates)
{
    for (; updates > 0; updates--) {
        const double next = (1 - alpha) * difference + alpha * 0.0;
        if (fabs(next) >= fabs(difference))
            break;
        difference = next;
    }
    return difference;
}

static void forward(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_forward *forward)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const struct state *then = forward->then;
    const uint64_t more = forward->periods * (s->updates - then->updates);
    if (fades(s))
        s->difference = faded(s->difference, net->config.timely.alpha, more);
    s->updates += (uint32_t)more;
    s->felt += (uint32_t)(forward->periods * (s->felt - then->felt));
    if (s->last_update > 0)
        s->last_update += forward->packets;
}

const struct nadi_cc_ops nadi_cc_timely = {
    .full_alone = true,
    .name = "timely",
    .summary = "TIMELY (SIGCOMM 2015): the rate follows the gradient of the round-trip time.",
    .hpcc_mode = 7,
    .telemetry = NADI_TELEMETRY_TIME,
    .state_bytes = sizeof(struct state),
    .steady = true,
    .start = start,
    .on_ack = on_ack,
    .on_timer = nadi_cc_no_timer,
    .on_timeout = nadi_cc_no_timeout,
    .write = write_state,
    .forward = forward,
};
