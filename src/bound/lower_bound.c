#include "bound/lower_bound.h"

#include "base/mem.h"
#include "base/time.h"
#include "bound/lower_bound_graph.h"
#include "bound/lower_bound_inside.h"
#include "collective/plan.h"
#include "compute/compute.h"

static struct family make_family(const struct nadi_inputs *in, const uint32_t *group_of)
{
    const struct nadi_group *groups = in->groups.items;
    struct family family = {.example = group_of[0], .whole = true};
    uint32_t *users = NADI_ZNEW(uint32_t, in->groups.count);
    for (uint32_t rank = 0; rank < in->rank_count; rank++) {
        users[group_of[rank]]++;
        if (groups[group_of[rank]].size != groups[group_of[0]].size)
            family.example = NADI_NONE;
    }
    for (size_t g = 0; g < in->groups.count; g++)
        family.whole &= users[g] == 0 || users[g] == groups[g].size;
    nadi_mem_free(users);
    return family;
}

/* By group, and by family: the least of its groups. */
static struct nadi_bound_leaving *find_leaving(const struct nadi_lower_bounds *f)
{
    const struct nadi_inputs *in = f->in;
    const struct nadi_groups *g = &in->groups;
    struct nadi_bound_leaving *of =
        NADI_NEW(struct nadi_bound_leaving, nadi_lower_bounds_group_count(f));
    for (size_t i = 0; i < g->count; i++)
        of[i] = nadi_bound_cut_leaving(f->cut, &g->items[i]);
    for (size_t i = 0; i < g->family_count; i++) {
        struct nadi_bound_leaving *least = &of[g->count + i];
        *least = (struct nadi_bound_leaving){1, UINT32_MAX};
        for (uint32_t rank = 0; rank < in->rank_count; rank++) {
            const struct nadi_bound_leaving *own = &of[g->families[i].group_of[rank]];
            least->ring &= own->ring;
            least->direct = own->direct < least->direct ? own->direct : least->direct;
        }
    }
    return of;
}

uint64_t nadi_lower_bounds_leaving_ns(const struct nadi_lower_bounds *f, const uint64_t *leaving,
                                      const uint32_t *trace_of)
{
    return f->cut ? nadi_bound_cut_leaving_ns(f->cut, leaving, trace_of) : 0;
}

/* Does each message take one route? */
static bool sends_whole(const struct nadi_inputs *in)
{
    const struct nadi_network_ops *model = in->options.network_model;
    const bool sprays = model->has_packets && nadi_packet_config_sprays(&in->packet);
    return model->whole_routes && !sprays;
}

/* Does a pair's next message take the route of the one before? In the exact mode of packets each
 * has a queue pair of its own, with a hash of its own. */
static bool keeps_routes(const struct nadi_inputs *in)
{
    return !in->options.network_model->has_packets || !in->packet.exact ||
           in->packet.spreading == NADI_SPREADING_NONE;
}

/* Of a ring of all ranks, where a pair keeps its route; it is known where only the pair decides and
 * no link fails. */
static double round_ns(const struct nadi_inputs *in, const struct nadi_link_least *least)
{
    const enum nadi_route_scheme scheme = in->routing.scheme;
    const bool known = !in->events && !in->options.compat &&
                       (scheme == NADI_ROUTE_SHORTEST || scheme == NADI_ROUTE_DIMENSION_ORDER);
    if (in->system.rendezvous || !sends_whole(in) || !keeps_routes(in) || in->rank_count < 2 ||
        in->rank_count > in->graph.host_count || scheme == NADI_ROUTE_ADAPTIVE)
        return 0;
    return nadi_lower_bound_graph_round(&in->graph, least, known ? &in->routing : NULL,
                                        in->rank_count);
}

static void look_at_graph(struct nadi_lower_bounds *f)
{
    const struct nadi_inputs *in = f->in;
    struct nadi_link_least *least = nadi_inputs_link_least(in);
    f->graph = nadi_lower_bound_graph_create(&in->graph, least, in->options.network_model,
                                             sends_whole(in));
    if (!in->system.rendezvous)
        f->cut = nadi_bound_cut_create(&in->graph, least, in->rank_count);
    if (f->cut)
        f->leaving = find_leaving(f);
    f->round_ns = round_ns(in, least);
    nadi_mem_free(least);
}

struct nadi_lower_bounds *nadi_lower_bounds_create(const struct nadi_inputs *in)
{
    struct nadi_lower_bounds *f = NADI_ZNEW(struct nadi_lower_bounds, 1);
    f->in = in;
    f->comm_scale = in->options.compat ? 1 : in->options.comm_scale;
    f->group_dims = NADI_ZNEW(uint32_t, nadi_lower_bounds_group_count(f));
    f->families = NADI_NEW(struct family, in->groups.family_count);
    for (size_t i = 0; i < in->groups.family_count; i++)
        f->families[i] = make_family(in, in->groups.families[i].group_of);
    if (in->has_graph)
        look_at_graph(f);
    return f;
}

void nadi_lower_bounds_destroy(struct nadi_lower_bounds *f)
{
    nadi_mem_free(f->group_dims);
    nadi_mem_free(f->families);
    nadi_lower_bound_graph_destroy(f->graph);
    nadi_bound_cut_destroy(f->cut);
    nadi_mem_free(f->leaving);
    nadi_mem_free(f);
}

/* ---- messages ------------------------------------------------------------------------------ */

/* Under rendezvous sizes pass through 32 bits, as in the reference; the least they can become. */
uint64_t nadi_lower_bound_carried(const struct nadi_lower_bounds *f, uint64_t bytes)
{
    return f->in->system.rendezvous && bytes > INT32_MAX ? 0 : bytes;
}

/* Idle network, `hops` links of dimension d. */
uint64_t nadi_lower_bound_path_ns(const struct nadi_lower_bounds *f, uint32_t d, uint32_t hops,
                                  uint64_t bytes)
{
    const struct nadi_dim *dim = &f->in->topology.dims[d];
    if (f->graph)
        return nadi_lower_bound_graph_least_ns(f->graph, nadi_lower_bound_carried(f, bytes));
    double serial = (double)nadi_lower_bound_carried(f, bytes) / dim->bytes_per_ns;
    if (f->in->options.network_model->store_and_forward)
        return nadi_count_mul(hops, nadi_count_trunc(dim->latency_ns + serial));
    const double early_ns = f->in->options.network_model->early_ns;
    return nadi_count_trunc((double)hops * (dim->latency_ns - early_ns) + serial);
}

static uint32_t least_hops(const struct nadi_dim *dim)
{
    return dim->kind == NADI_DIM_SWITCH ? 2 : 1;
}

/* The quickest route between two members that differ in some of the dimensions. */
uint64_t nadi_lower_bound_quickest_ns(const struct nadi_lower_bounds *f, uint32_t dims,
                                      uint64_t bytes)
{
    const struct nadi_topology *t = &f->in->topology;
    uint64_t best = UINT64_MAX;
    if (f->graph)
        return nadi_lower_bound_graph_least_ns(f->graph, nadi_lower_bound_carried(f, bytes));
    for (uint32_t d = 0; d < t->dim_count; d++)
        if (dims >> d & 1)
            best =
                nadi_min_u64(best, nadi_lower_bound_path_ns(f, d, least_hops(&t->dims[d]), bytes));
    return best == UINT64_MAX ? 0 : best;
}

/* Those in which ranks differ. */
uint32_t nadi_lower_bound_all_dims(const struct nadi_topology *t)
{
    uint32_t dims = 0;
    for (uint32_t d = 0; d < t->dim_count && d < NADI_MAX_DIMS; d++)
        dims |= (uint32_t)(t->dims[d].npus > 1) << d;
    return dims;
}

static uint32_t dims_of_members(const struct nadi_topology *t, const struct nadi_group *g)
{
    uint32_t dims = 0;
    if (!g->members)
        return nadi_lower_bound_all_dims(t);
    for (uint32_t i = 1; i < g->size; i++)
        for (uint32_t d = 0; d < t->dim_count; d++)
            if (nadi_topology_coordinate(t, g->members[i], d) !=
                nadi_topology_coordinate(t, g->members[0], d))
                dims |= 1U << d;
    return dims;
}

uint32_t nadi_lower_bound_group_dims(struct nadi_lower_bounds *f, uint32_t group)
{
    const struct nadi_groups *groups = &f->in->groups;
    uint32_t dims = 0;
    if (f->group_dims[group])
        return f->group_dims[group];
    if (group < groups->count)
        dims = dims_of_members(&f->in->topology, &groups->items[group]);
    for (uint32_t rank = 0; group >= groups->count && rank < f->in->rank_count; rank++)
        dims |=
            nadi_lower_bound_group_dims(f, groups->families[group - groups->count].group_of[rank]);
    f->group_dims[group] = dims;
    return dims;
}

uint64_t nadi_lower_bound_message(const struct nadi_lower_bounds *f, uint32_t src, uint32_t dst,
                                  uint64_t bytes)
{
    const struct nadi_topology *t = &f->in->topology;
    uint64_t sum = 0;
    if (f->graph)
        return src == dst ? 0
                          : nadi_lower_bound_graph_route(f->graph, src, dst,
                                                         nadi_lower_bound_carried(f, bytes))
                                .ns;
    for (uint32_t d = nadi_topology_lowest_difference(t, src, dst); d < t->dim_count; d++) {
        uint32_t a = nadi_topology_coordinate(t, src, d), b = nadi_topology_coordinate(t, dst, d);
        if (a == b)
            continue;
        sum = nadi_count_add(
            sum, nadi_lower_bound_path_ns(f, d, nadi_dim_hops(&t->dims[d], a, b), bytes));
        if (!f->in->options.network_model->store_and_forward)
            break; /* higher dimensions are free */
    }
    return sum;
}

/* A chunk of a ring through all ranks. Where there are several queues other chunks go the other way
 * round, over the other channels of the links: half of them at least go one way. A named group of
 * all ranks may be hashed to other routes: it counts by itself, not here. */
static uint64_t neighbours_ns(const struct nadi_lower_bounds *f, const struct nadi_plan *plan,
                              uint64_t queues, uint32_t group)
{
    const struct nadi_phase *p = &plan->phases[0];
    if (!(f->round_ns > 0) || !plan->world || group != 0 || plan->phase_count != 1 || p->program ||
        p->uneven || p->algorithm != NADI_ALGORITHM_RING || p->n != f->in->rank_count ||
        p->stride != 1)
        return 0;
    const uint64_t bytes = nadi_phase_bytes(p, 0), spared = nadi_lower_bound_spared(f);
    const double sent = bytes > spared ? (double)(bytes - spared) * p->sends : 0;
    return nadi_count_trunc(sent * f->round_ns * (1 - 1e-12) / (queues > 1 ? 2 : 1));
}

/* Of a chunk, what each member sends out of its island. */
static uint64_t leaving_bytes(const struct nadi_lower_bounds *f, const struct nadi_plan *plan,
                              const struct nadi_phase *p, uint32_t group)
{
    const struct nadi_groups *groups = &f->in->groups;
    const uint32_t example =
        group < groups->count ? group : f->families[group - groups->count].example;
    if (!f->leaving || plan->world || p->program || p->uneven || p->stride != 1 ||
        p->n != groups->items[example].size)
        return 0;
    const uint64_t bytes = nadi_phase_bytes(p, 0), spared = nadi_lower_bound_spared(f);
    const uint64_t sent = bytes > spared ? bytes - spared : 0;
    if (p->algorithm == NADI_ALGORITHM_RING)
        return nadi_count_mul(sent, (uint64_t)f->leaving[group].ring * p->sends);
    if (p->algorithm == NADI_ALGORITHM_DIRECT)
        return nadi_count_mul(sent, (uint64_t)f->leaving[group].direct *
                                        (p->op == NADI_PHASE_ALL_REDUCE ? 2 : 1));
    return 0;
}

/* ---- a collective -------------------------------------------------------------------------- */

/* A chunk passes all phases; a queue lets `active` of its chunks run at once, so that the slowest
 * phase is also passed once for each further batch. With one queue a dimension all chunks go the
 * same way round, and the argument holds for the chain through all members as well; trees take
 * turns, so there it does not. */
static struct nadi_lower_bound plan_bound(struct nadi_lower_bounds *f, const struct nadi_plan *plan,
                                          uint32_t group)
{
    const struct nadi_system_config *c = &f->in->system;
    uint64_t queues = c->queues_per_dim ? c->queues_per_dim : 1;
    uint64_t active = ((uint64_t)c->active_chunks + queues - 1) / queues;
    uint64_t queued = (plan->chunk_count + queues - 1) / queues;
    uint64_t batches = active ? (queued + active - 1) / active : 1;
    struct nadi_lower_bound sum = {0}, slowest = {0};
    if (plan->chunk_count == 0 || (plan->world && c->inter != NADI_INTER_BASELINE))
        return sum; /* how many bytes a dimension carries depends on the schedule */
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct nadi_phase *p = &plan->phases[i];
        if (p->program || p->algorithm == NADI_ALGORITHM_LIBRARY) /* no bound is known for them */
            continue;
        struct nadi_lower_bound phase = nadi_lower_bound_phase(f, p, group, plan->world);
        sum.own = nadi_count_add(sum.own, phase.own);
        sum.last = nadi_count_add(sum.last, phase.last);
        if (f->cut && plan->world)
            sum.cut = nadi_count_add(
                sum.cut,
                nadi_count_mul(plan->chunk_count,
                               nadi_bound_cut_phase_ns(f->cut, p, nadi_lower_bound_spared(f))));
        sum.leaving = nadi_count_add(
            sum.leaving, nadi_count_mul(plan->chunk_count, leaving_bytes(f, plan, p, group)));
        sum.load[p->dim] =
            nadi_count_add(sum.load[p->dim], nadi_count_mul(plan->chunk_count, phase.load[p->dim]));
        slowest.own = nadi_max_u64(slowest.own, phase.own);
        if (queues == 1 && p->algorithm != NADI_ALGORITHM_DOUBLE_BINARY_TREE)
            slowest.last = nadi_max_u64(slowest.last, phase.last);
    }
    sum.neighbours = nadi_count_mul(plan->chunk_count, neighbours_ns(f, plan, queues, group));
    sum.own = nadi_count_add(sum.own, nadi_count_mul(batches - 1, slowest.own));
    sum.last = nadi_count_add(sum.last, nadi_count_mul(batches - 1, slowest.last));
    sum.last = nadi_max_u64(sum.last, sum.own);
    return sum;
}

static bool is_custom(const struct nadi_inputs *in, enum nadi_native_kind kind, uint64_t node_id)
{
    const struct nadi_system_config *c = &in->system;
    return c->native[kind].custom || c->attached_count > 0 ||
           nadi_custom_node_of(c, node_id) != NULL;
}

uint32_t nadi_lower_bounds_group_count(const struct nadi_lower_bounds *f)
{
    return (uint32_t)(f->in->groups.count + f->in->groups.family_count);
}

bool nadi_lower_bounds_group_is_whole(const struct nadi_lower_bounds *f, uint32_t group,
                                      uint32_t users)
{
    const struct nadi_groups *groups = &f->in->groups;
    if (group < groups->count)
        return users == groups->items[group].size;
    return users == f->in->rank_count && f->families[group - groups->count].whole;
}

uint32_t nadi_lower_bounds_peer(const struct nadi_lower_bounds *f, uint32_t rank, uint32_t written)
{
    return f->in->relative_peers ? nadi_relative_peer(rank, written, f->in->rank_count) : written;
}

uint32_t nadi_lower_bounds_group(const struct nadi_lower_bounds *f, const struct nadi_trace *t,
                                 uint32_t node, uint32_t rank)
{
    const struct nadi_groups *groups = &f->in->groups;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    if (!comm || comm->group == NADI_NONE)
        return 0;
    const uint32_t meaning = nadi_groups_meaning(groups, nadi_trace_string(t, comm->group));
    if (rank == NADI_NONE && meaning != NADI_NONE && meaning & NADI_GROUP_FAMILY)
        return (uint32_t)groups->count + (meaning & ~(uint32_t)NADI_GROUP_FAMILY);
    return nadi_groups_of_meaning(groups, meaning, rank == NADI_NONE ? 0 : rank);
}

/* Bytes of a collective that is cut without a rest, each part at most as large as those of the one
 * that is rounded exactly: chunks of ceil(bytes / splits), the last one with what is left, each cut
 * as evenly as can be in one dimension after the other. 0: too few. */
static uint64_t even_bytes(const struct nadi_plan_request *request)
{
    const uint64_t splits = request->splits, least = request->bytes / splits;
    const uint64_t parts = request->group->size;
    if (least < splits)
        return 0;
    return nadi_count_mul(splits, (least - (splits - 1)) / parts * parts);
}

static struct nadi_lower_bound make_bound(struct nadi_lower_bounds *f, const struct memo *key)
{
    const struct nadi_inputs *in = f->in;
    struct nadi_plan plan;
    uint32_t group = key->group;
    if (group >= in->groups.count)
        group = f->families[group - in->groups.count].example;
    if (group == NADI_NONE)
        return (struct nadi_lower_bound){0};
    struct nadi_plan_request request = nadi_system_plan_request(
        &in->system, &in->topology, &in->groups, group, key->kind, key->bytes, key->involved);
    if (nadi_plan_is_by_node(&request)) /* whose bound is not known */
        return (struct nadi_lower_bound){0};
    request.by_node = false;
    request.splits = nadi_plan_splits(&request);
    request.soonest = false;
    if (request.exact)
        request.bytes = even_bytes(&request);
    if (request.implementation->count == 0 || request.bytes == 0 ||
        !nadi_plan_make(&request, &plan))
        return (struct nadi_lower_bound){0};
    return plan_bound(f, &plan, key->group);
}

struct nadi_lower_bound nadi_lower_bound_collective(struct nadi_lower_bounds *f,
                                                    const struct nadi_trace *t, uint32_t node,
                                                    uint32_t group)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    enum nadi_native_kind kind;
    if (!nadi_native_in(f->in->system.native, (enum nadi_collective_kind)t->collective[node],
                        &kind)) {
        uint64_t ns = nadi_replay_ns(t->duration_ns[node]);
        return (struct nadi_lower_bound){.own = ns, .last = ns};
    }
    if (group == NADI_NONE ||
        nadi_system_is_uneven(&f->in->system, (enum nadi_collective_kind)t->collective[node],
                              comm) ||
        is_custom(f->in, kind, t->id[node]))
        return (struct nadi_lower_bound){0};
    struct memo key = {
        .valid = true,
        .group = group,
        .involved = comm ? comm->involved : UINT32_MAX,
        .kind = kind,
        .bytes = nadi_count_scale(t->bytes[node], f->comm_scale),
    };
    uint64_t hash = nadi_hash_u64(key.bytes ^ ((uint64_t)group << 40) ^
                                  ((uint64_t)key.involved << 8) ^ (uint64_t)kind);
    struct memo *m = &f->memo[hash >> (64 - MEMO_BITS)];
    if (!m->valid || m->group != key.group || m->involved != key.involved || m->kind != key.kind ||
        m->bytes != key.bytes) {
        key.bound = make_bound(f, &key);
        *m = key;
    }
    return m->bound;
}

/* ---- the other nodes ----------------------------------------------------------------------- */

uint64_t nadi_lower_bounds_message_bytes(const struct nadi_lower_bounds *f,
                                         const struct nadi_trace *t, uint32_t node)
{
    return nadi_max_u64(nadi_count_scale(t->bytes[node], f->comm_scale), 1);
}

uint64_t nadi_lower_bound_node(const struct nadi_lower_bounds *f, const struct nadi_trace *t,
                               uint32_t node, uint32_t rank)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    if (f->in->system.replay_only && t->type[node] != NADI_NODE_METADATA)
        return nadi_inputs_replay_ns(f->in, t, node);
    switch ((enum nadi_node_type)t->type[node]) {
    case NADI_NODE_COMP:
        return nadi_inputs_compute_ns(f->in, t, node);
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
        return nadi_inputs_memory_least_ns(f->in, t, node);
    case NADI_NODE_SEND: {
        uint64_t bytes = nadi_lower_bounds_message_bytes(f, t, node);
        if (rank == NADI_NONE || !comm)
            return nadi_lower_bound_quickest_ns(f, nadi_lower_bound_all_dims(&f->in->topology),
                                                bytes);
        return nadi_lower_bound_message(f, rank, nadi_lower_bounds_peer(f, rank, comm->dst), bytes);
    }
    case NADI_NODE_RECV:
    case NADI_NODE_COLL:
    case NADI_NODE_INVALID:
    case NADI_NODE_METADATA:
    case NADI_NODE_TYPES:
        break;
    }
    return 0;
}
