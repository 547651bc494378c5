#include "sim/local_memory.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"

enum { UNDEFINED_END_NS = 10 };

struct builder {
    struct nadi_local_memory *m;
    const struct nadi_trace *trace;
    struct nadi_strmap by_name;
};

static void add_use(struct builder *b, struct nadi_tensor_use use)
{
    struct nadi_local_memory *m = b->m;
    if (m->use_count == m->use_capacity)
        m->uses = nadi_mem_grow(m->uses, &m->use_capacity, m->use_count + 1, sizeof(*m->uses));
    m->uses[m->use_count++] = use;
}

/* The tensor's index; a new one is born by `use`'s start. */
static uint32_t find_tensor(struct builder *b, const struct nadi_trace_io *io, uint64_t born_ns,
                            bool *is_new)
{
    struct nadi_local_memory *m = b->m;
    const char *name = nadi_trace_string(b->trace, io->name);
    const uint32_t fresh = (uint32_t)m->tensor_count;
    const uint32_t index = nadi_strmap_put(&b->by_name, name, strlen(name), fresh, NULL);
    *is_new = index == fresh;
    if (*is_new) {
        if (m->tensor_count == m->tensor_capacity)
            m->tensors = nadi_mem_grow(m->tensors, &m->tensor_capacity, m->tensor_count + 1,
                                       sizeof(*m->tensors));
        m->tensors[m->tensor_count++] =
            (struct nadi_tensor){.name = name, .born_ns = born_ns, .dies_ns = UINT64_MAX};
    }
    struct nadi_tensor *tensor = &m->tensors[index];
    tensor->bytes = nadi_max_u64(tensor->bytes, io->bytes);
    return index;
}

static void add_read(struct builder *b, const struct nadi_span *span,
                     const struct nadi_trace_io *io)
{
    bool is_new;
    const uint32_t index = find_tensor(b, io, 0, &is_new);
    if (is_new)
        add_use(b, (struct nadi_tensor_use){.tensor = index,
                                            .node = NADI_NONE,
                                            .end_ns = UNDEFINED_END_NS,
                                            .bytes = io->bytes,
                                            .is_write = true});
    b->m->tensors[index].dies_ns = span->end_ns; /* the last one recorded, as the reference */
    add_use(b, (struct nadi_tensor_use){.tensor = index,
                                        .node = span->node,
                                        .start_ns = span->start_ns,
                                        .end_ns = span->end_ns,
                                        .bytes = io->bytes});
}

static void add_write(struct builder *b, const struct nadi_span *span,
                      const struct nadi_trace_io *io)
{
    bool is_new;
    const uint32_t index = find_tensor(b, io, span->start_ns, &is_new);
    add_use(b, (struct nadi_tensor_use){.tensor = index,
                                        .node = span->node,
                                        .start_ns = span->start_ns,
                                        .end_ns = span->end_ns,
                                        .bytes = io->bytes,
                                        .is_write = true});
}

static void add_node(struct builder *b, const struct nadi_span *span)
{
    const struct nadi_trace *t = b->trace;
    const uint32_t first = nadi_trace_first_io(t, span->node);
    for (uint32_t i = first; i < t->io_count && t->io[i].node == span->node; i++) {
        if (!t->io[i].is_output && t->io[i].bytes > 0)
            add_read(b, span, &t->io[i]);
    }
    for (uint32_t i = first; i < t->io_count && t->io[i].node == span->node; i++) {
        if (t->io[i].is_output && t->io[i].bytes > 0)
            add_write(b, span, &t->io[i]);
    }
}

struct change { /* at one time */
    uint64_t ns, bytes;
    bool dies;
};

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Births add, deaths take away; equal times become one step. Together tensors may have more bytes
 * than are counted. */
static void add_steps(struct nadi_local_memory *m)
{
    struct change *changes = NADI_NEW(struct change, 2 * m->tensor_count);
    size_t count = 0;
    for (size_t i = 0; i < m->tensor_count; i++) {
        const struct nadi_tensor *t = &m->tensors[i];
        changes[count++] = (struct change){t->born_ns, t->bytes, false};
        if (t->dies_ns != UINT64_MAX)
            changes[count++] =
                (struct change){nadi_max_u64(t->dies_ns, t->born_ns), t->bytes, true};
    }
    if (count)
        qsort(changes, count, sizeof(*changes), by_time);
    m->steps = NADI_NEW(struct nadi_memory_step, count);
    nadi_u128 alive = 0;
    for (size_t i = 0; i < count; i++) {
        alive = changes[i].dies ? alive - changes[i].bytes : alive + changes[i].bytes;
        if (i + 1 < count && changes[i + 1].ns == changes[i].ns)
            continue;
        const uint64_t bytes = alive < UINT64_MAX ? (uint64_t)alive : UINT64_MAX;
        m->steps[m->step_count++] = (struct nadi_memory_step){changes[i].ns, bytes};
        m->peak_bytes = nadi_max_u64(m->peak_bytes, bytes);
    }
    nadi_mem_free(changes);
}

void nadi_local_memory_init(struct nadi_local_memory *m, const struct nadi_trace *trace,
                            const struct nadi_span *spans, size_t count)
{
    *m = (struct nadi_local_memory){0};
    struct builder b = {.m = m, .trace = trace};
    nadi_strmap_init(&b.by_name);
    for (size_t i = 0; i < count; i++)
        add_node(&b, &spans[i]);
    add_steps(m);
    nadi_strmap_release(&b.by_name);
}

void nadi_local_memory_release(struct nadi_local_memory *m)
{
    nadi_mem_free(m->tensors);
    nadi_mem_free(m->uses);
    nadi_mem_free(m->steps);
    *m = (struct nadi_local_memory){0};
}

void nadi_local_memory_each(const struct nadi_inputs *in, const struct nadi_result *r,
                            nadi_local_memory_fn *visit, void *context)
{
    size_t *start = NADI_ZNEW(size_t, (size_t)r->rank_count + 2);
    for (size_t i = 0; i < r->span_count; i++)
        start[r->spans[i].rank + 2]++;
    for (uint32_t rank = 0; rank < r->rank_count; rank++)
        start[rank + 2] += start[rank + 1];
    /* start[rank + 1] moves from the begin of the rank's spans to their end */
    struct nadi_span *spans = NADI_NEW(struct nadi_span, r->span_count);
    for (size_t i = 0; i < r->span_count; i++)
        spans[start[r->spans[i].rank + 1]++] = r->spans[i];
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        struct nadi_local_memory m;
        nadi_local_memory_init(&m, in->traces[rank], spans + start[rank],
                               start[rank + 1] - start[rank]);
        visit(context, rank, &m);
        nadi_local_memory_release(&m);
    }
    nadi_mem_free(spans);
    nadi_mem_free(start);
}

static void keep_peak(void *context, uint32_t rank, const struct nadi_local_memory *m)
{
    struct nadi_result *r = context;
    r->classes[rank].peak_memory_bytes = m->peak_bytes; /* memory is tracked unfolded */
}

void nadi_local_memory_peaks(const struct nadi_inputs *in, struct nadi_result *r)
{
    nadi_local_memory_each(in, r, keep_peak, r);
}
