/* Fits to logs that were drawn from a known platform: the figures come back within their intervals,
 * what was not in the log is predicted, outliers and moved crossovers are found. */
#include "calibrate/fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/rng.h"

struct made {
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_comm_platform prior, truth;
    struct nadi_bench_log log;
    struct nadi_fit fit;
    struct nadi_rng rng;
};

static void make(struct made *m, const char *platform)
{
    nadi_arena_init(&m->arena);
    nadi_diags_init(&m->diags);
    nadi_bench_log_init(&m->log);
    nadi_rng_init(&m->rng, 7, platform);
    assert_true(nadi_comm_platform_open(&m->prior, platform, &m->arena, &m->diags));
    m->truth = m->prior;
}

static void release(struct made *m)
{
    nadi_fit_release(&m->fit);
    nadi_bench_log_release(&m->log);
    nadi_diags_release(&m->diags);
    nadi_arena_release(&m->arena);
}

/* Powers of two from 1 KiB to 4 GiB, times off by up to `noise`. */
static void measure(struct made *m, enum nadi_comm_kind kind, uint32_t ranks, double noise)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text, "# hardware: H100\ncollective,ranks,size_bytes,time_us\n");
    for (int e = 10; e <= 32; e++) {
        const struct nadi_comm_case c = {
            .kind = kind, .ranks = ranks, .bytes = exp2(e), .calls = NADI_CALLS_QUEUED};
        const double factor = exp(noise * (2 * nadi_rng_unit(&m->rng) - 1));
        nadi_str_printf(&text, "%s,%u,%.0f,%.4f\n", nadi_comm_kind_name(kind), ranks, c.bytes,
                        nadi_comm_predict(&m->truth, &c).ns / 1e3 * factor);
    }
    assert_true(nadi_bench_log_parse(&m->log, "made.csv", text.text, text.length, NULL, &m->diags));
    nadi_str_release(&text);
}

static void expect_within(const struct made *m, enum nadi_comm_figure figure)
{
    const struct nadi_comm_figure_about *a = nadi_comm_figure_about(figure);
    const double off = log(m->fit.platform.value[figure] / m->truth.value[figure]);
    if (!m->fit.free[figure] || fabs(off) > 3 * m->fit.deviation[figure])
        fail_msg("%s: %g for %g, deviation %g", a->key, m->fit.platform.value[figure],
                 m->truth.value[figure], m->fit.deviation[figure]);
}

static void figures_come_back(void **state)
{
    (void)state;
    struct made m;
    make(&m, "h100-node");
    m.truth.value[NADI_FIGURE_LAUNCH] *= 1.4;
    m.truth.value[NADI_FIGURE_HOP_LL] *= 0.6;
    m.truth.value[NADI_FIGURE_RING] *= 0.9;
    m.truth.value[NADI_FIGURE_NVLS] *= 0.85;
    m.truth.value[NADI_FIGURE_LL] *= 1.3;
    measure(&m, NADI_COMM_ALL_REDUCE, 8, 0.02);
    measure(&m, NADI_COMM_ALL_GATHER, 8, 0.02);
    measure(&m, NADI_COMM_ALL_REDUCE, 2, 0.02);
    assert_true(nadi_fit_run(&m.fit, &m.prior, &m.log, NADI_FIT_ALL, &m.diags));
    static const enum nadi_comm_figure moved[] = {
        NADI_FIGURE_LAUNCH, NADI_FIGURE_HOP_LL, NADI_FIGURE_RING, NADI_FIGURE_NVLS, NADI_FIGURE_LL};
    for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]); i++)
        expect_within(&m, moved[i]);
    assert_true(m.fit.deviation[NADI_FIGURE_RING] < 0.05);
    assert_true(fabs(m.fit.platform.value[NADI_FIGURE_RING] / m.truth.value[NADI_FIGURE_RING] - 1) <
                0.05);
    assert_false(m.fit.free[NADI_FIGURE_NET_LL]); /* nothing went between nodes */
    assert_true(m.fit.scale < 0.04);
    release(&m);
}

/* Fitted to all-reduces of 8, held against gathers and pairs of the same machine. */
static void others_are_predicted(void **state)
{
    (void)state;
    struct made m;
    make(&m, "h100-node");
    m.truth.value[NADI_FIGURE_LAUNCH] *= 1.2;
    m.truth.value[NADI_FIGURE_NVLS] *= 0.9;
    measure(&m, NADI_COMM_ALL_REDUCE, 8, 0.01);
    measure(&m, NADI_COMM_ALL_GATHER, 8, 0.01);
    measure(&m, NADI_COMM_REDUCE_SCATTER, 4, 0.01);
    assert_true(nadi_fit_run(&m.fit, &m.prior, &m.log, NADI_FIT_ALL_REDUCE, &m.diags));
    const struct nadi_fit_errors fitted = nadi_fit_errors(&m.fit, NADI_NONE, true, 0, HUGE_VAL);
    const struct nadi_fit_errors held = nadi_fit_errors(&m.fit, NADI_NONE, false, 0, HUGE_VAL);
    assert_int_equal(fitted.count, 23);
    assert_int_equal(held.count, 46);
    assert_true(held.mean < 0.1);
    release(&m);
}

/* Errors of 0.1 and -0.3 on one table, 0.5 on another one, which nothing was fitted to. */
static void errors_of_points(void **state)
{
    static struct nadi_fit_point points[] = {
        {.call.bytes = 1000, .us = 10, .fitted_us = 11, .used = true},
        {.call.bytes = 2000, .us = 10, .fitted_us = 7, .used = true},
        {.call.bytes = 3000, .us = 10, .fitted_us = 15, .table = 1},
    };
    const struct nadi_fit f = {.points = points, .count = 3};
    struct nadi_fit_errors e = nadi_fit_errors(&f, NADI_NONE, true, 0, HUGE_VAL);
    (void)state;
    assert_int_equal(e.count, 2);
    assert_float_equal(e.mean, 0.2, 1e-12);
    assert_float_equal(e.bias, -0.1, 1e-12);
    assert_float_equal(e.worst, 0.3, 1e-12);
    e = nadi_fit_errors(&f, 1, false, 0, HUGE_VAL);
    assert_int_equal(e.count, 1);
    assert_float_equal(e.mean, 0.5, 1e-12);
    e = nadi_fit_errors(&f, NADI_NONE, true, 1000, 2000); /* the first bound is in, the other not */
    assert_int_equal(e.count, 1);
    assert_float_equal(e.bias, 0.1, 1e-12);
    e = nadi_fit_errors(&f, 1, true, 0, HUGE_VAL);
    assert_int_equal(e.count, 0);
    assert_float_equal(e.mean, 0, 0);
}

static void half_predicts_the_other(void **state)
{
    (void)state;
    struct made m;
    make(&m, "a100-node");
    m.truth.value[NADI_FIGURE_RAMP_RING] *= 1.7;
    m.truth.value[NADI_FIGURE_HOP_LL128] *= 1.5;
    measure(&m, NADI_COMM_ALL_REDUCE, 8, 0.01);
    assert_true(nadi_fit_run(&m.fit, &m.prior, &m.log, NADI_FIT_HALF, &m.diags));
    assert_int_equal(m.fit.used, 12);
    assert_true(nadi_fit_errors(&m.fit, NADI_NONE, false, 0, HUGE_VAL).mean < 0.03);
    release(&m);
}

/* Each way to hold sizes out leaves a fitting set and a test set that share no size. */
static void halves_share_no_size(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        size_t used;
    } holds[] = {{"half", 12}, {"other-half", 11}, {"random", 12}, {"small", 11},
                 {"third", 8}, {"large", 12},      {"none", 23},   {"all-reduce", 23}};
    for (size_t i = 0; i < sizeof(holds) / sizeof(holds[0]); i++) {
        struct made m;
        const enum nadi_fit_hold hold = nadi_fit_hold_of(holds[i].word);
        make(&m, "a100-node");
        measure(&m, NADI_COMM_ALL_REDUCE, 8, 0.01);
        assert_true(nadi_fit_run(&m.fit, &m.prior, &m.log, hold, &m.diags));
        if (hold == NADI_FIT_RANDOM ? m.fit.used < 11 || m.fit.used > 12
                                    : m.fit.used != holds[i].used)
            fail_msg("%s: %zu", holds[i].word, m.fit.used);
        const bool first = m.fit.points[0].used, last = m.fit.points[m.fit.count - 1].used;
        if (hold == NADI_FIT_LARGE)
            assert_true(first && !last);
        if (hold == NADI_FIT_SMALL || hold == NADI_FIT_OTHER_HALF)
            assert_false(first);
        release(&m);
    }
    assert_int_equal(nadi_fit_hold_of("hold"), NADI_FIT_ALL);
}

/* Times that zigzag by 40 % are smoothed, so that a repeated measurement is predicted better than
 * by going through each point; those that zigzag by 5 % are taken as they are. */
static void noise_is_smoothed(void **state)
{
    (void)state;
    double off[2];
    for (int loud = 0; loud < 2; loud++) {
        struct made m;
        make(&m, "h100-node");
        measure(&m, NADI_COMM_ALL_GATHER, 8, loud ? 0.4 : 0.05);
        assert_true(nadi_fit_run(&m.fit, &m.prior, &m.log, NADI_FIT_ALL, &m.diags));
        double sum = 0, measured = 0;
        for (size_t i = 0; i < m.fit.count; i++) {
            const struct nadi_fit_point *p = &m.fit.points[i];
            const double truth = nadi_comm_predict(&m.truth, &p->call).ns / 1e3;
            sum += fabs(p->fitted_us / truth - 1);
            measured += fabs(p->us / truth - 1);
        }
        off[loud] = sum / measured;
        release(&m);
    }
    assert_true(off[0] > 0.95);
    if (off[1] > 0.8)
        fail_msg("%g of the noise is left", off[1]);
}

/* Of a noisy log the first size took six times as long, as while a benchmark starts: the size after
 * it, which is held out, is predicted from the others. */
static void slow_start_is_no_curve(void **state)
{
    (void)state;
    struct made m;
    make(&m, "h100-node");
    measure(&m, NADI_COMM_ALL_GATHER, 8, 0.3);
    m.log.tables[0].rows[0].time_us *= 6;
    assert_true(nadi_fit_run(&m.fit, &m.prior, &m.log, NADI_FIT_HALF, &m.diags));
    const struct nadi_fit_point *next = &m.fit.points[1];
    const double truth = nadi_comm_predict(&m.truth, &next->call).ns / 1e3;
    if (next->used || next->fitted_us > 1.5 * truth)
        fail_msg("%g us for %g", next->fitted_us, truth);
    release(&m);
}

/* What the library was told to take is what is fitted, although it would choose the switch. */
static void forced_algorithm_is_heeded(void **state)
{
    (void)state;
    static const char *const words[] = {"ring", "NCCL_ALGO=Ring",
                                        "NCCL_TREE_THRESHOLD=0 (ring only)"};
    for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
        struct made m;
        make(&m, "h100-node");
        measure(&m, NADI_COMM_ALL_REDUCE, 8, 0.01);
        m.log.tables[0].algorithm = words[w];
        assert_true(nadi_fit_run(&m.fit, &m.prior, &m.log, NADI_FIT_ALL, &m.diags));
        for (size_t i = 0; i < m.fit.count; i++) {
            const struct nadi_fit_point *p = &m.fit.points[i];
            assert_int_equal(p->algorithm, NADI_COMM_RING);
            assert_true(fabs(p->fitted_us / p->us - 1) < 1e-6); /* its own residuals */
        }
        assert_int_equal(m.fit.platform.residuals[0].algorithm, NADI_COMM_RING);
        assert_int_equal(m.fit.platform.crossover_count, 0);
        release(&m);
    }
}

static void outlier_is_named_and_ignored(void **state)
{
    (void)state;
    struct made m;
    make(&m, "h100-node");
    measure(&m, NADI_COMM_ALL_GATHER, 8, 0.01);
    m.log.tables[0].rows[5].time_us *= 3;
    assert_true(nadi_fit_run(&m.fit, &m.prior, &m.log, NADI_FIT_ALL, &m.diags));
    for (size_t i = 0; i < m.fit.count; i++)
        assert_int_equal(m.fit.points[i].outlier, i == 5);
    assert_true(fabs(m.fit.points[5].plain_us * 3 / m.fit.points[5].us - 1) < 0.1);
    struct nadi_str text = NADI_STR_INIT;
    nadi_fit_text(&m.fit, &text);
    assert_non_null(strstr(nadi_str_get(&text), "made.csv:8: all-gather, 8 ranks"));
    nadi_str_release(&text);
    release(&m);
}

/* A library that goes on with LL far beyond what its tables say. */
static void moved_crossover_is_found(void **state)
{
    (void)state;
    struct made m;
    make(&m, "a100-node");
    struct nadi_comm_crossover moved[] = {
        {NADI_COMM_ALL_REDUCE, 8, 1, NADI_COMM_RING, NADI_COMM_LL},
        {NADI_COMM_ALL_REDUCE, 8, 512 * 1048576.0, NADI_COMM_RING, NADI_COMM_SIMPLE},
    };
    m.truth.crossovers = moved;
    m.truth.crossover_count = 2;
    measure(&m, NADI_COMM_ALL_REDUCE, 8, 0.01);
    assert_true(nadi_fit_run(&m.fit, &m.prior, &m.log, NADI_FIT_ALL, &m.diags));
    bool found = false;
    for (uint32_t i = 0; i < m.fit.platform.crossover_count; i++)
        found |= m.fit.platform.crossovers[i].protocol == NADI_COMM_SIMPLE &&
                 fabs(m.fit.platform.crossovers[i].bytes - moved[1].bytes) < 1;
    assert_true(found);
    release(&m);
}

/* The written file predicts what the fit does. */
static void written_fit_is_the_fit(void **state)
{
    (void)state;
    static const char path[] = "test_fit.yaml";
    struct made m;
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_comm_platform again;
    make(&m, "a100-node");
    m.truth.value[NADI_FIGURE_RING] *= 0.8;
    measure(&m, NADI_COMM_ALL_REDUCE, 8, 0.05);
    assert_true(nadi_fit_run(&m.fit, &m.prior, &m.log, NADI_FIT_ALL, &m.diags));
    nadi_comm_platform_write(&m.fit.platform, &text);
    FILE *f = fopen(path, "w");
    fputs(nadi_str_get(&text), f);
    fclose(f);
    assert_true(nadi_comm_platform_open(&again, path, &m.arena, &m.diags));
    for (size_t i = 0; i < m.fit.count; i++)
        assert_true(fabs(nadi_comm_predict(&again, &m.fit.points[i].call).ns / 1e3 /
                             m.fit.points[i].fitted_us -
                         1) < 1e-3);
    remove(path);
    nadi_str_release(&text);
    release(&m);
}

static void too_little_is_refused(void **state)
{
    (void)state;
    struct made m;
    make(&m, "h100-node");
    static const char text[] = "collective,ranks,size_bytes,time_us\nall-reduce,8,64,9\n";
    assert_true(nadi_bench_log_parse(&m.log, "one.csv", text, strlen(text), NULL, &m.diags));
    assert_false(nadi_fit_run(&m.fit, &m.prior, &m.log, NADI_FIT_ALL, &m.diags));
    assert_int_equal(m.diags.errors, 1);
    release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_come_back),
        cmocka_unit_test(others_are_predicted),
        cmocka_unit_test(errors_of_points),
        cmocka_unit_test(half_predicts_the_other),
        cmocka_unit_test(halves_share_no_size),
        cmocka_unit_test(noise_is_smoothed),
        cmocka_unit_test(slow_start_is_no_curve),
        cmocka_unit_test(forced_algorithm_is_heeded),
        cmocka_unit_test(outlier_is_named_and_ignored),
        cmocka_unit_test(moved_crossover_is_found),
        cmocka_unit_test(written_fit_is_the_fit),
        cmocka_unit_test(too_little_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
