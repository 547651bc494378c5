/* model: the packet network behind the table of network.h: a message is a flow of class 3, or one
 * of several that a flow carries.
 *
 * Messages of a connection go in order (connections.h): the next one begins when the last packet of
 * the one before has been handed to the cable. It takes the flow of that one, with its window and
 * its rate, as long as not everything is acknowledged, and else a new flow from the same port,
 * which takes the same way. In exact mode each message is a flow of its own at once.
 *
 * The packet model's own event queue and the engine's run as one. Each engine event leaves a marker
 * in the packets' queue where it was scheduled; before it runs, the packets' events up to its
 * marker are handled. The pump, an engine event at the packets' next time, runs them ahead as far
 * as nothing else of the engine can happen. A message that is finished is delivered at once, inside
 * the event that finished it. Times between two ticks count as the later one. */
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "network/packet/fast_forward.h"
#include "network/packet/figures.h"
#include "network/packet/lone.h"
#include "network/packet/model_inside.h"
#include "network/packet/packet.h"
#include "network/packet/recall.h"

enum { EVENTS_A_PUMP = 1 << 16 };

static struct packet *self(struct nadi_network *net)
{
    return (struct packet *)net;
}

/* One pump is pending at the packets' next event, or none is needed. Markers of events that ran
 * inside their actor's group, unannounced, are left behind: the next event may lie in the past. */
static void schedule_pump(struct packet *p)
{
    const nadi_time next = nadi_pkt_wheel_next_time(&p->net->wheel);
    const nadi_time at =
        nadi_max_i64(nadi_pkt_to_ps(p->net, next), nadi_engine_now(p->base.engine));
    if (at >= p->pump_at || nadi_time_is_never(at))
        return; /* what never ends is found by `endless` */
    p->pump_at = at;
    nadi_engine_schedule(p->base.engine, at, NADI_NONE, p->kind_pump, 0, 0, 0);
}

/* Handles packets' events up to the limit, which a delivery or a marker may bring nearer. */
static void run_packets(struct packet *p, uint64_t most)
{
    const uint64_t before = p->net->totals.events;
    p->handles = true;
    if (nadi_pkt_run(p->net, &p->limit, most) && !nadi_time_is_never(p->limit))
        p->handled_to = p->limit;
    p->handles = false;
    nadi_engine_count(p->base.engine, (int64_t)(p->net->totals.events - before));
}

static void on_pump(void *context, const struct nadi_event *event)
{
    struct packet *p = context;
    (void)event;
    if (nadi_engine_now(p->base.engine) == p->pump_at)
        p->pump_at = NADI_TIME_NEVER;
    p->limit = nadi_engine_horizon(p->base.engine) / p->net->tick;
    run_packets(p, EVENTS_A_PUMP);
    nadi_engine_count(p->base.engine,
                      -1); /* how often it runs depends on fast-forwarding (fast_forward.h) */
    schedule_pump(p);
}

static nadi_time tick_of(const struct packet *p, nadi_time at)
{
    return (at + p->net->tick - 1) / p->net->tick;
}

void nadi_pkt_model_scheduled(void *context, uint32_t event, nadi_time at)
{
    struct packet *p = context;
    if (at > NADI_TIME_MAX - p->net->tick)
        return; /* beyond the clock's range: the run ends before */
    if (event >= p->marker_capacity)
        p->marker_of = nadi_mem_grow(p->marker_of, &p->marker_capacity, (size_t)event + 1,
                                     sizeof(*p->marker_of));
    p->marker_of[event] = ++p->markers;
    nadi_pkt_schedule_marker(p->net, tick_of(p, at), event, p->markers);
}

/* In order with all else; only as long as messages are on their way and something happens. */
static void look_later(struct packet *p)
{
    p->looks = true;
    const nadi_time width = p->base.usage->width / p->net->tick + 1;
    nadi_pkt_schedule_marker(p->net, nadi_time_add(p->net->wheel.now, width), NADI_NONE, 0);
}

static void on_look(struct packet *p)
{
    p->looks = false;
    nadi_pkt_carried_look(&p->carried, p->net, p->begun);
    if (p->in_flight > 0 && nadi_pkt_wheel_next_time(&p->net->wheel) != NADI_TIME_MAX)
        look_later(p);
}

/* Stops at a marker whose event has not been replaced by a later one. */
static void on_marker(void *context, struct nadi_pkt *net, uint32_t event, uint32_t number)
{
    struct packet *p = context;
    if (event == NADI_NONE && number > 0) {
        (p->lone ? nadi_pkt_lone_marker : nadi_pkt_recall_marker)(p, number);
        return;
    }
    if (event == NADI_NONE) {
        on_look(p);
        return;
    }
    if (p->marker_of[event] != number)
        return;
    p->context++;
    p->marked = event;
    p->limit = net->wheel.now - 1;
}

static void on_reached(void *context, uint32_t event)
{
    struct packet *p = context;
    const nadi_time now = tick_of(p, nadi_engine_now(p->base.engine));
    while (p->marked != event) {
        const uint32_t before = p->marked;
        p->limit = now;
        p->marked = NADI_NONE;
        run_packets(p, UINT64_MAX);
        if (p->marked == NADI_NONE) { /* scheduled before there was a network */
            p->marked = before;
            break;
        }
    }
    p->marked = NADI_NONE;
    schedule_pump(p);
}

/* What it lost is told of the queue in which it found most before it. */
static void log_loss(struct packet *p, uint32_t flow, const struct delivery *d, nadi_time at)
{
    const struct nadi_pkt_info *info = &p->net->infos[flow];
    const nadi_time sent = d->connection == NADI_NONE ? p->base.log->entries.items[d->a].sent
                                                      : nadi_pkt_to_ps(p->net, info->start);
    const nadi_time alone = nadi_pkt_to_ps(p->net, nadi_pkt_alone(p->net, flow));
    if (info->crowded_bytes > 0 && at - sent > alone)
        nadi_message_log_wait(p->base.log, d->a, info->crowded_port, at - sent - alone);
}

static void on_finished(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct packet *p = context;
    const uint32_t index = net->infos[flow].user;
    const uint32_t event = net->arriving | (uint32_t)NADI_PKT_EVENT_DATA_AT_HOST
                                               << NADI_PKT_EVENT_SHIFT;
    p->trigger = event;
    if (p->recall && !nadi_pkt_recall_arrived(p, index))
        return;
    if (nadi_message_logged(p->base.log, p->deliveries.items[index].kind))
        log_loss(p, flow, &p->deliveries.items[index], nadi_pkt_to_ps(net, net->wheel.now));
    nadi_pkt_model_deliver(p, index, event);
}

void nadi_pkt_model_deliver(struct packet *p, uint32_t index, uint32_t event)
{
    const struct nadi_pkt *net = p->net;
    const struct delivery d = p->deliveries.items[index];
    const nadi_time at = nadi_pkt_to_ps(net, net->wheel.now);
    NADI_POOL_GIVE(&p->deliveries, next, index);
    p->in_flight--;
    p->trigger = event;
    p->context++;
    /* what else happens may lie between two ticks */
    const nadi_time now = nadi_engine_now(p->base.engine);
    const nadi_time least = nadi_min_i64(at, nadi_engine_horizon(p->base.engine));
    nadi_engine_call(p->base.engine, nadi_max_i64(now, least), d.kind, d.a, d.b, d.c);
    const nadi_time horizon = nadi_engine_horizon(p->base.engine) / net->tick;
    p->limit = horizon < p->limit ? horizon : p->limit;
    p->trigger = NADI_PKT_BEHIND_PACKETS;
    p->context++;
}

static void on_pfc(void *context, const struct nadi_pkt *net, uint32_t port, bool pause)
{
    struct packet *p = context;
    nadi_pkt_pauses_note(&p->pauses, port, nadi_pkt_to_ps(p->net, net->wheel.now), pause);
}

static struct nadi_network *create(const struct nadi_network_setup *setup)
{
    struct packet *p = nadi_network_new(&nadi_network_packet, setup, sizeof(*p));
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    p->npu_count = setup->topology->npu_count;
    p->link_count = setup->graph->link_count;
    p->dim_count = setup->graph->of_topology ? setup->topology->dim_count : setup->graph->dim_count;
    p->deliveries.free = NADI_NONE;
    nadi_map64_init(&p->pairs, 0);
    p->pump_at = NADI_TIME_NEVER;
    p->kind_pump = nadi_engine_add_kind(setup->engine, on_pump, p);
    if (setup->to_switches)
        p->ends = nadi_pkt_ends_create(setup->graph);
    p->net = nadi_pkt_create(p->ends ? &p->ends->graph : setup->graph, setup->packet, &diags);
    NADI_ASSERT(p->net); /* the loader has tried */
    if (setup->routing)
        nadi_pkt_set_routing(p->net, setup->routing);
    p->net->hooks.context = p;
    p->net->hooks.finished = on_finished;
    p->net->hooks.sent = nadi_pkt_queue_pair_sent;
    p->net->hooks.closed = nadi_pkt_queue_pair_closed;
    p->connections.in_flight = setup->packet->exact ? NADI_IN_FLIGHT_ANY : setup->in_flight;
    p->net->hooks.marker = on_marker;
    p->net->hooks.pfc = on_pfc;
    nadi_pkt_pauses_init(&p->pauses, p->net->port_count);
    if (setup->record_usage)
        p->base.usage = nadi_pkt_carried_init(&p->carried, p->net->port_count);
    p->net->watched = p->base.log != NULL;
    p->marked = NADI_NONE;
    p->trigger = NADI_PKT_BEHIND_PACKETS;
    p->net->hooks.empty = nadi_pkt_recall_due;
    nadi_pkt_allow_error(p->net, setup->all_packets ? 0 : setup->packet_error);
    p->lone = nadi_pkt_lone_create(p, setup->packet_error);
    p->recall =
        setup->all_packets || p->lone ? NULL : nadi_pkt_recall_create(p, setup->packet_error);
    const struct nadi_engine_follower follower = {.context = p,
                                                  .pump = p->kind_pump,
                                                  .scheduled = nadi_pkt_model_scheduled,
                                                  .reached = on_reached,
                                                  .moved = nadi_pkt_model_moved};
    nadi_engine_follow(setup->engine, &follower);
    nadi_diags_release(&diags);
    return &p->base;
}

static void release(struct nadi_network *net)
{
    nadi_pkt_pauses_release(&self(net)->pauses);
    nadi_pkt_carried_release(&self(net)->carried);
    nadi_pkt_destroy(self(net)->net);
    nadi_pkt_recall_destroy(self(net)->recall);
    nadi_pkt_lone_destroy(self(net)->lone);
    nadi_pkt_ends_destroy(self(net)->ends);
    nadi_mem_free(self(net)->deliveries.items);
    nadi_mem_free(self(net)->stranded.items);
    nadi_connections_release(&self(net)->connections);
    nadi_map64_release(&self(net)->pairs);
    nadi_mem_free(self(net)->queue_pairs.items);
    nadi_mem_free(self(net)->marker_of);
}

static uint32_t route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    (void)net, (void)src, (void)dst; /* each flow has its own */
    return 0;
}

static uint32_t over(struct nadi_network *net, uint32_t link)
{
    (void)net, (void)link; /* the shortest path between neighbours */
    return 0;
}

static void send(struct nadi_network *net, const struct nadi_message *m)
{
    struct packet *p = self(net);
    const nadi_time now = nadi_engine_now(p->base.engine);
    nadi_network_count_sent(net, m->bytes);
    if (m->src == m->dst) {
        nadi_engine_schedule(p->base.engine, now, NADI_NONE, m->kind, m->a, m->b, m->c);
        return;
    }
    if (m->bytes > nadi_packet_most_bytes(&p->net->config)) {
        nadi_engine_refuse(p->base.engine,
                           "the message of %" PRIu64 " B from %" PRIu32 " to %" PRIu32
                           " has more packets of %" PRIu32
                           " B than 32 bits can number: raise 'payload' in the packet file",
                           m->bytes, m->src, m->dst, p->net->config.payload_bytes);
        return;
    }
    uint32_t index;
    NADI_POOL_TAKE(&p->deliveries, next, index);
    p->deliveries.items[index] = (struct delivery){
        .bytes = m->bytes,
        .src = m->src,
        .dst = m->dst,
        .kind = m->kind,
        .a = m->a,
        .b = m->b,
        .c = m->c,
        .connection = nadi_pkt_queue_pair_of(p, m),
        .arrives = NADI_TIME_NEVER,
    };
    nadi_pkt_set_clock(p->net, tick_of(p, now));
    if (p->in_flight++ == 0)
        p->begun = now;
    if (p->base.usage && !p->looks)
        look_later(p);
    if (p->recall)
        nadi_pkt_recall_send(p, index);
    else if (p->lone)
        nadi_pkt_lone_send(p, index);
    else if (nadi_connections_enter(&p->connections, p->deliveries.items[index].connection, index))
        nadi_pkt_queue_pair_inject(p, index);
    schedule_pump(p);
}

static void change(struct nadi_network *net, const struct nadi_link_state *states, size_t count)
{
    struct packet *p = self(net);
    struct nadi_pkt_cable *cables = NADI_NEW(struct nadi_pkt_cable, count);
    uint32_t links = 0;
    for (size_t i = 0; i < count; i++) {
        if (!nadi_graph_channel_is_link(p->net->graph, states[i].link))
            continue; /* a node's own: the loader refuses nodes with limits */
        cables[links++] = (struct nadi_pkt_cable){
            .channel = states[i].link,
            .bits_per_s = nadi_max_u64(nadi_count_round(states[i].bytes_per_ns * 8e9), 1),
            .latency =
                nadi_time_round(states[i].latency_ns * NADI_PS_PER_NS / (double)p->net->tick),
            .down = states[i].down,
        };
    }
    nadi_pkt_set_clock(p->net, tick_of(p, nadi_engine_now(p->base.engine)));
    if (p->recall)
        nadi_pkt_recall_settle(p->recall, true);
    if (p->lone)
        nadi_pkt_lone_stop(p);
    nadi_pkt_cables_change(p->net, cables, links);
    nadi_mem_free(cables);
    const size_t waiting = p->stranded.count;
    p->stranded.count = 0;
    for (size_t i = 0; i < waiting; i++) {
        const uint32_t index = p->stranded.items[i];
        nadi_pkt_queue_pair_inject(p, index); /* at most as many are stranded anew */
    }
    schedule_pump(p);
}

static const char *too_far(const struct nadi_network *net)
{
    const struct packet *p = (const struct packet *)net;
    return p->stranded.count ? nadi_pkt_too_far(p->net) : NULL;
}

static uint64_t stranded(const struct nadi_network *net, uint32_t *src, uint32_t *dst)
{
    const struct packet *p = (const struct packet *)net;
    if (p->stranded.count) {
        *src = p->deliveries.items[p->stranded.items[0]].src;
        *dst = p->deliveries.items[p->stranded.items[0]].dst;
    }
    return nadi_pkt_queue_pair_stranded(p);
}

/* What was recalled, and is not over, counts up to now. */
static void settle(const struct packet *p)
{
    if (p->recall)
        nadi_pkt_recall_settle(p->recall, false);
}

/* NPU, or npu_count + k for the k-th switch. */
static uint32_t end_of(const struct packet *p, uint32_t node)
{
    const struct nadi_graph_node *n = &p->net->graph->nodes[node];
    if (n->kind == NADI_GRAPH_HOST)
        return n->host;
    return p->npu_count + p->net->ports[p->net->graph->first_port[node]].owner;
}

/* Most that waited in one class of a switch's port. */
static uint64_t peak_of(const struct nadi_pkt *net, uint32_t port)
{
    uint64_t peak = 0;
    for (uint32_t c = 0; c < NADI_PKT_CLASSES && !net->ports[port].is_host; c++)
        peak = nadi_max_u64(peak, net->queues[port * NADI_PKT_CLASSES + c].peak_bytes);
    return peak;
}

/* A node's server is of the dimension of its first link, as in the other models. */
static uint32_t dim_of(const struct nadi_pkt *net, uint32_t port)
{
    const struct nadi_graph *g = net->graph;
    const bool server = port >= g->first_port[g->node_count];
    return g->links[g->ports[server ? g->first_port[net->ports[port].node] : port].link].dim;
}

/* Not the far end of a one-way link or of a server, where only pauses go. */
static bool sends(const struct nadi_pkt *net, uint32_t port)
{
    const struct nadi_graph *g = net->graph;
    const uint32_t ports = g->first_port[g->node_count];
    return port < ports ? nadi_graph_sends(g, net->ports[port].node, port)
                        : (port - ports) % 2 == 0;
}

/* Of the graph; a server's is its node's own, behind those of links. */
static uint32_t channel_of(const struct nadi_pkt *net, uint32_t port)
{
    const struct nadi_graph *g = net->graph;
    const uint32_t ports = g->first_port[g->node_count];
    return port < ports ? nadi_graph_channel(g, net->ports[port].node, port)
                        : 2 * g->link_count + (port - ports) / 2;
}

/* In the graph without the links to hosts at switches, which lie behind all others. */
static uint32_t channel_outside(const struct packet *p, uint32_t port)
{
    const struct nadi_graph *g = p->net->graph;
    const uint32_t channel = channel_of(p->net, port);
    return nadi_graph_channel_is_link(g, channel) ? channel
                                                  : channel - 2 * (g->link_count - p->link_count);
}

/* A packet counts when it begins: where the run ends under it, what is to come is taken off. */
static nadi_time busy_of(const struct packet *p, const struct nadi_pkt_port_sent *sent)
{
    const nadi_time busy = nadi_pkt_to_ps(p->net, sent->busy_ticks);
    const bool finished = nadi_engine_finished(p->base.engine);
    return finished ? nadi_min_i64(busy, nadi_engine_now(p->base.engine)) : busy;
}

static bool counter_of(const void *model, uint32_t port, struct nadi_network_counter *one)
{
    const struct packet *p = model;
    const struct nadi_pkt_port_sent *sent = &p->net->sent[port];
    if (!sends(p->net, port))
        return false;
    *one = (struct nadi_network_counter){
        .dim = dim_of(p->net, port),
        .number = port,
        .channel = channel_outside(p, port),
        .from = end_of(p, p->net->ports[port].node),
        .to = end_of(p, p->net->ports[p->net->ports[port].peer].node),
        .messages = sent->packets,
        .bytes = sent->wire_bytes,
        .bytes_per_ns = (double)p->net->rates[p->net->ports[port].rate] / 8e9,
        .busy_ns = nadi_time_to_ns(busy_of(p, sent)),
        .peak_queue_bytes = peak_of(p->net, port),
        .pauses = p->pauses.ports[port].count,
        .paused_ns = nadi_time_to_ns(p->pauses.ports[port].paused),
    };
    return true;
}

static void counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                     void *context)
{
    const struct packet *p = (const struct packet *)net;
    settle(p);
    nadi_network_visit_dims(p->dim_count, p->net->port_count, counter_of, p, links, visit, context);
}

/* Between NPUs, of as many source ports as each pair has had. */
static void flows(const struct nadi_network *base, nadi_counted_flow_fn *visit, void *context)
{
    const struct packet *p = (const struct packet *)base;
    const struct nadi_map64 *ports = &p->net->sports;
    if (p->net->config.exact || p->net->spraying || p->net->config.spreading == NADI_SPREADING_NONE)
        return;
    for (size_t i = 0; i < ports->slots; i++) {
        const uint32_t src = (uint32_t)(ports->keys[i] >> 32), dst = (uint32_t)ports->keys[i];
        if (ports->values[i] == NADI_NONE || src >= p->npu_count || dst >= p->npu_count)
            continue;
        struct nadi_counted_flow flow = {.src = src, .dst = dst};
        for (; flow.number < ports->values[i] && flow.number <= UINT16_MAX; flow.number++)
            visit(context, &flow);
    }
}

static void remark(const struct nadi_network *net, struct nadi_str *out)
{
    const struct packet *p = (const struct packet *)net;
    const uint64_t timed = nadi_pkt_lone_timed(p->lone);
    if (p->anew)
        nadi_str_add(out, "what keeps its pace is passed over; what packets report, and random "
                          "numbers, begin anew wherever nothing is "
                          "under way, so that what repeats is recalled; measured runs end within "
                          "1 % of those of all packets");
    if (timed > 0)
        nadi_str_printf(out,
                        "%" PRIu64 " of %" PRIu64 " messages shared no cable and were timed, each "
                        "within %.2f %% of its packets%s",
                        timed, net->sent.messages, 100 * nadi_pkt_lone_error(p->lone),
                        timed < net->sent.messages
                            ? "; beside others that met, the run may be off by more"
                            : "");
}

static bool endless(const struct nadi_network *net)
{
    const struct packet *p = (const struct packet *)net;
    return p->in_flight > p->stranded.count && nadi_pkt_is_endless(p->net);
}

static bool repeats(const struct nadi_network *net)
{
    const struct nadi_pkt_totals *t = &((const struct packet *)net)->net->totals;
    return t->dropped_full + t->dropped_loss + t->trimmed + t->timeouts + t->retransmitted > 0;
}

static void get_pauses(struct packet *p, struct nadi_packet_figures *f)
{
    const struct nadi_usage *u = p->pauses.over_time;
    const double *paused = u->bytes + (size_t)NADI_PAUSED_TIME * NADI_USAGE_BUCKETS;
    const double *frames = u->bytes + (size_t)NADI_PAUSE_FRAMES * NADI_USAGE_BUCKETS;
    nadi_time sum = 0;
    nadi_pkt_pauses_settle(&p->pauses, nadi_engine_now(p->base.engine));
    for (uint32_t i = 0; i < p->net->port_count; i++)
        sum = nadi_time_add(sum, p->pauses.ports[i].paused);
    f->paused_ns = nadi_time_to_ns(sum);
    f->pause_bucket_ns = nadi_time_in_ns(u->width);
    for (uint32_t b = 0; b < NADI_USAGE_BUCKETS; b++) {
        f->paused_over_time[b] = paused[b] / NADI_PS_PER_NS;
        f->pauses_over_time[b] = frames[b];
    }
}

void nadi_packet_figures_get(struct nadi_network *base, struct nadi_packet_figures *f)
{
    settle(self(base));
    const struct nadi_pkt *net = self(base)->net;
    const struct nadi_pkt_totals *t = &net->totals;
    uint64_t sum = 0, ports = 0;
    *f = (struct nadi_packet_figures){
        .data_packets = t->data_sent,
        .retransmitted = t->retransmitted,
        .dropped = t->dropped_full + t->dropped_loss,
        .trimmed = t->trimmed,
        .timeouts = t->timeouts,
        .abandoned = t->abandoned,
        .marks = t->marked,
        .pauses = t->pauses,
        .resumes = t->resumes,
        .skipped_events = nadi_pkt_skipped_events(net),
        .timed = nadi_pkt_lone_timed(self(base)->lone),
        .recalled = nadi_pkt_recalled(self(base)->recall),
    };
    for (uint32_t p = 0; p < net->port_count; p++) {
        if (net->ports[p].is_host || !net->sent[p].packets)
            continue;
        const uint64_t peak = peak_of(net, p);
        f->peak_queue_bytes = nadi_max_u64(f->peak_queue_bytes, peak);
        sum += peak;
        ports++;
    }
    f->blocked_ports = nadi_pkt_blocked_ports(net, &f->blocked_node);
    f->mean_peak_queue_bytes = ports ? (double)sum / (double)ports : 0;
    get_pauses(self(base), f);
    if (base->usage && self(base)->looks)
        nadi_pkt_carried_look(&self(base)->carried, net, 0);
    else if (base->usage)
        nadi_pkt_carried_end(&self(base)->carried, net);
}

/* The buffers hold what they promise, for one. */
static bool accepts(const struct nadi_network_setup *setup, struct nadi_diags *diags)
{
    struct nadi_pkt *net = nadi_pkt_create(setup->graph, setup->packet, diags);
    nadi_pkt_destroy(net);
    return net != NULL;
}

const struct nadi_network_ops nadi_network_packet = {
    .name = "packet",
    .has_contention = true,
    .whole_routes = true,
    .has_links = true,
    .needs_graph = true,
    .has_packets = true,
    .relaxed = &nadi_network_flow,
    .accepts = accepts,
    .least = nadi_packet_least,
    .summary = "RoCE packets: NICs with windows and pacing, store-and-forward switches with shared "
               "buffers, PFC, ECN and congestion control. In its exact mode equal to the HPCC "
               "simulator on ns-3.",
    .create = create,
    .release = release,
    .route = route,
    .over = over,
    .send = send,
    .counters = counters,
    .flows = flows,
    .change = change,
    .stranded = stranded,
    .too_far = too_far,
    .endless = endless,
    .repeats = repeats,
    .remark = remark,
    .rest = nadi_pkt_model_rest,
    .count = nadi_pkt_model_count,
    .repeat = nadi_pkt_model_repeat,
};
