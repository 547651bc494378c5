/* Properties, through the public interface: an anonymised fleet simulates like the fleet it was
 * made of, to the last bit, and nothing of its names is left; a fleet folded into a manifest
 * simulates like its files, rank by rank. */
#include "base/file.h"
#include "base/mem.h"
#include "support/random_trace.h"

#include <nadi/trace_edit.h>

#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { CASES = 40, RANKS = 4, MOST_RANKS = 48 };

#define FOLDER NADI_BUILD_DIR "/tests/edit_same"

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

struct outcome {
    enum nadi_status status;
    uint64_t end;
    uint32_t rank_count;
    struct nadi_rank_times ranks[MOST_RANKS];
};

static void simulate(const char *workload, const char *groups, struct outcome *o)
{
    struct nadi_setup setup;
    nadi_setup_init(&setup);
    setup.workload = workload;
    setup.groups = groups;
    setup.system = FOLDER "/system.json";
    setup.network = FOLDER "/network.yml";
    struct nadi_job *job = nadi_job_create(&setup);
    memset(o, 0, sizeof(*o));
    if (nadi_job_load(job) != NADI_STATUS_DONE) {
        char *why = nadi_message_format(nadi_job_messages(job), 0);
        fail_msg("%s: %s", workload, why);
    }
    o->status = nadi_job_run(job, NULL);
    o->end = nadi_job_end_ns(job);
    o->rank_count = nadi_job_rank_count(job);
    for (uint32_t r = 0; r < o->rank_count; r++)
        o->ranks[r] = nadi_job_rank(job, r);
    nadi_job_destroy(job);
}

static bool same_times(const struct nadi_rank_times *a, const struct nadi_rank_times *b)
{
    return a->finished == b->finished && a->finish_ns == b->finish_ns &&
           a->exposed_comm_ns == b->exposed_comm_ns && a->compute_ns == b->compute_ns &&
           a->comm_ns == b->comm_ns && a->cpu_ns == b->cpu_ns && a->idle_ns == b->idle_ns;
}

static void check_same(const struct outcome *before, const struct outcome *after, uint64_t seed)
{
    assert_int_equal(before->status, after->status);
    assert_int_equal(before->end, after->end);
    assert_int_equal(before->rank_count, after->rank_count);
    for (uint32_t rank = 0; rank < before->rank_count; rank++) {
        if (!same_times(&before->ranks[rank], &after->ranks[rank]))
            fail_msg("seed %" PRIu64 ": rank %u has other times", seed, rank);
    }
}

static void check_words(uint64_t seed)
{
    static const char *const secrets[] = {"secret", "aten", "nccl", "step"};
    for (uint32_t r = 0; r < RANKS; r++) {
        char path[256], *data;
        size_t bytes;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        snprintf(path, sizeof path, FOLDER "/anon.%u.et", r);
        assert_true(nadi_file_read(path, "trace", &data, &bytes, &diags));
        for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
            if (memmem(data, bytes, secrets[i], strlen(secrets[i])))
                fail_msg("seed %" PRIu64 ": '%s' is left in %s", seed, secrets[i], path);
        }
        nadi_mem_free(data);
        nadi_diags_release(&diags);
    }
}

static void check_case(uint64_t seed)
{
    struct nadi_rng r;
    struct nadi_str files[RANKS] = {NADI_STR_INIT};
    const struct random_simulable how = {.ranks = RANKS, .most_nodes = 40, .times = seed % 2};
    struct outcome before, after;
    nadi_rng_init(&r, seed, "anonymize");
    random_trace_fleet(&r, &how, files);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        char path[256];
        snprintf(path, sizeof path, FOLDER "/job.%u.et", rank);
        write_file(path, files[rank].text, files[rank].length);
        nadi_str_release(&files[rank]);
    }
    const char *input = FOLDER "/job";
    struct nadi_trace_anonymize o;
    nadi_trace_anonymize_init(&o);
    o.edit.inputs = (struct nadi_trace_inputs){&input, 1};
    o.edit.output = FOLDER "/anon";
    o.key = seed % 3 ? "key" : NULL;
    struct nadi_diags *messages = nadi_messages_create();
    char *report;
    if (nadi_trace_anonymize(&o, &report, messages) != NADI_STATUS_DONE)
        fail_msg("seed %" PRIu64 ": %s", seed, nadi_messages_get(messages, 0).text);
    assert_non_null(strstr(report, "proof: both simulated"));
    nadi_free(report);
    nadi_messages_destroy(messages);
    simulate(FOLDER "/job", NULL, &before);
    simulate(FOLDER "/anon", NULL, &after);
    check_same(&before, &after, seed);
    check_words(seed);
}

static void same_result(void **state)
{
    (void)state;
    (void)mkdir(FOLDER, 0777);
    write_text(FOLDER "/network.yml", "topology: [Ring, Switch]\nnpus_count: [2, 2]\n"
                                      "bandwidth: [100, 25]\nlatency: [50, 700]\n");
    write_text(FOLDER "/system.json",
               "{\"all-reduce-implementation\": [\"ring\", \"halvingDoubling\"],\n"
               " \"all-gather-implementation\": [\"ring\", \"ring\"],\n"
               " \"reduce-scatter-implementation\": [\"ring\", \"ring\"],\n"
               " \"all-to-all-implementation\": [\"direct\", \"direct\"],\n"
               " \"preferred-dataset-splits\": 4, \"active-chunks-per-dimension\": 2,\n"
               " \"endpoint-delay\": 10}\n");
    for (uint64_t seed = 1; seed <= CASES; seed++)
        check_case(seed);
}

/* A training step on tensor x data x pipeline ranks, one rank slower in some: folded. */
static void fold_case(uint64_t seed, uint64_t *ranks, uint64_t *traces)
{
    struct nadi_rng r;
    struct outcome before, after;
    struct nadi_transformer t;
    struct nadi_trace_dedup o;
    const char *input = FOLDER "/workload";
    nadi_rng_init(&r, seed, "fold");
    nadi_transformer_init(&t);
    t.tensor = 1u << nadi_rng_below(&r, 3);
    t.data = 1 + (uint32_t)nadi_rng_below(&r, 3);
    t.pipeline = 2 + (uint32_t)nadi_rng_below(&r, 3);
    t.layers = t.pipeline;
    t.micro_batches = 1 + (uint32_t)nadi_rng_below(&r, 3);
    t.files = 1;
    const uint32_t count = t.tensor * t.data * t.pipeline;
    const bool slow = nadi_rng_below(&r, 2);
    if (slow)
        t.slow_rank = (uint32_t)nadi_rng_below(&r, count);
    struct nadi_diags *messages = nadi_messages_create();
    for (uint32_t rank = 0; rank < MOST_RANKS; rank++) {
        char path[256];
        snprintf(path, sizeof path, FOLDER "/workload.%u.et", rank);
        (void)unlink(path); /* of the case before */
    }
    assert_int_equal(nadi_generate_transformer(&t, FOLDER, messages), NADI_STATUS_DONE);
    nadi_trace_dedup_init(&o);
    o.edit.inputs = (struct nadi_trace_inputs){&input, 1};
    o.edit.output = FOLDER "/folded";
    o.edit.json = 1;
    o.groups = FOLDER "/groups.json";
    o.same = slow ? "simulated" : "all";
    char *report;
    if (nadi_trace_dedup(&o, &report, messages) != NADI_STATUS_DONE)
        fail_msg("seed %" PRIu64 ": %s", seed, nadi_messages_get(messages, 0).text);
    for (const char *at = report; (at = strstr(at, "\"class\":")); at++)
        ++*traces;
    *ranks += count;
    nadi_free(report);
    nadi_messages_destroy(messages);
    simulate(FOLDER "/workload", FOLDER "/groups.json", &before);
    simulate(FOLDER "/folded.yml", NULL, &after);
    check_same(&before, &after, seed);
}

static void folded(void **state)
{
    uint64_t ranks = 0, traces = 0;
    (void)state;
    (void)mkdir(FOLDER, 0777);
    for (uint64_t seed = 1; seed <= CASES; seed++)
        fold_case(seed, &ranks, &traces);
    assert_true(traces >= CASES && 2 * traces < ranks); /* something was folded */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_result), cmocka_unit_test(folded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
