/* load_platform: a platform of a communication library (nccl/platform.h) as the network: nodes of
 * accelerators for messages, the library for collectives that the system file leaves open. */
#include "base/file.h"
#include "format/embedded.h"
#include "inputs/load.h"
#include "nccl/nccl.h"
#include "platform/generator_words.h"

bool nadi_is_platform(const struct nadi_doc *doc)
{
    return doc->root->kind == NADI_DOC_MAP && nadi_doc_find(doc->root, "platform") &&
           !nadi_doc_find(doc->root, "topology");
}

bool nadi_network_is_known(struct nadi_load *l)
{
    const char *name = l->in->options.network;
    if (strpbrk(name, "./") || nadi_embedded_find("platforms", name) ||
        nadi_generator_is_words(name) || nadi_file_exists(name))
        return true;
    const char *near = nadi_embedded_nearest("platforms", name);
    if (!near)
        near = nadi_generator_nearest(name);
    struct nadi_str hint = NADI_STR_INIT;
    if (near)
        nadi_str_printf(&hint, "did you mean '%s'?", near);
    else
        nadi_str_add(&hint,
                     "`nadi model list` names the platforms, `nadi help topo` the generators");
    nadi_error(l->diags, "network/unknown", NADI_IN_FILE(name), nadi_str_get(&hint),
               nadi_embedded_find("clusters", name)
                   ? "'%s' is a cluster of `nadi model`; a network is a file, a platform or a "
                     "generator"
                   : "no file, platform or generator is called '%s'",
               name);
    nadi_str_release(&hint);
    return false;
}

/* A platform by its name says nothing of how many nodes there are: as many as the workload needs.
 */
static bool take_nodes(struct nadi_load *l, struct nadi_comm_platform *p)
{
    const char *workload = l->in->options.workload;
    const uint32_t ranks = workload ? nadi_workload_ranks(workload) : 0;
    if (ranks == 0 || !nadi_embedded_find("platforms", l->in->options.network))
        return true;
    if (ranks > p->gpus_per_node && ranks % p->gpus_per_node != 0)
        return nadi_error(l->diags, "workload/rank-count", NADI_IN_FILE(workload),
                          "give a platform of your own with other 'gpus-per-node' and 'nodes'",
                          "%u ranks do not fill whole nodes of %s, which have %u", ranks,
                          l->in->options.network, p->gpus_per_node);
    if (ranks > p->gpus_per_node && p->nics == 0)
        return nadi_error(l->diags, "workload/rank-count", NADI_IN_FILE(workload),
                          "give a platform of your own with 'nics' and 'nic-bandwidth'",
                          "%u ranks are more than a node of %s has, which has no NICs", ranks,
                          l->in->options.network);
    nadi_comm_platform_resize(p, ranks < p->gpus_per_node ? ranks : p->gpus_per_node, ranks);
    return true;
}

static bool fill(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_inputs *in = l->in;
    struct nadi_topology *t = &in->topology;
    struct nadi_comm_platform *p = NADI_ARENA_ZNEW(&in->arena, struct nadi_comm_platform, 1);
    if (in->options.network_model->has_contention && !l->look_only)
        return nadi_error(l->diags, "network/platform", NADI_IN_FILE(values->doc->path),
                          "leave --network-model out, or give a network of dimensions or links",
                          "collectives of a communication library are times, not messages: the "
                          "network model `%s` alone takes a platform",
                          nadi_network_default->name);
    if (!nadi_comm_platform_read(p, values, &in->arena, l->diags) || !take_nodes(l, p))
        return false;
    nadi_comm_platform_dims(p, t);
    if (!nadi_topology_finish(t))
        return nadi_error(l->diags, "network/size", NADI_IN_FILE(values->doc->path), NULL,
                          "'gpus-per-node' times 'nodes' is more than %d ranks", INT32_MAX);
    in->rank_count = t->npu_count;
    in->system.library = p;
    if (in->options.samples && p->interval_count == 0)
        return nadi_error(l->diags, "platform/intervals", NADI_IN_FILE(values->doc->path),
                          "`nadi fit --out` writes them",
                          "--samples needs the intervals of a fit; the platform has none");
    return true;
}

bool nadi_load_platform(struct nadi_load *l, const struct nadi_doc *doc)
{
    struct nadi_schema_values values;
    const bool ok = nadi_schema_check(&values, nadi_schema_of(NADI_SCHEMA_PLATFORM), doc,
                                      l->in->options.strict, &l->in->arena, l->diags) &&
                    fill(l, &values);
    if (ok)
        nadi_settings_add_values(l->in, &values);
    return ok;
}

void nadi_take_library(struct nadi_load *l)
{
    struct nadi_system_config *s = &l->in->system;
    for (int k = 0; k < NADI_NATIVE_KINDS && s->library; k++)
        if (s->native[k].count == 0 && !s->native[k].custom)
            s->native[k] = (struct nadi_implementation){
                .count = 1,
                .dims = {{.algorithm = NADI_ALGORITHM_LIBRARY, .flat = true}},
            };
}
