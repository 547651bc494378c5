/* encode: protobuf messages written straight into a growing buffer.
 *
 * The importer writes millions of nodes whose fields it knows beforehand; building message trees
 * for them would cost more than all the rest. Field numbers are those of chakra.proto. */
#ifndef NADI_CAPTURE_ENCODE_H
#define NADI_CAPTURE_ENCODE_H

#include "base/mem.h"

struct nadi_bytes {
    char *items;
    size_t count, capacity;
};

enum { NADI_VARINT_BYTES = 10 };

enum nadi_node_field { /* and its wire type: << 3 | type */
                       NADI_FIELD_ID = 1 << 3,
                       NADI_FIELD_NAME = 2 << 3 | 2,
                       NADI_FIELD_TYPE = 3 << 3,
                       NADI_FIELD_CTRL_DEPS = 4 << 3 | 2,
                       NADI_FIELD_DATA_DEPS = 5 << 3 | 2,
                       NADI_FIELD_START = 6 << 3,
                       NADI_FIELD_DURATION = 7 << 3,
                       NADI_FIELD_INPUTS = 8 << 3 | 2,
                       NADI_FIELD_OUTPUTS = 9 << 3 | 2,
                       NADI_FIELD_ATTR = 10 << 3 | 2,
};

enum nadi_value_field { /* members of an attribute */
                        NADI_VALUE_INT32 = 7 << 3,
                        NADI_VALUE_INT64 = 9 << 3,
                        NADI_VALUE_UINT64 = 13 << 3,
                        NADI_VALUE_BOOL = 27 << 3,
                        NADI_VALUE_TEXT = 29 << 3 | 2,
};

static inline size_t nadi_varint_size(uint64_t v)
{
    return 1 + (size_t)(63 - __builtin_clzll(v | 1)) / 7;
}

/* At least NADI_VARINT_BYTES of room must be there. */
static inline char *nadi_varint_put(char *to, uint64_t v)
{
    while (v >= 0x80) {
        *to++ = (char)(v | 0x80);
        v >>= 7;
    }
    *to++ = (char)v;
    return to;
}

static inline void nadi_bytes_reserve(struct nadi_bytes *b, size_t more)
{
    if (NADI_UNLIKELY(more > b->capacity - b->count))
        b->items = (char *)nadi_mem_grow(b->items, &b->capacity, b->count + more, 1);
}

static inline void nadi_bytes_add(struct nadi_bytes *b, const void *data, size_t bytes)
{
    nadi_bytes_reserve(b, bytes);
    if (bytes)
        memcpy(b->items + b->count, data, bytes);
    b->count += bytes;
}

static inline void nadi_bytes_varint(struct nadi_bytes *b, uint64_t v)
{
    nadi_bytes_reserve(b, NADI_VARINT_BYTES);
    b->count = (size_t)(nadi_varint_put(b->items + b->count, v) - b->items);
}

/* A number field of a node; zero is left out, as proto3 does. */
static inline void nadi_encode_number(struct nadi_bytes *b, enum nadi_node_field field, uint64_t v)
{
    if (!v)
        return;
    nadi_bytes_varint(b, (uint64_t)field);
    nadi_bytes_varint(b, v);
}

/* A text or message field. */
static inline void nadi_encode_bytes(struct nadi_bytes *b, unsigned field, const void *data,
                                     size_t bytes)
{
    nadi_bytes_varint(b, field);
    nadi_bytes_varint(b, bytes);
    nadi_bytes_add(b, data, bytes);
}

/* attr { name, member: bits } */
static inline void nadi_encode_attr(struct nadi_bytes *b, const char *name,
                                    enum nadi_value_field member, uint64_t bits)
{
    size_t name_bytes = strlen(name);
    size_t bytes = 2 + name_bytes + nadi_varint_size((uint64_t)member) + nadi_varint_size(bits);
    nadi_bytes_reserve(b, bytes + 3 * NADI_VARINT_BYTES);
    nadi_bytes_varint(b, NADI_FIELD_ATTR);
    nadi_bytes_varint(b, bytes);
    nadi_encode_bytes(b, 1 << 3 | 2, name, name_bytes);
    nadi_bytes_varint(b, (uint64_t)member);
    nadi_bytes_varint(b, bits);
}

/* attr { name, string_val } */
static inline void nadi_encode_attr_text(struct nadi_bytes *b, const char *name, const char *text,
                                         size_t bytes)
{
    size_t name_bytes = strlen(name);
    nadi_bytes_varint(b, NADI_FIELD_ATTR);
    nadi_bytes_varint(b, 2 + name_bytes + 2 + nadi_varint_size(bytes) + bytes);
    nadi_encode_bytes(b, 1 << 3 | 2, name, name_bytes);
    nadi_encode_bytes(b, NADI_VALUE_TEXT, text, bytes);
}

#endif
