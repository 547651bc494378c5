/* The least assignment: against all permutations, and by the proof that prices give. */
#include "base/mem.h"
#include "base/rng.h"
#include "partition/assign.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static double brute(const struct nadi_assign *a, uint32_t row, uint32_t *left)
{
    double best = INFINITY;
    if (row == a->rows)
        return 0;
    for (uint32_t k = 0; k < a->workers; k++)
        if (left[k]) {
            left[k]--;
            const double cost = a->cost[row * a->workers + k] + brute(a, row + 1, left);
            left[k]++;
            best = cost < best ? cost : best;
        }
    return best;
}

static void test_brute_force(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 400; seed++) {
        struct nadi_rng rng;
        double cost[8 * 8];
        uint32_t capacity[8], worker[8], used[8] = {0}, room = 0;
        nadi_rng_init(&rng, seed, "assign");
        struct nadi_assign a = {.cost = cost, .capacity = capacity};
        a.rows = 1 + (uint32_t)nadi_rng_below(&rng, 7);
        a.workers = 1 + (uint32_t)nadi_rng_below(&rng, 5);
        for (uint32_t k = 0; k < a.workers; k++)
            room += capacity[k] = (uint32_t)nadi_rng_below(&rng, 4);
        if (room < a.rows)
            capacity[0] += a.rows - room;
        const bool ties = seed % 2;
        for (uint32_t i = 0; i < a.rows * a.workers; i++)
            cost[i] = ties ? (double)nadi_rng_below(&rng, 4) : 10 * nadi_rng_unit(&rng) - 5;
        const double found = nadi_assign_solve(&a, worker, NULL);
        for (uint32_t r = 0; r < a.rows; r++)
            used[worker[r]]++;
        for (uint32_t k = 0; k < a.workers; k++)
            assert_true(used[k] <= capacity[k]);
        if (fabs(found - brute(&a, 0, capacity)) > 1e-9)
            fail_msg("seed %u: %g instead of %g", seed, found, brute(&a, 0, capacity));
    }
}

/* Prices v <= 0 with cost - v least at each row's worker, and 0 where there is room, bound every
 * assignment from below by what this one costs. */
static void check_proof(const struct nadi_assign *a, const uint32_t *worker, const double *price,
                        uint32_t seed)
{
    uint32_t *used = NADI_ZNEW(uint32_t, a->workers);
    for (uint32_t r = 0; r < a->rows; r++) {
        const double *cost = a->cost + (size_t)r * a->workers;
        used[worker[r]]++;
        for (uint32_t k = 0; k < a->workers; k++)
            if (cost[worker[r]] - price[worker[r]] > cost[k] - price[k] + 1e-9)
                fail_msg("seed %u: row %u would rather be on %u", seed, r, k);
    }
    for (uint32_t k = 0; k < a->workers; k++) {
        assert_true(used[k] <= a->capacity[k]);
        if (price[k] > 1e-12 || (used[k] < a->capacity[k] && fabs(price[k]) > 0))
            fail_msg("seed %u: worker %u has price %g", seed, k, price[k]);
    }
    nadi_mem_free(used);
}

static void test_proof(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++) {
        struct nadi_rng rng;
        nadi_rng_init(&rng, seed, "proof");
        const uint32_t rows = 1 + (uint32_t)nadi_rng_below(&rng, 200);
        const bool square = seed % 3 == 0;
        const uint32_t workers = square ? rows : 1 + (uint32_t)nadi_rng_below(&rng, 16);
        double *cost = NADI_NEW(double, rows *workers);
        double *price = NADI_NEW(double, workers);
        uint32_t *capacity = NADI_NEW(uint32_t, workers), *worker = NADI_NEW(uint32_t, rows);
        for (uint32_t k = 0; k < workers; k++)
            capacity[k] = square ? 1 : (rows + workers - 1) / workers + (uint32_t)(k % 2);
        for (uint32_t i = 0; i < rows * workers; i++)
            cost[i] = seed % 2 ? (double)nadi_rng_below(&rng, 30) : nadi_rng_unit(&rng);
        const struct nadi_assign a = {cost, capacity, rows, workers};
        (void)nadi_assign_solve(&a, worker, price);
        check_proof(&a, worker, price, seed);
        nadi_mem_free(cost);
        nadi_mem_free(price);
        nadi_mem_free(capacity);
        nadi_mem_free(worker);
    }
}

/* More rows than one exact assignment takes: capacities hold, and no block is worse than alone. */
static void test_blocks(void **state)
{
    (void)state;
    enum { ROWS = NADI_ASSIGN_MOST + 1001, WORKERS = 3 };
    struct nadi_rng rng;
    nadi_rng_init(&rng, 1, "blocks");
    double *cost = NADI_NEW(double, ROWS *WORKERS);
    uint32_t *worker = NADI_NEW(uint32_t, ROWS), used[WORKERS] = {0};
    const uint32_t capacity[WORKERS] = {ROWS / 3, ROWS / 3, ROWS - 2 * (ROWS / 3)};
    for (uint32_t i = 0; i < ROWS * WORKERS; i++)
        cost[i] = nadi_rng_unit(&rng);
    const struct nadi_assign a = {cost, capacity, ROWS, WORKERS};
    const double sum = nadi_assign_solve(&a, worker, NULL);
    for (uint32_t r = 0; r < ROWS; r++)
        used[worker[r]]++;
    for (uint32_t k = 0; k < WORKERS; k++)
        assert_int_equal(used[k], capacity[k]);
    assert_true(sum > 0.2 * ROWS && sum < 0.3 * ROWS); /* of three draws the least: a quarter */
    nadi_mem_free(cost);
    nadi_mem_free(worker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force),
        cmocka_unit_test(test_proof),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
