/* time: sums, products and conversions at the edges of their types. */
#include "base/time.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"

enum { DRAWS = 100000 };

static const nadi_time never = NADI_TIME_NEVER;

static void test_never_stays(void **state)
{
    (void)state;
    assert_int_equal(nadi_time_add(never, 0), never);
    assert_int_equal(nadi_time_add(never, never), never);
    assert_int_equal(nadi_time_add(never - 1, 1), never);
    assert_int_equal(nadi_time_add(never - 2, 1), never - 1);
    assert_int_equal(nadi_time_sub(never, 5), never);
    assert_int_equal(nadi_time_sub(7, 5), 2);
    assert_int_equal(nadi_time_mul(never, 1), never);
    assert_int_equal(nadi_time_mul(never, 2), never);
    assert_int_equal(nadi_time_mul(1, UINT64_MAX), never);
    assert_int_equal(nadi_time_mul(1, INT64_MAX - 1), never - 1);
    assert_int_equal(nadi_time_mul(0, UINT64_MAX), 0);
    assert_int_equal(nadi_time_mul_div(never, 0, 1), never);
    assert_int_equal(nadi_time_mul_div(never - 1, 10, 10), never - 1);
    assert_int_equal(nadi_time_mul_div(never - 1, 11, 10), never);
    assert_int_equal(nadi_time_mul_div(7, 3, 2), 10);
    assert_true(nadi_time_is_never(never));
    assert_false(nadi_time_is_never(never - 1));
}

static void test_doubles(void **state)
{
    static const double too_much[] = {0x1p63, 0x1p64, 1e300, (double)INFINITY, (double)NAN};
    static const double nothing[] = {0, -0.0, -1, -1e300, (double)-INFINITY, 0.49, 1e-300};
    (void)state;
    for (size_t i = 0; i < sizeof(too_much) / sizeof(*too_much); i++) {
        assert_int_equal(nadi_time_trunc(too_much[i]), never);
        assert_int_equal(nadi_time_round(too_much[i]), never);
        assert_int_equal(nadi_time_of_ns(too_much[i]), never);
        assert_int_equal(nadi_ns_trunc(too_much[i]), NADI_NS_NEVER);
        assert_int_equal(nadi_ns_round(too_much[i]), NADI_NS_NEVER);
    }
    for (size_t i = 0; i < sizeof(nothing) / sizeof(*nothing); i++) {
        assert_int_equal(nadi_time_trunc(nothing[i]), 0);
        assert_int_equal(nadi_time_round(nothing[i]), 0);
        assert_int_equal(nadi_ns_round(nothing[i]), 0);
        assert_int_equal(nadi_count_round(nothing[i]), 0);
    }
    assert_int_equal(nadi_time_trunc(0x1.fffffffffffffp62), INT64_C(0x7ffffffffffffc00));
    assert_int_equal(nadi_time_trunc(1.99), 1);
    assert_int_equal(nadi_time_round(1.5), 2);
    assert_int_equal(nadi_time_of_ns(0.0015), 2);
    assert_int_equal(nadi_time_of_ns(9.3e15), never);
    assert_int_equal(nadi_count_trunc(0x1.fffffffffffffp63), UINT64_C(0xfffffffffffff800));
    assert_int_equal(nadi_count_trunc(0x1p64), UINT64_MAX);
    assert_int_equal(nadi_count_trunc((double)NAN), UINT64_MAX);
    assert_true(nadi_is_most(nadi_count_trunc((double)INFINITY)));
}

static void test_nanoseconds(void **state)
{
    const uint64_t last = (uint64_t)never / 1000;
    (void)state;
    assert_int_equal(nadi_time_from_ns(last), (nadi_time)last * 1000);
    assert_int_equal(nadi_time_from_ns(last + 1), never);
    assert_int_equal(nadi_time_from_ns(UINT64_MAX), never);
    assert_int_equal(nadi_time_to_ns(1999), 1);
    assert_int_equal(nadi_time_to_ns(never - 1), last);
    assert_int_equal(nadi_time_to_ns(never), NADI_NS_NEVER);
    assert_int_equal(nadi_time_from_ns(NADI_NS_NEVER), never);
    assert_int_equal(nadi_ns_add(NADI_NS_NEVER, NADI_NS_NEVER), NADI_NS_NEVER);
    assert_int_equal(nadi_ns_add(NADI_NS_NEVER - 1, 1), NADI_NS_NEVER);
    assert_int_equal(nadi_ns_add(UINT64_MAX, 1), NADI_NS_NEVER);
    assert_int_equal(nadi_ns_add(UINT64_MAX, 0), NADI_NS_NEVER);
    assert_int_equal(nadi_ns_mul(UINT64_C(1) << 62, 2), NADI_NS_NEVER);
    assert_int_equal(nadi_ns_mul(UINT64_C(1) << 62, 4), NADI_NS_NEVER);
    assert_int_equal(nadi_ns_mul(UINT64_C(1) << 62, 1), UINT64_C(1) << 62);
    assert_int_equal(nadi_ns_signed(NADI_NS_NEVER), never);
    assert_int_equal(nadi_ns_signed(UINT64_MAX), never);
    assert_int_equal(nadi_ns_signed(17), 17);
}

static void test_counts(void **state)
{
    (void)state;
    assert_int_equal(nadi_count_add(UINT64_MAX, 1), UINT64_MAX);
    assert_int_equal(nadi_count_add(UINT64_MAX - 1, 1), UINT64_MAX);
    assert_int_equal(nadi_count_mul(UINT64_C(1) << 32, UINT64_C(1) << 32), UINT64_MAX);
    assert_int_equal(nadi_count_mul(UINT64_C(1) << 32, UINT64_C(1) << 31), UINT64_C(1) << 63);
    /* a factor of 1 keeps what a double cannot hold */
    assert_int_equal(nadi_count_scale(UINT64_MAX - 2, 1), UINT64_MAX - 2);
    assert_int_equal(nadi_count_scale((UINT64_C(1) << 53) + 1, 1), (UINT64_C(1) << 53) + 1);
    assert_int_equal(nadi_count_scale(10, 0.55), 5);
    assert_int_equal(nadi_count_scale(UINT64_C(1) << 62, 8), UINT64_MAX);
    assert_int_equal(nadi_count_scale(1, 1e300), UINT64_MAX);
}

static uint64_t draw(struct nadi_rng *r)
{
    return nadi_rng_u64(r) >> nadi_rng_below(r, 64);
}

/* Against what 128 bits say. */
static void test_random(void **state)
{
    struct nadi_rng r;
    (void)state;
    nadi_rng_init(&r, 1, "time");
    for (int i = 0; i < DRAWS; i++) {
        const uint64_t a = draw(&r), b = draw(&r), c = draw(&r) | 1;
        const nadi_time x = (nadi_time)(a >> 1), y = (nadi_time)(b >> 1);
        const nadi_u128 most = INT64_MAX, all = UINT64_MAX;
        const nadi_u128 sum = (nadi_u128)(a >> 1) + (b >> 1), product = (nadi_u128)(a >> 1) * b;
        const nadi_u128 part = product / c, counts = (nadi_u128)a + b, times = (nadi_u128)a * b;
        assert_true(nadi_time_add(x, y) == (sum < most ? (nadi_time)sum : never));
        assert_true(nadi_time_mul(x, b) == (product < most ? (nadi_time)product : never));
        if (x != never)
            assert_true(nadi_time_mul_div(x, b, c) == (part < most ? (nadi_time)part : never));
        assert_true(nadi_count_add(a, b) == (counts < all ? (uint64_t)counts : UINT64_MAX));
        assert_true(nadi_count_mul(a, b) == (times < all ? (uint64_t)times : UINT64_MAX));
        assert_true(nadi_ns_add(a, b) == (counts < most ? (uint64_t)counts : NADI_NS_NEVER));
        assert_true(nadi_ns_mul(a, b) == (times < most ? (uint64_t)times : NADI_NS_NEVER));
    }
}

/* Of one, two, three and a hundred values: never out of order, whatever part comes first. */
static void quantiles(void **state)
{
    (void)state;
    static const double parts[] = {0, 0.025, 0.5, 0.9, 0.95, 0.975, 0.99, 0.999, 1};
    for (size_t count = 1; count < 300; count++)
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
            const size_t at = nadi_quantile_index(count, parts[i]);
            assert_true(at < count);
            if (i > 0)
                assert_true(at >= nadi_quantile_index(count, parts[i - 1]));
        }
    assert_int_equal(nadi_quantile_index(0, 0.5), 0);
    assert_int_equal(nadi_quantile_index(1, 0.99), 0);
    assert_int_equal(nadi_quantile_index(2, 0.99), 1);
    assert_int_equal(nadi_quantile_index(2, 0.5), 1);
    assert_int_equal(nadi_quantile_index(3, 0.5), 1);
    assert_int_equal(nadi_quantile_index(3, 0.99), 2);
    assert_int_equal(nadi_quantile_index(101, 0.99), 99);
    assert_int_equal(nadi_quantile_index(101, 0.025), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_stays), cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_nanoseconds), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_random),      cmocka_unit_test(quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
