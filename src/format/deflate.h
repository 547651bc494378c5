/* deflate: bytes on their way to a file or to memory, compressed if wished; inflate's counterpart.
 *
 * A file is written under a temporary name beside its own and renamed at the end, so that no reader
 * sees half of it; what cannot be renamed (standard output, a pipe) is written in place. Errors are
 * kept and reported once, at the end. The same bytes in give the same bytes out: no times or names
 * are stored. */
#ifndef NADI_FORMAT_DEFLATE_H
#define NADI_FORMAT_DEFLATE_H

#include "base/base.h"
#include "base/diag.h"
#include "base/str.h"

enum nadi_coding {
    NADI_CODING_PLAIN,
    NADI_CODING_GZIP,
    NADI_CODING_ZSTD,
};

/* What a name asks for: .gz, .zst; plain otherwise. */
enum nadi_coding nadi_coding_of(const char *path);

struct nadi_deflate;

/* "-" is standard output. NULL with an error when the file cannot be made. */
struct nadi_deflate *nadi_deflate_open(const char *path, enum nadi_coding coding,
                                       struct nadi_diags *diags) NADI_MUST_USE;
/* Appends to `out`, which must outlive the sink. Never NULL. */
struct nadi_deflate *nadi_deflate_memory(struct nadi_str *out,
                                         enum nadi_coding coding) NADI_MUST_USE;

void nadi_deflate_write(struct nadi_deflate *s, const void *data, size_t bytes);

/* Ends the stream and puts the file in its place; false with an error if any write failed. */
bool nadi_deflate_close(struct nadi_deflate *s, struct nadi_diags *diags) NADI_MUST_USE;
/* Instead of close: leaves no file. NULL is allowed. */
void nadi_deflate_discard(struct nadi_deflate *s);

#endif
