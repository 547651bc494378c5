/* local_memory: lifetimes and the peak, from hand-made nodes; the rules are in the header. */
#include "sim/local_memory.h"

#include "support/report_case.h"

#include <setjmp.h>

#include <cmocka.h>

struct touch { /* what a node reads or writes */
    uint32_t node;
    const char *name;
    uint64_t bytes;
    bool is_output;
};

static struct nadi_trace *make_trace(struct nadi_arena *arena, uint32_t nodes,
                                     const struct touch *touches, uint32_t count)
{
    struct nadi_trace *t = report_case_trace(arena, nodes);
    t->io = NADI_ARENA_ZNEW(arena, struct nadi_trace_io, count);
    t->io_count = count;
    for (uint32_t i = 0; i < count; i++)
        t->io[i] = (struct nadi_trace_io){
            .node = touches[i].node,
            .name = report_case_string(t, touches[i].name),
            .bytes = touches[i].bytes,
            .is_output = touches[i].is_output,
        };
    return t;
}

static void analyse(struct nadi_local_memory *m, struct nadi_arena *arena,
                    const struct touch *touches, uint32_t touch_count,
                    const struct nadi_span *spans, uint32_t span_count)
{
    nadi_arena_init(arena);
    const struct nadi_trace *t = make_trace(arena, span_count, touches, touch_count);
    nadi_local_memory_init(m, t, spans, span_count);
}

static void release(struct nadi_local_memory *m, struct nadi_arena *arena)
{
    nadi_local_memory_release(m);
    nadi_arena_release(arena);
}

/* a: [0, 30); b: [10, 40); at 30 `a` goes and `c` comes; c is never read. */
static void a_chain(void **state)
{
    static const struct touch touches[] = {
        {0, "a", 100, true}, {1, "a", 100, false}, {1, "b", 10, true},
        {2, "b", 10, false}, {2, "c", 1, true},
    };
    static const struct nadi_span spans[] = {{0, 0, 0, 10}, {0, 1, 10, 30}, {0, 2, 30, 40}};
    struct nadi_local_memory m;
    struct nadi_arena arena;
    (void)state;
    analyse(&m, &arena, touches, 5, spans, 3);
    static const struct nadi_memory_step expected[] = {{0, 100}, {10, 110}, {30, 11}, {40, 1}};
    assert_int_equal(m.step_count, 4);
    assert_memory_equal(m.steps, expected, sizeof(expected));
    assert_int_equal(m.peak_bytes, 110);
    assert_int_equal(m.use_count, 5);
    assert_string_equal(m.tensors[2].name, "c");
    assert_int_equal(m.tensors[2].dies_ns, UINT64_MAX);
    release(&m, &arena);
}

/* What nobody wrote was there from the start; the names of two nodes are one tensor. */
static void read_before_written(void **state)
{
    static const struct touch touches[] = {{0, "weights", 50, false}, {1, "weights", 50, false}};
    static const struct nadi_span spans[] = {{0, 0, 100, 200}, {0, 1, 300, 400}};
    struct nadi_local_memory m;
    struct nadi_arena arena;
    (void)state;
    analyse(&m, &arena, touches, 2, spans, 2);
    assert_int_equal(m.tensor_count, 1);
    assert_int_equal(m.tensors[0].born_ns, 0);
    assert_int_equal(m.tensors[0].dies_ns, 400);
    assert_int_equal(m.use_count, 3);
    assert_int_equal(m.uses[0].node, NADI_NONE);
    assert_int_equal(m.uses[0].end_ns, 10);
    assert_true(m.uses[0].is_write);
    release(&m, &arena);
}

/* Written twice: one life from the first write, the larger size. */
static void written_again(void **state)
{
    static const struct touch touches[] = {
        {0, "x", 10, true}, {1, "x", 30, true}, {2, "x", 10, false}};
    static const struct nadi_span spans[] = {{0, 0, 5, 6}, {0, 1, 7, 8}, {0, 2, 8, 9}};
    struct nadi_local_memory m;
    struct nadi_arena arena;
    (void)state;
    analyse(&m, &arena, touches, 3, spans, 3);
    static const struct nadi_memory_step expected[] = {{5, 30}, {9, 0}};
    assert_int_equal(m.step_count, 2);
    assert_memory_equal(m.steps, expected, sizeof(expected));
    release(&m, &arena);
}

/* A node that takes no time writes and another reads at the same instant: never held. */
static void no_time_no_memory(void **state)
{
    static const struct touch touches[] = {
        {0, "x", 10, true}, {0, "empty", 0, true}, {1, "x", 10, false}};
    static const struct nadi_span spans[] = {{0, 0, 5, 5}, {0, 1, 5, 5}};
    struct nadi_local_memory m;
    struct nadi_arena arena;
    (void)state;
    analyse(&m, &arena, touches, 3, spans, 2);
    assert_int_equal(m.tensor_count, 1);
    assert_int_equal(m.peak_bytes, 0);
    release(&m, &arena);
}

static void nothing(void **state)
{
    static const struct nadi_span spans[] = {{0, 0, 5, 5}};
    struct nadi_local_memory m;
    struct nadi_arena arena;
    (void)state;
    analyse(&m, &arena, NULL, 0, spans, 1);
    assert_int_equal(m.step_count, 0);
    assert_int_equal(m.peak_bytes, 0);
    release(&m, &arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain),       cmocka_unit_test(read_before_written),
        cmocka_unit_test(written_again), cmocka_unit_test(no_time_no_memory),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
