/* aware: a FIFO on every link, store and forward.
 *
 * A link is idle or busy. A message handed to an idle link arrives at the other end after
 * trunc(latency + bytes/bandwidth) ns and frees the link after trunc(bytes/bandwidth) ns (arrival
 * is scheduled first); handed to a busy link it waits in FIFO order. The full serialisation is paid
 * at every hop. With adaptive routing every message chooses its route as it is sent, by the bytes
 * that each link still has to carry. Routes over a list of dimensions or a graph are those of
 * network/fabric.h. Equal to the analytical reference's congestion-aware model in one dimension;
 * several dimensions and graphs follow the same link rules. docs/models/aware.md has the equations.
 *
 * Where one NPU's messages stand for those of all, a link serves those of its kind in the order
 * that all links of the kind have: engine/sequence.h tells whether there is one.
 *
 * Cost of a message: two events a hop, O(1) each. */
#include "base/mem.h"
#include "base/pool.h"
#include "engine/sequence.h"
#include "network/fabric.h"
#include "network/message_log.h"
#include "network/uniform.h"
#include "network/usage.h"

struct flight { /* a message in the network */
    const uint32_t *links;
    uint64_t bytes;
    uint32_t hop, hops; /* hop: the link that it is on or waits for */
    uint32_t next;      /* in a link's FIFO, or in the free list */
    uint32_t route;
    uint32_t kind, a, b, c;
    uint32_t actor; /* folded: that it is for */
    bool scattered; /* of network.h */
    nadi_time waits_since;
};

struct link {
    uint64_t bytes;           /* of the message that it carries, */
    nadi_time since, free_at; /* from when to when; free_at may be never */
    nadi_time told;           /* the run ended: its usage is told up to then */
    uint32_t head, tail;      /* waiting */
    uint32_t waiting;
    uint32_t class;
    bool busy;
};

struct link_class { /* links of one bandwidth and latency */
    double bytes_per_ns, latency_ns;
    uint64_t memo_bytes; /* of the two times below */
    uint64_t arrive_ns, free_ns;
    bool memo_valid;
};

struct aware {
    struct nadi_network base;
    struct nadi_fabric fabric;
    struct link *links;
    struct nadi_fabric_tally *tallies;
    struct {
        struct link_class *items;
        size_t count, capacity;
    } classes;
    NADI_POOL_OF(struct flight) flights;
    struct {
        uint32_t *items; /* messages without a path, in order */
        size_t count, capacity;
    } stranded;
    uint32_t kind_hop, kind_free;
    struct nadi_sequence *sequence; /* NULL: each message stands for itself; else, */
    uint32_t root; /* of the running event, as seen from the link that it is about */
};

static struct aware *self(struct nadi_network *net)
{
    return (struct aware *)net;
}

static const struct link_class *times_of(struct aware *w, uint32_t link, uint64_t bytes)
{
    struct link_class *c = &w->classes.items[w->links[link].class];
    if (!c->memo_valid || c->memo_bytes != bytes) {
        const double serial = (double)bytes / c->bytes_per_ns;
        c->memo_bytes = bytes;
        c->memo_valid = true;
        c->arrive_ns = nadi_ns_trunc(c->latency_ns + serial);
        c->free_ns = nadi_ns_trunc(serial);
    }
    return c;
}

/* ---- one for many -------------------------------------------------------------------------- */

/* The root of the running event as seen from place `to`, when it is `root` from place `from`. */
static uint32_t seen_from(const struct aware *w, uint32_t root, uint32_t from, uint32_t to)
{
    const struct nadi_topology *t = &w->fabric.uniform->shape;
    return nadi_uniform_place(t, nadi_uniform_place(t, from, to), root);
}

/* A message of the running event comes to its first link. */
static void see_from_source(struct aware *w, const struct flight *f)
{
    w->root = seen_from(w, nadi_sequence_root(w->sequence), 0, f->links[f->hops]);
}

/* What is scheduled next is the flight's arrival at the end of its link. */
static void aim_arrival(struct aware *w, const struct flight *f)
{
    const uint32_t *places = f->links + f->hops;
    const uint32_t root = seen_from(w, w->root, places[f->hop], places[f->hop + 1]);
    nadi_sequence_aim(w->sequence, f->hop + 1 == f->hops ? f->actor : NADI_NONE, root,
                      f->scattered);
}

/* ---- links --------------------------------------------------------------------------------- */

static void start(struct aware *w, uint32_t index, uint32_t flight)
{
    const struct flight *f = &w->flights.items[flight];
    const struct link_class *c = times_of(w, index, f->bytes);
    struct nadi_fabric_tally *tally = &w->tallies[index];
    const nadi_time now = nadi_engine_now(w->base.engine);
    const nadi_time arrival = nadi_engine_after_ns(w->base.engine, c->arrive_ns);
    const nadi_time free_at = nadi_engine_after_ns(w->base.engine, c->free_ns); /* may be never */
    w->links[index].busy = true;
    w->links[index].bytes = f->bytes;
    w->links[index].since = now;
    w->links[index].free_at = free_at;
    tally->messages++;
    tally->bytes = nadi_count_add(tally->bytes, f->bytes);
    tally->busy = nadi_time_add(tally->busy, nadi_time_sub(free_at, now));
    if (NADI_UNLIKELY(w->sequence != NULL))
        aim_arrival(w, f);
    if (f->hop + 1 == f->hops) {
        nadi_engine_schedule(w->base.engine, arrival, NADI_NONE, f->kind, f->a, f->b, f->c);
        NADI_POOL_GIVE(&w->flights, next, flight);
    } else
        nadi_engine_schedule(w->base.engine, arrival, NADI_NONE, w->kind_hop, flight, 0, 0);
    if (NADI_UNLIKELY(w->sequence != NULL))
        nadi_sequence_aim(w->sequence, NADI_NONE, w->root, false);
    nadi_engine_schedule(w->base.engine, free_at, NADI_NONE, w->kind_free, index, 0, 0);
}

/* From its source, on the way of now. */
static void send_again(struct aware *w, uint32_t flight);

static void hand_over(struct aware *w, uint32_t flight)
{
    struct flight *f = &w->flights.items[flight];
    const uint32_t index = f->links[f->hop];
    struct link *l = &w->links[index];
    if (NADI_UNLIKELY(w->sequence != NULL))
        nadi_sequence_touch(w->sequence, index, w->root);
    if (NADI_UNLIKELY(w->fabric.items[index].down)) {
        send_again(w, flight);
        return;
    }
    if (!l->busy) {
        start(w, index, flight);
        return;
    }
    f->next = NADI_NONE;
    f->waits_since = nadi_engine_now(w->base.engine);
    if (l->tail == NADI_NONE)
        l->head = flight;
    else
        w->flights.items[l->tail].next = flight;
    l->tail = flight;
    if (++l->waiting > w->tallies[index].most_waiting)
        w->tallies[index].most_waiting = l->waiting;
    if (w->base.usage)
        nadi_usage_deep(w->base.usage, index, nadi_engine_now(w->base.engine),
                        nadi_engine_now(w->base.engine), l->waiting);
}

static void send_again(struct aware *w, uint32_t flight)
{
    struct flight *f = &w->flights.items[flight];
    if (f->hops)
        nadi_fabric_load(&w->fabric, f->links + f->hop, f->hops - f->hop, -(double)f->bytes);
    f->hop = f->hops = 0;
    const struct nadi_fabric_path *path = nadi_fabric_choose(&w->fabric, f->route, f->bytes);
    if (path->broken) {
        NADI_PUSH(&w->stranded, flight);
        return;
    }
    nadi_fabric_load(&w->fabric, path->links, path->hops, (double)f->bytes);
    f->links = path->links;
    f->hops = path->hops;
    hand_over(w, flight);
}

static void on_hop(void *context, const struct nadi_event *event)
{
    struct aware *w = context;
    w->flights.items[event->a].hop++;
    if (NADI_UNLIKELY(w->sequence != NULL))
        w->root = nadi_sequence_root(w->sequence);
    hand_over(w, event->a);
}

static void on_link_free(void *context, const struct nadi_event *event)
{
    struct aware *w = context;
    struct link *l = &w->links[event->a];
    if (NADI_UNLIKELY(w->sequence != NULL)) {
        w->root = nadi_sequence_root(w->sequence);
        nadi_sequence_touch(w->sequence, event->a, w->root);
    }
    l->busy = false;
    if (w->base.usage)
        nadi_usage_add(w->base.usage, event->a, l->since, l->free_at, (double)l->bytes);
    nadi_fabric_load(&w->fabric, &event->a, 1, -(double)l->bytes);
    if (l->head == NADI_NONE)
        return;
    const uint32_t flight = l->head;
    l->head = w->flights.items[flight].next;
    if (l->head == NADI_NONE)
        l->tail = NADI_NONE;
    l->waiting--;
    const struct flight *f = &w->flights.items[flight];
    const nadi_time waited = nadi_engine_now(w->base.engine) - f->waits_since;
    if (w->base.usage) {
        const nadi_time now = nadi_engine_now(w->base.engine);
        nadi_usage_deep(w->base.usage, event->a, f->waits_since, now, 1);
        nadi_usage_deep(w->base.usage, event->a, now, now, l->waiting + 1);
    }
    w->tallies[event->a].wait = nadi_time_add(w->tallies[event->a].wait, waited);
    if (nadi_message_logged(w->base.log, f->kind))
        nadi_message_log_wait(w->base.log, f->a, event->a, waited);
    start(w, event->a, flight);
}

/* Links of one kind share the two times of a message: there are few kinds. */
static uint32_t class_of(struct aware *w, const struct nadi_fabric_link *link)
{
    const struct link_class c = {.bytes_per_ns = link->bytes_per_ns,
                                 .latency_ns = link->latency_ns};
    for (size_t i = w->classes.count; i-- > 0;) {
        const struct link_class *old = &w->classes.items[i];
        if (!(old->bytes_per_ns < c.bytes_per_ns || old->bytes_per_ns > c.bytes_per_ns ||
              old->latency_ns < c.latency_ns || old->latency_ns > c.latency_ns))
            return (uint32_t)i;
    }
    NADI_PUSH(&w->classes, c);
    return (uint32_t)w->classes.count - 1;
}

static struct nadi_network *create(const struct nadi_network_setup *setup)
{
    struct aware *w = nadi_network_new(&nadi_network_aware, setup, sizeof(*w));
    w->flights.free = NADI_NONE;
    nadi_fabric_init(&w->fabric, setup->topology, setup->graph, setup->routing);
    NADI_ASSERT(!setup->uniform || !setup->graph == !setup->uniform->links);
    w->fabric.uniform = setup->uniform;
    if (setup->uniform) { /* nothing was scheduled yet */
        w->sequence = nadi_sequence_create(setup->uniform->actor_count, w->fabric.count);
        nadi_engine_set_sequence(setup->engine, w->sequence);
    }
    w->links = NADI_ZNEW(struct link, w->fabric.count);
    w->tallies = NADI_ZNEW(struct nadi_fabric_tally, w->fabric.count);
    for (uint32_t i = 0; i < w->fabric.count; i++) {
        w->links[i].head = w->links[i].tail = NADI_NONE;
        w->links[i].class = class_of(w, &w->fabric.items[i]);
    }
    w->kind_hop = nadi_engine_add_kind(setup->engine, on_hop, w);
    w->kind_free = nadi_engine_add_kind(setup->engine, on_link_free, w);
    if (setup->record_usage)
        w->base.usage = nadi_usage_create(w->fabric.count, NADI_DEPTH_MESSAGES);
    return &w->base;
}

static void release(struct nadi_network *net)
{
    struct aware *w = self(net);
    nadi_fabric_release(&w->fabric);
    nadi_sequence_destroy(w->sequence);
    nadi_mem_free(w->links);
    nadi_mem_free(w->tallies);
    nadi_mem_free(w->classes.items);
    nadi_mem_free(w->flights.items);
    nadi_mem_free(w->stranded.items);
}

static uint32_t route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    struct aware *w = self(net);
    if (src == dst)
        return NADI_NONE;
    if (w->fabric.uniform) {
        nadi_uniform_move(&w->fabric, &src, &dst);
    }
    return nadi_fabric_route(&w->fabric, src, dst);
}

static uint32_t over(struct nadi_network *net, uint32_t link)
{
    return nadi_fabric_over(&self(net)->fabric, link);
}

static void send(struct nadi_network *net, const struct nadi_message *message)
{
    struct aware *w = self(net);
    nadi_network_count_sent(net, message->bytes);
    const struct nadi_fabric_path *path =
        message->src == message->dst
            ? NULL
            : nadi_fabric_choose(&w->fabric, message->route, message->bytes);
    if (!path || (path->hops == 0 && !path->broken)) {
        nadi_engine_schedule(w->base.engine, nadi_engine_now(w->base.engine), NADI_NONE,
                             message->kind, message->a, message->b, message->c);
        return;
    }
    nadi_fabric_load(&w->fabric, path->links, path->hops, (double)message->bytes);
    uint32_t flight;
    NADI_POOL_TAKE(&w->flights, next, flight);
    w->flights.items[flight] = (struct flight){
        .links = path->links,
        .hops = path->hops,
        .bytes = message->bytes,
        .route = message->route,
        .kind = message->kind,
        .a = message->a,
        .b = message->b,
        .c = message->c,
        .scattered = message->scattered,
    };
    if (NADI_UNLIKELY(w->sequence != NULL)) {
        w->flights.items[flight].actor = w->fabric.uniform->actor_of[message->dst];
        see_from_source(w, &w->flights.items[flight]);
    }
    if (NADI_UNLIKELY(path->broken))
        NADI_PUSH(&w->stranded, flight);
    else
        hand_over(w, flight);
}

/* ---- links that change --------------------------------------------------------------------- */

/* What waits for a link that has gone down starts again from its source. */
static void empty_queue(struct aware *w, uint32_t index)
{
    struct link *l = &w->links[index];
    const nadi_time now = nadi_engine_now(w->base.engine);
    uint32_t flight = l->head;
    l->head = l->tail = NADI_NONE;
    l->waiting = 0;
    while (flight != NADI_NONE) {
        const uint32_t next = w->flights.items[flight].next;
        const nadi_time waited = now - w->flights.items[flight].waits_since;
        w->tallies[index].wait = nadi_time_add(w->tallies[index].wait, waited);
        send_again(w, flight);
        flight = next;
    }
}

static void change(struct nadi_network *net, const struct nadi_link_state *states, size_t count)
{
    struct aware *w = self(net);
    nadi_fabric_change(&w->fabric, states, count);
    for (size_t i = 0; i < count; i++)
        w->links[states[i].link].class = class_of(w, &w->fabric.items[states[i].link]);
    for (size_t i = 0; i < count; i++)
        if (states[i].down)
            empty_queue(w, states[i].link);
    const size_t waiting = w->stranded.count;
    w->stranded.count = 0;
    for (size_t i = 0; i < waiting; i++)
        send_again(w, w->stranded.items[i]); /* may strand again, at or before its old place */
}

static const char *too_far(const struct nadi_network *net)
{
    const struct aware *w = (const struct aware *)net;
    return w->stranded.count ? nadi_fabric_too_far(&w->fabric) : NULL;
}

static uint64_t count_stranded(const struct nadi_network *net, uint32_t *src, uint32_t *dst)
{
    const struct aware *w = (const struct aware *)net;
    if (w->stranded.count) {
        const uint32_t route = w->flights.items[w->stranded.items[0]].route;
        *src = w->fabric.routes[route].src;
        *dst = w->fabric.routes[route].dst;
    }
    return w->stranded.count;
}

/* The run ended while the link carried a message: what is to come is taken off. */
static void cut_short(const struct aware *w, struct link *l, struct nadi_fabric_tally *tally)
{
    const nadi_time now = nadi_engine_now(w->base.engine);
    const nadi_time left = nadi_max_i64(nadi_time_sub(l->free_at, now), 0);
    if (left == 0 || nadi_time_is_never(tally->busy))
        return;
    const double part = (double)left / (double)nadi_time_sub(l->free_at, l->since);
    const uint64_t rest = nadi_min_u64(nadi_count_round(part * (double)l->bytes), l->bytes);
    tally->busy = nadi_time_sub(tally->busy, left);
    if (!nadi_is_most(tally->bytes))
        tally->bytes -= rest;
    if (w->base.usage && now > l->told)
        nadi_usage_add(w->base.usage, (uint32_t)(l - w->links), l->since, now,
                       (double)(l->bytes - rest));
    l->told = now;
}

static void counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                     void *context)
{
    const struct aware *w = (const struct aware *)net;
    struct nadi_fabric_tally *tallies = NADI_NEW(struct nadi_fabric_tally, w->fabric.count);
    memcpy(tallies, w->tallies, w->fabric.count * sizeof(*tallies));
    for (uint32_t i = 0; i < w->fabric.count; i++)
        if (w->links[i].busy)
            cut_short(w, &w->links[i], &tallies[i]);
    if (w->fabric.uniform)
        nadi_uniform_spread(&w->fabric, tallies, w->base.usage);
    nadi_fabric_counters(&w->fabric, tallies, links, visit, context);
    nadi_mem_free(tallies);
}

static void flows(const struct nadi_network *net, nadi_counted_flow_fn *visit, void *context)
{
    nadi_fabric_flows(&((const struct aware *)net)->fabric, visit, context);
}

static bool rest(struct nadi_network *net, struct nadi_network_counts *state)
{
    const struct aware *w = self(net);
    (void)state;
    return !w->stranded.count && nadi_fabric_rests(&w->fabric);
}

static void count(struct nadi_network *net, struct nadi_network_counts *counts)
{
    const struct aware *w = self(net);
    nadi_fabric_count(&w->fabric, w->tallies, &w->base.sent, counts);
}

static void repeat(struct nadi_network *net, const uint64_t *then, uint64_t times)
{
    struct aware *w = self(net);
    nadi_fabric_repeat(&w->fabric, w->tallies, &w->base.sent, then, times);
}

const struct nadi_network_ops nadi_network_aware = {
    .name = "aware",
    .has_contention = true,
    .whole_routes = true,
    .has_links = true,
    .can_fold = true,
    .in_order = true,
    .store_and_forward = true,
    .truncates = true,
    .rounding_ns = 1,
    .summary = "A FIFO on every link, store and forward: a message occupies each link of its route "
               "for bytes / bandwidth and waits where the link is busy. Equal to the analytical "
               "reference's congestion-aware model in one dimension; more dimensions are crossed "
               "in ascending order, graphs by shortest paths.",
    .create = create,
    .release = release,
    .route = route,
    .over = over,
    .send = send,
    .counters = counters,
    .flows = flows,
    .change = change,
    .stranded = count_stranded,
    .too_far = too_far,
    .rest = rest,
    .count = count,
    .repeat = repeat,
};
