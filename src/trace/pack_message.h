/* pack_message: one line's object to the bytes of its message. Private to pack. */
#ifndef NADI_TRACE_PACK_MESSAGE_H
#define NADI_TRACE_PACK_MESSAGE_H

#include "base/diag.h"
#include "base/str.h"
#include "format/json_pull.h"

struct nadi_packer {
    const char *path;
    uint32_t line_number;
    const char *line;
    struct nadi_diags *diags;
    struct nadi_str message, attr, list, packed, plain; /* scratch; `message` is the result */
    uint32_t length_bytes; /* of the frame's length; 0: as few as needed */
    bool is_metadata;
};

/* Of a line, behind which a zero stands and NADI_PULL_PAD bytes are readable. False with an error.
 */
bool nadi_pack_message(struct nadi_packer *p, const char *line, size_t bytes) NADI_MUST_USE;
void nadi_packer_release(struct nadi_packer *p);

/* False with an error at a byte of the line. */
bool nadi_pack_fault(struct nadi_packer *p, const char *at, const char *hint, const char *format,
                     ...) NADI_PRINTF(4, 5);

#endif
