#include "trace/full_write.h"

#include "format/wire.h"

/* Is the field one that the patch replaces? */
static bool is_replaced(const struct nadi_node_patch *p, uint32_t field)
{
    switch (field) {
    case NADI_CHAKRA_ID:
        return p->has_id;
    case NADI_CHAKRA_NAME:
        return p->name != NULL;
    case NADI_CHAKRA_CTRL_DEPS:
    case NADI_CHAKRA_DATA_DEPS:
        return p->deps;
    case NADI_CHAKRA_DURATION:
        return p->has_duration;
    case NADI_CHAKRA_INPUTS:
        return p->drop_inputs;
    default:
        return false;
    }
}

static void put_replaced(struct nadi_str *out, const struct nadi_node_patch *p, uint32_t field)
{
    if (!is_replaced(p, field))
        return;
    if (field == NADI_CHAKRA_ID)
        nadi_wire_add_number(out, NADI_CHAKRA_ID, p->id);
    else if (field == NADI_CHAKRA_NAME)
        nadi_chakra_put_text(out, NADI_CHAKRA_NAME, p->name);
    else if (field == NADI_CHAKRA_CTRL_DEPS)
        nadi_wire_add_packed(out, NADI_CHAKRA_CTRL_DEPS, p->ctrl_deps, p->ctrl_count);
    else if (field == NADI_CHAKRA_DATA_DEPS)
        nadi_wire_add_packed(out, NADI_CHAKRA_DATA_DEPS, p->data_deps, p->data_count);
    else if (field == NADI_CHAKRA_DURATION)
        nadi_chakra_put_number(out, NADI_CHAKRA_DURATION, p->duration_micros);
}

static void put_integer(struct nadi_str *out, uint32_t member, uint64_t bits)
{
    const struct nadi_member *m = member ? nadi_member_of(member) : NULL;
    const bool plain =
        m && !m->is_list && m->wire == NADI_WIRE_VARINT && !m->zigzag &&
        (m->value_class == NADI_VALUE_SIGNED || m->value_class == NADI_VALUE_UNSIGNED) &&
        (m->bits == 64 || bits <= INT32_MAX);
    nadi_wire_add_number(out, plain ? member : NADI_MEMBER_INT64, bits);
}

/* The attribute with another value: name, documentation and unknown fields stay. */
static void put_attr(struct nadi_str *out, struct nadi_str *scratch,
                     const struct nadi_wire_field *field, const struct nadi_attr_patch *p,
                     uint32_t member)
{
    struct nadi_wire_cursor w = nadi_wire_of(field->data, field->bytes);
    struct nadi_wire_field part = {0};
    nadi_str_clear(scratch);
    while (nadi_wire_next(&w, &part) == NADI_WIRE_FIELD) {
        if (part.number < NADI_MEMBER_FIRST || part.number > NADI_MEMBER_LAST)
            nadi_str_add_bytes(scratch, part.at, (size_t)(w.at - part.at));
    }
    if (p->kind == NADI_ATTR_PATCH_TEXT)
        nadi_wire_add_text(scratch, NADI_MEMBER_STRING, p->text);
    else
        put_integer(scratch, member, p->bits);
    nadi_wire_add_message(out, NADI_CHAKRA_ATTR, scratch);
}

/* Writes the attribute if a patch names it; `done` has a bit for each patch that was met. */
static bool patch_attr(struct nadi_str *out, struct nadi_str *scratch,
                       const struct nadi_wire_field *field, const struct nadi_node_patch *p,
                       uint64_t *done)
{
    struct nadi_named_attr attr;
    if (p->attr_count == 0 || field->type != NADI_WIRE_BYTES ||
        !nadi_attr_decode(field->data, field->bytes, &attr))
        return false;
    for (size_t i = 0; i < p->attr_count; i++) {
        const struct nadi_attr_patch *a = &p->attrs[i];
        if (a->kind == NADI_ATTR_PATCH_NONE || strlen(a->name) != attr.name_bytes ||
            memcmp(a->name, attr.name, attr.name_bytes) != 0)
            continue;
        *done |= UINT64_C(1) << i;
        if (a->kind != NADI_ATTR_PATCH_DROP)
            put_attr(out, scratch, field, a, attr.value.member);
        return true;
    }
    return false;
}

/* Appends the node's message to `out`. */
static void full_put(struct nadi_str *out, const struct nadi_full_node *n,
                     const struct nadi_node_patch *p)
{
    static const uint32_t replaceable[] = {NADI_CHAKRA_ID, NADI_CHAKRA_NAME, NADI_CHAKRA_CTRL_DEPS,
                                           NADI_CHAKRA_DATA_DEPS, NADI_CHAKRA_DURATION};
    enum { REPLACEABLE = sizeof(replaceable) / sizeof(replaceable[0]) };
    struct nadi_wire_cursor w = nadi_wire_of(n->data, n->bytes);
    struct nadi_wire_field field = {0};
    struct nadi_str scratch = NADI_STR_INIT;
    uint64_t done = 0;
    size_t next = 0;
    const size_t before = out->length;
    NADI_ASSERT(p->attr_count <= 64);
    while (nadi_wire_next(&w, &field) == NADI_WIRE_FIELD) {
        for (; next < REPLACEABLE && replaceable[next] <= field.number; next++)
            put_replaced(out, p, replaceable[next]);
        if (is_replaced(p, field.number) ||
            (field.number == NADI_CHAKRA_ATTR && patch_attr(out, &scratch, &field, p, &done)))
            continue;
        nadi_str_add_bytes(out, field.at, (size_t)(w.at - field.at));
    }
    for (; next < REPLACEABLE; next++)
        put_replaced(out, p, replaceable[next]);
    for (size_t i = 0; i < p->attr_count; i++) {
        if (p->attrs[i].kind == NADI_ATTR_PATCH_INTEGER && p->attrs[i].member && !(done >> i & 1))
            nadi_chakra_put_attr(out, NADI_CHAKRA_ATTR, p->attrs[i].name,
                                 (enum nadi_attr_member)p->attrs[i].member, p->attrs[i].bits);
    }
    if (out->length == before) { /* an empty message would be the end of the file to some */
        nadi_wire_add_tag(out, NADI_CHAKRA_ID, NADI_WIRE_VARINT);
        nadi_wire_add_varint(out, 0);
    }
    nadi_str_release(&scratch);
}

void nadi_full_write_metadata(struct nadi_out *sink, const struct nadi_full *f)
{
    nadi_frame_write(sink, f->metadata, f->metadata_bytes);
}

void nadi_full_write_node(struct nadi_out *sink, struct nadi_str *scratch,
                          const struct nadi_full_node *n, const struct nadi_node_patch *patch)
{
    if (!patch) {
        nadi_frame_write(sink, n->data, n->bytes);
        return;
    }
    nadi_str_clear(scratch);
    full_put(scratch, n, patch);
    nadi_frame_write(sink, nadi_str_get(scratch), scratch->length);
}
