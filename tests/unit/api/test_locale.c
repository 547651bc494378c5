/* The host's locale changes nothing: every function of the public interface writes and says the
 * same bytes where numbers have commas, where the small letter of I is not i and where bytes are
 * letters that are none in ASCII; in one thread and in several. Skipped where such locales cannot
 * be made. */
#include "base/str.h"
#include "support/api_cases.h"

#include <dirent.h>
#include <locale.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

enum { PATH = 512, SKIPPED = 77 };

/* The C library keeps what it has made of LOCPATH and does not say where: no leak of ours. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:__argz_add_sep\n";
}

static char work[] = "/tmp/nadi-locale-XXXXXX", in[64], plain[64], other[64];

static const struct {
    const char *name, *source, *characters;
} locales[] = {
    {"de_DE.UTF-8", "de_DE", "UTF-8"},
    {"tr_TR.UTF-8", "tr_TR", "UTF-8"},
    {"tr_TR.ISO-8859-9", "tr_TR", "ISO-8859-9"},
};

enum { LOCALES = sizeof(locales) / sizeof(*locales) };

static bool make_locale(size_t i)
{
    char target[PATH], source[16], characters[16], localedef[] = "localedef", quiet[] = "--quiet",
                                                   no_archive[] = "--no-archive", from[] = "-i",
                                                   with[] = "-f";
    pid_t pid;
    int status;
    snprintf(target, sizeof(target), "%s/%s", work, locales[i].name);
    snprintf(source, sizeof(source), "%s", locales[i].source);
    snprintf(characters, sizeof(characters), "%s", locales[i].characters);
    char *const words[] = {localedef, quiet,      no_archive, from, source,
                           with,      characters, target,     NULL};
    return posix_spawnp(&pid, localedef, NULL, NULL, words, environ) == 0 &&
           waitpid(pid, &status, 0) == pid && setlocale(LC_ALL, locales[i].name) != NULL;
}

/* ---- folders that are the same -------------------------------------------------------------- */

static char *content(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    char *data = malloc((size_t)about.st_size + 1);
    assert_non_null(data);
    *bytes = fread(data, 1, (size_t)about.st_size, file);
    fclose(file);
    return data;
}

static size_t compare(const char *case_name, const char *a, const char *b)
{
    size_t files = 0;
    DIR *dir = opendir(a);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));) {
        char x[PATH], y[PATH];
        struct stat about;
        if (e->d_name[0] == '.')
            continue;
        assert_true(snprintf(x, PATH, "%s/%s", a, e->d_name) < PATH);
        assert_true(snprintf(y, PATH, "%s/%s", b, e->d_name) < PATH);
        assert_int_equal(stat(x, &about), 0);
        if (S_ISDIR(about.st_mode)) {
            files += compare(case_name, x, y);
            continue;
        }
        size_t bytes, bytes_of_other;
        if (access(y, R_OK) != 0)
            fail_msg("%s: %s is missing", case_name, y);
        char *one = content(x, &bytes), *two = content(y, &bytes_of_other);
        if (bytes != bytes_of_other || memcmp(one, two, bytes) != 0)
            fail_msg("%s: %s is another file as %s", case_name, x, y);
        free(one);
        free(two);
        files++;
    }
    closedir(dir);
    return files;
}

/* ---- one thread ----------------------------------------------------------------------------- */

/* Into the same folder, whose name is said now and then; then out of the way. */
static void run_into(const struct api_case *c, const char *kept)
{
    char out[PATH];
    snprintf(out, sizeof(out), "%s/out", work);
    const struct api_place place = {in, out};
    api_cases_clear(kept);
    rmdir(kept);
    api_cases_clear(out);
    if (c->run(&place) != NADI_STATUS_DONE)
        fail_msg("%s fails in %s; see %s", c->name, setlocale(LC_ALL, NULL), out);
    assert_int_equal(rename(out, kept), 0);
}

static void test_one_thread(void **state)
{
    (void)state;
    for (const struct api_case *c = api_cases; c->name; c++) {
        assert_non_null(setlocale(LC_ALL, "C"));
        run_into(c, plain);
        for (size_t i = 0; i < LOCALES; i++) {
            assert_non_null(setlocale(LC_ALL, locales[i].name));
            run_into(c, other);
            assert_string_equal(setlocale(LC_ALL, NULL), locales[i].name);
            assert_true(compare(c->name, plain, other) > 0);
        }
    }
}

/* ---- several threads ------------------------------------------------------------------------ */

enum { THREADS = 3 };

struct thread {
    const struct api_case *of;
    size_t locale;
    char out[64];
    enum nadi_status status;
    bool kept; /* its locale */
};

static void *run_thread(void *argument)
{
    struct thread *t = argument;
    const locale_t own = newlocale(LC_ALL_MASK, locales[t->locale].name, (locale_t)0);
    const struct api_place place = {in, t->out};
    uselocale(own);
    t->status = t->of->run(&place);
    t->kept = uselocale((locale_t)0) == own;
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(own);
    return NULL;
}

/* Names of folders are said in few cases; those are left out. */
static void test_several_threads(void **state)
{
    (void)state;
    static const char *const names[] = {"run_flow", "flows", "topo", "model", NULL};
    for (const struct api_case *c = api_cases; c->name; c++) {
        struct thread threads[THREADS];
        pthread_t ids[THREADS];
        size_t n = 0;
        while (names[n] && !nadi_str_equal(names[n], c->name))
            n++;
        if (!names[n])
            continue;
        assert_non_null(setlocale(LC_ALL, "C"));
        run_into(c, plain);
        assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
        for (size_t i = 0; i < THREADS; i++) {
            threads[i] = (struct thread){.of = c, .locale = i % LOCALES};
            snprintf(threads[i].out, sizeof(threads[i].out), "%s/thread%zu", work, i);
            api_cases_clear(threads[i].out);
            assert_int_equal(pthread_create(&ids[i], NULL, run_thread, &threads[i]), 0);
        }
        for (size_t i = 0; i < THREADS; i++) /* all, before one is looked at */
            pthread_join(ids[i], NULL);
        for (size_t i = 0; i < THREADS; i++) {
            assert_int_equal(threads[i].status, NADI_STATUS_DONE);
            assert_true(threads[i].kept);
            assert_true(compare(c->name, plain, threads[i].out) > 0);
        }
    }
}

/* What the host is called for is in its own locale. */
static void progress(void *context, uint64_t now_ns, uint64_t nodes_done, uint64_t nodes_total)
{
    char text[16];
    (void)now_ns;
    (void)nodes_done;
    (void)nodes_total;
    snprintf(text, sizeof(text), "%.1f", 1.5);
    *(bool *)context = nadi_str_equal(text, "1,5");
}

static void test_callbacks_are_the_hosts(void **state)
{
    (void)state;
    char files[3][PATH];
    struct nadi_setup setup;
    struct nadi_watch watch;
    bool own = false;
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    nadi_setup_init(&setup);
    nadi_watch_init(&watch);
    snprintf(files[0], PATH, "%s/long", in);
    snprintf(files[1], PATH, "%s/system.json", in);
    snprintf(files[2], PATH, "%s/network.yml", in);
    struct nadi_collective_traces traces;
    nadi_collective_traces_init(&traces);
    traces.ranks = 4;
    traces.repeat = 30000;
    assert_int_equal(nadi_generate_collective(&traces, files[0], NULL), NADI_STATUS_DONE);
    setup.workload = files[0];
    setup.system = files[1];
    setup.network = files[2];
    setup.executor = "message";
    watch.progress = progress;
    watch.context = &own;
    struct nadi_job *job = nadi_job_create(&setup);
    assert_int_equal(nadi_job_load(job), NADI_STATUS_DONE);
    assert_int_equal(nadi_job_run(job, &watch), NADI_STATUS_DONE);
    assert_true(own);
    nadi_job_destroy(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_several_threads),
        cmocka_unit_test(test_callbacks_are_the_hosts),
    };
    if (!mkdtemp(work) || setenv("LOCPATH", work, 1) != 0)
        return 1;
    snprintf(in, sizeof(in), "%s/in", work);
    snprintf(plain, sizeof(plain), "%s/plain", work);
    snprintf(other, sizeof(other), "%s/other", work);
    int result = SKIPPED;
    bool made = true;
    for (size_t i = 0; i < LOCALES && made; i++)
        made = make_locale(i);
    if (made) {
        setlocale(LC_ALL, "C");
        api_cases_inputs(work);
        result = cmocka_run_group_tests(tests, NULL, NULL);
    } else
        printf("skipped: no locale can be made (apt-get install locales)\n");
    if (result == 0 || result == SKIPPED) {
        api_cases_clear(work);
        rmdir(work);
    }
    return result;
}
