/* The aware model in several dimensions and on graphs, by hand; and against flow, within what
 * store and forward can differ from a fluid. */
#include "base/rng.h"
#include "support/flow_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_ns(const struct flow_case *c, uint32_t message, double want)
{
    assert_true(flow_case_ns(c, message) >= 0); /* it arrived */
    assert_int_equal((int64_t)(flow_case_ns(c, message) + 0.5), (int64_t)want);
}

static void two_dimensions(struct flow_case *c)
{
    flow_case_init(c);
    flow_case_dim(c, NADI_DIM_RING, 4, 100, 50);
    flow_case_dim(c, NADI_DIM_SWITCH, 4, 25, 700);
}

/* 2 x trunc(50 + 1000) over the ring, then 2 x trunc(700 + 4000) up and down. */
static void test_crosses_in_order(void **state)
{
    struct flow_case c;
    (void)state;
    two_dimensions(&c);
    flow_case_open(&c, &nadi_network_aware);
    const uint32_t first = flow_case_send(&c, 0, 0, 14, 100000);
    const uint32_t second = flow_case_send(&c, 0, 0, 14, 100000);
    /* (3, 0) -> (2, 3): its one ring link, 3 -> 2, is its own; it is at the switch of column 2 at
     * 1,050 and up at 5,050; the others of column 2 come at 2,100 and 3,100 and wait */
    const uint32_t other = flow_case_send(&c, 0, 3, 14, 100000);
    flow_case_run(&c);
    expect_ns(&c, other, 1050 + 2 * 4700);
    expect_ns(&c, first, 1050 + 4000 + 2 * 4700);
    expect_ns(&c, second, 1050 + 8000 + 2 * 4700);
    flow_case_release(&c);

    two_dimensions(&c);
    flow_case_open(&c, &nadi_network_aware);
    flow_case_send(&c, 0, 0, 14, 100000);
    flow_case_send(&c, 0, 0, 14, 100000);
    flow_case_run(&c);
    expect_ns(&c, 0, 2 * 1050 + 2 * 4700);
    expect_ns(&c, 1, 2 * 1050 + 4000 + 2 * 4700);
    flow_case_release(&c);
}

/* Each group has a switch of its own: columns do not meet. The third dimension is a mesh. */
static void test_groups_are_apart(void **state)
{
    struct flow_case c;
    (void)state;
    flow_case_init(&c);
    flow_case_dim(&c, NADI_DIM_SWITCH, 2, 10, 5);
    flow_case_dim(&c, NADI_DIM_RING, 2, 20, 7);
    flow_case_dim(&c, NADI_DIM_FULLY_CONNECTED, 3, 3, 1);
    flow_case_open(&c, &nadi_network_aware);
    flow_case_send(&c, 0, 0, 1, 1000);  /* (0,0,0) -> (1,0,0) */
    flow_case_send(&c, 0, 2, 3, 1000);  /* (0,1,0) -> (1,1,0) */
    flow_case_send(&c, 0, 0, 11, 1000); /* (0,0,0) -> (1,1,2): all three */
    flow_case_send(&c, 0, 1, 3, 1000);  /* (1,0,0) -> (1,1,0) */
    flow_case_run(&c);
    expect_ns(&c, 0, 2 * 105);
    expect_ns(&c, 1, 2 * 105);
    expect_ns(&c, 2, 100 + 2 * 105 + 57 + 334);
    expect_ns(&c, 3, 57);
    flow_case_release(&c);
}

static void test_graph(void **state)
{
    struct flow_case c;
    (void)state;
    flow_case_init(&c);
    flow_case_leaf_spine(&c, 2, 2, 1, 50, 25, 100);
    flow_case_open(&c, &nadi_network_aware);
    flow_case_send(&c, 0, 0, 2, 1000); /* 120 + 140 + 140 + 120 */
    flow_case_send(&c, 0, 1, 3, 1000); /* meets it at the uplink: 40 ns later from there */
    flow_case_run(&c);
    expect_ns(&c, 0, 520);
    expect_ns(&c, 1, 560);
    flow_case_release(&c);
}

static void draw(struct flow_case *c, struct nadi_rng *r, const struct nadi_network_ops *model)
{
    flow_case_init(c);
    const uint32_t leaves = 1 + (uint32_t)nadi_rng_below(r, 3);
    flow_case_leaf_spine(c, leaves, 1 + (uint32_t)nadi_rng_below(r, 4) + (leaves == 1),
                         1 + (uint32_t)nadi_rng_below(r, 2), 20 + (double)nadi_rng_below(r, 50),
                         10 + (double)nadi_rng_below(r, 50), (double)nadi_rng_below(r, 500));
    flow_case_open(c, model);
    const uint32_t hosts = c->topology.npu_count;
    for (uint64_t n = 1 + nadi_rng_below(r, 8); n-- > 0;) {
        const uint32_t src = (uint32_t)nadi_rng_below(r, hosts);
        const uint32_t dst = (src + 1 + (uint32_t)nadi_rng_below(r, hosts - 1)) % hosts;
        flow_case_send(c, (double)nadi_rng_below(r, 1000), src, dst, nadi_rng_below(r, 100000));
    }
    flow_case_run(c);
}

static double last(const struct flow_case *c)
{
    nadi_time end = 0;
    for (size_t i = 0; i < c->count; i++) {
        assert_true(c->messages[i].arrived >= c->messages[i].at);
        end = nadi_max_i64(end, c->messages[i].arrived);
    }
    return (double)end * 1e-3;
}

/* A single message: flow <= aware <= flow + (h - 1) x serialisation, and a truncation a hop. Many:
 * neither ends before any message's fluid time alone. */
static void test_against_flow(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct flow_case a, f;
        struct nadi_rng r;
        nadi_rng_init(&r, seed, "aware and flow");
        draw(&a, &r, &nadi_network_aware);
        nadi_rng_init(&r, seed, "aware and flow");
        draw(&f, &r, &nadi_network_flow);
        assert_int_equal(a.count, f.count);
        if (a.count == 1) {
            const double fluid = flow_case_ns(&f, 0), stored = flow_case_ns(&a, 0);
            const double serial = (double)f.messages[0].bytes / 10; /* the slowest cable drawn */
            assert_true(stored >= fluid - 4.01 && stored <= fluid + 3 * serial + 0.01);
        }
        double work = 0; /* what the busiest source must push out at the fastest rate */
        for (size_t i = 0; i < a.count; i++)
            if (a.messages[i].src == a.messages[0].src)
                work += (double)a.messages[i].bytes / 70;
        assert_true(last(&a) >= work - 50 && last(&f) >= work - 1);
        flow_case_release(&a);
        flow_case_release(&f);
    }
}

/* To itself a message takes no time and no link. */
static void test_to_itself(void **state)
{
    struct flow_case c;
    (void)state;
    static const struct nadi_network_ops *const models[] = {&nadi_network_aware,
                                                            &nadi_network_flow};
    for (int i = 0; i < 2; i++) {
        two_dimensions(&c);
        flow_case_open(&c, models[i]);
        const uint32_t own = flow_case_send(&c, 3, 5, 5, 100000);
        const uint32_t other = flow_case_send(&c, 3, 5, 6, 100000);
        flow_case_run(&c);
        expect_ns(&c, own, 0);
        expect_ns(&c, other, 1050);
        flow_case_release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crosses_in_order),
        cmocka_unit_test(test_groups_are_apart),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_against_flow),
        cmocka_unit_test(test_to_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
