/* inflate: reads the bytes of a file, decompressed if the content is compressed.
 *
 * gzip (1f 8b, also several members in a row) and zstd (28 b5 2f fd, also several and skippable
 * frames) are recognised by their first bytes, never by the name; other bytes are returned as they
 * are. Bytes are read in pieces, so a file needs no more memory than a window. Damage is diagnosed
 * with the offset in the decompressed stream (place) and in the stored file (text). SHA-256 and
 * size of the stored bytes are computed meanwhile. */
#ifndef NADI_FORMAT_INFLATE_H
#define NADI_FORMAT_INFLATE_H

#include "base/base.h"
#include "base/diag.h"

struct nadi_inflate;

/* A file, a pipe or "-" for standard input. NULL with an error when it cannot be opened. */
struct nadi_inflate *nadi_inflate_open(const char *path, const char *what,
                                       struct nadi_diags *diags) NADI_MUST_USE;
/* Memory that stays the caller's; `path` is for messages only. Never NULL. */
struct nadi_inflate *nadi_inflate_memory(const char *path, const void *data,
                                         size_t bytes) NADI_MUST_USE;
void nadi_inflate_close(struct nadi_inflate *s); /* NULL is allowed */

/* Fills up to `want` bytes; *got is 0 only at the end. False with an error on damage. */
bool nadi_inflate_read(struct nadi_inflate *s, void *buffer, size_t want, size_t *got,
                       struct nadi_diags *diags) NADI_MUST_USE;

/* All of what lies in memory, appended to `out`. */
struct nadi_str;
bool nadi_inflate_all(const char *path, const void *data, size_t bytes, struct nadi_str *out,
                      struct nadi_diags *diags) NADI_MUST_USE;

/* Digest and size of a file as stored, without inflating it; in pieces, with little memory. False
 * when it cannot be read; reading it as a trace reports why. */
bool nadi_inflate_hash_file(const char *path, uint8_t hash[32], uint64_t *stored_bytes);

/* Before the first read: the digest is not wanted. */
void nadi_inflate_skip_digest(struct nadi_inflate *s);

/* Once nadi_inflate_read has reported the end: digest and size of the file as stored. */
void nadi_inflate_digest(struct nadi_inflate *s, uint8_t hash[32], uint64_t *stored_bytes);

#endif
