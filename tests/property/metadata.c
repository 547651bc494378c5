/* METADATA nodes say what waits for what and no more: a job without them, `trace filter --drop
 * metadata`, has the same times on every rank, on all networks and with all executors, also where
 * the trace's times are replayed. */
#include "base/file.h"
#include "base/mem.h"
#include "support/random_trace.h"

#include <nadi/trace_edit.h>

#include <setjmp.h>
#include <sys/stat.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 60, RANKS = 4 };
#else
enum { CASES = 300, RANKS = 4 };
#endif

#define FOLDER NADI_BUILD_DIR "/tests/metadata"

struct way { /* to run a job */
    const char *network_model, *executor, *system;
};

static const struct way ways[] = {
    {"unaware", "message", FOLDER "/system.json"}, {"unaware", "phase", FOLDER "/system.json"},
    {"unaware", "fold", FOLDER "/system.json"},    {"unaware", "auto", FOLDER "/system.json"},
    {"aware", "auto", FOLDER "/system.json"},      {"aware", "message", FOLDER "/system.json"},
    {"flow", "auto", FOLDER "/system.json"},       {"flow", "message", FOLDER "/system.json"},
    {"packet", "auto", FOLDER "/system.json"},     {"unaware", "auto", FOLDER "/replay.json"},
};

enum { WAYS = sizeof(ways) / sizeof(*ways) };

static void write_file(const char *path, const void *data, size_t bytes)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_file_write(path, data, bytes, &diags));
    nadi_diags_release(&diags);
}

static void write_text(const char *path, const char *text)
{
    write_file(path, text, strlen(text));
}

static struct nadi_job *simulate(const char *workload, const struct way *way,
                                 enum nadi_status *status)
{
    struct nadi_setup setup;
    nadi_setup_init(&setup);
    setup.workload = workload;
    setup.system = way->system;
    setup.network = FOLDER "/network.yml";
    struct nadi_job *job = nadi_job_create(&setup);
    if (nadi_job_set(job, "network-model", way->network_model) != NADI_STATUS_DONE ||
        nadi_job_set(job, "executor", way->executor) != NADI_STATUS_DONE ||
        nadi_job_load(job) != NADI_STATUS_DONE)
        fail_msg("%s: %s", workload,
                 nadi_messages_get(nadi_job_messages(job),
                                   nadi_messages_count(nadi_job_messages(job)) - 1)
                     .text);
    *status = nadi_job_run(job, NULL);
    return job;
}

static void check_rank(const struct nadi_job *with, const struct nadi_job *without, uint32_t rank)
{
    const struct nadi_rank_times a = nadi_job_rank(with, rank), b = nadi_job_rank(without, rank);
    assert_int_equal(a.finished, b.finished);
    assert_int_equal(a.finish_ns, b.finish_ns);
    assert_int_equal(a.compute_ns, b.compute_ns);
    assert_int_equal(a.comm_ns, b.comm_ns);
    assert_int_equal(a.exposed_comm_ns, b.exposed_comm_ns);
    assert_int_equal(a.cpu_ns, b.cpu_ns);
    assert_int_equal(a.idle_ns, b.idle_ns);
}

/* Returns whether the job came to its end: some wait for ever. */
static bool check_way(uint64_t seed, const struct way *way)
{
    enum nadi_status status[2];
    struct nadi_job *with = simulate(FOLDER "/with", way, &status[0]);
    struct nadi_job *without = simulate(FOLDER "/without", way, &status[1]);
    if (status[0] != status[1] || nadi_job_end_ns(with) != nadi_job_end_ns(without))
        fail_msg("seed %" PRIu64 ", %s, %s: %" PRIu64 " ns with METADATA, %" PRIu64 " without",
                 seed, way->network_model, way->executor, nadi_job_end_ns(with),
                 nadi_job_end_ns(without));
    for (uint32_t rank = 0; rank < RANKS; rank++)
        check_rank(with, without, rank);
    nadi_job_destroy(with);
    nadi_job_destroy(without);
    return status[0] == NADI_STATUS_DONE;
}

static void filter(void)
{
    const char *input = FOLDER "/with";
    struct nadi_trace_filter o;
    struct nadi_diags *messages = nadi_messages_create();
    char *report = NULL;
    nadi_trace_filter_init(&o);
    o.edit.inputs = (struct nadi_trace_inputs){&input, 1};
    o.edit.output = FOLDER "/without";
    o.drop = "metadata";
    assert_int_equal(nadi_trace_filter(&o, &report, messages), NADI_STATUS_DONE);
    nadi_free(report);
    nadi_messages_destroy(messages);
}

/* Of even seeds all ranks have one trace and are folded. Returns how many runs came to an end. */
static size_t check_case(uint64_t seed)
{
    struct nadi_rng r;
    struct nadi_str files[RANKS] = {NADI_STR_INIT};
    const struct random_simulable how = {
        .ranks = RANKS, .most_nodes = 30, .metadata = true, .alike = seed % 2 == 0};
    nadi_rng_init(&r, seed, "metadata");
    random_trace_fleet(&r, &how, files);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        char path[256];
        snprintf(path, sizeof path, FOLDER "/with.%u.et", rank);
        write_file(path, files[rank].text, files[rank].length);
        nadi_str_release(&files[rank]);
    }
    size_t done = 0;
    filter();
    for (size_t i = 0; i < WAYS; i++)
        done += check_way(seed, &ways[i]);
    return done;
}

static void dropped(void **state)
{
    static const char system[] = "{\"all-reduce-implementation\": [\"ring\", \"ring\"],\n"
                                 " \"all-gather-implementation\": [\"ring\", \"ring\"],\n"
                                 " \"reduce-scatter-implementation\": [\"ring\", \"ring\"],\n"
                                 " \"all-to-all-implementation\": [\"direct\", \"direct\"],\n"
                                 " \"endpoint-delay\": 10%s}\n";
    char text[sizeof(system) + 32];
    size_t done = 0;
    (void)state;
    (void)mkdir(FOLDER, 0777);
    write_text(FOLDER "/network.yml", "topology: [Ring, Switch]\nnpus_count: [2, 2]\n"
                                      "bandwidth: [100, 25]\nlatency: [50, 700]\n");
    snprintf(text, sizeof(text), system, "");
    write_text(FOLDER "/system.json", text);
    snprintf(text, sizeof(text), system, ", \"replay-only\": 1");
    write_text(FOLDER "/replay.json", text);
    for (uint64_t seed = 1; seed <= CASES; seed++)
        done += check_case(seed);
    assert_true(done > CASES * WAYS * 3 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dropped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
