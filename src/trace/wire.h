/* wire: the protobuf wire format, decoded in place.
 *
 * A message is a run of fields; a field is a varint tag (number << 3 | wire type) and a payload:
 * varint (type 0), 8 bytes (1), length and bytes (2), 4 bytes (5). Types 3 and 4 (groups) do not
 * exist in proto3 and are refused. Everything points into the caller's bytes; nothing is allocated.
 * Varints are at most 10 bytes; bits beyond the 64th are dropped, as protobuf does. */
#ifndef NADI_TRACE_WIRE_H
#define NADI_TRACE_WIRE_H

#include "base/base.h"

struct nadi_wire {
    const uint8_t *at, *end;
};

enum nadi_wire_type {
    NADI_WIRE_VARINT = 0,
    NADI_WIRE_64 = 1,
    NADI_WIRE_BYTES = 2,
    NADI_WIRE_32 = 5,
};

struct nadi_wire_field {
    const uint8_t *at; /* its tag */
    uint32_t number;
    uint32_t type;       /* enum nadi_wire_type */
    uint64_t bits;       /* payload of VARINT, 64 and 32 */
    const uint8_t *data; /* payload of BYTES */
    size_t bytes;
};

enum nadi_wire_result {
    NADI_WIRE_END,
    NADI_WIRE_FIELD,
    NADI_WIRE_BAD_NUMBER, /* field number 0 or beyond 2^29 - 1 */
    NADI_WIRE_BAD_TYPE,
    NADI_WIRE_CUT, /* the message ends inside the field, or a varint has no end */
};

static inline struct nadi_wire nadi_wire_of(const uint8_t *data, size_t bytes)
{
    return (struct nadi_wire){data, data + bytes};
}

static inline bool nadi_wire_varint(struct nadi_wire *w, uint64_t *value)
{
    const uint8_t *p = w->at;
    if (NADI_LIKELY(p < w->end && *p < 0x80)) {
        *value = *p;
        w->at = p + 1;
        return true;
    }
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70 && p < w->end; shift += 7) {
        uint8_t b = *p++;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            *value = v;
            w->at = p;
            return true;
        }
    }
    return false;
}

static inline uint64_t nadi_wire_little_endian(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static inline int64_t nadi_wire_zigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* Reads one field; on any result but FIELD, f->at says where. */
static inline enum nadi_wire_result nadi_wire_next(struct nadi_wire *w, struct nadi_wire_field *f)
{
    uint64_t tag, bytes;
    f->at = w->at;
    if (w->at == w->end)
        return NADI_WIRE_END;
    if (NADI_UNLIKELY(!nadi_wire_varint(w, &tag)))
        return NADI_WIRE_CUT;
    if (NADI_UNLIKELY(tag >> 3 == 0 || tag > UINT32_MAX))
        return NADI_WIRE_BAD_NUMBER;
    f->number = (uint32_t)tag >> 3;
    f->type = (uint32_t)tag & 7;
    switch (f->type) {
    case NADI_WIRE_VARINT:
        return nadi_wire_varint(w, &f->bits) ? NADI_WIRE_FIELD : NADI_WIRE_CUT;
    case NADI_WIRE_BYTES:
        if (!nadi_wire_varint(w, &bytes) || bytes > (uint64_t)(w->end - w->at))
            return NADI_WIRE_CUT;
        f->data = w->at;
        f->bytes = (size_t)bytes;
        w->at += bytes;
        return NADI_WIRE_FIELD;
    case NADI_WIRE_64:
    case NADI_WIRE_32: {
        unsigned width = f->type == NADI_WIRE_64 ? 8 : 4;
        if (w->end - w->at < (ptrdiff_t)width)
            return NADI_WIRE_CUT;
        f->bits = nadi_wire_little_endian(w->at, width);
        w->at += width;
        return NADI_WIRE_FIELD;
    }
    default:
        return NADI_WIRE_BAD_TYPE;
    }
}

#endif
