/* Chunks of a collective: the reference's, with a further full one for what is left; even ones, as
 * many and as large as those that are rounded exactly. */
#include "base/rng.h"
#include "collective/plan.h"

#include <setjmp.h>

#include <cmocka.h>

enum { RANKS = 8 };

static void make(enum nadi_native_kind kind, uint64_t bytes, uint32_t splits, bool even, bool exact,
                 struct nadi_plan *plan)
{
    struct nadi_topology t = {.dim_count = 1};
    t.dims[0] = (struct nadi_dim){.kind = NADI_DIM_RING, .npus = RANKS, .bytes_per_ns = 50};
    assert_true(nadi_topology_finish(&t));
    const struct nadi_group world = {.size = RANKS, .is_world = true};
    const struct nadi_implementation ring = {.count = 1,
                                             .dims = {{.algorithm = NADI_ALGORITHM_RING}}};
    const struct nadi_plan_request q = {
        .topology = &t,
        .group = &world,
        .implementation = &ring,
        .kind = kind,
        .splits = splits,
        .bytes = bytes,
        .involved = UINT32_MAX,
        .exact = exact,
        .even = even,
    };
    assert_true(nadi_plan_make(&q, plan));
}

static void a_byte_more(void **state)
{
    (void)state;
    struct nadi_plan reference, even;
    make(NADI_NATIVE_ALL_REDUCE, 1 << 20, 4, false, false, &reference);
    make(NADI_NATIVE_ALL_REDUCE, 1 << 20, 4, true, false, &even);
    assert_int_equal(reference.chunk_count, 4);
    assert_int_equal(even.chunk_count, 4);
    assert_int_equal(reference.chunk_bytes, even.chunk_bytes);
    make(NADI_NATIVE_ALL_REDUCE, (1 << 20) + 1, 4, false, false, &reference);
    make(NADI_NATIVE_ALL_REDUCE, (1 << 20) + 1, 4, true, false, &even);
    assert_int_equal(reference.chunk_count, 5);
    assert_int_equal(even.chunk_count, 4);
    assert_int_equal(even.chunk_bytes, (1 << 18) + 1);
}

static void even_ones_are_as_the_exact_ones(void **state)
{
    (void)state;
    static const enum nadi_native_kind kinds[] = {NADI_NATIVE_ALL_REDUCE, NADI_NATIVE_ALL_GATHER,
                                                  NADI_NATIVE_REDUCE_SCATTER,
                                                  NADI_NATIVE_ALL_TO_ALL};
    struct nadi_rng rng;
    nadi_rng_init(&rng, 1, "chunks");
    for (uint32_t i = 0; i < 2000; i++) {
        const enum nadi_native_kind kind = kinds[nadi_rng_below(&rng, 4)];
        const uint64_t bytes = nadi_rng_below(&rng, UINT64_C(1) << nadi_rng_below(&rng, 30));
        const uint32_t splits = 1 + (uint32_t)nadi_rng_below(&rng, 20);
        struct nadi_plan exact, even;
        make(kind, bytes, splits, false, true, &exact);
        make(kind, bytes, splits, true, false, &even);
        assert_int_equal(even.chunk_count, exact.chunk_count);
        const bool tiny = kind != NADI_NATIVE_ALL_GATHER && exact.chunk_bytes < RANKS;
        assert_int_equal(even.chunk_bytes, tiny ? RANKS : exact.chunk_bytes);
        assert_true(even.chunk_bytes * even.chunk_count <
                    bytes + splits + (tiny ? RANKS * splits : 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_more),
        cmocka_unit_test(even_ones_are_as_the_exact_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
