/* Exact mode: closed forms, and completion times that the HPCC simulator on ns-3 gave. */
#include "network/packet/cc.h"
#include "support/packet_case.h"

#include <setjmp.h>

#include <cmocka.h>

/* n packets of 1036 B at 400 Gb/s take 21 ns each; the last of b bytes; two hops of 1 us there and
 * back; an ACK of 48 B takes 1 ns. */
static void one_flow(void **state)
{
    static const struct {
        uint64_t bytes, ns;
    } cases[] = {
        {1, 1 + 1 + 4000 + 2},               /* 37 B: 0.74 -> 1 ns */
        {1000, 21 + 21 + 4000 + 2},          /* one full packet */
        {989, 20 + 20 + 4000 + 2},           /* 1025 B: 20.5 ns, a half, is rounded down */
        {16384, 17 * 21 + 8 + 4000 + 2},     /* the 17 packets: 4367 ns */
        {1000000, 1000 * 21 + 21 + 4000 + 2} /* 25023 ns */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct packet_case c;
        packet_case_star(&c, 2);
        packet_case_flow(&c, 0, 1, cases[i].bytes, 12345);
        packet_case_run(&c);
        assert_int_equal(packet_case_ns(&c, 0), cases[i].ns);
        packet_case_release(&c);
    }
}

static void incast(struct packet_case *c, const struct nadi_cc_ops *cc)
{
    packet_case_star(c, 9);
    c->in.packet.cc = cc;
    for (uint32_t h = 0; h < 8; h++)
        packet_case_flow(c, h, 8, 1000000, 0);
}

static void incast_of_eight(void **state)
{
    static const uint64_t none[] = {171876, 171897, 171918, 171939, 171960, 171981, 172002, 172023};
    struct packet_case c;
    (void)state;
    incast(&c, &nadi_cc_none);
    packet_case_run(&c);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(packet_case_ns(&c, i), none[i]);
    packet_case_release(&c);
    incast(&c, &nadi_cc_timely); /* RTTs below Tlow: it never slows down */
    packet_case_run(&c);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(packet_case_ns(&c, i), none[i]);
    packet_case_release(&c);
}

static void range(const struct packet_case *c, uint64_t *least, uint64_t *most)
{
    *least = UINT64_MAX;
    *most = 0;
    for (uint32_t i = 0; i < c->in.flows->list.count; i++) {
        *least = nadi_min_u64(*least, packet_case_ns(c, i));
        *most = nadi_max_u64(*most, packet_case_ns(c, i));
    }
}

static void hpcc(void **state)
{
    struct packet_case c;
    uint64_t least, most;
    (void)state;
    packet_case_star(&c, 2);
    c.in.packet.cc = &nadi_cc_hpcc;
    packet_case_flow(&c, 0, 1, 1000000, 0);
    packet_case_run(&c);
    assert_int_equal(packet_case_ns(&c, 0), 26656);
    packet_case_release(&c);
    incast(&c, &nadi_cc_hpcc);
    packet_case_run(&c);
    range(&c, &least, &most);
    assert_int_equal(least, 163969);
    assert_int_equal(most, 193001);
    packet_case_release(&c);
}

static void pauses(void **state)
{
    struct packet_case c;
    uint64_t least, most;
    (void)state;
    incast(&c, &nadi_cc_none);
    c.in.packet.window = false;
    c.in.packet.buffer_bytes = 2 << 20;
    packet_case_run(&c);
    range(&c, &least, &most);
    assert_int_equal(least, 155958);
    assert_int_equal(most, 172023);
    assert_int_equal(c.listed->pfc_total, 128);
    assert_int_equal(c.listed->totals.pauses, 64);
    assert_true(c.listed->pfc[0].pause && !c.listed->pfc[0].is_switch);
    assert_int_equal(c.listed->pfc[0].at / NADI_PS_PER_NS, 3135);
    assert_int_equal(c.listed->totals.dropped_full, 0);
    packet_case_release(&c);
}

/* 64 hosts, each sends to the one eight further on: all cross the spines, chosen by hash. */
static void permutation(void **state)
{
    struct packet_case c;
    uint64_t least, most;
    (void)state;
    packet_case_clos(&c, 8, 8, 8);
    for (uint32_t h = 0; h < 64; h++)
        packet_case_flow(&c, h, (h + 8) % 64, 1000000, 0);
    packet_case_run(&c);
    range(&c, &least, &most);
    assert_int_equal(least, 29340);
    assert_int_equal(most, 78056);
    packet_case_release(&c);
}

/* What ns-3's random numbers make of the incast: flow by flow. */
static void random_schemes(void **state)
{
    static const struct {
        const struct nadi_cc_ops *cc;
        uint64_t ns[8];
    } cases[] = {
        {&nadi_cc_dcqcn, {175725, 288369, 272688, 121317, 92076, 121055, 176403, 474957}},
        {&nadi_cc_dctcp, {171876, 171897, 171918, 171939, 171960, 171981, 172002, 172023}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct packet_case c;
        incast(&c, cases[i].cc);
        packet_case_run(&c);
        for (uint32_t flow = 0; flow < 8; flow++)
            assert_int_equal(packet_case_ns(&c, flow), cases[i].ns[flow]);
        packet_case_release(&c);
    }
}

/* With pauses, whose frames take random numbers too. */
static void random_pauses(void **state)
{
    struct packet_case c;
    uint64_t least, most;
    (void)state;
    incast(&c, &nadi_cc_dctcp);
    c.in.packet.window = false;
    c.in.packet.buffer_bytes = 2 << 20;
    packet_case_run(&c);
    range(&c, &least, &most);
    assert_int_equal(least, 148902);
    assert_int_equal(most, 172023);
    assert_int_equal(c.listed->pfc_total, 142);
    packet_case_release(&c);
}

static uint64_t acks_of_ten(uint32_t interval, uint32_t chunk)
{
    struct packet_case c;
    packet_case_star(&c, 2);
    c.in.packet.ack_interval_bytes = interval;
    c.in.packet.chunk_bytes = chunk;
    packet_case_flow(&c, 0, 1, 10000, 0);
    packet_case_run(&c);
    const uint64_t acks = c.listed->totals.acks_sent;
    packet_case_release(&c);
    return acks;
}

/* Every packet is answered from the interval's length on, before it those that end a chunk. */
static void ack_intervals(void **state)
{
    (void)state;
    assert_int_equal(acks_of_ten(1, 4000), 10);
    assert_int_equal(acks_of_ten(4000, 0), 7);
    assert_int_equal(acks_of_ten(6000, 2000), 7);
}

/* A pause of the NIC's own leaves before the answer to the packet that caused it. */
static void injected_pause(void **state)
{
    struct packet_case c;
    (void)state;
    packet_case_star(&c, 2);
    c.in.packet.nic_pauses = 1;
    packet_case_flow(&c, 0, 1, 100000, 0);
    packet_case_run(&c);
    assert_int_equal(c.listed->pfc_total, 2);
    assert_int_equal(c.listed->pfc[0].at / NADI_PS_PER_NS, 2 * (21 + 1000) + 1 + 1000);
    assert_true(c.listed->pfc[0].is_switch && c.listed->pfc[0].pause);
    assert_int_equal((c.listed->pfc[1].at - c.listed->pfc[0].at) / NADI_PS_PER_NS, 10000);
    packet_case_release(&c);
}

/* Less buffer than headroom: the threshold is 4 GiB more, and nothing pauses. */
static void promised_too_much(void **state)
{
    struct packet_case c;
    (void)state;
    incast(&c, &nadi_cc_none);
    c.in.packet.buffer_bytes = 1 << 20;
    packet_case_run(&c);
    assert_int_equal(c.listed->pfc_total, 0);
    assert_int_equal(packet_case_ns(&c, 7), 172023);
    packet_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_flow),       cmocka_unit_test(incast_of_eight),
        cmocka_unit_test(hpcc),           cmocka_unit_test(pauses),
        cmocka_unit_test(permutation),    cmocka_unit_test(random_schemes),
        cmocka_unit_test(random_pauses),  cmocka_unit_test(ack_intervals),
        cmocka_unit_test(injected_pause), cmocka_unit_test(promised_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
