/* Collectives of groups that fill nodes unevenly, on drawn networks of two levels, in `flow`: with
 * `group-rings: nodes` they end at most 2 % later than over one flat ring, never before what leaves
 * the nodes can, and at the same time on the members that are one node further.
 *
 *   by_node [CASES [FIRST_SEED]]     a failing seed is printed */
#include "collective/plan.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/job_draw.h"
#include "support/seeds.h"

#include <math.h>

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 60 };
#else
enum { CASES = 400 };
#endif
enum { MOST_RANKS = 40 };

static const double LATER = 1.02;

struct asked {
    struct nadi_dim dims[2];
    uint32_t ranks, splits, node_chunks, active;
    uint64_t endpoint_ns, bytes;
    double local_mem_bw;
    enum nadi_collective_kind kind;
    uint32_t members[MOST_RANKS], size;
};

struct tally {
    uint64_t by_node, sooner, flat;
};

static void draw_network(struct asked *a, struct nadi_rng *rng)
{
    static const enum nadi_dim_kind inside[] = {NADI_DIM_SWITCH, NADI_DIM_FULLY_CONNECTED,
                                                NADI_DIM_RING};
    const double slow = (double)pick(rng, 1, 100);
    a->dims[0] = (struct nadi_dim){
        .kind = inside[pick(rng, 0, 2)],
        .npus = (uint32_t)pick(rng, 2, 8),
        .bytes_per_ns = slow * (double)pick(rng, 1, 10),
        .latency_ns = (double)pick(rng, 0, 1000),
    };
    a->dims[1] = (struct nadi_dim){
        .kind = chance(rng, 4) ? NADI_DIM_RING : NADI_DIM_SWITCH,
        .npus = (uint32_t)pick(rng, 2, 5),
        .bytes_per_ns = slow,
        .latency_ns = (double)pick(rng, 0, 3000),
    };
    a->ranks = a->dims[0].npus * a->dims[1].npus;
}

static void draw_case(struct asked *a, struct nadi_rng *rng)
{
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                      NADI_REDUCE_SCATTER};
    draw_network(a, rng);
    a->splits = chance(rng, 2) ? (uint32_t)pick(rng, 1, 8) : 4;
    a->node_chunks = chance(rng, 3) ? (uint32_t)pick(rng, 1, 8) : 0;
    a->active = chance(rng, 4) ? (uint32_t)pick(rng, 2, 4) : 1;
    a->endpoint_ns = pick(rng, 0, 20);
    a->local_mem_bw = chance(rng, 3) ? (double)pick(rng, 1000, 4000) * 1e9 : 0;
    a->kind = kinds[pick(rng, 0, 2)];
    a->bytes = pick_size(rng, 26) + 1;
    a->size = 0;
    const uint64_t of = pick(rng, 2, 6);
    for (uint32_t r = 0; r < a->ranks; r++)
        if (pick(rng, 1, of) > 1)
            a->members[a->size++] = r;
}

/* 0: it cannot run. */
static uint64_t end_of(const struct asked *a, bool by_node, uint32_t shift)
{
    struct job j;
    struct nadi_result result;
    uint32_t group_of[MOST_RANKS], moved[MOST_RANKS], count = 0;
    const struct job_node node = {
        .type = NADI_NODE_COLL, .kind = a->kind, .bytes = a->bytes, .group = "part"};
    bool is_in[MOST_RANKS] = {false};
    job_init(&j, a->dims, 2);
    struct nadi_system_config *c = &j.in.system;
    c->splits = a->splits;
    c->node_chunks = a->node_chunks;
    c->active_chunks = a->active;
    c->endpoint_delay_ns = a->endpoint_ns;
    c->local_mem_bw = a->local_mem_bw;
    c->by_node = by_node;
    c->exact = true;
    j.in.options.network_model = nadi_network_sharing;
    for (uint32_t i = 0; i < a->size; i++)
        is_in[(a->members[i] + shift) % a->ranks] = true;
    for (uint32_t r = 0; r < a->ranks; r++)
        if (is_in[r])
            moved[count++] = r;
    const uint32_t group = nadi_groups_add_nameless(&j.in.groups, "part", moved, count);
    for (uint32_t r = 0; r < a->ranks; r++)
        group_of[r] = is_in[r] ? group : nadi_groups_add_nameless(&j.in.groups, "part", &r, 1);
    nadi_groups_add_family(&j.in.groups, "part", group_of, a->ranks);
    job_give(&j, job_trace(&j, &node, 1), 0, a->ranks - 1);
    nadi_simulate(&j.in, NULL, &result);
    const uint64_t end = result.outcome == NADI_OUTCOME_DONE ? result.end_ns : 0;
    nadi_result_release(&result);
    job_release(&j);
    return end;
}

/* What leaves a node, or comes to it, over all links of its members there. */
static double least_ns(const struct asked *a)
{
    const uint32_t width = a->dims[0].npus, ways = a->dims[1].kind == NADI_DIM_RING ? 2 : 1;
    double least = 0;
    for (uint32_t node = 0; node < a->dims[1].npus; node++) {
        double here = 0;
        for (uint32_t i = 0; i < a->size; i++)
            here += a->members[i] / width == node;
        const double others = a->size - here, links = width * ways;
        if (!(here > 0) || !(others > 0))
            continue;
        const double bytes = a->kind == NADI_ALL_REDUCE   ? (double)a->bytes
                             : a->kind == NADI_ALL_GATHER ? others * (double)a->bytes
                                                          : others / a->size * (double)a->bytes;
        least = fmax(least, bytes / links / a->dims[1].bytes_per_ns);
    }
    return least;
}

static bool try_seed(uint64_t seed, void *context)
{
    struct tally *tally = context;
    struct nadi_rng rng;
    struct asked a;
    nadi_rng_init(&rng, seed, "by node");
    draw_case(&a, &rng);
    const struct nadi_group g = {.size = a.size, .members = a.members, .sorted = a.members};
    struct nadi_topology t = {.dim_count = 2, .dims = {a.dims[0], a.dims[1]}};
    if (!nadi_topology_finish(&t) || a.size < 2 || !nadi_group_is_wide(&t, &g))
        return true;
    const uint64_t node = end_of(&a, true, 0), flat = end_of(&a, false, 0);
    const uint64_t further = end_of(&a, true, a.dims[0].npus);
    const double room = LATER * (double)flat + 10;
    const double moved = fabs((double)further - (double)node); /* by what is rounded on the way */
    const bool held = (double)node <= room && (double)node + 1 >= least_ns(&a) &&
                      moved <= 10 + 1e-5 * (double)node;
    tally->flat += node == flat;
    tally->by_node += node != flat;
    tally->sooner += (double)node * LATER < (double)flat;
    if (!held)
        printf("seed %" PRIu64 ": kind %d, %" PRIu32 " of %" PRIu32 " ranks: by node %" PRIu64
               " ns, flat %" PRIu64 " ns, a node further %" PRIu64 " ns, the least %.0f ns\n",
               seed, (int)a.kind, a.size, a.ranks, node, flat, further, least_ns(&a));
    return held;
}

int main(int argc, char **argv)
{
    struct seeds seeds = {CASES, 1};
    struct tally tally = {0};
    if (!seeds_asked(argc, argv, &seeds))
        return 2;
    const uint64_t failed = seeds_fail(&seeds, try_seed, &tally);
    printf("by node %" PRIu64 ", of which 2 %% sooner %" PRIu64 "; flat %" PRIu64 "\n",
           tally.by_node, tally.sooner, tally.flat);
    return failed > 0 || tally.sooner * 5 < seeds.cases;
}
