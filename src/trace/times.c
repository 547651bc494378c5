#include "trace/times.h"

#include "base/guard.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"

struct nadi_trace_stream nadi_trace_stream_of(const struct nadi_full_node *n)
{
    struct nadi_trace_stream stream = {.kind = NADI_STREAM_NONE};
    struct nadi_named_attr attr;
    const bool is_host = nadi_full_integer(n, "is_cpu_op", 0) != 0;
    switch (n->type) {
    case NADI_NODE_COMP:
        if (nadi_full_integer(n, "is_idle", 0))
            return stream;
        stream.kind = is_host ? NADI_STREAM_HOST : NADI_STREAM_DEVICE;
        break;
    case NADI_NODE_SEND:
    case NADI_NODE_RECV:
    case NADI_NODE_COLL:
        stream.kind = NADI_STREAM_COMM;
        break;
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
        stream.kind = NADI_STREAM_MEMORY;
        break;
    default:
        return stream;
    }
    const bool found =
        nadi_full_attr(n, is_host ? "tid" : "stream", &attr) && nadi_attr_is_integer(&attr.value);
    stream.number = found ? (int64_t)attr.value.bits : 0;
    stream.numbered = found || stream.kind == NADI_STREAM_HOST || stream.kind == NADI_STREAM_DEVICE;
    return stream;
}

const char *nadi_stream_kind_name(enum nadi_stream_kind kind)
{
    static const char *const names[NADI_STREAM_KINDS] = {"host", "device", "communication",
                                                         "memory", "none"};
    return names[kind];
}

uint64_t nadi_full_duration_ns(const struct nadi_full_node *n)
{
    const int64_t exact = nadi_full_integer(n, "duration_nanos", -1);
    if (exact >= 0 && (uint64_t)exact / 1000 == n->duration_micros)
        return (uint64_t)exact;
    return nadi_count_mul(n->duration_micros, 1000);
}

/* Says what links leave aside; false with an error when ids are used twice. */
static bool report_faults(const struct nadi_links *l, const struct nadi_full *f,
                          struct nadi_diags *diags)
{
    size_t dropped = 0, doubled = 0;
    for (size_t i = 0; i < l->faults.count; i++) {
        const enum nadi_link_fault_kind kind = l->faults.items[i].kind;
        dropped += kind == NADI_LINK_DANGLING || kind == NADI_LINK_SELF;
        doubled += kind == NADI_LINK_DUPLICATE_ID;
    }
    if (dropped)
        nadi_warning(diags, "trace/dropped-dependency", NADI_IN_FILE(f->path),
                     "`nadi trace check` names them",
                     "%zu dependenc%s on nothing, or on the node itself, left aside", dropped,
                     dropped == 1 ? "y" : "ies");
    if (doubled)
        return nadi_error(diags, "trace/duplicate-id", NADI_IN_FILE(f->path),
                          "`nadi trace check` names them, `nadi trace repair` makes them unique",
                          "%zu ids are used twice", doubled);
    return true;
}

bool nadi_links_require(struct nadi_links *l, const struct nadi_full *f, struct nadi_diags *diags)
{
    nadi_links_build(l, f);
    if (!report_faults(l, f, diags))
        return false;
    if (!nadi_links_order(l))
        return nadi_error(diags, "trace/cycle", NADI_IN_FILE(f->path),
                          "`nadi trace check` names it, `nadi trace repair` cuts it",
                          "the dependencies form a cycle");
    return true;
}

bool nadi_links_view(struct nadi_links *l, const struct nadi_full *f, struct nadi_diags *diags)
{
    nadi_links_build(l, f);
    if (!report_faults(l, f, diags))
        return false;
    if (nadi_links_order(l))
        return true;
    struct nadi_link_cuts cuts = {0};
    nadi_links_closing(l, &cuts);
    nadi_links_drop(l, &cuts);
    nadi_warning(
        diags, "trace/cycle", NADI_IN_FILE(f->path),
        "no simulation can run it; `nadi trace check` names the cycles, `nadi trace repair` "
        "cuts them",
        "the dependencies form cycles: %zu %s left aside here", cuts.count,
        cuts.count == 1 ? "is" : "are");
    nadi_mem_free(cuts.items);
    const bool ordered = nadi_links_order(l);
    NADI_ASSERT(ordered);
    return ordered;
}

/* --- replay ------------------------------------------------------------------------------------
 */

struct waiting { /* min-heap by (ready, node) */
    uint64_t ready;
    uint32_t node;
};

struct replay {
    struct nadi_trace_times *t;
    const struct nadi_full *f;
    const struct nadi_links *l;
    uint32_t *open; /* by node: dependencies not ended */
    uint64_t *ready;
    struct {
        struct waiting *items;
        size_t count, capacity;
    } heap;
    struct nadi_map64 streams; /* stream -> index into free */
    struct {
        uint64_t *items; /* when the stream is free */
        size_t count, capacity;
    } free;
};

static bool before(const struct waiting *a, const struct waiting *b)
{
    return a->ready != b->ready ? a->ready < b->ready : a->node < b->node;
}

static uint64_t *stream_free(struct replay *r, const struct nadi_trace_stream *stream)
{
    const uint64_t key = nadi_hash_u64((uint64_t)stream->number) * 8 + (uint64_t)stream->kind;
    bool added;
    const uint32_t at = *nadi_map64_put(&r->streams, key, (uint32_t)r->free.count, &added);
    if (added)
        NADI_PUSH(&r->free, 0);
    return &r->free.items[at];
}

/* METADATA takes no time in a simulation. */
static uint64_t simulated_ns(const struct nadi_full_node *n)
{
    return n->type == NADI_NODE_METADATA ? 0 : nadi_full_duration_ns(n);
}

static void run_node(struct replay *r, struct waiting w)
{
    const struct nadi_full_node *n = &r->f->nodes[w.node];
    const struct nadi_trace_stream stream = nadi_trace_stream_of(n);
    uint64_t *free = stream.numbered ? stream_free(r, &stream) : NULL;
    const uint64_t start = free && *free > w.ready ? *free : w.ready;
    const uint64_t end = nadi_count_add(start, simulated_ns(n));
    r->t->start[w.node] = start;
    r->t->end[w.node] = end;
    if (free)
        *free = end;
    for (uint32_t k = r->l->child_start[w.node]; k < r->l->child_start[w.node + 1]; k++) {
        const uint32_t child = r->l->children[k];
        r->ready[child] = nadi_max_u64(r->ready[child], end);
        const struct waiting next = {r->ready[child], child};
        if (--r->open[child] == 0)
            NADI_HEAP_PUSH(&r->heap, next, before);
    }
}

static void replay(struct nadi_trace_times *t, const struct nadi_full *f,
                   const struct nadi_links *l)
{
    const uint32_t n = l->count;
    struct replay r = {.t = t, .f = f, .l = l};
    r.open = NADI_NEW(uint32_t, n);
    r.ready = NADI_ZNEW(uint64_t, n);
    nadi_map64_init(&r.streams, 16);
    for (uint32_t i = 0; i < n; i++) {
        r.open[i] = l->dep_start[i + 1] - l->dep_start[i];
        const struct waiting first = {0, i};
        if (r.open[i] == 0)
            NADI_HEAP_PUSH(&r.heap, first, before);
    }
    while (r.heap.count) {
        struct waiting next;
        NADI_HEAP_POP(&r.heap, next, before);
        run_node(&r, next);
    }
    nadi_map64_release(&r.streams);
    nadi_mem_free(r.free.items);
    nadi_mem_free(r.open);
    nadi_mem_free(r.ready);
    nadi_mem_free(r.heap.items);
}

/* --- recorded times ----------------------------------------------------------------------------
 */

static bool is_recorded(const struct nadi_full *f)
{
    for (size_t i = 0; i < f->node_count; i++) {
        if (f->nodes[i].start_micros)
            return true;
    }
    return false;
}

/* Recorded starts are cut to whole microseconds: within its own, a node comes behind what it waits
 * for. */
static void place_recorded(struct nadi_trace_times *t, const struct nadi_full *f,
                           const struct nadi_links *l, uint32_t node)
{
    const uint64_t cut = t->start[node];
    for (uint32_t k = l->dep_start[node]; k < l->dep_start[node + 1]; k++) {
        const uint64_t end = t->end[l->deps[k]];
        if (end > t->start[node] && end - cut < 1000)
            t->start[node] = end;
    }
    t->end[node] = nadi_count_add(t->start[node], nadi_full_duration_ns(&f->nodes[node]));
}

/* A node without a start time among nodes with one lies between what it waits for and what waits
 * for it: it starts when the former has ended and ends, if need be early, when the latter starts.
 */
static void place_between(struct nadi_trace_times *t, const struct nadi_full *f,
                          const struct nadi_links *l, uint32_t node)
{
    uint64_t start = 0, next = UINT64_MAX;
    for (uint32_t k = l->dep_start[node]; k < l->dep_start[node + 1]; k++)
        start = nadi_max_u64(start, t->end[l->deps[k]]);
    for (uint32_t k = l->child_start[node]; k < l->child_start[node + 1]; k++) {
        if (nadi_full_has_start(f, &f->nodes[l->children[k]]))
            next = nadi_min_u64(next, t->start[l->children[k]]);
    }
    t->start[node] = nadi_min_u64(start, next);
    t->end[node] =
        nadi_min_u64(nadi_count_add(start, nadi_full_duration_ns(&f->nodes[node])), next);
}

static void take_recorded(struct nadi_trace_times *t, const struct nadi_full *f,
                          const struct nadi_links *l)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < f->node_count; i++) {
        if (nadi_full_has_start(f, &f->nodes[i]))
            first = nadi_min_u64(first, f->nodes[i].start_micros);
    }
    for (size_t i = 0; i < f->node_count; i++) {
        const uint64_t start = f->nodes[i].start_micros;
        if (nadi_full_has_start(f, &f->nodes[i]) &&
            __builtin_mul_overflow(start - first, 1000u, &t->start[i]))
            t->start[i] = UINT64_MAX;
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const uint32_t node = l->order[i];
        (void)nadi_guard_look();
        if (nadi_full_has_start(f, &f->nodes[node]))
            place_recorded(t, f, l, node);
        else
            place_between(t, f, l, node);
    }
}

/* --- critical path -----------------------------------------------------------------------------
 */

static void find_critical(struct nadi_trace_times *t, const struct nadi_full *f,
                          const struct nadi_links *l)
{
    const uint32_t n = l->count;
    uint64_t *end = NADI_NEW(uint64_t, n);
    uint32_t *from = NADI_NEW(uint32_t, n), last = NADI_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t node = l->order[i];
        uint64_t start = 0;
        (void)nadi_guard_look();
        from[node] = NADI_NONE;
        for (uint32_t k = l->dep_start[node]; k < l->dep_start[node + 1]; k++) {
            const uint32_t dep = l->deps[k];
            if (from[node] == NADI_NONE || end[dep] > start) {
                start = end[dep];
                from[node] = dep;
            }
        }
        end[node] = nadi_count_add(start, simulated_ns(&f->nodes[node]));
        if (last == NADI_NONE || end[node] > end[last])
            last = node;
    }
    for (uint32_t node = last; node != NADI_NONE; node = from[node])
        t->critical_count++;
    t->critical = NADI_NEW(uint32_t, t->critical_count);
    size_t at = t->critical_count;
    for (uint32_t node = last; node != NADI_NONE; node = from[node])
        t->critical[--at] = node;
    t->critical_ns = last == NADI_NONE ? 0 : end[last];
    nadi_mem_free(end);
    nadi_mem_free(from);
}

void nadi_times_make(struct nadi_trace_times *t, const struct nadi_full *f,
                     const struct nadi_links *links)
{
    *t = (struct nadi_trace_times){.recorded = is_recorded(f)};
    t->start = NADI_ZNEW(uint64_t, f->node_count);
    t->end = NADI_ZNEW(uint64_t, f->node_count);
    if (t->recorded)
        take_recorded(t, f, links);
    else
        replay(t, f, links);
    for (size_t i = 0; i < f->node_count; i++)
        t->span = nadi_max_u64(t->span, t->end[i]);
    find_critical(t, f, links);
}

void nadi_times_release(struct nadi_trace_times *t)
{
    nadi_mem_free(t->start);
    nadi_mem_free(t->end);
    nadi_mem_free(t->critical);
    *t = (struct nadi_trace_times){0};
}
