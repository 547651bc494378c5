#include "capture/graph_build.h"

#include "base/mem.h"

struct edge {
    uint32_t node, dep;
    uint8_t kind; /* enum nadi_edge_kind */
};

struct builder {
    struct nadi_built_graph *g;
    const struct nadi_graph_sources *s;
    struct nadi_diags *diags;
    uint32_t *node_of_slice; /* the node that a slice became part of, or NADI_NONE */
    uint32_t *node_of_work;  /* its first node */
    uint32_t *node_of_op;    /* that of its head */
    struct {
        struct edge *items;
        size_t count, capacity;
    } edges;
};

static uint32_t add_node(struct builder *b, struct nadi_built_node n)
{
    NADI_PUSH(&b->g->nodes, n);
    return (uint32_t)b->g->nodes.count - 1;
}

static void add_edge(struct builder *b, uint32_t node, uint32_t dep, enum nadi_edge_kind kind)
{
    struct edge e = {node, dep, (uint8_t)kind};
    if (dep != NADI_NONE && dep != node)
        NADI_PUSH(&b->edges, e);
}

/* --- the processor -----------------------------------------------------------------------------
 */

static bool is_node(const struct builder *b, const struct nadi_time_slice *p)
{
    return p->kind == NADI_SLICE_HEAD || p->kind == NADI_SLICE_WAIT || p->kind == NADI_SLICE_JOIN ||
           p->must || p->own >= b->s->resolution_ns;
}

/* A wait begins to count when what it waits for is over, other slices where the time that is
 * carried to them began. */
static int64_t start_of(const struct nadi_time_slice *p, int64_t carried)
{
    return p->kind == NADI_SLICE_WAIT   ? p->to - p->own
           : p->kind == NADI_SLICE_JOIN ? p->to
                                        : p->from - carried;
}

static uint32_t node_of_op(const struct builder *b, uint32_t op)
{
    return op == NADI_NONE ? NADI_NONE : b->node_of_op[op];
}

/* A thread that is not called by another begins where it did, and goes on where it did after a
 * pause: idle time, which takes nothing of the processor. */
static uint32_t add_idle(struct builder *b, const struct nadi_time_slice *p, int64_t since,
                         uint32_t last)
{
    if (p->after != NADI_NONE || p->from - since < b->s->resolution_ns || p->from <= since)
        return last;
    const struct nadi_built_node n = {.from = since,
                                      .dur = p->from - since,
                                      .slice = NADI_NONE,
                                      .work = NADI_NONE,
                                      .part = NADI_NONE,
                                      .parent = NADI_NONE,
                                      .is_delay = true};
    const uint32_t node = add_node(b, n);
    add_edge(b, node, last, NADI_EDGE_PROGRAM);
    return node;
}

static void add_thread(struct builder *b, const struct nadi_thread *th)
{
    const struct nadi_timeline *t = b->s->timeline;
    uint32_t last = NADI_NONE;
    int64_t since = b->s->delays->begin; /* end of the slice before */
    int64_t carried = 0;                 /* time of slices too short for a node */
    for (uint32_t i = th->first_slice; i < th->first_slice + th->slice_count; i++) {
        const struct nadi_time_slice *p = &t->slices.items[i];
        last = add_idle(b, p, since, last);
        since = p->to;
        if (!is_node(b, p)) {
            carried += p->own;
            b->node_of_slice[i] = last;
            continue;
        }
        bool head = p->kind == NADI_SLICE_HEAD;
        struct nadi_built_node n = {
            .from = start_of(p, carried),
            .dur = p->own + carried,
            .slice = i,
            .work = NADI_NONE,
            .part = NADI_NONE,
            .parent = node_of_op(b, head ? t->ops[p->op].parent : p->op),
        };
        uint32_t node = add_node(b, n);
        carried = 0;
        if (head)
            b->node_of_op[p->op] = node;
        b->node_of_slice[i] = node;
        add_edge(b, node, last, NADI_EDGE_PROGRAM);
        last = node;
    }
    if (carried && last != NADI_NONE)
        b->g->nodes.items[last].dur += carried;
}

static void link_threads(struct builder *b)
{
    const struct nadi_timeline *t = b->s->timeline;
    for (uint32_t i = 0; i < t->slices.count; i++) {
        uint32_t after = t->slices.items[i].after;
        if (after != NADI_NONE && b->node_of_slice[i] != NADI_NONE)
            add_edge(b, b->node_of_slice[i], b->node_of_slice[after], NADI_EDGE_PROGRAM);
    }
}

/* --- the device --------------------------------------------------------------------------------
 */

static struct nadi_built_node work_node(const struct builder *b, uint32_t w, uint32_t part)
{
    const struct nadi_device_work *work = &b->s->device->works[w];
    return (struct nadi_built_node){.from = work->from,
                                    .dur = work->to - work->from,
                                    .slice = NADI_NONE,
                                    .work = w,
                                    .part = part,
                                    .parent = node_of_op(b, work->op)};
}

static void add_delay(struct builder *b, uint32_t work, int64_t ns)
{
    struct nadi_built_node n = work_node(b, work, NADI_NONE);
    n.dur = ns;
    n.from = b->s->delays->from[work];
    n.is_delay = true;
    add_node(b, n);
}

static void add_works(struct builder *b)
{
    const struct nadi_capture_device *d = b->s->device;
    const struct nadi_comm *c = b->s->comm;
    size_t part = 0;
    for (uint32_t w = 0; w < d->work_count; w++) {
        b->node_of_work[w] = (uint32_t)b->g->nodes.count;
        if (b->s->delays->ns[w] > 0)
            add_delay(b, w, b->s->delays->ns[w]);
        bool has_part = part < c->parts.count && c->parts.items[part].work == w;
        if (!has_part)
            add_node(b, work_node(b, w, NADI_NONE));
        for (; part < c->parts.count && c->parts.items[part].work == w; part++)
            add_node(b, work_node(b, w, (uint32_t)part));
    }
    b->node_of_work[d->work_count] = (uint32_t)b->g->nodes.count;
}

/* The nodes that begin a work: what delays it where there is such a node, else all its nodes. */
static uint32_t first_nodes_end(const struct builder *b, uint32_t work)
{
    bool delayed = b->s->delays->ns[work] > 0;
    return delayed ? b->node_of_work[work] + 1 : b->node_of_work[work + 1];
}

static uint32_t last_nodes_begin(const struct builder *b, uint32_t work)
{
    return b->node_of_work[work] + (b->s->delays->ns[work] > 0);
}

/* Every node that begins a work after every node that ends another. */
static void order_works(struct builder *b, uint32_t work, uint32_t after, enum nadi_edge_kind kind)
{
    for (uint32_t n = b->node_of_work[work]; n < first_nodes_end(b, work); n++)
        for (uint32_t m = last_nodes_begin(b, after); m < b->node_of_work[after + 1]; m++)
            add_edge(b, n, m, kind);
}

static struct nadi_place place_of_work(const struct builder *b, uint32_t work)
{
    const struct nadi_kineto *k = b->s->device->kineto;
    const struct nadi_kineto_event *e = &k->events.items[b->s->device->works[work].event];
    struct nadi_place place = NADI_IN_FILE(b->s->path);
    place.node = nadi_arena_printf(&b->diags->arena, "correlation %" PRId64 " \"%.80s\"",
                                   e->correlation, nadi_names_get(&k->names, e->name));
    return place;
}

static bool overlap(const struct nadi_device_work *works, uint32_t before, uint32_t after)
{
    return works[before].to > works[after].from + NADI_CLOCK_SLIP_NS;
}

/* One stream does one thing at a time. Where the profile shows two at once, the later one is tied
 * to what had ended by then instead. */
static void order_stream(struct builder *b, const struct nadi_stream *s)
{
    enum { SHOWN = 5, BACK = 64 };
    const struct nadi_device_work *works = b->s->device->works;
    for (uint32_t w = s->first + 1; w < s->first + s->count; w++) {
        uint32_t before = w - 1, steps = 0;
        if (overlap(works, before, w)) {
            if (b->g->dropped[NADI_EDGE_STREAM]++ < SHOWN)
                nadi_warning(b->diags, "capture/stream-order", place_of_work(b, w),
                             "the two are not ordered in the trace",
                             "begins %.3f us before the work in front of it on stream %" PRId64
                             " has ended",
                             (double)(works[before].to - works[w].from) / 1000, s->number);
            while (steps < BACK && before > s->first && overlap(works, before, w)) {
                before--;
                steps++;
            }
            if (overlap(works, before, w))
                continue;
        }
        order_works(b, w, before, NADI_EDGE_STREAM);
        /* what ran beside that one is over as well */
        for (; steps < BACK && before > s->first && overlap(works, before - 1, before); steps++)
            if (!overlap(works, --before, w))
                order_works(b, w, before, NADI_EDGE_STREAM);
    }
}

static void link_works(struct builder *b)
{
    const struct nadi_capture_device *d = b->s->device;
    const struct nadi_sync *s = b->s->sync;
    for (uint32_t w = 0; w < d->work_count; w++) {
        for (uint32_t n = b->node_of_work[w]; n < first_nodes_end(b, w); n++)
            if (d->works[w].slice != NADI_NONE)
                add_edge(b, n, b->node_of_slice[d->works[w].slice], NADI_EDGE_LAUNCH);
        if (b->s->delays->ns[w] > 0)
            for (uint32_t n = last_nodes_begin(b, w); n < b->node_of_work[w + 1]; n++)
                add_edge(b, n, b->node_of_work[w], NADI_EDGE_STREAM);
    }
    for (uint32_t i = 0; i < d->stream_count; i++)
        order_stream(b, &d->streams[i]);
    for (size_t i = 0; i < s->streams.count; i++)
        order_works(b, s->streams.items[i].node, s->streams.items[i].work, NADI_EDGE_SYNC);
    for (size_t i = 0; i < s->waits.count; i++) {
        uint32_t work = s->waits.items[i].work;
        for (uint32_t m = last_nodes_begin(b, work); m < b->node_of_work[work + 1]; m++)
            add_edge(b, b->node_of_slice[s->waits.items[i].node], m, NADI_EDGE_SYNC);
    }
}

/* --- communication -----------------------------------------------------------------------------
 */

/* Without a device the operator's own time becomes the collective's: its thread goes on when that
 * is over. */
static void add_operator_parts(struct builder *b)
{
    const struct nadi_timeline *t = b->s->timeline;
    const struct nadi_comm *c = b->s->comm;
    for (uint32_t i = 0; i < c->parts.count; i++) {
        const struct nadi_comm_part *p = &c->parts.items[i];
        if (p->work != NADI_NONE || p->type == NADI_NODE_COMP)
            continue;
        const struct nadi_timeline_op *op = &t->ops[p->op];
        uint32_t head = b->node_of_op[p->op], rest = op->head + 1;
        struct nadi_built_node n = {.from = op->from,
                                    .dur = b->g->nodes.items[head].dur,
                                    .slice = NADI_NONE,
                                    .work = NADI_NONE,
                                    .part = i,
                                    .parent = head};
        uint32_t node = add_node(b, n);
        b->g->nodes.items[head].dur = 0;
        add_edge(b, node, head, NADI_EDGE_LAUNCH);
        const struct nadi_thread *th = &t->threads[op->thread];
        while (rest < th->first_slice + th->slice_count && b->node_of_slice[rest] == head)
            rest++;
        if (rest < th->first_slice + th->slice_count)
            add_edge(b, b->node_of_slice[rest], node, NADI_EDGE_SYNC);
    }
}

struct turn { /* a collective of a group */
    uint32_t group, node;
    int64_t from;
};

static int compare_turns(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void order_groups(struct builder *b)
{
    const struct nadi_comm *c = b->s->comm;
    struct turn *turns = NADI_NEW(struct turn, b->g->nodes.count);
    size_t count = 0;
    for (uint32_t i = 0; i < b->g->nodes.count; i++) {
        const struct nadi_built_node *n = &b->g->nodes.items[i];
        if (n->part != NADI_NONE && c->parts.items[n->part].type == NADI_NODE_COLL)
            turns[count++] = (struct turn){c->parts.items[n->part].group, i, n->from};
    }
    qsort(turns, count, sizeof(*turns), compare_turns);
    for (size_t i = 1; i < count; i++)
        if (turns[i].group == turns[i - 1].group)
            add_edge(b, turns[i].node, turns[i - 1].node, NADI_EDGE_GROUP);
    nadi_mem_free(turns);
}

/* --- numbering and edges -----------------------------------------------------------------------
 */

struct rank { /* where a node belongs: by start; the processor before the device */
    int64_t from, end;
    uint32_t node;
    bool device;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->device != y->device)
        return x->device ? 1 : -1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Puts the nodes in order; returns by old index the new one. */
static uint32_t *number_nodes(struct builder *b)
{
    size_t count = b->g->nodes.count;
    struct rank *ranks = NADI_NEW(struct rank, count);
    uint32_t *new_of = NADI_NEW(uint32_t, count);
    struct nadi_built_node *sorted = NADI_NEW(struct nadi_built_node, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct nadi_built_node *n = &b->g->nodes.items[i];
        ranks[i] = (struct rank){n->from, n->from + n->dur, i, n->slice == NADI_NONE};
    }
    qsort(ranks, count, sizeof(*ranks), compare_ranks);
    for (uint32_t i = 0; i < count; i++) {
        new_of[ranks[i].node] = i;
        sorted[i] = b->g->nodes.items[ranks[i].node];
    }
    for (size_t i = 0; i < count; i++)
        if (sorted[i].parent != NADI_NONE)
            sorted[i].parent = new_of[sorted[i].parent];
    nadi_mem_free(b->g->nodes.items);
    nadi_mem_free(ranks);
    b->g->nodes.items = sorted;
    b->g->nodes.capacity = count;
    return new_of;
}

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->dep != y->dep)
        return x->dep < y->dep ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

static void name_dropped(struct builder *b, const struct edge *e)
{
    static const char *const kinds[NADI_EDGE_KINDS] = {"program order", "launch", "stream order",
                                                       "synchronisation", "group order"};
    enum { SHOWN = 5 };
    if (b->g->dropped[e->kind]++ >= SHOWN)
        return;
    nadi_warning(b->diags, "capture/contradiction", NADI_IN_FILE(b->s->path),
                 "the edge was dropped; the times of the capture say the opposite",
                 "%s: node %" PRIu32 " begins before node %" PRIu32 ", which it depends on",
                 kinds[e->kind], e->node + 1, e->dep + 1);
}

/* Sorted, without duplicates and contradictions. */
static void finish_edges(struct builder *b, const uint32_t *new_of)
{
    struct nadi_built_graph *g = b->g;
    for (size_t i = 0; i < b->edges.count; i++) {
        b->edges.items[i].node = new_of[b->edges.items[i].node];
        b->edges.items[i].dep = new_of[b->edges.items[i].dep];
    }
    if (b->edges.count)
        qsort(b->edges.items, b->edges.count, sizeof(*b->edges.items), compare_edges);
    g->dep_start = NADI_ZNEW(uint32_t, g->nodes.count + 1);
    g->deps = NADI_NEW(uint32_t, b->edges.count);
    uint32_t kept = 0, node = 0;
    for (size_t i = 0; i < b->edges.count; i++) {
        const struct edge *e = &b->edges.items[i];
        while (node < e->node)
            g->dep_start[++node] = kept;
        if (kept > g->dep_start[e->node] && g->deps[kept - 1] == e->dep)
            continue;
        if (e->dep >= e->node) {
            name_dropped(b, e);
            continue;
        }
        g->edges[e->kind]++;
        g->deps[kept++] = e->dep;
    }
    while (node < g->nodes.count)
        g->dep_start[++node] = kept;
}

static void find_span(struct builder *b)
{
    struct nadi_built_graph *g = b->g;
    for (size_t i = 0; i < g->nodes.count; i++) {
        const struct nadi_built_node *n = &g->nodes.items[i];
        if (i == 0 || n->from < g->begin)
            g->begin = n->from;
        if (i == 0 || n->from + n->dur > g->end)
            g->end = n->from + n->dur;
    }
}

void nadi_built_graph_make(struct nadi_built_graph *g, const struct nadi_graph_sources *sources,
                           struct nadi_diags *diags)
{
    const struct nadi_timeline *t = sources->timeline;
    *g = (struct nadi_built_graph){0};
    struct builder b = {
        .g = g,
        .s = sources,
        .diags = diags,
        .node_of_slice = NADI_NEW(uint32_t, t->slices.count),
        .node_of_work = NADI_NEW(uint32_t, sources->device->work_count + 1),
        .node_of_op = NADI_NEW(uint32_t, t->op_count),
    };
    for (uint32_t i = 0; i < t->thread_count; i++)
        add_thread(&b, &t->threads[i]);
    link_threads(&b);
    add_works(&b);
    link_works(&b);
    add_operator_parts(&b);
    order_groups(&b);
    uint32_t *new_of = number_nodes(&b);
    finish_edges(&b, new_of);
    find_span(&b);
    nadi_mem_free(new_of);
    nadi_mem_free(b.edges.items);
    nadi_mem_free(b.node_of_slice);
    nadi_mem_free(b.node_of_work);
    nadi_mem_free(b.node_of_op);
}

void nadi_built_graph_release(struct nadi_built_graph *g)
{
    nadi_mem_free(g->nodes.items);
    nadi_mem_free(g->dep_start);
    nadi_mem_free(g->deps);
    *g = (struct nadi_built_graph){0};
}
