/* flow: messages as fluids that share links max-min fairly.
 *
 * A message waits for its sender's overhead, the start-up and the latency of every hop of its way;
 * then its bytes flow at the rate that nadi_share gives it, and with the last one it has arrived.
 * The messages of a pair share one demand whose weight is their number: what each has got since the
 * demand began is one number (`got`), and they end in the order of the amount at which each is
 * full. Ends stand in a heap; all that end in one picosecond end together, in the order in which
 * they were sent, and the levels that this changes are found once, when everything else of the
 * instant has been done.
 *
 * With adaptive routing a pair that has nothing on its way chooses it when it sends, by the bytes
 * that were sent over each link and have not arrived.
 *
 * Cost of a message: O(hops) and what nadi_share_solve costs for the components it touches, shared
 * by all that begin or end in the same instant. Memory: 64 bytes a message on its way, 80 a pair.
 */
#include "network/flow.h"

#include "base/mem.h"
#include "network/fabric.h"
#include "network/network.h"
#include "network/share.h"
#include "network/usage.h"

#include <math.h>

struct transfer { /* a message on its way */
    double full;  /* value of its pair's `got` at which it has arrived */
    uint64_t bytes, number;
    uint32_t route;
    uint32_t next; /* of its pair, or in the free list */
    uint32_t kind, a, b, c;
    bool itself; /* to its sender */
};

struct pair {             /* of a route: its messages that share links now */
    double got;           /* bytes that each has got since the first of them began, up to `since` */
    double level;         /* bytes/ns that each gets */
    nadi_time since, end; /* end: of the first to end, while in the heap */
    uint32_t head, count;
    uint32_t slot;    /* in the heap; NADI_NONE: not there */
    uint32_t demand;  /* NADI_NONE: none yet */
    uint32_t changes; /* of the route, when the demand got its links */
    /* adaptive routing: messages that were sent and have not arrived, and the links that count
     * their bytes as load: those of the way when the first was sent */
    uint32_t sent, hops;
    const uint32_t *links;
};

struct ending {
    uint64_t number;
    uint32_t transfer;
};

struct flow {
    struct nadi_network base;
    struct nadi_engine *engine;
    struct nadi_flow_config config;
    struct nadi_fabric fabric;
    struct nadi_share *share;
    struct nadi_fabric_tally *tallies; /* by link */
    nadi_time *busy_since;             /* by link, while it carries something */
    struct {
        struct pair *items; /* by route */
        size_t count, capacity;
    } pairs;
    struct {
        uint32_t *items; /* pair of a demand */
        size_t count, capacity;
    } owners;
    struct {
        struct transfer *items;
        size_t count, capacity;
    } transfers;
    struct {
        uint32_t *items; /* pairs by end */
        size_t count, capacity;
    } heap;
    struct {
        struct ending *items;
        size_t count, capacity;
    } ended;
    nadi_time *sender_free; /* by NPU; NULL without an overhead */
    uint32_t free_transfer;
    uint32_t kind_begin, kind_settle, kind_pump;
    nadi_time pump_at;        /* NADI_TIME_MAX: not scheduled */
    bool settling;            /* a settle event is pending */
    struct nadi_usage *usage; /* NULL: not wanted */
    uint64_t sent_messages, sent_bytes;
};

static struct flow *self(struct nadi_network *net)
{
    return (struct flow *)net;
}

static nadi_time later(nadi_time at, double ps)
{
    if (!(ps < (double)(NADI_TIME_MAX - at) - 1e6))
        return NADI_TIME_MAX;
    return at + (nadi_time)(ps + 0.5);
}

/* ---- the heap of ends ---------------------------------------------------------------------- */

static void place(struct flow *f, size_t slot, uint32_t pair)
{
    f->heap.items[slot] = pair;
    f->pairs.items[pair].slot = (uint32_t)slot;
}

static void sift_up(struct flow *f, size_t i)
{
    const uint32_t moved = f->heap.items[i];
    const nadi_time end = f->pairs.items[moved].end;
    while (i > 0) {
        const size_t parent = (i - 1) / 2;
        if (f->pairs.items[f->heap.items[parent]].end <= end)
            break;
        place(f, i, f->heap.items[parent]);
        i = parent;
    }
    place(f, i, moved);
}

static void sift_down(struct flow *f, size_t i)
{
    const uint32_t moved = f->heap.items[i];
    const nadi_time end = f->pairs.items[moved].end;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= f->heap.count)
            break;
        if (child + 1 < f->heap.count &&
            f->pairs.items[f->heap.items[child + 1]].end < f->pairs.items[f->heap.items[child]].end)
            child++;
        if (f->pairs.items[f->heap.items[child]].end >= end)
            break;
        place(f, i, f->heap.items[child]);
        i = child;
    }
    place(f, i, moved);
}

static void take_out(struct flow *f, uint32_t pair)
{
    const uint32_t slot = f->pairs.items[pair].slot;
    if (slot == NADI_NONE)
        return;
    f->pairs.items[pair].slot = NADI_NONE;
    const uint32_t last = f->heap.items[--f->heap.count];
    if (slot == f->heap.count)
        return;
    place(f, slot, last);
    sift_up(f, slot);
    sift_down(f, f->pairs.items[last].slot);
}

static void set_end(struct flow *f, uint32_t pair, nadi_time end)
{
    struct pair *p = &f->pairs.items[pair];
    const nadi_time before = p->end;
    p->end = end;
    if (p->slot == NADI_NONE) {
        NADI_PUSH(&f->heap, pair);
        sift_up(f, f->heap.count - 1);
    } else if (end < before)
        sift_up(f, p->slot);
    else
        sift_down(f, p->slot);
}

/* ---- levels -------------------------------------------------------------------------------- */

static void record(struct flow *f, const struct pair *p, nadi_time now)
{
    const struct nadi_fabric_way *way = &f->fabric.routes[f->owners.items[p->demand]];
    const double bytes = p->level * p->count * ((double)(now - p->since) * 1e-3);
    for (uint32_t i = 0; i < way->hops; i++)
        nadi_usage_add(f->usage, way->links[i], p->since, now, bytes);
}

static void advance(struct flow *f, struct pair *p, nadi_time now)
{
    if (f->usage && now > p->since && p->level > 0)
        record(f, p, now);
    p->got += p->level * ((double)(now - p->since) * 1e-3);
    p->since = now;
}

static void need_settling(struct flow *f)
{
    if (f->settling)
        return;
    f->settling = true;
    nadi_engine_schedule(f->engine, nadi_engine_now(f->engine), NADI_NONE, f->kind_settle, 0, 0, 0);
}

static void schedule_pump(struct flow *f)
{
    if (f->heap.count == 0)
        return;
    const nadi_time at = f->pairs.items[f->heap.items[0]].end;
    if (at >= f->pump_at || at == NADI_TIME_MAX)
        return;
    f->pump_at = at;
    nadi_engine_schedule(f->engine, at, NADI_NONE, f->kind_pump, 0, 0, 0);
}

static void find_end(struct flow *f, uint32_t pair)
{
    const struct pair *p = &f->pairs.items[pair];
    const double left = f->transfers.items[p->head].full - p->got;
    if (p->level > 0)
        set_end(f, pair, later(p->since, left > 0 ? left / p->level * 1e3 : 0));
    else
        take_out(f, pair); /* its way is closed */
}

static void on_settle(void *context, const struct nadi_event *event)
{
    struct flow *f = context;
    const nadi_time now = nadi_engine_now(f->engine);
    const uint32_t *demands;
    (void)event;
    f->settling = false;
    const size_t count = nadi_share_solve(f->share, &demands);
    for (size_t i = 0; i < count; i++) {
        const uint32_t pair = f->owners.items[demands[i]];
        struct pair *p = &f->pairs.items[pair];
        advance(f, p, now);
        p->level = nadi_share_level(f->share, demands[i]);
        find_end(f, pair);
    }
    schedule_pump(f);
}

/* ---- a message's life ---------------------------------------------------------------------- */

static void count_links(struct flow *f, const struct nadi_fabric_way *r, uint64_t bytes)
{
    for (uint32_t i = 0; i < r->hops; i++) {
        struct nadi_fabric_tally *l = &f->tallies[r->links[i]];
        l->messages++;
        l->bytes += bytes;
    }
}

static void set_weight(struct flow *f, const struct pair *p, const struct nadi_fabric_way *r)
{
    const nadi_time now = nadi_engine_now(f->engine);
    nadi_share_set_weight(f->share, p->demand, (double)p->count);
    if (p->count > 1)
        return;
    for (uint32_t i = 0; i < r->hops; i++) {
        const uint32_t link = r->links[i], active = nadi_share_active(f->share, link);
        if (p->count == 1 && active == 1)
            f->busy_since[link] = now;
        else if (p->count == 0 && active == 0)
            f->tallies[link].busy += now - f->busy_since[link];
    }
}

static double limit_of(const struct flow *f, const struct nadi_fabric_way *r)
{
    const double round_trip_ns = 2 * r->latency_ns;
    if (f->config.window_bytes == 0 || round_trip_ns <= 0)
        return INFINITY;
    return (double)f->config.window_bytes / round_trip_ns;
}

/* The pair's first message begins: its demand, with the links of today. */
static void open_pair(struct flow *f, struct pair *p, uint32_t route,
                      const struct nadi_fabric_way *r)
{
    if (p->demand == NADI_NONE) {
        p->demand = nadi_share_add(f->share, r->links, r->hops, limit_of(f, r));
        NADI_PUSH(&f->owners, route);
        NADI_ASSERT(f->owners.count == p->demand + 1);
    } else if (p->changes != r->changes)
        nadi_share_set_links(f->share, p->demand, r->links, r->hops, limit_of(f, r));
    p->changes = r->changes;
    p->got = 0;
    p->level = 0;
    p->since = nadi_engine_now(f->engine);
}

static void insert(struct flow *f, struct pair *p, uint32_t index)
{
    const double full = f->transfers.items[index].full;
    uint32_t *at = &p->head;
    while (*at != NADI_NONE && f->transfers.items[*at].full <= full)
        at = &f->transfers.items[*at].next;
    f->transfers.items[index].next = *at;
    *at = index;
}

/* The way of a message that is sent now. With adaptive routing a pair that has nothing on its way
 * chooses. */
static const struct nadi_fabric_way *way_out(struct flow *f, uint32_t pair, uint64_t bytes)
{
    struct pair *p = &f->pairs.items[pair];
    if (!f->fabric.loads)
        return nadi_fabric_way(&f->fabric, pair);
    const struct nadi_fabric_way *r =
        p->sent ? nadi_fabric_way(&f->fabric, pair) : nadi_fabric_choose(&f->fabric, pair, bytes);
    if (p->sent++ == 0) {
        p->links = r->links;
        p->hops = r->hops;
    }
    nadi_fabric_load(&f->fabric, p->links, p->hops, (double)bytes);
    return r;
}

static void arrived(struct flow *f, const struct transfer *t)
{
    struct pair *p = &f->pairs.items[t->route];
    if (!f->fabric.loads || t->itself)
        return;
    p->sent--;
    nadi_fabric_load(&f->fabric, p->links, p->hops, -(double)t->bytes);
}

static void deliver(struct flow *f, uint32_t index)
{
    struct transfer *t = &f->transfers.items[index];
    arrived(f, t);
    nadi_engine_schedule(f->engine, nadi_engine_now(f->engine), NADI_NONE, t->kind, t->a, t->b,
                         t->c);
    t->next = f->free_transfer;
    f->free_transfer = index;
}

static void begin(struct flow *f, uint32_t index)
{
    struct transfer *t = &f->transfers.items[index];
    const struct nadi_fabric_way *r = nadi_fabric_way(&f->fabric, t->route);
    count_links(f, r, t->bytes);
    if (t->bytes == 0 || r->hops == 0) {
        deliver(f, index);
        return;
    }
    struct pair *p = &f->pairs.items[t->route];
    if (p->count == 0)
        open_pair(f, p, t->route, r);
    else
        advance(f, p, nadi_engine_now(f->engine));
    t->full = p->got + (double)t->bytes;
    insert(f, p, index);
    p->count++;
    set_weight(f, p, r);
    need_settling(f);
}

static void on_begin(void *context, const struct nadi_event *event)
{
    begin(context, event->a);
}

/* The messages of a pair whose end is due; at least one. */
static void end_due(struct flow *f, uint32_t pair)
{
    struct pair *p = &f->pairs.items[pair];
    const nadi_time now = nadi_engine_now(f->engine);
    const uint32_t before = p->count;
    advance(f, p, now);
    const double due = p->got + p->level * 0.5e-3; /* half a picosecond's worth */
    while (p->head != NADI_NONE &&
           (p->count == before || f->transfers.items[p->head].full <= due)) {
        const struct ending e = {f->transfers.items[p->head].number, p->head};
        NADI_PUSH(&f->ended, e);
        p->head = f->transfers.items[p->head].next;
        p->count--;
    }
    set_weight(f, p, &f->fabric.routes[pair]);
}

static int by_number(const void *x, const void *y)
{
    const struct ending *a = x, *b = y;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void on_pump(void *context, const struct nadi_event *event)
{
    struct flow *f = context;
    const nadi_time now = nadi_engine_now(f->engine);
    bool sorted = true;
    (void)event;
    if (f->pump_at == now)
        f->pump_at = NADI_TIME_MAX;
    f->ended.count = 0;
    while (f->heap.count && f->pairs.items[f->heap.items[0]].end <= now) {
        const uint32_t pair = f->heap.items[0];
        take_out(f, pair);
        end_due(f, pair);
    }
    for (size_t i = 1; i < f->ended.count && sorted; i++)
        sorted = f->ended.items[i - 1].number < f->ended.items[i].number;
    if (!sorted)
        qsort(f->ended.items, f->ended.count, sizeof(*f->ended.items), by_number);
    for (size_t i = 0; i < f->ended.count; i++)
        deliver(f, f->ended.items[i].transfer);
    if (f->ended.count)
        need_settling(f);
    else
        schedule_pump(f);
}

static uint32_t new_transfer(struct flow *f)
{
    const uint32_t index = f->free_transfer;
    if (index != NADI_NONE) {
        f->free_transfer = f->transfers.items[index].next;
        return index;
    }
    NADI_RESERVE(&f->transfers, f->transfers.count + 1);
    return (uint32_t)f->transfers.count++;
}

static void send(struct nadi_network *net, const struct nadi_message *m)
{
    struct flow *f = self(net);
    nadi_time now = nadi_engine_now(f->engine);
    const uint32_t index = new_transfer(f);
    f->transfers.items[index] = (struct transfer){
        .bytes = m->bytes,
        .number = f->sent_messages++,
        .route = m->route,
        .kind = m->kind,
        .a = m->a,
        .b = m->b,
        .c = m->c,
        .itself = m->src == m->dst,
    };
    f->sent_bytes += m->bytes;
    if (m->src == m->dst) {
        deliver(f, index);
        return;
    }
    if (f->sender_free) {
        nadi_time *ready = &f->sender_free[m->src];
        *ready = later(*ready > now ? *ready : now, f->config.overhead_ns * 1e3);
        now = *ready;
    }
    const struct nadi_fabric_way *r = way_out(f, m->route, m->bytes);
    const nadi_time at = later(now, (f->config.startup_ns + r->latency_ns) * 1e3);
    if (at == nadi_engine_now(f->engine))
        begin(f, index);
    else
        nadi_engine_schedule(f->engine, at, NADI_NONE, f->kind_begin, index, 0, 0);
}

static uint32_t route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    struct flow *f = self(net);
    if (src == dst)
        return 0;
    const uint32_t index = nadi_fabric_route(&f->fabric, src, dst);
    while (f->pairs.count <= index) {
        const struct pair fresh = {.head = NADI_NONE, .slot = NADI_NONE, .demand = NADI_NONE};
        NADI_PUSH(&f->pairs, fresh);
    }
    return index;
}

/* ---- the table ----------------------------------------------------------------------------- */

static struct nadi_network *create(const struct nadi_network_setup *setup)
{
    struct flow *f = NADI_ZNEW(struct flow, 1);
    f->base.ops = &nadi_network_flow;
    f->engine = setup->engine;
    f->config = setup->flow ? *setup->flow : (struct nadi_flow_config){0};
    nadi_fabric_init(&f->fabric, setup->topology, setup->graph, setup->routing);
    double *capacity = NADI_NEW(double, f->fabric.count);
    for (uint32_t i = 0; i < f->fabric.count; i++)
        capacity[i] = f->fabric.items[i].bytes_per_ns;
    f->share = nadi_share_create(f->fabric.count, capacity);
    nadi_mem_free(capacity);
    f->tallies = NADI_ZNEW(struct nadi_fabric_tally, f->fabric.count);
    f->busy_since = NADI_ZNEW(nadi_time, f->fabric.count);
    if (f->config.overhead_ns > 0)
        f->sender_free = NADI_ZNEW(nadi_time, f->fabric.npu_count);
    f->free_transfer = NADI_NONE;
    f->pump_at = NADI_TIME_MAX;
    f->kind_begin = nadi_engine_add_kind(f->engine, on_begin, f);
    f->kind_settle = nadi_engine_add_kind(f->engine, on_settle, f);
    f->kind_pump = nadi_engine_add_kind(f->engine, on_pump, f);
    if (setup->record_usage)
        f->usage = nadi_usage_create(f->fabric.count);
    return &f->base;
}

static void destroy(struct nadi_network *net)
{
    struct flow *f = self(net);
    nadi_share_destroy(f->share);
    nadi_fabric_release(&f->fabric);
    nadi_usage_destroy(f->usage);
    nadi_mem_free(f->tallies);
    nadi_mem_free(f->busy_since);
    nadi_mem_free(f->pairs.items);
    nadi_mem_free(f->owners.items);
    nadi_mem_free(f->transfers.items);
    nadi_mem_free(f->heap.items);
    nadi_mem_free(f->ended.items);
    nadi_mem_free(f->sender_free);
    nadi_mem_free(f);
}

static void counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                     void *context)
{
    const struct flow *f = (const struct flow *)net;
    const nadi_time now = nadi_engine_now(f->engine);
    struct nadi_fabric_tally *tallies = NADI_NEW(struct nadi_fabric_tally, f->fabric.count);
    memcpy(tallies, f->tallies, f->fabric.count * sizeof(*tallies));
    for (uint32_t i = 0; i < f->fabric.count; i++) /* what goes on */
        if (nadi_share_active(f->share, i))
            tallies[i].busy += now - f->busy_since[i];
    nadi_fabric_counters(&f->fabric, tallies, links, visit, context);
    nadi_mem_free(tallies);
}

static const struct nadi_usage *usage(const struct nadi_network *net)
{
    return ((const struct flow *)net)->usage;
}

static void sent(const struct nadi_network *net, uint64_t *messages, uint64_t *bytes)
{
    const struct flow *f = (const struct flow *)net;
    *messages = f->sent_messages;
    *bytes = f->sent_bytes;
}

const struct nadi_network_ops nadi_network_flow = {
    .name = "flow",
    .summary = "Messages are fluids that share every link of their way max-min fairly, in "
               "picoseconds; each waits for the latency of all its hops. Any graph, any number of "
               "dimensions.",
    .create = create,
    .destroy = destroy,
    .route = route,
    .send = send,
    .counters = counters,
    .usage = usage,
    .sent = sent,
};
