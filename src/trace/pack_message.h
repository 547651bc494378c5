/* pack_message: one line's object to the bytes of its message. Private to pack. */
#ifndef NADI_TRACE_PACK_MESSAGE_H
#define NADI_TRACE_PACK_MESSAGE_H

#include "base/diag.h"
#include "base/str.h"
#include "format/json_line.h"

struct nadi_packer {
    const char *path;
    uint32_t line_number;
    struct nadi_json_line line;
    struct nadi_diags *diags;
    struct nadi_str message, attr, list, packed; /* scratch; `message` is the result */
    uint32_t length_bytes;                       /* of the frame's length; 0: as few as needed */
    bool is_metadata;
};

/* Of the line that was parsed. False with an error. */
bool nadi_pack_message(struct nadi_packer *p) NADI_MUST_USE;
void nadi_packer_release(struct nadi_packer *p);

/* False with an error at a column of the line. */
bool nadi_pack_fault(struct nadi_packer *p, uint32_t column, const char *hint, const char *format,
                     ...) NADI_PRINTF(4, 5);

#endif
