/* attr: any AttributeProto of a message: its name and its value, of whatever kind. Everything
 * points into the message. */
#ifndef NADI_TRACE_ATTR_H
#define NADI_TRACE_ATTR_H

#include "base/base.h"
#include "trace/decode.h"

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
    struct nadi_wire_cursor list, packed;
    bool damaged;
};

struct nadi_attr_items nadi_attr_items_begin(const struct nadi_attr *list);
/* A number in item->bits (widened), a text or bytes in item->data. */
bool nadi_attr_items_next(struct nadi_attr_items *items, struct nadi_attr *item);

#endif
