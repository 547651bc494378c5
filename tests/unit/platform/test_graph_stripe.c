/* graph_stripe: planes and parallel cables become one with the rates of all; what differs does not.
 */
#include "base/rng.h"
#include "base/str.h"
#include "platform/graph_file.h"
#include "platform/graph_stripe.h"
#include "support/graph_text.h"

#include <setjmp.h>

#include <cmocka.h>

/* Of each node its role and how many planes it stands for, from / what it forwards in GB/s, from *
 * what it reduces; of each cable its ends and GB/s. */
static void tell(const struct nadi_graph *g, struct nadi_str *out)
{
    for (uint32_t n = 0; n < g->node_count; n++) {
        const struct nadi_graph_node *x = &g->nodes[n];
        nadi_str_printf(out, "%s%s%u", n ? " " : "", x->role, x->planes);
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
    const uint32_t hosts = f.graph.host_count;
    nadi_graph_file_release(&f); /* what was made of it stands by itself */
    if (want) {
        assert_int_equal(g.host_count, hosts);
        tell(&g, &found);
        assert_string_equal(nadi_str_get(&found), want);
        nadi_graph_release(&g);
    }
    nadi_str_release(&found);
}

static void planes(void **state)
{
    (void)state;
    expect("generator: {type: hgx, npus: 4, planes: 18, scale-up-bandwidth: 900GB/s}\n"
           "in-switch-bandwidth: 10GB/s\n",
           "npu1 npu1 npu1 npu1 nvswitch18*180; 0-4 900, 1-4 900, 2-4 900, 3-4 900");
    /* Two servers, their own planes each; the NICs stay. */
    expect("generator: {type: hgx, npus: 2, planes: 3, scale-up-bandwidth: 300GB/s, scale-out: "
           "{type: leaf-spine, leaves: 2, hosts: 2, spines: 1, bandwidth: 50GB/s}}\n",
           "npu1 npu1 npu1 npu1 nvswitch3 nvswitch3 leaf1 leaf1 spine1; 0-4 300, 1-4 300, 2-5 300, "
           "3-5 300, 0-6 50, 1-6 50, 2-7 50, 3-7 50, 6-8 50, 7-8 50");
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
    expect(text, "npu1 npu1 npu1 switch2 switch1 switch1; 0-3 20, 1-3 20, 2-3 20, 3-4 80, 3-4 80, "
                 "3-5 80, 3-5 80");
    /* To spines of their own: those are planes with them. */
    snprintf(text, sizeof(text), "%s%s", nodes,
             "  - {from: 's[0-1]', to: 't[0-1]', bandwidth: 40GB/s, latency: 5}\n");
    expect(text, "npu1 npu1 npu1 switch2 switch2; 0-3 20, 1-3 20, 2-3 20, 3-4 80");
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
    expect(text, "npu1 npu1 npu1 npu1 switch3 switch3 spine3 spine3; 0-4 30, 1-4 30, 2-5 30, 3-5 "
                 "30, 4-6 60, 4-7 60, 5-6 60, 5-7 60");
    /* The third is slower further on: two are together. */
    snprintf(text, sizeof(text), "%s%s", planes,
             "  - {from: 'l[4-5]', to: 's[4-5]', join: all, bandwidth: 10GB/s, latency: 5}\n");
    expect(text, "npu1 npu1 npu1 npu1 switch2 switch2 switch1 switch1 spine2 spine2 spine1 spine1; "
                 "0-4 20, 1-4 20, 2-5 20, 3-5 20, 0-6 10, 1-6 10, 2-7 10, 3-7 10, 4-8 40, 4-9 40, "
                 "5-8 40, 5-9 40, 6-10 10, 6-11 10, 7-10 10, 7-11 10");
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
        expect(
            text,
            same
                ? "npu1 npu1 spine1 switch2 nic2/18 nic2/18; 0-4 20, 1-5 20, 4-3 20, 5-3 20, 3-2 40"
                : NULL);
    }
}

/* Planes of two groups of NPUs: cables within a set of planes run in each, those between two sets
 * from each plane of the one to each of the other. */
static void sets(void **state)
{
    (void)state;
    expect("nodes: [{name: 'n[0-3]', kind: npu}, {name: 's[0-1]', kind: switch}, "
           "{name: 't[0-1]', kind: switch}]\n"
           "links:\n"
           "  - {from: 'n[0-1]', to: 's[0-1]', join: all, bandwidth: 10GB/s, latency: 5}\n"
           "  - {from: 'n[2-3]', to: 't[0-1]', join: all, bandwidth: 10GB/s, latency: 5}\n"
           "  - {from: 's[0-1]', to: 't[0-1]', join: all, bandwidth: 30GB/s, latency: 5}\n",
           "npu1 npu1 npu1 npu1 switch2 switch2; 0-4 20, 1-4 20, 2-5 20, 3-5 20, 4-5 120");
}

/* One-way cables are joined with those of their direction only. */
static void one_way(void **state)
{
    (void)state;
    expect("nodes: [{name: 'n[0-1]', kind: npu}, {name: s, kind: switch}]\n"
           "links:\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 1GB/s, latency: 5, one-way: 1}\n"
           "  - {from: s, to: 'n[0-1]', bandwidth: 2GB/s, latency: 5, one-way: 1}\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 4GB/s, latency: 5, one-way: 1}\n"
           "  - {from: s, to: 'n[0-1]', bandwidth: 8GB/s, latency: 5, one-way: 1}\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 16GB/s, latency: 5}\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 32GB/s, latency: 5}\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 64GB/s, latency: 5, loss: 0.1}\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 128GB/s, latency: 6}\n",
           "npu1 npu1 switch1; 0-2 5, 1-2 5, 2-0 10, 2-1 10, 0-2 48, 1-2 48, 0-2 64, 1-2 64, 0-2 "
           "128, 1-2 128");
    /* Planes by one-way cables. */
    expect("nodes: [{name: 'n[0-1]', kind: npu}, {name: 's[0-1]', kind: switch}]\n"
           "links:\n"
           "  - {from: 'n[0-1]', to: 's[0-1]', join: all, bandwidth: 1GB/s, latency: 5, one-way: "
           "true}\n"
           "  - {from: 's[0-1]', to: 'n[0-1]', join: all, bandwidth: 1GB/s, latency: 5, one-way: "
           "true}\n",
           "npu1 npu1 switch2; 0-2 2, 1-2 2, 2-0 2, 2-1 2");
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
        "npu1 npu1 switch1 switch1; 0-2 30, 1-2 30, 2-3 10, 2-3 10");
    /* Rates of parallel cables may differ: they add up. */
    expect("nodes: [{name: 'n[0-1]', kind: npu}, {name: s, kind: switch}]\n"
           "links:\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 10GB/s, latency: 5}\n"
           "  - {from: 'n[0-1]', to: s, bandwidth: 2GB/s, latency: 5}\n",
           "npu1 npu1 switch1; 0-2 12, 1-2 12");
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
        /* one-way cables that lead the other way */
        "links: [{from: 'n[0-2]', to: s0, bandwidth: 1, latency: 5, one-way: 1}, "
        "{from: s1, to: 'n[0-2]', bandwidth: 1, latency: 5, one-way: 1}]\n",
    };
    char text[600];
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        snprintf(text, sizeof(text), "%s%s", nodes, others[i]);
        expect(text, NULL);
    }
    /* Switches that are made otherwise. */
    static const char *const one[] = {"middle: 3", "role: x", "bandwidth: 1",
                                      "in-switch-bandwidth: 1", "in-switch-latency: 1"};
    for (size_t i = 0; i < sizeof(one) / sizeof(*one); i++) {
        snprintf(text, sizeof(text),
                 "nodes: [{name: 'n[0-2]', kind: npu}, {name: s0, kind: switch}, "
                 "{name: s1, kind: switch, %s}]\n"
                 "links: [{from: 'n[0-2]', to: 's[0-1]', join: all, bandwidth: 1, latency: 5}]\n",
                 one[i]);
        expect(text, NULL);
    }
    expect("generator: {type: fat-tree, k: 4}\n", NULL);
    expect("generator: {type: torus, shape: [2, 2], lanes: [2]}\n", NULL);
}

/* ---- drawn ----------------------------------------------------------------------------------- */

enum { MOST = 256 };

struct drawn { /* planes of leaves and spines, their numbers in an order of its own */
    uint32_t npus, planes, leaves, spines; /* spines of each plane, or of all */
    bool shared;                           /* the spines */
    uint32_t odd;                          /* the plane that differs, or planes: none does */
    struct nadi_graph_link cables[MOST];
    uint32_t count;
};

static void cable(struct drawn *d, uint32_t a, uint32_t b, uint64_t rate)
{
    assert_true(d->count < MOST);
    d->cables[d->count++] = (struct nadi_graph_link){.a = a, .b = b, .bits_per_s = rate};
}

static void shuffle(struct drawn *d, uint32_t from, struct nadi_rng *rng)
{
    for (uint32_t i = d->count; i > from + 1; i--) {
        const uint32_t k = from + (uint32_t)nadi_rng_below(rng, i - from);
        const struct nadi_graph_link held = d->cables[i - 1];
        d->cables[i - 1] = d->cables[k];
        d->cables[k] = held;
    }
}

/* Cables of NPUs are added in any order, those to spines of a plane's own in that of the spines. */
static void draw(struct drawn *d, struct nadi_rng *rng)
{
    *d = (struct drawn){.npus = 4 + (uint32_t)nadi_rng_below(rng, 4),
                        .planes = 2 + (uint32_t)nadi_rng_below(rng, 3),
                        .leaves = 1 + (uint32_t)nadi_rng_below(rng, 3),
                        .spines = (uint32_t)nadi_rng_below(rng, 3),
                        .shared = nadi_rng_below(rng, 2)};
    d->odd = (uint32_t)nadi_rng_below(rng, 2 * d->planes);
    d->odd = d->odd < d->planes ? d->odd : d->planes;
    const uint32_t first_spine = d->npus + d->planes * d->leaves;
    uint32_t first[4]; /* by plane: leaf 0 is leaf number first, and so on round */
    for (uint32_t p = 0; p < d->planes; p++)
        first[p] = (uint32_t)nadi_rng_below(rng, d->leaves);
    for (uint32_t n = 0; n < d->npus; n++)
        for (uint32_t p = 0; p < d->planes; p++) {
            const uint32_t leaf = (n % d->leaves + first[p]) % d->leaves;
            const bool odd = p == d->odd && d->spines == 0 && n == d->npus - 1;
            cable(d, n, d->npus + p * d->leaves + leaf, odd ? 9 : 10);
        }
    shuffle(d, 0, rng);
    const uint32_t uplinks = d->count;
    for (uint32_t s = 0; s < d->spines; s++)
        for (uint32_t p = 0; p < d->planes; p++)
            for (uint32_t l = 0; l < d->leaves; l++) {
                const uint32_t leaf = d->npus + p * d->leaves + (l + first[p]) % d->leaves;
                const uint32_t spine = first_spine + s + (d->shared ? 0 : p * d->spines);
                const bool odd = p == d->odd && s + 1 == d->spines && l + 1 == d->leaves;
                cable(d, leaf, spine, odd ? 19 : 20 + s);
            }
    if (d->shared)
        shuffle(d, uplinks, rng);
}

/* Leaves with spines of their own are one set of planes with them; else each leaf is one with those
 * of its place in the other planes. Cables take what they took, together. */
static void expect_drawn(const struct drawn *d)
{
    const bool whole = !d->shared && d->spines > 0;
    const uint32_t spines = d->shared ? d->spines : d->planes * d->spines;
    const uint32_t switches = d->leaves + (whole ? d->spines : 0); /* of a plane */
    const uint32_t odd = d->odd == d->planes ? 0 : whole ? switches : 1;
    const uint32_t joined = odd ? d->planes - 1 : d->planes; /* of the set with the odd one */
    const uint32_t gone = (switches - odd) * (d->planes - 1) + odd * (joined - 1);
    struct nadi_graph g, out;
    nadi_graph_init(&g);
    for (uint32_t n = 0; n < d->npus + d->planes * d->leaves + spines; n++)
        (void)nadi_graph_add_node(&g, n < d->npus ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
    for (uint32_t i = 0; i < d->count; i++)
        nadi_graph_add_link(&g, d->cables[i]);
    nadi_graph_finish(&g);
    assert_int_equal(nadi_graph_stripe(&g, &out), gone > 0);
    if (gone > 0) {
        uint64_t before = 0, after = 0;
        uint32_t of_all = 0, of_joined = 0;
        assert_int_equal(out.node_count, g.node_count - gone);
        for (uint32_t i = 0; i < g.link_count; i++)
            before += g.links[i].bits_per_s;
        for (uint32_t i = 0; i < out.link_count; i++)
            after += out.links[i].bits_per_s;
        assert_int_equal(before, after);
        for (uint32_t n = 0; n < out.node_count; n++) {
            of_all += out.nodes[n].planes == d->planes;
            of_joined += odd && out.nodes[n].planes == joined && joined > 1;
        }
        assert_int_equal(of_all, switches - odd);
        assert_int_equal(of_joined, joined > 1 ? odd : 0);
        nadi_graph_release(&out);
    }
    nadi_graph_release(&g);
}

static void in_any_order(void **state)
{
    (void)state;
    struct nadi_rng rng;
    struct drawn d;
    nadi_rng_init(&rng, 1, "planes");
    for (int i = 0; i < 500; i++) {
        draw(&d, &rng);
        expect_drawn(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes), cmocka_unit_test(rails),        cmocka_unit_test(whole),
        cmocka_unit_test(sets),   cmocka_unit_test(one_way),      cmocka_unit_test(cables),
        cmocka_unit_test(unlike), cmocka_unit_test(in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
