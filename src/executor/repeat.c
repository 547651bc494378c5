/* repeat: the state of the system where nothing is on its way, and fast-forwarding from there. */
#include "executor/internal.h"

bool nadi_system_idle(const struct nadi_system *s)
{
    return s->open == 0;
}

const char *nadi_system_no_fast_forward(const struct nadi_system *s)
{
    if (s->setup.keyed)
        return "messages of collectives are matched one by one";
    if (s->bus)
        return "the shared bus of an NPU has a state of its own";
    if (s->tiered)
        return "memory tiers have a state of their own";
    return NULL;
}

/* ---- the state ----------------------------------------------------------------------------- */

static void push(struct nadi_state *w, uint64_t word)
{
    NADI_PUSH(w, word);
}

static void push_bytes(struct nadi_state *w, const void *data, size_t bytes)
{
    const size_t words = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    push(w, bytes);
    NADI_RESERVE(w, w->count + words + 1);
    if (bytes) {
        w->items[w->count + words - 1] = 0;
        memcpy(w->items + w->count, data, bytes);
    }
    w->count += words;
}

/* A message or a receive that waits: whose node it is. */
static bool push_owner(const uint32_t *low, struct nadi_state *state, uint32_t kind, uint32_t actor,
                       uint32_t node)
{
    push(state, (uint64_t)actor << 32 | (uint32_t)(node - low[actor]));
    return kind == OWNER_NODE;
}

/* What waits in the channel; `parked` counts down. */
static bool push_channel(const struct nadi_system *s, const struct channel *c, const uint32_t *low,
                         struct nadi_state *state, struct nadi_state *tags, uint32_t *parked)
{
    bool known = true;
    push(state, (uint64_t)c->src << 32 | c->dst);
    push(state, (uint64_t)c->edge << 32 | c->ready);
    push(state, c->bytes);
    const bool receives = c->receives.head != NADI_NONE;
    push(tags, (uint64_t)(receives ? c->dst : c->src) << 32 | c->tag);
    for (uint32_t i = c->receives.head; i != NADI_NONE; i = s->receives.items[i].next, --*parked) {
        const struct receive *r = &s->receives.items[i];
        known &= push_owner(low, state, r->owner_kind, r->a, r->b);
    }
    push(state, UINT64_MAX);
    for (uint32_t i = c->arrived.head; i != NADI_NONE; i = s->transfers.items[i].next, --*parked) {
        const struct transfer *t = &s->transfers.items[i];
        known &= push_owner(low, state, t->owner_kind, t->a, t->b);
    }
    push(state, UINT64_MAX);
    return known;
}

static bool is_used(const struct channel *c)
{
    return c->receives.head != NADI_NONE || c->arrived.head != NADI_NONE;
}

bool nadi_system_state(const struct nadi_system *s, const uint32_t *low, struct nadi_state *state,
                       struct nadi_state *tags)
{
    const size_t dims = s->setup.topology->dim_count;
    uint32_t parked = s->parked;
    bool known = s->open == 0 && nadi_schedules_rest(s);
    push_bytes(state, s->pools,
               s->pools ? s->actor_count * dims * NADI_POOLS * sizeof(*s->pools) : 0);
    push_bytes(state, s->trees, s->trees ? s->actor_count * dims * NADI_COLLECTIVE_KINDS : 0);
    push(state, parked);
    for (size_t i = s->channels.count; i-- > 0 && parked > 0;)
        if (is_used(&s->channels.items[i]))
            known &= push_channel(s, &s->channels.items[i], low, state, tags, &parked);
    return known;
}

struct nadi_system_mark nadi_system_mark(const struct nadi_system *s)
{
    return (struct nadi_system_mark){s->operations.count, s->flows.count, s->ties_settled};
}

/* ---- fast-forwarding
 * --------------------------------------------------------------------------------- */

/* Operations that have begun since then, which have all ended, once more after so many periods. */
static void repeat_operations(struct nadi_system *s, size_t first, size_t end, uint64_t after,
                              const struct nadi_repetition *r)
{
    const nadi_time later = nadi_time_mul(r->period, after);
    for (size_t i = first; i < end; i++) {
        struct operation op = s->operations.items[i];
        struct group_state *g = &s->groups[op.view.group];
        op.view.sequence = (uint32_t)g->operations.count;
        op.view.first_node += (uint32_t)after * r->step[op.view.first_rank];
        op.view.start = nadi_time_add(op.view.start, later);
        op.view.end = nadi_time_add(op.view.end, later);
        const uint32_t index = (uint32_t)s->operations.count;
        NADI_PUSH(&s->operations, op);
        NADI_PUSH(&g->operations, index);
    }
}

/* All members of groups have joined all operations. */
static void join_operations(struct nadi_system *s, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const struct group_state *g = &s->groups[s->operations.items[i].view.group];
        for (uint32_t m = 0; m < g->members && g->sequence[m] < g->operations.count; m++)
            g->sequence[m] = (uint32_t)g->operations.count;
    }
}

static void repeat_flows(struct nadi_system *s, size_t first, size_t end, uint64_t after,
                         const struct nadi_repetition *r)
{
    const nadi_time later = nadi_time_mul(r->period, after);
    for (size_t i = first; i < end; i++) {
        struct nadi_flow_record f = s->flows.items[i];
        f.send_node += (uint32_t)after * r->step[f.src];
        f.recv_node += (uint32_t)after * r->step[f.dst];
        f.sent = nadi_time_add(f.sent, later);
        f.arrived = nadi_time_add(f.arrived, later);
        NADI_PUSH(&s->flows, f);
    }
}

/* What waits in a channel now waits for the last repetition. */
static void move_items(struct nadi_system *s, const struct channel *c,
                       const struct nadi_repetition *r)
{
    const nadi_time later = nadi_time_mul(r->period, r->times);
    for (uint32_t i = c->receives.head; i != NADI_NONE; i = s->receives.items[i].next)
        s->receives.items[i].b += (uint32_t)r->times * r->step[c->dst];
    for (uint32_t i = c->arrived.head; i != NADI_NONE; i = s->transfers.items[i].next) {
        struct transfer *t = &s->transfers.items[i];
        t->b += (uint32_t)r->times * r->step[c->src];
        t->sent = nadi_time_add(t->sent, later);
        t->arrived = nadi_time_add(t->arrived, later);
    }
}

struct moved { /* channels whose owners have moved */
    struct channel *items;
    size_t count, capacity;
};

static void move_channels(struct nadi_system *s, const struct nadi_repetition *r)
{
    const struct nadi_fifo empty = {NADI_NONE, NADI_NONE};
    struct moved moved = {0};
    for (size_t i = 0; i < s->channels.count && s->parked > 0; i++) {
        struct channel *c = &s->channels.items[i];
        const bool receives = c->receives.head != NADI_NONE;
        if (!is_used(c) || r->step[receives ? c->dst : c->src] == 0)
            continue;
        move_items(s, c, r);
        NADI_PUSH(&moved, *c);
        c->receives = c->arrived = empty;
        c->ready = 0;
    }
    for (size_t i = 0; i < moved.count; i++) {
        const struct channel *from = &moved.items[i];
        const struct endpoint_pair ends = {from->src, from->dst, from->edge, from->src_rank,
                                           from->dst_rank};
        const uint32_t tag = from->tag + (uint32_t)r->times * r->tag_step;
        const uint32_t index = nadi_p2p_channel(s, &ends, tag, from->bytes);
        struct channel *to = &s->channels.items[index];
        to->receives = from->receives;
        to->arrived = from->arrived;
        to->ready = from->ready;
        for (uint32_t k = to->receives.head; k != NADI_NONE; k = s->receives.items[k].next)
            s->receives.items[k].channel = index;
        for (uint32_t k = to->arrived.head; k != NADI_NONE; k = s->transfers.items[k].next)
            s->transfers.items[k].channel = index;
    }
    nadi_mem_free(moved.items);
}

void nadi_system_repeat(struct nadi_system *s, const struct nadi_system_mark *mark,
                        const struct nadi_repetition *r)
{
    const size_t operations = s->operations.count, flows = s->flows.count;
    for (uint64_t i = 1; i <= r->times; i++) {
        repeat_operations(s, mark->operations, operations, i, r);
        repeat_flows(s, mark->flows, flows, i, r);
    }
    join_operations(s, mark->operations, operations);
    s->ties_settled =
        nadi_count_add(s->ties_settled, nadi_count_mul(s->ties_settled - mark->ties, r->times));
    move_channels(s, r);
}
