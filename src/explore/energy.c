#include "explore/energy.h"

#include "cost/energy.h"
#include "network/ops.h"

#include <math.h>

static bool open_energy(const struct nadi_inputs *in, struct nadi_energy *e,
                        struct nadi_diags *diags)
{
    return nadi_energy_open(e, in->options.energy, in->has_graph ? &in->graph : NULL, &in->topology,
                            in->options.network_model->has_flits ? in->flit.flit_bytes : 0, diags);
}

bool nadi_energy_check(const struct nadi_inputs *in, struct nadi_diags *diags)
{
    const struct nadi_network_ops *ops = in->options.network_model;
    struct nadi_energy e;
    if (!in->options.energy)
        return true;
    if (!ops->has_links)
        return nadi_error(diags, "energy/links", NADI_NOWHERE, "name another network model",
                          "network model %s counts nothing on links, and energy is of what passes "
                          "them",
                          ops->name);
    if (in->system.library)
        return nadi_error(diags, "energy/library", NADI_NOWHERE,
                          "leave --energy out, or name a system file",
                          "collectives take the times of a library: their traffic is not counted");
    const bool ok = open_energy(in, &e, diags);
    nadi_energy_release(&e);
    return ok;
}

static void add_links(const struct nadi_energy *e, struct nadi_result *r,
                      struct nadi_energy_use *sum)
{
    for (uint32_t d = 0; d < r->dim_count; d++)
        r->dims[d].joules = 0;
    for (size_t i = 0; i < r->link_count; i++) {
        struct nadi_link_result *l = &r->links[i];
        struct nadi_energy_use use = {0};
        nadi_energy_add_link(e, l->from, l->to, l->wire_bytes ? l->wire_bytes : l->bytes, l->flits,
                             &use);
        l->joules = (use.routers + use.links) / 1e12;
        sum->routers += use.routers;
        sum->links += use.links;
        sum->made_up |= use.made_up;
        for (uint32_t d = 0; d < r->dim_count; d++)
            if (r->dims[d].dim == l->dim)
                r->dims[d].joules += l->joules;
    }
}

void nadi_energy_find(const struct nadi_inputs *in, struct nadi_result *r)
{
    struct nadi_energy e;
    struct nadi_energy_use sum = {0};
    struct nadi_diags diags;
    if (!in->options.energy)
        return;
    nadi_diags_init(&diags);
    const bool ok = open_energy(in, &e, &diags);
    nadi_diags_release(&diags);
    if (ok) {
        add_links(&e, r, &sum);
        nadi_energy_add_arrived(&e, r->message_bytes, r->message_flits, &sum);
        const double idle = e.idle_watts * (double)r->end_ns * 1e3; /* pJ */
        const double all = sum.routers + sum.links + idle;
        r->energy = (struct nadi_energy_result){
            .catalogue = nadi_arena_strdup(&r->arena, e.prices.name),
            .routers_j = sum.routers / 1e12,
            .links_j = sum.links / 1e12,
            .idle_j = idle / 1e12,
            .joules = all / 1e12,
            .pj_per_bit = r->message_bytes ? all / (8 * (double)r->message_bytes) : (double)NAN,
            .made_up = sum.made_up || e.idle_made_up,
        };
    }
    nadi_energy_release(&e);
}
