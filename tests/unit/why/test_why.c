/* why: small runs whose critical path, shares and slack can be said by hand. */
#include "why/why.h"

#include "sim/run.h"
#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

struct run {
    struct job job;
    struct nadi_result result;
    struct nadi_why why;
};

static const struct nadi_dim ring4 = {
    .kind = NADI_DIM_RING, .npus = 4, .bytes_per_ns = 1, .latency_ns = 100};

static void start(struct run *x)
{
    job_init(&x->job, &ring4, 1);
    x->job.in.options.record_ops = true;
}

static void finish(struct run *x)
{
    nadi_simulate(&x->job.in, NULL, &x->result);
    assert_int_equal(x->result.outcome, NADI_OUTCOME_DONE);
    nadi_why_find(&x->job.in, &x->result, &x->why);
    assert_null(x->why.why_not);
}

static void release(struct run *x)
{
    nadi_why_release(&x->why);
    nadi_result_release(&x->result);
    job_release(&x->job);
}

static uint64_t share(const struct run *x, uint32_t rank, enum nadi_cause cause)
{
    return x->why.shares[rank * NADI_CAUSES + cause];
}

/* Rank 2 computes 5,000 ns, the others 1,000; then all reduce. */
static void straggler(void **state)
{
    struct run x;
    struct job_node nodes[] = {
        {.type = NADI_NODE_COMP, .name = "fwd", .duration_ns = 1000},
        {.type = NADI_NODE_COLL,
         .name = "grad",
         .kind = NADI_ALL_REDUCE,
         .bytes = 4000,
         .dep_count = 1,
         .deps = {0}},
    };
    (void)state;
    start(&x);
    job_give(&x.job, job_trace(&x.job, nodes, 2), 0, 3);
    nodes[0].duration_ns = 5000;
    job_give(&x.job, job_trace(&x.job, nodes, 2), 2, 2);
    finish(&x);
    assert_int_equal(x.why.step_count, 2);
    assert_int_equal(x.why.steps[0].rank, 2);
    assert_int_equal(x.why.steps[0].end_ns, 5000);
    assert_int_equal(x.why.steps[0].cause, NADI_CAUSE_COMPUTE);
    assert_int_equal(x.why.steps[0].binding, NADI_BOUND_BEGIN);
    assert_int_equal(x.why.steps[1].cause, NADI_CAUSE_OTHER_COMM);
    assert_int_equal(x.why.steps[1].dim, 0);
    assert_string_equal(x.why.steps[1].algorithm, "ring");
    assert_int_equal(x.why.sums[NADI_CAUSE_COMPUTE], 5000);
    assert_int_equal(x.why.sums[NADI_CAUSE_OTHER_COMM], x.result.end_ns - 5000);
    assert_int_equal(share(&x, 0, NADI_CAUSE_STRAGGLER), 4000);
    assert_int_equal(share(&x, 2, NADI_CAUSE_STRAGGLER), 0);
    assert_true(x.why.slack_is_exact);
    assert_int_equal(nadi_why_time(&x.why, 2, 0)->slack_ns, 0);
    assert_in_range(nadi_why_time(&x.why, 0, 0)->slack_ns, 1, 4000);
    release(&x);
}

/* Rank 0 computes and sends, rank 1 receives and computes: the path crosses from 1 to 0. */
static void pipeline(void **state)
{
    struct run x;
    const struct job_node first[] = {
        {.type = NADI_NODE_COMP, .name = "stage 0", .duration_ns = 700},
        {.type = NADI_NODE_SEND, .bytes = 100, .peer = 1, .dep_count = 1, .deps = {0}},
        {.type = NADI_NODE_COMP, .name = "side", .duration_ns = 50},
    };
    const struct job_node second[] = {
        {.type = NADI_NODE_RECV, .bytes = 100, .peer = 0},
        {.type = NADI_NODE_COMP, .name = "stage 1", .duration_ns = 300, .dep_count = 1},
    };
    const struct job_node idle[] = {{.type = NADI_NODE_COMP, .duration_ns = 10}};
    (void)state;
    start(&x);
    job_give(&x.job, job_trace(&x.job, idle, 1), 0, 3);
    job_give(&x.job, job_trace(&x.job, first, 3), 0, 0);
    job_give(&x.job, job_trace(&x.job, second, 2), 1, 1);
    finish(&x);
    assert_int_equal(x.result.end_ns, 700 + 200 + 300);
    assert_int_equal(x.why.step_count, 3);
    assert_int_equal(x.why.steps[0].rank, 0);
    assert_int_equal(x.why.steps[1].cause, NADI_CAUSE_MESSAGE);
    assert_int_equal(x.why.steps[1].end_ns - x.why.steps[1].start_ns, 200);
    assert_int_equal(x.why.steps[1].binding, NADI_BOUND_MESSAGE);
    assert_int_equal(x.why.steps[2].rank, 1);
    assert_int_equal(share(&x, 1, NADI_CAUSE_BUBBLE), 700);
    assert_int_equal(share(&x, 1, NADI_CAUSE_MESSAGE), 200);
    assert_int_equal(share(&x, 3, NADI_CAUSE_IDLE), 1190);
    assert_int_equal(nadi_why_time(&x.why, 0, 2)->slack_ns, x.result.end_ns - 750);
    assert_int_equal(nadi_why_time(&x.why, 0, 0)->slack_ns, 0);
    assert_int_equal(nadi_why_time(&x.why, 2, 0)->slack_ns, x.result.end_ns - 10);
    release(&x);
}

/* Two computes that are both ready wait for one slot. */
static void slot(void **state)
{
    struct run x;
    const struct job_node nodes[] = {
        {.type = NADI_NODE_COMP, .name = "a", .duration_ns = 40},
        {.type = NADI_NODE_COMP, .name = "b", .duration_ns = 60},
    };
    (void)state;
    start(&x);
    job_give(&x.job, job_trace(&x.job, nodes, 2), 0, 3);
    finish(&x);
    assert_int_equal(x.why.step_count, 2);
    assert_int_equal(x.why.steps[1].binding, NADI_BOUND_SLOT);
    assert_int_equal(x.why.steps[0].binding, NADI_BOUND_BEGIN);
    release(&x);
}

/* Three ranks send to one over a ring of FIFOs: the message that comes from afar finds its last
 * link taken by a neighbour's, and the link is named. */
static void queue_at_a_link(void **state)
{
    struct run x;
    struct job_node send[] = {
        {.type = NADI_NODE_COMP, .duration_ns = 600},
        {.type = NADI_NODE_SEND, .bytes = 1000, .peer = 0, .dep_count = 1},
    };
    const struct job_node receives[] = {
        {.type = NADI_NODE_RECV, .bytes = 1000, .peer = 1, .tag = 1},
        {.type = NADI_NODE_RECV, .bytes = 1000, .peer = 2, .tag = 2},
        {.type = NADI_NODE_RECV, .bytes = 1000, .peer = 3, .tag = 3},
    };
    (void)state;
    start(&x);
    x.job.in.options.network_model = &nadi_network_aware;
    job_give(&x.job, job_trace(&x.job, receives, 3), 0, 0);
    for (uint32_t rank = 1; rank < 4; rank++) {
        send[0].duration_ns = rank == 2 ? 1 : 600;
        send[1].tag = rank;
        job_give(&x.job, job_trace(&x.job, send, 2), rank, rank);
    }
    finish(&x);
    uint64_t queued = x.why.sums[NADI_CAUSE_LINK_QUEUE];
    assert_true(queued > 0);
    assert_int_equal(queued + x.why.sums[NADI_CAUSE_MESSAGE] + 1, x.result.end_ns);
    for (size_t i = 0; i < x.why.step_count; i++)
        if (x.why.steps[i].cause == NADI_CAUSE_LINK_QUEUE)
            assert_true(x.result.links[x.why.steps[i].link].wait_ns > 0);
    assert_false(x.why.slack_is_exact);
    release(&x);
}

static void names_of_groups(void **state)
{
    uint8_t type = NADI_NODE_COLL, kind = NADI_ALL_REDUCE;
    const struct nadi_trace t = {.type = &type, .collective = &kind};
    (void)state;
    assert_int_equal(nadi_cause_of_group("tp", &t, 0), NADI_CAUSE_TENSOR);
    assert_int_equal(nadi_cause_of_group("dp_shard", &t, 0), NADI_CAUSE_DATA);
    assert_int_equal(nadi_cause_of_group("rank3_EP", &t, 0), NADI_CAUSE_EXPERT);
    assert_int_equal(nadi_cause_of_group("pipeline-1", &t, 0), NADI_CAUSE_PIPELINE);
    assert_int_equal(nadi_cause_of_group("step", &t, 0), NADI_CAUSE_OTHER_COMM);
    assert_int_equal(nadi_cause_of_group("", &t, 0), NADI_CAUSE_OTHER_COMM);
    kind = NADI_ALL_TO_ALL;
    assert_int_equal(nadi_cause_of_group("7", &t, 0), NADI_CAUSE_EXPERT);
    type = NADI_NODE_SEND;
    assert_int_equal(nadi_cause_of_group(NULL, &t, 0), NADI_CAUSE_MESSAGE);
    assert_int_equal(nadi_cause_of_name(NULL, "send 0 to 3", true, false), NADI_CAUSE_MESSAGE);
    assert_int_equal(nadi_cause_of_name(NULL, "send gradients 1", true, false),
                     NADI_CAUSE_PIPELINE);
    assert_int_equal(nadi_cause_of_name("pp", "send 0 to 3", true, false), NADI_CAUSE_PIPELINE);
    for (int c = 0; c < NADI_CAUSES; c++)
        assert_true(strlen(nadi_cause_name((enum nadi_cause)c)) > 0);
}

static void nothing_to_tell(void **state)
{
    struct run x;
    const struct job_node nodes[] = {{.type = NADI_NODE_COMP, .duration_ns = 40}};
    (void)state;
    start(&x);
    x.job.in.options.record_ops = false;
    job_give(&x.job, job_trace(&x.job, nodes, 1), 0, 3);
    nadi_simulate(&x.job.in, NULL, &x.result);
    nadi_why_find(&x.job.in, &x.result, &x.why);
    assert_non_null(x.why.why_not);
    assert_null(nadi_why_time(&x.why, 0, 0));
    release(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straggler),
        cmocka_unit_test(pipeline),
        cmocka_unit_test(slot),
        cmocka_unit_test(queue_at_a_link),
        cmocka_unit_test(names_of_groups),
        cmocka_unit_test(nothing_to_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
