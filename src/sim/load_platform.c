/* load_platform: a platform of a communication library (comm/platform.h) as the network: nodes of
 * accelerators for messages, the library for collectives that the system file leaves open. */
#include "comm/nccl.h"
#include "sim/load.h"

bool nadi_is_platform(const struct nadi_doc *doc)
{
    return doc->root->kind == NADI_DOC_MAP && nadi_doc_find(doc->root, "platform") &&
           !nadi_doc_find(doc->root, "topology");
}

static bool fill(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_inputs *in = l->in;
    struct nadi_topology *t = &in->topology;
    struct nadi_comm_platform *p = NADI_ARENA_ZNEW(&in->arena, struct nadi_comm_platform, 1);
    if (in->options.network_model != NADI_NETWORK_UNAWARE)
        return nadi_error(l->diags, "network/platform", NADI_IN_FILE(values->doc->path),
                          "leave --network-model out, or give a network of dimensions or links",
                          "collectives of a communication library are times, not messages: the "
                          "network model `unaware` alone takes a platform");
    if (!nadi_comm_platform_read(p, values, &in->arena, l->diags))
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
