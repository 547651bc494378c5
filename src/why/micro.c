#include "why/micro.h"

#include "base/map.h"
#include "sim/run.h"

/* A trace of the one node, or of none. */
static struct nadi_trace *one_node(const struct nadi_trace *from, uint32_t node, bool empty,
                                   struct nadi_arena *arena)
{
    struct nadi_trace *t = NADI_ARENA_ZNEW(arena, struct nadi_trace, 1);
    *t = *from;
    t->node_count = empty ? 0 : 1;
    t->id = from->id + node;
    t->duration_ns = from->duration_ns + node;
    t->ops = from->ops + node;
    t->bytes = from->bytes + node;
    t->offset = from->offset ? from->offset + node : NULL;
    t->name = from->name + node;
    t->comm = from->comm + node;
    t->file_index = from->file_index ? from->file_index + node : NULL;
    t->type = from->type + node;
    t->collective = from->collective + node;
    t->flags = from->flags + node;
    t->dep_start = t->child_start = NADI_ARENA_ZNEW(arena, uint32_t, 2);
    t->deps = t->children = NADI_ARENA_ZNEW(arena, uint32_t, 1);
    t->io_count = t->metadata_count = 0;
    if (empty)
        t->comm_count = 0;
    return t;
}

static uint64_t run_one(const struct nadi_inputs *in, uint32_t rank, uint32_t node, bool longest)
{
    const struct nadi_trace *from = in->traces[rank];
    struct nadi_inputs x = *in;
    struct nadi_result r;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    x.owned_count = 2;
    x.owned = NADI_ARENA_NEW(&arena, struct nadi_trace *, 2);
    x.owned[0] = one_node(from, node, false, &arena);
    x.owned[1] = one_node(from, node, true, &arena);
    x.owned[1]->content_hash[0] ^= 1;
    x.traces = NADI_ARENA_NEW(&arena, struct nadi_trace *, in->rank_count);
    for (uint32_t i = 0; i < in->rank_count; i++) {
        const struct nadi_group *g = nadi_inputs_group(&x, x.owned[0], 0, i);
        bool member = g && nadi_group_position(g, i) != NADI_NONE;
        x.traces[i] = x.owned[member ? 0 : 1];
    }
    x.options.record_ops = x.options.record_usage = false;
    x.options.max_sim_ns = x.options.max_wall_ms = 0;
    x.system.track_local_mem = false;
    x.tiers = NULL; /* nothing of a memory file is in this trace */
    x.memory.kind = NADI_MEMORY_NONE;
    nadi_simulate(&x, NULL, &r);
    uint64_t end = longest ? r.end_ns : nadi_result_rank(&r, rank)->finish_ns;
    if (r.outcome != NADI_OUTCOME_DONE)
        end = UINT64_MAX;
    nadi_result_release(&r);
    nadi_arena_release(&arena);
    return end;
}

uint64_t nadi_micro_collective(const struct nadi_inputs *in, uint32_t rank, uint32_t node)
{
    return run_one(in, rank, node, false);
}

uint64_t nadi_micro_longest(const struct nadi_inputs *in, uint32_t rank, uint32_t node)
{
    return run_one(in, rank, node, true);
}

uint64_t nadi_micro_key(const struct nadi_inputs *in, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = in->traces[rank];
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const struct nadi_group *g = nadi_inputs_group(in, t, node, rank);
    const char *name = !comm || comm->group == NADI_NONE ? "" : nadi_trace_string(t, comm->group);
    uint64_t key = nadi_hash_u64(t->bytes[node]) + nadi_hash_bytes(name, strlen(name));
    key = nadi_hash_u64(key + ((uint64_t)t->collective[node] << 40));
    return nadi_hash_u64(key ^ ((uint64_t)(comm ? comm->involved : 0) << 32) ^ (g ? g->size : 0));
}
