/* matching: a transformer on 16 ranks whose members pair an all-gather with a reduce-scatter, with
 * the reference's own times, where the data are beside the checkout. tests/cli/run/mismatch has
 * figures by hand. */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "inputs/inputs.h"
#include "sim/run.h"
#include "support/csv_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/skip.h"

#define DATA NADI_SHARED_DIR "/bugs/mismatch/"

static void simulate(bool match, struct nadi_result *result)
{
    const struct nadi_run_options options = {
        .workload = DATA "workload",
        .system = DATA "system.json",
        .network = DATA "network.yml",
        .memory = DATA "memory.json",
        .groups = DATA "groups.json",
        .network_model = &nadi_network_aware,
        .injection_scale = 1,
        .compute_scale = 1,
        .comm_scale = 1,
        .match_mismatched = match,
    };
    struct nadi_inputs in;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_inputs_load(&in, &options, &diags));
    nadi_simulate(&in, NULL, result);
    nadi_inputs_release(&in);
    nadi_diags_release(&diags);
}

static void times_of_the_reference(void **state)
{
    (void)state;
    struct nadi_result r;
    struct nadi_diags diags;
    struct csv_table want;
    char *text;
    size_t bytes;
    if (access(DATA "expected.csv", R_OK) != 0) {
        skip_because("no %s", DATA);
    }
    nadi_diags_init(&diags);
    assert_true(nadi_file_read(DATA "expected.csv", "times", &text, &bytes, &diags));
    csv_read(&want, text);
    simulate(true, &r);
    assert_int_equal(r.outcome, NADI_OUTCOME_DONE);
    assert_int_equal(r.diags.errors, 0);
    assert_true(r.diags.warnings > 0);
    assert_int_equal(want.rows, r.rank_count + 1);
    for (uint32_t rank = 0; rank < r.rank_count; rank++) {
        assert_int_equal(nadi_result_rank(&r, rank)->finish_ns,
                         csv_u64(&want, rank + 1, "finish_ns"));
        assert_int_equal(nadi_result_rank(&r, rank)->exposed_comm_ns,
                         csv_u64(&want, rank + 1, "exposed_comm_ns"));
    }
    for (size_t i = 0; i < r.collective_count; i++)
        assert_true(r.collectives[i].complete);
    nadi_result_release(&r);
    simulate(false, &r);
    assert_int_equal(r.outcome, NADI_OUTCOME_DEADLOCK);
    assert_int_equal(r.diags.errors, 1);
    assert_string_equal(r.diags.items[0].code, "deadlock/mismatch");
    assert_non_null(strstr(r.diags.items[0].message, "because of timing"));
    nadi_result_release(&r);
    csv_release(&want);
    nadi_mem_free(text);
    nadi_diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(times_of_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
