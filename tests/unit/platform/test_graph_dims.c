/* graph_dims: the cables of each kind of dimension. */
#include "platform/graph_dims.h"

#include <setjmp.h>

#include <cmocka.h>

struct want {
    struct nadi_dim dims[3];
    uint32_t dim_count, hosts, nodes, links;
    uint32_t farthest; /* hops from rank 0 */
};

#define DIM(of_kind, count, number_of_axes)                                                        \
    {                                                                                              \
        .kind = (of_kind), .npus = (count), .bytes_per_ns = 50, .latency_ns = 500,                 \
        .axes = (number_of_axes)                                                                   \
    }
#define RING(n)     DIM(NADI_DIM_RING, n, 1)
#define FULL(n)     DIM(NADI_DIM_FULLY_CONNECTED, n, 1)
#define SWITCH(n)   DIM(NADI_DIM_SWITCH, n, 1)
#define MESH(n, k)  DIM(NADI_DIM_MESH, n, k)
#define TORUS(n, k) DIM(NADI_DIM_TORUS, n, k)
#define ONE_WAY(n)  DIM(NADI_DIM_RING_ONE_WAY, n, 1)

static const struct want wants[] = {
    {{SWITCH(4)}, 1, 4, 5, 4, 2},
    {{FULL(5)}, 1, 5, 5, 10, 1},
    {{RING(6)}, 1, 6, 12, 6 + 6, 2 + 3},
    {{RING(2)}, 1, 2, 4, 2 + 1, 2 + 1},
    {{RING(4), SWITCH(3)}, 2, 12, 12 + 12 + 4, 12 + 3 * 4 + 12, 2 + 2 + 2},
    {{FULL(3), SWITCH(1)}, 2, 3, 6, 3 + 3, 2 + 1},
    {{MESH(5, 1)}, 1, 5, 10, 5 + 4, 2 + 4},
    {{MESH(12, 2)}, 1, 12, 24, 12 + 2 * 4 + 3 * 3, 2 + 2 + 3}, /* 3 x 4 */
    {{TORUS(12, 2)}, 1, 12, 24, 12 + 12 + 12, 2 + 1 + 2},
    {{TORUS(8, 3)}, 1, 8, 16, 8 + 12, 2 + 3}, /* a cube */
    {{MESH(7, 2)}, 1, 7, 14, 7 + 6, 2 + 6},   /* 1 x 7 */
    {{ONE_WAY(5)}, 1, 5, 10, 5 + 5, 2 + 4},
    {{ONE_WAY(2), SWITCH(2)}, 2, 4, 4 + 4 + 2, 4 + 4 + 4, 2 + 1 + 2},
};

static void shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
        const struct want *w = &wants[i];
        struct nadi_topology t = {.dim_count = w->dim_count};
        struct nadi_graph g;
        uint32_t distance[64], queue[64], farthest = 0;
        memcpy(t.dims, w->dims, sizeof(w->dims));
        assert_true(nadi_topology_finish(&t));
        nadi_graph_init(&g);
        nadi_graph_from_dims(&g, &t);
        assert_int_equal(g.host_count, w->hosts);
        assert_int_equal(g.node_count, w->nodes);
        assert_int_equal(g.link_count, w->links);
        assert_true(nadi_graph_dims_links(&t) == w->links);
        assert_int_equal(nadi_graph_distances(&g, g.hosts[0], distance, queue), w->nodes);
        for (uint32_t h = 0; h < g.host_count; h++)
            farthest = distance[g.hosts[h]] > farthest ? distance[g.hosts[h]] : farthest;
        assert_int_equal(farthest, w->farthest);
        nadi_graph_release(&g);
    }
}

static void rates_and_dimensions(void **state)
{
    struct nadi_topology t = {.dim_count = 2};
    struct nadi_graph g;
    (void)state;
    t.dims[0] =
        (struct nadi_dim){.kind = NADI_DIM_RING, .npus = 4, .bytes_per_ns = 50, .latency_ns = 500};
    t.dims[1] = (struct nadi_dim){
        .kind = NADI_DIM_SWITCH, .npus = 3, .bytes_per_ns = 1e300, .latency_ns = 1.5};
    assert_true(nadi_topology_finish(&t));
    nadi_graph_init(&g);
    nadi_graph_from_dims(&g, &t);
    assert_int_equal(g.links[0].dim, NADI_NONE); /* host and router */
    assert_true(g.links[0].latency == 0);
    assert_int_equal(g.links[12].dim, 0);
    assert_true(g.links[12].bits_per_s == UINT64_C(400000000000));
    assert_true(g.links[12].latency == 500000);
    assert_int_equal(g.links[24].dim, 1);
    assert_true(g.links[24].bits_per_s == UINT64_C(10000000000000000));
    assert_true(g.links[24].latency == 1500);
    nadi_graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(rates_and_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
