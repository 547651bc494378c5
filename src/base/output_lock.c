#include "base/output_lock.h"
#include "base/hold.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct nadi_output_lock {
    int fd;
    struct nadi_str what, path; /* path: of the lock file */
    struct nadi_hold *hold;     /* a failure leaves the file, as the end of the process does */
};

enum end { LOCKED, HELD, REPLACED, UNWRITABLE };

/* The file may have been removed, by whom had the lock, between opening and locking. */
static bool is_still_there(int fd, const char *path)
{
    struct stat here, there;
    return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

/* A lock file that another user left behind can be locked without being written. */
static int open_lock(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return fd < 0 && errno == EACCES ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : fd;
}

static enum end try_lock(const char *path, int *fd)
{
    *fd = open_lock(path);
    if (*fd < 0)
        return UNWRITABLE;
    if (flock(*fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return HELD;
    return is_still_there(*fd, path) ? LOCKED : REPLACED;
}

static void write_process(int fd)
{
    char text[32];
    const int length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)length, 0) != length)
        return; /* only the words of a message */
}

static void say_held(int fd, const char *what, struct nadi_diags *diags)
{
    char text[32] = "";
    const ssize_t got = pread(fd, text, sizeof(text) - 1, 0);
    const long process = got > 0 ? strtol(text, NULL, 10) : 0;
    char who[48] = "another process";
    if (process > 0)
        snprintf(who, sizeof(who), "process %ld", process);
    nadi_error(diags, "file/in-use", NADI_IN_FILE(what),
               "wait for it to end, or choose another name", "%s writes here: nothing was done",
               who);
}

static void close_lock(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void destroy(struct nadi_output_lock *lock)
{
    nadi_unhold(lock->hold);
    close_lock(lock->fd);
    nadi_str_release(&lock->what);
    nadi_str_release(&lock->path);
    nadi_mem_free(lock);
}

static void file_of_folder(const char *folder, struct nadi_str *file)
{
    nadi_str_printf(file, "%s/" NADI_OUTPUT_LOCK_FILE, folder);
}

static void file_of_prefix(const char *prefix, struct nadi_str *file)
{
    const char *slash = strrchr(prefix, '/');
    const size_t folder = slash ? (size_t)(slash - prefix) + 1 : 0;
    nadi_str_add_bytes(file, prefix, folder);
    nadi_str_printf(file, ".%s" NADI_OUTPUT_LOCK_FILE, prefix + folder);
}

/* The lock of the file that `lock` names, or NULL and `lock` is no more. */
static struct nadi_output_lock *take(struct nadi_output_lock *lock, struct nadi_diags *diags)
{
    enum { TRIES = 100 };
    const char *what = nadi_str_get(&lock->what);
    enum end end = try_lock(nadi_str_get(&lock->path), &lock->fd);
    for (int i = 0; i < TRIES && end == REPLACED; i++) {
        close_lock(lock->fd);
        end = try_lock(nadi_str_get(&lock->path), &lock->fd);
    }
    const int cause = errno;
    lock->hold = nadi_hold_fd(lock->fd);
    if (end == LOCKED) {
        write_process(lock->fd);
        return lock;
    }
    if (end == UNWRITABLE)
        nadi_error(diags, "file/unwritable", NADI_IN_FILE(what),
                   "choose a folder that you may write to", "cannot write into this folder: %s",
                   strerror(cause));
    else
        say_held(lock->fd, what, diags);
    destroy(lock);
    return NULL;
}

struct nadi_output_lock *nadi_output_lock_folder(const char *folder, struct nadi_diags *diags)
{
    if (!nadi_file_make_folder(folder, diags))
        return NULL;
    struct nadi_output_lock *lock = NADI_ZNEW(struct nadi_output_lock, 1);
    nadi_str_add(&lock->what, folder);
    file_of_folder(folder, &lock->path);
    return take(lock, diags);
}

struct nadi_output_lock *nadi_output_lock_prefix(const char *prefix, struct nadi_diags *diags)
{
    if (!nadi_file_make_parent(prefix, diags))
        return NULL;
    struct nadi_output_lock *lock = NADI_ZNEW(struct nadi_output_lock, 1);
    nadi_str_add(&lock->what, prefix);
    file_of_prefix(prefix, &lock->path);
    return take(lock, diags);
}

const char *nadi_output_lock_path(const struct nadi_output_lock *lock)
{
    return nadi_str_get(&lock->what);
}

bool nadi_output_lock_holds(const struct nadi_output_lock *lock, struct nadi_diags *diags)
{
    if (is_still_there(lock->fd, nadi_str_get(&lock->path)))
        return true;
    return nadi_error(diags, "file/replaced", NADI_IN_FILE(nadi_str_get(&lock->what)),
                      "run again, and leave the folder alone until the run has ended",
                      "this folder was removed or replaced during the run: nothing is written");
}

void nadi_output_lock_release(struct nadi_output_lock *lock)
{
    if (!lock)
        return;
    if (is_still_there(lock->fd, nadi_str_get(&lock->path)))
        unlink(nadi_str_get(&lock->path)); /* first: who opens it now finds it replaced */
    destroy(lock);
}

void nadi_output_lock_leave(struct nadi_output_lock *lock)
{
    destroy(lock);
}

static enum nadi_output_state state_of(struct nadi_str *path, struct nadi_str *file)
{
    const int fd = open(nadi_str_get(path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close_lock(fd);
    if (file)
        nadi_str_add(file, nadi_str_get(path));
    nadi_str_release(path);
    return held ? NADI_OUTPUT_HELD : fd >= 0 ? NADI_OUTPUT_MARKED : NADI_OUTPUT_FREE;
}

enum nadi_output_state nadi_output_lock_of_folder(const char *folder, struct nadi_str *file)
{
    struct nadi_str path = NADI_STR_INIT;
    file_of_folder(folder, &path);
    return state_of(&path, file);
}

enum nadi_output_state nadi_output_lock_of_prefix(const char *prefix, struct nadi_str *file)
{
    struct nadi_str path = NADI_STR_INIT;
    file_of_prefix(prefix, &path);
    return state_of(&path, file);
}
