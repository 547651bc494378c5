/* generator_wafer: the NPUs of a wafer, as a mesh or under switches that reduce. */
#include "platform/generator_make.h"
#include "platform/graph_dims.h"

#include <math.h>

/* ---- fred --------------------------------------------------------------------------------------
 */

static uint32_t leaves_of(const struct nadi_generator *gen)
{
    return gen->npus / gen->per_leaf;
}

struct nadi_made nadi_count_fred(const struct nadi_generator *gen)
{
    const uint64_t leaves = leaves_of(gen);
    return (struct nadi_made){
        .npus = gen->npus,
        .switches = leaves + (leaves > 1) + gen->io,
        .links = gen->npus + (leaves > 1 ? leaves : 0) + gen->io,
    };
}

static uint32_t make_fred_switch(struct nadi_graph *g, const struct nadi_generator *gen,
                                 const char *role, uint32_t number, uint32_t level, uint32_t group)
{
    const uint32_t n = nadi_make_switch(g, role, number, level, group);
    g->nodes[n].middle = gen->middle;
    if (gen->reduces)
        g->nodes[n].in_switch_bytes_per_ns = (double)INFINITY;
    return n;
}

void nadi_make_fred(struct nadi_graph *g, const struct nadi_generator *gen)
{
    const uint32_t leaves = leaves_of(gen);
    nadi_make_hosts(g, gen->npus, gen->per_leaf);
    const uint32_t first = g->node_count;
    for (uint32_t l = 0; l < leaves; l++) {
        make_fred_switch(g, gen, "L1", l, 1, l);
        for (uint32_t i = 0; i < gen->per_leaf; i++)
            nadi_make_cables(g, l * gen->per_leaf + i, first + l, &gen->host, 1, 0);
    }
    if (leaves > 1) {
        const uint32_t top = make_fred_switch(g, gen, "L2", 0, 2, NADI_NONE);
        for (uint32_t l = 0; l < leaves; l++)
            nadi_make_cables(g, first + l, top, &gen->uplink[0], 1, 1);
    }
    for (uint32_t i = 0; i < gen->io; i++) {
        const uint32_t io = nadi_make_switch(g, NADI_ROLE_IO, i, 0, i % leaves);
        nadi_make_cables(g, io, first + i % leaves, &gen->io_cable, 1, 0);
    }
    g->alike = gen->io % leaves == 0 ? 1 : 0;
    nadi_graph_finish(g);
}

/* ---- mesh --------------------------------------------------------------------------------------
 */

static void mesh_of(const struct nadi_generator *gen, struct nadi_topology *t)
{
    *t = (struct nadi_topology){.dim_count = 2};
    for (uint32_t d = 0; d < 2; d++)
        t->dims[d] = (struct nadi_dim){.kind = NADI_DIM_MESH,
                                       .npus = gen->shape[d],
                                       .bytes_per_ns = gen->host.bytes_per_s / 1e9,
                                       .latency_ns = gen->host.latency_ns,
                                       .axes = 1};
    if (!nadi_topology_finish(t))
        NADI_BUG("a shape that was checked is too large");
}

/* Controllers lie evenly round the edge, from the first NPU along the first row. */
static void add_controllers(struct nadi_graph *g, uint32_t first_router, const void *context)
{
    const struct nadi_generator *gen = context;
    const uint32_t w = gen->shape[0], h = gen->shape[1];
    const uint64_t room = 2 * ((uint64_t)w + h);
    for (uint32_t i = 0; i < gen->io; i++) {
        const uint32_t slot = (uint32_t)(i * room / gen->io);
        const bool back = slot >= w + h; /* on the way back, along the last row and first column */
        const uint32_t along = back ? slot - w - h : slot;
        const bool column = along < w; /* at the end of a column */
        const uint32_t x = column ? (back ? w - 1 - along : along) : back ? 0 : w - 1;
        const uint32_t y = column ? (back ? h - 1 : 0) : back ? h - 1 - (along - w) : along - w;
        const uint32_t io = nadi_make_switch(g, NADI_ROLE_IO, i, 1, NADI_NONE);
        nadi_make_cables(g, io, first_router + y * w + x, &gen->io_cable, 1, column);
    }
}

struct nadi_made nadi_count_wafer_mesh(const struct nadi_generator *gen)
{
    const uint64_t npus = nadi_made_times(gen->shape[0], gen->shape[1]);
    struct nadi_made made = {npus, npus + gen->io, 2 * npus + gen->io};
    struct nadi_topology t;
    if (npus > 1 << 24)
        return made; /* too large anyway */
    mesh_of(gen, &t);
    const struct nadi_graph_grid grid = {.shape = &t, .hosts = 1};
    made.links = nadi_graph_grid_links(&grid) + gen->io;
    return made;
}

void nadi_make_wafer_mesh(struct nadi_graph *g, const struct nadi_generator *gen)
{
    struct nadi_topology t;
    mesh_of(gen, &t);
    const struct nadi_graph_grid grid = {
        .shape = &t, .hosts = 1, .router_role = "router", .more = add_controllers, .context = gen};
    nadi_graph_from_grid(g, &grid);
}
