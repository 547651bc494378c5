/* Whole runs, drawn: whatever the inputs are, what support/run_case.h says must hold.
 *
 *   runs [CASES [FIRST_SEED]] [--jobs N] [--findings FOLDER]
 *                              default: a few seconds of cases from seed 1. Each kind of finding is
 *                              made small and kept in the folder (default: runs-findings): the
 * bytes that draw it, its input files with a command line, and what was said runs --replay FILE the
 * run that a kept input draws, here and now runs --files FILE FOLDER   its files only, and the
 * command line
 *
 * The cases run in child processes: what ends one is a finding, and the others go on. */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "support/run_case.h"
#include "support/run_drawn.h"
#include "support/shrink.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
enum { CASES = 250 };
/* A defect ends in abort(), and its stack is wanted; memory that cannot be had is the program's to
 * deal with. */
const char *__asan_default_options(void); /* NOLINT: the sanitizer's own name */
const char *__asan_default_options(void)  /* NOLINT */
{
    return "handle_abort=1:handle_sigill=1:allocator_may_return_null=1:"
           "malloc_context_size=6:quarantine_size_mb=16:max_allocation_size_mb=4096";
}
static bool leaks(void)
{
    return __lsan_do_recoverable_leak_check() != 0;
}
#else
enum { CASES = 800 };
static bool leaks(void)
{
    return false;
}
#endif

enum {
    BYTES = 4096, /* of a drawn case; most use a quarter */
    MOST_JOBS = 16,
    MOST_KINDS = 64,    /* of findings */
    LEAK_EVERY = 40,    /* cases between two looks for leaks */
    THREADS_EVERY = 16, /* a case of so many has all cores, and threads for them */
    SHRINK_S = 60,
    PROCESSOR_S = 10,
    WALL_S = 240,
    SHRINK_TRIES = 600,
    KEY = 160
};

struct slot {                      /* a worker's, shared with it */
    uint64_t seed, checked_before; /* being run; seeds below the second are known to leak nothing */
    struct run_case_tally tally;
};

struct worker {
    struct slot *slot;
    pid_t pid; /* 0: has ended */
    uint64_t next, step, end;
    uint32_t number;
    cpu_set_t cores; /* that the program may use */
    char folder[64], log[80];
};

struct kind {
    char key[KEY];
    uint64_t count, seed;
};

struct hunt {
    uint64_t first, cases;
    const char *findings;
    struct worker workers[MOST_JOBS];
    uint32_t jobs;
    struct kind kinds[MOST_KINDS];
    uint32_t kind_count;
    uint64_t found;
    struct worker probe; /* for one case at a time */
};

/* ---- in the child -------------------------------------------------------------------------- */

static void on_time(int signal_number)
{
    static const char hang[] = "finding: hang\n", stuck[] = "finding: stuck\n";
    const bool busy = signal_number == SIGPROF;
    (void)!write(STDERR_FILENO, busy ? hang : stuck, busy ? sizeof(hang) - 1 : sizeof(stuck) - 1);
    abort();
}

static void set_timers(bool on)
{
    const struct itimerval processor = {.it_value.tv_sec = on ? PROCESSOR_S : 0};
    const struct itimerval wall = {.it_value.tv_sec = on ? WALL_S : 0};
    (void)signal(SIGPROF, on_time);
    (void)signal(SIGALRM, on_time);
    (void)setitimer(ITIMER_PROF, &processor, NULL);
    (void)setitimer(ITIMER_REAL, &wall, NULL);
}

static void become_quiet(const struct worker *w)
{
    const int log = open(w->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    NADI_ASSERT(log >= 0 && dup2(log, STDERR_FILENO) == STDERR_FILENO);
    (void)close(log);
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__
    const struct rlimit memory = {(rlim_t)4 << 30, (rlim_t)4 << 30};
    (void)setrlimit(RLIMIT_AS, &memory);
#endif
}

/* On one core a call makes no threads, and no memory that is given back is told to other cores: a
 * third of the time. */
static void have_one_core(const struct worker *w)
{
    cpu_set_t one;
    size_t core = 0;
    CPU_ZERO(&one);
    for (int skip = (int)w->number % CPU_COUNT(&w->cores); !CPU_ISSET(core, &w->cores) || skip > 0;
         core++)
        skip -= CPU_ISSET(core, &w->cores) != 0;
    CPU_SET(core, &one);
    (void)sched_setaffinity(0, sizeof(one), &one);
}

static void have_all_cores(const struct worker *w)
{
    (void)sched_setaffinity(0, sizeof(w->cores), &w->cores);
}

static void bytes_of(uint64_t seed, uint8_t *bytes)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "runs");
    for (size_t i = 0; i < BYTES; i += sizeof(uint64_t)) {
        const uint64_t value = nadi_rng_u64(&rng);
        memcpy(bytes + i, &value, sizeof(value));
    }
}

static _Noreturn void work(struct worker *w)
{
    uint8_t bytes[BYTES];
    uint64_t since = 0;
    become_quiet(w);
    w->slot->checked_before = w->next;
    for (uint64_t seed = w->next; seed < w->end; seed += w->step) {
        w->slot->seed = seed;
        if (seed % THREADS_EVERY == 0)
            have_all_cores(w);
        else
            have_one_core(w);
        set_timers(true);
        bytes_of(seed, bytes);
        run_case(bytes, BYTES, w->folder, &w->slot->tally);
        run_case_clear(w->folder);
        set_timers(false);
        if (++since < LEAK_EVERY && seed + w->step < w->end)
            continue;
        if (leaks())
            _exit(1);
        w->slot->checked_before = seed + w->step;
        since = 0;
    }
    w->slot->seed = w->end;
    _exit(0);
}

/* ---- what a child died of ------------------------------------------------------------------ */

/* Apart: inlined, gcc 12 takes the text for its own variable. */
__attribute__((noinline)) static char *log_text(const struct worker *w)
{
    struct nadi_diags diags;
    char *text = NULL;
    size_t bytes;
    nadi_diags_init(&diags);
    if (!nadi_file_read(w->log, "log", &text, &bytes, &diags))
        text = NULL;
    nadi_diags_release(&diags);
    return text;
}

/* The line from `at` on, numbers made alike. */
static void copy_line(const char *at, char key[KEY])
{
    size_t n = strlen(key);
    for (; *at && *at != '\n' && n + 1 < KEY; at++) {
        const bool digit = isdigit((unsigned char)*at) != 0;
        if (digit && n > 0 && key[n - 1] == '#')
            continue;
        key[n++] = digit ? '#' : *at;
    }
    key[n] = '\0';
}

/* Who made what is lost: the names of the frames above the allocator. */
static void copy_leak(const char *text, char key[KEY])
{
    const char *at = strstr(text, "leak of");
    copy_line("leak:", key);
    for (int frames = 0; at && frames < 4;) {
        at = strstr(at, " in ");
        if (!at)
            return;
        at += strlen(" in ");
        if (nadi_str_starts(at, "nadi_mem") || nadi_str_starts(at, "nadi_arena") ||
            nadi_str_starts(at, "__interceptor") || nadi_str_starts(at, "malloc"))
            continue;
        const size_t length = strcspn(at, " \n"), n = strlen(key);
        snprintf(key + n, KEY - n, " %.*s", (int)length, at);
        frames++;
    }
}

static void key_of(const struct worker *w, int status, char key[KEY])
{
    static const char *const marks[] = {"runtime error: ", "BUG at ",
                                        "limit/memory: ", "finding: ", "SUMMARY: "};
    char *text = log_text(w);
    key[0] = '\0';
    for (size_t i = 0; text && i < sizeof(marks) / sizeof(*marks) && !key[0]; i++) {
        const char *at = strstr(text, marks[i]);
        if (at && i == 4 && strstr(at, "leaked"))
            copy_leak(text, key);
        else if (at)
            copy_line(at, key);
    }
    if (!key[0] && WIFSIGNALED(status))
        snprintf(key, KEY, "killed by signal %d", WTERMSIG(status));
    else if (!key[0])
        snprintf(key, KEY, "ends with exit code %d", WEXITSTATUS(status));
    nadi_mem_free(text);
}

/* ---- one case by itself -------------------------------------------------------------------- */

struct probe {
    struct worker *w;
    const char *key; /* NULL: any */
    bool leaks;      /* look for them */
    time_t until;    /* afterwards nothing fails; 0: no limit */
    char got[KEY];
};

static bool probe_fails(void *context, const uint8_t *bytes, size_t count)
{
    struct probe *p = context;
    int status = 0;
    if (p->until && time(NULL) > p->until)
        return false;
    (void)fflush(stdout);
    const pid_t pid = fork();
    NADI_ASSERT(pid >= 0);
    if (pid == 0) {
        become_quiet(p->w);
        set_timers(true);
        run_case(bytes, count, p->w->folder, &p->w->slot->tally);
        set_timers(false);
        _exit(p->leaks && leaks() ? 1 : 0);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    run_case_clear(p->w->folder);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return false;
    key_of(p->w, status, p->got);
    return !p->key || strcmp(p->key, p->got) == 0;
}

/* ---- findings ------------------------------------------------------------------------------ */

static void write_files(const uint8_t *bytes, size_t count, const char *folder)
{
    struct run_drawn r;
    struct nadi_diags diags;
    struct nadi_str command = NADI_STR_INIT;
    nadi_diags_init(&diags);
    NADI_ASSERT(nadi_file_make_folder(folder, &diags));
    nadi_diags_release(&diags);
    run_drawn_init(&r, bytes, count, folder);
    run_drawn_command(&r, &command);
    (void)run_write(&r, "command.txt", &command);
    nadi_str_release(&command);
    run_drawn_release(&r);
}

static void write_bytes(const char *path, const void *data, size_t count)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    NADI_ASSERT(nadi_file_write(path, data, count, &diags));
    nadi_diags_release(&diags);
}

static void keep_finding(struct hunt *h, const struct kind *kind, const uint8_t *drawn)
{
    uint8_t bytes[BYTES];
    char path[512];
    struct probe p = {.w = &h->probe, .key = kind->key};
    p.leaks = nadi_str_starts(kind->key, "leak:");
    memcpy(bytes, drawn, BYTES);
    size_t count = BYTES;
    if (probe_fails(&p, bytes, count)) {
        count = (size_t)nadi_min_u64(BYTES, h->probe.slot->tally.used_bytes);
        p.until = time(NULL) + SHRINK_S;
        count = shrink(bytes, count, SHRINK_TRIES, probe_fails, &p);
    } else
        printf("  (not by itself: %s)\n", p.got[0] ? p.got : "passes");
    snprintf(path, sizeof(path), "%s/%u", h->findings, h->kind_count);
    write_files(bytes, count, path);
    snprintf(path, sizeof(path), "%s/%u/input", h->findings, h->kind_count);
    write_bytes(path, bytes, count);
    p.until = 0;
    (void)probe_fails(&p, bytes, count);
    char *said = log_text(&h->probe);
    snprintf(path, sizeof(path), "%s/%u/said", h->findings, h->kind_count);
    if (said)
        write_bytes(path, said, strlen(said));
    nadi_mem_free(said);
    printf("  %zu bytes in %s/%u\n", count, h->findings, h->kind_count);
}

static void add_finding(struct hunt *h, const char *key, uint64_t seed)
{
    uint8_t bytes[BYTES];
    h->found++;
    for (uint32_t i = 0; i < h->kind_count; i++)
        if (strcmp(h->kinds[i].key, key) == 0) {
            h->kinds[i].count++;
            return;
        }
    if (h->kind_count == MOST_KINDS)
        return;
    struct kind *kind = &h->kinds[h->kind_count++];
    *kind = (struct kind){.count = 1, .seed = seed};
    snprintf(kind->key, KEY, "%s", key);
    printf("seed %" PRIu64 ": %s\n", seed, key);
    bytes_of(seed, bytes);
    keep_finding(h, kind, bytes);
    (void)fflush(stdout);
}

/* Which of the cases since the last look for leaks did it. */
static void find_leak(struct hunt *h, const struct worker *w, const char *key)
{
    uint8_t bytes[BYTES];
    struct probe p = {.w = &h->probe, .leaks = true};
    uint64_t found = 0;
    for (uint64_t s = w->slot->checked_before; s <= w->slot->seed && s < w->end; s += w->step) {
        bytes_of(s, bytes);
        if (probe_fails(&p, bytes, BYTES)) {
            add_finding(h, p.got, s);
            found++;
        }
    }
    if (!found)
        add_finding(h, key, w->slot->seed);
}

/* ---- the parent ---------------------------------------------------------------------------- */

static void open_worker(struct worker *w, struct slot *slot, uint32_t number)
{
    w->slot = slot;
    w->number = number;
    NADI_ASSERT(sched_getaffinity(0, sizeof(w->cores), &w->cores) == 0);
    snprintf(w->folder, sizeof(w->folder), "%s/nadi-runs-%d-%" PRIu32, run_case_place(),
             (int)getpid(), number);
    snprintf(w->log, sizeof(w->log), "%s.log", w->folder);
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    NADI_ASSERT(nadi_file_make_folder(w->folder, &diags));
    nadi_diags_release(&diags);
}

static void close_worker(struct worker *w)
{
    run_case_clear(w->folder);
    (void)rmdir(w->folder);
    (void)unlink(w->log);
}

static void start(struct worker *w)
{
    (void)fflush(stdout);
    w->pid = w->next < w->end ? fork() : 0;
    NADI_ASSERT(w->pid >= 0);
    if (w->next < w->end && w->pid == 0)
        work(w);
}

/* A worker ended; the next begins behind the case that ended it. */
static void ended(struct hunt *h, struct worker *w, int status)
{
    char key[KEY];
    w->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && w->slot->seed >= w->end)
        return;
    key_of(w, status, key);
    if (nadi_str_starts(key, "leak:"))
        find_leak(h, w, key);
    else
        add_finding(h, key, w->slot->seed);
    run_case_clear(w->folder);
    w->next = w->slot->seed + w->step;
    start(w);
}

static void add_tally(struct run_case_tally *sum, const struct run_case_tally *one)
{
    sum->cases += one->cases;
    sum->refused += one->refused;
    sum->done += one->done;
    sum->deadlocks += one->deadlocks;
    sum->limits += one->limits;
    sum->folded += one->folded;
    sum->phases += one->phases;
}

static struct run_case_tally run_hunt(struct hunt *h)
{
    struct run_case_tally sum = {0};
    const size_t slots = (MOST_JOBS + 1) * sizeof(struct slot);
    struct slot *shared =
        mmap(NULL, slots, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    NADI_ASSERT(shared != MAP_FAILED);
    open_worker(&h->probe, &shared[MOST_JOBS], MOST_JOBS);
    for (uint32_t i = 0; i < h->jobs; i++) {
        struct worker *w = &h->workers[i];
        open_worker(w, &shared[i], i);
        w->next = h->first + i;
        w->step = h->jobs;
        w->end = h->first + h->cases;
        start(w);
    }
    for (int status;;) {
        const pid_t pid = wait(&status);
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            break;
        for (uint32_t i = 0; i < h->jobs; i++)
            if (h->workers[i].pid == pid)
                ended(h, &h->workers[i], status);
    }
    for (uint32_t i = 0; i < h->jobs; i++) {
        add_tally(&sum, &h->workers[i].slot->tally);
        close_worker(&h->workers[i]);
    }
    close_worker(&h->probe);
    (void)munmap(shared, slots);
    return sum;
}

/* A seed, or the path of a kept input. */
static uint8_t *read_input(const char *name, size_t *count)
{
    uint64_t seed;
    if (nadi_str_to_u64(name, &seed)) {
        uint8_t *drawn = NADI_NEW(uint8_t, BYTES);
        bytes_of(seed, drawn);
        *count = BYTES;
        return drawn;
    }
    struct nadi_diags diags;
    char *bytes = NULL;
    nadi_diags_init(&diags);
    if (!nadi_file_read(name, "input", &bytes, count, &diags))
        fprintf(stderr, "cannot read %s\n", name);
    nadi_diags_release(&diags);
    return (uint8_t *)bytes;
}

static int replay(const char *name, const char *files)
{
    char folder[64];
    size_t count;
    uint8_t *bytes = read_input(name, &count);
    if (!bytes)
        return 2;
    if (files) {
        write_files(bytes, count, files);
    } else {
        snprintf(folder, sizeof(folder), "%s/nadi-runs-XXXXXX", run_case_place());
        NADI_ASSERT(mkdtemp(folder));
        run_case(bytes, count, folder, NULL);
        run_case_clear(folder);
        (void)rmdir(folder);
    }
    nadi_mem_free(bytes);
    return 0;
}

static bool read_words(struct hunt *h, int argc, char **argv)
{
    uint64_t jobs = 1, *numbers[] = {&h->cases, &h->first};
    size_t read = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc) {
            if (!nadi_str_to_u64(argv[++i], &jobs) || jobs < 1)
                return false;
        } else if (strcmp(argv[i], "--findings") == 0 && i + 1 < argc) {
            h->findings = argv[++i];
        } else if (read == 2 || !nadi_str_to_u64(argv[i], numbers[read++])) {
            return false;
        }
    }
    h->jobs = (uint32_t)nadi_min_u64(nadi_min_u64(jobs, MOST_JOBS), nadi_max_u64(h->cases, 1));
    return true;
}

int main(int argc, char **argv)
{
    static struct hunt h;
    h = (struct hunt){.first = 1, .cases = CASES, .findings = "runs-findings"};
    if (argc == 3 && strcmp(argv[1], "--replay") == 0)
        return replay(argv[2], NULL);
    if (argc == 4 && strcmp(argv[1], "--files") == 0)
        return replay(argv[2], argv[3]);
    if (!read_words(&h, argc, argv)) {
        fprintf(stderr, "usage: runs [CASES [FIRST_SEED]] [--jobs N] [--findings FOLDER]\n");
        return 2;
    }
    const struct run_case_tally t = run_hunt(&h);
    for (uint32_t i = 0; i < h.kind_count; i++)
        printf("%" PRIu64 " times, first with seed %" PRIu64 ": %s\n", h.kinds[i].count,
               h.kinds[i].seed, h.kinds[i].key);
    printf("seeds %" PRIu64 "..%" PRIu64 ": %" PRIu64 " finish, %" PRIu64 " deadlock, %" PRIu64
           " reach a limit, %" PRIu64 " are refused; %" PRIu64 " runs by phases, %" PRIu64
           " folded\n",
           h.first, h.first + h.cases - 1, t.done, t.deadlocks, t.limits, t.refused, t.phases,
           t.folded);
    printf("%" PRIu64 " runs, %" PRIu64 " findings\n", h.cases, h.found);
    if (t.done * 3 < t.cases) {
        printf("fewer than a third finish\n");
        return 1;
    }
    return h.found > 0;
}
