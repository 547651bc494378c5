/* The graph that a trace becomes: order, indices, duplicates, children, cycles, limits. */
#include "base/mem.h"
#include "support/trace_expect.h"
#include "trace/frames.h"
#include "trace/stage.h"
#include "trace/write.h"

#include <setjmp.h>

#include <cmocka.h>

struct spec {
    uint64_t id;
    uint64_t data[4], ctrl[4];
    size_t data_count, ctrl_count;
};

static void put_file(struct nadi_str *file, const struct spec *specs, size_t count)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    nadi_str_clear(file);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(file, NADI_CODING_PLAIN);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "node %" PRIu64, specs[i].id);
        nadi_trace_writer_node(w, &(struct nadi_write_node){
                                      .id = specs[i].id,
                                      .name = name,
                                      .type = NADI_NODE_COMP,
                                      .duration_micros = specs[i].id % 1000,
                                      .data_deps = specs[i].data,
                                      .data_dep_count = specs[i].data_count,
                                      .ctrl_deps = specs[i].ctrl,
                                      .ctrl_dep_count = specs[i].ctrl_count,
                                  });
    }
    assert_true(nadi_trace_writer_close(w, &diags));
    nadi_diags_release(&diags);
}

static void order_duplicates_and_children(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {.id = 30, .data = {20, 10, 20}, .data_count = 3, .ctrl = {10, 5}, .ctrl_count = 2},
        {.id = 10},
        {.id = 20, .ctrl = {10, 10}, .ctrl_count = 2},
        {.id = 5, .data = {10}, .data_count = 1},
    };
    struct nadi_str file = NADI_STR_INIT;
    put_file(&file, specs, 4);
    struct nadi_trace *t = trace_expect_read(&file, 0);
    static const uint64_t ids[] = {5, 10, 20, 30};
    static const uint32_t positions[] = {3, 1, 2, 0};
    static const uint32_t dep_start[] = {0, 1, 1, 2, 5}, deps[] = {1, 1, 2, 1, 0};
    static const uint32_t child_start[] = {0, 1, 4, 5, 5}, children[] = {3, 0, 2, 3, 3};
    assert_memory_equal(t->id, ids, sizeof ids);
    assert_memory_equal(t->file_index, positions, sizeof positions);
    assert_memory_equal(t->dep_start, dep_start, sizeof dep_start);
    assert_memory_equal(t->deps, deps, sizeof deps);
    assert_memory_equal(t->child_start, child_start, sizeof child_start);
    assert_memory_equal(t->children, children, sizeof children);
    assert_string_equal(nadi_trace_name(t, 3), "node 30");
    assert_int_equal(t->duration_ns[3], 30000);
    assert_true(t->offset[3] < t->offset[1]);
    nadi_trace_destroy(t);
    nadi_str_release(&file);
}

/* A chain of `count` nodes whose ids are spread by `step`, each after the one before. */
static void chain_resolves(uint64_t first, uint64_t step, uint64_t count)
{
    struct spec *specs = NADI_ZNEW(struct spec, count);
    struct nadi_str file = NADI_STR_INIT;
    for (uint64_t i = 0; i < count; i++) {
        specs[i].id = first + i * step;
        specs[i].data[0] = first + (i - 1) * step;
        specs[i].data_count = i > 0;
    }
    put_file(&file, specs, count);
    struct nadi_trace *t = trace_expect_read(&file, 0);
    assert_int_equal(t->node_count, count);
    for (uint32_t i = 1; i < count; i++) {
        assert_int_equal(t->id[i], first + i * step);
        assert_int_equal(t->deps[t->dep_start[i]], i - 1);
        assert_int_equal(t->children[t->child_start[i - 1]], i);
    }
    nadi_trace_destroy(t);
    specs[1].data[0] = first + step / 2; /* 0 steps on: itself; else between two ids */
    if (step > 1) {
        put_file(&file, specs, count);
        trace_expect_fault(&file, 0,
                           (struct trace_fault){"trace/dangling-dependency", NADI_NO_OFFSET,
                                                "which no node of the file has", "*"});
    }
    nadi_str_release(&file);
    nadi_mem_free(specs);
}

static void ids_dense_and_sparse(void **state)
{
    (void)state;
    chain_resolves(0, 1, 200);                           /* arithmetic */
    chain_resolves(1000000, 3, 200);                     /* table */
    chain_resolves(7, UINT64_C(1) << 40, 200);           /* hash */
    chain_resolves(UINT64_MAX - 400, 2, 200);            /* at the end of the range */
    chain_resolves(3, UINT64_C(0x0102030405060708), 30); /* every digit of the sort */
}

static void a_wide_node_names_each_dependency_once(void **state)
{
    (void)state;
    enum { WIDE = 5000 };
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_diags diags;
    uint64_t *deps = NADI_NEW(uint64_t, 2 * WIDE);
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(&file, NADI_CODING_PLAIN);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    for (uint64_t i = 0; i < WIDE; i++) {
        deps[2 * i] = deps[2 * i + 1] = WIDE - 1 - i;
        nadi_trace_writer_node(w, &(struct nadi_write_node){.id = i, .type = NADI_NODE_COMP});
    }
    nadi_trace_writer_node(w, &(struct nadi_write_node){.id = WIDE,
                                                        .type = NADI_NODE_COMP,
                                                        .data_deps = deps,
                                                        .data_dep_count = WIDE,
                                                        .ctrl_deps = deps,
                                                        .ctrl_dep_count = 2 * WIDE});
    assert_true(nadi_trace_writer_close(w, &diags));
    struct nadi_trace *t = trace_expect_read(&file, 0);
    assert_int_equal(t->dep_start[WIDE + 1], WIDE);
    for (uint32_t i = 0; i < WIDE; i++)
        assert_int_equal(t->deps[i], WIDE - 1 - i);
    nadi_trace_destroy(t);
    nadi_diags_release(&diags);
    nadi_str_release(&file);
    nadi_mem_free(deps);
}

static void a_long_cycle_is_shortened(void **state)
{
    (void)state;
    struct spec specs[21] = {{.id = 100}};
    for (uint64_t i = 1; i <= 20; i++)
        specs[i] = (struct spec){.id = i, .data = {i % 20 + 1, 100}, .data_count = 2};
    struct nadi_str file = NADI_STR_INIT;
    put_file(&file, specs, 21);
    trace_expect_fault(&file, 0,
                       (struct trace_fault){"trace/cycle", NADI_NO_OFFSET,
                                            "cycle of 20 nodes: 1 \"node 1\" -> 2 \"node 2\" -> ",
                                            "1 \"node 1\""});
    trace_expect_fault(
        &file, 0,
        (struct trace_fault){"trace/cycle", NADI_NO_OFFSET,
                             "7 \"node 7\" -> (12 more) -> 20 \"node 20\" -> 1 \"node 1\"; "
                             "20 of 21 nodes could never start",
                             "*"});
    nadi_str_release(&file);
}

static void a_cycle_behind_an_innocent_node(void **state)
{
    (void)state;
    /* 1 waits for the cycle of 2 and 3 but is not in it. */
    static const struct spec specs[] = {
        {.id = 1, .data = {2}, .data_count = 1},
        {.id = 2, .ctrl = {3}, .ctrl_count = 1},
        {.id = 3, .data = {2}, .data_count = 1},
    };
    struct nadi_str file = NADI_STR_INIT;
    put_file(&file, specs, 3);
    trace_expect_fault(&file, 0,
                       (struct trace_fault){
                           "trace/cycle", NADI_NO_OFFSET,
                           "cycle of 2 nodes: 2 \"node 2\" -> 3 \"node 3\" -> 2 \"node 2\"; 3 of 3",
                           "2 \"node 2\""});
    nadi_str_release(&file);
}

static void forward_dependencies_are_no_cycle(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {.id = 1, .data = {3}, .data_count = 1},
        {.id = 2, .data = {1}, .data_count = 1},
        {.id = 3},
    };
    struct nadi_str file = NADI_STR_INIT;
    put_file(&file, specs, 3);
    struct nadi_trace *t = trace_expect_read(&file, 0);
    assert_int_equal(t->deps[0], 2);
    nadi_trace_destroy(t);
    nadi_str_release(&file);
}

static void faults_are_collected_up_to_a_limit(void **state)
{
    (void)state;
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(&file, NADI_CODING_PLAIN);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    for (uint64_t i = 0; i < 50; i++)
        nadi_trace_writer_node(w, &(struct nadi_write_node){.id = i, .type = 12});
    assert_true(nadi_trace_writer_close(w, &diags));
    assert_null(nadi_trace_parse("x", nadi_str_get(&file), file.length, 0, &diags));
    assert_int_equal(diags.errors, 20);
    assert_int_equal(diags.notes, 1);
    assert_non_null(strstr(diags.items[20].message, "after 20 faulty messages"));
    nadi_diags_release(&diags);
    nadi_str_release(&file);
}

/* Many faults of the graph: the first are described, the others counted. */
static void expect_count(const struct spec *specs, size_t count, const char *code, const char *says)
{
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    put_file(&file, specs, count);
    assert_null(nadi_trace_parse("x", nadi_str_get(&file), file.length, 0, &diags));
    assert_int_equal(diags.errors, 20);
    assert_string_equal(diags.items[19].code, code);
    assert_string_equal(diags.items[20].message, says);
    nadi_diags_release(&diags);
    nadi_str_release(&file);
}

static void many_faults_are_counted(void **state)
{
    (void)state;
    struct spec specs[50] = {{0}};
    expect_count(specs, 50, "trace/duplicate-id", "and 29 more nodes whose id is used twice");
    for (uint64_t i = 0; i < 50; i++)
        specs[i] = (struct spec){.id = i, .data = {i + (i % 2) * 100}, .data_count = 1};
    expect_count(specs, 50, "trace/dangling-dependency", "and 30 more dependencies that cannot be");
}

static void more_nodes_than_indices(void **state)
{
    (void)state;
    static const struct spec specs[] = {{.id = 1}, {.id = 2}, {.id = 3}};
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_diags diags;
    struct nadi_trace trace = {0};
    struct nadi_frames frames;
    struct nadi_frame m;
    struct nadi_stage *stage = NADI_NEW(struct nadi_stage, 1);
    nadi_diags_init(&diags);
    put_file(&file, specs, 3);
    nadi_frames_init(&frames, "test.et",
                     nadi_inflate_memory("test.et", nadi_str_get(&file), file.length));
    assert_int_equal(nadi_frames_next(&frames, &m, &diags), NADI_FRAME_MESSAGE);
    nadi_stage_init(stage, &trace, 0);
    stage->node_limit = 2;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(nadi_frames_next(&frames, &m, &diags), NADI_FRAME_MESSAGE);
        assert_int_equal(nadi_stage_add(stage, &m), i < 2);
    }
    assert_int_equal(diags.errors, 1);
    assert_string_equal(diags.items[0].code, "trace/too-large");
    nadi_stage_release(stage);
    nadi_mem_free(stage);
    nadi_frames_release(&frames);
    nadi_str_release(&file);
    nadi_diags_release(&diags);
    void *const arrays[] = {trace.id,     trace.duration_ns, trace.ops,   trace.bytes,
                            trace.offset, trace.name,        trace.comm,  trace.dep_start,
                            trace.type,   trace.collective,  trace.flags, trace.strings};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        nadi_mem_free(arrays[i]);
}

static void places_name_rank_and_node(void **state)
{
    (void)state;
    static const struct spec specs[] = {{.id = 4}};
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    put_file(&file, specs, 1);
    struct nadi_trace *t = trace_expect_read(&file, 0);
    struct nadi_place place = nadi_trace_place(t, 3, 0, &arena);
    assert_string_equal(place.file, "test.et");
    assert_string_equal(place.node, "4 \"node 4\"");
    assert_int_equal(place.rank, 3);
    assert_int_equal(place.offset, t->offset[0]);
    assert_string_equal(t->schema_version, "0.0.4");
    nadi_arena_release(&arena);
    nadi_trace_destroy(t);
    nadi_trace_destroy(NULL);
    nadi_str_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_duplicates_and_children),
        cmocka_unit_test(ids_dense_and_sparse),
        cmocka_unit_test(a_wide_node_names_each_dependency_once),
        cmocka_unit_test(a_long_cycle_is_shortened),
        cmocka_unit_test(a_cycle_behind_an_innocent_node),
        cmocka_unit_test(forward_dependencies_are_no_cycle),
        cmocka_unit_test(faults_are_collected_up_to_a_limit),
        cmocka_unit_test(many_faults_are_counted),
        cmocka_unit_test(more_nodes_than_indices),
        cmocka_unit_test(places_name_rank_and_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
