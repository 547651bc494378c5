/* dispatch: turns a node into work for the system, or into a timer. */
#include "base/mem.h"
#include "collective/plan.h"
#include "compute/compute.h"
#include "memory/tiers.h"
#include "trace/mem.h"
#include "workload/internal.h"

uint32_t nadi_workload_group(const struct nadi_workload *w, uint32_t rank, uint32_t node)
{
    const struct rank_state *r = &w->ranks[rank];
    const uint32_t comm = r->trace->comm[node];
    NADI_ASSERT(comm != NADI_NONE);
    return nadi_groups_of_meaning(w->setup.groups, r->meanings[comm],
                                  nadi_workload_rank_of(w, rank));
}

static const uint32_t *meanings_of(struct nadi_workload *w, const struct nadi_trace *t)
{
    uint32_t *meanings = NADI_ARENA_NEW(&w->arena, uint32_t, t->comm_count);
    struct nadi_map64 known; /* by the name's offset */
    nadi_map64_init(&known, 16);
    for (uint32_t c = 0; c < t->comm_count; c++) {
        const uint32_t name = t->comms[c].group;
        bool added;
        uint32_t *first = nadi_map64_put(&known, name, c, &added);
        if (!added)
            meanings[c] = meanings[*first];
        else
            meanings[c] = name == NADI_NONE
                              ? 0
                              : nadi_groups_meaning(w->setup.groups, nadi_trace_string(t, name));
    }
    nadi_map64_release(&known);
    return meanings;
}

void nadi_workload_find_groups(struct nadi_workload *w)
{
    struct nadi_map64 first; /* rank of a trace */
    nadi_map64_init(&first, 16);
    for (uint32_t rank = 0; rank < w->rank_count; rank++) {
        struct rank_state *r = &w->ranks[rank];
        bool added;
        if (!r->trace)
            continue; /* of another part */
        if (rank > 0 && r[-1].trace == r->trace) {
            r->meanings = r[-1].meanings;
            continue;
        }
        uint32_t *of = nadi_map64_put(&first, (uint64_t)(uintptr_t)r->trace, rank, &added);
        r->meanings = added ? meanings_of(w, r->trace) : w->ranks[*of].meanings;
    }
    nadi_map64_release(&first);
}

static uint64_t compute_time(struct nadi_workload *w, uint32_t rank, uint32_t node, uint64_t ns)
{
    const struct nadi_perturb *p = w->setup.perturb;
    ns = nadi_count_scale(ns, w->setup.compute_scale);
    if (!p)
        return ns;
    const struct nadi_perturb_work work = {
        .rank = rank,
        .node = node,
        .now = nadi_engine_now(w->engine),
        .before_ns = w->ranks[rank].computed_ns,
        .ns = ns,
    };
    w->ranks[rank].computed_ns = nadi_ns_add(work.before_ns, ns);
    return nadi_perturb_compute(p, &work);
}

static void timer(struct nadi_workload *w, uint32_t rank, uint32_t node, uint64_t ns)
{
    nadi_engine_schedule(w->engine, nadi_engine_after_ns(w->engine, ns), rank, w->kind_timer, node,
                         0, 0);
}

/* The accelerator computes for so long, alone; line: NULL where only that is known. */
static void compute(struct nadi_workload *w, uint32_t rank, uint32_t node, uint64_t ns,
                    const struct nadi_roofline *line)
{
    if (w->setup.sharing.copying)
        nadi_workload_share(w, rank, node, ns, line);
    else
        timer(w, rank, node, ns);
}

static void replay(struct nadi_workload *w, uint32_t rank, uint32_t node)
{
    struct rank_state *r = &w->ranks[rank];
    const struct nadi_trace *t = r->trace;
    uint64_t ns = nadi_replay_ns(t->duration_ns[node]);
    if (t->type[node] == NADI_NODE_COMP && !nadi_trace_pauses(t, node))
        ns = compute_time(w, rank, node, ns);
    if (!(t->flags[node] & NADI_NODE_IS_CPU))
        r->view.gpu_ticks = nadi_ns_add(r->view.gpu_ticks, ns);
    if (t->type[node] == NADI_NODE_COMP && !(t->flags[node] & NADI_NODE_IS_CPU))
        compute(w, rank, node, ns, NULL);
    else
        timer(w, rank, node, ns);
}

static bool roofline(struct nadi_workload *w, uint32_t rank, uint32_t node)
{
    struct rank_state *r = &w->ranks[rank];
    const struct nadi_trace *t = r->trace;
    if (t->bytes[node] == 0 && !w->setup.config->only_untimed)
        return false;
    struct nadi_roofline line = {w->setup.config->peak_perf, w->setup.config->local_mem_bw};
    struct nadi_kernel_time k = nadi_roofline_time(&line, t->ops[node], t->bytes[node]);
    k.ns = compute_time(w, rank, node, k.ns);
    double weight = (double)k.ns;
    r->view.weight += weight;
    r->view.compute_bound += k.memory_bound ? 0 : weight;
    r->view.compute_utilisation += weight * k.compute_utilisation;
    r->view.memory_utilisation += weight * k.memory_utilisation;
    r->view.intensity += weight * k.intensity;
    r->view.gpu_ticks = nadi_ns_add(r->view.gpu_ticks, k.ns);
    compute(w, rank, node, k.ns, &line);
    return true;
}

static const struct nadi_custom_algorithm *find_custom(const struct nadi_workload *w,
                                                       const struct nadi_trace *t, uint32_t node,
                                                       enum nadi_native_kind kind,
                                                       const struct nadi_collective_call *call)
{
    const struct nadi_system_config *c = w->setup.config;
    const struct nadi_custom_node *own = nadi_custom_node_of(c, t->id[node]);
    if (own)
        return own->custom_index == NADI_NONE ? NULL : &w->setup.customs[own->custom_index];
    const struct nadi_implementation *i = nadi_implementation_of(
        c, kind, call->group, w->setup.groups->items[call->group].size, call->bytes);
    return i->custom && i->custom_index != NADI_NONE ? &w->setup.customs[i->custom_index] : NULL;
}

/* The rank that a rooted collective names as its root: comm_src where data come from it, comm_dst
 * where they go to it; in a manifest its place in the group. Without, the group's first member. */
static uint32_t root_of(const struct nadi_workload *w, uint32_t rank, uint32_t node,
                        enum nadi_collective_root at)
{
    const struct nadi_trace *t = w->ranks[rank].trace;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const bool from = at == NADI_ROOT_FROM;
    if (at == NADI_ROOT_NONE)
        return 0;
    const struct nadi_group *g = &w->setup.groups->items[nadi_workload_group(w, rank, node)];
    if (!(t->flags[node] & (from ? NADI_NODE_HAS_SRC : NADI_NODE_HAS_DST)))
        return nadi_group_member(g, 0);
    uint32_t root = from ? comm->src : comm->dst;
    return w->setup.relative_peers ? nadi_group_member(g, root) : root;
}

/* What an uneven all-to-all of `bytes` sends to each member; NULL: the same to all. Until the next
 * call. */
static const uint64_t *sizes_of(struct nadi_workload *w, uint32_t rank, uint32_t node,
                                uint64_t bytes)
{
    const struct nadi_trace *t = w->ranks[rank].trace;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const struct nadi_system_config *c = w->setup.config;
    if (!nadi_system_is_uneven(c, (enum nadi_collective_kind)t->collective[node], comm))
        return NULL;
    const struct nadi_group *g = &w->setup.groups->items[nadi_workload_group(w, rank, node)];
    if (w->row.capacity < g->size) {
        w->row.capacity = g->size;
        w->row.weights = nadi_mem_realloc(w->row.weights, g->size, sizeof(double));
        w->row.sizes = nadi_mem_realloc(w->row.sizes, g->size, sizeof(uint64_t));
    }
    if (comm->size_count == 0)
        nadi_uneven_weights(&c->uneven, g->size, nadi_group_position(g, rank), w->row.weights);
    for (uint32_t i = 0; comm->size_count > 0 && i < g->size; i++)
        w->row.weights[i] = (double)t->sizes[comm->sizes + i];
    nadi_uneven_share(w->row.weights, g->size, bytes, w->row.sizes);
    return w->row.sizes;
}

static void count_offered(struct nadi_workload *w, uint32_t rank, uint64_t bytes)
{
    const uint64_t all = nadi_count_mul(bytes, nadi_workload_weight(w, rank));
    w->offered_bytes = nadi_count_add(w->offered_bytes, all);
}

/* Algorithms count what all members have together, and twice that on the wire, in 64 bits. A
 * collective of more does not end: a clock of 106 days has no room for it. */
static bool fits(const struct nadi_workload *w, enum nadi_collective_kind kind, uint32_t group,
                 uint64_t bytes)
{
    const uint64_t members = w->setup.groups->items[group].size;
    const bool gathers = kind == NADI_ALL_GATHER || kind == NADI_GATHER || kind == NADI_ALL_TO_ALL;
    return !nadi_is_most(nadi_count_mul(bytes, 4 * (gathers ? members : 1)));
}

static void collective(struct nadi_workload *w, uint32_t rank, uint32_t node)
{
    struct rank_state *r = &w->ranks[rank];
    const struct nadi_trace *t = r->trace;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    NADI_ASSERT(comm);
    enum nadi_collective_kind kind = (enum nadi_collective_kind)t->collective[node];
    enum nadi_native_kind native;
    if (!nadi_native_in(w->setup.config->native, kind,
                        &native)) { /* BROADCAST: a local timer, as in the reference */
        timer(w, rank, node, nadi_replay_ns(t->duration_ns[node]));
        return;
    }
    const uint64_t bytes = nadi_count_scale(t->bytes[node], w->setup.comm_scale);
    const uint32_t group = nadi_workload_group(w, rank, node);
    if (!fits(w, kind, group, bytes)) {
        timer(w, rank, node, NADI_NS_NEVER);
        return;
    }
    count_offered(w, rank, bytes);
    struct nadi_collective_call call = {
        .rank = rank,
        .node = node,
        .group = group,
        .kind = kind,
        .bytes = bytes,
        .involved = comm->involved,
        .root = root_of(w, rank, node, nadi_collective_root(kind)),
        .priority = comm->priority,
    };
    call.custom = find_custom(w, t, node, native, &call);
    if (!call.custom)
        call.sizes = sizes_of(w, rank, node, bytes);
    const bool begun = nadi_system_collective(w->system, &call);
    nadi_workload_note_mismatch(w);
    w->failed |= !begun;
}

uint32_t nadi_workload_peer(const struct nadi_workload *w, uint32_t actor, uint32_t node)
{
    const struct nadi_trace *t = w->ranks[actor].trace;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    NADI_ASSERT(comm);
    uint32_t written = t->type[node] == NADI_NODE_RECV ? comm->src : comm->dst;
    if (!w->setup.relative_peers)
        return written;
    return nadi_relative_peer(nadi_workload_rank_of(w, actor), written,
                              w->setup.topology->npu_count);
}

static void point_to_point(struct nadi_workload *w, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = w->ranks[rank].trace;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    NADI_ASSERT(comm);
    uint32_t peer = nadi_workload_peer(w, rank, node);
    uint64_t bytes = nadi_count_scale(t->bytes[node], w->setup.comm_scale);
    if (nadi_is_most(bytes)) {
        timer(w, rank, node, NADI_NS_NEVER);
        return;
    }
    if (bytes == 0)
        bytes = 1; /* scaled down to nothing: the message still exists */
    if (t->type[node] == NADI_NODE_RECV) {
        nadi_system_recv(w->system, rank, node, peer, comm->tag, bytes);
        return;
    }
    count_offered(w, rank, bytes);
    nadi_system_send(w->system, rank, node, peer, comm->tag, bytes);
}

/* Nodes that name no tier load from the preset one into the NPU's own memory, or store there. */
static void memory(struct nadi_workload *w, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = w->ranks[rank].trace;
    const struct nadi_trace_mem *mem = nadi_trace_mem(t, node);
    const struct nadi_tiers *tiers = w->setup.memory->tiers;
    const bool loads = t->type[node] == NADI_NODE_MEM_LOAD;
    struct nadi_memory_call call = {.bytes = t->bytes[node],
                                    .op = loads ? NADI_MEM_LOADS : NADI_MEM_STORES,
                                    .role = NADI_MEM_OTHER};
    if (tiers && mem) {
        call = nadi_memory_call_of(t, mem, t->bytes[node]);
    } else if (tiers) {
        const uint32_t local = nadi_tiers_local(tiers);
        call.from = loads ? tiers->preset : local;
        call.to = loads ? local : tiers->preset;
    }
    call.in_switch = nadi_trace_in_switch(t, node);
    call.same = nadi_trace_same_for_all(t, node);
    nadi_system_memory(w->system, rank, node, &call);
}

bool nadi_workload_dispatch(struct nadi_workload *w, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = w->ranks[rank].trace;
    if (w->setup.config->replay_only) {
        replay(w, rank, node);
        return true;
    }
    switch ((enum nadi_node_type)t->type[node]) {
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
        memory(w, rank, node);
        return true;
    case NADI_NODE_COMP:
        if (nadi_is_by_roofline(w->setup.config, t, node))
            return roofline(w, rank, node);
        replay(w, rank, node);
        return true;
    case NADI_NODE_COLL:
        collective(w, rank, node);
        return true;
    case NADI_NODE_SEND:
    case NADI_NODE_RECV:
        point_to_point(w, rank, node);
        return true;
    case NADI_NODE_INVALID:
    case NADI_NODE_METADATA:
    case NADI_NODE_TYPES:
        break;
    }
    return false;
}
