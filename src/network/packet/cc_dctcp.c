/* dctcp: DCTCP (Alizadeh et al., SIGCOMM 2010), in the rate-based form of the HPCC simulator.
 *
 * Once a round trip alpha = (1 - g) alpha + g F, F the marked share of its packets (paper: eq. 1).
 * At a mark, at most once a round trip, R = R (1 - alpha / 2) (paper: eq. 2); a round trip without
 * a reduction adds dctcp_rate_ai. */
#include "base/time.h"
#include "network/packet/steady.h"

struct state {
    double alpha;
    uint32_t marks, batch; /* of this round trip: marked, and packets in it */
    uint32_t last_update;  /* packets sent at its begin; 0: no ACK yet */
    uint32_t reduced_at;   /* packets sent at the last reduction */
    uint32_t round_trips;
    bool reduced; /* and none of those that were sent since is acknowledged */
};

static void start(struct nadi_pkt *net, uint32_t flow)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    s->alpha = 1;
}

/* Packets in flight and one; the last one counts when it is full. */
static uint32_t batch_of(const struct nadi_pkt *net, const struct nadi_pkt_flow *f, uint32_t seq)
{
    const bool rest = f->next == f->packets && f->payload_bytes < net->config.payload_bytes;
    return f->next - seq + 1 - (rest && f->next > seq);
}

/* True once a round trip. */
static bool end_round_trip(const struct nadi_pkt *net, uint32_t flow, struct state *s, uint32_t seq)
{
    const struct nadi_pkt_flow *f = &net->flows[flow];
    const uint32_t sent = f->next;
    if (seq <= s->last_update)
        return false;
    if (s->last_update == 0)
        s->batch = batch_of(net, f, 0);
    else {
        const double share = s->marks < s->batch ? (double)s->marks / s->batch : 1;
        s->alpha = (1 - net->config.gain) * s->alpha + net->config.gain * share;
        s->marks = 0;
        s->batch = batch_of(net, f, seq);
    }
    s->last_update = sent;
    s->round_trips++;
    return true;
}

static void on_ack(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_ack *ack)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const struct nadi_pkt_flow *f = &net->flows[flow];
    s->marks += ack->marked;
    const bool round_trip = end_round_trip(net, flow, s, ack->seq);
    if (s->reduced && ack->seq > s->reduced_at)
        s->reduced = false;
    if (ack->marked && !s->reduced) {
        const uint64_t rate = nadi_count_trunc((double)f->rate * (1 - s->alpha / 2));
        s->reduced = true;
        s->reduced_at = f->next;
        nadi_pkt_set_rate(net, flow, nadi_max_u64(rate, net->config.min_rate), false);
    }
    if (round_trip && !s->reduced)
        nadi_pkt_set_rate(net, flow,
                          nadi_min_u64(f->rate + net->config.dctcp_rate_ai, f->line_rate), false);
}

/* Alpha counts at marks only. */
static void write_state(const struct nadi_pkt *net, uint32_t flow, struct nadi_pkt_pen *pen)
{
    const struct state *s = nadi_pkt_cc_state(net, flow);
    const uint32_t una = net->flows[flow].una;
    nadi_pkt_put_two(pen, s->marks, s->batch);
    nadi_pkt_put_two(pen, s->last_update > 0, s->last_update ? s->last_update - una : 0);
    nadi_pkt_put_two(pen, s->reduced, s->reduced ? s->reduced_at - una : 0);
}

/* So many round trips without a mark, until that changes nothing any more. */
static double decayed(double alpha, double gain, uint64_t round_trips)
{
    for (; round_trips > 0; round_trips--) {
        const double next = (1 - gain) * alpha;
        if (next >= alpha)
            break;
        alpha = next;
    }
    return alpha;
}

static void forward(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_forward *forward)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const struct state *then = forward->then;
    const uint64_t more = s->round_trips - then->round_trips;
    s->alpha = decayed(s->alpha, net->config.gain, forward->periods * more);
    s->round_trips += (uint32_t)(forward->periods * more);
    if (s->last_update > 0)
        s->last_update += forward->packets;
    s->reduced_at += s->reduced ? forward->packets : 0;
}

const struct nadi_cc_ops nadi_cc_dctcp = {
    .full_alone = true,
    .name = "dctcp",
    .summary = "DCTCP (SIGCOMM 2010): cuts once a round trip by the share of marked packets.",
    .hpcc_mode = 8,
    .needs_marks = true,
    .state_bytes = sizeof(struct state),
    .steady = true,
    .start = start,
    .on_ack = on_ack,
    .on_timer = nadi_cc_no_timer,
    .on_timeout = nadi_cc_no_timeout,
    .write = write_state,
    .forward = forward,
};
