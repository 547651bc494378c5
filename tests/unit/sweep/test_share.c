/* share: every point is in one unit; points of one graph follow each other; units are small where
 * there are few points for each worker. */
#include "sweep/share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/run_settings.h"
#include "base/str.h"

static void open_space(struct nadi_space *s, const char *text)
{
    struct nadi_diags diags;
    const struct nadi_space_source source = {
        .path = "space.yml", .text = text, .bytes = strlen(text), .run_setting = nadi_run_setting};
    nadi_diags_init(&diags);
    if (!nadi_space_read(s, &source, &diags) || !nadi_space_enumerate(s, &diags))
        fail_msg("%s", diags.items[0].message);
    nadi_diags_release(&diags);
}

/* Of the point: is it another graph than that of the point before? */
static uint32_t count_graphs(const struct nadi_space *s, const struct nadi_share_order *o)
{
    struct nadi_assignment a;
    struct nadi_str key = NADI_STR_INIT, before = NADI_STR_INIT;
    uint32_t graphs = 0;
    nadi_assignment_init(&a, s);
    for (uint64_t i = 0; i < s->point_count; i++) {
        nadi_str_clear(&key);
        nadi_space_assign(s, o->points[i], &a);
        nadi_share_graph_key(s, &a, false, &key);
        graphs += i == 0 || strcmp(nadi_str_get(&key), nadi_str_get(&before)) != 0;
        const struct nadi_str other = before;
        before = key;
        key = other;
    }
    nadi_assignment_release(&a);
    nadi_str_release(&key);
    nadi_str_release(&before);
    return graphs;
}

static void expect_order(const struct nadi_space *s, uint64_t workers, uint64_t most,
                         uint32_t graphs)
{
    struct nadi_share_order o;
    uint64_t at = 0, sum = 0, highest = 0;
    nadi_share_order_make(&o, s, workers);
    for (size_t u = 0; u < o.unit_count; u++) {
        assert_int_equal(o.units[u].first, at);
        at += o.units[u].count;
        highest = o.units[u].count > highest ? o.units[u].count : highest;
    }
    assert_int_equal(at, s->point_count);
    assert_int_equal(highest, most);
    for (uint64_t i = 0; i < s->point_count; i++)
        sum += o.points[i] * o.points[i];
    const uint64_t n = s->point_count;
    assert_int_equal(sum, (n - 1) * n * (2 * n - 1) / 6);
    assert_int_equal(count_graphs(s, &o), graphs);
    nadi_share_order_release(&o);
}

static void test_units(void **state)
{
    struct nadi_space s;
    (void)state;
    open_space(&s, "run: {model: llama3-8b, cluster: dgx-h100}\n"
                   "vary: {'cluster.bandwidth[1]': 1..128GB/s:1, tp: [1, 2, 4, 8]}\n");
    assert_int_equal(s.point_count, 512);
    expect_order(&s, 1, 16, 4);
    expect_order(&s, 2, 16, 4);
    expect_order(&s, 4, 8, 4);
    expect_order(&s, 1000, 1, 4);
    nadi_space_release(&s);
    /* Sixteen points of one graph are not one thread's alone. */
    open_space(&s, "run: {model: llama3-8b, cluster: dgx-h100}\n"
                   "vary: {'cluster.latency[1]': 1..16us:1}\n");
    expect_order(&s, 2, 1, 1);
    nadi_space_release(&s);
}

/* What only the memory's estimate looks at changes neither times nor, without a second memory, the
 * graph: points of one result stay together, whatever the workers. */
static void test_same_results(void **state)
{
    struct nadi_space s;
    (void)state;
    open_space(&s, "run: {model: llama3-8b, cluster: dgx-h100}\n"
                   "vary: {device.memory: 80..111GiB:1, tp: [1, 2]}\n");
    expect_order(&s, 64, 32, 2);
    nadi_space_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_same_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
