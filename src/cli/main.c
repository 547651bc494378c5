#include "base/guard.h"
#include "base/originals.h"
#include "base/str.h"
#include "base/thread.h"
#include "cli/command.h"
#include "cli/compat.h"
#include "cli/stop.h"
#include "cli/terminal.h"

#include <malloc.h>
#include <sys/resource.h>

static bool wants_help(int count, char **arguments)
{
    for (int i = 0; i < count; i++) {
        if (nadi_str_equal(arguments[i], "--"))
            return false;
        if (nadi_str_equal(arguments[i], "--help") || nadi_str_equal(arguments[i], "-h"))
            return true;
    }
    return false;
}

static int dispatch(int count, char **words)
{
    static char help[] = "help", version[] = "version";
    static char *help_words[] = {help}, *version_words[] = {version};
    if (count == 0 || nadi_str_equal(words[0], "--help") || nadi_str_equal(words[0], "-h"))
        return dispatch(1, help_words);
    if (nadi_str_equal(words[0], "--version"))
        return dispatch(1, version_words);
    if (count >= 2 && nadi_str_equal(words[0], "trace") && nadi_str_equal(words[1], "gen"))
        return dispatch(count - 1, words + 1); /* generators are tools for traces as well */
    int used = 0;
    const struct nadi_command *command =
        nadi_command_find(count, (const char *const *)words, &used);
    if (!command && count == 2 && wants_help(1, words + 1) && nadi_help_family(words[0]))
        return NADI_EXIT_DONE;
    if (!command) {
        nadi_command_complain(count, (const char *const *)words);
        return NADI_EXIT_USAGE;
    }
    if (wants_help(count - used, words + used)) {
        nadi_help_command(command);
        return NADI_EXIT_DONE;
    }
    nadi_stop_command(command->name);
    nadi_stop_doing(command->doing);
    return nadi_command_execute(command, count - used, words + used);
}

struct program {
    int count;
    char **words;
    int status;
    struct nadi_originals originals;
};

static void run(void *context)
{
    struct program *p = context;
    nadi_guard_originals_in(&p->originals);
    const struct nadi_compat *compat = p->count > 0 ? nadi_compat_find(p->words[0]) : NULL;
    const int first = p->count > 0;
    p->status = compat ? nadi_compat_run(compat, p->count - 1, p->words + 1)
                       : dispatch(p->count - first, p->words + first);
}

/* What the program itself allocates may fail as well; the library says its own. */
static void *run_guarded(void *context)
{
    struct program *p = context;
    struct nadi_failure failure;
    nadi_originals_init(&p->originals);
    nadi_guard_run(NULL, run, p, &failure);
    nadi_originals_release(&p->originals);
    if (failure.kind != NADI_FAILURE_NONE) {
        fprintf(stderr, "nadi: error: %s\n", failure.text);
        p->status = failure.kind == NADI_FAILURE_BUG ? NADI_EXIT_INTERNAL : NADI_EXIT_LIMIT;
    }
    return NULL;
}

/* What one simulation frees is the next one's: given back to the system and taken anew, its pages
 * cost a quarter of the time of many short simulations. Room for it is reserved at once, untouched,
 * but where address space is limited. The library leaves its host's allocator alone. */
static void keep_freed_memory(void)
{
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur != RLIM_INFINITY)
        return;
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
    (void)mallopt(M_TOP_PAD, 64 << 20);
}

/* On a thread: its stack is ours to choose. */
int main(int argc, char **argv)
{
    struct program program = {.count = argc, .words = argv};
    pthread_t thread;
    keep_freed_memory();
    nadi_terminal_fill_streams();
    nadi_terminal_catch_abort();
    nadi_stop_catch();
    if (nadi_thread_start(&thread, run_guarded, &program))
        pthread_join(thread, NULL);
    else
        run_guarded(&program);
    return nadi_terminal_close(program.status);
}
