/* loadstore: messages as kernels of loads and stores, or copies of engines: state.h.
 *
 * A message is delivered when its receiver knows that it is all there: with `simple` by the flags
 * of all units, with LL and LL128 by the flags in its lines, of a get by its own loads. Messages of
 * one connection go in order (connections.h).
 *
 * Cost: of a line over a switch five events of the engine, of one over a single link three. */
#include "base/diag.h"
#include "base/mem.h"
#include "network/loadstore/state.h"
#include "platform/graph.h"

#include <inttypes.h>
#include <math.h>

static struct loadstore *self(struct nadi_network *net)
{
    return (struct loadstore *)net;
}

/* ---- set-up -------------------------------------------------------------------------------- */

static bool accepts(const struct nadi_network_setup *setup, struct nadi_diags *diags)
{
    const uint32_t npus = setup->topology->npu_count;
    if (npus > NADI_LOADSTORE_MOST_NPUS)
        return nadi_error(diags, "loadstore/npus", NADI_NOWHERE,
                          "take fewer NPUs, those of one node, or --network-model packet",
                          "the network model loadstore is for scale-up links: at most %d NPUs, and "
                          "the network has %" PRIu32,
                          NADI_LOADSTORE_MOST_NPUS, npus);
    return true;
}

static void make_links(struct loadstore *w)
{
    w->links = NADI_ZNEW(struct link_state, w->fabric.count);
    w->tallies = NADI_ZNEW(struct nadi_fabric_tally, w->fabric.count);
    for (uint32_t i = 0; i < w->fabric.count; i++) {
        const struct nadi_fabric_link *l = &w->fabric.items[i];
        for (uint32_t class = 0; class < CLASSES; class ++) {
            w->links[i].head[class] = w->links[i].tail[class] = NADI_NONE;
            w->links[i].credits[class] = w->config.hop_credits;
        }
        w->links[i].latency = l->exists ? nadi_time_of_ns(l->latency_ns) : 0;
        w->links[i].ps_a_byte = l->exists ? NADI_PS_PER_NS / l->bytes_per_ns : 0;
    }
}

static void make_units(struct loadstore *w)
{
    const struct nadi_loadstore_config *c = &w->config;
    const bool engine = c->copy == NADI_COPY_ENGINE;
    const uint32_t devices = w->fabric.npu_count;
    w->units_each = engine ? c->engines : c->copy_sms;
    const double rate = engine ? c->engine_bytes_per_ns : c->sm_bytes_per_ns;
    w->interval_ps = NADI_PS_PER_NS / (rate / c->request_bytes);
    w->own_units = devices * w->units_each;
    w->units = NADI_ZNEW(struct unit, (size_t)w->own_units + w->fabric.count);
    w->devices = NADI_ZNEW(struct device, devices);
    for (uint32_t d = 0; d < devices; d++)
        w->devices[d].head = w->devices[d].tail = NADI_NONE;
    for (uint32_t u = 0; u < w->own_units + w->fabric.count; u++) {
        const uint32_t window = engine ? c->engine_requests : c->outstanding;
        const uint64_t all = (uint64_t)window * w->units_each * devices;
        w->units[u].last = w->units[u].busy = NADI_NONE;
        w->units[u].free = u < w->own_units ? window : (uint32_t)nadi_min_u64(all, INT32_MAX);
        w->units[u].stalled = NADI_TIME_NEVER;
    }
}

/* NPUs and switches at the ends of links. */
static void make_ends(struct loadstore *w)
{
    const uint32_t count = w->fabric.count, npus = w->fabric.npu_count;
    w->link_device = NADI_NEW(uint32_t, count + 1);
    w->opposite = NADI_NEW(uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct nadi_fabric_link *l = &w->fabric.items[i];
        w->opposite[i] = NADI_NONE;
        w->link_device[i] = l->from < npus ? l->from : l->to < npus ? l->to : NADI_NONE;
    }
}

static void on_done(void *context, const struct nadi_event *event);

static struct nadi_network *create(const struct nadi_network_setup *setup)
{
    struct loadstore *w = nadi_network_new(&nadi_network_loadstore, setup, sizeof(*w));
    w->config = *setup->loadstore;
    w->messages.free = w->parts.free = w->lines.free = NADI_NONE;
    w->connections.in_flight = setup->in_flight;
    w->memory = nadi_time_of_ns(w->config.memory_ns);
    w->fence = nadi_time_of_ns(w->config.fence_ns);
    w->poll = nadi_time_of_ns(w->config.poll_ns);
    w->setup = nadi_time_of_ns(w->config.setup_ns);
    w->ll128 = nadi_time_of_ns(w->config.ll128_ns);
    nadi_fabric_init(&w->fabric, setup->topology, setup->graph, setup->routing);
    make_links(w);
    make_units(w);
    make_ends(w);
    w->kind_hop = nadi_engine_add_kind(setup->engine, nadi_loadstore_on_hop, w);
    w->kind_wake = nadi_engine_add_kind(setup->engine, nadi_loadstore_on_wake, w);
    w->kind_tick = nadi_engine_add_kind(setup->engine, nadi_loadstore_on_tick, w);
    w->kind_begin = nadi_engine_add_kind(setup->engine, nadi_loadstore_on_begin, w);
    w->kind_flag = nadi_engine_add_kind(setup->engine, nadi_loadstore_on_flag, w);
    w->kind_done = nadi_engine_add_kind(setup->engine, on_done, w);
    w->kind_credit = nadi_engine_add_kind(setup->engine, nadi_loadstore_on_credit, w);
    if (setup->record_usage)
        w->base.usage = nadi_usage_create(w->fabric.count, NADI_DEPTH_NONE);
    return &w->base;
}

static void release(struct nadi_network *net)
{
    struct loadstore *w = self(net);
    nadi_fabric_release(&w->fabric);
    nadi_connections_release(&w->connections);
    nadi_mem_free(w->links);
    nadi_mem_free(w->tallies);
    nadi_mem_free(w->units);
    nadi_mem_free(w->link_device);
    nadi_mem_free(w->opposite);
    nadi_mem_free(w->devices);
    nadi_mem_free(w->messages.items);
    nadi_mem_free(w->parts.items);
    nadi_mem_free(w->lines.items);
    nadi_mem_free(w->stranded.items);
}

/* ---- messages ------------------------------------------------------------------------------ */

void nadi_loadstore_forget(struct loadstore *w, uint32_t message)
{
    struct message *m = &w->messages.items[message];
    if (!m->delivered || m->answers)
        return;
    for (uint32_t part = m->first_part; part != NADI_NONE;) {
        struct part *p = &w->parts.items[part];
        const uint32_t next = p->next_of_message;
        NADI_POOL_GIVE(&w->parts, next, part);
        part = next;
    }
    NADI_POOL_GIVE(&w->messages, next, message);
}

static struct nadi_loadstore_route route_of(const struct loadstore *w,
                                            const struct links_there *route)
{
    struct nadi_loadstore_route of = {.slowest = (double)INFINITY};
    for (uint32_t i = 0; i < route->hops; i++) {
        const struct nadi_fabric_link *l = &w->fabric.items[route->links[i]];
        of.latency_ns += l->latency_ns;
        of.ns_a_byte_sum += 1 / l->bytes_per_ns;
        of.slowest = fmin(of.slowest, l->bytes_per_ns);
    }
    return of;
}

static void note_loss(struct loadstore *w, const struct message *m)
{
    if (m->in_switch)
        return; /* it has no time of its own: many load and store at once */
    const struct nadi_loadstore_route there = route_of(w, &m->there), back = route_of(w, &m->back);
    const double own = nadi_loadstore_alone(&w->config, m->protocol, &there, &back, m->bytes);
    const nadi_time took = nadi_engine_now(w->base.engine) - m->sent, alone = nadi_time_of_ns(own);
    if (m->where != NADI_NONE && took > alone)
        nadi_message_log_wait(w->base.log, m->a, m->where, took - alone);
}

static void begin(struct loadstore *w, uint32_t index);

void nadi_loadstore_deliver(struct loadstore *w, uint32_t message, nadi_time delay)
{
    nadi_engine_schedule(w->base.engine, nadi_engine_after(w->base.engine, delay), NADI_NONE,
                         w->kind_done, message, 0, 0);
}

static void on_done(void *context, const struct nadi_event *event)
{
    struct loadstore *w = context;
    struct message *m = &w->messages.items[event->a];
    const uint32_t next = nadi_connections_leave(&w->connections, m->connection);
    if (nadi_message_logged(w->base.log, m->kind))
        note_loss(w, m);
    nadi_engine_schedule(w->base.engine, nadi_engine_now(w->base.engine), NADI_NONE, m->kind, m->a,
                         m->b, m->c);
    m->delivered = true;
    nadi_loadstore_forget(w, event->a);
    if (next != NADI_NONE)
        begin(w, next);
}

/* The NPU at the end of a link, itself or by the router on its board; NADI_NONE: a switch. */
static uint32_t npu_at(const struct loadstore *w, uint32_t link)
{
    const struct nadi_graph *g = w->fabric.graph;
    const uint32_t to = w->fabric.items[link].to;
    if (!g)
        return to < w->fabric.npu_count ? to : NADI_NONE;
    uint32_t from, node;
    nadi_graph_channel_ends(g, link, &from, &node);
    node = nadi_graph_owner(g, node);
    return g->nodes[node].kind == NADI_GRAPH_HOST ? g->nodes[node].host : NADI_NONE;
}

/* NPUs do not pass requests on. False: the run ends. */
static bool passes_no_npu(struct loadstore *w, const struct message *m,
                          const struct links_there *route)
{
    for (uint32_t i = 0; i < route->hops; i++) {
        const uint32_t npu = npu_at(w, route->links[i]);
        if (npu != NADI_NONE && npu != m->src && npu != m->dst) {
            nadi_engine_refuse(w->base.engine,
                               "a load or store of the network model loadstore goes over links and "
                               "switches, not through NPUs: from rank %" PRIu32 " to rank %" PRIu32
                               " it would pass rank %" PRIu32
                               "; take a switch, a full mesh, or an algorithm for neighbours",
                               m->src, m->dst, npu);
            return false;
        }
    }
    return true;
}

/* Long messages go in bundles of lines, few beside the requests that a unit has; fewer where those
 * run out, since a bundle is answered as late as its last line. */
static uint32_t bundle_of(const struct loadstore *w, uint64_t lines, bool runs_out)
{
    const struct nadi_loadstore_config *c = &w->config;
    const uint32_t window = c->copy == NADI_COPY_ENGINE ? c->engine_requests : c->outstanding;
    const uint32_t room = INT32_MAX / (c->request_bytes + c->header_bytes + c->control_bytes);
    const uint64_t small =
        nadi_min_u64(window / NADI_LOADSTORE_FEW_BUNDLES, NADI_LOADSTORE_BUNDLE / c->request_bytes);
    uint64_t most = runs_out ? window / NADI_LOADSTORE_MOST_BUNDLES
                             : nadi_max_u64(window / NADI_LOADSTORE_BUNDLES, small);
    most = nadi_min_u64(most, room);
    if (c->hop_credits)
        most = nadi_min_u64(most, c->hop_credits / NADI_LOADSTORE_BUNDLES);
    const uint64_t wanted = lines / c->exact_lines + (lines % c->exact_lines > 0);
    return (uint32_t)nadi_max_u64(nadi_min_u64(wanted, most), 1);
}

/* The message's turn has come in its connection. */
static void begin(struct loadstore *w, uint32_t index)
{
    struct message *m = &w->messages.items[index];
    const struct nadi_loadstore_route there = route_of(w, &m->there), back = route_of(w, &m->back);
    if (!passes_no_npu(w, m, &m->there) || !passes_no_npu(w, m, &m->back))
        return;
    m->get = !m->in_switch && w->config.direction == NADI_GET;
    m->protocol = nadi_loadstore_choose(&w->config, &there, &back, m->bytes);
    if (m->bytes == 0 || m->in_switch) /* a flag is all; no flags in what is added up */
        m->protocol = NADI_PROTOCOL_SIMPLE;
    m->lines = nadi_loadstore_lines(&w->config, m->protocol, m->bytes);
    m->data = nadi_loadstore_data(&w->config, m->protocol);
    m->bundle = bundle_of(
        w, m->lines, nadi_loadstore_runs_out(&w->config, m->protocol, &there, &back, m->bytes));
    if (m->src < w->fabric.npu_count)
        w->devices[m->src].figures.by_protocol[m->protocol]++;
    for (uint32_t i = 0; i < m->there.hops; i++)
        w->tallies[m->there.links[i]].messages++;
    if (m->get)
        nadi_loadstore_launch(w, &m->there, LINE_READY, index, (struct bundle){0});
    else
        nadi_loadstore_begin(w, index);
}

static uint32_t route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    return src == dst ? NADI_NONE : nadi_fabric_route(&self(net)->fabric, src, dst);
}

/* The way back is the other direction of the link. */
static uint32_t over(struct nadi_network *net, uint32_t link)
{
    struct loadstore *w = self(net);
    const uint32_t route = nadi_fabric_over(&w->fabric, link);
    const uint32_t back = nadi_fabric_over(&w->fabric, link ^ 1);
    w->opposite[nadi_fabric_path(&w->fabric, route)->links[0]] = back;
    return route;
}

static void send(struct nadi_network *net, const struct nadi_message *sent)
{
    struct loadstore *w = self(net);
    nadi_network_count_sent(net, sent->bytes);
    if (sent->src == sent->dst) {
        nadi_engine_schedule(w->base.engine, nadi_engine_now(w->base.engine), NADI_NONE, sent->kind,
                             sent->a, sent->b, sent->c);
        return;
    }
    const uint32_t npus = w->fabric.npu_count;
    const bool in_switch = sent->src >= npus || sent->dst >= npus;
    const uint32_t returns = in_switch
                                 ? w->opposite[nadi_fabric_path(&w->fabric, sent->route)->links[0]]
                                 : nadi_fabric_route(&w->fabric, sent->dst, sent->src);
    const struct nadi_fabric_path *there = nadi_fabric_choose(&w->fabric, sent->route, sent->bytes);
    const struct nadi_fabric_path *back = nadi_fabric_path(&w->fabric, returns);
    uint32_t index;
    NADI_POOL_TAKE(&w->messages, next, index);
    w->messages.items[index] = (struct message){
        .there = {there->links, there->hops},
        .back = {back->links, back->hops},
        .bytes = sent->bytes,
        .src = sent->src,
        .dst = sent->dst,
        .in_switch = in_switch,
        .shared_by =
            in_switch && w->link_device[there->links[0]] != NADI_NONE ? sent->shared_by : 0,
        .first_part = NADI_NONE,
        .where = NADI_NONE,
        .sent = nadi_engine_now(w->base.engine),
        .connection = nadi_connections_find(&w->connections, sent->route, sent->connection),
        .kind = sent->kind,
        .a = sent->a,
        .b = sent->b,
        .c = sent->c,
    };
    if (there->broken || back->broken)
        NADI_PUSH(&w->stranded, index);
    else if (nadi_connections_enter(&w->connections, w->messages.items[index].connection, index))
        begin(w, index);
}

/* ---- what is told -------------------------------------------------------------------------- */

static uint64_t count_stranded(const struct nadi_network *net, uint32_t *src, uint32_t *dst)
{
    const struct loadstore *w = (const struct loadstore *)net;
    if (w->stranded.count) {
        const struct message *m = &w->messages.items[w->stranded.items[0]];
        *src = m->src;
        *dst = m->dst;
    }
    return w->stranded.count;
}

static void counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                     void *context)
{
    const struct loadstore *w = (const struct loadstore *)net;
    const nadi_time now = nadi_engine_now(w->base.engine);
    struct nadi_fabric_tally *tallies = NADI_NEW(struct nadi_fabric_tally, w->fabric.count);
    memcpy(tallies, w->tallies, w->fabric.count * sizeof(*tallies));
    for (uint32_t i = 0; i < w->fabric.count; i++) /* lines count when they begin */
        tallies[i].busy = tallies[i].busy < now ? tallies[i].busy : now;
    nadi_fabric_counters(&w->fabric, tallies, links, visit, context);
    nadi_mem_free(tallies);
}

static void flows(const struct nadi_network *net, nadi_counted_flow_fn *visit, void *context)
{
    nadi_fabric_flows(&((const struct loadstore *)net)->fabric, visit, context);
}

const struct nadi_loadstore_figures *nadi_loadstore_figures(const struct nadi_network *net,
                                                            uint32_t device)
{
    const struct loadstore *w = (const struct loadstore *)net;
    return &w->devices[device].figures;
}

const struct nadi_network_ops nadi_network_loadstore = {
    .name = "loadstore",
    .has_contention = true,
    .has_links = true,
    .has_loads = true,
    .early_ns = 1e-3,
    .relaxed = &nadi_network_flow,
    .accepts = accepts,
    .summary =
        "Loads and stores of at most 16 devices: a message is lines that SMs or copy engines "
        "issue, each with so many requests outstanding, over links that serve line after "
        "line; protocols simple, LL and LL128 with their flags and fences; puts and gets.",
    .create = create,
    .release = release,
    .route = route,
    .over = over,
    .send = send,
    .counters = counters,
    .flows = flows,
    .stranded = count_stranded,
    .rest = nadi_loadstore_rest,
    .count = nadi_loadstore_count,
    .repeat = nadi_loadstore_repeat,
};
