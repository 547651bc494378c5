/* space: forms of values, expressions, constraints, samplings; every mistake has its place. */
#include "sweep/space.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/run_settings.h"
#include "base/str.h"

#define MODEL "run: {model: llama3-8b, cluster: dgx-h100}\n"

static bool read_space(struct nadi_space *s, const char *text, const char *vary,
                       struct nadi_diags *diags)
{
    const struct nadi_space_source source = {.path = "space.yml",
                                             .text = text,
                                             .bytes = strlen(text),
                                             .vary = &vary,
                                             .vary_count = vary ? 1 : 0,
                                             .run_setting = nadi_run_setting};
    return nadi_space_read(s, &source, diags) && nadi_space_enumerate(s, diags);
}

/* Points as "a b c;" */
static void write_points(const struct nadi_space *s, struct nadi_str *out)
{
    struct nadi_assignment a;
    nadi_assignment_init(&a, s);
    for (uint64_t p = 0; p < s->point_count; p++) {
        nadi_space_assign(s, p, &a);
        for (uint32_t i = 0; i < s->variable_count; i++)
            nadi_str_printf(out, "%s%s", i ? " " : "", a.texts[i]);
        nadi_str_add(out, ";");
    }
    nadi_assignment_release(&a);
}

static void expect_points(const char *text, const char *vary, const char *points)
{
    struct nadi_space s;
    struct nadi_diags diags;
    struct nadi_str out = NADI_STR_INIT;
    nadi_diags_init(&diags);
    if (!read_space(&s, text, vary, &diags))
        fail_msg("%s: %s", text, diags.items[0].message);
    write_points(&s, &out);
    assert_string_equal(nadi_str_get(&out), points);
    nadi_str_release(&out);
    nadi_space_release(&s);
    nadi_diags_release(&diags);
}

static void test_values(void **state)
{
    (void)state;
    expect_points(MODEL "vary: {tp: [1, 2, 4]}\n", NULL, "1;2;4;");
    expect_points(MODEL "vary: {tp: 1..8:*2, pp: 1..3:1}\nconstraints: tp * pp == 4\n", NULL,
                  "2 2;4 1;");
    expect_points(MODEL "vary: {dp: 8 / tp, tp: [1, 2, 8]}\n", NULL, "8 1;4 2;1 8;");
    expect_points(MODEL "vary: {device.memory: 80..160GiB:40}\n", NULL, "80GiB;120GiB;160GiB;");
    expect_points(MODEL
                  "vary: {'cluster.bandwidth[1]': [25GB/s, 50GB/s], recompute: [none, full]}\n"
                  "constraints: [\"cluster.bandwidth[1] >= 50GB/s or recompute == 'none'\"]\n",
                  NULL, "25GB/s none;50GB/s none;50GB/s full;");
    /* a bare number of a key counts its unit; an expression without one is such a number */
    expect_points(MODEL "vary: {memory-bandwidth: 40 * x, device.memory: [80]}\n"
                        "variables: {x: [80]}\nconstraints: device.memory == 80GiB\n",
                  NULL, "3200 80 80;");
    expect_points(MODEL "vary: {device.memory: base * 2}\nvariables: {base: [10GB]}\n", NULL,
                  "20000000000B 10GB;");
    expect_points(MODEL "vary: {cluster.npus_count: [[8, 0], [16, 0]]}\n", NULL, "[8, 0];[16, 0];");
    expect_points(MODEL "vary: {recompute: \"if(tp > 2, 'full', 'none')\", tp: [2, 4]}\n", NULL,
                  "none 2;full 4;");
    expect_points(MODEL "vary: {network_model: [unaware, aware], micro_batch: [1]}\n", NULL,
                  "unaware 1;aware 1;");
    expect_points(MODEL "vary: {tp: [1, 2]}\n", "tp=4,8", "4;8;");
    expect_points(MODEL "vary: {tp: [1, 2]}\n", "dp=8/tp", "1 8;2 4;");
    expect_points(MODEL, "recompute=none,full", "none;full;");
    expect_points(MODEL, NULL, ";");
}

static void test_sampling(void **state)
{
    struct nadi_space s, again;
    struct nadi_diags diags;
    static const char *const samplings[] = {"latin-hypercube", "sobol"};
    (void)state;
    nadi_diags_init(&diags);
    for (size_t k = 0; k < 2; k++) {
        char text[512];
        uint32_t parts[2][64] = {{0}};
        snprintf(text, sizeof(text),
                 MODEL "vary: {device.memory: 10..100GB, device.launch: 1..1000:log}\n"
                       "sampling: %s\npoints: 64\n",
                 samplings[k]);
        assert_true(read_space(&s, text, NULL, &diags) && read_space(&again, text, NULL, &diags));
        assert_int_equal(s.point_count, 64);
        assert_memory_equal(s.choices, again.choices, 64 * 2 * sizeof(double));
        for (uint32_t p = 0; p < 64; p++) {
            const double u = (s.choices[2 * p] - 10) / 90, v = log10(s.choices[2 * p + 1]) / 3;
            assert_true(u >= 0 && u <= 1 && v >= 0 && v <= 1);
            parts[0][(uint32_t)(u * 64 - 1e-9)]++;
            parts[1][(uint32_t)(v * 64 - 1e-9)]++;
        }
        for (uint32_t i = 0; k == 0 && i < 64; i++) /* one in each part */
            assert_true(parts[0][i] == 1 && parts[1][i] == 1);
        nadi_space_release(&s);
        nadi_space_release(&again);
    }
    assert_true(read_space(
        &s, MODEL "vary: {tp: [1, 2], pp: [1, 2]}\nsampling: sobol\npoints: 99\n", NULL, &diags));
    assert_int_equal(s.point_count, 4); /* each once */
    assert_int_equal(s.repeated, 95);
    nadi_space_release(&s);
    nadi_diags_release(&diags);
}

/* The first points, as published with the direction numbers. */
static void test_sobol(void **state)
{
    static const double first[][3] = {{0, 0, 0},
                                      {0.5, 0.5, 0.5},
                                      {0.75, 0.25, 0.25},
                                      {0.25, 0.75, 0.75},
                                      {0.375, 0.375, 0.625},
                                      {0.875, 0.875, 0.125},
                                      {0.625, 0.125, 0.875},
                                      {0.125, 0.625, 0.375}};
    enum { POINTS = 1 << 10 };
    (void)state;
    for (uint64_t i = 0; i < 8; i++) {
        double at[3];
        nadi_sobol(i, 3, at);
        for (int d = 0; d < 3; d++)
            assert_true(fabs(at[d] - first[i][d]) < 1e-12);
    }
    /* each dimension by itself: one point in each of 2^10 parts */
    for (uint32_t d = 0; d < NADI_SOBOL_DIMS; d++) {
        uint8_t seen[POINTS] = {0};
        for (uint64_t i = 0; i < POINTS; i++) {
            double at[NADI_SOBOL_DIMS];
            nadi_sobol(i, NADI_SOBOL_DIMS, at);
            seen[(uint32_t)(at[d] * POINTS)]++;
        }
        for (uint32_t i = 0; i < POINTS; i++)
            assert_int_equal(seen[i], 1);
    }
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *text, *vary, *code;
        uint32_t line, column;
    } cases[] = {
        {"vary: {tp: [1]}\n", NULL, "schema/missing", 0, 0},
        {"run: {}\n", NULL, "space/run", 1, 6},
        {"run: {model: a, workload: b}\n", NULL, "space/run", 1, 6},
        {"run: {model: a, netwrk-model: flow}\n", NULL, "space/run", 1, 31},
        {"run: {model: a, network-model: flw}\n", NULL, "space/run", 1, 32},
        {"run: {model: [a]}\n", NULL, "space/run", 1, 14},
        {MODEL "vary: {tpp: [1]}\n", NULL, "space/unknown", 2, 8},
        {MODEL "vary: {device.tp: [1]}\n", NULL, "space/unknown", 2, 8},
        {MODEL "vary: {network: [a]}\n", NULL, "space/unknown", 2, 8},
        {MODEL "vary: {name: [a]}\n", NULL, "space/ambiguous", 2, 8},
        {MODEL "vary: {tp: []}\n", NULL, "space/values", 2, 12},
        {MODEL "vary: {tp: [1, x]}\n", NULL, "space/value", 2, 16},
        {MODEL "vary: {tp: [1.5]}\n", NULL, "space/value", 2, 13},
        {MODEL "vary: {recompute: [nine]}\n", NULL, "space/value", 2, 20},
        {MODEL "vary: {tp: {a: 1}}\n", NULL, "space/values", 2, 12},
        {MODEL "vary: {tp: 8..1:1}\n", NULL, "space/range", 2, 12},
        {MODEL "vary: {tp: 1..8:*1}\n", NULL, "space/range", 2, 12},
        {MODEL "vary: {tp: 1..8:0}\n", NULL, "space/range", 2, 12},
        {MODEL "vary: {tp: 0..8:log}\n", NULL, "space/range", 2, 12},
        {MODEL "vary: {device.memory: 1GB..2GiB:1}\n", NULL, "space/range", 2, 23},
        {MODEL "vary: {tp: 1..8}\n", NULL, "space/range", 2, 8},
        {MODEL "vary: {tp: 8 / q}\n", NULL, "expression/syntax", 2, 16},
        {MODEL "vary: {tp: '8 / q'}\n", NULL, "expression/syntax", 2, 17},
        {MODEL "vary: {tp: pp * 1, pp: tp + 1}\n", NULL, "space/cycle", 2, 8},
        {MODEL "vary: {tp: 1GB + 0GB}\n", NULL, "expression/value", 2, 12},
        {MODEL "vary: {tp: [1]}\nconstraints: [tp < 1GB]\n", NULL, "expression/value", 3, 18},
        {MODEL "vary: {tp: [1]}\nconstraints: [tp > 1]\n", NULL, "space/points", 0, 0},
        {MODEL "variables: {2x: [1]}\n", NULL, "space/name", 2, 13},
        {MODEL "sampling: file\n", NULL, "space/file", 0, 0},
        {MODEL "sampling: grd\n", NULL, "schema/word", 2, 11},
        {MODEL, "tp", "space/vary", 0, 0},
        {MODEL, "=1", "space/vary", 0, 0},
        {MODEL, "tp=1,,2", "space/value", 0, 0},
        {MODEL "vary: {tp: 1..100000:1, pp: 1..100000:1}\n", NULL, "space/points", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct nadi_space s;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        assert_false(read_space(&s, cases[i].text, cases[i].vary, &diags));
        const struct nadi_diag *d = &diags.items[0];
        if (strcmp(d->code, cases[i].code) != 0 || d->place.line != cases[i].line ||
            d->place.column != cases[i].column)
            fail_msg("%s: [%s] at %u:%u: %s", cases[i].text, d->code, d->place.line,
                     d->place.column, d->message);
        nadi_space_release(&s);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_sampling),
        cmocka_unit_test(test_sobol),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
