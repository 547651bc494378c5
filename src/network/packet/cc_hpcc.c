/* hpcc: High Precision Congestion Control (Li et al., SIGCOMM 2019), rate-based form.
 *
 * Every hop reports time, bytes sent, queue and rate B. Between two reports of hop i
 *
 *   u_i = txRate_i / B_i + min(q_i, q_i') Rmax / (B_i W)          (paper: eq. 2)
 *   U   = (1 - tau/T) U + (tau/T) max_i u_i                       (algorithm 1, lines 3-10)
 *   c   = U / eta;  c >= 1 or stage = limit: R = Rc / c + R_AI, stage = 0; else R = Rc + R_AI
 *
 * tau the age of the report with the largest u, at most the base round trip T; W the window at line
 * rate; eta 0.95. The reference rate Rc moves once a round trip; in between (fast reaction) only R
 * does. The paper bounds the window by W c; here the window follows the rate, which is the same.
 * multi_rate keeps U, Rc and stage a hop and takes the least R. sample_feedback ignores hops with
 * an empty queue in between. */
#include "network/packet/steady.h"
#include "network/packet/telemetry.h"

struct hop {
    double u;
    uint64_t rate; /* Rc */
    uint32_t stage;
    uint32_t last_update; /* of the path: packets sent when Rc last moved; 0: no ACK yet */
};

enum { PADDED_HOPS = NADI_INT_HOPS + 1 }; /* hops are looked at two by two */

typedef double pair __attribute__((vector_size(16)));
typedef uint64_t words __attribute__((vector_size(16)));

struct state {
    struct hop path;
    uint64_t last[NADI_INT_HOPS];   /* the reports of the last ACK */
    struct hop hops[NADI_INT_HOPS]; /* only with multi_rate: else the state is a cache line */
};

struct change { /* what one ACK says */
    double u;   /* the largest */
    nadi_time tau;
    uint32_t updated; /* a bit a hop */
    uint64_t rate;
    uint32_t stage;
};

static void start(struct nadi_pkt *net, uint32_t flow)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const struct hop begin = {.u = 1, .rate = net->flows[flow].line_rate};
    s->path = begin;
    for (uint32_t i = 0; i < NADI_INT_HOPS && net->config.hpcc.multi_rate; i++)
        s->hops[i] = begin;
}

static uint64_t clamp(const struct nadi_pkt *net, uint32_t flow, uint64_t rate)
{
    const uint64_t most = net->flows[flow].line_rate;
    if (rate < net->config.min_rate)
        rate = net->config.min_rate;
    return rate > most ? most : rate;
}

/* Base round trip in ns, as the reports count. */
static int64_t base_ns(const struct nadi_pkt *net, uint32_t flow)
{
    const nadi_time ticks = net->flows[flow].base_rtt;
    return net->config.exact ? ticks : ticks * net->tick / NADI_PS_PER_NS;
}

static double average(double u, double sample, int64_t tau, int64_t base)
{
    return (u * (double)(base - tau) + sample * (double)tau) / (double)base;
}

/* Algorithm 1, lines 14-22. Rates are below 2^63, which the compiler does not know. */
static uint64_t step(const struct nadi_pkt *net, uint32_t flow, const struct hop *h,
                     uint32_t *stage)
{
    const double c = h->u / net->config.hpcc.target;
    uint64_t rate;
    if (c >= 1 || h->stage >= net->config.hpcc.mi_threshold) {
        const double scaled = (double)(int64_t)h->rate / c;
        rate = nadi_count_trunc_to(scaled, NADI_PKT_MOST_RATE) + net->config.rate_ai;
        *stage = 0;
    } else {
        rate = h->rate + net->config.rate_ai;
        *stage = h->stage + 1;
    }
    return clamp(net, flow, rate);
}

/* What one ACK says of each hop. */
struct news {
    double u[PADDED_HOPS];
    uint64_t tau[PADDED_HOPS]; /* ns */
};

/* Whole numbers below 2^52, exactly: they are put where the fraction of 2^52 has its last bits. */
static inline pair to_doubles(words whole)
{
    const double power = 4503599627370496.0;
    const pair powers = {power, power};
    words bits;
    pair sum;
    memcpy(&bits, &powers, sizeof(bits));
    bits |= whole;
    memcpy(&sum, &bits, sizeof(sum));
    return sum - powers;
}

/* Equation 2 for two hops at once, the second `step` behind the first (0: the same), as a division
 * of two takes as long as one. Products with a unit are exact: they have at most 52 bits. */
static inline void utilisation(const struct nadi_pkt *net, const struct nadi_pkt_flow *f,
                               const uint64_t *reports, const uint64_t *last, uint32_t step,
                               double *u, uint64_t *tau)
{
    const double multiple = net->config.hpcc.int_multiple;
    const double bits_unit = 8 * NADI_INT_BYTES_UNIT * multiple;
    const double queue_unit = NADI_INT_QUEUE_UNIT * multiple;
    const double most = (double)(int64_t)f->line_rate, window = (double)(int64_t)f->window_bytes;
    const words now = {reports[0], reports[step]}, before = {last[0], last[step]};
    const pair line = {nadi_int_rate(net, now[0]), nadi_int_rate(net, now[1])};
    const words apart = ((now >> NADI_INT_TIME_AT) - (before >> NADI_INT_TIME_AT)) &
                        ((1U << NADI_INT_TIME_BITS) - 1);
    const words bytes = ((now >> NADI_INT_SENT_AT) - (before >> NADI_INT_SENT_AT)) &
                        ((1U << NADI_INT_BYTES_BITS) - 1);
    const words queue = now >> NADI_INT_QUEUE_AT, earlier = before >> NADI_INT_QUEUE_AT;
    const words less = (words)(to_doubles(queue) < to_doubles(earlier));
    const pair least = to_doubles((queue & less) | (earlier & ~less));
    const pair sent = to_doubles(bytes) * bits_unit / (to_doubles(apart) * 1e-9);
    const pair sum = sent / line + least * queue_unit * most / line / window;
    memcpy(u, &sum, sizeof(sum));
    memcpy(tau, &apart, sizeof(apart));
}

/* The busiest hop; what each said is kept. */
static inline struct change busiest(struct state *s, const struct news *news,
                                    const uint64_t *reports, uint32_t hops)
{
    struct change change = {.updated = (1U << hops) - 1};
    for (uint32_t i = 0; i < hops; i++) {
        const bool more = news->u[i] > change.u;
        change.u = more ? news->u[i] : change.u;
        change.tau = more ? (nadi_time)news->tau[i] : change.tau;
        s->last[i] = reports[i];
    }
    return change;
}

/* The same where hops are looked at one by one. */
static NADI_SELDOM struct change each_hop(const struct nadi_pkt *net, struct state *s,
                                          const struct news *news, const uint64_t *reports,
                                          uint32_t hops, bool fast, int64_t base)
{
    struct change change = {0};
    for (uint32_t i = 0; i < hops; i++) {
        const nadi_time tau = (nadi_time)news->tau[i];
        if (fast && net->config.hpcc.sample_feedback && nadi_int_queue(reports[i]) == 0)
            continue;
        if (news->u[i] > change.u) {
            change.u = news->u[i];
            change.tau = tau;
        }
        if (net->config.hpcc.multi_rate)
            s->hops[i].u = average(s->hops[i].u, news->u[i], tau < base ? tau : base, base);
        s->last[i] = reports[i];
        change.updated |= 1U << i;
    }
    return change;
}

static struct change read_reports(struct nadi_pkt *net, uint32_t flow, const uint64_t *reports,
                                  uint32_t hops, bool fast)
{
    const struct nadi_hpcc_config *c = &net->config.hpcc;
    struct state *s = nadi_pkt_cc_state(net, flow);
    struct news news;
    const int64_t base = base_ns(net, flow);
    for (uint32_t i = 0; i < hops; i += 2)
        utilisation(net, &net->flows[flow], reports + i, s->last + i, i + 1 < hops, news.u + i,
                    news.tau + i);
    const struct change change = NADI_UNLIKELY(c->multi_rate || c->sample_feedback)
                                     ? each_hop(net, s, &news, reports, hops, fast, base)
                                     : busiest(s, &news, reports, hops);
    if (change.updated)
        s->path.u = average(s->path.u, change.u, change.tau < base ? change.tau : base, base);
    return change;
}

static void update_path(struct nadi_pkt *net, uint32_t flow, bool fast)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    uint32_t stage;
    const uint64_t rate = step(net, flow, &s->path, &stage);
    nadi_pkt_set_rate(net, flow, rate, true);
    if (!fast) {
        s->path.rate = rate;
        s->path.stage = stage;
    }
}

static void update_hops(struct nadi_pkt *net, uint32_t flow, uint32_t hops, uint32_t updated,
                        bool fast)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    uint64_t least = net->flows[flow].line_rate;
    for (uint32_t i = 0; i < hops; i++) {
        uint32_t stage = s->hops[i].stage;
        uint64_t rate = s->hops[i].rate;
        if (updated >> i & 1)
            rate = step(net, flow, &s->hops[i], &stage);
        least = nadi_min_u64(least, rate);
        if (!fast) {
            s->hops[i].rate = rate;
            s->hops[i].stage = stage;
        }
    }
    nadi_pkt_set_rate(net, flow, least, true);
}

static void on_ack(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_ack *ack)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    const uint32_t sent = net->flows[flow].next;
    const bool fast = ack->seq <= s->path.last_update;
    if (ack->mark_alone || (fast && !net->config.hpcc.fast_react))
        return;
    const uint32_t place = net->int_of[ack->packet], hops = nadi_pkt_int_hops(place);
    const uint64_t *reports = nadi_pkt_int_record(net, place);
    if (hops > NADI_INT_HOPS)
        return;
    if (s->path.last_update == 0) {
        s->path.last_update = sent;
        memcpy(s->last, reports, hops * sizeof(*reports));
        return;
    }
    const struct change change = read_reports(net, flow, reports, hops, fast);
    if (change.updated && net->config.hpcc.multi_rate)
        update_hops(net, flow, hops, change.updated, fast);
    else if (change.updated)
        update_path(net, flow, fast);
    if (!fast && sent > s->path.last_update)
        s->path.last_update = sent;
}

static void write_hop(struct nadi_pkt_pen *pen, const struct hop *h)
{
    nadi_pkt_put_double(pen, h->u);
    nadi_pkt_put(pen, h->rate);
    nadi_pkt_put(pen, h->stage);
}

/* Reports by hop, as seen from now; what they will count from: the clock and what ports have sent.
 */
static void write_state(const struct nadi_pkt *net, uint32_t flow, struct nadi_pkt_pen *pen)
{
    const struct state *s = nadi_pkt_cc_state(net, flow);
    const bool begun = s->path.last_update > 0;
    write_hop(pen, &s->path);
    nadi_pkt_put_two(pen, begun, begun ? s->path.last_update - net->flows[flow].una : 0);
    for (uint32_t i = 0; i < NADI_INT_HOPS && net->config.hpcc.multi_rate; i++)
        write_hop(pen, &s->hops[i]);
    for (uint32_t i = 0; i < NADI_INT_HOPS; i++) {
        const uint32_t port = nadi_pkt_path_port(net, flow, false, i);
        if (net->ports[port].to_host)
            return;
        const uint32_t next = nadi_pkt_path_port(net, flow, false, i + 1);
        const nadi_time since = net->wheel.now - nadi_int_origin(net, next);
        nadi_pkt_put(pen, (uint64_t)(since % nadi_int_time_unit(net)));
        nadi_pkt_put(pen, net->sent[next].bytes % nadi_int_bytes_unit(net));
        nadi_pkt_put(pen, begun ? nadi_int_from_now(net, next, s->last[i]) : 0);
    }
}

static void forward(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_forward *forward)
{
    struct state *s = nadi_pkt_cc_state(net, flow);
    if (s->path.last_update == 0)
        return;
    s->path.last_update += forward->packets;
    for (uint32_t i = 0; i < NADI_INT_HOPS; i++) {
        if (net->ports[nadi_pkt_path_port(net, flow, false, i)].to_host)
            return;
        const uint32_t next = nadi_pkt_path_port(net, flow, false, i + 1);
        s->last[i] = nadi_int_later(net, s->last[i], forward->ticks, forward->bytes[next]);
    }
}

const struct nadi_cc_ops nadi_cc_hpcc = {
    .name = "hpcc",
    .summary = "HPCC (SIGCOMM 2019): switches report bytes sent and queue in every packet; the "
               "sender keeps the busiest link of its route at 95 %.",
    .hpcc_mode = 3,
    .telemetry = NADI_TELEMETRY_INT,
    .state_bytes = offsetof(struct state, hops),
    .multi_rate_bytes = sizeof(struct state),
    .steady = true,
    .rescales = true,
    .start = start,
    .on_ack = on_ack,
    .on_timer = nadi_cc_no_timer,
    .on_timeout = nadi_cc_no_timeout,
    .write = write_state,
    .forward = forward,
};
