#include "base/child.h"

#include "base/hold.h"
#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAMS = 3, POLLS_PER_SECOND = 100 };

static void read_back(FILE *file, struct nadi_str *out)
{
    char buffer[16384];
    size_t got;
    rewind(file);
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        nadi_str_add_bytes(out, buffer, got);
}

/* The exit status; -1 when the time was up. */
static int wait_for(pid_t pid, unsigned seconds)
{
    const struct timespec pause = {.tv_nsec = 1000000000 / POLLS_PER_SECOND};
    int status = -1;
    for (uint64_t polls = 0;; polls++) {
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            return status;
        if (ended < 0 && errno != EINTR)
            return -1;
        if (polls >= (uint64_t)seconds * POLLS_PER_SECOND)
            break;
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return -1;
}

static int start(pid_t *pid, const char *const *arguments, FILE *const files[STREAMS])
{
    char **copies; /* posix_spawnp does not change them, but its type does not say so */
    size_t count = 0;
    while (arguments[count])
        count++;
    copies = NADI_ZNEW(char *, count + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(&copies[i], &arguments[i], sizeof(copies[i]));
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) {
        nadi_mem_free(copies);
        return error;
    }
    for (int i = 0; i < STREAMS && !error; i++)
        error = posix_spawn_file_actions_adddup2(&actions, fileno(files[i]), i);
    if (!error)
        error = posix_spawnp(pid, copies[0], &actions, NULL, copies, environ);
    posix_spawn_file_actions_destroy(&actions);
    nadi_mem_free(copies);
    return error;
}

/* The temporary files are gone when they are closed. */
static enum nadi_child_end run(const char *const *arguments, unsigned seconds,
                               FILE *const files[STREAMS])
{
    pid_t pid;
    const int error = start(&pid, arguments, files);
    if (error)
        return error == ENOENT ? NADI_CHILD_MISSING : NADI_CHILD_SYSTEM;
    const int status = wait_for(pid, seconds);
    if (status == -1)
        return NADI_CHILD_LATE;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return NADI_CHILD_MISSING; /* a C library that finds out in the child */
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? NADI_CHILD_DONE : NADI_CHILD_FAILED;
}

enum nadi_child_end nadi_child_filter(const char *const *arguments, const struct nadi_str *in,
                                      unsigned seconds, struct nadi_str *out,
                                      struct nadi_str *errors)
{
    FILE *files[STREAMS];
    struct nadi_hold *holds[STREAMS];
    enum nadi_child_end end = NADI_CHILD_SYSTEM;
    bool ok = true;
    for (int i = 0; i < STREAMS; i++) {
        files[i] = tmpfile();
        holds[i] = nadi_hold_file(files[i]);
        ok &= files[i] != NULL;
    }
    ok = ok && fwrite(nadi_str_get(in), 1, in->length, files[0]) == in->length &&
         fflush(files[0]) == 0;
    if (ok) {
        rewind(files[0]);
        end = run(arguments, seconds, files);
        read_back(files[1], out);
        read_back(files[2], errors);
    }
    for (int i = 0; i < STREAMS; i++) {
        nadi_unhold(holds[i]);
        if (files[i])
            fclose(files[i]);
    }
    return end;
}
