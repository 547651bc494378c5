#include "inputs/inputs.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "collective/table_file.h"
#include "compute/compute.h"
#include "format/doc_change.h"
#include "format/embedded.h"
#include "inputs/check.h"
#include "inputs/load_v1.h"
#include "platform/generator_words.h"

static void record_file(struct nadi_inputs *in, const char *role, const struct nadi_doc *doc)
{
    if (in->file_count == in->file_capacity)
        in->files =
            nadi_mem_grow(in->files, &in->file_capacity, in->file_count + 1, sizeof(*in->files));
    struct nadi_input_file *f = &in->files[in->file_count++];
    f->role = role;
    f->path = nadi_arena_strdup(&in->arena, doc->path);
    nadi_sha256_hex(doc->sha256, f->sha256);
}

static bool take_document(struct nadi_load *l, const struct nadi_schema *schema,
                          struct nadi_doc *doc)
{
    record_file(l->in, schema->name, doc);
    if (nadi_doc_change(doc, l->in->options.changes, schema->name, l->diags))
        return true;
    nadi_doc_release(doc);
    return false;
}

bool nadi_load_text(struct nadi_load *l, enum nadi_schema_kind kind, const char *path,
                    const char *text, size_t bytes, struct nadi_doc *doc)
{
    const struct nadi_schema *schema = nadi_schema_of(kind);
    return nadi_doc_parse(doc, path, text, bytes, nadi_doc_syntax_of(path, schema->syntax),
                          l->diags) &&
           take_document(l, schema, doc);
}

bool nadi_load_document(struct nadi_load *l, enum nadi_schema_kind kind, const char *path,
                        struct nadi_doc *doc)
{
    const struct nadi_schema *schema = nadi_schema_of(kind);
    enum nadi_doc_syntax syntax = path ? nadi_doc_syntax_of(path, schema->syntax) : NADI_DOC_YAML;
    if (path && kind == NADI_SCHEMA_SYSTEM && nadi_v1_is_system(path))
        syntax = NADI_DOC_YAML;
    if (!path) /* its defaults, some of them changed */
        return nadi_doc_parse(doc, schema->title, "{}", 2, NADI_DOC_YAML, l->diags) &&
               nadi_doc_change(doc, l->in->options.changes, schema->name, l->diags);
    const struct nadi_embedded *named =
        kind == NADI_SCHEMA_NETWORK ? nadi_embedded_find("platforms", path) : NULL;
    if (named) {
        if (!nadi_doc_parse(doc, path, named->text, named->bytes, NADI_DOC_YAML, l->diags))
            return false;
    } else if (kind == NADI_SCHEMA_NETWORK && nadi_generator_is_words(path)) {
        if (!nadi_generator_text(doc, path, l->diags))
            return false;
    } else if (!nadi_doc_read(doc, path, schema->title, syntax, l->diags))
        return false;
    return take_document(l, schema, doc);
}

const struct nadi_group *nadi_inputs_group(const struct nadi_inputs *in, const struct nadi_trace *t,
                                           uint32_t node, uint32_t rank)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const char *name = comm && comm->group != NADI_NONE ? nadi_trace_string(t, comm->group) : "";
    uint32_t index = nadi_groups_resolve(&in->groups, name, rank);
    return index == NADI_NONE ? NULL : &in->groups.items[index];
}

void nadi_trace_numbers(const struct nadi_inputs *in, uint32_t *numbers)
{
    struct nadi_map64 index;
    const struct nadi_trace *last = NULL;
    uint32_t number = 0;
    nadi_map64_init(&index, in->owned_count);
    for (uint32_t i = 0; i < in->owned_count; i++)
        nadi_map64_put(&index, (uint64_t)(uintptr_t)in->owned[i], i, NULL);
    for (uint32_t r = 0; r < in->rank_count; r++) {
        if (in->traces[r] != last) {
            last = in->traces[r];
            number = nadi_map64_find(&index, (uint64_t)(uintptr_t)last);
            NADI_ASSERT(number != NADI_NONE);
        }
        numbers[r] = number;
    }
    nadi_map64_release(&index);
}

/* As much as possible is read before giving up, so that one run names the errors of all files. */
static bool load_files(struct nadi_load *l)
{
    bool network = nadi_load_network(l) && nadi_load_packet(l);
    bool ok = network;
    if (network && l->in->options.samples && !l->in->system.library)
        ok = nadi_error(l->diags, "platform/intervals", NADI_IN_FILE(l->in->options.network),
                        "give a platform that `nadi fit --out` wrote",
                        "--samples needs a network with intervals, which a platform has");
    ok &= nadi_load_memory(l);
    ok &= nadi_load_system(l) && nadi_load_custom_nodes(l);
    if (!network)
        return false;
    ok = ok && nadi_fit_tiers(l);
    ok &= nadi_load_events(l);
    nadi_groups_init(&l->in->groups, l->in->rank_count);
    ok &= nadi_load_groups(l);
    return ok & nadi_load_traces(l);
}

bool nadi_inputs_load(struct nadi_inputs *in, const struct nadi_run_options *options,
                      struct nadi_diags *diags)
{
    *in = (struct nadi_inputs){.options = *options};
    nadi_arena_init(&in->arena);
    nadi_graph_init(&in->graph);
    struct nadi_load l = {.in = in, .diags = diags};
    if (options->flows)
        return nadi_load_flows(&l);
    if (!nadi_load_options(&l) || !load_files(&l) || !nadi_load_metadata_groups(&l))
        return false;
    /* "0" means all ranks, unless somebody defined a group of that name. */
    nadi_strmap_put(&in->groups.by_name, "0", 1, 0, NULL);
    if (!nadi_load_accesses(&l) || !nadi_load_attached(&l) || !nadi_load_customs(&l))
        return false;
    nadi_load_choose_by_traces(&l); /* groups and algorithms are known */
    nadi_load_hidden(&l);
    nadi_inputs_share_window(in);
    return nadi_check_load(&l);
}

bool nadi_inputs_check_made(struct nadi_inputs *in, struct nadi_diags *diags)
{
    struct nadi_diags said;
    struct nadi_load l = {.in = in, .diags = &said};
    nadi_diags_init(&said);
    const bool ok = nadi_check_load(&l);
    if (!ok)
        nadi_diags_append(diags, &said);
    nadi_diags_release(&said);
    return ok;
}

bool nadi_inputs_check(const struct nadi_inputs *in, struct nadi_diags *diags)
{
    if (in->system.replay_only)
        return true; /* ranks do not meet */
    bool ok = nadi_check_collectives(in, diags);
    return nadi_check_p2p(in, diags) && ok;
}

void nadi_inputs_release(struct nadi_inputs *in)
{
    for (uint32_t i = in->lent; i < in->owned_count; i++)
        nadi_trace_destroy(in->owned[i]);
    nadi_mem_free(in->owned);
    nadi_mem_free(in->traces);
    for (uint32_t c = 0; c < in->custom_count; c++)
        for (uint32_t p = 0; p < in->rank_count; p++)
            nadi_trace_destroy(in->customs[c].by_position[p]);
    nadi_mem_free(in->customs);
    for (uint32_t i = 0; i < in->table_count; i++)
        nadi_table_file_release(&in->tables[i]);
    nadi_mem_free(in->tables);
    nadi_mem_free(in->settings);
    nadi_mem_free(in->files);
    if (in->groups.items)
        nadi_groups_release(&in->groups);
    if (in->flows)
        nadi_flow_list_release(&in->flows->list);
    nadi_graph_release(&in->graph);
    nadi_arena_release(&in->arena);
    *in = (struct nadi_inputs){0};
}

bool nadi_inputs_processor_memory(const struct nadi_inputs *in)
{
    for (uint32_t i = 0; i < in->owned_count; i++) {
        const struct nadi_trace *t = in->owned[i];
        for (uint32_t n = 0; n < t->node_count; n++)
            if (t->flags[n] & NADI_NODE_IS_CPU &&
                (t->type[n] == NADI_NODE_MEM_LOAD || t->type[n] == NADI_NODE_MEM_STORE))
                return true;
    }
    return false;
}

static double compute_scale(const struct nadi_inputs *in)
{
    return in->options.compat ? 1 : in->options.compute_scale;
}

uint64_t nadi_inputs_replay_ns(const struct nadi_inputs *in, const struct nadi_trace *t,
                               uint32_t node)
{
    const uint64_t ns = nadi_replay_ns(t->duration_ns[node]);
    return t->type[node] == NADI_NODE_COMP && !nadi_trace_pauses(t, node)
               ? nadi_count_scale(ns, compute_scale(in))
               : ns;
}

uint64_t nadi_inputs_compute_ns(const struct nadi_inputs *in, const struct nadi_trace *t,
                                uint32_t node)
{
    const struct nadi_system_config *c = &in->system;
    if (!nadi_is_by_roofline(c, t, node))
        return nadi_inputs_replay_ns(in, t, node);
    if (t->bytes[node] == 0 && !c->only_untimed)
        return 0;
    const struct nadi_roofline line = {c->peak_perf, c->local_mem_bw};
    return nadi_count_scale(nadi_roofline_time(&line, t->ops[node], t->bytes[node]).ns,
                            compute_scale(in));
}
