/* The published figures of ASTRA-sim 1.0 from its own input files, when they are beside the
 * checkout: text workload -> traces -> run with the network and system files of 1.0.
 *
 * Exact for one collective, from 1 MB to 1 GB. The two training steps differ by 16 to 161 ns: 1.0
 * spends single ticks in the states of its loop, and updates of 1 ns scaled by 0.41 are none here.
 */
#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <nadi/trace.h>

#include <dirent.h>
#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/skip.h"

static const char data[] = NADI_SHARED_DIR "/published/tutorial-2023";

struct case_1_0 {
    const char *folder, *workload, *machine;
    double compute_scale;
    uint64_t published_ns, off_by_ns;
};

/* Removes the traces and the folder. */
static void clean(const char *folder)
{
    struct nadi_str path = NADI_STR_INIT;
    DIR *d = opendir(folder);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        nadi_str_clear(&path);
        nadi_str_printf(&path, "%s/%s", folder, e->d_name);
        unlink(nadi_str_get(&path));
    }
    if (d)
        closedir(d);
    rmdir(folder);
    nadi_str_release(&path);
}

/* Finish of the slowest rank. */
static uint64_t simulate(const char *text, const char *network, const char *system, double scale)
{
    char folder[] = "/tmp/nadi-v1-XXXXXX";
    struct nadi_str prefix = NADI_STR_INIT;
    char *report = NULL;
    assert_non_null(mkdtemp(folder));
    nadi_str_printf(&prefix, "%s/w", folder);
    struct nadi_diags *messages = nadi_messages_create();
    struct nadi_trace_from_text from;
    nadi_trace_from_text_init(&from);
    from.input = text;
    from.output = nadi_str_get(&prefix);
    from.unit = "ns";
    from.network = network;
    assert_int_equal(nadi_trace_from_text(&from, &report, messages), NADI_STATUS_DONE);
    struct nadi_setup setup;
    nadi_setup_init(&setup);
    setup.workload = nadi_str_get(&prefix);
    setup.network = network;
    setup.system = system;
    setup.compute_scale = scale;
    struct nadi_job *job = nadi_job_create(&setup);
    assert_int_equal(nadi_job_load(job), NADI_STATUS_DONE);
    assert_int_equal(nadi_job_run(job, NULL), NADI_STATUS_DONE);
    const uint64_t end = nadi_job_end_ns(job);
    nadi_job_destroy(job);
    nadi_free(report);
    nadi_messages_destroy(messages);
    nadi_str_release(&prefix);
    clean(folder);
    return end;
}

static void needs_data(void)
{
    if (!nadi_file_exists(data))
        skip_because("no %s", data);
}

static void the_tutorial(void **state)
{
    (void)state;
    needs_data();
    static const struct case_1_0 cases[] = {
        {"exercise_1", "all_reduce", "ring", 1, 45681, 0},
        {"exercise_1", "all_reduce", "switch", 1, 58449, 0},
        {"exercise_1", "all_reduce", "fullyconnected", 1, 9001, 0},
        {"exercise_2", "vgg16", "dgx2", 0.41, 5632316, 17},
        {"exercise_2", "vgg16", "tpu", 1, 5489225, 16},
        {"exercise_2", "gpt3", "dgx2", 0.41, 787767340, 161},
        {"exercise_2", "gpt3", "tpu", 1, 1655238430, 139},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct case_1_0 *c = &cases[i];
        struct nadi_arena arena;
        nadi_arena_init(&arena);
        const uint64_t end = simulate(
            nadi_arena_printf(&arena, "%s/%s/workload/%s.txt", data, c->folder, c->workload),
            nadi_arena_printf(&arena, "%s/%s/network/%s.json", data, c->folder, c->machine),
            nadi_arena_printf(&arena, "%s/%s/system/%s.txt", data, c->folder, c->machine),
            c->compute_scale);
        if (end != c->published_ns - c->off_by_ns)
            fail_msg("%s on %s: %" PRIu64 " ns, published %" PRIu64, c->workload, c->machine, end,
                     c->published_ns);
        nadi_arena_release(&arena);
    }
}

/* 1 MB to 1 GB on the ring: from 16 MB on the reduction in local memory shows. */
static void the_series(void **state)
{
    (void)state;
    needs_data();
    static const uint64_t published[] = {45681,   62761,   96921,   165297,  302077,  575609,
                                         1122673, 2216745, 4404945, 8781373, 17534229};
    for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
        struct nadi_arena arena;
        struct nadi_diags diags;
        char path[] = "/tmp/nadi-v1-text-XXXXXX";
        nadi_arena_init(&arena);
        nadi_diags_init(&diags);
        const int fd = mkstemp(path);
        assert_true(fd >= 0);
        close(fd);
        const char *text = nadi_arena_printf(
            &arena, "MICRO\n1\nx -1 1 NONE 0 1 NONE 0 1 ALLREDUCE %zu 1\n", (size_t)1048576 << i);
        assert_true(nadi_file_write(path, text, strlen(text), &diags));
        const uint64_t end =
            simulate(path, nadi_arena_printf(&arena, "%s/exercise_1/network/ring.json", data),
                     nadi_arena_printf(&arena, "%s/exercise_1/system/ring.txt", data), 1);
        unlink(path);
        assert_int_equal(end, published[i]);
        nadi_diags_release(&diags);
        nadi_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tutorial),
        cmocka_unit_test(the_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
