/* Random factors: means and spreads of each distribution; windows, ranks and products of entries.
 */
#include "compute/perturb.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { DRAWS = 20000 };

static void moments(enum nadi_distribution spread, double jitter, double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        const double x = nadi_perturb_factor(spread, jitter, 3, "test", 0, i % 7, i);
        assert_true(x >= 0);
        sum += x;
        squares += x * x;
    }
    *mean = sum / DRAWS;
    *deviation = sqrt(squares / DRAWS - *mean * *mean);
}

static void test_distributions(void **state)
{
    double mean, deviation;
    (void)state;
    moments(NADI_SPREAD_NORMAL, 0.2, &mean, &deviation);
    assert_true(fabs(mean - 1) < 0.006 && fabs(deviation - 0.2) < 0.005);
    moments(NADI_SPREAD_LOGNORMAL, 0.5, &mean, &deviation);
    assert_true(fabs(mean - 1) < 0.015 && fabs(deviation - 0.5) < 0.03);
    moments(NADI_SPREAD_UNIFORM, 0.3, &mean, &deviation);
    assert_true(fabs(mean - 1) < 0.006 && fabs(deviation - 0.3 / sqrt(3)) < 0.004);
    moments(NADI_SPREAD_EXPONENTIAL, 0.4, &mean, &deviation);
    assert_true(fabs(mean - 1.4) < 0.012 && fabs(deviation - 0.4) < 0.015);
}

static void test_entries(void **state)
{
    static const struct nadi_rank_range low = {0, 3}, all = {0, 7};
    struct nadi_perturb_entry entries[] = {
        {.ranks = &low, .range_count = 1, .at = 100, .until = 200, .scale = 2},
        {.ranks = &all, .range_count = 1, .until = NADI_TIME_MAX, .scale = 1.5},
    };
    const struct nadi_perturb p = {.compute = entries, .compute_count = 2};
    (void)state;
    assert_int_equal(nadi_perturb_compute(&p, 0, 9, 100, 1000), 3000);
    assert_int_equal(nadi_perturb_compute(&p, 0, 9, 99, 1000), 1500);
    assert_int_equal(nadi_perturb_compute(&p, 3, 9, 199, 1000), 3000);
    assert_int_equal(nadi_perturb_compute(&p, 3, 9, 200, 1000), 1500);
    assert_int_equal(nadi_perturb_compute(&p, 4, 9, 150, 1000), 1500);
    assert_int_equal(nadi_perturb_compute(&p, 8, 9, 150, UINT64_C(1) << 60), UINT64_C(1) << 60);
}

/* A draw by rank is the same for all operations of the rank, and not that of its neighbour. */
static void test_draws(void **state)
{
    static const struct nadi_rank_range all = {0, 7};
    struct nadi_perturb_entry e = {.ranks = &all,
                                   .range_count = 1,
                                   .until = NADI_TIME_MAX,
                                   .scale = 1,
                                   .delay_ns = 1e6,
                                   .jitter = 0.5,
                                   .by_rank = true};
    struct nadi_perturb p = {.seed = 5, .compute = &e, .compute_count = 1, .start = &e};
    (void)state;
    const uint64_t first = nadi_perturb_compute(&p, 1, 1, 0, 1000000);
    assert_int_equal(nadi_perturb_compute(&p, 1, 2, 777, 1000000), first);
    assert_int_not_equal(nadi_perturb_compute(&p, 2, 1, 0, 1000000), first);
    p.seed = 6;
    assert_int_not_equal(nadi_perturb_compute(&p, 1, 1, 0, 1000000), first);
    e.by_rank = false;
    assert_int_not_equal(nadi_perturb_compute(&p, 1, 1, 0, 1000000),
                         nadi_perturb_compute(&p, 1, 2, 0, 1000000));
    assert_int_equal(nadi_perturb_start(&p, 1), 0);
    p.start_count = 1;
    const nadi_time begins = nadi_perturb_start(&p, 1);
    assert_true(begins > 0 && begins % NADI_PS_PER_NS == 0 && begins == nadi_perturb_start(&p, 1) &&
                begins != nadi_perturb_start(&p, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
