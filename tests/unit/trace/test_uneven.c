/* uneven: distributions are what they say, the same each time, and shares add up. */
#include "trace/uneven.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { N = 64 };

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

static void zipf_and_hot(void **state)
{
    (void)state;
    double first[N], other[N], seeded[N];
    struct nadi_uneven u = {.skew = NADI_SKEW_ZIPF, .by = 1.5, .seed = 3};
    nadi_uneven_weights(&u, N, 0, first);
    nadi_uneven_weights(&u, N, 17, other);
    u.seed = 4;
    nadi_uneven_weights(&u, N, 0, seeded);
    assert_memory_equal(first, other, sizeof(first)); /* popular with everybody */
    assert_memory_not_equal(first, seeded, sizeof(first));
    qsort(first, N, sizeof(double), descending);
    for (uint32_t i = 0; i < N; i++)
        assert_float_equal(first[i], pow(i + 1, -1.5), 1e-12);
    u = (struct nadi_uneven){.skew = NADI_SKEW_HOT, .by = 0.25, .seed = 9};
    nadi_uneven_weights(&u, N, 5, other);
    qsort(other, N, sizeof(double), descending);
    assert_float_equal(other[0], 0.25, 1e-12);
    assert_float_equal(other[1], 0.75 / (N - 1), 1e-12);
    assert_float_equal(other[N - 1], other[1], 1e-12);
    nadi_uneven_weights(&u, 1, 0, other);
    assert_float_equal(other[0], 1, 0);
}

/* A component of a symmetric Dirichlet distribution has mean 1/n and variance
 * (1/n)(1 - 1/n)/(n a + 1). */
static void dirichlet(void **state)
{
    (void)state;
    static const double concentrations[] = {0.2, 1, 10};
    for (size_t c = 0; c < 3; c++) {
        const double a = concentrations[c];
        double sum = 0, squares = 0, w[N];
        enum { DRAWS = 2000 };
        for (uint32_t member = 0; member < DRAWS; member++) {
            const struct nadi_uneven u = {.skew = NADI_SKEW_DIRICHLET, .by = a, .seed = 1};
            double total = 0;
            nadi_uneven_weights(&u, N, member, w);
            for (uint32_t i = 0; i < N; i++)
                total += w[i];
            for (uint32_t i = 0; i < N; i++) {
                const double share = w[i] / total - 1.0 / N;
                sum += share;
                squares += share * share;
            }
        }
        const double variance = 1.0 / N * (1 - 1.0 / N) / (N * a + 1);
        assert_true(fabs(sum) < 1e-9);
        assert_true(fabs(squares / (DRAWS * (double)N) - variance) < 0.05 * variance);
    }
}

static void shares_add_up(void **state)
{
    (void)state;
    static const double weights[] = {3, 0, 1, 7, 0, 5}, whole[] = {12, 0, 1e15, 5};
    uint64_t sizes[6];
    for (uint64_t bytes = 0; bytes < 300; bytes++) {
        uint64_t sum = 0;
        nadi_uneven_share(weights, 6, bytes, sizes);
        for (uint32_t i = 0; i < 6; i++) {
            sum += sizes[i];
            assert_true(fabs((double)sizes[i] - weights[i] / 16 * (double)bytes) <= 1);
        }
        assert_int_equal(sum, bytes);
        assert_int_equal(sizes[1], 0);
    }
    nadi_uneven_share(whole, 4, UINT64_C(1000000000000017), sizes);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(sizes[i], (uint64_t)whole[i]);
    assert_true(nadi_skew_takes(NADI_SKEW_HOT, 1) && !nadi_skew_takes(NADI_SKEW_HOT, 1.1));
    assert_false(nadi_skew_takes(NADI_SKEW_DIRICHLET, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(zipf_and_hot), cmocka_unit_test(dirichlet),
                                       cmocka_unit_test(shares_add_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
