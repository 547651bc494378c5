/* flow_send: messages from when they are sent to when they are ready to flow: their place, route
 * and connection, and what they wait for. */
#include "base/mem.h"
#include "network/flow_inside.h"
#include "network/uniform.h"

static nadi_time later(nadi_time at, double ps)
{
    return nadi_time_add(at, nadi_time_round(ps));
}

/* The route of a message that is sent now. With adaptive routing a pair that has nothing on its way
 * chooses. */
static const struct nadi_fabric_path *path_of_next(struct flow *f, uint32_t pair, uint64_t bytes)
{
    if (!f->fabric.loads)
        return nadi_fabric_path(&f->fabric, pair);
    struct pair_load *l = &f->loads.items[pair];
    const struct nadi_fabric_path *r =
        l->sent ? nadi_fabric_path(&f->fabric, pair) : nadi_fabric_choose(&f->fabric, pair, bytes);
    if (l->sent++ == 0) {
        l->links = r->links;
        l->hops = r->hops;
    }
    nadi_fabric_load(&f->fabric, l->links, l->hops, (double)bytes);
    return r;
}

nadi_time nadi_flow_wait(const struct flow *f, const struct nadi_fabric_path *r, uint64_t wire)
{
    const double wait_ns =
        f->config.startup_ns + r->latency_ns + nadi_flow_forwarding_ns(f, r, wire);
    return nadi_time_round(wait_ns * 1e3);
}

/* The message is ready to leave its sender at this time. */
void nadi_flow_schedule(struct flow *f, uint32_t index, nadi_time ready)
{
    const struct transfer *t = &f->transfers.items[index];
    const struct nadi_fabric_path *r = nadi_fabric_path(&f->fabric, t->route);
    const nadi_time at = nadi_time_add(ready, nadi_flow_wait(f, r, t->bytes));
    if (at == nadi_engine_now(f->base.engine))
        nadi_flow_begin(f, index);
    else
        nadi_flow_schedule_begin(f, index, at);
}

void nadi_flow_schedule_begin(struct flow *f, uint32_t index, nadi_time at)
{
    f->transfers.items[index].next = NADI_NONE;
    struct batch *b = nadi_flow_batch_of(f, at);
    const bool carries = f->transfers.items[index].bytes > 0; /* else its place in time matters */
    if (carries && b->at == at) {
        f->transfers.items[b->last].next = index;
        b->last = index;
        return;
    }
    if (carries)
        *b = (struct batch){at, index};
    nadi_engine_schedule(f->base.engine, at, NADI_NONE, f->kind_begin, index, 0, 0);
}

/* Makes room for the pair of a route. */
static uint32_t with_pair(struct flow *f, uint32_t index)
{
    while (f->pairs.count <= index) {
        const struct pair fresh = {.head = NADI_NONE};
        const uint32_t nowhere = NADI_NONE;
        const struct pair_load unloaded = {0};
        (void)nadi_share_add(f->share);
        NADI_PUSH_LINES(&f->pairs, fresh);
        NADI_PUSH(&f->slots, nowhere);
        if (f->clocks) {
            NADI_PUSH(&f->on, nowhere);
            NADI_PUSH(&f->turns, nowhere);
        }
        if (f->fabric.loads)
            NADI_PUSH(&f->loads, unloaded);
    }
    return index;
}

/* The route of the message's connection. */
static inline uint32_t route_of(struct flow *f, const struct nadi_message *m)
{
    if (!f->fabric.hashes || f->connections.in_flight == NADI_IN_FLIGHT_ANY)
        return m->route;
    return with_pair(f, nadi_fabric_route_of(&f->fabric, m->route, m->connection));
}

uint32_t nadi_flow_route_of(struct flow *f, const struct nadi_message *m)
{
    return route_of(f, m);
}

static inline uint32_t take(struct flow *f, const struct nadi_message *m)
{
    uint32_t index;
    NADI_ASSERT(m->kind <= UINT16_MAX);
    NADI_POOL_TAKE_LINES(&f->transfers, next, index);
    f->transfers.items[index] = (struct transfer){
        .bytes = nadi_flow_on_wire(f, m->bytes),
        .weight = m->weight > 0 ? m->weight : 1,
        .number = f->base.sent.messages,
        .route = m->route,
        .connection = NADI_NONE,
        .kind = (uint16_t)m->kind,
        .a = m->a,
        .b = m->b,
        .c = m->c,
        .itself = m->src == m->dst,
    };
    nadi_network_count_sent(&f->base, m->bytes);
    return index;
}

uint32_t nadi_flow_take(struct flow *f, const struct nadi_message *m)
{
    return take(f, m);
}

void nadi_flow_send(struct nadi_network *net, const struct nadi_message *m)
{
    struct flow *f = nadi_flow_self(net);
    nadi_time now = nadi_engine_now(f->base.engine);
    const uint32_t index = take(f, m);
    if (m->src == m->dst) {
        nadi_flow_deliver(f, index);
        return;
    }
    if (f->sender_free && m->src < f->fabric.npu_count) {
        nadi_time *ready = &f->sender_free[f->fabric.uniform ? 0 : m->src];
        *ready = later(*ready > now ? *ready : now, f->config.overhead_ns * 1e3);
        now = *ready;
    }
    const uint32_t pair = route_of(f, m);
    f->transfers.items[index].route = pair;
    (void)path_of_next(f, pair, f->transfers.items[index].bytes);
    f->transfers.items[index].connection =
        nadi_connections_find(&f->connections, pair, m->connection);
    nadi_flow_schedule(f, index, now);
}

uint32_t nadi_flow_route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    struct flow *f = nadi_flow_self(net);
    if (src == dst)
        return 0;
    if (f->fabric.uniform) {
        nadi_uniform_move(&f->fabric, &src, &dst);
    }
    return with_pair(f, nadi_fabric_route(&f->fabric, src, dst));
}

uint32_t nadi_flow_over(struct nadi_network *net, uint32_t link)
{
    struct flow *f = nadi_flow_self(net);
    return with_pair(f, nadi_fabric_over(&f->fabric, link));
}
