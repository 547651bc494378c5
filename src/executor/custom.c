/* custom: runs the trace of a custom collective on one member (system-network spec section 11).
 *
 * All ready nodes are issued at once, without resource limits, in the order of the reference's hash
 * sets. The size of the workload's node is ignored. Sends and receives use the point-to-point tags;
 * ranks in the trace are positions in the communicator. */
#include "executor/custom.h"

#include "base/search.h"
#include "executor/hash_order.h"
#include "executor/internal.h"

struct shape { /* issue order of one trace: made once, shared by its runs */
    const struct nadi_trace *trace;
    uint32_t *child_start, *children; /* in the reference's iteration order */
    uint32_t *roots;
    uint32_t root_count;
};

struct run {
    uint32_t next; /* free list */
    uint32_t stream, member, rank, shape;
    uint32_t in_flight;
    uint32_t *waiting_for; /* parents not finished, by node */
    struct nadi_hash_set ready;
};

struct nadi_customs {
    struct nadi_system *system;
    struct {
        struct shape *items;
        size_t count, capacity;
    } shapes;
    NADI_POOL_OF(struct run) runs;
    uint32_t kind_compute;
};

/* The sets of parents and children as the reference builds them, node by node in file order. */
static void build_shape(struct nadi_customs *c, const struct nadi_trace *t, struct shape *shape)
{
    uint32_t n = t->node_count;
    struct nadi_arena *a = &c->system->arena;
    uint32_t *by_file = NADI_NEW(uint32_t, n);
    struct nadi_hash_set *children = NADI_NEW(struct nadi_hash_set, n);
    struct nadi_hash_set all, parents;
    uint64_t *ids = NADI_NEW(uint64_t, n);
    struct nadi_map64 index;
    nadi_map64_init(&index, n);
    nadi_hash_set_init(&all);
    for (uint32_t i = 0; i < n; i++) {
        nadi_hash_set_init(&children[i]);
        by_file[t->file_index[i]] = i;
        nadi_map64_put(&index, t->id[i], i, NULL);
    }
    for (uint32_t f = 0; f < n; f++) {
        uint32_t node = by_file[f];
        nadi_hash_set_init(&parents);
        for (uint32_t d = t->dep_start[node]; d < t->dep_start[node + 1]; d++)
            nadi_hash_set_insert(&parents, t->id[t->deps[d]]);
        nadi_hash_set_insert(&all, t->id[node]);
        uint32_t count = parents.count;
        nadi_hash_set_list(&parents, ids);
        for (uint32_t p = 0; p < count; p++) {
            nadi_hash_set_insert(&all, ids[p]);
            nadi_hash_set_insert(&children[nadi_map64_find(&index, ids[p])], t->id[node]);
        }
        nadi_hash_set_release(&parents);
    }
    nadi_hash_set_list(&all, ids);
    shape->trace = t;
    shape->roots = NADI_ARENA_NEW(a, uint32_t, n);
    shape->root_count = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t node = nadi_map64_find(&index, ids[i]);
        if (t->dep_start[node] == t->dep_start[node + 1])
            shape->roots[shape->root_count++] = node;
    }
    shape->child_start = NADI_ARENA_NEW(a, uint32_t, (size_t)n + 1);
    shape->children = NADI_ARENA_NEW(a, uint32_t, t->child_start[n]);
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        shape->child_start[i] = at;
        nadi_hash_set_list(&children[i], ids);
        for (uint32_t k = 0; k < children[i].count; k++)
            shape->children[at++] = nadi_map64_find(&index, ids[k]);
        nadi_hash_set_release(&children[i]);
    }
    shape->child_start[n] = at;
    nadi_hash_set_release(&all);
    nadi_map64_release(&index);
    nadi_mem_free(children);
    nadi_mem_free(by_file);
    nadi_mem_free(ids);
}

static uint32_t find_shape(struct nadi_customs *c, const struct nadi_trace *t)
{
    for (size_t i = 0; i < c->shapes.count; i++)
        if (c->shapes.items[i].trace == t)
            return (uint32_t)i;
    struct shape shape;
    build_shape(c, t, &shape);
    NADI_PUSH(&c->shapes, shape);
    return (uint32_t)c->shapes.count - 1;
}

static uint32_t node_of_id(const struct nadi_trace *t, uint64_t id)
{
    NADI_BISECT(uint32_t, low, 0, t->node_count, i, t->id[i] < id);
    return low;
}

/* Rank of a position that the trace names. */
static uint32_t peer_rank(struct nadi_system *s, const struct run *r, uint32_t position)
{
    const struct operation *op = &s->operations.items[s->streams.items[r->stream].operation];
    return nadi_group_member(&s->setup.groups->items[op->view.group], position);
}

uint32_t nadi_customs_operation(const struct nadi_system *s, uint32_t run)
{
    return s->streams.items[s->customs->runs.items[run].stream].operation;
}

static uint64_t bytes_of(const struct nadi_system *s, const struct run *r, uint64_t written)
{
    const struct operation *op = &s->operations.items[s->streams.items[r->stream].operation];
    const uint64_t whole = op->custom->bytes;
    if (whole == 0 || whole == op->view.bytes)
        return written;
    const double scaled = (double)written * ((double)op->view.bytes / (double)whole);
    return scaled < 1 ? 1 : nadi_count_round(scaled);
}

static void issue_compute(struct nadi_system *s, uint32_t run, uint32_t node, uint64_t ns)
{
    nadi_engine_schedule(s->engine, nadi_engine_after_ns(s->engine, ns),
                         s->customs->runs.items[run].rank, s->customs->kind_compute, run, node, 0);
}

static void issue(struct nadi_system *s, uint32_t run, uint32_t node)
{
    struct run *r = &s->customs->runs.items[run];
    const struct nadi_trace *t = s->customs->shapes.items[r->shape].trace;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    struct endpoint_pair ends = {
        .src = r->rank, .dst = r->rank, .src_rank = r->rank, .dst_rank = r->rank};
    const uint64_t bytes = bytes_of(s, r, t->bytes[node]);
    r->in_flight++;
    switch ((enum nadi_node_type)t->type[node]) {
    case NADI_NODE_SEND:
        if (nadi_is_most(bytes))
            break;
        ends.dst = ends.dst_rank = peer_rank(s, r, comm->dst);
        nadi_p2p_send(s, &ends, comm->tag, bytes, OWNER_CUSTOM, run, node);
        return;
    case NADI_NODE_RECV:
        if (nadi_is_most(bytes))
            break;
        ends.src = ends.src_rank = peer_rank(s, r, comm->src);
        nadi_p2p_recv(s, &ends, comm->tag, bytes, OWNER_CUSTOM, run, node);
        return;
    case NADI_NODE_COMP:
        issue_compute(s, run, node, t->duration_ns[node] ? t->duration_ns[node] : 1);
        return;
    case NADI_NODE_INVALID:
    case NADI_NODE_METADATA:
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
    case NADI_NODE_COLL:
    case NADI_NODE_TYPES:
        NADI_BUG("custom collective with a node of type %d", (int)t->type[node]);
    }
    issue_compute(s, run, node, NADI_NS_NEVER); /* a message of more bytes than are counted */
}

/* Issues a snapshot of the ready set, in its iteration order. */
static void issue_pass(struct nadi_system *s, uint32_t run)
{
    struct run *r = &s->customs->runs.items[run];
    const struct nadi_trace *t = s->customs->shapes.items[r->shape].trace;
    uint32_t count = r->ready.count;
    uint64_t *ids = NADI_NEW(uint64_t, count);
    nadi_hash_set_list(&r->ready, ids);
    for (uint32_t i = 0; i < count; i++) {
        nadi_hash_set_erase(&r->ready, ids[i]);
        issue(s, run, node_of_id(t, ids[i]));
    }
    nadi_mem_free(ids);
}

void nadi_customs_node_done(struct nadi_system *s, uint32_t run, uint32_t node)
{
    struct run *r = &s->customs->runs.items[run];
    const struct shape *shape = &s->customs->shapes.items[r->shape];
    r->in_flight--;
    for (uint32_t i = shape->child_start[node]; i < shape->child_start[node + 1]; i++) {
        uint32_t child = shape->children[i];
        if (--r->waiting_for[child] == 0)
            nadi_hash_set_insert(&r->ready, shape->trace->id[child]);
    }
    issue_pass(s, run);
    r = &s->customs->runs.items[run];
    if (r->in_flight > 0 || r->ready.count > 0)
        return;
    uint32_t stream = r->stream, member = r->member;
    nadi_mem_free(r->waiting_for);
    r->waiting_for = NULL;
    nadi_hash_set_release(&r->ready);
    NADI_POOL_GIVE(&s->customs->runs, next, run);
    nadi_streams_custom_ended(s, stream, member);
}

static void on_compute(void *context, const struct nadi_event *event)
{
    nadi_customs_node_done(context, event->a, event->b);
}

void nadi_customs_start(struct nadi_system *s, uint32_t stream, uint32_t phase, uint32_t member)
{
    (void)phase;
    struct nadi_customs *c = s->customs;
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    const struct nadi_group *g = &s->setup.groups->items[op->view.group];
    uint32_t rank = g->size == s->rank_count ? member : g->members[member];
    uint32_t position = g->is_world ? rank : nadi_group_sorted_position(g, rank);
    const struct nadi_trace *t = op->custom->by_position[position];
    uint32_t shape = find_shape(c, t), run;
    NADI_POOL_TAKE(&c->runs, next, run);
    struct run *r = &c->runs.items[run];
    *r = (struct run){.stream = stream, .member = member, .rank = rank, .shape = shape};
    r->waiting_for = NADI_NEW(uint32_t, t->node_count);
    for (uint32_t i = 0; i < t->node_count; i++)
        r->waiting_for[i] = t->dep_start[i + 1] - t->dep_start[i];
    nadi_hash_set_init(&r->ready);
    for (uint32_t i = 0; i < c->shapes.items[shape].root_count; i++)
        nadi_hash_set_insert(&r->ready, t->id[c->shapes.items[shape].roots[i]]);
    issue_pass(s, run);
}

struct nadi_customs *nadi_customs_create(struct nadi_system *s)
{
    struct nadi_customs *c = NADI_ZNEW(struct nadi_customs, 1);
    c->system = s;
    c->runs.free = NADI_NONE;
    c->kind_compute = nadi_engine_add_kind(s->engine, on_compute, s);
    return c;
}

void nadi_customs_destroy(struct nadi_customs *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->runs.count; i++) {
        if (!c->runs.items[i].waiting_for)
            continue;
        nadi_mem_free(c->runs.items[i].waiting_for);
        nadi_hash_set_release(&c->runs.items[i].ready);
    }
    nadi_mem_free(c->runs.items);
    nadi_mem_free(c->shapes.items);
    nadi_mem_free(c);
}
