/* The least time of a split of bandwidth: closed forms, published points, conditions, bounds. */
#include "base/rng.h"
#include "optimize/split.h"
#include "support/cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct nadi_linear budget(uint32_t dims, double sum)
{
    struct nadi_linear l = {.unknowns = dims, .count = 1};
    l.rows[0] = (struct nadi_linear_row){.limit = sum, .equal = true};
    for (uint32_t d = 0; d < dims; d++)
        l.rows[0].a[d] = 1;
    return l;
}

static void expect_near(double found, double wanted, double relative)
{
    if (!(fabs(found - wanted) <= relative * fabs(wanted)))
        fail_msg("found %.15g, wanted %.15g", found, wanted);
}

/* One collective: every dimension works all the time, b in the ratio of bytes. */
static void test_one_collective(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < CASES_OF(500); seed++) {
        struct nadi_rng rng;
        nadi_rng_init(&rng, seed, "split");
        struct nadi_split s = {.dims = 1 + (uint32_t)(nadi_rng_u64(&rng) % 16)};
        double bytes[NADI_LINEAR_UNKNOWNS], sum = 0;
        for (uint32_t d = 0; d < s.dims; d++)
            sum += bytes[d] = exp(9 * nadi_rng_unit(&rng));
        const double total = exp(10 * nadi_rng_unit(&rng));
        const struct nadi_linear l = budget(s.dims, total);
        struct nadi_split_answer a;
        s.constant_ns = 5;
        nadi_split_add_move(&s, bytes, 3);
        assert_int_equal(nadi_split_fastest(&s, &l, &a), NADI_SPLIT_FOUND);
        expect_near(a.time_ns, 5 + 3 * sum / total, 1e-9);
        for (uint32_t d = 0; d < s.dims; d++)
            expect_near(a.b[d], total * bytes[d] / sum, 1e-7);
        if (a.residual > 1e-8)
            fail_msg("seed %u: residual %g", seed, a.residual);
        nadi_split_release(&s);
    }
}

/* A step of several collectives and overlapping terms, drawn. */
static void draw(struct nadi_split *s, uint32_t dims, struct nadi_rng *rng)
{
    const uint32_t moves = 1 + (uint32_t)nadi_rng_below(rng, 5);
    *s = (struct nadi_split){.dims = dims, .constant_ns = 100 * nadi_rng_unit(rng)};
    for (uint32_t r = 0; r < moves; r++) {
        double bytes[NADI_LINEAR_UNKNOWNS] = {0};
        bytes[r % dims] = 1 + 100 * nadi_rng_unit(rng);
        for (uint32_t d = 0; d < dims; d++)
            if (nadi_rng_below(rng, 3))
                bytes[d] = exp(6 * nadi_rng_unit(rng));
        nadi_split_add_move(s, bytes, (double)nadi_rng_below(rng, 4));
    }
    for (uint32_t k = 0; k < nadi_rng_below(rng, 4); k++)
        nadi_split_add_term(s,
                            &(struct nadi_split_term){
                                .constant_ns = {10 * nadi_rng_unit(rng), 10 * nadi_rng_unit(rng)},
                                .move = {(uint32_t)nadi_rng_below(rng, moves) % s->move_count,
                                         (uint32_t)nadi_rng_below(rng, moves) % s->move_count},
                                .times = 1 + nadi_rng_unit(rng)});
}

static bool is_allowed(const struct nadi_linear *l, const double *b)
{
    for (uint32_t r = 0; r < l->count; r++) {
        double sum = 0;
        for (uint32_t d = 0; d < l->unknowns; d++)
            sum += l->rows[r].a[d] * b[d];
        if (sum > l->rows[r].limit + 1e-7 || (l->rows[r].equal && sum < l->rows[r].limit - 1e-7))
            return false;
    }
    return true;
}

/* b in words of two numbers from 0 to 1, so that the sum is the budget. */
static void place(double *b, double x, double y, double budget)
{
    b[0] = budget * x;
    b[1] = (budget - b[0]) * y;
    b[2] = budget - b[0] - b[1];
}

/* A dense grid never finds less, and comes near; the conditions hold. */
static void test_against_a_grid(void **state)
{
    (void)state;
    uint32_t possible = 0;
    for (uint32_t seed = 0; seed < CASES_OF(100); seed++) {
        struct nadi_rng rng;
        struct nadi_split s;
        struct nadi_split_answer a;
        struct nadi_linear l = budget(3, 100);
        nadi_rng_init(&rng, seed, "grid");
        draw(&s, 3, &rng);
        for (uint32_t r = 0; r < nadi_rng_below(&rng, 3); r++) {
            struct nadi_linear_row *row = &l.rows[l.count++];
            *row = (struct nadi_linear_row){.limit = 40 * nadi_rng_unit(&rng)};
            for (uint32_t d = 0; d < 3; d++)
                row->a[d] = nadi_rng_unit(&rng) * 2 - 1;
        }
        const enum nadi_split_end end = nadi_split_fastest(&s, &l, &a);
        double least = HUGE_VAL, b[NADI_LINEAR_UNKNOWNS];
        for (uint32_t i = 1; i < 200; i++)
            for (uint32_t j = 1; j < 200; j++) {
                place(b, i / 200.0, j / 200.0, 100);
                if (is_allowed(&l, b))
                    least = fmin(least, nadi_split_time(&s, b));
            }
        if (end == NADI_SPLIT_FOUND) {
            possible++;
            assert_true(is_allowed(&l, a.b));
            if (a.time_ns > least * (1 + 1e-9) || (least < HUGE_VAL && a.time_ns < least * 0.9))
                fail_msg("seed %u: %.12g, the grid found %.12g", seed, a.time_ns, least);
            if (a.gap_ns > 1e-8 * a.time_ns)
                fail_msg("seed %u: gap %g of %g", seed, a.gap_ns, a.time_ns);
        } else
            assert_false(least < HUGE_VAL);
        nadi_split_release(&s);
    }
    assert_true(possible > CASES_OF(70));
}

/* A condition more never makes a step shorter; shares do not depend on the budget. */
static void test_conditions_and_scale(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < CASES_OF(200); seed++) {
        struct nadi_rng rng;
        struct nadi_split s;
        struct nadi_split_answer one, ten, held;
        nadi_rng_init(&rng, seed, "scale");
        draw(&s, 4, &rng);
        s.term_count = 0; /* constants within terms would scale otherwise */
        const struct nadi_linear small = budget(4, 50), large = budget(4, 500);
        struct nadi_linear more = small;
        assert_int_equal(nadi_split_fastest(&s, &small, &one), NADI_SPLIT_FOUND);
        assert_int_equal(nadi_split_fastest(&s, &large, &ten), NADI_SPLIT_FOUND);
        expect_near(10 * (ten.time_ns - s.constant_ns), one.time_ns - s.constant_ns, 1e-8);
        more.rows[more.count++] = (struct nadi_linear_row){.a = {1, -1}, .limit = 0};
        assert_int_equal(nadi_split_fastest(&s, &more, &held), NADI_SPLIT_FOUND);
        assert_true(held.time_ns >= one.time_ns * (1 - 1e-9));
        nadi_split_release(&s);
    }
}

/* The least cost for a time, and the time for that cost, are each other's answers; and nothing on a
 * grid has less time times cost. */
static void test_cost(void **state)
{
    (void)state;
    static const double cost[] = {1, 3, 20};
    for (uint32_t seed = 0; seed < CASES_OF(40); seed++) {
        struct nadi_rng rng;
        struct nadi_split s;
        struct nadi_split_answer fast, cheap, back, best;
        struct nadi_linear l = budget(3, 100), most = {.unknowns = 3};
        double price = 0, gap, value = 0;
        nadi_rng_init(&rng, seed, "cost");
        draw(&s, 3, &rng);
        assert_int_equal(nadi_split_fastest(&s, &l, &fast), NADI_SPLIT_FOUND);
        const double allowed = fast.time_ns * 1.2;
        assert_int_equal(nadi_split_cheapest(&s, &most, cost, allowed, &cheap), NADI_SPLIT_FOUND);
        if (cheap.time_ns > allowed * (1 + 1e-7))
            fail_msg("seed %u: %g ns where %g are allowed", seed, cheap.time_ns, allowed);
        most.rows[most.count++] = (struct nadi_linear_row){.limit = 0};
        for (uint32_t d = 0; d < 3; d++) {
            most.rows[0].a[d] = cost[d];
            price += cost[d] * cheap.b[d];
        }
        most.rows[0].limit = price;
        assert_int_equal(nadi_split_fastest(&s, &most, &back), NADI_SPLIT_FOUND);
        expect_near(back.time_ns, allowed, 1e-5);
        assert_int_equal(nadi_split_cheapest(&s, &l, cost, fast.time_ns * 0.99, &cheap),
                         NADI_SPLIT_TOO_SLOW);
        assert_int_equal(nadi_split_best_value(&s, &l, cost, &best, &gap), NADI_SPLIT_FOUND);
        for (uint32_t d = 0; d < 3; d++)
            value += cost[d] * best.b[d];
        value *= best.time_ns;
        assert_true(gap <= 1.1e-4);
        for (uint32_t i = 1; i < 100; i++)
            for (uint32_t j = 1; j < 100; j++) {
                double b[NADI_LINEAR_UNKNOWNS];
                place(b, i / 100.0, j / 100.0, 100);
                const double here =
                    nadi_split_time(&s, b) * (cost[0] * b[0] + cost[1] * b[1] + cost[2] * b[2]);
                if (here < value * (1 - 2e-5))
                    fail_msg("seed %u: %.9g on the grid, %.9g found", seed, here, value);
            }
        nadi_split_release(&s);
    }
}

/* Of conditions that exclude each other just those are named. */
static void test_conflict(void **state)
{
    (void)state;
    struct nadi_linear l = budget(3, 100);
    uint32_t rows[NADI_LINEAR_ROWS];
    struct nadi_split_answer a;
    struct nadi_split s = {.dims = 3};
    const double bytes[] = {1, 2, 3};
    nadi_split_add_move(&s, bytes, 1);
    assert_int_equal(nadi_linear_conflict(&l, rows), 0);
    l.rows[l.count++] = (struct nadi_linear_row){.a = {1, 0, 0}, .limit = 30};
    l.rows[l.count++] = (struct nadi_linear_row){.a = {0, -1, 0}, .limit = -10};
    l.rows[l.count++] = (struct nadi_linear_row){.a = {-1, 0, 0}, .limit = -31};
    assert_int_equal(nadi_split_fastest(&s, &l, &a), NADI_SPLIT_IMPOSSIBLE);
    assert_int_equal(nadi_linear_conflict(&l, rows), 2);
    assert_int_equal(rows[0], 1);
    assert_int_equal(rows[1], 3);
    l.count = 1;
    l.rows[l.count++] = (struct nadi_linear_row){.a = {1, 1, 0}, .limit = 0};
    assert_int_equal(nadi_split_fastest(&s, &l, &a), NADI_SPLIT_STARVED);
    nadi_split_release(&s);
}

/* A dimension that moves nothing gets what its conditions ask for, and no more. */
static void test_idle_dimension(void **state)
{
    (void)state;
    struct nadi_linear l = budget(3, 100);
    struct nadi_split_answer a;
    struct nadi_split s = {.dims = 3};
    const double bytes[] = {3, 0, 1};
    nadi_split_add_move(&s, bytes, 1);
    assert_int_equal(nadi_split_fastest(&s, &l, &a), NADI_SPLIT_FOUND);
    expect_near(a.b[0], 75, 1e-7);
    assert_true(a.b[1] < 1e-6);
    l.rows[l.count++] = (struct nadi_linear_row){.a = {0, -1, 0}, .limit = -20};
    assert_int_equal(nadi_split_fastest(&s, &l, &a), NADI_SPLIT_FOUND);
    expect_near(a.b[0], 60, 1e-7);
    expect_near(a.b[1], 20, 1e-7);
    expect_near(a.price[0], a.price[2], 1e-6);
    nadi_split_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_collective),
        cmocka_unit_test(test_against_a_grid),
        cmocka_unit_test(test_conditions_and_scale),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_idle_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
