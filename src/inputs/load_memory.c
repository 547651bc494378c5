/* load_memory: memory file -> remote memory; without a file there is none. */
#include "inputs/load.h"

static enum nadi_memory_kind kind_of(uint32_t word)
{
    static const enum nadi_memory_kind kinds[] = {NADI_MEMORY_NONE, NADI_MEMORY_PER_NODE,
                                                  NADI_MEMORY_PER_NPU, NADI_MEMORY_POOL};
    NADI_ASSERT(word < sizeof(kinds) / sizeof(kinds[0]));
    return kinds[word];
}

/* Only a warning: without memory nodes nobody asks a server. */
static void wants(struct nadi_load *l, const struct nadi_schema_values *values, const char *key)
{
    if (nadi_schema_integer(values, key) > 0)
        return;
    const struct nadi_schema_value *v = nadi_schema_get(values, key);
    struct nadi_place place =
        v->node ? nadi_doc_place(values->doc, v->node) : NADI_IN_FILE(values->doc->path);
    nadi_warning(l->diags, "memory/no-server", place, NULL,
                 "PER_NODE_MEMORY_EXPANSION without '%s' of at least 1 has no server", key);
}

static void fill(struct nadi_load *l, const struct nadi_schema_values *values)
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
    if (m->kind != NADI_MEMORY_NONE && m->bytes_per_ns == 0)
        nadi_warning(l->diags, "memory/no-bandwidth", NADI_IN_FILE(values->doc->path),
                     "set 'remote-mem-bw' to at least 1 GB/s",
                     "'remote-mem-bw' is 0: an access takes its latency whatever its size");
}

bool nadi_inputs_take_memory(struct nadi_inputs *in, const char *path, double local_rate,
                             struct nadi_diags *diags)
{
    struct nadi_load l = {.in = in, .diags = diags};
    const double before = in->system.local_mem_bw;
    in->options.memory = nadi_arena_strdup(&in->arena, path);
    in->system.local_mem_bw = local_rate;
    const bool ok = nadi_load_memory(&l) && nadi_fit_tiers(&l) && nadi_load_accesses(&l);
    in->system.local_mem_bw = before;
    return ok;
}

bool nadi_load_memory(struct nadi_load *l)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_MEMORY);
    struct nadi_doc doc;
    struct nadi_schema_values values;
    if (!l->in->options.memory) {
        bool ok = nadi_schema_check(&values, schema, NULL, false, &l->in->arena, l->diags);
        nadi_settings_add_values(l->in, &values);
        l->in->memory = (struct nadi_memory_config){.kind = NADI_MEMORY_NONE};
        return ok;
    }
    if (!nadi_load_document(l, NADI_SCHEMA_MEMORY, l->in->options.memory, &doc))
        return false;
    if (nadi_doc_find(doc.root, "tiers")) {
        const bool loaded = nadi_load_tiers(l, &doc);
        nadi_doc_release(&doc);
        return loaded;
    }
    bool ok = nadi_schema_check(&values, schema, &doc, l->in->options.strict, &doc.arena, l->diags);
    if (ok) {
        fill(l, &values);
        nadi_settings_add_values(l->in, &values);
    }
    nadi_doc_release(&doc);
    return ok;
}
