/* What a cluster has against how long a step takes: monotone, degenerate and hybrid cases; the
 * closed form of a pipeline against its schedule. */
#include "search/estimate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compute/two_memories.h"
#include "explore/model_inputs.h"
#include "model/memory.h"
#include "search/pipeline.h"

static const char settings[] = "sequence=1024 ranks=16 batch=64 zero=1";

struct cluster { /* factors */
    double flops, local, expanded, capacity, network;
    double expanded_bytes;
    bool concurrent;
};
static const struct cluster plain = {1, 1, 1, 1, 1, 0, false};

static void open_study(struct nadi_study *s, const struct cluster *c, const char *text)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    const struct nadi_study_setup setup = {
        .model = "megatron-3.6b", .settings = text, .cluster = "dgx-a100"};
    if (!nadi_study_open(s, &setup, &diags))
        fail_msg("%s", diags.items[0].message);
    nadi_diags_release(&diags);
    struct nadi_device *d = &s->cluster.device;
    for (int i = 0; i < NADI_PRECISIONS; i++)
        d->peak[i] *= c->flops;
    d->attention_rate[0] *= c->flops;
    d->attention_rate[1] *= c->flops;
    d->expanded_bytes = c->expanded_bytes;
    d->expanded_rate = d->memory_rate * c->expanded;
    d->expanded_concurrent = c->concurrent;
    d->memory_rate *= c->local;
    d->memory_bytes *= c->capacity;
    for (uint32_t i = 0; i < s->cluster.topology.dim_count; i++)
        s->cluster.topology.dims[i].bytes_per_ns *= c->network;
}

static struct nadi_estimate estimate(const struct cluster *c, const struct nadi_strategy *s)
{
    struct nadi_study study;
    struct nadi_diags diags;
    struct nadi_model_plan asked;
    struct nadi_estimate e = {0};
    nadi_diags_init(&diags);
    open_study(&study, c, settings);
    assert_true(nadi_plan_read(&asked, NULL, settings, &diags));
    struct nadi_estimator *estimator = nadi_estimator_create(&study, &asked, false, &diags);
    assert_non_null(estimator);
    assert_true(nadi_estimator_time(estimator, s, &e));
    nadi_estimator_destroy(estimator);
    nadi_plan_release(&asked);
    nadi_study_close(&study);
    nadi_diags_release(&diags);
    return e;
}

static const struct nadi_strategy strategies[] = {
    {.tp = 2,
     .cp = 1,
     .pp = 2,
     .vp = 1,
     .dp = 4,
     .ep = 1,
     .micro_batch = 2,
     .zero = 1,
     .sequence_parallel = true},
    {.tp = 1, .cp = 1, .pp = 1, .vp = 1, .dp = 16, .ep = 1, .micro_batch = 2, .zero = 3},
    {.tp = 8,
     .cp = 1,
     .pp = 2,
     .vp = 3,
     .dp = 1,
     .ep = 1,
     .micro_batch = 1,
     .recompute = NADI_RECOMPUTE_FULL,
     .sequence_parallel = true},
};
enum { COUNT = sizeof(strategies) / sizeof(strategies[0]) };

static void test_more_is_not_slower(void **state)
{
    (void)state;
    struct cluster more[] = {plain, plain, plain, plain};
    struct cluster base = plain;
    base.expanded_bytes = 1e12;
    base.expanded = 0.2;
    base.capacity = 0.15; /* of 80 GiB: nothing fits without the second memory */
    for (int i = 0; i < 4; i++)
        more[i] = base;
    more[0].flops = 1.5;
    more[1].local = 1.5;
    more[2].expanded = 0.4;
    more[3].network = 1.5;
    for (uint32_t s = 0; s < COUNT; s++) {
        const struct nadi_estimate was = estimate(&base, &strategies[s]);
        for (int i = 0; i < 4; i++)
            assert_true(estimate(&more[i], &strategies[s]).ns <= was.ns);
        assert_true(estimate(&more[0], &strategies[s]).ns < was.ns);
        assert_true(estimate(&more[3], &strategies[s]).ns < was.ns);
    }
}

static void test_what_is_missing_stays_missing(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < COUNT; s++) {
        double before = 0;
        for (double part = 1; part > 0.01; part /= 2) {
            struct cluster c = plain;
            c.capacity = part;
            const double missing = estimate(&c, &strategies[s]).missing_bytes;
            assert_true(missing >= before);
            before = missing;
        }
        assert_true(before > 0);
    }
}

/* All in data: no transfer within a layer. All in tensor: none among replicas. */
static void test_degenerate(void **state)
{
    (void)state;
    const struct nadi_strategy data = {
        .tp = 1, .cp = 1, .pp = 1, .vp = 1, .dp = 16, .ep = 1, .micro_batch = 1};
    const struct nadi_strategy tensor = {.tp = 16,
                                         .cp = 1,
                                         .pp = 1,
                                         .vp = 1,
                                         .dp = 1,
                                         .ep = 1,
                                         .micro_batch = 1,
                                         .sequence_parallel = true};
    const struct nadi_estimate d = estimate(&plain, &data), t = estimate(&plain, &tensor);
    assert_true(d.parts[NADI_STEP_GRADIENTS] > 0);
    assert_true(fabs(d.parts[NADI_STEP_TRANSFERS]) < 1);
    assert_true(t.parts[NADI_STEP_TRANSFERS] > 0);
    assert_true(t.parts[NADI_STEP_GRADIENTS] < 1 && t.parts[NADI_STEP_PARAMETERS] < 1);
}

static void test_two_memories(void **state)
{
    (void)state;
    struct nadi_device d = {.memory_rate = 1000, .expanded_rate = 250};
    assert_true(fabs(nadi_two_memories_rate(&d, 0) - 1000) < 1e-9);
    assert_true(fabs(nadi_two_memories_rate(&d, 1) - 250) < 1e-9);
    assert_true(fabs(nadi_two_memories_rate(&d, 0.5) - 400) < 1e-9); /* 1 / (0.5 m + 2 m) */
    d.expanded_concurrent = true;
    assert_true(fabs(nadi_two_memories_rate(&d, 1) - 250) < 1e-9);
    assert_true(fabs(nadi_two_memories_rate(&d, 0.5) - 500) < 1e-9);
    assert_true(fabs(nadi_two_memories_rate(&d, 0.2) - 1000) < 1e-9); /* never above the local */
    for (int concurrent = 0; concurrent < 2; concurrent++) { /* as fast as the local one: equal */
        d.expanded_concurrent = concurrent;
        d.expanded_rate = 1000;
        for (double f = 0; f <= 1; f += 0.125)
            assert_true(fabs(nadi_two_memories_rate(&d, f) - 1000) < 1e-9);
    }
}

/* The whole step: with a second memory as fast as the local one it is as if all were local; and the
 * estimate takes what the simulation does. */
static void test_hybrid_step(void **state)
{
    (void)state;
    for (int concurrent = 0; concurrent < 2; concurrent++) {
        struct cluster c = plain;
        c.capacity = 0.06;
        c.expanded_bytes = 1e12;
        c.concurrent = concurrent;
        const double whole = estimate(&plain, &strategies[0]).ns;
        assert_true(fabs(estimate(&c, &strategies[0]).ns / whole - 1) < 1e-9);
        c.expanded = 0.1;
        const struct nadi_estimate e = estimate(&c, &strategies[0]);
        assert_true(e.ns > 1.02 * whole && !(e.missing_bytes > 0));
        struct nadi_study study;
        struct nadi_diags diags;
        uint64_t ns;
        const struct nadi_run_options options = nadi_model_plain_options();
        nadi_diags_init(&diags);
        open_study(&study, &c, "sequence=1024 ranks=16 batch=64 zero=1 tp=2 pp=2 micro-batch=2");
        assert_true(nadi_model_time(&study, &options, &ns, &diags));
        assert_true(fabs(e.ns / (double)ns - 1) < 0.03);
        nadi_study_close(&study);
        nadi_diags_release(&diags);
    }
}

/* What is touched least for each byte goes first: optimizer states, then gradients, parameters. */
static void test_places(void **state)
{
    (void)state;
    struct nadi_rank_memory r = {.parts = {20, 20, 120, 30, 0, 10}, .total = 200};
    struct nadi_device d = {.memory_bytes = 200, .expanded_bytes = 1000};
    assert_true(nadi_memory_expanded(&r, &d).bytes <= 0);
    d.memory_bytes = 140;
    struct nadi_expanded e = nadi_memory_expanded(&r, &d);
    assert_true(fabs(e.bytes - 60) < 1e-9 && e.kernels <= 0);
    assert_true(fabs(e.optimizer - 24 * 0.5 / 30) < 1e-9);
    d.memory_bytes = 50;
    e = nadi_memory_expanded(&r, &d); /* 120 states, 20 gradients, 10 of the parameters */
    assert_true(fabs(e.optimizer - (24 + 4 + 1) / 30.0) < 1e-9);
    assert_true(fabs(e.kernels - 30 / 80.0) < 1e-9);
    d.expanded_uniform = true;
    e = nadi_memory_expanded(&r, &d);
    assert_true(fabs(e.kernels - 0.75) < 1e-9 && fabs(e.optimizer - 0.75) < 1e-9);
}

/* Against the schedule played pass by pass: stages of one length but for the ends, messages of up
 * to a thirtieth of a stage's time. */
static void test_pipeline(void **state)
{
    (void)state;
    static const enum nadi_schedule_kind kinds[] = {NADI_SCHEDULE_1F1B, NADI_SCHEDULE_GPIPE,
                                                    NADI_SCHEDULE_INTERLEAVED};
    for (uint32_t i = 0; i < 3 * 12 * 6; i++) {
        const enum nadi_schedule_kind kind = kinds[i % 3];
        const uint32_t p = 1 + i / 3 % 12, v = kind == NADI_SCHEDULE_INTERLEAVED ? 2 + i % 3 : 1;
        const uint32_t m = kind == NADI_SCHEDULE_INTERLEAVED ? p * (1 + i / 36) : 1 + i % 41;
        double forward[64], backward[64], send[16];
        struct nadi_stage_cost costs[64];
        struct nadi_schedule s;
        struct nadi_arena arena;
        struct nadi_action_time **times;
        for (uint32_t k = 0; k < p * v; k++) {
            const double end = k == 0 ? 1.05 : k + 1 == p * v ? 1.2 : 1;
            costs[k] = (struct nadi_stage_cost){
                .forward = end, .input = end, .weight = end, .send = 0.1 * (i % 2)};
            forward[k] = end;
            backward[k] = 2 * end;
        }
        for (uint32_t r = 0; r < p; r++)
            send[r] = costs[0].send;
        const struct nadi_pipeline_times t = {.kind = kind,
                                              .ranks = p,
                                              .chunks = v,
                                              .micro_batches = m,
                                              .forward = forward,
                                              .backward = backward,
                                              .send = send};
        if (kind == NADI_SCHEDULE_INTERLEAVED && p == 1)
            continue;
        nadi_arena_init(&arena);
        nadi_schedule_build(&s, kind, p, v, m, true);
        const double played = nadi_schedule_times(&s, costs, &arena, &times);
        if (fabs(nadi_pipeline_ns(&t) / played - 1) > 0.03)
            fail_msg("schedule %d, %u ranks, %u chunks, %u micro-batches: %g, played %g", (int)kind,
                     p, v, m, nadi_pipeline_ns(&t), played);
        nadi_schedule_release(&s);
        nadi_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_is_not_slower),
        cmocka_unit_test(test_what_is_missing_stays_missing),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_two_memories),
        cmocka_unit_test(test_hybrid_step),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_pipeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
