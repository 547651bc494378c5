/* Noise on counts: whole numbers around 0, each next one less likely by exp(-epsilon); and the grid
 * that sizes are counted on. */
#include "learned/learn.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { DRAWS = 200000, SIDE = 6 };

static void next_is_less_likely(void **state)
{
    (void)state;
    static const double epsilons[] = {0.3, 1, 2.5};
    for (int e = 0; e < 3; e++) {
        double count[2 * SIDE + 1] = {0}, sum = 0;
        struct nadi_rng rng;
        nadi_rng_init(&rng, 7, "noise");
        for (int i = 0; i < DRAWS; i++) {
            const int64_t k = nadi_private_noise(&rng, epsilons[e]);
            sum += (double)k;
            if (k >= -SIDE && k <= SIDE)
                count[k + SIDE]++;
        }
        const double share = exp(-epsilons[e]);
        /* The share of 0 is (1 - share) / (1 + share): the shares add up to 1. */
        assert_true(fabs(count[SIDE] / DRAWS - (1 - share) / (1 + share)) < 0.005);
        assert_true(fabs(sum / DRAWS) < 0.05 / epsilons[e]);
        for (int k = -2; k <= 2; k++) {
            const int nearer = k < 0 ? k + 1 : k - 1;
            if (k)
                assert_true(fabs(count[k + SIDE] / count[nearer + SIDE] / share - 1) < 0.08);
        }
    }
}

static void grid_ascends(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        const double at = nadi_private_grid(i), next = nadi_private_grid(i + 1);
        assert_true(next > at);
        assert_true(i < 64 ? next / at <= 2 : next / at <= 1.1251);
        assert_true(fabs(at - round(at)) < 1e-9);
    }
    assert_true(fabs(nadi_private_grid(0) - 1) < 1e-9);
    assert_true(fabs(nadi_private_grid(63) - 64) < 1e-9);
    assert_true(fabs(nadi_private_grid(64) - 72) < 1e-9);
    assert_true(fabs(nadi_private_grid(71) - 128) < 1e-9);
    assert_true(fabs(nadi_private_grid(72) - 144) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(next_is_less_likely),
                                       cmocka_unit_test(grid_ascends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
