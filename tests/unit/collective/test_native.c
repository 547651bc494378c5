/* The reference's algorithms by the interface of step generators: their data come out right, and
 * every message, peer, size and reduction is the one that their executors take. */
#include "base/arena.h"
#include "collective/native.h"
#include "collective/verify.h"
#include "sim/run.h"
#include "support/job.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static const struct nadi_verify_machine machine = {.alpha = 500, .beta = 1, .gamma = 0.25};

static uint32_t sizes_of_group(uint32_t i)
{
    return i < 16 ? i + 2 : i == 16 ? 32 : 64;
}

enum { GROUP_SIZES = 18 };

static const struct nadi_group world = {.is_world = true};

/* The one phase of a collective on n members. */
static bool make_plan(enum nadi_algorithm algorithm, enum nadi_native_kind kind, uint32_t n,
                      uint32_t window, uint64_t bytes, bool exact, struct nadi_plan *plan)
{
    struct nadi_topology t = {
        .dim_count = 1, .dims = {{.kind = NADI_DIM_FULLY_CONNECTED, .npus = n, .bytes_per_ns = 1}}};
    struct nadi_group group = world;
    struct nadi_implementation impl = {.count = 1,
                                       .dims = {{.algorithm = algorithm, .window = window}}};
    assert_true(nadi_topology_finish(&t));
    group.size = n;
    const struct nadi_plan_request request = {.topology = &t,
                                              .group = &group,
                                              .implementation = &impl,
                                              .kind = kind,
                                              .splits = 1,
                                              .bytes = bytes,
                                              .involved = UINT32_MAX,
                                              .exact = exact};
    assert_true(nadi_plan_make(&request, plan));
    assert_int_equal(plan->phase_count, 1);
    return nadi_algorithm_can_run(algorithm, plan->phases[0].op, n) &&
           !(algorithm == NADI_ALGORITHM_HALVING_DOUBLING && (n & (n - 1)));
}

/* Message by message, in the order of the steps of all queues. */
static void same_messages(const struct nadi_program *p, const struct nadi_phase *phase,
                          const struct nadi_phase *phases, uint32_t member)
{
    uint32_t longest = 0, message = 0, added = 0, reductions = 0;
    for (uint32_t l = 0; l < p->queues; l++)
        longest = p->ops->steps(p, member, l) > longest ? p->ops->steps(p, member, l) : longest;
    for (uint32_t k = 0; k < longest; k++)
        for (uint32_t l = 0; l < p->queues; l++) {
            if (k >= p->ops->steps(p, member, l))
                continue;
            const struct nadi_step s = nadi_program_step(p, member, l, k);
            added += s.reduces;
            if (s.to == NADI_NONE)
                continue;
            assert_int_equal(s.to, nadi_phase_destination(phase, member, message, true));
            const uint64_t bytes = phase->uneven
                                       ? nadi_plan_share_bytes(phases, 0, member, message, true)
                                       : nadi_phase_bytes(phase, message);
            /* Halves and blocks that go round are cut elsewhere, by a byte a block. */
            const bool halving = phase->algorithm == NADI_ALGORITHM_HALVING_DOUBLING;
            const bool round =
                phase->algorithm == NADI_ALGORITHM_RING && phase->op == NADI_PHASE_ALL_TO_ALL;
            const bool twice =
                halving && phase->op != NADI_PHASE_ALL_GATHER && phase->bytes % (2 * phase->n) != 0;
            if (!twice && !(phase->uneven && (halving || round)))
                assert_int_equal(nadi_program_sent_bytes(p, member, l, k), bytes);
            message++;
        }
    assert_int_equal(message, phase->sends);
    for (uint32_t k = 0; phase->exact && k < phase->sends + phase->first; k++)
        reductions += nadi_phase_reduces(phase, k);
    if (phase->exact) /* the reference reduces by windows */
        assert_int_equal(added, reductions);
}

static void every_kind_and_size(void **state)
{
    (void)state;
    static const enum nadi_algorithm algorithms[] = {NADI_ALGORITHM_RING, NADI_ALGORITHM_DIRECT,
                                                     NADI_ALGORITHM_HALVING_DOUBLING,
                                                     NADI_ALGORITHM_DOUBLE_BINARY_TREE};
    static const enum nadi_native_kind kinds[] = {NADI_NATIVE_ALL_REDUCE, NADI_NATIVE_ALL_GATHER,
                                                  NADI_NATIVE_REDUCE_SCATTER,
                                                  NADI_NATIVE_ALL_TO_ALL};
    uint32_t cases = 0;
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t kind = 0; kind < 4; kind++)
            for (uint32_t i = 0; i < GROUP_SIZES; i++)
                for (uint32_t variant = 0; variant < 6; variant++) {
                    const uint32_t n = sizes_of_group(i), window = variant % 3 * 2;
                    const bool exact = variant >= 3;
                    struct nadi_plan plan;
                    struct nadi_program p;
                    if (!make_plan(algorithms[a], kinds[kind], n, window, 64 * 63 + variant, exact,
                                   &plan))
                        continue;
                    const struct nadi_phase *phase = &plan.phases[0];
                    const char *refused = nadi_native_program(phase, variant % 2, &p);
                    if (refused)
                        fail_msg("algorithm %u, kind %u of %u: %s", a, kind, n, refused);
                    const struct nadi_verify_outcome o = nadi_verify(&p, &machine);
                    struct nadi_arena arena;
                    nadi_arena_init(&arena);
                    if (o.result != NADI_VERIFY_OK)
                        fail_msg("algorithm %u, kind %u of %u, window %u: %s", a, kind, n, window,
                                 nadi_verify_text(&p, &o, &arena));
                    nadi_arena_release(&arena);
                    const double form = p.ops->seconds(&p, 500, 1, 0.25);
                    if (form >= 0 && p.bytes % p.blocks == 0)
                        assert_true(fabs(o.seconds - form) < 1e-9 * form);
                    for (uint32_t m = 0;
                         m < n && algorithms[a] != NADI_ALGORITHM_DOUBLE_BINARY_TREE; m++)
                        same_messages(&p, phase, plan.phases, m);
                    cases++;
                }
    assert_true(cases > 800);
}

/* The packet engine takes as long as the steps say, where all begin together. */
static void times_of_the_executors(void **state)
{
    (void)state;
    static const enum nadi_algorithm algorithms[] = {NADI_ALGORITHM_RING, NADI_ALGORITHM_DIRECT,
                                                     NADI_ALGORITHM_HALVING_DOUBLING};
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                      NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL};
    uint32_t cases = 0;
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t k = 0; k < 4; k++)
            for (uint32_t n = 2; n <= 9; n++) {
                const struct nadi_dim mesh = {.kind = NADI_DIM_FULLY_CONNECTED,
                                              .npus = n,
                                              .bytes_per_ns = 1,
                                              .latency_ns = 500};
                const uint64_t bytes = 5040 * 16;
                enum nadi_native_kind native;
                struct nadi_plan plan;
                struct nadi_program p;
                assert_true(nadi_native_kind_of(kinds[k], &native));
                if (!make_plan(algorithms[a], native, n, 0, bytes, true, &plan))
                    continue;
                assert_null(nadi_native_program(&plan.phases[0], false, &p));
                const struct nadi_verify_machine links = {.alpha = 500, .beta = 1};
                const struct nadi_verify_outcome o = nadi_verify(&p, &links);
                const struct job_node node = {
                    .type = NADI_NODE_COLL, .kind = kinds[k], .bytes = bytes};
                struct job j;
                struct nadi_result r;
                job_init(&j, &mesh, 1);
                job_algorithm(&j, algorithms[a]);
                j.in.system.endpoint_delay_ns = 0;
                j.in.system.exact = true;
                job_give(&j, job_trace(&j, &node, 1), 0, n - 1);
                nadi_simulate(&j.in, NULL, &r);
                assert_int_equal(r.outcome, NADI_OUTCOME_DONE);
                if (fabs((double)r.end_ns - o.seconds) > 1e-3 * o.seconds)
                    fail_msg("algorithm %u, %s of %u: %llu ns, steps say %g", a,
                             nadi_collective_name(kinds[k]), n, (unsigned long long)r.end_ns,
                             o.seconds);
                nadi_result_release(&r);
                job_release(&j);
                cases++;
            }
    assert_true(cases > 60);
}

static void pairs_that_do_not_close(void **state)
{
    (void)state;
    struct nadi_plan plan;
    struct nadi_program p;
    assert_false(
        make_plan(NADI_ALGORITHM_HALVING_DOUBLING, NADI_NATIVE_ALL_REDUCE, 6, 0, 60, true, &plan));
    assert_non_null(nadi_native_program(&plan.phases[0], false, &p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_and_size),
                                       cmocka_unit_test(times_of_the_executors),
                                       cmocka_unit_test(pairs_that_do_not_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
