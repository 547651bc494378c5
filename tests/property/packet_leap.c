/* A run that leaps over steady states equals one that does not: every time, counter and queue. */
#include "base/mem.h"
#include "network/packet/leap.h"
#include "network/packet/packet.h"

#include "support/packet_case.h"

#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>

static uint64_t cases = 60;

enum { MOST_FLOWS = 24 };

struct drawn {
    struct packet_case c;
    struct nadi_pkt *net;
    uint32_t flows;
    bool apart;                     /* hosts of even and of odd numbers do not reach each other */
    nadi_time finished[MOST_FLOWS]; /* ticks, by the flow's `user` */
};

static void on_finished(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct drawn *d = context;
    d->finished[net->infos[flow].user] = net->wheel.now;
}

/* Two switches: parts that do not touch each other, of different rates. */
static void two_stars(struct packet_case *c, struct nadi_rng *rng)
{
    const uint32_t hosts = (uint32_t)nadi_rng_between(rng, 4, 9);
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
        packet_case_star(c, (uint32_t)nadi_rng_between(rng, 2, 8));
    else
        packet_case_clos(c, (uint32_t)nadi_rng_between(rng, 2, 3),
                         (uint32_t)nadi_rng_between(rng, 1, 3),
                         (uint32_t)nadi_rng_between(rng, 1, 3));
    for (uint32_t i = 0; i < c->in.graph.link_count; i++)
        if (nadi_rng_below(rng, 16) == 0)
            c->in.graph.links[i].bits_per_s /= (uint64_t)nadi_rng_between(rng, 1, 8);
    return false;
}

static void draw_config(struct nadi_packet_config *config, struct nadi_rng *rng)
{
    static const char *const schemes[] = {"none", "window", "dcqcn"};
    static const uint32_t payloads[] = {256, 1000, 4096};
    if (nadi_rng_below(rng, 2))
        nadi_packet_config_init(config);
    config->cc = nadi_cc_find(schemes[nadi_rng_below(rng, config->exact ? 1 : 3)]);
    config->payload_bytes = payloads[nadi_rng_below(rng, 3)];
    config->window = nadi_rng_below(rng, 8) > 0; /* without it queues grow: nothing is steady */
    config->ack_first = nadi_rng_below(rng, 2);
    if (!config->exact && nadi_rng_below(rng, 2))
        config->ack_interval_bytes = 32 << 10;
    if (nadi_rng_below(rng, 4) == 0)
        config->buffer_bytes = 2600 << 10;
    config->ecn = nadi_rng_below(rng, 2);
}

/* Rings, incasts and whatever else: mostly long flows that begin together. */
static void draw_flows(struct drawn *d, struct nadi_rng *rng)
{
    const uint32_t hosts = d->c.in.graph.host_count, shape = (uint32_t)nadi_rng_below(rng, 3);
    const uint64_t bytes = (uint64_t)1 << nadi_rng_between(rng, 20, 23);
    d->flows = shape == 0 ? hosts : (uint32_t)nadi_rng_between(rng, 1, 8);
    for (uint32_t f = 0; f < d->flows; f++) {
        struct nadi_pkt_flow_spec spec = {
            .src = shape == 0 ? f : (uint32_t)nadi_rng_below(rng, hosts),
            .dst = shape == 0   ? (f + 1) % hosts
                   : shape == 1 ? 0
                                : (uint32_t)nadi_rng_below(rng, hosts),
            .class = 3,
            .dport = 100,
            .bytes = bytes + (shape == 2 ? nadi_rng_below(rng, bytes) : 0),
            .user = f,
        };
        if (d->apart)
            spec.dst = (spec.src + 2) % hosts / 2 * 2 + spec.src % 2;
        if (spec.dst >= hosts)
            spec.dst = spec.src % 2;
        if (spec.src == spec.dst)
            spec.dst = d->apart ? (spec.src + 2) % 4 : (spec.src + 1) % hosts;
        assert_int_not_equal(nadi_pkt_flow_start(d->net, &spec), NADI_NONE);
    }
}

static void draw(struct drawn *d, uint64_t seed)
{
    struct nadi_rng rng;
    struct nadi_diags diags;
    nadi_rng_init(&rng, seed, "leap");
    *d = (struct drawn){0};
    d->apart = draw_network(&d->c, &rng);
    draw_config(&d->c.in.config, &rng);
    nadi_diags_init(&diags);
    d->net = nadi_pkt_create(&d->c.in.graph, &d->c.in.config, &diags);
    assert_non_null(d->net);
    nadi_diags_release(&diags);
    d->net->hooks = (struct nadi_pkt_hooks){.context = d, .finished = on_finished};
    draw_flows(d, &rng);
}

static void release(struct drawn *d)
{
    nadi_pkt_destroy(d->net);
    packet_case_release(&d->c);
}

static void without_leaps(struct drawn *d)
{
    nadi_pkt_leap_destroy(d->net->leap);
    d->net->leap = NULL;
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
    for (uint32_t f = 0; f < x->flows; f++)
        if (x->finished[f] != y->finished[f])
            fail_msg("seed %" PRIu64 ", flow %" PRIu32 ": %" PRId64 " with leaps, %" PRId64
                     " without",
                     seed, f, x->finished[f], y->finished[f]);
    if (memcmp(&x->net->totals, &y->net->totals, sizeof(x->net->totals)) != 0)
        fail_msg("seed %" PRIu64 ": totals differ", seed);
    assert_memory_equal(x->net->sent, y->net->sent, ports * sizeof(*x->net->sent));
    for (uint32_t q = 0; q < ports * NADI_PKT_CLASSES; q++)
        assert_int_equal(x->net->queues[q].peak_bytes, y->net->queues[q].peak_bytes);
    assert_memory_equal(x->net->rngs, y->net->rngs, ports * sizeof(*x->net->rngs));
}

static void leaps_change_nothing(void **state)
{
    uint64_t leapt = 0, events = 0, leapers = 0;
    (void)state;
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct drawn with, without;
        draw(&with, seed);
        draw(&without, seed);
        without_leaps(&without);
        const nadi_time part = seed % 4 ? 0 : 300000000 / with.net->tick;
        run(&with, part);
        run(&without, part);
        same(&with, &without, seed);
        leapt += nadi_pkt_leapt_events(with.net);
        leapers += nadi_pkt_leapt_events(with.net) > 0;
        events += with.net->totals.events;
        release(&with);
        release(&without);
    }
    print_message("%" PRIu64 " of %" PRIu64 " cases leapt, over %.0f %% of all events\n", leapers,
                  cases, 100.0 * (double)leapt / (double)events);
    assert_true(leapers * 3 > cases);
}

/* packet_leap [CASES] */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaps_change_nothing)};
    if (argc > 1)
        cases = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
