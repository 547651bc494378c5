/* load_memory: memory file -> remote memory; without a file there is none. */
#include "base/mem.h"
#include "base/time.h"
#include "inputs/load.h"

static enum nadi_memory_kind kind_of(uint32_t word)
{
    static const enum nadi_memory_kind kinds[] = {NADI_MEMORY_NONE, NADI_MEMORY_PER_NODE,
                                                  NADI_MEMORY_PER_NPU, NADI_MEMORY_POOL,
                                                  NADI_MEMORY_HIERARCHY};
    NADI_ASSERT(word < sizeof(kinds) / sizeof(kinds[0]));
    return kinds[word];
}

static struct nadi_place place_of_key(const struct nadi_schema_values *values, const char *key)
{
    const struct nadi_schema_value *v = nadi_schema_get(values, key);
    return v->node ? nadi_doc_place(values->doc, v->node) : NADI_IN_FILE(values->doc->path);
}

/* Only a warning: without memory nodes nobody asks a server. */
static void wants(struct nadi_load *l, const struct nadi_schema_values *values, const char *key)
{
    if (nadi_schema_integer(values, key) > 0)
        return;
    nadi_warning(l->diags, "memory/no-server", place_of_key(values, key), NULL,
                 "PER_NODE_MEMORY_EXPANSION without '%s' of at least 1 has no server", key);
}

/* Keys of a hierarchical pool, the counts and the bandwidths first. */
static const char *const pool_keys[] = {
    "pool-switches",      "pool-groups",        "pool-group-bandwidth",
    "pool-out-bandwidth", "pool-npu-bandwidth", "pool-group-latency",
    "pool-out-latency",   "pool-npu-latency",   "pool-chunk",
};
enum { POOL_KEYS = sizeof(pool_keys) / sizeof(pool_keys[0]), POOL_NEEDED = 5, POOL_RATES = 2 };
enum { USUAL_CHUNK = 1 << 20 };
#define MOST_RATE 1e12 /* bytes/ns, as of remote-mem-bw */

/* What an NPU gets when all transfer: the figures that sensitivities are of. */
static void fill_npu(struct nadi_memory_config *m)
{
    const struct nadi_pool_transfer x = {.bytes = m->pool.chunk_bytes};
    const struct nadi_pool_time t = nadi_pool_form(&m->pool, &x);
    const double round = (double)m->pool.groups * (double)m->pool.chunk_bytes;
    const double npus = (double)m->pool.nodes * m->pool.npus;
    double latency = 0;
    for (int s = 0; s < NADI_POOL_STAGES; s++)
        latency += m->pool.latency_ns[s];
    m->latency_ns = nadi_ns_trunc(latency);
    m->bytes_per_ns = (uint64_t)MOST_RATE;
    if (round < MOST_RATE * npus * nadi_time_in_ns(t.stage[t.slowest]))
        m->bytes_per_ns = nadi_count_round(round / npus / nadi_time_in_ns(t.stage[t.slowest]));
}

static bool fill_pool(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_memory_config *m = &l->in->memory;
    for (int i = 0; i < POOL_NEEDED; i++) {
        const double value = i < POOL_RATES ? (double)nadi_schema_integer(values, pool_keys[i])
                                            : nadi_schema_number(values, pool_keys[i]);
        if (!(value > 0))
            return nadi_error(l->diags, "memory/pool-key", place_of_key(values, pool_keys[i]),
                              "`nadi explain` says what it means; docs/guide/memory-pool.md has an "
                              "example",
                              "HIERARCHICAL_POOL needs '%s' above 0", pool_keys[i]);
    }
    const uint64_t chunk = (uint64_t)nadi_schema_integer(values, "pool-chunk");
    m->pool = (struct nadi_pool){
        .nodes = m->node_count,
        .npus = m->npus_per_node,
        .switches = (uint32_t)nadi_schema_integer(values, "pool-switches"),
        .groups = (uint32_t)nadi_schema_integer(values, "pool-groups"),
        .chunk_bytes = chunk ? chunk : USUAL_CHUNK,
    };
    for (int s = 0; s < NADI_POOL_STAGES; s++) {
        m->pool.gbps[s] = nadi_schema_number(values, pool_keys[POOL_RATES + s]) / 1e9;
        m->pool.latency_ns[s] = nadi_schema_number(values, pool_keys[POOL_NEEDED + s]);
    }
    const char *why = nadi_pool_refusal(&m->pool);
    if (why)
        return nadi_error(l->diags, "memory/pool", NADI_IN_FILE(values->doc->path), NULL,
                          "HIERARCHICAL_POOL of %u nodes of %u NPUs, %u switches, %u groups: %s",
                          m->pool.nodes, m->pool.npus, m->pool.switches, m->pool.groups, why);
    fill_npu(m);
    return true;
}

/* Keys of a pool in a file of something else would be without effect. */
static bool refuse_pool_keys(struct nadi_load *l, const struct nadi_schema_values *values)
{
    for (int i = 0; i < POOL_KEYS; i++)
        if (nadi_schema_get(values, pool_keys[i])->node)
            return nadi_error(l->diags, "memory/pool-key", place_of_key(values, pool_keys[i]),
                              "drop it, or set memory-type to HIERARCHICAL_POOL",
                              "'%s' is of a HIERARCHICAL_POOL", pool_keys[i]);
    return true;
}

static bool fill(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_memory_config *m = &l->in->memory;
    *m = (struct nadi_memory_config){
        .kind = kind_of(nadi_schema_word(values, "memory-type")),
        .latency_ns = (uint64_t)nadi_schema_integer(values, "remote-mem-latency"),
        .bytes_per_ns = (uint64_t)nadi_schema_integer(values, "remote-mem-bw"),
        .node_count = (uint32_t)nadi_schema_integer(values, "num-nodes"),
        .npus_per_node = (uint32_t)nadi_schema_integer(values, "num-npus-per-node"),
    };
    if (m->kind == NADI_MEMORY_PER_NODE) {
        wants(l, values, "num-nodes");
        wants(l, values, "num-npus-per-node");
    }
    if (m->kind == NADI_MEMORY_HIERARCHY)
        return fill_pool(l, values);
    if (!refuse_pool_keys(l, values))
        return false;
    if (m->kind != NADI_MEMORY_NONE && m->bytes_per_ns == 0)
        nadi_warning(l->diags, "memory/no-bandwidth", NADI_IN_FILE(values->doc->path),
                     "set 'remote-mem-bw' to at least 1 GB/s",
                     "'remote-mem-bw' is 0: an access takes its latency whatever its size");
    return true;
}

bool nadi_inputs_read_memory(struct nadi_memory_source *from, struct nadi_arena *arena,
                             struct nadi_diags *diags)
{
    char *text;
    if (!nadi_doc_text(from->path, nadi_schema_of(NADI_SCHEMA_MEMORY)->title, &text, &from->bytes,
                       diags))
        return false;
    from->text = nadi_arena_strndup(arena, text, from->bytes);
    nadi_mem_free(text);
    return true;
}

bool nadi_inputs_take_tiers(struct nadi_inputs *in, const struct nadi_memory_source *from,
                            double local_rate, struct nadi_diags *diags)
{
    struct nadi_load l = {.in = in, .diags = diags, .memory_from = from};
    const double before = in->system.local_mem_bw;
    in->options.memory = from->path ? nadi_arena_strdup(&in->arena, from->path) : NULL;
    in->system.local_mem_bw = local_rate;
    const bool ok = nadi_load_memory(&l) && nadi_fit_tiers(&l);
    in->system.local_mem_bw = before;
    return ok;
}

bool nadi_inputs_take_memory(struct nadi_inputs *in, const struct nadi_memory_source *from,
                             double local_rate, struct nadi_diags *diags)
{
    struct nadi_load l = {.in = in, .diags = diags};
    return nadi_inputs_take_tiers(in, from, local_rate, diags) && nadi_load_accesses(&l);
}

bool nadi_load_memory(struct nadi_load *l)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_MEMORY);
    struct nadi_doc doc;
    struct nadi_schema_values values;
    const struct nadi_memory_source *from = l->memory_from;
    const char *text = from ? from->text : NULL, *path = l->in->options.memory;
    if (!path && !text) {
        bool ok = nadi_schema_check(&values, schema, NULL, false, &l->in->arena, l->diags);
        nadi_settings_add_values(l->in, &values);
        l->in->memory = (struct nadi_memory_config){.kind = NADI_MEMORY_NONE};
        return ok;
    }
    if (!(!text  ? nadi_load_document(l, NADI_SCHEMA_MEMORY, path, &doc)
          : path ? nadi_load_text(l, NADI_SCHEMA_MEMORY, path, text, from->bytes, &doc)
                 : nadi_doc_parse(&doc, l->in->options.network, text, from->bytes, NADI_DOC_JSON,
                                  l->diags)))
        return false;
    const bool levels = nadi_is_levels(&doc);
    if (levels || nadi_doc_find(doc.root, "tiers")) {
        const bool loaded = levels ? nadi_load_levels(l, &doc) : nadi_load_tiers(l, &doc);
        nadi_doc_release(&doc);
        return loaded;
    }
    bool ok = nadi_schema_check(&values, schema, &doc, l->in->options.strict, &doc.arena, l->diags);
    if (ok)
        nadi_settings_add_values(l->in, &values);
    ok = ok && fill(l, &values);
    nadi_doc_release(&doc);
    return ok;
}
