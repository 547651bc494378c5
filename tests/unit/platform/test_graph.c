/* graph: ports, distances, and the HPCC link list. */
#include "base/str.h"
#include "platform/graph_hpcc.h"

#include <setjmp.h>

#include <cmocka.h>

static bool parse(struct nadi_graph *g, const char *text, struct nadi_diags *diags)
{
    static char copy[512];
    snprintf(copy, sizeof(copy), "%s", text);
    nadi_diags_init(diags);
    nadi_graph_init(g);
    return nadi_graph_parse_hpcc(g, "topology.txt", copy, strlen(copy), diags);
}

static void hpcc_file(void **state)
{
    struct nadi_graph g;
    struct nadi_diags diags;
    (void)state;
    assert_true(parse(&g,
                      "5 2 5\n1 4\n0 1 400Gbps 0.001ms 0\n1 2 100Gbps 25ns 0.01 x\n"
                      "4 3 25000000000 0.000002 0\n1 4 1Tbps 1us 0\n4 1 1Tbps 1us 0\n",
                      &diags));
    assert_int_equal(g.node_count, 5);
    assert_int_equal(g.host_count, 3);
    assert_int_equal(g.hosts[2], 3);
    assert_int_equal(g.nodes[3].host, 2);
    assert_int_equal(g.nodes[1].kind, NADI_GRAPH_SWITCH);
    assert_true(g.links[1].bits_per_s == UINT64_C(100000000000));
    assert_true(g.links[1].latency == 25000);
    assert_true(g.links[1].loss > 0.009);
    assert_true(g.links[2].bits_per_s == UINT64_C(25000000000));
    assert_true(g.links[2].latency == 2000000);
    assert_int_equal(nadi_graph_degree(&g, 1), 4);
    assert_int_equal(g.ports[g.first_port[1] + 3].peer, 4);
    assert_int_equal(g.ports[g.first_port[1] + 3].peer_port, 2);
    nadi_graph_release(&g);
    nadi_diags_release(&diags);
}

/* SimAI's first line, also with the number of GPUs a node behind it. */
static void simai_file(void **state)
{
    (void)state;
    static const char *const first[] = {"3 1 0 1 2 H100\n", "3 1 0 1 2 X000 1\n"};
    for (size_t i = 0; i < 2; i++) {
        struct nadi_graph g;
        struct nadi_diags diags;
        char text[100];
        snprintf(text, sizeof(text), "%s2\n0 2 200Gbps 0.0005ms 0\n1 2 200Gbps 0.0005ms 0\n",
                 first[i]);
        assert_true(parse(&g, text, &diags));
        assert_int_equal(g.node_count, 3);
        assert_int_equal(g.host_count, 2);
        assert_int_equal(g.link_count, 2);
        nadi_graph_release(&g);
        nadi_diags_release(&diags);
    }
}

/* 0 - 3 - 4 - 1, and 2 - 3: hosts are end points, so 5, behind host 1, is out of reach. */
static void distances(void **state)
{
    struct nadi_graph g;
    struct nadi_diags diags;
    uint32_t distance[6], queue[6];
    (void)state;
    assert_true(parse(&g,
                      "6 3 5\n3 4 5\n0 3 1Gbps 0 0\n3 4 1Gbps 0 0\n4 1 1Gbps 0 0\n2 3 1Gbps 0 0\n"
                      "1 5 1Gbps 0 0\n",
                      &diags));
    assert_int_equal(nadi_graph_distances(&g, 0, distance, queue), 5);
    const uint32_t want[] = {0, 3, 2, 1, 2, NADI_NONE};
    const uint32_t order[] = {0, 3, 4, 2, 1};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(distance[i], want[i]);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(queue[i], order[i]);
    nadi_graph_release(&g);
    nadi_diags_release(&diags);
}

static void mistakes(void **state)
{
    static const struct {
        const char *text, *part;
        uint32_t line;
    } cases[] = {
        {"3 1 2\n7\n0 2 400Gbps 1us 0\n1 2 400Gbps 1us 0\n", "the switch number is '7'", 2},
        {"3 1 2\n2\n0 2 400Gbps 1us 0\n1 1 400Gbps 1us 0\n", "a link from node 1 to itself", 4},
        {"3 1 2\n2\n0 2 400Gbit 1us 0\n1 2 400Gbps 1us 0\n", "the rate of a link is '400Gbit'", 3},
        {"3 1 2\n2\n0 2 400Gbps 1us 1\n1 2 400Gbps 1us 0\n", "the loss of a link is '1'", 3},
        {"3 1 2\n2\n", "1 switches and 2 links are more than the file can hold", 1},
        {"3 2 2\n2 2\n0 2 400Gbps 1us 0\n1 2 400Gbps 1us 0\n", "switch 2 is listed twice", 2},
        {"3 1 2\n2\n0 2 400Gbps 1us 0\n", "the file ends before the node at one end", 4},
        {"3 4 2\n", "4 switches among 3 nodes", 1},
        {"2 2 1\n0 1\n0 1 1Gbps 1us 0\n", "no hosts", 1},
        {"16777216 1 3\n", "only 3 links", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_graph g;
        struct nadi_diags diags;
        assert_false(parse(&g, cases[i].text, &diags));
        assert_int_equal(diags.errors, 1);
        if (!strstr(diags.items[0].message, cases[i].part))
            fail_msg("case %zu: %s", i, diags.items[0].message);
        assert_int_equal(diags.items[0].place.line, cases[i].line);
        nadi_graph_release(&g);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hpcc_file),
        cmocka_unit_test(simai_file),
        cmocka_unit_test(distances),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
