/* The executors must agree: on every rank's times, on each node's start and end, on each collective
 * and on what crossed the network. The message executor is the reference for the others.
 *
 *   executors [CASES [FIRST_SEED]]    default 24,000 cases from seed 1 (4,000 when instrumented); a
 *                                     failing seed is printed
 *
 * Seeds that failed once are run each time.
 *
 * Odd seeds draw anything (job_random), even ones jobs that fold (job_grid). */
#include "base/str.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/result_same.h"
#include "support/seeds.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 4000 };
#else
enum { CASES = 24000 };
#endif

/* As drawn: memory requests were under way between the two parts. */
static const uint64_t failed_once_drawn[] = {537253, 569765};
static const uint64_t failed_once[] = {1289147, 2045482, 2061112, 2069424, 2124522, 2130688,
                                       2187244, 2210612, 2228836, 2231996, 2234762};

struct tally {
    uint64_t done, phase, fold, parts, scheduled;
};

/* Chunks that visit the dimensions, and leave the queues, in orders of their own. */
static void draw_schedulers(struct job *j, uint64_t seed)
{
    j->in.system.inter = (enum nadi_inter_scheduling)(seed / 16 % (NADI_INTER_ROUND_ROBIN + 1));
    j->in.system.intra = (enum nadi_intra_scheduling)(seed / 64 % (NADI_INTRA_LESS_REMAINING + 1));
}

static bool try_seed(uint64_t seed, bool drawn, struct tally *tally)
{
    static const struct nadi_executor *const others[] = {&nadi_executor_phase, &nadi_executor_fold,
                                                         NULL, &nadi_executor_keyed};
    static const char *const names[] = {"phase", "fold", "auto", "keyed"};
    char who[64];
    struct nadi_rng rng;
    struct job j;
    struct nadi_result want, got;
    nadi_rng_init(&rng, seed, "executors");
    if (seed % 2)
        job_random(&j, &rng);
    else
        job_grid(&j, &rng);
    j.in.options.network_model = &nadi_network_unaware;
    if (drawn)
        job_other_kinds(&j, seed);
    if (drawn && seed / 2 % 4 == 0)
        job_programs(&j, seed);
    if (drawn && seed / 2 % 4 == 1)
        job_library(&j, seed);
    if (drawn && (seed / 2 % 4 == 2 || seed / 2 % 16 == 5))
        job_attached(&j, seed);
    if (drawn && seed / 2 % 5 == 0)
        job_metadata(&j, seed);
    const bool scheduled = drawn && seed % 16 < 2;
    if (scheduled)
        draw_schedulers(&j, seed);
    j.in.options.record_ops = true;
    j.in.options.executor = &nadi_executor_message;
    nadi_simulate(&j.in, NULL, &want);
    bool ok = true;
    for (size_t e = 0; e < sizeof(others) / sizeof(others[0]) && ok; e++) {
        j.in.options.executor = others[e];
        j.in.options.threads = (uint32_t)(seed / 4 % 4); /* 0: as many as there are cores */
        nadi_simulate(&j.in, NULL, &got);
        snprintf(who, sizeof(who), "seed %" PRIu64 ": %s executor", seed, names[e]);
        if (want.outcome == NADI_OUTCOME_DONE)
            ok = result_same(who, &want, &got);
        else if (got.outcome != want.outcome && others[e] != &nadi_executor_keyed) { /* may match */
            fprintf(stderr, "%s: outcome %d, not %d\n", who, (int)got.outcome, (int)want.outcome);
            ok = false;
        }
        tally->phase += got.executor == &nadi_executor_phase;
        tally->fold += got.executor == &nadi_executor_fold;
        tally->scheduled += scheduled && got.executor == &nadi_executor_fold;
        tally->parts += got.part_count == 2;
        nadi_result_release(&got);
    }
    tally->done += want.outcome == NADI_OUTCOME_DONE;
    nadi_result_release(&want);
    job_release(&j);
    return ok;
}

static bool try_drawn(uint64_t seed, void *tally)
{
    return try_seed(seed, true, tally);
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    uint64_t failed = 0;
    struct tally tally = {0};
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (size_t i = 0; i < sizeof(failed_once) / sizeof(*failed_once); i++)
        failed += !try_seed(failed_once[i], false, &tally);
    for (size_t i = 0; i < sizeof(failed_once_drawn) / sizeof(*failed_once_drawn); i++)
        failed += !try_seed(failed_once_drawn[i], true, &tally);
    failed += seeds_fail(&s, try_drawn, &tally);
    printf("%" PRIu64 " finish; of 4 runs each %" PRIu64 " were made by phases, %" PRIu64
           " folded, %" PRIu64 " of them in their first part, %" PRIu64 " with schedulers\n",
           tally.done, tally.phase, tally.fold, tally.parts, tally.scheduled);
    return failed != 0;
}
