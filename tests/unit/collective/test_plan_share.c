/* Exact plans: whatever the size, no byte is lost and none is sent twice. */
#include "collective/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t packet(const struct nadi_phase *phases, uint32_t i, uint32_t member, uint32_t k)
{
    const struct nadi_phase *p = &phases[i];
    return p->uneven ? nadi_plan_share_bytes(phases, i, member, k, true) : nadi_phase_bytes(p, k);
}

/* What all members of a phase send together. */
static uint64_t total(const struct nadi_phase *phases, uint32_t i, uint32_t members)
{
    uint64_t sum = 0;
    for (uint32_t m = 0; m < members; m++)
        for (uint32_t k = 0; k < phases[i].sends; k++)
            sum += packet(phases, i, m, k);
    return sum;
}

static void check_phases(const struct nadi_phase *phases, uint32_t count, uint32_t members,
                         uint64_t bytes)
{
    uint64_t share = 1; /* the rings of a phase have the chunk once for every so many members */
    for (uint32_t i = 0; i < count; i++) {
        const struct nadi_phase *p = &phases[i];
        const uint64_t rounds = p->op == NADI_PHASE_ALL_REDUCE ? 2 : 1;
        if (p->op == NADI_PHASE_ALL_GATHER)
            share /= p->n;
        const uint64_t wholes = members / p->n / share;
        assert_int_equal(total(phases, i, members), wholes * rounds * (p->n - 1) * bytes);
        if (p->op == NADI_PHASE_REDUCE_SCATTER)
            share *= p->n;
    }
}

static void check(const struct nadi_plan_request *q, uint32_t members)
{
    struct nadi_plan plan;
    assert_true(nadi_plan_make(q, &plan));
    const uint64_t last = q->bytes - (plan.chunk_count - 1) * plan.chunk_bytes;
    assert_true(last <= plan.chunk_bytes && (last > 0 || q->bytes == 0));
    assert_int_equal(plan.has_tail, last < plan.chunk_bytes);
    check_phases(plan.phases, plan.phase_count, members, plan.chunk_bytes);
    if (plan.has_tail)
        check_phases(plan.tail, plan.phase_count, members, last);
}

static void test_bytes(void **state)
{
    static const uint64_t sizes[] = {0, 1, 7, 1000, 1048577, 999999937};
    static const enum nadi_algorithm algorithms[] = {NADI_ALGORITHM_RING, NADI_ALGORITHM_DIRECT,
                                                     NADI_ALGORITHM_HALVING_DOUBLING};
    (void)state;
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t n = 2; n <= 9; n++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                const bool halving = algorithms[a] == NADI_ALGORITHM_HALVING_DOUBLING;
                struct nadi_topology t = {.dim_count = 2};
                t.dims[0] = (struct nadi_dim){.kind = NADI_DIM_RING, .npus = n};
                t.dims[1] = (struct nadi_dim){.kind = NADI_DIM_RING, .npus = 4};
                if (halving && (n & (n - 1)))
                    continue;
                assert_true(nadi_topology_finish(&t));
                const struct nadi_group world = {.size = t.npu_count, .is_world = true};
                const struct nadi_implementation implementation = {
                    .dims = {{.algorithm = algorithms[a]}, {.algorithm = algorithms[a]}},
                    .count = 2};
                for (uint32_t kind = 0; kind < NADI_NATIVE_KINDS; kind++) {
                    const bool gather = kind == NADI_NATIVE_ALL_GATHER;
                    const bool exchange = kind == NADI_NATIVE_ALL_TO_ALL;
                    const bool ring = algorithms[a] == NADI_ALGORITHM_RING;
                    if (gather || (exchange && (ring || halving)))
                        continue; /* inputs of their own; other sums */
                    const struct nadi_plan_request q = {
                        .topology = &t,
                        .group = &world,
                        .implementation = &implementation,
                        .kind = (enum nadi_native_kind)kind,
                        .local_bw_aware = true,
                        .splits = 3,
                        .bytes = sizes[i],
                        .involved = 3,
                        .exact = true,
                    };
                    check(&q, t.npu_count);
                }
            }
}

/* Each receive of the reducing half is reduced, whatever the window. */
static void test_reduced_once(void **state)
{
    (void)state;
    for (uint32_t window = 0; window <= 4; window++) {
        struct nadi_topology t = {.dim_count = 1};
        t.dims[0] = (struct nadi_dim){.kind = NADI_DIM_SWITCH, .npus = 8};
        assert_true(nadi_topology_finish(&t));
        const struct nadi_group world = {.size = 8, .is_world = true};
        const struct nadi_implementation implementation = {
            .dims = {{.algorithm = NADI_ALGORITHM_DIRECT, .window = window}}, .count = 1};
        struct nadi_plan plan;
        const struct nadi_plan_request q = {
            .topology = &t,
            .group = &world,
            .implementation = &implementation,
            .kind = NADI_NATIVE_ALL_REDUCE,
            .splits = 1,
            .bytes = 8192,
            .involved = 1,
            .exact = true,
        };
        assert_true(nadi_plan_make(&q, &plan));
        const struct nadi_phase *p = &plan.phases[0];
        uint64_t reduced = 0;
        for (uint32_t k = 0; k < p->sends + p->first; k++)
            if (nadi_phase_reduces(p, k))
                reduced += nadi_phase_reduced_bytes(p, k);
        assert_int_equal(reduced, 7 * 1024);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_reduced_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
