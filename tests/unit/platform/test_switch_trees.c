/* switch_trees: who aggregates for a group in fat trees, planes and servers; and who cannot. */
#include "platform/generator.h"
#include "platform/graph_file.h"
#include "platform/switch_trees.h"
#include "support/graph_text.h"

#include <pthread.h>
#include <setjmp.h>

#include <cmocka.h>

/* Every node's way leads to its tree's root over neighbours; lists agree with the ways. */
static void check(const struct nadi_graph *g, const struct nadi_switch_trees *t,
                  const uint32_t *ranks)
{
    for (uint32_t tree = 0; tree < t->count; tree++)
        for (uint32_t i = 0; i < t->n; i++) {
            uint32_t at = i, away = 0;
            while (nadi_switch_parent(t, t->n, tree, at) != NADI_NONE) {
                const size_t e = nadi_switch_edge(t, tree, at);
                const uint32_t above = t->parent[e];
                uint32_t from, to;
                nadi_graph_channel_ends(g, t->channel[e], &from, &to);
                assert_int_equal(to, t->node[above - t->n]);
                assert_int_equal(nadi_graph_owner(g, from),
                                 at < t->n ? g->hosts[ranks[at]] : t->node[at - t->n]);
                assert_true(g->nodes[to].in_switch_bytes_per_ns > 0);
                assert_int_equal(nadi_switch_towards(t, t->n, tree, above, i), at);
                const struct nadi_member_list leaves = nadi_switch_leaves(t, t->n, above);
                assert_int_equal(nadi_member_at(&leaves, nadi_switch_leaves_before(&leaves, i)), i);
                at = above;
                away++;
            }
            assert_int_equal(at, t->root[tree]);
            assert_int_equal(away, nadi_switch_depth(t, t->n, tree, i));
            assert_true(away <= t->height);
        }
    for (uint32_t s = 0; s < t->switches; s++) {
        const struct nadi_member_list all = nadi_switch_children(t, t->n, t->n + s);
        assert_true(all.count > 0);
        for (uint32_t i = 0; i < all.count; i++)
            assert_int_equal(nadi_switch_parent(t, t->n, t->tree[s], nadi_member_at(&all, i)),
                             t->n + s);
    }
}

static void fat_tree(void **state)
{
    (void)state;
    struct nadi_graph_file f;
    struct nadi_arena arena;
    const char *why;
    nadi_arena_init(&arena);
    read_text(&f, "generator: {type: fat-tree, k: 4}\nin-switch-bandwidth: 400\n");
    uint32_t all[16];
    for (uint32_t i = 0; i < 16; i++)
        all[i] = i;
    const struct nadi_switch_trees *t = nadi_switch_trees_find(&f.graph, all, 16, &arena, &why);
    assert_non_null(t);
    check(&f.graph, t, all);
    assert_int_equal(t->count, 1);
    assert_int_equal(t->height, 3);
    assert_int_equal(t->switches, 8 + 4 + 1); /* leaves, one above the leaves in a pod, a root */
    /* a group of one pod stays in it, of one leaf at it */
    static const uint32_t pod[] = {6, 4}, leaf[] = {5, 4};
    t = nadi_switch_trees_find(&f.graph, pod, 2, &arena, &why);
    assert_non_null(t);
    check(&f.graph, t, pod);
    assert_int_equal(t->height, 2);
    assert_int_equal(t->switches, 3);
    t = nadi_switch_trees_find(&f.graph, leaf, 2, &arena, &why);
    assert_int_equal(t->height, 1);
    assert_int_equal(t->switches, 1);
    /* groups take turns at the top */
    static const uint32_t one[] = {0, 4, 8, 12}, other[] = {1, 5, 9, 13};
    const struct nadi_switch_trees *a = nadi_switch_trees_find(&f.graph, one, 4, &arena, &why);
    const struct nadi_switch_trees *b = nadi_switch_trees_find(&f.graph, other, 4, &arena, &why);
    check(&f.graph, b, other);
    assert_true(a->node[a->root[0] - 4] != b->node[b->root[0] - 4]);
    nadi_graph_file_release(&f);
    nadi_arena_release(&arena);
}

static void planes_and_servers(void **state)
{
    (void)state;
    struct nadi_graph_file f;
    struct nadi_arena arena;
    const char *why;
    nadi_arena_init(&arena);
    read_text(&f, "generator: {type: rail, nodes: 4, npus: 4, planes: 2, spines: 2}\n"
                  "in-switch-bandwidth: 400\n");
    static const uint32_t server[] = {4, 5, 6, 7}, rail[] = {1, 5, 9, 13}, both[] = {0, 1, 4, 5};
    const struct nadi_switch_trees *t = nadi_switch_trees_find(&f.graph, server, 4, &arena, &why);
    assert_non_null(t);
    check(&f.graph, t, server);
    assert_int_equal(t->count, 2); /* the planes; the rails would be longer ways */
    assert_int_equal(t->switches, 2);
    t = nadi_switch_trees_find(&f.graph, rail, 4, &arena, &why);
    assert_int_equal(t->count, 1);
    assert_int_equal(t->height, 1);
    t = nadi_switch_trees_find(&f.graph, both, 4, &arena, &why);
    check(&f.graph, t, both);
    assert_int_equal(t->height, 2);
    nadi_graph_file_release(&f);
    nadi_arena_release(&arena);
}

static void parallel_cables(void **state)
{
    (void)state;
    struct nadi_graph_file f;
    struct nadi_arena arena;
    const char *why;
    nadi_arena_init(&arena);
    read_text(&f, "nodes:\n"
                  "  - {name: \"g[0-3]\", kind: npu}\n"
                  "  - {name: \"leaf[0-1]\", kind: switch, in-switch-latency: 7}\n"
                  "  - {name: top, kind: switch, in-switch-bandwidth: 1}\n"
                  "links:\n"
                  "  - {from: \"g[0-1]\", to: leaf0, bandwidth: 1, latency: 1, count: 2}\n"
                  "  - {from: \"g[2-3]\", to: leaf1, bandwidth: 1, latency: 1, count: 2}\n"
                  "  - {from: \"leaf[0-1]\", to: top, bandwidth: 1, latency: 1, count: 2}\n"
                  "in-switch-bandwidth: 400Gbps\n"
                  "in-switch-latency: 9\n");
    assert_float_equal(f.graph.nodes[4].in_switch_bytes_per_ns, 50, 1e-9);
    assert_float_equal(f.graph.nodes[4].in_switch_latency_ns, 7, 1e-9);
    assert_float_equal(f.graph.nodes[6].in_switch_bytes_per_ns, 1, 1e-9);
    assert_float_equal(f.graph.nodes[6].in_switch_latency_ns, 9, 1e-9);
    static const uint32_t ranks[] = {0, 1, 2, 3};
    const struct nadi_switch_trees *t = nadi_switch_trees_find(&f.graph, ranks, 4, &arena, &why);
    assert_non_null(t);
    check(&f.graph, t, ranks);
    assert_int_equal(t->count, 2); /* no cable carries two of them */
    const size_t edges = (size_t)t->count * t->n + t->switches;
    for (size_t a = 0; a < edges; a++)
        for (size_t b = 0; b < a; b++)
            assert_true(t->channel[a] != t->channel[b] || t->channel[a] == NADI_NONE);
    nadi_graph_file_release(&f);
    nadi_arena_release(&arena);
}

static void none(void **state)
{
    (void)state;
    struct nadi_graph_file f;
    struct nadi_arena arena;
    const char *why = NULL;
    static const uint32_t ranks[] = {0, 1}, left[] = {0};
    nadi_arena_init(&arena);
    read_text(&f, "nodes:\n"
                  "  - {name: \"g[0-1]\", kind: npu}\n"
                  "  - {name: \"leaf[0-1]\", kind: switch, in-switch-bandwidth: 5}\n"
                  "  - {name: top, kind: switch}\n"
                  "links:\n"
                  "  - {from: \"g[0-1]\", to: \"leaf[0-1]\", bandwidth: 1, latency: 1}\n"
                  "  - {from: \"leaf[0-1]\", to: top, bandwidth: 1, latency: 1}\n");
    assert_null(nadi_switch_trees_find(&f.graph, ranks, 2, &arena, &why));
    assert_non_null(strstr(why, "no tree of switches"));
    assert_non_null(nadi_switch_trees_find(&f.graph, left, 1, &arena, &why));
    nadi_graph_file_release(&f);
    read_text(&f, "generator: {type: leaf-spine, leaves: 2, spines: 1, hosts: 1}\n");
    assert_null(nadi_switch_trees_find(&f.graph, ranks, 2, &arena, &why));
    assert_non_null(strstr(why, "rank 0 has no cable"));
    nadi_graph_file_release(&f);
    nadi_arena_release(&arena);
}

/* Two NPUs at the ends of a line of switches. */
static void *line(void *context)
{
    enum { SWITCHES = 4000 };
    (void)context;
    struct nadi_graph g;
    struct nadi_arena arena;
    const char *why;
    static const uint32_t ranks[] = {0, 1};
    nadi_arena_init(&arena);
    nadi_graph_init(&g);
    struct nadi_graph_link link = {.bits_per_s = 1000, .latency = 1};
    link.a = nadi_graph_add_node(&g, NADI_GRAPH_HOST, NULL);
    const uint32_t last = nadi_graph_add_node(&g, NADI_GRAPH_HOST, NULL);
    for (uint32_t i = 0; i < SWITCHES; i++) {
        link.b = nadi_graph_add_node(&g, NADI_GRAPH_SWITCH, NULL);
        g.nodes[link.b].in_switch_bytes_per_ns = 1;
        nadi_graph_add_link(&g, link);
        link.a = link.b;
    }
    link.b = last;
    nadi_graph_add_link(&g, link);
    nadi_graph_finish(&g);
    const struct nadi_switch_trees *t = nadi_switch_trees_find(&g, ranks, 2, &arena, &why);
    assert_non_null(t);
    assert_int_equal(t->switches, SWITCHES);
    assert_int_equal(t->height, SWITCHES / 2 + 1);
    nadi_graph_release(&g);
    nadi_arena_release(&arena);
    return NULL;
}

/* No level of the tree takes room on the stack. */
static void long_line(void **state)
{
    (void)state;
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    assert_int_equal(pthread_attr_setstacksize(&small, 96 << 10), 0);
    assert_int_equal(pthread_create(&thread, &small, line, NULL), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fat_tree), cmocka_unit_test(planes_and_servers),
        cmocka_unit_test(parallel_cables), cmocka_unit_test(none), cmocka_unit_test(long_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
