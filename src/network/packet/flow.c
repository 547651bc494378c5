/* flow: the life of a flow and its timers. A flow is a queue pair while something is under way on
 * it: it carries one message, or several one after another (messages.h). */
#include "base/mem.h"
#include "network/packet/messages.h"
#include "network/packet/packet.h"

/* Exact mode: a flow is an application there, which is initialised and started by two events of its
 * own at the same time. */
enum { EXACT_DEFERRALS = 2 };

#define MOST_WINDOW (UINT64_C(1) << 62) /* bytes: more than any message has */

static void more_flows(struct nadi_pkt *net)
{
    const size_t old = net->flow_capacity, capacity = old ? old * 2 : 64;
    net->flows = nadi_pkt_lines_grow(net->flows, old, capacity, sizeof(*net->flows));
    net->receivers = nadi_mem_realloc(net->receivers, capacity, sizeof(*net->receivers));
    net->infos = nadi_mem_realloc(net->infos, capacity, sizeof(*net->infos));
    net->paths = nadi_mem_realloc(net->paths, capacity * 2 * net->path_hops, sizeof(*net->paths));
    if (net->selective) {
        net->tracks = nadi_mem_realloc(net->tracks, capacity, sizeof(*net->tracks));
        memset(net->tracks + old, 0, (capacity - old) * sizeof(*net->tracks));
    }
    if (net->state_bytes)
        net->cc_state = nadi_pkt_lines_grow(net->cc_state, old, capacity, net->state_bytes);
    net->flow_capacity = capacity;
}

static uint32_t new_flow(struct nadi_pkt *net)
{
    uint32_t flow = net->free_flow;
    if (flow != NADI_NONE) {
        net->free_flow = net->flows[flow].next;
        return flow;
    }
    if (net->flow_count == net->flow_capacity)
        more_flows(net);
    return net->flow_count++;
}

/* They count up for each pair of hosts. */
uint16_t nadi_pkt_next_port(struct nadi_pkt *net, uint32_t src, uint32_t dst)
{
    uint32_t *used = nadi_map64_put(&net->sports, (uint64_t)src << 32 | dst, 0, NULL);
    return (uint16_t)(NADI_PKT_FIRST_PORT + (*used)++);
}

/* Does the scheme compute with the window? Else it only bounds what is in flight. */
static bool builds_on_window(const struct nadi_cc_ops *cc)
{
    return cc->needs_window || cc->telemetry == NADI_TELEMETRY_INT ||
           cc->telemetry == NADI_TELEMETRY_PINT;
}

/* Returns the rate of the slowest cable of the route. */
static uint64_t choose_window(struct nadi_pkt *net, uint32_t flow)
{
    const struct nadi_packet_config *c = &net->config;
    struct nadi_pkt_flow *f = &net->flows[flow];
    const struct nadi_pkt_info *info = &net->infos[flow];
    uint64_t slowest;
    if (c->exact)
        nadi_pkt_routes_rtt(net, info->src, info->dst, &f->base_rtt, &slowest);
    else
        nadi_pkt_routes_own_rtt(net, flow, &f->base_rtt, &slowest);
    if (c->window_global)
        f->base_rtt = net->longest_rtt;
    const double ticks_per_byte = 8e12 / ((double)slowest * (double)net->tick);
    if (!c->window && !net->cc->needs_window)
        f->window_bytes = 0;
    else if (c->window_bytes)
        f->window_bytes = c->window_bytes;
    else if (c->window_global)
        f->window_bytes = net->largest_bdp;
    else if (c->exact)
        f->window_bytes = nadi_count_mul_div((uint64_t)f->base_rtt, slowest, 1000000000) / 8;
    else { /* with room for what is in the way, and what waits at the receiver for its ACK */
        const nadi_time wait = builds_on_window(net->cc) ? 0 : nadi_pkt_routes_wait(net, flow);
        f->window_bytes = nadi_count_add(
            nadi_count_trunc((double)nadi_time_add(f->base_rtt, wait) / ticks_per_byte),
            1 + (c->ack_interval_bytes > c->payload_bytes ? c->ack_interval_bytes : 0));
    }
    f->window_bytes = nadi_min_u64(f->window_bytes, MOST_WINDOW);
    return slowest;
}

static void begin(struct nadi_pkt *net, uint32_t flow)
{
    const uint32_t nic = net->ports[nadi_pkt_path_port(net, flow, false, 0)].owner;
    struct nadi_pkt_flow *f = &net->flows[flow];
    f->at_path_rate |= nadi_pkt_is_on_board(net, net->nics[nic].port);
    net->disturbances++;
    net->infos[flow].start = net->wheel.now;
    f->progress_at = net->wheel.now;
    const uint64_t slowest = choose_window(net, flow);
    if (net->selective)
        nadi_pkt_track_begin(net, flow);
    if (net->cc->receiver_driven)
        f->credits = nadi_pkt_initial_packets(net, flow);
    f->line_rate = f->rate =
        f->at_path_rate ? slowest : net->rates[net->ports[net->nics[nic].port].rate];
    nadi_pkt_nic_add(net, nic, flow);
    if (net->state_bytes)
        memset(nadi_pkt_cc_state(net, flow), 0, net->state_bytes);
    nadi_pkt_set_rate(net, flow, f->rate, false);
    net->cc->start(net, flow);
    nadi_pkt_nic_refresh(net, flow);
    if (net->config.rto)
        nadi_pkt_set_timer(net, flow, NADI_PKT_RTO, net->config.rto / net->tick);
    nadi_pkt_nic_kick(net, nic);
}

static void reset_receiver(struct nadi_pkt *net, uint32_t flow, uint32_t packets)
{
    net->receivers[flow] = (struct nadi_pkt_receiver){.end = packets, .nacked = NADI_NONE};
}

static void drop(struct nadi_pkt *net, uint32_t flow)
{
    net->flows[flow].next = net->free_flow;
    net->flows[flow].packets = 0;
    net->flows[flow].live = 0;
    net->free_flow = flow;
}

uint32_t nadi_pkt_flow_prepare(struct nadi_pkt *net, const struct nadi_pkt_flow_spec *spec)
{
    const uint32_t flow = new_flow(net), payload = net->config.payload_bytes;
    const uint64_t packets = nadi_pkt_packets_of(net, spec->bytes);
    NADI_ASSERT(packets < UINT32_MAX); /* nadi_packet_most_bytes */
    net->infos[flow] = (struct nadi_pkt_info){
        .src = spec->src,
        .dst = spec->dst,
        .sport = spec->has_queue_pair ? spec->sport : nadi_pkt_next_port(net, spec->src, spec->dst),
        .dport = spec->dport,
        .bytes = spec->bytes,
        .load_bytes = spec->bytes,
        .user = spec->user,
        .queue_pair = spec->has_queue_pair ? spec->queue_pair : NADI_NONE,
        .first = NADI_NONE,
        .arriving = NADI_NONE,
        .last = NADI_NONE,
    };
    reset_receiver(net, flow, (uint32_t)packets);
    net->flows[flow] = (struct nadi_pkt_flow){
        .packets = (uint32_t)packets,
        .payload_bytes = (uint16_t)(spec->bytes - (packets - 1) * payload),
        .class = spec->class,
        .at_path_rate = spec->at_path_rate,
        .live = 1, /* the NIC's list */
        .timers = {NADI_NONE, NADI_NONE, NADI_NONE, NADI_NONE},
    };
    if (nadi_pkt_routes_find(net, flow))
        return flow;
    drop(net, flow);
    if (!spec->has_queue_pair)
        --*nadi_map64_put(&net->sports, (uint64_t)spec->src << 32 | spec->dst, 0, NULL);
    return NADI_NONE;
}

void nadi_pkt_flow_unprepare(struct nadi_pkt *net, uint32_t flow)
{
    nadi_pkt_routes_load(net, flow, -(int64_t)net->infos[flow].load_bytes);
    drop(net, flow);
}

void nadi_pkt_flow_open(struct nadi_pkt *net, uint32_t flow)
{
    net->open_flows++;
    begin(net, flow);
}

/* The receiver grants what the sender's window says, and notes what has arrived. */
void nadi_pkt_flow_expect(struct nadi_pkt *net, uint32_t flow)
{
    if (net->cc->receiver_driven)
        (void)choose_window(net, flow);
    if (net->selective)
        nadi_pkt_track_begin(net, flow);
}

uint32_t nadi_pkt_flow_start(struct nadi_pkt *net, const struct nadi_pkt_flow_spec *spec)
{
    const uint32_t flow = nadi_pkt_flow_prepare(net, spec);
    if (flow == NADI_NONE)
        return NADI_NONE;
    if (!net->config.exact) {
        nadi_pkt_flow_open(net, flow);
        return flow;
    }
    net->open_flows++;
    nadi_pkt_schedule(net, nadi_pkt_new_cell(net, NADI_PKT_FLOW_BEGIN, flow, EXACT_DEFERRALS),
                      net->wheel.now);
    return flow;
}

void nadi_pkt_flow_begin(struct nadi_pkt *net, uint32_t cell)
{
    const uint32_t flow = net->cells[cell].a;
    if (--net->cells[cell].b > 0) {
        nadi_pkt_schedule(net, cell, net->wheel.now);
        return;
    }
    nadi_pkt_free_cell(net, cell);
    begin(net, flow);
}

nadi_time nadi_pkt_alone(struct nadi_pkt *net, uint32_t flow)
{
    const struct nadi_pkt_info *info = &net->infos[flow];
    const uint64_t packets = nadi_pkt_packets_of(net, info->bytes);
    nadi_time rtt, slowest = 0, sum = 0;
    uint64_t rate;
    if (net->config.exact) {
        nadi_pkt_routes_rtt(net, info->src, info->dst, &rtt, &rate);
        const uint64_t bytes = info->bytes + packets * UINT64_C(48);
        return nadi_time_add(rtt, nadi_time_trunc((double)bytes * 8e9 / (double)rate));
    }
    const uint32_t payload = net->config.payload_bytes;
    const uint32_t last =
        (uint32_t)(info->bytes - (packets - 1) * payload) + net->frames.data_overhead;
    const uint32_t full = payload + net->frames.data_overhead;
    for (uint32_t hop = 0;; hop++) {
        const struct nadi_pkt_port *port = &net->ports[nadi_pkt_path_port(net, flow, false, hop)];
        const nadi_time ticks = port->ticks[full].busy;
        slowest = ticks > slowest ? ticks : slowest;
        sum = nadi_time_add(sum, nadi_time_add(port->latency, port->ticks[last].arrives));
        if (net->ports[port->peer].is_host)
            return nadi_time_add(sum, nadi_time_mul(slowest, packets - 1));
    }
}

void nadi_pkt_flow_unref(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (--f->live)
        return;
    nadi_pkt_flow_forget(net, flow);
    f->next = net->free_flow;
    net->free_flow = flow;
}

/* Everything is acknowledged, or given up. */
static void close_flow(struct nadi_pkt *net, uint32_t flow)
{
    net->disturbances++;
    net->flows[flow].finished = true;
    net->open_flows--;
    nadi_pkt_routes_load(net, flow, -(int64_t)net->infos[flow].load_bytes);
    for (uint32_t i = 0; i <= NADI_PKT_TIMERS; i++)
        nadi_pkt_cancel_timer(net, flow, i);
    if (net->infos[flow].queue_pair != NADI_NONE)
        net->hooks.closed(net->hooks.context, net, flow);
}

void nadi_pkt_flow_finish(struct nadi_pkt *net, uint32_t flow)
{
    close_flow(net, flow);
    if (net->config.exact) /* which meets whatever still comes as the begin of a new one */
        reset_receiver(net, flow, net->flows[flow].packets);
    if (net->config.exact && net->hooks.finished)
        net->hooks.finished(net->hooks.context, net, flow);
}

void nadi_pkt_set_timer(struct nadi_pkt *net, uint32_t flow, uint32_t which, nadi_time delay)
{
    nadi_pkt_cancel_timer(net, flow, which);
    if (net->flows[flow].finished)
        return;
    const uint32_t cell = nadi_pkt_new_cell(net, NADI_PKT_FLOW_TIMER, flow, which);
    net->flows[flow].timers[which] = cell;
    net->flows[flow].live++;
    nadi_pkt_schedule(net, cell, nadi_time_add(net->wheel.now, delay));
}

void nadi_pkt_cancel_timer(struct nadi_pkt *net, uint32_t flow, uint32_t which)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (f->timers[which] == NADI_NONE)
        return;
    if (net->cells[f->timers[which]].kind == NADI_PKT_HELD_TIMER)
        nadi_pkt_free_cell(net, f->timers[which]);
    else
        net->cells[f->timers[which]].kind = NADI_PKT_DEAD_TIMER;
    f->timers[which] = NADI_NONE;
    f->live--; /* never the last one: the caller's packet or the NIC's list remains */
}

uint32_t nadi_pkt_initial_packets(const struct nadi_pkt *net, uint32_t flow)
{
    const uint64_t window = net->flows[flow].window_bytes;
    const uint64_t packets = (window + net->config.payload_bytes - 1) / net->config.payload_bytes;
    return packets > 1 ? (uint32_t)nadi_min_u64(packets, UINT32_MAX) : 1;
}

/* The NIC drops the flow at its next turn; what is still on its way finds it finished. */
static void abandon(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    net->totals.abandoned++;
    f->abandoned = true;
    f->una = f->next = f->packets;
    f->repeats = 0;
    close_flow(net, flow);
    nadi_pkt_nic_refresh(net, flow);
}

/* Nothing has moved anywhere for longer than anything can be on its way: what is paused now stays
 * paused, because buffers wait for each other in a circle. */
static bool stands_still(const struct nadi_pkt *net)
{
    return !net->recalling && net->wheel.now - net->moved_at > net->still_after;
}

static bool is_paused(const struct nadi_pkt *net, const struct nadi_pkt_flow *f)
{
    return net->ports[net->nics[f->nic].port].paused >> f->class & 1;
}

static bool is_cut_off(const struct nadi_pkt *net, const struct nadi_pkt_flow *f)
{
    return net->ports[net->nics[f->nic].port].down;
}

/* Is everything that was sent acknowledged? A sender without credit waits for pulls, which may have
 * been lost. One whose own cable is down sends nothing, and waits as if what it has to send were
 * lost further on. */
static bool waits_for_nothing(const struct nadi_pkt *net, const struct nadi_pkt_flow *f)
{
    return f->next == f->una && !(net->cc->receiver_driven && f->credits == 0) &&
           !is_cut_off(net, f);
}

/* Nothing was acknowledged for a whole RTO: send everything after una again. */
static void on_rto(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    const uint32_t doublings = f->timeouts < 16 ? f->timeouts : 16;
    const nadi_time rto = nadi_time_mul(net->config.rto / net->tick, 1U << doublings);
    const nadi_time due = nadi_time_add(f->progress_at, rto);
    const bool paused = is_paused(net, f);
    if (paused && stands_still(net)) {
        net->stood_still = true;
        abandon(net, flow);
        return;
    }
    if (due > net->wheel.now || paused || waits_for_nothing(net, f)) {
        nadi_pkt_set_timer(net, flow, NADI_PKT_RTO,
                           due > net->wheel.now ? due - net->wheel.now : rto);
        return;
    }
    net->disturbances++;
    nadi_pkt_note_irregular(net, net->nics[f->nic].port);
    net->totals.timeouts++;
    if (f->timeouts++ >= net->config.retry_limit && net->config.retry_limit) {
        abandon(net, flow);
        return;
    }
    if (net->selective)
        nadi_pkt_track_timeout(net, flow);
    else {
        net->totals.retransmitted += f->next - f->una;
        f->next = f->una;
    }
    f->progress_at = net->wheel.now;
    net->cc->on_timeout(net, flow);
    nadi_pkt_set_timer(net, flow, NADI_PKT_RTO, nadi_time_mul(rto, 2));
    nadi_pkt_nic_refresh(net, flow);
    nadi_pkt_nic_kick(net, net->flows[flow].nic);
}

/* Without an RTO nothing wakes a flow whose packets are lost, or paused in a circle: its scheme's
 * timers would go on for ever. */
static bool waits_for_ever(const struct nadi_pkt *net, uint32_t flow)
{
    const struct nadi_pkt_flow *f = &net->flows[flow];
    return !net->config.rto && stands_still(net) &&
           (is_paused(net, f) || !nadi_pkt_may_send(net, f));
}

/* Nor one whose own cable is down, until that comes back. */
static bool is_held(const struct nadi_pkt *net, uint32_t flow)
{
    return !net->config.rto && stands_still(net) && is_cut_off(net, &net->flows[flow]);
}

void nadi_pkt_flow_timer(struct nadi_pkt *net, uint32_t cell)
{
    const uint32_t flow = net->cells[cell].a, which = net->cells[cell].b;
    if (is_held(net, flow)) {
        net->cells[cell].kind = NADI_PKT_HELD_TIMER;
        return;
    }
    nadi_pkt_free_cell(net, cell);
    net->flows[flow].timers[which] = NADI_NONE;
    net->flows[flow].live--; /* not finished, so the NIC's list still holds it */
    if (which == NADI_PKT_RTO)
        on_rto(net, flow);
    else if (!waits_for_ever(net, flow)) {
        net->disturbances++;
        net->cc->on_timer(net, flow, which);
        nadi_pkt_nic_refresh(net, flow);
    }
}

void nadi_pkt_flows_go_on(struct nadi_pkt *net, uint32_t nic)
{
    for (uint32_t slot = 0; slot < net->nics[nic].count; slot++) {
        const struct nadi_pkt_flow *f = &net->flows[net->nics[nic].flows[slot]];
        for (uint32_t i = 0; i < NADI_PKT_TIMERS; i++) {
            if (f->timers[i] == NADI_NONE || net->cells[f->timers[i]].kind != NADI_PKT_HELD_TIMER)
                continue;
            net->cells[f->timers[i]].kind = NADI_PKT_FLOW_TIMER;
            nadi_pkt_schedule(net, f->timers[i], net->wheel.now);
        }
    }
}
