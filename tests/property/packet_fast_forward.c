/* A run of flows that fast-forwards over steady states equals one that does not.
 *
 *   packet_fast_forward [NETWORKS [FIRST_SEED]]
 *
 * On each network some flows: every time, counter and queue; and a list of flows with samples over
 * time, which threads run as well. Of whole jobs: packet_fast_forward_jobs. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/model_presets.h"
#include "network/packet/fast_forward.h"
#include "network/packet/messages.h"
#include "network/packet/packet.h"
#include "report/columns.h"
#include "support/between.h"
#include "support/job_draw.h"
#include "support/packet_case.h"
#include "support/pins.h"
#include "support/seeds.h"
#include "support/texts.h"

#ifdef __SANITIZE_ADDRESS__
static struct seeds asked = {10, 0};
#else
static struct seeds asked = {50, 0};
#endif
static const char *const runs_of[2] = {"with fast-forward", "without"};

struct tally {
    uint64_t skipped, events, skipping;
};

enum { MOST_FLOWS = 24, MOST_MESSAGES = 6 }; /* a flow */

static struct pins pins = PINS("packet_fast_forward", "networks", 5);

struct drawn {
    struct packet_case c;
    struct nadi_pkt *net;
    uint32_t flows;
    bool apart; /* hosts of even and of odd numbers do not reach each other */
    nadi_time finished[MOST_FLOWS * MOST_MESSAGES]; /* ticks, by the message's `user` */
    struct {
        uint64_t bytes; /* of each message */
        uint32_t left;  /* messages to come */
    } rest[MOST_FLOWS]; /* by queue pair */
};

static void on_finished(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct drawn *d = context;
    d->finished[net->infos[flow].user] = net->wheel.now;
}

/* The next message of the flow, if it has one, goes behind the one that has been sent. */
static void on_sent(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct drawn *d = context;
    const uint32_t queue_pair = net->infos[flow].queue_pair;
    if (d->rest[queue_pair].left == 0)
        return;
    const uint32_t user = (MOST_MESSAGES - d->rest[queue_pair].left--) * MOST_FLOWS + queue_pair;
    assert_true(nadi_pkt_flow_append(net, flow, d->rest[queue_pair].bytes, user));
}

static void on_closed(void *context, struct nadi_pkt *net, uint32_t flow)
{
    const struct drawn *d = context;
    assert_int_equal(d->rest[net->infos[flow].queue_pair].left, 0);
}

/* Two switches: parts that do not touch each other, of different rates. */
static void two_stars(struct packet_case *c, struct nadi_rng *rng)
{
    const uint32_t hosts = (uint32_t)rng_between(rng, 4, 9);
    packet_case_star(c, hosts);
    struct nadi_graph_link link = c->in.graph.links[0];
    nadi_graph_release(&c->in.graph);
    nadi_graph_init(&c->in.graph);
    for (uint32_t n = 0; n < hosts + 2; n++)
        nadi_graph_add_node(&c->in.graph, n < hosts ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
    const uint64_t rates[] = {link.bits_per_s, link.bits_per_s / 2};
    for (uint32_t h = 0; h < hosts; h++) {
        link.a = h;
        link.b = hosts + h % 2;
        link.bits_per_s = rates[h % 2];
        nadi_graph_add_link(&c->in.graph, link);
    }
    nadi_graph_finish(&c->in.graph);
}

/* Are the hosts of even and of odd numbers apart? */
static bool draw_network(struct packet_case *c, struct nadi_rng *rng)
{
    if (nadi_rng_below(rng, 4) == 0)
        return two_stars(c, rng), true;
    if (nadi_rng_below(rng, 2))
        packet_case_star(c, (uint32_t)rng_between(rng, 2, 8));
    else
        packet_case_clos(c, (uint32_t)rng_between(rng, 2, 3), (uint32_t)rng_between(rng, 1, 3),
                         (uint32_t)rng_between(rng, 1, 3));
    for (uint32_t i = 0; i < c->in.graph.link_count; i++)
        if (nadi_rng_below(rng, 16) == 0)
            c->in.graph.links[i].bits_per_s /= (uint64_t)rng_between(rng, 1, 8);
    return false;
}

static void draw_config(struct nadi_packet_config *config, struct nadi_rng *rng)
{
    static const char *const schemes[] = {"none", "window", "dcqcn"};
    static const uint32_t payloads[] = {256, 1000, 4096};
    if (nadi_rng_below(rng, 2))
        nadi_packet_config_init(config);
    config->cc = nadi_cc_find(schemes[config->exact ? 2 * pick(rng, 0, 1) : pick(rng, 0, 2)]);
    config->payload_bytes = payloads[nadi_rng_below(rng, 3)];
    config->window = nadi_rng_below(rng, 8) > 0; /* without it queues grow: nothing is steady */
    config->ack_first = nadi_rng_below(rng, 2);
    if (!config->exact && nadi_rng_below(rng, 2))
        config->ack_interval_bytes = 32 << 10;
    if (nadi_rng_below(rng, 4) == 0)
        config->buffer_bytes = 2600 << 10;
    config->ecn = pick(rng, 0, 2) > 0;
    config->fast_forward_wait = chance(rng, 2) ? 0 : pick_size(rng, 10);
    if (chance(rng, 2))
        draw_dcqcn(config, rng);
}

/* Of schemes whose senders or packets remember times. Where HPCC aims beyond the line, or a path's
 * later cables are faster, its senders stay at the line's rate and come to do the same again. */
static void draw_scheme(struct nadi_packet_config *c, struct nadi_rng *rng)
{
    static const char *const schemes[] = {"hpcc", "timely", "dctcp", "swift"};
    c->cc = nadi_cc_find(schemes[pick(rng, 0, c->exact ? 2 : 3)]);
    if (chance(rng, 2)) /* reports count in units of 128 bytes */
        c->payload_bytes = 1024 * (uint32_t)pick(rng, 1, 4) - (c->exact ? 78 : 104);
    c->hpcc.target = chance(rng, 4) ? 0.95 : 1.5;
    c->hpcc.multi_rate = chance(rng, 3);
    c->hpcc.sample_feedback = chance(rng, 4);
    c->hpcc.fast_react = !chance(rng, 4);
    c->hpcc.int_multiple = chance(rng, 3) ? (uint32_t)pick(rng, 2, 4) : 1;
    c->timely.low = chance(rng, 4) ? 10000 * NADI_PS_PER_NS : c->timely.low;
    c->swift.per_hop = chance(rng, 3) ? 0 : c->swift.per_hop;
    c->swift.base_target = 1000 * NADI_PS_PER_NS * (nadi_time)pick(rng, 1, 40);
    c->dctcp_rate_ai *= chance(rng, 3) ? 1 : 100;
    c->rto =
        !c->exact && chance(rng, 3) ? 100000 * NADI_PS_PER_NS * (nadi_time)pick(rng, 1, 9) : c->rto;
}

/* In short round trips averages settle soon. */
static void shorten(struct packet_case *c, struct nadi_rng *rng)
{
    const nadi_time by = chance(rng, 2) ? (nadi_time)pick(rng, 2, 20) : 1;
    for (uint32_t i = 0; i < c->in.graph.link_count; i++)
        c->in.graph.links[i].latency /= by;
}

static void make(struct drawn *d)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    d->net = nadi_pkt_create(&d->c.in.graph, &d->c.in.packet, &diags);
    assert_non_null(d->net);
    nadi_diags_release(&diags);
    d->net->hooks = (struct nadi_pkt_hooks){
        .context = d, .finished = on_finished, .sent = on_sent, .closed = on_closed};
}

/* Further messages go behind it; mostly of whole packets, so that packets do not tell them. */
static void draw_rest(struct drawn *d, struct nadi_pkt_flow_spec *spec, struct nadi_rng *rng)
{
    const uint64_t payload = d->c.in.packet.payload_bytes;
    spec->has_queue_pair = true;
    spec->queue_pair = d->flows;
    spec->sport = nadi_pkt_next_port(d->net, spec->src, spec->dst);
    d->rest[spec->queue_pair].left = (uint32_t)pick(rng, 1, MOST_MESSAGES - 1);
    d->rest[spec->queue_pair].bytes =
        chance(rng, 3) ? pick_size(rng, 18) : pick_size(rng, 8) * payload;
}

static void start(struct drawn *d, struct nadi_pkt_flow_spec spec)
{
    spec.class = 3;
    spec.dport = 100;
    spec.user = d->flows++;
    assert_int_not_equal(nadi_pkt_flow_start(d->net, &spec), NADI_NONE);
}

/* Rings, incasts and whatever else: mostly long flows that begin together. */
static void draw_flows(struct drawn *d, struct nadi_rng *rng)
{
    const uint32_t hosts = d->c.in.graph.host_count, shape = (uint32_t)nadi_rng_below(rng, 3);
    const uint64_t bytes = (uint64_t)1 << rng_between(rng, 20, 23);
    const bool unequal = shape == 2 || chance(rng, 4);
    const uint32_t flows = shape == 0 ? hosts : (uint32_t)rng_between(rng, 1, 8);
    for (uint32_t f = 0; f < flows; f++) {
        struct nadi_pkt_flow_spec spec = {
            .src = shape == 0 ? f : (uint32_t)nadi_rng_below(rng, hosts),
            .dst = shape == 0   ? (f + 1) % hosts
                   : shape == 1 ? 0
                                : (uint32_t)nadi_rng_below(rng, hosts),
            .bytes = unequal ? pick_size(rng, 22) + nadi_rng_below(rng, bytes) : bytes,
        };
        if (d->apart)
            spec.dst = (spec.src + 2) % hosts / 2 * 2 + spec.src % 2;
        if (spec.dst >= hosts)
            spec.dst = spec.src % 2;
        if (spec.src == spec.dst)
            spec.dst = d->apart ? (spec.src + 2) % 4 : (spec.src + 1) % hosts;
        if (!d->c.in.packet.exact && chance(rng, 3))
            draw_rest(d, &spec, rng);
        start(d, spec);
    }
}

static void draw(struct drawn *d, uint64_t seed, bool remembers)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, remembers ? "leaping times" : "leap");
    *d = (struct drawn){0};
    d->apart = draw_network(&d->c, &rng);
    draw_config(&d->c.in.packet, &rng);
    if (remembers) {
        draw_scheme(&d->c.in.packet, &rng);
        shorten(&d->c, &rng);
    }
    make(d);
    draw_flows(d, &rng);
}

static void release(struct drawn *d)
{
    nadi_pkt_destroy(d->net);
    packet_case_release(&d->c);
}

static void without_fast_forward(struct drawn *d)
{
    nadi_pkt_fast_forward_destroy(d->net->fast_forward);
    d->net->fast_forward = NULL;
}

/* In parts, as the clock of a job lets it go on. */
static void run(struct drawn *d, nadi_time step)
{
    const nadi_time end = NADI_TIME_MAX / 4;
    nadi_time until = step ? step : end;
    for (;; until += step) {
        assert_true(nadi_pkt_run(d->net, &until, UINT64_MAX));
        if (until >= end || d->net->open_flows == 0)
            break;
    }
}

static void same(const struct drawn *x, const struct drawn *y, uint64_t seed)
{
    const uint32_t ports = x->net->port_count;
    for (uint32_t f = 0; f < MOST_FLOWS * MOST_MESSAGES; f++)
        if (x->finished[f] != y->finished[f])
            fail_msg("seed %" PRIu64 ", message %" PRIu32 ": %" PRId64
                     " with fast-forward, %" PRId64 " without",
                     seed, f, x->finished[f], y->finished[f]);
    if (memcmp(&x->net->totals, &y->net->totals, sizeof(x->net->totals)) != 0)
        fail_msg("seed %" PRIu64 ": totals differ", seed);
    assert_memory_equal(x->net->sent, y->net->sent, ports * sizeof(*x->net->sent));
    for (uint32_t q = 0; q < ports * NADI_PKT_CLASSES; q++)
        assert_int_equal(x->net->queues[q].peak_bytes, y->net->queues[q].peak_bytes);
    assert_memory_equal(x->net->rngs, y->net->rngs, ports * sizeof(*x->net->rngs));
    if (x->net->state_bytes &&
        memcmp(x->net->cc_state, y->net->cc_state, x->net->flow_count * x->net->state_bytes) != 0)
        fail_msg("seed %" PRIu64 ": what senders remember differs", seed);
}

static void try_flows(uint64_t seed, bool remembers, struct tally *tally)
{
    struct drawn with, without;
    draw(&with, seed, remembers);
    draw(&without, seed, remembers);
    without_fast_forward(&without);
    const nadi_time part = seed % 4 ? 0 : 300000000 / with.net->tick;
    run(&with, part);
    run(&without, part);
    same(&with, &without, seed);
    for (uint32_t f = 0; f < MOST_FLOWS * MOST_MESSAGES; f++)
        digest_u64(&pins.digest, (uint64_t)with.finished[f]);
    digest_u64(&pins.digest, with.net->totals.events);
    digest_u64(&pins.digest, nadi_pkt_skipped_events(with.net));
    tally->skipped += nadi_pkt_skipped_events(with.net);
    tally->skipping += nadi_pkt_skipped_events(with.net) > 0;
    tally->events += with.net->totals.events;
    release(&with);
    release(&without);
}

/* ---- lists of flows ------------------------------------------------------------------------ */

static void draw_list(struct packet_case *c, uint64_t seed)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "leaping lists");
    const bool apart = draw_network(c, &rng);
    draw_config(&c->in.packet, &rng);
    const uint32_t hosts = c->in.graph.host_count;
    const uint64_t flows = pick(&rng, 1, 16), spread = pick(&rng, 0, 18);
    uint64_t start = 0;
    for (uint64_t f = 0; f < flows; f++) {
        const uint32_t src = (uint32_t)nadi_rng_below(&rng, hosts);
        const uint32_t ways = apart ? (hosts + (src % 2 == 0)) / 2 : hosts;
        const uint32_t step = (uint32_t)pick(&rng, 1, ways - 1);
        const uint32_t dst = apart ? (src / 2 + step) % ways * 2 + src % 2 : (src + step) % hosts;
        start += chance(&rng, 2) ? 0 : pick_size(&rng, spread) - 1;
        packet_case_flow(c, src, dst, pick_size(&rng, 22), start);
    }
    c->in.flows->sample =
        chance(&rng, 2) ? (nadi_time)pick_size(&rng, 7) * 1000 * NADI_PS_PER_NS : 0;
    c->in.flows->max_rows = 2000;
    c->in.packet.stop = chance(&rng, 6) ? (nadi_time)pick_size(&rng, 20) * NADI_PS_PER_NS : 0;
}

static void describe_list(struct packet_case *c, struct nadi_str *text)
{
    packet_case_run(c);
    const uint64_t *totals = (const uint64_t *)&c->listed->totals;
    const struct nadi_result_data of = {.in = &c->in, .r = &c->result};
    for (size_t t = 0; nadi_flows_files[t]; t++)
        nadi_view_csv(nadi_flows_files[t], &of, text);
    for (size_t i = 0; i < sizeof(c->listed->totals) / sizeof(*totals); i++)
        nadi_str_printf(text, "%" PRIu64 "\n", totals[i]);
}

static void try_list(uint64_t seed, struct tally *tally)
{
    struct nadi_str texts[3] = {NADI_STR_INIT, NADI_STR_INIT, NADI_STR_INIT};
    uint64_t events = 0;
    bool exact = false;
    for (uint32_t i = 0; i < (exact ? 2 : 3); i++) {
        struct packet_case c;
        draw_list(&c, seed);
        exact = c.in.packet.exact;
        if (i > 0)
            c.in.packet.fast_forward_wait = UINT64_MAX;
        c.in.options.threads = i == 2 ? 3 : 1;
        describe_list(&c, &texts[i]);
        events = c.listed->totals.events;
        packet_case_release(&c);
        assert_same_texts(seed, runs_of, nadi_str_get(&texts[0]), nadi_str_get(&texts[i]));
    }
    digest_text(&pins.digest, nadi_str_get(&texts[0]));
    tally->events += events;
    for (uint32_t i = 0; i < 3; i++)
        nadi_str_release(&texts[i]);
}

static void fast_forwarding_changes_nothing(void **state)
{
    static const uint64_t lists_failed_once[] = {5, 77};
    struct tally once = {0}, tally = {0};
    (void)state;
    for (size_t i = 0; i < sizeof(lists_failed_once) / sizeof(*lists_failed_once); i++)
        try_list(lists_failed_once[i], &once);
    pins_section(&pins, "networks");
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++) {
        try_flows(seed, false, &tally);
        try_list(seed, &tally);
        pins_case(&pins, seed);
    }
    print_message(
        "of %" PRIu64 " networks %" PRIu64 " fast-forwarded, over %.0f %% of all events\n",
        asked.cases, tally.skipping, 100.0 * (double)tally.skipped / (double)tally.events);
    if (asked.cases >= 10) /* not where one seed is looked at */
        assert_true(tally.skipping * 3 > asked.cases);
}

static void schemes_that_remember_times(void **state)
{
    struct tally tally = {0};
    (void)state;
    pins_section(&pins, "times");
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++) {
        try_flows(seed, true, &tally);
        pins_case(&pins, seed);
    }
    print_message("of %" PRIu64 " networks whose senders remember times %" PRIu64
                  " fast-forwarded, over %.0f %% of all events\n",
                  asked.cases, tally.skipping,
                  100.0 * (double)tally.skipped / (double)tally.events);
    if (asked.cases >= 10)
        assert_true(tally.skipping * 6 > asked.cases);
    assert_true(pins_end(&pins));
}

/* Its increases by bytes are due at numbers of packets, which a period says nothing of: a flow that
 * another one has marked goes on alone, slower than the cable. */
static void dcqcn_is_not_fast_forwarded(void **state)
{
    const nadi_time ms = 1000000 * NADI_PS_PER_NS;
    (void)state;
    for (uint64_t bytes = 500000; bytes < 8000000; bytes += 700000) {
        struct drawn runs[2] = {0};
        for (uint32_t i = 0; i < 2; i++) {
            struct drawn *d = &runs[i];
            struct nadi_packet_config *c = &d->c.in.packet;
            packet_case_star(&d->c, 3);
            nadi_packet_config_init(c);
            c->cc = nadi_cc_find("dcqcn");
            c->dcqcn.alpha_interval = 3 * ms;
            c->dcqcn.decrease_interval = ms / 4;
            c->dcqcn.increase_interval = 50 * ms;
            c->dcqcn.increase_bytes = bytes;
            c->ecn_rows = 1;
            c->ecn_map[0] = (struct nadi_ecn_row){UINT64_C(400000000000), 20000, 80000, 0.5};
            make(d);
            start(d, (struct nadi_pkt_flow_spec){.dst = 2, .bytes = 80000000});
            start(d, (struct nadi_pkt_flow_spec){.src = 1, .dst = 2, .bytes = 400000});
            if (i)
                without_fast_forward(d);
            run(d, 0);
        }
        same(&runs[0], &runs[1], bytes);
        assert_true(runs[0].net->totals.marked > 0);
        assert_true(nadi_pkt_skipped_events(runs[0].net) > 0);
        release(&runs[0]);
        release(&runs[1]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fast_forwarding_changes_nothing),
                                       cmocka_unit_test(schemes_that_remember_times),
                                       cmocka_unit_test(dcqcn_is_not_fast_forwarded)};
    if (!seeds_asked(argc, argv, &asked))
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
