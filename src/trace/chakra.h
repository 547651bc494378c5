/* chakra: the messages of schema 0.0.4, written down once: numbers, names and kinds of their
 * fields.
 *
 * A file is a sequence of frames, each a varint length and one message: first a GlobalMetadata,
 * then Nodes. Readers, writers, both JSON forms and the checks take numbers and names from here;
 * the layout of the bytes is format/wire.h. chakra.proto says the same for protobuf's own compiler,
 * from which a test makes a second decoder. */
#ifndef NADI_TRACE_CHAKRA_H
#define NADI_TRACE_CHAKRA_H

#include "format/wire.h"

enum nadi_chakra_node { /* field numbers of Node */
                        NADI_CHAKRA_ID = 1,
                        NADI_CHAKRA_NAME,
                        NADI_CHAKRA_TYPE,
                        NADI_CHAKRA_CTRL_DEPS,
                        NADI_CHAKRA_DATA_DEPS,
                        NADI_CHAKRA_START,
                        NADI_CHAKRA_DURATION,
                        NADI_CHAKRA_INPUTS,
                        NADI_CHAKRA_OUTPUTS,
                        NADI_CHAKRA_ATTR,
};

enum nadi_chakra_metadata { /* of GlobalMetadata */
                            NADI_CHAKRA_VERSION = 1,
                            NADI_CHAKRA_METADATA_ATTR,
};

enum nadi_chakra_io { /* of IOInfo */
                      NADI_CHAKRA_VALUES = 1,
                      NADI_CHAKRA_SHAPES,
                      NADI_CHAKRA_TYPES,
};

enum nadi_chakra_attribute { /* of AttributeProto, besides the members of its oneof */
                             NADI_CHAKRA_ATTR_NAME = 1,
                             NADI_CHAKRA_ATTR_DOC,
};

enum { NADI_CHAKRA_LIST_VALUES = 1 }; /* the one field of DoubleList and its like */

enum nadi_chakra_form { /* what a field holds; the first two are varints, the rest has a length */
                        NADI_CHAKRA_FORM_NUMBER,
                        NADI_CHAKRA_FORM_KIND, /* enum nadi_node_type */
                        NADI_CHAKRA_FORM_TEXT,
                        NADI_CHAKRA_FORM_IDS, /* repeated; also one varint each */
                        NADI_CHAKRA_FORM_IO,
                        NADI_CHAKRA_FORM_ATTR, /* repeated */
};

struct nadi_chakra_field {
    const char *name, *camel; /* "data_deps", "dataDeps" */
    enum nadi_chakra_form form;
};

struct nadi_chakra_message {
    const struct nadi_chakra_field *fields; /* [number] */
    uint32_t last;
};

extern const struct nadi_chakra_message nadi_chakra_node, nadi_chakra_metadata, nadi_chakra_io;

static inline enum nadi_wire_type nadi_chakra_wire(const struct nadi_chakra_field *field)
{
    return field->form <= NADI_CHAKRA_FORM_KIND ? NADI_WIRE_VARINT : NADI_WIRE_BYTES;
}

/* Members of an attribute's oneof, by field number; a list's number is its scalar's plus 1. */
enum nadi_attr_member {
    NADI_MEMBER_NONE = 0,
    NADI_MEMBER_DOUBLE = 3,
    NADI_MEMBER_FLOAT = 5,
    NADI_MEMBER_INT32 = 7,
    NADI_MEMBER_INT64 = 9,
    NADI_MEMBER_UINT32 = 11,
    NADI_MEMBER_UINT64 = 13,
    NADI_MEMBER_SINT32 = 15,
    NADI_MEMBER_SINT64 = 17,
    NADI_MEMBER_FIXED32 = 19,
    NADI_MEMBER_FIXED64 = 21,
    NADI_MEMBER_SFIXED32 = 23,
    NADI_MEMBER_SFIXED64 = 25,
    NADI_MEMBER_BOOL = 27,
    NADI_MEMBER_BOOL_LIST = 28,
    NADI_MEMBER_STRING = 29,
    NADI_MEMBER_STRING_LIST = 30,
    NADI_MEMBER_BYTES = 31,
    NADI_MEMBER_BYTES_LIST = 32,

    NADI_MEMBER_FIRST = NADI_MEMBER_DOUBLE,
    NADI_MEMBER_LAST = NADI_MEMBER_BYTES_LIST,
};

enum nadi_value_class {
    NADI_VALUE_NONE,
    NADI_VALUE_DOUBLE,
    NADI_VALUE_FLOAT,
    NADI_VALUE_SIGNED,
    NADI_VALUE_UNSIGNED,
    NADI_VALUE_BOOL,
    NADI_VALUE_TEXT,
    NADI_VALUE_BYTES,
};

struct nadi_member {          /* a row for each scalar and each list */
    const char *name, *camel; /* "int64_val", "int64Val" */
    uint8_t value_class;      /* enum nadi_value_class, of the value or of the list's items */
    uint8_t bits;             /* 32 or 64 for numbers */
    uint8_t wire;             /* enum nadi_wire_type of one value */
    bool zigzag;
    bool is_list; /* a message of its own, whose field 1 is repeated */
};

extern const struct nadi_member nadi_members[NADI_MEMBER_LAST + 1];

/* number is NADI_MEMBER_FIRST .. NADI_MEMBER_LAST. */
static inline const struct nadi_member *nadi_member_of(uint32_t number)
{
    NADI_ASSERT(number >= NADI_MEMBER_FIRST && number <= NADI_MEMBER_LAST);
    return &nadi_members[number];
}
/* The number of "int64_val"; 0 when there is none. */
uint32_t nadi_member_find(const char *name, size_t bytes);

static inline enum nadi_wire_type nadi_member_wire(const struct nadi_member *member)
{
    return member->is_list ? NADI_WIRE_BYTES : (enum nadi_wire_type)member->wire;
}

/* A number's payload as the member's C type, widened as C does: sign-extended, un-zigzagged, a bool
 * as 0 or 1, a float or double as its bits. */
static inline uint64_t nadi_member_widen(const struct nadi_member *member, uint64_t bits)
{
    const bool is_signed = member->value_class == NADI_VALUE_SIGNED;
    if (member->value_class == NADI_VALUE_BOOL)
        return bits != 0;
    if (member->zigzag)
        return (uint64_t)nadi_wire_zigzag(member->bits == 32 ? (uint32_t)bits : bits);
    if (member->bits == 32 && (is_signed || member->value_class == NADI_VALUE_UNSIGNED))
        return is_signed ? (uint64_t)(int64_t)(int32_t)(uint32_t)bits : (uint32_t)bits;
    return bits;
}
/* The way back: a widened number as it lies on the wire. */
uint64_t nadi_member_narrow(const struct nadi_member *member, uint64_t value);
/* Appends a number's payload, without its tag. */
void nadi_member_put(struct nadi_str *out, const struct nadi_member *member, uint64_t bits);

/* A number; 0 is left out, as proto3 does. */
static inline void nadi_chakra_put_number(struct nadi_str *out, uint32_t field, uint64_t value)
{
    if (value)
        nadi_wire_add_number(out, field, value);
}

/* A text; an empty one, or NULL, is left out. */
static inline void nadi_chakra_put_text(struct nadi_str *out, uint32_t field, const char *text)
{
    if (text && text[0])
        nadi_wire_add_text(out, field, text);
}

/* attr { name, member: bits }, of a member that is a varint. field: that of attributes in a node or
 * in the metadata. */
static inline void nadi_chakra_put_attr(struct nadi_str *out, uint32_t field, const char *name,
                                        enum nadi_attr_member member, uint64_t bits)
{
    const size_t name_bytes = strlen(name);
    nadi_wire_add_tag(out, field, NADI_WIRE_BYTES);
    nadi_wire_add_varint(out, 1 + nadi_varint_size(name_bytes) + name_bytes +
                                  nadi_varint_size((uint64_t)member << 3) + nadi_varint_size(bits));
    nadi_wire_add_bytes(out, NADI_CHAKRA_ATTR_NAME, name, name_bytes);
    nadi_wire_add_number(out, member, bits);
}

/* attr { name, string_val } */
static inline void nadi_chakra_put_attr_text(struct nadi_str *out, uint32_t field, const char *name,
                                             const char *text, size_t bytes)
{
    const size_t name_bytes = strlen(name);
    nadi_wire_add_tag(out, field, NADI_WIRE_BYTES);
    nadi_wire_add_varint(out, 1 + nadi_varint_size(name_bytes) + name_bytes +
                                  nadi_varint_size(NADI_MEMBER_STRING << 3) +
                                  nadi_varint_size(bytes) + bytes);
    nadi_wire_add_bytes(out, NADI_CHAKRA_ATTR_NAME, name, name_bytes);
    nadi_wire_add_bytes(out, NADI_MEMBER_STRING, text, bytes);
}

#endif
