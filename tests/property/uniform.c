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

static struct pins pins = PINS("uniform", "", 20);

static bool try_seed(uint64_t seed, const struct nadi_network_ops *model, bool slow,
                     uint64_t *folded)
{
    struct job j;
    struct nadi_result want, got;
    draw_job(&j, seed, slow);
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
        failed += !try_seed(100473, models[m], false, &folded);
        /* two chunks of a rank end at one instant, not in the same order on all ranks */
        failed += !try_seed(40050, models[m], false, &folded);
        pins_section(&pins, models[m]->name);
        for (uint64_t seed = s.first; seed < s.first + s.cases && failed < 10; seed++) {
            failed += !try_seed(seed, models[m], false, &folded);
            pins_case(&pins, seed);
        }
        /* links of bytes a second: times have more digits than a double */
        uint64_t slow = 0;
        for (uint64_t seed = s.first; seed < s.first + s.cases / 5 && failed < 10; seed++)
            failed += !try_seed(seed, models[m], true, &slow);
        printf("%s: %" PRIu64 " of %" PRIu64 " folded, %" PRIu64 " failed\n", models[m]->name,
               folded, s.cases, failed);
        if (argc == 1 && folded * 3 < s.cases) {
            printf("fewer than a third were folded\n");
            return 1;
        }
    }
    return !pins_end(&pins) || failed != 0;
}
