/* generator_dragonfly: groups joined by global cables, and products of dimensions. */
#include "base/time.h"
#include "platform/generator_make.h"
#include "platform/graph_dims.h"

/* Global cables between each two groups, from the ports of a group. */
static uint64_t layers_of(uint64_t ports, uint32_t groups)
{
    return groups > 1 ? ports / (groups - 1) : 0;
}

/* Port q of group i goes to group i + 1 + q mod (g - 1); the ports that are left over stay free. So
 * each two groups have as many cables, and turning the groups changes nothing. */
static void make_global(struct nadi_graph *g, const struct nadi_generator *gen, uint32_t first,
                        uint32_t stride, uint32_t per_router, uint32_t routers)
{
    const uint32_t groups = gen->g;
    const uint64_t layers = layers_of((uint64_t)routers * per_router, groups);
    for (uint32_t i = 0; i < groups; i++)
        for (uint64_t layer = 0; layer < layers; layer++)
            for (uint32_t step = 1; step < groups; step++) {
                const uint32_t j = (i + step) % groups;
                if (j < i)
                    continue; /* added from the other end */
                const uint64_t here = layer * (groups - 1) + step - 1;
                const uint64_t there = layer * (groups - 1) + groups - step - 1;
                nadi_make_cables(g, first + i * stride + (uint32_t)(here / per_router),
                                 first + j * stride + (uint32_t)(there / per_router), &gen->global,
                                 1, 2);
            }
}

struct nadi_made nadi_count_dragonfly(const struct nadi_generator *gen)
{
    const uint64_t routers = nadi_made_times(gen->g, gen->a);
    const uint64_t npus = nadi_made_times(routers, gen->p);
    const uint64_t pairs = nadi_made_times(gen->g, gen->g - 1) / 2;
    return (struct nadi_made){
        .npus = npus,
        .switches = routers,
        .links = npus + nadi_made_times(routers, gen->a - 1) / 2 +
                 nadi_made_times(pairs, layers_of((uint64_t)gen->a * gen->h, gen->g)),
    };
}

void nadi_make_dragonfly(struct nadi_graph *g, const struct nadi_generator *gen)
{
    const uint32_t a = gen->a, p = gen->p, npus = gen->g * a * p;
    nadi_make_hosts(g, npus, (uint64_t)a * p);
    for (uint32_t r = 0; r < gen->g * a; r++)
        nadi_make_switch(g, "router", r, 1, r / a);
    for (uint32_t npu = 0; npu < npus; npu++)
        nadi_make_cables(g, npu, npus + npu / p, &gen->host, 1, 0);
    for (uint32_t i = 0; i < gen->g; i++)
        for (uint32_t x = 0; x < a; x++)
            for (uint32_t y = x + 1; y < a; y++)
                nadi_make_cables(g, npus + i * a + x, npus + i * a + y, &gen->uplink[0], 1, 1);
    make_global(g, gen, npus, a, gen->h, a);
    g->alike = a * p; /* the routers of a group differ, turned groups do not */
    nadi_graph_finish(g);
}

struct nadi_made nadi_count_dragonfly_plus(const struct nadi_generator *gen)
{
    const uint64_t leaves = nadi_made_times(gen->g, gen->leaves);
    const uint64_t npus = nadi_made_times(leaves, gen->hosts);
    const uint64_t pairs = nadi_made_times(gen->g, gen->g - 1) / 2;
    return (struct nadi_made){
        .npus = npus,
        .switches = leaves + nadi_made_times(gen->g, gen->spines),
        .links = npus + nadi_made_times(leaves, gen->spines) +
                 nadi_made_times(pairs, layers_of((uint64_t)gen->spines * gen->h, gen->g)),
    };
}

void nadi_make_dragonfly_plus(struct nadi_graph *g, const struct nadi_generator *gen)
{
    const uint32_t leaves = gen->leaves, spines = gen->spines, of_group = leaves + spines;
    const uint32_t npus = gen->g * leaves * gen->hosts;
    nadi_make_hosts(g, npus, (uint64_t)leaves * gen->hosts);
    for (uint32_t i = 0; i < gen->g; i++) {
        for (uint32_t x = 0; x < leaves; x++)
            nadi_make_switch(g, "leaf", i * leaves + x, 1, i);
        for (uint32_t x = 0; x < spines; x++)
            nadi_make_switch(g, "spine", i * spines + x, 2, i);
    }
    for (uint32_t npu = 0; npu < npus; npu++) {
        const uint32_t leaf = npu / gen->hosts;
        nadi_make_cables(g, npu, npus + leaf / leaves * of_group + leaf % leaves, &gen->host, 1, 0);
    }
    for (uint32_t i = 0; i < gen->g; i++)
        for (uint32_t x = 0; x < leaves; x++)
            for (uint32_t y = 0; y < spines; y++)
                nadi_make_cables(g, npus + i * of_group + x, npus + i * of_group + leaves + y,
                                 &gen->uplink[0], 1, 1);
    make_global(g, gen, npus + leaves, of_group, gen->h, spines);
    g->alike = 1;
    nadi_graph_finish(g);
}

/* The routers of hyperx, torus and mesh. */
static void shape_of(const struct nadi_generator *gen, struct nadi_topology *t)
{
    const bool cube = gen->type == NADI_GENERATE_HYPERX;
    *t = (struct nadi_topology){.dim_count = gen->axes};
    for (uint32_t d = 0; d < gen->axes; d++)
        t->dims[d] = (struct nadi_dim){
            .kind = cube                               ? NADI_DIM_FULLY_CONNECTED
                    : gen->type == NADI_GENERATE_TORUS ? NADI_DIM_RING
                                                       : NADI_DIM_MESH,
            .npus = gen->shape[d],
            .bytes_per_ns = gen->uplink[d].bytes_per_s / 1e9,
            .latency_ns = gen->uplink[d].latency_ns,
            .axes = 1,
        };
    if (!nadi_topology_finish(t))
        NADI_BUG("a shape that was checked is too large");
}

static struct nadi_graph_grid grid_of(const struct nadi_generator *gen,
                                      const struct nadi_topology *t)
{
    return (struct nadi_graph_grid){
        .shape = t,
        .hosts = gen->hosts,
        .parallel_cables = gen->parallel_cables,
        .host_bits_per_s = gen->hosts_given ? nadi_graph_rate(gen->host.bytes_per_s / 1e9) : 0,
        .host_latency = gen->hosts_given ? nadi_time_trunc_ns(gen->host.latency_ns) : 0,
        .router_role = gen->hosts_given ? "switch" : "router",
    };
}

struct nadi_made nadi_count_grid(const struct nadi_generator *gen)
{
    struct nadi_made made = {.switches = 1};
    for (uint32_t d = 0; d < gen->axes; d++)
        made.switches = nadi_made_times(made.switches, gen->shape[d]);
    made.npus = nadi_made_times(made.switches, gen->hosts);
    made.links = made.npus;
    if (made.npus > 1 << 24)
        return made; /* too large anyway */
    struct nadi_topology t;
    shape_of(gen, &t);
    const struct nadi_graph_grid grid = grid_of(gen, &t);
    made.links = nadi_graph_grid_links(&grid);
    return made;
}

void nadi_make_grid(struct nadi_graph *g, const struct nadi_generator *gen)
{
    struct nadi_topology t;
    shape_of(gen, &t);
    const struct nadi_graph_grid grid = grid_of(gen, &t);
    nadi_graph_from_grid(g, &grid);
}
