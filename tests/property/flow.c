/* The fluid model on random leaf-spines and messages, for random seeds of ECMP. The same seed gives
 * the same picosecond for every message, whatever was asked before; no link carries more than it
 * can in the time that it was busy, nor has it a byte too many or too few; what is sent arrives; a
 * single bottleneck is never idle while a message waits for it; of messages that begin together,
 * each ends in proportion to the bandwidth of all links. */
#include "base/mem.h"
#include "base/rng.h"
#include "network/flow_inside.h"
#include "platform/routing.h"
#include "support/cases.h"
#include "support/flow_case.h"
#include "support/pins.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST_MESSAGES = 80 };

static uint64_t cases = CASES_OF(60);

static void draw(struct flow_case *c, uint64_t seed, double faster, bool together)
{
    const struct nadi_routing_config routing = {.scheme = NADI_ROUTE_ECMP, .seed = seed / 2};
    struct nadi_rng r;
    nadi_rng_init(&r, seed, "flow");
    flow_case_init(c);
    flow_case_leaf_spine(c, 2 + (uint32_t)nadi_rng_below(&r, 4),
                         1 + (uint32_t)nadi_rng_below(&r, 5), 1 + (uint32_t)nadi_rng_below(&r, 4),
                         faster * (double)(10 + nadi_rng_below(&r, 50)),
                         faster * (double)(10 + nadi_rng_below(&r, 50)),
                         together ? 0 : (double)nadi_rng_below(&r, 500));
    c->routing = &routing;
    flow_case_open(c, &nadi_network_flow);
    c->routing = NULL; /* copied */
    const uint32_t hosts = c->topology.npu_count;
    for (uint64_t n = 1 + nadi_rng_below(&r, MOST_MESSAGES); n-- > 0;) {
        const uint32_t src = (uint32_t)nadi_rng_below(&r, hosts);
        const uint32_t dst = (src + 1 + (uint32_t)nadi_rng_below(&r, hosts - 1)) % hosts;
        const double at = together ? 0 : (double)nadi_rng_below(&r, 5000);
        flow_case_send(c, at, src, dst, nadi_rng_below(&r, 1000000));
    }
    flow_case_run(c);
}

static double last_ns(const struct flow_case *c)
{
    double end = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        assert_true(c->messages[i].arrived >= c->messages[i].at);
        end = fmax(end, (double)c->messages[i].arrived * 1e-3);
    }
    return end;
}

static void test_same_seed_same_times(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct flow_case a, b;
        draw(&a, seed, 1, false);
        draw(&b, seed, 1, false);
        assert_int_equal(a.count, b.count);
        for (size_t i = 0; i < a.count; i++)
            assert_int_equal(a.messages[i].arrived, b.messages[i].arrived);
        flow_case_release(&a);
        flow_case_release(&b);
    }
}

struct sums {
    uint64_t bytes, up_bytes; /* over all links; over those from an NPU */
    uint32_t npus;
};

static void check_link(void *context, const struct nadi_network_counter *l)
{
    struct sums *s = context;
    assert_true((double)l->bytes <= l->bytes_per_ns * ((double)l->busy_ns + 1) * (1 + 1e-9));
    s->bytes += l->bytes;
    if (l->from < s->npus)
        s->up_bytes += l->bytes;
}

static void test_links(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct flow_case c;
        uint64_t bytes = 0;
        draw(&c, seed, 1, false);
        struct sums s = {.npus = c.topology.npu_count};
        for (size_t i = 0; i < c.count; i++)
            bytes += c.messages[i].bytes;
        c.net->ops->counters(c.net, true, check_link, &s);
        assert_int_equal(s.up_bytes, bytes); /* each leaves its sender once */
        assert_true(s.bytes >= 2 * bytes);
        (void)last_ns(&c);
        flow_case_release(&c);
    }
}

/* All to one host, begun before the first ends: its cable works without a gap. */
static void test_work_conserving(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct flow_case c;
        struct nadi_rng r;
        double bytes = 0;
        nadi_rng_init(&r, seed, "work");
        const uint32_t leaves = 2 + (uint32_t)nadi_rng_below(&r, 4);
        flow_case_init(&c);
        flow_case_leaf_spine(&c, leaves, 4, 2, 10, 100, 100);
        flow_case_open(&c, &nadi_network_flow);
        for (uint32_t h = 4; h < 4 * leaves; h++) {
            const uint64_t size = 100000 + nadi_rng_below(&r, 1000000);
            flow_case_send(&c, (double)nadi_rng_below(&r, 5000), h, 0, size);
            bytes += (double)size;
        }
        flow_case_send(&c, 0, 4, 0, 100000);
        flow_case_run(&c);
        const double least = 400 + (bytes + 100000) / 10;
        assert_true(last_ns(&c) >= least - 0.01 && last_ns(&c) <= least + 0.01);
        flow_case_release(&c);
    }
}

static void test_in_proportion(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct flow_case a, b;
        draw(&a, seed, 1, true);
        draw(&b, seed, 2, true);
        assert_int_equal(a.count, b.count);
        for (uint32_t i = 0; i < a.count; i++)
            assert_true(fabs(flow_case_ns(&a, i) - 2 * flow_case_ns(&b, i)) <= 0.01);
        flow_case_release(&a);
        flow_case_release(&b);
    }
}

/* Thousands of messages at a few links, connections in order, links that get faster and slower, cut
 * ones. Where usage is recorded each pair counts for itself, else those of a link together. */
static void draw_crowd(struct flow_case *c, uint64_t seed, bool record_usage)
{
    struct nadi_rng r;
    nadi_rng_init(&r, seed, "crowd");
    flow_case_init(c);
    flow_case_leaf_spine(c, 4, 6, 2, 10 + (double)nadi_rng_below(&r, 30),
                         10 + (double)nadi_rng_below(&r, 90), (double)nadi_rng_below(&r, 500));
    c->in_flight = 1;
    c->record_usage = record_usage;
    c->config.window_bytes = nadi_rng_below(&r, 3) ? 0 : 1000 + nadi_rng_below(&r, 20000);
    flow_case_open(c, &nadi_network_flow);
    const uint32_t hosts = c->topology.npu_count;
    for (uint64_t n = 1000 + nadi_rng_below(&r, 2000); n-- > 0;) {
        const uint32_t src = (uint32_t)nadi_rng_below(&r, hosts);
        const uint32_t dst = (src + 1 + (uint32_t)nadi_rng_below(&r, hosts - 1)) % hosts;
        const double at = nadi_rng_below(&r, 3) ? 0 : (double)nadi_rng_below(&r, 5000000);
        const uint32_t m = flow_case_send(c, at, src, dst, nadi_rng_below(&r, 1000000));
        c->messages[m].connection = nadi_rng_below(&r, 3);
        c->messages[m].weight = nadi_rng_below(&r, 4) ? 0 : 1 + nadi_rng_unit(&r);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t link = 2 * hosts + (uint32_t)nadi_rng_below(&r, 8);
        const bool down = nadi_rng_below(&r, 4) == 0;
        flow_case_change(
            c, (double)nadi_rng_below(&r, 5000000),
            (struct nadi_link_state){
                .link = link, .bytes_per_ns = 5 + (double)nadi_rng_below(&r, 90), .down = down});
    }
    flow_case_run(c);
}

static struct pins crowds = PINS("flow", "crowds", 5);

static void test_crowds(void **state)
{
    uint32_t clocked = 0;
    (void)state;
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct flow_case a, b;
        draw_crowd(&a, seed, false);
        draw_crowd(&b, seed, true);
        clocked += nadi_flow_self(a.net)->clocks != NULL;
        assert_null(nadi_flow_self(b.net)->clocks);
        assert_int_equal(nadi_flow_self(a.net)->clocked, 0);
        for (size_t i = 0; i < a.count; i++)
            if (labs(a.messages[i].arrived - b.messages[i].arrived) > 5)
                fail_msg("seed %d, message %zu: %ld, %ld", (int)seed, i,
                         (long)a.messages[i].arrived, (long)b.messages[i].arrived);
        for (size_t i = 0; i < a.count; i++) {
            digest_u64(&crowds.digest, (uint64_t)a.messages[i].arrived);
            digest_u64(&crowds.digest, (uint64_t)b.messages[i].arrived);
        }
        pins_case(&crowds, seed);
        flow_case_release(&a);
        flow_case_release(&b);
    }
    assert_true(pins_end(&crowds));
    assert_true(clocked >= cases / 2);
}

/* [CASES]: how many of each. */
int main(int argc, char **argv)
{
    if (argc > 1 && !nadi_str_to_u64(argv[1], &cases))
        return 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_seed_same_times),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_work_conserving),
        cmocka_unit_test(test_in_proportion),
        cmocka_unit_test(test_crowds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
