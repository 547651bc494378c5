#include "support/run_case.h"

#include "api/job.h"
#include "support/result_same.h"
#include "support/run_drawn.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LATE_MS = 4000 }; /* of processor time, beyond the limit of wall time */

static const char by_wall[] = "--max-wall was reached";

static _Noreturn void finding(const char *format, ...) NADI_PRINTF(1, 2);

static _Noreturn void finding(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("finding: ", stderr);
    vfprintf(stderr, format, args);
    fputs("\n", stderr);
    va_end(args);
    abort();
}

static uint64_t processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void be_in_time(const char *what, uint64_t since)
{
    const uint64_t took = processor_ms() - since;
    if (took > RUN_MOST_WALL_MS + LATE_MS)
        finding("late: %s", what);
}

static size_t errors_of(const struct nadi_job *job)
{
    return nadi_messages_total(nadi_job_messages(job), NADI_LEVEL_ERROR);
}

static bool has_error(const struct nadi_diags *diags, const char *code)
{
    for (size_t i = 0; i < nadi_messages_count(diags); i++)
        if (nadi_str_equal(nadi_messages_get(diags, i).code, code))
            return true;
    return false;
}

static void say_errors(const struct nadi_job *job)
{
    const struct nadi_diags *said = nadi_job_messages(job);
    for (size_t i = 0; i < nadi_messages_count(said); i++) {
        const struct nadi_message_view m = nadi_messages_get(said, i);
        if (m.level == NADI_LEVEL_ERROR)
            fprintf(stderr, "%s: %s\n", m.code, m.text);
    }
}

/* A defect was caught; or memory ran out, though the run is none that needs much. */
static void be_whole(const struct run_drawn *r, const struct nadi_job *job, const char *what)
{
    if (!job->handle.failed || (r->huge && job->handle.failed == NADI_STATUS_LIMIT))
        return;
    say_errors(job);
    finding("%s breaks off", what);
}

/* ---- one run ------------------------------------------------------------------------------- */

static enum nadi_status load(const struct run_drawn *r, struct nadi_job *job)
{
    const uint64_t since = processor_ms();
    const enum nadi_status status = nadi_job_load(job);
    be_whole(r, job, "reading");
    be_in_time("reading", since);
    if (job->handle.failed)
        return status;
    if (status != NADI_STATUS_DONE && status != NADI_STATUS_INPUT)
        finding("reading ends with status %d", (int)status);
    if ((status == NADI_STATUS_INPUT) != (errors_of(job) > 0))
        finding("reading ends with status %d and %zu errors", (int)status, errors_of(job));
    if (status != NADI_STATUS_DONE || !r->check)
        return status;
    const size_t before = errors_of(job);
    const enum nadi_status checked = nadi_job_check(job);
    be_whole(r, job, "checking");
    be_in_time("checking", since);
    if ((checked == NADI_STATUS_INPUT) != (errors_of(job) > before))
        finding("checking ends with status %d and %zu errors", (int)checked,
                errors_of(job) - before);
    return status;
}

static void show(const struct run_drawn *r, struct nadi_job *job)
{
    if (r->show) {
        nadi_free(nadi_job_text(job, 0));
        nadi_free(nadi_job_json(job));
        nadi_free(nadi_messages_json(nadi_job_messages(job)));
        be_whole(r, job, "telling");
    }
    if (!r->write)
        return;
    struct nadi_output output;
    char folder[128];
    nadi_output_init(&output);
    snprintf(folder, sizeof(folder), "%s/out", r->folder);
    output.folder = folder;
    output.ops = output.timeline = output.five_column = r->keep_ops;
    output.link_usage = r->keep_usage;
    output.why = r->why && r->keep_ops && job->result.outcome == NADI_OUTCOME_DONE;
    output.sensitivity = r->sensitivity;
    const enum nadi_status written = nadi_job_write(job, &output);
    be_whole(r, job, "writing");
    if (written != NADI_STATUS_DONE) {
        say_errors(job);
        finding("the result folder could not be written");
    }
}

static void hold(const struct nadi_job *job, enum nadi_status status)
{
    const struct nadi_result *result = &job->result;
    switch (status) {
    case NADI_STATUS_DONE:
        if (result->outcome != NADI_OUTCOME_DONE)
            finding("status DONE of outcome %d", (int)result->outcome);
        if (result->lower_bound_ns > result->end_ns)
            finding("end %" PRIu64 " ns lies below the lower bound %" PRIu64, result->end_ns,
                    result->lower_bound_ns);
        for (uint32_t rank = 0; rank < result->rank_count; rank++) {
            const struct nadi_rank_result *one = nadi_result_rank(result, rank);
            if (!one->finished || one->nodes_open || one->finish_ns > result->end_ns)
                finding("rank %" PRIu32 " is not finished in a run that is done", rank);
        }
        return;
    case NADI_STATUS_DEADLOCK:
        if (result->diags.errors == 0)
            finding("a deadlock without an error");
        return;
    case NADI_STATUS_LIMIT:
        if (!result->stopped_by)
            finding("a limit without a reason");
        return;
    case NADI_STATUS_INPUT: /* a message to a rank without a way, or that the model refuses: met on
                               it */
        if (!has_error(&result->diags, "network/unreachable") &&
            !has_error(&result->diags, "network/refused"))
            break;
        return;
    case NADI_STATUS_BUG:
        break;
    }
    finding("a run ends with status %d", (int)status);
}

/* A way to run: an executor, and packets without fast-forward over what repeats itself. */
struct way {
    const char *name, *executor;
    bool without_fast_forward, other_usage; /* links are recorded where they were not */
};

static const struct way by_messages = {.name = "message", .executor = "message"};

static enum nadi_status run(const struct run_drawn *r, const struct way *way,
                            struct nadi_job **made)
{
    struct nadi_setup setup = r->setup;
    setup.executor = way->executor;
    struct nadi_job *job = *made = nadi_job_create(&setup);
    enum nadi_status status = load(r, job);
    if (status != NADI_STATUS_DONE)
        return status;
    if (nadi_job_rank_count(job) > 4 * RUN_MOST_RANKS)
        return NADI_STATUS_INPUT; /* a draw of another shape: no more than reading */
    if (r->keep_ops)
        nadi_job_keep_ops(job);
    if (r->keep_usage != way->other_usage)
        nadi_job_keep_usage(job);
    if (way->without_fast_forward)
        job->inputs.packet.fast_forward_wait = UINT64_MAX;
    const uint64_t since = processor_ms();
    status = nadi_job_run(job, NULL);
    be_whole(r, job, way->name);
    be_in_time(way->name, since);
    if (!job->handle.failed)
        hold(job, status);
    return status;
}

/* ---- several ------------------------------------------------------------------------------- */

/* By what depends on the machine: nothing can be said about the rest. */
static bool stopped_early(const struct nadi_job *job)
{
    return job->handle.failed ||
           (job->ran && job->result.stopped_by && strcmp(job->result.stopped_by, by_wall) == 0);
}

static bool has_run(const struct nadi_job *job)
{
    return !job->handle.failed && job->ran;
}

static void compare(const struct run_drawn *r, struct nadi_job *first, enum nadi_status want,
                    const struct way *way, struct run_case_tally *tally)
{
    struct nadi_job *job;
    const char *who = way->name;
    const enum nadi_status got = run(r, way, &job);
    if (!stopped_early(first) && !stopped_early(job)) {
        if (got != want) {
            say_errors(first);
            say_errors(job);
            finding("%s ends with status %d, message with %d", who, (int)got, (int)want);
        }
        if (got == NADI_STATUS_DONE && !result_same(who, &first->result, &job->result))
            finding("%s differs from message", who);
    }
    if (has_run(job) && got == NADI_STATUS_DONE)
        show(r, job);
    tally->folded += has_run(job) && job->result.executor == &nadi_executor_fold;
    tally->phases += has_run(job) && job->result.executor == &nadi_executor_phase;
    nadi_job_destroy(job);
}

static void count(struct run_case_tally *tally, enum nadi_status status)
{
    tally->cases++;
    tally->refused += status == NADI_STATUS_INPUT;
    tally->done += status == NADI_STATUS_DONE;
    tally->deadlocks += status == NADI_STATUS_DEADLOCK;
    tally->limits += status == NADI_STATUS_LIMIT;
}

void run_case(const uint8_t *bytes, size_t size, const char *folder, struct run_case_tally *tally)
{
    /* what is told twice must be told the same: also where messages are all there is */
    static const struct {
        const struct nadi_network_ops *model;
        bool always;
        struct way way;
    } ways[] = {
        {&nadi_network_unaware, false, {.name = "executor phase", .executor = "phase"}},
        {&nadi_network_unaware, false, {.name = "executor fold", .executor = "fold"}},
        {&nadi_network_unaware, false, {.name = "executor auto", .executor = "auto"}},
        {&nadi_network_aware, false, {.name = "executor auto", .executor = "auto"}},
        {&nadi_network_flit, false, {.name = "executor auto", .executor = "auto"}},
        {&nadi_network_loadstore, false, {.name = "executor auto", .executor = "auto"}},
        {&nadi_network_flow, false, {.name = "executor fold", .executor = "fold"}},
        {&nadi_network_flow, false, {.name = "executor auto", .executor = "auto"}},
        {&nadi_network_packet,
         false,
         {.name = "without fast-forward", .executor = "message", .without_fast_forward = true}},
        {&nadi_network_flit,
         false,
         {.name = "links recorded or not", .executor = "message", .other_usage = true}},
        {NULL, true, {.name = "links recorded or not", .executor = "message", .other_usage = true}},
        {NULL, true, {.name = "executor auto", .executor = "auto"}},
    };
    struct run_case_tally none = {0};
    struct run_drawn r;
    struct nadi_job *first;
    if (!tally)
        tally = &none;
    run_drawn_init(&r, bytes, size, folder);
    tally->used_bytes = r.d.used;
    const enum nadi_status status = run(&r, &by_messages, &first);
    count(tally, status);
    if (has_run(first))
        show(&r, first);
    const bool comparable = has_run(first) && !stopped_early(first);
    for (size_t i = 0; comparable && i < sizeof(ways) / sizeof(*ways); i++)
        if (ways[i].model == r.model || (ways[i].always && r.twice))
            compare(&r, first, status, &ways[i].way, tally);
    nadi_job_destroy(first);
    run_drawn_release(&r);
}

/* ---- folders ------------------------------------------------------------------------------- */

const char *run_case_place(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

void run_case_clear(const char *folder)
{
    DIR *open = opendir(folder);
    if (!open)
        return;
    for (const struct dirent *e = readdir(open); e; e = readdir(open)) {
        char path[512];
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
            (void)unlink(path);
            continue;
        }
        run_case_clear(path);
        (void)rmdir(path);
    }
    (void)closedir(open);
}
