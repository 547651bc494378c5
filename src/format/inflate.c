#include "format/inflate.h"

#include "base/file.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/originals.h"
#include "base/sha256.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { PIECE_BYTES = 64 * 1024 };

enum coding {
    CODING_UNKNOWN, /* nothing read yet */
    CODING_PLAIN,
    CODING_GZIP,
    CODING_ZSTD,
};

struct nadi_inflate {
    const char *path;
    int fd; /* -1: memory */
    bool close_fd;
    uint8_t *piece;                  /* buffer for the stored bytes of a file */
    const uint8_t *at, *end;         /* stored bytes not yet consumed */
    const uint8_t *memory;           /* the rest of the memory that was given */
    size_t memory_left;              /* not yet handed to at..end */
    bool stored_end;                 /* nothing more to come after at..end */
    uint64_t stored_bytes, inflated; /* so far */
    enum coding coding;
    bool in_member; /* gzip, zstd: inside a member or frame */
    bool has_gzip;
    z_stream gzip;
    ZSTD_DStream *zstd;
    bool no_digest;
    struct nadi_sha256 digest;
    struct nadi_hold *hold; /* of what is not memory of ours */
};

static void let_go(void *stream)
{
    struct nadi_inflate *s = stream;
    if (s->has_gzip)
        inflateEnd(&s->gzip);
    ZSTD_freeDStream(s->zstd);
    if (s->close_fd)
        close(s->fd);
}

static struct nadi_inflate *create(const char *path)
{
    struct nadi_inflate *s = NADI_ZNEW(struct nadi_inflate, 1);
    s->path = path;
    s->fd = -1;
    s->hold = nadi_hold(s, let_go);
    nadi_sha256_begin(&s->digest);
    return s;
}

void nadi_inflate_skip_digest(struct nadi_inflate *s)
{
    s->no_digest = true;
}

struct nadi_inflate *nadi_inflate_memory(const char *path, const void *data, size_t bytes)
{
    struct nadi_inflate *s = create(path);
    s->memory = data;
    s->memory_left = bytes;
    return s;
}

struct nadi_inflate *nadi_inflate_open(const char *path, const char *what, struct nadi_diags *diags)
{
    struct nadi_inflate *s = create(path);
    s->piece = NADI_NEW(uint8_t, PIECE_BYTES);
    s->at = s->end = s->piece;
    bool standard_input = strcmp(path, "-") == 0;
    int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        bool missing = errno == ENOENT;
        nadi_error(diags, missing ? "file/missing" : "file/unreadable", NADI_IN_FILE(path),
                   missing ? "check the path; relative paths start at the current folder"
                           : "check the permissions of the file and its folders",
                   "cannot open %s: %s", what, strerror(errno));
        nadi_inflate_close(s);
        return NULL;
    }
    s->fd = fd;
    s->close_fd = !standard_input;
    struct stat about;
    const bool known = fstat(fd, &about) == 0, folder = known && S_ISDIR(about.st_mode);
    if (folder || (known && !standard_input && nadi_file_is_device(&about))) {
        nadi_error(diags, folder ? "file/is-folder" : "file/unreadable", NADI_IN_FILE(path),
                   folder ? "name a file inside it" : "name a regular file",
                   "a %s was given where %s %s is wanted", folder ? "folder" : "device",
                   nadi_str_article(what), what);
        nadi_inflate_close(s);
        return NULL;
    }
    if (known)
        nadi_originals_read(&about);
    return s;
}

void nadi_inflate_close(struct nadi_inflate *s)
{
    if (!s)
        return;
    nadi_unhold(s->hold);
    let_go(s);
    nadi_mem_free(s->piece);
    nadi_mem_free(s);
}

static void account(struct nadi_inflate *s, const void *data, size_t bytes)
{
    s->stored_bytes += bytes;
    if (s->no_digest)
        return;
    nadi_sha256_add(&s->digest, data, bytes);
}

/* Up to `want` stored bytes from the file into `to`; 0 at the end. */
static bool read_file(struct nadi_inflate *s, void *to, size_t want, size_t *got,
                      struct nadi_diags *diags)
{
    for (;;) {
        ssize_t n = read(s->fd, to, want);
        if (n >= 0) {
            *got = (size_t)n;
            account(s, to, *got);
            return true;
        }
        if (errno != EINTR)
            return nadi_error(diags, "file/unreadable", NADI_IN_FILE(s->path), NULL,
                              "cannot read trace after byte %" PRIu64 ": %s", s->stored_bytes,
                              strerror(errno));
    }
}

/* Makes at..end non-empty unless the stored bytes have ended. */
static bool refill(struct nadi_inflate *s, struct nadi_diags *diags)
{
    if (s->at < s->end || s->stored_end)
        return true;
    size_t got = 0;
    if (s->fd >= 0) {
        if (!read_file(s, s->piece, PIECE_BYTES, &got, diags))
            return false;
        s->at = s->piece;
    } else {
        got = (size_t)nadi_min_u64(s->memory_left, PIECE_BYTES);
        s->at = s->memory;
        if (got) {
            account(s, s->memory, got);
            s->memory += got;
            s->memory_left -= got;
        }
    }
    s->end = got ? s->at + got : s->at;
    s->stored_end = got == 0;
    return true;
}

/* A pipe may hand out one byte at a time: collect enough to see the magic number. */
static bool collect_magic(struct nadi_inflate *s, struct nadi_diags *diags)
{
    if (!refill(s, diags))
        return false;
    while (s->fd >= 0 && s->end - s->at < 4 && !s->stored_end) {
        size_t have = (size_t)(s->end - s->at), got;
        if (!read_file(s, s->piece + have, PIECE_BYTES - have, &got, diags))
            return false;
        s->end += got;
        s->stored_end = got == 0;
    }
    return true;
}

static bool recognise(struct nadi_inflate *s, struct nadi_diags *diags)
{
    if (!collect_magic(s, diags))
        return false;
    size_t have = (size_t)(s->end - s->at);
    s->coding = CODING_PLAIN;
    if (have >= 2 && s->at[0] == 0x1f && s->at[1] == 0x8b) {
        s->coding = CODING_GZIP;
        if (inflateInit2(&s->gzip, 15 + 16) != Z_OK)
            nadi_mem_lacking("zlib");
        s->has_gzip = true;
        s->in_member = true;
    } else if (have >= 4 && memcmp(s->at, "\x28\xb5\x2f\xfd", 4) == 0) {
        s->coding = CODING_ZSTD;
        s->zstd = ZSTD_createDStream();
        if (!s->zstd)
            nadi_mem_lacking("zstd");
        s->in_member = true;
    }
    return true;
}

static bool damaged(struct nadi_inflate *s, const char *code, const char *reason,
                    struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(s->path);
    place.offset = s->inflated;
    return nadi_error(diags, code, place, "copy or compress the file again; nothing of it was used",
                      "damaged %s data near stored byte %" PRIu64 ": %s",
                      s->coding == CODING_GZIP ? "gzip" : "zstd",
                      s->stored_bytes - (uint64_t)(s->end - s->at), reason);
}

/* Between gzip members: another one, padding of zeros, or the end. */
static bool next_member(struct nadi_inflate *s, struct nadi_diags *diags)
{
    while (s->at < s->end && *s->at == 0)
        s->at++;
    if (s->at == s->end)
        return true;
    if (*s->at != 0x1f)
        return damaged(s, "trace/damaged-gzip", "bytes after the end that are no gzip member",
                       diags);
    if (inflateReset(&s->gzip) != Z_OK)
        NADI_BUG("zlib cannot start again");
    s->in_member = true;
    return true;
}

static bool gunzip(struct nadi_inflate *s, uint8_t *to, size_t want, size_t *got,
                   struct nadi_diags *diags)
{
    if (!s->in_member)
        return next_member(s, diags);
    s->gzip.next_in = s->at;
    s->gzip.avail_in = (uInt)(s->end - s->at);
    s->gzip.next_out = to;
    s->gzip.avail_out = (uInt)want;
    int result = inflate(&s->gzip, Z_NO_FLUSH);
    s->at = s->gzip.next_in;
    *got = want - s->gzip.avail_out;
    s->inflated += *got;
    if (result == Z_MEM_ERROR)
        nadi_mem_lacking("zlib");
    if (result == Z_STREAM_END)
        s->in_member = false;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        return damaged(s, "trace/damaged-gzip", s->gzip.msg ? s->gzip.msg : "no gzip stream",
                       diags);
    return true;
}

static bool unzstd(struct nadi_inflate *s, uint8_t *to, size_t want, size_t *got,
                   struct nadi_diags *diags)
{
    if (!s->in_member && s->at == s->end)
        return true;
    ZSTD_inBuffer in = {s->at, (size_t)(s->end - s->at), 0};
    ZSTD_outBuffer out = {to, want, 0};
    size_t result = ZSTD_decompressStream(s->zstd, &out, &in);
    s->at += in.pos;
    *got = out.pos;
    s->inflated += out.pos;
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        nadi_mem_lacking("zstd");
    if (ZSTD_isError(result))
        return damaged(s, "trace/damaged-zstd", ZSTD_getErrorName(result), diags);
    s->in_member = result != 0;
    return true;
}

static bool plain(struct nadi_inflate *s, uint8_t *to, size_t want, size_t *got,
                  struct nadi_diags *diags)
{
    if (s->at == s->end && s->fd >= 0 && !s->stored_end) {
        if (!read_file(s, to, want, got, diags))
            return false;
        s->stored_end = *got == 0;
        return true;
    }
    if (!refill(s, diags))
        return false;
    *got = (size_t)nadi_min_u64((uint64_t)(s->end - s->at), want);
    if (*got) {
        memcpy(to, s->at, *got);
        s->at += *got;
    }
    return true;
}

bool nadi_inflate_read(struct nadi_inflate *s, void *buffer, size_t want, size_t *got,
                       struct nadi_diags *diags)
{
    *got = 0;
    if (s->coding == CODING_UNKNOWN && !recognise(s, diags))
        return false;
    want = (size_t)nadi_min_u64(want, 1u << 30);
    if (s->coding == CODING_PLAIN)
        return plain(s, buffer, want, got, diags);
    bool gzip = s->coding == CODING_GZIP;
    while (*got == 0) {
        if (!refill(s, diags))
            return false;
        if (!(gzip ? gunzip : unzstd)(s, buffer, want, got, diags))
            return false;
        if (*got == 0 && s->at == s->end && s->stored_end) {
            if (s->in_member)
                return damaged(s, gzip ? "trace/damaged-gzip" : "trace/damaged-zstd",
                               "the file ends inside the compressed data", diags);
            return true;
        }
    }
    return true;
}

void nadi_inflate_digest(struct nadi_inflate *s, uint8_t hash[32], uint64_t *stored_bytes)
{
    NADI_ASSERT(!s->no_digest);
    nadi_sha256_end(&s->digest, hash);
    *stored_bytes = s->stored_bytes;
}

bool nadi_inflate_all(const char *path, const void *data, size_t bytes, struct nadi_str *out,
                      struct nadi_diags *diags)
{
    enum { PIECE = 65536 };
    struct nadi_inflate *s = nadi_inflate_memory(path, data, bytes);
    char *buffer = NADI_NEW(char, PIECE);
    size_t got = 0;
    bool ok;
    nadi_inflate_skip_digest(s);
    while ((ok = nadi_inflate_read(s, buffer, PIECE, &got, diags)) && got)
        nadi_str_add_bytes(out, buffer, got);
    nadi_mem_free(buffer);
    nadi_inflate_close(s);
    return ok;
}

bool nadi_inflate_hash_file(const char *path, uint8_t hash[32], uint64_t *stored_bytes)
{
    struct nadi_diags ignored;
    size_t got = 0;
    nadi_diags_init(&ignored);
    struct nadi_inflate *s = nadi_inflate_open(path, "trace", &ignored);
    bool ok = s != NULL;
    do
        ok = ok && read_file(s, s->piece, PIECE_BYTES, &got, &ignored);
    while (ok && got);
    if (ok)
        nadi_inflate_digest(s, hash, stored_bytes);
    nadi_inflate_close(s);
    nadi_diags_release(&ignored);
    return ok;
}
