#include "why/inside.h"

#include "base/mem.h"
#include "base/time.h"
#include "collective/phase_time.h"
#include "collective/program.h"
#include "why/phases.h"

#include <math.h>

_Static_assert((int)NADI_WHY_PHASES >= (int)NADI_MAX_PHASES, "every phase has room");

static const char *algorithm_name(const struct nadi_phase *p)
{
    static const char *const names[NADI_ALGORITHM_COUNT] = {
        [NADI_ALGORITHM_NONE] = "none",
        [NADI_ALGORITHM_RING] = "ring",
        [NADI_ALGORITHM_DIRECT] = "direct",
        [NADI_ALGORITHM_HALVING_DOUBLING] = "halving-doubling",
        [NADI_ALGORITHM_DOUBLE_BINARY_TREE] = "double binary tree",
        [NADI_ALGORITHM_LIBRARY] = "library",
    };
    return p->algorithm == NADI_ALGORITHM_PROGRAM ? p->program->name : names[p->algorithm];
}

/* Of a packet of the phase, the reduction that follows its endpoint stage, on average. */
static double reduction_of(const struct nadi_inputs *in, const struct nadi_phase *p, double bytes)
{
    uint32_t reduced = 0;
    if (!(in->system.local_mem_bw > 0) || p->sends == 0)
        return 0;
    for (uint32_t k = 0; k < p->sends; k++)
        reduced += nadi_phase_reduces(p, k);
    return NADI_REDUCE_ACCESSES * bytes / in->system.local_mem_bw * 1e9 * reduced / p->sends;
}

/* Of a packet's time in the dimension that the members differ in: the part that no bandwidth
 * shortens, and of it that of latency and endpoint delay. */
struct split {
    double ns, fixed, latency; /* the whole; parts of it */
};

static struct split split_of(const struct nadi_inputs *in, const struct nadi_phase *p, uint32_t dim,
                             double bytes)
{
    const struct nadi_dim *net = &in->topology.dims[dim];
    const double hops = net->kind == NADI_DIM_SWITCH ? 2 : 1,
                 serial = in->options.network_model->store_and_forward ? hops : 1;
    const double delay = (double)nadi_phase_endpoint_ns(p, in->system.endpoint_delay_ns);
    const double latency = hops * net->latency_ns + delay,
                 fixed = latency + reduction_of(in, p, bytes),
                 moves = net->bytes_per_ns > 0 ? serial * bytes / net->bytes_per_ns : 0;
    if (!(fixed + moves > 0))
        return (struct split){0};
    return (struct split){fixed + moves, fixed / (fixed + moves), latency / (fixed + moves)};
}

/* Bytes of a message of the phase, on average. */
static double message_of(const struct nadi_phase *p)
{
    double bytes = 0;
    if (p->algorithm != NADI_ALGORITHM_HALVING_DOUBLING)
        return (double)p->message_bytes;
    for (uint32_t k = 0; k < p->log2_n; k++)
        bytes += (double)nadi_phase_bytes(p, k) / p->log2_n;
    return bytes;
}

/* What one chunk's phase takes on idle links, about. own: the dimension that its members differ in.
 */
static double weight_of(const struct nadi_inputs *in, const struct nadi_phase *p, uint32_t own,
                        struct split *split)
{
    double rounds = p->sends;
    if (p->algorithm == NADI_ALGORITHM_DIRECT && !in->options.network_model->has_contention &&
        p->first > 0)
        rounds = ceil((double)p->sends / p->first);
    if (p->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
        rounds = 2.0 * p->log2_n;
    *split = split_of(in, p, own, message_of(p));
    return rounds * split->ns;
}

bool nadi_inside_plan(const struct nadi_inputs *in, uint32_t rank, uint32_t node,
                      struct nadi_plan *plan)
{
    const struct nadi_trace *t = in->traces[rank];
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const struct nadi_group *group = nadi_inputs_group(in, t, node, rank);
    enum nadi_native_kind kind;
    if (!comm || !group ||
        nadi_system_is_uneven(&in->system, (enum nadi_collective_kind)t->collective[node], comm) ||
        !nadi_native_in(in->system.native, (enum nadi_collective_kind)t->collective[node], &kind))
        return false;
    const uint64_t bytes = nadi_count_scale(t->bytes[node], in->options.comm_scale);
    const struct nadi_plan_request request =
        nadi_system_plan_request(&in->system, &in->topology, &in->groups,
                                 (uint32_t)(group - in->groups.items), kind, bytes, comm->involved);
    return !request.implementation->custom && request.implementation->count > 0 &&
           nadi_plan_make(&request, plan) && plan->phase_count > 0;
}

const char *nadi_inside_algorithm(const struct nadi_plan *plan, uint32_t dim)
{
    const char *found = NULL, *other = NULL;
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const char *name = algorithm_name(&plan->phases[i]);
        if (!plan->world || plan->phases[i].dim == dim) {
            other = found && strcmp(found, name) != 0 ? name : other;
            found = name;
        }
    }
    return other ? NULL : found;
}

/* A process group's phases all use the queues of dimension 0; this is the dimension in which its
 * members differ; NADI_NONE where there are several. */
static uint32_t dim_of_group(const struct nadi_topology *t, const struct nadi_group *g)
{
    uint32_t found = NADI_NONE;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        bool differ = false;
        for (uint32_t i = 1; i < g->size && !differ; i++)
            differ = nadi_topology_coordinate(t, nadi_group_member(g, i), d) !=
                     nadi_topology_coordinate(t, nadi_group_member(g, 0), d);
        if (differ && found != NADI_NONE)
            return NADI_NONE;
        found = differ ? d : found;
    }
    return found;
}

/* Each phase its own time once; what is left to the slowest, behind which chunks queue. When they
 * took less than that (members came early), shares in proportion, the rounding to the slowest. What
 * takes longer than all chunks do on idle links shares them with others: that goes with bandwidth.
 * own_dim: in which all phases are; NADI_NONE: each in its own. */
static void share_out(const struct nadi_inputs *in, const struct nadi_plan *plan, uint32_t own_dim,
                      uint64_t ns, struct nadi_inside_part *parts)
{
    double weights[NADI_MAX_PHASES], sum = 0;
    struct split splits[NADI_MAX_PHASES];
    uint32_t slowest = 0;
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        weights[i] = weight_of(in, &plan->phases[i],
                               own_dim == NADI_NONE ? plan->phases[i].dim : own_dim, &splits[i]);
        sum += weights[i];
        if (weights[i] > weights[slowest])
            slowest = i;
    }
    double scale = sum > (double)ns && sum > 0 ? (double)ns / sum : 1;
    uint64_t given = 0;
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        uint64_t own = i == slowest ? 0 : nadi_count_trunc(weights[i] * scale);
        own = nadi_min_u64(own, ns - given);
        given += own;
        parts[i] = (struct nadi_inside_part){
            .ns = own,
            .dim = plan->phases[i].dim,
            .algorithm = algorithm_name(&plan->phases[i]),
        };
    }
    parts[slowest].ns = ns - given;
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const double ns_i = (double)parts[i].ns, most = weights[i] * plan->chunk_count;
        const double idle_ns = most > 0 ? fmin(ns_i, most) : ns_i;
        parts[i].fixed_ns = nadi_count_trunc(splits[i].fixed * idle_ns);
        parts[i].latency_ns = nadi_count_trunc(splits[i].latency * idle_ns);
    }
}

uint32_t nadi_inside_collective(const struct nadi_inputs *in, struct nadi_lower_bounds *bounds,
                                uint32_t rank, uint32_t node, uint64_t ns,
                                struct nadi_inside_part *parts)
{
    const struct nadi_trace *t = in->traces[rank];
    struct nadi_plan plan;
    uint64_t queue = 0;
    parts[0] = (struct nadi_inside_part){.ns = ns, .dim = NADI_NONE};
    if (!nadi_inside_plan(in, rank, node, &plan))
        return 1;
    if (in->options.network_model->store_and_forward && !in->has_graph) {
        uint32_t group = nadi_lower_bounds_group(bounds, t, node, rank);
        uint64_t least = nadi_lower_bound_collective(bounds, t, node, group).last;
        queue = least > 0 && least < ns ? ns - least : 0;
    }
    const uint32_t own =
        plan.world ? NADI_NONE : dim_of_group(&in->topology, nadi_inputs_group(in, t, node, rank));
    share_out(in, &plan, own, ns - queue, parts);
    for (uint32_t i = 0; i < plan.phase_count && !plan.world; i++)
        parts[i].dim = own;
    if (queue == 0)
        return plan.phase_count;
    uint32_t slowest = 0;
    for (uint32_t i = 1; i < plan.phase_count; i++)
        if (parts[i].ns > parts[slowest].ns)
            slowest = i;
    parts[plan.phase_count] = (struct nadi_inside_part){
        .ns = queue,
        .dim = parts[slowest].dim,
        .queue = true,
    };
    return plan.phase_count + 1;
}

uint32_t nadi_why_phases(const struct nadi_inputs *in, uint32_t rank, uint32_t node, uint64_t ns,
                         uint32_t *chunks, struct nadi_why_phase *phases)
{
    struct nadi_inside_part parts[NADI_INSIDE_PARTS];
    struct nadi_plan plan;
    if (!nadi_inside_plan(in, rank, node, &plan))
        return 0;
    const struct nadi_group *group = nadi_inputs_group(in, in->traces[rank], node, rank);
    const uint32_t own = plan.world ? NADI_NONE : dim_of_group(&in->topology, group);
    share_out(in, &plan, own, ns, parts);
    *chunks = plan.chunk_count;
    for (uint32_t i = 0; i < plan.phase_count; i++)
        phases[i] = (struct nadi_why_phase){
            .algorithm = parts[i].algorithm,
            .dim = plan.world ? parts[i].dim : own,
            .messages = plan.phases[i].sends,
            .message_bytes = nadi_count_round(message_of(&plan.phases[i])),
            .share = ns ? (double)parts[i].ns / (double)ns : 0,
        };
    return plan.phase_count;
}

static uint32_t slowest_difference(const struct nadi_topology *t, uint32_t a, uint32_t b)
{
    uint32_t slowest = NADI_NONE;
    double least = HUGE_VAL;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const double rate = t->dims[d].bytes_per_ns > 0 ? t->dims[d].bytes_per_ns : HUGE_VAL;
        if (nadi_topology_coordinate(t, a, d) == nadi_topology_coordinate(t, b, d))
            continue;
        if (slowest == NADI_NONE || rate < least) {
            slowest = d;
            least = rate;
        }
    }
    return slowest;
}

uint32_t nadi_inside_dim(const struct nadi_inputs *in, uint32_t from, uint32_t to)
{
    const struct nadi_topology *t = &in->topology;
    if (from == to || from >= t->npu_count || to >= t->npu_count)
        return NADI_NONE;
    return in->options.network_model->has_contention ? slowest_difference(t, from, to)
                                                     : nadi_topology_lowest_difference(t, from, to);
}

uint32_t nadi_inside_message(const struct nadi_inputs *in, struct nadi_lower_bounds *bounds,
                             uint32_t rank, uint32_t send_node, uint64_t ns,
                             struct nadi_inside_part *parts)
{
    const struct nadi_trace *t = in->traces[rank];
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, send_node);
    uint32_t dim = NADI_NONE, to = rank;
    uint64_t queue = 0;
    if (comm) {
        to = nadi_lower_bounds_peer(bounds, rank, comm->dst);
        dim = to < in->rank_count ? nadi_inside_dim(in, rank, to) : NADI_NONE;
    }
    if (in->options.network_model->store_and_forward && !in->has_graph) {
        uint64_t least = nadi_lower_bound_node(bounds, t, send_node, rank);
        queue = least > 0 && least < ns ? ns - least : 0;
    }
    const uint64_t latency =
        dim == NADI_NONE ? 0
                         : nadi_min_u64(nadi_lower_bound_message(bounds, rank, to, 0), ns - queue);
    parts[0] = (struct nadi_inside_part){
        .ns = ns - queue,
        .fixed_ns = latency,
        .latency_ns = latency,
        .dim = dim,
    };
    parts[1] = (struct nadi_inside_part){.ns = queue, .dim = dim, .queue = true};
    return queue ? 2 : 1;
}
