/* Which messages of a phase want one link at a time, against what can be seen by hand. */
#include "collective/contention.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { N = 8 };

struct row {
    const char *word; /* of the algorithm */
    enum nadi_phase_op op;
    enum nadi_collective_kind kind; /* of op OTHER */
    enum nadi_dim_kind dim;
    uint32_t at_once;
    double share; /* NAN: more than nothing */
    bool uneven;
};

static struct nadi_contended find(const struct row *r, uint64_t steps)
{
    static const uint32_t ranks[N] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct nadi_topology t = {.dim_count = 1,
                              .dims = {{.kind = r->dim,
                                        .npus = N,
                                        .bytes_per_ns = 1,
                                        .latency_ns = 0,
                                        .in_switch_bytes_per_ns = 1}}};
    struct nadi_algorithm_choice c;
    assert_true(nadi_topology_finish(&t));
    assert_true(nadi_algorithm_read(r->word, &c));
    const struct nadi_phase phase = {
        .algorithm = c.algorithm,
        .program = c.program,
        .parameter = c.window,
        .op = r->op,
        .kind = r->kind,
        .n = N,
        .stride = 1,
        .log2_n = 3,
        .bytes = 64000,
        .message_bytes = 8000,
        .first = c.algorithm == NADI_ALGORITHM_DIRECT ? N - 1 : 1,
        .sends = N - 1,
    };
    const struct nadi_contention asked = {
        .topology = &t, .phase = &phase, .ranks = ranks, .at_once = r->at_once, .steps = &steps};
    return nadi_contention_find(&asked);
}

static const struct row rows[] = {
    {"ring", NADI_PHASE_ALL_GATHER, 0, NADI_DIM_SWITCH, 1, 0, false},
    {"ring", NADI_PHASE_ALL_GATHER, 0, NADI_DIM_RING, 2, 1, false}, /* each has half */
    {"halvingDoubling", NADI_PHASE_ALL_REDUCE, 0, NADI_DIM_SWITCH, 1, 0, false},
    {"halvingDoubling", NADI_PHASE_ALL_REDUCE, 0, NADI_DIM_RING, 1, HUGE_VAL, false},
    {"direct", NADI_PHASE_ALL_TO_ALL, 0, NADI_DIM_FULLY_CONNECTED, 1, 0, false},
    {"direct", NADI_PHASE_ALL_TO_ALL, 0, NADI_DIM_SWITCH, 1, 6, false}, /* seven messages at once */
    {"pairwise", NADI_PHASE_ALL_TO_ALL, 0, NADI_DIM_SWITCH, 1, 0, false},
    {"pairwise", NADI_PHASE_ALL_TO_ALL, 0, NADI_DIM_RING, 1, NAN, false},
    {"multiRing", NADI_PHASE_ALL_GATHER, 0, NADI_DIM_RING, 1, 0, false}, /* one each way round */
    {"multiRing", NADI_PHASE_ALL_GATHER, 0, NADI_DIM_SWITCH, 1, 1, false},
    {"torus", NADI_PHASE_ALL_GATHER, 0, NADI_DIM_FULLY_CONNECTED, 1, NAN, false},
    {"doubleBinaryTree", NADI_PHASE_ALL_REDUCE, 0, NADI_DIM_SWITCH, 1, NAN, true},
    {"doubleBinaryTree", NADI_PHASE_ALL_REDUCE, 0, NADI_DIM_FULLY_CONNECTED, 1, 0, true},
    {"tree", NADI_PHASE_OTHER, NADI_BROADCAST, NADI_DIM_SWITCH, 1, 0, false},
    {"chain4", NADI_PHASE_OTHER, NADI_BROADCAST, NADI_DIM_SWITCH, 1, 0, true},
    /* the first piece comes back while the last is on its way out: both over a member's cable up */
    {"chain4", NADI_PHASE_ALL_REDUCE, 0, NADI_DIM_SWITCH, 1, NAN, true},
    {"chain4", NADI_PHASE_ALL_REDUCE, 0, NADI_DIM_FULLY_CONNECTED, 1, 0, true},
    {"tree4", NADI_PHASE_OTHER, NADI_REDUCE, NADI_DIM_SWITCH, 1, NAN, true},
    {"doubleTree", NADI_PHASE_OTHER, NADI_REDUCE, NADI_DIM_FULLY_CONNECTED, 1, NAN, true},
};

static void shares(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct nadi_contended found = find(&rows[i], NADI_CONTENTION_STEPS);
        const double want = rows[i].share;
        if (isnan(want) ? !(found.share > 0.1)
                        : !(found.share >= want && found.share <= want + 1e-9))
            fail_msg("row %zu, %s: %g", i, rows[i].word, found.share);
        if (found.uneven != rows[i].uneven)
            fail_msg("row %zu, %s: members are done at %s", i, rows[i].word,
                     found.uneven ? "different times" : "once");
    }
}

/* What is not gone through counts as shared; what has a closed form needs no steps. */
static void too_many(void **state)
{
    (void)state;
    const struct row halves = {"rabenseifner", NADI_PHASE_ALL_REDUCE, 0, NADI_DIM_SWITCH, 1, 0,
                               false};
    const struct row ring = {"ring", NADI_PHASE_ALL_GATHER, 0, NADI_DIM_SWITCH, 1, 0, false};
    assert_true(isinf(find(&halves, 10).share));
    assert_false(find(&ring, 10).share > 0);
}

/* Nothing but step keeps senders apart. */
static void joined(void **state)
{
    (void)state;
    const struct row pairs = {"pairwise", NADI_PHASE_ALL_TO_ALL, 0, NADI_DIM_SWITCH, 1, 0, false};
    const struct row ring = {"ring", NADI_PHASE_ALL_GATHER, 0, NADI_DIM_SWITCH, 1, 0, false};
    const struct row clique = {"pairwise", NADI_PHASE_ALL_TO_ALL, 0, NADI_DIM_FULLY_CONNECTED, 1, 0,
                               false};
    const struct row back = {"chain2", NADI_PHASE_ALL_REDUCE, 0, NADI_DIM_SWITCH, 1, 0, true};
    assert_true(find(&pairs, NADI_CONTENTION_STEPS).joined);
    assert_true(find(&back, NADI_CONTENTION_STEPS).joined);
    assert_false(find(&ring, NADI_CONTENTION_STEPS).joined);
    assert_false(find(&clique, NADI_CONTENTION_STEPS).joined);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),
        cmocka_unit_test(too_many),
        cmocka_unit_test(joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
