/* flow: messages as fluids that share links max-min fairly.
 *
 * A message waits for its sender's overhead, the start-up and the latency of every hop of its path;
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
 * by all that begin or end in the same instant. Memory: 64 bytes a message on its path, 70 to
 * 80 a pair.
 */
#include "base/mem.h"
#include "network/flow_inside.h"
#include "network/uniform.h"

#include <math.h>

/* ---- levels -------------------------------------------------------------------------------- */

static void record(const struct flow *f, uint32_t pair, nadi_time now)
{
    const struct pair *p = &f->pairs.items[pair];
    const double bytes = p->level * p->weight * ((double)(now - p->since) * 1e-3);
    for (uint32_t i = 0; i < nadi_share_hops(f->share, pair); i++) {
        const uint32_t link = nadi_share_link(f->share, pair, i);
        nadi_usage_add(f->base.usage, link, p->since, now, bytes);
        nadi_usage_deep(f->base.usage, link, p->since, now, f->sharing[link]);
    }
}

void nadi_flow_tell_usage(const struct flow *f)
{
    const nadi_time now = nadi_engine_now(f->base.engine);
    for (uint32_t pair = 0; pair < f->pairs.count; pair++) {
        struct pair *p = &f->pairs.items[pair];
        if (p->count == 0 || p->level <= 0 || now <= p->since)
            continue;
        record(f, pair, now);
        p->got += p->level * ((double)(now - p->since) * 1e-3);
        p->since = now;
    }
}

void nadi_flow_advance(struct flow *f, uint32_t pair, nadi_time now)
{
    struct pair *p = &f->pairs.items[pair];
    if (nadi_flow_is_clocked(f, pair)) {
        nadi_flow_leave_clock(f, pair, now);
        return;
    }
    if (NADI_UNLIKELY(f->log != NULL) && now > p->since && p->level > 0)
        nadi_flow_log_vote(f, pair, (double)(now - p->since) * 1e-3,
                           p->level * ((double)(now - p->since) * 1e-3));
    if (f->base.usage && now > p->since && p->level > 0)
        record(f, pair, now);
    p->got += p->level * ((double)(now - p->since) * 1e-3);
    p->since = now;
}

void nadi_flow_need_settling(struct flow *f)
{
    if (f->settling)
        return;
    f->settling = true;
    nadi_engine_schedule(f->base.engine, nadi_engine_now(f->base.engine), NADI_NONE, f->kind_settle,
                         0, 0, 0);
}

static void schedule_pump(struct flow *f)
{
    if (f->heap.count == 0)
        return;
    const nadi_time at = f->heap.items[0].end;
    if (at >= f->pump_at || nadi_time_is_never(at))
        return; /* what never ends is found by `endless` */
    f->pump_at = at;
    nadi_engine_schedule(f->base.engine, at, NADI_NONE, f->kind_pump, 0, 0, 0);
}

/* Longer ones are a few ulps off, by the order in which amounts were added up: no longer less than
 * the clock's unit, so that equal messages may end at different times. */
#define MOST_EVEN_PS 0x1p43

static inline void find_end(struct flow *f, uint32_t pair)
{
    const struct pair *p = &f->pairs.items[pair];
    const double left = p->full - p->got, ps = left > 0 ? left / p->level * 1e3 : 0;
    f->uneven |= ps > MOST_EVEN_PS;
    if (p->closed)
        nadi_flow_take_out(f, pair);
    else if (!NADI_UNLIKELY(f->clocked) || !nadi_flow_join_clock(f, pair, p->since))
        nadi_flow_set_end(f, pair, nadi_time_add(p->since, nadi_flow_round(ps)));
}

void nadi_flow_find_end(struct flow *f, uint32_t pair)
{
    find_end(f, pair);
}

enum { AHEAD = 8 }; /* pairs whose memory is asked for before it is needed */

/* How many share the pair's links from now on. */
static void note_sharing(struct flow *f, uint32_t pair)
{
    for (uint32_t i = 0; i < nadi_share_hops(f->share, pair); i++) {
        const uint32_t link = nadi_share_link(f->share, pair, i);
        f->sharing[link] = nadi_share_active(f->share, link);
    }
}

static void expect_settle(const struct flow *f, uint32_t pair)
{
    __builtin_prefetch(&f->pairs.items[pair]);
    __builtin_prefetch(&f->slots.items[pair]);
    nadi_share_expect(f->share, pair, NADI_SHARE_DEMAND);
}

static void on_settle(void *context, const struct nadi_event *event)
{
    struct flow *f = context;
    const nadi_time now = nadi_engine_now(f->base.engine);
    const uint32_t *pairs, *links;
    (void)event;
    f->settling = false;
    const size_t link_count = nadi_share_find(f->share, &links);
    for (size_t i = 0; i < link_count; i++)
        if (!nadi_flow_set_clock(f, links[i], now))
            nadi_share_follow(f->share, links[i]);
    const size_t count = nadi_share_changed(f->share, &pairs);
    for (size_t i = 0; i < count; i++) {
        if (NADI_UNLIKELY(i + AHEAD < count))
            expect_settle(f, pairs[i + AHEAD]);
        nadi_flow_advance(f, pairs[i], now);
        f->pairs.items[pairs[i]].level = nadi_share_level(f->share, pairs[i]);
        if (NADI_UNLIKELY(f->log != NULL))
            nadi_flow_log_level(f, pairs[i]);
        if (NADI_UNLIKELY(f->base.usage != NULL))
            note_sharing(f, pairs[i]);
        find_end(f, pairs[i]);
    }
    schedule_pump(f);
    nadi_flow_expect_ends(f);
}

/* ---- a message's life ---------------------------------------------------------------------- */

/* A pair counts its messages itself, links are told when they change or are asked for: a message
 * would touch a cache line of each. */
static inline void count_message(struct flow *f, uint32_t pair, uint64_t bytes)
{
    struct pair *p = &f->pairs.items[pair];
    p->bytes = nadi_count_add(p->bytes, bytes);
    if (++p->messages < UINT32_MAX)
        return;
    nadi_flow_tell(f, pair, f->tallies);
    p->bytes = 0;
    p->messages = 0;
}

void nadi_flow_count_message(struct flow *f, uint32_t pair, uint64_t bytes)
{
    const struct nadi_fabric_path *r = nadi_fabric_path(&f->fabric, pair);
    if (f->pairs.items[pair].changes != r->changes)
        nadi_flow_use_links(f, pair, r);
    count_message(f, pair, bytes);
}

void nadi_flow_tell(const struct flow *f, uint32_t pair, struct nadi_fabric_tally *tallies)
{
    const struct pair *p = &f->pairs.items[pair];
    for (uint32_t i = 0; p->messages && i < nadi_share_hops(f->share, pair); i++) {
        struct nadi_fabric_tally *l = &tallies[nadi_share_link(f->share, pair, i)];
        l->messages += p->messages;
        l->bytes = nadi_count_add(l->bytes, p->bytes);
    }
}

void nadi_flow_apply_weight(struct flow *f, uint32_t pair)
{
    const struct pair *p = &f->pairs.items[pair];
    nadi_share_set_weight(f->share, pair, p->closed ? 0 : p->weight);
}

double nadi_flow_limit(const struct flow *f, const struct nadi_fabric_path *r)
{
    const double round_trip_ns = 2 * r->latency_ns;
    if (f->config.window_bytes == 0 || round_trip_ns <= 0)
        return (double)INFINITY;
    return (double)f->config.window_bytes / round_trip_ns;
}

void nadi_flow_use_links(struct flow *f, uint32_t pair, const struct nadi_fabric_path *path)
{
    struct pair *p = &f->pairs.items[pair];
    nadi_flow_tell(f, pair, f->tallies);
    p->messages = 0;
    p->bytes = 0;
    p->changes = path->changes;
    nadi_share_set_links(f->share, pair, path->links, path->hops, nadi_flow_limit(f, path));
}

/* The pair's first message begins: its demand, with the links of today. */
static void open_pair(struct flow *f, uint32_t pair, const struct nadi_fabric_path *r)
{
    struct pair *p = &f->pairs.items[pair];
    if (p->changes != r->changes)
        nadi_flow_use_links(f, pair, r);
    if (NADI_UNLIKELY(f->log != NULL))
        nadi_flow_log_open(f, pair, r);
    p->got = 0;
    p->level = 0;
    p->closed = false;
    p->since = nadi_engine_now(f->base.engine);
}

static inline void insert(struct flow *f, struct pair *p, uint32_t index)
{
    struct transfer *t = &f->transfers.items[index];
    t->next = t->child = NADI_NONE;
    p->head = p->head == NADI_NONE ? index : nadi_flow_meld(f, p->head, index);
    p->full = f->transfers.items[p->head].full;
}

static void arrived(struct flow *f, const struct transfer *t)
{
    if (!f->fabric.loads || t->itself)
        return;
    struct pair_load *l = &f->loads.items[t->route];
    l->sent--;
    nadi_fabric_load(&f->fabric, l->links, l->hops, -(double)t->bytes);
}

static void deliver(struct flow *f, uint32_t index)
{
    struct transfer *t = &f->transfers.items[index];
    if (NADI_UNLIKELY(f->log != NULL))
        nadi_flow_log_end(f, index);
    arrived(f, t);
    nadi_engine_schedule(f->base.engine, nadi_engine_now(f->base.engine), NADI_NONE, t->kind, t->a,
                         t->b, t->c);
    NADI_POOL_GIVE(&f->transfers, next, index);
}

void nadi_flow_deliver(struct flow *f, uint32_t index)
{
    deliver(f, index);
}

/* From now on the message flows with the others of its pair. */
static inline void join_pair(struct flow *f, struct pair *p, uint32_t index)
{
    struct transfer *t = &f->transfers.items[index];
    if (NADI_UNLIKELY(f->log != NULL))
        nadi_flow_log_begin(f, index);
    t->full = p->got + (double)t->bytes / t->weight;
    insert(f, p, index);
    p->count++;
    p->weight += t->weight;
}

void nadi_flow_resume(struct flow *f, uint32_t index, double got)
{
    const uint32_t pair = f->transfers.items[index].route;
    struct pair *p = &f->pairs.items[pair];
    open_pair(f, pair, nadi_fabric_path(&f->fabric, pair));
    (void)nadi_connections_enter(&f->connections, f->transfers.items[index].connection, index);
    join_pair(f, p, index);
    p->got = got;
    nadi_flow_apply_weight(f, pair);
    nadi_flow_need_settling(f);
}

/* Nothing to carry, or nowhere to go. */
static void pass_through(struct flow *f, uint32_t index, const struct nadi_fabric_path *r)
{
    for (uint32_t i = 0; i < r->hops; i++) {
        struct nadi_fabric_tally *l = &f->tallies[r->links[i]];
        l->messages++;
        l->bytes = nadi_count_add(l->bytes, f->transfers.items[index].bytes);
    }
    deliver(f, index);
}

static void begin(struct flow *f, uint32_t index)
{
    const struct transfer *t = &f->transfers.items[index];
    const uint32_t pair = t->route;
    const struct nadi_fabric_path *r = nadi_fabric_path(&f->fabric, pair);
    if (NADI_UNLIKELY(r->broken)) {
        NADI_PUSH(&f->stranded, index);
        return;
    }
    if (t->bytes == 0 || r->hops == 0) {
        pass_through(f, index, r);
        return;
    }
    if (NADI_UNLIKELY(f->claims != NULL))
        nadi_flow_end_express(f, r);
    struct pair *p = &f->pairs.items[pair];
    if (p->count == 0)
        open_pair(f, pair, r);
    count_message(f, pair, t->bytes);
    if (!nadi_connections_enter(&f->connections, t->connection, index)) {
        if (NADI_UNLIKELY(f->log != NULL))
            nadi_flow_log_queue(f, index);
        return;
    }
    nadi_flow_advance(f, pair, nadi_engine_now(f->base.engine));
    join_pair(f, p, index);
    nadi_flow_apply_weight(f, pair);
    nadi_flow_need_settling(f);
}

void nadi_flow_begin(struct flow *f, uint32_t index)
{
    begin(f, index);
}

static void expect_begin(void *context, const struct nadi_event *event)
{
    const struct flow *f = context;
    const uint32_t pair = f->transfers.items[event->a].route;
    __builtin_prefetch(&f->fabric.routes[pair]);
    __builtin_prefetch(&f->pairs.items[pair]);
    nadi_share_expect(f->share, pair, NADI_SHARE_DEMAND);
}

static void on_begin(void *context, const struct nadi_event *event)
{
    struct flow *f = context;
    const nadi_time now = nadi_engine_now(f->base.engine);
    struct batch *b = nadi_flow_batch_of(f, now);
    if (b->at == now)
        b->at = -1; /* takes no more */
    for (uint32_t i = event->a, next; i != NADI_NONE; i = next) {
        next = f->transfers.items[i].next;
        begin(f, i);
    }
}

/* The messages of a pair whose end is due; at least one. */
static void end_due(struct flow *f, uint32_t pair)
{
    struct pair *p = &f->pairs.items[pair];
    const nadi_time now = nadi_engine_now(f->base.engine);
    const uint32_t before = p->count;
    const double weight = p->weight;
    const size_t first = f->ended.count;
    nadi_flow_advance(f, pair, now);
    const double due = p->got + p->level * (NADI_FLOW_HALF_PS * 1e-3);
    while (p->head != NADI_NONE &&
           (p->count == before || f->transfers.items[p->head].full <= due)) {
        const struct ending e = {f->transfers.items[p->head].number, p->head};
        NADI_PUSH(&f->ended, e);
        p->weight -= f->transfers.items[p->head].weight;
        p->head = nadi_flow_without_root(f, p->head);
        p->count--;
    }
    if (p->count == 0)
        p->weight = p->got = 0; /* without what rounding has left */
    else
        p->full = f->transfers.items[p->head].full;
    for (size_t i = first; i < f->ended.count; i++) {
        const uint32_t next = nadi_connections_leave(
            &f->connections, f->transfers.items[f->ended.items[i].transfer].connection);
        if (next == NADI_NONE)
            continue;
        if (NADI_UNLIKELY(f->log != NULL))
            nadi_flow_log_queued(f, next);
        join_pair(f, p, next);
    }
    if (p->weight < weight || p->weight > weight || p->closed)
        nadi_flow_apply_weight(f, pair);
    else /* nobody's level changes */
        find_end(f, pair);
}

static int by_number(const void *x, const void *y)
{
    const struct ending *a = x, *b = y;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void on_pump(void *context, const struct nadi_event *event)
{
    struct flow *f = context;
    const nadi_time now = nadi_engine_now(f->base.engine);
    bool sorted = true;
    (void)event;
    if (f->pump_at == now)
        f->pump_at = NADI_TIME_NEVER;
    f->ended.count = 0;
    while (f->heap.count && f->heap.items[0].end <= now) {
        const uint32_t pair = f->heap.items[0].pair;
        nadi_flow_take_out(f, pair);
        end_due(f, pair);
    }
    for (size_t i = 1; i < f->ended.count && sorted; i++)
        sorted = f->ended.items[i - 1].number < f->ended.items[i].number;
    if (!sorted)
        qsort(f->ended.items, f->ended.count, sizeof(*f->ended.items), by_number);
    for (size_t i = 0; i < f->ended.count; i++)
        deliver(f, f->ended.items[i].transfer);
    if (f->ended.count)
        nadi_flow_need_settling(f);
    else
        schedule_pump(f);
}

/* ---- the table ----------------------------------------------------------------------------- */

static struct nadi_network *create(const struct nadi_network_setup *setup)
{
    struct flow *f = nadi_network_new(&nadi_network_flow, setup, sizeof(*f));
    f->log = nadi_flow_log_create(setup->log);
    f->config = setup->flow ? *setup->flow : (struct nadi_flow_config){0};
    f->connections.in_flight = setup->in_flight;
    nadi_fabric_init(&f->fabric, setup->topology, setup->graph, setup->routing);
    NADI_ASSERT(!setup->uniform || !setup->graph == !setup->uniform->links);
    f->fabric.uniform = setup->uniform;
    double *capacity = NADI_NEW(double, f->fabric.count);
    for (uint32_t i = 0; i < f->fabric.count; i++)
        capacity[i] = f->fabric.items[i].bytes_per_ns;
    f->share = nadi_share_create(f->fabric.count, capacity);
    nadi_mem_free(capacity);
    f->tallies = NADI_ZNEW(struct nadi_fabric_tally, f->fabric.count);
    if (f->config.overhead_ns > 0)
        f->sender_free = NADI_ZNEW(nadi_time, f->fabric.npu_count);
    f->transfers.free = NADI_NONE;
    f->pump_at = NADI_TIME_NEVER;
    for (size_t i = 0; i < BATCHES; i++)
        f->batches[i].at = -1;
    nadi_flow_express_init(f);
    f->kind_begin = nadi_engine_add_kind(f->base.engine, on_begin, f);
    nadi_engine_expect(f->base.engine, f->kind_begin, expect_begin);
    f->kind_settle = nadi_engine_add_kind(f->base.engine, on_settle, f);
    f->kind_pump = nadi_engine_add_kind(f->base.engine, on_pump, f);
    if (setup->record_usage) {
        f->base.usage = nadi_usage_create(f->fabric.count, NADI_DEPTH_FLOWS);
        f->sharing = NADI_ZNEW(uint32_t, f->fabric.count);
    }
    return &f->base;
}

static void release(struct nadi_network *net)
{
    struct flow *f = nadi_flow_self(net);
    nadi_share_destroy(f->share);
    nadi_flow_free_clocks(f);
    nadi_flow_express_release(f);
    nadi_fabric_release(&f->fabric);
    nadi_mem_free(f->sharing);
    nadi_flow_log_destroy(f->log);
    nadi_mem_free(f->tallies);
    nadi_mem_free(f->worked);
    nadi_mem_free(f->pairs.items);
    nadi_connections_release(&f->connections);
    nadi_mem_free(f->loads.items);
    nadi_mem_free(f->transfers.items);
    nadi_mem_free(f->heap.items);
    nadi_mem_free(f->slots.items);
    nadi_mem_free(f->ended.items);
    nadi_mem_free(f->stranded.items);
    nadi_mem_free(f->sender_free);
}

/* Of the heap's ends only the first has an event, unless it is never. */
static bool endless(const struct nadi_network *net)
{
    const struct flow *f = (const struct flow *)net;
    return f->heap.count > 0 && nadi_time_is_never(f->heap.items[0].end);
}

static const char *unlike(const struct nadi_network *net)
{
    return ((const struct flow *)net)->uneven
               ? "a message takes so long that its time depends on the order of sums"
               : NULL;
}

const struct nadi_network_ops nadi_network_flow = {
    .name = "flow",
    .has_contention = true,
    .whole_routes = true,
    .has_links = true,
    .can_fold = true,
    .rounding_ns = 1e-3,
    .summary = "Messages are fluids that share every link of their route max-min fairly, in "
               "picoseconds; each waits for the latency of all its hops. Any graph, any number of "
               "dimensions.",
    .create = create,
    .release = release,
    .route = nadi_flow_route,
    .over = nadi_flow_over,
    .send = nadi_flow_send,
    .counters = nadi_flow_counters,
    .flows = nadi_flow_flows,
    .send_ahead = nadi_flow_send_ahead,
    .alone = nadi_flow_alone,
    .count_alone = nadi_flow_count_alone,
    .change = nadi_flow_change,
    .stranded = nadi_flow_stranded,
    .too_far = nadi_flow_too_far,
    .endless = endless,
    .unlike = unlike,
    .rest = nadi_flow_rest_state,
    .count = nadi_flow_count,
    .repeat = nadi_flow_repeat,
};
