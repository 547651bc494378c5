/* The message executor on several threads must agree with itself on one: on every rank's times, the
 * order in which ranks finish, each collective and their order, what crossed the network.
 *
 *   abreast [CASES [FIRST_SEED]]    default 6,000 cases from seed 1 (1,000 when instrumented); a
 *                                   failing seed is printed
 *
 * Seeds that failed once are run each time.
 *
 * Most cases are made so that they can be cut: messages of nodes stay in a part or are left out,
 * features that a part cannot have are taken out. */
#include "base/str.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/result_same.h"
#include "support/seeds.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CASES = 1000 };
#else
enum { CASES = 6000 };
#endif

/* Parts began different chunks of a collective first, whose order all ranks keep. */
static const uint64_t failed_once[] = {574274};

struct tally {
    uint64_t runs, abreast, done;
};

/* Takes out what parts cannot have, mostly. */
static void make_cuttable(struct job *j, struct nadi_rng *rng)
{
    struct nadi_system_config *c = &j->in.system;
    for (uint32_t d = 0; d < j->in.topology.dim_count; d++)
        if (j->in.topology.dims[d].latency_ns < 1)
            j->in.topology.dims[d].latency_ns = (double)(1 + nadi_rng_below(rng, 3));
    c->queues_per_dim = 1;
    if (nadi_rng_below(rng, 8) == 0) { /* windows of so many events that several threads run them */
        for (uint32_t d = 0; d < j->in.topology.dim_count; d++)
            j->in.topology.dims[d].latency_ns += 100000;
        c->splits = c->active_chunks = 64;
    }
    c->rendezvous = false;
    if (c->active_chunks < c->splits && c->comm_streams > 1)
        c->comm_streams = 1;
    j->in.memory.kind = NADI_MEMORY_PER_NPU;
    for (uint32_t k = 0; k < NADI_NATIVE_KINDS; k++)
        for (uint32_t d = 0; d < c->native[k].count; d++)
            if (c->native[k].dims[d].algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
                c->native[k].dims[d].algorithm = NADI_ALGORITHM_RING;
    if (nadi_rng_below(rng, 3) == 0)
        return;
    for (uint32_t i = 0; i < j->in.owned_count; i++) { /* every message a computation */
        struct nadi_trace *t = j->in.owned[i];
        for (uint32_t n = 0; n < t->node_count; n++)
            if (t->type[n] == NADI_NODE_SEND || t->type[n] == NADI_NODE_RECV)
                t->type[n] = NADI_NODE_COMP;
    }
}

static bool differ(const char *who, const char *what, size_t where)
{
    fprintf(stderr, "%s: %s %zu differ\n", who, what, where);
    return false;
}

static bool same_order(const char *who, const struct nadi_result *want,
                       const struct nadi_result *got)
{
    if (want->events != got->events)
        return differ(who, "events, of", (size_t)want->events);
    for (uint32_t i = 0; i < want->finished_count; i++)
        if (want->finish_order[i] != got->finish_order[i])

            return differ(who, "ranks that finish as number", i);
    if (want->collective_count != got->collective_count)
        return differ(who, "collectives, of", want->collective_count);
    for (size_t i = 0; i < want->collective_count; i++) {
        const struct nadi_collective_result *a = &want->collectives[i], *b = &got->collectives[i];
        if (a->group != b->group || a->sequence != b->sequence || a->rank != b->rank ||
            a->node != b->node || a->start_ns != b->start_ns || a->end_ns != b->end_ns ||
            a->ranks != b->ranks || a->bytes != b->bytes || a->kind != b->kind ||
            a->chunks != b->chunks || a->complete != b->complete)
            return differ(who, "collectives of number", i);
    }
    return true;
}

static bool try_seed(uint64_t seed, void *tally_of)
{
    struct tally *tally = tally_of;
    char who[64];
    struct nadi_rng rng;
    struct job j;
    struct nadi_result want, got;
    nadi_rng_init(&rng, seed, "abreast");
    if (seed % 3 == 0)
        job_random(&j, &rng);
    else
        job_grid(&j, &rng);
    j.in.options.network_model = &nadi_network_unaware;
    if (seed % 5 == 0)
        job_other_kinds(&j, seed);
    if (seed % 16)
        make_cuttable(&j, &rng);
    if (seed % 7 == 0) { /* each collective's chunks begin in one order everywhere */
        j.in.system.active_of_each = true;
        j.in.system.active_chunks = 1;
    }
    if (seed % 11 == 0)
        j.in.options.max_sim_ns = 1 + nadi_rng_below(&rng, 1 << (5 + seed % 16));
    j.in.options.record_ops = false;
    j.in.options.executor = &nadi_executor_message;
    j.in.options.threads = 1;
    nadi_simulate(&j.in, NULL, &want);
    bool ok = true;
    for (uint32_t threads = 2; threads <= 5 && ok; threads += 1 + (uint32_t)(seed % 2)) {
        j.in.options.threads = threads;
        nadi_simulate(&j.in, NULL, &got);
        snprintf(who, sizeof(who), "seed %" PRIu64 " on %" PRIu32 " threads", seed, threads);
        ok = result_same(who, &want, &got) && same_order(who, &want, &got);
        tally->runs++;
        tally->abreast += got.threads > 1;
        tally->done += got.threads > 1 && got.outcome == NADI_OUTCOME_DONE;
        nadi_result_release(&got);
    }
    nadi_result_release(&want);
    job_release(&j);
    return ok;
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    struct tally tally = {0};
    if (!seeds_asked(argc, argv, &s))
        return 2;
    uint64_t failed = 0;
    for (size_t i = 0; i < sizeof(failed_once) / sizeof(*failed_once); i++)
        failed += !try_seed(failed_once[i], &tally);
    failed += seeds_fail(&s, try_seed, &tally);
    printf("%" PRIu64 " runs on several threads, %" PRIu64 " of them in parts, of which %" PRIu64
           " finish\n",
           tally.runs, tally.abreast, tally.done);
    return failed != 0 || (s.cases >= CASES && tally.abreast < tally.runs / 4);
}
