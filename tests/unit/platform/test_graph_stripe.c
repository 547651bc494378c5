/* graph_stripe: planes and parallel cables become one with the rates of all; what differs does not.
 */
#include "base/str.h"
#include "platform/graph_file.h"
#include "platform/graph_stripe.h"
#include "support/graph_text.h"

#include <setjmp.h>

#include <cmocka.h>

/* Of each node how many planes it stands for, from / what it forwards in GB/s, from * what it
 * reduces; of each cable its ends and GB/s. */
static void tell(const struct nadi_graph *g, struct nadi_str *out)
{
    for (uint32_t n = 0; n < g->node_count; n++) {
        const struct nadi_graph_node *x = &g->nodes[n];
        nadi_str_printf(out, "%s%u", n ? " " : "", x->planes);
        if (x->forward_bits_s)
            nadi_str_printf(out, "/%g", (double)x->forward_bits_s / 8e9);
        if (x->in_switch_bytes_per_ns > 0)
            nadi_str_printf(out, "*%g", x->in_switch_bytes_per_ns);
    }
    for (uint32_t i = 0; i < g->link_count; i++)
        nadi_str_printf(out, "%s%u-%u %g", i ? ", " : "; ", g->links[i].a, g->links[i].b,
                        (double)g->links[i].bits_per_s / 8e9);
}

/* want: the whole network; NULL: it stays as it is. */
static void expect(const char *text, const char *want)
{
    struct nadi_graph_file f;
    struct nadi_graph g;
    struct nadi_str found = NADI_STR_INIT;
    read_text(&f, text);
    assert_true(f.stripe);
    const bool striped = nadi_graph_stripe(&f.graph, &g);
    assert_int_equal(striped, want != NULL);
    if (want) {
        assert_int_equal(g.host_count, f.graph.host_count);
        tell(&g, &found);
        assert_string_equal(nadi_str_get(&found), want);
        nadi_graph_release(&g);
    }
    nadi_str_release(&found);
    nadi_graph_file_release(&f);
}

static void planes(void **state)
{
    (void)state;
    expect("generator: {type: hgx, npus: 4, planes: 18, scale-up-bandwidth: 900GB/s}\n"
           "in-switch-bandwidth: 10GB/s\n",
           "1 1 1 1 18*180; 0-4 900, 1-4 900, 2-4 900, 3-4 900");
    /* Two servers, their own planes each; the NICs stay. */
    expect("generator: {type: hgx, npus: 2, planes: 3, scale-up-bandwidth: 300GB/s, scale-out: "
           "{type: leaf-spine, leaves: 2, hosts: 2, spines: 1, bandwidth: 50GB/s}}\n",
           "1 1 1 1 3 3 1 1 1; 0-4 300, 1-4 300, 2-5 300, 3-5 300, 0-6 50, 1-6 50, 2-7 50, 3-7 50, "
           "6-8 50, 7-8 50");
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
    expect(text, "1 1 1 2 1 1; 0-3 20, 1-3 20, 2-3 20, 3-4 80, 3-4 80, 3-5 80, 3-5 80");
    /* To spines of their own: those are planes with them. */
    snprintf(text, sizeof(text), "%s%s", nodes,
             "  - {from: 's[0-1]', to: 't[0-1]', bandwidth: 40GB/s, latency: 5}\n");
    expect(text, "1 1 1 2 2; 0-3 20, 1-3 20, 2-3 20, 3-4 80");
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
    expect(text, "1 1 1 1 3 3 3 3; 0-4 30, 1-4 30, 2-5 30, 3-5 30, 4-6 60, 4-7 60, 5-6 60, 5-7 60");
    /* The third is slower further on: two are together. */
    snprintf(text, sizeof(text), "%s%s", planes,
             "  - {from: 'l[4-5]', to: 's[4-5]', join: all, bandwidth: 10GB/s, latency: 5}\n");
    expect(text, "1 1 1 1 2 2 1 1 2 2 1 1; 0-4 20, 1-4 20, 2-5 20, 3-5 20, 0-6 10, 1-6 10, 2-7 10, "
                 "3-7 10, 4-8 40, 4-9 40, 5-8 40, 5-9 40, 6-10 10, 6-11 10, 7-10 10, 7-11 10");
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
        expect(text, same ? "1 1 1 2 2/18 2/18; 0-4 20, 1-5 20, 4-3 20, 5-3 20, 3-2 40" : NULL);
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
        "1 1 1 1; 0-2 30, 1-2 30, 2-3 10, 2-3 10");
    /* Rates of parallel cables may differ: they add up. */
    expect("nodes: [{name: 'n[0-1]', kind: npu}, {name: s, kind: switch}]\n"
           "links:\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 10GB/s, latency: 5}\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 2GB/s, latency: 5}\n",
           "1 1 1; 0-2 12, 1-2 12");
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
