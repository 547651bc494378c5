/* wire: the protobuf wire format, decoded in place and encoded to the end of a nadi_str. It does
 * not know the messages.
 *
 * A message is a run of fields; a field is a varint tag (number << 3 | wire type) and a payload:
 * varint (type 0), 8 bytes (1), length and bytes (2), 4 bytes (5). Types 3 and 4 (groups) do not
 * exist in proto3 and are refused. Decoded fields point into the caller's bytes; nothing is
 * allocated. Varints are at most 10 bytes; bits beyond the 64th are dropped, as protobuf does.
 * Encoded numbers and lengths are as short as possible. */
#ifndef NADI_FORMAT_WIRE_H
#define NADI_FORMAT_WIRE_H

#include "base/mem.h"
#include "base/str.h"

struct nadi_wire_cursor {
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

static inline struct nadi_wire_cursor nadi_wire_of(const uint8_t *data, size_t bytes)
{
    return (struct nadi_wire_cursor){data, data + bytes};
}

/* Over what a field of BYTES carries; another field carries nothing that way. */
static inline struct nadi_wire_cursor nadi_wire_within(const struct nadi_wire_field *f)
{
    return f->type == NADI_WIRE_BYTES ? nadi_wire_of(f->data, f->bytes)
                                      : (struct nadi_wire_cursor){f->at, f->at};
}

static inline bool nadi_wire_varint(struct nadi_wire_cursor *w, uint64_t *value)
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

static inline uint64_t nadi_wire_to_zigzag(uint64_t v)
{
    return v << 1 ^ (uint64_t)((int64_t)v >> 63);
}

/* Reads one field; on any result but FIELD, f->at is the place. */
static inline enum nadi_wire_result nadi_wire_next(struct nadi_wire_cursor *w,
                                                   struct nadi_wire_field *f)
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

/* --- encoding --- */

enum { NADI_VARINT_MOST = 10 };

static inline size_t nadi_varint_size(uint64_t value)
{
    return 1 + (size_t)(63 - __builtin_clzll(value | 1)) / 7;
}

/* Returns the number of bytes written. */
static inline size_t nadi_varint_put(char to[NADI_VARINT_MOST], uint64_t value)
{
    size_t count = 0;
    while (value >= 0x80) {
        to[count++] = (char)(value | 0x80);
        value >>= 7;
    }
    to[count++] = (char)value;
    return count;
}

/* The end of the text, with room for this many bytes and the terminator. */
static inline char *nadi_wire_room(struct nadi_str *out, size_t bytes)
{
    if (NADI_UNLIKELY(bytes >= out->capacity - out->length))
        out->text = nadi_mem_grow(out->text, &out->capacity, out->length + bytes + 1, 1);
    return out->text + out->length;
}

/* This many bytes were written there. */
static inline void nadi_wire_advance(struct nadi_str *out, size_t bytes)
{
    out->length += bytes;
    out->text[out->length] = '\0';
}

static inline void nadi_wire_add(struct nadi_str *out, const void *data, size_t bytes)
{
    char *to = nadi_wire_room(out, bytes);
    if (bytes)
        memcpy(to, data, bytes);
    nadi_wire_advance(out, bytes);
}

static inline void nadi_wire_add_varint(struct nadi_str *out, uint64_t value)
{
    nadi_wire_advance(out, nadi_varint_put(nadi_wire_room(out, NADI_VARINT_MOST), value));
}

static inline void nadi_wire_add_tag(struct nadi_str *out, uint32_t number, uint32_t type)
{
    nadi_wire_add_varint(out, (uint64_t)number << 3 | type);
}

static inline void nadi_wire_add_number(struct nadi_str *out, uint32_t number, uint64_t value)
{
    nadi_wire_add_tag(out, number, NADI_WIRE_VARINT);
    nadi_wire_add_varint(out, value);
}

/* Without a tag. */
static inline void nadi_wire_add_fixed(struct nadi_str *out, uint64_t bits, unsigned bytes)
{
    char *to = nadi_wire_room(out, bytes);
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (char)(bits >> (8 * i));
    nadi_wire_advance(out, bytes);
}

static inline void nadi_wire_add_bytes(struct nadi_str *out, uint32_t number, const void *data,
                                       size_t bytes)
{
    nadi_wire_add_tag(out, number, NADI_WIRE_BYTES);
    nadi_wire_add_varint(out, bytes);
    nadi_wire_add(out, data, bytes);
}

static inline void nadi_wire_add_text(struct nadi_str *out, uint32_t number, const char *text)
{
    nadi_wire_add_bytes(out, number, text, strlen(text));
}

static inline void nadi_wire_add_message(struct nadi_str *out, uint32_t number,
                                         const struct nadi_str *message)
{
    nadi_wire_add_bytes(out, number, message->text, message->length);
}

/* A repeated uint64, packed; nothing when there is none. */
static inline void nadi_wire_add_packed(struct nadi_str *out, uint32_t number,
                                        const uint64_t *values, size_t count)
{
    size_t bytes = 0;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        bytes += nadi_varint_size(values[i]);
    nadi_wire_add_tag(out, number, NADI_WIRE_BYTES);
    nadi_wire_add_varint(out, bytes);
    for (size_t i = 0; i < count; i++)
        nadi_wire_add_varint(out, values[i]);
}

#endif
