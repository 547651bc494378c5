/* attr: any AttributeProto of a message: its name and its value, of whatever kind.
 *
 * One table says what the members of the oneof are called, how they lie on the wire and what they
 * mean; reading, showing and packing go by it. Everything points into the message. */
#ifndef NADI_TRACE_ATTR_H
#define NADI_TRACE_ATTR_H

#include "base/base.h"
#include "trace/decode.h"
#include "trace/wire.h"

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
    bool is_list;
};

enum { NADI_MEMBER_FIRST = 3, NADI_MEMBER_LAST = 32 };

/* number is NADI_MEMBER_FIRST .. NADI_MEMBER_LAST. */
const struct nadi_member *nadi_member_of(uint32_t number);
/* The number of "int64_val"; 0 when there is none. */
uint32_t nadi_member_find(const char *name, size_t bytes);

/* A number's payload as the member's C type, widened as C does: sign-extended, un-zigzagged, a bool
 * as 0 or 1, a float or double as its bits. */
uint64_t nadi_member_widen(const struct nadi_member *member, uint64_t bits);

/* An attribute and its name. */
struct nadi_named_attr {
    const uint8_t *name, *doc; /* doc: doc_string */
    size_t name_bytes, doc_bytes;
    struct nadi_attr value; /* value.member 0: no value at all */
};

/* Decodes the payload of an attribute field; false when it is damaged or a member is stored with
 * another wire type than its own. */
bool nadi_attr_decode(const uint8_t *data, size_t bytes, struct nadi_named_attr *attr);

/* The attribute of that name in a Node message, the first one; false when there is none. */
bool nadi_attr_find(const uint8_t *node, size_t bytes, const char *name,
                    struct nadi_named_attr *attr);

/* Items of a list attribute, one after another: packed or not. */
struct nadi_attr_items {
    const struct nadi_member *member;
    struct nadi_wire list, packed;
    bool damaged;
};

struct nadi_attr_items nadi_attr_items_begin(const struct nadi_attr *list);
/* A number in item->bits (widened), a text or bytes in item->data. */
bool nadi_attr_items_next(struct nadi_attr_items *items, struct nadi_attr *item);

#endif
