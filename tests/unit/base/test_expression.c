/* expression: precedence, units, conditions, and a place for every mistake. */
#include "base/expression.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const names[] = {"tp", "micro-batch", "memory", "recompute", "bandwidth[1]"};

static uint32_t find(const void *context, const char *name, size_t length)
{
    (void)context;
    for (uint32_t i = 0; i < 5; i++)
        if (nadi_expression_same_name(names[i], name, length))
            return i;
    return NADI_NONE;
}

static const struct nadi_expression_names known = {find, NULL, names, 5};

struct outcome {
    bool parsed, has_value;
    struct nadi_quantity value;
    uint32_t column; /* of the mistake, from 1 */
};

static struct outcome evaluate(const char *text)
{
    struct outcome o = {.parsed = false};
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_expression e;
    struct nadi_expression_fault fault = {0};
    struct nadi_place place = NADI_IN_FILE("space.yml");
    const struct nadi_quantity values[] = {
        nadi_quantity_plain(8), nadi_quantity_plain(2),
        nadi_quantity_of(80 * 1073741824.0, NADI_DIMENSION_BYTES), nadi_quantity_text("full"),
        nadi_quantity_of(50e9, NADI_DIMENSION_RATE)};
    place.line = place.column = 1;
    nadi_arena_init(&arena);
    nadi_diags_init(&diags);
    o.parsed = nadi_expression_parse(&e, text, place, &known, &arena, &diags);
    if (!o.parsed)
        o.column = diags.items[0].place.column;
    else {
        o.has_value = nadi_expression_value(&e, values, &o.value, &fault);
        if (!o.has_value)
            o.column = fault.column + 1;
        assert_true(o.has_value || fault.text[0]);
        o.value.text = o.value.text ? "a text" : NULL;
    }
    nadi_arena_release(&arena);
    nadi_diags_release(&diags);
    return o;
}

static void test_values(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1024/tp", 128},
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"2 - 3 - 4", -5},
        {"-2 ^ 2", -4},
        {"2 ^ 3 ^ 2", 512},
        {"2 ** -1", 0.5},
        {"7 // 2", 3},
        {"-7 // 2", -4},
        {"-7 % 4", 1},
        {"tp * micro_batch == 16", 1},
        {"1 < 2 and not 2 < 1", 1},
        {"!(1 > 2) && 0", 0},
        {"0 and 1/0", 0},
        {"1 or 1/0", 1},
        {"if(tp > 4, 10, 1/0)", 10},
        {"min(3, 1, 2) + max(1, 5)", 6},
        {"ceil(1.5) + floor(1.5) + round(2.5) + abs(-1)", 7},
        {"log2(1024) + sqrt(16) + log10(100) + exp(0)", 17},
        {"recompute == 'full'", 1},
        {"recompute != \"none\"", 1},
        {"memory / 1GiB", 80},
        {"memory >= 80GiB", 1},
        {"1GiB / 1ns == 1073741824GB/s", 1},
        {"bandwidth[1] * 2s == 100GB", 1},
        {"400Gbps == 50GB/s", 1},
        {"sqrt(4GB * 9GB) == 6GB", 1},
        {"1PFLOPS * 1s / 1FLOP", 1e15},
        {"0.7MW * 1h == 700kWh", 1},
        {"25M$ / 5k$", 5000},
        {"1e3 + .5", 1000.5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct outcome o = evaluate(cases[i].text);
        if (!o.has_value || fabs(o.value.number - cases[i].value) > 1e-9 * fabs(cases[i].value))
            fail_msg("%s: %g, not %g", cases[i].text, o.value.number, cases[i].value);
    }
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *text;
        uint32_t column;
        bool parses;
    } cases[] = {
        {"", 1, false},
        {"1 +", 4, false},
        {"(1", 3, false},
        {"1 2", 3, false},
        {"tq * 2", 1, false},
        {"tp * full", 6, false},
        {"80GIB", 3, false},
        {"'full", 1, false},
        {"1 < 2 < 3", 7, false},
        {"foo(1)", 1, false},
        {"min()", 5, false},
        {"if(1, 2)", 8, false},
        {"abs(1, 2)", 7, false},
        {"bandwidth[x]", 11, false},
        {"memory + 1", 8, true},
        {"memory < tp", 8, true},
        {"1 / 0", 3, true},
        {"1 % 0", 3, true},
        {"1e300 * 1e300", 7, true},
        {"log2(memory)", 1, true},
        {"sqrt(1GB)", 1, true},
        {"2 ^ 1s", 3, true},
        {"recompute * 2", 11, true},
        {"recompute < 'z'", 11, true},
        {"not memory", 1, true},
        {"sqrt(-1)", 1, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct outcome o = evaluate(cases[i].text);
        if (o.has_value || o.parsed != cases[i].parses || o.column != cases[i].column)
            fail_msg("%s: column %u, not %u", cases[i].text, o.column, cases[i].column);
    }
}

static void test_depth(void **state)
{
    char text[2048] = "";
    (void)state;
    memset(text, '(', 1000);
    assert_false(evaluate(text).parsed);
    memset(text, '-', 1000);
    assert_false(evaluate(text).parsed);
    for (int i = 0; i < 500; i++)
        memcpy(text + 3 * i, "2^ ", 3);
    assert_false(evaluate(text).parsed);
}

static void test_quantities(void **state)
{
    struct nadi_quantity q;
    char unit[64];
    double number;
    (void)state;
    assert_true(nadi_quantity_read("25 GB/s", &q));
    assert_true(nadi_quantity_in(&q, NADI_DIMENSION_RATE, &number));
    assert_true(fabs(number - 25e9) < 1);
    assert_false(nadi_quantity_in(&q, NADI_DIMENSION_BYTES, &number));
    assert_string_equal(nadi_quantity_unit(&q, unit), "B/ns");
    assert_true(nadi_quantity_read("7", &q) && nadi_quantity_is_plain(&q));
    assert_false(nadi_quantity_read("full", &q));
    assert_false(nadi_quantity_read("7 apples", &q));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_quantities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
