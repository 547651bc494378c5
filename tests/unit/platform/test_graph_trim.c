/* graph_trim: the first NPUs keep the whole fabric and their ways through it; what served others
 * alone is gone. */
#include "base/mem.h"
#include "platform/graph_file.h"
#include "platform/graph_trim.h"
#include "platform/routing.h"

#include <setjmp.h>

#include <cmocka.h>

static void read_words(struct nadi_graph_file *f, const char *words)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_graph_file_read(f, words, &diags))
        fail_msg("%s", diags.items[0].message);
    nadi_diags_release(&diags);
}

static uint32_t with_role(const struct nadi_graph *g, const char *role)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < g->node_count; n++)
        count += strcmp(g->nodes[n].role, role) == 0;
    return count;
}

static size_t hops(const struct nadi_graph *g, uint32_t from, uint32_t to)
{
    const struct nadi_routing_config config = {.scheme = NADI_ROUTE_SHORTEST};
    struct nadi_routing *r = nadi_routing_create(g, &config);
    struct nadi_route route = {0};
    assert_true(nadi_routing_find(r, from, to, 0, &route));
    nadi_mem_free(route.items);
    nadi_routing_destroy(r);
    return route.count;
}

/* 4 nodes of 4 NPUs in pods of 2: 4 leaves a pod, spines, a switch a node. */
static void test_rail(void **state)
{
    struct nadi_graph_file whole, f;
    (void)state;
    read_words(&whole, "rail nodes=4 npus=4 pod=2 spines=2");
    read_words(&f, "rail nodes=4 npus=4 pod=2 spines=2");
    assert_true(nadi_graph_may_be_trimmed(&f.graph));
    nadi_graph_trim(&f.graph, 6);
    assert_int_equal(f.graph.host_count, 6);
    assert_int_equal(with_role(&f.graph, "npu"), 6);
    assert_int_equal(with_role(&f.graph, "leaf"), with_role(&whole.graph, "leaf"));
    assert_int_equal(with_role(&f.graph, "spine"), with_role(&whole.graph, "spine"));
    assert_true(f.graph.switch_count < whole.graph.switch_count); /* of the nodes that are gone */
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(f.graph.nodes[f.graph.hosts[i]].host, i);
        for (uint32_t k = 0; k < 6; k++)
            if (i != k)
                assert_int_equal(hops(&f.graph, i, k), hops(&whole.graph, i, k));
    }
    nadi_graph_file_release(&f);
    nadi_graph_file_release(&whole);
}

static void test_kept_whole(void **state)
{
    static const char *const whole[] = {"torus shape=4x4", "fred m=3 npus=20 per-leaf=4 variant=A"};
    (void)state;
    for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
        struct nadi_graph_file f;
        read_words(&f, whole[i]);
        assert_false(nadi_graph_may_be_trimmed(&f.graph));
        nadi_graph_file_release(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rail),
        cmocka_unit_test(test_kept_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
