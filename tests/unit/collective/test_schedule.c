/* The schedulers' orders against chunks worked out by hand. */
#include "collective/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct nadi_schedule_request request(enum nadi_inter_scheduling policy,
                                            enum nadi_native_kind kind)
{
    return (struct nadi_schedule_request){.policy = policy,
                                          .kind = kind,
                                          .rings = 3,
                                          .n = {4, 4, 4},
                                          .rate = {100, 100, 100},
                                          .bytes = 6400,
                                          .chunk_bytes = 1600,
                                          .chunks = 4};
}

static void assert_order(const struct nadi_scheduled_chunk *chunk, uint8_t a, uint8_t b, uint8_t c)
{
    assert_int_equal(chunk->order[0], a);
    assert_int_equal(chunk->order[1], b);
    assert_int_equal(chunk->order[2], c);
}

static void assert_loads(const double *load, double a, double b, double c)
{
    assert_float_equal(load[0], a, 1e-9);
    assert_float_equal(load[1], b, 1e-9);
    assert_float_equal(load[2], c, 1e-9);
}

/* Chunk 0 finds no load: baseline, which deals 1200, 300, 75. Chunk 1 begins in dimension 2:
 * 75 + 1200, then 1: 300 + 300, then 0: 1200 + 75. Loads 1275, 600, 1275: chunk 2 begins in 1,
 * and 0 before 2 for a tie: 1800, 1575, 1350. Chunk 3: 2, 0, 1 would even out. */
static void themis_by_hand(void **state)
{
    (void)state;
    struct nadi_schedule_request q = request(NADI_INTER_THEMIS, NADI_NATIVE_REDUCE_SCATTER);
    struct nadi_scheduled_chunk chunks[4];
    double load[3] = {0};
    assert_int_equal(nadi_schedule(&q, load, chunks), 4);
    assert_order(&chunks[0], 0, 1, 2);
    assert_order(&chunks[1], 2, 1, 0);
    assert_order(&chunks[2], 1, 0, 2);
    assert_order(&chunks[3], 2, 0, 1);
    assert_loads(load, 1275 + 300 + 300, 1800 + 75, 1350 + 1200);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(chunks[i].bytes, 1600);
}

/* A gap that the first dimension evens out with less than a sixteenth of a chunk is let be. */
static void small_gaps_keep_the_baseline(void **state)
{
    (void)state;
    struct nadi_schedule_request q = request(NADI_INTER_THEMIS, NADI_NATIVE_ALL_REDUCE);
    struct nadi_scheduled_chunk chunk;
    q.chunks = 1;
    double below[3] = {74.9, 0, 0}, above[3] = {75.1, 0, 0}; /* 1600 / 16 * 3/4 */
    (void)nadi_schedule(&q, below, &chunk);
    assert_order(&chunk, 0, 1, 2);
    (void)nadi_schedule(&q, above, &chunk);
    assert_order(&chunk, 1, 2, 0);
}

/* Half the bandwidth is twice the load. */
static void rates_weigh(void **state)
{
    (void)state;
    struct nadi_schedule_request q = request(NADI_INTER_THEMIS, NADI_NATIVE_REDUCE_SCATTER);
    struct nadi_scheduled_chunk chunk;
    double load[3] = {0};
    q.chunks = 1;
    q.rate[1] = 50;
    q.rate[2] = 25;
    (void)nadi_schedule(&q, load, &chunk);
    assert_loads(load, 1200, 600, 300);
}

static void all_gathers_begin_where_most_is_dealt(void **state)
{
    (void)state;
    struct nadi_schedule_request q = request(NADI_INTER_THEMIS, NADI_NATIVE_ALL_GATHER);
    struct nadi_scheduled_chunk chunks[4];
    double load[3] = {0};
    (void)nadi_schedule(&q, load, chunks);
    assert_order(&chunks[0], 2, 1, 0); /* deals 1600 * 3 in 2, * 12 in 1, * 48 in 0 */
    assert_order(&chunks[1], 0, 1, 2);
}

static void round_robin(void **state)
{
    (void)state;
    struct nadi_schedule_request q = request(NADI_INTER_ROUND_ROBIN, NADI_NATIVE_ALL_TO_ALL);
    struct nadi_scheduled_chunk chunks[4];
    double load[3] = {0};
    (void)nadi_schedule(&q, load, chunks);
    assert_order(&chunks[1], 1, 2, 0);
    assert_order(&chunks[2], 2, 0, 1);
    assert_order(&chunks[3], 0, 1, 2);
}

/* All bytes are dealt, whatever the chunks' sizes. */
static void flex_deals_all_bytes(void **state)
{
    (void)state;
    for (uint64_t bytes = 1; bytes < 5000; bytes += 37)
        for (uint32_t chunks = 1; chunks < 9; chunks++) {
            struct nadi_schedule_request q = request(NADI_INTER_FLEX, NADI_NATIVE_ALL_REDUCE);
            struct nadi_scheduled_chunk list[9];
            double load[3] = {0};
            q.bytes = bytes;
            q.chunk_bytes = (bytes + chunks - 1) / chunks;
            q.chunks = (uint32_t)((bytes + q.chunk_bytes - 1) / q.chunk_bytes);
            uint64_t sum = 0;
            uint32_t count = nadi_schedule(&q, load, list);
            assert_in_range(count, 1, q.chunks);
            for (uint32_t i = 0; i < count; i++)
                sum += list[i].bytes;
            assert_int_equal(sum, bytes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(themis_by_hand), cmocka_unit_test(small_gaps_keep_the_baseline),
        cmocka_unit_test(rates_weigh),    cmocka_unit_test(all_gathers_begin_where_most_is_dealt),
        cmocka_unit_test(round_robin),    cmocka_unit_test(flex_deals_all_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
