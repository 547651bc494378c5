/* Tables: every algorithm written down step by step is the same program; wrong ones are seen, each
 * with what is wrong; slots beyond the buffer, results of their own, local steps. */
#include "base/arena.h"
#include "base/mem.h"
#include "collective/table.h"
#include "collective/verify.h"

#include <setjmp.h>

#include <cmocka.h>

static const struct nadi_verify_machine machine = {.alpha = 1, .beta = 0.01, .gamma = 0.002};

static struct nadi_verify_outcome run(const struct nadi_table *t, uint64_t bytes)
{
    const struct nadi_program_request q = {
        .kind = t->shape.kind, .n = t->shape.n, .root = t->shape.root, .bytes = bytes, .table = t};
    struct nadi_program p;
    assert_null(nadi_program_make(nadi_table_ops(t), &q, &p));
    return nadi_verify(&p, &machine);
}

static const char *text(const struct nadi_table *t, struct nadi_arena *arena)
{
    const struct nadi_program_request q = {
        .kind = t->shape.kind, .n = t->shape.n, .root = t->shape.root, .bytes = 64, .table = t};
    struct nadi_program p;
    assert_null(nadi_program_make(nadi_table_ops(t), &q, &p));
    const struct nadi_verify_outcome o = nadi_verify(&p, &machine);
    return nadi_verify_text(&p, &o, arena);
}

static void algorithms_written_down(void **state)
{
    (void)state;
    uint32_t cases = 0;
    for (size_t a = 0; nadi_program_algorithms[a]; a++)
        for (int kind = 0; kind < NADI_COLLECTIVE_KINDS; kind++)
            for (uint32_t n = 2; n <= 17; n++) {
                const struct nadi_program_ops *ops = nadi_program_algorithms[a];
                const struct nadi_program_request q = {.kind = (enum nadi_collective_kind)kind,
                                                       .n = n,
                                                       .root = kind == NADI_BROADCAST ? n / 2 : 0,
                                                       .bytes = 1000 + n,
                                                       .segments = 3};
                struct nadi_program p;
                if (!nadi_program_runs(ops, q.kind) || ops->in_switches)
                    continue;
                assert_null(nadi_program_make(ops, &q, &p));
                struct nadi_table t;
                nadi_table_of_program(&t, &p);
                const struct nadi_verify_outcome was = nadi_verify(&p, &machine);
                const struct nadi_verify_outcome is = run(&t, q.bytes);
                assert_int_equal(is.result, NADI_VERIFY_OK);
                assert_true(is.seconds >= was.seconds && is.seconds <= was.seconds);
                assert_int_equal(is.messages, was.messages);
                assert_int_equal(is.bytes, was.bytes);
                assert_int_equal(is.largest_bytes, was.largest_bytes);
                nadi_table_release(&t);
                cases++;
            }
    assert_true(cases > 300);
}

/* All-gather of two members: each sends its block to the other, queue 0 of member 0 to queue 1. */
static void two(struct nadi_table *t, bool separate)
{
    nadi_table_init(t, &(struct nadi_table_shape){
                           .kind = NADI_ALL_GATHER, .n = 2, .blocks = 2, .separate = separate});
    const uint32_t out = separate ? 2 : 0;
    for (uint32_t m = 0; m < 2; m++) {
        nadi_table_add(t, m, 0)->to = 1 - m;
        t->steps.items[t->steps.count - 1].step.to_queue = 1;
        nadi_table_send(t, m, 1);
        nadi_table_add(t, m, 1)->from = 1 - m;
        nadi_table_into(t, out + 1 - m, 1);
        if (separate) {
            nadi_table_add(t, m, 2)->local = true;
            nadi_table_send(t, m, 1);
            nadi_table_into(t, out + m, 1);
        }
    }
}

static void results_of_their_own(void **state)
{
    (void)state;
    for (int separate = 0; separate < 2; separate++) {
        struct nadi_table t;
        two(&t, separate);
        nadi_table_finish(&t);
        assert_int_equal(t.queues, 2 + separate);
        const struct nadi_verify_outcome o = run(&t, 100);
        assert_int_equal(o.result, NADI_VERIFY_OK);
        assert_int_equal(o.messages, 2);
        assert_int_equal(o.bytes, 200);
        assert_true(o.seconds > 1.999 && o.seconds < 2.001); /* the copy: 100 B * 0.002 s */
        nadi_table_release(&t);
    }
}

/* All-reduce of two through a scratch slot: what comes is put there, then added by a local step
 * that waits for it. */
static void scratch(struct nadi_table *t, uint32_t wait, uint32_t into)
{
    nadi_table_init(
        t, &(struct nadi_table_shape){.kind = NADI_ALL_REDUCE, .n = 2, .blocks = 1, .scratch = 1});
    for (uint32_t m = 0; m < 2; m++) {
        struct nadi_step *s = nadi_table_add(t, m, 0);
        s->to = s->from = 1 - m;
        nadi_table_send(t, 0, 1);
        nadi_table_into(t, 1, 1);
        s = nadi_table_add(t, m, 1);
        s->local = s->reduces = true;
        s->wait_steps = wait;
        nadi_table_send(t, 1, 1);
        nadi_table_into(t, into, 1);
    }
    nadi_table_finish(t);
}

static void scratch_and_local_steps(void **state)
{
    (void)state;
    struct nadi_table t;
    scratch(&t, 1, 0);
    const struct nadi_verify_outcome o = run(&t, 100);
    assert_int_equal(o.result, NADI_VERIFY_OK);
    assert_true(o.seconds > 2.199 && o.seconds < 2.201); /* 1 + 100 * 0.01 + 100 * 0.002 */
    nadi_table_release(&t);
}

static void what_is_wrong(void **state)
{
    (void)state;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    struct nadi_table t;

    scratch(&t, 1, 1); /* the scratch slot to itself */
    assert_string_equal(text(&t, &arena), "member 0 adds member 1's part of block 0 (of 1) twice, "
                                          "in step 0 of lane 1");
    nadi_table_release(&t);

    two(&t, false);
    t.steps.items[1].step.from = NADI_NONE; /* member 0 receives nothing */
    nadi_table_finish(&t);
    assert_string_equal(text(&t, &arena),
                        "a message from member 1 to member 0 on lane 1 is never received");
    nadi_table_release(&t);

    two(&t, false);
    t.steps.items[0].step.to = NADI_NONE;
    nadi_table_finish(&t);
    assert_non_null(strstr(text(&t, &arena), "member 1 waits for ever in step 0 of lane 1"));
    nadi_table_release(&t);

    two(&t, false);
    t.runs.items[0].slot = 1; /* member 0 sends a block that it does not have */
    nadi_table_finish(&t);
    assert_string_equal(text(&t, &arena), "member 1 ends without member 0's part of block 0 (of "
                                          "2)");
    nadi_table_release(&t);

    two(&t, false);
    t.runs.items[0].count = 2; /* more than is taken */
    nadi_table_finish(&t);
    assert_string_equal(text(&t, &arena), "a message of 2 blocks comes where member 1 takes 1, in "
                                          "step 0 of lane 1");
    nadi_table_release(&t);

    two(&t, true);
    t.runs.items[7].slot = 2; /* member 1's own block is copied to member 0's place */
    nadi_table_finish(&t);
    assert_string_equal(text(&t, &arena), "member 1 ends without member 1's part of block 1 (of "
                                          "2)");
    nadi_table_release(&t);

    two(&t, false);
    t.steps.items[1].step.reduces = true;
    nadi_table_finish(&t);
    assert_string_equal(text(&t, &arena),
                        "member 0 adds to slot 1, which holds nothing yet, in step 0 of lane 1");
    nadi_table_release(&t);

    nadi_table_init(&t, &(struct nadi_table_shape){.kind = NADI_ALL_REDUCE, .n = 2, .blocks = 2});
    nadi_table_add(&t, 0, 0)->to = 1;
    nadi_table_send(&t, 0, 1);
    struct nadi_step *s = nadi_table_add(&t, 1, 0);
    s->from = 0;
    s->reduces = true;
    nadi_table_into(&t, 1, 1);
    nadi_table_finish(&t);
    assert_string_equal(text(&t, &arena),
                        "member 1 adds a part of block 0 to block 1, in step 0 of lane 0");
    nadi_table_release(&t);
    nadi_arena_release(&arena);
}

static void shapes(void **state)
{
    (void)state;
    static const struct {
        struct nadi_table_shape shape;
        const char *refusal;
    } cases[] = {
        {{.kind = NADI_ALL_REDUCE, .n = 3, .blocks = 5}, NULL},
        {{.kind = NADI_ALL_REDUCE, .n = 3}, "multiple"},
        {{.kind = NADI_ALL_REDUCE, .blocks = 1}, "no members"},
        {{.kind = NADI_ALL_GATHER, .n = 3, .blocks = 6}, NULL},
        {{.kind = NADI_ALL_GATHER, .n = 3, .blocks = 5}, "multiple"},
        {{.kind = NADI_ALL_TO_ALL, .n = 3, .blocks = 18}, NULL},
        {{.kind = NADI_ALL_TO_ALL, .n = 3, .blocks = 6}, "members times members"},
        {{.kind = NADI_BROADCAST, .n = 3, .blocks = 2, .root = 3}, "root"},
        {{.kind = NADI_ALL_TO_ALL, .n = 3, .blocks = 9, .swapped = true}, NULL},
        {{.kind = NADI_ALL_TO_ALL, .n = 3, .blocks = 9, .swapped = true, .separate = true},
         "either apart or swapped"},
        {{.kind = NADI_ALL_GATHER, .n = 3, .blocks = 9, .swapped = true}, "only results"},
        {{.kind = NADI_BROADCAST, .n = 3, .blocks = 1U << 31, .separate = true}, "2^32"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *refusal = nadi_table_refusal(&cases[i].shape);
        assert_true(!refusal == !cases[i].refusal);
        if (refusal)
            assert_non_null(strstr(refusal, cases[i].refusal));
    }
}

static void refused_requests(void **state)
{
    (void)state;
    struct nadi_table t;
    two(&t, false);
    nadi_table_finish(&t);
    struct nadi_program_request q = {.kind = NADI_ALL_GATHER, .n = 2, .bytes = 8};
    struct nadi_program p;
    assert_non_null(nadi_program_make(&nadi_program_table, &q, &p));
    q.table = &t;
    assert_null(nadi_program_make(&nadi_program_table, &q, &p));
    q.n = 3;
    assert_non_null(nadi_program_make(&nadi_program_table, &q, &p));
    q.n = 2;
    q.kind = NADI_ALL_REDUCE;
    assert_non_null(nadi_program_make(&nadi_program_table, &q, &p));
    nadi_table_release(&t);
}

/* All-to-all in several blocks a pair, and with sizes of pairs. */
static void all_to_all(void **state)
{
    (void)state;
    enum { N = 3, K = 2 };
    struct nadi_table t;
    nadi_table_init(
        &t, &(struct nadi_table_shape){.kind = NADI_ALL_TO_ALL, .n = N, .blocks = N * N * K});
    for (uint32_t m = 0; m < N; m++)
        for (uint32_t d = 1; d < N; d++) {
            struct nadi_step *s = nadi_table_add(&t, m, d - 1);
            s->to = (m + d) % N;
            s->from = (m + N - d) % N;
            nadi_table_send(&t, (m * N + s->to) * K, K);
        }
    nadi_table_finish(&t);
    struct nadi_verify_outcome o = run(&t, 90);
    assert_int_equal(o.result, NADI_VERIFY_OK);
    assert_int_equal(o.bytes, 180);
    static const uint64_t sizes[N * N] = {0, 7, 9, 100, 0, 1, 0, 3, 5};
    struct nadi_program_request q = {.kind = NADI_ALL_TO_ALL, .n = N, .table = &t, .sizes = sizes};
    struct nadi_program p;
    assert_null(nadi_program_make(&nadi_program_table, &q, &p));
    o = nadi_verify(&p, &machine);
    assert_int_equal(o.result, NADI_VERIFY_OK);
    assert_int_equal(o.bytes, 120);
    nadi_table_release(&t);
}

/* All-to-all in one buffer of a member: what comes from member s ends where what goes to it began.
 * It comes into scratch first, and is copied when what lay there has left. */
static void swapped(void **state)
{
    (void)state;
    enum { N = 3, K = 2 };
    const struct nadi_table_shape shape = {
        .kind = NADI_ALL_TO_ALL, .n = N, .blocks = N * N * K, .scratch = N * K, .swapped = true};
    assert_int_equal(nadi_table_result(&shape, (0 * N + 2) * K + 1), (2 * N + 0) * K + 1);
    assert_int_equal(nadi_table_result(&shape, (1 * N + 1) * K), (1 * N + 1) * K);
    for (int wrong = 0; wrong < 3; wrong++) {
        struct nadi_table t;
        nadi_table_init(&t, &shape);
        for (uint32_t m = 0; m < N; m++)
            for (uint32_t d = 1; d < N; d++) {
                struct nadi_step *s = nadi_table_add(&t, m, d - 1);
                s->to = (m + d) % N;
                s->from = (m + N - d) % N;
                const uint32_t source = s->from;
                nadi_table_send(&t, (m * N + s->to) * K, K);
                nadi_table_into(&t, N * N * K + source * K, K);
                s = nadi_table_add(&t, m, N - 1);
                s->local = true;
                s->wait_steps = wrong == 1 ? 0 : 1;
                s->wait_queue = NADI_ALL_QUEUES;
                if (wrong != 1)
                    s->wait_queue = (int)(d - 1);
                nadi_table_send(&t, N * N * K + source * K, K);
                nadi_table_into(&t, (wrong == 2 ? source * N + m : m * N + source) * K, K);
            }
        nadi_table_finish(&t);
        assert_int_equal(run(&t, 90).result, wrong ? NADI_VERIFY_MISSING : NADI_VERIFY_OK);
        nadi_table_release(&t);
    }
}

/* A switch, member 2, adds up what both have and gives it to both. */
static void through_a_switch(void **state)
{
    (void)state;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    for (int twice = 0; twice < 2; twice++) {
        const struct nadi_table_shape shape = {
            .kind = NADI_ALL_REDUCE, .n = 2, .blocks = 1, .switches = 1};
        struct nadi_table t;
        nadi_table_init(&t, &shape);
        for (uint32_t m = 0; m < 2; m++) {
            nadi_table_add(&t, m, 0)->to = 2;
            nadi_table_send(&t, 0, 1);
            nadi_table_add(&t, m, 1)->from = 2;
        }
        struct nadi_step *s = nadi_table_add(&t, 2, 0);
        s->from = NADI_FAN;
        s->reduces = true;
        nadi_table_fan(&t, 0);
        nadi_table_fan(&t, 1);
        s = nadi_table_add(&t, 2, 1);
        s->to = NADI_FAN;
        s->wait_queue = 0;
        s->wait_steps = 1;
        nadi_table_fan(&t, 0);
        nadi_table_fan(&t, 1);
        nadi_table_send(&t, 0, 1);
        for (uint32_t m = 0; m < 2 && twice; m++) {
            nadi_table_add(&t, m, 0)->to = 2;
            nadi_table_send(&t, 0, 1);
        }
        if (twice) {
            s = nadi_table_add(&t, 2, 0);
            s->from = NADI_FAN;
            s->reduces = true;
            nadi_table_fan(&t, 0);
            nadi_table_fan(&t, 1);
        }
        nadi_table_finish(&t);
        assert_ptr_equal(nadi_table_ops(&t), &nadi_program_switch_table);
        const struct nadi_verify_outcome o = run(&t, 100);
        assert_int_equal(o.result, twice ? NADI_VERIFY_TWICE : NADI_VERIFY_OK);
        if (twice)
            assert_string_equal(text(&t, &arena), "the switch adds member 0's part of block 0 (of "
                                                  "1) twice, in step 1 of lane 0");
        else
            assert_int_equal(o.bytes, 400);
        nadi_table_release(&t);
    }
    nadi_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms_written_down),
        cmocka_unit_test(results_of_their_own),
        cmocka_unit_test(scratch_and_local_steps),
        cmocka_unit_test(what_is_wrong),
        cmocka_unit_test(shapes),
        cmocka_unit_test(refused_requests),
        cmocka_unit_test(all_to_all),
        cmocka_unit_test(swapped),
        cmocka_unit_test(through_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
