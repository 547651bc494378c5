/* The flow model against closed forms. Times are exact to a picosecond of rounding. */
#include "support/flow_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(double got, double want)
{
    const double slack = fabs(want) * 1e-9 > 0.0011 ? fabs(want) * 1e-9 : 0.0011;
    if (fabs(got - want) > slack)
        fail_msg("%.6f ns, expected %.6f", got, want);
}

/* n hosts around a switch. */
static void star(struct flow_case *c, uint32_t n, double rate, double latency_ns)
{
    flow_case_init(c);
    for (uint32_t h = 0; h < n; h++)
        nadi_graph_add_node(&c->graph, NADI_GRAPH_HOST, NULL);
    const uint32_t hub = nadi_graph_add_node(&c->graph, NADI_GRAPH_SWITCH, NULL);
    for (uint32_t h = 0; h < n; h++)
        flow_case_link(c, h, hub, rate, latency_ns);
}

static void test_alone(void **state)
{
    struct flow_case c;
    (void)state;
    star(&c, 2, 40, 300);
    flow_case_open(&c, &nadi_network_flow);
    flow_case_send(&c, 5, 0, 1, 1000000);
    flow_case_send(&c, 1e6, 1, 0, 0); /* nothing to carry: latency alone */
    flow_case_run(&c);
    expect(flow_case_ns(&c, 0), 2 * 300 + 1000000 / 40.0);
    expect(flow_case_ns(&c, 1), 600);
    flow_case_release(&c);
}

/* n flows of sizes 1..n units share one link: the k-th ends when it and all behind it have got k
 * units: sum over j <= k of (n - j + 1) units. */
static void test_one_link(void **state)
{
    enum { N = 50 };
    struct flow_case c;
    (void)state;
    for (int same_pair = 0; same_pair < 2; same_pair++) {
        star(&c, N + 1, 1000, 0);
        c.graph.links[N].bits_per_s = (uint64_t)(10 * 8e9);
        flow_case_open(&c, &nadi_network_flow);
        for (uint32_t k = N; k-- > 0;)
            flow_case_send(&c, 0, same_pair ? 0 : k, N, 1000 * (uint64_t)(k + 1));
        flow_case_run(&c);
        for (uint32_t k = 0; k < N; k++) {
            double units = 0;
            for (uint32_t j = 0; j <= k; j++)
                units += N - j;
            expect(flow_case_ns(&c, N - 1 - k), units * 1000 / 10);
        }
        flow_case_release(&c);
    }
}

static void test_incast(void **state)
{
    struct flow_case c;
    (void)state;
    star(&c, 17, 25, 1000);
    flow_case_open(&c, &nadi_network_flow);
    for (uint32_t k = 0; k < 16; k++)
        flow_case_send(&c, 0, k, 16, 4 << 20);
    flow_case_run(&c);
    for (uint32_t k = 0; k < 16; k++)
        expect(flow_case_ns(&c, k), 2000 + 16.0 * (4 << 20) / 25);
    flow_case_release(&c);
}

/* A line of k links; one flow over all of them, one more on each: all get half, the long one ends
 * with the short ones of its size; a short one of half the size leaves its link half used. */
static void test_parking_lot(void **state)
{
    enum { K = 6 };
    struct flow_case c;
    (void)state;
    flow_case_init(&c);
    for (uint32_t h = 0; h < 2 * (K + 1); h++) /* one host each side of K + 1 switches */
        nadi_graph_add_node(&c.graph, NADI_GRAPH_HOST, NULL);
    for (uint32_t s = 0; s <= K; s++)
        nadi_graph_add_node(&c.graph, NADI_GRAPH_SWITCH, NULL);
    const uint32_t first = 2 * (K + 1);
    for (uint32_t s = 0; s <= K; s++) {
        flow_case_link(&c, 2 * s, first + s, 1000, 10);
        flow_case_link(&c, 2 * s + 1, first + s, 1000, 10);
        if (s < K)
            flow_case_link(&c, first + s, first + s + 1, 8, 0);
    }
    flow_case_open(&c, &nadi_network_flow);
    flow_case_send(&c, 0, 0, 2 * K, 80000);
    for (uint32_t s = 0; s < K; s++)
        flow_case_send(&c, 0, 2 * s + 1, 2 * (s + 1) + 1, s == 2 ? 160000 : 40000);
    flow_case_run(&c);
    /* Half the rate each: 40,000 in 10,000 ns. Then the long one is held by link 2 alone, and its
     * other 40,000 take as long; the last 80,000 on link 2 go at full rate. */
    for (uint32_t s = 0; s < K; s++)
        if (s != 2)
            expect(flow_case_ns(&c, 1 + s), 20 + 10000);
    expect(flow_case_ns(&c, 0), 20 + 20000);
    expect(flow_case_ns(&c, 3), 20 + 20000 + 80000 / 8.0);
    flow_case_release(&c);
}

static void test_ring(void **state)
{
    enum { N = 8 };
    struct flow_case c;
    (void)state;
    flow_case_init(&c);
    flow_case_dim(&c, NADI_DIM_RING, N, 50, 500);
    flow_case_open(&c, &nadi_network_flow);
    for (uint32_t i = 0; i < N; i++) /* distance 3 clockwise: every link carries three */
        flow_case_send(&c, 0, i, (i + 3) % N, 6000000);
    flow_case_run(&c);
    for (uint32_t i = 0; i < N; i++)
        expect(flow_case_ns(&c, i), 3 * 500 + 6000000 * 3 / 50.0);
    flow_case_release(&c);
}

/* Everybody to everybody: each host's cable carries n - 1 flows. */
static void test_all_to_all(void **state)
{
    enum { N = 12 };
    struct flow_case c;
    (void)state;
    flow_case_init(&c);
    flow_case_dim(&c, NADI_DIM_SWITCH, N, 50, 250);
    flow_case_open(&c, &nadi_network_flow);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < N; k++)
            if (i != k)
                flow_case_send(&c, 0, i, k, 1 << 20);
    flow_case_run(&c);
    for (uint32_t i = 0; i < c.count; i++)
        expect(flow_case_ns(&c, i), 500 + (N - 1) * (double)(1 << 20) / 50);
    flow_case_release(&c);
}

/* 4:1 oversubscribed, one spine: 8 flows from each leaf share a cable of twice a host's rate. */
static void test_oversubscribed(void **state)
{
    enum { LEAVES = 4, HOSTS = 8 };
    struct flow_case c;
    (void)state;
    flow_case_init(&c);
    flow_case_leaf_spine(&c, LEAVES, HOSTS, 1, 25, 50, 100);
    flow_case_open(&c, &nadi_network_flow);
    for (uint32_t h = 0; h < LEAVES * HOSTS; h++)
        flow_case_send(&c, 0, h, (h + HOSTS) % (LEAVES * HOSTS), 10000000);
    const uint32_t inside = flow_case_send(&c, 200, 0, 1, 10000000); /* two hops less */
    flow_case_run(&c);
    for (uint32_t h = 0; h < LEAVES * HOSTS; h++)
        expect(flow_case_ns(&c, h), 400 + 10000000 * 8 / 50.0);
    /* inside the leaf: what the other flow leaves of host 0's cable */
    expect(flow_case_ns(&c, inside), 200 + 10000000 / (25 - 50 / 8.0));
    flow_case_release(&c);
}

/* Dimensions are crossed in ascending order, every hop is charged, the slowest holds the rate. */
static void test_two_dimensions(void **state)
{
    struct flow_case c;
    (void)state;
    flow_case_init(&c);
    flow_case_dim(&c, NADI_DIM_RING, 4, 100, 50);
    flow_case_dim(&c, NADI_DIM_SWITCH, 4, 25, 700);
    flow_case_open(&c, &nadi_network_flow);
    flow_case_send(&c, 0, 0, 2 + 4 * 3, 3000000);
    flow_case_send(&c, 1e9, 3, 0, 3000000);
    flow_case_run(&c);
    expect(flow_case_ns(&c, 0), 2 * 50 + 2 * 700 + 3000000 / 25.0);
    expect(flow_case_ns(&c, 1), 50 + 3000000 / 100.0);
    flow_case_release(&c);
}

static void test_overheads_and_window(void **state)
{
    struct flow_case c;
    (void)state;
    star(&c, 3, 50, 500);
    c.config = (struct nadi_flow_config){.startup_ns = 40, .overhead_ns = 100};
    flow_case_open(&c, &nadi_network_flow);
    flow_case_send(&c, 0, 0, 1, 50000);
    flow_case_send(&c, 0, 0, 2, 50000);
    flow_case_run(&c);
    /* The second begins 100 ns after the first; from then on both go at half the rate. */
    expect(flow_case_ns(&c, 0), 100 + 40 + 1000 + 100 + 2 * (50000 - 5000) / 50.0);
    expect(flow_case_ns(&c, 1), 100 + 40 + 1000 + 2 * 50000 / 50.0);
    flow_case_release(&c);

    star(&c, 3, 50, 500);
    c.config = (struct nadi_flow_config){.window_bytes = 20000};
    flow_case_open(&c, &nadi_network_flow);
    flow_case_send(&c, 0, 0, 1, 1000000); /* 20,000 bytes each round trip of 2,000 ns */
    flow_case_send(&c, 0, 0, 1, 1000000); /* each has a window of its own */
    flow_case_run(&c);
    expect(flow_case_ns(&c, 0), 1000 + 1000000 / 10.0);
    expect(flow_case_ns(&c, 1), 1000 + 1000000 / 10.0);
    flow_case_release(&c);
}

/* Headers of 62 bytes a packet, and whole packets at every link but the slowest. */
static void test_packets(void **state)
{
    enum { P = 4096 };
    static const struct {
        double rates[3];
        uint64_t bytes;
        double packets, waits; /* sum of 1 / C without the slowest's */
    } rows[] = {
        {{50, 50, 50}, 10 * P, 10, 2 / 50.0},
        {{50, 50, 50}, P, 1, 2 / 50.0},
        {{50, 50, 50}, 100, 1, 2 / 50.0},
        {{50, 50, 50}, P + 1, 2, 2 / 50.0},
        {{100, 25, 50}, 64 * P, 64, 1 / 100.0 + 1 / 50.0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct flow_case c;
        flow_case_init(&c);
        for (uint32_t n = 0; n < 4; n++)
            nadi_graph_add_node(&c.graph, n < 2 ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
        flow_case_link(&c, 0, 2, rows[i].rates[0], 100);
        flow_case_link(&c, 2, 3, rows[i].rates[1], 100);
        flow_case_link(&c, 3, 1, rows[i].rates[2], 100);
        c.config.packet_bytes = P;
        flow_case_open(&c, &nadi_network_flow);
        flow_case_send(&c, 0, 0, 1, rows[i].bytes);
        flow_case_send(&c, 1e6, 0, 1, 0);
        flow_case_run(&c);
        const double wire = (double)rows[i].bytes + 62 * rows[i].packets;
        const double first = wire < P + 62 ? wire : P + 62;
        expect(flow_case_ns(&c, 0),
               300 + first * rows[i].waits + wire / fmin(rows[i].rates[1], 50));
        expect(flow_case_ns(&c, 1), 300);
        flow_case_release(&c);
    }
}

/* A flow that comes later takes its share from then on. */
static void test_late(void **state)
{
    struct flow_case c;
    (void)state;
    star(&c, 3, 10, 0);
    flow_case_open(&c, &nadi_network_flow);
    flow_case_send(&c, 0, 0, 2, 100000);
    flow_case_send(&c, 4000, 1, 2, 100000);
    flow_case_run(&c);
    expect(flow_case_ns(&c, 0), 4000 + 60000 / 5.0);
    expect(flow_case_ns(&c, 1), 60000 / 5.0 + 40000 / 10.0);
    flow_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_one_link),
        cmocka_unit_test(test_incast),
        cmocka_unit_test(test_parking_lot),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_all_to_all),
        cmocka_unit_test(test_oversubscribed),
        cmocka_unit_test(test_two_dimensions),
        cmocka_unit_test(test_overheads_and_window),
        cmocka_unit_test(test_packets),
        cmocka_unit_test(test_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
