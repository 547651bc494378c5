/* traffic: percentiles by size against a sorted list, what is on its way, and the messages that
 * there is room for. */
#include "report/traffic.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/time.h"
#include "report/detail.h"
#include "support/report_case.h"

#include <setjmp.h>

#include <cmocka.h>

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static struct nadi_result result_of(struct nadi_message_entry *messages, size_t count,
                                    uint64_t end_ns)
{
    return (struct nadi_result){.logged = messages,
                                .logged_count = count,
                                .messages = count,
                                .end_ns = end_ns,
                                .executor = &nadi_executor_message};
}

static void percentiles_are_those_of_the_sorted_list(void **state)
{
    (void)state;
    for (uint32_t count = 1; count < 400; count += count < 12 ? 1 : 37) {
        struct nadi_message_entry *m = NADI_ZNEW(struct nadi_message_entry, count);
        uint64_t *sorted = NADI_NEW(uint64_t, count);
        struct nadi_rng rng;
        nadi_rng_init(&rng, count, "traffic");
        for (uint32_t i = 0; i < count; i++) {
            sorted[i] = nadi_rng_below(&rng, count % 3 ? 1000 : 3);
            m[i].sent = 5000;
            m[i].arrived = 5000 + nadi_time_from_ns(sorted[i]);
            m[i].bytes = 5000;
        }
        qsort(sorted, count, sizeof(*sorted), by_value);
        struct nadi_result r = result_of(m, count, 2000);
        struct nadi_traffic t;
        nadi_traffic_find(&r, &t);
        assert_null(t.why_not);
        assert_int_equal(t.size_count, 1);
        assert_int_equal(t.sizes[0].least_bytes, 4096);
        assert_int_equal(t.sizes[0].below_bytes, 16384);
        assert_int_equal(t.sizes[0].messages, count);
        assert_int_equal(t.sizes[0].p50_ns, sorted[nadi_quantile_index(count, 0.5)]);
        assert_int_equal(t.sizes[0].p90_ns, sorted[nadi_quantile_index(count, 0.9)]);
        assert_int_equal(t.sizes[0].p99_ns, sorted[nadi_quantile_index(count, 0.99)]);
        assert_int_equal(t.sizes[0].max_ns, sorted[count - 1]);
        nadi_mem_free(sorted);
        nadi_mem_free(m);
    }
}

static void sizes_have_their_bounds(void **state)
{
    static const uint64_t bytes[] = {0, 1023, 1024, 4095, 4096, UINT64_MAX};
    struct nadi_message_entry m[6] = {0};
    struct nadi_traffic t;
    (void)state;
    for (int i = 0; i < 6; i++)
        m[i].bytes = bytes[i];
    struct nadi_result r = result_of(m, 6, 10);
    nadi_traffic_find(&r, &t);
    assert_int_equal(t.size_count, 4);
    assert_int_equal(t.sizes[0].least_bytes, 0);
    assert_int_equal(t.sizes[0].below_bytes, 1024);
    assert_int_equal(t.sizes[0].messages, 2);
    assert_int_equal(t.sizes[1].messages, 2);
    assert_int_equal(t.sizes[2].least_bytes, 4096);
    assert_int_equal(t.sizes[3].below_bytes, UINT64_MAX);
}

/* What is on its way in all, summed over time, is each message's bytes times its duration. */
static void in_flight_adds_up(void **state)
{
    struct nadi_message_entry m[3] = {{.sent = 0, .arrived = 1000000, .bytes = 10},
                                      {.sent = 333000, .arrived = 333000, .bytes = 7},
                                      {.sent = 250500, .arrived = 700250, .bytes = 1000}};
    struct nadi_result r = result_of(m, 3, 1000);
    struct nadi_traffic t;
    double area = 0, messages = 0;
    (void)state;
    nadi_traffic_find(&r, &t);
    assert_int_equal(t.bucket_count, NADI_TRAFFIC_BUCKETS);
    for (uint32_t b = 0; b < t.bucket_count; b++) {
        area += t.in_flight_bytes[b] * t.bucket_ns;
        messages += t.in_flight[b] * t.bucket_ns;
    }
    assert_true(area > 10000 + 449750 - 0.01 && area < 10000 + 449750 + 0.01);
    assert_true(messages > 1449.75 - 0.01 && messages < 1449.75 + 0.01);
    assert_true(t.in_flight_bytes[0] > 9.99 && t.in_flight_bytes[0] < 10.01);
    assert_true(t.in_flight_bytes[128] > 1009.99 && t.in_flight_bytes[128] < 1010.01);
}

static void what_is_not_known_has_a_reason(void **state)
{
    struct nadi_result r = {.messages = 5, .executor = &nadi_executor_phase};
    struct nadi_traffic t;
    (void)state;
    nadi_traffic_find(&r, &t);
    assert_non_null(strstr(t.why_not, "--executor message"));
    r.executor = &nadi_executor_message;
    nadi_traffic_find(&r, &t);
    assert_non_null(strstr(t.why_not, "too many"));
    r.messages = 0;
    nadi_traffic_find(&r, &t);
    assert_string_equal(t.why_not, "no message was sent");
}

/* Of two sorts of collectives the longest of each goes in whole, then others while there is room;
 * one that has more messages alone than there is room for goes in with those of its first rank. */
static void whole_collectives_go_in(void **state)
{
    enum { LARGE = NADI_DETAIL_MESSAGES + 500, SMALL = 40, MANY = 600 };
    struct report_case c;
    struct nadi_detail d;
    size_t count, at = 0, of[3] = {0}, first = 0;
    (void)state;
    report_case_init(&c);
    struct nadi_collective_result *ops = NADI_ZNEW(struct nadi_collective_result, 2 + MANY);
    for (uint32_t i = 0; i < 2 + MANY; i++)
        ops[i] = (struct nadi_collective_result){
            .ranks = 4, .bytes = i < 2 ? i + 1 : 3, .end_ns = i < 2 ? 100 - i : i};
    c.r.collectives = ops;
    c.r.collective_count = 2 + MANY;
    c.r.logged_count = LARGE + SMALL + MANY * SMALL;
    c.r.logged = NADI_ZNEW(struct nadi_message_entry, c.r.logged_count);
    for (; at < c.r.logged_count; at++)
        c.r.logged[at] = (struct nadi_message_entry){
            .op = at < LARGE           ? 1
                  : at < LARGE + SMALL ? 2
                                       : 3 + (uint32_t)(at - LARGE - SMALL) / SMALL,
            .src = at % 50 ? 1 + (uint32_t)(at % 3) : 0,
            .dst = at % 50 ? 1 + (uint32_t)((at + 1) % 3) : 2};
    nadi_detail_find(&c.in, &c.r, NULL, &d);
    const uint32_t *list = nadi_detail_messages(&d, &count);
    assert_non_null(list);
    assert_true(count <= NADI_DETAIL_MESSAGES && count > NADI_DETAIL_MESSAGES - SMALL);
    for (size_t i = 0; i < count; i++) {
        const struct nadi_message_entry *m = &c.r.logged[list[i]];
        assert_true(i == 0 || list[i] > list[i - 1]);
        of[m->op < 3 ? m->op - 1 : 2]++;
        first += m->op == 1 && m->src == 0;
        assert_true(m->op != 3 || MANY < 1); /* the shortest of the many has no room */
    }
    assert_int_equal(of[0], first);
    assert_int_equal(of[0], (LARGE + 49) / 50);
    assert_int_equal(of[1], SMALL);
    assert_int_equal(of[2] % SMALL, 0);
    nadi_detail_release(&d);
    c.r.collectives = NULL;
    c.r.collective_count = 0;
    nadi_mem_free(ops);
    nadi_mem_free(c.r.logged);
    c.r.logged = NULL;
    report_case_release(&c);
}

/* Ranks 0 and 1 have one trace, 2 and 3 another, none ends like another: of each trace one. */
static void each_trace_has_its_turn(void **state)
{
    enum { EACH = 16000 / 2 - 10 }; /* of few events */
    struct report_case c;
    struct nadi_detail d;
    (void)state;
    report_case_init(&c);
    c.in.traces[1] = c.in.traces[0];
    c.r.spans = NADI_ZNEW(struct nadi_span, 4 * (size_t)EACH);
    c.r.span_count = 4 * (size_t)EACH;
    for (uint32_t i = 0; i < 4 * EACH; i++)
        c.r.spans[i].rank = i % 4;
    for (uint32_t i = 0; i < c.r.class_count; i++)
        c.r.classes[i].finish_ns = 100 - i;
    nadi_detail_find(&c.in, &c.r, NULL, &d);
    assert_int_equal(d.ranks, 2);
    assert_true(nadi_detail_rank(&d, 0) && nadi_detail_rank(&d, 2));
    nadi_detail_release(&d);
    nadi_mem_free(c.r.spans);
    c.r.span_count = 0;
    report_case_release(&c);
}

/* Rows for every 16 events, within bounds. */
static void room_follows_the_events(void **state)
{
    static const uint64_t rows[][2] = {
        {0, 16000}, {256015, 16000}, {256016, 16001}, {1024000, 64000}, {UINT64_MAX, 64000}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct nadi_result r = {.events = rows[i][0]};
        assert_int_equal(nadi_detail_spans(&r), rows[i][1]);
        assert_int_equal(nadi_detail_path(&r), rows[i][1] / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_follows_the_events),
        cmocka_unit_test(percentiles_are_those_of_the_sorted_list),
        cmocka_unit_test(sizes_have_their_bounds),
        cmocka_unit_test(in_flight_adds_up),
        cmocka_unit_test(what_is_not_known_has_a_reason),
        cmocka_unit_test(whole_collectives_go_in),
        cmocka_unit_test(each_trace_has_its_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
