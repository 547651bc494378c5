/* swift: Swift (Kumar et al., SIGCOMM 2020), fabric window. With w the window in packets:
 *
 *   target = base + per_hop hops + clamp(a / sqrt(w) + b, 0, range)              (paper: 3.2, eq.
 * 2) a = range / (1 / sqrt(wmin) - 1 / sqrt(wmax)), b = -a / sqrt(wmax) delay < target: w += ai
 * acked / w  (w >= 1)  or  ai acked  (w < 1)           (algorithm 1) else, once a round trip: w *=
 * max(1 - beta (delay - target) / delay, 1 - mdf)
 *
 * Timeout: w *= 1 - mdf, after five in a row the least window. Below one packet the window is
 * paced: a packet each rtt / w. The delay is the round-trip time of the packet acknowledged. ai 1,
 * beta 0.8, mdf 0.5, wmin 0.1, wmax 100, base 20 us, per_hop base / 6.55, range 5 base; but the
 * base is never below 1.25 empty round trips of the pair, or a long network could not be filled. */
#include "base/time.h"
#include "network/packet/steady.h"

#include <math.h>

enum {
    LEAST_AFTER = 5, /* timeouts in a row */
    LONG_OVER = 16,  /* round trips */
};

struct state {
    double window; /* packets */
    nadi_time decreased_at, rtt;
    uint32_t acked;
    uint32_t late; /* ACKs that came beyond the target */
};

static double most_window(const struct nadi_pkt *net, uint32_t flow)
{
    const double most = nadi_pkt_initial_packets(net, flow);
    return most > 1 ? most : 1;
}

/* Window and pacing of the flow. */
static void apply(struct nadi_pkt *net, uint32_t flow, struct state *s)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    const double least = 0.001, most = most_window(net, flow);
    s->window = s->window < least ? least : s->window > most ? most : s->window;
    nadi_pkt_set_window(net, flow, s->window > 1 ? (uint32_t)s->window : 1);
    uint64_t rate = f->line_rate;
    if (s->window < 1 && s->rtt > 0) {
        const double bits = (double)(net->config.payload_bytes + net->frames.data_overhead) * 8;
        const double seconds = (double)s->rtt * (double)net->tick * 1e-12;
        const double paced = bits * s->window / seconds;
        rate = paced < (double)rate ? nadi_max_u64(nadi_count_trunc(paced), 1) : rate;
    }
    nadi_pkt_set_rate(net, flow, rate, true);
}

static void start(struct nadi_pkt *net, uint32_t flow)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    s->window = most_window(net, flow);
    s->rtt = net->flows[flow].base_rtt;
    s->decreased_at = -1;
    apply(net, flow, s);
}

/* Hops of the flow's route there, switches passed. */
static uint32_t hops_of(const struct nadi_pkt *net, uint32_t flow)
{
    uint32_t hop = 0;
    while (!net->ports[net->ports[nadi_pkt_path_port(net, flow, false, hop)].peer].is_host)
        hop++;
    return hop;
}

static double target_of(const struct nadi_pkt *net, uint32_t flow, const struct state *s)
{
    const struct nadi_swift_config *c = &net->config.swift;
    const double least = 1.25 * (double)net->flows[flow].base_rtt;
    const nadi_time target = c->base_target / net->tick, hop = c->per_hop / net->tick;
    const double fixed = (double)target;
    const double base = fixed > least ? fixed : least;
    const double range = c->scale_range * base;
    const double a = range / (1 / sqrt(c->scale_min_cwnd) - 1 / sqrt(c->scale_max_cwnd));
    const double b = -a / sqrt(c->scale_max_cwnd);
    const double scaled = a / sqrt(s->window) + b;
    const double flow_scaling = scaled < 0 ? 0 : scaled > range ? range : scaled;
    return base + (double)hop * hops_of(net, flow) + flow_scaling;
}

static void on_ack(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_ack *ack)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const struct nadi_swift_config *c = &net->config.swift;
    if (ack->mark_alone)
        return;
    const nadi_time now = net->wheel.now, delay = now - net->stamps[ack->packet];
    const uint32_t acked = ack->seq > s->acked ? ack->seq - s->acked : 0;
    const double target = target_of(net, flow, s);
    s->acked += acked;
    s->late += (double)delay >= target;
    if ((double)delay < target)
        s->window += s->window >= 1 ? c->additive * acked / s->window : c->additive * acked;
    else if (s->decreased_at < 0 || now - s->decreased_at >= s->rtt) {
        const double factor = 1 - c->beta * ((double)delay - target) / (double)delay;
        s->window *= factor > 1 - c->max_decrease ? factor : 1 - c->max_decrease;
        s->decreased_at = now;
    }
    s->rtt = delay;
    apply(net, flow, s);
}

static void on_timeout(struct nadi_pkt *net, uint32_t flow)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    s->window = net->flows[flow].timeouts >= LEAST_AFTER
                    ? 0
                    : s->window * (1 - net->config.swift.max_decrease);
    s->decreased_at = net->wheel.now;
    apply(net, flow, s);
}

/* When it last decreased has no effect where that is long over and nothing comes late. */
static bool is_long_over(const struct nadi_pkt *net, const struct state *s)
{
    return s->decreased_at < 0 ||
           net->wheel.now - s->decreased_at > nadi_time_mul(s->rtt, LONG_OVER);
}

static void write_state(const struct nadi_pkt *net, uint32_t flow, struct nadi_pkt_pen *pen)
{
    const struct state *s = nadi_pkt_cc_state(net, flow);
    const bool over = is_long_over(net, s);
    nadi_pkt_put_double(pen, s->window);
    nadi_pkt_put(pen, (uint64_t)s->rtt);
    nadi_pkt_put_two(pen, s->acked - net->flows[flow].una, over ? s->late : 0);
    nadi_pkt_put(pen, over ? UINT64_MAX : (uint64_t)(net->wheel.now - s->decreased_at));
}

static void forward(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_forward *forward)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const struct state *then = forward->then;
    s->acked += forward->packets;
    if (!is_long_over(net, s))
        s->decreased_at += forward->ticks;
    s->late += (uint32_t)forward->periods * (s->late - then->late);
}

const struct nadi_cc_ops nadi_cc_swift = {
    .name = "swift",
    .summary = "Swift (SIGCOMM 2020): a window that follows the round-trip time, held near a "
               "target that grows with hops and with small windows; paced below one packet.",
    .telemetry = NADI_TELEMETRY_TIME,
    .needs_window = true,
    .state_bytes = sizeof(struct state),
    .steady = true,
    .rescales = true,
    .start = start,
    .on_ack = on_ack,
    .on_timer = nadi_cc_no_timer,
    .on_timeout = on_timeout,
    .write = write_state,
    .forward = forward,
};
