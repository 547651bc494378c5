/* fabric_model: networks of Fred switches, which have one configuration at a time.
 *
 * A message needs a slot of each link of its route, alone, and a way through each switch that is
 * routed together with all others (network/fred.h); then it has its slots until it has ended, at
 * the rate of the slowest. Messages that wait are looked at by urgency (between neighbouring ranks,
 * MP; between stages, PP; others, DP), then in the order in which they were sent. A more urgent one
 * takes slots from a less urgent one at the end of its packet; that one continues later. Where
 * slots are free but a switch cannot route the message beside the others, it waits: a conflict,
 * counted.
 *
 * A data packet of 4 KiB has a header of 6 bytes, and 16 of them an acknowledgement of 512 bytes:
 * the share of a link's rate that data has. docs/models/fabric.md has the rules.
 *
 * Cost: a message is one end and, while it waits, a look at each change; O(waiting) each. */
#include "base/diag.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/str.h"
#include "network/fabric.h"
#include "network/fred.h"
#include "network/usage.h"

#include <math.h>

enum { MOST_HOPS = 14, PACKET_BYTES = 4096 };

#define DATA_SHARE (4096.0 / (4096 + 6) * 16 / (16 + 512.0 / 4096))

enum state { FREE, WAITING, ACTIVE };

struct transfer {
    enum state state;
    enum nadi_urgency urgency;
    uint32_t route, op;
    uint32_t slot[MOST_HOPS]; /* of each link, while it is active */
    const uint32_t *links;
    uint32_t hops;
    uint32_t next;       /* in the free list */
    uint32_t generation; /* of its end event */
    uint64_t sequence;
    double bytes, left; /* left at `since` */
    double bytes_per_ps;
    nadi_time since, latency;
    uint32_t kind, a, b, c;
};

struct fabric_model {
    struct nadi_network base;
    struct nadi_fabric fabric;
    struct nadi_fred_switches switches;
    struct nadi_fabric_tally *tallies;
    NADI_POOL_OF(struct transfer) transfers;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } waiting, active; /* transfers; waiting: by urgency, then sequence */
    size_t look;       /* while they are looked at: the place of the next one; else 0 */
    bool stops;
    nadi_time settle_at; /* of the pending event; NADI_TIME_NEVER */
    uint32_t kind_settle, kind_end;
};

static struct fabric_model *self(struct nadi_network *net)
{
    return (struct fabric_model *)net;
}

/* ---- what a message needs ---------------------------------------------------------------------
 */

/* Its ends at the switch between link `hop` - 1 and link `hop`; of the first and last link at the
 * switch where it begins or ends. False: there is no switch. */
static bool use_at(const struct fabric_model *w, uint32_t index, uint32_t hop,
                   struct nadi_fred_use *use)
{
    const struct transfer *t = &w->transfers.items[index];
    const struct nadi_graph *g = w->switches.g;
    const struct nadi_fred_switches *s = &w->switches;
    uint32_t from, to, node;
    const bool in = hop > 0, out = hop < t->hops;
    nadi_graph_channel_ends(g, t->links[in ? hop - 1 : hop], &from, &to);
    node = in ? to : from;
    if (s->of_node[node] == NADI_NONE)
        return false;
    *use = (struct nadi_fred_use){.sw = s->of_node[node], .in = NADI_NONE, .out = NADI_NONE};
    if (in)
        use->in = s->port[2 * t->links[hop - 1] + 1] + t->slot[hop - 1];
    if (out)
        use->out = s->port[2 * t->links[hop]] + t->slot[hop];
    if (in && out) {
        use->flow = nadi_fred_flow_passing(index);
        return true;
    }
    if (out)
        nadi_graph_channel_ends(g, t->links[hop], &to, &from); /* from: the other end */
    const bool above = g->nodes[from].level > g->nodes[node].level;
    /* what comes from above goes down, as what leaves for below does */
    use->flow = nadi_fred_flow_joined(t->op ? t->op : UINT32_MAX / 2 + index, in ? above : !above);
    return true;
}

/* False: *full is a link without a free slot. */
static bool find_slots(const struct fabric_model *w, struct transfer *t, uint32_t *full)
{
    const struct nadi_fred_switches *s = &w->switches;
    for (uint32_t h = 0; h < t->hops; h++) {
        const uint32_t first = s->first_slot[t->links[h]], count = s->slots[t->links[h]];
        uint32_t slot = 0;
        while (slot < count && s->slot_owner[first + slot] != NADI_NONE)
            slot++;
        *full = t->links[h];
        if (slot == count)
            return false;
        t->slot[h] = slot;
    }
    return true;
}

static void mark_slots(struct fabric_model *w, const struct transfer *t, uint32_t owner)
{
    for (uint32_t h = 0; h < t->hops; h++)
        w->switches.slot_owner[w->switches.first_slot[t->links[h]] + t->slot[h]] = owner;
}

enum need { MET, NO_SLOT, NO_ROUTE };

/* Slots and routes through all its switches; takes them where it can have all. *where: the link
 * without a slot, or the switch that does not route it. */
static enum need take_all(struct fabric_model *w, uint32_t index, uint32_t *where)
{
    struct transfer *t = &w->transfers.items[index];
    struct nadi_fred_use use;
    if (!find_slots(w, t, where))
        return NO_SLOT;
    for (uint32_t h = 0; h <= t->hops; h++) {
        if (!use_at(w, index, h, &use) || nadi_fred_take(&w->switches, &use))
            continue;
        *where = use.sw;
        while (h-- > 0)
            if (use_at(w, index, h, &use))
                nadi_fred_leave(&w->switches, &use);
        return NO_ROUTE;
    }
    mark_slots(w, t, index);
    return MET;
}

static void leave_all(struct fabric_model *w, uint32_t index)
{
    const struct transfer *t = &w->transfers.items[index];
    struct nadi_fred_use use;
    for (uint32_t h = 0; h <= t->hops; h++)
        if (use_at(w, index, h, &use))
            nadi_fred_leave(&w->switches, &use);
    mark_slots(w, t, NADI_NONE);
}

/* ---- the configuration ------------------------------------------------------------------------
 */

static void settle_soon(struct fabric_model *w, nadi_time at)
{
    if (w->settle_at <= at)
        return;
    w->settle_at = at;
    nadi_engine_schedule(w->base.engine, at, NADI_NONE, w->kind_settle, 0, 0, 0);
}

static bool before(const struct fabric_model *w, uint32_t x, uint32_t y)
{
    const struct transfer *a = &w->transfers.items[x], *b = &w->transfers.items[y];
    return a->urgency != b->urgency ? a->urgency > b->urgency : a->sequence < b->sequence;
}

/* Into its place among those that wait, which are looked at from `look` on. */
static void put_waiting(struct fabric_model *w, uint32_t index)
{
    w->transfers.items[index].state = WAITING;
    NADI_PUSH(&w->waiting, index);
    size_t at = w->waiting.count - 1;
    for (; at > w->look && before(w, index, w->waiting.items[at - 1]); at--)
        w->waiting.items[at] = w->waiting.items[at - 1];
    w->waiting.items[at] = index;
}

static void drop_active(struct fabric_model *w, uint32_t index)
{
    size_t i = 0;
    while (w->active.items[i] != index)
        i++;
    memmove(&w->active.items[i], &w->active.items[i + 1],
            (--w->active.count - i) * sizeof(*w->active.items));
}

/* What the links have carried since the message had them; `left` are left now. */
static void tell(struct fabric_model *w, const struct transfer *t, double left)
{
    const uint64_t bytes = nadi_count_round(t->bytes - left) - nadi_count_round(t->bytes - t->left);
    const nadi_time busy = nadi_time_sub(nadi_engine_now(w->base.engine), t->since);
    for (uint32_t h = 0; h < t->hops; h++) {
        struct nadi_fabric_tally *tally = &w->tallies[t->links[h]];
        tally->bytes = nadi_count_add(tally->bytes, bytes);
        tally->busy = nadi_time_add(tally->busy, busy);
        if (w->base.usage)
            nadi_usage_add(w->base.usage, t->links[h], t->since, nadi_engine_now(w->base.engine),
                           (double)bytes);
    }
}

static void begin(struct fabric_model *w, uint32_t index)
{
    struct transfer *t = &w->transfers.items[index];
    const nadi_time now = nadi_engine_now(w->base.engine);
    t->state = ACTIVE;
    t->since = now;
    const nadi_time end =
        nadi_engine_after(w->base.engine, nadi_time_trunc(ceil(t->left / t->bytes_per_ps)));
    nadi_engine_schedule(w->base.engine, end, NADI_NONE, w->kind_end, index, ++t->generation, 0);
    NADI_PUSH(&w->active, index);
}

/* The end of the packet that an active message is sending. */
static nadi_time packet_end(const struct fabric_model *w, const struct transfer *t)
{
    const nadi_time now = nadi_engine_now(w->base.engine);
    const double sent = t->bytes - t->left + (double)(now - t->since) * t->bytes_per_ps;
    const double whole = ceil((sent - t->bytes_per_ps) / PACKET_BYTES) * PACKET_BYTES;
    const double rest = (whole < t->bytes ? whole : t->bytes) - sent;
    return rest <= t->bytes_per_ps ? now
                                   : nadi_time_add(now, nadi_time_round(rest / t->bytes_per_ps));
}

static void preempt(struct fabric_model *w, uint32_t index)
{
    struct transfer *t = &w->transfers.items[index];
    const double done = (double)(nadi_engine_now(w->base.engine) - t->since) * t->bytes_per_ps;
    const double left = done < t->left ? t->left - done : 0;
    leave_all(w, index);
    drop_active(w, index);
    tell(w, t, left);
    t->left = left;
    t->generation++; /* its end event is void */
    w->base.sent.preemptions++;
    put_waiting(w, index);
}

/* Has the active message a slot of the link, or ports of the switch? */
static bool blocks(const struct fabric_model *w, uint32_t index, enum need need, uint32_t where)
{
    const struct transfer *t = &w->transfers.items[index];
    struct nadi_fred_use use;
    for (uint32_t h = 0; h <= t->hops; h++)
        if (need == NO_SLOT ? h < t->hops && t->links[h] == where
                            : use_at(w, index, h, &use) && use.sw == where)
            return true;
    return false;
}

/* The least urgent, latest message in the way, if less urgent; NADI_NONE: none is. */
static uint32_t victim_of(const struct fabric_model *w, uint32_t index, enum need need,
                          uint32_t where)
{
    const struct transfer *t = &w->transfers.items[index];
    uint32_t victim = NADI_NONE;
    for (size_t i = 0; i < w->active.count; i++) {
        const uint32_t other = w->active.items[i];
        if (w->transfers.items[other].urgency < t->urgency && blocks(w, other, need, where) &&
            (victim == NADI_NONE || before(w, victim, other)))
            victim = other;
    }
    return victim;
}

static void conflict(struct fabric_model *w, uint32_t index)
{
    const struct transfer *t = &w->transfers.items[index];
    w->base.sent.conflicts++;
    if (w->stops)
        nadi_engine_halt(w->base.engine,
                         "a message of %.0f bytes cannot be routed beside the others through the "
                         "switches of its route, and --fabric-conflict is stop",
                         t->bytes);
}

/* Gives the message what it needs, taking from others where it may. False: it waits. */
static bool admit(struct fabric_model *w, uint32_t index)
{
    for (;;) {
        uint32_t where;
        const enum need need = take_all(w, index, &where);
        if (need == MET)
            return true;
        const uint32_t victim = victim_of(w, index, need, where);
        if (victim == NADI_NONE) {
            if (need == NO_ROUTE)
                conflict(w, index);
            return false;
        }
        const nadi_time at = packet_end(w, &w->transfers.items[victim]);
        if (at > nadi_engine_now(w->base.engine)) {
            settle_soon(w, at);
            return false;
        }
        preempt(w, victim);
    }
}

static void on_settle(void *context, const struct nadi_event *event)
{
    struct fabric_model *w = context;
    (void)event;
    if (w->settle_at != nadi_engine_now(w->base.engine))
        return; /* an earlier one came instead */
    w->settle_at = NADI_TIME_NEVER;
    size_t kept = 0;
    while (w->look < w->waiting.count) {
        const uint32_t index = w->waiting.items[w->look++];
        const struct nadi_fabric_path *path =
            nadi_fabric_path(&w->fabric, w->transfers.items[index].route);
        if (!path->broken && admit(w, index))
            begin(w, index);
        else
            w->waiting.items[kept++] = index;
    }
    w->waiting.count = kept;
    w->look = 0;
}

static void on_end(void *context, const struct nadi_event *event)
{
    struct fabric_model *w = context;
    struct transfer *t = &w->transfers.items[event->a];
    if (t->state != ACTIVE || t->generation != event->b)
        return;
    leave_all(w, event->a);
    drop_active(w, event->a);
    tell(w, t, 0);
    for (uint32_t h = 0; h < t->hops; h++)
        w->tallies[t->links[h]].messages++;
    nadi_engine_schedule(w->base.engine, nadi_engine_after(w->base.engine, t->latency), NADI_NONE,
                         t->kind, t->a, t->b, t->c);
    t->state = FREE;
    NADI_POOL_GIVE(&w->transfers, next, event->a);
    if (w->waiting.count)
        settle_soon(w, nadi_engine_now(w->base.engine));
}

/* ---- messages ---------------------------------------------------------------------------------
 */

/* Takes the route of now. */
static void aim(struct fabric_model *w, struct transfer *t)
{
    const struct nadi_fabric_path *path = nadi_fabric_path(&w->fabric, t->route);
    t->links = path->links;
    t->hops = path->hops;
    t->latency = nadi_time_of_ns(path->latency_ns);
    t->bytes_per_ps = path->bytes_per_ns / 1e3 * DATA_SHARE;
    if (path->hops > MOST_HOPS)
        nadi_engine_refuse(w->base.engine,
                           "the route of a message has %u links: the model fabric follows "
                           "at most %d",
                           path->hops, MOST_HOPS);
}

static void send(struct nadi_network *net, const struct nadi_message *m)
{
    struct fabric_model *w = self(net);
    nadi_network_count_sent(net, m->bytes);
    if (m->src == m->dst) {
        nadi_engine_schedule(w->base.engine, nadi_engine_now(w->base.engine), NADI_NONE, m->kind,
                             m->a, m->b, m->c);
        return;
    }
    const bool again = w->transfers.free != NADI_NONE;
    uint32_t index;
    NADI_POOL_TAKE(&w->transfers, next, index);
    struct transfer *t = &w->transfers.items[index];
    *t = (struct transfer){
        .urgency = m->urgency,
        .generation = again ? t->generation : 0,
        .route = m->route,
        .op = m->op,
        .sequence = w->base.sent.messages,
        .bytes = (double)m->bytes,
        .left = (double)m->bytes,
        .kind = m->kind,
        .a = m->a,
        .b = m->b,
        .c = m->c,
    };
    aim(w, t);
    if (t->hops > MOST_HOPS)
        return; /* the run is halted */
    put_waiting(w, index);
    settle_soon(w, nadi_engine_now(w->base.engine));
}

static uint32_t route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    return src == dst ? NADI_NONE : nadi_fabric_route(&self(net)->fabric, src, dst);
}

static uint32_t over(struct nadi_network *net, uint32_t link)
{
    return nadi_fabric_over(&self(net)->fabric, link);
}

/* All start anew on the routes and rates of now; what was sent is sent. */
static void change(struct nadi_network *net, const struct nadi_link_state *states, size_t count)
{
    struct fabric_model *w = self(net);
    while (w->active.count) {
        preempt(w, w->active.items[w->active.count - 1]);
        w->base.sent.preemptions--;
    }
    nadi_fabric_change(&w->fabric, states, count);
    for (size_t i = 0; i < w->waiting.count; i++)
        aim(w, &w->transfers.items[w->waiting.items[i]]);
    settle_soon(w, nadi_engine_now(w->base.engine));
}

static uint64_t stranded(const struct nadi_network *net, uint32_t *src, uint32_t *dst)
{
    const struct fabric_model *w = (const struct fabric_model *)net;
    for (size_t i = 0; i < w->waiting.count; i++) {
        const struct nadi_fabric_path *path =
            &w->fabric.routes[w->transfers.items[w->waiting.items[i]].route];
        *src = path->src;
        *dst = path->dst;
        return w->waiting.count;
    }
    return 0;
}

static void counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                     void *context)
{
    const struct fabric_model *w = (const struct fabric_model *)net;
    nadi_fabric_counters(&w->fabric, w->tallies, links, visit, context);
}

static void remark(const struct nadi_network *net, struct nadi_str *out)
{
    const struct fabric_model *w = (const struct fabric_model *)net;
    if (w->base.sent.conflicts)
        nadi_str_printf(out,
                        "%" PRIu64 " times a message waited because a switch could not route it "
                        "beside the others",
                        w->base.sent.conflicts);
    if (w->base.sent.preemptions)
        nadi_str_printf(out, "%s%" PRIu64 " times a message gave way to a more urgent one",
                        out->length ? "; " : "", w->base.sent.preemptions);
}

/* ---- the table --------------------------------------------------------------------------------
 */

static bool accepts(const struct nadi_network_setup *setup, struct nadi_diags *diags)
{
    const char *why = setup->graph && setup->graph->node_count
                          ? nadi_fred_switches_refuse(setup->graph)
                          : "it is no graph";
    return !why || nadi_error(diags, "network/fabric", NADI_NOWHERE,
                              "--network \"fred variant=D\", or a file whose switches have the key "
                              "'middle'",
                              "the network model fabric is for networks of Fred switches: %s", why);
}

static struct nadi_network *create(const struct nadi_network_setup *setup)
{
    struct fabric_model *w = nadi_network_new(&nadi_network_fabric, setup, sizeof(*w));
    w->transfers.free = NADI_NONE;
    w->settle_at = NADI_TIME_NEVER;
    w->stops = setup->fabric_stops;
    nadi_fabric_init(&w->fabric, setup->topology, setup->graph, setup->routing);
    nadi_fred_switches_init(&w->switches, setup->graph);
    w->tallies = NADI_ZNEW(struct nadi_fabric_tally, w->fabric.count);
    if (setup->record_usage)
        w->base.usage = nadi_usage_create(w->fabric.count, NADI_DEPTH_NONE);
    w->kind_settle = nadi_engine_add_kind(setup->engine, on_settle, w);
    w->kind_end = nadi_engine_add_kind(setup->engine, on_end, w);
    return &w->base;
}

static void release(struct nadi_network *net)
{
    struct fabric_model *w = self(net);
    nadi_fred_switches_release(&w->switches);
    nadi_fabric_release(&w->fabric);
    nadi_mem_free(w->tallies);
    nadi_mem_free(w->transfers.items);
    nadi_mem_free(w->waiting.items);
    nadi_mem_free(w->active.items);
}

const struct nadi_network_ops nadi_network_fabric = {
    .name = "fabric",
    .has_conflicts = true,
    .has_contention = true,
    .has_links = true,
    .needs_graph = true,
    .summary = "Fred switches in one configuration at a time: a message has its slots alone, or "
               "waits; MP goes before PP before DP, at packets; sets of flows that a switch cannot "
               "route at once go one after the other. Networks of Fred switches only.",
    .accepts = accepts,
    .create = create,
    .release = release,
    .route = route,
    .over = over,
    .send = send,
    .counters = counters,
    .change = change,
    .stranded = stranded,
    .remark = remark,
};
