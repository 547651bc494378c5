/* Any bytes as a flit file: a configuration within its bounds that a small torus can have or that
 * is refused with a reason, or at least one error. */
#include "support/fuzz_load.h"

#include "network/flit/paths.h"
#include "platform/graph_dims.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void build(const struct nadi_flit_config *c)
{
    struct nadi_topology t = {
        .dim_count = 2,
        .dims = {{.kind = NADI_DIM_RING, .npus = 3, .bytes_per_ns = 10, .latency_ns = 5},
                 {.kind = NADI_DIM_MESH, .npus = 2, .bytes_per_ns = 10, .latency_ns = 5}},
    };
    struct nadi_graph g;
    struct nadi_flit_wiring w;
    struct nadi_diags diags;
    NADI_ASSERT(nadi_topology_finish(&t));
    nadi_graph_init(&g);
    nadi_diags_init(&diags);
    nadi_graph_from_dims(&g, &t);
    if (nadi_flit_wire(&w, &g, c, &diags)) {
        struct nadi_flit_paths *p = nadi_flit_paths_create(&w, c, NULL, &diags);
        NADI_ASSERT(p || diags.errors > 0);
        NADI_ASSERT(!p || nadi_flit_paths_classes(p) <= c->vcs);
        nadi_flit_paths_destroy(p);
        nadi_flit_unwire(&w);
    } else
        NADI_ASSERT(diags.errors > 0);
    nadi_graph_release(&g);
    nadi_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_inputs in;
    if (fuzz_load(&in, NADI_SCHEMA_FLIT, data, size)) {
        const struct nadi_flit_config *c = &in.flit;
        NADI_ASSERT(c->vcs >= 1 && c->vcs <= NADI_FLIT_MOST_VCS && c->switch_delay >= 1);
        NADI_ASSERT(c->packet_flits >= 1 && c->flit_bytes >= 1 && c->speedup >= 1);
        NADI_ASSERT(c->header_bytes < (uint64_t)c->flit_bytes * c->packet_flits);
        NADI_ASSERT(!c->cut_through || !c->buffer_flits || c->packet_flits <= c->buffer_flits);
        build(c);
    }
    nadi_inputs_release(&in);
    return 0;
}
