/* audit_time: the times that a trace was recorded with, against its dependencies and streams.
 *
 * Only nodes with a start time are looked at (0 means that none was recorded). Of host operators
 * the duration is often exclusive of their children's, so they are held to their start only; what
 * runs on a stream is held to its end. Times are whole microseconds cut off, so an end is never
 * later than it was. */
#include "base/mem.h"
#include "base/time.h"
#include "trace/audit.h"
#include "trace/links.h"

struct timed { /* a node on a stream */
    int64_t stream;
    uint64_t start, end;
    uint32_t node;
};

struct timing {
    const struct nadi_full *f;
    struct nadi_diags *diags;
    uint32_t rank;
    bool *on_stream; /* by node: not a host operator, has a stream */
    int64_t *stream;
};

static uint64_t end_of(const struct nadi_full_node *n)
{
    return nadi_count_add(n->start_micros, n->duration_micros);
}

static void find_streams(struct timing *t)
{
    for (size_t i = 0; i < t->f->node_count; i++) {
        const struct nadi_full_node *n = &t->f->nodes[i];
        struct nadi_named_attr attr;
        t->on_stream[i] = nadi_full_has_start(t->f, n) && !nadi_full_integer(n, "is_cpu_op", 0) &&
                          nadi_full_attr(n, "stream", &attr) && nadi_attr_is_integer(&attr.value);
        t->stream[i] = t->on_stream[i] ? (int64_t)attr.value.bits : 0;
    }
}

static void check_dependencies(const struct timing *t)
{
    enum { SHOWN = 5 };
    const struct nadi_full *f = t->f;
    struct nadi_links links;
    size_t found = 0;
    nadi_links_build(&links, f);
    for (uint32_t i = 0; i < links.count; i++) {
        const struct nadi_full_node *n = &f->nodes[i];
        for (uint32_t k = links.dep_start[i];
             nadi_full_has_start(f, n) && k < links.dep_start[i + 1]; k++) {
            const uint32_t target = links.deps[k];
            const struct nadi_full_node *d = &f->nodes[target];
            const bool to_end = t->on_stream[i] && t->on_stream[target];
            const uint64_t ready = to_end ? end_of(d) : d->start_micros;
            if (!nadi_full_has_start(f, d) || n->start_micros >= ready || ++found > SHOWN)
                continue;
            nadi_warning(
                t->diags, "trace/time-order", nadi_full_place(f, t->rank, i, &t->diags->arena),
                "the dependency or one of the times is wrong",
                "starts at %" PRIu64 " us, before node %s, which it waits for, %s at "
                "%" PRIu64 " us",
                n->start_micros, nadi_full_place(f, t->rank, target, &t->diags->arena).node,
                to_end ? "ends" : "starts", ready);
        }
    }
    if (found > SHOWN)
        nadi_warning(t->diags, "trace/time-order", NADI_IN_FILE(f->path), NULL,
                     "%zu dependencies contradict the times, the first %d are named above", found,
                     SHOWN);
    nadi_links_release(&links);
}

static int by_stream(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void check_overlap(const struct timing *t)
{
    enum { SHOWN = 5 };
    struct timed *items = NADI_NEW(struct timed, t->f->node_count);
    size_t count = 0, found = 0;
    for (uint32_t i = 0; i < t->f->node_count; i++) {
        const struct nadi_full_node *n = &t->f->nodes[i];
        if (t->on_stream[i])
            items[count++] = (struct timed){t->stream[i], n->start_micros, end_of(n), i};
    }
    if (count)
        qsort(items, count, sizeof(*items), by_stream);
    for (size_t i = 1; i < count; i++) {
        const struct timed *a = &items[i - 1], *b = &items[i];
        if (a->stream != b->stream || b->start >= a->end || ++found > SHOWN)
            continue;
        nadi_warning(t->diags, "trace/stream-overlap",
                     nadi_full_place(t->f, t->rank, b->node, &t->diags->arena),
                     "a stream runs one node at a time",
                     "starts at %" PRIu64 " us on stream %" PRId64 ", where node %s ends at "
                     "%" PRIu64 " us",
                     b->start, b->stream,
                     nadi_full_place(t->f, t->rank, a->node, &t->diags->arena).node, a->end);
    }
    if (found > SHOWN)
        nadi_warning(t->diags, "trace/stream-overlap", NADI_IN_FILE(t->f->path), NULL,
                     "%zu nodes overlap their stream's previous one, the first %d are named above",
                     found, SHOWN);
    nadi_mem_free(items);
}

void nadi_audit_times(const struct nadi_full *f, uint32_t rank, struct nadi_diags *diags)
{
    bool recorded = false;
    for (size_t i = 0; i < f->node_count && !recorded; i++)
        recorded = f->nodes[i].start_micros != 0;
    if (!recorded)
        return;
    struct timing t = {
        .f = f,
        .diags = diags,
        .rank = rank,
        .on_stream = NADI_ZNEW(bool, f->node_count),
        .stream = NADI_NEW(int64_t, f->node_count),
    };
    find_streams(&t);
    check_dependencies(&t);
    check_overlap(&t);
    nadi_mem_free(t.on_stream);
    nadi_mem_free(t.stream);
}
