/* Finish times, exposed communication and roofline averages that the reference reports for small
 * graphs. Ring of n, 50 GB/s, 500 ns; all-reduce of 1 MiB in 4 chunks unless a case says otherwise.
 */
#include "sim/run.h"
#include "support/job.h"
#include "support/models.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { MIB = 1048576 };

static void begin(struct job *j, uint32_t npus)
{
    const struct nadi_dim ring = {.kind = NADI_DIM_RING,
                                  .npus = npus,
                                  .bytes_per_ns = 50 * 1073741824.0 / 1000000000.0,
                                  .latency_ns = 500};
    job_init(j, &ring, 1);
    j->in.system.splits = 4;
    j->in.system.local_mem_bw = 1600e9;
    j->in.system.local_bw_aware = true;
}

/* All ranks run the same nodes. */
static void give_all(struct job *j, const struct job_node *nodes, uint32_t count)
{
    job_give(j, job_trace(j, nodes, count), 0, j->in.rank_count - 1);
}

static void run_as(struct job *j, const struct nadi_executor *executor, struct nadi_result *r)
{
    j->in.options.executor = executor;
    nadi_simulate(&j->in, NULL, r);
    assert_int_equal(r->outcome, NADI_OUTCOME_DONE);
}

/* Runs on every executor; want[rank], or want[0] for all. Releases the job. */
static void finish(struct job *j, const uint64_t *want, uint32_t count)
{
    EACH_EXECUTOR(e)
    {
        struct nadi_result r;
        run_as(j, e, &r);
        for (uint32_t rank = 0; rank < j->in.rank_count; rank++)
            assert_int_equal(nadi_result_rank(&r, rank)->finish_ns, want[count == 1 ? 0 : rank]);
        nadi_result_release(&r);
    }
    job_release(j);
}

static void finish_all(struct job *j, uint64_t want)
{
    finish(j, &want, 1);
}

static const struct job_node all_reduce = {
    .type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = MIB};

static void all_reduces(void **state)
{
    (void)state;
    struct job j;
    begin(&j, 2);
    give_all(&j, &all_reduce, 1);
    finish_all(&j, 24620);
    begin(&j, 4);
    give_all(&j, &all_reduce, 1);
    finish_all(&j, 43000);
    begin(&j, 2);
    j.in.system.endpoint_delay_ns = 25;
    give_all(&j, &all_reduce, 1);
    finish_all(&j, 24800);
    begin(&j, 2);
    j.in.system.endpoint_delay_ns = 30;
    give_all(&j, &all_reduce, 1);
    finish_all(&j, 24860);
    begin(&j, 2);
    j.in.system.local_mem_bw = 0;
    give_all(&j, &all_reduce, 1);
    finish_all(&j, 23648);
    begin(&j, 2);
    j.in.system.shared_bus = true;
    give_all(&j, &all_reduce, 1);
    finish_all(&j, 39900);
    for (uint64_t bytes = 0; bytes < 2; bytes++) {
        struct job_node tiny = all_reduce;
        tiny.bytes = bytes;
        begin(&j, 2);
        give_all(&j, &tiny, 1);
        finish_all(&j, 4120);
    }
}

static void algorithms(void **state)
{
    (void)state;
    const uint64_t tree[] = {68231, 80004, 74612, 80004};
    struct job j;
    begin(&j, 4);
    job_algorithm(&j, NADI_ALGORITHM_HALVING_DOUBLING);
    give_all(&j, &all_reduce, 1);
    finish_all(&j, 41968);
    begin(&j, 4);
    job_algorithm(&j, NADI_ALGORITHM_DIRECT);
    give_all(&j, &all_reduce, 1);
    finish_all(&j, 18360);
    begin(&j, 4);
    job_algorithm(&j, NADI_ALGORITHM_DOUBLE_BINARY_TREE);
    give_all(&j, &all_reduce, 1);
    finish(&j, tree, 4);
}

/* The reference's own regression test, in both network models. */
static void regression(void **state)
{
    (void)state;
    EACH_MODEL(&nadi_network_unaware, &nadi_network_aware)
    {
        struct job j;
        begin(&j, 8);
        j.in.system.local_mem_bw = 50e9;
        j.in.options.network_model = model;
        give_all(&j, &all_reduce, 1);
        finish_all(&j, 117780);
    }
}

static void groups(void **state)
{
    (void)state;
    const uint32_t low[] = {0, 1}, high[] = {2, 3};
    const uint32_t up[] = {0, 1, 2, 3}, down[] = {3, 2, 1, 0};
    struct job_node node = all_reduce;
    struct job j;
    bool existed;
    begin(&j, 4);
    nadi_groups_add(&j.in.groups, "1", low, 2, &existed);
    nadi_groups_add(&j.in.groups, "2", high, 2, &existed);
    node.group = "1";
    job_give(&j, job_trace(&j, &node, 1), 0, 1);
    node.group = "2";
    job_give(&j, job_trace(&j, &node, 1), 2, 3);
    finish_all(&j, 24620);
    for (int order = 0; order < 2; order++) {
        begin(&j, 4);
        nadi_groups_add(&j.in.groups, "1", order ? down : up, 4, &existed);
        node.group = "1";
        give_all(&j, &node, 1);
        finish_all(&j, 43000);
    }
}

static void sequences(void **state)
{
    (void)state;
    const struct job_node chain[] = {
        {.type = NADI_NODE_COLL, .kind = NADI_ALL_GATHER, .bytes = MIB},
        {.type = NADI_NODE_COLL, .kind = NADI_ALL_TO_ALL, .bytes = MIB, .dep_count = 1},
        {.type = NADI_NODE_COLL,
         .kind = NADI_REDUCE_SCATTER,
         .bytes = MIB,
         .dep_count = 1,
         .deps = {1}},
    };
    const struct job_node two[] = {all_reduce, all_reduce};
    struct job j;
    begin(&j, 2);
    give_all(&j, chain, 3);
    finish_all(&j, 46268);
    begin(&j, 2);
    give_all(&j, two, 2);
    finish_all(&j, 49240);
}

static void overlap(void **state)
{
    (void)state;
    struct job_node nodes[] = {
        {.type = NADI_NODE_COMP, .duration_ns = 2000},
        all_reduce,
        {.type = NADI_NODE_COMP, .duration_ns = 40000, .dep_count = 1},
    };
    for (int hidden = 1; hidden >= 0; hidden--) {
        struct nadi_result r;
        struct job j;
        begin(&j, 2);
        if (!hidden) { /* the long kernel waits for the collective */
            struct job_node first = nodes[0];
            nodes[0] = nodes[1];
            nodes[1] = first;
        }
        give_all(&j, nodes, 3);
        run_as(&j, NULL, &r);
        const struct nadi_rank_result *rank = nadi_result_rank(&r, 1);
        assert_int_equal(rank->finish_ns, hidden ? 42000 : 64620);
        assert_int_equal(rank->exposed_comm_ns, hidden ? 0 : 22620);
        assert_int_equal(rank->true_exposed_comm_ns, hidden ? 0 : 22620);
        assert_int_equal(rank->compute_ns, 42000);
        assert_int_equal(rank->comm_ns, 24620);
        nadi_result_release(&r);
        job_release(&j);
    }
}

static void timers(void **state)
{
    (void)state;
    const struct job_node empty[] = {{.type = NADI_NODE_COMP},
                                     {.type = NADI_NODE_COMP, .dep_count = 1}};
    const struct job_node skipped[] = {
        {.type = NADI_NODE_INVALID},
        {.type = NADI_NODE_COMP, .duration_ns = 5000, .dep_count = 1},
        {.type = NADI_NODE_COMP, .duration_ns = 7000},
    };
    struct job_node broadcast = {
        .type = NADI_NODE_COLL, .kind = NADI_BROADCAST, .duration_ns = 4000, .bytes = MIB};
    struct job j;
    begin(&j, 2);
    give_all(&j, empty, 2);
    finish_all(&j, 2);
    begin(&j, 2);
    give_all(&j, skipped, 3);
    finish_all(&j, 12000);
    begin(&j, 2);
    give_all(&j, &broadcast, 1);
    finish_all(&j, 4000);
    broadcast.duration_ns = 0;
    begin(&j, 2);
    give_all(&j, &broadcast, 1);
    finish_all(&j, 1);
}

/* ---- point to point ------------------------------------------------------------------------ */

static struct job_node message(enum nadi_node_type type, uint64_t bytes, uint32_t tag)
{
    return (struct job_node){
        .type = type, .bytes = bytes, .tag = tag, .peer = type == NADI_NODE_SEND ? 1 : 0};
}

static void one_message(uint64_t bytes, bool late, bool rendezvous, uint64_t sender,
                        uint64_t receiver)
{
    const struct job_node send = message(NADI_NODE_SEND, bytes, 0);
    struct job_node receive[] = {{.type = NADI_NODE_COMP, .duration_ns = 9000},
                                 message(NADI_NODE_RECV, bytes, 0)};
    const uint64_t want[] = {sender, receiver};
    struct job j;
    receive[1].dep_count = 1;
    begin(&j, 2);
    j.in.system.rendezvous = rendezvous;
    job_give(&j, job_trace(&j, &send, 1), 0, 0);
    if (!late) {
        receive[1].dep_count = 0;
        job_give(&j, job_trace(&j, receive + 1, 1), 1, 1);
    } else
        job_give(&j, job_trace(&j, receive, 2), 1, 1);
    finish(&j, want, 2);
}

static void messages(void **state)
{
    (void)state;
    const uint64_t huge = (UINT64_C(1) << 32) + 1000;
    one_message(1000, false, false, 518, 518);
    one_message(1000, true, false, 518, 9000);
    one_message(1000, false, true, 1170, 1170);
    one_message(1000, true, true, 10170, 10170);
    one_message(huge, false, false, 80000518, 80000518);
    one_message(huge, false, true, 1170, 1170); /* the size passes through 32 bits */
}

static void issue_order(void **state)
{
    (void)state;
    struct job_node sends[] = {
        {.type = NADI_NODE_COMP, .duration_ns = 1000},
        message(NADI_NODE_SEND, 2000, 3),
        message(NADI_NODE_SEND, 1000, 7),
    };
    const struct job_node receives[] = {message(NADI_NODE_RECV, 2000, 3),
                                        message(NADI_NODE_RECV, 1000, 7)};
    const struct job_node three[] = {message(NADI_NODE_SEND, 1000, 1),
                                     message(NADI_NODE_SEND, 1000, 2),
                                     message(NADI_NODE_SEND, 1000, 3)};
    const struct job_node three_back[] = {message(NADI_NODE_RECV, 1000, 1),
                                          message(NADI_NODE_RECV, 1000, 2),
                                          message(NADI_NODE_RECV, 1000, 3)};
    struct job j;
    sends[1].dep_count = 1;
    begin(&j, 2);
    job_give(&j, job_trace(&j, sends, 3), 0, 0);
    job_give(&j, job_trace(&j, receives, 2), 1, 1);
    finish_all(&j, 1537);
    begin(&j, 2);
    job_give(&j, job_trace(&j, three, 3), 0, 0);
    job_give(&j, job_trace(&j, three_back, 3), 1, 1);
    finish_all(&j, 1554); /* a send holds its slot until the message arrives */
}

static void message_beside_collective(void **state)
{
    (void)state;
    const struct job_node sender[] = {message(NADI_NODE_SEND, 1000000, 0), all_reduce};
    const struct job_node receiver[] = {message(NADI_NODE_RECV, 1000000, 0), all_reduce};
    const uint64_t want[] = {43746, 40805};
    struct job j;
    begin(&j, 2);
    job_give(&j, job_trace(&j, sender, 2), 0, 0);
    job_give(&j, job_trace(&j, receiver, 2), 1, 1);
    finish(&j, want, 2);
}

/* ---- roofline, memory, replay -------------------------------------------------------------- */

static struct job_node kernel(uint64_t ops, uint64_t bytes)
{
    return (struct job_node){.type = NADI_NODE_COMP, .ops = ops, .bytes = bytes};
}

static void near_percent(double got, double want)
{
    assert_true(fabs(got * 100 - want) < 0.0005);
}

static void expect_roofline(const struct job_node *nodes, uint32_t count, uint64_t end,
                            const double want[4])
{
    struct nadi_result r;
    struct job j;
    begin(&j, 2);
    j.in.system.roofline = true;
    j.in.system.peak_perf = 900e12;
    give_all(&j, nodes, count);
    run_as(&j, NULL, &r);
    const struct nadi_rank_result *rank = nadi_result_rank(&r, 0);
    assert_int_equal(rank->finish_ns, end);
    near_percent(rank->compute_bound, want[0]);
    near_percent(rank->compute_utilisation, want[1]);
    near_percent(rank->memory_utilisation, want[2]);
    near_percent(rank->operation_intensity / 100, want[3]);
    nadi_result_release(&r);
    job_release(&j);
}

static void roofline(void **state)
{
    (void)state;
    const struct job_node two[] = {kernel(1000000000, 1000000), kernel(1000000, 1000000000)};
    const double of_two[] = {0.177, 0.178, 99.922, 1.775};
    struct job_node chain[] = {kernel(1000000000, 1000000), kernel(1, 1), kernel(1, 1)};
    const double of_chain[] = {99.910, 99.910, 56.199, 999.101};
    chain[1].dep_count = chain[2].dep_count = 1;
    chain[2].deps[0] = 1;
    expect_roofline(two, 2, 626111, of_two);
    expect_roofline(chain, 3, 1111, of_chain);
}

static void loads_and_stores(struct job *j, uint64_t step)
{
    for (uint32_t rank = 0; rank < j->in.rank_count; rank++) {
        const struct job_node nodes[] = {
            {.type = NADI_NODE_MEM_LOAD, .bytes = 1000 + step * rank},
            {.type = NADI_NODE_MEM_STORE, .bytes = 1000, .dep_count = 1},
        };
        job_give(j, job_trace(j, nodes, 2), rank, rank);
    }
}

static void remote_memory(void **state)
{
    (void)state;
    const struct job_node load = {.type = NADI_NODE_MEM_LOAD, .bytes = 1000};
    const uint64_t by_node[] = {1299, 1732, 1299, 1732}, pooled[] = {4165, 4598, 5031, 5464};
    struct job j;
    begin(&j, 2);
    give_all(&j, &load, 1);
    finish_all(&j, 433);
    begin(&j, 4);
    j.in.memory.kind = NADI_MEMORY_PER_NODE;
    j.in.memory.node_count = j.in.memory.npus_per_node = 2;
    loads_and_stores(&j, 0);
    finish(&j, by_node, 4);
    begin(&j, 4);
    j.in.memory.kind = NADI_MEMORY_POOL;
    loads_and_stores(&j, 1000);
    finish(&j, pooled, 4);
}

static void replay_only(void **state)
{
    (void)state;
    struct job_node nodes[] = {
        {.type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = MIB, .duration_ns = 4000},
        {.type = NADI_NODE_MEM_LOAD, .bytes = 1000, .dep_count = 1},
        {.type = NADI_NODE_INVALID, .dep_count = 1, .deps = {1}},
        {.type = NADI_NODE_COMP, .duration_ns = 2000},
    };
    struct nadi_result r;
    struct job j;
    begin(&j, 2);
    j.in.system.replay_only = true;
    give_all(&j, nodes, 4);
    run_as(&j, NULL, &r);
    assert_int_equal(nadi_result_rank(&r, 0)->finish_ns, 4002);
    assert_true(nadi_result_rank(&r, 0)->exposed_comm_ns == UINT64_C(18446744073709549616));
    nadi_result_release(&r);
    job_release(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_reduces), cmocka_unit_test(algorithms),
        cmocka_unit_test(regression),  cmocka_unit_test(groups),
        cmocka_unit_test(sequences),   cmocka_unit_test(overlap),
        cmocka_unit_test(timers),      cmocka_unit_test(messages),
        cmocka_unit_test(issue_order), cmocka_unit_test(message_beside_collective),
        cmocka_unit_test(roofline),    cmocka_unit_test(remote_memory),
        cmocka_unit_test(replay_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
