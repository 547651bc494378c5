#include "cli/stop.h"
#include "base/file.h"
#include "base/output_lock.h"
#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)

enum {
    GRACE_NS = 1500000000,
    TWICE_NS = 200000000,
    WALL_SHARE = 20,
    MORE_GRACES = 3,
    RENAME_MS = 5,
    MOST_FILES = 256, /* open at once, of which some may not be whole */
};

/* What handlers read and write: no more than a word each. */
static volatile int wish; /* enum nadi_stop */
static volatile sig_atomic_t is_looked_at, is_reader_gone;
static const char *volatile command, *volatile doing;
static uint64_t wall_ns, grace_ns, cpu_ns_then, wish_at_ns;
static sig_atomic_t graces;
static atomic_flag is_ending = ATOMIC_FLAG_INIT;

static void alarm_in(uint64_t ns)
{
    const struct itimerval once = {
        .it_value = {.tv_sec = (time_t)(ns / SECOND_NS),
                     .tv_usec = (suseconds_t)(ns % SECOND_NS / 1000 + (ns < 1000))},
    };
    setitimer(ITIMER_REAL, &once, NULL);
}

static int errors_to = STDERR_FILENO;

static void say(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t done = write(errors_to, text, left);
        if (done <= 0)
            return;
        text += done;
        left -= (size_t)done;
    }
}

static bool ends_in(const char *path, size_t length, const char *suffix)
{
    const size_t ending = strlen(suffix);
    return length > ending && memcmp(path + length - ending, suffix, ending) == 0;
}

/* Has this process opened it, with such a name, to write it? What it has inherited stays open in
 * children. */
static bool is_left(int fd, const char *path, size_t length, const char *suffix)
{
    const int closes = fcntl(fd, F_GETFD), mode = fcntl(fd, F_GETFL);
    struct stat about;
    return ends_in(path, length, suffix) && closes >= 0 && (closes & FD_CLOEXEC) && mode >= 0 &&
           (mode & O_ACCMODE) != O_RDONLY && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

/* Linux names what is open; elsewhere it stays. */
static void remove_left(const char *suffix)
{
    for (int fd = STDERR_FILENO + 1; fd < MOST_FILES; fd++) {
        char link[] = "/proc/self/fd/###", path[PATH_MAX];
        char *digits = link + sizeof(link) - 4;
        digits[0] = (char)('0' + fd / 100);
        digits[1] = (char)('0' + fd / 10 % 10);
        digits[2] = (char)('0' + fd % 10);
        while (*digits == '0')
            memmove(digits, digits + 1, strlen(digits));
        const ssize_t length = readlink(link, path, sizeof(path) - 1);
        if (length <= 0)
            continue;
        path[length] = '\0';
        if (is_left(fd, path, (size_t)length, suffix))
            (void)unlink(path);
    }
}

/* The other threads go on: from now on they open no file, and what they say of files that are taken
 * from them is not heard. */
static void silence_others(void)
{
    const struct rlimit none = {0};
    const int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0 && dup2(nowhere, STDERR_FILENO) >= 0)
        errors_to = kept;
    (void)setrlimit(RLIMIT_NOFILE, &none);
}

/* In a signal handler: only what is allowed there. */
static _Noreturn void end_now(void)
{
    while (atomic_flag_test_and_set(&is_ending))
        pause();                        /* another thread says it */
    remove_left(NADI_OUTPUT_LOCK_FILE); /* before a thread that cannot go on closes it */
    silence_others();
    remove_left(NADI_FILE_PART);    /* files that get their names when they are whole */
    (void)poll(NULL, 0, RENAME_MS); /* a file that is closed, and whole, gets its name */
    say("nadi");
    if (command) {
        say(" ");
        say(command);
    }
    say(wish == NADI_STOP_WALL ? ": error[limit/wall]: stopped by --max-wall"
                               : ": error[limit/interrupted]: stopped by a signal");
    if (doing) {
        say(" while ");
        say(doing);
    }
    say("\n  help: it was not done, and what it was to write is missing or not complete\n");
    _exit(NADI_STATUS_LIMIT);
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

static void give_grace(void)
{
    cpu_ns_then = now_ns(CLOCK_PROCESS_CPUTIME_ID); /* of all threads */
    alarm_in(grace_ns);
}

/* A busy machine has not let the program run in its grace: it gets another one. */
static bool gets_more(int number)
{
    return number == SIGALRM && graces++ < MORE_GRACES &&
           now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns_then < grace_ns / 2;
}

/* `timeout` signals its child and then its group: the child gets one wish twice. */
static bool is_same_wish(int number)
{
    return number != SIGALRM && now_ns(CLOCK_MONOTONIC) - wish_at_ns < TWICE_NS;
}

static void on_signal(int number)
{
    const int kept = errno;
    if (wish == NADI_STOP_NOT) {
        wish_at_ns = now_ns(CLOCK_MONOTONIC);
        wish = number == SIGALRM ? NADI_STOP_WALL : NADI_STOP_INTERRUPTED;
        grace_ns = number == SIGALRM ? nadi_max_u64(GRACE_NS, wall_ns / WALL_SHARE) : GRACE_NS;
        if (!is_looked_at)
            end_now();
        give_grace();
    } else if (!is_same_wish(number)) {
        if (!gets_more(number))
            end_now();
        give_grace();
    }
    errno = kept;
}

/* The write fails, and says so. Not SIG_IGN: children would inherit it. */
static void on_refused_write(int number)
{
    if (number == SIGPIPE)
        is_reader_gone = 1;
}

void nadi_stop_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
    action.sa_handler = on_refused_write;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

bool nadi_stop_reader_gone(void)
{
    return is_reader_gone;
}

void nadi_stop_after(uint64_t ns)
{
    wall_ns = ns;
    if (ns)
        alarm_in(ns);
}

uint64_t nadi_stop_wall_ms(void)
{
    return wall_ns / 1000000 + (wall_ns % 1000000 > 0);
}

void nadi_stop_command(const char *name)
{
    command = name;
}

void nadi_stop_doing(const char *what)
{
    doing = what;
}

const volatile int *nadi_stop_flag(void)
{
    is_looked_at = 1;
    return &wish;
}

void nadi_stop_flag_done(void)
{
    is_looked_at = 0;
}
