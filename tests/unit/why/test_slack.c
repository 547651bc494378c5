/* slack: by hand, and against a run in which the node does take so much longer. */
#include "sim/run.h"
#include "support/job.h"
#include "why/why.h"

#include <setjmp.h>

#include <cmocka.h>

enum { RANKS = 4, NODES = 6 };

/* What the ranks of a ring run. A message of 100 B takes 200 ns to the next one. */
struct scene {
    struct job_node nodes[RANKS][NODES];
    uint32_t counts[RANKS];
};

struct run {
    struct job job;
    struct nadi_result result;
    struct nadi_why why;
};

static const struct nadi_dim ring4 = {
    .kind = NADI_DIM_RING, .npus = RANKS, .bytes_per_ns = 1, .latency_ns = 100};

static void play(struct run *x, const struct scene *s)
{
    job_init(&x->job, &ring4, 1);
    x->job.in.options.record_ops = true;
    for (uint32_t rank = 0; rank < RANKS; rank++)
        job_give(&x->job, job_trace(&x->job, s->nodes[rank], s->counts[rank]), rank, rank);
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

static uint64_t end_if_longer(const struct scene *s, uint32_t rank, uint32_t node, uint64_t by_ns)
{
    struct scene longer = *s;
    struct run x;
    longer.nodes[rank][node].duration_ns += by_ns;
    play(&x, &longer);
    const uint64_t end = x.result.end_ns;
    release(&x);
    return end;
}

struct want {
    uint32_t rank, node;
    uint64_t slack_ns;
    bool careful; /* it may be more: another node would go first, or the ring gives way */
};

static void check(const struct scene *s, const struct want *wants, size_t count)
{
    struct run x;
    play(&x, s);
    assert_true(x.why.slack_is_exact);
    for (size_t i = 0; i < count; i++) {
        const struct want *w = &wants[i];
        const uint64_t slack = nadi_why_time(&x.why, w->rank, w->node)->slack_ns;
        if (slack != w->slack_ns)
            fail_msg("rank %u node %u: %" PRIu64 " ns, not %" PRIu64, w->rank, w->node, slack,
                     w->slack_ns);
        if (s->nodes[w->rank][w->node].type != NADI_NODE_COMP)
            continue;
        assert_int_equal(end_if_longer(s, w->rank, w->node, slack), x.result.end_ns);
        if (!w->careful)
            assert_int_equal(end_if_longer(s, w->rank, w->node, slack + 1), x.result.end_ns + 1);
    }
    release(&x);
}

#define CHECK(scene, wants) check(&(scene), wants, sizeof(wants) / sizeof((wants)[0]))

static const struct job_node long_one = {.type = NADI_NODE_COMP, .duration_ns = 5000};

/* What gives rank 0 a message at 1,000 ns. */
static void add_sender(struct scene *s)
{
    s->nodes[1][0] = (struct job_node){.type = NADI_NODE_COMP, .duration_ns = 800};
    s->nodes[1][1] =
        (struct job_node){.type = NADI_NODE_SEND, .bytes = 100, .dep_count = 1, .deps = {0}};
    s->counts[1] = 2;
    for (uint32_t rank = 2; rank < RANKS; rank++) {
        s->nodes[rank][0] = long_one;
        s->counts[rank] = 1;
    }
}

/* Node 1 starts at 300; node 0, which would go first, is ready at 1,000: until 999 ns node 1 may
 * wait for what is before it, but then it may take all the time there is. */
static void lower_one_is_ready_later(void **state)
{
    static const struct want wants[] = {{0, 0, 5000 - 1050, false},
                                        {0, 1, 5000 - 50 - 400, false},
                                        {0, 2, 999 - 300, true},
                                        {0, 3, 5000 - 1050, false},
                                        {1, 0, 5000 - 50 - 200 - 800, false}};
    struct scene s = {
        .nodes = {{{.type = NADI_NODE_COMP, .duration_ns = 50, .dep_count = 1, .deps = {3}},
                   {.type = NADI_NODE_COMP, .duration_ns = 100, .dep_count = 1, .deps = {2}},
                   {.type = NADI_NODE_COMP, .cpu = true, .duration_ns = 300},
                   {.type = NADI_NODE_RECV, .bytes = 100, .peer = 1}}},
        .counts = {4}};
    (void)state;
    add_sender(&s);
    CHECK(s, wants);
}

/* The same with the order of numbers turned round. */
static void higher_one_is_ready_later(void **state)
{
    static const struct want wants[] = {{0, 0, 5000 - 50 - 400, false},
                                        {0, 1, 5000 - 1050, false},
                                        {0, 2, 999 - 300, true},
                                        {1, 0, 5000 - 50 - 200 - 800, false}};
    struct scene s = {
        .nodes = {{{.type = NADI_NODE_COMP, .duration_ns = 100, .dep_count = 1, .deps = {2}},
                   {.type = NADI_NODE_COMP, .duration_ns = 50, .dep_count = 1, .deps = {3}},
                   {.type = NADI_NODE_COMP, .cpu = true, .duration_ns = 300},
                   {.type = NADI_NODE_RECV, .bytes = 100, .peer = 1}}},
        .counts = {4}};
    (void)state;
    add_sender(&s);
    CHECK(s, wants);
}

/* Node 1 is ready at 300 and waits for node 2 to leave the slot at 500. Until 999 it may wait for
 * it: at 1,000 node 0 is ready as well and goes first. */
static void lower_one_comes_before_the_slot_is_free(void **state)
{
    static const struct want wants[] = {{0, 0, 5000 - 1050, false},
                                        {0, 1, 5000 - 50 - 600, false},
                                        {0, 2, 999 - 500, true},
                                        {0, 4, 5000 - 1050, false}};
    struct scene s = {
        .nodes = {{{.type = NADI_NODE_COMP, .duration_ns = 50, .dep_count = 1, .deps = {4}},
                   {.type = NADI_NODE_COMP, .duration_ns = 100, .dep_count = 1, .deps = {3}},
                   {.type = NADI_NODE_COMP, .duration_ns = 500},
                   {.type = NADI_NODE_COMP, .cpu = true, .duration_ns = 300},
                   {.type = NADI_NODE_RECV, .bytes = 100, .peer = 1}}},
        .counts = {5}};
    (void)state;
    add_sender(&s);
    CHECK(s, wants);
}

/* Nodes 1 and 2 wait for the slot of node 0 from 200 and 300 ns on: node 1 must be ready before
 * 500, when the slot is free and node 2 is there. */
static void slot_is_taken(void **state)
{
    static const struct want wants[] = {{0, 0, 4300, false},
                                        {0, 1, 4300, false},
                                        {0, 2, 4300, false},
                                        {0, 3, 499 - 200, true},
                                        {0, 4, 600 - 300 + 4300, false}};
    struct scene s = {
        .nodes = {{{.type = NADI_NODE_COMP, .duration_ns = 500},
                   {.type = NADI_NODE_COMP, .duration_ns = 100, .dep_count = 1, .deps = {3}},
                   {.type = NADI_NODE_COMP, .duration_ns = 100, .dep_count = 1, .deps = {4}},
                   {.type = NADI_NODE_COMP, .cpu = true, .duration_ns = 200},
                   {.type = NADI_NODE_COMP, .cpu = true, .duration_ns = 100}}},
        .counts = {5}};
    (void)state;
    add_sender(&s);
    s.counts[1] = 1;
    CHECK(s, wants);
}

/* The message arrives at 1,000 and is asked for at 2,000. */
static void message_lies_there(void **state)
{
    static const struct want wants[] = {{0, 0, 5000 - 2300, false},
                                        {0, 1, 5000 - 2300, false},
                                        {0, 2, 5000 - 2300, false},
                                        {1, 0, 5000 - 300 - 1000, false},
                                        {1, 1, 5000 - 300 - 1000, false}};
    struct scene s = {
        .nodes = {{{.type = NADI_NODE_COMP, .duration_ns = 2000},
                   {.type = NADI_NODE_RECV, .bytes = 100, .peer = 1, .dep_count = 1, .deps = {0}},
                   {.type = NADI_NODE_COMP, .duration_ns = 300, .dep_count = 1, .deps = {1}}}},
        .counts = {3}};
    (void)state;
    add_sender(&s);
    CHECK(s, wants);
}

/* Ranks 0, 1 and 3 may come to a collective as late as rank 2 does, and what follows it on rank 3
 * takes less than on rank 0. */
static void members_start_apart(void **state)
{
    static const struct want wants[] = {{0, 0, 4000, true}, {1, 0, 4000, true},
                                        {2, 0, 0, false},   {3, 0, 3900, true},
                                        {0, 2, 0, false},   {3, 2, 1800, false}};
    struct scene s = {.counts = {3, 2, 2, 3}};
    (void)state;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        const uint64_t compute = rank == 2 ? 5000 : rank == 3 ? 1100 : 1000;
        s.nodes[rank][0] = (struct job_node){.type = NADI_NODE_COMP, .duration_ns = compute};
        s.nodes[rank][1] = (struct job_node){
            .type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = 4000, .dep_count = 1};
        s.nodes[rank][2] = (struct job_node){.type = NADI_NODE_COMP,
                                             .duration_ns = rank == 3 ? 300 : 1000,
                                             .dep_count = 1,
                                             .deps = {1}};
    }
    CHECK(s, wants);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_one_is_ready_later),
        cmocka_unit_test(higher_one_is_ready_later),
        cmocka_unit_test(lower_one_comes_before_the_slot_is_free),
        cmocka_unit_test(slot_is_taken),
        cmocka_unit_test(message_lies_there),
        cmocka_unit_test(members_start_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
