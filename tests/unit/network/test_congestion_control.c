/* The senders' rules, one event at a time, with rates worked out by hand from the papers. */
#include "inputs/model_presets.h"
#include "network/packet/cc.h"
#include "network/packet/internal.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { STATE_BYTES = 4096, DCQCN_ALPHA = 0, DCQCN_DECREASE = 1, DCQCN_INCREASE = 2 };

static const uint64_t GBPS = 1000000000, MBPS = 1000000;

/* One flow of one NIC at 100 Gb/s. It counts as finished, so that its timers stay silent: the test
 * says when they run out. */
struct sender {
    struct nadi_pkt net;
    struct nadi_pkt_flow flow;
    struct nadi_pkt_nic nic;
    nadi_time sent_at; /* of the packet that is acknowledged */
    _Alignas(16) char state[STATE_BYTES];
};

static void begin(struct sender *s, const struct nadi_cc_ops *cc)
{
    memset(s, 0, sizeof(*s));
    nadi_packet_config_init(&s->net.config);
    s->net.cc = cc;
    s->net.tick = 1;
    s->net.flows = &s->flow;
    s->net.nics = &s->nic;
    s->net.stamps = &s->sent_at;
    s->net.cc_state = s->state;
    s->net.state_bytes = cc->state_bytes;
    assert_true(cc->state_bytes <= STATE_BYTES);
    s->flow = (struct nadi_pkt_flow){.rate = 100 * GBPS,
                                     .line_rate = 100 * GBPS,
                                     .packets = 1000000,
                                     .payload_bytes = 4096,
                                     .base_rtt = 8 * NADI_PS_PER_NS,
                                     .finished = true,
                                     .removed = true,
                                     .timers = {NADI_NONE, NADI_NONE, NADI_NONE, NADI_NONE}};
}

static void start(struct sender *s)
{
    s->net.cc->start(&s->net, 0);
}

static void ack(struct sender *s, uint32_t seq, bool marked)
{
    s->net.cc->on_ack(&s->net, 0, &(struct nadi_cc_ack){.seq = seq, .marked = marked});
}

static void timer(struct sender *s, uint32_t which)
{
    s->net.cc->on_timer(&s->net, 0, which);
}

static void rate_is(const struct sender *s, uint64_t rate)
{
    assert_int_equal(s->flow.rate, rate);
}

/* ---- DCQCN --------------------------------------------------------------------------------- */

static void dcqcn_at_half(struct sender *s)
{
    begin(s, &nadi_cc_dcqcn);
    s->net.config.dcqcn.increase_bytes = 0;
    start(s);
    ack(s, 1, true);
    rate_is(s, 100 * GBPS); /* the first mark starts the timers */
    timer(s, DCQCN_DECREASE);
    rate_is(s, 50 * GBPS); /* alpha = 1 */
}

/* F = 5 rounds halve the way to the target; the sixth adds R_AI, those beyond F add R_HAI, as
 * without a counter of bytes the timer stands for both. */
static void dcqcn_increases(void **state)
{
    static struct sender s;
    (void)state;
    dcqcn_at_half(&s);
    for (int round = 0; round < 2; round++) {
        ack(&s, 2, true);
        timer(&s, DCQCN_DECREASE); /* the rate has not risen: the target stays */
    }
    rate_is(&s, 12500 * MBPS);
    for (uint64_t round = 1, gap = 87500 * MBPS; round <= 5; round++) {
        timer(&s, DCQCN_INCREASE);
        gap /= 2;
        rate_is(&s, 100 * GBPS - gap);
    }
    ack(&s, 3, true);
    timer(&s, DCQCN_DECREASE); /* now it moves: 97.265625, and half of it */
    rate_is(&s, 48632812500);
    uint64_t rate = 48632812500, target = 97265625000;
    for (uint64_t round = 1; round <= 5; round++) {
        timer(&s, DCQCN_INCREASE);
        rate = rate / 2 + target / 2;
        rate_is(&s, rate);
    }
    for (uint64_t round = 6; round <= 9; round++) {
        timer(&s, DCQCN_INCREASE);
        target += round == 6 ? 50 * MBPS : 100 * MBPS;
        rate = rate / 2 + target / 2;
        rate_is(&s, rate);
    }
}

/* Stages of bytes count too: R_HAI where both are beyond F. */
static void dcqcn_counts_bytes(void **state)
{
    static struct sender s;
    const uint32_t step = 10; /* packets */
    uint32_t seq = 1;
    (void)state;
    dcqcn_at_half(&s);
    timer(&s, DCQCN_INCREASE);
    rate_is(&s, 75 * GBPS);
    ack(&s, seq, true);
    timer(&s, DCQCN_DECREASE);
    rate_is(&s, 37500 * MBPS);
    s.net.config.dcqcn.increase_bytes = step * 4096;
    s.net.config.dcqcn.fast_recovery = 1;
    ack(&s, seq + step - 1, false);
    rate_is(&s, 37500 * MBPS); /* a packet short */
    ack(&s, seq += step, false);
    rate_is(&s, 56250 * MBPS); /* half the way to 75: stages 0 and 0 */
    ack(&s, seq += step, false);
    rate_is(&s, (56250 + 75050) / 2 * MBPS); /* 0 and 1: R_AI */
    timer(&s, DCQCN_INCREASE);               /* 0 and 2: R_AI */
    uint64_t rate = (65650 + 75100) * MBPS / 2;
    rate_is(&s, rate);
    timer(&s, DCQCN_INCREASE); /* 1 and 2: R_AI still */
    rate = (rate + 75150 * MBPS) / 2;
    rate_is(&s, rate);
    timer(&s, DCQCN_INCREASE); /* 2 and 2: R_HAI */
    rate = (rate + 75250 * MBPS) / 2;
    rate_is(&s, rate);
    timer(&s, DCQCN_DECREASE); /* no mark since */
    rate_is(&s, rate);
}

/* alpha = (1 - g) alpha + g where a mark came since the last time. */
static void dcqcn_alpha(void **state)
{
    static struct sender s;
    (void)state;
    dcqcn_at_half(&s);
    s.net.config.gain = 0.25;
    timer(&s, DCQCN_ALPHA); /* 0.75: the first mark set alpha itself */
    timer(&s, DCQCN_ALPHA); /* 0.5625 */
    ack(&s, 2, true);
    timer(&s, DCQCN_ALPHA); /* 0.421875 + 0.25 */
    timer(&s, DCQCN_DECREASE);
    rate_is(&s, (uint64_t)(50e9 * (1 - 0.671875 / 2)));
    timer(&s, DCQCN_ALPHA);
    ack(&s, 3, true);
    timer(&s, DCQCN_DECREASE);
    rate_is(&s, (uint64_t)(floor(50e9 * (1 - 0.671875 / 2)) * (1 - 0.50390625 / 2)));
}

static void dcqcn_limits(void **state)
{
    static struct sender s;
    (void)state;
    dcqcn_at_half(&s);
    for (uint32_t i = 0; i < 20; i++) {
        ack(&s, 2 + i, true);
        timer(&s, DCQCN_DECREASE);
    }
    rate_is(&s, 100 * MBPS);
    for (uint32_t i = 0; i < 200; i++)
        timer(&s, DCQCN_INCREASE);
    assert_in_range(s.flow.rate, 100 * GBPS - 2, 100 * GBPS);
    /* with the clamp the target follows each decrease */
    dcqcn_at_half(&s);
    s.net.config.dcqcn.clamp_target = true;
    ack(&s, 2, true);
    timer(&s, DCQCN_DECREASE);
    timer(&s, DCQCN_INCREASE);
    rate_is(&s, (25 + 50) * GBPS / 2);
}

/* ---- DCTCP --------------------------------------------------------------------------------- */

/* Of 10 packets a round trip some are marked: alpha follows their share, the rate is cut once a
 * round trip by alpha / 2, and a round trip without a cut adds 1 Gb/s. */
static void dctcp(void **state)
{
    static struct sender s;
    (void)state;
    begin(&s, &nadi_cc_dctcp);
    s.net.config.gain = 0.5;
    start(&s);
    s.flow.next = 9;
    ack(&s, 1, false); /* the first ACK begins a round trip of 9 - 0 + 1 packets */
    rate_is(&s, 100 * GBPS);
    for (uint32_t seq = 2; seq <= 5; seq++)
        ack(&s, seq, true);
    rate_is(&s, 50 * GBPS); /* once, by alpha = 1 */
    ack(&s, 9, false);
    s.flow.next = 18;
    ack(&s, 10, false); /* alpha = 0.5 + 0.5 * 4 / 10; beyond 9, where it was cut: +1 Gb/s */
    rate_is(&s, 51 * GBPS);
    ack(&s, 11, true);
    rate_is(&s, (uint64_t)(51e9 * (1 - 0.7 / 2)));
    const uint64_t cut = s.flow.rate;
    ack(&s, 18, true); /* those were sent before the cut */
    rate_is(&s, cut);
    s.flow.next = 30;
    ack(&s, 19, true); /* 3 of 18 - 10 + 1 */
    rate_is(&s, (uint64_t)((double)cut * (1 - (0.35 + 0.5 * 3 / 9) / 2)));
}

static void dctcp_limits(void **state)
{
    static struct sender s;
    (void)state;
    begin(&s, &nadi_cc_dctcp);
    start(&s);
    for (uint32_t round = 1; round < 200; round++) {
        s.flow.next = 2 * round;
        ack(&s, 2 * round - 1, true);
    }
    rate_is(&s, 100 * MBPS);
    for (uint32_t round = 200; round < 400; round++) {
        s.flow.next = 2 * round;
        ack(&s, 2 * round - 1, false);
    }
    rate_is(&s, 100 * GBPS);
}

/* ---- TIMELY -------------------------------------------------------------------------------- */

static void rtt(struct sender *s, uint32_t seq, uint32_t next, uint64_t rtt_ns)
{
    s->net.wheel.now += 1000000 * NADI_PS_PER_NS;
    s->sent_at = s->net.wheel.now - (nadi_time)rtt_ns * NADI_PS_PER_NS;
    s->flow.next = next;
    ack(s, seq, false);
}

static void timely(void **state)
{
    static struct sender s;
    uint32_t seq = 1;
    (void)state;
    begin(&s, &nadi_cc_timely);
    start(&s);
    rtt(&s, seq, 1, 100000); /* the first one is only remembered */
    rate_is(&s, 100 * GBPS);
    seq++;
    /* d = 0.875 * 10 us, g = 8.75 / 20, R (1 - 0.8 g) */
    rtt(&s, seq, seq, 110000);
    const uint64_t cut = s.flow.rate; /* 0.65, and what doubles make of it */
    assert_in_range(cut, 65 * GBPS - 1, 65 * GBPS);
    rtt(&s, seq, seq + 1, 900000); /* of the same round trip: not looked at */
    rate_is(&s, cut);
    /* d = 0.125 * 8.75 - 0.875 * 10 < 0: five times R_AI, then R_HAI */
    for (uint64_t i = 1; i <= 5; i++) {
        seq++;
        rtt(&s, seq, seq, 110000 - i * 10000);
        rate_is(&s, cut + i * 50 * MBPS);
    }
    seq++;
    rtt(&s, seq, seq, 60000);
    rate_is(&s, cut + 350 * MBPS);
    seq++;
    rtt(&s, seq, seq, 49999); /* below Tlow */
    rate_is(&s, cut + 450 * MBPS);
    seq++;
    rtt(&s, seq, seq, 1000000); /* above Thigh: 1 - 0.8 (1 - 500 / 1000) */
    rate_is(&s, (uint64_t)((double)(cut + 450 * MBPS) * 0.6));
    const uint64_t low = s.flow.rate;
    seq++;
    rtt(&s, seq, seq, 49000); /* from the small step again */
    rate_is(&s, low + 50 * MBPS);
    seq++;
    rtt(&s, seq, seq, 499000); /* g is beyond 1 / 0.8: the least rate */
    rate_is(&s, 100 * MBPS);
    for (int i = 0; i < 1100; i++) {
        seq++;
        rtt(&s, seq, seq, 40000);
    }
    rate_is(&s, 100 * GBPS);
}

static void names(void **state)
{
    (void)state;
#define CHECK(id, word)                                                                            \
    assert_string_equal(nadi_cc_##id.name, word);                                                  \
    assert_ptr_equal(nadi_cc_find(word), &nadi_cc_##id);
    NADI_CONGESTION_CONTROLS(CHECK)
#undef CHECK
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(dcqcn_increases),
        cmocka_unit_test(dcqcn_counts_bytes),
        cmocka_unit_test(dcqcn_alpha),
        cmocka_unit_test(dcqcn_limits),
        cmocka_unit_test(dctcp),
        cmocka_unit_test(dctcp_limits),
        cmocka_unit_test(timely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
