/* Random factors: means and spreads of each distribution; windows, ranks and products of entries.
 */
#include "compute/perturb.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { DRAWS = 20000 };

static void moments(enum nadi_distribution spread, double jitter, double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        const double x = nadi_perturb_factor(spread, jitter, 3, "test", 0, i % 7, i);
        assert_true(x >= 0);
        sum += x;
        squares += x * x;
    }
    *mean = sum / DRAWS;
    *deviation = sqrt(squares / DRAWS - *mean * *mean);
}

static void test_distributions(void **state)
{
    double mean, deviation;
    (void)state;
    moments(NADI_SPREAD_NORMAL, 0.2, &mean, &deviation);
    assert_true(fabs(mean - 1) < 0.006 && fabs(deviation - 0.2) < 0.005);
    moments(NADI_SPREAD_LOGNORMAL, 0.5, &mean, &deviation);
    assert_true(fabs(mean - 1) < 0.015 && fabs(deviation - 0.5) < 0.03);
    moments(NADI_SPREAD_UNIFORM, 0.3, &mean, &deviation);
    assert_true(fabs(mean - 1) < 0.006 && fabs(deviation - 0.3 / sqrt(3)) < 0.004);
    moments(NADI_SPREAD_EXPONENTIAL, 0.4, &mean, &deviation);
    assert_true(fabs(mean - 1.4) < 0.012 && fabs(deviation - 0.4) < 0.015);
}

static uint64_t take(const struct nadi_perturb *p, uint32_t rank, uint32_t node, nadi_time now,
                     uint64_t ns)
{
    return nadi_perturb_compute(
        p, &(struct nadi_perturb_work){.rank = rank, .node = node, .now = now, .ns = ns});
}

static void test_entries(void **state)
{
    static const struct nadi_rank_range low = {0, 3}, all = {0, 7};
    struct nadi_perturb_entry entries[] = {
        {.ranks = &low, .range_count = 1, .at = 100, .until = 200, .scale = 2},
        {.ranks = &all, .range_count = 1, .until = NADI_TIME_MAX, .scale = 1.5},
    };
    const struct nadi_perturb p = {.compute = entries, .compute_count = 2};
    (void)state;
    assert_int_equal(take(&p, 0, 9, 100, 1000), 3000);
    assert_int_equal(take(&p, 0, 9, 99, 1000), 1500);
    assert_int_equal(take(&p, 3, 9, 199, 1000), 3000);
    assert_int_equal(take(&p, 3, 9, 200, 1000), 1500);
    assert_int_equal(take(&p, 4, 9, 150, 1000), 1500);
    assert_int_equal(take(&p, 8, 9, 150, UINT64_C(1) << 60), UINT64_C(1) << 60);
}

/* A draw by rank is the same for all operations of the rank, and not that of its neighbour. */
static void test_draws(void **state)
{
    static const struct nadi_rank_range all = {0, 7};
    struct nadi_perturb_entry e = {.ranks = &all,
                                   .range_count = 1,
                                   .until = NADI_TIME_MAX,
                                   .scale = 1,
                                   .delay_ns = 1e6,
                                   .jitter = 0.5,
                                   .draw = NADI_DRAW_RANK};
    struct nadi_perturb p = {.seed = 5, .compute = &e, .compute_count = 1, .start = &e};
    (void)state;
    const uint64_t first = take(&p, 1, 1, 0, 1000000);
    assert_int_equal(take(&p, 1, 2, 777, 1000000), first);
    assert_int_not_equal(take(&p, 2, 1, 0, 1000000), first);
    p.seed = 6;
    assert_int_not_equal(take(&p, 1, 1, 0, 1000000), first);
    e.draw = NADI_DRAW_OPERATION;
    assert_int_not_equal(take(&p, 1, 1, 0, 1000000), take(&p, 1, 2, 0, 1000000));
    assert_int_equal(nadi_perturb_start(&p, 1), 0);
    p.start_count = 1;
    const nadi_time begins = nadi_perturb_start(&p, 1);
    assert_true(begins > 0 && begins % NADI_PS_PER_NS == 0 && begins == nadi_perturb_start(&p, 1) &&
                begins != nadi_perturb_start(&p, 2));
}

/* Work of a rank in `parts` nodes, one behind the other, in ns. */
static double in_parts(const struct nadi_perturb *p, uint32_t rank, uint64_t ns, uint32_t parts)
{
    struct nadi_perturb_work work = {.rank = rank, .ns = ns / parts};
    for (; work.node < parts; work.node++) {
        work.now += nadi_time_from_ns(nadi_perturb_compute(p, &work));
        work.before_ns += work.ns;
    }
    return nadi_time_in_ns(work.now);
}

/* Draws by work: the same work takes as long however many nodes it is; of n pieces the spread is
 * that of one / sqrt(n). */
static void test_pieces(void **state)
{
    enum { RANKS = 2000, PIECE = 100000, PIECES = 16, KINDS = 4 };
    static const struct nadi_rank_range all = {0, RANKS};
    static const uint32_t parts[KINDS] = {1, 2, PIECES, 10 * PIECES};
    struct nadi_perturb_entry e = {.ranks = &all,
                                   .range_count = 1,
                                   .until = NADI_TIME_MAX,
                                   .scale = 1,
                                   .jitter = 0.2,
                                   .spread = NADI_SPREAD_NORMAL,
                                   .piece_ns = PIECE};
    const struct nadi_perturb p = {.seed = 5, .compute = &e, .compute_count = 1};
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        const double whole = PIECE * PIECES;
        double sum = 0, squares = 0;
        for (uint32_t rank = 0; rank < RANKS; rank++) {
            const double ns = in_parts(&p, rank, PIECE * PIECES, parts[kind]), x = ns / whole;
            assert_true(fabs(ns - in_parts(&p, rank, PIECE * PIECES, 1)) <= parts[kind]);
            sum += x;
            squares += x * x;
        }
        const double mean = sum / RANKS, deviation = sqrt(squares / RANKS - mean * mean);
        if (fabs(mean - 1) > 0.008 || fabs(deviation - 0.2 / 4) > 0.008)
            fail_msg("%u nodes: mean %g, deviation %g", parts[kind], mean, deviation);
    }
    /* the mean of more pieces than are drawn one by one */
    for (enum nadi_distribution spread = NADI_SPREAD_UNIFORM; spread <= NADI_SPREAD_EXPONENTIAL;
         spread++) {
        e.spread = spread;
        const double few = in_parts(&p, 1, UINT64_C(256) * PIECE, 1) / (256.0 * PIECE);
        const double many = in_parts(&p, 1, UINT64_C(2560) * PIECE, 1) / (2560.0 * PIECE);
        const double mean = spread == NADI_SPREAD_EXPONENTIAL ? 1.2 : 1;
        assert_true(fabs(few - mean) < 0.05 && fabs(many - mean) < 0.02);
    }
    assert_int_equal(nadi_perturb_compute(&p, &(struct nadi_perturb_work){.rank = 1}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
