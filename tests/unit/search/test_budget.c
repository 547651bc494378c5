/* A search whose simulations with contention may have few events: strategies that it has simulated
 * come before those of which only the least is known, and it counts the latter. */
#include "search/candidates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "explore/model_inputs.h"

static void known_come_first(void **state)
{
    (void)state;
    struct nadi_search s;
    struct nadi_diags diags;
    const struct nadi_search_setup setup = {
        .model = "gpt2",
        .cluster = "h100-fat-tree",
        .settings = "sequence=1024",
        .words = "cp=1 recompute=none offload=none zero=1 micro-batch=1",
        .ranks = 32,
        .batch = 64,
        .simulate = 30,
        .top = 12,
        .most_events = 40000,
        .threads = 1,
        .options = nadi_model_auto_options(),
    };
    nadi_diags_init(&diags);
    assert_true(nadi_search_run(&s, &setup, &diags));
    uint32_t known = 0;
    while (known < s.count && s.rows[known].simulated_ns)
        known++;
    assert_true(known > 0 && known < s.count);
    assert_int_equal(s.unsure, s.count - known);
    for (uint32_t i = known; i < s.count; i++) {
        assert_int_equal(s.rows[i].simulated_ns, 0);
        assert_true(s.rows[i].least_ns > 0);
    }
    for (uint32_t i = 0; i < s.count; i++)
        assert_true(s.rows[i].model->has_contention);
    nadi_search_release(&s);
    nadi_diags_release(&diags);
}

/* However short the estimate of what was not simulated. */
static void estimates_stand_behind(void **state)
{
    (void)state;
    struct nadi_candidate c[] = {
        {.key = 14, .number = 0},
        {.key = 19, .number = 1, .row.simulated_ns = 19},
        {.key = 13, .number = 2},
        {.key = 18, .number = 3, .row.simulated_ns = 18},
    };
    static const uint64_t order[] = {3, 1, 2, 0};
    qsort(c, 4, sizeof(c[0]), nadi_candidate_by_known);
    for (int i = 0; i < 4; i++)
        assert_int_equal(c[i].number, order[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_come_first),
                                       cmocka_unit_test(estimates_stand_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
