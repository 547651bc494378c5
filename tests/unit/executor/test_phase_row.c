/* Chunks in a row against the same chunks one by one: drawn rings, starts, and ends of the run. */
#include "executor/phase_row.h"

#include "base/rng.h"
#include "engine/engine.h"
#include "network/models.h"
#include "support/between.h"

#include <setjmp.h>

#include <cmocka.h>

enum { MOST = 12, CASES = 3000 };

struct set_up {
    struct nadi_topology topology;
    struct nadi_engine *engine;
    struct nadi_network *network;
    struct nadi_phase phase;
    uint32_t ranks[MOST];
    int64_t start[MOST], end[MOST], scratch[6 * MOST];
    struct nadi_phase_solver solver;
    struct nadi_phase_row row;
};

static void open_case(struct set_up *x, struct nadi_rng *rng)
{
    const uint32_t n = (uint32_t)rng_between(rng, 2, MOST);
    *x = (struct set_up){.topology = {.dim_count = 1}};
    x->topology.dims[0] = (struct nadi_dim){.kind = NADI_DIM_RING,
                                            .npus = n,
                                            .bytes_per_ns = 1,
                                            .latency_ns = (double)rng_between(rng, 0, 50)};
    assert_true(nadi_topology_finish(&x->topology));
    x->engine = nadi_engine_create(n);
    const struct nadi_network_setup network = {.topology = &x->topology, .engine = x->engine};
    x->network = nadi_network_unaware.create(&network);
    x->phase = (struct nadi_phase){.algorithm = NADI_ALGORITHM_RING,
                                   .op = NADI_PHASE_ALL_REDUCE,
                                   .n = n,
                                   .stride = 1,
                                   .first = 1,
                                   .rest = 1,
                                   .sends = (uint32_t)rng_between(rng, (int)n - 1, 2 * (int)n - 2),
                                   .bytes = 100,
                                   .message_bytes = (uint64_t)rng_between(rng, 1, 100)};
    for (uint32_t i = 0; i < n; i++)
        x->ranks[i] = i;
    x->solver = (struct nadi_phase_solver){.phase = &x->phase,
                                           .n = n,
                                           .clockwise = true,
                                           .endpoint_ns = rng_between(rng, 0, 20),
                                           .network = x->network,
                                           .ranks = x->ranks,
                                           .start = x->start,
                                           .end = x->end,
                                           .scratch = x->scratch};
    x->row = (struct nadi_phase_row){.m = &x->solver,
                                     .start = x->start,
                                     .end = x->end,
                                     .places = n,
                                     .last_ns = x->solver.endpoint_ns,
                                     .until_ns = NADI_TIME_NEVER / NADI_PS_PER_NS};
}

static void close_case(struct set_up *x)
{
    nadi_network_destroy(x->network);
    nadi_engine_destroy(x->engine);
}

/* Chunk after chunk, each a row of its own. */
static uint64_t one_by_one(struct set_up *x, uint64_t chunks, int64_t end[MOST], int64_t *passed)
{
    const uint32_t n = x->phase.n;
    uint64_t solved = 0;
    bool all = true;
    *passed = 0; /* so far is the clock when all have begun: */
    for (uint32_t i = 0; i < n; i++)
        *passed = nadi_max_i64(*passed, x->start[i]);
    while (solved < chunks && all) {
        x->row.left = 1;
        assert_null(nadi_phase_row_solve(&x->row));
        solved++;
        for (uint32_t i = 0; i < n; i++) {
            end[i] = x->start[i] = x->end[i];
            all &= end[i] <= x->row.until_ns;
            if (end[i] <= x->row.until_ns)
                *passed = nadi_max_i64(*passed, end[i]);
        }
    }
    if (solved == chunks)
        *passed = -1;
    for (uint32_t i = 0; i < n && solved < chunks; i++)
        end[i] = NADI_TIME_NEVER;
    return solved;
}

static void drawn(void **state)
{
    (void)state;
    struct nadi_rng rng;
    uint64_t stopped = 0, late = 0;
    nadi_rng_init(&rng, 1, "phase row");
    for (uint32_t i = 0; i < CASES; i++) {
        struct set_up x;
        int64_t start[MOST], want[MOST], passed;
        open_case(&x, &rng);
        const uint64_t chunks = (uint64_t)rng_between(&rng, 1, 9);
        const bool spread = i % 3 == 0;
        for (uint32_t k = 0; k < x.phase.n; k++)
            start[k] = spread ? rng_between(&rng, 0, 2000) : 100;
        if (!spread)
            start[0] += rng_between(&rng, 0, 500);
        late += start[0] > 100;
        if (i % 4 == 0)
            x.row.until_ns = rng_between(&rng, 2000, 6000);
        memcpy(x.start, start, sizeof(start));
        const uint64_t solved = one_by_one(&x, chunks, want, &passed);
        memcpy(x.start, start, sizeof(start));
        x.row.left = chunks;
        assert_null(nadi_phase_row_solve(&x.row));
        assert_int_equal(x.row.solved, solved);
        assert_int_equal(x.row.passed_ns, passed);
        for (uint32_t k = 0; k < x.phase.n; k++)
            assert_int_equal(x.end[k], want[k]);
        stopped += solved < chunks;
        close_case(&x);
    }
    assert_true(stopped > CASES / 20 && stopped < CASES / 4 && late > CASES / 2);
}

/* Of so many chunks that nobody could wait for them one by one. */
static void many(void **state)
{
    (void)state;
    int64_t start = 10, end;
    struct nadi_phase_row row = {.start = &start,
                                 .end = &end,
                                 .places = 1,
                                 .has_lockstep = true,
                                 .lockstep_ns = 7,
                                 .until_ns = NADI_TIME_NEVER / NADI_PS_PER_NS,
                                 .left = UINT64_C(1) << 40};
    assert_null(nadi_phase_row_solve(&row));
    assert_int_equal(end, 10 + (INT64_C(7) << 40));
    start = 10;
    row.left = UINT64_C(1) << 52;
    row.lockstep_ns = 1 << 20;
    assert_null(nadi_phase_row_solve(&row));
    assert_int_equal(end, NADI_TIME_NEVER);
    assert_int_equal(row.solved, (row.until_ns - 10) / row.lockstep_ns + 1);
    assert_int_equal(row.passed_ns, 10 + ((row.until_ns - 10) / row.lockstep_ns) * row.lockstep_ns);
}

/* A chunk that somebody ends before all have begun it is no row. */
static void early(void **state)
{
    (void)state;
    struct nadi_rng rng;
    struct set_up x;
    nadi_rng_init(&rng, 1, "early");
    do {
        open_case(&x, &rng);
        close_case(&x);
    } while (x.phase.n < 4);
    open_case(&x, &rng);
    x.phase.sends = 1;
    for (uint32_t i = 0; i < x.phase.n; i++)
        x.start[i] = i ? 0 : 1000000;
    x.row.left = 2;
    assert_string_equal(nadi_phase_row_solve(&x.row), nadi_phase_row_early);
    close_case(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn),
        cmocka_unit_test(many),
        cmocka_unit_test(early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
