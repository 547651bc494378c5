#include "collective/plan.h"

#include "base/arena.h"
#include "collective/algorithms/algorithms.h"
#include "collective/chunks.h"
#include "collective/nodes.h"

#include <math.h>

bool nadi_native_kind_of(enum nadi_collective_kind kind, enum nadi_native_kind *native)
{
#define ROW(kind, word) [NADI_##kind] = NADI_NATIVE_##kind,
    static const enum nadi_native_kind natives[NADI_COLLECTIVE_KINDS] = {
        NADI_NATIVE_DIMS(ROW) NADI_NATIVE_OTHERS(ROW) /* and as its like: */
            [NADI_REDUCE_SCATTER_BLOCK] = NADI_NATIVE_REDUCE_SCATTER};
#undef ROW
    if (kind >= NADI_COLLECTIVE_KINDS)
        return false;
    *native = natives[kind];
    return true;
}

bool nadi_native_in(const struct nadi_implementation *native, enum nadi_collective_kind kind,
                    enum nadi_native_kind *found)
{
    return nadi_native_kind_of(kind, found) &&
           (kind != NADI_BROADCAST || native[NADI_NATIVE_BROADCAST].count > 0);
}

/* The chunk rule alone: bytes of each chunk and their number; also for custom collectives. */
static uint64_t plan_chunks(enum nadi_native_kind kind, uint64_t bytes, uint32_t splits,
                            uint32_t rank_count, uint64_t *chunk_bytes)
{
    uint64_t chunk = bytes / splits;
    if (kind == NADI_NATIVE_ALL_GATHER) {
        if (chunk == 0) /* fewer bytes than chunks: one byte each; the reference loops for ever */
            chunk = 1;
    } else if (chunk < rank_count) {
        chunk = rank_count;
        bytes = (uint64_t)splits * rank_count;
    }
    *chunk_bytes = chunk;
    return bytes / chunk + (bytes % chunk != 0);
}

/* Chunks of equal size but the last one; empty collectives have one empty chunk. */
static uint64_t exact_chunks(uint64_t bytes, uint32_t splits, uint64_t *chunk_bytes)
{
    const uint64_t chunk = bytes / splits + (bytes % splits != 0);
    *chunk_bytes = chunk;
    return chunk ? bytes / chunk + (bytes % chunk != 0) : 1;
}

/* Chunks of the reference's least size, without its further full one. */
static uint64_t even_chunks(enum nadi_native_kind kind, uint64_t bytes, uint32_t splits,
                            uint32_t rank_count, uint64_t *chunk_bytes)
{
    const uint64_t count = exact_chunks(bytes, splits, chunk_bytes);
    if (kind != NADI_NATIVE_ALL_GATHER && *chunk_bytes < rank_count)
        *chunk_bytes = rank_count;
    return count;
}

static uint64_t chunks_of(const struct nadi_plan_request *q, uint64_t *chunk_bytes)
{
    if (q->exact)
        return exact_chunks(q->bytes, q->splits, chunk_bytes);
    return (q->even ? even_chunks : plan_chunks)(q->kind, q->bytes, q->splits,
                                                 q->topology->npu_count, chunk_bytes);
}

bool nadi_algorithm_can_run(enum nadi_algorithm algorithm, enum nadi_phase_op op, uint32_t n)
{
    bool power_of_two = (n & (n - 1)) == 0;
    if (algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
        return power_of_two;
    if (algorithm != NADI_ALGORITHM_HALVING_DOUBLING)
        return true;
    if (op == NADI_PHASE_ALL_TO_ALL)
        return false;
    if (op != NADI_PHASE_ALL_GATHER)
        return power_of_two;
    for (uint32_t reach = n / 2; reach > 0; reach /= 2)
        if (n % (2 * reach) != 0)
            return false;
    return true;
}

/* Fills the step counts and sizes of a phase whose algorithm, op, n, bytes and local are set. */
static bool finish_phase(struct nadi_phase *p, uint32_t window)
{
    uint64_t n = p->n, sends = 0;
    p->log2_n = nadi_floor_log2(p->n);
    p->message_bytes = p->op == NADI_PHASE_ALL_GATHER ? p->bytes : p->bytes / n;
    p->first = 1;
    switch (p->algorithm) {
    case NADI_ALGORITHM_RING:
        p->rest = p->n - 1;
        sends = p->op == NADI_PHASE_ALL_REDUCE   ? 2 * (n - 1)
                : p->op == NADI_PHASE_ALL_TO_ALL ? n * (n - 1) / 2
                                                 : n - 1;
        break;
    case NADI_ALGORITHM_DIRECT: {
        uint64_t first = window && window < n - 1 ? window : n - 1;
        uint64_t rest = p->local ? (n - 1) * first : first;
        if (rest > UINT32_MAX / 2) /* longer than any run of packets: the exact value is unseen */
            rest = UINT32_MAX / 2;
        p->first = (uint32_t)first;
        p->rest = (uint32_t)rest;
        sends = p->op == NADI_PHASE_ALL_REDUCE ? 2 * (n - 1) : n - 1;
        break;
    }
    case NADI_ALGORITHM_HALVING_DOUBLING:
        p->rest = p->log2_n - 1;
        sends = p->op == NADI_PHASE_ALL_REDUCE ? 2 * p->log2_n : p->log2_n;
        break;
    case NADI_ALGORITHM_DOUBLE_BINARY_TREE:
        p->message_bytes = p->bytes;
        break;
    case NADI_ALGORITHM_PROGRAM:
        p->parameter = window;
        break;
    case NADI_ALGORITHM_LIBRARY:
    case NADI_ALGORITHM_NONE:
        NADI_BUG("phase without an algorithm");
    }
    p->sends = (uint32_t)sends;
    return sends < UINT32_MAX - 1;
}

static uint64_t bytes_after(const struct nadi_phase *p)
{
    if (p->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
        return p->bytes;
    if (p->op == NADI_PHASE_REDUCE_SCATTER)
        return p->bytes / p->n;
    if (p->op == NADI_PHASE_ALL_GATHER)
        return p->bytes * p->n;
    return p->bytes;
}

struct builder {
    const struct nadi_plan_request *request;
    struct nadi_phase *phases;
    uint32_t count;
    struct nadi_phase rings[NADI_MAX_DIMS]; /* participating dimensions, ascending */
    uint32_t windows[NADI_MAX_DIMS];
    uint32_t ring_count;
    uint64_t bytes; /* of the chunk so far */
    bool uneven;    /* a share so far was rounded */
    bool ok;
};

static void add(struct builder *b, uint32_t ring, enum nadi_phase_op op, enum nadi_queue_pool pool)
{
    struct nadi_phase *p = &b->phases[b->count++];
    *p = b->rings[ring];
    p->op = op;
    p->pool = pool;
    p->bytes = b->bytes;
    p->exact = b->request->exact;
    b->uneven |= p->exact && op != NADI_PHASE_ALL_GATHER && b->bytes % p->n != 0;
    p->uneven = b->uneven;
    b->ok &= finish_phase(p, b->windows[ring]);
    b->bytes = bytes_after(p);
}

/* In a clique each message has a link of its own. dim: of a ring of the dimensions; NADI_NONE: the
 * members are a group, or all ranks at once. */
static uint32_t window_of(const struct nadi_plan_request *q,
                          const struct nadi_algorithm_choice *choice, uint32_t dim)
{
    const struct nadi_topology *t = q->topology;
    if (!choice->one_by_one || q->own_window <= choice->window)
        return choice->window;
    if (dim == NADI_NONE)
        dim = t->dim_count == 1
                  ? 0
                  : nadi_topology_only_difference(t, q->group->members, q->group->size);
    const bool own = dim != NADI_NONE && t->dims[dim].kind == NADI_DIM_FULLY_CONNECTED;
    return own ? q->own_window : choice->window;
}

static void add_rings_of_world(struct builder *b)
{
    const struct nadi_plan_request *q = b->request;
    const struct nadi_topology *t = q->topology;
    bool all = !q->group->is_world; /* a group of all ranks: involved_dim is not looked at */
    for (uint32_t d = 0; d < q->implementation->count && d < t->dim_count; d++) {
        const struct nadi_algorithm_choice *choice = &q->implementation->dims[d];
        uint32_t n = choice->flat ? t->npu_count : t->dims[d].npus;
        if (n > 1 && (all || q->involved >> d & 1)) {
            b->windows[b->ring_count] = window_of(q, choice, choice->flat ? NADI_NONE : d);
            b->rings[b->ring_count++] = (struct nadi_phase){
                .algorithm = choice->algorithm,
                .program = choice->program,
                .table = choice->table,
                .wire = choice->wire,
                .overhead_ns = choice->overhead_ns,
                .spans_all = choice->flat,
                .dim = d,
                .n = n,
                .stride = choice->flat ? 1 : t->stride[d],
            };
        }
        if (choice->flat)
            break;
    }
}

bool nadi_group_is_wide(const struct nadi_topology *t, const struct nadi_group *g)
{
    return g->size > 1 && g->size < t->npu_count && t->dim_count > 1 &&
           nadi_topology_only_difference(t, g->members, g->size) == NADI_NONE;
}

bool nadi_plan_may_be_by_node(const struct nadi_plan_request *q)
{
    const struct nadi_implementation *i = q->implementation;
    const bool ring = i->count != 1 || (i->dims[0].algorithm == NADI_ALGORITHM_RING);
    return q->by_node && ring &&
           (q->kind == NADI_NATIVE_ALL_REDUCE || q->kind == NADI_NATIVE_ALL_GATHER ||
            q->kind == NADI_NATIVE_REDUCE_SCATTER) &&
           nadi_group_is_wide(q->topology, q->group);
}

/* Chunks of what goes by node, all together. */
static uint32_t node_chunks_of(const struct nadi_plan_request *q)
{
    const uint32_t chunks = q->node_chunks ? q->node_chunks : q->splits;
    return q->bytes > chunks ? chunks : 1;
}

static uint32_t active_of(const struct nadi_plan_request *q, uint32_t chunks)
{
    const uint32_t active = q->active ? q->active : 1;
    return active < chunks ? active : chunks;
}

/* Of each chunk; 0: it does not go by node. */
static uint32_t segments_of(const struct nadi_plan_request *q)
{
    struct nadi_arena arena;
    if (!nadi_plan_may_be_by_node(q))
        return 0;
    nadi_arena_init(&arena);
    const uint32_t chunks = node_chunks_of(q);
    const struct nadi_nodes_case c = {
        .topology = q->topology,
        .nodes = nadi_nodes_find(q->topology, q->group->members, q->group->size, &arena),
        .ranks = q->group->members,
        .kind = q->kind,
        .bytes = q->bytes,
        .chunks = chunks,
        .active = q->active ? q->active : 1,
        .flat_chunks = nadi_plan_splits(q),
        .endpoint_ns = q->endpoint_ns,
        .local_mem_bw = q->local_mem_bw,
        .graph = q->graph,
        .routing = q->routing,
    };
    const uint32_t segments = c.nodes ? nadi_nodes_segments(&c) : 0;
    nadi_arena_release(&arena);
    return segments;
}

bool nadi_plan_is_by_node(const struct nadi_plan_request *q)
{
    return segments_of(q) > 0;
}

static void add_ring_of_group(struct builder *b)
{
    const struct nadi_implementation *i = b->request->implementation;
    uint32_t n = b->request->group->size;
    if (n < 2)
        return;
    b->windows[0] = i->count == 1 ? window_of(b->request, &i->dims[0], NADI_NONE) : 0;
    b->rings[b->ring_count++] = (struct nadi_phase){
        .algorithm = i->count == 1 ? i->dims[0].algorithm : NADI_ALGORITHM_RING,
        .program = i->count == 1 ? i->dims[0].program : NULL,
        .table = i->count == 1 ? i->dims[0].table : NULL,
        .wire = i->count == 1 ? i->dims[0].wire : NADI_WIRE_SIMPLE,
        .overhead_ns = i->count == 1 ? i->dims[0].overhead_ns : 0,
        .dim = 0,
        .n = n,
        .stride = 1,
        .local = true,
    };
    if (b->request->segments > 0) {
        b->windows[0] = b->request->segments;
        b->rings[0].algorithm = NADI_ALGORITHM_PROGRAM;
        b->rings[0].program = &nadi_algorithm_by_node;
    }
}

static void add_all_reduce(struct builder *b)
{
    uint32_t last = b->ring_count - 1;
    if (!b->request->local_bw_aware) {
        for (uint32_t i = 0; i <= last; i++)
            add(b, i, NADI_PHASE_ALL_REDUCE, NADI_POOL_ANY);
        return;
    }
    for (uint32_t i = 0; i < last; i++)
        add(b, i, NADI_PHASE_REDUCE_SCATTER, NADI_POOL_FIRST);
    add(b, last, NADI_PHASE_ALL_REDUCE, NADI_POOL_FIRST);
    for (uint32_t i = last; i-- > 0;)
        add(b, i, NADI_PHASE_ALL_GATHER, NADI_POOL_LAST);
}

/* The kind that a program of the system file's collective does. */
static enum nadi_collective_kind other_kind(enum nadi_native_kind kind)
{
#define ROW(kind, word) [NADI_NATIVE_##kind] = NADI_##kind,
    static const enum nadi_collective_kind kinds[NADI_NATIVE_KINDS] = {
        NADI_NATIVE_DIMS(ROW) NADI_NATIVE_OTHERS(ROW)[NADI_NATIVE_ALL_TO_ALL_V] = NADI_ALL_TO_ALL};
#undef ROW
    return kinds[kind];
}

/* Puts the rings in `order`, as they are visited in ascending phases. */
static void reorder(struct builder *b, const uint8_t *order)
{
    struct builder old = *b;
    bool descending = b->request->kind == NADI_NATIVE_ALL_GATHER;
    for (uint32_t i = 0; i < b->ring_count; i++) {
        uint32_t from = order[descending ? b->ring_count - 1 - i : i];
        b->rings[i] = old.rings[from];
        b->windows[i] = old.windows[from];
    }
}

static bool make_phases(const struct nadi_plan_request *request, bool world, uint64_t bytes,
                        const uint8_t *order, struct nadi_phase *phases, uint32_t *count)
{
    struct builder b = {.request = request, .phases = phases, .bytes = bytes, .ok = true};
    *count = 0;
    if (world)
        add_rings_of_world(&b);
    else
        add_ring_of_group(&b);
    if (b.ring_count == 0)
        return true;
    if (order)
        reorder(&b, order);
    switch (request->kind) {
    case NADI_NATIVE_ALL_REDUCE:
        add_all_reduce(&b);
        break;
    case NADI_NATIVE_ALL_GATHER:
        for (uint32_t i = b.ring_count; i-- > 0;)
            add(&b, i, NADI_PHASE_ALL_GATHER, NADI_POOL_ANY);
        break;
    case NADI_NATIVE_REDUCE_SCATTER:
        for (uint32_t i = 0; i < b.ring_count; i++)
            add(&b, i, NADI_PHASE_REDUCE_SCATTER, NADI_POOL_ANY);
        break;
    case NADI_NATIVE_ALL_TO_ALL:
        for (uint32_t i = 0; i < b.ring_count; i++)
            add(&b, i, NADI_PHASE_ALL_TO_ALL, NADI_POOL_ANY);
        break;
    case NADI_NATIVE_BROADCAST:
    case NADI_NATIVE_REDUCE:
    case NADI_NATIVE_GATHER:
    case NADI_NATIVE_SCATTER:
    case NADI_NATIVE_BARRIER:
    case NADI_NATIVE_ALL_TO_ALL_V:
        add(&b, 0, NADI_PHASE_OTHER, NADI_POOL_ANY);
        phases[0].kind = other_kind(request->kind);
        phases[0].root = request->root;
        break;
    case NADI_NATIVE_KINDS:
        NADI_BUG("not a kind");
    }
    *count = b.count;
    return b.ok;
}

static bool is_library(const struct nadi_implementation *i)
{
    return i->count > 0 && i->dims[0].algorithm == NADI_ALGORITHM_LIBRARY;
}

/* Chunks of a batch pass a phase at once. */
uint32_t nadi_plan_splits(const struct nadi_plan_request *asked)
{
    struct nadi_plan_request q = *asked;
    struct nadi_phase phases[NADI_MAX_PHASES];
    const bool world = q.group->size == q.topology->npu_count;
    const uint32_t active = active_of(&q, q.splits);
    uint32_t count, best = asked->splits;
    double least = HUGE_VAL;
    if (!asked->soonest || asked->splits == 1 || is_library(asked->implementation))
        return asked->splits;
    for (uint32_t batches = (q.splits + active - 1) / active; batches > 0; batches /= 2) {
        uint64_t chunk_bytes;
        q.splits = batches * active < asked->splits ? batches * active : asked->splits;
        (void)chunks_of(&q, &chunk_bytes);
        if (!make_phases(&q, world, chunk_bytes, NULL, phases, &count))
            return asked->splits;
        const double ns = nadi_chunks_ns(&q, phases, count, batches, active);
        if (ns > least || !(ns >= 0))
            continue;
        least = ns;
        best = q.splits;
    }
    return best;
}

/* One chunk, one phase: the library cuts and pipelines by itself. */
static void make_library_plan(const struct nadi_plan_request *request, struct nadi_plan *plan)
{
    plan->world = request->group->size == request->topology->npu_count;
    plan->chunk_bytes = request->bytes;
    plan->chunk_count = 1;
    plan->phase_count = request->group->size > 1;
    plan->phases[0] = (struct nadi_phase){
        .algorithm = NADI_ALGORITHM_LIBRARY,
        .op = NADI_PHASE_OTHER,
        .n = request->group->size,
        .stride = 1,
        .bytes = request->bytes,
        .exact = true,
    };
}

bool nadi_plan_make(const struct nadi_plan_request *asked, struct nadi_plan *plan)
{
    struct nadi_plan_request whole = *asked;
    const struct nadi_plan_request *request = &whole;
    if (!nadi_native_takes_dims(asked->kind)) { /* the reference has no rounding for them */
        whole.exact = true;
        whole.involved = UINT32_MAX;
    }
    whole.segments = segments_of(asked); /* by node what would wait overlaps */
    whole.splits =
        whole.segments > 0 ? active_of(asked, node_chunks_of(asked)) : nadi_plan_splits(&whole);
    *plan = (struct nadi_plan){0};
    if (is_library(request->implementation)) {
        make_library_plan(request, plan);
        return true;
    }
    const uint64_t chunks = chunks_of(request, &plan->chunk_bytes);
    plan->chunk_count = (uint32_t)chunks;
    plan->world = request->group->size == request->topology->npu_count;
    if (chunks == 0 || chunks > UINT32_MAX)
        return chunks == 0;
    if (!make_phases(request, plan->world, plan->chunk_bytes, NULL, plan->phases,
                     &plan->phase_count))
        return false;
    const uint64_t last = request->bytes - (chunks - 1) * plan->chunk_bytes;
    if (!request->exact || last == plan->chunk_bytes)
        return true;
    uint32_t count;
    plan->has_tail = true;
    return make_phases(request, plan->world, last, NULL, plan->tail, &count);
}

bool nadi_plan_ordered(const struct nadi_plan_request *request, uint64_t bytes,
                       const uint8_t *order, struct nadi_phase *phases)
{
    uint32_t count;
    return make_phases(request, true, bytes, order, phases, &count);
}
