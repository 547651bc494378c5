/* Congestion control in its papers' textbook case: flows that join a bottleneck one after another.
 * And packets against fluid: long flows alone take what bytes and headers say. */
#include "base/mem.h"
#include "inputs/model_presets.h"
#include "network/packet/cc.h"

#include "support/packet_case.h"

#include <setjmp.h>

#include <cmocka.h>

enum { SENDERS = 4 };

static const uint64_t RATE = 40000000000;

static const struct scheme {
    const struct nadi_cc_ops *cc;
    double least_index; /* Jain's, over the last third of the time */
    double least_share; /* of the bottleneck's payload rate that is used meanwhile */
} schemes[] = {
    {&nadi_cc_none, 0.99, 0.99}, {&nadi_cc_dcqcn, 0.9, 0.8},    {&nadi_cc_hpcc, 0.9, 0.85},
    {&nadi_cc_pint, 0.9, 0.7},   {&nadi_cc_timely, 0.9, 0.8},   {&nadi_cc_dctcp, 0.9, 0.85},
    {&nadi_cc_swift, 0.9, 0.9},  {&nadi_cc_window, 0.99, 0.99}, {&nadi_cc_ndp, 0.99, 0.95},
    {&nadi_cc_eqds, 0.99, 0.95},
};

static nadi_time ms(double t)
{
    return (nadi_time)(t * 1e9);
}

/* Four senders, one receiver, 40 Gb/s, no window but a scheme's own; one more flow each 200 us;
 * bytes that arrive from 10 to 20 ms. */
static void measure(const struct nadi_cc_ops *cc, double *index, double *share)
{
    struct packet_case c;
    struct nadi_diags diags;
    uint32_t flows[SENDERS], before[SENDERS];
    double sum = 0, squares = 0;
    packet_case_star(&c, SENDERS + 1);
    nadi_packet_config_init(&c.in.packet);
    c.in.packet.cc = cc;
    c.in.packet.rate_ai = cc == &nadi_cc_hpcc ? 500000000 : 50000000; /* its speed is this */
    c.in.packet.window = cc == &nadi_cc_none || cc->telemetry >= NADI_TELEMETRY_INT;
    for (uint32_t i = 0; i < c.in.graph.link_count; i++)
        c.in.graph.links[i].bits_per_s = RATE;
    nadi_diags_init(&diags);
    struct nadi_pkt *net = nadi_pkt_create(&c.in.graph, &c.in.packet, &diags);
    assert_non_null(net);
    for (uint32_t f = 0; f < SENDERS; f++) {
        const nadi_time until = ms(0.2) * f;
        const struct nadi_pkt_flow_spec spec = {
            .src = f, .dst = SENDERS, .class = 3, .dport = 100, .bytes = 200000000};
        nadi_pkt_run(net, &until, UINT64_MAX);
        nadi_pkt_set_clock(net, until);
        flows[f] = nadi_pkt_flow_start(net, &spec);
    }
    const nadi_time middle = ms(10), end = ms(20);
    nadi_pkt_run(net, &middle, UINT64_MAX);
    for (uint32_t f = 0; f < SENDERS; f++)
        before[f] = net->receivers[flows[f]].expected;
    nadi_pkt_run(net, &end, UINT64_MAX);
    for (uint32_t f = 0; f < SENDERS; f++) {
        const double packets = net->receivers[flows[f]].expected - before[f];
        sum += packets;
        squares += packets * packets;
    }
    const double frame = c.in.packet.payload_bytes + net->frames.data_overhead + net->frames.gap;
    const double most = (double)RATE / 8 * 10e-3 / frame;
    *index = sum * sum / (SENDERS * squares);
    *share = sum / most;
    nadi_pkt_destroy(net);
    nadi_diags_release(&diags);
    packet_case_release(&c);
}

static void joining_flows_share(void **state)
{
    bool good = true;
    (void)state;
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        const struct scheme *s = &schemes[i];
        double index, share;
        measure(s->cc, &index, &share);
        print_message("%-10s Jain's index %.4f, bottleneck used %.3f\n", s->cc->name, index, share);
        good &= index >= s->least_index && share >= s->least_share;
    }
    assert_true(good);
}

/* A flow of n full packets over h cables of one rate: n frames, h latencies, and at each of h - 1
 * switches a header of 64 bytes, or a frame where it stores them. */
static void alone_as_closed_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
        for (uint32_t k = 0; k < 4; k++) {
            struct packet_case c;
            const bool racks = k & 1, stores = k & 2;
            const uint32_t hops = racks ? 4 : 2;
            const uint64_t bytes = 4096 * 10000;
            if (racks)
                packet_case_clos(&c, 2, 1, 1);
            else
                packet_case_star(&c, 2);
            nadi_packet_config_init(&c.in.packet);
            c.in.packet.cc = schemes[i].cc;
            c.in.packet.switching = stores ? NADI_SWITCHING_STORE : NADI_SWITCHING_AUTO;
            packet_case_flow(&c, 0, 1, bytes, 0);
            packet_case_run(&c);
            const bool telemetry = schemes[i].cc == &nadi_cc_hpcc;
            const double frame = 4096 + 62 + (telemetry ? 42 : schemes[i].cc == &nadi_cc_pint);
            const double tx = frame * 8 / 400; /* ns */
            const double pass = stores ? tx : 64.0 * 8 / 400;
            const double want = 10000 * tx + (hops - 1) * pass + hops * 1000.0;
            const double fluid = (double)bytes * 8 / 400 + hops * 1000.0;
            const double got = (double)packet_case_ns(&c, 0);
            /* HPCC aims at 95 % of the link; the largest of several roundings of PINT is too large.
             */
            const bool holds_back = telemetry || schemes[i].cc == &nadi_cc_pint;
            if (!holds_back)
                assert_true(got > want * 0.9999 && got < want * 1.0001);
            else
                assert_true(got > want && got < want * 1.09);
            if (!holds_back)
                assert_true(got > fluid && got < fluid * 1.02);
            packet_case_release(&c);
        }
}

/* Two flows in opposite directions pay for each other's ACKs: one for every packet, or one for 32
 * KiB; then packets and a fluid differ by less than 2 %. */
static void both_ways_beside_a_fluid(void **state)
{
    static const uint32_t intervals[] = {1, 32 << 10};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct packet_case c;
        const uint64_t bytes = 4096 * 10000;
        packet_case_star(&c, 2);
        nadi_packet_config_init(&c.in.packet);
        c.in.packet.cc = &nadi_cc_none;
        c.in.packet.ack_interval_bytes = intervals[i];
        packet_case_flow(&c, 0, 1, bytes, 0);
        packet_case_flow(&c, 1, 0, bytes, 0);
        packet_case_run(&c);
        const double frames = 4096 + 62 + 66 / (i ? 8.0 : 1.0);
        const double want = frames * 10000 * 8 / 400 + 2 * 1000;
        const double fluid = (double)bytes * 8 / 400 + 2 * 1000;
        for (uint32_t f = 0; f < 2; f++) {
            const double got = (double)packet_case_ns(&c, f);
            assert_true(got > want * 0.999 && got < want * 1.002);
            assert_true(i == 0 || got < fluid * 1.02);
        }
        packet_case_release(&c);
    }
}

/* A window that the rate makes small still lets go what one ACK answers. */
static void small_windows_do_not_wait(void **state)
{
    struct packet_case c;
    (void)state;
    packet_case_star(&c, 9);
    nadi_packet_config_init(&c.in.packet);
    c.in.packet.cc = &nadi_cc_window;
    c.in.packet.window_bytes = 8 << 10;
    c.in.packet.ack_interval_bytes = 64 << 10;
    for (uint32_t f = 0; f < 8; f++)
        packet_case_flow(&c, f, 8, 1 << 20, 0);
    packet_case_run(&c);
    for (uint32_t f = 0; f < 8; f++)
        assert_true(packet_case_ns(&c, f) < 1000000); /* no timeout of 4 ms */
    packet_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joining_flows_share),
        cmocka_unit_test(alone_as_closed_form),
        cmocka_unit_test(both_ways_beside_a_fluid),
        cmocka_unit_test(small_windows_do_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
