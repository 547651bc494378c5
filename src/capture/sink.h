/* sink: text on its way to a file, with what JSON needs.
 *
 * A buffer in front of deflate; long pieces go past it. ".gz" and ".zst" at the end of the path
 * compress; "-" is standard output. Errors come out at the end. */
#ifndef NADI_CAPTURE_SINK_H
#define NADI_CAPTURE_SINK_H

#include "base/base.h"
#include "base/str.h"
#include "format/deflate.h"

enum { NADI_SINK_BYTES = 64 * 1024 };

struct nadi_sink {
    struct nadi_deflate *file;
    size_t filled;
    char buffer[NADI_SINK_BYTES];
};

/* NULL with an error when the file cannot be made. */
struct nadi_sink *nadi_sink_open(const char *path, struct nadi_diags *diags) NADI_MUST_USE;
/* Appends to `out`, which must outlive the sink. Never NULL. */
struct nadi_sink *nadi_sink_memory(struct nadi_str *out) NADI_MUST_USE;
/* The same, packed with zstd. */
struct nadi_sink *nadi_sink_packed(struct nadi_str *out) NADI_MUST_USE;
bool nadi_sink_close(struct nadi_sink *s, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_sink_discard(struct nadi_sink *s); /* instead of close; NULL is allowed */

void nadi_sink_bytes(struct nadi_sink *s, const void *data, size_t bytes);
void nadi_sink_text(struct nadi_sink *s, const char *text);
void nadi_sink_u64(struct nadi_sink *s, uint64_t number);
void nadi_sink_i64(struct nadi_sink *s, int64_t number);
/* Nanoseconds as microseconds: "12.345", "12.3", "12". */
void nadi_sink_micros(struct nadi_sink *s, int64_t ns);
/* With quotes and escapes. */
void nadi_sink_string(struct nadi_sink *s, const char *text, size_t bytes);
/* JSON as a capture has it, which may hold NaN, -inf and the like: they become null. */
void nadi_sink_json(struct nadi_sink *s, const char *text, size_t bytes);

#define NADI_SINK_LITERAL(s, literal) nadi_sink_bytes((s), "" literal, sizeof(literal) - 1)

#endif
