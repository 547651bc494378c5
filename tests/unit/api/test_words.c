/* What a run says without a folder and without nodes that are kept: its critical path all the same,
 * as with them; files of nodes that nobody asked for stay empty. */
#include "base/str.h"
#include "support/api_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

static char work[] = "/tmp/nadi-words-XXXXXX", in[64], out[64];

static struct nadi_job *run(bool keep)
{
    struct nadi_job *job = api_cases_job(in);
    assert_int_equal(nadi_job_load(job), NADI_STATUS_DONE);
    if (keep)
        nadi_job_keep_ops(job);
    assert_int_equal(nadi_job_run(job, NULL), NADI_STATUS_DONE);
    return job;
}

/* From "bounds this run" to the empty line after the words. */
static char *words_of(struct nadi_job *job)
{
    char *text = nadi_job_text(job, 0);
    const char *begin = strstr(text, "bounds this run"), *end;
    assert_non_null(begin);
    end = strstr(begin, "\n\n");
    assert_non_null(end);
    char *words = strndup(begin, (size_t)(end - begin));
    nadi_free(text);
    return words;
}

static void test_path_is_known(void **state)
{
    (void)state;
    struct nadi_job *bare = run(false), *kept = run(true);
    char *a = words_of(bare), *b = words_of(kept);
    assert_non_null(strstr(a, "of its critical path"));
    assert_non_null(strstr(a, "along the critical path"));
    assert_string_equal(a, b);
    free(a);
    free(b);
    nadi_job_destroy(bare);
    nadi_job_destroy(kept);
}

/* Ranks may be simulated in parts then. */
static void test_threads_say_the_same(void **state)
{
    static const char *const threads[] = {"1", "2"};
    char *words[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct nadi_job *job = api_cases_job(in);
        assert_int_equal(nadi_job_set(job, "network-model", "unaware"), NADI_STATUS_DONE);
        assert_int_equal(nadi_job_set(job, "executor", "message"), NADI_STATUS_DONE);
        assert_int_equal(nadi_job_set(job, "threads", threads[i]), NADI_STATUS_DONE);
        assert_int_equal(nadi_job_load(job), NADI_STATUS_DONE);
        assert_int_equal(nadi_job_run(job, NULL), NADI_STATUS_DONE);
        words[i] = words_of(job);
        nadi_job_destroy(job);
    }
    assert_string_equal(words[0], words[1]);
    free(words[0]);
    free(words[1]);
}

static size_t lines_of_ops(bool keep)
{
    char path[128];
    struct nadi_job *job = run(keep);
    struct nadi_output output;
    nadi_output_init(&output);
    output.folder = out;
    output.ops = 1;
    assert_int_equal(nadi_job_write(job, &output), NADI_STATUS_DONE);
    nadi_job_destroy(job);
    snprintf(path, sizeof(path), "%s/ops.csv", out);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t lines = 0;
    for (int c; (c = getc(f)) != EOF;)
        lines += c == '\n';
    fclose(f);
    return lines;
}

static void test_nodes_are_not_kept(void **state)
{
    (void)state;
    assert_int_equal(lines_of_ops(false), 1);
    assert_true(lines_of_ops(true) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_is_known),
        cmocka_unit_test(test_threads_say_the_same),
        cmocka_unit_test(test_nodes_are_not_kept),
    };
    if (!mkdtemp(work))
        return 1;
    snprintf(in, sizeof(in), "%s/in", work);
    snprintf(out, sizeof(out), "%s/out", work);
    api_cases_inputs(work);
    api_cases_clear(out);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    api_cases_clear(in);
    api_cases_clear(out);
    rmdir(in);
    rmdir(out);
    rmdir(work);
    return failed;
}
