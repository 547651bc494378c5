/* Every algorithm, kind and size: real blocks move through it and come out right, and the time on
 * a network without contention is the algorithm's closed form. */
#include "base/arena.h"
#include "base/mem.h"
#include "collective/verify.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static const struct nadi_verify_machine machine = {
    .alpha = 1, .beta = 0.01, .gamma = 0.002, .store = NADI_SWITCH_STORE_NS * 1e-9};

static uint32_t sizes_of_group(uint32_t i)
{
    return i < 17 ? i + 1 : i == 17 ? 32 : 64;
}

enum { GROUP_SIZES = 19 };

static bool has_root(enum nadi_collective_kind kind)
{
    return kind == NADI_BROADCAST || kind == NADI_REDUCE || kind == NADI_GATHER ||
           kind == NADI_SCATTER;
}

static struct nadi_verify_outcome check(const struct nadi_program_ops *ops,
                                        const struct nadi_program_request *q, bool *ran)
{
    struct nadi_program p;
    const char *refused = nadi_program_make(ops, q, &p);
    *ran = !refused;
    if (refused)
        return (struct nadi_verify_outcome){0};
    struct nadi_verify_outcome o = nadi_verify(&p, &machine);
    if (o.result != NADI_VERIFY_OK) {
        struct nadi_arena arena;
        nadi_arena_init(&arena);
        fail_msg("%s %s of %u, root %u, %u segments: %s", ops->name, nadi_collective_name(q->kind),
                 q->n, q->root, q->segments, nadi_verify_text(&p, &o, &arena));
    }
    return o;
}

static void every_kind_and_size(void **state)
{
    (void)state;
    uint32_t cases = 0;
    for (size_t a = 0; nadi_program_algorithms[a]; a++)
        for (int kind = 0; kind < NADI_COLLECTIVE_KINDS; kind++)
            for (uint32_t i = 0; i < GROUP_SIZES; i++) {
                const struct nadi_program_ops *ops = nadi_program_algorithms[a];
                if (!nadi_program_runs(ops, (enum nadi_collective_kind)kind))
                    continue;
                uint32_t n = sizes_of_group(i);
                for (uint32_t variant = 0; variant < 3; variant++) {
                    struct nadi_program_request q = {
                        .kind = (enum nadi_collective_kind)kind,
                        .n = n,
                        .root = has_root((enum nadi_collective_kind)kind) ? variant * 5 % n : 0,
                        .bytes = 1000 + variant,
                        .radix = 2 + variant,
                        .channels = variant ? 2 * variant + 1 : 0,
                        .segments = 1 + 3 * variant};
                    bool ran;
                    check(ops, &q, &ran);
                    assert_true(ran);
                    cases++;
                }
            }
    assert_true(cases > 2000);
}

/* Sizes such that all blocks are equal: a multiple of every number of blocks that may come up. */
static uint64_t even_bytes(uint32_t n)
{
    return (uint64_t)n * n * 5040;
}

static uint32_t compare_times(const struct nadi_verify_machine *on)
{
    uint32_t compared = 0;
    for (size_t a = 0; nadi_program_algorithms[a]; a++)
        for (int kind = 0; kind < NADI_COLLECTIVE_KINDS; kind++)
            for (uint32_t i = 1; i < GROUP_SIZES; i++) {
                const struct nadi_program_ops *ops = nadi_program_algorithms[a];
                if (!nadi_program_runs(ops, (enum nadi_collective_kind)kind))
                    continue;
                struct nadi_program_request q = {
                    .kind = (enum nadi_collective_kind)kind, .n = sizes_of_group(i), .segments = 4};
                q.bytes = even_bytes(q.n);
                struct nadi_program p;
                assert_null(nadi_program_make(ops, &q, &p));
                double form = ops->seconds(&p, on->alpha, on->beta, on->gamma);
                if (form < 0)
                    continue;
                struct nadi_verify_outcome o = nadi_verify(&p, on);
                if (fabs(o.seconds - form) > 1e-9 * form)
                    fail_msg("%s %s of %u: runs %.9g, closed form %.9g", ops->name,
                             nadi_collective_name(q.kind), q.n, o.seconds, form);
                compared++;
            }
    return compared;
}

static void times_are_closed_forms(void **state)
{
    (void)state;
    static const struct nadi_verify_machine free_adding = {
        .alpha = 1, .beta = 0.01, .store = machine.store};
    assert_int_equal(compare_times(&machine), 1057); /* as many as have one */
    assert_int_equal(compare_times(&free_adding), 1093);
}

static void grids_of_all_shapes(void **state)
{
    (void)state;
    static const uint32_t shapes[][NADI_PROGRAM_DIMS] = {
        {6, 0},    {2, 3},    {3, 2},    {4, 4},       {8, 4},      {3, 5, 2},
        {2, 2, 2}, {4, 1, 3}, {4, 8, 2}, {2, 3, 2, 2}, {2, 2, 2, 4}};
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                      NADI_REDUCE_SCATTER};
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
        for (size_t k = 0; k < 3; k++)
            for (int which = 0; which < 2; which++) {
                struct nadi_program_request q = {.kind = kinds[k], .n = 1};
                for (; q.dim_count < NADI_PROGRAM_DIMS && shapes[s][q.dim_count]; q.dim_count++)
                    q.n *= q.dims[q.dim_count] = shapes[s][q.dim_count];
                q.bytes = even_bytes(q.n);
                bool ran;
                const struct nadi_program_ops *ops =
                    nadi_program_find(which ? "hierarchical" : "torus");
                struct nadi_verify_outcome o = check(ops, &q, &ran);
                struct nadi_program p;
                assert_null(nadi_program_make(ops, &q, &p));
                double form = ops->seconds(&p, machine.alpha, machine.beta, machine.gamma);
                assert_true(fabs(o.seconds - form) < 1e-9 * form);
            }
    struct nadi_program_request q = {
        .kind = NADI_ALL_REDUCE, .n = 6, .dim_count = 2, .dims = {2, 2}, .bytes = 6};
    struct nadi_program p;
    assert_non_null(nadi_program_make(nadi_program_find("torus"), &q, &p));
}

static void radix_of_trees(void **state)
{
    (void)state;
    static const uint32_t radixes[] = {1, 2, 3, 1024, 1025, UINT32_MAX};
    struct nadi_program p;
    for (size_t i = 0; i < sizeof(radixes) / sizeof(*radixes); i++) {
        struct nadi_program_request q = {
            .kind = NADI_BROADCAST, .n = 8, .bytes = 64, .radix = radixes[i]};
        const bool good = radixes[i] >= 2 && radixes[i] <= 1024;
        assert_true(!nadi_program_make(nadi_program_find("tree"), &q, &p) == good);
        assert_true(!nadi_program_make(nadi_program_find("scatterGather"), &q, &p) == good);
    }
}

static void uneven_all_to_all(void **state)
{
    (void)state;
    static const char *const names[] = {"direct", "pairwise", "bruck"};
    for (uint32_t n = 1; n <= 17; n++) {
        uint64_t *sizes = NADI_NEW(uint64_t, (size_t)n * n), total = 0;
        for (uint32_t i = 0; i < n * n; i++) {
            sizes[i] = (uint64_t)(i * 7919 % 101);
            total += i / n == i % n ? 0 : sizes[i];
        }
        for (size_t a = 0; a < 3; a++) {
            struct nadi_program_request q = {.kind = NADI_ALL_TO_ALL, .n = n, .sizes = sizes};
            bool ran;
            struct nadi_verify_outcome o = check(nadi_program_find(names[a]), &q, &ran);
            assert_true(ran);
            if (a < 2) /* each block travels once */
                assert_true(o.bytes == total);
        }
        nadi_mem_free(sizes);
    }
}

/* --- the checker itself must see faults ---------------------------------------------------------
 */

enum fault { NO_FAULT, NEVER_SENT, NEVER_RECEIVED, WRONG_BLOCK }; /* in p->a */

static const char *broken_prepare(struct nadi_program *p)
{
    p->queues = 1;
    p->blocks = p->request.n;
    return NULL;
}

static void broken_step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                        struct nadi_step *out)
{
    nadi_program_find("ring")->step(p, member, queue, k, out);
    if (p->a == NEVER_SENT && member == 2 && k == 1)
        out->to = NADI_NONE;
    if (p->a == NEVER_RECEIVED && member == 2 && k == p->request.n - 2)
        out->from = NADI_NONE;
}

static void broken_sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                        nadi_blocks_visit *visit, void *context)
{
    if (p->a == WRONG_BLOCK && member == 2 && k == 1)
        k = 0; /* what it has sent before */
    nadi_program_find("ring")->sent(p, member, queue, k, visit, context);
}

static void faults_are_seen(void **state)
{
    (void)state;
    struct nadi_program_ops ops = *nadi_program_find("ring");
    ops.prepare = broken_prepare;
    ops.step = broken_step;
    ops.sent = broken_sent;
    static const enum nadi_verify_result expected[] = {
        [NO_FAULT] = NADI_VERIFY_OK,
        [NEVER_SENT] = NADI_VERIFY_STUCK,
        [NEVER_RECEIVED] = NADI_VERIFY_LEFTOVER,
        [WRONG_BLOCK] = NADI_VERIFY_TWICE,
    };
    for (uint32_t fault = NO_FAULT; fault <= WRONG_BLOCK; fault++) {
        struct nadi_program_request q = {.kind = NADI_REDUCE_SCATTER, .n = 5, .bytes = 50};
        struct nadi_program p;
        assert_null(nadi_program_make(&ops, &q, &p));
        p.a = fault;
        struct nadi_verify_outcome o = nadi_verify(&p, &machine);
        assert_int_equal(o.result, expected[fault]);
    }
    /* all-gather with a wrong block: something is missing at the end */
    struct nadi_program_request q = {.kind = NADI_ALL_GATHER, .n = 5, .bytes = 50};
    struct nadi_program p;
    assert_null(nadi_program_make(&ops, &q, &p));
    p.a = WRONG_BLOCK;
    assert_int_equal(nadi_verify(&p, &machine).result, NADI_VERIFY_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_and_size), cmocka_unit_test(times_are_closed_forms),
        cmocka_unit_test(grids_of_all_shapes), cmocka_unit_test(radix_of_trees),
        cmocka_unit_test(uneven_all_to_all),   cmocka_unit_test(faults_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
