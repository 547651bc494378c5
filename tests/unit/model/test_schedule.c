/* schedule: every list is complete and runs; idle time and activations in flight are the closed
 * forms of the papers. */
#include "model/schedule.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/mem.h"

struct built {
    struct nadi_schedule s;
    struct nadi_arena arena;
    struct nadi_action_time **times;
    double end;
};

static void build(struct built *b, enum nadi_schedule_kind kind, uint32_t ranks, uint32_t chunks,
                  uint32_t micro_batches, const struct nadi_stage_cost *cost)
{
    nadi_schedule_build(&b->s, kind, ranks, chunks, micro_batches, true);
    nadi_arena_init(&b->arena);
    struct nadi_stage_cost *costs = NADI_ARENA_NEW(&b->arena, struct nadi_stage_cost, b->s.stages);
    for (uint32_t i = 0; i < b->s.stages; i++)
        costs[i] = *cost;
    b->end = nadi_schedule_times(&b->s, costs, &b->arena, &b->times);
}

static void drop(struct built *b)
{
    nadi_schedule_release(&b->s);
    nadi_arena_release(&b->arena);
}

/* The chunk under which the stage's rank holds it. */
static uint32_t chunk_of(const struct nadi_schedule *s, uint32_t stage, uint32_t micro)
{
    if (s->kind == NADI_SCHEDULE_DUALPIPE)
        return micro >= s->micro_batches / 2;
    return stage / s->ranks;
}

/* Every stage sees every micro-batch once forward, once backward, and W after its B. */
static void check_complete(const struct nadi_schedule *s)
{
    const size_t cells = (size_t)s->stages * s->micro_batches;
    uint8_t *forward = NADI_ZNEW(uint8_t, cells), *input = NADI_ZNEW(uint8_t, cells),
            *weight = NADI_ZNEW(uint8_t, cells);
    for (uint32_t r = 0; r < s->ranks; r++) {
        for (uint32_t i = 0; i < s->lists[r].count; i++) {
            const struct nadi_action *a = &s->lists[r].items[i];
            const uint32_t stage = nadi_schedule_stage(s, r, a->chunk);
            const size_t at = (size_t)stage * s->micro_batches + a->micro;
            assert_int_equal(nadi_schedule_rank(s, stage, a->micro), r);
            assert_int_equal(chunk_of(s, stage, a->micro), a->chunk);
            if (a->pass == NADI_PASS_FORWARD) {
                forward[at]++;
                continue;
            }
            if (a->pass != NADI_PASS_WEIGHT) {
                assert_int_equal(forward[at], 1);
                input[at]++;
            }
            if (a->pass != NADI_PASS_INPUT) {
                assert_int_equal(input[at], 1);
                weight[at]++;
            }
        }
    }
    for (size_t i = 0; i < cells; i++)
        assert_true(forward[i] == 1 && input[i] == 1 && weight[i] == 1);
    nadi_mem_free(forward);
    nadi_mem_free(input);
    nadi_mem_free(weight);
}

static double busy(const struct built *b, uint32_t rank)
{
    double sum = 0;
    for (uint32_t i = 0; i < b->s.lists[rank].count; i++)
        sum += b->times[rank][i].end - b->times[rank][i].start;
    return sum;
}

static void expect_idle(const struct built *b, double wanted)
{
    for (uint32_t r = 0; r < b->s.ranks; r++) {
        const double idle = b->end - busy(b, r);
        if (fabs(idle - wanted) > 1e-9)
            fail_msg("%s, %u ranks, %u chunks, %u micro-batches: rank %u idles %g, not %g",
                     nadi_schedule_name(b->s.kind), b->s.ranks, b->s.chunks, b->s.micro_batches, r,
                     idle, wanted);
    }
}

static void bubbles(void **state)
{
    const struct nadi_stage_cost cost = {.forward = 1, .input = 1, .weight = 1};
    (void)state;
    for (uint32_t p = 1; p <= 16; p++) {
        for (uint32_t m = p; m <= 6 * p; m += p) {
            struct built b;
            build(&b, NADI_SCHEDULE_GPIPE, p, 1, m, &cost);
            check_complete(&b.s);
            expect_idle(&b, 3.0 * (p - 1));
            drop(&b);
            build(&b, NADI_SCHEDULE_1F1B, p, 1, m, &cost);
            check_complete(&b.s);
            expect_idle(&b, 3.0 * (p - 1));
            drop(&b);
            build(&b, NADI_SCHEDULE_ZB_H1, p, 1, m, &cost);
            check_complete(&b.s);
            expect_idle(&b, 1.0 * (p - 1));
            drop(&b);
            for (uint32_t v = 2; v <= 4 && p > 1; v++) {
                const struct nadi_stage_cost part = {
                    .forward = 1.0 / v, .input = 1.0 / v, .weight = 1.0 / v};
                build(&b, NADI_SCHEDULE_INTERLEAVED, p, v, m, &part);
                check_complete(&b.s);
                expect_idle(&b, 3.0 * (p - 1) / v);
                drop(&b);
            }
        }
    }
}

/* F + 2 B - W with B the inputs' gradient: a paired pass is F + B + W long here. */
static void dualpipe_bubble(void **state)
{
    const struct nadi_stage_cost costs[] = {{.forward = 1, .input = 1, .weight = 1},
                                            {.forward = 2, .input = 3, .weight = 2}};
    (void)state;
    for (uint32_t p = 2; p <= 16; p += 2) {
        for (uint32_t m = 2 * p; m <= 6 * p; m += 2 * p) {
            for (size_t c = 0; c < 2; c++) {
                struct built b;
                build(&b, NADI_SCHEDULE_DUALPIPE, p, 1, m, &costs[c]);
                check_complete(&b.s);
                expect_idle(&b, (p / 2 - 1) *
                                    (costs[c].forward + 2 * costs[c].input - costs[c].weight));
                drop(&b);
            }
        }
    }
}

/* Micro-batches whose activations a rank holds at once: forward done, weights' gradient not. */
static uint32_t in_flight(const struct nadi_schedule *s, uint32_t rank)
{
    uint32_t now = 0, most = 0;
    for (uint32_t i = 0; i < s->lists[rank].count; i++) {
        const enum nadi_pass pass = (enum nadi_pass)s->lists[rank].items[i].pass;
        if (pass == NADI_PASS_FORWARD && ++now > most)
            most = now;
        if (pass == NADI_PASS_BACKWARD || pass == NADI_PASS_WEIGHT)
            now--;
    }
    assert_int_equal(now, 0);
    return most;
}

static void activations(void **state)
{
    (void)state;
    for (uint32_t p = 1; p <= 16; p *= 2) {
        for (uint32_t r = 0; r < p; r++) {
            struct nadi_schedule s;
            nadi_schedule_build(&s, NADI_SCHEDULE_GPIPE, p, 1, 4 * p, true);
            assert_int_equal(in_flight(&s, r), 4 * p);
            nadi_schedule_release(&s);
            nadi_schedule_build(&s, NADI_SCHEDULE_1F1B, p, 1, 4 * p, true);
            assert_int_equal(in_flight(&s, r), p - r);
            nadi_schedule_release(&s);
            nadi_schedule_build(&s, NADI_SCHEDULE_ZB_H1, p, 1, 4 * p, true);
            assert_true(in_flight(&s, r) <= p);
            nadi_schedule_release(&s);
        }
        /* Narayanan et al.: the first rank holds p v + p - 1 chunks, so L (1 + (p-1)/(p v)) layers
         */
        for (uint32_t v = 2; p > 1 && v <= 4; v++) {
            struct nadi_schedule s;
            nadi_schedule_build(&s, NADI_SCHEDULE_INTERLEAVED, p, v, 4 * p, true);
            assert_int_equal(in_flight(&s, 0), p * v + p - 1);
            nadi_schedule_release(&s);
        }
        /* DeepSeek-V3, table 2: at most p + 1 micro-batches in both directions together */
        if (p > 1) {
            struct nadi_schedule s;
            nadi_schedule_build(&s, NADI_SCHEDULE_DUALPIPE, p, 1, 4 * p, true);
            for (uint32_t r = 0; r < p; r++)
                assert_true(in_flight(&s, r) <= p + 1);
            nadi_schedule_release(&s);
        }
    }
}

static void sending_delays(void **state)
{
    struct built b;
    (void)state;
    /* one micro-batch through 4 stages: forward and back, 3 hops each way */
    build(&b, NADI_SCHEDULE_1F1B, 4, 1, 1,
          &(struct nadi_stage_cost){.forward = 2, .input = 2, .weight = 1, .send = 0.5});
    assert_true(fabs(b.end - (4 * 5 + 6 * 0.5)) < 1e-9);
    drop(&b);
}

static void forward_only(void **state)
{
    struct nadi_schedule s;
    (void)state;
    nadi_schedule_build(&s, NADI_SCHEDULE_DUALPIPE, 4, 1, 6, false);
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(s.lists[r].count, 6);
    assert_int_equal(s.stages, 4);
    nadi_schedule_release(&s);
    nadi_schedule_build(&s, NADI_SCHEDULE_INTERLEAVED, 4, 2, 3, false);
    assert_int_equal(s.lists[0].count, 6);
    nadi_schedule_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bubbles),      cmocka_unit_test(dualpipe_bubble),
        cmocka_unit_test(activations),  cmocka_unit_test(sending_delays),
        cmocka_unit_test(forward_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
