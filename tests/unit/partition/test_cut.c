/* A layer taken apart: against all placements and supports, and at the ends of its prices. */
#include "base/mem.h"
#include "base/rng.h"
#include "partition/cut.h"
#include "partition/matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MOST = 8, LAYERS = 1000 };

struct layer {
    double weights[MOST * MOST], gram[MOST * MOST], diagonal[MOST], bytes[MOST];
    uint32_t start[MOST + 1], unit[MOST], owner[MOST], capacity[4];
    struct nadi_cut_block block;
    struct nadi_layer_cut cut;
};

static double normal(struct nadi_rng *rng)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += nadi_rng_unit(rng);
    return sum;
}

static void draw(struct layer *l, uint32_t seed, bool full)
{
    struct nadi_rng rng;
    double x[MOST][3 * MOST];
    nadi_rng_init(&rng, seed, "layer");
    const uint32_t rows = 1 + (uint32_t)nadi_rng_below(&rng, MOST);
    const uint32_t columns = 1 + (uint32_t)nadi_rng_below(&rng, MOST);
    const uint32_t workers = 2 + (uint32_t)nadi_rng_below(&rng, 3);
    for (uint32_t i = 0; i < columns; i++) {
        l->start[i] = i;
        l->owner[i] = (uint32_t)nadi_rng_below(&rng, workers);
        l->bytes[i] = 1;
        for (uint32_t t = 0; t < 3 * MOST; t++)
            x[i][t] = normal(&rng) + (i ? 0.7 * x[i - 1][t] : 0);
    }
    l->start[columns] = columns;
    for (uint32_t i = 0; i < columns; i++)
        for (uint32_t m = 0; m < columns; m++) {
            double sum = 0;
            for (uint32_t t = 0; t < 3 * MOST; t++)
                sum += x[i][t] * x[m][t] / (3 * MOST);
            l->gram[i * columns + m] = sum;
            if (i == m)
                l->diagonal[i] = sum;
        }
    for (uint32_t i = 0; i < rows * columns; i++)
        l->weights[i] = normal(&rng);
    for (uint32_t j = 0; j < rows; j++)
        l->unit[j] = j;
    for (uint32_t k = 0; k < workers; k++)
        l->capacity[k] = (rows + workers - 1) / workers;
    l->block = (struct nadi_cut_block){.rows = rows,
                                       .groups = columns,
                                       .columns = columns,
                                       .workers = workers,
                                       .start = l->start,
                                       .unit = l->unit,
                                       .owner = l->owner,
                                       .bytes = l->bytes,
                                       .weights = l->weights,
                                       .gram = full ? l->gram : NULL,
                                       .diagonal = l->diagonal};
    l->cut = (struct nadi_layer_cut){.blocks = &l->block,
                                     .block_count = 1,
                                     .units = rows,
                                     .workers = workers,
                                     .capacity = l->capacity,
                                     .lambda = 0.3 * nadi_rng_unit(&rng),
                                     .mu = nadi_rng_unit(&rng),
                                     .rounds = 4,
                                     .threads = 1};
}

/* |w' - w|^2 of the best w' on a support: the Schur complement, by elimination of what stays. */
static double support_error(const struct layer *l, uint32_t row, uint32_t support)
{
    const uint32_t n = l->block.columns;
    double a[MOST * MOST], error = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t m = 0; m < n; m++)
            a[i * n + m] = l->block.gram ? l->gram[i * n + m] : i == m ? l->diagonal[i] : 0;
    for (uint32_t p = 0; p < n; p++)
        if (support >> p & 1)
            for (uint32_t i = 0; i < n; i++)
                if (i != p) {
                    const double f = a[i * n + p] / a[p * n + p];
                    for (uint32_t m = 0; m < n; m++)
                        a[i * n + m] -= f * a[p * n + m];
                }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t m = 0; m < n; m++)
            if (!(support >> i & 1) && !(support >> m & 1))
                error += l->weights[row * n + i] * a[i * n + m] * l->weights[row * n + m];
    return error;
}

static double row_cost(const struct layer *l, uint32_t row, uint32_t worker)
{
    double best = INFINITY;
    for (uint32_t support = 0; support < 1U << l->block.columns; support++) {
        double cost = support_error(l, row, support);
        for (uint32_t i = 0; i < l->block.columns; i++)
            if (support >> i & 1)
                cost += l->cut.lambda + (l->owner[i] != worker ? l->cut.mu : 0);
        best = cost < best ? cost : best;
    }
    return best;
}

static double best_placement(const double (*cost)[4], uint32_t row, uint32_t rows, uint32_t workers,
                             uint32_t *left)
{
    double best = INFINITY;
    if (row == rows)
        return 0;
    for (uint32_t k = 0; k < workers; k++)
        if (left[k]) {
            left[k]--;
            const double sum = cost[row][k] + best_placement(cost, row + 1, rows, workers, left);
            left[k]++;
            best = sum < best ? sum : best;
        }
    return best;
}

static double brute(struct layer *l)
{
    double cost[MOST][4];
    for (uint32_t r = 0; r < l->block.rows; r++)
        for (uint32_t k = 0; k < l->cut.workers; k++)
            cost[r][k] = row_cost(l, r, k);
    return best_placement((const double(*)[4])cost, 0, l->block.rows, l->cut.workers, l->capacity);
}

static void check_capacities(const struct layer *l, const struct nadi_cut_answer *a)
{
    uint32_t used[4] = {0};
    for (uint32_t u = 0; u < l->cut.units; u++)
        assert_true(++used[a->worker[u]] <= l->capacity[a->worker[u]]);
}

static void test_diagonal(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < LAYERS; seed++) {
        struct layer l;
        struct nadi_cut_answer a;
        draw(&l, seed, false);
        nadi_cut_solve(&l.cut, &a);
        check_capacities(&l, &a);
        const double best = brute(&l);
        if (fabs(a.objective - best) > 1e-9 * (1 + best))
            fail_msg("seed %u: %.12g instead of %.12g", seed, a.objective, best);
        nadi_cut_release(&l.cut, &a);
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void test_full(void **state)
{
    (void)state;
    double *over = NADI_NEW(double, LAYERS);
    for (uint32_t seed = 0; seed < LAYERS; seed++) {
        struct layer l;
        struct nadi_cut_answer a;
        draw(&l, seed, true);
        nadi_cut_solve(&l.cut, &a);
        check_capacities(&l, &a);
        const double best = brute(&l);
        over[seed] = a.objective / best - 1;
        if (over[seed] > 0.05 || over[seed] < -1e-9)
            fail_msg("seed %u: %.12g instead of %.12g", seed, a.objective, best);
        nadi_cut_release(&l.cut, &a);
    }
    qsort(over, LAYERS, sizeof(*over), by_value);
    assert_true(over[LAYERS / 2] < 1e-9);
    print_message("worst of %u: %.3g %%\n", LAYERS, 100 * over[LAYERS - 1]);
    nadi_mem_free(over);
}

/* No prices: nothing changes. Crossing at any price: independent parts. Weights at any price: none
 * is left. */
static void test_ends(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++)
        for (int kind = 0; kind < 4; kind++) {
            struct layer l;
            struct nadi_cut_answer a;
            draw(&l, seed, kind & 1);
            l.cut.by_transfer = kind & 2;
            l.cut.lambda = l.cut.mu = 0;
            nadi_cut_solve(&l.cut, &a);
            assert_true(a.error < 1e-12);
            nadi_cut_release(&l.cut, &a);
            l.cut.mu = 1e12;
            nadi_cut_solve(&l.cut, &a);
            assert_true(a.crosses < 0.5);
            nadi_cut_release(&l.cut, &a);
            l.cut.lambda = 1e12;
            nadi_cut_solve(&l.cut, &a);
            assert_int_equal(a.kept, 0);
            nadi_cut_release(&l.cut, &a);
        }
}

/* A dearer crossing never crosses more, by weights with a diagonal G, where the answer is exact. */
static void test_monotone(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++) {
        double before = INFINITY;
        for (double mu = 0.01; mu < 100; mu *= 2) {
            struct layer l;
            struct nadi_cut_answer a;
            draw(&l, seed, false);
            l.cut.mu = mu;
            nadi_cut_solve(&l.cut, &a);
            assert_true(a.crosses <= before);
            before = a.crosses;
            nadi_cut_release(&l.cut, &a);
        }
    }
}

/* A permuted block-diagonal matrix with noise: the blocks are found and hardly anything crosses. */
static void test_planted(void **state)
{
    (void)state;
    enum { N = 48, K = 4 };
    for (uint32_t seed = 0; seed < 20; seed++) {
        struct nadi_rng rng;
        double weights[N * N], diagonal[N], bytes[N];
        uint32_t start[N + 1], unit[N], owner[N], planted[N],
            capacity[K] = {N / K, N / K, N / K, N / K};
        nadi_rng_init(&rng, seed, "planted");
        for (uint32_t i = 0; i < N; i++) {
            start[i] = unit[i] = planted[i] = i;
            owner[i] = i % K;
            diagonal[i] = bytes[i] = 1;
        }
        start[N] = N;
        for (uint32_t i = N - 1; i > 0; i--) {
            const uint32_t m = (uint32_t)nadi_rng_below(&rng, i + 1), keep = planted[i];
            planted[i] = planted[m];
            planted[m] = keep;
        }
        for (uint32_t j = 0; j < N; j++)
            for (uint32_t i = 0; i < N; i++)
                weights[j * N + i] =
                    planted[j] % K == owner[i] ? 1 + 0.1 * normal(&rng) : 0.05 * normal(&rng);
        const struct nadi_cut_block block = {.rows = N,
                                             .groups = N,
                                             .columns = N,
                                             .workers = K,
                                             .start = start,
                                             .unit = unit,
                                             .owner = owner,
                                             .bytes = bytes,
                                             .weights = weights,
                                             .diagonal = diagonal};
        for (int by_transfer = 0; by_transfer < 2; by_transfer++) {
            const struct nadi_layer_cut cut = {.blocks = &block,
                                               .block_count = 1,
                                               .units = N,
                                               .workers = K,
                                               .capacity = capacity,
                                               .mu = 0.3,
                                               .by_transfer = by_transfer,
                                               .rounds = 4,
                                               .threads = 2};
            struct nadi_cut_answer a;
            nadi_cut_solve(&cut, &a);
            for (uint32_t j = 0; j < N; j++)
                assert_int_equal(a.worker[j], planted[j] % K);
            assert_true(a.crosses < 0.5);
            nadi_cut_release(&cut, &a);
        }
    }
}

/* The weights that stay are those of least squares: no step along them makes the error less. */
static void test_least_squares(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++)
        for (int by_transfer = 0; by_transfer < 2; by_transfer++) {
            struct layer l;
            struct nadi_cut_answer a;
            draw(&l, seed, true);
            l.cut.by_transfer = by_transfer;
            nadi_cut_solve(&l.cut, &a);
            const uint32_t n = l.block.columns;
            for (uint32_t r = 0; r < l.block.rows; r++)
                for (uint32_t i = 0; i < n; i++) {
                    double slope = 0;
                    for (uint32_t m = 0; m < n; m++)
                        slope +=
                            l.gram[i * n + m] * (a.weights[0][r * n + m] - l.weights[r * n + m]);
                    if (fabs(a.weights[0][r * n + i]) > 0 && fabs(slope) > 1e-7)
                        fail_msg("seed %u: row %u, column %u: slope %g", seed, r, i, slope);
                }
            nadi_cut_release(&l.cut, &a);
        }
}

static void test_factor(void **state)
{
    (void)state;
    enum { N = 150 };
    struct nadi_rng rng;
    double *a = NADI_NEW(double, N *N), *u = NADI_NEW(double, N *N);
    nadi_rng_init(&rng, 1, "factor");
    for (uint32_t i = 0; i < N * N; i++)
        u[i] = normal(&rng);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t m = 0; m < N; m++) {
            a[i * N + m] = i == m ? 1 : 0;
            for (uint32_t t = 0; t < N; t++)
                a[i * N + m] += u[i * N + t] * u[m * N + t];
        }
    memcpy(u, a, N * N * sizeof(*u));
    nadi_matrix_factor(u, N, 1e-12);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t m = i; m < N; m++) {
            double sum = 0;
            for (uint32_t t = 0; t <= i; t++)
                sum += u[t * N + i] * u[t * N + m];
            assert_true(fabs(sum - a[i * N + m]) < 1e-8);
        }
    nadi_mem_free(a);
    nadi_mem_free(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagonal), cmocka_unit_test(test_full),
        cmocka_unit_test(test_ends),     cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_planted),  cmocka_unit_test(test_least_squares),
        cmocka_unit_test(test_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
