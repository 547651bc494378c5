#include "base/file.h"

#include "base/guard.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/originals.h"
#include "base/sha256.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int fd, size_t expected, char **data, size_t *bytes)
{
    size_t capacity = expected + 1, count = 0;
    char *buffer = nadi_mem_alloc(capacity, 1);
    for (;;) {
        if (count + 1 >= capacity)
            buffer = nadi_mem_grow(buffer, &capacity, capacity + 65536, 1);
        ssize_t got = read(fd, buffer + count, capacity - count - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            nadi_mem_free(buffer);
            return false;
        }
        if (got == 0)
            break;
        count += (size_t)got;
    }
    buffer[count] = '\0';
    *data = buffer;
    *bytes = count;
    return true;
}

bool nadi_file_is_device(const struct stat *about)
{
    struct stat null;
    return S_ISBLK(about->st_mode) ||
           (S_ISCHR(about->st_mode) &&
            !(stat("/dev/null", &null) == 0 && null.st_rdev == about->st_rdev));
}

static bool read_file(const char *path, const char *what, bool input, char **data, size_t *bytes,
                      struct nadi_diags *diags)
{
    bool standard_input = strcmp(path, "-") == 0;
    int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (fd < 0) {
        int cause = errno;
        return nadi_error(
            diags, cause == ENOENT ? "file/missing" : "file/unreadable", NADI_IN_FILE(path),
            cause == ENOENT ? "check the path; relative paths start at the current folder"
                            : "check the permissions of the file and its folders",
            "cannot open %s: %s", what, strerror(cause));
    }
    struct nadi_hold *hold = standard_input ? NULL : nadi_hold_fd(fd);
    bool ok = false;
    if (fstat(fd, &about) != 0)
        nadi_error(diags, "file/unreadable", NADI_IN_FILE(path), NULL, "cannot examine %s: %s",
                   what, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        nadi_error(diags, "file/is-folder", NADI_IN_FILE(path), "name a file inside it",
                   "a folder was given where %s %s is wanted", nadi_str_article(what), what);
    else if (!standard_input && nadi_file_is_device(&about))
        nadi_error(diags, "file/unreadable", NADI_IN_FILE(path), "name a regular file",
                   "a device was given where %s %s is wanted", nadi_str_article(what), what);
    else if (!read_all(fd, S_ISREG(about.st_mode) ? (size_t)about.st_size : 65536, data, bytes))
        nadi_error(diags, "file/unreadable", NADI_IN_FILE(path), NULL, "cannot read %s: %s", what,
                   strerror(errno));
    else
        ok = true;
    if (ok && input)
        nadi_originals_read(&about);
    nadi_unhold(hold);
    if (!standard_input)
        close(fd);
    return ok;
}

bool nadi_file_read(const char *path, const char *what, char **data, size_t *bytes,
                    struct nadi_diags *diags)
{
    return read_file(path, what, true, data, bytes, diags);
}

bool nadi_file_read_output(const char *path, const char *what, char **data, size_t *bytes,
                           struct nadi_diags *diags)
{
    return read_file(path, what, false, data, bytes, diags);
}

/* A file on its way to its name. */
struct part {
    const char *name;
    int fd;
    bool in_place;
};

static void let_go(void *context)
{
    const struct part *p = context;
    if (p->fd >= 0)
        close(p->fd);
    if (p->fd >= 0 && !p->in_place)
        unlink(p->name);
}

static bool write_all(int fd, const char *p, size_t bytes)
{
    enum { PIECE = 1 << 24 };
    while (bytes) {
        (void)nadi_guard_look();
        ssize_t done = write(fd, p, nadi_min_u64(bytes, PIECE));
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        p += done;
        bytes -= (size_t)done;
    }
    return true;
}

bool nadi_file_is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

char *nadi_file_behind(const char *path)
{
    struct stat about;
    char *behind = NADI_NEW(char, PATH_MAX);
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode) && realpath(path, behind))
        return behind;
    const size_t bytes = strlen(path) + 1;
    behind = nadi_mem_realloc(behind, bytes, 1);
    memcpy(behind, path, bytes);
    return behind;
}

/* False: errno says why, and nothing is left of it. */
static bool write_part(const char *name, bool in_place, bool sync, const char *target,
                       const void *data, size_t bytes)
{
    struct part *p = NADI_NEW(struct part, 1);
    *p = (struct part){name, -1, in_place};
    struct nadi_hold *hold = nadi_hold(p, let_go);
    p->fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok =
        p->fd >= 0 && write_all(p->fd, data, bytes) && (!sync || in_place || fsync(p->fd) == 0);
    int cause = errno;
    if (p->fd >= 0 && close(p->fd) != 0 && ok) {
        cause = errno;
        ok = false;
    }
    if (ok && !in_place && rename(name, target) != 0) {
        cause = errno;
        ok = false;
    }
    if (!ok && p->fd >= 0 && !in_place)
        unlink(name);
    nadi_unhold(hold);
    nadi_mem_free(p);
    errno = cause;
    return ok;
}

static bool write_file(const char *path, const void *data, size_t bytes, bool sync,
                       struct nadi_diags *diags)
{
    struct nadi_str temporary = NADI_STR_INIT;
    const bool in_place = nadi_file_is_special(path);
    char *target = nadi_file_behind(path);
    nadi_str_printf(&temporary, in_place ? "%s" : "%s" NADI_FILE_PART, target);
    const char *name = nadi_str_get(&temporary);
    bool ok = nadi_originals_spare(path, diags) && (in_place || nadi_originals_spare(name, diags));
    if (ok && !write_part(name, in_place, sync, target, data, bytes))
        ok = nadi_error(diags, "file/unwritable", NADI_IN_FILE(path),
                        "check that the folder exists, is writable and has free space",
                        "cannot write: %s", strerror(errno));
    else if (ok)
        nadi_originals_written_path(path);
    nadi_str_release(&temporary);
    nadi_mem_free(target);
    return ok;
}

bool nadi_file_write(const char *path, const void *data, size_t bytes, struct nadi_diags *diags)
{
    return write_file(path, data, bytes, false, diags);
}

bool nadi_file_write_synced(const char *path, const void *data, size_t bytes,
                            struct nadi_diags *diags)
{
    return write_file(path, data, bytes, true, diags);
}

bool nadi_file_sha256(const char *path, uint8_t hash[32], uint64_t *bytes, struct nadi_diags *diags)
{
    enum { PIECE = 1 << 18 };
    struct stat about;
    struct nadi_sha256 h;
    ssize_t got = -1;
    *bytes = 0;
    nadi_sha256_begin(&h);
    char *piece = nadi_mem_alloc(PIECE, 1);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        while ((got = read(fd, piece, PIECE)) > 0 || (got < 0 && errno == EINTR)) {
            if (got < 0)
                continue;
            nadi_sha256_add(&h, piece, (size_t)got);
            *bytes += (uint64_t)got;
        }
    } else if (fd >= 0) {
        errno = EINVAL;
    }
    const int cause = errno;
    if (fd >= 0)
        close(fd);
    nadi_mem_free(piece);
    nadi_sha256_end(&h, hash);
    return got == 0 || nadi_error(diags, "file/unreadable", NADI_IN_FILE(path), NULL,
                                  "cannot read this file: %s", strerror(cause));
}

bool nadi_file_make_folder(const char *path, struct nadi_diags *diags)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_add(&s, path);
    bool ok = true;
    for (size_t i = 1; ok && i <= s.length; i++) {
        if (s.text[i] != '/' && s.text[i] != '\0')
            continue;
        char kept = s.text[i];
        s.text[i] = '\0';
        ok = mkdir(s.text, 0777) == 0 || errno == EEXIST;
        s.text[i] = kept;
    }
    struct stat about;
    if (!ok)
        nadi_error(diags, "file/unwritable", NADI_IN_FILE(path),
                   "choose a folder that you may write to", "cannot make folder: %s",
                   strerror(errno));
    else if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        ok = nadi_error(diags, "file/not-folder", NADI_IN_FILE(path), "choose another name",
                        "exists and is not a folder");
    nadi_str_release(&s);
    return ok;
}

const char *nadi_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool nadi_file_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

bool nadi_file_is_same(const char *path, const char *other)
{
    struct stat one, two;
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

bool nadi_file_make_parent(const char *path, struct nadi_diags *diags)
{
    const char *slash = strrchr(path, '/');
    struct nadi_str folder = NADI_STR_INIT;
    if (!slash || slash == path)
        return true;
    nadi_str_add_bytes(&folder, path, (size_t)(slash - path));
    const bool ok = nadi_file_make_folder(nadi_str_get(&folder), diags);
    nadi_str_release(&folder);
    return ok;
}
