#include "why/path_time.h"

#include "base/map.h"
#include "base/mem.h"
#include "bound/lower_bound.h"
#include "collective/plan.h"
#include "compute/compute.h"
#include "why/micro.h"

#include <math.h>

struct path_op { /* operations that take the same time */
    uint32_t rank, node;
    uint64_t alone_ns; /* as it is */
    double times;      /* on the path; a part of one counts as that part of its time */
};

struct nadi_path_ops {
    const struct nadi_inputs *in;
    const struct nadi_why *why;
    struct nadi_lower_bounds *bounds;
    struct nadi_map64 alike;
    struct {
        struct path_op *items;
        size_t count, capacity;
    } list; /* collectives and messages */
    bool exact;
};

/* By this the time of a byte, or a latency, is made longer: little, so that the same phases stay
 * the slowest, but enough for whole nanoseconds to be none of it. By how long the operation takes.
 */
static const struct {
    uint64_t from_ns;
    double longer;
} steps[] = {{0, 1.125}, {200000, 1.01}, {20000000, 1.002}};

enum { STEPS = sizeof(steps) / sizeof(*steps) };

static size_t step_of(uint64_t ns)
{
    size_t i = STEPS - 1;
    while (ns < steps[i].from_ns)
        i--;
    return i;
}

static bool is_collective(const struct nadi_inputs *in, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = in->traces[rank];
    enum nadi_native_kind kind;
    return t->type[node] == NADI_NODE_COLL &&
           nadi_native_in(in->system.native, (enum nadi_collective_kind)t->collective[node], &kind);
}

/* Collectives and messages that look alike are timed once. */
static uint64_t key_of(const struct nadi_inputs *in, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = in->traces[rank];
    if (is_collective(in, rank, node))
        return nadi_micro_key(in, rank, node);
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    uint64_t key = nadi_hash_u64(t->bytes[node] ^ ((uint64_t)t->type[node] << 56));
    return nadi_hash_u64(key ^ ((uint64_t)rank << 32) ^ (comm ? comm->dst : 0));
}

static uint64_t time_of(const struct nadi_inputs *in, struct nadi_lower_bounds *bounds,
                        uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = in->traces[rank];
    if (!is_collective(in, rank, node))
        return nadi_lower_bound_node(bounds, t, node, rank);
    if (!in->options.network_model->has_contention)
        return nadi_micro_collective(in, rank, node);
    return nadi_lower_bound_collective(bounds, t, node,
                                       nadi_lower_bounds_group(bounds, t, node, rank))
        .last;
}

static void add_op(struct nadi_path_ops *ops, uint32_t rank, uint32_t node, uint64_t ns)
{
    bool added;
    uint64_t key = key_of(ops->in, rank, node);
    uint32_t i = *nadi_map64_put(&ops->alike, key, (uint32_t)ops->list.count, &added);
    if (added) {
        struct path_op op = {rank, node, time_of(ops->in, ops->bounds, rank, node), 0};
        NADI_PUSH(&ops->list, op);
    }
    struct path_op *op = &ops->list.items[i];
    if (op->alone_ns > 0 && op->alone_ns != UINT64_MAX)
        op->times += (double)ns / (double)op->alone_ns;
    ops->exact &= op->alone_ns == ns;
}

static bool communicates(const struct nadi_inputs *in, const struct nadi_path_step *s)
{
    if (s->node == NADI_NONE || in->system.replay_only)
        return false;
    uint8_t type = in->traces[s->rank]->type[s->node];
    return type == NADI_NODE_SEND || is_collective(in, s->rank, s->node);
}

struct nadi_path_ops *nadi_path_ops_create(const struct nadi_inputs *in, const struct nadi_why *why)
{
    struct nadi_path_ops *ops = NADI_ZNEW(struct nadi_path_ops, 1);
    *ops = (struct nadi_path_ops){
        .in = in, .why = why, .bounds = nadi_lower_bounds_create(in), .exact = true};
    nadi_map64_init(&ops->alike, 64);
    const bool timed = !in->has_graph && !in->system.exact;
    if (!timed) /* what messages wait for others says nothing of when those come */
        ops->exact = why->sums[NADI_CAUSE_LINK_QUEUE] == 0 && why->sums[NADI_CAUSE_PAIR_QUEUE] == 0;
    for (size_t i = 0; i < why->step_count && timed;) {
        const struct nadi_path_step *s = &why->steps[i];
        uint64_t ns = 0;
        size_t end = i;
        while (end < why->step_count && why->steps[end].rank == s->rank &&
               why->steps[end].node == s->node) {
            ns += why->steps[end].end_ns - why->steps[end].start_ns;
            end++;
        }
        if (communicates(in, s))
            add_op(ops, s->rank, s->node, ns);
        i = end;
    }
    return ops;
}

void nadi_path_ops_destroy(struct nadi_path_ops *ops)
{
    if (!ops)
        return;
    nadi_lower_bounds_destroy(ops->bounds);
    nadi_map64_release(&ops->alike);
    nadi_mem_free(ops->list.items);
    nadi_mem_free(ops);
}

/* The communication of the path that takes so long, with the parameter worse, against as it is. */
static double gain_of_step(struct nadi_path_ops *ops, enum nadi_parameter p, uint32_t dim,
                           size_t step)
{
    struct nadi_changed c;
    double sum = 0;
    bool rate = p == NADI_PARAMETER_BANDWIDTH || p == NADI_PARAMETER_LOCAL_MEMORY;
    double factor = rate ? 1 / steps[step].longer : steps[step].longer;
    double before = nadi_parameter_value(ops->in, p, dim);
    if (p == NADI_PARAMETER_ENDPOINT_DELAY) /* a whole number */
        factor = fmax(factor, (before + 1) / before);
    bool changed = nadi_change_open(&c, ops->in, p, dim, factor);
    double after = nadi_parameter_value(&c.in, p, dim);
    struct nadi_lower_bounds *bounds = nadi_lower_bounds_create(&c.in);
    for (size_t i = 0; changed && i < ops->list.count; i++) {
        const struct path_op *op = &ops->list.items[i];
        if (!(op->times > 0) || step_of(op->alone_ns) != step)
            continue;
        uint64_t ns = time_of(&c.in, bounds, op->rank, op->node);
        if (ns != UINT64_MAX)
            sum += op->times * ((double)ns - (double)op->alone_ns);
    }
    nadi_lower_bounds_destroy(bounds);
    nadi_change_close(&c);
    if (!changed)
        return 0;
    /* the time of a byte is 1 / rate; latencies and delays are times already */
    return sum / (rate ? before / after - 1 : after / before - 1);
}

static double network_gain(struct nadi_path_ops *ops, enum nadi_parameter p, uint32_t dim)
{
    const struct nadi_inputs *in = ops->in;
    double sum = 0;
    if (in->has_graph || in->system.exact || !in->options.network_model->truncates ||
        !(nadi_parameter_value(in, p, dim) > 0))
        return (double)NAN;
    for (size_t i = 0; i < STEPS; i++)
        sum += gain_of_step(ops, p, dim, i);
    return sum;
}

double nadi_path_kernels(const struct nadi_inputs *in, const struct nadi_why *why,
                         bool memory_bound)
{
    const struct nadi_roofline line = {in->system.peak_perf, in->system.local_mem_bw};
    double sum = 0;
    for (size_t i = 0; i < why->step_count; i++) {
        const struct nadi_path_step *s = &why->steps[i];
        const struct nadi_trace *t = in->traces[s->rank];
        if (s->node == NADI_NONE || t->type[s->node] != NADI_NODE_COMP ||
            nadi_trace_pauses(t, s->node))
            continue;
        bool by_memory = false;
        if (in->system.roofline) {
            if (!nadi_is_by_roofline(&in->system, t, s->node) ||
                (t->bytes[s->node] == 0 && !in->system.only_untimed))
                continue;
            by_memory = nadi_roofline_time(&line, t->ops[s->node], t->bytes[s->node]).memory_bound;
        }
        if (by_memory == memory_bound)
            sum += (double)(s->end_ns - s->start_ns);
    }
    return sum;
}

double nadi_path_remote(const struct nadi_inputs *in, const struct nadi_why *why, bool latency)
{
    double sum = 0;
    for (size_t i = 0; i < why->step_count; i++) {
        const struct nadi_path_step *s = &why->steps[i];
        if (s->cause != NADI_CAUSE_MEMORY)
            continue;
        uint64_t latency_ns = 0;
        if (s->node != NADI_NONE)
            (void)nadi_inputs_memory_ns(in, in->traces[s->rank], s->node, &latency_ns);
        double all = (double)(s->end_ns - s->start_ns), fixed = (double)latency_ns;
        sum += latency ? fixed : fmax(all - fixed, 0);
    }
    return sum;
}

bool nadi_path_ops_exact(const struct nadi_path_ops *ops)
{
    return ops->exact;
}

double nadi_path_gain(struct nadi_path_ops *ops, enum nadi_parameter p, uint32_t dim)
{
    switch (p) {
    case NADI_PARAMETER_BANDWIDTH:
    case NADI_PARAMETER_LATENCY:
    case NADI_PARAMETER_ENDPOINT_DELAY:
        return network_gain(ops, p, dim);
    case NADI_PARAMETER_COMPUTE_RATE:
        return nadi_path_kernels(ops->in, ops->why, false);
    case NADI_PARAMETER_LOCAL_MEMORY: {
        double reductions = network_gain(ops, p, dim);
        double kernels = ops->in->system.roofline ? nadi_path_kernels(ops->in, ops->why, true) : 0;
        return kernels + reductions;
    }
    case NADI_PARAMETER_REMOTE_MEMORY:
        return nadi_path_remote(ops->in, ops->why, false);
    case NADI_PARAMETER_REMOTE_LATENCY:
        return nadi_path_remote(ops->in, ops->why, true);
    case NADI_PARAMETER_LINK_BANDWIDTH:
    case NADI_PARAMETER_LINK_LATENCY:
    case NADI_PARAMETER_TIER_BANDWIDTH:
    case NADI_PARAMETER_TIER_LINK:
    case NADI_PARAMETER_FORWARDING:
    case NADI_PARAMETER_CHUNKS:
    case NADI_PARAMETER_ACTIVE_CHUNKS:
    case NADI_PARAMETERS:
        break;
    }
    return (double)NAN;
}
