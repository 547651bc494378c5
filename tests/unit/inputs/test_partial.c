/* A run that does not finish: every rank is taken up to where the clock stopped, with what it has
 * in flight; times do not wrap. */
#include "sim/run.h"

#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

static const struct nadi_dim ring2 = {
    .kind = NADI_DIM_RING, .npus = 2, .bytes_per_ns = 50, .latency_ns = 500};

static void stopped_in_a_compute(void **state)
{
    static const struct job_node nodes[] = {
        {.type = NADI_NODE_COMP, .duration_ns = 1000},
        {.type = NADI_NODE_COMP, .duration_ns = 9000, .dep_count = 1, .deps = {0}},
    };
    struct job j;
    struct nadi_result r;
    (void)state;
    job_init(&j, &ring2, 1);
    job_give(&j, job_trace(&j, nodes, 2), 0, 1);
    j.in.options.max_sim_ns = 4000;
    nadi_simulate(&j.in, NULL, &r);
    assert_int_equal(r.outcome, NADI_OUTCOME_LIMIT);
    assert_int_equal(r.end_ns, 4000);
    const struct nadi_rank_result *rank = nadi_result_rank(&r, 1);
    assert_false(rank->finished);
    assert_int_equal(rank->finish_ns, 4000);
    assert_int_equal(rank->compute_ns, 4000);
    assert_int_equal(rank->exposed_comm_ns, 0);
    assert_int_equal(rank->nodes_done, 1);
    assert_int_equal(rank->nodes_open, 1);
    assert_int_equal(r.lower_bound_ns, 0);
    nadi_result_release(&r);
    job_release(&j);
}

static void a_receive_that_waits_for_ever(void **state)
{
    static const struct job_node computes = {.type = NADI_NODE_COMP, .duration_ns = 1000};
    static const struct job_node waits[] = {
        {.type = NADI_NODE_RECV, .bytes = 8, .peer = 0, .tag = 1},
        {.type = NADI_NODE_COMP, .duration_ns = 300},
    };
    struct job j;
    struct nadi_result r;
    (void)state;
    job_init(&j, &ring2, 1);
    job_give(&j, job_trace(&j, &computes, 1), 0, 0);
    job_give(&j, job_trace(&j, waits, 2), 1, 1);
    nadi_simulate(&j.in, NULL, &r);
    assert_int_equal(r.outcome, NADI_OUTCOME_DEADLOCK);
    assert_int_equal(r.end_ns, 1000);
    const struct nadi_rank_result *rank = nadi_result_rank(&r, 1);
    assert_int_equal(rank->finish_ns, 1000);
    assert_int_equal(rank->comm_ns, 1000);
    assert_int_equal(rank->true_exposed_comm_ns, 700);
    assert_int_equal(rank->idle_ns, 0);
    assert_true(nadi_result_rank(&r, 0)->finished);
    nadi_result_release(&r);
    job_release(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_in_a_compute),
        cmocka_unit_test(a_receive_that_waits_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
