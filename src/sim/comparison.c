#include "sim/comparison.h"

#include "base/mem.h"
#include "inputs/check.h"
#include "inputs/load.h"
#include "inputs/trace_files.h"
#include "sim/run.h"

static void default_network(struct nadi_inputs *in, uint32_t ranks)
{
    in->topology.dim_count = 1;
    in->topology.dims[0] = (struct nadi_dim){
        .kind = NADI_DIM_RING, .npus = ranks, .bytes_per_ns = 50, .latency_ns = 500};
    if (!nadi_topology_finish(&in->topology))
        NADI_BUG("a ring of %u ranks", ranks);
    in->rank_count = in->topology.npu_count;
    in->options.network_model = nadi_network_default;
}

static void default_system(struct nadi_inputs *in)
{
    struct nadi_system_config *s = &in->system;
    s->endpoint_delay_ns = 10;
    s->active_chunks = s->splits = s->queues_per_dim = 1;
    s->local_reduction_delay = 1;
    for (int k = 0; k < NADI_NATIVE_KINDS; k++) {
        s->native[k].count = in->topology.dim_count;
        for (uint32_t d = 0; d < in->topology.dim_count; d++)
            s->native[k].dims[d] = (struct nadi_algorithm_choice){.algorithm = NADI_ALGORITHM_RING};
    }
}

static bool load_platform(struct nadi_load *l, uint32_t count)
{
    struct nadi_inputs *in = l->in;
    if (!in->options.network_model)
        in->options.network_model = nadi_network_default;
    if (in->options.queues_per_dim == 0)
        in->options.queues_per_dim = 1;
    in->options.injection_scale = in->options.compute_scale = in->options.comm_scale = 1;
    if (!in->options.network)
        default_network(in, count);
    else if (!nadi_load_network(l) || !nadi_load_packet(l))
        return false;
    if (in->rank_count != count)
        return nadi_error(l->diags, "workload/rank-count", NADI_IN_FILE(in->options.network), NULL,
                          "the network has %u NPUs, there are %u traces", in->rank_count, count);
    if (in->options.memory) {
        if (!nadi_load_memory(l))
            return false;
    } else if (!in->options.system) {
        in->memory = (struct nadi_memory_config){
            .kind = NADI_MEMORY_PER_NPU, .latency_ns = 100, .bytes_per_ns = 3};
    }
    if (in->options.system)
        return nadi_load_system(l) && nadi_load_custom_nodes(l);
    default_system(in);
    return true;
}

bool nadi_comparison_load(struct nadi_inputs *in, const struct nadi_run_options *options,
                          const char *const *paths, uint32_t count, struct nadi_diags *diags)
{
    *in = (struct nadi_inputs){.options = *options};
    nadi_arena_init(&in->arena);
    nadi_graph_init(&in->graph);
    in->options.record_ops = true;
    struct nadi_load l = {.in = in, .diags = diags};
    if (!load_platform(&l, count))
        return false;
    nadi_groups_init(&in->groups, count);
    if (!nadi_load_groups(&l))
        return false;
    in->traces = NADI_ZNEW(struct nadi_trace *, count);
    const unsigned flags = in->system.track_local_mem ? NADI_TRACE_KEEP_IO : 0;
    if (!nadi_trace_files_read(paths, count, flags, in->traces, &in->owned, &in->owned_count,
                               diags) ||
        !nadi_load_metadata_groups(&l))
        return false;
    nadi_strmap_put(&in->groups.by_name, "0", 1, 0, NULL);
    return nadi_load_attached(&l) && nadi_load_customs(&l) && nadi_check_load(&l);
}

/* --- graphs ------------------------------------------------------------------------------------
 */

static bool differs(struct nadi_str *why, const char *what)
{
    nadi_str_printf(why, "%s differ%s", what, what[strlen(what) - 1] == 's' ? "" : "s");
    return false;
}

static bool same_comm(const struct nadi_trace *a, const struct nadi_trace *b, uint32_t i)
{
    const struct nadi_trace_comm *x = &a->comms[i], *y = &b->comms[i];
    return x->src == y->src && x->dst == y->dst && x->tag == y->tag &&
           (x->group == NADI_NONE) == (y->group == NADI_NONE) && x->priority == y->priority &&
           x->involved == y->involved && x->involved_count == y->involved_count &&
           x->shares == y->shares && x->size_count == y->size_count &&
           (x->size_count == 0 || memcmp(a->sizes + x->sizes, b->sizes + y->sizes,
                                         x->size_count * sizeof(*a->sizes)) == 0);
}

/* Two collectives of one group stay two of one group. */
static bool same_groups(const struct nadi_trace *a, const struct nadi_trace *b)
{
    struct nadi_strmap one, other;
    bool same = true;
    nadi_strmap_init(&one);
    nadi_strmap_init(&other);
    for (uint32_t i = 0; i < a->comm_count && same; i++) {
        if (a->comms[i].group == NADI_NONE)
            continue;
        const char *x = nadi_trace_string(a, a->comms[i].group);
        const char *y = nadi_trace_string(b, b->comms[i].group);
        same = nadi_strmap_put(&one, x, strlen(x), i, NULL) ==
               nadi_strmap_put(&other, y, strlen(y), i, NULL);
    }
    nadi_strmap_release(&one);
    nadi_strmap_release(&other);
    return same;
}

#define SAME_ARRAY(member, count)                                                                  \
    ((count) == 0 || memcmp(a->member, b->member, (count) * sizeof(*a->member)) == 0)

bool nadi_comparison_same_graph(const struct nadi_trace *a, const struct nadi_trace *b,
                                struct nadi_str *why)
{
    const size_t n = a->node_count;
    if (n != b->node_count || !SAME_ARRAY(id, n) || !SAME_ARRAY(type, n))
        return differs(why, "the nodes");
    if (!SAME_ARRAY(duration_ns, n) || !SAME_ARRAY(ops, n) || !SAME_ARRAY(bytes, n))
        return differs(why, "durations or sizes");
    if (!SAME_ARRAY(flags, n) || !SAME_ARRAY(collective, n) || !SAME_ARRAY(comm, n) ||
        a->comm_count != b->comm_count)
        return differs(why, "kinds of nodes");
    if (!SAME_ARRAY(dep_start, n + 1) || !SAME_ARRAY(deps, (size_t)a->dep_start[n]))
        return differs(why, "the dependencies");
    for (uint32_t i = 0; i < a->comm_count; i++) {
        if (!same_comm(a, b, i))
            return differs(why, "peers, tags or dimensions");
    }
    return same_groups(a, b) || differs(why, "the groups");
}

/* --- results -----------------------------------------------------------------------------------
 */

static bool same_rank(const struct nadi_rank_result *a, const struct nadi_rank_result *b)
{
    return a->finish_ns == b->finish_ns && a->exposed_comm_ns == b->exposed_comm_ns &&
           a->compute_ns == b->compute_ns && a->comm_ns == b->comm_ns &&
           a->true_exposed_comm_ns == b->true_exposed_comm_ns && a->memory_ns == b->memory_ns &&
           a->cpu_ns == b->cpu_ns && a->idle_ns == b->idle_ns && a->nodes_done == b->nodes_done &&
           a->nodes_open == b->nodes_open && a->finished == b->finished &&
           a->peak_memory_bytes == b->peak_memory_bytes;
}

static bool same_collective(const struct nadi_collective_result *a,
                            const struct nadi_collective_result *b)
{
    return a->kind == b->kind && a->sequence == b->sequence && a->ranks == b->ranks &&
           a->rank == b->rank && a->node == b->node && a->chunks == b->chunks &&
           a->bytes == b->bytes && a->start_ns == b->start_ns && a->end_ns == b->end_ns &&
           a->complete == b->complete;
}

static bool same_results(const struct nadi_result *a, const struct nadi_result *b,
                         struct nadi_str *why)
{
    if (a->outcome != b->outcome || a->end_ns != b->end_ns)
        return differs(why, "the ends of the runs");
    for (uint32_t r = 0; r < a->rank_count; r++) {
        if (!same_rank(nadi_result_rank(a, r), nadi_result_rank(b, r)))
            return differs(why, "the times of a rank");
    }
    if (a->span_count != b->span_count || !SAME_ARRAY(spans, a->span_count))
        return differs(why, "starts or ends of nodes");
    if (a->collective_count != b->collective_count)
        return differs(why, "the collectives");
    for (size_t i = 0; i < a->collective_count; i++) {
        if (!same_collective(&a->collectives[i], &b->collectives[i]))
            return differs(why, "the times of a collective");
    }
    if (a->messages != b->messages || a->message_bytes != b->message_bytes ||
        a->lower_bound_ns != b->lower_bound_ns)
        return differs(why, "the messages");
    return true;
}

bool nadi_comparison_same_result(const struct nadi_inputs *a, const struct nadi_inputs *b,
                                 struct nadi_str *proof)
{
    struct nadi_result before, after;
    nadi_simulate(a, NULL, &before);
    nadi_simulate(b, NULL, &after);
    const bool same = same_results(&before, &after, proof);
    if (same)
        nadi_str_printf(proof,
                        "both simulated: the same %u ranks, starts and ends of %zu nodes, %zu "
                        "collectives and %" PRIu64 " messages; %s after %" PRIu64 " ns",
                        before.rank_count, before.span_count, before.collective_count,
                        before.messages,
                        before.outcome == NADI_OUTCOME_DONE       ? "done"
                        : before.outcome == NADI_OUTCOME_DEADLOCK ? "both deadlocked"
                                                                  : "both stopped",
                        before.end_ns);
    nadi_result_release(&before);
    nadi_result_release(&after);
    return same;
}
