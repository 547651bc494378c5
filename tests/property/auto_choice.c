/* The model that `auto` takes against the one in which messages share links: where it takes
 * `unaware`, that ends within 2 % of `flow`, whatever collectives, algorithms, chunks, groups and
 * sends there are, on rings, cliques and switches of one or two dimensions. Within 35 % where ranks
 * compute for different times, as what a late one passes on of a ring meets, and where transfers of
 * a rank may run at once, which may cost a tenth of the computation.
 *
 *   auto_choice [CASES [FIRST_SEED]]     a failing seed is printed */
#include "inputs/load.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/job_draw.h"
#include "support/seeds.h"

#include <math.h>

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 100 };
#else
enum { CASES = 1000 };
#endif
enum { MOST_RANKS = 16, MOST_NODES = 48 };

static const double NEAR = 0.02, FAR = 0.35;

struct tally {
    uint64_t unaware, flow, needless;
};

static uint32_t draw_dims(struct nadi_rng *rng, struct nadi_dim *dims)
{
    const uint32_t count = chance(rng, 3) ? 2 : 1;
    for (uint32_t d = 0; d < count; d++)
        dims[d] = (struct nadi_dim){
            .kind = (enum nadi_dim_kind)pick(rng, NADI_DIM_RING, NADI_DIM_SWITCH),
            .npus = (uint32_t)pick(rng, 2, count == 1 ? MOST_RANKS : 4),
            .bytes_per_ns = (double)pick(rng, 1, 400) * 1073741824.0 / 1e9,
            .latency_ns = (double)pick(rng, 0, 2000) / 2,
        };
    return count;
}

static void draw_settings(struct job *j, struct nadi_rng *rng)
{
    struct nadi_system_config *c = &j->in.system;
    c->splits = chance(rng, 2) ? (uint32_t)pick(rng, 2, 4) : 1;
    c->active_chunks = chance(rng, 3) ? (uint32_t)pick(rng, 2, 4) : 1;
    c->queues_per_dim = chance(rng, 8) ? 2 : 1;
    c->endpoint_delay_ns = chance(rng, 2) ? 10 : pick(rng, 0, 60);
    c->comm_streams = chance(rng, 6) ? (uint32_t)pick(rng, 2, 4) : 1;
    c->local_bw_aware = chance(rng, 2);
    c->local_mem_bw = chance(rng, 2) ? 0 : (double)pick(rng, 100, 4000) * 1e9;
}

/* Ranks in blocks, or so far apart that they lie in the second dimension. */
static const char *draw_groups(struct job *j, struct nadi_rng *rng)
{
    const uint32_t n = j->in.rank_count;
    uint32_t size = (uint32_t)pick(rng, 2, n), group_of[MOST_RANKS], members[MOST_RANKS];
    while (n % size)
        size--;
    const uint32_t step = chance(rng, 2) ? 1 : n / size;
    if (size < 2 || size == n)
        return NULL;
    for (uint32_t r = 0; r < n; r++) {
        if (r / step % size)
            continue;
        for (uint32_t i = 0; i < size; i++)
            members[i] = r + i * step;
        const uint32_t group = nadi_groups_add_nameless(&j->in.groups, "part", members, size);
        for (uint32_t i = 0; i < size; i++)
            group_of[members[i]] = group;
    }
    nadi_groups_add_family(&j->in.groups, "part", group_of, n);
    return "part";
}

struct list { /* of a rank */
    struct job_node nodes[MOST_NODES];
    uint32_t count;
};

static void put(struct list *l, struct job_node n, bool free)
{
    if (l->count == MOST_NODES)
        return;
    if (l->count > 0 && !free) {
        n.dep_count = 1;
        n.deps[0] = l->count - 1;
    }
    l->nodes[l->count++] = n;
}

static void put_message(struct list *lists, uint32_t from, uint32_t to, uint64_t bytes,
                        uint32_t tag, bool free)
{
    const struct job_node sends = {.type = NADI_NODE_SEND, .peer = to, .tag = tag, .bytes = bytes};
    const struct job_node receives = {
        .type = NADI_NODE_RECV, .peer = from, .tag = tag, .bytes = bytes};
    if (from == to || lists[from].count + 1 >= MOST_NODES || lists[to].count + 1 >= MOST_NODES)
        return;
    put(&lists[from], sends, free);
    put(&lists[to], receives, free);
}

/* A shift, all to one, one to all, or anybody to anybody. */
static void draw_sends(struct nadi_rng *rng, struct list *lists, uint32_t n, uint32_t tag)
{
    const uint64_t bytes = pick_size(rng, 14) << 9, form = pick(rng, 0, 4);
    const uint32_t one = (uint32_t)pick(rng, 0, n - 1), by = form ? one : 1;
    const bool free = chance(rng, 3);
    for (uint32_t r = 0; r < n; r++) {
        if (form < 2)
            put_message(lists, r, (r + by) % n, bytes, tag, free);
        else if (form == 2)
            put_message(lists, r, one, bytes, tag, free);
        else if (form == 3)
            put_message(lists, one, r, bytes, tag, free);
        else if (chance(rng, 2))
            put_message(lists, r, (uint32_t)pick(rng, 0, n - 1), bytes, tag, free);
    }
}

static bool draw_nodes(struct job *j, struct nadi_rng *rng, const char *group, struct list *lists)
{
    static const enum nadi_collective_kind kinds[] = {
        NADI_ALL_REDUCE, NADI_ALL_GATHER, NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL, NADI_BROADCAST};
    const uint32_t n = j->in.rank_count, steps = (uint32_t)pick(rng, 1, 4);
    const bool sends = chance(rng, 3), late = chance(rng, 4);
    for (uint32_t s = 0; s < steps; s++) {
        const bool computes = chance(rng, 3), by_group = group && chance(rng, 2);
        const bool free = j->in.system.comm_streams > 1 && chance(rng, 2);
        struct job_node node = {
            .type = computes ? NADI_NODE_COMP : NADI_NODE_COLL,
            .duration_ns = pick_size(rng, 16),
            .kind = kinds[pick(rng, 0, 4)],
            .group = by_group ? group : NULL,
            .bytes = (pick_size(rng, 12) + 1) * 12288 * n,
        };
        if (!computes && sends)
            draw_sends(rng, lists, n, s);
        for (uint32_t r = 0; r < n && (computes || !sends); r++) {
            if (late)
                node.duration_ns = pick_size(rng, 16);
            put(&lists[r], node, free);
        }
    }
    return late;
}

/* Do ranks compute for different times? */
static bool draw_job(struct job *j, uint64_t seed)
{
    struct nadi_rng rng;
    struct nadi_dim dims[2];
    static struct list lists[MOST_RANKS];
    nadi_rng_init(&rng, seed, "auto");
    job_init(j, dims, draw_dims(&rng, dims));
    j->in.options.record_ops = false;
    struct draw source = draw_from_rng(&rng);
    draw_settings(j, &rng);
    draw_algorithms(j, &source);
    const char *group = draw_groups(j, &rng);
    memset(lists, 0, sizeof(lists));
    const bool late = draw_nodes(j, &rng, group, lists);
    for (uint32_t r = 0; r < j->in.rank_count; r++) {
        j->in.owned[r] = j->in.traces[r] = job_trace(j, lists[r].nodes, lists[r].count);
        j->in.owned_count = r + 1;
    }
    if (chance(&rng, 2))
        job_programs(j, seed);
    return late;
}

static uint64_t end_of(struct job *j, const struct nadi_network_ops *model, uint64_t *messages)
{
    struct nadi_result result;
    j->in.options.network_model = model;
    j->in.system.exact = true; /* rounding and reductions are not asked about */
    j->in.options.executor = &nadi_executor_message;
    nadi_simulate(&j->in, NULL, &result);
    const uint64_t end = result.outcome == NADI_OUTCOME_DONE ? result.end_ns : 0;
    *messages = result.messages;
    nadi_result_release(&result);
    return end;
}

static bool try_seed(uint64_t seed, void *context)
{
    struct tally *tally = context;
    struct job j;
    struct nadi_diags diags;
    uint64_t messages, more;
    const bool late = draw_job(&j, seed), far = late || j.in.system.comm_streams > 1;
    nadi_diags_init(&diags);
    j.in.options.choose_model = true;
    nadi_inputs_choose_model(&j.in, &diags);
    const struct nadi_network_ops *chosen = j.in.options.network_model;
    const bool in_flow = chosen->has_contention;
    const uint64_t unaware = end_of(&j, nadi_network_default, &messages);
    const uint64_t flow = end_of(&j, nadi_network_sharing, &more);
    const double apart = fabs((double)flow - (double)unaware);
    const bool same = unaware == 0 || flow == 0 /* cannot run */ ||
                      apart <= (far ? FAR : NEAR) * (double)flow + 3.0 * (double)messages;
    tally->unaware += !in_flow;
    tally->flow += in_flow;
    tally->needless += in_flow && same;
    if (!in_flow && !same)
        printf("seed %" PRIu64 ": auto took %s, which ends at %" PRIu64 " ns; flow at %" PRIu64
               " ns\n",
               seed, chosen->name, unaware, flow);
    nadi_diags_release(&diags);
    job_release(&j);
    return in_flow || same;
}

int main(int argc, char **argv)
{
    struct seeds seeds = {CASES, 1};
    struct tally tally = {0};
    if (!seeds_asked(argc, argv, &seeds))
        return 2;
    const uint64_t failed = seeds_fail(&seeds, try_seed, &tally);
    printf("unaware %" PRIu64 ", flow %" PRIu64 ", of which it would be the same %" PRIu64 "\n",
           tally.unaware, tally.flow, tally.needless);
    return failed > 0 || tally.unaware * 4 < seeds.cases;
}
