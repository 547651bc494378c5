/* No run is faster than the lower bound, whatever the platform, the workload and the model.
 *
 *   lower_bound [CASES]    default 3,000 each, of extremes a fifth (see support/cases.h) */
#include "base/str.h"
#include "bound/bound.h"
#include "inputs/model_presets.h"
#include "sim/run.h"
#include "support/cases.h"
#include "support/job.h"
#include "support/job_draw.h"
#include "support/pins.h"

#include <setjmp.h>

#include <cmocka.h>

static uint64_t cases_each = CASES_OF(3000);

static void draw_plain(struct job *j, struct nadi_rng *rng, uint64_t seed)
{
    job_random(j, rng);
    if (seed % 2)
        job_other_kinds(j, seed);
    if (seed % 4 == 0) { /* its other kinds are graphs, which the loader makes */
        j->in.options.network_model = &nadi_network_flow;
        j->in.system.exact = true;
    }
}

/* Graphs: dimensions written out, and generators in words. */
static void draw_graph(struct job *j, struct nadi_rng *rng, uint64_t seed)
{
    job_packets(j, rng);
    static const struct nadi_network_ops *const models[] = {
        &nadi_network_aware, &nadi_network_flow, &nadi_network_flow, &nadi_network_packet};
    j->in.options.network_model = models[seed % 4];
    j->in.system.exact = seed % 4 == 2 || (seed % 4 == 3 && !j->in.packet.exact);
    j->in.events = NULL;
    j->in.options.max_sim_ns = 0;
}

/* A tenth to a million times as fast, so that packets and flits take less than the clock's unit,
 * and models in the small: the bound must round as they do. */
static void draw_extreme(struct job *j, struct nadi_rng *rng, uint64_t seed)
{
    static const struct nadi_network_ops *const models[] = {
        &nadi_network_flit, &nadi_network_packet, &nadi_network_flit, &nadi_network_loadstore,
        &nadi_network_flow};
    static const double scales[] = {0.1, 1, 30, 1000, 20000, 1e6};
    static const uint32_t flit_bytes[] = {1, 16, 64, 256}, packet_flits[] = {1, 4, 16, 200};
    static const double clocks[] = {0, 0, 0.7, 2, 30};
    job_packets(j, rng);
    struct nadi_inputs *in = &j->in;
    const double scale = scales[pick(rng, 0, 5)], shorter = scales[pick(rng, 1, 5)];
    for (uint32_t i = 0; i < in->graph.link_count; i++) {
        struct nadi_graph_link *link = &in->graph.links[i];
        const double slower = chance(rng, 6) ? 3.7 : 1;
        link->bits_per_s = nadi_count_round((double)link->bits_per_s * scale / slower) + 1;
        link->latency = nadi_time_round((double)link->latency / shorter);
    }
    in->options.network_model = models[seed % 5];
    in->options.comm_scale = 0.01;
    in->system.exact = !in->options.network_model->has_packets || !in->packet.exact;
    nadi_loadstore_config_init(&in->loadstore);
    nadi_flit_config_init(&in->flit);
    in->flit.flit_bytes = flit_bytes[pick(rng, 0, 3)];
    in->flit.packet_flits = packet_flits[pick(rng, 0, 3)];
    in->flit.header_bytes = 0;
    in->flit.clock_ghz = clocks[pick(rng, 0, 4)] * scale;
    in->flit.channel_delay = chance(rng, 3) ? (uint32_t)pick(rng, 1, 3) : 0;
    in->events = NULL;
    in->options.max_sim_ns = 0;
}

/* Pipelines whose stages share traces, with peers by distance or by rank. */
static void draw_pipelines(struct job *j, struct nadi_rng *rng, uint64_t seed)
{
    static const struct nadi_network_ops *const models[] = {
        &nadi_network_unaware, &nadi_network_aware, &nadi_network_flow};
    job_grid(j, rng);
    j->in.options.network_model = models[seed % 3];
    j->in.system.exact = seed % 3 == 2;
    j->in.system.comm_streams = 1 + (uint32_t)nadi_rng_below(rng, 3);
}

static struct pins pins = PINS("lower_bound", "dimensions", 50);

static void no_run_is_faster(const char *what,
                             void (*draw)(struct job *, struct nadi_rng *, uint64_t),
                             uint64_t cases)
{
    uint32_t finished = 0;
    pins_section(&pins, what);
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct nadi_rng rng;
        struct job j;
        struct nadi_result r;
        struct nadi_diags diags;
        nadi_rng_init(&rng, seed, "lower bound");
        draw(&j, &rng, seed);
        nadi_diags_init(&diags);
        const bool fits = nadi_inputs_fit_model(&j.in, &diags);
        nadi_diags_release(&diags);
        if (!fits) { /* a clock too slow for the links, say */
            pins_case(&pins, seed);
            job_release(&j);
            continue;
        }
        uint64_t bound = nadi_lower_bound_ns(&j.in);
        nadi_simulate(&j.in, NULL, &r);
        digest_u64(&pins.digest, bound);
        digest_u64(&pins.digest, r.end_ns);
        pins_case(&pins, seed);
        if (r.outcome == NADI_OUTCOME_DONE) {
            finished++;
            if (r.end_ns < bound)
                fail_msg("seed %" PRIu64 ": bound %" PRIu64 " ns, run %" PRIu64 " ns", seed, bound,
                         r.end_ns);
        }
        nadi_result_release(&r);
        job_release(&j);
    }
    assert_in_range(finished, cases / 2, cases);
}

static void dimensions(void **state)
{
    (void)state;
    no_run_is_faster("dimensions", draw_plain, cases_each);
}

static void graphs(void **state)
{
    (void)state;
    no_run_is_faster("graphs", draw_graph, cases_each);
}

static void extremes(void **state)
{
    (void)state;
    no_run_is_faster("extremes", draw_extreme, cases_each / 5);
}

static void pipelines(void **state)
{
    (void)state;
    no_run_is_faster("pipelines", draw_pipelines, cases_each);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !nadi_str_to_u64(argv[1], &cases_each))
        return 2;
    const struct CMUnitTest tests[] = {cmocka_unit_test(dimensions), cmocka_unit_test(graphs),
                                       cmocka_unit_test(extremes), cmocka_unit_test(pipelines)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return pins_end(&pins) ? failed : 1;
}
