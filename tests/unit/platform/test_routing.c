/* routing: hand-made networks whose ways are known. */
#include "base/mem.h"
#include "platform/graph_dims.h"
#include "platform/routing.h"
#include "platform/routing_state.h"

#include <setjmp.h>

#include <cmocka.h>

/* 2 leaves with 2 hosts each, 4 spines. Nodes: hosts 0-3, leaves 4-5, spines 6-9. */
static void two_leaves(struct nadi_graph *g)
{
    nadi_graph_init(g);
    for (uint32_t i = 0; i < 10; i++)
        nadi_graph_add_node(g, i < 4 ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
    for (uint32_t h = 0; h < 4; h++)
        nadi_graph_add_link(g,
                            (struct nadi_graph_link){.a = h, .b = 4 + h / 2, .bits_per_s = 1000});
    for (uint32_t leaf = 4; leaf < 6; leaf++)
        for (uint32_t spine = 6; spine < 10; spine++)
            nadi_graph_add_link(
                g, (struct nadi_graph_link){.a = leaf, .b = spine, .bits_per_s = 1000});
    g->nodes[5].forward_bits_s = 500;
    nadi_graph_finish(g);
}

static void find(struct nadi_routing *r, uint32_t src, uint32_t dst, uint64_t flow,
                 struct nadi_route *route)
{
    assert_true(nadi_routing_find(r, src, dst, flow, route));
}

/* A server of 2 NPUs, both also on one leaf: as far either route. Never over the NICs. */
static void stays_in_server(void **state)
{
    struct nadi_graph g;
    struct nadi_route route = {0};
    (void)state;
    nadi_graph_init(&g);
    for (uint32_t i = 0; i < 4; i++)
        nadi_graph_add_node(&g, i < 2 ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
    for (uint32_t i = 0; i < 4; i++) /* the leaf's come first */
        nadi_graph_add_link(&g,
                            (struct nadi_graph_link){
                                .a = i % 2, .b = i < 2 ? 3 : 2, .bits_per_s = 1000, .dim = i < 2});
    nadi_graph_finish(&g);
    for (enum nadi_route_scheme scheme = NADI_ROUTE_SHORTEST; scheme <= NADI_ROUTE_ADAPTIVE;
         scheme++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            struct nadi_routing *r = nadi_routing_create(
                &g, &(struct nadi_routing_config){.scheme = scheme, .seed = seed});
            find(r, 0, 1, seed, &route);
            assert_int_equal(route.count, 2);
            assert_int_equal(route.items[0], 4);
            assert_int_equal(route.items[1], 7);
            nadi_routing_set_down(r, 2, true);
            find(r, 0, 1, seed, &route); /* now there is no other */
            assert_int_equal(route.items[0], 0);
            nadi_routing_destroy(r);
        }
    nadi_mem_free(route.items);
    nadi_graph_release(&g);
}

static void shortest(void **state)
{
    struct nadi_graph g;
    struct nadi_route route = {0};
    (void)state;
    two_leaves(&g);
    struct nadi_routing *r =
        nadi_routing_create(&g, &(struct nadi_routing_config){.scheme = NADI_ROUTE_SHORTEST});
    find(r, 0, 1, 0, &route);
    assert_int_equal(route.count, 2);
    assert_int_equal(route.items[0], 0);
    assert_int_equal(route.items[1], 3); /* link 1, from the leaf to host 1 */
    find(r, 0, 3, 0, &route);
    const uint32_t want[] = {0, 8, 17, 24, 7}; /* through the first spine; leaf 5 is limited */
    assert_int_equal(route.count, 5);
    assert_memory_equal(route.items, want, sizeof(want));
    assert_true(nadi_graph_channel_rate(&g, 24) == 500);
    assert_int_equal(nadi_routing_hops(r, 0, 3), 4);
    nadi_routing_set_down(r, 4, true);
    find(r, 0, 3, 0, &route);
    assert_int_equal(route.items[1], 10); /* the second spine */
    nadi_routing_set_down(r, 4, false);
    find(r, 0, 3, 0, &route);
    assert_int_equal(route.items[1], 8);
    assert_true(r->table_bytes > 0);
    nadi_routing_set_down(r, 3, true);
    assert_false(nadi_routing_find(r, 0, 3, 0, &route));
    assert_int_equal(nadi_routing_hops(r, 0, 3), NADI_NONE);
    nadi_routing_destroy(r);
    nadi_mem_free(route.items);
    nadi_graph_release(&g);
}

/* 40,000 flows over 4 spines: each a quarter within five standard deviations; another seed gives
 * other ways, the same seed the same. */
static void ecmp_is_even(void **state)
{
    struct nadi_graph g;
    struct nadi_route route = {0}, other = {0};
    uint32_t count[4] = {0}, moved = 0;
    (void)state;
    two_leaves(&g);
    struct nadi_routing *r = nadi_routing_create(
        &g, &(struct nadi_routing_config){.scheme = NADI_ROUTE_ECMP, .seed = 7});
    struct nadi_routing *s = nadi_routing_create(
        &g, &(struct nadi_routing_config){.scheme = NADI_ROUTE_ECMP, .seed = 8});
    for (uint64_t flow = 0; flow < 40000; flow++) {
        find(r, 0, 3, flow, &route);
        find(s, 0, 3, flow, &other);
        count[(route.items[1] / 2 - 4) % 4]++;
        moved += route.items[1] != other.items[1];
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(count[i], 10000 - 433, 10000 + 433);
    assert_in_range(moved, 30000 - 433, 30000 + 433);
    nadi_routing_destroy(r);
    nadi_routing_destroy(s);
    nadi_mem_free(route.items);
    nadi_mem_free(other.items);
    nadi_graph_release(&g);
}

/* In a 4 x 4 torus: dimension 0 first, clockwise on a tie. */
static void dimension_order(void **state)
{
    struct nadi_topology t = {.dim_count = 1};
    struct nadi_graph g;
    struct nadi_route route = {0};
    (void)state;
    t.dims[0] = (struct nadi_dim){.npus = 16, .bytes_per_ns = 1};
    nadi_dim_set_kind(&t.dims[0], 4, 2);
    assert_true(nadi_topology_finish(&t));
    nadi_graph_init(&g);
    nadi_graph_from_dims(&g, &t);
    struct nadi_routing *r = nadi_routing_create(
        &g, &(struct nadi_routing_config){.scheme = NADI_ROUTE_DIMENSION_ORDER});
    find(r, 5, 3 + 4 * 3, 0, &route); /* (1, 1) to (3, 3) */
    const uint32_t nodes[] = {5, 6, 7, 11, 15};
    assert_int_equal(route.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t from, to;
        nadi_graph_channel_ends(&g, route.items[i], &from, &to);
        assert_int_equal(from, 16 + nodes[i]);
        assert_int_equal(to, 16 + nodes[i + 1]);
    }
    assert_int_equal(nadi_routing_hops(r, 0, 10), 4 + 2); /* with the two cables on board */
    assert_int_equal(r->table_bytes, 0);
    nadi_routing_destroy(r);
    nadi_mem_free(route.items);
    nadi_graph_release(&g);
}

/* The loaded spine is avoided; the way is still a shortest one. */
static void adaptive(void **state)
{
    struct nadi_graph g;
    struct nadi_route route = {0};
    double loads[25] = {0};
    (void)state;
    two_leaves(&g);
    struct nadi_routing *r = nadi_routing_create(
        &g, &(struct nadi_routing_config){.scheme = NADI_ROUTE_ADAPTIVE, .loads = loads});
    loads[8] = loads[10] = loads[14] = 5; /* leaf 4 to spines 6, 7 and 9 */
    find(r, 0, 3, 1, &route);
    assert_int_equal(route.items[1], 12);
    assert_int_equal(route.count, 5);
    nadi_routing_destroy(r);
    nadi_mem_free(route.items);
    nadi_graph_release(&g);
}

/* A ring of 6 routers, all load on the short way: the long way round is taken. */
static void detour(void **state)
{
    struct nadi_topology t = {.dim_count = 1};
    struct nadi_graph g;
    struct nadi_route route = {0};
    uint32_t detours = 0;
    (void)state;
    t.dims[0] = (struct nadi_dim){.kind = NADI_DIM_RING, .npus = 6, .bytes_per_ns = 1};
    assert_true(nadi_topology_finish(&t));
    nadi_graph_init(&g);
    nadi_graph_from_dims(&g, &t);
    double *loads = NADI_ZNEW(double, nadi_graph_channel_count(&g));
    loads[12] = 100; /* link 6: router 0 to router 1 */
    struct nadi_routing *r = nadi_routing_create(
        &g, &(struct nadi_routing_config){.scheme = NADI_ROUTE_ADAPTIVE, .loads = loads});
    for (uint64_t flow = 0; flow < 1000; flow++) {
        find(r, 0, 1, flow, &route);
        assert_true(route.count == 1 || route.items[0] != 12);
        detours += route.count == 5;
    }
    /* Two of six middles are reached the other way round; from one of them two ways go on. */
    assert_in_range(detours, 250 - 68, 250 + 68);
    nadi_routing_destroy(r);
    nadi_mem_free(loads);
    nadi_mem_free(route.items);
    nadi_graph_release(&g);
}

/* Between two leaves all ways begin and end by the hosts' cables; so within a leaf. Not where a
 * host has two cables that lead as far, nor where there is no way. */
static void between(void **state)
{
    struct nadi_graph g;
    struct nadi_routing_between b;
    (void)state;
    two_leaves(&g);
    struct nadi_routing *r =
        nadi_routing_create(&g, &(struct nadi_routing_config){.scheme = NADI_ROUTE_ECMP});
    assert_true(nadi_routing_between(r, 1, 2, &b));
    assert_int_equal(b.first, 4);
    assert_int_equal(b.last, 5);
    assert_int_equal(b.out, 2); /* cable 1, from its host */
    assert_int_equal(b.in, 5);  /* cable 2, to its host */
    assert_true(nadi_routing_between(r, 1, 0, &b));
    assert_true(b.first == 4 && b.last == 4 && b.out == 2 && b.in == 1);
    nadi_routing_set_down(r, 2, true);
    assert_false(nadi_routing_between(r, 1, 2, &b));
    assert_false(nadi_routing_between(r, 2, 1, &b));
    nadi_routing_destroy(r);
    nadi_graph_release(&g);

    nadi_graph_init(&g); /* two hosts, each on two switches, which a third one joins */
    for (uint32_t i = 0; i < 5; i++)
        nadi_graph_add_node(&g, i < 2 ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
    for (uint32_t i = 0; i < 6; i++)
        nadi_graph_add_link(&g, (struct nadi_graph_link){.a = i < 4 ? i / 2 : i - 2,
                                                         .b = i < 4 ? 2 + i % 2 : 4,
                                                         .bits_per_s = 1000});
    nadi_graph_finish(&g);
    r = nadi_routing_create(&g, &(struct nadi_routing_config){.scheme = NADI_ROUTE_ECMP});
    assert_false(nadi_routing_between(r, 0, 1, &b));
    nadi_routing_set_down(r, 0, true);
    assert_true(nadi_routing_between(r, 0, 1, &b));
    assert_true(b.first == 3 && b.last == 3);
    nadi_routing_set_down(r, 3, true); /* over the third: 3, 4, 2 */
    assert_true(nadi_routing_between(r, 0, 1, &b));
    assert_true(b.first == 3 && b.last == 2);
    nadi_routing_destroy(r);
    nadi_graph_release(&g);
}

static void names(void **state)
{
    (void)state;
    for (int s = NADI_ROUTE_SHORTEST; s <= NADI_ROUTE_ADAPTIVE; s++) {
        const enum nadi_route_scheme scheme = (enum nadi_route_scheme)s;
        assert_int_equal(nadi_route_scheme_find(nadi_route_scheme_name(scheme)), scheme);
    }
    assert_int_equal(nadi_route_scheme_find("hot-potato"), NADI_ROUTE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_in_server), cmocka_unit_test(shortest),
        cmocka_unit_test(ecmp_is_even),    cmocka_unit_test(dimension_order),
        cmocka_unit_test(adaptive),        cmocka_unit_test(detour),
        cmocka_unit_test(between),         cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
