/* No run is faster than the lower bound, whatever the platform, the workload and the model. */
#include "sim/bound.h"
#include "sim/run.h"

#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

enum { CASES = 3000, FINISHED_AT_LEAST = 1500 };

static void no_run_is_faster(void **state)
{
    uint32_t finished = 0;
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct nadi_rng rng;
        struct job j;
        struct nadi_result r;
        nadi_rng_init(&rng, seed, "lower bound");
        job_random(&j, &rng);
        if (seed % 2)
            job_other_kinds(&j, seed);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_run_is_faster)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
