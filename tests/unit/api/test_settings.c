/* Settings of a run: what is set by name, by a member of nadi_setup and by a command's option is
 * the same value with the same bounds and default, and what is wrong is named. */
#include "api/argument.h"
#include "api/job.h"
#include "api/run_settings.h"
#include "base/str.h"

#include <setjmp.h>

#include <cmocka.h>

static struct nadi_job *fresh(const struct nadi_setup *setup)
{
    struct nadi_job *job = nadi_job_create(setup);
    assert_non_null(job);
    return job;
}

/* One of the setup, one by its name. */
static void same(const struct nadi_setup *setup, const char *name, const char *text)
{
    struct nadi_job *a = fresh(setup), *b = fresh(NULL);
    assert_int_equal(nadi_job_set(b, name, text), NADI_STATUS_DONE);
    const struct nadi_run_options *x = &a->options, *y = &b->options;
    assert_true(nadi_str_equal(x->workload, y->workload));
    assert_true(nadi_str_equal(x->events, y->events));
    assert_ptr_equal(x->network_model, y->network_model);
    assert_ptr_equal(x->executor, y->executor);
    assert_int_equal(x->choose_model, y->choose_model);
    assert_int_equal(x->queues_per_dim, y->queues_per_dim);
    assert_memory_equal(&x->injection_scale, &y->injection_scale, 3 * sizeof(double));
    assert_int_equal(x->rendezvous, y->rendezvous);
    assert_int_equal(x->match_mismatched, y->match_mismatched);
    assert_int_equal(x->strict, y->strict);
    assert_int_equal(x->exact_packets, y->exact_packets);
    assert_true(x->max_sim_ns == y->max_sim_ns && x->max_wall_ms == y->max_wall_ms);
    assert_true(x->samples == y->samples && x->seed == y->seed);
    nadi_job_destroy(a);
    nadi_job_destroy(b);
}

#define SAME(member, value, name, text)                                                            \
    do {                                                                                           \
        struct nadi_setup setup;                                                                   \
        nadi_setup_init(&setup);                                                                   \
        setup.member = (value);                                                                    \
        same(&setup, name, text);                                                                  \
    } while (0)

static void by_member_and_by_name(void **state)
{
    (void)state;
    SAME(workload, "a", "workload", "a");
    SAME(events, "e.yml", "events", "e.yml");
    SAME(network_model, "flow", "network-model", "flow");
    SAME(network_model, "flow", "network_model", "flow");
    SAME(network_model, NULL, "network-model", "auto");
    SAME(executor, "fold", "executor", "fold");
    SAME(mismatch, "warn", "mismatch", "warn");
    SAME(packet_compat, "ns3", "compat", "ns3");
    SAME(queues_per_dim, 65536, "queues-per-dim", "65536");
    SAME(injection_scale, 0.1, "injection-scale", "0.1");
    SAME(compute_scale, 1e9, "compute-scale", "1e9");
    SAME(comm_scale, 1.0 / 3, "comm-scale", "0.3333333333333333");
    SAME(rendezvous, 1, "rendezvous", NULL);
    SAME(lenient, 1, "lenient", "on");
    SAME(lenient, 0, "lenient", "off");
    SAME(max_sim_ns, 1500, "max-sim", "1.5us");
    SAME(max_wall_ms, 2000, "max-wall", "2");
    SAME(samples, 7, "samples", "7");
    SAME(seed, UINT64_MAX, "seed", "18446744073709551615");
}

static bool said(const struct nadi_job *job, const char *code, const char *text, const char *hint)
{
    const struct nadi_diags *m = nadi_job_messages(job);
    const struct nadi_message_view v = nadi_messages_get(m, nadi_messages_count(m) - 1);
    if (!nadi_str_equal(v.code, code) || !nadi_str_equal(v.text, text) ||
        !nadi_str_equal(v.hint, hint))
        fail_msg("%s: %s (%s)", v.code, v.text, v.hint ? v.hint : "");
    return true;
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *code, *message, *hint;
    } cases[] = {
        {"netwrk-model", "flow", "setup/unknown", "a run has no setting 'netwrk-model'",
         "did you mean 'network-model'?"},
        {"executor", "fald", "setup/executor",
         "executor must be auto|message|phase|fold, found 'fald'", "did you mean 'fold'?"},
        {"queues-per-dim", "65537", "setup/queues-per-dim",
         "queues-per-dim must be a whole number from 1 to 65536, found '65537'", NULL},
        {"comm-scale", "-1", "setup/comm-scale",
         "comm-scale must be a number from 0 to 1000000000, found '-1'", NULL},
        {"max-sim", "1GB", "setup/max-sim",
         "max-sim must be a time like 500ns, 10ms or 2s from more than 0, at most 1e+16, found "
         "'1GB'",
         NULL},
        {"system", NULL, "setup/system", "system must be a text that is not empty, found nothing",
         NULL},
        {"rendezvous", "maybe", "setup/rendezvous", "rendezvous must be on or off, found 'maybe'",
         NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct nadi_job *job = fresh(NULL);
        assert_int_equal(nadi_job_set(job, cases[i].name, cases[i].text), NADI_STATUS_INPUT);
        assert_true(said(job, cases[i].code, cases[i].message, cases[i].hint));
        assert_int_equal(nadi_job_load(job), NADI_STATUS_INPUT);
        assert_int_equal(nadi_messages_count(nadi_job_messages(job)), 1);
        nadi_job_destroy(job);
    }
}

/* What a member may be is what its setting may be. */
static void members_have_the_bounds_of_their_rows(void **state)
{
    (void)state;
    static const char *const numbers[][2] = {{"queues_per_dim", "queues-per-dim"},
                                             {"injection_scale", "injection-scale"},
                                             {"compute_scale", "compute-scale"},
                                             {"comm_scale", "comm-scale"}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        const struct nadi_setting *s = nadi_run_setting(numbers[i][1]);
        const struct nadi_field *m = nadi_setup_struct.members;
        while (!nadi_str_equal(m->name, numbers[i][0]))
            m++;
        const bool whole = m->kind == NADI_FIELD_U32;
        const double least = whole ? (double)m->least : m->least_real;
        const double most = whole ? (double)m->most : m->most_real;
        assert_true(least <= s->min && least >= s->min);
        assert_true(most <= s->max && most >= s->max);
    }
}

static void every_row(void **state)
{
    (void)state;
    for (size_t t = 0; nadi_run_tables[t]; t++) {
        const struct nadi_schema *table = nadi_run_tables[t];
        assert_null(table->keys[table->count].name);
        for (size_t i = 0; i < table->count; i++) {
            const struct nadi_setting *s = &table->keys[i];
            struct nadi_job *plain = fresh(NULL), *job = fresh(NULL);
            int known = 0;
            char *text = nadi_explain_key(s->name, &known);
            assert_true(known && strstr(text, s->doc));
            nadi_free(text);
            assert_ptr_equal(nadi_run_setting(s->name), s);
            if (s->preset) { /* the default, set again, changes nothing */
                assert_int_equal(nadi_job_set(job, s->name, s->preset), NADI_STATUS_DONE);
                assert_memory_equal(&plain->options, &job->options, sizeof(job->options));
            }
            nadi_job_destroy(plain);
            nadi_job_destroy(job);
        }
    }
}

static void not_after_loading(void **state)
{
    (void)state;
    struct nadi_job *job = fresh(NULL);
    assert_int_equal(nadi_job_set(job, "workload", "none"), NADI_STATUS_DONE);
    assert_int_equal(nadi_job_set(job, "system", "none"), NADI_STATUS_DONE);
    assert_int_equal(nadi_job_set(job, "network", "none"), NADI_STATUS_DONE);
    assert_int_equal(nadi_job_load(job), NADI_STATUS_INPUT);
    assert_int_equal(nadi_job_set(job, "seed", "1"), NADI_STATUS_INPUT);
    assert_true(said(job, "argument/order", "settings are made before the job is loaded", NULL));
    nadi_job_destroy(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_member_and_by_name),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(members_have_the_bounds_of_their_rows),
        cmocka_unit_test(every_row),
        cmocka_unit_test(not_after_loading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
