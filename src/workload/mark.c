#include "base/map.h"
#include "engine/sequence.h"
#include "workload/mark_inside.h"

enum { PATTERN_NODES = 6, WIDEST = 1 << 14 };

/* ---- patterns ------------------------------------------------------------------------------ */

static uint32_t find_low(struct rank_state *r)
{
    while (r->low < r->trace->node_count && *nadi_workload_waits(r, r->low) == NADI_NONE)
        r->low++;
    return r->low;
}

static uint64_t mixed_node(uint64_t hash, const struct nadi_trace *t, uint32_t node)
{
    const uint64_t what = (uint64_t)t->type[node] << 8 | t->collective[node];
    hash = (hash ^ t->duration_ns[node]) * UINT64_C(0x9e3779b97f4a7c15);
    return (hash ^ hash >> 29 ^ t->bytes[node] ^ what << 48) * UINT64_C(0xff51afd7ed558ccd);
}

uint64_t nadi_workload_pattern(struct nadi_workload *w)
{
    struct rank_state *r = &w->ranks[w->last_actor];
    const struct nadi_trace *t = r->trace;
    const uint32_t low = find_low(r);
    uint64_t hash = mixed_node(w->last_actor + 1, t, w->last_node);
    for (uint32_t i = low; i < low + PATTERN_NODES && i < t->node_count; i++)
        hash = mixed_node(hash, t, i);
    return hash;
}

/* ---- marks --------------------------------------------------------------------------------- */

static void push(struct nadi_state *words, uint64_t word)
{
    NADI_PUSH(words, word);
}

static void push_heap(struct nadi_state *words, const struct nadi_heap32 *h, uint32_t low)
{
    push(words, h->count);
    for (size_t i = 0; i < h->count; i++)
        push(words, h->items[i] - low);
}

static bool is_running(const struct rank_state *r, uint32_t node, uint32_t waits)
{
    return waits < r->in_flight.count && r->in_flight.items[waits].node == node;
}

/* A node that is not done: has it begun to wait for fewer parents? */
static void note_begun(struct nadi_mark *m, const struct rank_state *r, uint32_t node,
                       uint32_t waits)
{
    const uint32_t *parents = r->trace->dep_start + node;
    if (waits > 0 && waits < parents[1] - parents[0] && !is_running(r, node, waits))
        push(&m->begun, (uint64_t)node << 32 | waits);
}

static int by_word(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

/* Those far from their parents; such that are done are forgotten. */
static void push_far(struct nadi_mark *m, struct rank_state *r, uint32_t reach)
{
    const size_t first = m->begun.count;
    size_t left = 0;
    for (size_t i = 0; i < r->far.count; i++) {
        const uint32_t node = r->far.items[i];
        const uint32_t waits = node < r->low ? NADI_NONE : *nadi_workload_waits(r, node);
        if (waits == NADI_NONE)
            continue;
        r->far.items[left++] = node;
        if (node > reach)
            note_begun(m, r, node, waits);
    }
    r->far.count = left;
    if (m->begun.count > first + 1)
        qsort(m->begun.items + first, m->begun.count - first, sizeof(uint64_t), by_word);
}

/* Nodes up to the reach that are done, counted from the first that is not, and that wait for fewer
 * parents than at first. Returns the last of those that are done. */
static uint32_t push_nodes(struct nadi_mark *m, struct rank_state *r, uint32_t low)
{
    uint32_t last = low;
    for (uint32_t i = low; i <= r->reach; i++) {
        const uint32_t waits = *nadi_workload_waits(r, i);
        if (waits != NADI_NONE) {
            note_begun(m, r, i, waits);
            continue;
        }
        push(&m->state, i - low);
        last = i;
    }
    push_far(m, r, r->reach);
    return last;
}

static uint32_t reach_of(const struct rank_state *r, uint32_t reach)
{
    for (size_t i = 0; i < NADI_SLOTS; i++)
        for (size_t k = 0; k < r->ready[i].count; k++)
            reach = nadi_max_u32(reach, r->ready[i].items[k]);
    for (size_t i = 0; i < r->in_flight.count; i++)
        reach = nadi_max_u32(reach, r->in_flight.items[i].node);
    return reach;
}

/* A computation that shares its device. */
static void push_shared(struct nadi_mark *m, const struct running *x)
{
    uint64_t rate;
    memcpy(&rate, &x->rate, sizeof(rate));
    push(&m->state, x->slow);
    push(&m->state, rate);
    push(&m->state, (uint64_t)x->own);
    push(&m->state, (uint64_t)x->left);
    push(&m->state, nadi_time_is_never(x->left) ? 0 : (uint64_t)(m->at - x->since));
}

/* What an actor's future depends on beside what is pending. False: too much. */
static bool push_rank(struct nadi_workload *w, struct nadi_mark *m, uint32_t actor)
{
    struct rank_state *r = &w->ranks[actor];
    const uint32_t low = m->low[actor];
    if (nadi_rank_has_ended(r)) {
        push(&m->state, UINT64_MAX - r->stopped);
        push(&m->state, (uint64_t)r->late.count << 32 | r->view.nodes_done);
        return true;
    }
    if (r->became_ready.count || low >= r->trace->node_count ||
        nadi_max_u32(r->reach, low) - low > WIDEST)
        return false;
    m->reach[actor] = reach_of(r, push_nodes(m, r, low));
    push(&m->state, UINT64_MAX);
    for (size_t i = 0; i < NADI_SLOTS; i++) {
        push_heap(&m->state, &r->ready[i], low);
        push(&m->state, r->in_use[i]);
    }
    push(&m->state, r->in_flight.count);
    for (size_t i = 0; i < r->in_flight.count; i++) {
        const struct running *x = &r->in_flight.items[i];
        const bool waits =
            r->trace->type[x->node] == NADI_NODE_RECV; /* since when is all the same */
        push(&m->state, x->node - low);
        push(&m->state, waits ? 0 : (uint64_t)(m->at - x->start));
        if (x->turn)
            push_shared(m, x);
    }
    return true;
}

/* The end that a computation had before its rate changed: it counts no more. */
static bool is_past_end(const struct nadi_workload *w, const struct nadi_event *event)
{
    struct rank_state *r = &w->ranks[event->actor];
    const uint32_t place = *nadi_workload_waits(r, event->a);
    return place == NADI_NONE || r->in_flight.items[place].turn != event->b;
}

struct pending { /* events while they are written down */
    const struct nadi_workload *w;
    struct nadi_mark *m;
    struct nadi_map64 blocks, tokens; /* numbered in the order of events */
    bool timers;                      /* nothing else is pending */
};

static void push_event(void *context, nadi_time at, uint32_t index, struct nadi_event *event)
{
    struct pending *p = context;
    const struct nadi_sequence *sequence = nadi_engine_sequence(p->w->engine);
    struct nadi_state *state = &p->m->state;
    const bool shared = event->kind == p->w->kind_shared;
    if (shared && is_past_end(p->w, event))
        return;
    p->timers &= shared || event->kind == p->w->kind_timer;
    if (!p->timers)
        return;
    push(state, nadi_time_is_never(at) ? UINT64_MAX : (uint64_t)(at - p->m->at));
    push(state, (uint64_t)event->actor << 32 | (event->a - p->m->low[event->actor]));
    if (!sequence)
        return;
    const struct nadi_sequence_label l = nadi_sequence_label(sequence, index);
    const uint32_t block = (uint32_t)p->blocks.count, token = (uint32_t)p->tokens.count;
    push(state, *nadi_map64_put(&p->blocks, l.block, block, NULL));
    push(state, l.token ? *nadi_map64_put(&p->tokens, l.token, token, NULL) + 1 : 0);
    push(state, l.shift);
}

/* False: something but computations is pending. */
static bool push_pending(const struct nadi_workload *w, struct nadi_mark *m)
{
    struct pending p = {.w = w, .m = m, .timers = true};
    nadi_map64_init(&p.blocks, 16);
    nadi_map64_init(&p.tokens, 16);
    nadi_engine_visit(w->engine, push_event, &p);
    nadi_map64_release(&p.blocks);
    nadi_map64_release(&p.tokens);
    return p.timers;
}

static bool push_network(const struct nadi_workload *w, struct nadi_mark *m)
{
    struct nadi_network_counts state = {0};
    const bool rests = w->setup.network->ops->rest(w->setup.network, &state);
    for (size_t i = 0; i < state.count; i++)
        push(&m->state, state.items[i]);
    nadi_mem_free(state.items);
    return rests;
}

void nadi_workload_mark_counts(struct nadi_workload *w, struct nadi_mark *m)
{
    for (uint32_t a = 0; a < w->rank_count; a++) {
        const struct nadi_rank_view *v = &w->ranks[a].view;
        const uint64_t counts[NADI_COUNTS_OF_RANK] = {
            v->gpu_ticks,
            v->nodes_done,
            v->nodes_skipped,
            (uint64_t)v->times.compute,
            (uint64_t)v->times.comm,
            (uint64_t)v->times.exposed_comm,
            (uint64_t)v->times.memory,
            (uint64_t)v->times.cpu,
            (uint64_t)v->times.idle,
            (uint64_t)v->slowed,
        };
        for (size_t i = 0; i < NADI_COUNTS_OF_RANK; i++)
            push(&m->counters, counts[i]);
    }
    push(&m->counters, w->nodes_done);
    push(&m->counters, w->offered_bytes);
    push(&m->counters, w->ties_settled);
    for (size_t i = 0; i < NADI_NODE_TYPES; i++)
        push(&m->counters, w->nodes_by_type[i]);
    w->setup.network->ops->count(w->setup.network, &m->network);
    m->system = nadi_system_mark(w->system);
    m->spans = w->spans.count;
}

static bool write_state(struct nadi_workload *w, struct nadi_mark *m)
{
    if (!nadi_system_idle(w->system))
        return false;
    for (uint32_t a = 0; a < w->rank_count; a++)
        m->low[a] = m->reach[a] = find_low(&w->ranks[a]);
    if (!push_pending(w, m))
        return false;
    for (uint32_t a = 0; a < w->rank_count; a++) {
        m->begun_start[a] = m->begun.count;
        if (!push_rank(w, m, a))
            return false;
    }
    m->begun_start[w->rank_count] = m->begun.count;
    push(&m->state, w->finished_count);
    push(&m->state, w->mismatch_count);
    return push_network(w, m) && nadi_system_state(w->system, m->low, &m->state, &m->tags);
}

void nadi_workload_look_again(struct nadi_workload *w)
{
    if (nadi_system_idle(w->system))
        nadi_engine_pause(w->engine);
}

/* Of all ranks up to a mark, so that those of a period are known whole. False: a rank is ahead. */
static bool add_up_times(struct nadi_workload *w, nadi_time now)
{
    for (uint32_t a = 0; a < w->rank_count; a++) {
        struct rank_state *r = &w->ranks[a];
        if (nadi_rank_has_ended(r))
            continue;
        if (r->last_change > now)
            return false;
        nadi_workload_account(r, now, ACTIVITY_OTHER, 0);
    }
    return true;
}

struct nadi_mark *nadi_workload_mark(struct nadi_workload *w)
{
    if (!nadi_system_idle(w->system))
        return NULL;
    struct nadi_mark *m = NADI_ZNEW(struct nadi_mark, 1);
    m->at = nadi_engine_now(w->engine);
    m->low = NADI_NEW(uint32_t, w->rank_count);
    m->reach = NADI_NEW(uint32_t, w->rank_count);
    m->begun_start = NADI_NEW(size_t, (size_t)w->rank_count + 1);
    if (!add_up_times(w, m->at) || !write_state(w, m)) {
        nadi_mark_destroy(m);
        return NULL;
    }
    return m;
}

uint64_t nadi_mark_hash(const struct nadi_mark *m)
{
    return nadi_hash_words(m->state.items, m->state.count);
}

size_t nadi_mark_words(const struct nadi_mark *m)
{
    return m->state.count + m->tags.count + m->begun.count + m->counters.count + m->network.count;
}

void nadi_mark_destroy(struct nadi_mark *m)
{
    if (!m)
        return;
    nadi_mem_free(m->state.items);
    nadi_mem_free(m->tags.items);
    nadi_mem_free(m->counters.items);
    nadi_mem_free(m->network.items);
    nadi_mem_free(m->begun.items);
    nadi_mem_free(m->begun_start);
    nadi_mem_free(m->low);
    nadi_mem_free(m->reach);
    nadi_mem_free(m);
}
