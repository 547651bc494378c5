#include "inputs/network_file.h"

#include "inputs/load.h"

bool nadi_network_file_open(struct nadi_graph_file *f, const char *path, struct nadi_diags *diags)
{
    struct nadi_topology t;
    return nadi_network_file_open_dims(f, &t, path, diags);
}

bool nadi_network_file_open_dims(struct nadi_graph_file *f, struct nadi_topology *t,
                                 const char *path, struct nadi_diags *diags)
{
    *t = (struct nadi_topology){0};
    /* As a run reads it whose messages share links. */
    struct nadi_inputs in = {
        .options = {.network = path, .network_model = nadi_network_sharing, .strict = true}};
    struct nadi_load l = {.in = &in, .diags = diags, .look_only = true};
    struct nadi_graph_file whole;
    nadi_arena_init(&in.arena);
    nadi_graph_init(&in.graph);
    bool ok = nadi_load_network(&l);
    const bool is_graph = l.graph_ready;
    if (ok && !is_graph) {
        if (!l.graph_path)
            *t = in.topology;
        ok = nadi_load_graph(&l) && (in.has_graph || nadi_load_graph_from_dims(&l));
    }
    *f = (struct nadi_graph_file){.kind =
                                      in.system.library ? NADI_NETWORK_FILE_PLATFORM : "dimensions",
                                  .routing = in.routing.scheme};
    if (ok && is_graph) {
        /* Once more, with what a run does not need: prices. What it says has been said. */
        struct nadi_diags again;
        nadi_inputs_release(&in);
        nadi_diags_init(&again);
        const bool read = nadi_graph_file_read(&whole, path, &again);
        nadi_diags_release(&again);
        *f = whole;
        return read;
    }
    f->graph = in.graph;
    nadi_graph_init(&in.graph);
    if (ok) {
        f->dim_count = in.topology.dim_count;
        for (uint32_t d = 0; d < f->dim_count; d++)
            f->dims[d] = in.topology.dims[d].npus;
    }
    if (f->routing == NADI_ROUTE_NONE)
        f->routing = NADI_ROUTE_DIMENSION_ORDER;
    nadi_inputs_release(&in);
    return ok;
}
