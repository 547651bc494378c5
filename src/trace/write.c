#include "trace/write.h"

struct nadi_trace_writer {
    struct nadi_out *sink;
    struct nadi_str message, part, list; /* scratch; part: an attribute or IOInfo */
};

static struct nadi_trace_writer *create(struct nadi_out *sink)
{
    struct nadi_trace_writer *w = NADI_ZNEW(struct nadi_trace_writer, 1);
    w->sink = sink;
    return w;
}

struct nadi_trace_writer *nadi_trace_writer_open(const char *path, enum nadi_coding coding,
                                                 struct nadi_diags *diags)
{
    struct nadi_out *sink = nadi_out_open(path, coding, diags);
    return sink ? create(sink) : NULL;
}

struct nadi_trace_writer *nadi_trace_writer_memory(struct nadi_str *out, enum nadi_coding coding)
{
    return create(nadi_out_memory(out, coding));
}

bool nadi_trace_writer_close(struct nadi_trace_writer *w, struct nadi_diags *diags)
{
    bool ok = nadi_out_close(w->sink, diags);
    nadi_str_release(&w->message);
    nadi_str_release(&w->part);
    nadi_str_release(&w->list);
    nadi_mem_free(w);
    return ok;
}

/* The bits of a number as they lie on the wire. */
static uint64_t bits_of(const struct nadi_member *member, const struct nadi_write_value *v)
{
    uint64_t bits = v->bits;
    if (member->value_class == NADI_VALUE_DOUBLE) {
        memcpy(&bits, &v->real, sizeof v->real);
    } else if (member->value_class == NADI_VALUE_FLOAT) {
        const float real = (float)v->real;
        uint32_t low;
        memcpy(&low, &real, sizeof real);
        bits = low;
    }
    return nadi_member_narrow(member, bits);
}

static void put_data(struct nadi_str *out, uint32_t field, const struct nadi_member *member,
                     const struct nadi_write_value *v)
{
    nadi_wire_add_bytes(out, field, v->text,
                        member->value_class == NADI_VALUE_TEXT ? strlen(v->text) : v->text_bytes);
}

/* A list message: one field, repeated, packed where numeric. */
static void put_list(struct nadi_trace_writer *w, const struct nadi_member *member,
                     const struct nadi_write_attr *a)
{
    nadi_str_clear(&w->list);
    for (size_t i = 0; i < a->count; i++) {
        if (member->wire == NADI_WIRE_BYTES)
            put_data(&w->list, NADI_CHAKRA_LIST_VALUES, member, &a->list[i]);
        else
            nadi_member_put(&w->list, member, bits_of(member, &a->list[i]));
    }
    if (member->wire == NADI_WIRE_BYTES || a->count == 0) {
        nadi_wire_add_message(&w->part, a->member, &w->list);
        return;
    }
    nadi_wire_add_tag(&w->part, a->member, NADI_WIRE_BYTES);
    nadi_wire_add_varint(&w->part, 1 + nadi_varint_size(w->list.length) + w->list.length);
    nadi_wire_add_message(&w->part, NADI_CHAKRA_LIST_VALUES, &w->list);
}

static void put_attr(struct nadi_trace_writer *w, uint32_t field, const struct nadi_write_attr *a)
{
    nadi_str_clear(&w->part);
    nadi_chakra_put_text(&w->part, NADI_CHAKRA_ATTR_NAME, a->name);
    if (a->member != NADI_MEMBER_NONE) {
        const struct nadi_member *member = nadi_member_of(a->member);
        if (member->is_list) {
            put_list(w, member, a);
        } else if (member->wire == NADI_WIRE_BYTES) {
            put_data(&w->part, a->member, member, &a->value);
        } else {
            nadi_wire_add_tag(&w->part, a->member, member->wire);
            nadi_member_put(&w->part, member, bits_of(member, &a->value));
        }
    }
    nadi_wire_add_message(&w->message, field, &w->part);
}

static void put_io(struct nadi_trace_writer *w, uint32_t field, const struct nadi_write_io *io)
{
    if (!io->values && !io->shapes && !io->types)
        return;
    nadi_str_clear(&w->part);
    nadi_chakra_put_text(&w->part, NADI_CHAKRA_VALUES, io->values);
    nadi_chakra_put_text(&w->part, NADI_CHAKRA_SHAPES, io->shapes);
    nadi_chakra_put_text(&w->part, NADI_CHAKRA_TYPES, io->types);
    nadi_wire_add_message(&w->message, field, &w->part);
}

void nadi_trace_writer_metadata(struct nadi_trace_writer *w,
                                const struct nadi_write_metadata *metadata)
{
    nadi_str_clear(&w->message);
    nadi_chakra_put_text(&w->message, NADI_CHAKRA_VERSION, metadata->version);
    for (size_t i = 0; i < metadata->attr_count; i++)
        put_attr(w, NADI_CHAKRA_METADATA_ATTR, &metadata->attrs[i]);
    nadi_frame_write(w->sink, w->message.text, w->message.length);
}

void nadi_trace_writer_node(struct nadi_trace_writer *w, const struct nadi_write_node *node)
{
    struct nadi_str *out = &w->message;
    nadi_str_clear(out);
    nadi_chakra_put_number(out, NADI_CHAKRA_ID, node->id);
    nadi_chakra_put_text(out, NADI_CHAKRA_NAME, node->name);
    /* An enumeration is a signed number of 32 bits. */
    nadi_chakra_put_number(out, NADI_CHAKRA_TYPE, (uint64_t)(int64_t)(int32_t)node->type);
    nadi_wire_add_packed(out, NADI_CHAKRA_CTRL_DEPS, node->ctrl_deps, node->ctrl_dep_count);
    nadi_wire_add_packed(out, NADI_CHAKRA_DATA_DEPS, node->data_deps, node->data_dep_count);
    nadi_chakra_put_number(out, NADI_CHAKRA_START, node->start_time_micros);
    nadi_chakra_put_number(out, NADI_CHAKRA_DURATION, node->duration_micros);
    put_io(w, NADI_CHAKRA_INPUTS, &node->inputs);
    put_io(w, NADI_CHAKRA_OUTPUTS, &node->outputs);
    for (size_t i = 0; i < node->attr_count; i++)
        put_attr(w, NADI_CHAKRA_ATTR, &node->attrs[i]);
    nadi_frame_write(w->sink, w->message.text, w->message.length);
}

struct nadi_write_attr nadi_write_bool(const char *name, bool value)
{
    return (struct nadi_write_attr){
        .name = name, .member = NADI_MEMBER_BOOL, .value.bits = value ? 1 : 0};
}

struct nadi_write_attr nadi_write_int32(const char *name, int32_t value)
{
    return (struct nadi_write_attr){
        .name = name, .member = NADI_MEMBER_INT32, .value.bits = (uint64_t)(int64_t)value};
}

struct nadi_write_attr nadi_write_int64(const char *name, int64_t value)
{
    return (struct nadi_write_attr){
        .name = name, .member = NADI_MEMBER_INT64, .value.bits = (uint64_t)value};
}

struct nadi_write_attr nadi_write_uint64(const char *name, uint64_t value)
{
    return (struct nadi_write_attr){
        .name = name, .member = NADI_MEMBER_UINT64, .value.bits = value};
}

struct nadi_write_attr nadi_write_string(const char *name, const char *value)
{
    return (struct nadi_write_attr){
        .name = name, .member = NADI_MEMBER_STRING, .value.text = value};
}
