#include "base/folder_lock.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct nadi_folder_lock {
    int fd;
    struct nadi_str folder, path; /* path: of the lock file */
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

static void say_held(int fd, const char *folder, struct nadi_diags *diags)
{
    char text[32] = "";
    const ssize_t got = pread(fd, text, sizeof(text) - 1, 0);
    const long process = got > 0 ? strtol(text, NULL, 10) : 0;
    char who[48] = "another run";
    if (process > 0)
        snprintf(who, sizeof(who), "another run, process %ld,", process);
    nadi_error(diags, "file/in-use", NADI_IN_FILE(folder),
               "wait for it to end, or choose another folder",
               "%s is at work for this folder: nothing was done", who);
}

static void close_lock(int fd)
{
    if (fd >= 0)
        close(fd);
}

struct nadi_folder_lock *nadi_folder_lock_take(const char *folder, struct nadi_diags *diags)
{
    enum { TRIES = 100 };
    if (!nadi_file_make_folder(folder, diags))
        return NULL;
    struct nadi_folder_lock *lock = NADI_ZNEW(struct nadi_folder_lock, 1);
    nadi_str_add(&lock->folder, folder);
    nadi_str_printf(&lock->path, "%s/" NADI_FOLDER_LOCK_FILE, folder);
    enum end end = try_lock(nadi_str_get(&lock->path), &lock->fd);
    for (int i = 0; i < TRIES && end == REPLACED; i++) {
        close_lock(lock->fd);
        end = try_lock(nadi_str_get(&lock->path), &lock->fd);
    }
    if (end == LOCKED) {
        write_process(lock->fd);
        return lock;
    }
    if (end == UNWRITABLE)
        nadi_error(diags, "file/write", NADI_IN_FILE(folder),
                   "choose a folder that you may write to", "cannot write into this folder: %s",
                   strerror(errno));
    else
        say_held(lock->fd, folder, diags);
    close_lock(lock->fd);
    nadi_str_release(&lock->folder);
    nadi_str_release(&lock->path);
    nadi_mem_free(lock);
    return NULL;
}

const char *nadi_folder_lock_path(const struct nadi_folder_lock *lock)
{
    return nadi_str_get(&lock->folder);
}

bool nadi_folder_lock_holds(const struct nadi_folder_lock *lock, struct nadi_diags *diags)
{
    if (is_still_there(lock->fd, nadi_str_get(&lock->path)))
        return true;
    return nadi_error(diags, "file/replaced", NADI_IN_FILE(nadi_str_get(&lock->folder)),
                      "run again, and leave the folder alone until the run has ended",
                      "this folder was removed or replaced during the run: nothing is written");
}

void nadi_folder_lock_release(struct nadi_folder_lock *lock)
{
    if (!lock)
        return;
    if (is_still_there(lock->fd, nadi_str_get(&lock->path)))
        unlink(nadi_str_get(&lock->path)); /* first: who opens it now finds it replaced */
    close_lock(lock->fd);
    nadi_str_release(&lock->folder);
    nadi_str_release(&lock->path);
    nadi_mem_free(lock);
}

bool nadi_folder_lock_is_held(const char *folder)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/" NADI_FOLDER_LOCK_FILE, folder);
    const int fd = open(nadi_str_get(&path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close_lock(fd);
    nadi_str_release(&path);
    return held;
}
