/* What the link shows: each level does what is documented of it. P-values against known ones. */
#include "trusted/leak.h"
#include "trusted/pattern.h"
#include "trusted/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect_near(double found, double wanted, double relative)
{
    if (!(fabs(found - wanted) <= relative * wanted))
        fail_msg("found %.15g, wanted %.15g", found, wanted);
}

/* Quantiles of the tables: 0.05 and 0.01 of chi-square, and of the normal distribution. */
static void test_p_values(void **state)
{
    (void)state;
    expect_near(nadi_chi_square_p(3.841458820694124, 1), 0.05, 1e-12);
    expect_near(nadi_chi_square_p(24.99579013972863, 15), 0.05, 1e-12);
    expect_near(nadi_chi_square_p(30.57791416689249, 15), 0.01, 1e-12);
    expect_near(nadi_chi_square_p(2, 2), exp(-1), 1e-12);
    expect_near(nadi_chi_square_p(1, 100), 1, 1e-12);
    expect_near(nadi_chi_square_p(200, 2), exp(-100), 1e-9);
    expect_near(nadi_normal_p(1.959963984540054), 0.05, 1e-12);
    expect_near(nadi_uniform_p((const uint64_t[]){10, 20, 30}, 3), nadi_chi_square_p(10, 2), 1e-12);
    expect_near(nadi_same_p((const uint64_t[]){10, 0, 20}, (const uint64_t[]){20, 0, 10}, 3),
                nadi_chi_square_p(20.0 / 3, 1), 1e-12);
    expect_near(nadi_same_mean_p((const double[]){1, 2, 3}, (const double[]){1, 2, 3}, 3), 1, 0);
    assert_true(nadi_same_mean_p((const double[]){1, 1}, (const double[]){2, 2}, 2) <= 0);
}

/* Zipf draws: the first page as often as its weight says. */
static void test_patterns(void **state)
{
    (void)state;
    for (uint32_t pages = 10; pages <= 10000; pages *= 10) {
        struct nadi_page_pattern p;
        uint32_t first = 0, second = 0, last = 0;
        nadi_page_pattern_init(&p, NADI_PATTERN_ZIPF, pages, 1);
        double sum = 0;
        for (uint32_t i = 1; i <= pages; i++)
            sum += 1.0 / i;
        for (uint32_t i = 0; i < 200000; i++) {
            const uint32_t page = nadi_page_pattern_next(&p);
            assert_true(page < pages);
            first += page == 0;
            second += page == 1;
            last += page == pages - 1;
        }
        expect_near(first / 200000.0, 1 / sum, 0.03);
        expect_near(second / 200000.0, 1 / sum / 2, 0.03);
        assert_true(last > 0 || pages > 1000);
    }
    struct nadi_page_pattern p;
    nadi_page_pattern_init(&p, NADI_PATTERN_SEQUENTIAL, 3, 1);
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(nadi_page_pattern_next(&p), i % 3);
}

static void test_levels(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < 3; level++) {
        struct nadi_leak_result r;
        nadi_leak_run(&(struct nadi_leak_options){(enum nadi_oblivious)level, 400, 24, 1}, &r);
        for (uint32_t i = 0; i < NADI_LEAK_ROWS; i++)
            print_message("%u %s %s %s %.3g%s\n", level, nadi_leak_test_name(r.rows[i].test),
                          nadi_leak_sequence_name(r.rows[i].first),
                          nadi_leak_sequence_name(r.rows[i].second), r.rows[i].p,
                          r.rows[i].fails ? " fails" : "");
        assert_true(r.as_documented);
    }
}

/* One failed test more or less of each kind, at each level. */
static void test_as_documented(void **state)
{
    (void)state;
    for (int test = 0; test < NADI_LEAK_TESTS; test++) {
        uint32_t failed[NADI_LEAK_TESTS] = {0}, both[NADI_LEAK_TESTS] = {0};
        failed[test] = both[test] = 1;
        both[NADI_LEAK_REUSE] = 1;
        assert_int_equal(nadi_leak_as_documented(NADI_OBLIVIOUS_NONE, failed),
                         test == NADI_LEAK_PLACES);
        assert_int_equal(nadi_leak_as_documented(NADI_OBLIVIOUS_SHUFFLE, failed),
                         test == NADI_LEAK_REUSE);
        assert_int_equal(nadi_leak_as_documented(NADI_OBLIVIOUS_SHUFFLE, both),
                         test == NADI_LEAK_REUSE);
        assert_false(nadi_leak_as_documented(NADI_OBLIVIOUS_PATH_ORAM, failed));
    }
    for (int a = 0; a < NADI_LEAK_TESTS; a++)
        for (int b = 0; b < a; b++) { /* failures do not make up for each other */
            uint32_t failed[NADI_LEAK_TESTS] = {0};
            failed[a] = failed[b] = 1;
            assert_false(nadi_leak_as_documented(NADI_OBLIVIOUS_PATH_ORAM, failed));
            assert_false(nadi_leak_as_documented(NADI_OBLIVIOUS_SHUFFLE, failed));
        }
    const uint32_t none[NADI_LEAK_TESTS] = {0};
    assert_false(nadi_leak_as_documented(NADI_OBLIVIOUS_NONE, none));
    assert_false(nadi_leak_as_documented(NADI_OBLIVIOUS_SHUFFLE, none));
    assert_true(nadi_leak_as_documented(NADI_OBLIVIOUS_PATH_ORAM, none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_documented),
        cmocka_unit_test(test_p_values),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
