#include "cli/terminal.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/narrow.h"
#include "cli/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const char *const levels[] = {"", "note", "warning", "error"};
static const char *const colours[] = {"", "\033[36m", "\033[33m", "\033[31m"};

bool nadi_terminal_colours(FILE *stream)
{
    return isatty(fileno(stream)) && !getenv("NO_COLOR");
}

/* The word "error" in the formatted text is what gets the colour. */
static void print_message(const char *text, enum nadi_level level, bool colour)
{
    char word[16];
    snprintf(word, sizeof(word), "%s[", levels[level]);
    const char *at = colour ? strstr(text, word) : NULL;
    if (!at) {
        fputs(text, stderr);
        return;
    }
    fwrite(text, 1, (size_t)(at - text), stderr);
    fprintf(stderr, "%s%s\033[0m%s", colours[level], levels[level], at + strlen(levels[level]));
}

/* Of a kind, one code of one level, so many are printed: a long file may have the same fault on
 * each line. */
enum { OF_A_KIND = 5, KINDS = 64 };

struct kinds {
    struct {
        const char *code;
        enum nadi_level level;
        size_t count;
    } items[KINDS];
    size_t count;
};

/* How many of its kind came before, it included. */
static size_t count_of_kind(struct kinds *kinds, const struct nadi_message_view *m)
{
    size_t i = 0;
    while (i < kinds->count &&
           (kinds->items[i].level != m->level || !nadi_str_equal(kinds->items[i].code, m->code)))
        i++;
    if (i == KINDS)
        return 1;
    if (i == kinds->count) {
        kinds->count++;
        kinds->items[i].code = m->code;
        kinds->items[i].level = m->level;
        kinds->items[i].count = 0;
    }
    return ++kinds->items[i].count;
}

/* A write into a pipe whose reader wants no more, as `head` does. */
static bool is_of_reader_gone(const struct nadi_message_view *m)
{
    return nadi_stop_reader_gone() && nadi_str_equal(m->code, "file/unwritable") &&
           strstr(m->text, strerror(EPIPE));
}

size_t nadi_terminal_messages(const struct nadi_diags *messages, size_t from, bool quiet)
{
    const size_t count = nadi_messages_count(messages);
    const bool colour = nadi_terminal_colours(stderr);
    struct kinds kinds = {.count = 0};
    size_t printed[NADI_LEVEL_ERROR + 1] = {0}; /* now or by an earlier call */
    for (size_t i = 0; i < count; i++) {
        const struct nadi_message_view m = nadi_messages_get(messages, i);
        if (count_of_kind(&kinds, &m) > OF_A_KIND)
            continue;
        printed[m.level]++;
        if (i < from || (quiet && m.level != NADI_LEVEL_ERROR) || is_of_reader_gone(&m))
            continue;
        char *text = nadi_message_format(messages, i);
        if (!text) { /* there is no memory for it */
            fprintf(stderr, "%s[%s]: %s\n", levels[m.level], m.code, m.text);
            continue;
        }
        print_message(text, m.level, colour);
        nadi_free(text);
    }
    for (enum nadi_level level = NADI_LEVEL_NOTE; level <= NADI_LEVEL_ERROR; level++) {
        const size_t hidden = nadi_messages_total(messages, level) - printed[level];
        if (hidden > 0 && count > from && (!quiet || level == NADI_LEVEL_ERROR))
            fprintf(stderr, "(and %zu more %s%s of these kinds)\n", hidden, levels[level],
                    hidden == 1 ? "" : "s");
    }
    return count;
}

void *nadi_terminal_must(void *made)
{
    if (!made)
        nadi_mem_lacking("the program");
    return made;
}

void nadi_terminal_print(char *text)
{
    fputs(nadi_terminal_must(text), stdout);
    nadi_free(text);
}

void nadi_terminal_print_text(char *text)
{
    struct nadi_str narrow = NADI_STR_INIT;
    const int columns = nadi_narrow_columns();
    if (columns == 0) {
        nadi_terminal_print(text);
        return;
    }
    nadi_narrow_text(nadi_terminal_must(text), columns, NADI_SENTENCE_COLUMNS, &narrow);
    fputs(nadi_str_get(&narrow), stdout);
    nadi_str_release(&narrow);
    nadi_free(text);
}

int nadi_terminal_why(const struct nadi_diags *messages)
{
    int code = NADI_EXIT_INPUT;
    for (size_t i = 0; i < nadi_messages_count(messages); i++) {
        const char *said = nadi_messages_get(messages, i).code;
        if (nadi_str_equal(said, "limit/memory"))
            code = NADI_EXIT_LIMIT;
        else if (nadi_str_equal(said, "internal/bug"))
            code = NADI_EXIT_INTERNAL;
    }
    return code;
}

int nadi_terminal_end(enum nadi_status status, char *report, struct nadi_diags *messages,
                      bool quiet)
{
    int code = status == NADI_STATUS_INPUT ? nadi_terminal_why(messages) : (int)status;
    nadi_terminal_messages(messages, 0, quiet);
    for (size_t i = 0; i < nadi_messages_count(messages); i++) {
        if (nadi_str_starts(nadi_messages_get(messages, i).code, "usage/"))
            code = NADI_EXIT_USAGE;
    }
    if (report)
        fputs(report, stdout);
    nadi_free(report);
    nadi_messages_destroy(messages);
    return code;
}

int nadi_terminal_close(int status)
{
    const bool bad = ferror(stdout) != 0; /* some time ago: errno is of something else now */
    const bool flushed = fflush(stdout) == 0;
    if (flushed && !bad)
        return status;
    if (!nadi_stop_reader_gone()) /* it wants no more, as `head` does */
        fprintf(stderr, "nadi: error: cannot write to standard output: %s\n",
                flushed ? "a write failed; is there room?" : strerror(errno));
    return status < NADI_EXIT_USAGE ? NADI_EXIT_INPUT : status; /* 1: an answer that was not told */
}

/* --- progress ----------------------------------------------------------------------------------
 */

enum { LOG_S = 60 }; /* between two lines where there is no terminal */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void nadi_progress_line_start(struct nadi_progress_line *line, bool quiet)
{
    *line = (struct nadi_progress_line){
        .start_s = seconds_now(),
        .last_s = seconds_now(),
        .enabled = !quiet,
        .in_place = isatty(fileno(stderr)),
    };
}

/* Whether it is time for a line; if so it has begun. */
static bool begin_line(struct nadi_progress_line *line)
{
    const double now_s = seconds_now();
    if (!line->enabled || now_s - line->start_s < 1 ||
        now_s - line->last_s < (line->in_place ? 0.2 : LOG_S))
        return false;
    line->last_s = now_s;
    line->drawn = line->in_place;
    if (line->in_place)
        fputs("\r\033[K", stderr);
    return true;
}

static void add_left(const struct nadi_progress_line *line, double share)
{
    const double left_s = (line->last_s - line->start_s) * (1 - share) / share;
    fprintf(stderr, ", about %.0f %s left", left_s < 90 ? left_s : left_s / 60,
            left_s < 90 ? "s" : "min");
}

void nadi_progress_line_show(void *context, uint64_t now_ns, uint64_t nodes_done,
                             uint64_t nodes_total)
{
    struct nadi_progress_line *line = context;
    char simulated[32];
    if (!begin_line(line))
        return;
    nadi_units_time(simulated, (double)now_ns);
    fprintf(stderr, "%s simulated", simulated);
    if (nodes_done > 0 && nodes_total > 0) {
        const double share = (double)nodes_done / (double)nodes_total;
        fprintf(stderr, ", %.1f %% of the nodes done", 100 * share);
        add_left(line, share);
    }
    if (!line->in_place)
        fputc('\n', stderr);
}

void nadi_progress_line_train(void *context, double share, double loss)
{
    struct nadi_progress_line *line = context;
    if (!begin_line(line))
        return;
    fprintf(stderr, "%.1f %% of the training done, loss %.3f nats an item", 100 * share, loss);
    add_left(line, share);
    if (!line->in_place)
        fputc('\n', stderr);
}

void nadi_progress_line_end(struct nadi_progress_line *line)
{
    if (line->drawn)
        fprintf(stderr, "\r\033[K");
    line->drawn = false;
}

/* --- signals -----------------------------------------------------------------------------------
 */

static void on_abort(int signal_number)
{
    (void)signal_number;
    _exit(NADI_EXIT_INTERNAL);
}

/* Reads and writes of a stream that the caller has closed fail, and no file takes its number. */
void nadi_terminal_fill_streams(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY);
        if (fd == STDIN_FILENO) { /* for reading it would be empty */
            close(fd);
            fd = open("/dev/null", O_WRONLY);
        }
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

void nadi_terminal_catch_abort(void)
{
    struct sigaction action = {.sa_handler = on_abort};
    sigemptyset(&action.sa_mask);
    sigaction(SIGABRT, &action, NULL);
}
