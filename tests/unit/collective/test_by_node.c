/* `ring` of groups whose members are in several nodes: the data come out right whatever the number
 * of members of each node, and what leaves the nodes is spread over as many members as all have. */
#include "base/arena.h"
#include "base/mem.h"
#include "base/rng.h"
#include "collective/algorithms/algorithms.h"
#include "collective/nodes.h"
#include "collective/verify.h"
#include "support/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_REDUCE_SCATTER,
                                                  NADI_ALL_GATHER};

static struct nadi_topology servers(uint32_t npus, uint32_t count)
{
    struct nadi_topology t = {.dim_count = 2};
    for (uint32_t d = 0; d < 2; d++)
        t.dims[d] = (struct nadi_dim){
            .kind = NADI_DIM_SWITCH, .npus = d ? count : npus, .bytes_per_ns = d ? 50 : 400};
    assert_true(nadi_topology_finish(&t));
    return t;
}

struct made {
    struct nadi_arena arena;
    struct nadi_program p;
    const struct nadi_nodes *x;
};

static void make(struct made *m, const struct nadi_topology *t, const uint32_t *ranks, uint32_t n,
                 enum nadi_collective_kind kind, uint64_t bytes, uint32_t segments)
{
    nadi_arena_init(&m->arena);
    m->x = nadi_nodes_find(t, ranks, n, &m->arena);
    const struct nadi_program_request q = {
        .kind = kind, .n = n, .bytes = bytes, .segments = segments, .nodes = m->x};
    assert_null(nadi_program_make(&nadi_algorithm_by_node, &q, &m->p));
}

static void comes_out(const struct made *m, uint64_t seed)
{
    static const struct nadi_verify_machine machine = {.alpha = 1, .beta = 0.01};
    struct nadi_arena arena;
    const struct nadi_verify_outcome o = nadi_verify(&m->p, &machine);
    nadi_arena_init(&arena);
    if (o.result != NADI_VERIFY_OK)
        fail_msg("seed %d: %s", (int)seed, nadi_verify_text(&m->p, &o, &arena));
    nadi_arena_release(&arena);
}

static void any_members_come_out(void **state)
{
    (void)state;
    uint32_t several = 0;
    for (uint64_t seed = 0; seed < CASES_OF(400); seed++) {
        struct nadi_rng rng;
        nadi_rng_init(&rng, seed, "members");
        const uint32_t npus = 2 + (uint32_t)nadi_rng_below(&rng, 8);
        const struct nadi_topology t = servers(npus, 1 + (uint32_t)nadi_rng_below(&rng, 5));
        uint32_t ranks[64], n = 0;
        for (uint32_t r = 0; r < t.npu_count; r++)
            if (nadi_rng_below(&rng, 3))
                ranks[n++] = r;
        if (n == 0)
            continue;
        for (size_t k = 0; k < 3; k++) {
            struct made m;
            make(&m, &t, ranks, n, kinds[k], 1000 + seed, 1 + (uint32_t)seed % 5);
            several += m.x != NULL;
            comes_out(&m, seed);
            nadi_arena_release(&m.arena);
        }
    }
    assert_true(several > CASES_OF(600));
}

/* Bytes that each rank sends out of its node. */
static void leaving(const struct made *m, uint32_t npus, const uint32_t *ranks, uint64_t *bytes,
                    bool *in_rail)
{
    *in_rail = true;
    for (uint32_t i = 0; i < m->p.request.n; i++) {
        bytes[i] = 0;
        for (uint32_t q = 0; q < m->p.queues; q++)
            for (uint32_t k = 0; k < m->p.ops->steps(&m->p, i, q); k++) {
                const struct nadi_step s = nadi_program_step(&m->p, i, q, k);
                if (s.to == NADI_NONE || ranks[s.to] / npus == ranks[i] / npus)
                    continue;
                *in_rail &= ranks[s.to] % npus == ranks[i] % npus;
                bytes[i] += nadi_program_sent_bytes(&m->p, i, q, k);
            }
    }
}

struct row {
    const char *name;
    uint32_t n, ranks[24];
    uint32_t channels, nodes;
    bool in_rail;
};

static const struct row rows[] = {
    {"8 + 2", 10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 2, 2, true},
    {"8 + 2, other rails", 10, {0, 1, 2, 3, 4, 5, 6, 7, 13, 15}, 2, 2, true},
    {"6 + 6 + 4", 16, {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 18, 19, 20, 21}, 4, 3, true},
    {"8 + 1", 9, {0, 1, 2, 3, 4, 5, 6, 7, 11}, 1, 2, true},
    {"every third", 8, {0, 3, 6, 9, 12, 15, 18, 21}, 2, 3, false},
    {"one rail", 3, {2, 10, 18}, 0, 0, true}, /* they differ in one dimension: one ring */
    {"no rail of both", 5, {0, 1, 2, 11, 12}, 2, 2, false},
    {"even", 8, {0, 1, 2, 3, 8, 9, 10, 11}, 4, 2, true},
};

/* Between K nodes 2 (K - 1) / K of a channel leaves each of its owners, and nothing any other. */
static void leaves_over_as_many_as_all_have(void **state)
{
    (void)state;
    enum { BYTES = 2520 * 24 };
    const struct nadi_topology t = servers(8, 3);
    for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
        const struct row *row = &rows[r];
        struct made m;
        uint64_t bytes[24];
        bool in_rail;
        make(&m, &t, row->ranks, row->n, NADI_ALL_REDUCE, BYTES, 1);
        if (row->nodes == 0) {
            assert_null(m.x);
            nadi_arena_release(&m.arena);
            continue;
        }
        leaving(&m, 8, row->ranks, bytes, &in_rail);
        print_message("%s\n", row->name);
        assert_int_equal(m.x->count, row->nodes);
        assert_int_equal(m.x->channels, row->channels);
        assert_int_equal(in_rail, row->in_rail);
        assert_int_equal(nadi_nodes_leave_rails(m.x, &t, row->ranks), !row->in_rail);
        const uint64_t each = (uint64_t)BYTES * 2 * (row->nodes - 1) / row->nodes / row->channels;
        uint32_t owners = 0;
        for (uint32_t i = 0; i < row->n; i++) {
            owners += bytes[i] > 0;
            assert_true(bytes[i] == 0 || bytes[i] == each);
        }
        assert_int_equal(owners, row->channels * row->nodes);
        nadi_arena_release(&m.arena);
    }
}

/* In a node of m members each sends (m - 1) / m of all twice, and what owners get and give. */
static void shares_in_a_node_are_even(void **state)
{
    (void)state;
    const struct nadi_topology t = servers(8, 2);
    static const uint32_t ranks[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct made m;
    make(&m, &t, ranks, 10, NADI_ALL_REDUCE, 8000, 1);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t k = 0; k < 7; k++)
            assert_int_equal(nadi_program_sent_bytes(&m.p, i, 0, k), 1000);
    assert_int_equal(m.p.ops->steps(&m.p, 0, 0), 7 + 3 + 3 + 7);
    assert_int_equal(m.p.ops->steps(&m.p, 0, 1), 1 + 1);
    assert_int_equal(m.p.ops->steps(&m.p, 7, 0), 7 + 1 + 1 + 7);
    assert_int_equal(m.p.ops->steps(&m.p, 7, 1), 0);
    assert_int_equal(m.p.ops->steps(&m.p, 9, 0), 1 + 1);
    assert_int_equal(m.p.ops->steps(&m.p, 9, 1), 1 + 1);
    nadi_arena_release(&m.arena);
}

/* What members of a channel want adds up to as much in all channels as it goes. */
static void channels_are_even(void **state)
{
    (void)state;
    const struct nadi_topology t = servers(8, 3);
    const struct row *row = &rows[2];
    struct made m;
    make(&m, &t, row->ranks, row->n, NADI_REDUCE_SCATTER, 1600, 1);
    for (uint32_t c = 0; c < 4; c++)
        assert_int_equal(m.x->before[c * 4 + 3], 4);
    nadi_arena_release(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_members_come_out),
        cmocka_unit_test(leaves_over_as_many_as_all_have),
        cmocka_unit_test(shares_in_a_node_are_even),
        cmocka_unit_test(channels_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
