#include "why/times.h"

#include "base/guard.h"
#include "base/mem.h"
#include "base/search.h"
#include "collective/plan.h"
#include "platform/topology.h"
#include "why/inside.h"

/* Is the node a collective that its members carry out together? */
static bool times_joint(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t node)
{
    enum nadi_native_kind kind;
    return t->type[node] == NADI_NODE_COLL && !in->system.replay_only &&
           nadi_native_in(in->system.native, (enum nadi_collective_kind)t->collective[node], &kind);
}

/* Of ranks that share their times the first one has them. */
static void find_homes(struct nadi_times *t, struct nadi_arena *arena)
{
    const struct nadi_result *r = t->r;
    uint32_t *first = NADI_NEW(uint32_t, r->class_count);
    memset(first, 0xff, r->class_count * sizeof(*first));
    t->home = NADI_ARENA_NEW(arena, uint32_t, r->rank_count);
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        uint32_t class = t->by_class ? r->class_of[rank] : rank;
        if (t->by_class && first[class] == NADI_NONE)
            first[class] = rank;
        t->home[rank] = t->by_class ? first[class] : rank;
    }
    nadi_mem_free(first);
}

static void place_nodes(struct nadi_times *t, struct nadi_arena *arena)
{
    const struct nadi_result *r = t->r;
    uint64_t count = 0;
    t->first = NADI_ARENA_NEW(arena, uint64_t, r->rank_count);
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        t->first[rank] = t->home[rank] == rank ? count : t->first[t->home[rank]];
        if (t->home[rank] == rank)
            count += t->in->traces[rank]->node_count;
    }
    t->count = count;
    t->nodes = NADI_ARENA_NEW(arena, struct nadi_node_time, count);
    t->order = NADI_ARENA_NEW(arena, uint32_t, count);
    t->op = NADI_ARENA_NEW(arena, uint32_t, count);
    t->flow = NADI_ARENA_NEW(arena, uint32_t, count);
    t->done = NADI_ARENA_ZNEW(arena, uint32_t, r->rank_count);
    for (uint64_t i = 0; i < count; i++) {
        t->nodes[i] = (struct nadi_node_time){0, UINT64_MAX, UINT64_MAX};
        t->op[i] = t->flow[i] = NADI_NONE;
    }
}

static void take_spans(struct nadi_times *t)
{
    for (size_t i = 0; i < t->r->span_count; i++) {
        const struct nadi_span *s = &t->r->spans[i];
        uint64_t at = nadi_times_index(t, s->rank, s->node);
        (void)nadi_guard_look();
        t->nodes[at].start_ns = s->start_ns;
        t->nodes[at].end_ns = s->end_ns;
        t->order[t->first[s->rank] + t->done[t->home[s->rank]]++] = s->node;
    }
    for (size_t i = 0; i < t->r->flow_count; i++) {
        const struct nadi_flow *f = &t->r->flows[i];
        t->flow[nadi_times_index(t, f->src, f->send_node)] = (uint32_t)i;
        t->flow[nadi_times_index(t, f->dst, f->recv_node)] = (uint32_t)i;
    }
}

/* Is every executed node recorded, of each rank or of one of each class, and is there room? */
static bool all_there(const struct nadi_inputs *in, const struct nadi_result *r, bool *by_class)
{
    const uint64_t most = UINT64_C(1) << 28;
    uint64_t done = 0, nodes = 0;
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        done += nadi_result_rank(r, rank)->nodes_done;
        nodes += in->traces[rank]->node_count;
    }
    *by_class = false;
    if (done > 0 && done == r->span_count && nodes <= most)
        return true;
    *by_class = r->class_of != NULL;
    done = 0;
    for (uint32_t c = 0; c < r->class_count && *by_class; c++)
        done += r->classes[c].nodes_done;
    return *by_class && done > 0 && done == r->span_count;
}

/* ---- collectives: the k-th of a group on each of its members ------------------------------- */

struct joined {
    uint32_t op;
    struct nadi_collective_member member;
};

struct joining {
    struct nadi_times *times;
    struct of_group {         /* by group */
        uint32_t rank, count; /* collectives of the rank that joins so far */
        struct whole {
            uint32_t number;
            uint32_t op; /* of cell 0; NADI_NONE: none yet */
        } * items;       /* by sequence */
        size_t whole_count, capacity;
    } * groups;
    uint32_t whole_count;
    struct nadi_map64 cells; /* number << 32 | cell -> op, of other cells */
    struct nadi_map64 met;   /* group << 32 | home, and group << 32 | NONE: joined already */
    struct {
        uint64_t *items; /* by op: group << 32 | sequence */
        size_t count, capacity;
    } numbers;
    struct {
        struct joined *items;
        size_t count, capacity;
    } joined;
};

struct issued {
    uint64_t start_ns;
    uint32_t node;
};

static int by_issue(const void *a, const void *b)
{
    const struct issued *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* A collective of all ranks in some dimensions only is one of its own for each place in the others:
 * a number of that place. */
static uint32_t cell_of(const struct nadi_inputs *in, uint32_t rank, uint32_t node)
{
    const struct nadi_topology *topology = &in->topology;
    struct nadi_plan plan;
    uint32_t cell = 0, dims = 0;
    if (!nadi_inside_plan(in, rank, node, &plan) || !plan.world)
        return 0;
    for (uint32_t i = 0; i < plan.phase_count; i++) {
        if (plan.phases[i].n == topology->npu_count || plan.phases[i].spans_all)
            return 0;
        dims |= 1U << plan.phases[i].dim;
    }
    for (uint32_t d = 0; d < topology->dim_count; d++)
        if (!(dims >> d & 1))
            cell = cell * topology->dims[d].npus + nadi_topology_coordinate(topology, rank, d);
    return cell;
}

/* Can a collective leave a dimension out? */
static bool may_have_cells(const struct nadi_inputs *in, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = in->traces[rank];
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    enum nadi_native_kind kind;
    if (!comm || in->topology.dim_count < 2 ||
        !nadi_native_in(in->system.native, (enum nadi_collective_kind)t->collective[node], &kind))
        return false;
    uint32_t all = (1U << in->topology.dim_count) - 1;
    return (comm->involved & all) != all || in->system.native[kind].count < in->topology.dim_count;
}

/* How many collectives of the group the rank has had before this one. */
static uint32_t next_of(struct of_group *g, uint32_t rank)
{
    if (g->rank != rank) {
        g->rank = rank;
        g->count = 0;
    }
    return g->count++;
}

/* The collective of a place: nearly all have cell 0. */
static uint32_t op_of(struct joining *j, uint32_t group, uint32_t sequence, uint32_t cell)
{
    struct of_group *g = &j->groups[group];
    while (g->whole_count <= sequence) {
        if (g->whole_count == g->capacity)
            g->items = nadi_mem_grow(g->items, &g->capacity, g->whole_count + 1, sizeof(*g->items));
        g->items[g->whole_count++] = (struct whole){j->whole_count++, NADI_NONE};
    }
    uint32_t *op = &g->items[sequence].op;
    bool added = *op == NADI_NONE;
    if (cell)
        op = nadi_map64_put(&j->cells, (uint64_t)g->items[sequence].number << 32 | cell,
                            j->times->op_count, &added);
    if (added) {
        NADI_PUSH(&j->numbers, (uint64_t)group << 32 | sequence);
        *op = j->times->op_count++;
    }
    return *op;
}

/* only: NADI_NONE, or the one group that is asked about. */
static void join(struct joining *j, uint32_t rank, uint32_t node, uint32_t only)
{
    struct nadi_times *t = j->times;
    const struct nadi_group *g = nadi_inputs_group(t->in, t->in->traces[rank], node, rank);
    if (!g || (only != NADI_NONE && g != &t->in->groups.items[only]))
        return;
    const uint32_t group = (uint32_t)(g - t->in->groups.items);
    const uint32_t sequence = next_of(&j->groups[group], rank);
    const uint32_t cell =
        g->is_world && may_have_cells(t->in, rank, node) ? cell_of(t->in, rank, node) : 0;
    const uint32_t op = op_of(j, group, sequence, cell);
    uint64_t at = nadi_times_index(t, rank, node);
    struct joined one = {op, {t->nodes[at].start_ns, rank, node}};
    NADI_PUSH(&j->joined, one);
    if (t->home[rank] == rank)
        t->op[at] = op;
}

static void join_rank(struct joining *j, uint32_t rank, uint32_t only)
{
    struct nadi_times *t = j->times;
    const struct nadi_trace *trace = t->in->traces[rank];
    struct issued *list = NADI_NEW(struct issued, nadi_times_done(t, rank));
    uint32_t count = 0;
    for (uint32_t i = 0; i < nadi_times_done(t, rank); i++) {
        uint32_t node = t->order[t->first[rank] + i];
        if (times_joint(t->in, trace, node))
            list[count++] =
                (struct issued){t->nodes[nadi_times_index(t, rank, node)].start_ns, node};
    }
    qsort(list, count, sizeof(*list), by_issue);
    for (uint32_t i = 0; i < count; i++)
        join(j, rank, list[i].node, only);
    nadi_mem_free(list);
}

/* One rank of each other class in the group. */
static void join_classes(struct joining *j, uint32_t group)
{
    struct nadi_times *t = j->times;
    const struct nadi_group *g = &t->in->groups.items[group];
    bool added;
    (void)nadi_map64_put(&j->met, (uint64_t)group << 32 | NADI_NONE, 0, &added);
    for (uint32_t i = 0; i < g->size && added; i++) {
        uint32_t rank = nadi_group_member(g, i), home = t->home[rank];
        bool first;
        (void)nadi_map64_put(&j->met, (uint64_t)group << 32 | home, 0, &first);
        if (first && nadi_group_sorted_position(g, home) == NADI_NONE)
            join_rank(j, rank, group); /* else the class's own rank is a member and joins */
    }
}

static void join_all(struct joining *j)
{
    struct nadi_times *t = j->times;
    for (uint32_t rank = 0; rank < t->r->rank_count; rank++)
        if (t->home[rank] == rank)
            join_rank(j, rank, NADI_NONE);
    size_t own = j->joined.count;
    for (size_t i = 0; i < own && t->by_class; i++) {
        const struct nadi_collective_member *m = &j->joined.items[i].member;
        const struct nadi_group *g =
            nadi_inputs_group(t->in, t->in->traces[m->rank], m->node, m->rank);
        join_classes(j, (uint32_t)(g - t->in->groups.items));
    }
}

static int by_start(const void *a, const void *b)
{
    const struct nadi_collective_member *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void list_members(const struct joining *j, struct nadi_arena *arena)
{
    struct nadi_times *t = j->times;
    t->member_start = NADI_ARENA_ZNEW(arena, uint32_t, t->op_count + 1);
    for (size_t i = 0; i < j->joined.count; i++)
        t->member_start[j->joined.items[i].op + 1]++;
    for (uint32_t op = 0; op < t->op_count; op++)
        t->member_start[op + 1] += t->member_start[op];
    t->members = NADI_ARENA_NEW(arena, struct nadi_collective_member, j->joined.count);
    t->number = NADI_ARENA_NEW(arena, uint64_t, t->op_count);
    for (uint32_t op = 0; op < t->op_count; op++)
        t->number[op] = j->numbers.items[op];
    uint32_t *at = NADI_NEW(uint32_t, t->op_count);
    memcpy(at, t->member_start, t->op_count * sizeof(*at));
    for (size_t i = 0; i < j->joined.count; i++)
        t->members[at[j->joined.items[i].op]++] = j->joined.items[i].member;
    nadi_mem_free(at);
    for (uint32_t op = 0; op < t->op_count; op++) {
        (void)nadi_guard_look();
        qsort(t->members + t->member_start[op], t->member_start[op + 1] - t->member_start[op],
              sizeof(*t->members), by_start);
    }
}

uint32_t nadi_times_last(const struct nadi_times *t, uint64_t at)
{
    const uint32_t op = t->op[at], first = t->member_start[op];
    const uint64_t start = t->nodes[at].start_ns, end = t->nodes[at].end_ns;
    NADI_BISECT(uint32_t, after, first, t->member_start[op + 1], i, t->members[i].start_ns < end);
    if (after == first || t->members[after - 1].start_ns <= start)
        return NADI_NONE;
    return after - 1;
}

bool nadi_times_open(struct nadi_times *t, const struct nadi_inputs *in,
                     const struct nadi_result *r, struct nadi_arena *arena)
{
    *t = (struct nadi_times){.in = in, .r = r};
    if (!all_there(in, r, &t->by_class))
        return false;
    find_homes(t, arena);
    place_nodes(t, arena);
    take_spans(t);
    struct joining j = {.times = t};
    nadi_map64_init(&j.cells, 0);
    nadi_map64_init(&j.met, 0);
    j.groups = NADI_ZNEW(struct of_group, in->groups.count);
    for (size_t i = 0; i < in->groups.count; i++)
        j.groups[i].rank = NADI_NONE;
    join_all(&j);
    list_members(&j, arena);
    nadi_map64_release(&j.cells);
    nadi_map64_release(&j.met);
    for (size_t i = 0; i < in->groups.count; i++)
        nadi_mem_free(j.groups[i].items);
    nadi_mem_free(j.groups);
    nadi_mem_free(j.joined.items);
    nadi_mem_free(j.numbers.items);
    return true;
}
