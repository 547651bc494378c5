/* graph_file: networks of nodes and links, and the lists of other simulators. */
#include "platform/graph_file.h"
#include "platform/graph_htsim.h"

#include <setjmp.h>

#include <cmocka.h>

static bool open_text(struct nadi_graph_file *f, const char *text, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    nadi_diags_init(diags);
    if (!nadi_doc_parse(&doc, "net.yml", text, strlen(text), NADI_DOC_YAML, diags))
        fail_msg("%s", diags->items[0].message);
    const bool ok = nadi_graph_file_from_doc(f, &doc, diags);
    nadi_doc_release(&doc);
    return ok;
}

static void server(void **state)
{
    struct nadi_graph_file f;
    struct nadi_diags diags;
    (void)state;
    assert_true(open_text(
        &f,
        "nodes:\n"
        "  - {name: \"s[0-1]g[0-3]\", kind: npu, group: 7}\n"
        "  - {name: \"pcie[08-11]\", kind: pcie, bandwidth: 64GB/s}\n"
        "  - {name: leaf, kind: switch, role: leaf, level: 9}\n"
        "  - {name: far, kind: switch}\n"
        "links:\n"
        "  - {from: \"s0g[0-3]\", to: \"pcie[08-11]\", bandwidth: 32, latency: 1us}\n"
        "  - {from: \"s1g[0-3]\", to: leaf, bandwidth: 400Gbps, latency: 0, count: 2}\n"
        "  - {from: \"pcie[08-11]\", to: leaf, bandwidth: 1, latency: 1.5, loss: 0.25, "
        "dimension: 3}\n"
        "  - {from: \"s0g[0-3]\", to: \"s0g[0-3]\", join: all, bandwidth: 1, latency: 1}\n"
        "  - {from: leaf, to: far, bandwidth: 1, latency: 1, one-way: 1}\n"
        "dimensions: [4, 2]\n"
        "routing: adaptive\n"
        "routing-seed: 9\n"
        "prices: {leaf: 10, cable: 1.5}\n",
        &diags));
    const struct nadi_graph *g = &f.graph;
    assert_int_equal(g->host_count, 8);
    assert_string_equal(g->nodes[5].name, "s1g1");
    assert_int_equal(g->nodes[5].group, 7);
    assert_string_equal(g->nodes[10].name, "pcie10");
    assert_string_equal(g->nodes[10].role, "pcie");
    assert_int_equal(g->nodes[10].number, 2);
    assert_int_equal(g->nodes[10].level, 1);
    assert_int_equal(g->nodes[12].level, 9);
    assert_int_equal(g->nodes[13].level, 2);
    assert_int_equal(g->limited_count, 4);
    assert_true(g->nodes[8].forward_bits_s == UINT64_C(512000000000));
    assert_int_equal(g->link_count, 4 + 8 + 4 + 6 + 1);
    assert_true(g->links[0].bits_per_s == UINT64_C(256000000000));
    assert_true(g->links[0].latency == 1000000);
    assert_true(g->links[4].bits_per_s == UINT64_C(400000000000));
    assert_int_equal(g->links[5].a, 4);
    assert_int_equal(g->links[12].dim, 3);
    assert_true(g->links[12].latency == 1500);
    assert_int_equal(g->links[21].a, 2);
    assert_int_equal(g->links[21].b, 3);
    assert_true(g->links[22].one_way);
    assert_int_equal(f.dim_count, 2);
    assert_int_equal(f.routing, NADI_ROUTE_ADAPTIVE);
    assert_true(f.routing_seed == 9);
    assert_string_equal(f.prices[1].role, "cable");
    nadi_graph_file_release(&f);
    nadi_diags_release(&diags);
}

#define NODES "nodes: [{name: \"g[0-3]\", kind: npu}, {name: sw, kind: switch}]\n"
#define LINKS "links: [{from: \"g[0-3]\", to: sw, bandwidth: 1, latency: 1}]\n"

static void mistakes(void **state)
{
    static const struct {
        const char *text, *part;
        uint32_t line;
    } wrong[] = {
        {NODES, "needs 'nodes' and 'links'", 1},
        {NODES "links: []\n", "needs 'nodes' and 'links'", 1},
        {NODES LINKS "generator: {type: hgx}\n", "a generator or nodes and links, not both", 1},
        {"nodes: [{name: sw, kind: switch}]\n" LINKS, "no node is an npu", 1},
        {"nodes: [{name: g, kind: npu}, {name: g, kind: switch}]\n" LINKS,
         "two nodes are named 'g'", 1},
        {"nodes: [{name: g, kind: npu, bandwidth: 5}]\n" LINKS, "an npu forwards nothing", 1},
        {"nodes: [{name: \"g[3-0]\", kind: npu}]\n" LINKS, "'g[3-0]' is no name of nodes", 1},
        {"nodes: [{name: \"g[0-\", kind: npu}]\n" LINKS, "'g[0-' is no name of nodes", 1},
        {"nodes: [{name: \"[0-99999][0-99999]\", kind: npu}]\n" LINKS, "more than 16777216 nodes",
         1},
        {"nodes: [{name: g, kind: npu, colour: red}]\n" LINKS, "unknown key 'colour'", 1},
        {NODES "links: [{from: g0, to: sv, bandwidth: 1, latency: 1}]\n", "no node is named 'sv'",
         2},
        {NODES "links: [{from: g0, to: g0, bandwidth: 1, latency: 1}]\n",
         "a link from 'g0' to itself", 2},
        {NODES "links: [{from: \"g[0-1]\", to: \"g[1-3]\", bandwidth: 1, latency: 1}]\n",
         "2 nodes on one side and 3 on the other", 2},
        {NODES "links: [{from: g0, to: sw, bandwidth: 1}]\n", "latency", 2},
        {NODES LINKS "dimensions: [3]\n", "stand for 3 ranks, but the network has 4 NPUs", 3},
        {NODES LINKS "prices: {spine: 5}\n", "no node has the role 'spine'", 3},
        {NODES LINKS "prices: {npu: dear}\n", "the price of 'npu' must be a number", 3},
        {NODES LINKS "routting: ecmp\n", "unknown key 'routting', did you mean 'routing'", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct nadi_graph_file f;
        struct nadi_diags diags;
        assert_false(open_text(&f, wrong[i].text, &diags));
        assert_true(diags.errors > 0);
        if (!strstr(diags.items[0].message, wrong[i].part))
            fail_msg("case %zu: %s", i, diags.items[0].message);
        assert_int_equal(diags.items[0].place.line, wrong[i].line);
        nadi_graph_file_release(&f);
        nadi_diags_release(&diags);
    }
}

static bool parse_htsim(struct nadi_graph *g, const char *text, struct nadi_diags *diags)
{
    static char copy[1024];
    snprintf(copy, sizeof(copy), "%s", text);
    nadi_diags_init(diags);
    nadi_graph_init(g);
    return nadi_graph_parse_htsim(g, "net.topo", copy, strlen(copy), diags);
}

#define T0 "Tier 0\nDownlink_speed_Gbps 400\nRadix_Down 4\nRadix_Up 4\nDownlink_Latency_ns 1000\n"
#define T1 "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 4\nRadix_Up 4\nDownlink_Latency_ns 500\n"
#define T2 "tier 2\nDownlink_speed_Gbps 200\nRadix_Down 8\nDownlink_Latency_ns 2000\nBundle 2\n"

static void htsim(void **state)
{
    struct nadi_graph g;
    struct nadi_diags diags;
    (void)state;
    /* 4 pods of 4 switches of 4 nodes; bundles of two cables to the highest tier */
    assert_true(parse_htsim(&g,
                            "# three tiers\nNodes 64\nTiers 3\nPodsize 16\n" T0
                            "Switch_Latency_ns 100\n" T1 "Switch_Latency_ns 300\n" T2
                            "Switch_Latency_ns 500\nOversubscribed 2\n",
                            &diags));
    assert_int_equal(g.host_count, 64);
    assert_int_equal(g.node_count, 64 + 16 + 16 + 8);
    assert_int_equal(g.link_count, 64 + 64 + 16 * 2 * 2);
    assert_true(g.links[0].bits_per_s == UINT64_C(400000000000));
    assert_true(g.links[64].bits_per_s == UINT64_C(200000000000));
    assert_true(g.links[0].latency == 1050000);
    assert_true(g.links[64].latency == 500000 + 200000);
    assert_true(g.links[128].latency == 2000000 + 400000);
    nadi_graph_release(&g);
    nadi_diags_release(&diags);
}

static void htsim_mistakes(void **state)
{
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"", "the file lacks Nodes"},
        {"Nodes 16\nPodsize 16\n", "the file lacks Tiers"},
        {"Nodes 16\nTiers 4\n", "4 tiers"},
        {"Nodes 16\nTiers 2\nPodsize 16\n" T0 T2 "Tier 2\n", "tier 2 of 2"},
        {"Nodes 16\nTiers 2\nPodsize 16\n" T0, "tier 1 lacks Radix_Down"},
        {"Nodes 16\nTiers 2\nPodsize 16\nTier 0\nRadix_Down 4\n", "tier 0 lacks Radix_Up"},
        {"Nodes 18\nTiers 2\nPodsize 18\n" T0 T1, "18 nodes in pods of 18 and switches of 4"},
        {"Nodes 32\nTiers 2\nPodsize 32\n" T0 T1, "has 4 ports down, but 8 switches below"},
        {"Nodes 16\nTiers 2\nPodsize 16\nTier 0\nSpeed 4\n", "'Speed' is no property of a tier"},
        {"Nodes 16\nTiers 2\nPodsize 16\n" T0 "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 12\n"
         "Downlink_Latency_ns 500\nBundle 3\n",
         "the 4 ports up of tier 0 make no bundles of 3"},
        {"Nodes 64\nTiers 3\nPodsize 16\n" T0
         "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 4\nRadix_Up 2\nDownlink_Latency_ns 500\n"
         "Tier 2\nDownlink_speed_Gbps 200\nRadix_Down 16\nDownlink_Latency_ns 2000\nBundle 4\n",
         "the 2 ports up of tier 1 make no bundles of 4"},
        {"Hosts 16\n", "'Hosts' is no property of a network"},
        {"Nodes 16\nTiers two\n", "number of tiers"},
        {"Nodes 0\n", "at least 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct nadi_graph g;
        struct nadi_diags diags;
        assert_false(parse_htsim(&g, wrong[i].text, &diags));
        if (!strstr(diags.items[0].message, wrong[i].part))
            fail_msg("case %zu: %s", i, diags.items[0].message);
        nadi_graph_release(&g);
        nadi_diags_release(&diags);
    }
}

static void forms(void **state)
{
    (void)state;
    assert_int_equal(nadi_graph_form_of("# a list\n\n 5 1 4\n"), NADI_GRAPH_FORM_HPCC);
    assert_int_equal(nadi_graph_form_of("Nodes 64\n"), NADI_GRAPH_FORM_HTSIM);
    assert_int_equal(nadi_graph_form_of("nodes:\n  - x\n"), NADI_GRAPH_FORM_DOC);
    assert_int_equal(nadi_graph_form_of("topology: [Ring]\n"), NADI_GRAPH_FORM_DOC);
    assert_int_equal(nadi_graph_form_of(""), NADI_GRAPH_FORM_DOC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(server),         cmocka_unit_test(mistakes), cmocka_unit_test(htsim),
        cmocka_unit_test(htsim_mistakes), cmocka_unit_test(forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
