#include "bound/bound.h"

#include "base/mem.h"
#include "base/time.h"
#include "bound/lower_bound.h"
#include "bound/pairs.h"
#include "collective/plan.h"

struct bound {
    const struct nadi_inputs *in;
    struct nadi_lower_bounds *bounds;
    uint32_t *users;    /* by owned trace: ranks that run it */
    uint32_t *rank_of;  /* by owned trace: the only one of them, or NADI_NONE */
    uint32_t *trace_of; /* by rank: index of its owned trace */
    uint64_t *leaving;  /* by owned trace: bytes that a rank sends out of its island */
    uint32_t *waiting;  /* by node: dependencies left */
    uint32_t *order;    /* nodes, each after its dependencies */
    uint64_t *end;      /* by node: earliest end */
    uint32_t *position; /* by node: accelerator computes on the longest chain before it */
    size_t capacity;    /* nodes that the four hold */
    bool concurrent;    /* a rank's communications pass each other: they do not add up */
};

static enum nadi_slot slot_of(const struct bound *b, const struct nadi_trace *t, uint32_t node)
{
    return nadi_trace_slot(t, node, b->in->system.replay_only);
}

static void reserve(struct bound *b, uint32_t nodes)
{
    if (nodes <= b->capacity)
        return;
    b->capacity = nodes;
    b->waiting = nadi_mem_realloc(b->waiting, nodes, sizeof(*b->waiting));
    b->order = nadi_mem_realloc(b->order, nodes, sizeof(*b->order));
    b->end = nadi_mem_realloc(b->end, nodes, sizeof(*b->end));
    b->position = nadi_mem_realloc(b->position, nodes, sizeof(*b->position));
}

/* A topological order of the trace; traces have no cycles. */
static void sort(struct bound *b, const struct nadi_trace *t)
{
    uint32_t count = 0;
    reserve(b, t->node_count);
    for (uint32_t i = 0; i < t->node_count; i++) {
        b->waiting[i] = t->dep_start[i + 1] - t->dep_start[i];
        if (b->waiting[i] == 0)
            b->order[count++] = i;
    }
    for (uint32_t next = 0; next < count; next++) {
        uint32_t node = b->order[next];
        for (uint32_t i = t->child_start[node]; i < t->child_start[node + 1]; i++)
            if (--b->waiting[t->children[i]] == 0)
                b->order[count++] = t->children[i];
    }
    NADI_ASSERT(count == t->node_count);
}

static uint64_t start_of(const struct bound *b, const struct nadi_trace *t, uint32_t node)
{
    uint64_t start = 0;
    for (uint32_t i = t->dep_start[node]; i < t->dep_start[node + 1]; i++)
        start = nadi_max_u64(start, b->end[t->deps[i]]);
    return start;
}

/* ---- one rank by itself -------------------------------------------------------------------- */

static bool is_collective(const struct bound *b, const struct nadi_trace *t, uint32_t node)
{
    return t->type[node] == NADI_NODE_COLL && !b->in->system.replay_only;
}

static uint32_t group_of(const struct bound *b, uint32_t trace, uint32_t node)
{
    return nadi_lower_bounds_group(b->bounds, b->in->owned[trace], node, b->rank_of[trace]);
}

/* The order is made already. */
static uint64_t rank_bound(struct bound *b, uint32_t trace)
{
    const struct nadi_trace *t = b->in->owned[trace];
    uint64_t busy[NADI_SLOTS] = {0}, load[NADI_MAX_DIMS] = {0}, longest = 0;
    uint64_t cut = 0, neighbours = 0;
    for (uint32_t i = 0; i < t->node_count; i++) {
        uint32_t node = b->order[i];
        uint64_t least;
        if (is_collective(b, t, node)) {
            struct nadi_lower_bound bound =
                nadi_lower_bound_collective(b->bounds, t, node, group_of(b, trace, node));
            least = bound.own;
            for (uint32_t d = 0; d < b->in->topology.dim_count; d++)
                load[d] = nadi_count_add(load[d], bound.load[d]);
            cut = nadi_count_add(cut, bound.cut);
            neighbours = nadi_count_add(neighbours, bound.neighbours);
            b->leaving[trace] = nadi_count_add(b->leaving[trace], bound.leaving);
        } else
            least = nadi_lower_bound_node(b->bounds, t, node, b->rank_of[trace]);
        b->end[node] = nadi_count_add(start_of(b, t, node), least);
        longest = nadi_max_u64(longest, b->end[node]);
        enum nadi_slot slot = slot_of(b, t, node);
        busy[slot] = nadi_count_add(busy[slot], least);
    }
    for (int s = 0; s < NADI_SLOT_NONE; s++)
        longest = nadi_max_u64(longest, s == NADI_SLOT_COMM && b->concurrent ? 0 : busy[s]);
    for (uint32_t d = 0; d < b->in->topology.dim_count && !b->concurrent; d++)
        longest = nadi_max_u64(longest, load[d]);
    return nadi_max_u64(longest, nadi_max_u64(cut, neighbours));
}

/* ---- all ranks together -------------------------------------------------------------------- */

/* The same nodes and dependencies; durations and sizes may differ. */
static bool same_graph(const struct bound *x, const struct nadi_trace *a,
                       const struct nadi_trace *b)
{
    size_t n = a->node_count;
    if (a->node_count != b->node_count ||
        memcmp(a->dep_start, b->dep_start, (n + 1) * sizeof(*a->dep_start)) != 0 ||
        memcmp(a->deps, b->deps, a->dep_start[n] * sizeof(*a->deps)) != 0 ||
        memcmp(a->type, b->type, n) != 0)
        return false;
    for (uint32_t node = 0; node < n; node++)
        if (slot_of(x, a, node) != slot_of(x, b, node))
            return false;
    return true;
}

/* Does the graph alone decide in which order a rank issues its collectives, namely ascending? It
 * does if the computes form a chain and a collective waits only for computes that the next one also
 * waits for, and for earlier collectives: when one of them can be issued, the ones before it could
 * be as well, and lower ids go first. */
static bool order_is_fixed(struct bound *b, const struct nadi_trace *t)
{
    uint32_t computes = 0, longest = 0, needed = 0;
    for (uint32_t i = 0; i < t->node_count; i++) {
        uint32_t node = b->order[i];
        b->position[node] = 0;
        for (uint32_t d = t->dep_start[node]; d < t->dep_start[node + 1]; d++) {
            const uint32_t dep = t->deps[d];
            const uint32_t at = b->position[dep] + (slot_of(b, t, dep) == NADI_SLOT_COMPUTE);
            b->position[node] = nadi_max_u32(b->position[node], at);
        }
        if (slot_of(b, t, node) == NADI_SLOT_COMPUTE) {
            computes++;
            longest = nadi_max_u32(longest, b->position[node] + 1);
        }
    }
    for (uint32_t node = 0; node < t->node_count; node++) {
        if (t->type[node] != NADI_NODE_COLL)
            continue;
        if (needed > b->position[node])
            return false; /* an earlier one may still wait when this one is ready */
        for (uint32_t d = t->dep_start[node]; d < t->dep_start[node + 1]; d++) {
            uint32_t dep = t->deps[d];
            bool earlier = t->type[dep] == NADI_NODE_COLL && dep < node;
            if (slot_of(b, t, dep) == NADI_SLOT_COMPUTE)
                needed = nadi_max_u32(needed, b->position[dep] + 1);
            else if (!earlier)
                return false;
        }
    }
    return longest == computes;
}

/* Do the members of every group use it at the same nodes? A rank uses only groups it is a member
 * of, so it is enough to count. seen: by group, zero. */
static bool groups_match(struct bound *b, uint32_t *seen)
{
    const struct nadi_inputs *in = b->in;
    const struct nadi_trace *first = in->owned[0];
    for (uint32_t node = 0; node < first->node_count; node++) {
        if (first->type[node] != NADI_NODE_COLL)
            continue;
        for (uint32_t i = 0; i < in->owned_count; i++) {
            uint32_t group = group_of(b, i, node);
            if (group == NADI_NONE || in->owned[i]->collective[node] != first->collective[node])
                return false;
            seen[group] += b->users[i];
        }
        for (uint32_t i = 0; i < in->owned_count; i++) {
            uint32_t group = group_of(b, i, node);
            if (seen[group] != 0 &&
                !nadi_lower_bounds_group_is_whole(b->bounds, group, seen[group]))
                return false;
            seen[group] = 0;
        }
    }
    return true;
}

/* Of all ranks, the least that the collective takes from the last start to the last end. */
static uint64_t least_last(struct bound *b, uint32_t node)
{
    const struct nadi_inputs *in = b->in;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < in->owned_count; i++) {
        uint32_t group = group_of(b, i, node);
        uint64_t last = nadi_lower_bound_collective(b->bounds, in->owned[i], node, group).last;
        least = nadi_min_u64(least, last);
    }
    return least;
}

static uint64_t least_of(const struct bound *b, uint32_t node)
{
    const struct nadi_inputs *in = b->in;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < in->owned_count; i++)
        least =
            nadi_min_u64(least, nadi_lower_bound_node(b->bounds, in->owned[i], node, NADI_NONE));
    return least;
}

/* The critical path of the one graph that all ranks run, collectives in ascending order: for each
 * node the latest of all ranks' ends is at least the end found here. */
static uint64_t common_bound(struct bound *b)
{
    const struct nadi_trace *t = b->in->owned[0];
    uint64_t longest = 0, comm_free = 0;
    uint32_t next = 0; /* collectives are placed in ascending order, which is topological here */
    for (uint32_t i = 0; i < t->node_count; i++)
        b->end[i] = 0;
    for (uint32_t i = 0; i < t->node_count; i++) {
        uint32_t node = b->order[i];
        if (t->type[node] != NADI_NODE_COLL) {
            b->end[node] = nadi_count_add(start_of(b, t, node), least_of(b, node));
            longest = nadi_max_u64(longest, b->end[node]);
            continue;
        }
        for (; next <= node; next++) {
            if (t->type[next] != NADI_NODE_COLL)
                continue;
            uint64_t start = nadi_max_u64(start_of(b, t, next), comm_free);
            comm_free = b->end[next] = nadi_count_add(start, least_last(b, next));
            longest = nadi_max_u64(longest, comm_free);
        }
    }
    return longest;
}

/* A rank issues its collectives one after another, so those of one group follow each other: the
 * largest sum of any group. All members have the same collectives: the first trace's are taken. */
static uint64_t group_sums(struct bound *b)
{
    const struct nadi_inputs *in = b->in;
    size_t count = nadi_lower_bounds_group_count(b->bounds);
    uint64_t longest = 0, *sum = NADI_ZNEW(uint64_t, count);
    uint32_t *taken_from = NADI_NEW(uint32_t, count);
    enum nadi_native_kind kind;
    memset(taken_from, 0xff, count * sizeof(*taken_from));
    for (uint32_t i = 0; i < in->owned_count; i++) {
        const struct nadi_trace *t = in->owned[i];
        for (uint32_t node = 0; node < t->node_count; node++) {
            if (t->type[node] != NADI_NODE_COLL ||
                !nadi_native_in(in->system.native, (enum nadi_collective_kind)t->collective[node],
                                &kind))
                continue;
            uint32_t group = group_of(b, i, node);
            if (group == NADI_NONE || (taken_from[group] != NADI_NONE && taken_from[group] != i))
                continue;
            taken_from[group] = i;
            sum[group] = nadi_count_add(
                sum[group], nadi_lower_bound_collective(b->bounds, t, node, group).last);
            longest = nadi_max_u64(longest, sum[group]);
        }
    }
    nadi_mem_free(sum);
    nadi_mem_free(taken_from);
    return longest;
}

static uint64_t group_bound(struct bound *b)
{
    const struct nadi_inputs *in = b->in;
    uint64_t sum = group_sums(b);
    for (uint32_t i = 1; i < in->owned_count; i++)
        if (!same_graph(b, in->owned[0], in->owned[i]))
            return sum;
    sort(b, in->owned[0]);
    if (!order_is_fixed(b, in->owned[0]))
        return sum;
    uint32_t *seen = NADI_ZNEW(uint32_t, nadi_lower_bounds_group_count(b->bounds));
    bool match = groups_match(b, seen);
    nadi_mem_free(seen);
    return match ? nadi_max_u64(sum, common_bound(b)) : sum;
}

/* What the busiest server of remote memory must serve, one request after another. */
static uint64_t server_bound(const struct bound *b)
{
    const struct nadi_inputs *in = b->in;
    const struct nadi_memory_config *m = &in->memory;
    bool pool = m->kind == NADI_MEMORY_POOL;
    if (!pool && (m->kind != NADI_MEMORY_PER_NODE || m->npus_per_node == 0))
        return 0;
    uint64_t longest = 0, *work = NADI_ZNEW(uint64_t, in->rank_count); /* by server */
    uint64_t *of = NADI_ZNEW(uint64_t, in->owned_count);               /* by trace */
    for (uint32_t i = 0; i < in->owned_count; i++) {
        const struct nadi_trace *t = in->owned[i];
        for (uint32_t node = 0; node < t->node_count; node++)
            if (t->type[node] == NADI_NODE_MEM_LOAD || t->type[node] == NADI_NODE_MEM_STORE)
                of[i] =
                    nadi_count_add(of[i], nadi_memory_service_ns(m, t->bytes[node],
                                                                 nadi_trace_same_for_all(t, node)));
    }
    for (uint32_t rank = 0; rank < in->rank_count; rank++) {
        uint64_t *server = &work[pool ? 0 : rank / m->npus_per_node];
        *server = nadi_count_add(*server, of[b->trace_of[rank]]);
        longest = nadi_max_u64(longest, *server);
    }
    nadi_mem_free(of);
    nadi_mem_free(work);
    return longest;
}

static void count_users(struct bound *b)
{
    const struct nadi_inputs *in = b->in;
    nadi_trace_numbers(in, b->trace_of);
    memset(b->rank_of, 0xff, in->owned_count * sizeof(*b->rank_of));
    for (uint32_t rank = 0; rank < in->rank_count; rank++) {
        uint32_t i = b->trace_of[rank];
        b->rank_of[i] = b->users[i]++ ? NADI_NONE : rank;
    }
}

uint64_t nadi_lower_bound_ns(const struct nadi_inputs *in)
{
    struct bound b = {.in = in, .concurrent = in->system.comm_streams > 1};
    uint64_t bound = 0;
    if (in->owned_count == 0)
        return 0;
    b.bounds = nadi_lower_bounds_create(in);
    b.users = NADI_ZNEW(uint32_t, in->owned_count);
    b.rank_of = NADI_NEW(uint32_t, in->owned_count);
    b.trace_of = NADI_NEW(uint32_t, in->rank_count);
    b.leaving = NADI_ZNEW(uint64_t, in->owned_count);
    count_users(&b);
    for (uint32_t i = 0; i < in->owned_count; i++) {
        sort(&b, in->owned[i]);
        bound = nadi_max_u64(bound, rank_bound(&b, i));
    }
    bound = nadi_max_u64(bound, nadi_lower_bounds_leaving_ns(b.bounds, b.leaving, b.trace_of));
    if (!in->system.replay_only)
        bound = nadi_max_u64(bound, server_bound(&b));
    if (!in->system.replay_only && !b.concurrent)
        bound = nadi_max_u64(bound, group_bound(&b));
    if (!in->system.replay_only)
        bound = nadi_max_u64(bound, nadi_pairs_bound(in, b.bounds, b.rank_of, b.trace_of));
    nadi_mem_free(b.rank_of);
    nadi_mem_free(b.users);
    nadi_mem_free(b.trace_of);
    nadi_mem_free(b.leaving);
    nadi_mem_free(b.waiting);
    nadi_mem_free(b.order);
    nadi_mem_free(b.end);
    nadi_mem_free(b.position);
    nadi_lower_bounds_destroy(b.bounds);
    return bound;
}
