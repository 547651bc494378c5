/* The network model fabric: one message alone, slots, urgency at packets, sets that a switch cannot
 * route, links that change. */
#include "base/diag.h"
#include "base/rng.h"
#include "base/str.h"
#include "support/flow_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RATE  100.0 /* bytes a ns of an NPU's cable */
#define SHARE (4096.0 / 4102 * 16 / 16.125)

/* Leaves of `npus` each, of m middle networks, under one; `slots` cables' worth between them. */
static void open_fred(struct flow_case *c, uint32_t leaves, uint32_t npus, uint32_t m, double slots)
{
    flow_case_init(c);
    flow_case_leaf_spine(c, leaves, npus, 1, RATE, slots * RATE, 20);
    for (uint32_t n = leaves * npus; n < c->graph.node_count; n++) {
        c->graph.nodes[n].middle = m;
        c->graph.nodes[n].level = n + 1 < c->graph.node_count ? 1 : 2;
    }
    flow_case_open(c, &nadi_network_fabric);
}

static void expect_ns(const struct flow_case *c, uint32_t message, double want)
{
    const double found = flow_case_ns(c, message);
    if (!(fabs(found - want) < 0.01))
        fail_msg("message %u took %.6f ns, wanted %.6f", message, found, want);
}

static double time_of(uint64_t bytes)
{
    return (double)bytes / (RATE * SHARE);
}

static void expect_remark(const struct flow_case *c, const char *want)
{
    struct nadi_str text = NADI_STR_INIT;
    c->net->ops->remark(c->net, &text);
    assert_string_equal(nadi_str_get(&text), want);
    nadi_str_release(&text);
}

/* Latencies of all links, and the bytes once, however many links there are. */
static void test_alone(void **state)
{
    (void)state;
    struct flow_case c;
    open_fred(&c, 2, 4, 3, 4);
    const uint32_t near = flow_case_send(&c, 0, 0, 1, 1000000);
    const uint32_t far = flow_case_send(&c, 50000, 0, 5, 1000000);
    const uint32_t nothing = flow_case_send(&c, 90000, 0, 5, 0);
    flow_case_run(&c);
    expect_ns(&c, near, 40 + time_of(1000000));
    expect_ns(&c, far, 80 + time_of(1000000));
    expect_ns(&c, nothing, 80);
    expect_remark(&c, "");
    flow_case_release(&c);
}

/* A slot carries one message: to one NPU one after the other; four between leaves at once, and five
 * where there are four slots. */
static void test_lanes(void **state)
{
    (void)state;
    struct flow_case c;
    open_fred(&c, 2, 5, 3, 4);
    for (uint32_t i = 0; i < 2; i++)
        flow_case_send(&c, 0, i, 2, 100000);
    for (uint32_t i = 0; i < 5; i++)
        flow_case_send(&c, 10000, i, 5 + i, 100000);
    flow_case_run(&c);
    expect_ns(&c, 0, 40 + time_of(100000));
    expect_ns(&c, 1, 40 + 2 * time_of(100000));
    for (uint32_t i = 0; i < 4; i++)
        expect_ns(&c, 2 + i, 80 + time_of(100000));
    expect_ns(&c, 6, 80 + 2 * time_of(100000));
    flow_case_release(&c);
}

/* MP goes before PP before DP: the one under way ends its packet, and goes on later. */
static void test_urgency(void **state)
{
    (void)state;
    const double packet = time_of(4096), at = 3.5 * packet;
    struct flow_case c;
    open_fred(&c, 2, 4, 3, 1);
    flow_case_send(&c, 0, 0, 1, 40960);
    flow_case_send(&c, at, 2, 1, 8192);
    flow_case_send(&c, at, 3, 1, 4096);
    c.messages[1].urgency = NADI_URGENCY_STAGES;
    c.messages[2].urgency = NADI_URGENCY_MODEL;
    flow_case_run(&c);
    expect_ns(&c, 2, 40 + 0.5 * packet + packet);
    expect_ns(&c, 1, 40 + 1.5 * packet + 2 * packet);
    expect_ns(&c, 0, 40 + 13 * packet);
    expect_remark(&c, "1 times a message gave way to a more urgent one");
    flow_case_release(&c);
}

/* Three operations that share input switches pairwise, at one switch: with m = 2 one waits. */
static void test_conflict(void **state)
{
    (void)state;
    static const uint32_t members[3][2] = {{0, 2}, {1, 4}, {3, 5}};
    for (uint32_t m = 2; m <= 3; m++) {
        struct flow_case c;
        open_fred(&c, 2, 7, m, 1);
        for (uint32_t op = 0; op < 3; op++)
            for (uint32_t k = 0; k < 2; k++) {
                const uint32_t npu = members[op][k];
                const uint32_t i = flow_case_send(&c, 0, npu, 14, 100000);
                c.messages[i].op = op + 1;
                c.messages[i].over = 1 + nadi_graph_channel(&c.graph, npu, c.graph.first_port[npu]);
            }
        flow_case_run(&c);
        for (uint32_t i = 0; i < 6; i++)
            expect_ns(&c, i, 20 + (m == 2 && i == 5 ? 2 : 1) * time_of(100000));
        expect_remark(&c, m == 2 ? "1 times a message waited because a switch could not route it "
                                   "beside the others"
                                 : "");
        flow_case_release(&c);
    }
}

/* Random messages of all urgencies, with links that go down and come back: all arrive, none before
 * its bytes can, the bytes of links are those of the messages, and those of one pair and urgency
 * stay in order. */
static void test_random(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct nadi_rng rng;
        struct flow_case c;
        nadi_rng_init(&rng, seed, "fabric");
        open_fred(&c, 3, 4, 2 + seed % 2, 1 + seed % 4);
        for (uint32_t i = 0; i < 80; i++) {
            const uint32_t src = (uint32_t)nadi_rng_below(&rng, 12);
            const uint32_t dst = (src + 1 + (uint32_t)nadi_rng_below(&rng, 11)) % 12;
            flow_case_send(&c, (double)nadi_rng_below(&rng, 3000), src, dst,
                           nadi_rng_below(&rng, 60000));
            c.messages[i].urgency = (enum nadi_urgency)nadi_rng_below(&rng, 3);
        }
        if (seed % 3 == 0) {
            struct nadi_link_state link = {0, RATE, 20, true};
            flow_case_change(&c, 500, link);
            link.down = false;
            flow_case_change(&c, 2500, link);
        }
        flow_case_run(&c);
        for (uint32_t i = 0; i < 80; i++) {
            const struct flow_case_message *m = &c.messages[i];
            assert_true(m->arrived >= 0);
            assert_true(flow_case_ns(&c, i) >= 40 + time_of(m->bytes) - 0.01);
            for (uint32_t k = 0; k < 80; k++) {
                const struct flow_case_message *o = &c.messages[k];
                if (o->src == m->src && o->dst == m->dst && o->urgency == m->urgency &&
                    o->at < m->at)
                    assert_true(o->arrived <= m->arrived);
            }
        }
        flow_case_release(&c);
    }
}

/* Networks that are none of Fred switches are refused. */
static void test_refusals(void **state)
{
    (void)state;
    struct nadi_diags diags;
    struct flow_case c;
    nadi_diags_init(&diags);
    flow_case_init(&c);
    flow_case_leaf_spine(&c, 2, 2, 1, RATE, RATE, 20);
    flow_case_open(&c, &nadi_network_flow);
    const struct nadi_network_setup setup = {.topology = &c.topology, .graph = &c.graph};
    assert_false(nadi_network_fabric.accepts(&setup, &diags));
    for (uint32_t n = 4; n < c.graph.node_count; n++)
        c.graph.nodes[n].middle = 3;
    assert_true(nadi_network_fabric.accepts(&setup, &diags));
    assert_int_equal(diags.errors, 1);
    nadi_diags_release(&diags);
    flow_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),   cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_urgency), cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_random),  cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
