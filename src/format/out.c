#include "format/out.h"

#include "base/file.h"
#include "base/guard.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/originals.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    STORED_BYTES = 128 * 1024,
    GZIP_LEVEL = 6,
    ZSTD_LEVEL = 3,
};

struct stream {
    struct nadi_out out;     /* first: callers hold a pointer to it */
    struct nadi_str *memory; /* NULL: a file */
    char *path, *temporary;  /* temporary NULL: written in place */
    int fd;
    int cause; /* errno of the first failed write, 0 while all is well */
    enum nadi_coding coding;
    z_stream gzip;
    ZSTD_CStream *zstd;
    struct nadi_hold *hold; /* of what is not memory of ours, until it is let go of */
    char *buffer;
    uint8_t *stored; /* compressed bytes, of STORED_BYTES; NULL when plain */
    size_t filled;   /* of them */
};

/* Leaves nothing of a file that was not finished. */
static void let_go(void *context)
{
    struct stream *s = context;
    if (s->fd >= 0)
        close(s->fd);
    if (s->temporary)
        unlink(s->temporary);
    if (s->coding == NADI_CODING_GZIP)
        deflateEnd(&s->gzip);
    ZSTD_freeCStream(s->zstd);
}

enum nadi_coding nadi_coding_of(const char *path)
{
    return nadi_str_ends(path, ".gz")    ? NADI_CODING_GZIP
           : nadi_str_ends(path, ".zst") ? NADI_CODING_ZSTD
                                         : NADI_CODING_PLAIN;
}

static void write_out(struct stream *s, const void *data, size_t left)
{
    const char *p = data;
    if (s->memory) {
        nadi_str_add_bytes(s->memory, p, left);
        return;
    }
    while (left && !s->cause) {
        ssize_t done = write(s->fd, p, left);
        if (done < 0) {
            s->cause = errno == EINTR ? 0 : errno;
            continue;
        }
        p += done;
        left -= (size_t)done;
    }
}

static struct stream *create(enum nadi_coding coding)
{
    struct stream *s = NADI_ZNEW(struct stream, 1);
    s->fd = -1;
    s->hold = nadi_hold(s, let_go);
    s->buffer = NADI_NEW(char, NADI_OUT_BYTES);
    s->out = (struct nadi_out){s->buffer, s->buffer + NADI_OUT_BYTES};
    if (coding != NADI_CODING_PLAIN)
        s->stored = NADI_NEW(uint8_t, STORED_BYTES);
    s->coding = coding;
    if (coding == NADI_CODING_GZIP &&
        deflateInit2(&s->gzip, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        nadi_mem_lacking("zlib");
    if (coding == NADI_CODING_ZSTD) {
        s->zstd = ZSTD_createCStream();
        if (!s->zstd)
            nadi_mem_lacking("zstd");
        if (ZSTD_isError(ZSTD_initCStream(s->zstd, ZSTD_LEVEL)) ||
            ZSTD_isError(ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1)))
            NADI_BUG("zstd cannot start");
    }
    return s;
}

struct nadi_out *nadi_out_memory(struct nadi_str *memory, enum nadi_coding coding)
{
    struct stream *s = create(coding);
    s->memory = memory;
    return &s->out;
}

static bool cannot_write(const char *path, int cause, struct nadi_diags *diags)
{
    return nadi_error(diags, "file/unwritable", NADI_IN_FILE(path),
                      "check that the folder exists, is writable and has free space",
                      "cannot write: %s", strerror(cause));
}

struct nadi_out *nadi_out_open(const char *path, enum nadi_coding coding, struct nadi_diags *diags)
{
    struct nadi_str temporary = NADI_STR_INIT;
    const bool standard_output = strcmp(path, "-") == 0;
    const bool in_place = standard_output || nadi_file_is_special(path);
    struct stream *s = create(coding);
    s->path = nadi_file_behind(path);
    nadi_str_printf(&temporary, in_place ? "%s" : "%s" NADI_FILE_PART, s->path);
    if (!standard_output && (!nadi_originals_spare(path, diags) ||
                             (!in_place && !nadi_originals_spare(temporary.text, diags)))) {
        nadi_str_release(&temporary);
        nadi_out_discard(&s->out);
        return NULL;
    }
    s->fd = standard_output
                ? dup(STDOUT_FILENO)
                : open(nadi_str_get(&temporary), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const int cause = errno;
    if (s->fd < 0 || in_place)
        nadi_str_release(&temporary);
    s->temporary = temporary.text;
    if (s->fd >= 0)
        return &s->out;
    cannot_write(path, cause, diags);
    nadi_out_discard(&s->out);
    return NULL;
}

static void write_stored(struct stream *s)
{
    write_out(s, s->stored, s->filled);
    s->filled = 0;
}

static void write_gzip(struct stream *s, const uint8_t *data, size_t bytes, int flush)
{
    int result = Z_OK;
    s->gzip.next_in = data;
    do {
        size_t piece = (size_t)nadi_min_u64(bytes, 1u << 30);
        s->gzip.avail_in = (uInt)piece;
        bytes -= piece;
        do {
            s->gzip.next_out = s->stored + s->filled;
            s->gzip.avail_out = (uInt)(STORED_BYTES - s->filled);
            result = deflate(&s->gzip, bytes ? Z_NO_FLUSH : flush);
            NADI_ASSERT(result != Z_STREAM_ERROR);
            s->filled = STORED_BYTES - s->gzip.avail_out;
            if (s->filled == STORED_BYTES)
                write_stored(s);
        } while (s->gzip.avail_in || (flush == Z_FINISH && !bytes && result != Z_STREAM_END));
    } while (bytes);
}

static void write_zstd(struct stream *s, const uint8_t *data, size_t bytes, ZSTD_EndDirective mode)
{
    ZSTD_inBuffer in = {data, bytes, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {s->stored, STORED_BYTES, s->filled};
        left = ZSTD_compressStream2(s->zstd, &out, &in, mode);
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            nadi_mem_lacking("zstd");
        if (ZSTD_isError(left))
            NADI_BUG("zstd cannot compress: %s", ZSTD_getErrorName(left));
        s->filled = out.pos;
        if (s->filled == STORED_BYTES)
            write_stored(s);
    } while (in.pos < in.size || (mode == ZSTD_e_end && left));
}

static void write_bytes(struct stream *s, const void *data, size_t bytes)
{
    if (bytes == 0 || s->cause)
        return;
    switch (s->coding) {
    case NADI_CODING_PLAIN:
        write_out(s, data, bytes);
        break;
    case NADI_CODING_GZIP:
        write_gzip(s, data, bytes, Z_NO_FLUSH);
        break;
    case NADI_CODING_ZSTD:
        write_zstd(s, data, bytes, ZSTD_e_continue);
        break;
    }
}

void nadi_out_flush(struct nadi_out *out)
{
    struct stream *s = (struct stream *)out;
    (void)nadi_guard_look();
    write_bytes(s, s->buffer, (size_t)(out->at - s->buffer));
    out->at = s->buffer;
}

void nadi_out_bytes(struct nadi_out *out, const void *data, size_t bytes)
{
    if (NADI_UNLIKELY(bytes > (size_t)(out->end - out->at))) {
        nadi_out_flush(out);
        if (bytes >= NADI_OUT_BYTES / 2) {
            write_bytes((struct stream *)out, data, bytes);
            return;
        }
    }
    if (bytes) /* an empty text may have no address */
        memcpy(out->at, data, bytes);
    out->at += bytes;
}

static void destroy(struct stream *s)
{
    nadi_unhold(s->hold);
    let_go(s);
    nadi_mem_free(s->path);
    nadi_mem_free(s->temporary);
    nadi_mem_free(s->buffer);
    nadi_mem_free(s->stored);
    nadi_mem_free(s);
}

bool nadi_out_close(struct nadi_out *out, struct nadi_diags *diags)
{
    struct stream *s = (struct stream *)out;
    nadi_out_flush(out);
    if (s->coding == NADI_CODING_GZIP)
        write_gzip(s, NULL, 0, Z_FINISH);
    else if (s->coding == NADI_CODING_ZSTD)
        write_zstd(s, NULL, 0, ZSTD_e_end);
    write_stored(s);
    bool ok = true;
    if (!s->memory) {
        if (s->temporary)
            nadi_originals_written(s->fd);
        if (close(s->fd) != 0 && !s->cause)
            s->cause = errno;
        s->fd = -1;
        if (!s->cause && s->temporary && rename(s->temporary, s->path) != 0)
            s->cause = errno;
        if (s->cause)
            ok = cannot_write(s->path, s->cause, diags);
        else {
            nadi_mem_free(s->temporary);
            s->temporary = NULL;
        }
    }
    destroy(s);
    return ok;
}

void nadi_out_discard(struct nadi_out *out)
{
    if (out)
        destroy((struct stream *)out);
}
