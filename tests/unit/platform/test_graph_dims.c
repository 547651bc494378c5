/* graph_dims: the cables of each kind of dimension. */
#include "platform/graph_dims.h"

#include <setjmp.h>

#include <cmocka.h>

struct want {
    struct nadi_dim dims[3];
    uint32_t dim_count, hosts, nodes, links;
    uint32_t farthest; /* hops from rank 0 */
};

static const struct want wants[] = {
    {{{NADI_DIM_SWITCH, 4, 50, 500}}, 1, 4, 5, 4, 2},
    {{{NADI_DIM_FULLY_CONNECTED, 5, 50, 500}}, 1, 5, 5, 10, 1},
    {{{NADI_DIM_RING, 6, 50, 500}}, 1, 6, 12, 6 + 6, 2 + 3},
    {{{NADI_DIM_RING, 2, 50, 500}}, 1, 2, 4, 2 + 1, 2 + 1},
    {{{NADI_DIM_RING, 4, 50, 500}, {NADI_DIM_SWITCH, 3, 25, 1000}},
     2,
     12,
     12 + 12 + 4,
     12 + 3 * 4 + 12,
     2 + 2 + 2},
    {{{NADI_DIM_FULLY_CONNECTED, 3, 50, 500}, {NADI_DIM_SWITCH, 1, 25, 1000}},
     2,
     3,
     6,
     3 + 3,
     2 + 1},
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
    t.dims[0] = (struct nadi_dim){NADI_DIM_RING, 4, 50, 500};
    t.dims[1] = (struct nadi_dim){NADI_DIM_SWITCH, 3, 1e300, 1.5};
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
