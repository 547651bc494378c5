/* The generators' traces, read back. */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "generate/gen_collective.h"
#include "generate/gen_demo.h"
#include "trace/trace.h"

#include <ftw.h>
#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/nadi-generate-XXXXXX";

static const char *in_folder(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

static struct nadi_trace *read_rank(const char *prefix, uint32_t rank)
{
    struct nadi_diags diags;
    char path[300];
    nadi_diags_init(&diags);
    snprintf(path, sizeof path, "%s.%u.et", prefix, rank);
    struct nadi_trace *t = nadi_trace_read(path, 0, &diags);
    assert_non_null(t);
    assert_int_equal(diags.count, 0);
    nadi_diags_release(&diags);
    return t;
}

static void one_collective(void **state)
{
    (void)state;
    struct nadi_gen_collective g;
    struct nadi_diags diags;
    char prefix[256];
    nadi_diags_init(&diags);
    nadi_gen_collective_init(&g);
    assert_true(nadi_gen_collective_write(&g, in_folder(prefix, "deep/er/one"), &diags));
    for (uint32_t rank = 0; rank < 8; rank++) {
        struct nadi_trace *t = read_rank(prefix, rank);
        assert_int_equal(t->node_count, 1);
        assert_int_equal(t->type[0], NADI_NODE_COLL);
        assert_int_equal(t->collective[0], NADI_ALL_REDUCE);
        assert_int_equal(t->bytes[0], 1048576);
        assert_int_equal(t->comms[0].group, NADI_NONE);
        assert_int_equal(t->flags[0], NADI_NODE_HAS_BYTES | NADI_NODE_HAS_KIND);
        nadi_trace_destroy(t);
    }
    nadi_diags_release(&diags);
}

static void repeated_between_computes_in_a_group(void **state)
{
    (void)state;
    static const enum nadi_node_type types[] = {NADI_NODE_COMP, NADI_NODE_COLL, NADI_NODE_COMP};
    static const uint64_t durations[] = {5000, 0, 7000};
    struct nadi_gen_collective g = {.kind = NADI_ALL_TO_ALL,
                                    .ranks = 2,
                                    .bytes = 12345,
                                    .repeat = 3,
                                    .compute_before_us = 5,
                                    .compute_after_us = 7,
                                    .group = "experts",
                                    .coding = NADI_CODING_GZIP};
    struct nadi_diags diags;
    char prefix[256];
    nadi_diags_init(&diags);
    assert_true(nadi_gen_collective_write(&g, in_folder(prefix, "chain"), &diags));
    struct nadi_trace *t = read_rank(prefix, 1);
    assert_int_equal(t->node_count, 9);
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(t->type[i], types[i % 3]);
        assert_int_equal(t->duration_ns[i], durations[i % 3]);
        assert_int_equal(t->dep_start[i + 1] - t->dep_start[i], i > 0);
        if (i)
            assert_int_equal(t->deps[t->dep_start[i]], i - 1);
    }
    assert_string_equal(nadi_trace_string(t, t->comms[2].group), "experts");
    assert_int_equal(t->collective[4], NADI_ALL_TO_ALL);
    assert_string_equal(nadi_trace_name(t, 7), "ALL_TO_ALL 2");
    nadi_trace_destroy(t);
    nadi_diags_release(&diags);
}

static void names_of_collectives(void **state)
{
    (void)state;
    static const char *const words[] = {"all-reduce", "ALL_REDUCE", "allreduce", "AllReduce",
                                        "ALL REDUCE"};
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        enum nadi_collective_kind kind = NADI_BARRIER;
        assert_true(nadi_gen_collective_kind(words[i], &kind, NADI_NOWHERE, &diags));
        assert_int_equal(kind, NADI_ALL_REDUCE);
    }
    for (int k = 0; k < NADI_COLLECTIVE_KINDS; k++) {
        enum nadi_collective_kind kind = NADI_COLLECTIVE_KINDS;
        assert_true(nadi_gen_collective_kind(nadi_collective_name((enum nadi_collective_kind)k),
                                             &kind, NADI_NOWHERE, &diags));
        assert_int_equal(kind, k);
    }
    assert_int_equal(diags.count, 0);
    enum nadi_collective_kind kind;
    assert_false(nadi_gen_collective_kind("all_gathr", &kind, NADI_NOWHERE, &diags));
    assert_string_equal(diags.items[0].code, "gen/collective-kind");
    assert_non_null(strstr(diags.items[0].hint, "did you mean ALL_GATHER?"));
    assert_non_null(strstr(diags.items[0].hint, "REDUCE_SCATTER_BLOCK"));
    assert_false(nadi_gen_collective_kind("", &kind, NADI_NOWHERE, &diags));
    nadi_diags_release(&diags);
}

static void options_without_sense(void **state)
{
    (void)state;
    const struct {
        uint32_t ranks, repeat;
        uint64_t bytes;
        const char *code;
    } cases[] = {
        {0, 1, 1, "gen/ranks"},
        {(1u << 24) + 1, 1, 1, "gen/ranks"},
        {2, 0, 1, "gen/repeat"},
        {2, 1, 0, "gen/bytes"},
    };
    char prefix[256];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_gen_collective g;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        nadi_gen_collective_init(&g);
        g.ranks = cases[i].ranks;
        g.repeat = cases[i].repeat;
        g.bytes = cases[i].bytes;
        assert_false(nadi_gen_collective_write(&g, in_folder(prefix, "never"), &diags));
        assert_string_equal(diags.items[0].code, cases[i].code);
        nadi_diags_release(&diags);
    }
    struct nadi_gen_collective barrier = {.kind = NADI_BARRIER, .ranks = 1, .repeat = 1};
    struct nadi_gen_demo demo = {.ranks = 1, .layers = 1};
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_gen_collective_write(&barrier, in_folder(prefix, "barrier"), &diags));
    assert_false(nadi_gen_demo_folder(&demo, in_folder(prefix, "no-demo"), &diags));
    assert_false(nadi_file_exists(prefix));
    demo = (struct nadi_gen_demo){.ranks = 2, .layers = 0};
    assert_false(nadi_gen_demo_folder(&demo, in_folder(prefix, "no-demo"), &diags));
    assert_false(nadi_gen_collective_write(&barrier, "/dev/null/x", &diags));
    assert_int_equal(diags.errors, 3);
    nadi_diags_release(&diags);
}

/* The node of a name, which must exist. */
static uint32_t node_of(const struct nadi_trace *t, const char *name)
{
    for (uint32_t i = 0; i < t->node_count; i++) {
        if (strcmp(nadi_trace_name(t, i), name) == 0)
            return i;
    }
    print_error("no node \"%s\"\n", name);
    fail();
    return NADI_NONE;
}

static void expect_dep(const struct nadi_trace *t, const char *name, const char *on)
{
    uint32_t node = node_of(t, name);
    assert_int_equal(t->dep_start[node + 1] - t->dep_start[node], 1);
    assert_string_equal(nadi_trace_name(t, t->deps[t->dep_start[node]]), on);
}

static void the_demo(void **state)
{
    (void)state;
    struct nadi_gen_demo g;
    struct nadi_diags diags;
    char demo[256], prefix[256];
    nadi_diags_init(&diags);
    nadi_gen_demo_init(&g);
    assert_true(nadi_gen_demo_folder(&g, in_folder(demo, "demo"), &diags));
    in_folder(prefix, "demo/workload");
    uint64_t compute_ns[8] = {0};
    for (uint32_t rank = 0; rank < 8; rank++) {
        struct nadi_trace *t = read_rank(prefix, rank);
        uint64_t reduced = 0;
        for (uint32_t i = 0; i < t->node_count; i++) {
            reduced += t->type[i] == NADI_NODE_COLL ? t->bytes[i] : 0;
            bool accelerator = t->type[i] == NADI_NODE_COMP && !(t->flags[i] & NADI_NODE_IS_CPU);
            compute_ns[rank] += accelerator ? t->duration_ns[i] : 0;
            assert_int_equal(!accelerator || (t->flags[i] & NADI_NODE_HAS_OPS), 1);
        }
        assert_int_equal(reduced / 2, 1310982144); /* parameters: 24 x 12 x 2048^2 + 50304 x 2048 */
        expect_dep(t, "forward embedding", "load batch");
        expect_dep(t, "backward layer 22 MLP", "backward layer 23 attention");
        expect_dep(t, "all-reduce gradients layer 23", "backward layer 23 attention");
        expect_dep(t, "all-reduce gradients layer 0", "backward layer 0 attention");
        expect_dep(t, "all-reduce gradients embedding", "backward embedding");
        expect_dep(t, "Adam layer 7", "all-reduce gradients layer 7");
        expect_dep(t, "Adam embedding", "all-reduce gradients embedding");
        assert_int_equal(t->node_count, rank == 0 ? 152 : 151);
        if (rank == 0) {
            uint32_t last = node_of(t, "write checkpoint");
            assert_int_equal(t->dep_start[last + 1] - t->dep_start[last], 25);
            assert_string_equal(nadi_trace_name(t, t->deps[t->dep_start[last]]), "Adam layer 23");
        }
        nadi_trace_destroy(t);
    }
    for (uint32_t rank = 0; rank < 8; rank++) {
        assert_in_range(compute_ns[rank], 400000000, 460000000);
        assert_true(rank == 5 || compute_ns[rank] < compute_ns[5]);
    }
    nadi_diags_release(&diags);
}

static void the_demo_is_the_same_every_time(void **state)
{
    (void)state;
    static const char *const names[] = {"workload.0.et", "workload.2.et", "system.json",
                                        "network.yml", "memory.json"};
    struct nadi_gen_demo g = {.ranks = 3, .layers = 2, .coding = NADI_CODING_ZSTD};
    struct nadi_diags diags;
    char path[256];
    nadi_diags_init(&diags);
    assert_true(nadi_gen_demo_folder(&g, in_folder(path, "first"), &diags));
    assert_true(nadi_gen_demo_folder(&g, in_folder(path, "second"), &diags));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char name[64], *data[2];
        size_t bytes[2];
        for (int k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "%s/%s", k ? "second" : "first", names[i]);
            assert_true(nadi_file_read(in_folder(path, name), "file", &data[k], &bytes[k], &diags));
        }
        assert_int_equal(bytes[0], bytes[1]);
        assert_true(bytes[0] > 20);
        assert_memory_equal(data[0], data[1], bytes[0]);
        nadi_mem_free(data[0]);
        nadi_mem_free(data[1]);
    }
    nadi_diags_release(&diags);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_collective),
        cmocka_unit_test(repeated_between_computes_in_a_group),
        cmocka_unit_test(names_of_collectives),
        cmocka_unit_test(options_without_sense),
        cmocka_unit_test(the_demo),
        cmocka_unit_test(the_demo_is_the_same_every_time),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
