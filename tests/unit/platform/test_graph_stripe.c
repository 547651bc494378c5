/* graph_stripe: planes and parallel cables become one with the rates of all; what differs does not.
 */
#include "platform/graph_file.h"
#include "platform/graph_stripe.h"
#include "support/graph_text.h"

#include <setjmp.h>

#include <cmocka.h>

struct want {
    uint32_t nodes, links;
    uint64_t host_bits_per_s; /* of every link of NPU 0 together */
    uint32_t planes;          /* the most */
    double in_switch;         /* B/ns, of that switch */
};

static void expect(const char *text, const struct want *want)
{
    struct nadi_graph_file f;
    struct nadi_graph g;
    read_text(&f, text);
    assert_true(f.stripe);
    const bool striped = nadi_graph_stripe(&f.graph, &g);
    assert_int_equal(striped, want != NULL);
    if (want) {
        uint64_t bits = 0;
        uint32_t planes = 0, node = 0;
        assert_int_equal(g.host_count, f.graph.host_count);
        assert_int_equal(g.node_count, want->nodes);
        assert_int_equal(g.link_count, want->links);
        for (uint32_t p = g.first_port[g.hosts[0]]; p < g.first_port[g.hosts[0] + 1]; p++)
            bits += g.links[g.ports[p].link].bits_per_s;
        assert_int_equal(bits, want->host_bits_per_s);
        for (uint32_t n = 0; n < g.node_count; n++)
            if (g.nodes[n].planes > planes) {
                planes = g.nodes[n].planes;
                node = n;
            }
        assert_int_equal(planes, want->planes);
        assert_true(g.nodes[node].in_switch_bytes_per_ns >= want->in_switch &&
                    g.nodes[node].in_switch_bytes_per_ns <= want->in_switch);
        nadi_graph_release(&g);
    }
    nadi_graph_file_release(&f);
}

static void planes(void **state)
{
    (void)state;
    expect("generator: {type: hgx, npus: 4, planes: 18, scale-up-bandwidth: 900GB/s}\n"
           "in-switch-bandwidth: 10GB/s\n",
           &(struct want){5, 4, UINT64_C(7200000000000), 18, 180});
    /* Two servers, their own planes each; the NICs stay. */
    expect("generator: {type: hgx, npus: 2, planes: 3, scale-up-bandwidth: 300GB/s, scale-out: "
           "{type: leaf-spine, leaves: 2, hosts: 2, spines: 1, bandwidth: 50GB/s}}\n",
           &(struct want){4 + 2 + 3, 4 + 4 + 2, UINT64_C(2800000000000), 3, 0});
}

/* NPUs with a NIC at each of two leaves. */
static void rails(void **state)
{
    (void)state;
    const char *nodes = "nodes: [{name: 'n[0-2]', kind: npu}, {name: 's[0-1]', kind: switch}, "
                        "{name: 't[0-1]', kind: switch}]\n"
                        "links:\n"
                        "  - {from: 'n[0-2]', to: s0, bandwidth: 10GB/s, latency: 5}\n"
                        "  - {from: 'n[0-2]', to: s1, bandwidth: 10GB/s, latency: 5}\n";
    char text[700];
    /* Leaves that lead to the same spines are one; their uplinks, two to each, are left to ECMP. */
    snprintf(text, sizeof(text), "%s%s", nodes,
             "  - {from: 's[0-1]', to: t0, bandwidth: 40GB/s, latency: 5, count: 2}\n"
             "  - {from: 's[0-1]', to: t1, bandwidth: 40GB/s, latency: 5, count: 2}\n");
    expect(text, &(struct want){3 + 1 + 2, 3 + 4, UINT64_C(160000000000), 2, 0});
    /* To spines of their own: those are planes with them. */
    snprintf(text, sizeof(text), "%s%s", nodes,
             "  - {from: 's[0-1]', to: 't[0-1]', bandwidth: 40GB/s, latency: 5}\n");
    expect(text, &(struct want){3 + 1 + 1, 3 + 1, UINT64_C(160000000000), 2, 0});
    /* To others in part, or by other uplinks, they are not. */
    snprintf(text, sizeof(text), "%s%s", nodes,
             "  - {from: 's[0-1]', to: 't[0-1]', bandwidth: 40GB/s, latency: 5}\n"
             "  - {from: s0, to: t1, bandwidth: 40GB/s, latency: 5}\n");
    expect(text, NULL);
    snprintf(text, sizeof(text), "%s%s", nodes,
             "  - {from: s0, to: t0, bandwidth: 40GB/s, latency: 5}\n"
             "  - {from: s1, to: t0, bandwidth: 30GB/s, latency: 5}\n");
    expect(text, NULL);
    /* Spines, which have no NPU, stay as they are. */
    expect("generator: {type: leaf-spine, leaves: 2, hosts: 2, spines: 2}\n", NULL);
}

/* Three planes of two leaves and two spines, in another order each; and NICs that are nodes. */
static void whole(void **state)
{
    (void)state;
    const char *planes =
        "nodes: [{name: 'n[0-3]', kind: npu}, {name: 'l[0-5]', kind: switch}, "
        "{name: 's[0-5]', kind: switch, role: spine}]\n"
        "links:\n"
        "  - {from: 'n[0-1]', to: l0, bandwidth: 10GB/s, latency: 5}\n"
        "  - {from: 'n[2-3]', to: l1, bandwidth: 10GB/s, latency: 5}\n"
        "  - {from: 'n[2-3]', to: l3, bandwidth: 10GB/s, latency: 5}\n"
        "  - {from: 'n[0-1]', to: l2, bandwidth: 10GB/s, latency: 5}\n"
        "  - {from: 'n[0-1]', to: l4, bandwidth: 10GB/s, latency: 5}\n"
        "  - {from: 'n[2-3]', to: l5, bandwidth: 10GB/s, latency: 5}\n"
        "  - {from: 'l[0-1]', to: 's[0-1]', join: all, bandwidth: 20GB/s, latency: 5}\n"
        "  - {from: 'l[2-3]', to: 's[2-3]', join: all, bandwidth: 20GB/s, latency: 5}\n";
    char text[1200];
    snprintf(text, sizeof(text), "%s%s", planes,
             "  - {from: 'l[4-5]', to: 's[4-5]', join: all, bandwidth: 20GB/s, latency: 5}\n");
    expect(text, &(struct want){4 + 2 + 2, 4 + 4, UINT64_C(240000000000), 3, 0});
    /* The third is slower further on: two are together. */
    snprintf(text, sizeof(text), "%s%s", planes,
             "  - {from: 'l[4-5]', to: 's[4-5]', join: all, bandwidth: 10GB/s, latency: 5}\n");
    expect(text, &(struct want){4 + 4 + 4, 8 + 8, UINT64_C(240000000000), 2, 0});
    /* A node that forwards so much is one of each plane. */
    for (int same = 0; same < 2; same++) {
        snprintf(
            text, sizeof(text), "%s%s%s",
            "nodes: [{name: 'n[0-1]', kind: npu}, {name: s, kind: switch, role: spine},\n"
            "  {name: 'l[0-1]', kind: switch}, {name: 'a[0-1]', kind: nic, bandwidth: 9GB/s},\n"
            "  {name: 'b[0-1]', kind: nic, bandwidth: ",
            same ? "9GB/s" : "8GB/s",
            "}]\n"
            "links:\n"
            "  - {from: 'n[0-1]', to: 'a[0-1]', bandwidth: 10GB/s, latency: 5}\n"
            "  - {from: 'n[0-1]', to: 'b[0-1]', bandwidth: 10GB/s, latency: 5}\n"
            "  - {from: 'a[0-1]', to: l0, bandwidth: 10GB/s, latency: 5}\n"
            "  - {from: 'b[0-1]', to: l1, bandwidth: 10GB/s, latency: 5}\n"
            "  - {from: 'l[0-1]', to: s, bandwidth: 20GB/s, latency: 5}\n");
        const struct want two = {2 + 2 + 1 + 1, 2 + 2 + 1, UINT64_C(160000000000), 2, 0};
        expect(text, same ? &two : NULL);
    }
}

static void cables(void **state)
{
    (void)state;
    /* Of one NPU three cables; the uplink's two are left to ECMP. */
    expect(
        "nodes: [{name: 'n[0-1]', kind: npu}, {name: s, kind: switch}, {name: t, kind: switch}]\n"
        "links:\n"
        "  - {from: 'n[0-1]', to: s, bandwidth: 10GB/s, latency: 5, count: 3}\n"
        "  - {from: s, to: t, bandwidth: 10GB/s, latency: 5, count: 2}\n",
        &(struct want){4, 2 + 2, UINT64_C(240000000000), 1, 0});
    /* Rates of parallel cables may differ: they add up. */
    expect("nodes: [{name: 'n[0-1]', kind: npu}, {name: s, kind: switch}]\n"
           "links:\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 10GB/s, latency: 5}\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 2GB/s, latency: 5}\n",
           &(struct want){3, 2, UINT64_C(96000000000), 1, 0});
}

static void unlike(void **state)
{
    (void)state;
    const char *nodes = "nodes: [{name: 'n[0-2]', kind: npu}, {name: 's[0-1]', kind: switch}]\n";
    static const char *const others[] = {
        /* another rate, another latency, other NPUs, a way further */
        "links: [{from: 'n[0-2]', to: s0, bandwidth: 1, latency: 5}, "
        "{from: 'n[0-2]', to: s1, bandwidth: 2, latency: 5}]\n",
        "links: [{from: 'n[0-2]', to: s0, bandwidth: 1, latency: 5}, "
        "{from: 'n[0-2]', to: s1, bandwidth: 1, latency: 6}]\n",
        "links: [{from: 'n[0-2]', to: s0, bandwidth: 1, latency: 5}, "
        "{from: 'n[0-1]', to: s1, bandwidth: 1, latency: 5}]\n",
        "links: [{from: 'n[0-2]', to: s0, bandwidth: 1, latency: 5}, "
        "{from: 'n[0-2]', to: s1, bandwidth: 1, latency: 5}, "
        "{from: s0, to: s1, bandwidth: 1, latency: 5}]\n",
        "links: [{from: 'n[0-2]', to: s0, bandwidth: 1, latency: 5}, "
        "{from: 'n[0-2]', to: s0, bandwidth: 1, latency: 6}, "
        "{from: 'n[0-2]', to: s1, bandwidth: 1, latency: 7}]\n",
    };
    char text[600];
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        snprintf(text, sizeof(text), "%s%s", nodes, others[i]);
        expect(text, NULL);
    }
    expect("generator: {type: fat-tree, k: 4}\n", NULL);
    expect("generator: {type: torus, shape: [2, 2], lanes: [2]}\n", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes), cmocka_unit_test(rails),  cmocka_unit_test(whole),
        cmocka_unit_test(cables), cmocka_unit_test(unlike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
