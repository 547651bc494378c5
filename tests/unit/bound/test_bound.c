/* bound: exact where nothing stands in the way, never above the run, and each argument by itself.
 */
#include "bound/bound.h"
#include "inputs/model_presets.h"
#include "sim/run.h"

#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

static const struct nadi_dim ring8 = {
    .kind = NADI_DIM_RING, .npus = 8, .bytes_per_ns = 50 * 1073741824.0 / 1e9, .latency_ns = 500};
static const struct nadi_dim switch8 = {
    .kind = NADI_DIM_SWITCH, .npus = 8, .bytes_per_ns = 50 * 1073741824.0 / 1e9, .latency_ns = 500};
static const struct nadi_dim mesh8 = {.kind = NADI_DIM_FULLY_CONNECTED,
                                      .npus = 8,
                                      .bytes_per_ns = 50 * 1073741824.0 / 1e9,
                                      .latency_ns = 500};

static uint64_t run_ns(const struct job *j)
{
    struct nadi_result r;
    nadi_simulate(&j->in, NULL, &r);
    assert_int_equal(r.outcome, NADI_OUTCOME_DONE);
    uint64_t end = r.end_ns;
    assert_int_equal(r.lower_bound_ns, nadi_lower_bound_ns(&j->in));
    nadi_result_release(&r);
    return end;
}

/* The micro-benchmarks of the specification: 1000003 bytes in 5 chunks, 2 active. */
static void specified_collectives(void **state)
{
    static const struct {
        const struct nadi_dim *dim;
        enum nadi_algorithm algorithm;
        enum nadi_collective_kind kind;
        uint64_t unaware, aware; /* bounds; the run's time where that is stated to be equal */
        bool unaware_exact, aware_exact;
    } cases[] = {
        {&ring8, NADI_ALGORITHM_RING, NADI_ALL_REDUCE, 47091, 47091, true, false},
        {&ring8, NADI_ALGORITHM_RING, NADI_REDUCE_SCATTER, 24159, 24159, true, false},
        {&ring8, NADI_ALGORITHM_RING, NADI_ALL_GATHER, 108516, 108516, true, false},
        {&ring8, NADI_ALGORITHM_RING, NADI_ALL_TO_ALL, 91758, 91758, true, false},
        {&switch8, NADI_ALGORITHM_RING, NADI_ALL_REDUCE, 68091, 92535, true, true},
        {&switch8, NADI_ALGORITHM_RING, NADI_ALL_TO_ALL, 133758, 182646, true, true},
        {&mesh8, NADI_ALGORITHM_DIRECT, NADI_ALL_GATHER, 15528, 23280, true, false},
        {&mesh8, NADI_ALGORITHM_DIRECT, NADI_ALL_TO_ALL, 3306, 3306, true, false},
        {&mesh8, NADI_ALGORITHM_DIRECT, NADI_ALL_REDUCE, 6552, 6552, false, false},
        {&ring8, NADI_ALGORITHM_DIRECT, NADI_ALL_GATHER, 20028, 186240, true, false},
        {&switch8, NADI_ALGORITHM_DIRECT, NADI_ALL_REDUCE, 9552, 40740, false, false},
        {&switch8, NADI_ALGORITHM_HALVING_DOUBLING, NADI_ALL_REDUCE, 43176, 67620, true, false},
        {&ring8, NADI_ALGORITHM_HALVING_DOUBLING, NADI_ALL_REDUCE, 46176, 63636, true, false},
        {&ring8, NADI_ALGORITHM_HALVING_DOUBLING, NADI_ALL_GATHER, 108405, 178248, true, false},
        {&switch8, NADI_ALGORITHM_DOUBLE_BINARY_TREE, NADI_ALL_REDUCE, 18412, 32380, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        for (int aware = 0; aware < 2; aware++) {
            struct job j;
            struct job_node node = {
                .type = NADI_NODE_COLL, .kind = cases[i].kind, .bytes = 1000003};
            job_init(&j, cases[i].dim, 1);
            job_algorithm(&j, cases[i].algorithm);
            job_give(&j, job_trace(&j, &node, 1), 0, 7);
            j.in.system.splits = 4;
            j.in.system.active_chunks = 2;
            j.in.system.local_mem_bw = 1600e9;
            j.in.options.network_model = aware ? &nadi_network_aware : &nadi_network_unaware;
            uint64_t bound = nadi_lower_bound_ns(&j.in), end = run_ns(&j);
            assert_int_equal(bound, aware ? cases[i].aware : cases[i].unaware);
            assert_int_equal(bound == end, aware ? cases[i].aware_exact : cases[i].unaware_exact);
            job_release(&j);
        }
    }
}

/* Over graphs the cables of the NPUs say how long a way is; what lies between is not looked at. */
static void graph(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        double most; /* the run takes at most so many times as long */
    } cases[] = {
        {"hgx npus=8", 1.0001},
        {"leaf-spine leaves=1 spines=1 hosts=8", 1.0001},
        {"leaf-spine leaves=4 spines=1 hosts=2", 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct job_node node = {.type = NADI_NODE_COLL, .bytes = 100000000};
        struct job j;
        job_graph(&j, cases[i].words);
        j.in.options.network_model = &nadi_network_aware;
        job_algorithm(&j, NADI_ALGORITHM_RING);
        job_give(&j, job_trace(&j, &node, 1), 0, j.in.rank_count - 1);
        const uint64_t bound = nadi_lower_bound_ns(&j.in), end = run_ns(&j);
        if (bound > end || (double)end > cases[i].most * (double)bound)
            fail_msg("%s: bound %" PRIu64 " ns, run %" PRIu64 " ns", cases[i].words, bound, end);
        job_release(&j);
    }
}

/* A ring through leaves whose uplinks are slow: where a pair keeps its uplink its messages follow
 * each other there; where each has a hash of its own, one may overtake the other over the other
 * spine. */
static void routes_by_message(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        const struct job_node node = {.type = NADI_NODE_COLL, .bytes = 262144};
        struct job j;
        job_graph(&j, "leaf-spine leaves=3 spines=2 hosts=4 uplink-bandwidth=1");
        j.in.options.network_model = &nadi_network_packet;
        if (exact)
            nadi_packet_config_init_hpcc(&j.in.packet);
        else
            nadi_packet_config_init(&j.in.packet);
        j.in.packet.exact = exact;
        job_algorithm(&j, NADI_ALGORITHM_RING);
        job_give(&j, job_trace(&j, &node, 1), 0, j.in.rank_count - 1);
        const uint64_t bound = nadi_lower_bound_ns(&j.in), end = run_ns(&j);
        const uint64_t in_turn = 22 * (262144 / 12); /* steps; 1 byte a ns */
        if (bound > end || (bound > in_turn) != !exact || (end > in_turn) != !exact)
            fail_msg("exact %d: bound %" PRIu64 " ns, run %" PRIu64 " ns", exact, bound, end);
        job_release(&j);
    }
}

/* A dimension of one NPU changes nothing, wherever it stands: neither does it make the other one's
 * ring an algorithm over all ranks, nor is a message ever in it. */
static void dimension_of_one(void **state)
{
    (void)state;
    static const struct nadi_dim one = {
        .kind = NADI_DIM_SWITCH, .npus = 1, .bytes_per_ns = 0.001, .latency_ns = 9000};
    const struct nadi_dim dims[][2] = {{ring8}, {one, ring8}, {ring8, one}};
    for (uint32_t flat = 0; flat < 2; flat++) {
        uint64_t first = 0;
        for (size_t i = 0; i < 3; i++) {
            const struct job_node node = {.type = NADI_NODE_COLL, .bytes = 1000003};
            struct job j;
            job_init(&j, dims[i], i ? 2 : 1);
            j.in.system.native[NADI_NATIVE_ALL_REDUCE].dims[0].flat = flat;
            job_give(&j, job_trace(&j, &node, 1), 0, 7);
            const uint64_t bound = nadi_lower_bound_ns(&j.in);
            assert_int_equal(bound, run_ns(&j));
            assert_int_equal(bound, i ? first : bound);
            first = bound;
            job_release(&j);
        }
    }
}

/* Backward computes, each with its all-reduce behind it, then an update that waits for all. */
static void overlapped_step(void **state)
{
    struct job_node nodes[] = {
        {.type = NADI_NODE_COMP, .duration_ns = 20000},
        {.type = NADI_NODE_COMP, .duration_ns = 20000, .dep_count = 1, .deps = {0}},
        {.type = NADI_NODE_COMP, .duration_ns = 20000, .dep_count = 1, .deps = {1}},
        {.type = NADI_NODE_COLL, .bytes = 1000000, .dep_count = 1, .deps = {0}},
        {.type = NADI_NODE_COLL, .bytes = 3000000, .dep_count = 1, .deps = {1}},
        {.type = NADI_NODE_COLL, .bytes = 1000000, .dep_count = 1, .deps = {2}},
        {.type = NADI_NODE_COMP, .duration_ns = 5000, .dep_count = 4, .deps = {2, 3, 4, 5}},
    };
    struct job j;
    (void)state;
    job_init(&j, &ring8, 1);
    job_give(&j, job_trace(&j, nodes, 7), 0, 7);
    assert_int_equal(nadi_lower_bound_ns(&j.in), run_ns(&j));
    job_release(&j);

    /* the same with a trace of its own for every rank, in groups of four */
    static const uint32_t members[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    bool existed;
    job_init(&j, &switch8, 1);
    nadi_groups_add(&j.in.groups, "a", members[0], 4, &existed);
    nadi_groups_add(&j.in.groups, "b", members[1], 4, &existed);
    for (uint32_t rank = 0; rank < 8; rank++) {
        for (int i = 3; i < 6; i++)
            nodes[i].group = rank < 4 ? "a" : "b";
        job_give(&j, job_trace(&j, nodes, 7), rank, rank);
    }
    assert_int_equal(nadi_lower_bound_ns(&j.in), run_ns(&j));
    job_release(&j);
}

/* A step of computes with collectives beside them. What all ranks do in one order has the bound of
 * the whole, which the run reaches; what keeps a rank from it has that of ranks and groups alone.
 */
enum step_change {
    AS_IT_IS,
    PLACE,      /* one rank computes once on its processor */
    WAITS,      /* one rank waits for less */
    LENGTHS,    /* one rank takes longer */
    NO_CHAIN,   /* two computes do not wait for each other */
    OVERTAKEN,  /* a collective may start before the one before it */
    LOADED,     /* a collective waits for a load */
    IN_TURN,    /* a collective waits for the one before, and one for none */
    KINDS,      /* half of the ranks run another kind */
    NEIGHBOURS, /* a rank's second group is the next rank's first */
    STEP_CHANGES
};

static void give_step(struct job *j, enum step_change change)
{
    static char names[9][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    bool existed;
    for (uint32_t i = 0; i < 9; i++) { /* of NEIGHBOURS: i - 1 and i */
        const uint32_t pair[2] = {i ? i - 1 : 0, i}, alone[1] = {i ? 7 : 0};
        const bool end = i == 0 || i == 8;
        nadi_groups_add(&j->in.groups, names[i], end ? alone : pair, end ? 1 : 2, &existed);
    }
    for (uint32_t rank = 0; rank < 8; rank++) {
        struct job_node nodes[] = {
            {.type = NADI_NODE_COMP, .duration_ns = 20000},
            {.type = NADI_NODE_COMP, .duration_ns = 20000, .dep_count = 1, .deps = {0}},
            {.type = NADI_NODE_COMP, .duration_ns = 20000, .dep_count = 1, .deps = {1}},
            {.type = NADI_NODE_COLL, .bytes = 1000000, .dep_count = 1, .deps = {0}},
            {.type = NADI_NODE_COLL, .bytes = 3000000, .dep_count = 1, .deps = {1}},
            {.type = NADI_NODE_COLL, .bytes = 1000000, .dep_count = 1, .deps = {2}},
            {.type = NADI_NODE_MEM_LOAD, .bytes = 3000},
            {.type = NADI_NODE_COMP, .duration_ns = 5000, .dep_count = 4, .deps = {2, 3, 4, 5}},
        };
        if (change == PLACE && rank == 5)
            nodes[1].cpu = true;
        if (change == WAITS && rank == 5)
            nodes[7].dep_count = 3;
        if (change == LENGTHS && rank == 5)
            nodes[0].duration_ns += 7000;
        if (change == NO_CHAIN)
            nodes[2].dep_count = 0;
        if (change == OVERTAKEN)
            nodes[5].deps[0] = 0;
        if (change == IN_TURN) {
            nodes[3].dep_count = 0;
            nodes[4].deps[0] = 3;
        }
        if (change == KINDS && rank > 3)
            nodes[4].kind = NADI_REDUCE_SCATTER;
        for (int i = 3; i < 6 && change == KINDS; i++)
            nodes[i].group = rank < 4 ? "a" : "b";
        if (change == NEIGHBOURS) {
            nodes[3].group = names[rank];
            nodes[4].group = names[rank + 1];
            nodes[4].bytes = nodes[3].bytes;
        }
        if (change == LOADED) { /* numbers ascend along what they wait for */
            const struct job_node load = nodes[6], last = nodes[5];
            nodes[5] = load;
            nodes[6] = last;
            nodes[6].dep_count = 2;
            nodes[6].deps[1] = 5;
            nodes[7].deps[3] = 6;
        }
        job_give(j, job_trace(j, nodes, 8), rank, rank);
    }
}

static void one_order(void **state)
{
    static const uint32_t members[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    static const struct {
        uint64_t bound, run;
    } want[STEP_CHANGES] = {
        [AS_IT_IS] = {230410, 230410}, [PLACE] = {205410, 230410},
        [WAITS] = {205410, 230410},    [LENGTHS] = {230410, 237410},
        [NO_CHAIN] = {205410, 230410}, [OVERTAKEN] = {205410, 230410},
        [LOADED] = {205410, 230410},   [IN_TURN] = {210410, 210410},
        [KINDS] = {157896, 182896},    [NEIGHBOURS] = {91774, 174456},
    };
    (void)state;
    for (enum step_change c = 0; c < STEP_CHANGES; c++) {
        struct job j;
        bool existed;
        job_init(&j, &switch8, 1);
        nadi_groups_add(&j.in.groups, "a", members[0], 4, &existed);
        nadi_groups_add(&j.in.groups, "b", members[1], 4, &existed);
        give_step(&j, c);
        assert_int_equal(nadi_lower_bound_ns(&j.in), want[c].bound);
        assert_int_equal(run_ns(&j), want[c].run);
        job_release(&j);
    }
}

/* One trace for all ranks, whose group name means another group on each half. */
static void family_of_groups(void **state)
{
    static const uint32_t members[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    static const struct job_node nodes[] = {
        {.type = NADI_NODE_COMP, .duration_ns = 3000},
        {.type = NADI_NODE_COLL, .bytes = 1000000, .group = "tp", .dep_count = 1, .deps = {0}},
        {.type = NADI_NODE_COMP, .duration_ns = 4000, .dep_count = 1, .deps = {1}},
    };
    uint32_t group_of[8];
    struct job j;
    bool existed;
    (void)state;
    job_init(&j, &ring8, 1);
    for (uint32_t rank = 0; rank < 8; rank++)
        group_of[rank] = nadi_groups_add(&j.in.groups, rank < 4 ? "tp.0" : "tp.1",
                                         members[rank / 4], 4, &existed);
    nadi_groups_add_family(&j.in.groups, "tp", group_of, 8);
    job_give(&j, job_trace(&j, nodes, 3), 0, 7);
    uint64_t bound = nadi_lower_bound_ns(&j.in);
    assert_int_equal(bound, 3000 + 4000 + 10 + 6 * ((500 + 4656) + 10)); /* one hop each step */
    assert_true(bound <= run_ns(&j));
    job_release(&j);
}

/* One rank comes late: the bound may charge its part of the collective only. */
static void late_rank(void **state)
{
    const struct job_node early = {
        .type = NADI_NODE_COLL, .kind = NADI_ALL_GATHER, .bytes = 1000000};
    const struct job_node late[] = {
        {.type = NADI_NODE_COMP, .duration_ns = 900000},
        {.type = NADI_NODE_COLL,
         .kind = NADI_ALL_GATHER,
         .bytes = 1000000,
         .dep_count = 1,
         .deps = {0}},
    };
    struct job j;
    (void)state;
    job_init(&j, &ring8, 1);
    job_give(&j, job_trace(&j, late, 2), 0, 0);
    job_give(&j, job_trace(&j, &early, 1), 1, 7);
    uint64_t bound = nadi_lower_bound_ns(&j.in), end = run_ns(&j);
    assert_int_equal(bound, 900000 + 8 * 10); /* its endpoint stages */
    assert_true(bound <= end);
    job_release(&j);
}

static void slots_and_paths(void **state)
{
    static const struct job_node nodes[] = {
        {.type = NADI_NODE_COMP, .duration_ns = 700}, /* compute slot: 1,500 */
        {.type = NADI_NODE_COMP, .duration_ns = 800},
        {.type = NADI_NODE_COMP, .cpu = true, .duration_ns = 900}, /* processor: 1,400 */
        {.type = NADI_NODE_COMP, .cpu = true, .duration_ns = 500},
        {.type = NADI_NODE_MEM_LOAD, .bytes = 3000}, /* 1,100 each: 2,200 */
        {.type = NADI_NODE_MEM_STORE, .bytes = 3000},
        {.type = NADI_NODE_METADATA},
    };
    struct job j;
    (void)state;
    job_init(&j, &ring8, 1);
    job_give(&j, job_trace(&j, nodes, 7), 0, 7);
    assert_int_equal(nadi_lower_bound_ns(&j.in), 2200);
    assert_int_equal(run_ns(&j), 2200);
    j.in.options.compute_scale = 2;
    assert_int_equal(nadi_lower_bound_ns(&j.in), 3000);
    assert_int_equal(run_ns(&j), 3000);
    j.in.system.replay_only = true; /* memory nodes take 1 ns then, metadata too */
    assert_int_equal(nadi_lower_bound_ns(&j.in), 3000);
    job_release(&j);
}

/* Requests to one server queue: 8 ranks' 1,100 ns each; 3 on the busiest of servers for 3. */
static void memory_servers(void **state)
{
    static const struct job_node load = {.type = NADI_NODE_MEM_LOAD, .bytes = 3000};
    struct job j;
    (void)state;
    job_init(&j, &ring8, 1);
    job_give(&j, job_trace(&j, &load, 1), 0, 7);
    j.in.memory.kind = NADI_MEMORY_POOL;
    assert_int_equal(nadi_lower_bound_ns(&j.in), 8 * 1100);
    assert_int_equal(run_ns(&j), 8 * 1100);
    j.in.memory.kind = NADI_MEMORY_PER_NODE;
    j.in.memory.npus_per_node = j.in.memory.node_count = 3;
    assert_int_equal(nadi_lower_bound_ns(&j.in), 3 * 1100);
    assert_int_equal(run_ns(&j), 3 * 1100);
    job_release(&j);
}

static void nothing_to_do(void **state)
{
    static const struct job_node node = {.type = NADI_NODE_METADATA};
    struct job j;
    (void)state;
    job_init(&j, &ring8, 1);
    job_give(&j, job_trace(&j, &node, 1), 0, 7);
    assert_int_equal(nadi_lower_bound_ns(&j.in), 0);
    assert_int_equal(run_ns(&j), 0);
    job_release(&j);
}

/* A send holds its slot for the idle network's delay: lowest dimension only, or every hop. */
static void point_to_point(void **state)
{
    static const struct nadi_dim dims[] = {
        {.kind = NADI_DIM_RING, .npus = 2, .bytes_per_ns = 100, .latency_ns = 50},
        {.kind = NADI_DIM_SWITCH, .npus = 4, .bytes_per_ns = 10, .latency_ns = 7}};
    static const struct job_node send = {
        .type = NADI_NODE_SEND, .bytes = 1000, .peer = 3, .tag = 1};
    static const struct job_node receive = {.type = NADI_NODE_RECV, .bytes = 1000, .tag = 1};
    static const struct job_node nothing = {.type = NADI_NODE_COMP, .duration_ns = 1};
    struct job j;
    (void)state;
    job_init(&j, dims, 2);
    job_give(&j, job_trace(&j, &send, 1), 0, 0); /* (0, 0) -> (1, 1) */
    job_give(&j, job_trace(&j, &receive, 1), 3, 3);
    struct nadi_trace *t = job_trace(&j, &nothing, 1);
    job_give(&j, t, 1, 2);
    for (uint32_t rank = 4; rank < 8; rank++)
        j.in.traces[rank] = t;
    assert_int_equal(nadi_lower_bound_ns(&j.in), 60);
    assert_int_equal(run_ns(&j), 60);
    j.in.options.network_model = &nadi_network_aware;
    assert_int_equal(nadi_lower_bound_ns(&j.in), 60 + 2 * 107);
    assert_int_equal(run_ns(&j), 60 + 2 * 107);
    job_release(&j);
}

/* Two microbatches through four stages: three messages and the bubble stand before the last stage.
 */
static void pipeline(void **state)
{
    enum { COMPUTE = 5000, BYTES = 53687, STAGES = 4, BATCHES = 2 };
    static const struct nadi_dim ring4 = {.kind = NADI_DIM_RING,
                                          .npus = STAGES,
                                          .bytes_per_ns = 50 * 1073741824.0 / 1e9,
                                          .latency_ns = 500};
    struct job j;
    (void)state;
    job_init(&j, &ring4, 1);
    for (uint32_t rank = 0; rank < STAGES; rank++) {
        struct job_node nodes[3 * BATCHES];
        uint32_t count = 0;
        for (uint32_t batch = 0; batch < BATCHES; batch++) {
            struct job_node compute = {.type = NADI_NODE_COMP, .duration_ns = COMPUTE};
            if (rank > 0) {
                nodes[count] = (struct job_node){
                    .type = NADI_NODE_RECV, .bytes = BYTES, .peer = rank - 1, .tag = batch};
                compute.deps[compute.dep_count++] = count++;
            }
            nodes[count++] = compute;
            if (rank + 1 < STAGES) {
                nodes[count] = (struct job_node){.type = NADI_NODE_SEND,
                                                 .bytes = BYTES,
                                                 .peer = rank + 1,
                                                 .tag = batch,
                                                 .dep_count = 1,
                                                 .deps = {count - 1}};
                count++;
            }
        }
        job_give(&j, job_trace(&j, nodes, count), rank, rank);
    }
    uint64_t message = 500 + 999; /* 53687 B / 53.687 B/ns, truncated */
    assert_int_equal(nadi_lower_bound_ns(&j.in),
                     (STAGES + BATCHES - 1) * COMPUTE + (STAGES - 1) * message);
    assert_int_equal(nadi_lower_bound_ns(&j.in), run_ns(&j));
    job_release(&j);
}

/* The same where the ranks of a stage share a trace, whose peers are so far round: also where a
 * rank's communications pass each other. */
static void shared_pipeline(void **state)
{
    enum { COMPUTE = 5000, BYTES = 53687, STAGES = 4, WIDTH = 2 };
    (void)state;
    for (uint32_t streams = 1; streams <= 2; streams++) {
        struct job j;
        job_init(&j, &mesh8, 1);
        j.in.relative_peers = true;
        j.in.system.comm_streams = streams;
        for (uint32_t stage = 0; stage < STAGES; stage++) {
            struct job_node nodes[3];
            struct job_node compute = {.type = NADI_NODE_COMP, .duration_ns = COMPUTE};
            uint32_t count = 0;
            if (stage > 0) {
                nodes[count] = (struct job_node){
                    .type = NADI_NODE_RECV, .bytes = BYTES, .peer = (uint32_t)-WIDTH};
                compute.deps[compute.dep_count++] = count++;
            }
            nodes[count++] = compute;
            if (stage + 1 < STAGES) {
                nodes[count] = (struct job_node){.type = NADI_NODE_SEND,
                                                 .bytes = BYTES,
                                                 .peer = WIDTH,
                                                 .dep_count = 1,
                                                 .deps = {count - 1}};
                count++;
            }
            job_give(&j, job_trace(&j, nodes, count), WIDTH * stage, WIDTH * stage + WIDTH - 1);
        }
        const uint64_t message = 500 + 999; /* 53687 B / 53.687 B/ns, truncated */
        assert_int_equal(nadi_lower_bound_ns(&j.in), STAGES * COMPUTE + (STAGES - 1) * message);
        assert_int_equal(nadi_lower_bound_ns(&j.in), run_ns(&j));
        job_release(&j);
    }
}

/* A collective that another one with a lower id overtakes: what all ranks do together does not
 * follow from the ids then. The second one passes beside the computation that the first waits for.
 */
static void overtaken(void **state)
{
    enum { FIRST = 10000, SECOND = 900000 };
    struct job_node nodes[] = {
        {.type = NADI_NODE_COMP, .duration_ns = FIRST},
        {.type = NADI_NODE_COMP, .duration_ns = SECOND, .dep_count = 1, .deps = {0}},
        {.type = NADI_NODE_COLL,
         .kind = NADI_ALL_REDUCE,
         .bytes = 8000000,
         .dep_count = 1,
         .deps = {1}},
        {.type = NADI_NODE_COLL,
         .kind = NADI_ALL_REDUCE,
         .bytes = 8000000,
         .dep_count = 1,
         .deps = {0}},
    };
    struct job j;
    (void)state;
    uint64_t end[2], bound[2];
    for (int apart = 0; apart < 2; apart++) {
        job_init(&j, &ring8, 1);
        nodes[3].deps[0] = apart ? 0 : 1; /* both after the computation: one after the other */
        job_give(&j, job_trace(&j, nodes, 4), 0, 7);
        bound[apart] = nadi_lower_bound_ns(&j.in);
        end[apart] = run_ns(&j);
        assert_true(bound[apart] <= end[apart]);
        job_release(&j);
    }
    const uint64_t all_reduce = (end[0] - FIRST - SECOND) / 2;
    assert_true(all_reduce > 200000 && all_reduce < SECOND);
    assert_int_equal(bound[0], end[0]);
    assert_int_equal(end[1], FIRST + SECOND + all_reduce);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specified_collectives),
        cmocka_unit_test(graph),
        cmocka_unit_test(routes_by_message),
        cmocka_unit_test(dimension_of_one),
        cmocka_unit_test(overlapped_step),
        cmocka_unit_test(late_rank),
        cmocka_unit_test(one_order),
        cmocka_unit_test(family_of_groups),
        cmocka_unit_test(slots_and_paths),
        cmocka_unit_test(memory_servers),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(point_to_point),
        cmocka_unit_test(pipeline),
        cmocka_unit_test(shared_pipeline),
        cmocka_unit_test(overtaken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
