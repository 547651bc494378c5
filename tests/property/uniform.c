/* Where all ranks and all links of a kind are alike, `flow` and `aware` simulate the messages of
 * one rank. That must give what all messages of all ranks give: every rank's times, each node's
 * start and end, the bytes and busy times of every link.
 *
 *   uniform [CASES [FIRST_SEED]]     a failing seed is printed */
#include "base/str.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/job_draw.h"
#include "support/pins.h"
#include "support/result_same.h"
#include "support/seeds.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 150 };
#else
enum { CASES = 1500 };
#endif
enum { MOST_RANKS = 64, MOST_NODES = 6 };

/* Groups along one dimension; what is left of the name's ranks lies in other groups of the family.
 */
static const char *draw_family(struct job *j, struct nadi_rng *rng)
{
    const struct nadi_topology *t = &j->in.topology;
    const uint32_t d = (uint32_t)pick(rng, 0, t->dim_count - 1), n = t->dims[d].npus;
    uint32_t group_of[MOST_RANKS], members[MOST_RANKS];
    if (n == j->in.rank_count)
        return NULL;
    const bool backwards = chance(rng, 4);
    for (uint32_t r = 0; r < j->in.rank_count; r++) {
        const uint32_t at = nadi_topology_coordinate(t, r, d);
        if (at)
            continue;
        for (uint32_t i = 0; i < n; i++)
            members[i] = r + (backwards && r ? n - 1 - i : i) * t->stride[d];
        const uint32_t group = nadi_groups_add_nameless(&j->in.groups, "along", members, n);
        for (uint32_t i = 0; i < n; i++)
            group_of[members[i]] = group;
    }
    nadi_groups_add_family(&j->in.groups, "along", group_of, j->in.rank_count);
    return "along";
}

static void draw_program(struct job *j, struct nadi_rng *rng, const char *family)
{
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                      NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL};
    struct job_node nodes[MOST_NODES];
    const uint32_t count = (uint32_t)pick(rng, 1, MOST_NODES);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t even = j->in.rank_count * j->in.system.splits * (uint64_t)60;
        nodes[i] = (struct job_node){
            .type = chance(rng, 4) ? NADI_NODE_COMP : NADI_NODE_COLL,
            .kind = kinds[pick(rng, 0, 3)],
            .bytes = chance(rng, 6) ? pick_size(rng, 20) : even * pick_size(rng, 8),
            .duration_ns = pick(rng, 0, 20000),
            .group = family && chance(rng, 2) ? family : NULL,
            .dep_count = i > 0 && !chance(rng, 3),
            .deps = {i > 0 ? (uint32_t)pick(rng, 0, i - 1) : 0},
        };
    }
    job_give(j, job_trace(j, nodes, count), 0, j->in.rank_count - 1);
}

/* Jobs made to be alike, and those of other tests, few of which are. */
static void draw_job(struct job *j, uint64_t seed, bool slow)
{
    struct nadi_rng rng;
    struct nadi_dim dims[NADI_MAX_DIMS];
    uint32_t count;
    nadi_rng_init(&rng, seed, "uniform");
    if (seed % 3 == 0) {
        job_random(j, &rng);
        return;
    }
    draw_dims_alike(&rng, MOST_RANKS, dims, &count);
    for (uint32_t d = 0; slow && d < count; d++)
        dims[d].bytes_per_ns *= 1e-10;
    job_init(j, dims, count);
    draw_system_alike(j, &rng);
    draw_program(j, &rng, draw_family(j, &rng));
}

/* Many chunks, alike or nearly so, in orders of their own: often two end at one instant. */
static void draw_schedulers(struct job *j, uint64_t seed, bool truncates)
{
    struct nadi_rng rng;
    struct nadi_system_config *c = &j->in.system;
    nadi_rng_init(&rng, seed, "schedulers");
    c->exact = !truncates; /* as inputs/load_model.c has it */
    c->inter = (enum nadi_inter_scheduling)pick(&rng, 0, NADI_INTER_ROUND_ROBIN);
    c->intra = (enum nadi_intra_scheduling)pick(&rng, 0, NADI_INTRA_LESS_REMAINING);
    c->splits = (uint32_t)pick(&rng, 1, 24);
    c->active_of_each = chance(&rng, 2);
    c->comm_streams = chance(&rng, 4) ? 4 : 1;
    if (!chance(&rng, 4))
        c->queues_per_dim = 1;
    for (uint32_t d = 0; d < j->in.topology.dim_count; d++)
        if (chance(&rng, 2)) {
            j->in.topology.dims[d].bytes_per_ns = 50;
            j->in.topology.dims[d].latency_ns = 100;
        }
}

enum form { FORM_PLAIN, FORM_SLOW, FORM_SCHEDULED };

static struct pins pins = PINS("uniform", "", 20);

static bool try_seed(uint64_t seed, const struct nadi_network_ops *model, enum form form,
                     uint64_t *folded)
{
    struct job j;
    struct nadi_result want, got;
    draw_job(&j, seed, form == FORM_SLOW);
    if (form == FORM_SCHEDULED)
        draw_schedulers(&j, seed, model->truncates);
    j.in.options.record_ops = true;
    j.in.options.network_model = model;
    j.in.options.record_usage = true;
    j.in.options.executor = &nadi_executor_message;
    nadi_simulate(&j.in, NULL, &want);
    j.in.options.executor = &nadi_executor_fold;
    nadi_simulate(&j.in, NULL, &got);
    char who[64];
    snprintf(who, sizeof(who), "%s, seed %" PRIu64 ": messages of one rank", model->name, seed);
    const bool ok = result_same(who, &want, &got);
    *folded += got.executor == &nadi_executor_fold;
    digest_u64(&pins.digest, want.end_ns);
    for (size_t i = 0; i < want.link_count; i++) {
        digest_u64(&pins.digest, want.links[i].busy_ns);
        digest_u64(&pins.digest, want.links[i].wait_ns);
    }
    nadi_result_release(&want);
    nadi_result_release(&got);
    job_release(&j);
    return ok;
}

/* How many failed. One of so many is to be folded. */
static uint64_t try_scheduled(const struct seeds *s)
{
    const struct nadi_network_ops *const models[] = {&nadi_network_unaware, &nadi_network_flow,
                                                     &nadi_network_aware};
    static const char *const sections[] = {"scheduled-unaware", "scheduled-flow",
                                           "scheduled-aware"};
    static const uint64_t parts[] = {3, 8, 3};
    /* a rank's first partner in halving-doubling is its neighbour to whom others send, or not */
    uint64_t folded = 0, failed = !try_seed(21430, &nadi_network_flow, FORM_SCHEDULED, &folded);
    /* two ranks begin different chunks first at one instant */
    failed += !try_seed(101721, &nadi_network_unaware, FORM_SCHEDULED, &folded);
    for (size_t m = 0; m < sizeof(models) / sizeof(*models); m++) {
        folded = 0;
        pins_section(&pins, sections[m]);
        for (uint64_t seed = s->first; seed < s->first + s->cases / 2 && failed < 10; seed++) {
            failed += !try_seed(seed, models[m], FORM_SCHEDULED, &folded);
            pins_case(&pins, seed);
        }
        printf("%s with schedulers: %" PRIu64 " of %" PRIu64 " folded, %" PRIu64 " failed\n",
               models[m]->name, folded, s->cases / 2, failed);
        if (failed == 0 && s->cases >= 500 && folded * parts[m] < s->cases / 2) {
            printf("fewer than a part of %" PRIu64 " were folded\n", parts[m]);
            return 1;
        }
    }
    return failed;
}

int main(int argc, char **argv)
{
    const struct nadi_network_ops *const models[] = {&nadi_network_flow, &nadi_network_aware};
    struct seeds s = {CASES, 1};
    uint64_t failed = 0;
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (size_t m = 0; m < sizeof(models) / sizeof(*models); m++) {
        uint64_t folded = 0;
        /* a world's ring goes round a mesh as it is, not as pairs of its NPUs lie */
        failed += !try_seed(100473, models[m], FORM_PLAIN, &folded);
        /* two chunks of a rank end at one instant, not in the same order on all ranks */
        failed += !try_seed(40050, models[m], FORM_PLAIN, &folded);
        pins_section(&pins, models[m]->name);
        for (uint64_t seed = s.first; seed < s.first + s.cases && failed < 10; seed++) {
            failed += !try_seed(seed, models[m], FORM_PLAIN, &folded);
            pins_case(&pins, seed);
        }
        /* links of bytes a second: times have more digits than a double */
        uint64_t slow = 0;
        for (uint64_t seed = s.first; seed < s.first + s.cases / 5 && failed < 10; seed++)
            failed += !try_seed(seed, models[m], FORM_SLOW, &slow);
        printf("%s: %" PRIu64 " of %" PRIu64 " folded, %" PRIu64 " failed\n", models[m]->name,
               folded, s.cases, failed);
        if (argc == 1 && folded * 3 < s.cases) {
            printf("fewer than a third were folded\n");
            return 1;
        }
    }
    failed += try_scheduled(&s);
    return !pins_end(&pins) || failed != 0;
}
