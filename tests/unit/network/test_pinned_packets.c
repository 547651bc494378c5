/* Networks of packets drawn at random, pinned: when every flow ends, what every port carried and
 * all counters, of each congestion control, in both modes. A row that moves is an answer that
 * moves; the messages are the rows as they are now. */
#include "inputs/model_presets.h"
#include "network/packet/cc.h"
#include "support/digest.h"
#include "support/packet_case.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { CASES = 24 };

struct row {
    const char *cc;
    bool exact;
    uint64_t data, marked, pauses, dropped, repeated; /* packets of all cases; frames */
    double seconds;                                   /* of all flows */
    uint64_t digest;                                  /* of everything */
};

static const struct row rows[] = {
    {"none", false, 94035, 15199, 178, 11487, 21605, 0.009181788920, UINT64_C(0x298e313e5fc416e5)},
    {"none", true, 101188, 28718, 249, 0, 0, 0.007178256000, UINT64_C(0x8b2ff774b14af0f9)},
    {"dcqcn", false, 84341, 10954, 76, 3328, 11911, 0.010109908346, UINT64_C(0x1a841e10b726044d)},
    {"dcqcn", true, 101188, 19753, 138, 0, 0, 0.012351073000, UINT64_C(0xf2798f113131aaed)},
    {"hpcc", false, 90700, 12833, 169, 9658, 18270, 0.054502507882, UINT64_C(0xe879b5e81c756fab)},
    {"hpcc", true, 101188, 20400, 231, 0, 0, 0.058966107000, UINT64_C(0x79b99fcd3df9a41f)},
    {"hpcc-pint", false, 91313, 14858, 146, 10601, 18883, 0.008892945222,
     UINT64_C(0xdb127003849b5ba6)},
    {"hpcc-pint", true, 101188, 25430, 210, 0, 0, 0.007382548000, UINT64_C(0x7edf782702348158)},
    {"timely", false, 93500, 13689, 150, 11487, 21070, 0.010518462551,
     UINT64_C(0xa13482dbfe3d059f)},
    {"timely", true, 101188, 27328, 221, 0, 0, 0.011032099000, UINT64_C(0xd004aa762614e82b)},
    {"dctcp", false, 86747, 11524, 87, 6413, 14317, 0.009620501477, UINT64_C(0x160d9a28df1e5819)},
    {"dctcp", true, 101188, 21271, 153, 0, 0, 0.008149282000, UINT64_C(0x89b26ef54ae2ca3c)},
    {"swift", false, 92168, 14731, 169, 11462, 19738, 0.008647865400, UINT64_C(0x225607bf5bbe9df7)},
    {"window", false, 94025, 15006, 169, 11477, 21595, 0.008497433260,
     UINT64_C(0x453b644206dcadb7)},
    {"ndp", false, 91939, 975, 4, 19689, 19509, 0.012478567880, UINT64_C(0xed232e33790fe6a9)},
    {"eqds", false, 92439, 972, 14, 20208, 20009, 0.011985548800, UINT64_C(0x2fbb32ac3f016dc9)},
};

static uint64_t draw_state; /* of Knuth's linear congruential generator */

static uint32_t below(uint32_t n)
{
    draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((draw_state >> 33) % n);
}

static void draw_config(struct nadi_packet_config *c, const struct nadi_cc_ops *cc, bool exact)
{
    static const uint32_t payloads[] = {256, 1000, 1500, 4096};
    if (!exact)
        nadi_packet_config_init(c);
    c->exact = exact;
    c->cc = cc;
    c->swift.per_hop = 3053435; /* the paper's; the key's default is whole ns */
    c->payload_bytes = payloads[below(4)];
    c->window = below(4) > 0;
    c->window_variable = below(2);
    c->window_global = below(3) == 0;
    c->rate_bound = below(4) > 0;
    c->ack_first = below(2);
    c->buffer_bytes = UINT64_C(1) << (20 + below(5));
    c->pfc = below(3) > 0;
    c->ecn = below(4) > 0;
    if (below(4)) {
        c->ecn_rows = 1;
        c->ecn_map[0] = (struct nadi_ecn_row){UINT64_C(400000000000), 10000 << below(3),
                                              50000 << below(3), below(2) ? 0.2 : 1};
    }
    c->rate_ai *= 1 + below(20);
    c->rate_hai *= 1 + below(40);
    c->gain = 1.0 / (1 << (4 + below(5)));
    c->dcqcn.clamp_target = below(2);
    c->dcqcn.alpha_interval = (nadi_time)(1 + below(8)) * 1000 * NADI_PS_PER_NS;
    c->dcqcn.decrease_interval = (nadi_time)(1 + below(8)) * 1000 * NADI_PS_PER_NS;
    c->dcqcn.increase_interval = (nadi_time)(1 + below(60)) * 1000 * NADI_PS_PER_NS;
    c->dcqcn.increase_bytes = below(2) ? UINT64_C(20000) << below(4) : 0;
    c->dcqcn.fast_recovery = below(6);
    c->dcqcn.notify_interval = (nadi_time)below(2) * 4000 * NADI_PS_PER_NS;
    c->hpcc.mi_threshold = below(6);
    c->hpcc.int_multiple = 1 + below(3);
    c->hpcc.fast_react = below(2);
    c->hpcc.multi_rate = below(2);
    c->hpcc.sample_feedback = below(2);
    c->hpcc.pint_probability = below(2) ? 1 : 0.5;
    c->timely.least_rtt = 4000 * NADI_PS_PER_NS;
    c->timely.low = (nadi_time)(5 + below(5)) * 1000 * NADI_PS_PER_NS;
    c->timely.high = c->timely.low * 3;
    c->swift.base_target = (nadi_time)(1 + below(5)) * 1000 * NADI_PS_PER_NS;
    c->swift.scale_range = 0.1 * (1 + below(10));
    if (exact)
        return;
    c->recovery = below(2) ? NADI_RECOVERY_GO_BACK_N : NADI_RECOVERY_SELECTIVE;
    c->ack_interval_bytes = below(2) ? 1 : 16 << 10;
    c->rto = (nadi_time)(50 + below(200)) * 1000 * NADI_PS_PER_NS;
    c->retry_limit = 0;
    c->loss = below(4) ? 0 : 0.002;
    c->spreading = below(2) ? NADI_SPREADING_FLOW : NADI_SPREADING_PACKET;
    c->trimming = c->recovery == NADI_RECOVERY_SELECTIVE && below(2);
    c->trim_queue_bytes = 16 << 10;
    c->switching = below(2) ? NADI_SWITCHING_AUTO : NADI_SWITCHING_STORE;
}

static void draw(struct packet_case *c, const struct nadi_cc_ops *cc, bool exact)
{
    if (below(2))
        packet_case_star(c, 3 + below(6));
    else
        packet_case_clos(c, 2 + below(2), 2 + below(3), 1 + below(3));
    for (uint32_t i = 0; i < c->in.graph.link_count; i++)
        if (below(8) == 0)
            c->in.graph.links[i].bits_per_s /= 1 + below(4);
    draw_config(&c->in.packet, cc, exact);
    const uint32_t hosts = c->in.graph.host_count, flows = 2 + below(2 * hosts);
    uint64_t start_ns = 0;
    for (uint32_t f = 0; f < flows; f++) {
        const uint32_t src = below(hosts), dst = below(2) ? 0 : below(hosts);
        start_ns += below(2) * below(3000);
        packet_case_flow(c, src, src == dst ? (dst + 1) % hosts : dst,
                         below(4) ? 20000 + below(1000000) : below(3000), start_ns);
    }
}

static void measure(struct row *r, const struct nadi_cc_ops *cc)
{
    for (uint32_t i = 0; i < CASES; i++) {
        struct packet_case c;
        draw_state = i + 1;
        draw(&c, cc, r->exact);
        packet_case_run(&c);
        assert_true(c.result.outcome == NADI_OUTCOME_DONE);
        for (size_t k = 0; k < c.listed->done_count; k++) {
            const struct nadi_flow_done *d = &c.listed->done[k];
            r->seconds += (double)d->duration / 1e12;
            digest_u64(&r->digest, d->flow);
            digest_u64(&r->digest, (uint64_t)d->start);
            digest_u64(&r->digest, (uint64_t)d->duration);
            digest_u64(&r->digest, (uint64_t)d->alone);
        }
        for (uint32_t p = 0; p < c.listed->port_count; p++) {
            const struct nadi_port_total *t = &c.listed->ports[p];
            digest_u64(&r->digest, t->packets);
            digest_u64(&r->digest, t->bytes);
            digest_u64(&r->digest, t->peak_bytes);
            digest_u64(&r->digest, (uint64_t)t->busy);
        }
        const struct nadi_pkt_totals *t = &c.listed->totals;
        r->data += t->data_sent;
        r->marked += t->marked;
        r->pauses += t->pauses;
        r->dropped += t->dropped_full + t->dropped_loss + t->trimmed;
        r->repeated += t->retransmitted;
        digest_u64(&r->digest, t->acks_sent);
        digest_u64(&r->digest, t->acks_received);
        digest_u64(&r->digest, t->data_bytes_received);
        digest_u64(&r->digest, t->resumes);
        digest_u64(&r->digest, t->pulls);
        digest_u64(&r->digest, t->timeouts);
        digest_u64(&r->digest, c.listed->pfc_total);
        digest_u64(&r->digest, (uint64_t)c.listed->end);
        packet_case_release(&c);
    }
}

static void pinned(void **state)
{
    size_t at = 0;
    bool all = true;
    (void)state;
    for (const struct nadi_cc_ops *const *cc = nadi_cc_all; *cc; cc++)
        for (int exact = 0; exact <= ((*cc)->hpcc_mode > 0 || *cc == &nadi_cc_none); exact++) {
            struct row r = {.cc = (*cc)->name, .exact = exact, .digest = DIGEST_INIT};
            measure(&r, *cc);
            const struct row *q = &rows[at];
            const bool same = at < sizeof(rows) / sizeof(rows[0]) && strcmp(q->cc, r.cc) == 0 &&
                              q->exact == r.exact && q->data == r.data && q->marked == r.marked &&
                              q->pauses == r.pauses && q->dropped == r.dropped &&
                              q->repeated == r.repeated && fabs(q->seconds - r.seconds) < 1e-12 &&
                              q->digest == r.digest;
            if (!same)
                print_error("{\"%s\", %s, %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64
                            ", %" PRIu64 ", %.12f, UINT64_C(0x%" PRIx64 ")},\n",
                            r.cc, exact ? "true" : "false", r.data, r.marked, r.pauses, r.dropped,
                            r.repeated, r.seconds, r.digest);
            all &= same;
            at++;
        }
    assert_true(all);
    assert_int_equal(at, sizeof(rows) / sizeof(rows[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pinned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
