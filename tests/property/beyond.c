/* Scales, rates, latencies and sizes of any order of magnitude: a run ends with a time that is long
 * enough, or it says that it is beyond the clock's range; it never wraps.
 *
 *   beyond [CASES [FIRST_SEED]]    default 3,000 cases from seed 1 (600 when instrumented)
 *
 * Jobs are those of the executors' test with each quantity multiplied by a power of ten, in
 * unaware, aware and flow, by every executor: they must come to one outcome, and to one place
 * beyond the range. A run that ends takes at least what each rank computes, what its longest
 * message needs at the fastest link, and what its longest memory request needs (in long double). A
 * chain of nodes, the same on all ranks, is run at two scales: the larger one takes as long or
 * longer. In packets, rates and latencies only. */
#include "base/str.h"
#include "sim/run.h"
#include "support/between.h"
#include "support/job.h"
#include "support/job_draw.h"
#include "support/seeds.h"

#include <math.h>

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 600 };
#else
enum { CASES = 3000 };
#endif

struct tally {
    uint64_t done, beyond, deadlock, packets;
};

static double power(struct nadi_rng *rng, int low, int high)
{
    return pow(10, (double)rng_between(rng, low, high));
}

/* ---- drawing ------------------------------------------------------------------------------- */

static void scale_traces(struct job *j, struct nadi_rng *rng)
{
    for (uint32_t i = 0; i < j->in.owned_count; i++) {
        struct nadi_trace *t = j->in.owned[i];
        struct nadi_rng same = *rng; /* the same nodes grow on all ranks */
        for (uint32_t n = 0; n < t->node_count; n++) {
            const uint64_t time = nadi_rng_below(&same, 6) ? 0 : pick(&same, 0, 50);
            const uint64_t size = nadi_rng_below(&same, 6) ? 0 : pick(&same, 0, 50);
            if (t->duration_ns[n] >> (62 - time) == 0)
                t->duration_ns[n] <<= time;
            if (t->bytes[n] >> (62 - size) == 0)
                t->bytes[n] <<= size;
            if (t->ops[n] >> (62 - size) == 0)
                t->ops[n] <<= size;
        }
    }
    (void)nadi_rng_u64(rng);
}

static void scale_platform(struct job *j, struct nadi_rng *rng)
{
    struct nadi_inputs *in = &j->in;
    for (uint32_t d = 0; d < in->topology.dim_count; d++) {
        if (chance(rng, 3))
            in->topology.dims[d].bytes_per_ns *= power(rng, -9, 6);
        if (chance(rng, 4))
            in->topology.dims[d].latency_ns *= power(rng, -3, 14);
    }
    if (chance(rng, 4))
        in->system.local_mem_bw *= power(rng, -20, 3);
    if (chance(rng, 8))
        in->system.endpoint_delay_ns = pick_size(rng, 55);
    if (chance(rng, 8))
        in->memory.latency_ns = pick_size(rng, 55);
    in->memory.pool.latency_ns[NADI_POOL_GROUP] = (double)in->memory.latency_ns;
    if (chance(rng, 3))
        in->options.compute_scale = power(rng, -9, 18);
    if (chance(rng, 3))
        in->options.comm_scale = power(rng, -9, 18);
}

static void draw(struct job *j, uint64_t seed)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "beyond");
    if (seed % 2)
        job_random(j, &rng);
    else
        job_grid(j, &rng);
    j->in.options.network_model = nadi_network_models[pick(&rng, 0, 2)];
    if (j->in.options.network_model == &nadi_network_unaware)
        job_other_kinds(j, seed);
    j->in.system.rendezvous = false; /* sizes pass through 32 bits, as in the reference */
    if (chance(&rng, 2))
        scale_traces(j, &rng);
    scale_platform(j, &rng);
}

/* Every rank does the same things, one after the other, each by one chunk. */
static void draw_chain(struct job *j, uint64_t seed)
{
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                      NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL};
    struct nadi_rng rng;
    struct job_node nodes[6];
    const uint32_t count = (uint32_t)(seed % 6) + 1;
    nadi_rng_init(&rng, seed, "chain");
    const struct nadi_dim dim = {
        .kind = (enum nadi_dim_kind)pick(&rng, NADI_DIM_RING, NADI_DIM_SWITCH),
        .npus = (uint32_t)pick(&rng, 2, 8),
        .bytes_per_ns = power(&rng, -9, 6),
        .latency_ns = power(&rng, 0, 15),
    };
    job_init(j, &dim, 1);
    job_algorithm(j, chance(&rng, 2) ? NADI_ALGORITHM_RING : NADI_ALGORITHM_DIRECT);
    j->in.system.local_mem_bw = chance(&rng, 2) ? 0 : power(&rng, 0, 12);
    j->in.options.network_model = nadi_network_models[pick(&rng, 0, 2)];
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = (struct job_node){.type = chance(&rng, 2) ? NADI_NODE_COMP : NADI_NODE_COLL,
                                     .duration_ns = pick_size(&rng, 61),
                                     .bytes = pick_size(&rng, 61),
                                     .kind = kinds[pick(&rng, 0, 3)],
                                     .dep_count = i > 0,
                                     .deps = {i - 1}};
    }
    job_give(j, job_trace(j, nodes, count), 0, j->in.rank_count - 1);
}

/* ---- what a run takes at least --------------------------------------------------------------- */

static long double most_rate(const struct nadi_inputs *in)
{
    long double most = 0;
    for (uint32_t d = 0; d < in->topology.dim_count; d++)
        most = fmaxl(most, in->topology.dims[d].bytes_per_ns);
    return most;
}

/* All that a collective sends goes in chunks, by at most as many messages at once as there are
 * ranks; a message is the least that a chunk is cut to. */
static long double node_least(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t n)
{
    const long double bytes = floorl((long double)t->bytes[n] * in->options.comm_scale);
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, n);
    const uint8_t type = t->type[n];
    if (type == NADI_NODE_SEND)
        return bytes / most_rate(in);
    const struct nadi_pool *pool = &in->memory.pool;
    if ((type == NADI_NODE_MEM_LOAD || type == NADI_NODE_MEM_STORE) &&
        in->memory.kind == NADI_MEMORY_HIERARCHY)
        return t->bytes[n] == 0 ? 0
                                : (long double)pool->latency_ns[NADI_POOL_GROUP] +
                                      (long double)t->bytes[n] / pool->gbps[NADI_POOL_NPU];
    if (type == NADI_NODE_MEM_LOAD || type == NADI_NODE_MEM_STORE)
        return (long double)in->memory.latency_ns +
               (long double)t->bytes[n] / (long double)in->memory.bytes_per_ns;
    if (type != NADI_NODE_COLL || t->collective[n] == NADI_BROADCAST || !comm ||
        comm->group != NADI_NONE || comm->involved != UINT32_MAX)
        return 0;
    return floorl(bytes / in->system.splits / in->rank_count) / most_rate(in);
}

/* Each truncation takes less than a nanosecond, and one in 2^40 what doubles round. */
static long double least(const struct nadi_inputs *in)
{
    long double most = 0;
    for (uint32_t rank = 0; rank < in->rank_count; rank++) {
        const struct nadi_trace *t = in->traces[rank];
        long double computes = 0;
        for (uint32_t n = 0; n < t->node_count; n++) {
            const bool cpu = t->flags[n] & NADI_NODE_IS_CPU;
            const bool replays = in->system.replay_only || !in->system.roofline;
            if (t->type[n] == NADI_NODE_COMP && !cpu && replays)
                computes += (long double)t->duration_ns[n] * in->options.compute_scale - 1;
            else if (!in->system.replay_only)
                most = fmaxl(most, node_least(in, t, n) - 2);
        }
        most = fmaxl(most, computes);
    }
    return most * (1 - 0x1p-40L) - 2;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool wrong(uint64_t seed, const char *executor, const char *what, long double a,
                  long double b)
{
    printf("seed %" PRIu64 ": %s: %s: %.20Lg, %.20Lg\n", seed, executor, what, a, b);
    return false;
}

static const char *place_of(const struct nadi_result *r)
{
    return r->diags.count ? r->diags.items[0].message : "";
}

static bool check(uint64_t seed, const char *executor, const struct nadi_inputs *in,
                  const struct nadi_result *r)
{
    if (r->outcome == NADI_OUTCOME_LIMIT)
        return (r->diags.count > 0 && nadi_str_equal(r->diags.items[0].code, "limit/clock")) ||
               wrong(seed, executor, "no place beyond the range", 0, 0);
    if (r->outcome != NADI_OUTCOME_DONE)
        return true;
    const long double bound = least(in);
    return r->end_ns >= bound || wrong(seed, executor, "shorter than possible", r->end_ns, bound);
}

static bool try_all(uint64_t seed, struct tally *tally)
{
    static const struct nadi_executor *const executors[] = {
        &nadi_executor_message, &nadi_executor_phase, &nadi_executor_fold, NULL};
    static const char *const names[] = {"message", "phase", "fold", "auto"};
    struct job j;
    struct nadi_result want, got;
    bool ok = true;
    draw(&j, seed);
    for (size_t e = 0; e < 4 && ok; e++) {
        j.in.options.executor = executors[e];
        nadi_simulate(&j.in, NULL, e ? &got : &want);
        struct nadi_result *r = e ? &got : &want;
        ok = check(seed, names[e], &j.in, r);
        if (ok && e && r->outcome != want.outcome)
            ok = wrong(seed, names[e], "another outcome", r->outcome, want.outcome);
        if (ok && e && r->outcome == NADI_OUTCOME_DONE && r->end_ns != want.end_ns)
            ok = wrong(seed, names[e], "another end", r->end_ns, want.end_ns);
        if (ok && e && r->outcome == NADI_OUTCOME_LIMIT &&
            !nadi_str_equal(place_of(r), place_of(&want))) {
            printf("%s\n%s\n", place_of(&want), place_of(r));
            ok = wrong(seed, names[e], "another place", 0, 0);
        }
        if (e)
            nadi_result_release(&got);
    }
    tally->done += want.outcome == NADI_OUTCOME_DONE;
    tally->beyond += want.outcome == NADI_OUTCOME_LIMIT;
    tally->deadlock += want.outcome == NADI_OUTCOME_DEADLOCK;
    nadi_result_release(&want);
    job_release(&j);
    return ok;
}

static bool try_chain(uint64_t seed, struct tally *tally)
{
    struct nadi_rng rng;
    struct job j;
    uint64_t before = 0;
    bool ok = true;
    nadi_rng_init(&rng, seed, "scales");
    draw_chain(&j, seed);
    const double compute = power(&rng, -9, 6), comm = power(&rng, -9, 6);
    for (int i = 0; i < 4 && ok; i++) {
        struct nadi_result r;
        j.in.options.compute_scale = compute * pow(10, seed % 3 ? 3 * i : 0);
        j.in.options.comm_scale = comm * pow(10, seed % 3 != 1 ? 3 * i : 0);
        nadi_simulate(&j.in, NULL, &r);
        ok = check(seed, "chain", &j.in, &r);
        const uint64_t end = r.outcome == NADI_OUTCOME_DONE ? r.end_ns : UINT64_MAX;
        if (ok && r.outcome == NADI_OUTCOME_DEADLOCK)
            ok = wrong(seed, "chain", "a deadlock", 0, 0);
        if (ok && end < before)
            ok = wrong(seed, "chain", "a larger scale is faster", end, before);
        before = end;
        tally->done += end < UINT64_MAX;
        tally->beyond += end == UINT64_MAX;
        nadi_result_release(&r);
    }
    job_release(&j);
    return ok;
}

/* Rates and latencies: sizes would be packets. A sender whose packets take longer than its timeout
 * gives up, so that the run may end with open nodes. */
static bool try_packets(uint64_t seed, struct tally *tally)
{
    struct nadi_rng rng;
    struct job j;
    struct nadi_diags diags;
    struct nadi_result r;
    nadi_rng_init(&rng, seed, "packets");
    const struct nadi_dim dim = {
        .kind = (enum nadi_dim_kind)pick(&rng, NADI_DIM_RING, NADI_DIM_SWITCH),
        .npus = (uint32_t)pick(&rng, 2, 4),
        .bytes_per_ns = power(&rng, -2, 3),
        .latency_ns = power(&rng, 0, 15),
    };
    const struct job_node nodes[] = {
        {.type = NADI_NODE_COMP, .duration_ns = pick_size(&rng, 53)},
        {.type = NADI_NODE_COLL, .bytes = pick_size(&rng, 16), .dep_count = 1, .deps = {0}},
    };
    job_init(&j, &dim, 1);
    j.in.options.network_model = &nadi_network_packet;
    j.in.options.exact_packets = chance(&rng, 4);
    j.in.options.max_wall_ms = 5000;
    job_give(&j, job_trace(&j, nodes, 2), 0, j.in.rank_count - 1);
    nadi_diags_init(&diags);
    bool ok = true;
    if (nadi_inputs_take_topology(&j.in, NULL, NULL, &diags)) {
        nadi_simulate(&j.in, NULL, &r);
        ok = (r.outcome == NADI_OUTCOME_LIMIT && r.stopped_by[0] == '-') || /* --max-wall */
             check(seed, "packets", &j.in, &r);
        if (ok && r.outcome == NADI_OUTCOME_DEADLOCK && r.packets.abandoned == 0)
            ok = wrong(seed, "packets", "a deadlock", 0, 0);
        tally->packets += r.outcome == NADI_OUTCOME_DONE || r.outcome == NADI_OUTCOME_LIMIT;
        nadi_result_release(&r);
    }
    nadi_diags_release(&diags);
    job_release(&j);
    return ok;
}

static bool try_seed(uint64_t seed, void *tally)
{
    const bool all = try_all(seed, tally), chain = try_chain(seed, tally);
    return (seed % 10 || try_packets(seed, tally)) && all && chain;
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    struct tally tally = {0};
    if (!seeds_asked(argc, argv, &s))
        return 2;
    const uint64_t failed = seeds_fail(&s, try_seed, &tally);
    printf("%" PRIu64 " end, %" PRIu64 " are beyond the clock's range, %" PRIu64
           " deadlock, %" PRIu64 " in packets\n",
           tally.done, tally.beyond, tally.deadlock, tally.packets);
    const bool both = tally.done >= s.cases / 2 && tally.beyond >= s.cases / 2;
    return failed != 0 || !both; /* or one of the two is not tried */
}
