#include "support/job.h"

#include "base/mem.h"

void job_init(struct job *j, const struct nadi_dim *dims, uint32_t count)
{
    *j = (struct job){0};
    struct nadi_inputs *in = &j->in;
    nadi_arena_init(&in->arena);
    in->options.workload = "job";
    in->options.injection_scale = in->options.compute_scale = in->options.comm_scale = 1;
    in->options.network_model = &nadi_network_unaware;
    in->options.record_ops = true;
    in->topology.dim_count = count;
    memcpy(in->topology.dims, dims, count * sizeof(*dims));
    NADI_ASSERT(nadi_topology_finish(&in->topology));
    in->rank_count = in->topology.npu_count;
    nadi_groups_init(&in->groups, in->rank_count);
    in->system.endpoint_delay_ns = 10;
    in->system.active_chunks = in->system.splits = in->system.queues_per_dim = 1;
    in->system.local_reduction_delay = 1;
    in->memory = (struct nadi_memory_config){
        .kind = NADI_MEMORY_PER_NPU, .latency_ns = 100, .bytes_per_ns = 3};
    job_algorithm(j, NADI_ALGORITHM_RING);
    in->traces = NADI_ARENA_ZNEW(&in->arena, struct nadi_trace *, in->rank_count);
    in->owned = NADI_ARENA_ZNEW(&in->arena, struct nadi_trace *, in->rank_count);
}

void job_release(struct job *j)
{
    nadi_groups_release(&j->in.groups);
    nadi_graph_release(&j->in.graph);
    nadi_mem_free(j->in.settings);
    nadi_arena_release(&j->in.arena);
}

void job_algorithm(struct job *j, enum nadi_algorithm algorithm)
{
    for (int k = 0; k < NADI_NATIVE_BROADCAST; k++) {
        j->in.system.native[k].count = j->in.topology.dim_count;
        for (uint32_t d = 0; d < j->in.topology.dim_count; d++)
            j->in.system.native[k].dims[d] = (struct nadi_algorithm_choice){.algorithm = algorithm};
    }
}

static uint32_t put_string(struct nadi_trace *t, const char *text)
{
    uint32_t offset = t->strings_bytes;
    size_t bytes = strlen(text) + 1;
    memcpy(t->strings + offset, text, bytes);
    t->strings_bytes += (uint32_t)bytes;
    return offset;
}

/* One offset a name, as in traces that were read. */
static uint32_t put_group(struct nadi_trace *t, const char *name)
{
    for (uint32_t i = 0; i + 1 < t->comm_count; i++) /* the last one is not filled yet */
        if (t->comms[i].group != NADI_NONE &&
            strcmp(nadi_trace_string(t, t->comms[i].group), name) == 0)
            return t->comms[i].group;
    return put_string(t, name);
}

static void set_flags(struct nadi_trace *t, uint32_t i, const struct job_node *n)
{
    unsigned flags = NADI_NODE_HAS_BYTES | NADI_NODE_HAS_OPS;
    flags |= n->cpu ? NADI_NODE_IS_CPU : 0U;
    flags |= n->type == NADI_NODE_COLL ? NADI_NODE_HAS_KIND : 0U;
    if (n->type == NADI_NODE_SEND || n->type == NADI_NODE_RECV)
        flags |= NADI_NODE_HAS_SRC | NADI_NODE_HAS_DST | NADI_NODE_HAS_TAG;
    t->flags[i] = (uint8_t)flags;
}

static void set_node(struct nadi_trace *t, uint32_t i, const struct job_node *n)
{
    t->id[i] = i;
    t->type[i] = (uint8_t)n->type;
    t->duration_ns[i] = n->duration_ns;
    t->ops[i] = n->ops;
    t->bytes[i] = n->bytes;
    t->collective[i] = (uint8_t)n->kind;
    t->name[i] = n->name ? put_string(t, n->name) : 0;
    t->comm[i] = NADI_NONE;
    set_flags(t, i, n);
    memcpy(t->deps + t->dep_start[i], n->deps, n->dep_count * sizeof(*n->deps));
    if (n->more_count)
        memcpy(t->deps + t->dep_start[i] + n->dep_count, n->more, n->more_count * sizeof(*n->more));
    t->dep_start[i + 1] = t->dep_start[i] + n->dep_count + n->more_count;
    if (n->type != NADI_NODE_COLL && n->type != NADI_NODE_SEND && n->type != NADI_NODE_RECV)
        return;
    t->comm[i] = t->comm_count++;
    t->comms[t->comm[i]] = (struct nadi_trace_comm){
        .src = n->peer,
        .dst = n->peer,
        .tag = n->tag,
        .group = n->group ? put_group(t, n->group) : NADI_NONE,
        .involved = ~n->left_out,
    };
}

static void set_children(struct nadi_arena *arena, struct nadi_trace *t)
{
    uint32_t n = t->node_count, total = t->dep_start[n];
    t->child_start = NADI_ARENA_ZNEW(arena, uint32_t, n + 1);
    t->children = NADI_ARENA_ZNEW(arena, uint32_t, total);
    uint32_t *at = NADI_ARENA_ZNEW(arena, uint32_t, n + 1);
    for (uint32_t d = 0; d < total; d++)
        t->child_start[t->deps[d] + 1]++;
    for (uint32_t i = 0; i < n; i++)
        t->child_start[i + 1] += t->child_start[i];
    memcpy(at, t->child_start, (n + 1) * sizeof(*at));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t d = t->dep_start[i]; d < t->dep_start[i + 1]; d++)
            t->children[at[t->deps[d]]++] = i;
}

struct nadi_trace *job_trace(struct job *j, const struct job_node *nodes, uint32_t count)
{
    struct nadi_arena *arena = &j->in.arena;
    struct nadi_trace *t = NADI_ARENA_ZNEW(arena, struct nadi_trace, 1);
    size_t strings = 1, more = 0;
    for (uint32_t i = 0; i < count; i++)
        more += nodes[i].more_count;
    for (uint32_t i = 0; i < count; i++)
        strings += (nodes[i].name ? strlen(nodes[i].name) + 1 : 0) +
                   (nodes[i].group ? strlen(nodes[i].group) + 1 : 0);
    t->path = "job.et";
    t->schema_version = "";
    t->node_count = count;
    t->id = NADI_ARENA_ZNEW(arena, uint64_t, count);
    t->duration_ns = NADI_ARENA_ZNEW(arena, uint64_t, count);
    t->ops = NADI_ARENA_ZNEW(arena, uint64_t, count);
    t->bytes = NADI_ARENA_ZNEW(arena, uint64_t, count);
    t->offset = NADI_ARENA_ZNEW(arena, uint64_t, count);
    t->name = NADI_ARENA_ZNEW(arena, uint32_t, count);
    t->comm = NADI_ARENA_ZNEW(arena, uint32_t, count);
    t->file_index = NADI_ARENA_ZNEW(arena, uint32_t, count);
    t->dep_start = NADI_ARENA_ZNEW(arena, uint32_t, count + 1);
    t->deps = NADI_ARENA_ZNEW(arena, uint32_t, (size_t)count * JOB_DEPS + more);
    t->type = NADI_ARENA_ZNEW(arena, uint8_t, count);
    t->collective = NADI_ARENA_ZNEW(arena, uint8_t, count);
    t->flags = NADI_ARENA_ZNEW(arena, uint8_t, count);
    t->comms = NADI_ARENA_ZNEW(arena, struct nadi_trace_comm, count);
    t->strings = NADI_ARENA_ZNEW(arena, char, strings);
    t->strings_bytes = 1;
    for (uint32_t i = 0; i < count; i++)
        set_node(t, i, &nodes[i]);
    set_children(arena, t);
    return t;
}

void job_give(struct job *j, struct nadi_trace *t, uint32_t first, uint32_t last)
{
    j->in.owned[j->in.owned_count++] = t;
    for (uint32_t rank = first; rank <= last; rank++)
        j->in.traces[rank] = t;
}

void job_other_kinds(struct job *j, uint64_t seed)
{
    static const enum nadi_dim_kind kinds[] = {NADI_DIM_MESH, NADI_DIM_TORUS, NADI_DIM_RING_ONE_WAY,
                                               NADI_DIM_SWITCH};
    struct nadi_topology *t = &j->in.topology;
    struct nadi_rng rng;
    if (j->in.options.network_model != &nadi_network_unaware)
        return;
    nadi_rng_init(&rng, seed, "kinds");
    for (uint32_t d = 0; d < t->dim_count; d++) {
        struct nadi_dim *dim = &t->dims[d];
        if (nadi_rng_below(&rng, 3) != 0)
            continue;
        dim->kind = kinds[nadi_rng_below(&rng, 4)];
        if (dim->kind == NADI_DIM_MESH)
            dim->axes = 1 + (uint32_t)nadi_rng_below(&rng, 3);
        if (dim->kind == NADI_DIM_TORUS)
            dim->axes = 2 + (uint32_t)nadi_rng_below(&rng, 2);
        if (dim->kind == NADI_DIM_SWITCH)
            dim->bytes_per_ns /= 1 + (double)nadi_rng_below(&rng, 8) / 2;
    }
}
