/* The hierarchical pool: values worked out from the structure, bytes of every stage, latencies,
 * what is no pool. */
#include "pool/pool.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#define GIB (UINT64_C(1) << 30)
#define MIB (UINT64_C(1) << 20)

static struct nadi_pool pool_of(double group_gbps, double link_gbps)
{
    return (struct nadi_pool){.nodes = 16,
                              .npus = 16,
                              .switches = 16,
                              .groups = 256,
                              .gbps = {group_gbps, link_gbps, link_gbps},
                              .chunk_bytes = MIB};
}

static void four_rows(void **state)
{
    (void)state;
    static const struct {
        double group, link;
        bool shared;
        uint64_t rounds;
        double ms;
    } rows[] = {
        {100, 256, false, 1024, 10.7456}, {500, 256, false, 1024, 4.2005},
        {100, 512, false, 1024, 10.7415}, {500, 512, false, 1024, 2.1516},
        {100, 256, true, 4, 4.2703},      {500, 256, true, 4, 4.2619},
        {100, 512, true, 4, 2.1404},      {500, 512, true, 4, 2.1320},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int store = 0; store < 2; store++) {
            const struct nadi_pool pool = pool_of(rows[i].group, rows[i].link);
            const struct nadi_pool_transfer x = {GIB, rows[i].shared, store};
            const struct nadi_pool_time form = nadi_pool_form(&pool, &x);
            assert_int_equal(form.rounds, rows[i].rounds);
            if (fabs(nadi_time_in_ns(form.total) / 1e6 - rows[i].ms) > 0.5e-4)
                fail_msg("row %zu: %.6f ms, not %g", i, nadi_time_in_ns(form.total) / 1e6,
                         rows[i].ms);
            const bool groups = rows[i].group < 200 || rows[i].link > 500;
            assert_int_equal(form.slowest, rows[i].shared ? NADI_POOL_NPU
                                           : groups       ? NADI_POOL_GROUP
                                                          : NADI_POOL_OUT);
            if (rows[i].shared)
                assert_int_equal(nadi_pool_simulate(&pool, &x).total, form.total);
        }
    const struct nadi_pool pool = pool_of(500, 512);
    const struct nadi_pool_transfer x = {.bytes = GIB};
    assert_int_equal(nadi_pool_simulate(&pool, &x).total, nadi_pool_form(&pool, &x).total);
}

static void bytes_of_stages(void **state)
{
    (void)state;
    const struct nadi_pool pool = {
        .nodes = 3, .npus = 2, .switches = 4, .groups = 8, .gbps = {1, 2, 3}, .chunk_bytes = 100};
    for (int store = 0; store < 2; store++)
        for (uint64_t bytes = 1; bytes < 5000; bytes += 333) {
            const struct nadi_pool_transfer own = {bytes, false, store},
                                            same = {bytes, true, store};
            const struct nadi_pool_time a = nadi_pool_simulate(&pool, &own);
            const struct nadi_pool_time b = nadi_pool_simulate(&pool, &same);
            for (int s = 0; s < NADI_POOL_STAGES; s++)
                assert_int_equal(a.bytes[s], 6 * bytes);
            assert_int_equal(b.bytes[NADI_POOL_GROUP], bytes); /* in-switch gather: W once */
            assert_int_equal(b.bytes[NADI_POOL_OUT], 3 * bytes);
            assert_int_equal(b.bytes[NADI_POOL_NPU], 6 * bytes);
        }
}

static void latencies_once(void **state)
{
    (void)state;
    struct nadi_pool pool = {
        .nodes = 2, .npus = 2, .switches = 2, .groups = 4, .gbps = {1, 1, 1}, .chunk_bytes = 1000};
    const struct nadi_pool_transfer x = {.bytes = 5000};
    /* 4,000 B a round on 4 groups, links and NPUs: 1,000 ns each; 5 rounds */
    assert_int_equal(nadi_pool_simulate(&pool, &x).total, nadi_time_from_ns(7000));
    for (int s = 0; s < NADI_POOL_STAGES; s++)
        pool.latency_ns[s] = 10 * (s + 1);
    assert_int_equal(nadi_pool_simulate(&pool, &x).total, nadi_time_from_ns(7060));
    assert_int_equal(nadi_pool_form(&pool, &x).total, nadi_time_from_ns(7060));
    const struct nadi_pool_transfer nothing = {.bytes = 0};
    assert_int_equal(nadi_pool_form(&pool, &nothing).total, 0);
    assert_int_equal(nadi_pool_simulate(&pool, &nothing).total, 0);
    assert_int_equal(nadi_pool_simulate(&pool, &x).events, nadi_pool_events(&pool, &x));
}

static void beyond_the_clock(void **state)
{
    (void)state;
    const struct nadi_pool pool = pool_of(1e-9, 1e-9);
    const struct nadi_pool_transfer x = {.bytes = UINT64_MAX};
    assert_int_equal(nadi_pool_form(&pool, &x).total, NADI_TIME_NEVER);
    assert_true(nadi_pool_events(&pool, &x) > 1000000);
}

static void no_pools(void **state)
{
    (void)state;
    struct nadi_pool pool = pool_of(100, 100);
    assert_null(nadi_pool_refusal(&pool));
    pool.groups = 250;
    assert_non_null(strstr(nadi_pool_refusal(&pool), "multiple of out-node switches"));
    pool = pool_of(100, 0);
    assert_non_null(strstr(nadi_pool_refusal(&pool), "more than 0"));
    pool = pool_of(100, 100);
    pool.latency_ns[1] = -1;
    assert_non_null(nadi_pool_refusal(&pool));
    pool = pool_of(100, 100);
    pool.chunk_bytes = 0;
    assert_non_null(strstr(nadi_pool_refusal(&pool), "chunk"));
    pool = pool_of(100, 100);
    pool.nodes = 0;
    assert_non_null(strstr(nadi_pool_refusal(&pool), "at least one"));
    pool.nodes = pool.npus = 1U << 20;
    assert_non_null(strstr(nadi_pool_refusal(&pool), "too many"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_rows),      cmocka_unit_test(bytes_of_stages),
        cmocka_unit_test(latencies_once), cmocka_unit_test(beyond_the_clock),
        cmocka_unit_test(no_pools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
