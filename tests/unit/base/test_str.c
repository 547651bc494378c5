/* str: words that were probably meant. */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const words[] = {"bandwidth", "latency", "oversubscription", "switch-delay",
                                    "switch-buffer"};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static const char *nearest(const char *word)
{
    const char *found = nadi_str_nearest(word, words, WORDS);
    return found ? found : "none";
}

static void slips(void **state)
{
    (void)state;
    assert_string_equal(nearest("bandwith"), "bandwidth");
    assert_string_equal(nearest("LATENCY"), "latency");
    assert_string_equal(nearest("latnecy"), "latency");
    assert_string_equal(nearest("colour"), "none");
}

static void beginnings(void **state)
{
    (void)state;
    assert_string_equal(nearest("oversub"), "oversubscription");
    assert_string_equal(nearest("oversubscribed"), "oversubscription");
    assert_string_equal(nearest("over"), "none");             /* too short */
    assert_string_equal(nearest("switch-"), "none");          /* two go on like that */
    assert_string_equal(nearest("overheads-of-all"), "none"); /* most of the word is another */
}

/* Whole texts that are numbers, and what C's own functions would let pass. */
static void numbers(void **state)
{
    (void)state;
    static const char *const none[] = {
        "",      " 1",    "1 ",  "1x",  "0x10",  "nan", "inf",    "-inf", "infinity",
        "1e999", "0x1p3", "1e",  "1e+", ".",     "-",   "+",      "+-1",  "--1",
        "1,5",   "1_000", "\t1", "1\n", "1.2.3", "e5",  "nan(1)", "1d5",
    };
    static const struct {
        const char *text;
        double value;
    } doubles[] = {{"0", 0},           {"-0.5", -0.5},
                   {"+5", 5},          {".5", 0.5},
                   {"5.", 5},          {"1e3", 1000},
                   {"1.5E-3", 0.0015}, {"007", 7},
                   {"1e-999", 0},      {"1.7976931348623157e308", 1.7976931348623157e308}};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        double d = 3;
        uint64_t u = 3;
        int64_t s = 3;
        assert_false(nadi_str_to_double(none[i], &d));
        assert_false(nadi_str_to_u64(none[i], &u));
        assert_false(nadi_str_to_i64(none[i], &s));
        assert_true(d >= 3 && d <= 3 && u == 3 && s == 3);
    }
    for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++) {
        double d = -1;
        assert_true(nadi_str_to_double(doubles[i].text, &d));
        assert_true(d >= doubles[i].value && d <= doubles[i].value);
    }
}

static void ranges(void **state)
{
    (void)state;
    uint64_t u = 0;
    uint32_t w = 0;
    int64_t s = 0;
    assert_true(nadi_str_to_u64("18446744073709551615", &u));
    assert_true(u == UINT64_MAX);
    assert_false(nadi_str_to_u64("18446744073709551616", &u));
    assert_false(nadi_str_to_u64("+1", &u));
    assert_true(nadi_str_to_u32("4294967295", UINT32_MAX, &w));
    assert_true(w == UINT32_MAX);
    assert_false(nadi_str_to_u32("4294967296", UINT32_MAX, &w));
    assert_false(nadi_str_to_u32("8", 7, &w));
    assert_true(nadi_str_to_i64("-9223372036854775808", &s));
    assert_true(s == INT64_MIN);
    assert_false(nadi_str_to_i64("9223372036854775808", &s));
    assert_false(nadi_str_to_i64("-9223372036854775809", &s));
}

static void heads(void **state)
{
    (void)state;
    double d = 0;
    uint64_t u = 0;
    assert_string_equal(nadi_str_take_double("1.5e3GB", &d), "GB");
    assert_true(d >= 1500 && d <= 1500);
    assert_string_equal(nadi_str_take_double("5EB", &d), "EB");
    assert_null(nadi_str_take_double("x1", &d));
    assert_null(nadi_str_take_double("0x10", &d));
    assert_string_equal(nadi_str_take_u64("12>3", &u), ">3");
    assert_null(nadi_str_take_u64("-1", &u));
}

static void names_with_a_number(void **state)
{
    (void)state;
    static const char *const wrong[] = {"tree0",  "tree4x",  "tree4294967296", "tree2147483648",
                                        "tree4 ", "tree4-1", "tree0x4"};
    char word[16];
    uint32_t number = 9;
    assert_true(nadi_str_split_number("tree4", word, sizeof(word), &number));
    assert_string_equal(word, "tree");
    assert_int_equal(number, 4);
    assert_true(nadi_str_split_number("ring", word, sizeof(word), &number));
    assert_string_equal(word, "ring");
    assert_int_equal(number, 0);
    assert_true(nadi_str_split_number("tree-1", word, sizeof(word), &number));
    assert_string_equal(word, "tree-"); /* which no algorithm is called */
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(nadi_str_split_number(wrong[i], word, sizeof(word), &number));
    assert_false(nadi_str_split_number("tree", word, 4, &number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips),   cmocka_unit_test(beginnings),
        cmocka_unit_test(numbers), cmocka_unit_test(ranges),
        cmocka_unit_test(heads),   cmocka_unit_test(names_with_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
