/* graph_measure: distances, bisection and diversity that the literature gives in closed form. */
#include "base/mem.h"
#include "base/rng.h"
#include "platform/graph_file.h"
#include "platform/graph_measure.h"

#include <setjmp.h>

#include <cmocka.h>

static void open_text(struct nadi_graph_file *f, const char *what)
{
    struct nadi_diags diags;
    struct nadi_doc doc;
    char text[256];
    snprintf(text, sizeof(text), "generator: %s\n", what);
    nadi_diags_init(&diags);
    if (!nadi_doc_parse(&doc, "net.yml", text, strlen(text), NADI_DOC_YAML, &diags) ||
        !nadi_graph_file_from_doc(f, &doc, &diags))
        fail_msg("%s: %s", what, diags.items[0].message);
    nadi_doc_release(&doc);
    nadi_diags_release(&diags);
}

/* Cables have 1 GB/s, so that the bisection counts them. */
static const struct {
    const char *what;
    uint32_t diameter;
    double bisection;      /* cables */
    double mean;           /* links, 0: not known */
    uint32_t disjoint;     /* 0: not known */
    double farthest_paths; /* from NPU 0 */
} cases[] = {
    /* Full bisection: half of the NPUs; (k/2)^2 ways between pods (Al-Fares 2008, section 3) */
    {"{type: fat-tree, k: 8, bandwidth: 1}", 6, 64, 0, 4, 16},
    {"{type: fat-tree, k: 8, levels: 2, oversubscription: 3, bandwidth: 1}", 4, 8, 0, 2, 2},
    {"{type: leaf-spine, leaves: 4, spines: 3, hosts: 6, bandwidth: 1}", 4, 6, 0, 3, 3},
    /* k-ary n-cube: 2 k^(n-1) cables across, mean n k / 4 over all pairs (Dally 1990) */
    {"{type: torus, shape: [8, 8], bandwidth: 1}", 8, 16, 4 * 64 / 63., 4, 280},
    {"{type: torus, shape: [4, 4, 4], bandwidth: 1}", 6, 32, 3 * 64 / 63., 6, 720},
    {"{type: torus, shape: [2, 2, 2, 2, 2], bandwidth: 1}", 5, 16, 2.5 * 32 / 31., 5, 120},
    {"{type: mesh, shape: [8, 8], bandwidth: 1}", 14, 8, 5.333333333333333, 2, 3432},
    /* HyperX: (S/2)^2 cables in each of the other dimensions' groups (Ahn 2009, section 3) */
    {"{type: hyperx, shape: [4, 4], hosts: 4, bandwidth: 1}", 4, 16, 0, 6, 2},
    /* one cable between each two of 9 groups: 4 x 4, and 4 within the group that is cut */
    {"{type: dragonfly, a: 4, p: 2, h: 2, bandwidth: 1}", 5, 20, 0, 5, 0},
    /* two between each two of 5: 2 x 2 x 2 and 4 */
    {"{type: dragonfly, a: 4, p: 2, h: 2, g: 5, bandwidth: 1}", 5, 12, 0, 5, 0},
    /* NPUs that forward: two servers on each side, a cable of each NPU there */
    {"{type: rail, nodes: 4, npus: 4, bandwidth: 1, scale-up-latency: 500}", 4, 8, 0, 2, 2},
    {"{type: hgx, scale-up-bandwidth: 1}", 2, 4, 2, 1, 1},
    {"{type: hgx, planes: 4, scale-up-bandwidth: 4}", 2, 16, 2, 4, 4},
    /* uneven: the cables along dimension 1 carry a fourth */
    {"{type: torus, shape: [4, 4], bandwidth: 1, uplink-bandwidth: [1, 0.25]}", 4, 2, 0, 4, 24},
    {"{type: clos, down: [2, 2, 2], up: [2, 2], bandwidth: 1, uplink-bandwidth: [1, 0.25]}", 6, 1,
     0, 2, 4},
};

static bool near(double a, double b)
{
    return a - b < 1e-9 * b && b - a < 1e-9 * b;
}

static void closed_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_graph_file f;
        struct nadi_graph_measures m;
        open_text(&f, cases[i].what);
        nadi_graph_measure(&m, &f.graph, f.dims, f.dim_count);
        assert_true(m.connected && m.sampled == 0);
        assert_int_equal(m.diameter, cases[i].diameter);
        if (!near(m.bisection_bits_per_s / 8e9, cases[i].bisection))
            fail_msg("%s: bisection %g", cases[i].what, m.bisection_bits_per_s / 8e9);
        if (cases[i].mean > 0 && !near(m.mean_hops, cases[i].mean))
            fail_msg("%s: mean %.9f", cases[i].what, m.mean_hops);
        assert_int_equal(m.disjoint, cases[i].disjoint);
        const struct nadi_measure_distance *last = &m.distances[m.distance_count - 1];
        if (cases[i].farthest_paths > 0 && !near(last->most_paths, cases[i].farthest_paths))
            fail_msg("%s: %g ways", cases[i].what, last->most_paths);
        assert_true(m.diameter_latency ==
                    (nadi_time)m.diameter * (strstr(cases[i].what, "hgx") ? 250000 : 500000));
        uint32_t npus = 1;
        for (uint32_t d = 0; d < m.distance_count; d++)
            npus += m.distances[d].npus;
        assert_int_equal(npus, m.npus);
        nadi_graph_measures_release(&m);
        nadi_graph_file_release(&f);
    }
}

/* A large product is counted, a small one is a flow: both must agree. */
static void counted_or_flow(void **state)
{
    static const struct {
        const char *what;
        double cables;
    } wants[] = {
        {"{type: torus, shape: [128, 64], bandwidth: 1}", 128},
        {"{type: mesh, shape: [128, 64], bandwidth: 1}", 64},
        {"{type: hyperx, shape: [2, 2, 2048], hosts: 1, bandwidth: 1}", 4096},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
        struct nadi_graph_file f;
        struct nadi_graph_measures m;
        open_text(&f, wants[i].what);
        nadi_graph_measure(&m, &f.graph, f.dims, f.dim_count);
        assert_int_equal(m.splits, 0);
        assert_true(near(m.bisection_bits_per_s / 8e9, wants[i].cables));
        nadi_graph_measures_release(&m);
        nadi_graph_file_release(&f);
    }
}

/* The capacity of a node is a limit of the flow; two parts are not connected. */
static void limits(void **state)
{
    struct nadi_graph g;
    struct nadi_graph_measures m;
    const bool side[4] = {true, true, false, false};
    (void)state;
    nadi_graph_init(&g);
    for (uint32_t i = 0; i < 4; i++)
        nadi_graph_add_node(&g, NADI_GRAPH_HOST, NULL);
    const uint32_t hub = nadi_graph_add_node(&g, NADI_GRAPH_SWITCH, NULL);
    g.nodes[hub].forward_bits_s = 1500;
    for (uint32_t i = 0; i < 4; i++)
        nadi_graph_add_link(&g, (struct nadi_graph_link){.a = i, .b = hub, .bits_per_s = 1000});
    nadi_graph_finish(&g);
    assert_true(near(nadi_graph_cut(&g, side), 1500));
    nadi_graph_release(&g);

    nadi_graph_init(&g);
    for (uint32_t i = 0; i < 4; i++)
        nadi_graph_add_node(&g, NADI_GRAPH_HOST, NULL);
    nadi_graph_add_link(&g, (struct nadi_graph_link){.a = 0, .b = 1, .bits_per_s = 1000});
    nadi_graph_add_link(&g, (struct nadi_graph_link){.a = 2, .b = 3, .bits_per_s = 1000});
    nadi_graph_finish(&g);
    nadi_graph_measure(&m, &g, NULL, 0);
    assert_false(m.connected);
    assert_true(m.bisection_bits_per_s <= 0);
    nadi_graph_measures_release(&m);
    nadi_graph_release(&g);
}

/* NPU 0 has a router on board, NPUs 1 to 3 hang on it: one link for one, two for two others; ways
 * back are one-way here, so that the bisection is that of the worse direction. */
static void mixed(void **state)
{
    struct nadi_graph g;
    struct nadi_graph_measures m;
    (void)state;
    nadi_graph_init(&g);
    for (uint32_t i = 0; i < 4; i++)
        nadi_graph_add_node(&g, NADI_GRAPH_HOST, NULL);
    const uint32_t router = nadi_graph_add_node(&g, NADI_GRAPH_SWITCH, NULL);
    const uint32_t far = nadi_graph_add_node(&g, NADI_GRAPH_SWITCH, NULL);
    nadi_graph_add_link(
        &g, (struct nadi_graph_link){.a = 0, .b = router, .bits_per_s = 9000, .dim = NADI_NONE});
    nadi_graph_add_link(&g, (struct nadi_graph_link){.a = 1, .b = router, .bits_per_s = 1000});
    for (uint32_t i = 2; i < 4; i++)
        nadi_graph_add_link(&g, (struct nadi_graph_link){.a = i, .b = far, .bits_per_s = 1000});
    nadi_graph_add_link(
        &g, (struct nadi_graph_link){.a = router, .b = far, .bits_per_s = 1500, .one_way = true});
    nadi_graph_add_link(
        &g, (struct nadi_graph_link){
                .a = far, .b = router, .bits_per_s = 500, .latency = 7, .one_way = true});
    nadi_graph_finish(&g);
    nadi_graph_measure(&m, &g, NULL, 0);
    assert_true(m.connected && m.all_splits);
    assert_int_equal(m.diameter, 3);
    assert_int_equal(m.diameter_latency, 7);
    assert_int_equal(m.distance_count, 2);
    assert_int_equal(m.distances[0].hops, 1);
    assert_int_equal(m.distances[1].hops, 2);
    assert_int_equal(m.distances[1].npus, 2);
    assert_true(near(m.bisection_bits_per_s, 500));
    nadi_graph_measures_release(&m);
    nadi_graph_release(&g);
}

/* Of pairs equally far apart the slowest counts, wherever it stands among them. */
static void slowest_pair(void **state)
{
    (void)state;
    for (uint32_t slow = 0; slow < 4; slow++) {
        struct nadi_graph g;
        struct nadi_graph_measures m;
        nadi_graph_init(&g);
        for (uint32_t i = 0; i < 4; i++)
            nadi_graph_add_node(&g, NADI_GRAPH_HOST, NULL);
        const uint32_t star = nadi_graph_add_node(&g, NADI_GRAPH_SWITCH, NULL);
        for (uint32_t i = 0; i < 4; i++)
            nadi_graph_add_link(&g, (struct nadi_graph_link){.a = i,
                                                             .b = star,
                                                             .bits_per_s = 1000,
                                                             .latency = i == slow ? 9 : 1 + i % 2});
        nadi_graph_finish(&g);
        nadi_graph_measure(&m, &g, NULL, 0);
        assert_int_equal(m.diameter, 2);
        assert_int_equal(m.diameter_latency, 11);
        nadi_graph_measures_release(&m);
        nadi_graph_release(&g);
    }
}

/* Of drawn networks, too many NPUs to try all halves: the least cut that was found, GB/s. */
static void drawn(void **state)
{
    enum { NETWORKS = 12, NPUS = 18, SWITCHES = 7 };
    static const double want[NETWORKS] = {49, 63, 44, 56, 47, 42, 56, 55, 38, 52, 55, 45};
    struct nadi_rng rng;
    (void)state;
    nadi_rng_init(&rng, 5, "networks");
    for (int i = 0; i < NETWORKS; i++) {
        struct nadi_graph g;
        struct nadi_graph_measures m = {.npus = 0};
        nadi_graph_init(&g);
        for (uint32_t n = 0; n < NPUS + SWITCHES; n++)
            (void)nadi_graph_add_node(&g, n < NPUS ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
        for (uint32_t k = 0; k < 4 * SWITCHES + 2 * NPUS; k++) {
            struct nadi_graph_link l = {.a = k < 2 * NPUS ? k / 2 : NPUS + k % SWITCHES,
                                        .b = NPUS + (uint32_t)nadi_rng_below(&rng, SWITCHES),
                                        .bits_per_s = 8000000000 * (1 + nadi_rng_below(&rng, 9)),
                                        .one_way = i % 3 == 2 && nadi_rng_below(&rng, 4) == 0};
            if (l.a != l.b)
                nadi_graph_add_link(&g, l);
        }
        nadi_graph_finish(&g);
        nadi_graph_measure_bisection(&m, &g, (const uint32_t[]){6, 3}, 2);
        assert_true(near(m.bisection_bits_per_s / 8e9, want[i]));
        assert_false(m.all_splits);
        nadi_graph_measures_release(&m);
        nadi_graph_release(&g);
    }
}

/* Two halves of NPUs that forward, each joined by a ring and a chord of each NPU, and five cables
 * between them; their numbers are drawn, so that only moving them across, more than once, finds it.
 */
static void planted_halves(void **state)
{
    enum { NETWORKS = 12, NPUS = 60, HALF = NPUS / 2, ACROSS = 5 };
    const struct nadi_graph_link cable = {.bits_per_s = 8000000000};
    struct nadi_rng rng;
    (void)state;
    nadi_rng_init(&rng, 7, "planted");
    for (int i = 0; i < NETWORKS; i++) {
        struct nadi_graph g;
        struct nadi_graph_measures m = {.npus = 0};
        uint32_t npu[NPUS];
        nadi_graph_init(&g);
        for (uint32_t n = 0; n < NPUS; n++) {
            const uint32_t k = (uint32_t)nadi_rng_below(&rng, n + 1);
            (void)nadi_graph_add_node(&g, NADI_GRAPH_HOST, NULL);
            npu[n] = npu[k];
            npu[k] = n;
        }
        for (uint32_t n = 0; n < 2 * NPUS + ACROSS; n++) {
            struct nadi_graph_link l = cable;
            const uint32_t half = n % 2 * HALF, at = n / 2 % HALF;
            const uint32_t drawn = (uint32_t)nadi_rng_below(&rng, HALF);
            l.a = npu[half + at];
            l.b = npu[half + (n < NPUS ? (at + 1) % HALF : drawn)];
            if (n >= 2 * NPUS)
                l.b = npu[HALF - half + drawn];
            if (l.a != l.b)
                nadi_graph_add_link(&g, l);
        }
        nadi_graph_finish(&g);
        nadi_graph_measure_bisection(&m, &g, NULL, 0);
        assert_true(near(m.bisection_bits_per_s / 8e9, ACROSS));
        nadi_graph_measures_release(&m);
        nadi_graph_release(&g);
    }
}

/* A drawn network in which at first only a switch moves: the halves with the least that is found
 * between them, 5 GB/s, come after that. */
static void switch_alone(void **state)
{
    enum { NPUS = 20, SWITCHES = 24 };
    struct nadi_graph g;
    struct nadi_graph_measures m = {.npus = 0};
    struct nadi_rng rng;
    (void)state;
    nadi_rng_init(&rng, 578, "x");
    nadi_graph_init(&g);
    for (uint32_t n = 0; n < NPUS + SWITCHES; n++)
        (void)nadi_graph_add_node(&g, n < NPUS ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
    for (uint32_t k = 0; k < NPUS + SWITCHES; k++) {
        struct nadi_graph_link l = {.a = k < NPUS ? k : NPUS + k % SWITCHES,
                                    .b = NPUS + (uint32_t)nadi_rng_below(&rng, SWITCHES)};
        l.bits_per_s = 8000000000 * (1 + nadi_rng_below(&rng, 9));
        if (l.a != l.b)
            nadi_graph_add_link(&g, l);
    }
    nadi_graph_finish(&g);
    nadi_graph_measure_bisection(&m, &g, NULL, 0);
    assert_true(near(m.bisection_bits_per_s / 8e9, 5));
    nadi_graph_measures_release(&m);
    nadi_graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),   cmocka_unit_test(counted_or_flow),
        cmocka_unit_test(limits),         cmocka_unit_test(mixed),
        cmocka_unit_test(slowest_pair),   cmocka_unit_test(drawn),
        cmocka_unit_test(planted_halves), cmocka_unit_test(switch_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
