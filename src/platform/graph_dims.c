#include "platform/graph_dims.h"

#include "base/mem.h"
#include "base/time.h"

static bool has_routers(const struct nadi_topology *t)
{
    return t->dim_count > 1 ||
           (t->dims[0].kind != NADI_DIM_FULLY_CONNECTED && t->dims[0].kind != NADI_DIM_SWITCH);
}

/* Of an expanded dimension: one axis. */
static uint64_t cables_of_group(const struct nadi_dim *dim)
{
    const uint64_t n = dim->npus;
    if (n == 1)
        return 0;
    switch (dim->kind) {
    case NADI_DIM_RING:
        return n == 2 ? 1 : n;
    case NADI_DIM_RING_ONE_WAY:
    case NADI_DIM_SWITCH:
        return n;
    case NADI_DIM_MESH:
        return n - 1;
    case NADI_DIM_FULLY_CONNECTED:
        return n * (n - 1) / 2;
    case NADI_DIM_TORUS:
    case NADI_DIM_NONE:
        break;
    }
    NADI_BUG("dimension without a kind");
}

static uint64_t links_of_shape(const struct nadi_topology *t, const uint32_t *parallel_cables)
{
    struct nadi_topology whole;
    uint32_t of[NADI_MAX_DIMS];
    uint64_t links = 0;
    if (!nadi_topology_expand(t, &whole, of))
        NADI_BUG("a network of more than %d axes", NADI_MAX_DIMS);
    for (uint32_t d = 0; d < whole.dim_count; d++)
        links += cables_of_group(&whole.dims[d]) * (whole.npu_count / whole.dims[d].npus) *
                 (parallel_cables ? parallel_cables[of[d]] : 1);
    return links;
}

uint64_t nadi_graph_dims_links(const struct nadi_topology *t)
{
    return links_of_shape(t, NULL) + (has_routers(t) ? t->npu_count : 0);
}

uint64_t nadi_graph_grid_links(const struct nadi_graph_grid *grid)
{
    return links_of_shape(grid->shape, grid->parallel_cables) +
           (uint64_t)grid->shape->npu_count * grid->hosts;
}

uint64_t nadi_graph_rate(double bytes_per_ns)
{
    const double bits = bytes_per_ns * 8e9;
    return bits >= NADI_GRAPH_MOST_BITS_PER_S ? nadi_count_trunc(NADI_GRAPH_MOST_BITS_PER_S)
           : bits >= 1                        ? nadi_count_round(bits)
                                              : 1;
}

struct builder {
    struct nadi_graph *g;
    struct nadi_topology shape; /* expanded */
    uint32_t of[NADI_MAX_DIMS]; /* dimension that each of the shape's came from */
    uint32_t parallel_cables[NADI_MAX_DIMS];
    uint32_t first; /* node of rank 0's router, or host where there are none */
    uint32_t hubs;
    uint32_t first_dim; /* number of the shape's first dimension */
};

static void connect(struct builder *b, uint32_t dim, uint32_t x, uint32_t y)
{
    const struct nadi_dim *shape = &b->shape.dims[dim];
    for (uint32_t cable = 0; cable < b->parallel_cables[dim]; cable++)
        nadi_graph_add_link(
            b->g, (struct nadi_graph_link){
                      .a = x,
                      .b = y,
                      .bits_per_s = nadi_graph_rate(shape->bytes_per_ns),
                      .latency = nadi_time_trunc_ns(shape->latency_ns),
                      .dim = (uint32_t)nadi_min_u64(b->of[dim] + b->first_dim, NADI_MAX_DIMS - 1),
                      .one_way = shape->kind == NADI_DIM_RING_ONE_WAY,
                  });
}

static void connect_hub(struct builder *b, uint32_t dim, uint32_t base)
{
    const struct nadi_dim *shape = &b->shape.dims[dim];
    const uint32_t n = shape->npus, stride = b->shape.stride[dim];
    if (n == 1)
        return;
    const uint32_t hub = nadi_graph_add_node(b->g, NADI_GRAPH_SWITCH, NULL);
    b->g->nodes[hub].level = 2 + b->of[dim];
    b->g->nodes[hub].number = b->hubs++;
    b->g->nodes[hub].in_switch_bytes_per_ns = shape->in_switch_bytes_per_ns;
    b->g->nodes[hub].in_switch_latency_ns = shape->in_switch_latency_ns;
    if (shape->oversubscription > 1)
        b->g->nodes[hub].forward_bits_s = nadi_graph_rate(
            shape->bytes_per_ns * b->parallel_cables[dim] * n / shape->oversubscription);
    for (uint32_t i = 0; i < n; i++)
        connect(b, dim, base + i * stride, hub);
}

/* The cables of the group that `rank` is the first of. */
static void connect_group(struct builder *b, uint32_t dim, uint32_t rank)
{
    const enum nadi_dim_kind kind = b->shape.dims[dim].kind;
    const uint32_t n = b->shape.dims[dim].npus, stride = b->shape.stride[dim];
    const uint32_t base = b->first + rank;
    switch (kind) {
    case NADI_DIM_RING:
    case NADI_DIM_RING_ONE_WAY:
    case NADI_DIM_MESH:
        for (uint32_t i = 0; i + 1 < n; i++)
            connect(b, dim, base + i * stride, base + (i + 1) * stride);
        if (kind != NADI_DIM_MESH && n > (kind == NADI_DIM_RING ? 2 : 1))
            connect(b, dim, base + (n - 1) * stride, base);
        return;
    case NADI_DIM_FULLY_CONNECTED:
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = i + 1; k < n; k++)
                connect(b, dim, base + i * stride, base + k * stride);
        return;
    case NADI_DIM_SWITCH:
        connect_hub(b, dim, base);
        return;
    case NADI_DIM_TORUS:
    case NADI_DIM_NONE:
        break;
    }
    NADI_BUG("dimension without a kind");
}

/* Bytes per ns of all the cables that leave a router. */
static double rate_of_router(const struct builder *b)
{
    double bytes_per_ns = 0;
    for (uint32_t d = 0; d < b->shape.dim_count; d++) {
        const struct nadi_dim *dim = &b->shape.dims[d];
        const bool two = dim->kind == NADI_DIM_RING || dim->kind == NADI_DIM_MESH;
        const uint32_t cables = two ? 2 : dim->kind == NADI_DIM_FULLY_CONNECTED ? dim->npus : 1;
        bytes_per_ns += dim->bytes_per_ns * cables * b->parallel_cables[d];
    }
    return bytes_per_ns;
}

static void add_routers(struct builder *b, const struct nadi_graph_grid *grid)
{
    const uint64_t on_board = nadi_graph_rate(rate_of_router(b));
    b->first = b->g->node_count;
    for (uint32_t r = 0; r < b->shape.npu_count; r++) {
        const uint32_t router = nadi_graph_add_node(b->g, NADI_GRAPH_SWITCH, NULL);
        b->g->nodes[router].role = grid->router_role;
        for (uint32_t h = 0; h < grid->hosts; h++)
            nadi_graph_add_link(
                b->g, (struct nadi_graph_link){
                          .a = r * grid->hosts + h,
                          .b = router,
                          .bits_per_s = grid->host_bits_per_s ? grid->host_bits_per_s : on_board,
                          .latency = grid->host_latency,
                          .dim = grid->host_bits_per_s ? 0 : NADI_NONE,
                      });
    }
}

static void begin(struct builder *b, struct nadi_graph *g, const struct nadi_topology *t,
                  const uint32_t *parallel_cables, uint32_t hosts)
{
    *b = (struct builder){.g = g};
    if (!nadi_topology_expand(t, &b->shape, b->of))
        NADI_BUG("a network of more than %d axes", NADI_MAX_DIMS);
    for (uint32_t d = 0; d < b->shape.dim_count; d++)
        b->parallel_cables[d] = parallel_cables ? parallel_cables[b->of[d]] : 1;
    for (uint32_t r = 0; r < hosts; r++)
        nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
}

static void connect_all(struct builder *b)
{
    b->g->alike = 1;
    for (uint32_t d = 0; d < b->shape.dim_count; d++)
        if (b->shape.dims[d].kind == NADI_DIM_MESH)
            b->g->alike = 0; /* corners, edges and the middle differ */
    for (uint32_t d = 0; d < b->shape.dim_count; d++)
        for (uint32_t r = 0; r < b->shape.npu_count; r++)
            if (nadi_topology_coordinate(&b->shape, r, d) == 0)
                connect_group(b, d, r);
}

void nadi_graph_from_grid(struct nadi_graph *g, const struct nadi_graph_grid *grid)
{
    struct builder b;
    begin(&b, g, grid->shape, grid->parallel_cables, grid->shape->npu_count * grid->hosts);
    NADI_ASSERT(grid->hosts == 1 || grid->host_bits_per_s > 0);
    b.first_dim = grid->host_bits_per_s > 0;
    add_routers(&b, grid);
    connect_all(&b);
    if (grid->more)
        grid->more(g, b.first, grid->context);
    nadi_graph_finish(g);
    struct nadi_graph_product *p = NADI_ARENA_ZNEW(&g->arena, struct nadi_graph_product, 1);
    p->shape = b.shape;
    p->first_router = b.first;
    memcpy(p->parallel_cables, b.parallel_cables, sizeof(b.parallel_cables));
    g->product = p;
}

void nadi_graph_from_dims(struct nadi_graph *g, const struct nadi_topology *t)
{
    g->of_topology = true;
    if (has_routers(t)) {
        const struct nadi_graph_grid grid = {.shape = t, .hosts = 1, .router_role = "router"};
        nadi_graph_from_grid(g, &grid);
        return;
    }
    struct builder b;
    begin(&b, g, t, NULL, t->npu_count);
    connect_all(&b);
    nadi_graph_finish(g);
}
