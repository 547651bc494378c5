#include "why/slack.h"

#include "base/guard.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/time.h"
#include "bound/lower_bound.h"
#include "why/inside.h"
#include "why/micro.h"

struct issue { /* a node of one slot of one rank */
    uint64_t start_ns, ready_ns;
    uint32_t node;
};

struct alike {           /* collectives of one key */
    uint64_t longest_ns; /* from the last start to the last end, at most */
};

struct slack {
    struct nadi_times *t;
    uint32_t *waiting;    /* by index: what comes after it and is not settled */
    uint32_t *slot_first; /* by index: a node for whose slot it waited ... */
    uint32_t *slot_link;  /* ... and the next of these */
    uint64_t *start_room; /* by index: how late its start may be without another order */
    uint64_t *ready_till; /* by index: when it must be ready if its slot is free */
    uint64_t *op_slack;   /* by op */
    uint32_t *op_left;
    struct nadi_map64 keys;
    struct {
        struct alike *items;
        size_t count, capacity;
    } alike;
    struct {
        struct nadi_ranked *items;
        size_t count, capacity;
    } settled;
    struct {
        struct issue *items;
        size_t count, capacity;
    } issues;
    uint64_t *least; /* scratch, by node of a rank: a Fenwick tree of least ready times */
    bool exact;
};

static uint64_t index_of(const struct slack *s, uint32_t rank, uint32_t node)
{
    return nadi_times_index(s->t, rank, node);
}

static bool is_done(const struct slack *s, uint64_t at)
{
    return s->t->nodes[at].end_ns != UINT64_MAX;
}

/* ---- the order of a slot ------------------------------------------------------------------- */

static int by_issue(const void *a, const void *b)
{
    const struct issue *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->ready_ns != y->ready_ns && (x->ready_ns == x->start_ns || y->ready_ns == y->start_ns))
        return x->ready_ns < y->ready_ns ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static uint64_t ready_ns(const struct slack *s, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *trace = s->t->in->traces[rank];
    uint64_t ready = 0;
    for (uint32_t i = trace->dep_start[node]; i < trace->dep_start[node + 1]; i++)
        ready = nadi_max_u64(ready, s->t->nodes[index_of(s, rank, trace->deps[i])].end_ns);
    return ready;
}

static void list_slot(struct slack *s, uint32_t rank, enum nadi_slot slot)
{
    const struct nadi_times *t = s->t;
    s->issues.count = 0;
    for (uint32_t i = 0; i < nadi_times_done(t, rank); i++) {
        uint32_t node = t->order[t->first[rank] + i];
        if (nadi_times_slot(t, rank, node) != slot)
            continue;
        struct issue x = {t->nodes[index_of(s, rank, node)].start_ns, ready_ns(s, rank, node),
                          node};
        NADI_PUSH(&s->issues, x);
    }
    if (s->issues.count)
        qsort(s->issues.items, s->issues.count, sizeof(*s->issues.items), by_issue);
}

/* The first issue from place `from` on that starts at or after `end_ns`; a slot of one waits for
 * every node before it, so that this is the next one there. */
static size_t next_issue(const struct slack *s, size_t from, uint64_t end_ns)
{
    NADI_BISECT(size_t, low, from, s->issues.count, i, s->issues.items[i].start_ns < end_ns);
    return low;
}

static uint64_t least_below(const uint64_t *tree, uint32_t node)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = node; i > 0; i &= i - 1)
        least = nadi_min_u64(least, tree[i - 1]);
    return least;
}

static void put_least(uint64_t *tree, uint32_t count, uint32_t node, uint64_t value)
{
    for (uint32_t i = node + 1; i <= count; i += i & (~i + 1))
        tree[i - 1] = nadi_min_u64(tree[i - 1], value);
}

/* From the last issue to the first: what follows it. */
static void order_slot(struct slack *s, uint32_t rank, enum nadi_slot slot)
{
    uint32_t nodes = s->t->in->traces[rank]->node_count;
    uint64_t later = UINT64_MAX;
    list_slot(s, rank, slot);
    if (s->issues.count)
        memset(s->least, 0xff, nodes * sizeof(*s->least));
    for (size_t i = s->issues.count; i-- > 0;) {
        const struct issue *x = &s->issues.items[i];
        (void)nadi_guard_look();
        uint64_t at = index_of(s, rank, x->node);
        uint64_t lower = least_below(s->least, x->node);
        s->start_room[at] = lower == UINT64_MAX   ? UINT64_MAX
                            : lower > x->start_ns ? lower - x->start_ns - 1
                                                  : 0;
        s->ready_till[at] = later;
        later = nadi_min_u64(later, x->ready_ns);
        put_least(s->least, nodes, x->node, x->ready_ns);
        size_t next = next_issue(s, i + 1, s->t->nodes[at].end_ns);
        if (next < s->issues.count) {
            uint64_t to = index_of(s, rank, s->issues.items[next].node);
            s->slot_link[at] = s->slot_first[to];
            s->slot_first[to] = x->node;
            s->waiting[at]++;
        }
        bool slot_free =
            i == 0 ||
            s->t->nodes[index_of(s, rank, s->issues.items[i - 1].node)].end_ns <= x->ready_ns;
        if (slot_free && x->ready_ns != x->start_ns)
            s->exact = false; /* it waited for an occasion: a pass */
    }
}

static void prepare(struct slack *s)
{
    const struct nadi_times *t = s->t;
    uint32_t most = 0;
    for (uint32_t rank = 0; rank < t->r->rank_count; rank++)
        most = t->in->traces[rank]->node_count > most ? t->in->traces[rank]->node_count : most;
    s->least = NADI_NEW(uint64_t, most);
    for (uint32_t rank = 0; rank < t->r->rank_count; rank++) {
        const struct nadi_trace *trace = t->in->traces[rank];
        for (uint32_t node = 0; node < trace->node_count; node++) {
            uint64_t at = index_of(s, rank, node);
            s->waiting[at] += trace->child_start[node + 1] - trace->child_start[node];
            s->waiting[at] += trace->type[node] == NADI_NODE_SEND && t->flow[at] != NADI_NONE;
            t->nodes[at].slack_ns =
                is_done(s, at) ? t->r->end_ns - t->nodes[at].end_ns : UINT64_MAX;
        }
        for (enum nadi_slot slot = NADI_SLOT_PROCESSOR; slot < NADI_SLOT_NONE; slot++)
            order_slot(s, rank, slot);
    }
    for (uint32_t op = 0; op < t->op_count; op++) {
        s->op_slack[op] = UINT64_MAX;
        s->op_left[op] = t->member_start[op + 1] - t->member_start[op];
    }
}

/* ---- collectives whose members start apart ------------------------------------------------- */

enum { MOST_ALIKE = 64 }; /* different collectives that are timed by themselves */

static uint64_t last_start(const struct slack *s, uint32_t op)
{
    return s->t->members[s->t->member_start[op + 1] - 1].start_ns;
}

/* Rings are max-plus maps of their starts; other algorithms' ends may be some ns later than the
 * starts alone say, where chunks side by side change places. */
static bool is_ring(const struct nadi_inputs *in, uint32_t rank, uint32_t node)
{
    struct nadi_plan plan;
    if (!nadi_inside_plan(in, rank, node, &plan))
        return false;
    for (uint32_t i = 0; i < plan.phase_count; i++)
        if (plan.phases[i].algorithm != NADI_ALGORITHM_RING)
            return false;
    return true;
}

/* How long each kind of collective that members reach apart takes from a common start: alone, and
 * at least as long as any of its kind took here. */
static void time_collectives(struct slack *s)
{
    const struct nadi_times *t = s->t;
    nadi_map64_init(&s->keys, 0);
    for (uint32_t op = 0; op < t->op_count && s->exact; op++) {
        const struct nadi_collective_member *m = &t->members[t->member_start[op]];
        (void)nadi_guard_look();
        if (m->start_ns == last_start(s, op))
            continue;
        bool added;
        uint64_t key = nadi_micro_key(t->in, m->rank, m->node);
        (void)nadi_map64_put(&s->keys, key, (uint32_t)s->alike.count, &added);
        if (!added)
            continue;
        bool known = s->alike.count < MOST_ALIKE && is_ring(t->in, m->rank, m->node);
        struct alike one = {known ? nadi_micro_longest(t->in, m->rank, m->node) : UINT64_MAX};
        NADI_PUSH(&s->alike, one);
    }
    for (uint32_t op = 0; op < t->op_count && s->alike.count; op++) {
        const struct nadi_collective_member *m = &t->members[t->member_start[op]];
        (void)nadi_guard_look();
        uint32_t i = nadi_map64_find(&s->keys, nadi_micro_key(t->in, m->rank, m->node));
        for (uint32_t k = t->member_start[op]; i != NADI_NONE && k < t->member_start[op + 1]; k++) {
            uint64_t end = t->nodes[index_of(s, t->members[k].rank, t->members[k].node)].end_ns;
            if (end > last_start(s, op))
                s->alike.items[i].longest_ns =
                    nadi_max_u64(s->alike.items[i].longest_ns, end - last_start(s, op));
        }
    }
}

/* How late all members may start together: by then each ends in time. 0: not known. */
static uint64_t common_start(const struct slack *s, uint32_t op)
{
    const struct nadi_times *t = s->t;
    const struct nadi_collective_member *m = &t->members[t->member_start[op]];
    uint64_t least = UINT64_MAX;
    if (s->alike.count == 0 || m->start_ns == last_start(s, op))
        return 0;
    uint32_t i = nadi_map64_find(&s->keys, nadi_micro_key(t->in, m->rank, m->node));
    if (i == NADI_NONE || s->alike.items[i].longest_ns == UINT64_MAX)
        return 0;
    for (uint32_t k = t->member_start[op]; k < t->member_start[op + 1]; k++) {
        const struct nadi_node_time *n =
            &t->nodes[index_of(s, t->members[k].rank, t->members[k].node)];
        least = nadi_min_u64(least, n->end_ns + n->slack_ns);
    }
    return least > s->alike.items[i].longest_ns ? least - s->alike.items[i].longest_ns : 0;
}

/* ---- backwards ----------------------------------------------------------------------------- */

/* One thing that waits for the node's end allows it to be so late. */
static void allow(struct slack *s, uint32_t rank, uint32_t node, uint64_t slack_ns)
{
    uint64_t at = index_of(s, rank, node);
    s->t->nodes[at].slack_ns = nadi_min_u64(s->t->nodes[at].slack_ns, slack_ns);
    NADI_ASSERT(s->waiting[at] > 0);
    if (--s->waiting[at] == 0) {
        struct nadi_ranked n = {rank, node};
        NADI_PUSH(&s->settled, n);
    }
}

/* The node's start may be `late` ns late: what it waited for may be. */
static void start_may(struct slack *s, uint32_t rank, uint32_t node, uint64_t late)
{
    const struct nadi_trace *trace = s->t->in->traces[rank];
    uint64_t at = index_of(s, rank, node), start = s->t->nodes[at].start_ns;
    late = nadi_min_u64(late, s->start_room[at]);
    for (uint32_t i = trace->dep_start[node]; i < trace->dep_start[node + 1]; i++) {
        uint64_t end = s->t->nodes[index_of(s, rank, trace->deps[i])].end_ns, gap = start - end;
        if (s->ready_till[at] <= start) /* another one takes the slot if this is not ready then */
            allow(s, rank, trace->deps[i], gap > 0 ? gap - 1 : 0);
        else
            allow(s, rank, trace->deps[i],
                  nadi_min_u64(nadi_count_add(gap, late), s->ready_till[at] - end - 1));
    }
    for (uint32_t n = s->slot_first[at]; n != NADI_NONE;) {
        uint64_t before = index_of(s, rank, n);
        uint32_t next = s->slot_link[before];
        allow(s, rank, n, nadi_count_add(start - s->t->nodes[before].end_ns, late));
        n = next;
    }
}

static void settle(struct slack *s, uint32_t rank, uint32_t node)
{
    struct nadi_times *t = s->t;
    uint64_t at = index_of(s, rank, node), late = t->nodes[at].slack_ns;
    uint32_t op = t->op[at];
    if (op != NADI_NONE) {
        s->op_slack[op] = nadi_min_u64(s->op_slack[op], late);
        if (--s->op_left[op] > 0)
            return;
        uint64_t common = common_start(s, op);
        for (uint32_t i = t->member_start[op]; i < t->member_start[op + 1]; i++) {
            const struct nadi_collective_member *m = &t->members[i];
            uint64_t early = common > m->start_ns ? common - m->start_ns : 0;
            start_may(s, m->rank, m->node, nadi_max_u64(s->op_slack[op], early));
        }
        return;
    }
    if (t->in->traces[rank]->type[node] == NADI_NODE_RECV && t->flow[at] != NADI_NONE) {
        const struct nadi_flow *f = &t->r->flows[t->flow[at]];
        uint64_t end = t->nodes[at].end_ns;
        uint64_t gap = end > f->arrive_ns ? end - f->arrive_ns : 0;
        allow(s, f->src, f->send_node, nadi_count_add(gap, late));
        if (!t->in->system.rendezvous)
            late = nadi_count_add(late, end - t->nodes[at].start_ns);
    }
    start_may(s, rank, node, late);
}

/* Where the rules above say all there is. */
static bool rules_hold(const struct nadi_inputs *in)
{
    return !in->options.network_model->has_contention && !in->system.shared_bus &&
           in->system.comm_streams <= 1 && !in->system.rendezvous && in->custom_count == 0 &&
           in->memory.kind != NADI_MEMORY_POOL && in->memory.kind != NADI_MEMORY_PER_NODE &&
           in->memory.kind != NADI_MEMORY_HIERARCHY;
}

static void open_slack(struct slack *s, struct nadi_times *t)
{
    uint64_t count = t->count;
    *s = (struct slack){.t = t, .exact = rules_hold(t->in)};
    s->waiting = NADI_ZNEW(uint32_t, count);
    s->slot_first = NADI_NEW(uint32_t, count);
    s->slot_link = NADI_NEW(uint32_t, count);
    s->start_room = NADI_NEW(uint64_t, count);
    s->ready_till = NADI_NEW(uint64_t, count);
    s->op_slack = NADI_NEW(uint64_t, t->op_count);
    s->op_left = NADI_NEW(uint32_t, t->op_count);
    memset(s->slot_first, 0xff, count * sizeof(uint32_t));
    memset(s->slot_link, 0xff, count * sizeof(uint32_t));
    memset(s->start_room, 0xff, count * sizeof(uint64_t));
    memset(s->ready_till, 0xff, count * sizeof(uint64_t));
}

static void close_slack(struct slack *s)
{
    nadi_mem_free(s->waiting);
    nadi_mem_free(s->slot_first);
    nadi_mem_free(s->slot_link);
    nadi_mem_free(s->start_room);
    nadi_mem_free(s->ready_till);
    nadi_mem_free(s->op_slack);
    nadi_mem_free(s->op_left);
    nadi_mem_free(s->alike.items);
    nadi_map64_release(&s->keys);
    nadi_mem_free(s->least);
    nadi_mem_free(s->settled.items);
    nadi_mem_free(s->issues.items);
}

/* Where a member of a collective ends before another one starts, the two may wait for each other by
 * the rules above: then nothing is known of what comes before. */
static bool forget_unsettled(const struct slack *s)
{
    bool all = true;
    for (uint64_t at = 0; at < s->t->count; at++) {
        if (s->waiting[at] == 0 && (s->t->op[at] == NADI_NONE || s->op_left[s->t->op[at]] == 0))
            continue;
        s->t->nodes[at].slack_ns = UINT64_MAX;
        all = false;
    }
    return all;
}

bool nadi_slack_find(struct nadi_times *t)
{
    struct slack s;
    open_slack(&s, t);
    prepare(&s);
    time_collectives(&s);
    for (uint32_t rank = 0; rank < t->r->rank_count; rank++) {
        for (uint32_t node = 0; node < t->in->traces[rank]->node_count; node++) {
            uint64_t at = index_of(&s, rank, node);
            struct nadi_ranked n = {rank, node};
            if (s.waiting[at] == 0 && is_done(&s, at))
                NADI_PUSH(&s.settled, n);
        }
    }
    while (s.settled.count) {
        struct nadi_ranked n = s.settled.items[--s.settled.count];
        (void)nadi_guard_look();
        settle(&s, n.rank, n.node);
    }
    bool exact = forget_unsettled(&s) && s.exact;
    close_slack(&s);
    return exact;
}
