/* out: bytes and text on their way to a file, through one buffer and, if wished, compression.
 *
 * Numbers and JSON strings are put straight into the buffer: made for tools that write hundreds of
 * megabytes. A file is written beside its place under a temporary name and renamed at the end, so
 * that no reader sees a partial file; standard output and pipes are written in place. Errors are
 * kept and reported once, at the end. The same bytes in give the same bytes out: no times or names
 * are stored. */
#ifndef NADI_FORMAT_OUT_H
#define NADI_FORMAT_OUT_H

#include "base/base.h"
#include "base/diag.h"
#include "base/str.h"

enum nadi_coding {
    NADI_CODING_PLAIN,
    NADI_CODING_GZIP,
    NADI_CODING_ZSTD,
};

/* Compression by the ending of a name: .gz, .zst; plain otherwise. */
enum nadi_coding nadi_coding_of(const char *path);

enum { NADI_OUT_BYTES = 128 * 1024 }; /* of the buffer */

struct nadi_out {
    char *at, *end; /* free part of the buffer */
};

/* "-" is standard output. NULL with an error when the file cannot be made. */
struct nadi_out *nadi_out_open(const char *path, enum nadi_coding coding,
                               struct nadi_diags *diags) NADI_MUST_USE;
/* Appends to `memory`, which must outlive it, when the buffer is full and at the end. Never NULL.
 */
struct nadi_out *nadi_out_memory(struct nadi_str *memory, enum nadi_coding coding) NADI_MUST_USE;

/* Ends the stream and puts the file in its place; false with an error if any write failed. */
bool nadi_out_close(struct nadi_out *out, struct nadi_diags *diags) NADI_MUST_USE;
/* Instead of close: discards the file. NULL is allowed. */
void nadi_out_discard(struct nadi_out *out);

/* Empties the buffer. */
void nadi_out_flush(struct nadi_out *out);

/* At least `bytes` (much below NADI_OUT_BYTES) are free at out->at afterwards. */
static inline void nadi_out_reserve(struct nadi_out *out, size_t bytes)
{
    if (NADI_UNLIKELY((size_t)(out->end - out->at) < bytes))
        nadi_out_flush(out);
}

static inline void nadi_out_char(struct nadi_out *out, char c)
{
    nadi_out_reserve(out, 1);
    *out->at++ = c;
}

/* Any number of bytes. */
void nadi_out_bytes(struct nadi_out *out, const void *data, size_t bytes);

static inline void nadi_out_text(struct nadi_out *out, const char *text)
{
    nadi_out_bytes(out, text, strlen(text));
}

/* A few bytes. */
static inline void nadi_out_short(struct nadi_out *out, const char *text, size_t bytes)
{
    nadi_out_reserve(out, bytes);
    memcpy(out->at, text, bytes);
    out->at += bytes;
}

#define nadi_out_literal(out, literal) nadi_out_short((out), "" literal, sizeof(literal) - 1)

void nadi_out_u64(struct nadi_out *out, uint64_t value);
void nadi_out_i64(struct nadi_out *out, int64_t value);
/* Nanoseconds as microseconds: "12.345", "12.3", "12". */
void nadi_out_micros(struct nadi_out *out, int64_t ns);
void nadi_out_base64(struct nadi_out *out, const void *data, size_t bytes);

enum nadi_json_style {
    NADI_JSON_UTF8,  /* escapes only what must be */
    NADI_JSON_HEX,   /* the same, but \u000a instead of \n, as Kineto has it */
    NADI_JSON_ASCII, /* everything beyond ASCII as \uXXXX */
};

/* A string in quotes. False when it held bytes that are no UTF-8; each became U+FFFD. */
bool nadi_out_json(struct nadi_out *out, const void *text, size_t bytes,
                   enum nadi_json_style style);

#endif
