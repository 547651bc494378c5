/* Adaptive routing in the models that see links: ways are chosen by what is on its way already. */
#include "platform/routing.h"
#include "support/flow_case.h"

#include <setjmp.h>

#include <cmocka.h>

enum { PAIRS = 4, SEEDS = 20 };

/* Four at once from one leaf to the other, and again when the first have arrived, and once more;
 * returns the latest of all. As many spines as pairs: there is room for each. */
static double slowest(const struct nadi_network_ops *model, enum nadi_route_scheme scheme,
                      uint64_t seed, double spine_rate)
{
    const struct nadi_routing_config routing = {.scheme = scheme, .seed = seed};
    struct flow_case c;
    double latest = 0;
    flow_case_init(&c);
    flow_case_leaf_spine(&c, 2, PAIRS, PAIRS, 25, spine_rate, 500);
    c.routing = &routing;
    flow_case_open(&c, model);
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < PAIRS; i++)
            flow_case_send(&c, 1e6 * round, i, PAIRS + (i + round) % PAIRS, 1000000);
    flow_case_run(&c);
    for (uint32_t m = 0; m < 3 * PAIRS; m++)
        latest = flow_case_ns(&c, m) > latest ? flow_case_ns(&c, m) : latest;
    flow_case_release(&c);
    return latest;
}

static void each_its_spine(void **state)
{
    (void)state;
    bool hash_collides = false;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        assert_int_equal(slowest(&nadi_network_flow, NADI_ROUTE_ADAPTIVE, seed, 25),
                         4 * 500 + 40000);
        assert_int_equal(slowest(&nadi_network_aware, NADI_ROUTE_ADAPTIVE, seed, 25),
                         4 * (500 + 40000));
        hash_collides |= slowest(&nadi_network_flow, NADI_ROUTE_ECMP, seed, 25) > 4 * 500 + 40001;
    }
    assert_true(hash_collides);
}

/* The quick one of two spines is worth two messages before the slow one is worth one: loads are
 * times, not bytes. */
static void uneven(void **state)
{
    static const struct nadi_network_ops *const models[] = {&nadi_network_flow,
                                                            &nadi_network_aware};
    static const double wants[] = {2000 + 2 * 10000, 4 * 500 + 10000 + 3 * 10000 + 10000};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        const struct nadi_routing_config routing = {.scheme = NADI_ROUTE_ADAPTIVE, .seed = 3};
        struct flow_case c;
        flow_case_init(&c);
        for (uint32_t h = 0; h < 4; h++)
            nadi_graph_add_node(&c.graph, NADI_GRAPH_HOST, NULL);
        for (uint32_t s = 0; s < 4; s++)
            nadi_graph_add_node(&c.graph, NADI_GRAPH_SWITCH, NULL);
        for (uint32_t h = 0; h < 4; h++)
            flow_case_link(&c, h, 4 + h / 2, 100, 500);
        for (uint32_t leaf = 4; leaf < 6; leaf++) {
            flow_case_link(&c, leaf, 6, 20, 500);
            flow_case_link(&c, leaf, 7, 100, 500);
        }
        c.routing = &routing;
        flow_case_open(&c, models[i]);
        flow_case_send(&c, 0, 0, 2, 1000000);
        flow_case_send(&c, 0, 1, 3, 1000000);
        flow_case_run(&c);
        assert_int_equal(flow_case_ns(&c, 1), wants[i]);
        flow_case_release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_its_spine),
        cmocka_unit_test(uneven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
