#include "bound/pairs.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"

enum { TAGS = 500000000 }; /* point-to-point tags are taken modulo this */

struct end {           /* one side of a message */
    uint32_t src, dst; /* traces */
    uint32_t distance; /* from the sender's rank to the receiver's, round all ranks */
    uint32_t tag;
    uint64_t bytes;
    uint64_t place; /* owned trace << 32 | node */
    bool is_send;
};

struct place {
    uint32_t trace, node;
};

struct pairs {
    const struct nadi_inputs *in;
    struct nadi_lower_bounds *bounds;
    const uint32_t *only_rank, *trace_of;
    struct {
        struct end *items;
        size_t count, capacity;
    } ends;
    uint32_t *first, *users;   /* of a trace: the ranks users[first[trace]] .. */
    struct nadi_map64 peers;   /* trace << 32 | distance -> the peers' trace */
    struct nadi_map64 partner; /* place of a paired end -> index in `ends` of the other one */
    uint32_t **waiting;        /* by owned trace, by node: dependencies left */
    uint64_t **end_ns;         /* earliest end; of a paired receive, its message's arrival before */
    uint64_t **tail_ns;        /* least time from its end to the end of all that follows */
    struct {
        struct place *items;
        size_t count, capacity;
    } ready, order; /* order: as passed, each after what it waits for */
};

enum { MANY_TRACES = NADI_NONE - 1 };

/* The trace of the ranks so far round from those that run this one; MANY_TRACES: of several. */
static uint32_t trace_at(struct pairs *p, uint32_t trace, uint32_t distance)
{
    const uint32_t ranks = p->in->rank_count, first = p->first[trace];
    const uint64_t key = (uint64_t)trace << 32 | distance;
    const uint32_t known = nadi_map64_find(&p->peers, key);
    if (known != NADI_NONE || first == p->first[trace + 1])
        return known == NADI_NONE ? MANY_TRACES : known;
    uint32_t found = p->trace_of[((uint64_t)p->users[first] + distance) % ranks];
    for (uint32_t i = first; i < p->first[trace + 1]; i++)
        if (p->trace_of[((uint64_t)p->users[i] + distance) % ranks] != found)
            found = MANY_TRACES;
    (void)nadi_map64_put(&p->peers, key, found, NULL);
    return found;
}

static void find_users(struct pairs *p)
{
    const uint32_t count = p->in->owned_count, ranks = p->in->rank_count;
    p->first = NADI_ZNEW(uint32_t, (size_t)count + 2);
    p->users = NADI_NEW(uint32_t, ranks);
    for (uint32_t rank = 0; rank < ranks; rank++)
        p->first[p->trace_of[rank] + 2]++;
    for (uint32_t i = 2; i < count + 2; i++)
        p->first[i] += p->first[i - 1];
    for (uint32_t rank = 0; rank < ranks; rank++)
        p->users[p->first[p->trace_of[rank] + 1]++] = rank;
}

/* How far the peer is; NADI_NONE: another distance on each rank that runs the trace, or the rank
 * itself, of several: what such a message takes is not what others take at least. */
static uint32_t distance_of(const struct pairs *p, uint32_t trace, uint32_t written)
{
    const uint32_t ranks = p->in->rank_count, rank = p->only_rank[trace];
    if (rank == NADI_NONE && !p->in->relative_peers)
        return NADI_NONE;
    const uint32_t from = rank == NADI_NONE ? 0 : rank;
    const uint32_t peer = nadi_lower_bounds_peer(p->bounds, from, written);
    return peer < ranks && (peer != from || rank != NADI_NONE) ? (peer + ranks - from) % ranks
                                                               : NADI_NONE;
}

static void gather(struct pairs *p, uint32_t trace)
{
    const struct nadi_trace *t = p->in->owned[trace];
    for (uint32_t node = 0; node < t->node_count; node++) {
        const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
        bool is_send = t->type[node] == NADI_NODE_SEND;
        if (!comm || (!is_send && t->type[node] != NADI_NODE_RECV))
            continue;
        const uint32_t to_peer = distance_of(p, trace, is_send ? comm->dst : comm->src);
        const uint32_t peer = to_peer == NADI_NONE ? MANY_TRACES : trace_at(p, trace, to_peer);
        if (peer == MANY_TRACES)
            continue;
        struct end end = {
            .src = is_send ? trace : peer,
            .dst = is_send ? peer : trace,
            .distance = is_send ? to_peer : (p->in->rank_count - to_peer) % p->in->rank_count,
            .tag = comm->tag % TAGS,
            .bytes = nadi_lower_bounds_message_bytes(p->bounds, t, node),
            .place = (uint64_t)trace << 32 | node,
            .is_send = is_send,
        };
        NADI_PUSH(&p->ends, end);
    }
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_key(const struct end *a, const struct end *b)
{
    int order = compare(a->src, b->src);
    if (!order)
        order = compare(a->dst, b->dst);
    if (!order)
        order = compare(a->distance, b->distance);
    if (!order)
        order = compare(a->tag, b->tag);
    return order ? order : compare(a->bytes, b->bytes);
}

static int by_key_and_place(const void *x, const void *y)
{
    const struct end *a = x, *b = y;
    int order = by_key(a, b);
    return order ? order : compare(a->place, b->place);
}

static bool pair_up(struct pairs *p)
{
    size_t i = 0, pairs = 0;
    nadi_map64_init(&p->partner, p->ends.count);
    if (p->ends.count == 0)
        return false;
    qsort(p->ends.items, p->ends.count, sizeof(*p->ends.items), by_key_and_place);
    while (i < p->ends.count) {
        const struct end *first = &p->ends.items[i];
        size_t same = 1;
        while (i + same < p->ends.count && by_key(first, first + same) == 0)
            same++;
        if (same == 2 && first[0].is_send != first[1].is_send) {
            nadi_map64_put(&p->partner, first[0].place, (uint32_t)i + 1, NULL);
            nadi_map64_put(&p->partner, first[1].place, (uint32_t)i, NULL);
            pairs++;
        }
        i += same;
    }
    return pairs > 0;
}

static const struct end *partner_of(const struct pairs *p, struct place at)
{
    enum nadi_node_type type = (enum nadi_node_type)p->in->owned[at.trace]->type[at.node];
    if (type != NADI_NODE_SEND && type != NADI_NODE_RECV)
        return NULL;
    uint32_t i = nadi_map64_find(&p->partner, (uint64_t)at.trace << 32 | at.node);
    return i == NADI_NONE ? NULL : &p->ends.items[i];
}

static void wait_less(struct pairs *p, struct place at)
{
    if (--p->waiting[at.trace][at.node] == 0)
        NADI_PUSH(&p->ready, at);
}

static void start_trace(struct pairs *p, uint32_t trace)
{
    const struct nadi_trace *t = p->in->owned[trace];
    p->waiting[trace] = NADI_NEW(uint32_t, t->node_count);
    p->end_ns[trace] = NADI_ZNEW(uint64_t, t->node_count);
    p->tail_ns[trace] = NADI_ZNEW(uint64_t, t->node_count);
    for (uint32_t node = 0; node < t->node_count; node++) {
        struct place at = {trace, node};
        bool paired_receive = t->type[node] == NADI_NODE_RECV && partner_of(p, at);
        p->waiting[trace][node] = t->dep_start[node + 1] - t->dep_start[node] + paired_receive;
        if (p->waiting[trace][node] == 0)
            NADI_PUSH(&p->ready, at);
    }
}

static void start(struct pairs *p)
{
    uint32_t count = p->in->owned_count;
    p->waiting = NADI_NEW(uint32_t *, count);
    p->end_ns = NADI_NEW(uint64_t *, count);
    p->tail_ns = NADI_NEW(uint64_t *, count);
    for (uint32_t i = 0; i < count; i++)
        start_trace(p, i);
}

static uint64_t least_of(const struct pairs *p, struct place at)
{
    const struct nadi_trace *t = p->in->owned[at.trace];
    uint32_t rank = p->only_rank[at.trace];
    if (t->type[at.node] != NADI_NODE_COLL)
        return nadi_lower_bound_node(p->bounds, t, at.node, rank);
    uint32_t group = nadi_lower_bounds_group(p->bounds, t, at.node, rank);
    return nadi_lower_bound_collective(p->bounds, t, at.node, group).own;
}

/* The receive that a paired send is for. */
static bool receive_of(const struct pairs *p, struct place at, struct place *receive)
{
    const struct end *partner = partner_of(p, at);
    if (!partner || partner->is_send)
        return false;
    *receive = (struct place){(uint32_t)(partner->place >> 32), (uint32_t)partner->place};
    return true;
}

static uint64_t begin_of(const struct pairs *p, struct place at)
{
    const struct nadi_trace *t = p->in->owned[at.trace];
    uint64_t begin = 0;
    for (uint32_t i = t->dep_start[at.node]; i < t->dep_start[at.node + 1]; i++)
        begin = nadi_max_u64(begin, p->end_ns[at.trace][t->deps[i]]);
    return begin;
}

/* All that the node waits for is known. */
static void pass(struct pairs *p, struct place at)
{
    const struct nadi_trace *t = p->in->owned[at.trace];
    uint64_t *end_ns = &p->end_ns[at.trace][at.node];
    struct place receive;
    *end_ns = nadi_max_u64(*end_ns, nadi_count_add(begin_of(p, at), least_of(p, at)));
    if (receive_of(p, at, &receive)) { /* a send ends when its message arrives */
        p->end_ns[receive.trace][receive.node] = *end_ns;
        wait_less(p, receive);
    }
    for (uint32_t i = t->child_start[at.node]; i < t->child_start[at.node + 1]; i++)
        wait_less(p, (struct place){at.trace, t->children[i]});
    NADI_PUSH(&p->order, at);
}

/* The same backwards: all that waits for the node is known. */
static void pass_back(struct pairs *p, struct place at)
{
    const struct nadi_trace *t = p->in->owned[at.trace];
    struct place receive;
    uint64_t tail = 0;
    if (receive_of(p, at, &receive))
        tail = p->tail_ns[receive.trace][receive.node];
    for (uint32_t i = t->child_start[at.node]; i < t->child_start[at.node + 1]; i++) {
        struct place child = {at.trace, t->children[i]};
        tail = nadi_max_u64(tail,
                            nadi_count_add(least_of(p, child), p->tail_ns[at.trace][child.node]));
    }
    p->tail_ns[at.trace][at.node] = tail;
}

/* What runs one after another on the rank's compute slot cannot begin before the first of it may,
 * and the shortest tail of it still follows. */
static uint64_t slot_bound(const struct pairs *p, uint32_t trace)
{
    const struct nadi_trace *t = p->in->owned[trace];
    uint64_t head = UINT64_MAX, tail = UINT64_MAX, sum = 0;
    for (uint32_t node = 0; node < t->node_count; node++) {
        struct place at = {trace, node};
        if (t->type[node] != NADI_NODE_COMP || (t->flags[node] & NADI_NODE_IS_CPU))
            continue;
        head = nadi_min_u64(head, begin_of(p, at));
        tail = nadi_min_u64(tail, p->tail_ns[trace][node]);
        sum = nadi_count_add(sum, least_of(p, at));
    }
    return sum ? nadi_count_add(head, nadi_count_add(sum, tail)) : 0;
}

static void release(struct pairs *p)
{
    for (uint32_t i = 0; p->waiting && i < p->in->owned_count; i++) {
        nadi_mem_free(p->waiting[i]);
        nadi_mem_free(p->end_ns[i]);
        nadi_mem_free(p->tail_ns[i]);
    }
    nadi_mem_free(p->waiting);
    nadi_mem_free(p->end_ns);
    nadi_mem_free(p->tail_ns);
    nadi_mem_free(p->order.items);
    nadi_mem_free(p->ready.items);
    nadi_mem_free(p->ends.items);
    nadi_map64_release(&p->partner);
    nadi_map64_release(&p->peers);
    nadi_mem_free(p->first);
    nadi_mem_free(p->users);
}

uint64_t nadi_pairs_bound(const struct nadi_inputs *in, struct nadi_lower_bounds *bounds,
                          const uint32_t *only_rank, const uint32_t *trace_of)
{
    struct pairs p = {.in = in, .bounds = bounds, .only_rank = only_rank, .trace_of = trace_of};
    uint64_t longest = 0;
    if (in->custom_count > 0) /* their messages share the tags */
        return 0;
    nadi_map64_init(&p.peers, 64);
    find_users(&p);
    for (uint32_t i = 0; i < in->owned_count; i++)
        gather(&p, i);
    if (pair_up(&p)) {
        start(&p);
        while (p.ready.count)
            pass(&p, p.ready.items[--p.ready.count]);
        for (size_t i = p.order.count; i-- > 0;)
            pass_back(&p, p.order.items[i]);
        for (size_t i = 0; i < p.order.count; i++) {
            struct place at = p.order.items[i];
            longest = nadi_max_u64(longest, p.end_ns[at.trace][at.node]);
        }
        for (uint32_t i = 0; i < in->owned_count; i++)
            if (p.first[i] < p.first[i + 1]) /* else nobody runs it */
                longest = nadi_max_u64(longest, slot_bound(&p, i));
    }
    release(&p);
    return longest;
}
