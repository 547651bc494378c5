/* Pools drawn at random: the simulation takes what the form says, to the picosecond, and moves the
 * same bytes; more bandwidth never costs time; what is not the slowest stage matters by less than
 * one round. */
#include "pool/pool.h"

#include "base/rng.h"

#include <setjmp.h>

#include <cmocka.h>

enum { POOLS = 400, MOST_ROUNDS = 24 };

static double draw_rate(struct nadi_rng *rng)
{
    return 0.5 + (double)nadi_rng_below(rng, 10000) / 10;
}

static struct nadi_pool draw(struct nadi_rng *rng)
{
    struct nadi_pool p = {.nodes = 1 + (uint32_t)nadi_rng_below(rng, 5),
                          .npus = 1 + (uint32_t)nadi_rng_below(rng, 5),
                          .switches = 1 + (uint32_t)nadi_rng_below(rng, 5),
                          .chunk_bytes = 1 + nadi_rng_below(rng, 100000)};
    p.groups = p.switches * (1 + (uint32_t)nadi_rng_below(rng, 5));
    for (int s = 0; s < NADI_POOL_STAGES; s++) {
        p.gbps[s] = draw_rate(rng);
        p.latency_ns[s] = nadi_rng_below(rng, 2) ? 0 : (double)nadi_rng_below(rng, 5000) / 2;
    }
    return p;
}

static void simulation_is_form(void **state)
{
    (void)state;
    struct nadi_rng rng;
    nadi_rng_init(&rng, 1, "pool");
    uint32_t compared = 0;
    for (uint32_t i = 0; i < POOLS; i++) {
        const struct nadi_pool p = draw(&rng);
        assert_null(nadi_pool_refusal(&p));
        for (uint64_t rounds = 1; rounds <= MOST_ROUNDS; rounds++)
            for (int which = 0; which < 4; which++) {
                const bool shared = which & 1;
                const uint64_t sharers = shared ? 1 : p.nodes * p.npus;
                const uint64_t most = rounds * p.groups * p.chunk_bytes / sharers;
                const struct nadi_pool_transfer x = {
                    most - nadi_rng_below(&rng, p.chunk_bytes / sharers + 1), shared, which & 2};
                const struct nadi_pool_time form = nadi_pool_form(&p, &x);
                const struct nadi_pool_time run = nadi_pool_simulate(&p, &x);
                if (run.total != form.total)
                    fail_msg("pool %u, %llu rounds, %s %s: %lld ps, form %lld ps", i,
                             (unsigned long long)form.rounds, shared ? "same" : "own",
                             x.store ? "stored" : "loaded", (long long)run.total,
                             (long long)form.total);
                for (int s = 0; s < NADI_POOL_STAGES; s++)
                    assert_int_equal(run.bytes[s], form.bytes[s]);
                assert_int_equal(run.events, nadi_pool_events(&p, &x));
                compared++;
            }
    }
    assert_int_equal(compared, POOLS * MOST_ROUNDS * 4);
}

static void more_is_never_slower(void **state)
{
    (void)state;
    struct nadi_rng rng;
    nadi_rng_init(&rng, 2, "pool");
    for (uint32_t i = 0; i < POOLS * 10; i++) {
        const struct nadi_pool p = draw(&rng);
        const struct nadi_pool_transfer x = {nadi_rng_below(&rng, 10000000), i & 1, i & 2};
        const struct nadi_pool_time before = nadi_pool_form(&p, &x);
        for (int s = 0; s < NADI_POOL_STAGES; s++) {
            struct nadi_pool more = p;
            more.gbps[s] *= 2;
            const struct nadi_pool_time after = nadi_pool_form(&more, &x);
            assert_true(after.total <= before.total);
            if (s != (int)before.slowest)
                assert_true(before.total - after.total <= before.stage[s]);
            else if (before.rounds > 0)
                assert_true(after.total < before.total);
        }
        const struct nadi_pool_transfer longer = {x.bytes + 1 + i, x.shared, x.store};
        assert_true(nadi_pool_form(&p, &longer).total >= before.total);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulation_is_form),
        cmocka_unit_test(more_is_never_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
