/* ranges_corners: which constraints tell of a box by its corners, which way a key makes steps
 * faster, which round number is near the middle of an interval. */
#include "design/ranges_inside.h"

#include "base/mem.h"
#include "design/evaluate.h"
#include "settings/setting.h"

#include <setjmp.h>

#include <cmocka.h>

static void plain(void **state)
{
    static const struct {
        const char *text;
        bool plain;
    } cases[] = {
        {"a + b < 3", true},
        {"(a + b) * 2 <= c", true},
        {"a ** 2 - b / 4 > 3", true},
        {"2 * (a - (b + c)) >= 1", true},
        {"( a) < 1", true},
        {"a == b", false},
        {"a != b", false},
        {"a // 2 < b", false},
        {"a % 2 < 1", false},
        {"a < 1 && b < 1", false},
        {"a < 1 || b < 1", false},
        {"!a", false},
        {"a < 1 and b < 1", false},
        {"a < 1 or b < 1", false},
        {"not a", false},
        {"min(a, b) < 3", false},
        {"log2(a) < 3", false},
        {"f_(a) < 3", false},
        {"(a + b) < max(a, 3)", false},
        {"((a)) + b < 3", true},
    };
    enum { CASES = sizeof(cases) / sizeof(*cases) };
    struct nadi_expression all[64 + CASES];
    struct nadi_design_ranges *r = NADI_ZNEW(struct nadi_design_ranges, 1);
    struct nadi_space space = {.constraints = all, .constraint_count = CASES};
    struct nadi_design_problem *p = NADI_ZNEW(struct nadi_design_problem, 1);
    struct nadi_design_looking *l = NADI_ZNEW(struct nadi_design_looking, 1);
    (void)state;
    r->space = &space;
    r->l = l;
    l->p = p;
    uint64_t want = 0;
    for (int i = 0; i < CASES; i++) {
        all[i] = (struct nadi_expression){.text = cases[i].text};
        want |= (uint64_t)cases[i].plain << i;
    }
    p->limit_count = NADI_DESIGN_LIMITS; /* the last of them */
    memcpy(p->limits, all + CASES - p->limit_count, p->limit_count * sizeof(*all));
    nadi_ranges_find_plain(r);
    assert_int_equal(r->plain_constraints, want);
    assert_int_equal(r->plain_limits, want >> (CASES - NADI_DESIGN_LIMITS));
    /* Of so many that a mask has no bits for them, the first 63. */
    for (int i = 0; i < 64 + CASES; i++)
        all[i] = (struct nadi_expression){.text = "a < 3"};
    space.constraint_count = 64 + CASES;
    r->plain_constraints = 0;
    nadi_ranges_find_plain(r);
    assert_int_equal(r->plain_constraints, UINT64_MAX >> 1);
    nadi_mem_free(l);
    nadi_mem_free(p);
    nadi_mem_free(r);
}

static void direction(void **state)
{
    static const struct {
        const char *of, *path;
        enum nadi_dimension dimension;
        int want;
    } cases[] = {
        {"network", "bandwidth", NADI_DIMENSION_RATE, 1},
        {"device", "peak", NADI_DIMENSION_FLOPS, 1},
        {"network", "latency", NADI_DIMENSION_TIME, -1},
        {"device", "memory", NADI_DIMENSION_BYTES, 1},
        {"device", "memory-levels[0]", NADI_DIMENSION_BYTES, 1},
        {"device", "memor", NADI_DIMENSION_BYTES, 0},
        {"network", "memory", NADI_DIMENSION_BYTES, 0},
        {"network", "npus_count", NADI_DIMENSION_NONE, 0},
        {"run", "rate", NADI_DIMENSION_RATE, 0},
        {"plan", "rate", NADI_DIMENSION_RATE, 0},
        {NULL, "rate", NADI_DIMENSION_RATE, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct nadi_setting s = {.dimension = cases[i].dimension};
        struct nadi_space_variable v = {.of = cases[i].of, .path = cases[i].path, .setting = &s};
        assert_int_equal(nadi_ranges_direction(&v), cases[i].want);
        v.setting = NULL;
        assert_int_equal(nadi_ranges_direction(&v), 0);
    }
}

static void middle(void **state)
{
    static const struct {
        double low, high;
        bool logarithmic;
        double want;
    } cases[] = {
        {0, 10, false, 5},
        {0, 1, false, 0.5},
        {3, 3, false, 3},
        {100, 163, false, 130},
        {7.1, 7.3, false, 7.2},
        {900, 1300, false, 1100},
        {1, 100, true, 10},
        {2, 32, true, 8},
        {1e6, 3e6, true, 1.8e6},
        {0.001, 0.0017, false, 0.0014},
        {55, 57, false, 56},
        {1, 1.0001, true, 1.00005},
        {12345, 54321, false, 35000},
        {12345, 54321, true, 25000},
        {4, 4, true, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        double low[2] = {-1, cases[i].low}, high[2] = {-2, cases[i].high};
        const struct nadi_range_box b = {.low = low, .high = high};
        const struct nadi_space_variable v = {.axis = 1,
                                              .form = NADI_VARIABLE_RANGE,
                                              .low = cases[i].low,
                                              .high = cases[i].high,
                                              .unit = "",
                                              .logarithmic = cases[i].logarithmic};
        const double found = nadi_ranges_middle(&b, &v);
        assert_true(found >= cases[i].want && found <= cases[i].want); /* as written */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain), cmocka_unit_test(direction),
                                       cmocka_unit_test(middle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
