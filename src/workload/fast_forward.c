#include "workload/fast_forward.h"

#include "base/map.h"
#include "base/search.h"
#include "workload/mark_inside.h"

enum {
    MOST_TAG = 500000000,
    FEW_NODES = 64, /* of a rank: a state is compared when it is met for the third time */
};

/* Does a second part have so little left that nothing is gained, whatever repeats? */
static bool nearly_done(const struct nadi_workload *w)
{
    return w->setup.before && w->nodes_total - w->nodes_done < (uint64_t)FEW_NODES * w->rank_count;
}

const char *nadi_workload_may_fast_forward(struct nadi_workload *w)
{
    const struct nadi_network_ops *ops = w->setup.network->ops;
    const char *why = nadi_system_no_fast_forward(w->system);
    if (!why && w->setup.perturb)
        why = "the events file treats times differently";
    if (!why && (w->setup.custom_count || w->setup.config->custom_node_count))
        why = "custom collectives have a state of their own";
    if (!why && w->setup.config->roofline)
        why = "sums of the roofline are added up in order";
    if (!why && !ops->rest)
        why = "the network model keeps a state between messages";
    w->pauses = why == NULL && !nearly_done(w);
    if (w->pauses && !w->steps)
        w->steps = NADI_ZNEW(uint32_t, w->rank_count);
    return why;
}

/* ---- graphs -------------------------------------------------------------------------------- */

static bool same_tag(const struct nadi_trace_comm *x, const struct nadi_trace_comm *y,
                     struct nadi_tag_step *tags)
{
    NADI_ASSERT(x && y);
    const uint32_t step = y->tag - x->tag;
    if (!tags->known)
        *tags = (struct nadi_tag_step){true, step};
    return step == tags->step && (step == 0 || (x->tag < MOST_TAG && y->tag < MOST_TAG));
}

static bool same_comm(const struct nadi_trace *t, uint32_t a, uint32_t b,
                      struct nadi_tag_step *tags)
{
    const struct nadi_trace_comm *x = nadi_trace_comm(t, a), *y = nadi_trace_comm(t, b);
    if (!x || !y)
        return x == y;
    if (x->src != y->src || x->dst != y->dst || x->priority != y->priority ||
        x->involved != y->involved || x->involved_count != y->involved_count ||
        x->shares != y->shares || x->size_count != y->size_count || x->group != y->group)
        return false;
    if (x->size_count &&
        memcmp(t->sizes + x->sizes, t->sizes + y->sizes, x->size_count * sizeof(*t->sizes)) != 0)
        return false;
    return t->type[a] == NADI_NODE_COLL || same_tag(x, y, tags);
}

/* `fixed`: the least node that is a child of both. */
static bool same_node(const struct nadi_trace *t, uint32_t a, uint32_t b,
                      struct nadi_tag_step *tags, uint32_t *fixed)
{
    const uint32_t children = t->child_start[a + 1] - t->child_start[a];
    if (t->type[a] != t->type[b] || t->flags[a] != t->flags[b] ||
        t->collective[a] != t->collective[b] || t->duration_ns[a] != t->duration_ns[b] ||
        t->bytes[a] != t->bytes[b] || t->ops[a] != t->ops[b] ||
        t->dep_start[a + 1] - t->dep_start[a] != t->dep_start[b + 1] - t->dep_start[b] ||
        children != t->child_start[b + 1] - t->child_start[b])
        return false;
    const uint32_t *x = t->children + t->child_start[a], *y = t->children + t->child_start[b];
    for (uint32_t i = 0; i < children; i++) {
        if (x[i] - a == y[i] - b)
            continue;
        if (x[i] != y[i])
            return false;
        *fixed = x[i] < *fixed ? x[i] : *fixed;
    }
    return same_comm(t, a, b, tags);
}

static uint32_t parents_of(const struct nadi_trace *t, uint32_t node)
{
    return t->dep_start[node + 1] - t->dep_start[node];
}

static struct nadi_stretch alike(const struct nadi_trace *t, uint32_t first, uint32_t step)
{
    struct nadi_stretch s = {.trace = t, .first = first, .step = step, .fixed = NADI_NONE};
    uint32_t i = first;
    while (i + step < t->node_count && same_node(t, i, i + step, &s.tags, &s.fixed))
        i++;
    s.end = i;
    return s;
}

/* Of a long stretch nodes are compared once: a later look begins within it. */
static const struct nadi_stretch *stretch_of(struct nadi_workload *w, const struct nadi_trace *t,
                                             uint32_t first, uint32_t step)
{
    const uint64_t key = nadi_hash_u64((uint64_t)(uintptr_t)t ^ (uint64_t)step << 40);
    struct nadi_stretch *s = &w->stretches[key % NADI_STRETCHES];
    const bool known = s->trace == t && s->step == step && first >= s->first && first <= s->end;
    if (!known || s->fixed <= s->end) /* what is fixed may be so for nodes before */
        *s = alike(t, first, step);
    return s;
}

/* Tags rise alike in all stretches of a period. */
static bool join_tags(struct nadi_tag_step *all, const struct nadi_tag_step *one)
{
    if (!all->known)
        *all = *one;
    return !one->known || one->step == all->step;
}

/* ---- fast-forwarding ----------------------------------------------------------------------- */

static bool same_words(const struct nadi_state *a, const struct nadi_state *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->items, b->items, a->count * sizeof(*a->items)) == 0);
}

/* Tags that wait have risen with their owners, and stayed without. */
static bool same_tags(const struct nadi_mark *then, const struct nadi_mark *now,
                      struct nadi_tag_step tags)
{
    if (then->tags.count != now->tags.count)
        return false;
    for (size_t i = 0; i < now->tags.count; i++) {
        const uint64_t x = then->tags.items[i], y = now->tags.items[i];
        const uint32_t owner = (uint32_t)(y >> 32);
        const bool moves = now->low[owner] > then->low[owner];
        if (x >> 32 != owner || (uint32_t)y - (uint32_t)x != (moves ? tags.step : 0))
            return false;
    }
    return true;
}

nadi_time nadi_mark_period(const struct nadi_mark *then, const struct nadi_mark *now)
{
    return now->at - then->at;
}

struct begun { /* nodes of an actor */
    const uint64_t *items;
    size_t count;
};

static struct begun begun_of(const struct nadi_mark *m, uint32_t actor)
{
    const size_t first = m->begun_start[actor], count = m->begun_start[actor + 1] - first;
    return (struct begun){count ? m->begun.items + first : NULL, count};
}

/* How many parents a node then waited for; 0: all, or none. */
static uint32_t waited(const struct begun *b, uint32_t node)
{
    NADI_BISECT(size_t, low, 0, b->count, i, (uint32_t)(b->items[i] >> 32) < node);
    return low < b->count && (uint32_t)(b->items[low] >> 32) == node ? (uint32_t)b->items[low] : 0;
}

/* A node that has begun to wait for fewer parents: has it moved on with the actor? Else it stays,
 * and waits for ever fewer parents. */
static bool has_moved(const struct begun *then, uint64_t item, uint32_t step)
{
    return waited(then, (uint32_t)(item >> 32) - step) == (uint32_t)item;
}

/* By how many parents fewer a node that stays waits than it did. */
static uint32_t fewer(const struct nadi_trace *t, const struct begun *then, uint64_t item)
{
    const uint32_t node = (uint32_t)(item >> 32), before = waited(then, node);
    return (before ? before : parents_of(t, node)) - (uint32_t)item;
}

/* For how many periods nodes that stay do not become ready. *reach: see struct nadi_mark, with
 * nodes that move; *fixed: the least that stays. 0: the nodes do not correspond. */
static uint64_t stay(const struct nadi_trace *t, const struct begun *then, const struct begun *now,
                     uint32_t step, uint32_t *reach, uint32_t *fixed)
{
    uint64_t most = UINT64_MAX;
    size_t known = 0; /* of those then */
    for (size_t i = 0; i < now->count; i++) {
        const uint32_t node = (uint32_t)(now->items[i] >> 32);
        if (has_moved(then, now->items[i], step)) {
            *reach = nadi_max_u32(*reach, node);
            known++;
            continue;
        }
        const uint32_t less = fewer(t, then, now->items[i]);
        known += waited(then, node) > 0;
        *fixed = node < *fixed ? node : *fixed;
        if (less)
            most = nadi_min_u64(most, ((uint32_t)now->items[i] - 1) / less);
    }
    return known == then->count ? most : 0;
}

/* Periods that follow, for an actor that moves. */
static uint64_t repeats_of(const struct nadi_mark *then, const struct nadi_mark *now,
                           uint32_t actor, const struct nadi_stretch *s)
{
    const struct begun before = begun_of(then, actor), after = begun_of(now, actor);
    uint32_t reach = now->reach[actor], fixed = s->fixed;
    const uint64_t most = stay(s->trace, &before, &after, s->step, &reach, &fixed);
    const uint64_t end = s->end;
    if (end <= reach || fixed <= reach)
        return 0;
    const uint64_t repeats = nadi_min_u64(most, (end - 1 - reach) / s->step + 1);
    return nadi_min_u64(repeats, (fixed - 1 - reach) / s->step);
}

static bool stays_as_it_is(const struct nadi_mark *then, const struct nadi_mark *now,
                           uint32_t actor)
{
    const struct begun a = begun_of(then, actor), b = begun_of(now, actor);
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.items, b.items, a.count * sizeof(*a.items)) == 0);
}

uint64_t nadi_mark_repeats(struct nadi_workload *w, const struct nadi_mark *then,
                           const struct nadi_mark *now)
{
    struct nadi_tag_step tags = {0};
    uint64_t most = UINT64_MAX;
    if (now->at <= then->at || !same_words(&then->state, &now->state))
        return 0;
    for (uint32_t a = 0; a < w->rank_count && most > 0; a++) {
        const struct nadi_trace *t = w->ranks[a].trace;
        const uint32_t low = then->low[a], step = now->low[a] - low;
        if (step == 0) {
            most = stays_as_it_is(then, now, a) ? most : 0;
            continue;
        }
        const struct nadi_stretch *s = stretch_of(w, t, low, step);
        most = join_tags(&tags, &s->tags) ? nadi_min_u64(most, repeats_of(then, now, a, s)) : 0;
    }
    return most < UINT64_MAX && same_tags(then, now, tags) ? most : 0;
}

static void add_counts_of_rank(struct nadi_rank_view *v, const uint64_t *then, uint64_t times)
{
    v->gpu_ticks = nadi_ns_add(v->gpu_ticks, nadi_count_mul(v->gpu_ticks - then[0], times));
    v->nodes_done += (uint32_t)((v->nodes_done - then[1]) * times);
    v->nodes_skipped += (uint32_t)((v->nodes_skipped - then[2]) * times);
    v->times.compute = nadi_time_repeat(v->times.compute, then[3], times);
    v->times.comm = nadi_time_repeat(v->times.comm, then[4], times);
    v->times.exposed_comm = nadi_time_repeat(v->times.exposed_comm, then[5], times);
    v->times.memory = nadi_time_repeat(v->times.memory, then[6], times);
    v->times.cpu = nadi_time_repeat(v->times.cpu, then[7], times);
    v->times.idle = nadi_time_repeat(v->times.idle, then[8], times);
    v->slowed = nadi_time_repeat(v->slowed, then[9], times);
}

static void add_counts(struct nadi_workload *w, const struct nadi_mark *then, uint64_t times)
{
    const uint64_t *all = then->counters.items + (size_t)w->rank_count * NADI_COUNTS_OF_RANK;
    for (uint32_t a = 0; a < w->rank_count; a++)
        add_counts_of_rank(&w->ranks[a].view,
                           then->counters.items + (size_t)a * NADI_COUNTS_OF_RANK, times);
    w->nodes_done = nadi_count_repeat(w->nodes_done, *all++, times);
    w->offered_bytes = nadi_count_repeat(w->offered_bytes, *all++, times);
    w->ties_settled = nadi_count_repeat(w->ties_settled, *all++, times);
    for (size_t i = 0; i < NADI_NODE_TYPES; i++)
        w->nodes_by_type[i] = nadi_count_repeat(w->nodes_by_type[i], *all++, times);
    w->setup.network->ops->repeat(w->setup.network, then->network.items, times);
}

/* Nodes of the actor that stay wait for fewer parents. Returns how far those reach that move. */
static uint32_t settle_begun(struct rank_state *r, const struct begun *then,
                             const struct begun *now, uint32_t reach, uint32_t step, uint64_t times)
{
    for (size_t i = 0; i < now->count; i++) {
        const uint32_t node = (uint32_t)(now->items[i] >> 32);
        if (has_moved(then, now->items[i], step))
            reach = nadi_max_u32(reach, node);
        else
            *nadi_workload_waits(r, node) -=
                (uint32_t)(times * fewer(r->trace, then, now->items[i]));
    }
    return reach;
}

/* The nodes of an actor up to the reach, all so much further on. */
static void move_rank(struct rank_state *r, uint32_t low, uint32_t reach, uint32_t by,
                      nadi_time later)
{
    uint32_t *waits = nadi_workload_waits(r, low);
    memmove(waits + by, waits, ((size_t)reach - low + 1) * sizeof(*waits));
    memset(waits, 0xff, by * sizeof(*waits)); /* NADI_NONE */
    r->low += by;
    r->reach = nadi_max_u32(r->reach, reach + by);
    for (size_t i = 0; i < NADI_SLOTS; i++)
        for (size_t k = 0; k < r->ready[i].count; k++)
            r->ready[i].items[k] += by;
    for (size_t i = 0; i < r->in_flight.count; i++) {
        r->in_flight.items[i].node += by;
        r->in_flight.items[i].start = nadi_time_add(r->in_flight.items[i].start, later);
        r->in_flight.items[i].since = nadi_time_add(r->in_flight.items[i].since, later);
    }
    r->view.finish = nadi_time_add(r->view.finish, later);
}

static void move_event(void *context, nadi_time at, uint32_t index, struct nadi_event *event)
{
    const uint32_t *by = context;
    (void)at;
    (void)index;
    event->a += by[event->actor];
}

/* When a receive that ends in the `after`-th repetition had begun: those that wait since before the
 * first mark do so as long as that allows, the next ones from where they are now, or so many
 * periods later. O(receives that wait). */
static nadi_time begun_before(const struct rank_state *r, const struct nadi_node_span *span,
                              uint32_t step, uint64_t after, nadi_time period)
{
    nadi_time start = span->start;
    uint64_t last = 0; /* repetition of the one that waits latest */
    for (size_t k = 0; k < r->in_flight.count; k++) {
        const uint64_t node = r->in_flight.items[k].node;
        const uint64_t i = step && node > span->node ? (node - span->node) / step : 0;
        if (i <= last || i > after || span->node + i * step != node)
            continue;
        last = i;
        start = r->in_flight.items[k].start;
    }
    return nadi_time_add(start, nadi_time_mul(period, after - last));
}

/* What was recorded since, once more after so many periods. */
static void repeat_spans(struct nadi_workload *w, const struct nadi_mark *then, size_t end,
                         uint64_t after, nadi_time period)
{
    const nadi_time later = nadi_time_mul(period, after);
    for (size_t i = then->spans; i < end; i++) {
        struct nadi_node_span span = w->spans.items[i];
        const uint32_t step = w->steps[span.rank];
        span.start = span.start < then->at
                         ? begun_before(&w->ranks[span.rank], &span, step, after, period)
                         : nadi_time_add(span.start, later);
        span.node += (uint32_t)after * step;
        span.end = nadi_time_add(span.end, later);
        NADI_PUSH(&w->spans, span);
    }
}

/* By how much tags rise: that of any node that sends or receives. */
static uint32_t tag_step(const struct nadi_workload *w, const struct nadi_mark *then)
{
    struct nadi_tag_step tags = {0};
    for (uint32_t a = 0; a < w->rank_count && !tags.known; a++) {
        const struct nadi_trace *t = w->ranks[a].trace;
        for (uint32_t i = 0; i < w->steps[a] && !tags.known; i++) {
            const uint32_t node = then->low[a] + i;
            if (t->type[node] == NADI_NODE_SEND || t->type[node] == NADI_NODE_RECV)
                (void)same_tag(nadi_trace_comm(t, node), nadi_trace_comm(t, node + w->steps[a]),
                               &tags);
        }
    }
    return tags.step;
}

static uint64_t nodes_of_ranks(const struct nadi_workload *w)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < NADI_NODE_TYPES; i++)
        sum += w->nodes_by_type[i];
    return sum;
}

uint64_t nadi_workload_fast_forward(struct nadi_workload *w, const struct nadi_mark *then,
                                    const struct nadi_mark *now, uint64_t times)
{
    const nadi_time period = nadi_mark_period(then, now);
    const nadi_time later = nadi_time_mul(period, times);
    const uint64_t done = nodes_of_ranks(w);
    const size_t spans = w->spans.count;
    for (uint32_t a = 0; a < w->rank_count; a++)
        w->steps[a] = now->low[a] - then->low[a];
    const struct nadi_repetition r = {times, period, w->steps, tag_step(w, then)};
    nadi_system_repeat(w->system, &then->system, &r);
    for (uint64_t i = 1; i <= times; i++)
        repeat_spans(w, then, spans, i, period);
    add_counts(w, then, times);
    for (uint32_t a = 0; a < w->rank_count; a++) {
        const struct begun before = begun_of(then, a), after = begun_of(now, a);
        if (!nadi_rank_has_ended(&w->ranks[a]))
            w->ranks[a].last_change = nadi_time_add(w->ranks[a].last_change, later);
        if (w->steps[a] == 0)
            continue;
        const uint32_t reach =
            settle_begun(&w->ranks[a], &before, &after, now->reach[a], w->steps[a], times);
        w->steps[a] *= (uint32_t)times;
        move_rank(&w->ranks[a], now->low[a], reach, w->steps[a], later);
    }
    nadi_engine_visit(w->engine, move_event, w->steps);
    nadi_engine_fast_forward(w->engine, later);
    return nodes_of_ranks(w) - done;
}
