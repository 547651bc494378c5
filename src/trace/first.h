/* first: the first message of a trace, which must be a GlobalMetadata.
 *
 * Anything else is named: an empty file, a node without metadata, an old schema, a file that is no
 * trace at all (JSON, a zip archive, compressed twice ...). */
#ifndef NADI_TRACE_FIRST_H
#define NADI_TRACE_FIRST_H

#include "base/base.h"
#include "trace/decode.h"
#include "trace/frames.h"

/* Reads the first message of freshly begun frames. On true *message and *raw are valid until the
 * next frame; false with one error. */
bool nadi_first_read(struct nadi_frames *f, struct nadi_frame *message,
                     struct nadi_raw_metadata *raw, struct nadi_diags *diags) NADI_MUST_USE;
/* What a file that is no trace is, by its beginning in the window: a remedy. */
const char *nadi_first_guess(const struct nadi_frames *f);
/* Is the schema that metadata name one that is read? False with an error in the message's diags. */
bool nadi_first_accept(const struct nadi_frame *m,
                       const struct nadi_raw_metadata *raw) NADI_MUST_USE;

#endif
