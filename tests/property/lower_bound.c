/* No run is faster than the lower bound, whatever the platform, the workload and the model. */
#include "bound/bound.h"
#include "sim/run.h"

#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

enum { CASES = 3000, FINISHED_AT_LEAST = 1500 };

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

static void no_run_is_faster(void (*draw)(struct job *, struct nadi_rng *, uint64_t))
{
    uint32_t finished = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct nadi_rng rng;
        struct job j;
        struct nadi_result r;
        nadi_rng_init(&rng, seed, "lower bound");
        draw(&j, &rng, seed);
        uint64_t bound = nadi_lower_bound_ns(&j.in);
        nadi_simulate(&j.in, NULL, &r);
        if (r.outcome == NADI_OUTCOME_DONE) {
            finished++;
            if (r.end_ns < bound)
                fail_msg("seed %" PRIu64 ": bound %" PRIu64 " ns, run %" PRIu64 " ns", seed, bound,
                         r.end_ns);
        }
        nadi_result_release(&r);
        job_release(&j);
    }
    assert_in_range(finished, FINISHED_AT_LEAST, CASES);
}

static void dimensions(void **state)
{
    (void)state;
    no_run_is_faster(draw_plain);
}

static void graphs(void **state)
{
    (void)state;
    no_run_is_faster(draw_graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dimensions), cmocka_unit_test(graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
