#include "trace/attr.h"

bool nadi_attr_decode(const uint8_t *data, size_t bytes, struct nadi_named_attr *attr)
{
    struct nadi_wire_cursor w = nadi_wire_of(data, bytes);
    struct nadi_wire_field f = {0};
    enum nadi_wire_result result;
    *attr = (struct nadi_named_attr){.value.at = data};
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        if (f.number == NADI_CHAKRA_ATTR_NAME) {
            if (f.type != NADI_WIRE_BYTES)
                return false;
            attr->name = f.data;
            attr->name_bytes = f.bytes;
        } else if (f.number == NADI_CHAKRA_ATTR_DOC) {
            if (f.type != NADI_WIRE_BYTES)
                return false;
            attr->doc = f.data;
            attr->doc_bytes = f.bytes;
        } else if (f.number >= NADI_MEMBER_FIRST && f.number <= NADI_MEMBER_LAST) {
            const struct nadi_member *member = nadi_member_of(f.number);
            if (f.type != nadi_member_wire(member))
                return false;
            attr->value.member = f.number;
            attr->value.bits = f.type == NADI_WIRE_BYTES ? 0 : nadi_member_widen(member, f.bits);
            attr->value.data = f.type == NADI_WIRE_BYTES ? f.data : NULL;
            attr->value.bytes = f.type == NADI_WIRE_BYTES ? f.bytes : 0;
        }
    }
    return result == NADI_WIRE_END;
}

bool nadi_attr_find(const uint8_t *node, size_t bytes, const char *name,
                    struct nadi_named_attr *attr)
{
    struct nadi_wire_cursor w = nadi_wire_of(node, bytes);
    struct nadi_wire_field f = {0};
    const size_t length = strlen(name);
    while (nadi_wire_next(&w, &f) == NADI_WIRE_FIELD) {
        if (f.number == NADI_CHAKRA_ATTR && f.type == NADI_WIRE_BYTES &&
            nadi_attr_decode(f.data, f.bytes, attr) && attr->name_bytes == length &&
            memcmp(attr->name, name, length) == 0)
            return true;
    }
    return false;
}

struct nadi_attr_items nadi_attr_items_begin(const struct nadi_attr *list)
{
    const struct nadi_member *member = nadi_member_of(list->member);
    NADI_ASSERT(member->is_list);
    return (struct nadi_attr_items){
        .member = member,
        .list = nadi_wire_of(list->data, list->bytes),
        .packed = (struct nadi_wire_cursor){0},
    };
}

/* One item of a packed run. */
static bool next_packed(struct nadi_attr_items *items, uint64_t *bits)
{
    struct nadi_wire_cursor *w = &items->packed;
    const unsigned width = items->member->wire == NADI_WIRE_64 ? 8 : 4;
    if (items->member->wire == NADI_WIRE_VARINT)
        return nadi_wire_varint(w, bits);
    if (w->end - w->at < (ptrdiff_t)width)
        return false;
    *bits = nadi_wire_little_endian(w->at, width);
    w->at += width;
    return true;
}

bool nadi_attr_items_next(struct nadi_attr_items *items, struct nadi_attr *item)
{
    const struct nadi_member *member = items->member;
    struct nadi_wire_field f = {0};
    enum nadi_wire_result result;
    *item = (struct nadi_attr){0};
    for (;;) {
        if (items->packed.at < items->packed.end) {
            if (!next_packed(items, &item->bits))
                break;
            item->bits = nadi_member_widen(member, item->bits);
            return true;
        }
        result = nadi_wire_next(&items->list, &f);
        if (result == NADI_WIRE_END)
            return false;
        if (result != NADI_WIRE_FIELD)
            break;
        if (f.number != 1)
            continue;
        if (f.type == NADI_WIRE_BYTES && member->wire != NADI_WIRE_BYTES) {
            items->packed = nadi_wire_of(f.data, f.bytes);
            continue;
        }
        if (f.type != member->wire)
            break;
        item->bits = f.type == NADI_WIRE_BYTES ? 0 : nadi_member_widen(member, f.bits);
        item->data = f.type == NADI_WIRE_BYTES ? f.data : NULL;
        item->bytes = f.type == NADI_WIRE_BYTES ? f.bytes : 0;
        return true;
    }
    items->damaged = true;
    return false;
}
