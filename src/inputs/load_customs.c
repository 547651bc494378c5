/* load_customs: the map from nodes to custom algorithms, and the traces of those algorithms that
 * the workload needs. */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "collective/trace_set.h"
#include "inputs/load.h"
#include "trace/set.h"

static int by_node(const void *a, const void *b)
{
    const struct nadi_custom_node *x = a, *y = b;
    return x->node_id < y->node_id ? -1 : x->node_id > y->node_id;
}

const char *nadi_load_resolve(struct nadi_load *l, const char *path, const char *ending)
{
    struct nadi_arena *arena = &l->in->arena;
    const char *slash = l->in->options.system ? strrchr(l->in->options.system, '/') : NULL;
    if (path[0] == '/' || !slash ||
        nadi_file_exists(nadi_arena_printf(arena, "%s%s", path, ending)))
        return path;
    const char *beside = nadi_arena_printf(arena, "%.*s/%s", (int)(slash - l->in->options.system),
                                           l->in->options.system, path);
    bool exists = nadi_file_exists(nadi_arena_printf(arena, "%s%s", beside, ending));
    return exists ? beside : path;
}

static bool read_custom_nodes(struct nadi_load *l, const struct nadi_doc *doc)
{
    struct nadi_system_config *system = &l->in->system;
    char found[96];
    bool ok = true;
    if (doc->root->kind != NADI_DOC_MAP)
        return nadi_error(l->diags, "custom/map", nadi_doc_place(doc, doc->root),
                          "for example: 17: algorithms/tree",
                          "must map node ids to path prefixes, found %s",
                          nadi_doc_describe(doc, doc->root, found));
    system->custom_nodes = NADI_ARENA_NEW(&l->in->arena, struct nadi_custom_node, doc->root->count);
    for (const struct nadi_doc_node *n = doc->root->first; n; n = n->next) {
        struct nadi_custom_node node;
        const struct nadi_doc_node key = {.kind = NADI_DOC_SCALAR, .text = nadi_doc_key(n)};
        if (!nadi_str_to_u64(nadi_doc_key(n), &node.node_id) || nadi_doc_two_ways(doc, &key)) {
            ok = nadi_error(l->diags, "custom/node", nadi_doc_key_place(doc, n), NULL,
                            "%s is not a node id", nadi_doc_describe(doc, &key, found));
            continue;
        }
        if (n->kind != NADI_DOC_SCALAR || !n->text[0]) {
            ok = nadi_error(l->diags, "custom/path", nadi_doc_place(doc, n), NULL,
                            "node %s needs a path prefix, found %s", nadi_doc_key(n),
                            nadi_doc_describe(doc, n, found));
            continue;
        }
        node.prefix = nadi_arena_strdup(&l->in->arena, n->text);
        system->custom_nodes[system->custom_node_count++] = node;
    }
    if (system->custom_node_count)
        qsort(system->custom_nodes, system->custom_node_count, sizeof(*system->custom_nodes),
              by_node);
    return ok;
}

bool nadi_load_custom_nodes(struct nadi_load *l)
{
    if (!l->custom_nodes_path)
        return true;
    struct nadi_doc doc;
    if (!nadi_load_document(l, NADI_SCHEMA_CUSTOM_NODES,
                            nadi_load_resolve(l, l->custom_nodes_path, ""), &doc))
        return false;
    bool ok = read_custom_nodes(l, &doc);
    nadi_doc_release(&doc);
    return ok;
}

uint64_t nadi_scaled_bytes(const struct nadi_inputs *in, uint64_t bytes)
{
    return nadi_count_scale(bytes, in->options.comm_scale);
}

const char *nadi_custom_of(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t node,
                           uint32_t group)
{
    const struct nadi_system_config *system = &in->system;
    const enum nadi_native_kind kind =
        nadi_native_of((enum nadi_collective_kind)t->collective[node]);
    const struct nadi_custom_node *found = nadi_custom_node_of(system, t->id[node]);
    if (found)
        return found->prefix;
    if (kind == NADI_NATIVE_KINDS || group == NADI_NONE)
        return NULL;
    return nadi_implementation_of(system, kind, group, in->groups.items[group].size,
                                  nadi_scaled_bytes(in, t->bytes[node]))
        ->custom;
}

static uint32_t index_of(const struct nadi_inputs *in, const char *prefix)
{
    for (uint32_t i = 0; prefix && i < in->custom_count; i++)
        if (strcmp(in->customs[i].prefix, prefix) == 0)
            return i;
    return NADI_NONE;
}

static struct nadi_custom_algorithm *find_or_add(struct nadi_inputs *in, const char *prefix)
{
    const uint32_t found = index_of(in, prefix);
    if (found != NADI_NONE)
        return &in->customs[found];
    in->customs = nadi_mem_realloc(in->customs, in->custom_count + 1, sizeof(*in->customs));
    struct nadi_custom_algorithm *c = &in->customs[in->custom_count++];
    *c = (struct nadi_custom_algorithm){
        .prefix = prefix,
        .by_position = NADI_ARENA_ZNEW(&in->arena, struct nadi_trace *, in->rank_count),
        .least_members = in->rank_count,
    };
    return c;
}

static bool read_position(struct nadi_load *l, const char *prefix, const struct nadi_group *g,
                          uint32_t position)
{
    struct nadi_custom_algorithm *c = find_or_add(l->in, prefix);
    c->least_members = g->size < c->least_members ? g->size : c->least_members;
    if (c->by_position[position])
        return true;
    char ending[24];
    snprintf(ending, sizeof(ending), ".%u.et", position);
    const char *resolved = nadi_load_resolve(l, prefix, ending);
    const char *path = nadi_arena_printf(&l->in->arena, "%s%s", resolved, ending);
    if (!nadi_trace_set_is_whole(resolved, l->diags))
        return false;
    c->by_position[position] = nadi_trace_read(path, 0, l->diags);
    return c->by_position[position] != NULL;
}

static bool read_for_rank(struct nadi_load *l, uint32_t rank)
{
    const struct nadi_trace *t = l->in->traces[rank];
    bool ok = true;
    for (uint32_t n = 0; n < t->node_count && ok; n++) {
        if (t->type[n] != NADI_NODE_COLL)
            continue;
        const struct nadi_group *g = nadi_inputs_group(l->in, t, n, rank);
        const char *prefix =
            nadi_custom_of(l->in, t, n, g ? (uint32_t)(g - l->in->groups.items) : NADI_NONE);
        uint32_t position = prefix && g ? nadi_group_sorted_position(g, rank) : NADI_NONE;
        if (position != NADI_NONE)
            ok = read_position(l, prefix, g, position);
    }
    return ok;
}

static bool uses_customs(const struct nadi_system_config *system)
{
    bool any = system->custom_node_count > 0;
    for (int k = 0; k < NADI_NATIVE_KINDS; k++)
        any |= system->native[k].custom != NULL;
    for (uint32_t i = 0; i < system->attached_count; i++)
        any |= system->attached[i].implementation.custom != NULL;
    return any;
}

/* Algorithms of custom-collectives; those of the reference's keys run as they do there. */
static bool check_attached(struct nadi_load *l)
{
    const struct nadi_inputs *in = l->in;
    bool ok = true;
    for (uint32_t i = 0; i < in->system.attached_count; i++) {
        const char *prefix = in->system.attached[i].implementation.custom;
        for (uint32_t c = 0; prefix && c < in->custom_count; c++) {
            struct nadi_trace_set_figures figures;
            struct nadi_trace *const *traces = in->customs[c].by_position;
            uint32_t n = 0;
            while (n < in->rank_count && traces[n])
                n++;
            if (strcmp(in->customs[c].prefix, prefix) != 0)
                continue;
            l->in->customs[c].bytes = in->system.attached[i].implementation.custom_bytes;
            ok &= nadi_trace_set_check(traces, n, &figures, l->diags);
        }
    }
    return ok;
}

/* A run goes by numbers. */
static void number_customs(const struct nadi_inputs *in, struct nadi_system_config *system)
{
    for (int k = 0; k < NADI_NATIVE_KINDS; k++)
        system->native[k].custom_index = index_of(in, system->native[k].custom);
    for (uint32_t i = 0; i < system->attached_count; i++)
        system->attached[i].implementation.custom_index =
            index_of(in, system->attached[i].implementation.custom);
    for (uint32_t i = 0; i < system->custom_node_count; i++)
        system->custom_nodes[i].custom_index = index_of(in, system->custom_nodes[i].prefix);
}

bool nadi_load_customs(struct nadi_load *l)
{
    bool ok = true;
    if (!uses_customs(&l->in->system) || l->in->system.replay_only)
        return true;
    for (uint32_t r = 0; r < l->in->rank_count; r++)
        ok &= read_for_rank(l, r);
    number_customs(l->in, &l->in->system);
    return ok && check_attached(l);
}
