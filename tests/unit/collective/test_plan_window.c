/* `direct1` sends to one member at a time; where each has a link of its own to each other one, as
 * many at once as own_window says, and nowhere else. A message that counts as sent at once is in
 * the phase's `first`. */
#include "collective/plan.h"

#include <setjmp.h>

#include <cmocka.h>

static struct nadi_topology nodes(enum nadi_dim_kind inside)
{
    struct nadi_topology t = {.dim_count = 2};
    t.dims[0] = (struct nadi_dim){.kind = inside, .npus = 8, .bytes_per_ns = 45};
    t.dims[1] = (struct nadi_dim){.kind = NADI_DIM_SWITCH, .npus = 4, .bytes_per_ns = 44};
    assert_true(nadi_topology_finish(&t));
    return t;
}

static uint32_t first_of(const struct nadi_topology *t, const struct nadi_group *g,
                         const char *word, uint32_t own_window)
{
    struct nadi_implementation implementation = {.count = 1};
    struct nadi_plan plan;
    assert_true(nadi_algorithm_read(word, &implementation.dims[0]));
    const struct nadi_plan_request q = {
        .topology = t,
        .group = g,
        .implementation = &implementation,
        .kind = NADI_NATIVE_ALL_TO_ALL,
        .splits = 1,
        .bytes = 8192,
        .involved = UINT32_MAX,
        .exact = true,
        .own_window = own_window,
    };
    assert_true(nadi_plan_make(&q, &plan));
    return plan.phases[0].first;
}

static struct nadi_group group(const uint32_t *members, uint32_t size)
{
    return (struct nadi_group){.size = size, .members = members, .sorted = members};
}

static void test_groups(void **state)
{
    (void)state;
    static const uint32_t node[] = {8, 9, 10, 11, 12, 13, 14, 15}, part[] = {17, 19, 22},
                          across[] = {3, 11, 19, 27}, both[] = {0, 1, 8, 9}, skew[] = {0, 9, 18};
    const struct nadi_topology mesh = nodes(NADI_DIM_FULLY_CONNECTED);
    const struct nadi_topology star = nodes(NADI_DIM_SWITCH);
    const struct nadi_group g = group(node, 8), few = group(part, 3), rail = group(across, 4),
                            several = group(both, 4), diagonal = group(skew, 3);
    assert_int_equal(first_of(&mesh, &g, "oneDirect1", 7), 7);
    assert_int_equal(first_of(&mesh, &g, "oneDirect1", 3), 3);
    assert_int_equal(first_of(&mesh, &few, "oneDirect1", 7), 2);
    assert_int_equal(first_of(&mesh, &g, "oneDirect1", 0), 1);
    assert_int_equal(first_of(&mesh, &g, "oneDirect2", 7), 2); /* what is written stays */
    assert_int_equal(first_of(&mesh, &rail, "oneDirect1", 7), 1);
    assert_int_equal(first_of(&mesh, &several, "oneDirect1", 7), 1);
    assert_int_equal(first_of(&mesh, &diagonal, "oneDirect1", 7), 1);
    assert_int_equal(first_of(&star, &g, "oneDirect1", 7), 1);
}

static void test_all_ranks(void **state)
{
    (void)state;
    const struct nadi_topology t = nodes(NADI_DIM_FULLY_CONNECTED);
    struct nadi_topology one = {.dim_count = 1, .dims = {t.dims[0]}};
    assert_true(nadi_topology_finish(&one));
    const struct nadi_group world = {.size = 32, .is_world = true};
    const struct nadi_group eight = {.size = 8, .is_world = true};
    assert_int_equal(first_of(&t, &world, "oneDirect1", 7), 1);
    assert_int_equal(first_of(&t, &world, "direct1", 7), 7); /* in dimension 0 */
    assert_int_equal(first_of(&one, &eight, "oneDirect1", 7), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
