/* What links take at the least by a model (nadi_network_least), against messages over a chain of
 * them: none arrives sooner, and of those that one sender sends at once the first link has carried
 * all. Rates from those of a modem to such that packets and flits take less than the clock's unit;
 * latencies, clocks, flits and packets of any kind. The law is what lower bounds rest on.
 *
 *   link_least [CASES [FIRST_SEED]]    default 6,000 cases from seed 1 (600 when instrumented) */
#include "base/diag.h"
#include "base/rng.h"
#include "inputs/model_presets.h"
#include "network/packet/cc.h"
#include "support/draw.h"
#include "support/flow_case.h"
#include "support/pins.h"

#include <inttypes.h>
#include <math.h>

#include "network/flit/config.h"
#include "network/loadstore/config.h"
#include "network/packet/config.h"
#include "support/seeds.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 600 };
#else
enum { CASES = 6000 };
#endif

enum { MOST_LINKS = 3, MOST_MESSAGES = 4 };

static const struct nadi_network_ops *const models[] = {
    &nadi_network_flit,   &nadi_network_packet, &nadi_network_flit,
    &nadi_network_packet, &nadi_network_flow,   &nadi_network_loadstore};

static double draw_magnitude(struct nadi_rng *rng, double least, double most)
{
    const double part = (double)nadi_rng_below(rng, 4096) / 4096;
    return least * pow(most / least, part);
}

static void draw_flit(struct nadi_flit_config *c, struct nadi_rng *rng, double fastest)
{
    nadi_flit_config_init(c);
    c->flit_bytes = (uint32_t)pick_size(rng, 9);
    c->packet_flits = (uint32_t)pick_size(rng, 9);
    c->header_bytes = 0;
    c->routing_delay = (uint32_t)pick(rng, 0, 1);
    c->vc_delay = (uint32_t)pick(rng, 0, 1);
    c->traversal_delay = (uint32_t)pick(rng, 0, 1);
    c->channel_delay = chance(rng, 4) ? (uint32_t)pick(rng, 1, 3) : 0;
    if (chance(rng, 2)) /* above what the fastest link carries */
        c->clock_ghz = fastest / c->flit_bytes * draw_magnitude(rng, 1.001, 100);
}

static void draw_packet(struct nadi_packet_config *c, struct nadi_rng *rng)
{
    if (chance(rng, 2))
        nadi_packet_config_init_hpcc(c);
    else
        nadi_packet_config_init(c);
    c->cc = nadi_cc_find("none");
    c->exact = chance(rng, 2);
    c->payload_bytes = (uint32_t)pick(rng, 1, 9000);
    c->buffer_grows = true;
    c->buffer_bytes = UINT64_C(1) << 40;
}

/* At times with nothing but the links. */
static void draw_loadstore(struct nadi_loadstore_config *c, struct nadi_rng *rng)
{
    nadi_loadstore_config_init(c);
    if (chance(rng, 4))
        return;
    c->protocol = NADI_PROTOCOL_LL128;
    c->request_bytes = 128;
    c->header_bytes = c->control_bytes = 0;
    c->memory_ns = c->fence_ns = c->poll_ns = c->setup_ns = c->ll128_ns = 0;
    c->sm_bytes_per_ns = 1e9;
}

/* From NPU 0 over a chain of switches to NPU 1. */
static double draw_chain(struct flow_case *c, struct nadi_rng *rng, bool packets)
{
    const uint32_t links = (uint32_t)pick(rng, 1, MOST_LINKS);
    const double rate = draw_magnitude(rng, packets ? 0.01 : 0.001, 3e6);
    double fastest = 0;
    uint32_t nodes[MOST_LINKS + 1];
    nodes[0] = nadi_graph_add_node(&c->graph, NADI_GRAPH_HOST, NULL);
    nodes[links] = nadi_graph_add_node(&c->graph, NADI_GRAPH_HOST, NULL);
    for (uint32_t i = 1; i < links; i++)
        nodes[i] = nadi_graph_add_node(&c->graph, NADI_GRAPH_SWITCH, NULL);
    for (uint32_t i = 0; i < links; i++) {
        const double own = chance(rng, 2) ? rate : rate * draw_magnitude(rng, 0.01, 1);
        const double latency = chance(rng, 3) ? 0 : draw_magnitude(rng, 0.001, 2000);
        flow_case_link(c, nodes[i], nodes[i + 1], own, latency);
        fastest = fmax(fastest, own);
    }
    return fastest;
}

/* How long `bytes` in `count` messages take at the least, ns. */
static double least_ns(const struct flow_case *c, const struct nadi_network_ops *model,
                       uint64_t bytes, size_t count)
{
    struct nadi_link_least least[MOST_LINKS];
    const struct nadi_network_setup setup = {.topology = &c->topology,
                                             .graph = &c->graph,
                                             .packet = c->packet,
                                             .flit = c->flit,
                                             .loadstore = c->loadstore};
    double way = 0, longest = 0;
    nadi_network_least(model, &setup, least);
    for (uint32_t i = 0; i < c->graph.link_count; i++) {
        const double early = least[i].early_ns + model->rounding_ns;
        way += least[i].latency_ns - early;
        longest =
            fmax(longest, (double)bytes / least[i].bytes_per_ns - early * (double)(count - 1));
    }
    return (way + longest) * (1 - 1e-9);
}

static struct pins pins = PINS("link_least", "chains", 100);

static void compare(uint64_t seed, const struct nadi_network_ops *model, const char *what,
                    double took_ns, double bound_ns)
{
    digest_double(&pins.digest, took_ns);
    digest_double(&pins.digest, bound_ns);
    if (took_ns >= bound_ns)
        return;
    fprintf(stderr, "seed %" PRIu64 ", %s, %s: %.6f ns, not less than %.6f\n", seed, model->name,
            what, took_ns, bound_ns);
    exit(1);
}

static void check(uint64_t seed, const struct flow_case *c, const struct nadi_network_ops *model)
{
    double first = (double)INFINITY, last = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct flow_case_message *m = &c->messages[i];
        NADI_ASSERT(m->arrived >= m->at);
        first = fmin(first, nadi_time_in_ns(m->at));
        last = fmax(last, nadi_time_in_ns(m->arrived));
        bytes += m->bytes;
        compare(seed, model, "one message", flow_case_ns(c, i), least_ns(c, model, m->bytes, 1));
    }
    compare(seed, model, "all messages", last - first, least_ns(c, model, bytes, c->count));
}

static bool run(uint64_t seed)
{
    struct nadi_rng rng;
    struct flow_case c;
    struct nadi_flit_config flit;
    struct nadi_packet_config packet;
    struct nadi_loadstore_config loadstore;
    struct nadi_diags diags;
    const struct nadi_network_ops *model = models[seed % 6];
    nadi_rng_init(&rng, seed, "link least");
    nadi_diags_init(&diags);
    flow_case_init(&c);
    const double fastest = draw_chain(&c, &rng, model->has_packets);
    draw_flit(&flit, &rng, fastest);
    draw_packet(&packet, &rng);
    draw_loadstore(&loadstore, &rng);
    c.flit = &flit;
    c.packet = &packet;
    c.loadstore = &loadstore;
    const bool made = flow_case_may_open(&c, model, &diags);
    const uint64_t count = pick(&rng, 1, MOST_MESSAGES);
    const uint64_t bytes = chance(&rng, 2) ? pick_size(&rng, 8) : pick_size(&rng, 15);
    const double apart = chance(&rng, 2) ? 0 : (double)bytes / fastest;
    for (uint64_t i = 0; made && i < count; i++)
        (void)flow_case_send(&c, apart * (double)pick(&rng, 0, 4000) / 1000, 0, 1, bytes);
    if (made) {
        flow_case_run(&c);
        check(seed, &c, model);
    }
    flow_case_release(&c);
    nadi_diags_release(&diags);
    return made;
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    uint64_t made = 0;
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t seed = s.first; seed < s.first + s.cases; seed++) {
        made += run(seed);
        pins_case(&pins, seed);
    }
    printf("%" PRIu64 " cases, %" PRIu64 " ran\n", s.cases, made);
    return !pins_end(&pins) || made * 2 < s.cases;
}
