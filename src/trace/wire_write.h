/* wire_write: the protobuf wire format, written; the counterpart of wire.h. Numbers and lengths are
 * as short as possible. */
#ifndef NADI_TRACE_WIRE_WRITE_H
#define NADI_TRACE_WIRE_WRITE_H

#include "base/str.h"
#include "trace/wire.h"

enum { NADI_VARINT_MOST = 10 };

/* Returns the number of bytes written. */
static inline size_t nadi_varint_put(uint8_t to[NADI_VARINT_MOST], uint64_t value)
{
    size_t count = 0;
    while (value >= 0x80) {
        to[count++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    to[count++] = (uint8_t)value;
    return count;
}

static inline void nadi_wire_add_varint(struct nadi_str *out, uint64_t value)
{
    uint8_t bytes[NADI_VARINT_MOST];
    nadi_str_add_bytes(out, bytes, nadi_varint_put(bytes, value));
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

static inline void nadi_wire_add_fixed(struct nadi_str *out, uint64_t bits, unsigned bytes)
{
    uint8_t little[8];
    for (unsigned i = 0; i < bytes; i++)
        little[i] = (uint8_t)(bits >> (8 * i));
    nadi_str_add_bytes(out, little, bytes);
}

static inline void nadi_wire_add_bytes(struct nadi_str *out, uint32_t number, const void *data,
                                       size_t bytes)
{
    nadi_wire_add_tag(out, number, NADI_WIRE_BYTES);
    nadi_wire_add_varint(out, bytes);
    nadi_str_add_bytes(out, data, bytes);
}

static inline void nadi_wire_add_text(struct nadi_str *out, uint32_t number, const char *text)
{
    nadi_wire_add_bytes(out, number, text, strlen(text));
}

/* A repeated uint64, packed; nothing when there is none. */
static inline void nadi_wire_add_packed(struct nadi_str *out, uint32_t number,
                                        const uint64_t *values, size_t count)
{
    uint8_t digits[NADI_VARINT_MOST];
    size_t bytes = 0;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        bytes += nadi_varint_put(digits, values[i]);
    nadi_wire_add_tag(out, number, NADI_WIRE_BYTES);
    nadi_wire_add_varint(out, bytes);
    for (size_t i = 0; i < count; i++)
        nadi_wire_add_varint(out, values[i]);
}

#endif
