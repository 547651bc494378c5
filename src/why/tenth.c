#include "why/tenth.h"

#include "bound/bound.h"

#include <math.h>

/* Where messages or requests share what carries them, it may come to a tenth more: those that meet
 * fewer others are quicker for that, too. */
static const double MET = 1.1;

static double own_compute(const struct nadi_rank_result *rank)
{
    return (double)rank->compute_ns - (double)rank->compute_slowed_ns;
}

static bool meet(const struct nadi_inputs *in, enum nadi_faster kind)
{
    if (kind == NADI_FASTER_REMOTE_MEMORY)
        return in->memory.kind != NADI_MEMORY_PER_NPU && in->memory.kind != NADI_MEMORY_HIERARCHY;
    return kind == NADI_FASTER_COMMUNICATION && in->options.network_model->has_contention;
}

/* In flight on a rank, the launches of kernels with them; computation that communication slows
 * lasts as long as that. */
static double time_of(const struct nadi_rank_result *rank, enum nadi_faster kind)
{
    switch (kind) {
    case NADI_FASTER_COMPUTE:
        return (double)rank->compute_ns + (double)rank->cpu_ns;
    case NADI_FASTER_COMMUNICATION:
        return (double)rank->comm_ns + (double)rank->compute_slowed_ns;
    case NADI_FASTER_REMOTE_MEMORY:
        return (double)rank->memory_ns;
    case NADI_FASTER_KINDS:
        break;
    }
    return 0;
}

/* One graph for all that work, without messages from one to another? Who takes no part has one
 * node.
 */
static bool same_graphs(const struct nadi_inputs *in, const struct nadi_result *r)
{
    const struct nadi_trace *one = NULL;
    if (r->nodes_by_type[NADI_NODE_SEND])
        return false;
    for (uint32_t rank = 0; rank < in->rank_count; rank++) {
        const struct nadi_trace *t = in->traces[rank];
        if (one && t != one && t->node_count > 1)
            return false;
        one = t->node_count > 1 ? t : one;
    }
    return true;
}

struct times {
    double most, sum, compute;
};

static struct times find_times(const struct nadi_result *r, enum nadi_faster kind)
{
    struct times x = {0, 0, 0};
    for (uint32_t c = 0; c < r->class_count; c++) {
        const double here = time_of(&r->classes[c], kind);
        x.most = fmax(x.most, here);
        x.sum += here;
        x.compute = fmax(x.compute, own_compute(&r->classes[c]));
    }
    return x;
}

/* A bound of the run with the kind a tenth faster; 0: not known. */
static double faster_bound(const struct nadi_inputs *in, enum nadi_faster kind)
{
    struct nadi_changed c;
    double bound = 0;
    if (nadi_change_kind(&c, in, kind, 1.1))
        bound = (double)nadi_lower_bound_ns(&c.in);
    nadi_change_close(&c);
    return bound;
}

double nadi_tenth_saves(const struct nadi_inputs *in, const struct nadi_result *r,
                        enum nadi_faster kind)
{
    const double end = (double)r->end_ns;
    const struct times x = find_times(r, kind);
    const double tenth = (meet(in, kind) ? MET : 1) * NADI_TENTH;
    double most = NADI_TENTH * end;
    if (x.most <= 0)
        return 0;
    if (kind != NADI_FASTER_COMPUTE)
        most = fmin(most, end - x.compute);
    if (r->class_count == 1 || same_graphs(in, r))
        return fmin(most, tenth * x.most);
    most = fmin(most, tenth * x.sum);
    /* the bound of this run is no lower; that of computation is seldom near enough */
    if (kind == NADI_FASTER_COMPUTE || end - (double)r->lower_bound_ns >= most)
        return most;
    return fmin(most, end - faster_bound(in, kind));
}
