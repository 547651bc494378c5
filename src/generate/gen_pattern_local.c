/* gen_pattern_local: what all ranks do alike: collectives, overlap, memory; and how nodes are put.
 */
#include "generate/gen_pattern_steps.h"

#include "base/mem.h"
#include "base/units.h"
#include "trace/mem.h"

static uint64_t put(struct nadi_gen_steps *s, struct nadi_write_node node, const uint64_t *deps,
                    size_t count)
{
    uint64_t *known = NADI_NEW(uint64_t, count);
    for (size_t i = 0; i < count; i++) {
        if (deps[i])
            known[node.data_dep_count++] = deps[i];
    }
    node.id = s->next_id++;
    node.data_deps = known;
    nadi_trace_writer_node(s->writer, &node);
    nadi_mem_free(known);
    return node.id;
}

uint64_t nadi_gen_put_compute(struct nadi_gen_steps *s, const char *name, const uint64_t *deps,
                              size_t count, uint64_t ns)
{
    const struct nadi_write_attr attrs[] = {nadi_write_bool("is_cpu_op", false),
                                            nadi_write_uint64("duration_nanos", ns)};
    return put(s,
               (struct nadi_write_node){.name = name,
                                        .type = NADI_NODE_COMP,
                                        .duration_micros = ns / 1000,
                                        .attrs = attrs,
                                        .attr_count = ns % 1000 ? 2 : 1},
               deps, count);
}

static uint64_t gen_put_collective(struct nadi_gen_steps *s, const char *name, uint64_t after,
                                   enum nadi_collective_kind kind, uint64_t bytes,
                                   const char *group)
{
    const struct nadi_write_attr attrs[] = {
        nadi_write_bool("is_cpu_op", false),
        nadi_write_int64("comm_type", kind),
        nadi_write_uint64("comm_size", bytes),
        nadi_write_string("pg_name", group ? group : ""),
    };
    return put(
        s,
        (struct nadi_write_node){
            .name = name, .type = NADI_NODE_COLL, .attrs = attrs, .attr_count = group ? 4 : 3},
        &after, 1);
}

uint64_t nadi_gen_put_message(struct nadi_gen_steps *s, bool send, uint32_t peer, uint32_t tag,
                              uint64_t bytes, uint64_t after)
{
    const int64_t written = s->relative ? (int64_t)peer - (int64_t)s->rank : (int64_t)peer;
    const struct nadi_write_attr attrs[] = {
        nadi_write_bool("is_cpu_op", false),
        nadi_write_int64(send ? "comm_dst" : "comm_src", written),
        nadi_write_int64("comm_tag", tag),
        nadi_write_uint64("comm_size", bytes),
    };
    char name[64];
    if (s->relative)
        snprintf(name, sizeof name, send ? "send %u" : "receive %u", tag);
    else
        snprintf(name, sizeof name, send ? "send %u to %u" : "receive %u from %u", tag, peer);
    return put(s,
               (struct nadi_write_node){.name = name,
                                        .type = send ? NADI_NODE_SEND : NADI_NODE_RECV,
                                        .attrs = attrs,
                                        .attr_count = 4},
               &after, 1);
}

/* What layer `layer` loads or stores; in a tier where one is named. */
static uint64_t gen_put_memory(struct nadi_gen_steps *s, bool load, uint32_t layer, uint64_t after)
{
    const char *tier = s->g->tier;
    char name[64], block[32];
    snprintf(name, sizeof name, "%s layer %u", load ? "load" : "store", layer);
    snprintf(block, sizeof block, "layer %u", layer);
    const struct nadi_write_attr attrs[] = {
        nadi_write_bool("is_cpu_op", false),
        nadi_write_uint64("tensor_size", s->g->bytes),
        nadi_write_string(NADI_MEM_ATTR_OP,
                          nadi_mem_op_words[load ? NADI_MEM_LOADS : NADI_MEM_STORES]),
        nadi_write_string(NADI_MEM_ATTR_ROLE, s->g->role ? s->g->role : "OTHER"),
        nadi_write_string(load ? NADI_MEM_ATTR_SRC : NADI_MEM_ATTR_DST, tier ? tier : ""),
        nadi_write_string(load ? NADI_MEM_ATTR_DST : NADI_MEM_ATTR_SRC, "G1"),
        nadi_write_string(NADI_MEM_ATTR_BLOCK, block),
    };
    return put(s,
               (struct nadi_write_node){.name = name,
                                        .type = load ? NADI_NODE_MEM_LOAD : NADI_NODE_MEM_STORE,
                                        .attrs = attrs,
                                        .attr_count = tier ? 7 : 2},
               &after, 1);
}

/* --- families ----------------------------------------------------------------------------------
 */

void nadi_gen_steps_collectives(struct nadi_gen_steps *s)
{
    const struct nadi_gen_pattern *g = s->g;
    uint64_t last = 0;
    for (uint32_t i = 0; i < g->group_count * g->size_count * g->kind_count; i++) {
        const uint32_t members = g->groups[i / g->kind_count / g->size_count];
        const uint64_t bytes = g->sizes[i / g->kind_count % g->size_count];
        const enum nadi_collective_kind kind = g->kinds[i % g->kind_count];
        char name[96], group[32], size[32];
        snprintf(group, sizeof group, "of%u.%u", members, s->rank / members);
        snprintf(name, sizeof name, "%s of %s, %u ranks", nadi_collective_name(kind),
                 nadi_units_bytes(size, (double)bytes), members);
        if (i && g->compute_ns)
            last = nadi_gen_put_compute(s, "between", &last, 1, g->compute_ns);
        last = gen_put_collective(s, name, last, kind, kind == NADI_BARRIER ? 0 : bytes,
                                  members == g->ranks ? NULL : group);
    }
}

static void prefetch(struct nadi_gen_steps *s)
{
    const struct nadi_gen_pattern *g = s->g;
    uint64_t *computed = NADI_ZNEW(uint64_t, (size_t)g->rounds + 1);
    uint64_t gathered = 0;
    for (uint32_t i = 0; i < g->rounds; i++) {
        char name[64];
        /* The buffer of layer i is free once layer i - 1 - ahead is done. */
        const uint64_t room = i > g->ahead ? computed[i - 1 - g->ahead] : 0;
        snprintf(name, sizeof name, "gather layer %u", i);
        gathered = gen_put_collective(s, name, room ? room : gathered, g->kinds[0], g->bytes, NULL);
        const uint64_t after[] = {gathered, i ? computed[i - 1] : 0};
        snprintf(name, sizeof name, "layer %u", i);
        computed[i] = nadi_gen_put_compute(s, name, after, 2, g->compute_ns);
    }
    nadi_mem_free(computed);
}

void nadi_gen_steps_overlap(struct nadi_gen_steps *s)
{
    const struct nadi_gen_pattern *g = s->g;
    if (g->overlap == NADI_GEN_OVERLAP_PREFETCH) {
        prefetch(s);
        return;
    }
    uint64_t *reduced = NADI_ZNEW(uint64_t, (size_t)g->rounds + 1), last = 0;
    for (uint32_t i = 0; i < g->rounds; i++) {
        char name[64];
        snprintf(name, sizeof name, "layer %u", i);
        last = nadi_gen_put_compute(s, name, &last, 1, g->compute_ns);
        snprintf(name, sizeof name, "reduce layer %u", i);
        reduced[i] = gen_put_collective(s, name, last, g->kinds[0], g->bytes, NULL);
        if (g->overlap == NADI_GEN_OVERLAP_NONE)
            last = reduced[i];
    }
    reduced[g->rounds] = g->overlap == NADI_GEN_OVERLAP_NONE ? 0 : last;
    nadi_gen_put_compute(s, "update", reduced, (size_t)g->rounds + 1, g->compute_ns);
    nadi_mem_free(reduced);
}

void nadi_gen_steps_memory(struct nadi_gen_steps *s)
{
    const struct nadi_gen_pattern *g = s->g;
    uint64_t *computed = NADI_ZNEW(uint64_t, (size_t)g->rounds + 1);
    for (uint32_t i = 0; i < g->rounds; i++) {
        char name[64];
        const uint64_t loaded =
            gen_put_memory(s, true, i, i > g->ahead ? computed[i - 1 - g->ahead] : 0);
        const uint64_t after[] = {loaded, i ? computed[i - 1] : 0};
        snprintf(name, sizeof name, "layer %u", i);
        computed[i] = nadi_gen_put_compute(s, name, after, 2, g->compute_ns);
        gen_put_memory(s, false, i, computed[i]);
    }
    nadi_mem_free(computed);
}
