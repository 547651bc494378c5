/* run_abreast: along which dimension ranks are cut into parts, and what gives a run up. */
#include "sim/run.h"

#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

/* 4 x 4 ranks; rank 0 sends to each of `peers`. How many threads ran it, and that they told what
 * one does. */
static uint32_t threads_of(const uint32_t *peers, uint32_t count)
{
    const struct nadi_dim dims[] = {
        {.kind = NADI_DIM_RING, .npus = 4, .bytes_per_ns = 50, .latency_ns = 500},
        {.kind = NADI_DIM_RING, .npus = 4, .bytes_per_ns = 50, .latency_ns = 1000},
    };
    const struct job_node reduce = {.type = NADI_NODE_COLL, .bytes = 1 << 20};
    struct job_node first[3] = {reduce};
    struct nadi_result one, several;
    struct job j;
    job_init(&j, dims, 2);
    j.in.options.network_model = &nadi_network_unaware;
    j.in.options.executor = &nadi_executor_message;
    job_give(&j, job_trace(&j, &reduce, 1), 0, 15);
    for (uint32_t i = 0; i < count; i++) {
        const struct job_node ends[] = {
            reduce, {.type = NADI_NODE_RECV, .bytes = 1000, .peer = 0, .tag = i}};
        first[1 + i] =
            (struct job_node){.type = NADI_NODE_SEND, .bytes = 1000, .peer = peers[i], .tag = i};
        job_give(&j, job_trace(&j, ends, 2), peers[i], peers[i]);
    }
    job_give(&j, job_trace(&j, first, 1 + count), 0, 0);
    j.in.options.record_ops = false;
    j.in.options.threads = 1;
    nadi_simulate(&j.in, NULL, &one);
    j.in.options.threads = 4;
    nadi_simulate(&j.in, NULL, &several);
    assert_int_equal(one.outcome, NADI_OUTCOME_DONE);
    assert_int_equal(several.outcome, NADI_OUTCOME_DONE);
    assert_int_equal(several.end_ns, one.end_ns);
    assert_int_equal(several.events, one.events);
    const uint32_t threads = several.threads;
    nadi_result_release(&one);
    nadi_result_release(&several);
    job_release(&j);
    return threads;
}

/* The outer dimension leaves more time, but a message that goes along it has both ends in one part
 * only where the inner one is cut. */
static void messages_stay_in_a_part(void **state)
{
    static const uint32_t inner[] = {1}, outer[] = {4}, both[] = {1, 4};
    (void)state;
    assert_int_equal(threads_of(NULL, 0), 4);
    assert_int_equal(threads_of(inner, 1), 4);
    assert_int_equal(threads_of(outer, 1), 4);
    assert_true(threads_of(both, 2) <= 1);
}

/* 4 x 4 ranks, of which the last one joins an all-reduce of 8 chunks so late, whose chunks begin in
 * one order everywhere. How many threads ran it, and that they told what one does. */
static uint32_t threads_with_late(uint64_t late_ns)
{
    const struct nadi_dim dims[] = {
        {.kind = NADI_DIM_RING, .npus = 4, .bytes_per_ns = 50, .latency_ns = 500},
        {.kind = NADI_DIM_RING, .npus = 4, .bytes_per_ns = 50, .latency_ns = 1000},
    };
    const struct job_node nodes[] = {{.type = NADI_NODE_COMP, .duration_ns = late_ns},
                                     {.type = NADI_NODE_COLL, .bytes = 1 << 20}};
    struct nadi_result one, several;
    struct job j;
    job_init(&j, dims, 2);
    j.in.system.active_of_each = true;
    j.in.system.active_chunks = 1;
    j.in.system.splits = 8;
    j.in.options.network_model = &nadi_network_unaware;
    j.in.options.executor = &nadi_executor_message;
    job_give(&j, job_trace(&j, &nodes[1], 1), 0, 14);
    job_give(&j, job_trace(&j, nodes, 2), 15, 15);
    j.in.options.record_ops = false;
    j.in.options.threads = 1;
    nadi_simulate(&j.in, NULL, &one);
    j.in.options.threads = 4;
    nadi_simulate(&j.in, NULL, &several);
    assert_int_equal(several.outcome, NADI_OUTCOME_DONE);
    assert_int_equal(several.end_ns, one.end_ns);
    assert_int_equal(several.events, one.events);
    const uint32_t threads = several.threads;
    nadi_result_release(&one);
    nadi_result_release(&several);
    job_release(&j);
    return threads;
}

static void parts_keep_one_order(void **state)
{
    (void)state;
    assert_int_equal(threads_with_late(0), 4);
    assert_int_equal(threads_with_late(5000), 4);
    assert_int_equal(threads_with_late(100000), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_stay_in_a_part),
        cmocka_unit_test(parts_keep_one_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
