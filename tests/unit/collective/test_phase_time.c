/* The times that executors and bounds share, against sums made by hand; the rule of who sends when.
 */
#include "collective/phase_time.h"
#include "executor/window.h"

#include <setjmp.h>

#include <cmocka.h>

/* Four members, 4,000 B: messages of 1,000 B, whose reduction at 1 GB/s takes 3 us. */
static struct nadi_phase phase_of(enum nadi_algorithm algorithm, enum nadi_phase_op op,
                                  uint32_t sends)
{
    return (struct nadi_phase){.algorithm = algorithm,
                               .op = op,
                               .n = 4,
                               .stride = 1,
                               .log2_n = 2,
                               .bytes = 4000,
                               .message_bytes = 1000,
                               .first = 1,
                               .rest = 3,
                               .sends = sends};
}

static void reductions(void **state)
{
    (void)state;
    assert_int_equal(nadi_reduce_ns(1e9, 1000), 3000);
    assert_int_equal(nadi_reduce_ns(3e9, 1000), 999); /* each access is cut */
    assert_int_equal(nadi_reduce_time(3e9, 1000, false), 999000);
    assert_int_equal(nadi_reduce_time(3e9, 1000, true), 1000000);
    assert_int_equal(nadi_reduce_ns(0, 1000), 0);
    assert_int_equal(nadi_reduce_ns(1e-300, UINT64_MAX), NADI_NS_NEVER);
}

static void endpoints(void **state)
{
    (void)state;
    struct nadi_phase p = phase_of(NADI_ALGORITHM_RING, NADI_PHASE_ALL_REDUCE, 6);
    assert_int_equal(nadi_phase_endpoint_ns(&p, 70), 70);
    p.local = true;
    assert_int_equal(nadi_phase_endpoint_ns(&p, 70), 10);
    p.exact = true;
    assert_int_equal(nadi_phase_endpoint_ns(&p, 70), 70);
}

static uint64_t exchange(const void *context, uint32_t k)
{
    return *(const uint64_t *)context * (k + 1);
}

static void chains(void **state)
{
    (void)state;
    const uint64_t first = 100;
    const struct nadi_phase ring = phase_of(NADI_ALGORITHM_RING, NADI_PHASE_ALL_REDUCE, 6);
    assert_int_equal(nadi_phase_stages_ns(&ring, 7, 1e9), 7 * 7 + 3 * 3000);
    assert_int_equal(nadi_phase_chain_ns(&ring, 50, exchange, &first), 50 + 6 * 100);
    const struct nadi_phase gather = phase_of(NADI_ALGORITHM_RING, NADI_PHASE_ALL_GATHER, 3);
    assert_int_equal(nadi_phase_stages_ns(&gather, 7, 1e9), 4 * 7);
    /* Halves: 2,000 B, 1,000 B, then back again. */
    struct nadi_phase halves =
        phase_of(NADI_ALGORITHM_HALVING_DOUBLING, NADI_PHASE_REDUCE_SCATTER, 2);
    halves.rest = 1;
    halves.exact = true;
    assert_int_equal(nadi_phase_stages_ns(&halves, 7, 1e9), 3 * 7 + 6000 + 3000);
    assert_int_equal(nadi_phase_chain_ns(&halves, 50, exchange, &first), 50 + 100 + 200);
}

/* A direct all-reduce of four, all at once: the second half waits for the three receives. */
static void halves_of_direct(void **state)
{
    (void)state;
    struct nadi_phase p = phase_of(NADI_ALGORITHM_DIRECT, NADI_PHASE_ALL_REDUCE, 6);
    struct nadi_window w = {.prepared = 3};
    uint32_t k;
    p.first = p.rest = 3;
    assert_false(nadi_window_send(&w, &p, &k)); /* no credit yet */
    for (uint32_t i = 0; i < 3; i++) {
        w.credit++;
        assert_int_equal(nadi_window_tries(&w, &p), 1);
        assert_true(nadi_window_send(&w, &p, &k));
        assert_int_equal(k, i);
    }
    assert_true(nadi_window_is_second_half(&w, &p));
    w.arrived = 2;
    w.prepared = 5;
    w.credit = 2;
    assert_int_equal(nadi_window_tries(&w, &p), 0);
    w.arrived = 3;
    w.prepared = 6;
    w.credit = 3;
    assert_int_equal(nadi_window_tries(&w, &p), 3);
    for (uint32_t i = 3; i < 6; i++)
        assert_true(nadi_window_send(&w, &p, &k) && k == i);
    assert_false(nadi_window_ended(&w, &p));
    w.credit = 3;
    assert_true(nadi_window_ended(&w, &p));
    assert_false(nadi_window_send(&w, &p, &k)); /* all are sent */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions),
        cmocka_unit_test(endpoints),
        cmocka_unit_test(chains),
        cmocka_unit_test(halves_of_direct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
