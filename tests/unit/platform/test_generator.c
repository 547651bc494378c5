/* generator: counts of nodes and links, diameters and connections as the literature has them. */
#include "base/mem.h"
#include "platform/graph_file.h"

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

/* Largest number of links between NPUs, without those on board; all are reached. */
static uint32_t diameter(const struct nadi_graph *g)
{
    struct nadi_routing *r =
        nadi_routing_create(g, &(struct nadi_routing_config){.scheme = NADI_ROUTE_SHORTEST});
    uint32_t most = 0;
    const uint32_t on_board = g->product && g->links[0].dim == NADI_NONE ? 2 : 0;
    for (uint32_t a = 0; a < g->host_count; a += 1 + g->host_count / 40)
        for (uint32_t b = 0; b < g->host_count; b++) {
            if (a == b)
                continue;
            const uint32_t hops = nadi_routing_hops(r, a, b);
            assert_int_not_equal(hops, NADI_NONE);
            most = hops > most ? hops : most;
        }
    nadi_routing_destroy(r);
    return most - on_board;
}

/* Sources of the formulas: generator.h. */
static const struct {
    const char *what;
    uint32_t npus, switches, links, hops;
} cases[] = {
    /* k^3 / 4 hosts, 5 k^2 / 4 switches, as many cables on each of three levels */
    {"{type: fat-tree, k: 4}", 16, 20, 48, 6},
    {"{type: fat-tree, k: 8}", 128, 80, 384, 6},
    /* 2 (k/2)^L hosts, (2 L - 1) (k/2)^(L-1) switches */
    {"{type: fat-tree, k: 4, levels: 4}", 32, 56, 128, 8},
    {"{type: fat-tree, k: 6, levels: 2}", 18, 9, 36, 4},
    {"{type: fat-tree, k: 16, levels: 1}", 16, 1, 16, 2},
    /* 3 to 1: 12 ports down, 4 up on 16-port leaves: half the cables above the leaves */
    {"{type: fat-tree, k: 16, levels: 2, oversubscription: 3}", 192, 16 + 4, 192 + 64, 4},
    {"{type: fat-tree, k: 8, pods: 2}", 32, 8 + 8 + 16, 32 * 3, 6},
    {"{type: clos, down: [4, 3, 2], up: [2, 5]}", 24, 6 + 4 + 10, 24 + 12 + 20, 6},
    {"{type: leaf-spine, leaves: 6, spines: 3, hosts: 10, lanes: [2]}", 60, 9, 60 + 36, 4},
    /* leaf = 1 rail of a pod */
    {"{type: rail, nodes: 6, pod: 3, spines: 4}", 48, 6 + 16 + 4, 48 + 48 + 64, 4},
    {"{type: rail, nodes: 4, npus: 2, planes: 3, pod: 4, spines: 1}", 8, 12 + 2 + 1, 24 + 8 + 2, 4},
    /* N = a p (a h + 1), the paper's 72 of p = h = 2, a = 4; 3 hops between routers */
    {"{type: dragonfly, a: 4, p: 2, h: 2}", 72, 36, 72 + 9 * 6 + 36, 5},
    {"{type: dragonfly, a: 4, p: 2, h: 2, g: 5}", 40, 20, 40 + 5 * 6 + 10 * 2, 5},
    /* Groups of k/2 leaves and spines: (k/2)^2 ((k/2)^2 + 1) hosts, k = 4 */
    {"{type: dragonfly+, leaves: 2, spines: 2, hosts: 2, h: 2}", 20, 20, 20 + 20 + 10, 5},
    /* L dimensions of S switches with T hosts: T S^L, S^L, L hops */
    {"{type: hyperx, shape: [4, 4], hosts: 3}", 48, 16, 48 + 2 * 4 * 6, 4},
    {"{type: hyperx, shape: [3, 2], lanes: [1, 2]}", 6, 6, 6 + 2 * 3 + 3 * 2, 4},
    /* k-ary n-cube: n k^n cables, n k / 2 hops */
    {"{type: torus, shape: [4, 4, 4]}", 64, 64, 64 + 192, 6},
    {"{type: torus, shape: [5, 5], hosts: 2}", 50, 25, 50 + 50, 6},
    {"{type: torus, shape: [2, 2, 2, 2]}", 16, 16, 16 + 32, 4}, /* the 4-cube */
    {"{type: mesh, shape: [6, 4]}", 24, 24, 24 + 5 * 4 + 6 * 3, 8},
    /* One DGX H100: 4 NVSwitches; with 4 NICs each shared by 2 NPUs */
    {"{type: hgx, planes: 4}", 8, 4, 32, 2},
    {"{type: hgx, npus: 4, nics: 2, scale-out: {type: leaf-spine, leaves: 2, spines: 2, hosts: 2}}",
     8, 2 + 4 + 4, 8 + 8 + 8, 6},
    {"{type: hgx, npus: 72, planes: 18, scale-out: {type: leaf-spine, leaves: 18, spines: 9, "
     "hosts: 8}}",
     144, 36 + 27, 144 * 18 + 144 + 162, 4},
};

static void counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_graph_file f;
        struct nadi_diags diags;
        char text[256];
        snprintf(text, sizeof(text), "generator: %s\n", cases[i].what);
        if (!open_text(&f, text, &diags))
            fail_msg("%s: %s", cases[i].what, diags.items[0].message);
        const struct nadi_graph *g = &f.graph;
        if (g->host_count != cases[i].npus || g->link_count != cases[i].links ||
            g->node_count - g->host_count != cases[i].switches)
            fail_msg("%s: %u NPUs, %u switches, %u links", cases[i].what, g->host_count,
                     g->node_count - g->host_count, g->link_count);
        const uint32_t hops = diameter(g);
        if (hops != cases[i].hops)
            fail_msg("%s: %u hops", cases[i].what, hops);
        for (uint32_t n = 0; n < g->host_count; n++)
            assert_int_equal(g->hosts[n], n);
        nadi_graph_file_release(&f);
        nadi_diags_release(&diags);
    }
}

/* Every two groups of a dragonfly have as many cables, and every port is used. */
static void dragonfly_groups(void **state)
{
    struct nadi_graph_file f;
    struct nadi_diags diags;
    uint32_t between[9][9] = {{0}}, ports[36] = {0};
    (void)state;
    assert_true(open_text(&f, "generator: {type: dragonfly, a: 4, p: 2, h: 2}\n", &diags));
    const struct nadi_graph *g = &f.graph;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const struct nadi_graph_link *l = &g->links[i];
        if (l->dim != 2)
            continue;
        between[g->nodes[l->a].group][g->nodes[l->b].group]++;
        ports[l->a - 72]++;
        ports[l->b - 72]++;
    }
    for (uint32_t a = 0; a < 9; a++)
        for (uint32_t b = a + 1; b < 9; b++)
            assert_int_equal(between[a][b] + between[b][a], 1);
    for (uint32_t r = 0; r < 36; r++)
        assert_int_equal(ports[r], 2);
    nadi_graph_file_release(&f);
    nadi_diags_release(&diags);
}

static void dimensions(void **state)
{
    static const struct {
        const char *text;
        uint32_t count, first, second;
    } wants[] = {
        {"generator: {type: fat-tree, k: 4}", 1, 16, 0},
        {"generator: {type: rail, nodes: 4, spines: 1}", 2, 8, 4},
        {"generator: {type: hgx}", 1, 8, 0},
        {"generator: {type: torus, shape: [3, 5]}", 2, 3, 5},
        {"generator: {type: torus, shape: [3, 5]}\ndimensions: [5, 3]", 2, 5, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
        struct nadi_graph_file f;
        struct nadi_diags diags;
        assert_true(open_text(&f, wants[i].text, &diags));
        assert_int_equal(f.dim_count, wants[i].count);
        assert_int_equal(f.dims[0], wants[i].first);
        if (wants[i].count > 1)
            assert_int_equal(f.dims[1], wants[i].second);
        nadi_graph_file_release(&f);
        nadi_diags_release(&diags);
    }
}

static void mistakes(void **state)
{
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"{type: fat-tree}", "the generator fat-tree needs 'k'"},
        {"{type: fat-tree, k: 5}", "k is 5, odd"},
        {"{type: fat-tree, k: 4, shape: [2]}", "the generator fat-tree has no 'shape'"},
        {"{type: fat-tree, k: 8, oversubscription: 2}", "8 ports cannot be shared out 2 to 1"},
        {"{type: fat-tree, k: 8, pods: 9}", "9 pods"},
        {"{type: fat-tree, k: 4096, levels: 8}", "at most 16777216 of each"},
        {"{type: clos, down: [4, 4]}", "'down' has 2 entries and 'up' 0"},
        {"{type: clos, down: [65536, 65536, 65536, 65536, 65536], up: [1, 1, 1, 1]}",
         "at most 16777216"},
        {"{type: dragonfly, a: 2, p: 1, h: 1, g: 4}", "4 groups, but a group has only 2"},
        {"{type: dragonfly, a: 65536, p: 65536, h: 65536}", "at most 16777216"},
        {"{type: torus, shape: [65536, 65536, 2]}", "at most 16777216"},
        {"{type: torus, shape: [4, 4], lanes: [1, 2, 3]}", "'lanes' has 3 entries"},
        {"{type: hgx, nics: 3}", "3 NICs do not divide 8 NPUs"},
        {"{type: hgx, scale-out: {type: hgx}}", "servers of servers"},
        {"{type: hgx, scale-out: {type: torus}}", "the generator torus needs 'shape'"},
        {"{type: hgx, scale-out: {type: torus, shape: [3, 3]}}", "9 ends of the scale-out"},
        {"{type: rail, nodes: 4, spine: 2}", "unknown key 'spine', did you mean 'spines'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct nadi_graph_file f;
        struct nadi_diags diags;
        char text[256];
        snprintf(text, sizeof(text), "generator: %s\n", wrong[i].text);
        assert_false(open_text(&f, text, &diags));
        if (!strstr(diags.items[0].message, wrong[i].part))
            fail_msg("%s: %s", wrong[i].text, diags.items[0].message);
        assert_int_equal(diags.items[0].place.line, 1);
        nadi_graph_file_release(&f);
        nadi_diags_release(&diags);
    }
}

/* What is written reads back as the same graph. */
static void written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_graph_file f, again;
        struct nadi_diags diags, more;
        struct nadi_str text = NADI_STR_INIT;
        nadi_str_printf(&text, "generator: %s\nprices: {cable: 2.5}\nrouting: valiant\n",
                        cases[i].what);
        assert_true(open_text(&f, nadi_str_get(&text), &diags));
        nadi_str_clear(&text);
        nadi_graph_file_write(&f, &text);
        if (!open_text(&again, nadi_str_get(&text), &more))
            fail_msg("%s: %s", cases[i].what, more.items[0].message);
        const struct nadi_graph *a = &f.graph, *b = &again.graph;
        assert_int_equal(a->node_count, b->node_count);
        assert_int_equal(a->link_count, b->link_count);
        assert_int_equal(f.dim_count, again.dim_count);
        assert_int_equal(f.routing, again.routing);
        assert_int_equal(again.price_count, 1);
        for (uint32_t n = 0; n < a->node_count; n++) {
            assert_int_equal(a->nodes[n].kind, b->nodes[n].kind);
            assert_string_equal(a->nodes[n].role, b->nodes[n].role);
            assert_int_equal(a->nodes[n].level, b->nodes[n].level);
            assert_int_equal(a->nodes[n].group, b->nodes[n].group);
        }
        for (uint32_t l = 0; l < a->link_count; l++) {
            assert_int_equal(a->links[l].a, b->links[l].a);
            assert_int_equal(a->links[l].b, b->links[l].b);
            assert_true(a->links[l].bits_per_s == b->links[l].bits_per_s);
            assert_true(a->links[l].latency == b->links[l].latency);
            assert_int_equal(a->links[l].dim, b->links[l].dim);
        }
        nadi_str_release(&text);
        nadi_graph_file_release(&f);
        nadi_graph_file_release(&again);
        nadi_diags_release(&diags);
        nadi_diags_release(&more);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),     cmocka_unit_test(dragonfly_groups),
        cmocka_unit_test(dimensions), cmocka_unit_test(mistakes),
        cmocka_unit_test(written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
