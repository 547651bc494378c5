/* A network that runs in parts gives what it gives as a whole: every number of it. */
#include "base/mem.h"
#include "base/rng.h"
#include "inputs/model_presets.h"
#include "network/packet/cc.h"
#include "network/packet/parts.h"
#include "support/between.h"
#include "support/packet_case.h"
#include "support/pins.h"

#include <setjmp.h>

#include <cmocka.h>

enum { CASES = 60 };

static uint64_t pick(struct nadi_rng *rng, const uint64_t *of, uint64_t count)
{
    return of[nadi_rng_below(rng, count)];
}

static void connect(struct nadi_graph *g, struct nadi_rng *rng, uint32_t a, uint32_t b, bool alike)
{
    static const uint64_t gbps[] = {25, 100, 200, 400}, ns[] = {0, 100, 500, 1000, 1000, 3000};
    const struct nadi_graph_link link = {
        .a = a,
        .b = b,
        .bits_per_s = (alike ? 400 : pick(rng, gbps, 4)) * UINT64_C(1000000000),
        .latency = (nadi_time)(alike ? 1000 : pick(rng, ns, 6)) * NADI_PS_PER_NS,
        .loss = !alike && nadi_rng_below(rng, 20) == 0 ? 0.01 : 0,
    };
    nadi_graph_add_link(g, link);
}

/* Racks and spines, or a ring of switches, with hosts; some with two cables. In step: all cables
 * are alike, so that much happens at one time. */
static void draw_graph(struct nadi_graph *g, struct nadi_rng *rng, bool in_step)
{
    const uint32_t racks = (uint32_t)rng_between(rng, 1, 5);
    const uint32_t hosts = (uint32_t)rng_between(rng, 2, 5);
    const uint32_t spines = (uint32_t)rng_between(rng, 1, 4);
    const bool ring = nadi_rng_below(rng, 5) == 0;
    const uint32_t rack0 = racks * hosts, spine0 = rack0 + racks;
    nadi_graph_init(g);
    for (uint32_t h = 0; h < racks * hosts; h++)
        nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
    for (uint32_t s = 0; s < racks + (ring ? 0 : spines); s++)
        nadi_graph_add_node(g, NADI_GRAPH_SWITCH, NULL);
    for (uint32_t h = 0; h < racks * hosts; h++) {
        connect(g, rng, h, rack0 + h / hosts, in_step);
        if (nadi_rng_below(rng, 8) == 0)
            connect(g, rng, h, rack0 + (uint32_t)nadi_rng_below(rng, racks), in_step);
    }
    for (uint32_t r = 0; r < racks; r++)
        for (uint32_t s = 0; s < (ring ? 1 : spines); s++)
            if (!ring || racks > 1)
                connect(g, rng, rack0 + r, ring ? rack0 + (r + 1) % racks : spine0 + s, in_step);
    if (nadi_rng_below(rng, 4) == 0) /* forwards only so much */
        g->nodes[rack0 + nadi_rng_below(rng, racks)].forward_bits_s = UINT64_C(300000000000);
    nadi_graph_finish(g);
}

static void draw_config(struct nadi_packet_config *config, struct nadi_rng *rng)
{
    static const uint64_t payloads[] = {256, 1000, 4096, 9000};
    uint32_t schemes = 0;
    while (nadi_cc_all[schemes])
        schemes++;
    nadi_packet_config_init(config);
    config->seed = nadi_rng_u64(rng);
    config->cc = nadi_cc_all[nadi_rng_below(rng, schemes)];
    config->payload_bytes = (uint32_t)pick(rng, payloads, 4);
    config->window = nadi_rng_below(rng, 2);
    config->window_global = nadi_rng_below(rng, 4) == 0;
    config->ack_first = nadi_rng_below(rng, 2);
    config->ack_interval_bytes = nadi_rng_below(rng, 4) ? 1 : 16000;
    config->buffer_bytes = (uint64_t)rng_between(rng, 6, 16) << 20;
    config->pfc = nadi_rng_below(rng, 4) > 0;
    config->threshold_shift = (uint32_t)rng_between(rng, 3, 7);
    config->nic_pauses = nadi_rng_below(rng, 6) == 0;
    config->loss = nadi_rng_below(rng, 4) ? 0 : 0.01 * nadi_rng_unit(rng);
    config->rto = 200000 * NADI_PS_PER_NS;
    config->retry_limit = (uint32_t)rng_between(rng, 1, 7);
    config->nack_interval = 10000 * NADI_PS_PER_NS;
    config->trimming = nadi_rng_below(rng, 6) == 0;
    config->hpcc.pint_probability = nadi_rng_below(rng, 2) ? 1 : 0.5;
    for (uint32_t i = 0; i < config->ecn_rows; i++)
        config->ecn_map[i].kmin_bytes /= 20;
    if (nadi_rng_below(rng, 3) == 0)
        config->recovery = NADI_RECOVERY_SELECTIVE;
    if (nadi_rng_below(rng, 4) == 0)
        config->spreading = NADI_SPREADING_PACKET;
    if (nadi_rng_below(rng, 3) == 0)
        config->switching = NADI_SWITCHING_STORE;
    if (nadi_rng_below(rng, 8) == 0)
        config->stop = rng_between(rng, 1000, 200000) * NADI_PS_PER_NS;
}

static void draw(struct nadi_inputs *in, struct nadi_rng *rng)
{
    const bool in_step = nadi_rng_below(rng, 2);
    packet_case_inputs(in);
    in->flows->max_pfc_events = nadi_rng_below(rng, 4) ? 100000 : 7;
    draw_graph(&in->graph, rng, in_step);
    draw_config(&in->packet, rng);
    if (nadi_rng_below(rng, 2)) {
        in->flows->sample = rng_between(rng, 500, 50000) * NADI_PS_PER_NS;
        in->flows->max_rows = nadi_rng_below(rng, 2) ? 100 : 100000;
    }
    const uint32_t hosts = in->graph.host_count, target = (uint32_t)nadi_rng_below(rng, hosts);
    const uint32_t flows = (uint32_t)rng_between(rng, 1, 40);
    const bool incast = nadi_rng_below(rng, 2);
    for (uint32_t f = 0; f < flows; f++) {
        struct nadi_flow_spec flow = {
            .src = (uint32_t)nadi_rng_below(rng, hosts),
            .dst = incast ? target : (uint32_t)nadi_rng_below(rng, hosts),
            .priority = nadi_rng_below(rng, 5) ? 3 : 1 + (uint32_t)nadi_rng_below(rng, 7),
            .port = 100,
            .bytes = nadi_rng_below(rng, in_step ? 2 : 20) ? nadi_rng_below(rng, 300000) : 100000,
            .start = (nadi_time)nadi_rng_below(rng, 3) * (nadi_time)nadi_rng_below(rng, 5) * 10000 *
                     NADI_PS_PER_NS,
        };
        flow.dst = flow.src == flow.dst ? (flow.dst + 1) % hosts : flow.dst;
        NADI_PUSH(&in->flows->list, flow);
    }
}

static void same(uint64_t seed, uint32_t threads, const char *what, const void *x, const void *y,
                 size_t bytes)
{
    if (bytes && memcmp(x, y, bytes) != 0)
        fail_msg("seed %" PRIu64 ": %s differ with %" PRIu32 " threads", seed, what, threads);
}

static void is_same(uint64_t seed, uint32_t threads, const struct nadi_result *with,
                    const struct nadi_result *without)
{
    const struct nadi_flows_result *x = with->listed, *y = without->listed;
    assert_int_equal(x->done_count, y->done_count);
    for (size_t i = 0; i < x->done_count; i++) { /* not by memory: there is padding */
        const struct nadi_flow_done *a = &x->done[i], *b = &y->done[i];
        if (a->flow != b->flow || a->sport != b->sport || a->start != b->start ||
            a->duration != b->duration || a->alone != b->alone)
            fail_msg("seed %" PRIu64 ": flow %" PRIu32 " differs with %" PRIu32 " threads", seed,
                     a->flow, threads);
    }
    assert_int_equal(x->pfc_total, y->pfc_total);
    assert_int_equal(x->pfc_count, y->pfc_count);
    for (size_t i = 0; i < x->pfc_count; i++) {
        const struct nadi_pfc_event *a = &x->pfc[i], *b = &y->pfc[i];
        assert_true(a->at == b->at && a->node == b->node && a->port == b->port &&
                    a->is_switch == b->is_switch && a->pause == b->pause);
    }
    same(seed, threads, "totals", &x->totals, &y->totals, sizeof(x->totals));
    same(seed, threads, "ports", x->ports, y->ports, x->port_count * sizeof(*x->ports));
    for (int k = 0; k < NADI_SERIES; k++) {
        const struct nadi_series *a = &x->samples.series[k], *b = &y->samples.series[k];
        assert_int_equal(a->count, b->count);
        assert_int_equal(a->interval, b->interval);
        same(seed, threads, "samples", a->items, b->items, a->count * sizeof(*a->items));
    }
    assert_int_equal(x->hops, y->hops);
    assert_int_equal(x->end, y->end);
    assert_int_equal(with->outcome, without->outcome);
    assert_int_equal(with->packets.blocked_ports, without->packets.blocked_ports);
    assert_int_equal(with->packets.blocked_node, without->packets.blocked_node);
}

static void run(const struct nadi_inputs *in, struct nadi_result *result)
{
    nadi_simulate(in, NULL, result);
    assert_int_not_equal(result->outcome, NADI_OUTCOME_REFUSED);
}

static struct pins pins = PINS("packet_parts", "lists", 5);

static void note(const struct nadi_flows_result *r, uint64_t seed)
{
    const uint64_t *totals = (const uint64_t *)&r->totals;
    for (size_t i = 0; i < sizeof(r->totals) / sizeof(*totals); i++)
        digest_u64(&pins.digest, totals[i]);
    for (size_t i = 0; i < r->done_count; i++) {
        digest_u64(&pins.digest, r->done[i].flow);
        digest_u64(&pins.digest, (uint64_t)r->done[i].duration);
        digest_u64(&pins.digest, (uint64_t)r->done[i].alone);
    }
    for (uint32_t p = 0; p < r->port_count; p++) {
        digest_u64(&pins.digest, r->ports[p].bytes);
        digest_u64(&pins.digest, r->ports[p].peak_bytes);
        digest_u64(&pins.digest, (uint64_t)r->ports[p].busy);
    }
    for (int k = 0; k < NADI_SERIES; k++)
        digest_u64(&pins.digest, r->samples.series[k].count);
    digest_u64(&pins.digest, (uint64_t)r->end);
    pins_case(&pins, seed);
}

static void as_a_whole(void **state)
{
    static const uint32_t threads[] = {2, 3, 7};
    uint64_t done = 0, open = 0, pauses = 0, lost = 0, marked = 0, rows = 0;
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct nadi_inputs in;
        struct nadi_result whole, parts;
        struct nadi_rng rng;
        nadi_rng_init(&rng, seed, "parts");
        draw(&in, &rng);
        run(&in, &whole);
        in.options.threads = threads[seed % 3];
        run(&in, &parts);
        is_same(seed, in.options.threads, &whole, &parts);
        nadi_result_release(&parts);
        note(whole.listed, seed);
        done += whole.listed->done_count;
        open += in.flows->list.count - whole.listed->done_count;
        pauses += whole.listed->totals.pauses;
        lost += whole.listed->totals.dropped_loss;
        marked += whole.listed->totals.marked;
        rows += whole.listed->samples.series[NADI_SERIES_FLOWS].count;
        nadi_result_release(&whole);
        nadi_inputs_release(&in);
    }
    assert_true(done > 500 && open > 5 && pauses > 50 && lost > 50 && marked > 50);
    assert_true(rows > 300);
    assert_true(pins_end(&pins));
}

/* Parts have about as much to do, and no cable without latency lies between them. */
static void is_fair(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct nadi_inputs in;
        struct nadi_diags diags;
        struct nadi_rng rng;
        nadi_diags_init(&diags);
        nadi_rng_init(&rng, seed, "cut");
        draw(&in, &rng);
        struct nadi_pkt *net = nadi_pkt_create(&in.graph, &in.packet, &diags);
        assert_non_null(net);
        uint32_t *part_of = NADI_NEW(uint32_t, in.graph.node_count);
        const uint32_t most = (uint32_t)rng_between(&rng, 1, 9);
        const uint32_t count = nadi_pkt_cut(net, most, part_of);
        assert_in_range(count, 1, most);
        bool *used = NADI_ZNEW(bool, count);
        for (uint32_t n = 0; n < in.graph.node_count; n++) {
            assert_in_range(part_of[n], 0, count - 1);
            used[part_of[n]] = true;
        }
        for (uint32_t p = 0; p < count; p++)
            assert_true(used[p]);
        for (uint32_t l = 0; l < in.graph.link_count; l++)
            if (in.graph.links[l].latency == 0)
                assert_int_equal(part_of[in.graph.links[l].a], part_of[in.graph.links[l].b]);
        nadi_mem_free(used);
        nadi_mem_free(part_of);
        nadi_pkt_destroy(net);
        nadi_inputs_release(&in);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_whole),
        cmocka_unit_test(is_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
