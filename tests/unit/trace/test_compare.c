/* Longest common sequences against dynamic programming, and long ones through several windows. */
#include "base/mem.h"
#include "base/rng.h"
#include "trace/edit/compare.h"

#include <setjmp.h>

#include <cmocka.h>

enum { MOST = 60, LONG = 6000 };

/* Ascending on both sides, inverse of each other, only equal items; returns how many. */
static uint32_t check_match(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m,
                            const uint32_t *match, const uint32_t *back)
{
    uint32_t count = 0, next = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (match[i] == NADI_NONE)
            continue;
        assert_true(match[i] >= next && match[i] < m);
        assert_int_equal(a[i], b[match[i]]);
        assert_int_equal(back[match[i]], i);
        next = match[i] + 1;
        count++;
    }
    for (uint32_t j = 0; j < m; j++)
        assert_true(back[j] == NADI_NONE || match[back[j]] == j);
    return count;
}

static uint32_t longest(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m)
{
    static uint32_t best[MOST + 1][MOST + 1];
    for (uint32_t i = 0; i <= n; i++) {
        for (uint32_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0)
                best[i][j] = 0;
            else if (a[i - 1] == b[j - 1])
                best[i][j] = best[i - 1][j - 1] + 1;
            else
                best[i][j] = best[i - 1][j] > best[i][j - 1] ? best[i - 1][j] : best[i][j - 1];
        }
    }
    return best[n][m];
}

static void as_long_as_possible(void **state)
{
    uint64_t a[MOST], b[MOST];
    uint32_t match[MOST], back[MOST];
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct nadi_rng r;
        nadi_rng_init(&r, seed, "compare");
        const uint64_t letters = 1 + nadi_rng_below(&r, 6);
        const uint32_t n = (uint32_t)nadi_rng_below(&r, MOST + 1);
        const uint32_t m = (uint32_t)nadi_rng_below(&r, MOST + 1);
        for (uint32_t i = 0; i < n; i++)
            a[i] = nadi_rng_below(&r, letters);
        for (uint32_t j = 0; j < m; j++)
            b[j] = nadi_rng_below(&r, letters);
        nadi_compare_sequences(a, n, b, m, match, back);
        /* Beginning with what both begin with loses nothing. */
        assert_int_equal(check_match(a, n, b, m, match, back), longest(a, n, b, m));
    }
}

static void many_windows(void **state)
{
    uint64_t *a = NADI_NEW(uint64_t, LONG), *b = NADI_NEW(uint64_t, LONG);
    uint32_t *match = NADI_NEW(uint32_t, LONG), *back = NADI_NEW(uint32_t, LONG);
    struct nadi_rng r;
    uint32_t m = 0;
    (void)state;
    nadi_rng_init(&r, 1, "compare long");
    for (uint32_t i = 0; i < LONG; i++)
        a[i] = nadi_rng_below(&r, 50);
    for (uint32_t i = 0; i < LONG && m < LONG; i++) { /* every fourth is missing */
        if (nadi_rng_below(&r, 4))
            b[m++] = a[i];
    }
    nadi_compare_sequences(a, LONG, b, m, match, back);
    assert_true(check_match(a, LONG, b, m, match, back) > m * 9 / 10);
    for (uint32_t j = 0; j < LONG; j++) /* nothing in common */
        b[j] = 1000 + j;
    nadi_compare_sequences(a, LONG, b, LONG, match, back);
    assert_int_equal(check_match(a, LONG, b, LONG, match, back), 0);
    nadi_mem_free(a);
    nadi_mem_free(b);
    nadi_mem_free(match);
    nadi_mem_free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_long_as_possible),
        cmocka_unit_test(many_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
