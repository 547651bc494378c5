/* What the critical path alone says of a tenth more (why/gains.h), on random runs on unaware, aware
 * and flow: it has the sign and, within a fifth of it or a fiftieth
 * of the run's hundredth, the size of what the run simulated again saves, in 6 of 7 cases. Where
 * another path becomes the critical one it is what can be saved at most.
 *
 *   gains [CASES [FIRST_SEED]]    default 150 cases from seed 1; with cases, what is off is printed
 *
 * Sizes and times are scaled up, so that whole nanoseconds are no part of it. */
#include "why/gains.h"

#include "base/mem.h"
#include "base/time.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/seeds.h"
#include "why/change.h"
#include "why/links.h"

#include <math.h>

enum { CASES = 150 };

struct counts {
    uint64_t held, off, kinds[NADI_GAIN_REMOTE_MEMORY + 1];
};

/* The inputs with a tenth more of what the gain is about; false where this test cannot. */
static bool change(struct nadi_changed *c, const struct nadi_inputs *in, const struct nadi_gain *g)
{
    const double rate = g->kind == NADI_GAIN_BANDWIDTH ? 1.1 : 1,
                 latency = g->kind == NADI_GAIN_LATENCY ? 0.9 : 1;
    if (g->kind == NADI_GAIN_COMPUTE)
        return nadi_change_open(c, in, NADI_PARAMETER_COMPUTE_RATE, 0, 1.1);
    if (g->kind == NADI_GAIN_LINKS)
        return nadi_change_open(c, in, NADI_PARAMETER_LINK_BANDWIDTH, g->dim, 1.1);
    if (g->kind == NADI_GAIN_BANDWIDTH && g->dim != NADI_NONE)
        return nadi_change_open(c, in, NADI_PARAMETER_BANDWIDTH, g->dim, 1.1);
    *c = (struct nadi_changed){.in = *in};
    if (g->kind != NADI_GAIN_BANDWIDTH && g->kind != NADI_GAIN_LATENCY)
        return false;
    for (uint32_t d = 0; d < in->topology.dim_count; d++) {
        c->in.topology.dims[d].bytes_per_ns *= rate;
        c->in.topology.dims[d].latency_ns *= latency;
    }
    c->in.system.endpoint_delay_ns =
        nadi_count_round((double)in->system.endpoint_delay_ns * latency);
    if (!in->has_graph)
        return true;
    c->links = nadi_mem_copy(in->graph.links, in->graph.link_count, sizeof(*c->links));
    for (uint32_t i = 0; i < in->graph.link_count; i++) {
        c->links[i].bits_per_s = nadi_count_round((double)c->links[i].bits_per_s * rate);
        c->links[i].latency = nadi_time_round((double)c->links[i].latency * latency);
    }
    c->in.graph.links = c->links;
    return true;
}

static void compare(uint64_t seed, const struct nadi_inputs *in, const struct nadi_result *r,
                    const struct nadi_gain *g, bool say, struct counts *n)
{
    struct nadi_changed c;
    struct nadi_result again;
    if (change(&c, in, g)) {
        c.in.options.record_ops = false;
        nadi_simulate(&c.in, NULL, &again);
        const double found = (double)r->end_ns - (double)again.end_ns;
        const bool off = fabs(g->ns - found) > 0.2 * fabs(found) + 2e-4 * (double)r->end_ns;
        n->held++;
        n->kinds[g->kind]++;
        n->off += off;
        if (off && say)
            printf("seed %" PRIu64 " (model %s): %s: said %g, found %g, end %" PRIu64 "\n", seed,
                   in->options.network_model->name, g->what, g->ns, found, r->end_ns);
        nadi_result_release(&again);
    }
    nadi_change_close(&c);
}

static void one_case(uint64_t seed, bool say, struct counts *n)
{
    static const struct nadi_network_ops *const models[] = {
        &nadi_network_unaware, &nadi_network_aware, &nadi_network_flow};
    struct job job;
    struct nadi_rng rng;
    struct nadi_result r;
    struct nadi_why why;
    struct nadi_arena arena;
    struct nadi_gain list[NADI_GAINS_MOST];
    nadi_rng_init(&rng, seed, "gains");
    job_grid(&job, &rng);
    for (uint32_t d = 0; d < job.in.topology.dim_count; d++)
        job.in.topology.dims[d].latency_ns *= 1e4;
    job.in.options.record_ops = true;
    job.in.options.comm_scale = 1e6;
    job.in.options.compute_scale = 1e5;
    job.in.system.roofline = false;
    job.in.options.network_model = models[seed % 3];
    job.in.system.exact = models[seed % 3] == &nadi_network_flow;
    nadi_arena_init(&arena);
    nadi_simulate(&job.in, NULL, &r);
    nadi_why_find(&job.in, &r, &why);
    const uint32_t count = nadi_gains_find(&job.in, &r, &why, &arena, list);
    for (uint32_t i = 0; i < count && i < 2; i++)
        compare(seed, &job.in, &r, &list[i], say, n);
    nadi_arena_release(&arena);
    nadi_why_release(&why);
    nadi_result_release(&r);
    job_release(&job);
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    struct counts n = {0};
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t seed = s.first; seed < s.first + s.cases; seed++)
        one_case(seed, argc > 1, &n);
    printf("%" PRIu64 " compared, %" PRIu64 " off by more than a fifth\n", n.held, n.off);
    const bool enough = n.held > s.cases && n.kinds[NADI_GAIN_BANDWIDTH] > s.cases / 4 &&
                        n.kinds[NADI_GAIN_LATENCY] > 0 && n.kinds[NADI_GAIN_COMPUTE] > s.cases / 4;
    return s.cases >= CASES && (!enough || n.off * 7 > n.held) ? 1 : 0;
}
