#include "report/reference.h"
#include "base/mem.h"

enum category {
    CATEGORY_NONE,
    CATEGORY_GPU,
    CATEGORY_COMM,
};

struct finished_rank {
    uint32_t rank;
    uint64_t finish_ns;
    size_t last_span;        /* the later, the later it finished */
    enum category last_kind; /* of the node that was issued last */
    bool has_gpu, has_comm;
    uint64_t last_start_ns;
    uint32_t last_node;
};

static enum category category_of(const struct nadi_trace *trace, uint32_t node)
{
    switch ((enum nadi_node_type)trace->type[node]) {
    case NADI_NODE_COMP:
        return trace->flags[node] & NADI_NODE_IS_CPU ? CATEGORY_NONE : CATEGORY_GPU;
    case NADI_NODE_SEND:
    case NADI_NODE_RECV:
    case NADI_NODE_COLL:
        return CATEGORY_COMM;
    case NADI_NODE_INVALID:
    case NADI_NODE_METADATA:
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
    case NADI_NODE_TYPES:
        break;
    }
    return CATEGORY_NONE;
}

static void note_span(struct finished_rank *f, const struct nadi_trace *trace,
                      const struct nadi_span *span, size_t index)
{
    f->last_span = index;
    const enum category kind = category_of(trace, span->node);
    f->has_gpu |= kind == CATEGORY_GPU;
    f->has_comm |= kind == CATEGORY_COMM;
    const bool later = span->start_ns > f->last_start_ns ||
                       (span->start_ns == f->last_start_ns && span->node >= f->last_node);
    if (kind != CATEGORY_NONE && (f->last_kind == CATEGORY_NONE || later)) {
        f->last_kind = kind;
        f->last_start_ns = span->start_ns;
        f->last_node = span->node;
    }
}

static int by_finish(const void *a, const void *b)
{
    const struct finished_rank *x = a, *y = b;
    if (x->finish_ns != y->finish_ns)
        return x->finish_ns < y->finish_ns ? -1 : 1;
    if (x->last_span != y->last_span)
        return x->last_span < y->last_span ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

static void add_peak_memory(uint32_t rank, uint64_t bytes, struct nadi_str *out)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024;
        unit++;
    }
    nadi_str_printf(out, "[workload] [info] sys[%" PRIu32 "] peak memory usage: %.2f %s\n", rank,
                    value, units[unit]);
}

static void add_roofline(uint32_t rank, const struct nadi_rank_result *r, struct nadi_str *out)
{
    const char *prefix = "[statistics] [info] sys";
    nadi_str_printf(out, "%s[%" PRIu32 "], Compute bound percentage: %.3f%%\n", prefix, rank,
                    r->compute_bound * 100);
    nadi_str_printf(out, "%s[%" PRIu32 "], Average compute utilization: %.3f%%\n", prefix, rank,
                    r->compute_utilisation * 100);
    nadi_str_printf(out, "%s[%" PRIu32 "], Average memory utilization: %.3f%%\n", prefix, rank,
                    r->memory_utilisation * 100);
    nadi_str_printf(out, "%s[%" PRIu32 "], Average operation intensity: %.3f\n", prefix, rank,
                    r->operation_intensity);
}

static void add_category(uint32_t rank, const char *name, uint64_t ns, struct nadi_str *out)
{
    nadi_str_printf(out, "[statistics] [info] sys[%" PRIu32 "], %s time: %" PRIu64 "\n", rank, name,
                    ns);
}

static void add_rank(const struct nadi_inputs *in, const struct nadi_rank_result *r,
                     const struct finished_rank *f, struct nadi_str *out)
{
    const uint32_t rank = f->rank;
    nadi_str_printf(out,
                    "[workload] [info] sys[%" PRIu32 "] finished, %" PRIu64
                    " cycles, exposed communication %" PRIu64 " cycles.\n",
                    rank, r->finish_ns, r->exposed_comm_ns);
    nadi_str_printf(out,
                    "[statistics] [info] sys[%" PRIu32 "]. Post statistics processing start.\n"
                    "[statistics] [info] sys[%" PRIu32 "]. Post statistics processing end.\n",
                    rank, rank);
    add_category(rank, "Wall", r->finish_ns, out);
    const bool gpu = f->has_gpu || r->compute_ns, comm = f->has_comm || r->comm_ns;
    if (comm && f->last_kind == CATEGORY_COMM)
        add_category(rank, "Comm", r->comm_ns, out);
    if (gpu)
        add_category(rank, "GPU", r->compute_ns, out);
    if (comm && f->last_kind != CATEGORY_COMM)
        add_category(rank, "Comm", r->comm_ns, out);
    if (gpu && comm && r->comm_ns > r->true_exposed_comm_ns)
        nadi_str_printf(out,
                        "[statistics] [info] sys[%" PRIu32
                        "], Total compute-communication overlap: %" PRIu64 "\n",
                        rank, r->comm_ns - r->true_exposed_comm_ns);
    if (in->system.roofline)
        add_roofline(rank, r, out);
    if (in->system.track_local_mem)
        add_peak_memory(rank, r->peak_memory_bytes, out);
}

void nadi_report_reference_lines(const struct nadi_inputs *in, const struct nadi_result *r,
                                 struct nadi_str *out)
{
    struct finished_rank *order = NADI_ZNEW(struct finished_rank, r->rank_count);
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        order[rank].rank = rank;
        order[rank].finish_ns = nadi_result_rank(r, rank)->finish_ns;
    }
    for (size_t i = 0; i < r->span_count; i++) {
        const struct nadi_span *span = &r->spans[i];
        note_span(&order[span->rank], in->traces[span->rank], span, i);
    }
    qsort(order, r->rank_count, sizeof(*order), by_finish);
    for (uint32_t i = 0; i < r->rank_count; i++) {
        if (nadi_result_rank(r, order[i].rank)->finished)
            add_rank(in, nadi_result_rank(r, order[i].rank), &order[i], out);
    }
    nadi_mem_free(order);
}
