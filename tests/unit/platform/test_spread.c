/* spread: what hashes put on links, beside what an even spread would. */
#include "platform/spread.h"

#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LEAVES = 3, HOSTS = 4, SPINES = 4 };

/* Nodes: hosts, leaves, spines; cables of hosts first, then each leaf's to all spines. */
static void leaves_and_spines(struct nadi_graph *g)
{
    nadi_graph_init(g);
    for (uint32_t i = 0; i < LEAVES * HOSTS + LEAVES + SPINES; i++)
        nadi_graph_add_node(g, i < LEAVES * HOSTS ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
    for (uint32_t h = 0; h < LEAVES * HOSTS; h++)
        nadi_graph_add_link(g, (struct nadi_graph_link){
                                   .a = h, .b = LEAVES * HOSTS + h / HOSTS, .bits_per_s = 1000});
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++)
        for (uint32_t spine = 0; spine < SPINES; spine++)
            nadi_graph_add_link(g, (struct nadi_graph_link){.a = LEAVES * HOSTS + leaf,
                                                            .b = LEAVES * HOSTS + LEAVES + spine,
                                                            .bits_per_s = 1000});
    nadi_graph_finish(g);
}

static const struct nadi_routing_config hashed = {.scheme = NADI_ROUTE_ECMP, .seed = 7};

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void leaves_share_evenly(void **state)
{
    struct nadi_graph g;
    struct nadi_route route = {0};
    uint32_t seen[2 * (LEAVES * HOSTS + LEAVES * SPINES)] = {0}, idle = 0;
    (void)state;
    leaves_and_spines(&g);
    struct nadi_hash_spread *s = nadi_hash_spread_create(&g, &hashed);
    struct nadi_routing *r = nadi_routing_create(&g, &hashed);
    for (uint32_t src = 0; src < LEAVES * HOSTS; src++)
        for (uint32_t dst = 0; dst < LEAVES * HOSTS; dst++) {
            if (dst % 2) /* else its route is told */
                nadi_hash_spread_add(s, src, dst, 0);
            if (src == dst)
                continue;
            assert_true(nadi_routing_find(r, src, dst, 0, &route));
            if (dst % 2 == 0)
                nadi_hash_spread_add_known(s, src, dst, route.items, (uint32_t)route.count);
            for (size_t i = 0; i < route.count; i++)
                seen[route.items[i]]++;
        }
    const struct nadi_hash_spread_link *links = nadi_hash_spread_finish(s);
    for (uint32_t i = 0; i < 2 * LEAVES * HOSTS; i++) /* all flows must take a host's cable */
        assert_true(links[i].even <= 0 && links[i].flows == 0 && links[i].idle == 0);
    for (uint32_t i = 2 * LEAVES * HOSTS; i < 2 * g.link_count; i++) {
        assert_true(near(links[i].even, HOSTS * (LEAVES - 1) * HOSTS / (double)SPINES));
        assert_int_equal(links[i].flows, seen[i]);
        idle += links[i].idle;
    }
    assert_int_equal(idle, 0);
    nadi_hash_spread_destroy(s);
    nadi_routing_destroy(r);
    nadi_mem_free(route.items);
    nadi_graph_release(&g);
}

/* Two flows of a leaf for another: on two links, or on one while three are idle. */
static void names_idle_links(void **state)
{
    struct nadi_graph g;
    uint32_t together = 0, apart = 0;
    (void)state;
    leaves_and_spines(&g);
    for (uint64_t flow = 0; flow < 32; flow++) {
        struct nadi_hash_spread *s = nadi_hash_spread_create(&g, &hashed);
        nadi_hash_spread_add(s, 0, HOSTS, flow);
        nadi_hash_spread_add(s, 1, HOSTS, flow);
        const struct nadi_hash_spread_link *links = nadi_hash_spread_finish(s);
        uint32_t most = 0, sum = 0;
        for (uint32_t i = 2 * LEAVES * HOSTS; i < 2 * g.link_count; i++) {
            assert_true(near(links[i].even, 0.5) || near(links[i].even, 0));
            most = links[i].flows > most ? links[i].flows : most;
            sum += links[i].flows;
        }
        assert_int_equal(sum, 4); /* up and down */
        for (uint32_t i = 2 * LEAVES * HOSTS; i < 2 * g.link_count; i++)
            assert_int_equal(links[i].idle, links[i].even > 0 ? SPINES - 3 + most : 0);
        together += most == 2;
        apart += most == 1;
        nadi_hash_spread_destroy(s);
    }
    assert_true(together > 0 && apart > together);
    nadi_graph_release(&g);
}

/* What goes over the links of one hop is the whole flow. */
static void check_hop(void *context, uint32_t hop, uint32_t channel, double part)
{
    double *sums = context;
    (void)channel;
    assert_true(hop < 8);
    sums[hop] += part;
}

static void parts_are_the_whole(void **state)
{
    struct nadi_graph g;
    (void)state;
    leaves_and_spines(&g);
    struct nadi_routing *r = nadi_routing_create(&g, &hashed);
    for (uint32_t dst = 1; dst < LEAVES * HOSTS; dst++) {
        double sums[8] = {0};
        nadi_routing_parts(r, 0, dst, check_hop, sums);
        for (uint32_t hop = 0; hop < 8; hop++)
            assert_true(near(sums[hop], hop < (dst < HOSTS ? 2 : 4)));
    }
    nadi_routing_destroy(r);
    nadi_graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_share_evenly),
        cmocka_unit_test(names_idle_links),
        cmocka_unit_test(parts_are_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
