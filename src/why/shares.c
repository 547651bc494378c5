/* shares: each rank's time by cause, a sweep over its nodes' starts and ends. */
#include "base/mem.h"
#include "why/path.h"

struct change { /* of how many of a cause are in flight */
    uint64_t at_ns;
    int8_t by;
    uint8_t cause;
};

struct sweep {
    const struct nadi_times *t;
    struct {
        struct change *items;
        size_t count, capacity;
    } changes;
};

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static void between(struct sweep *s, uint64_t from_ns, uint64_t to_ns, enum nadi_cause cause)
{
    if (from_ns >= to_ns)
        return;
    struct change begin = {from_ns, 1, (uint8_t)cause}, end = {to_ns, -1, (uint8_t)cause};
    NADI_PUSH(&s->changes, begin);
    NADI_PUSH(&s->changes, end);
}

static void add_node(struct sweep *s, uint32_t rank, uint32_t node)
{
    const struct nadi_times *t = s->t;
    uint64_t at = nadi_times_index(t, rank, node);
    uint64_t start = t->nodes[at].start_ns, end = t->nodes[at].end_ns, begun = start;
    uint8_t type = t->in->traces[rank]->type[node];
    enum nadi_cause cause = nadi_path_cause(t, rank, node), wait = NADI_CAUSE_STRAGGLER;
    bool replayed = t->in->system.replay_only;
    if (type == NADI_NODE_INVALID || type == NADI_NODE_METADATA)
        return;
    if (t->op[at] != NADI_NONE) {
        uint32_t last = nadi_times_last(t, at);
        begun = last == NADI_NONE ? start : t->members[last].start_ns;
    } else if (type == NADI_NODE_RECV && !replayed && t->flow[at] != NADI_NONE) {
        wait = NADI_CAUSE_BUBBLE;
        begun = nadi_max_u64(start, t->r->flows[t->flow[at]].send_ns);
    } else if (!replayed && (type == NADI_NODE_MEM_LOAD || type == NADI_NODE_MEM_STORE)) {
        uint64_t latency, ns = nadi_inputs_memory_ns(t->in, t->in->traces[rank], node, &latency);
        wait = NADI_CAUSE_MEMORY_QUEUE;
        begun = end - start > ns ? end - ns : start;
    }
    begun = nadi_min_u64(begun, end);
    between(s, start, begun, wait);
    between(s, begun, end, cause);
}

static void sweep_rank(struct sweep *s, uint32_t rank, uint64_t *shares)
{
    uint32_t active[NADI_CAUSES] = {0};
    uint64_t now = 0;
    s->changes.count = 0;
    for (uint32_t i = 0; i < nadi_times_done(s->t, rank); i++)
        add_node(s, rank, s->t->order[s->t->first[rank] + i]);
    between(s, 0, s->t->r->end_ns, NADI_CAUSE_IDLE);
    if (s->changes.count)
        qsort(s->changes.items, s->changes.count, sizeof(*s->changes.items), by_time);
    for (size_t i = 0; i < s->changes.count; i++) {
        const struct change *c = &s->changes.items[i];
        uint32_t cause = 0;
        while (cause < NADI_CAUSES && !active[cause])
            cause++;
        if (cause < NADI_CAUSES)
            shares[cause] += c->at_ns - now;
        now = c->at_ns;
        active[c->cause] = c->by > 0 ? active[c->cause] + 1 : active[c->cause] - 1;
    }
}

void nadi_shares_find(const struct nadi_times *t, struct nadi_why *x)
{
    struct sweep s = {.t = t};
    x->shares = NADI_ARENA_ZNEW(&x->arena, uint64_t, (uint64_t)t->r->rank_count * NADI_CAUSES);
    for (uint32_t rank = 0; rank < t->r->rank_count; rank++)
        if (t->home[rank] == rank)
            sweep_rank(&s, rank, x->shares + (size_t)rank * NADI_CAUSES);
    nadi_mem_free(s.changes.items);
}
