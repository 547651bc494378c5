/* Communication in captures: what the libraries call it, with and without arguments of the kernels,
 * in groups, between two ranks, several at once, with a device and without. */
#include "support/imported.h"

#include "base/mem.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { T0 = 1000000 };

/* record_param_comms and its kernel, 100 us apart each. */
struct message {
    const char *operation;     /* "Collective name", also in the inputs */
    const char *kernel;        /* NULL: none */
    int64_t in, out;           /* elements of 4 bytes */
    const char *group, *ranks; /* name and list; NULL: not said */
    int64_t source, target;    /* -1: not said */
    int64_t peer;              /* in the inputs */
    bool plain_kernel;         /* the kernel has no arguments */
    bool plain_op;             /* the operator has none */
};

static void put(struct capture *c, unsigned number, const struct message *m)
{
    struct nadi_str args = NADI_STR_INIT, values = NADI_STR_INIT, shapes = NADI_STR_INIT;
    const int64_t at = T0 + (int64_t)number * 100000;
    nadi_str_printf(
        &args,
        ", \"Collective name\": \"%s\", \"dtype\": \"Float\", \"In msg nelems\": %" PRId64
        ", \"Out msg nelems\": %" PRId64 ", \"Group size\": 2",
        m->operation, m->in, m->out);
    if (m->group)
        nadi_str_printf(&args, ", \"Process Group Name\": \"%s\"", m->group);
    if (m->ranks)
        nadi_str_printf(&args, ", \"Process Group Ranks\": \"%s\"", m->ranks);
    if (m->source >= 0)
        nadi_str_printf(&args, ", \"Src Rank\": %" PRId64, m->source);
    if (m->target >= 0)
        nadi_str_printf(&args, ", \"Dst Rank\": %" PRId64, m->target);
    nadi_str_printf(&values,
                    "[[[4, 5, 0, %" PRId64 ", 4, \"cuda:0\"]], %u, [\"%s\", \"\"], %" PRId64
                    ", \"%s\", [], [], 0, 1, 2]",
                    m->in, number, m->group ? m->group : "0", m->peer, m->operation);
    nadi_str_printf(&shapes, "[[[%" PRId64 "]], [], [[], []], [], [], [], [], [], [], []]", m->in);
    const struct capture_op op = {
        .name = "record_param_comms",
        .from = at,
        .to = at + 20000,
        .inputs = {values.text, shapes.text,
                   "[\"GenericList[Tensor(float)]\", \"Int\", \"Tuple[String,String]\", \"Int\", "
                   "\"String\", \"GenericList[]\", \"GenericList[]\", \"Int\", \"Int\", \"Int\"]"},
        .args = m->plain_op ? NULL : args.text,
    };
    capture_op(c, &op);
    if (m->kernel) {
        const uint64_t call = capture_call(c, 0, "cudaLaunchKernelExC", at + 5000, at + 9000);
        capture_work(c, &(struct capture_work){.name = m->kernel,
                                               .stream = 20,
                                               .from = at + 10000,
                                               .to = at + 60000,
                                               .correlation = call,
                                               .external = c->external,
                                               .args = m->plain_kernel ? NULL : args.text});
    }
    nadi_str_release(&args);
    nadi_str_release(&values);
    nadi_str_release(&shapes);
}

static void make(struct imported *x, const struct message *messages, size_t count,
                 const struct import_how *how)
{
    struct recording r;
    struct capture *c = recording_begin(&r, NULL);
    for (size_t i = 0; i < count; i++)
        put(c, (unsigned)i, &messages[i]);
    recording_end(&r);
    imported_make(x, &r, how);
    recording_release(&r);
    assert_non_null(x->trace);
}

static const char *group_of(const struct imported *x, uint32_t node)
{
    const struct nadi_trace_comm *c = nadi_trace_comm(x->trace, node);
    assert_non_null(c);
    return c ? nadi_trace_string(x->trace, c->group) : "";
}

/* The i-th node of a type, from 0. */
static uint32_t nth(const struct imported *x, enum nadi_node_type type, unsigned i)
{
    for (uint32_t n = 0; n < x->trace->node_count; n++)
        if (x->trace->type[n] == type && i-- == 0)
            return n;
    return NADI_NONE;
}

static const struct {
    const char *operation, *kernel;
    enum nadi_collective_kind kind;
} collectives[] = {
    {"allreduce", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     NADI_ALL_REDUCE},
    {"all_reduce", "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long)",
     NADI_ALL_REDUCE},
    {"allreduce_coalesced", "ncclDevKernel_AllReduce_Sum_f32_TREE_LL(ncclDevComm*)",
     NADI_ALL_REDUCE},
    {"allreduce_sparse", "ncclDevKernel_AllReduce_Sum_f32_RING_LL()", NADI_ALL_REDUCE},
    {"broadcast", "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     NADI_BROADCAST},
    {"_broadcast_oop", "ncclDevKernel_Broadcast_RING_LL()", NADI_BROADCAST},
    {"reduce", "ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevComm*)", NADI_REDUCE},
    {"_reduce_oop", "ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevComm*)", NADI_REDUCE},
    {"allgather", "ncclDevKernel_AllGather_RING_LL()", NADI_ALL_GATHER},
    {"_allgather_base", "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     NADI_ALL_GATHER},
    {"all_gather_into_tensor", "ncclDevKernel_AllGather_RING_LL()", NADI_ALL_GATHER},
    {"allgather_into_tensor_coalesced", "ncclDevKernel_AllGather_RING_LL()", NADI_ALL_GATHER},
    {"ALLGATHER_coalesced", "ncclDevKernel_AllGather_RING_LL()", NADI_ALL_GATHER},
    {"reduce_scatter", "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL()", NADI_REDUCE_SCATTER},
    {"_reduce_scatter_base", "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL()", NADI_REDUCE_SCATTER},
    {"reduce_scatter_tensor_coalesced", "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL()",
     NADI_REDUCE_SCATTER},
    {"all_to_all", "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", NADI_ALL_TO_ALL},
    {"all_to_allv", "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", NADI_ALL_TO_ALL},
    {"alltoall_base", "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", NADI_ALL_TO_ALL},
    {"gather", "ncclDevKernel_SendRecv()", NADI_GATHER},
    {"scatter", "ncclDevKernel_SendRecv()", NADI_SCATTER},
    {"barrier", "ncclDevKernel_AllReduce_Sum_f32_RING_LL()", NADI_BARRIER},
};

/* Each name, said by the kernel, by the operator, by its node's inputs alone. */
static void names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++)
        for (int way = 0; way < 4; way++) {
            struct imported x;
            const struct message m = {
                .operation = collectives[i].operation,
                .kernel = way == 3 ? NULL : collectives[i].kernel,
                .in = 1024,
                .out = 2048,
                .group = "0",
                .ranks = "[0, 1]",
                .source = -1,
                .target = -1,
                .peer = 1,
                .plain_kernel = way > 0,
                .plain_op = way == 2,
            };
            make(&x, &m, 1, NULL);
            const uint32_t node = nth(&x, NADI_NODE_COLL, 0);
            if (node == NADI_NONE || x.trace->collective[node] != collectives[i].kind)
                print_error("%s, way %d\n", m.operation, way);
            assert_int_not_equal(node, NADI_NONE);
            assert_int_equal(x.trace->collective[node], collectives[i].kind);
            assert_int_equal(x.trace->bytes[node], 4096);
            assert_int_equal(nth(&x, NADI_NODE_COLL, 1), NADI_NONE);
            const bool rooted =
                m.kernel &&
                (collectives[i].kind == NADI_BROADCAST || collectives[i].kind == NADI_REDUCE ||
                 collectives[i].kind == NADI_GATHER || collectives[i].kind == NADI_SCATTER);
            if (rooted)
                assert_int_equal(x.capture.comm.parts.items[0].peer, 1);
            assert_string_equal(group_of(&x, node), "0");
            imported_release(&x);
        }
}

/* Kernels of which nothing is known but the name: kind from it, bytes from the operator above. */
static void kernels_without_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        enum nadi_node_type type;
        enum nadi_collective_kind kind;
    } cases[] = {
        {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
         NADI_NODE_COLL, NADI_ALL_REDUCE},
        {"ncclDevKernel_Broadcast_RING_LL(ncclDevComm*)", NADI_NODE_COLL, NADI_BROADCAST},
        {"ncclDevKernel_ReduceScatter_Sum_f16_RING_LL()", NADI_NODE_COLL, NADI_REDUCE_SCATTER},
        {"ncclDevKernel_AllGather_RING_LL()", NADI_NODE_COLL, NADI_ALL_GATHER},
        {"ncclDevKernel_Reduce_Sum_f16_RING_LL()", NADI_NODE_COLL, NADI_REDUCE},
        {"ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", NADI_NODE_COMP, 0},
    };
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        struct recording r;
        struct imported x;
        struct capture *c = recording_begin(&r, NULL);
        const size_t number = i / 2;
        capture_op(c, &(struct capture_op){.name = "c10d::work",
                                           .args = ", \"Input Dims\": [[256]], \"Input type\": "
                                                   "[\"c10::Half\"]",
                                           .from = T0,
                                           .to = T0 + 9000,
                                           .inputs = {"[[4, 5, 0, 256, 2, \"cuda:0\"]]", "[[256]]",
                                                      "[\"Tensor(c10::Half)\"]"}});
        const uint64_t call = capture_call(c, 0, "cudaLaunchKernelExC", T0 + 1000, T0 + 2000);
        capture_work(c, &(struct capture_work){.name = cases[number].kernel,
                                               .stream = 20,
                                               .from = T0 + 3000,
                                               .to = T0 + 4000,
                                               .correlation = call,
                                               .external = c->external});
        recording_end(&r);
        imported_make(&x, &r, &(struct import_how){.device_alone = i % 2});
        recording_release(&r);
        const uint32_t node = imported_find(&x, cases[number].kernel, 0);
        assert_int_not_equal(node, NADI_NONE);
        assert_int_equal(x.trace->type[node], cases[number].type);
        if (cases[number].type == NADI_NODE_COLL) {
            assert_int_equal(x.trace->collective[node], cases[number].kind);
            assert_int_equal(x.trace->bytes[node], 512);
        } else {
            assert_int_equal(x.coverage.comm_unknown, 1);
        }
        imported_release(&x);
    }
}

static const char send_recv[] = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";

static void expect_peer(const struct imported *x, enum nadi_node_type type, unsigned i,
                        uint32_t peer, uint64_t bytes)
{
    const uint32_t node = nth(x, type, i);
    assert_int_not_equal(node, NADI_NONE);
    const struct nadi_trace_comm *c = nadi_trace_comm(x->trace, node);
    assert_true(c && x->trace->flags[node] & NADI_NODE_HAS_TAG);
    if (c)
        assert_int_equal(type == NADI_NODE_SEND ? c->dst : c->src, peer);
    assert_int_equal(x->trace->bytes[node], bytes);
}

/* The profile names ranks of the job; operators are called with ranks of the group. */
static void peers(void **state)
{
    (void)state;
    struct message m[] = {
        {"send", send_recv, 256, 256, "3", "[1, 3, 0]", -1, 1, 0, false, false},
        {"recv", send_recv, 512, 512, "3", "[1, 3, 0]", 3, -1, 1, false, false},
        {"send", send_recv, 128, 128, "3", "[1, 3, 0]", -1, -1, 1, false, false},
        {"recv", send_recv, 64, 64, "3", "[1, 3, 0]", -1, -1, 0, false, false},
    };
    for (int way = 0; way < 2; way++) {
        struct imported x;
        m[0].plain_kernel = m[1].plain_kernel = way == 1;
        make(&x, m, 4, NULL);
        expect_peer(&x, NADI_NODE_SEND, 0, 1, 1024);
        expect_peer(&x, NADI_NODE_RECV, 0, 3, 2048);
        expect_peer(&x, NADI_NODE_SEND, 1, 3, 512);
        expect_peer(&x, NADI_NODE_RECV, 1, 1, 256);
        assert_int_equal(x.coverage.sends, 2);
        assert_int_equal(x.coverage.receives, 2);
        assert_int_equal(x.coverage.peers_unknown, 0);
        imported_release(&x);
    }
}

/* batch_isend_irecv: the operators are recorded one by one, then one kernel does them all. */
static void several_at_once(void **state)
{
    (void)state;
    const struct message m[] = {
        {"send", NULL, 256, 256, "0", "[0, 1, 2]", -1, 1, 1, false, false},
        {"recv", NULL, 512, 512, "0", "[0, 1, 2]", 2, -1, 2, false, false},
        {"coalesced", send_recv, 0, 0, "0", "[0, 1, 2]", -1, -1, 0, false, false},
        {"send", NULL, 128, 128, "0", "[0, 1, 2]", -1, 2, 2, false, false},
        {"nccl:coalesced", send_recv, 0, 0, "0", "[0, 1, 2]", -1, -1, 0, false, false},
    };
    struct imported x;
    make(&x, m, 5, NULL);
    expect_peer(&x, NADI_NODE_SEND, 0, 1, 1024);
    expect_peer(&x, NADI_NODE_RECV, 0, 2, 2048);
    expect_peer(&x, NADI_NODE_SEND, 1, 2, 512);
    assert_int_equal(x.coverage.sends + x.coverage.receives, 3);
    /* the two of one kernel do not wait for each other, the third for both */
    const uint32_t send = nth(&x, NADI_NODE_SEND, 0), recv = nth(&x, NADI_NODE_RECV, 0);
    const uint32_t next = nth(&x, NADI_NODE_SEND, 1);
    assert_false(imported_waits_for(&x, send, recv) || imported_waits_for(&x, recv, send));
    assert_true(imported_waits_for(&x, next, send) && imported_waits_for(&x, next, recv));
    imported_release(&x);
}

/* The recording of rank 2 of four. */
static struct capture *begin_of_four(struct recording *r)
{
    return recording_begin(
        r, &(struct capture_form){
               .document = "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 2, "
                           "\"world_size\": 4, \"pg_config\": [{\"pg_name\": \"0\", "
                           "\"pg_desc\": \"default_pg\", \"pg_size\": 4, \"ranks\": [0, 1, 2, "
                           "3]}]}, "});
}

/* A collective's call and, on a stream, its kernel. */
static void collective(struct capture *c, const char *kernel, unsigned stream, int64_t at,
                       const char *args)
{
    capture_op(c, &(struct capture_op){
                      .name = "record_param_comms", .from = at, .to = at + 9000, .args = args});
    const uint64_t call = capture_call(c, 0, "cudaLaunchKernel", at + 1000, at + 2000);
    capture_work(c, &(struct capture_work){.name = kernel,
                                           .stream = stream,
                                           .from = at + 3000,
                                           .to = at + 50000,
                                           .correlation = call,
                                           .external = c->external,
                                           .args = args});
}

/* Collectives of one group keep their order, those of two need none. */
static void groups(void **state)
{
    (void)state;
    static const char kernel[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL()";
    struct recording r;
    struct imported x;
    struct capture *c = begin_of_four(&r);
    static const char *const groups[] = {"7", "9", "7", "11", "0"};
    static const char *const ranks[] = {"[2, 3]", "[0, 2]", "[2, 3]", "[2, 3]", "[0, 1, 2, 3]"};
    for (unsigned i = 0; i < 5; i++) {
        char args[256];
        const int64_t at = T0 + i * 100000;
        snprintf(args, sizeof(args),
                 ", \"Collective name\": \"allreduce\", \"dtype\": \"Half\", \"In msg nelems\": "
                 "100, \"Out msg nelems\": 100, \"Group size\": 2, \"Process Group Name\": "
                 "\"%s\", \"Process Group Ranks\": \"%s\"",
                 groups[i], ranks[i]);
        collective(c, kernel, 20 + i, at, args);
    }
    recording_end(&r);
    imported_make(&x, &r, NULL);
    recording_release(&r);
    assert_int_equal(x.capture.rank, 2);
    assert_int_equal(x.coverage.world, 4);
    uint32_t nodes[5];
    for (unsigned i = 0; i < 5; i++) {
        nodes[i] = nth(&x, NADI_NODE_COLL, i);
        assert_int_equal(x.trace->bytes[nodes[i]], 200);
        assert_string_equal(group_of(&x, nodes[i]), groups[i]);
    }
    assert_true(imported_waits_for(&x, nodes[2], nodes[0]));
    assert_false(imported_waits_for(&x, nodes[1], nodes[0]));
    assert_false(imported_waits_for(&x, nodes[3], nodes[2]));
    struct nadi_str json = NADI_STR_INIT;
    struct nadi_group_book *book = &x.capture.book;
    assert_true(nadi_groups_json(&book, 1, &json));
    assert_string_equal(json.text, "{\n  \"7\": [2, 3],\n  \"9\": [0, 2],\n  \"11\": [2, 3]\n}\n");
    nadi_str_release(&json);
    imported_release(&x);
}

/* What an uneven all-to-all sends to whom; lists that are cut short or empty are left out. */
static void uneven(void **state)
{
    (void)state;
    static const char kernel[] = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";
    static const char *const splits[] = {"[10, 0, 70, 20]", "[]", "[10, 20, ...]", "[50, 50]"};
    struct recording r;
    struct imported x;
    struct capture *c = begin_of_four(&r);
    for (unsigned i = 0; i < 4; i++) {
        char args[400];
        const int64_t at = T0 + i * 100000;
        snprintf(args, sizeof(args),
                 ", \"Collective name\": \"all_to_allv\", \"dtype\": \"Half\", \"In msg nelems\": "
                 "100, \"Out msg nelems\": 100, \"Group size\": 4, \"Process Group Name\": "
                 "\"0\", \"Process Group Ranks\": \"[0, 1, 2, 3]\", \"In split size\": \"%s\"",
                 splits[i]);
        collective(c, kernel, 20 + i, at, args);
    }
    recording_end(&r);
    imported_make(&x, &r, NULL);
    recording_release(&r);
    static const uint64_t want[] = {10, 0, 70, 20};
    for (unsigned i = 0; i < 4; i++) {
        const struct nadi_trace_comm *comm = nadi_trace_comm(x.trace, nth(&x, NADI_NODE_COLL, i));
        assert_int_equal(comm->size_count, i == 0 ? 4 : 0);
        if (i == 0) {
            assert_true(comm->shares);
            assert_memory_equal(x.trace->sizes + comm->sizes, want, sizeof(want));
        }
    }
    imported_release(&x);
}

static void add_group(struct nadi_group_book *b, const char *name, uint32_t count,
                      const uint32_t *ranks)
{
    struct nadi_book_group g = {nadi_names_put_text(&b->names, name), NADI_NONE, NULL, count, 0};
    g.ranks = NADI_ARENA_NEW(&b->arena, uint32_t, count);
    memcpy(g.ranks, ranks, count * sizeof(*ranks));
    NADI_PUSH(&b->groups, g);
}

/* Books of two ranks: the same communicators, named alike or each for itself. */
static void numbers_of_groups(void **state)
{
    (void)state;
    static const uint32_t all[] = {0, 1, 2, 3}, pair[] = {0, 1};
    static const struct {
        const char *first[4], *second[4]; /* world, world, pair, pair; NULL: has it not */
        uint32_t want_first[4], want_second[4];
    } cases[] = {
        {{"0", NULL, "1", NULL}, {"0", NULL, "1", NULL}, {0, 0, 1, 0}, {0, 0, 1, 0}},
        {{"0", "1", "2", "3"}, {"0", "1", "2", "3"}, {0, 1, 2, 3}, {0, 1, 2, 3}},
        {{"0", NULL, "2", NULL}, {"0", NULL, "5", NULL}, {0, 0, 2, 0}, {0, 0, 2, 0}},
        {{"0", NULL, "2", "3"}, {"0", NULL, "3", NULL}, {0, 0, 2, 3}, {0, 0, 3, 0}},
        {{"0", NULL, "2", "4"}, {"0", NULL, "7", "12"}, {0, 0, 2, 4}, {0, 0, 2, 4}},
        {{"0", NULL, "mesh", NULL}, {"0", NULL, "mesh", NULL}, {0, 0, 1, 0}, {0, 0, 1, 0}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_group_book books[2];
        struct nadi_group_book *list[2] = {&books[0], &books[1]};
        for (int b = 0; b < 2; b++) {
            const char *const *names_of = b ? cases[i].second : cases[i].first;
            nadi_groups_book_init(&books[b]);
            books[b].world = 4;
            for (int g = 0; g < 4; g++)
                if (names_of[g])
                    add_group(&books[b], names_of[g], g < 2 ? 4 : 2, g < 2 ? all : pair);
        }
        nadi_groups_number(list, 2, 0);
        for (int b = 0; b < 2; b++) {
            const char *const *names_of = b ? cases[i].second : cases[i].first;
            const uint32_t *want = b ? cases[i].want_second : cases[i].want_first;
            for (int g = 0, at = 0; g < 4; g++)
                if (names_of[g])
                    assert_int_equal(books[b].groups.items[at++].number, want[g]);
        }
        nadi_groups_book_release(&books[0]);
        nadi_groups_book_release(&books[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),  cmocka_unit_test(kernels_without_arguments),
        cmocka_unit_test(peers),  cmocka_unit_test(several_at_once),
        cmocka_unit_test(groups), cmocka_unit_test(numbers_of_groups),
        cmocka_unit_test(uneven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
