/* Computations beside copy kernels: drawn jobs of computations, host work and collectives on the
 * network model loadstore. What a computation got done between its start and its end, at its slowed
 * rate while its rank communicated and at its own else, is what it has to do; engines slow nobody;
 * what ranks say they lost is the sum.
 *
 *   sharing [CASES [FIRST_SEED]]    default 150 cases from seed 1 (30 when instrumented)
 */
#include "base/diag.h"
#include "base/mem.h"
#include "base/rng.h"
#include "inputs/model_presets.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/seeds.h"

#include <inttypes.h>
#include <math.h>

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 30 };
#else
enum { CASES = 150 };
#endif

enum { RANKS = 4, NODES = 12 };

static void fail(uint64_t seed, const char *what, double a, double b)
{
    fprintf(stderr, "seed %" PRIu64 ": %s: %.3f, %.3f\n", seed, what, a, b);
    exit(1);
}

static uint32_t between(struct nadi_rng *r, uint32_t low, uint32_t high)
{
    return low + (uint32_t)nadi_rng_below(r, high - low + 1);
}

/* The same nodes on all ranks, each with durations of its own; collectives in one order. */
static void draw_nodes(struct job_node nodes[RANKS][NODES], struct nadi_rng *r)
{
    uint32_t collective = NADI_NONE;
    for (uint32_t n = 0; n < NODES; n++) {
        const uint32_t what = between(r, 0, 9), near = between(r, 1, 3);
        struct job_node node = {.type = what < 4 ? NADI_NODE_COLL : NADI_NODE_COMP,
                                .kind = NADI_ALL_REDUCE,
                                .cpu = what == 9,
                                .bytes = between(r, 1, 60000)};
        if (n >= near && between(r, 0, 2))
            node.deps[node.dep_count++] = n - near;
        if (node.type == NADI_NODE_COLL && collective != NADI_NONE &&
            !(node.dep_count && node.deps[0] == collective)) {
            node.deps[node.dep_count++] = collective;
            if (node.dep_count == 2 && node.deps[0] > node.deps[1]) {
                node.deps[1] = node.deps[0];
                node.deps[0] = collective;
            }
        }
        if (node.type == NADI_NODE_COLL)
            collective = n;
        for (uint32_t k = 0; k < RANKS; k++) {
            nodes[k][n] = node;
            nodes[k][n].duration_ns = between(r, 1, 30000);
            nodes[k][n].ops = between(r, 1, 60000);
        }
    }
}

/* How fast the node goes while its rank communicates. */
static double slowed(const struct job *j, const struct job_node *n)
{
    const struct nadi_loadstore_config *c = &j->in.loadstore;
    const double left = (double)(c->sms - c->copy_sms) / c->sms;
    if (c->copy == NADI_COPY_ENGINE)
        return 1;
    if (!j->in.system.roofline)
        return left;
    const double work = (double)n->ops / j->in.system.peak_perf,
                 load = (double)n->bytes / j->in.system.local_mem_bw;
    return fmax(work, load) / fmax(work / left, load);
}

static double own_ns(const struct job *j, const struct job_node *n)
{
    return j->in.system.roofline ? 1e9 * fmax((double)n->ops / j->in.system.peak_perf,
                                              (double)n->bytes / j->in.system.local_mem_bw)
                                 : (double)n->duration_ns;
}

/* Of the span, the part in which the rank communicates; *edges: how often that changes. */
static double beside(const struct nadi_result *r, const struct nadi_span *s,
                     struct job_node nodes[RANKS][NODES], uint32_t *edges)
{
    double sum = 0;
    *edges = 0;
    for (size_t i = 0; i < r->span_count; i++) {
        const struct nadi_span *c = &r->spans[i];
        if (c->rank != s->rank || nodes[c->rank][c->node].type != NADI_NODE_COLL)
            continue;
        const double from = fmax((double)c->start_ns, (double)s->start_ns);
        const double to = fmin((double)c->end_ns, (double)s->end_ns);
        sum += fmax(0, to - from);
        *edges += to > from ? 2 : 0;
    }
    return sum;
}

static void check(uint64_t seed, const struct job *j, const struct nadi_result *r,
                  struct job_node nodes[RANKS][NODES])
{
    double lost[RANKS] = {0};
    for (size_t i = 0; i < r->span_count; i++) {
        const struct nadi_span *s = &r->spans[i];
        const struct job_node *n = &nodes[s->rank][s->node];
        uint32_t edges;
        if (n->type != NADI_NODE_COMP || n->cpu)
            continue;
        const double with = beside(r, s, nodes, &edges),
                     all = (double)s->end_ns - (double)s->start_ns;
        const double done = with * slowed(j, n) + all - with;
        if (fabs(done - own_ns(j, n)) > 2 + edges)
            fail(seed, "a computation did not get what it needs", done, own_ns(j, n));
        lost[s->rank] += all - own_ns(j, n);
    }
    for (uint32_t k = 0; k < RANKS; k++)
        if (fabs((double)nadi_result_rank(r, k)->compute_slowed_ns - lost[k]) > 3 * NODES)
            fail(seed, "a rank lost more or less",
                 (double)nadi_result_rank(r, k)->compute_slowed_ns, lost[k]);
}

static void run(uint64_t seed)
{
    const struct nadi_dim dim = {
        .kind = NADI_DIM_FULLY_CONNECTED, .npus = RANKS, .bytes_per_ns = 20, .latency_ns = 300};
    struct nadi_rng rng;
    struct job j;
    struct job_node nodes[RANKS][NODES];
    struct nadi_result r;
    nadi_rng_init(&rng, seed, "sharing");
    job_init(&j, &dim, 1);
    nadi_loadstore_config_init(&j.in.loadstore);
    j.in.options.network_model = nadi_network_find("loadstore");
    j.in.loadstore.sms = between(&rng, 5, 132);
    j.in.loadstore.copy_sms = between(&rng, 1, 4);
    j.in.loadstore.copy = between(&rng, 0, 5) ? NADI_COPY_SM : NADI_COPY_ENGINE;
    j.in.system.roofline = between(&rng, 0, 1);
    j.in.system.peak_perf = 2e9;
    j.in.system.local_mem_bw = 4e9;
    j.in.system.comm_streams = between(&rng, 1, 3);
    draw_nodes(nodes, &rng);
    for (uint32_t k = 0; k < RANKS; k++)
        job_give(&j, job_trace(&j, nodes[k], NODES), k, k);
    nadi_simulate(&j.in, NULL, &r);
    if (r.outcome != NADI_OUTCOME_DONE)
        fail(seed, "the run did not end", 0, 0);
    check(seed, &j, &r, nodes);
    nadi_result_release(&r);
    job_release(&j);
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t seed = s.first; seed < s.first + s.cases; seed++)
        run(seed);
    printf("%" PRIu64 " s.cases\n", s.cases);
    return 0;
}
