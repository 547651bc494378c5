/* pack: JSON lines, as show.h writes them, back to a trace.
 *
 * The bytes of a message are those of "raw" where there is one, else the canonical encoding of the
 * other keys, in any order. Errors name the line and column; nothing is written as a trace then.
 * Streaming: memory is the longest line. O(bytes). Chakra's feeder has a JSON of its own, which is
 * read too (pack_graph.h). */
#ifndef NADI_TRACE_PACK_H
#define NADI_TRACE_PACK_H

#include "base/base.h"
#include "base/diag.h"
#include "format/out.h"

/* Reads a file ("-": standard input; gzip and zstd by content) and writes to the sink, which stays
 * the caller's: on false, with an error, it is to be discarded. */
bool nadi_pack(const char *path, struct nadi_out *sink, struct nadi_diags *diags) NADI_MUST_USE;
/* The same from memory: for tests. */
bool nadi_pack_memory(const char *path, const void *data, size_t bytes, struct nadi_out *sink,
                      struct nadi_diags *diags) NADI_MUST_USE;

#endif
