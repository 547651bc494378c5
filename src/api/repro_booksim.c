/* repro_booksim: routers under synthetic traffic, beside BookSim 2 (28f4329): latencies over load,
 * what is accepted beyond saturation, and the load at saturation.
 *
 * BookSim's figures are those of its own samples, seed 1, 1,000 cycles each but where a row says
 * so. Where such a sample has few packets, its mean of the routers they passed is not that of the
 * traffic: these rows are told at BookSim's routers, five cycles each. Above 70 % of the load at
 * saturation queues grow without bound, and rows decide nothing. Its load at saturation is the
 * middle between the last load that it carries and the first that it does not: 0.42 and 0.44, 0.67
 * and 0.68, 0.14 and 0.145. */
#include "api/repro.h"
#include "inputs/model_presets.h"

#include "network/flit/config.h"
#include "noc/load.h"
#include "platform/graph_file.h"

#include <math.h>

static const double decisive = 0.7; /* of the load at saturation */
static const double router_cycles = 5;

enum network { MESH, TORUS, NETWORKS };

static const char *const networks[NETWORKS] = {"mesh shape=8x8", "torus shape=8x8"};
static const char *const names[NETWORKS] = {"mesh", "torus"};

struct trial {
    enum network network;
    enum nadi_noc_pattern pattern;
    uint32_t vcs, flits;
    double rate;
    uint64_t measured;
    bool example; /* BookSim's own mesh88_lat: other delays, two crossbar inputs */
    bool find;    /* the load at saturation */
};

static void set_config(struct nadi_flit_config *c, const struct trial *t)
{
    nadi_flit_config_init(c);
    c->packet_flits = t->flits;
    c->vcs = t->vcs;
    c->buffer_flits = 8;
    c->channel_delay = t->network == TORUS ? 2 : 1;
    c->one_port = true;
    if (!t->example)
        return;
    c->routing_delay = 0;
    c->credit_delay = 2;
    c->speedup = 2;
    c->wait_for_tail_credit = true;
}

static bool run(struct nadi_repro *r, const struct trial *t, struct nadi_noc_load *load)
{
    struct nadi_graph_file file;
    struct nadi_flit_config config;
    struct nadi_noc_traffic traffic = {.pattern = t->pattern};
    set_config(&config, t);
    bool ok = nadi_graph_file_read(&file, networks[t->network], r->diags);
    if (ok) {
        traffic.nodes = file.graph.host_count;
        traffic.shape = &file.graph.product->shape;
    }
    const struct nadi_noc_setup setup = {.graph = &file.graph,
                                         .config = &config,
                                         .traffic = &traffic,
                                         .warmup = 3000,
                                         .measured = t->measured,
                                         .seed = 1,
                                         .enough = 500};
    ok = ok && nadi_noc_traffic_init(&traffic, setup.seed, r->diags);
    if (ok)
        ok = t->find ? nadi_noc_saturation(&setup, 1, load, r->diags)
                     : nadi_noc_run(&setup, t->rate, load, r->diags);
    nadi_noc_traffic_release(&traffic);
    nadi_graph_file_release(&file);
    return ok;
}

/* ---- latency over load ------------------------------------------------------------------------
 */

struct curve {
    enum network network;
    enum nadi_noc_pattern pattern;
    double saturation; /* BookSim's: latency is three times that without load */
    uint64_t measured; /* cycles, to find it: beyond, queues of few links grow slowly */
    struct {
        double rate, latency;
    } points[12];
};

static const struct curve curves[] = {
    {MESH,
     NADI_NOC_UNIFORM,
     0.43,
     3000,
     {{.01, 32.9},
      {.05, 33.4},
      {.1, 33.7},
      {.15, 34.1},
      {.2, 34.8},
      {.25, 35.5},
      {.3, 36.9},
      {.35, 39.1},
      {.38, 42.6},
      {.40, 47.8},
      {.42, 67.5}}},
    {TORUS,
     NADI_NOC_UNIFORM,
     0.675,
     3000,
     {{.01, 31.3},
      {.05, 31.1},
      {.1, 31.4},
      {.2, 31.9},
      {.3, 32.5},
      {.4, 33.7},
      {.5, 35.9},
      {.55, 38.1},
      {.6, 42.7},
      {.65, 52.7}}},
    {MESH,
     NADI_NOC_TRANSPOSE,
     0.1425,
     10000,
     {{.01, 33.3},
      {.05, 33.6},
      {.08, 34.1},
      {.1, 34.6},
      {.11, 34.9},
      {.12, 35.2},
      {.13, 36.0},
      {.14, 39.3}}},
};

/* Few packets in a short time are too few, slow ones in a long time too many. */
static uint64_t cycles_for(double rate)
{
    return (uint64_t)(4000 + 300 / rate);
}

static bool run_curve(struct nadi_repro *r, const struct curve *c)
{
    struct nadi_noc_load load;
    struct trial t = {.network = c->network, .pattern = c->pattern, .vcs = 8, .flits = 1};
    for (size_t i = 0; i < 12 && c->points[i].rate > 0; i++) {
        t.rate = c->points[i].rate;
        t.measured = cycles_for(t.rate);
        if (!run(r, &t, &load))
            return false;
        const char *label = nadi_arena_printf(&r->arena, "%s, %s, load %.2f", names[c->network],
                                              nadi_noc_patterns[c->pattern], t.rate);
        if (t.rate <= decisive * c->saturation)
            nadi_repro_number(r, label, c->points[i].latency, load.latency, "cycles", 0.03);
        else
            nadi_repro_beside(r, label, c->points[i].latency, load.latency, "cycles");
    }
    t.find = true;
    t.measured = c->measured;
    if (!run(r, &t, &load))
        return false;
    nadi_repro_number(r,
                      nadi_arena_printf(&r->arena, "%s, %s, load at saturation", names[c->network],
                                        nadi_noc_patterns[c->pattern]),
                      c->saturation, load.rate, "flits", 0.05);
    return true;
}

/* ---- patterns and packets ---------------------------------------------------------------------
 */

static const struct alone {
    enum nadi_noc_pattern pattern;
    uint32_t flits;
    double rate, routers, latency;
} low[] = {
    {NADI_NOC_BITCOMP, 1, .05, 9.02, 47.5},     {NADI_NOC_BITREV, 1, .05, 6.22, 33.5},
    {NADI_NOC_SHUFFLE, 1, .05, 5.00, 27.2},     {NADI_NOC_TORNADO, 1, .05, 8.49, 44.8},
    {NADI_NOC_NEIGHBOR, 1, .05, 4.53, 24.6},    {NADI_NOC_RANDPERM, 1, .05, 6.43, 34.4},
    {NADI_NOC_UNIFORM, 1, .0005, 6.00, 32.0},   {NADI_NOC_UNIFORM, 2, .0005, 6.04, 33.21},
    {NADI_NOC_UNIFORM, 4, .0005, 5.99, 34.99},  {NADI_NOC_UNIFORM, 8, .0005, 6.00, 39.10},
    {NADI_NOC_UNIFORM, 16, .0005, 6.17, 48.31},
};

static bool run_low(struct nadi_repro *r)
{
    for (size_t i = 0; i < sizeof(low) / sizeof(*low); i++) {
        const struct alone *a = &low[i];
        const struct trial t = {.network = MESH,
                                .pattern = a->pattern,
                                .vcs = 8,
                                .flits = a->flits,
                                .rate = a->rate,
                                .measured = a->rate < 0.01 ? 40000 : cycles_for(a->rate)};
        struct nadi_noc_load load;
        if (!run(r, &t, &load))
            return false;
        nadi_repro_number(r,
                          nadi_arena_printf(&r->arena, "mesh, %s, packets of %u, %.2f routers",
                                            nadi_noc_patterns[a->pattern], a->flits, a->routers),
                          a->latency, load.latency + (a->routers - load.hops) * router_cycles,
                          "cycles", 0.03);
    }
    return true;
}

/* ---- beyond saturation ------------------------------------------------------------------------
 */

static bool run_full(struct nadi_repro *r)
{
    static const struct {
        uint32_t vcs, flits;
        double rate, accepted;
    } rows[] = {{1, 1, .45, .143}, {2, 1, .45, .292}, {4, 1, .45, .418}, {8, 1, .45, .429},
                {1, 4, .48, .226}, {2, 4, .48, .361}, {4, 4, .48, .402}, {8, 4, .48, .419}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct trial t = {.network = MESH,
                                .pattern = NADI_NOC_UNIFORM,
                                .vcs = rows[i].vcs,
                                .flits = rows[i].flits,
                                .rate = rows[i].rate,
                                .measured = 6000};
        struct nadi_noc_load load;
        if (!run(r, &t, &load))
            return false;
        nadi_repro_number(r,
                          nadi_arena_printf(&r->arena,
                                            "mesh, uniform, packets of %u, %u VCs: accepted",
                                            rows[i].flits, rows[i].vcs),
                          rows[i].accepted, load.accepted, "flits", 0.05);
    }
    return true;
}

/* mesh88_lat: transpose, packets of 20 flits; BookSim's samples of 50,000 cycles. In those of 1,000
 * the queues of a few unlucky packets make 48.4, 50.7 and 69.6 of it. */
static bool run_example(struct nadi_repro *r)
{
    static const struct {
        double packets, latency;
    } rows[] = {{.0005, 46.54}, {.002, 49.62}, {.005, 64.27}};
    struct trial t = {.network = MESH,
                      .pattern = NADI_NOC_TRANSPOSE,
                      .vcs = 8,
                      .flits = 20,
                      .measured = 50000,
                      .example = true};
    struct nadi_noc_load load;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        t.rate = 20 * rows[i].packets;
        if (!run(r, &t, &load))
            return false;
        nadi_repro_number(r,
                          nadi_arena_printf(&r->arena, "mesh88_lat, %.4f packets", rows[i].packets),
                          rows[i].latency, load.latency, "cycles", 0.03);
    }
    t.rate = 0.2;
    t.measured = 10000;
    if (!run(r, &t, &load))
        return false;
    nadi_repro_number(r, "mesh88_lat, 0.0100 packets: accepted", .184, load.accepted, "flits",
                      0.05);
    return true;
}

bool nadi_repro_booksim(struct nadi_repro *r)
{
    for (size_t i = 0; i < sizeof(curves) / sizeof(*curves); i++)
        if (!run_curve(r, &curves[i]))
            return false;
    return run_low(r) && run_full(r) && run_example(r);
}
