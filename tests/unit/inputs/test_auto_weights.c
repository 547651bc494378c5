/* `--network-model auto` looks over sharing that is small beside what a rank computes: the time of
 * its device or of its processor, whichever is longer, as the run will have it. */
#include "inputs/inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/job.h"

enum { BYTES = 1 << 20 }; /* some 20 us at 50 GB/s */
static const uint64_t little_ns = 50000, much_ns = 2000000;

struct receiver { /* what it has beside two messages that may meet */
    uint64_t device_ns, processor_ns, pause_ns, roofline_ns;
    double scale; /* 0: 1 */
};

/* Do two messages of as long as `little_ns` make auto share links? */
static bool shares(const struct receiver *r)
{
    const struct nadi_dim dims[] = {
        {.kind = NADI_DIM_SWITCH, .npus = 4, .bytes_per_ns = 50, .latency_ns = 500}};
    const struct job_node receiving[] = {
        {.type = NADI_NODE_RECV, .peer = 1, .bytes = BYTES},
        {.type = NADI_NODE_RECV, .peer = 2, .bytes = BYTES},
        {.type = NADI_NODE_COMP, .duration_ns = r->device_ns, .ops = 1, .bytes = 1},
        {.type = NADI_NODE_COMP, .duration_ns = r->processor_ns, .cpu = true},
        {.type = NADI_NODE_COMP, .duration_ns = r->pause_ns, .cpu = true},
        {.type = NADI_NODE_COMP, .ops = r->roofline_ns ? r->roofline_ns * 1000 : 1, .bytes = 1},
    };
    const struct job_node sending[] = {{.type = NADI_NODE_SEND, .peer = 0, .bytes = BYTES}};
    struct job j;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    job_init(&j, dims, 1);
    j.in.options.choose_model = true;
    j.in.options.compute_scale = r->scale > 0 ? r->scale : 1;
    j.in.system.roofline = j.in.system.only_untimed = true;
    j.in.system.peak_perf = 1e12; /* 1000 a ns */
    j.in.system.local_mem_bw = 1e18;
    struct nadi_trace *t = job_trace(&j, receiving, 6), *sends = job_trace(&j, sending, 1);
    struct nadi_trace *idle = job_trace(&j, sending, 0);
    t->flags[4] |= NADI_NODE_PAUSES;
    job_give(&j, t, 0, 0);
    job_give(&j, sends, 1, 2);
    job_give(&j, idle, 3, 3);
    nadi_inputs_choose_model(&j.in, &diags);
    const bool shared = j.in.options.network_model->has_contention;
    job_release(&j);
    nadi_diags_release(&diags);
    return shared;
}

static void computation_counts(void **state)
{
    (void)state;
    assert_true(shares(&(struct receiver){.device_ns = little_ns}));
    assert_false(shares(&(struct receiver){.device_ns = much_ns}));
    assert_false(shares(&(struct receiver){.processor_ns = much_ns}));
    assert_false(shares(&(struct receiver){.roofline_ns = much_ns}));
}

static void pauses_do_not(void **state)
{
    (void)state;
    assert_true(shares(&(struct receiver){.device_ns = little_ns, .pause_ns = much_ns}));
}

/* 21 us beside 400 us count, beside 800 us not. */
static void device_and_processor_work_at_once(void **state)
{
    (void)state;
    assert_true(shares(&(struct receiver){.device_ns = 400000, .processor_ns = 400000}));
    assert_false(shares(&(struct receiver){.device_ns = 800000, .processor_ns = 400000}));
}

static void as_scaled(void **state)
{
    (void)state;
    assert_true(shares(&(struct receiver){.device_ns = much_ns, .scale = 0.1}));
    assert_false(shares(&(struct receiver){.device_ns = 200000, .scale = 10}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computation_counts),
        cmocka_unit_test(pauses_do_not),
        cmocka_unit_test(device_and_processor_work_at_once),
        cmocka_unit_test(as_scaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
