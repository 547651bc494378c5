/* Links that change and fail while messages are on their way: by hand. */
#include "support/flow_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(double got, double want)
{
    if (fabs(got - want) > 0.0021)
        fail_msg("%.6f ns, expected %.6f", got, want);
}

/* Two hosts, two switches; two ways of 10 B/ns between the switches, the first one taken. Channels:
 * cable i is 2 i from its first end. Cables 0, 1: hosts; 2: direct; 3, 4: by a third switch. */
static void two_ways(struct flow_case *c, const struct nadi_network_ops *model)
{
    flow_case_init(c);
    nadi_graph_add_node(&c->graph, NADI_GRAPH_HOST, NULL);
    nadi_graph_add_node(&c->graph, NADI_GRAPH_HOST, NULL);
    for (int i = 0; i < 3; i++)
        nadi_graph_add_node(&c->graph, NADI_GRAPH_SWITCH, NULL);
    flow_case_link(c, 0, 2, 100, 0);
    flow_case_link(c, 1, 3, 100, 0);
    flow_case_link(c, 2, 3, 10, 100);
    flow_case_link(c, 2, 4, 5, 100);
    flow_case_link(c, 4, 3, 5, 100);
    flow_case_open(c, model);
}

struct busy {
    uint32_t number;
    uint64_t ns, bytes;
};

static void take_busy(void *context, const struct nadi_network_counter *l)
{
    struct busy *b = context;
    if (l->number != b->number)
        return;
    b->ns = l->busy_ns;
    b->bytes = l->bytes;
}

static struct busy busy_of(const struct flow_case *c, uint32_t channel)
{
    struct busy b = {.number = channel};
    c->net->ops->counters(c->net, true, take_busy, &b);
    return b;
}

static void test_flow_slower_and_faster(void **state)
{
    struct flow_case c;
    (void)state;
    two_ways(&c, &nadi_network_flow);
    flow_case_send(&c, 0, 0, 1, 10000);
    /* 100 ns of latency, 500 ns at 10, 400 ns at 2.5, the rest at 20 */
    flow_case_change(&c, 600, (struct nadi_link_state){4, 2.5, 100, false});
    flow_case_change(&c, 1000, (struct nadi_link_state){4, 20, 300, false});
    flow_case_send(&c, 5000, 0, 1, 2000); /* the new latency */
    flow_case_run(&c);
    expect(flow_case_ns(&c, 0), 1000 + (10000 - 5000 - 1000) / 20.0);
    expect(flow_case_ns(&c, 1), 300 + 100);
    /* Busy: as long as it takes to carry so much. 5,000 at 10, 1,000 at 2.5, 6,000 at 20. */
    assert_int_equal(busy_of(&c, 4).ns, 500 + 400 + 300);
    assert_int_equal(busy_of(&c, 4).bytes, 12000);
    assert_int_equal(busy_of(&c, 0).ns, 120);
    flow_case_release(&c);
}

static void test_flow_other_route(void **state)
{
    struct flow_case c;
    (void)state;
    two_ways(&c, &nadi_network_flow);
    flow_case_send(&c, 0, 0, 1, 10000);
    flow_case_send(&c, 550, 0, 1, 1000); /* finds the way of then: 200 ns */
    flow_case_change(&c, 600, (struct nadi_link_state){4, 10, 100, true});
    flow_case_change(&c, 1000, (struct nadi_link_state){4, 10, 100, false});
    flow_case_run(&c);
    /* The second begins at 650, on the other way: 5,000 - 250 are left of the first. Half of 5 each
     * up to 1,000: 875 each; then half of 10: 125 more in 25 ns; the first alone. */
    expect(flow_case_ns(&c, 1), 1025 - 550);
    expect(flow_case_ns(&c, 0), 1025 + (10000 - 5000 - 250 - 875 - 125) / 10.0);
    assert_int_equal(busy_of(&c, 4).bytes + busy_of(&c, 6).bytes, 11000);
    assert_int_equal(busy_of(&c, 4).ns, busy_of(&c, 4).bytes / 10);
    assert_int_equal(busy_of(&c, 6).ns, busy_of(&c, 6).bytes / 5);
    flow_case_release(&c);
}

static void test_flow_no_route(void **state)
{
    struct flow_case c;
    (void)state;
    two_ways(&c, &nadi_network_flow);
    flow_case_send(&c, 0, 0, 1, 10000);
    flow_case_send(&c, 700, 0, 1, 1000);
    flow_case_change(&c, 600, (struct nadi_link_state){0, 100, 0, true});
    flow_case_change(&c, 900, (struct nadi_link_state){0, 100, 0, false});
    flow_case_run(&c);
    /* Waits 300 ns; the second pays its latency from 900 on, then takes half until 1,200. */
    expect(flow_case_ns(&c, 1), 1200 - 700);
    expect(flow_case_ns(&c, 0), 600 + 300 + (10000 - 5000 + 1000) / 10.0);
    flow_case_release(&c);

    two_ways(&c, &nadi_network_flow);
    flow_case_send(&c, 0, 0, 1, 10000);
    flow_case_send(&c, 700, 0, 1, 1000);
    flow_case_change(&c, 600, (struct nadi_link_state){0, 100, 0, true});
    flow_case_run(&c);
    assert_true(c.messages[0].arrived < 0 && c.messages[1].arrived < 0);
    uint32_t src = NADI_NONE, dst = NADI_NONE;
    assert_int_equal(c.net->ops->stranded(c.net, &src, &dst), 2);
    assert_int_equal(src, 0); /* of the second, which had none when it began */
    assert_int_equal(dst, 1);
    flow_case_release(&c);
}

/* Link by link: 10 ns, 100 + 100, 10 ns of 1,000 bytes each. */
static void test_aware(void **state)
{
    struct flow_case c;
    (void)state;
    two_ways(&c, &nadi_network_aware);
    flow_case_send(&c, 0, 0, 1, 1000);
    flow_case_send(&c, 0, 0, 1, 1000);
    flow_case_send(&c, 0, 0, 1, 1000);
    /* At 50 the first is on the link and gets through; two wait and go again: over two links of 5,
     * 10 + 300 + 300 + 10, the second one 200 behind. */
    flow_case_change(&c, 50, (struct nadi_link_state){4, 10, 100, true});
    flow_case_run(&c);
    expect(flow_case_ns(&c, 0), 220);
    expect(flow_case_ns(&c, 1), 50 + 620);
    expect(flow_case_ns(&c, 2), 50 + 820);
    flow_case_release(&c);

    two_ways(&c, &nadi_network_aware);
    flow_case_send(&c, 0, 0, 1, 1000);
    flow_case_send(&c, 100, 0, 1, 1000);
    flow_case_change(&c, 5, (struct nadi_link_state){2, 100, 0, true}); /* the last cable */
    flow_case_change(&c, 400, (struct nadi_link_state){2, 50, 0, false});
    flow_case_run(&c);
    /* The second waits from the beginning, the first from 210 on, at the last link: behind it. */
    expect(flow_case_ns(&c, 1), 300 + 10 + 200 + 10);
    expect(flow_case_ns(&c, 0), 400 + 20 + 90 + 200 + 10);
    flow_case_release(&c);
}

/* A message of weight w shares as w messages do. */
static void test_weights(void **state)
{
    struct flow_case c;
    (void)state;
    two_ways(&c, &nadi_network_flow);
    flow_case_send(&c, 0, 0, 1, 6000);
    c.messages[flow_case_send(&c, 0, 0, 1, 6000)].weight = 3;
    flow_case_run(&c);
    expect(flow_case_ns(&c, 1), 100 + 6000 / 7.5);
    expect(flow_case_ns(&c, 0), 100 + 800 + (6000 - 2000) / 10.0);
    flow_case_release(&c);
}

static void send_in(struct flow_case *c, uint64_t connection, uint64_t bytes)
{
    const uint32_t message = flow_case_send(c, 0, 0, 1, bytes);
    c->messages[message].connection = connection;
}

/* One message of a connection at a time: in order, while its rate is that of one. Connections of
 * the pair, and messages that are in none, share. */
static void test_in_order(void **state)
{
    struct flow_case c;
    (void)state;
    two_ways(&c, &nadi_network_flow);
    nadi_network_destroy(c.net);
    const struct nadi_network_setup setup = {
        .topology = &c.topology, .graph = &c.graph, .flow = &c.config, .engine = c.engine};
    c.net = nadi_network_flow.create(&setup);
    for (int i = 0; i < 4; i++)
        send_in(&c, 7, 1000);
    flow_case_run(&c);
    for (uint32_t i = 0; i < 4; i++)
        expect(flow_case_ns(&c, i), 100 + (i + 1) * 100);
    flow_case_release(&c);
}

/* Two messages of connection 1, one of 2, one of none: three share, then, as the second of 1 begins
 * where the first has ended, three still do. */
static void test_connections(void **state)
{
    struct flow_case c;
    (void)state;
    two_ways(&c, &nadi_network_flow);
    nadi_network_destroy(c.net);
    const struct nadi_network_setup setup = {
        .topology = &c.topology, .graph = &c.graph, .flow = &c.config, .engine = c.engine};
    c.net = nadi_network_flow.create(&setup);
    send_in(&c, 1, 1000);
    send_in(&c, 1, 1000);
    send_in(&c, 2, 2000);
    flow_case_send(&c, 0, 0, 1, 2000);
    flow_case_run(&c);
    expect(flow_case_ns(&c, 0), 100 + 300);
    for (uint32_t i = 1; i < 4; i++)
        expect(flow_case_ns(&c, i), 100 + 600);
    flow_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow_slower_and_faster),
        cmocka_unit_test(test_flow_other_route),
        cmocka_unit_test(test_flow_no_route),
        cmocka_unit_test(test_aware),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
