/* The flit model beside flow: one long message alone, over any number of hops and any rates, takes
 * as long to 1 %; messages of one connection go in order, others share their host's port; a ring's
 * all-reduce step; what links carry is what was sent. */
#include "base/diag.h"
#include "inputs/model_presets.h"
#include "network/flit/machine.h"
#include "support/flow_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <sys/resource.h>

static double time_in(const struct nadi_network_ops *model, enum nadi_dim_kind kind, uint32_t npus,
                      double bytes_per_ns, double latency_ns, uint32_t dst, uint64_t bytes)
{
    struct flow_case c;
    struct nadi_flit_config flit;
    nadi_flit_config_init(&flit);
    flow_case_init(&c);
    c.flit = &flit;
    flow_case_dim(&c, kind, npus, bytes_per_ns, latency_ns);
    flow_case_dim(&c, NADI_DIM_RING, 3, bytes_per_ns / 3, latency_ns);
    flow_case_open(&c, model);
    flow_case_send(&c, 0, 0, dst, bytes);
    flow_case_run(&c);
    const double ns = flow_case_ns(&c, 0);
    flow_case_release(&c);
    return ns;
}

static void test_one_message_as_flow(void **state)
{
    static const struct {
        enum nadi_dim_kind kind;
        uint32_t npus, dst;
        double bytes_per_ns, latency_ns;
    } rows[] = {{NADI_DIM_RING, 8, 4, 50, 10},    {NADI_DIM_RING, 8, 20, 50, 10},
                {NADI_DIM_SWITCH, 8, 5, 100, 50}, {NADI_DIM_SWITCH, 4, 11, 25, 500},
                {NADI_DIM_MESH, 6, 5, 12.5, 3},   {NADI_DIM_FULLY_CONNECTED, 5, 13, 7, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const double flow = time_in(&nadi_network_flow, rows[i].kind, rows[i].npus,
                                    rows[i].bytes_per_ns, rows[i].latency_ns, rows[i].dst, 4 << 20);
        const double flit = time_in(&nadi_network_flit, rows[i].kind, rows[i].npus,
                                    rows[i].bytes_per_ns, rows[i].latency_ns, rows[i].dst, 4 << 20);
        if (flit < flow * 0.9999 || flit > flow * 1.01)
            fail_msg("row %zu: flow %g ns, flit %g ns", i, flow, flit);
    }
}

static void open_ring(struct flow_case *c, struct nadi_flit_config *flit, uint32_t npus)
{
    nadi_flit_config_init(flit);
    flow_case_init(c);
    c->flit = flit;
    flow_case_dim(c, NADI_DIM_RING, npus, 32, 10);
    flow_case_open(c, &nadi_network_flit);
}

/* Two messages of one link: one behind the other where they are of one connection, else they
 * share it. */
static void test_connections(void **state)
{
    struct flow_case c;
    struct nadi_flit_config flit;
    (void)state;
    for (int together = 0; together < 2; together++) {
        open_ring(&c, &flit, 4);
        flow_case_send(&c, 0, 0, 1, 1 << 20);
        flow_case_send(&c, 0, 0, 1, 1 << 20);
        c.messages[0].connection = c.messages[1].connection = (uint64_t)together;
        flow_case_run(&c);
        const double first = flow_case_ns(&c, 0), second = flow_case_ns(&c, 1);
        assert_true(fabs(second - 2 * (1 << 20) / 32.0) < 400);
        if (together)
            assert_true(fabs(first * 2 - second) < 200);
        else
            assert_true(second - first < 40);
        flow_case_release(&c);
    }
}

static void sum_links(void *context, const struct nadi_network_counter *counter)
{
    uint64_t *bytes = context;
    *bytes += counter->bytes;
    assert_true(counter->busy_ns > 0 || counter->bytes == 0);
}

/* Every NPU to its two neighbours at once: nobody meets, whatever lanes there are on board. */
static void test_ring_step(void **state)
{
    struct flow_case c;
    struct nadi_flit_config flit;
    uint64_t bytes = 0;
    (void)state;
    open_ring(&c, &flit, 8);
    for (uint32_t r = 0; r < 8; r++) {
        flow_case_send(&c, 5, r, (r + 1) % 8, 100000);
        flow_case_send(&c, 5, r, (r + 7) % 8, 100000);
    }
    flow_case_run(&c);
    for (uint32_t i = 0; i < 16; i++)
        assert_true(fabs(flow_case_ns(&c, i) - (100000 / 32.0 + 10)) < 25);
    c.net->ops->counters(c.net, true, sum_links, &bytes);
    assert_int_equal(bytes, 16 * 100000);
    flow_case_release(&c);
}

/* Nobody waits for a message of no bytes, or to oneself. */
static void test_empty_messages(void **state)
{
    struct flow_case c;
    struct nadi_flit_config flit;
    (void)state;
    open_ring(&c, &flit, 4);
    flow_case_send(&c, 7, 0, 2, 0);
    flow_case_send(&c, 9, 3, 3, 1000);
    flow_case_send(&c, 1e6, 2, 1, 1);
    flow_case_run(&c);
    assert_true(flow_case_ns(&c, 0) > 20 && flow_case_ns(&c, 0) < 60);
    assert_true(fabs(flow_case_ns(&c, 1)) < 1e-6);
    assert_true(flow_case_ns(&c, 2) > 10 && flow_case_ns(&c, 2) < 40);
    flow_case_release(&c);
}

/* A flit alone is in a router's buffer while its output and its channel are found and the crossbar
 * is asked: it leaves in the third cycle. Four packets that come to one output at once wait. */
static void test_stalls(void **state)
{
    struct flow_case c;
    struct nadi_flit_config flit;
    uint64_t held = 0, lost = 0;
    (void)state;
    open_ring(&c, &flit, 4);
    flow_case_send(&c, 0, 0, 2, 1);
    flow_case_run(&c);
    const struct nadi_flit_machine *m = nadi_flit_machine_of(c.net);
    for (uint32_t p = 0; p < nadi_flit_port_count(m); p++)
        held += nadi_flit_held(m, p);
    assert_int_equal(held, 3 * 2);
    flow_case_send(&c, 1000, 1, 0, 32 * 16);
    flow_case_send(&c, 1000, 1, 0, 32 * 16);
    flow_case_send(&c, 1000, 2, 0, 32 * 16);
    flow_case_run(&c);
    for (uint32_t p = 0; p < nadi_flit_port_count(m); p++) {
        const struct nadi_flit_port_figures *f = &nadi_flit_figures(m)[p];
        lost += f->lost_arbitration + f->no_credit + f->no_vc;
        held += nadi_flit_held(m, p);
    }
    assert_true(lost > 0);
    assert_true(held > 3 * 2 + 2 * 2 * 32 + 3 * 2 * 16);
    flow_case_release(&c);
}

static void send_from(double at_ns, double took_ns[3])
{
    struct flow_case c;
    struct nadi_flit_config flit;
    nadi_flit_config_init(&flit);
    flow_case_init(&c);
    c.flit = &flit;
    flow_case_dim(&c, NADI_DIM_RING, 4, 32, 10);
    flow_case_dim(&c, NADI_DIM_RING, 3, 32 / 7.0, 10); /* fractions of a cycle */
    flow_case_open(&c, &nadi_network_flit);
    flow_case_send(&c, at_ns, 0, 5, 30000);
    flow_case_send(&c, at_ns, 1, 5, 20000);
    flow_case_send(&c, at_ns + 500, 8, 1, 10000);
    flow_case_run(&c);
    for (uint32_t i = 0; i < 3; i++)
        took_ns[i] = flow_case_ns(&c, i);
    flow_case_release(&c);
}

/* However late it is, messages take as long: also where the count of cycles passes 2^32 or 2^48. */
static void test_late(void **state)
{
    const double late_ns[] = {0.5 * 4294967296.0 - 2000, 0.5 * 281474976710656.0 - 2000};
    double first[3], then[3];
    (void)state;
    send_from(0, first);
    for (size_t i = 0; i < sizeof(late_ns) / sizeof(late_ns[0]); i++) {
        send_from(late_ns[i], then);
        for (uint32_t k = 0; k < 3; k++)
            assert_true(first[k] > 2000 && fabs(then[k] - first[k]) < 0.1);
    }
}

/* Deep buffers take memory where packets wait: 2,000 cables of 64 channels with 65,535 flits each
 * would be 64 GiB. */
static void test_deep_buffers(void **state)
{
    struct flow_case c;
    struct nadi_flit_config flit;
    struct rusage before, after;
    (void)state;
    nadi_flit_config_init(&flit);
    flit.vcs = 64;
    flit.buffer_flits = NADI_FLIT_MOST_BUFFER;
    flow_case_init(&c);
    c.flit = &flit;
    flow_case_dim(&c, NADI_DIM_RING, 1000, 32, 10);
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    flow_case_open(&c, &nadi_network_flit);
    flow_case_send(&c, 0, 0, 3, 1 << 20);
    flow_case_send(&c, 0, 1, 3, 1 << 20);
    flow_case_run(&c);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_maxrss - before.ru_maxrss < 256 << 10);
    assert_true(fabs(fmax(flow_case_ns(&c, 0), flow_case_ns(&c, 1)) - 2 * (1 << 20) / 32.0) < 400);
    flow_case_release(&c);
}

/* The largest packet that the keys allow has 4 GiB. */
static void test_largest_packet(void **state)
{
    struct flow_case c;
    struct nadi_flit_config flit;
    (void)state;
    nadi_flit_config_init(&flit);
    flit.flit_bytes = flit.packet_flits = 65536;
    flow_case_init(&c);
    c.flit = &flit;
    flow_case_dim(&c, NADI_DIM_RING, 4, 32, 10);
    flow_case_open(&c, &nadi_network_flit);
    flow_case_send(&c, 0, 0, 1, UINT64_C(5) << 30);
    flow_case_run(&c);
    assert_true(fabs(flow_case_ns(&c, 0) / (5 * 1073741824.0 / 32) - 1) < 1e-3);
    flow_case_release(&c);
}

/* Hosts on the board of their router have a channel for each of its cables: 5,000 x 5,000. */
static void test_too_many_ports(void **state)
{
    struct flow_case c;
    struct nadi_flit_config flit;
    struct nadi_diags diags;
    (void)state;
    nadi_flit_config_init(&flit);
    flow_case_init(&c);
    c.flit = &flit;
    for (uint32_t i = 0; i < 5000; i++)
        (void)nadi_graph_add_node(&c.graph, NADI_GRAPH_HOST, NULL);
    const uint32_t router = nadi_graph_add_node(&c.graph, NADI_GRAPH_SWITCH, NULL);
    const uint32_t other = nadi_graph_add_node(&c.graph, NADI_GRAPH_SWITCH, NULL);
    for (uint32_t i = 0; i < 5000; i++) {
        flow_case_link(&c, i, router, 32, 10);
        c.graph.links[2 * i].dim = NADI_NONE;
        flow_case_link(&c, router, other, 32, 10);
    }
    nadi_diags_init(&diags);
    assert_false(flow_case_may_open(&c, &nadi_network_flit, &diags));
    assert_string_equal(diags.items[0].code, "flit/size");
    nadi_diags_release(&diags);
    flow_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_message_as_flow),
        cmocka_unit_test(test_connections),
        cmocka_unit_test(test_ring_step),
        cmocka_unit_test(test_empty_messages),
        cmocka_unit_test(test_stalls),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_deep_buffers),
        cmocka_unit_test(test_largest_packet),
        cmocka_unit_test(test_too_many_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
