/* Property, through the public interface: whatever is learned from, jobs that are drawn from a
 * model of either kind pass the check and come to their end on networks without and with
 * contention, at any seed; and a sequence model always finds a job.
 *
 *   learned [CASES [FIRST_SEED]]      default 6 asked.cases from seed 1; 170 are 1,000 jobs
 *
 * Odd seeds learn from random programs of four ranks, which repeat nothing: computations,
 * collectives of all, messages between any two, dependencies on anything before. Even ones learn
 * from three generated training steps with pipelines. */
#include "base/file.h"
#include "base/mem.h"
#include "support/random_trace.h"
#include "support/seeds.h"

#include <nadi/learned.h>
#include <nadi/trace.h>

#include <setjmp.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { CASES = 6, RANKS = 4, MAKES = 3 };

#define FOLDER NADI_BUILD_DIR "/tests/learned"

static struct seeds asked = {CASES, 1};
static uint64_t packet_runs = 0;

static void write_file(const char *path, const void *data, size_t bytes)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_file_write(path, data, bytes, &diags));
    nadi_diags_release(&diags);
}

static void write_network(uint32_t ranks)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(
        &text, "topology: [Switch]\nnpus_count: [%u]\nbandwidth: [50]\nlatency: [500]\n", ranks);
    write_file(FOLDER "/network.yml", text.text, text.length);
    nadi_str_release(&text);
}

static void write_system(void)
{
    static const char text[] = "{\"all-reduce-implementation\": [\"ring\"],\n"
                               " \"all-gather-implementation\": [\"ring\"],\n"
                               " \"reduce-scatter-implementation\": [\"ring\"],\n"
                               " \"all-to-all-implementation\": [\"direct\"],\n"
                               " \"endpoint-delay\": 10}\n";
    write_file(FOLDER "/system.json", text, sizeof(text) - 1);
}

static void fail_on(uint64_t seed, const char *what, const struct nadi_diags *messages)
{
    char *why = nadi_message_format(messages, nadi_messages_count(messages) - 1);
    fail_msg("seed %" PRIu64 ": %s: %s", seed, what, why);
}

/* --- jobs --------------------------------------------------------------------------------------
 */

static void random_job(uint64_t seed, uint64_t k)
{
    struct nadi_rng r;
    struct nadi_str files[RANKS] = {NADI_STR_INIT};
    const struct random_simulable how = {.ranks = RANKS, .most_nodes = seed % 8 == 1 ? 300 : 60};
    nadi_rng_init(&r, seed * 4 + k, "learned");
    random_trace_fleet(&r, &how, files);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        char path[256];
        snprintf(path, sizeof path, FOLDER "/%s.%u.et", k ? "b" : "a", rank);
        write_file(path, files[rank].text, files[rank].length);
        nadi_str_release(&files[rank]);
    }
}

static void training_step(uint64_t seed, uint64_t k)
{
    struct nadi_rng r;
    struct nadi_transformer t;
    static const char *const places[] = {FOLDER "/t0", FOLDER "/t1", FOLDER "/t2"};
    nadi_rng_init(&r, seed, "steps");
    nadi_transformer_init(&t);
    t.tensor = 1u << nadi_rng_below(&r, 2);
    t.data = 1 + (uint32_t)nadi_rng_below(&r, 2);
    t.pipeline = 2 + (uint32_t)((nadi_rng_below(&r, 2) + k) % 2);
    t.layers = 2 * t.pipeline;
    t.micro_batches = 2 + (uint32_t)(nadi_rng_below(&r, 3) + k);
    t.files = 1;
    struct nadi_diags *messages = nadi_messages_create();
    (void)mkdir(places[k], 0777);
    if (nadi_generate_transformer(&t, places[k], messages) != NADI_STATUS_DONE)
        fail_on(seed, "generate", messages);
    nadi_messages_destroy(messages);
}

static void learn(uint64_t seed, const char *model)
{
    static const char *const drawn[] = {FOLDER "/a", FOLDER "/b"};
    static const char *const steps[] = {FOLDER "/t0/workload", FOLDER "/t1/workload",
                                        FOLDER "/t2/workload"};
    struct nadi_trace_learn o;
    char *report;
    nadi_trace_learn_init(&o);
    o.jobs = seed % 2 ? drawn : steps;
    o.job_count = seed % 2 ? 1 + seed / 2 % 2 : 3;
    o.output = FOLDER "/model";
    o.model = model;
    o.seed = strcmp(model, "sequence") == 0 ? seed : 0;
    struct nadi_diags *messages = nadi_messages_create();
    if (nadi_trace_learn(&o, &report, messages) != NADI_STATUS_DONE)
        fail_on(seed, "learn", messages);
    nadi_free(report);
    nadi_messages_destroy(messages);
}

/* --- what is made of them ----------------------------------------------------------------------
 */

static uint32_t check(uint64_t seed)
{
    struct nadi_trace_check o;
    static const char *const made = FOLDER "/made.yml";
    char *report;
    struct nadi_diags *messages = nadi_messages_create();
    nadi_trace_check_init(&o);
    o.inputs = (struct nadi_trace_inputs){&made, 1};
    if (nadi_trace_check(&o, &report, messages) != NADI_STATUS_DONE)
        fail_on(seed, "check", messages);
    nadi_free(report);
    nadi_messages_destroy(messages);
    return 0;
}

static void run(uint64_t seed, const char *model)
{
    struct nadi_setup setup;
    nadi_setup_init(&setup);
    setup.workload = FOLDER "/made.yml";
    setup.system = FOLDER "/system.json";
    setup.network = FOLDER "/network.yml";
    struct nadi_job *job = nadi_job_create(&setup);
    assert_int_equal(nadi_job_set(job, "network-model", model), NADI_STATUS_DONE);
    if (nadi_job_load(job) != NADI_STATUS_DONE || nadi_job_run(job, NULL) != NADI_STATUS_DONE)
        fail_on(seed, model, nadi_job_messages(job));
    assert_true(nadi_job_end_ns(job) > 0);
    nadi_job_destroy(job);
}

/* True: a job was made. */
static bool make(uint64_t seed, uint64_t k, bool must)
{
    struct nadi_trace_synth o;
    char *report;
    struct nadi_diags *messages = nadi_messages_create();
    nadi_trace_synth_init(&o);
    o.model = FOLDER "/model";
    o.output = FOLDER "/made";
    o.seed = seed * MAKES + k;
    o.form = "json";
    const bool done = nadi_trace_synth(&o, &report, messages) == NADI_STATUS_DONE;
    if (!done && must)
        fail_on(seed, "synth", messages);
    nadi_messages_destroy(messages);
    if (!done)
        return false;
    const char *ranks = strstr(report, "\"ranks\": ");
    assert_non_null(ranks);
    write_network((uint32_t)strtoul(ranks + 9, NULL, 10));
    nadi_free(report);
    check(seed);
    run(seed, "unaware");
    run(seed, "aware");
    run(seed, "flow");
    if (seed % 4 == 1 && k == 0) {
        run(seed, "packet");
        packet_runs++;
    }
    return true;
}

static void comes_to_its_end(void **state)
{
    (void)state;
    uint64_t made = 0, wanted = 0;
    (void)mkdir(FOLDER, 0777);
    write_system();
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++) {
        for (uint64_t k = 0; k < 3; k++)
            if (seed % 2 == 0)
                training_step(seed, k);
            else if (k < 2)
                random_job(seed, k);
        for (int sequence = 0; sequence < 2; sequence++) {
            learn(seed, sequence ? "sequence" : "structural");
            for (uint64_t k = 0; k < MAKES; k++) {
                made += make(seed, k, sequence);
                wanted++;
            }
        }
    }
    print_message("%" PRIu64 " of %" PRIu64 " jobs made, %" PRIu64 " of them run in packet, too\n",
                  made, wanted, packet_runs);
    assert_true(100 * made >= 99 * wanted);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_to_its_end)};
    if (!seeds_asked(argc, argv, &asked))
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
