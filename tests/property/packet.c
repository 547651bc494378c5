/* What holds of every packet network, whatever its shape, scheme, losses and flows. */
#include "network/packet/packet.h"
#include "base/mem.h"
#include "base/str.h"
#include "inputs/model_presets.h"

#include "support/between.h"
#include "support/cases.h"
#include "support/packet_case.h"
#include "support/pins.h"

#include <setjmp.h>

#include <cmocka.h>

enum { CASES = CASES_OF(300), EVENTS = 200000000, SLICE = 1500 };

static uint64_t cases = CASES;

struct drawn {
    struct packet_case c;
    struct nadi_pkt *net;
    uint64_t bytes; /* of all flows */
    uint32_t flows, finished;
};

static void on_finished(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct drawn *d = context;
    (void)net, (void)flow;
    d->finished++;
}

static void draw_config(struct nadi_packet_config *config, struct nadi_rng *rng, bool lossy)
{
    static const uint32_t payloads[] = {256, 1000, 4096, 9000};
    uint32_t schemes = 0;
    while (nadi_cc_all[schemes])
        schemes++;
    nadi_packet_config_init(config);
    config->seed = nadi_rng_u64(rng);
    config->cc = nadi_cc_all[nadi_rng_below(rng, schemes)];
    config->payload_bytes = payloads[nadi_rng_below(rng, 4)];
    config->window = nadi_rng_below(rng, 2);
    config->window_global = nadi_rng_below(rng, 4) == 0;
    config->ack_first = nadi_rng_below(rng, 2);
    config->ack_interval_bytes = nadi_rng_below(rng, 4) ? 1 : 4000;
    config->rate_bound = nadi_rng_below(rng, 4) > 0;
    config->retry_limit = 0;
    config->buffer_bytes = 2600 << 10;
    if (nadi_rng_below(rng, 3) == 0)
        config->recovery = NADI_RECOVERY_SELECTIVE;
    if (nadi_rng_below(rng, 4) == 0)
        config->spreading = NADI_SPREADING_PACKET;
    if (nadi_rng_below(rng, 3) == 0)
        config->switching = NADI_SWITCHING_STORE;
    if (!lossy && config->cc->hpcc_mode && nadi_rng_below(rng, 2)) {
        config->exact = true;
        config->rto = 0;
        config->recovery = NADI_RECOVERY_GO_BACK_N;
        config->spreading = NADI_SPREADING_FLOW;
        config->chunk_bytes = config->payload_bytes;
    }
    if (lossy) {
        config->pfc = nadi_rng_below(rng, 2);
        config->buffer_bytes = config->pfc ? 2600 << 10 : 1 << 20;
        config->headroom_factor = config->pfc ? 3 : 0;
        config->window |= !config->pfc; /* else go-back-N may fill a slow cable with repeats */
        config->loss = 0.02 * nadi_rng_unit(rng);
        config->trimming = nadi_rng_below(rng, 4) == 0;
        config->nack_interval = 10000 * NADI_PS_PER_NS;
        config->rto = 200000 * NADI_PS_PER_NS;
    }
}

/* Half of the networks have cables of different rates and latencies. */
static void draw_cables(struct nadi_graph *g, struct nadi_rng *rng)
{
    static const uint64_t gbps[] = {25, 100, 200, 400};
    if (nadi_rng_below(rng, 2))
        return;
    for (uint32_t i = 0; i < g->link_count; i++) {
        g->links[i].bits_per_s = gbps[nadi_rng_below(rng, 4)] * 1000000000;
        g->links[i].latency = rng_between(rng, 1, 1000) * NADI_PS_PER_NS;
    }
}

static void draw(struct drawn *d, struct nadi_rng *rng, bool lossy)
{
    *d = (struct drawn){0};
    if (nadi_rng_below(rng, 2))
        packet_case_star(&d->c, (uint32_t)rng_between(rng, 2, 12));
    else
        packet_case_clos(&d->c, (uint32_t)rng_between(rng, 2, 3), (uint32_t)rng_between(rng, 1, 4),
                         (uint32_t)rng_between(rng, 1, 3));
    draw_config(&d->c.in.packet, rng, lossy);
    if (!d->c.in.packet.exact) /* whose headroom has no room for packets on short cables */
        draw_cables(&d->c.in.graph, rng);
    const uint32_t hosts = d->c.in.graph.host_count;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    d->net = nadi_pkt_create(&d->c.in.graph, &d->c.in.packet, &diags);
    assert_non_null(d->net);
    nadi_diags_release(&diags);
    d->net->hooks = (struct nadi_pkt_hooks){.context = d, .finished = on_finished};
    d->flows = (uint32_t)rng_between(rng, 1, 20);
    const uint32_t target = (uint32_t)nadi_rng_below(rng, hosts); /* of an incast */
    for (uint32_t f = 0; f < d->flows; f++) {
        struct nadi_pkt_flow_spec spec = {
            .src = (uint32_t)nadi_rng_below(rng, hosts),
            .dst = nadi_rng_below(rng, 2) ? target : (uint32_t)nadi_rng_below(rng, hosts),
            .class = (uint8_t)rng_between(rng, 1, 7),
            .dport = 100,
            .bytes = (uint64_t)1 << nadi_rng_below(rng, 21) | nadi_rng_below(rng, 1000),
        };
        if (spec.src == spec.dst)
            spec.dst = (spec.src + 1) % hosts;
        d->bytes += spec.bytes;
        assert_int_not_equal(nadi_pkt_flow_start(d->net, &spec), NADI_NONE);
    }
}

static void release(struct drawn *d)
{
    nadi_pkt_destroy(d->net);
    packet_case_release(&d->c);
}

/* Nothing waits, nothing is held, nobody is paused: buffers are counted right. */
static void is_empty(const struct drawn *d)
{
    const struct nadi_pkt *net = d->net;
    for (uint32_t q = 0; q < net->port_count * NADI_PKT_CLASSES; q++) {
        assert_int_equal(net->queues[q].head, net->queues[q].tail);
        assert_int_equal(net->queues[q].bytes, 0);
        assert_int_equal(net->queues[q].held.used_bytes, 0);
        assert_int_equal(net->queues[q].held.headroom_bytes, 0);
        assert_int_equal(net->queues[q].pausing, 0);
    }
    for (uint32_t s = 0; s < net->switch_count; s++)
        assert_int_equal(net->switches[s].shared_bytes, 0);
    for (uint32_t p = 0; p < net->port_count; p++) {
        assert_int_equal(net->ports[p].paused, 0);
        assert_int_equal(net->ports[p].backlog, 0);
    }
}

/* What lies in a switch fits: packets are whole, and in one place. */
static void fits(const struct drawn *d)
{
    const struct nadi_pkt *net = d->net;
    uint64_t held[64] = {0}, waiting[64] = {0};
    assert_true(net->switch_count <= 64);
    for (uint32_t p = 0; p < net->port_count; p++)
        for (uint32_t c = 1; c < NADI_PKT_CLASSES && !net->ports[p].is_host; c++) {
            const struct nadi_pkt_queue *q = &net->queues[p * NADI_PKT_CLASSES + c];
            held[net->ports[p].owner] += q->held.used_bytes + q->held.headroom_bytes;
            waiting[net->ports[p].owner] += q->bytes;
        }
    for (uint32_t s = 0; s < net->switch_count; s++) {
        assert_int_equal(held[s], waiting[s]);
        assert_true(held[s] <= net->config.buffer_bytes);
    }
}

static void run(struct drawn *d)
{
    const nadi_time forever = NADI_TIME_MAX - 1;
    for (uint32_t slice = 0; !nadi_pkt_run(d->net, &forever, SLICE); slice++) {
        fits(d);
        assert_true(slice < EVENTS / SLICE); /* no deadlock, no endless repeating */
    }
}

static struct pins pins = PINS("packet", "lossless", 10);

static void note(const struct drawn *d, uint64_t seed)
{
    const uint64_t *totals = (const uint64_t *)&d->net->totals;
    for (size_t i = 0; i < sizeof(d->net->totals) / sizeof(*totals); i++)
        digest_u64(&pins.digest, totals[i]);
    for (uint32_t p = 0; p < d->net->port_count; p++)
        digest_u64(&pins.digest, d->net->sent[p].wire_bytes);
    pins_case(&pins, seed);
}

/* Enough headroom and PFC: nothing is ever dropped, and on these trees nothing stays paused. */
static void lossless(void **state)
{
    uint64_t pauses = 0;
    (void)state;
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct nadi_rng rng;
        struct drawn d;
        nadi_rng_init(&rng, seed, "lossless");
        draw(&d, &rng, false);
        run(&d);
        const struct nadi_pkt_totals *t = &d.net->totals;
        if (t->data_bytes_received != d.bytes)
            fail_msg("seed %" PRIu64 ": %" PRIu64 " of %" PRIu64 " bytes with %s", seed,
                     t->data_bytes_received, d.bytes, d.net->cc->name);
        assert_int_equal(t->dropped_full + t->dropped_loss, 0);
        assert_int_equal(t->data_sent, t->data_received + t->trimmed);
        assert_int_equal(t->pauses, t->resumes);
        assert_int_equal(d.finished, d.flows);
        pauses += t->pauses;
        assert_int_equal(d.net->open_flows, 0);
        is_empty(&d);
        note(&d, seed);
        release(&d);
    }
    assert_true(pauses > 20);
}

/* Every byte arrives once, whatever is lost, and every packet is accounted for. */
static void byte_exact_under_loss(void **state)
{
    uint64_t repeated = 0;
    (void)state;
    pins_section(&pins, "loss");
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct nadi_rng rng;
        struct drawn d;
        nadi_rng_init(&rng, seed, "loss");
        draw(&d, &rng, true);
        run(&d);
        const struct nadi_pkt_totals *t = &d.net->totals;
        if (t->data_bytes_received != d.bytes)
            fail_msg("seed %" PRIu64 ": %" PRIu64 " of %" PRIu64 " bytes with %s", seed,
                     t->data_bytes_received, d.bytes, d.net->cc->name);
        assert_int_equal(d.net->open_flows, 0);
        assert_true(t->data_sent <=
                    t->data_received + t->trimmed + t->dropped_full + t->dropped_loss);
        repeated += t->retransmitted;
        is_empty(&d);
        note(&d, seed);
        release(&d);
    }
    assert_true(repeated > 1000);
}

/* A direction of a cable at a tenth to all of its rate and up to three times its latency; seldom
 * down, and then both. */
static void draw_change(const struct drawn *d, struct nadi_rng *rng, bool restore)
{
    struct nadi_pkt *net = d->net;
    const struct nadi_graph *g = net->graph;
    const uint32_t link = (uint32_t)nadi_rng_below(rng, g->link_count);
    const bool down = !restore && nadi_rng_below(rng, 4) == 0;
    struct nadi_pkt_cable cables[2];
    for (uint32_t i = 0; i < 2; i++) {
        const double rate = restore ? 1 : 0.1 + 0.9 * nadi_rng_unit(rng);
        const double latency = restore ? 1 : 3 * nadi_rng_unit(rng);
        cables[i] = (struct nadi_pkt_cable){
            .channel = 2 * link + i,
            .bits_per_s = (uint64_t)((double)g->links[link].bits_per_s * rate),
            .latency =
                (nadi_time)((double)nadi_pkt_to_ticks(net, g->links[link].latency) * latency),
            .down = down,
        };
    }
    nadi_pkt_cables_change(net, cables, 2);
}

static void restore_all(const struct drawn *d, nadi_time at)
{
    const struct nadi_graph *g = d->net->graph;
    nadi_pkt_set_clock(d->net, at);
    for (uint32_t channel = 0; channel < 2 * g->link_count; channel++) {
        const struct nadi_graph_link *link = &g->links[channel / 2];
        const struct nadi_pkt_cable cable = {
            .channel = channel,
            .bits_per_s = link->bits_per_s,
            .latency = nadi_pkt_to_ticks(d->net, link->latency),
        };
        nadi_pkt_cables_change(d->net, &cable, 1);
    }
}

/* Cables change, fail and come back while packets are on them. */
static void byte_exact_under_changes(void **state)
{
    uint64_t lost = 0;
    (void)state;
    pins_section(&pins, "changes");
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct nadi_rng rng;
        struct drawn d;
        nadi_rng_init(&rng, seed, "changes");
        draw(&d, &rng, true);
        nadi_time at = 0;
        for (uint32_t i = 0; i < 6; i++) {
            at += (nadi_time)nadi_rng_below(&rng, 20000) * NADI_PS_PER_NS;
            assert_true(nadi_pkt_run(d.net, &at, EVENTS));
            nadi_pkt_set_clock(d.net, at);
            draw_change(&d, &rng, false);
        }
        at += 10000 * NADI_PS_PER_NS;
        assert_true(nadi_pkt_run(d.net, &at, EVENTS));
        restore_all(&d, at);
        run(&d);
        if (d.net->totals.data_bytes_received != d.bytes)
            fail_msg("seed %" PRIu64 ": %" PRIu64 " of %" PRIu64 " bytes with %s", seed,
                     d.net->totals.data_bytes_received, d.bytes, d.net->cc->name);
        assert_int_equal(d.net->open_flows, 0);
        lost += d.net->totals.dropped_loss;
        is_empty(&d);
        note(&d, seed);
        release(&d);
    }
    assert_true(lost > CASES_OF(1000));
}

/* [CASES]: how many of each. */
int main(int argc, char **argv)
{
    if (argc > 1 && !nadi_str_to_u64(argv[1], &cases))
        return 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lossless),
        cmocka_unit_test(byte_exact_under_loss),
        cmocka_unit_test(byte_exact_under_changes),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return pins_end(&pins) ? failed : 1;
}
