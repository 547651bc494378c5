/* Spans that nobody asked for: of few nodes all, of many none, of many of a slow run all. */
#include "sim/run.h"

#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

static void kept(void **state)
{
    uint32_t seen[3] = {0};
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        struct nadi_rng rng;
        struct job j;
        struct nadi_result all, some;
        nadi_rng_init(&rng, seed, "spans");
        job_random(&j, &rng);
        j.in.options.record_ops = true;
        j.in.options.executor = &nadi_executor_message;
        nadi_simulate(&j.in, NULL, &all);
        j.in.options.most_spans = all.span_count / (seed % 2 ? 20 : 6) + 1;
        nadi_simulate(&j.in, NULL, &some);
        const uint64_t most = j.in.options.most_spans, count = all.span_count;
        const bool few = count <= 8 * most, slow = some.events / 32 >= count;
        assert_true(count <= 64 * most);
        assert_int_equal(some.span_count, few || slow ? count : 0);
        seen[few ? 0 : slow ? 1 : 2]++;
        nadi_result_release(&all);
        nadi_result_release(&some);
        job_release(&j);
    }
    assert_true(seen[0] > 5 && seen[1] > 5 && seen[2] > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
