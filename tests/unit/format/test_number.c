/* number: decimal forms that read back as the same value. */
#include "base/rng.h"
#include "format/number.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static void assert_u64(uint64_t value, const char *text)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_number_add_u64(&s, value);
    assert_string_equal(nadi_str_get(&s), text);
    nadi_str_release(&s);
}

static void integers(void **state)
{
    (void)state;
    struct nadi_str s = NADI_STR_INIT;
    assert_u64(0, "0");
    assert_u64(9, "9");
    assert_u64(10, "10");
    assert_u64(1234567890123456789U, "1234567890123456789");
    assert_u64(UINT64_MAX, "18446744073709551615");
    nadi_number_add_i64(&s, INT64_MIN);
    nadi_number_add_i64(&s, -1);
    nadi_number_add_i64(&s, 7);
    assert_string_equal(nadi_str_get(&s), "-9223372036854775808-17");
    nadi_str_release(&s);
}

static void shortest_doubles(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-3, "-3"},
        {0.1, "0.1"},
        {1.0 / 3, "0.3333333333333333"},
        {1e21, "1e+21"},
        {5e-324, "4.94065645841247e-324"},
        {0.30000000000000004, "0.30000000000000004"},
        {9007199254740993.0, "9007199254740992"},
        {2.5, "2.5"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct nadi_str s = NADI_STR_INIT;
        nadi_number_add_double(&s, cases[i].value);
        assert_string_equal(nadi_str_get(&s), cases[i].text);
        nadi_str_release(&s);
    }
}

static void any_double_reads_back(void **state)
{
    struct nadi_rng rng;
    struct nadi_str s = NADI_STR_INIT;
    (void)state;
    nadi_rng_init(&rng, 1, "any_double_reads_back");
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = nadi_rng_u64(&rng);
        double value, back;
        memcpy(&value, &bits, sizeof(value));
        nadi_str_clear(&s);
        nadi_number_add_double(&s, value);
        back = strtod(nadi_str_get(&s), NULL);
        if (!isnan(value)) /* the payload of a NaN is not kept */
            assert_memory_equal(&value, &back, sizeof(value));
        else
            assert_string_equal(nadi_str_get(&s), "nan");
    }
    nadi_str_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(shortest_doubles),
        cmocka_unit_test(any_double_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
