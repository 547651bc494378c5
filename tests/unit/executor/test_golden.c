/* Finish times that the reference reports, rank by rank: one collective on one dimension, several
 * dimensions, options, groups, the shared bus and a custom collective. The unaware rows run on
 * every executor. */
#include "sim/run.h"
#include "support/job.h"
#include "support/models.h"

#include <setjmp.h>

#include <cmocka.h>

#define GIB_PER_S(x) ((x)*1073741824.0 / 1000000000.0)

static struct nadi_dim dim(enum nadi_dim_kind kind, uint32_t npus, double bandwidth, double latency)
{
    return (struct nadi_dim){
        .kind = kind, .npus = npus, .bytes_per_ns = GIB_PER_S(bandwidth), .latency_ns = latency};
}

static void set_defaults(struct job *j)
{
    j->in.system.splits = 4;
    j->in.system.active_chunks = 2;
    j->in.system.local_mem_bw = 1600e9;
    j->in.system.local_bw_aware = true;
}

static void expect(struct job *j, const struct nadi_network_ops *model,
                   const struct nadi_executor *executor, const uint64_t *want, uint32_t count,
                   const char *what)
{
    struct nadi_result r;
    j->in.options.network_model = model;
    j->in.options.executor = executor;
    nadi_simulate(&j->in, NULL, &r);
    if (r.outcome != NADI_OUTCOME_DONE)
        fail_msg("%s: outcome %d", what, (int)r.outcome);
    for (uint32_t rank = 0; rank < j->in.rank_count; rank++) {
        uint64_t got = nadi_result_rank(&r, rank)->finish_ns, wanted = want[count == 1 ? 0 : rank];
        if (got != wanted)
            fail_msg("%s, executor %s: rank %u finishes at %" PRIu64 ", not %" PRIu64, what,
                     r.executor->name, rank, got, wanted);
    }
    nadi_result_release(&r);
}

static void expect_unaware(struct job *j, const uint64_t *want, uint32_t count, const char *what)
{
    EACH_EXECUTOR(e)
    expect(j, &nadi_network_unaware, e, want, count, what);
}

static uint32_t filled(const uint64_t values[8])
{
    uint32_t count = 0;
    while (count < 8 && values[count])
        count++;
    return count;
}

/* ---- one dimension ------------------------------------------------------------------------- */

struct row {
    enum nadi_dim_kind kind;
    uint32_t npus;
    enum nadi_algorithm algorithm;
    uint32_t window;
    enum nadi_collective_kind collective;
    uint64_t unaware[8], aware[8]; /* one value: all ranks */
};

static const struct row rows[] = {
    {NADI_DIM_RING, 8, NADI_ALGORITHM_RING, 0, NADI_ALL_REDUCE, {47091}, {48289}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_RING, 0, NADI_REDUCE_SCATTER, {24159}, {24349}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_RING, 0, NADI_ALL_GATHER, {108516}, {166540}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_RING, 0, NADI_ALL_TO_ALL, {91758}, {95770}},
    {NADI_DIM_SWITCH, 8, NADI_ALGORITHM_RING, 0, NADI_ALL_REDUCE, {68091}, {92535}},
    {NADI_DIM_SWITCH, 8, NADI_ALGORITHM_RING, 0, NADI_REDUCE_SCATTER, {34659}, {46881}},
    {NADI_DIM_SWITCH, 8, NADI_ALGORITHM_RING, 0, NADI_ALL_GATHER, {119016}, {216792}},
    {NADI_DIM_SWITCH, 8, NADI_ALGORITHM_RING, 0, NADI_ALL_TO_ALL, {133758}, {182646}},
    {NADI_DIM_FULLY_CONNECTED, 8, NADI_ALGORITHM_DIRECT, 0, NADI_ALL_REDUCE, {6753}, {6907}},
    {NADI_DIM_FULLY_CONNECTED, 8, NADI_ALGORITHM_DIRECT, 0, NADI_REDUCE_SCATTER, {3477}, {3487}},
    {NADI_DIM_FULLY_CONNECTED, 8, NADI_ALGORITHM_DIRECT, 0, NADI_ALL_GATHER, {15528}, {23800}},
    {NADI_DIM_FULLY_CONNECTED, 8, NADI_ALGORITHM_DIRECT, 0, NADI_ALL_TO_ALL, {3306}, {3430}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_DIRECT, 0, NADI_ALL_REDUCE, {15753}, {60287}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_DIRECT, 0, NADI_REDUCE_SCATTER, {7977}, {30177}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_DIRECT, 0, NADI_ALL_GATHER, {20028}, {233820}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_DIRECT, 0, NADI_ALL_TO_ALL, {7806}, {30120}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_DIRECT, 2, NADI_ALL_REDUCE, {38580}, {72677}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_DIRECT, 2, NADI_REDUCE_SCATTER, {19476}, {37600}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_DIRECT, 2, NADI_ALL_GATHER, {68022}, {259640}},
    {NADI_DIM_RING, 8, NADI_ALGORITHM_DIRECT, 2, NADI_ALL_TO_ALL, {19134}, {37600}},
    {NADI_DIM_SWITCH, 8, NADI_ALGORITHM_HALVING_DOUBLING, 0, NADI_ALL_REDUCE, {43176}, {69092}},
    {NADI_DIM_SWITCH, 8, NADI_ALGORITHM_HALVING_DOUBLING, 0, NADI_REDUCE_SCATTER, {21864}, {35538}},
    {NADI_DIM_SWITCH, 8, NADI_ALGORITHM_HALVING_DOUBLING, 0, NADI_ALL_GATHER, {106905}, {230600}},
    {NADI_DIM_RING,
     8,
     NADI_ALGORITHM_HALVING_DOUBLING,
     0,
     NADI_ALL_REDUCE,
     {46176},
     {75598, 76098, 79471, 76643, 75598, 76098, 79471, 76643}},
    {NADI_DIM_RING,
     8,
     NADI_ALGORITHM_HALVING_DOUBLING,
     0,
     NADI_REDUCE_SCATTER,
     {23364},
     {36789, 38453, 37953, 38453, 36789, 38453, 37953, 38453}},
    {NADI_DIM_RING,
     8,
     NADI_ALGORITHM_HALVING_DOUBLING,
     0,
     NADI_ALL_GATHER,
     {108405},
     {254991, 255491, 254991, 254491, 254991, 255491, 254991, 254491}},
    {NADI_DIM_RING, 5, NADI_ALGORITHM_DIRECT, 0, NADI_ALL_REDUCE, {11955}, {30053}},
    {NADI_DIM_RING, 5, NADI_ALGORITHM_DIRECT, 0, NADI_REDUCE_SCATTER, {6132}, {15078}},
    {NADI_DIM_RING, 5, NADI_ALGORITHM_DIRECT, 0, NADI_ALL_GATHER, {17028}, {70860}},
    {NADI_DIM_RING, 5, NADI_ALGORITHM_DIRECT, 0, NADI_ALL_TO_ALL, {5853}, {14985}},
    {NADI_DIM_SWITCH,
     8,
     NADI_ALGORITHM_DOUBLE_BINARY_TREE,
     0,
     NADI_ALL_REDUCE,
     {103372, 97706, 103372, 91572, 103372, 97706, 103372, 85438},
     {215106, 204784, 219762, 193994, 219762, 209440, 224418, 183204}},
};

static void one_dimension(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct row *row = &rows[i];
        struct nadi_dim d = dim(row->kind, row->npus, 50, 500);
        struct job_node node = {.type = NADI_NODE_COLL, .kind = row->collective, .bytes = 1000003};
        struct job j;
        char what[64];
        snprintf(what, sizeof(what), "row %zu", i);
        job_init(&j, &d, 1);
        set_defaults(&j);
        job_algorithm(&j, row->algorithm);
        for (int k = 0; k < NADI_NATIVE_KINDS; k++)
            j.in.system.native[k].dims[0].window = row->window;
        job_give(&j, job_trace(&j, &node, 1), 0, row->npus - 1);
        expect_unaware(&j, row->unaware, filled(row->unaware), what);
        expect(&j, &nadi_network_aware, NULL, row->aware, filled(row->aware), what);
        job_release(&j);
    }
}

/* ---- several dimensions -------------------------------------------------------------------- */

static const struct nadi_algorithm_choice ring = {.algorithm = NADI_ALGORITHM_RING};
static const struct nadi_algorithm_choice direct = {.algorithm = NADI_ALGORITHM_DIRECT};
static const struct nadi_algorithm_choice direct2 = {.algorithm = NADI_ALGORITHM_DIRECT,
                                                     .window = 2};
static const struct nadi_algorithm_choice halving = {.algorithm = NADI_ALGORITHM_HALVING_DOUBLING};
static const struct nadi_algorithm_choice one_ring = {.algorithm = NADI_ALGORITHM_RING,
                                                      .flat = true};
static const struct nadi_algorithm_choice one_direct = {.algorithm = NADI_ALGORITHM_DIRECT,
                                                        .flat = true};
static const struct nadi_algorithm_choice one_halving = {
    .algorithm = NADI_ALGORITHM_HALVING_DOUBLING, .flat = true};

static void choose(struct job *j, uint32_t count, const struct nadi_algorithm_choice *choices)
{
    for (int k = 0; k < NADI_NATIVE_KINDS; k++) {
        j->in.system.native[k].count = count;
        for (uint32_t d = 0; d < count; d++)
            j->in.system.native[k].dims[d] = choices[d];
    }
}

struct options {
    uint32_t queues, active, left_out;
    bool baseline, rendezvous;
};

static void many(uint32_t dims, const struct nadi_algorithm_choice *choices, uint32_t count,
                 enum nadi_collective_kind kind, struct options o, uint64_t want, const char *what)
{
    struct nadi_dim shape[3] = {dim(NADI_DIM_RING, 2, 200, 100), dim(NADI_DIM_SWITCH, 4, 50, 500),
                                dim(NADI_DIM_FULLY_CONNECTED, 2, 10, 33.3)};
    struct job_node node = {
        .type = NADI_NODE_COLL, .kind = kind, .bytes = 1000000, .left_out = o.left_out};
    struct job j;
    job_init(&j, shape, dims);
    set_defaults(&j);
    choose(&j, count, choices);
    j.in.system.queues_per_dim = o.queues ? o.queues : 1;
    j.in.system.active_chunks = o.active ? o.active : 2;
    j.in.system.local_bw_aware = !o.baseline;
    j.in.system.rendezvous = o.rendezvous;
    job_give(&j, job_trace(&j, &node, 1), 0, j.in.rank_count - 1);
    expect_unaware(&j, &want, 1, what);
    job_release(&j);
}

static void two_dimensions(void **state)
{
    (void)state;
    const struct nadi_algorithm_choice ring_direct[] = {ring, direct}, rings[] = {ring, ring};
    const struct nadi_algorithm_choice ring_halving[] = {ring, halving};
    const struct options none = {0};
    many(2, ring_direct, 2, NADI_ALL_REDUCE, none, 8140, "AR");
    many(2, ring_direct, 2, NADI_REDUCE_SCATTER, none, 4254, "RS");
    many(2, ring_direct, 2, NADI_ALL_GATHER, none, 16128, "AG");
    many(2, ring_direct, 2, NADI_ALL_TO_ALL, none, 5070, "A2A");
    many(2, ring_direct, 2, NADI_ALL_REDUCE, (struct options){.baseline = true}, 10578, "baseline");
    many(2, ring_direct, 2, NADI_ALL_REDUCE, (struct options){.queues = 2}, 14642, "2 queues");
    many(2, ring_halving, 2, NADI_ALL_REDUCE, none, 16836, "halving-doubling");
    many(2, &one_ring, 1, NADI_ALL_REDUCE, none, 7958, "oneRing");
    many(2, &one_direct, 1, NADI_ALL_REDUCE, none, 6502, "oneDirect");
    many(2, &one_halving, 1, NADI_ALL_REDUCE, none, 18200, "oneHalvingDoubling");
    many(2, &ring, 1, NADI_ALL_REDUCE, none, 3256, "list shorter than the topology");
    many(2, rings, 2, NADI_ALL_REDUCE, (struct options){.left_out = 1}, 26810, "involved [0, 1]");
    many(2, rings, 2, NADI_ALL_REDUCE, (struct options){.rendezvous = true}, 35204, "rendezvous");
}

static void three_dimensions(void **state)
{
    (void)state;
    const struct nadi_algorithm_choice plain[] = {ring, direct, ring};
    const struct nadi_algorithm_choice windowed[] = {ring, direct2, ring};
    const struct options none = {0};
    many(3, plain, 3, NADI_ALL_REDUCE, (struct options){.queues = 4, .active = 8}, 7932, "AR, 4 q");
    many(3, windowed, 3, NADI_ALL_REDUCE, none, 14528, "AR");
    many(3, windowed, 3, NADI_REDUCE_SCATTER, none, 8973, "RS");
    many(3, windowed, 3, NADI_ALL_GATHER, none, 76761, "AG");
    many(3, windowed, 3, NADI_ALL_TO_ALL, none, 28448, "A2A");
}

static void init_two(struct job *j)
{
    struct nadi_dim shape[2] = {dim(NADI_DIM_RING, 2, 200, 100), dim(NADI_DIM_SWITCH, 4, 50, 500)};
    const struct nadi_algorithm_choice rings[] = {ring, ring};
    job_init(j, shape, 2);
    set_defaults(j);
    choose(j, 2, rings);
}

static void chained(void **state)
{
    (void)state;
    const struct job_node nodes[] = {
        {.type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = 1000000},
        {.type = NADI_NODE_COLL, .kind = NADI_ALL_GATHER, .bytes = 100000, .dep_count = 1},
        {.type = NADI_NODE_COLL,
         .kind = NADI_ALL_TO_ALL,
         .bytes = 77777,
         .dep_count = 1,
         .deps = {1}},
    };
    const uint64_t want = 50554;
    struct job j;
    init_two(&j);
    job_give(&j, job_trace(&j, nodes, 3), 0, 7);
    expect_unaware(&j, &want, 1, "AR, AG, A2A");
    job_release(&j);
}

/* ---- groups -------------------------------------------------------------------------------- */

static void add_groups(struct job *j)
{
    const uint32_t even[] = {0, 2, 4, 6}, odd[] = {7, 1, 3, 5};
    bool existed;
    nadi_groups_add(&j->in.groups, "5", even, 4, &existed);
    nadi_groups_add(&j->in.groups, "6", odd, 4, &existed);
}

static void give_by_group(struct job *j, struct job_node *nodes, uint32_t count)
{
    for (uint32_t rank = 0; rank < 8; rank++) {
        for (uint32_t i = 0; i < count; i++)
            nodes[i].group = rank % 2 ? "6" : "5";
        job_give(j, job_trace(j, nodes, count), rank, rank);
    }
}

static void groups_of_two_dimensions(void **state)
{
    (void)state;
    struct job_node nodes[] = {
        {.type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = 1000000},
        {.type = NADI_NODE_COLL, .kind = NADI_ALL_TO_ALL, .bytes = 77777, .dep_count = 1},
    };
    const uint64_t want = 46640;
    struct job j;
    init_two(&j);
    add_groups(&j);
    j.in.system.endpoint_delay_ns = 100; /* groups have their own */
    give_by_group(&j, nodes, 2);
    expect_unaware(&j, &want, 1, "groups");
    job_release(&j);
}

static void direct_groups(void **state)
{
    (void)state;
    struct job_node node = {.type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = 1000000};
    const uint64_t on_switch = 9184, on_ring = 56509, meeting = 44414;
    struct nadi_dim d = dim(NADI_DIM_SWITCH, 8, 50, 500);
    struct job j;
    for (int aware = 0; aware < 2; aware++) {
        d.kind = aware ? NADI_DIM_RING : NADI_DIM_SWITCH;
        job_init(&j, &d, 1);
        set_defaults(&j);
        job_algorithm(&j, NADI_ALGORITHM_DIRECT);
        add_groups(&j);
        give_by_group(&j, &node, 1);
        if (aware)
            expect(&j, &nadi_network_aware, NULL, &on_ring, 1, "aware groups");
        else
            expect_unaware(&j, &on_switch, 1, "direct groups");
        job_release(&j);
    }
    d.kind = NADI_DIM_SWITCH;
    node.group = NULL;
    job_init(&j, &d, 1);
    set_defaults(&j);
    job_algorithm(&j, NADI_ALGORITHM_DIRECT);
    j.in.system.rendezvous = true;
    job_give(&j, job_trace(&j, &node, 1), 0, 7);
    expect(&j, &nadi_network_aware, NULL, &meeting, 1, "aware rendezvous");
    job_release(&j);
}

/* ---- shared bus, reductions, the worked example -------------------------------------------- */

struct bus_row {
    enum nadi_algorithm algorithm;
    uint32_t splits, active;
    uint64_t L, o, g;
    double G;
    uint64_t want;
};

static void shared_bus(void **state)
{
    static const struct bus_row cases[] = {
        {NADI_ALGORITHM_RING, 1, 1, 5, 3, 2, (double)0.01F, 108931},
        {NADI_ALGORITHM_RING, 1, 1, 0, 0, 0, 0, 72813},
        {NADI_ALGORITHM_HALVING_DOUBLING, 4, 2, 5, 3, 2, (double)0.01F, 64321},
    };
    const struct nadi_dim d = dim(NADI_DIM_RING, 8, 50, 500);
    const struct job_node node = {
        .type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = 1048576};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct job j;
        job_init(&j, &d, 1);
        set_defaults(&j);
        job_algorithm(&j, cases[i].algorithm);
        j.in.system.splits = cases[i].splits;
        j.in.system.active_chunks = cases[i].active;
        j.in.system.shared_bus = true;
        j.in.system.bus_L = cases[i].L;
        j.in.system.bus_o = cases[i].o;
        j.in.system.bus_g = cases[i].g;
        j.in.system.bus_G = cases[i].G;
        job_give(&j, job_trace(&j, &node, 1), 0, 7);
        expect_unaware(&j, &cases[i].want, 1, "shared bus");
        job_release(&j);
    }
}

static void small_bandwidth(void **state)
{
    const struct nadi_dim d = dim(NADI_DIM_FULLY_CONNECTED, 8, 50, 0.7);
    const struct job_node node = {
        .type = NADI_NODE_COLL, .kind = NADI_REDUCE_SCATTER, .bytes = 1048576};
    const uint64_t want = 398114;
    struct job j;
    (void)state;
    job_init(&j, &d, 1);
    set_defaults(&j);
    choose(&j, 1, &direct2);
    j.in.system.local_mem_bw = 1e9;
    j.in.system.endpoint_delay_ns = 1;
    job_give(&j, job_trace(&j, &node, 1), 0, 7);
    expect_unaware(&j, &want, 1, "windowed reductions");
    job_release(&j);
}

static void worked_examples(void **state)
{
    const struct nadi_dim d = dim(NADI_DIM_RING, 8, 50, 500);
    const struct {
        enum nadi_algorithm algorithm;
        uint64_t bytes, want;
    } cases[] = {
        {NADI_ALGORITHM_RING, 1048576, 43025},       /* step by step in the specification */
        {NADI_ALGORITHM_HALVING_DOUBLING, 16, 7070}, /* the smallest that works */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct job_node node = {
            .type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = cases[i].bytes};
        struct job j;
        job_init(&j, &d, 1);
        set_defaults(&j);
        j.in.system.splits = 1;
        job_algorithm(&j, cases[i].algorithm);
        job_give(&j, job_trace(&j, &node, 1), 0, 7);
        expect_unaware(&j, &cases[i].want, 1, "worked example");
        job_release(&j);
    }
}

/* ---- custom collective --------------------------------------------------------------------- */

enum { STEPS = 14, HALF = 7 };

/* A ring all-reduce of 1 MiB on 8 ranks as a graph: 14 steps, the first 7 followed by 7 us of work.
 */
static struct nadi_trace *custom_ring(struct job *j, uint32_t rank)
{
    struct job_node nodes[3 * STEPS];
    uint32_t count = 0, last = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        struct job_node message = {.type = NADI_NODE_SEND,
                                   .bytes = 131072,
                                   .tag = step,
                                   .peer = (rank + 1) % 8,
                                   .dep_count = step > 0,
                                   .deps = {last}};
        nodes[count++] = message;
        message.type = NADI_NODE_RECV;
        message.peer = (rank + 7) % 8;
        nodes[count] = message;
        last = count++;
        if (step < HALF) {
            nodes[count] = (struct job_node){
                .type = NADI_NODE_COMP, .duration_ns = 7000, .dep_count = 1, .deps = {last}};
            last = count++;
        }
    }
    struct nadi_trace *t = job_trace(j, nodes, count);
    for (uint32_t i = 0; i < count; i++)
        t->file_index[i] = i;
    return t;
}

static void custom_collective(void **state)
{
    const struct {
        enum nadi_dim_kind kind;
        const struct nadi_network_ops *model;
        uint64_t bytes, want;
    } cases[] = {
        {NADI_DIM_RING, &nadi_network_unaware, 1048576, 90174},
        {NADI_DIM_RING, &nadi_network_unaware, 1024, 90174}, /* the size is ignored */
        {NADI_DIM_SWITCH, &nadi_network_unaware, 1048576, 97174},
        {NADI_DIM_SWITCH, &nadi_network_aware, 1048576, 131348},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct nadi_dim d = dim(cases[i].kind, 8, 50, 500);
        const struct job_node node = {
            .type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = cases[i].bytes};
        struct nadi_trace *traces[8];
        struct nadi_custom_algorithm custom = {.prefix = "custom", .by_position = traces};
        struct job j;
        job_init(&j, &d, 1);
        set_defaults(&j); /* four chunks: a custom collective runs once all the same */
        for (uint32_t rank = 0; rank < 8; rank++)
            traces[rank] = custom_ring(&j, rank);
        j.in.customs = &custom;
        j.in.custom_count = 1;
        j.in.system.native[NADI_NATIVE_ALL_REDUCE].custom = "custom";
        job_give(&j, job_trace(&j, &node, 1), 0, 7);
        expect(&j, cases[i].model, NULL, &cases[i].want, 1, "custom ring");
        job_release(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_dimension),
        cmocka_unit_test(two_dimensions),
        cmocka_unit_test(three_dimensions),
        cmocka_unit_test(chained),
        cmocka_unit_test(groups_of_two_dimensions),
        cmocka_unit_test(direct_groups),
        cmocka_unit_test(shared_bus),
        cmocka_unit_test(small_bandwidth),
        cmocka_unit_test(worked_examples),
        cmocka_unit_test(custom_collective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
