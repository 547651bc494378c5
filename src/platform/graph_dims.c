#include "platform/graph_dims.h"

#include "base/mem.h"

#define MOST_BITS_PER_S 1e16

static bool has_routers(const struct nadi_topology *t)
{
    return t->dim_count > 1 || t->dims[0].kind == NADI_DIM_RING;
}

static uint32_t cables_of_group(const struct nadi_dim *dim)
{
    const uint32_t n = dim->npus;
    if (n == 1)
        return 0;
    switch (dim->kind) {
    case NADI_DIM_RING:
        return n == 2 ? 1 : n;
    case NADI_DIM_FULLY_CONNECTED:
        return n * (n - 1) / 2;
    case NADI_DIM_SWITCH:
        return n;
    case NADI_DIM_NONE:
        break;
    }
    NADI_BUG("dimension without a kind");
}

uint64_t nadi_graph_dims_links(const struct nadi_topology *t)
{
    uint64_t links = has_routers(t) ? t->npu_count : 0;
    for (uint32_t d = 0; d < t->dim_count; d++)
        links += (uint64_t)cables_of_group(&t->dims[d]) * (t->npu_count / t->dims[d].npus);
    return links;
}

static uint64_t rate_of(double bytes_per_ns)
{
    const double bits = bytes_per_ns * 8e9;
    return bits >= MOST_BITS_PER_S ? (uint64_t)MOST_BITS_PER_S
           : bits >= 1             ? (uint64_t)(bits + 0.5)
                                   : 1;
}

struct builder {
    struct nadi_graph *g;
    const struct nadi_topology *t;
    uint32_t first; /* node of rank 0's router, or host where there are none */
};

static void connect(struct builder *b, uint32_t dim, uint32_t x, uint32_t y)
{
    const struct nadi_dim *shape = &b->t->dims[dim];
    nadi_graph_add_link(b->g,
                        (struct nadi_graph_link){
                            .a = x,
                            .b = y,
                            .bits_per_s = rate_of(shape->bytes_per_ns),
                            .latency = (nadi_time)(shape->latency_ns * (double)NADI_PS_PER_NS),
                            .dim = dim,
                        });
}

/* The cables of the group that `rank` is the first of. */
static void connect_group(struct builder *b, uint32_t dim, uint32_t rank)
{
    const uint32_t n = b->t->dims[dim].npus, stride = b->t->stride[dim];
    const uint32_t base = b->first + rank;
    uint32_t hub;
    switch (b->t->dims[dim].kind) {
    case NADI_DIM_RING:
        for (uint32_t i = 0; i + 1 < n; i++)
            connect(b, dim, base + i * stride, base + (i + 1) * stride);
        if (n > 2)
            connect(b, dim, base + (n - 1) * stride, base);
        return;
    case NADI_DIM_FULLY_CONNECTED:
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = i + 1; k < n; k++)
                connect(b, dim, base + i * stride, base + k * stride);
        return;
    case NADI_DIM_SWITCH:
        if (n == 1)
            return;
        hub = nadi_graph_add_node(b->g, NADI_GRAPH_SWITCH, NULL);
        for (uint32_t i = 0; i < n; i++)
            connect(b, dim, base + i * stride, hub);
        return;
    case NADI_DIM_NONE:
        break;
    }
    NADI_BUG("dimension without a kind");
}

static void add_routers(struct builder *b)
{
    double bytes_per_ns = 0;
    for (uint32_t d = 0; d < b->t->dim_count; d++) {
        const struct nadi_dim *dim = &b->t->dims[d];
        const uint32_t cables = dim->kind == NADI_DIM_RING              ? 2
                                : dim->kind == NADI_DIM_FULLY_CONNECTED ? dim->npus
                                                                        : 1;
        bytes_per_ns += dim->bytes_per_ns * cables;
    }
    b->first = b->g->node_count;
    for (uint32_t r = 0; r < b->t->npu_count; r++) {
        const uint32_t router = nadi_graph_add_node(b->g, NADI_GRAPH_SWITCH, NULL);
        const struct nadi_graph_link link = {
            .a = r, .b = router, .bits_per_s = rate_of(bytes_per_ns), .dim = NADI_NONE};
        nadi_graph_add_link(b->g, link);
    }
}

void nadi_graph_from_dims(struct nadi_graph *g, const struct nadi_topology *t)
{
    struct builder b = {.g = g, .t = t};
    for (uint32_t r = 0; r < t->npu_count; r++)
        nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
    if (has_routers(t))
        add_routers(&b);
    for (uint32_t d = 0; d < t->dim_count; d++)
        for (uint32_t r = 0; r < t->npu_count; r++)
            if (nadi_topology_coordinate(t, r, d) == 0)
                connect_group(&b, d, r);
    nadi_graph_finish(g);
}
