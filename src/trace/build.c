#include "trace/build.h"

#include "base/mem.h"
#include "base/sha256.h"
#include "trace/graph.h"
#include "trace/mem.h"
#include "trace/stage.h"

enum { FIRST_NODES = 256 };

static uint32_t keep_text(struct nadi_trace_build *b, const char *text)
{
    struct nadi_trace *t = b->trace;
    const size_t bytes = strlen(text) + 1;
    if (bytes == 1)
        return 0;
    const size_t want = (size_t)t->strings_bytes + bytes;
    NADI_ASSERT(want < NADI_NONE);
    if (want > b->string_capacity)
        t->strings = nadi_mem_grow(t->strings, &b->string_capacity, want, 1);
    const uint32_t at = t->strings_bytes;
    memcpy(t->strings + at, text, bytes);
    t->strings_bytes += (uint32_t)bytes;
    return at;
}

static uint32_t keep_group(struct nadi_trace_build *b, const char *name)
{
    for (size_t i = 0; i < b->groups.count; i++)
        if (strcmp(b->trace->strings + b->groups.items[i], name) == 0)
            return b->groups.items[i];
    const uint32_t at = keep_text(b, name);
    NADI_PUSH(&b->groups, at);
    return at;
}

#define GROW(array) ((array) = nadi_mem_realloc((array), b->capacity, sizeof(*(array))))

static void grow(struct nadi_trace_build *b)
{
    struct nadi_trace *t = b->trace;
    b->capacity = b->capacity ? 2 * b->capacity : FIRST_NODES;
    GROW(t->id);
    GROW(t->duration_ns);
    GROW(t->ops);
    GROW(t->bytes);
    GROW(t->offset);
    GROW(t->name);
    GROW(t->comm);
    GROW(t->type);
    GROW(t->collective);
    GROW(t->flags);
    t->dep_start = nadi_mem_realloc(t->dep_start, b->capacity + 1, sizeof(*t->dep_start));
}

void nadi_trace_build_init(struct nadi_trace_build *b, const char *path)
{
    *b = (struct nadi_trace_build){.trace = NADI_ZNEW(struct nadi_trace, 1)};
    nadi_arena_init(&b->trace->arena);
    b->trace->path = nadi_arena_strdup(&b->trace->arena, path);
    b->trace->schema_version = "0.0.4";
    b->trace->strings = nadi_mem_grow(NULL, &b->string_capacity, 1, 1);
    b->trace->strings[0] = '\0';
    b->trace->strings_bytes = 1;
    grow(b);
    b->trace->dep_start[0] = 0;
}

static uint32_t add(struct nadi_trace_build *b, const char *name, enum nadi_node_type type,
                    const uint64_t *deps, size_t dep_count)
{
    struct nadi_trace *t = b->trace;
    const uint32_t n = t->node_count;
    NADI_ASSERT(n < NADI_NONE - 1);
    if (n == b->capacity)
        grow(b);
    t->id[n] = (uint64_t)n + 1;
    t->duration_ns[n] = t->ops[n] = t->bytes[n] = t->offset[n] = 0;
    t->name[n] = keep_text(b, name);
    t->comm[n] = NADI_NONE;
    t->type[n] = (uint8_t)type;
    t->collective[n] = t->flags[n] = 0;
    for (size_t i = 0; i < dep_count; i++) {
        if (deps[i] == 0)
            continue;
        NADI_ASSERT(deps[i] <= n);
        NADI_PUSH(&b->deps, deps[i]);
    }
    t->dep_start[n + 1] = (uint32_t)b->deps.count;
    return t->node_count++;
}

static struct nadi_trace_comm *add_comm(struct nadi_trace_build *b, uint32_t n)
{
    struct nadi_trace *t = b->trace;
    if (t->comm_count == b->comm_capacity)
        t->comms = nadi_mem_grow(t->comms, &b->comm_capacity, (size_t)t->comm_count + 1,
                                 sizeof(*t->comms));
    t->comm[n] = t->comm_count;
    struct nadi_trace_comm *comm = &t->comms[t->comm_count++];
    *comm = (struct nadi_trace_comm){.group = NADI_NONE, .involved = UINT32_MAX};
    return comm;
}

uint64_t nadi_trace_build_compute(struct nadi_trace_build *b, const char *name,
                                  uint64_t duration_ns, uint64_t ops, uint64_t bytes,
                                  const uint64_t *deps, size_t dep_count)
{
    const uint32_t n = add(b, name, NADI_NODE_COMP, deps, dep_count);
    b->trace->duration_ns[n] = duration_ns;
    b->trace->ops[n] = ops;
    b->trace->bytes[n] = bytes;
    b->trace->flags[n] = NADI_NODE_HAS_OPS | NADI_NODE_HAS_BYTES;
    return b->trace->id[n];
}

uint64_t nadi_trace_build_host(struct nadi_trace_build *b, const char *name, uint64_t duration_ns,
                               const uint64_t *deps, size_t dep_count)
{
    const uint32_t n = add(b, name, NADI_NODE_COMP, deps, dep_count);
    b->trace->duration_ns[n] = duration_ns;
    b->trace->flags[n] = NADI_NODE_IS_CPU;
    return b->trace->id[n];
}

uint64_t nadi_trace_build_collective(struct nadi_trace_build *b, const char *name,
                                     enum nadi_collective_kind kind, uint64_t bytes,
                                     const char *group, const uint64_t *deps, size_t dep_count)
{
    const uint32_t n = add(b, name, NADI_NODE_COLL, deps, dep_count);
    struct nadi_trace_comm *comm = add_comm(b, n);
    b->trace->collective[n] = (uint8_t)kind;
    b->trace->bytes[n] = bytes;
    b->trace->flags[n] = NADI_NODE_HAS_BYTES | NADI_NODE_HAS_KIND;
    if (group[0])
        comm->group = keep_group(b, group);
    return b->trace->id[n];
}

void nadi_trace_build_dims(struct nadi_trace_build *b, uint32_t dims, uint32_t count)
{
    struct nadi_trace_comm *comm = &b->trace->comms[b->trace->comm_count - 1];
    comm->involved = dims;
    comm->involved_count = (uint8_t)count;
}

uint64_t nadi_trace_build_message(struct nadi_trace_build *b, const char *name,
                                  enum nadi_node_type type, uint32_t peer, uint32_t tag,
                                  uint64_t bytes, const uint64_t *deps, size_t dep_count)
{
    const bool send = type == NADI_NODE_SEND;
    const uint32_t n = add(b, name, type, deps, dep_count);
    struct nadi_trace_comm *comm = add_comm(b, n);
    *(send ? &comm->dst : &comm->src) = peer;
    comm->tag = tag;
    b->trace->bytes[n] = bytes;
    b->trace->flags[n] =
        NADI_NODE_HAS_BYTES | NADI_NODE_HAS_TAG | (send ? NADI_NODE_HAS_DST : NADI_NODE_HAS_SRC);
    return b->trace->id[n];
}

uint64_t nadi_trace_build_memory(struct nadi_trace_build *b, const char *name,
                                 enum nadi_node_type type, uint64_t bytes, const uint64_t *deps,
                                 size_t dep_count)
{
    const uint32_t n = add(b, name, type, deps, dep_count);
    b->trace->bytes[n] = bytes;
    b->trace->flags[n] = NADI_NODE_HAS_BYTES;
    return b->trace->id[n];
}

void nadi_trace_build_mem(struct nadi_trace_build *b, const struct nadi_build_mem *mem)
{
    struct nadi_trace *t = b->trace;
    if (t->mem_count == b->mem_capacity)
        t->mems =
            nadi_mem_grow(t->mems, &b->mem_capacity, (size_t)t->mem_count + 1, sizeof(*t->mems));
    t->mems[t->mem_count++] = (struct nadi_trace_mem){
        .node = t->node_count - 1,
        .op = mem->op,
        .role = mem->role,
        .src = mem->src ? keep_group(b, mem->src) : 0,
        .dst = mem->dst ? keep_group(b, mem->dst) : 0,
        .block = mem->block ? keep_text(b, mem->block) : 0,
        .from = NADI_MEM_NPU,
        .to = NADI_MEM_NPU,
    };
}

uint64_t nadi_trace_build_in_switch(struct nadi_trace_build *b, const char *name,
                                    enum nadi_node_type type, uint64_t bytes, const uint64_t *deps,
                                    size_t dep_count)
{
    const uint64_t id = nadi_trace_build_memory(b, name, type, bytes, deps, dep_count);
    const uint32_t n = b->trace->node_count - 1;
    b->trace->collective[n] = type == NADI_NODE_MEM_LOAD ? NADI_ALL_GATHER : NADI_REDUCE_SCATTER;
    b->trace->flags[n] |= NADI_NODE_HAS_KIND;
    return id;
}

/* Stands for the bytes of a file: equal traces have equal hashes. */
static void fill_hash(struct nadi_trace *t)
{
    struct {
        uint8_t part[5][32];
    } all;
    const size_t n = t->node_count;
    nadi_sha256(t->duration_ns, n * sizeof(*t->duration_ns), all.part[0]);
    nadi_sha256(t->bytes, n * sizeof(*t->bytes), all.part[1]);
    nadi_sha256(t->type, n, all.part[2]);
    nadi_sha256(t->deps, t->dep_start[n] * sizeof(*t->deps), all.part[3]);
    nadi_sha256(t->mems, t->mem_count * sizeof(*t->mems), all.part[4]);
    nadi_sha256(&all, sizeof(all), t->content_hash);
}

struct nadi_trace *nadi_trace_build_finish(struct nadi_trace_build *b)
{
    struct nadi_trace *t = b->trace;
    struct nadi_diags diags;
    struct nadi_stage stage = {
        .trace = t,
        .node_capacity = b->capacity,
        .comm_capacity = b->comm_capacity,
        .dep_ids = {.items = b->deps.items, .count = b->deps.count, .capacity = b->deps.capacity},
        .ascending = true,
    };
    NADI_ASSERT(t->node_count > 0);
    nadi_diags_init(&diags);
    const bool ok = nadi_graph_build(&stage, &diags);
    NADI_ASSERT(ok);
    nadi_diags_release(&diags);
    nadi_mem_free(b->groups.items);
    fill_hash(t);
    *b = (struct nadi_trace_build){0};
    return t;
}
