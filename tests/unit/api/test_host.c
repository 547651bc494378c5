/* The process that the library lies in stays as it is: every function of the public interface
 * prints nothing and changes no handler, mask, environment, folder, file mode or descriptor; its
 * threads take no signals, a broken pipe is an error, and a child goes on where its parent had
 * loaded. */
#include "base/str.h"
#include "support/api_cases.h"

#include <nadi/trace.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

enum { SIGNALS = 64 };

static char work[] = "/tmp/nadi-host-XXXXXX", in[64], out[64];

struct state {
    void (*handlers[SIGNALS + 1])(int);
    int flags[SIGNALS + 1];
    sigset_t mask, waiting;
    mode_t mode;
    char folder[512];
    uint64_t environment;
    int files;
};

static void look(struct state *s)
{
    memset(s, 0, sizeof(*s));
    for (int i = 1; i <= SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(i, NULL, &action) != 0)
            continue;
        s->handlers[i] = action.sa_handler;
        s->flags[i] = action.sa_flags;
    }
    pthread_sigmask(SIG_SETMASK, NULL, &s->mask);
    sigpending(&s->waiting);
    s->mode = umask(0);
    umask(s->mode);
    assert_non_null(getcwd(s->folder, sizeof(s->folder)));
    for (char **e = environ; *e; e++)
        for (const char *c = *e; *c; c++)
            s->environment = s->environment * 31 + (unsigned char)*c;
    s->files = api_cases_open_files();
}

static void expect_same(const struct state *a, const struct state *b, const char *name)
{
    for (int i = 1; i <= SIGNALS; i++) {
        if (a->handlers[i] != b->handlers[i] || a->flags[i] != b->flags[i])
            fail_msg("%s changes what signal %d does", name, i);
        if (sigismember(&a->mask, i) != sigismember(&b->mask, i))
            fail_msg("%s changes the mask of signal %d", name, i);
        if (sigismember(&a->waiting, i) != sigismember(&b->waiting, i))
            fail_msg("%s leaves signal %d waiting", name, i);
    }
    if (a->mode != b->mode || a->environment != b->environment || a->files != b->files ||
        strcmp(a->folder, b->folder) != 0)
        fail_msg("%s changes the process", name);
}

static void test_nothing_is_changed_or_printed(void **state)
{
    (void)state;
    char printed[128];
    struct stat about;
    snprintf(printed, sizeof(printed), "%s/printed", work);
    fflush(NULL);
    const int streams[2] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    const int file = open(printed, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    for (const struct api_case *c = api_cases; c->name; c++) {
        struct state before, after;
        const struct api_place place = {in, out};
        api_cases_clear(out);
        look(&before);
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        const enum nadi_status status = c->run(&place);
        dup2(streams[0], STDOUT_FILENO);
        dup2(streams[1], STDERR_FILENO);
        look(&after);
        assert_int_equal(status, NADI_STATUS_DONE);
        expect_same(&before, &after, c->name);
        assert_int_equal(fstat(file, &about), 0);
        if (about.st_size != 0)
            fail_msg("%s prints %lld bytes; see %s", c->name, (long long)about.st_size, printed);
    }
    close(file);
    close(streams[0]);
    close(streams[1]);
}

/* ---- signals --------------------------------------------------------------------------------- */

static atomic_int caught, elsewhere;
static pthread_t first;

static void on_signal(int number)
{
    (void)number;
    atomic_fetch_add(&caught, 1);
    if (!pthread_equal(pthread_self(), first))
        atomic_fetch_add(&elsewhere, 1);
}

static atomic_bool is_over;

static void *send_signals(void *context)
{
    const struct timespec pause = {.tv_nsec = 200000};
    sigset_t all;
    (void)context;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!atomic_load(&is_over)) {
        kill(getpid(), SIGUSR1);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static const struct api_case *find(const char *name)
{
    const struct api_case *c = api_cases;
    while (!nadi_str_equal(c->name, name))
        c++;
    return c;
}

static void test_threads_take_no_signals(void **state)
{
    (void)state;
    static const char *const names[] = {"sensitivity", "flows", "capture"};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    pthread_t sender;
    first = pthread_self();
    sigaction(SIGUSR1, &action, &before);
    assert_int_equal(pthread_create(&sender, NULL, send_signals, NULL), 0);
    for (size_t i = 0; i < 3 * sizeof(names) / sizeof(*names); i++) {
        const struct api_place place = {in, out};
        api_cases_clear(out);
        assert_int_equal(find(names[i % 3])->run(&place), NADI_STATUS_DONE);
    }
    atomic_store(&is_over, true);
    pthread_join(sender, NULL);
    sigaction(SIGUSR1, &before, NULL);
    assert_true(atomic_load(&caught) > 0);
    assert_int_equal(atomic_load(&elsewhere), 0);
}

/* Takes a little of a pipe, then leaves. */
static void *read_little(void *path)
{
    char bytes[16];
    const int fd = open(path, O_RDONLY);
    if (fd >= 0 && read(fd, bytes, sizeof(bytes)) >= 0)
        close(fd);
    return NULL;
}

static void test_broken_pipe_is_an_error(void **state)
{
    (void)state;
    char pipe[128], large[128], trace[128];
    struct nadi_trace_show show;
    struct nadi_collective_traces traces;
    pthread_t reader;
    nadi_trace_show_init(&show);
    nadi_collective_traces_init(&traces);
    traces.ranks = 1;
    traces.repeat = 20000;
    snprintf(large, sizeof(large), "%s/large", work);
    snprintf(trace, sizeof(trace), "%s/large.0.et", work);
    snprintf(pipe, sizeof(pipe), "%s/pipe", work);
    assert_int_equal(nadi_generate_collective(&traces, large, NULL), NADI_STATUS_DONE);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_little, pipe), 0);
    show.input = trace;
    show.output = pipe;
    struct nadi_diags *m = nadi_messages_create();
    assert_int_equal(nadi_trace_show(&show, m), NADI_STATUS_INPUT); /* and we are still here */
    pthread_join(reader, NULL);
    assert_true(nadi_messages_count(m) > 0);
    assert_non_null(strstr(nadi_messages_get(m, 0).text, "Broken pipe"));
    nadi_messages_destroy(m);
}

/* ---- processes ------------------------------------------------------------------------------- */

static void test_child_goes_on_where_its_parent_had_loaded(void **state)
{
    (void)state;
    struct nadi_job *job = api_cases_job(in);
    assert_int_equal(nadi_job_load(job), NADI_STATUS_DONE);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const struct api_place place = {in, out};
        const bool good = nadi_job_run(job, NULL) == NADI_STATUS_DONE && nadi_job_end_ns(job) > 0;
        nadi_job_destroy(job);
        api_cases_clear(out);
        _exit(good && find("sensitivity")->run(&place) == NADI_STATUS_DONE ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(nadi_job_run(job, NULL), NADI_STATUS_DONE);
    nadi_job_destroy(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_changed_or_printed),
        cmocka_unit_test(test_threads_take_no_signals),
        cmocka_unit_test(test_broken_pipe_is_an_error),
        cmocka_unit_test(test_child_goes_on_where_its_parent_had_loaded),
    };
    if (!mkdtemp(work))
        return 1;
    snprintf(in, sizeof(in), "%s/in", work);
    snprintf(out, sizeof(out), "%s/out", work);
    api_cases_inputs(work);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    api_cases_clear(work);
    rmdir(work);
    return failed;
}
