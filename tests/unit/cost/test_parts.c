/* parts: what networks are made of, against the literature's closed forms. */
#include "cost/parts.h"

#include <math.h>
#include <setjmp.h>

#include "base/mem.h"
#include "platform/generator_words.h"
#include "platform/graph_file.h"

#include <cmocka.h>

static void open_words(struct nadi_graph_file *f, const char *words)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_graph_file_read(f, words, &diags))
        fail_msg("%s: %s", words, diags.items[0].message);
    nadi_diags_release(&diags);
}

static uint64_t count_of(const struct nadi_needs *n, enum nadi_part_kind kind, const char *role)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n->count; i++)
        if (n->items[i].kind == kind && (!role || strcmp(n->items[i].role, role) == 0))
            count += n->items[i].count;
    return count;
}

static uint64_t cables_of_layer(const struct nadi_needs *n, uint32_t layer)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n->count; i++)
        if (n->items[i].kind == NADI_PART_CABLE && n->items[i].layer == layer)
            count += n->items[i].count;
    return count;
}

/* By role and layer, each with its formula; block: NPUs of a server. */
static const struct {
    const char *words;
    uint32_t block;
    uint64_t npus, nics;
    struct {
        const char *role;
        uint64_t count;
    } switches[4];
    uint64_t cables[4];
    uint64_t inside_switches, inside_cables;
} cases[] = {
    /* k^3/4 hosts, k^2/2 leaves and aggregations, k^2/4 cores, k^3/4 cables a layer */
    {"fat-tree k=8",
     0,
     128,
     128,
     {{"leaf", 32}, {"spine", 32}, {"core", 16}},
     {128, 128, 128},
     0,
     0},
    /* a leaf has k/(1+o) = 4 of 16 ports up */
    {"fat-tree k=16 levels=2 oversubscription=3",
     0,
     192,
     192,
     {{"leaf", 16}, {"spine", 4}},
     {192, 64},
     0,
     0},
    {"leaf-spine leaves=6 spines=3 hosts=10 lanes=2",
     0,
     60,
     60,
     {{"leaf", 6}, {"spine", 3}},
     {60, 36},
     0,
     0},
    /* 6 servers of 8 in 2 pods: a leaf a rail and pod, an NVSwitch a server */
    {"rail nodes=6 pod=3 spines=4", 8, 48, 48, {{"leaf", 16}, {"spine", 4}}, {48, 64}, 6, 48},
    /* the same without a server in the catalogue: NVSwitches count, their traces do not */
    {"rail nodes=6 pod=3 spines=4",
     0,
     48,
     48,
     {{"nvswitch", 6}, {"leaf", 16}, {"spine", 4}},
     {48, 64},
     0,
     48},
    /* N = a p (a h + 1), a h + 1 = 9 groups of a (a - 1) / 2 local cables, 36 global ones */
    {"dragonfly a=4 p=2 h=2", 0, 72, 72, {{"router", 36}}, {72, 54, 36}, 0, 0},
    /* T S^L hosts; in each dimension a clique */
    {"hyperx shape=4x4 hosts=3", 0, 48, 48, {{"switch", 16}}, {48, 24, 24}, 0, 0},
    /* k-ary n-cube of NPUs: n k^n cables, no switch, no NIC */
    {"torus shape=4x4x4", 0, 64, 0, {{NULL, 0}}, {64, 64, 64}, 0, 0},
    {"mesh shape=6x4", 0, 24, 0, {{NULL, 0}}, {20, 18}, 0, 0},
    /* NICs that two NPUs share: 4 of them, 8 traces to them, 8 cables of the scale-up switches */
    {"hgx npus=4 nics=2 scale-out=leaf-spine scale-out.leaves=2 scale-out.spines=2 "
     "scale-out.hosts=2",
     4,
     8,
     4,
     {{"leaf", 2}, {"spine", 2}},
     {4, 4},
     2,
     16},
    /* two racks of 72 with 18 switches: 72 x 18 backplane traces each */
    {"hgx npus=72 planes=18 scale-out=leaf-spine scale-out.leaves=18 scale-out.spines=9 "
     "scale-out.hosts=8",
     72,
     144,
     144,
     {{"leaf", 18}, {"spine", 9}},
     {144, 162},
     36,
     2592},
};

static void generators(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_graph_file f;
        struct nadi_needs n;
        uint64_t switches = 0;
        open_words(&f, cases[i].words);
        nadi_needs_init(&n);
        nadi_needs_of_graph(&n, &f.graph, cases[i].block);
        assert_int_equal(n.npus, cases[i].npus);
        if (count_of(&n, NADI_PART_NIC, NULL) != cases[i].nics)
            fail_msg("%s: %d NICs", cases[i].words, (int)count_of(&n, NADI_PART_NIC, NULL));
        for (int s = 0; s < 4 && cases[i].switches[s].role; s++) {
            const uint64_t count = count_of(&n, NADI_PART_SWITCH, cases[i].switches[s].role);
            if (count != cases[i].switches[s].count)
                fail_msg("%s: %d %s", cases[i].words, (int)count, cases[i].switches[s].role);
            switches += count;
        }
        if (count_of(&n, NADI_PART_SWITCH, NULL) != switches)
            fail_msg("%s: %d switches", cases[i].words, (int)count_of(&n, NADI_PART_SWITCH, NULL));
        for (uint32_t l = 0; l < 4; l++)
            if (cables_of_layer(&n, l) != cases[i].cables[l])
                fail_msg("%s: layer %d has %d cables", cases[i].words, (int)l,
                         (int)cables_of_layer(&n, l));
        if (n.inside_switches != cases[i].inside_switches ||
            n.inside_cables != cases[i].inside_cables)
            fail_msg("%s: %d switches and %d cables inside", cases[i].words, (int)n.inside_switches,
                     (int)n.inside_cables);
        nadi_needs_release(&n);
        nadi_graph_file_release(&f);
    }
}

/* Ports of a switch by rate: 4 hosts at 100 GB/s and 2 cables up at 200. */
static void ports_by_rate(void **state)
{
    struct nadi_graph_file f;
    struct nadi_needs n;
    (void)state;
    open_words(&f, "leaf-spine leaves=2 spines=2 hosts=4 bandwidth=100GB/s "
                   "uplink-bandwidth=200GB/s");
    nadi_needs_init(&n);
    nadi_needs_of_graph(&n, &f.graph, 0);
    for (size_t i = 0; i < n.count; i++)
        if (strcmp(n.items[i].role, "leaf") == 0) {
            assert_int_equal(n.items[i].rates[0].ports, 4);
            assert_true(fabs(n.items[i].rates[0].bits_per_s - 8e11) < 1);
            assert_int_equal(n.items[i].rates[1].ports, 2);
            assert_true(fabs(n.items[i].rates[1].bits_per_s - 16e11) < 1);
            assert_int_equal(n.items[i].rates[2].ports, 0);
        }
    nadi_needs_release(&n);
    nadi_graph_file_release(&f);
}

/* A full tree of k-port switches is the fat tree of the generator. */
static void trees(void **state)
{
    (void)state;
    for (uint32_t k = 4; k <= 16; k += 2) {
        struct nadi_switch_tree t;
        const uint64_t k64 = k;
        assert_true(nadi_switch_tree_of(&t, k, k, 1));
        assert_int_equal(t.levels, 1);
        assert_true(nadi_switch_tree_of(&t, k64 * k64 / 2, k, 1));
        assert_int_equal(t.levels, 2);
        assert_int_equal(t.switches[0], k);
        assert_int_equal(t.switches[1], k / 2);
        assert_int_equal(t.cables[1], k64 * k64 / 2);
        assert_true(nadi_switch_tree_of(&t, k64 * k64 * k64 / 4, k, 1));
        assert_int_equal(t.levels, 3);
        assert_int_equal(t.switches[0], k64 * k64 / 2);
        assert_int_equal(t.switches[1], k64 * k64 / 2);
        assert_int_equal(t.switches[2], k64 * k64 / 4);
        assert_int_equal(t.cables[1], k64 * k64 * k64 / 4);
        assert_int_equal(t.cables[2], k64 * k64 * k64 / 4);
        assert_false(nadi_switch_tree_of(&t, k64 * k64 * k64 / 4 + 1, k, 1));
    }
    struct nadi_switch_tree t;
    /* 3 to 1 on 16 ports: 12 down, 4 up */
    assert_true(nadi_switch_tree_of(&t, 192, 16, 3));
    assert_int_equal(t.switches[0], 16);
    assert_int_equal(t.switches[1], 4);
    assert_int_equal(t.cables[1], 64);
}

static void of_dims(struct nadi_needs *n, uint32_t block, uint32_t count,
                    const enum nadi_dim_kind *kinds, const uint32_t *npus)
{
    static struct nadi_priced_part switches[] = {
        {.kind = NADI_PART_SWITCH, .name = "s", .ports = 16, .bits_per_s = 4e11, .price = 10},
        {.kind = NADI_PART_SWITCH, .name = "m", .ports = 64, .bits_per_s = 4e11, .price = 100},
    };
    const struct nadi_prices prices = {.parts = switches, .part_count = 2};
    struct nadi_topology t = {.dim_count = count};
    for (uint32_t d = 0; d < count; d++)
        t.dims[d] = (struct nadi_dim){.kind = kinds[d],
                                      .npus = npus[d],
                                      .bytes_per_ns = 50,
                                      .axes = 1,
                                      .oversubscription = 1};
    assert_true(nadi_topology_finish(&t));
    nadi_needs_init(n);
    nadi_needs_of_dims(n, &t, block, &prices);
}

static void dimensions(void **state)
{
    struct nadi_needs n;
    (void)state;
    /* 64 servers of 8: 8 networks of 64. Trees of 16 ports: 8 leaves and 4 spines, 120 $; one of
     * 64 ports costs 100. */
    of_dims(&n, 8, 2, (enum nadi_dim_kind[]){NADI_DIM_SWITCH, NADI_DIM_SWITCH},
            (uint32_t[]){8, 64});
    assert_int_equal(count_of(&n, NADI_PART_SWITCH, "switch"), 8);
    assert_int_equal(count_of(&n, NADI_PART_NIC, NULL), 512);
    assert_int_equal(cables_of_layer(&n, 0), 512);
    assert_int_equal(n.servers, 64);
    assert_int_equal(n.inside_switches, 64);
    nadi_needs_release(&n);
    /* 6 of 8 in each of 4 servers; 6 networks of 4 share two switches of 16 */
    of_dims(&n, 8, 2, (enum nadi_dim_kind[]){NADI_DIM_SWITCH, NADI_DIM_SWITCH}, (uint32_t[]){6, 4});
    assert_int_equal(n.servers, 4);
    assert_int_equal(count_of(&n, NADI_PART_SWITCH, "switch"), 2);
    nadi_needs_release(&n);
    /* 2 x 8 x 4: a ring of 8 has 8 cables, one of 2 has one, a clique of 4 has 6 */
    of_dims(&n, 0, 3,
            (enum nadi_dim_kind[]){NADI_DIM_RING, NADI_DIM_RING, NADI_DIM_FULLY_CONNECTED},
            (uint32_t[]){2, 8, 4});
    assert_int_equal(cables_of_layer(&n, 0), 32);
    assert_int_equal(cables_of_layer(&n, 1), 8 * 8);
    assert_int_equal(cables_of_layer(&n, 2), 16 * 6);
    assert_int_equal(count_of(&n, NADI_PART_NIC, NULL), 0);
    nadi_needs_release(&n);
    /* 128 flat: trees of 16 ports: 16 leaves, 8 spines at 10 $; of 64 ports: 4 leaves, 2 spines
     * at 100 $ */
    of_dims(&n, 8, 1, (enum nadi_dim_kind[]){NADI_DIM_SWITCH}, (uint32_t[]){128});
    assert_int_equal(n.servers, 16);
    assert_int_equal(count_of(&n, NADI_PART_SWITCH, "leaf"), 16);
    assert_int_equal(count_of(&n, NADI_PART_SWITCH, "spine"), 8);
    assert_int_equal(cables_of_layer(&n, 1), 128);
    nadi_needs_release(&n);
    /* beyond three levels of 64 ports: named whole, as a switch of that many ports */
    of_dims(&n, 0, 1, (enum nadi_dim_kind[]){NADI_DIM_SWITCH}, (uint32_t[]){1 << 20});
    assert_int_equal(count_of(&n, NADI_PART_SWITCH, "switch"), 1);
    nadi_needs_release(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generators),
        cmocka_unit_test(ports_by_rate),
        cmocka_unit_test(trees),
        cmocka_unit_test(dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
