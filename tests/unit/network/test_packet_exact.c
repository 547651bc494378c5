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
    c->in.config.cc = cc;
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
    for (uint32_t i = 0; i < c->in.flows.count; i++) {
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
    c.in.config.cc = &nadi_cc_hpcc;
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
    c.in.config.window = false;
    c.in.config.buffer_bytes = 2 << 20;
    packet_case_run(&c);
    range(&c, &least, &most);
    assert_int_equal(least, 155958);
    assert_int_equal(most, 172023);
    assert_int_equal(c.result.pfc_total, 128);
    assert_int_equal(c.result.totals.pauses, 64);
    assert_true(c.result.pfc[0].pause && !c.result.pfc[0].is_switch);
    assert_int_equal(c.result.pfc[0].at / NADI_PS_PER_NS, 3135);
    assert_int_equal(c.result.totals.dropped_full, 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_flow), cmocka_unit_test(incast_of_eight), cmocka_unit_test(hpcc),
        cmocka_unit_test(pauses),   cmocka_unit_test(permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
