#include "trace/write.h"

#include "base/mem.h"
#include "chakra.pb-c.h"

struct nadi_trace_writer {
    struct nadi_deflate *sink;
    uint8_t *buffer; /* one packed message */
    size_t capacity;
};

struct nadi_trace_writer *nadi_trace_writer_open(const char *path, enum nadi_coding coding,
                                                 struct nadi_diags *diags)
{
    struct nadi_deflate *sink = nadi_deflate_open(path, coding, diags);
    if (!sink)
        return NULL;
    struct nadi_trace_writer *w = NADI_ZNEW(struct nadi_trace_writer, 1);
    w->sink = sink;
    return w;
}

struct nadi_trace_writer *nadi_trace_writer_memory(struct nadi_str *out, enum nadi_coding coding)
{
    struct nadi_trace_writer *w = NADI_ZNEW(struct nadi_trace_writer, 1);
    w->sink = nadi_deflate_memory(out, coding);
    return w;
}

bool nadi_trace_writer_close(struct nadi_trace_writer *w, struct nadi_diags *diags)
{
    bool ok = nadi_deflate_close(w->sink, diags);
    nadi_mem_free(w->buffer);
    nadi_mem_free(w);
    return ok;
}

static void put_frame(struct nadi_trace_writer *w, const ProtobufCMessage *message)
{
    size_t bytes = protobuf_c_message_get_packed_size(message);
    uint8_t length[10];
    size_t digits = 0;
    if (bytes > w->capacity)
        w->buffer = nadi_mem_grow(w->buffer, &w->capacity, bytes, 1);
    for (uint64_t left = bytes; digits == 0 || left; left >>= 7)
        length[digits++] = (uint8_t)((left & 0x7f) | (left >> 7 ? 0x80 : 0));
    protobuf_c_message_pack(message, w->buffer);
    nadi_deflate_write(w->sink, length, digits);
    nadi_deflate_write(w->sink, w->buffer, bytes);
}

static size_t size_of(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return 4;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    case PROTOBUF_C_TYPE_BOOL:
        return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_STRING:
        return sizeof(char *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_ENUM:
    case PROTOBUF_C_TYPE_MESSAGE:
        break;
    }
    NADI_BUG("no member of an attribute has this type");
}

/* Stores a value where protobuf-c keeps one of this type. */
static void store(void *to, ProtobufCType type, const struct nadi_write_value *v,
                  struct nadi_arena *arena)
{
    if (type == PROTOBUF_C_TYPE_STRING) {
        char *text = nadi_arena_strdup(arena, v->text);
        memcpy(to, &text, sizeof text);
    } else if (type == PROTOBUF_C_TYPE_BYTES) {
        ProtobufCBinaryData data = {v->text_bytes, nadi_arena_alloc(arena, v->text_bytes, 1)};
        if (v->text_bytes)
            memcpy(data.data, v->text, v->text_bytes);
        memcpy(to, &data, sizeof data);
    } else if (type == PROTOBUF_C_TYPE_DOUBLE) {
        memcpy(to, &v->real, sizeof v->real);
    } else if (type == PROTOBUF_C_TYPE_FLOAT) {
        float real = (float)v->real;
        memcpy(to, &real, sizeof real);
    } else if (type == PROTOBUF_C_TYPE_BOOL) {
        protobuf_c_boolean bit = v->bits != 0;
        memcpy(to, &bit, sizeof bit);
    } else if (size_of(type) == 4) {
        uint32_t low = (uint32_t)v->bits;
        memcpy(to, &low, sizeof low);
    } else {
        memcpy(to, &v->bits, sizeof v->bits);
    }
}

/* A list message: one field, repeated, packed where numeric. */
static void *make_list(const struct nadi_write_attr *a,
                       const ProtobufCMessageDescriptor *descriptor, struct nadi_arena *arena)
{
    char *list = nadi_arena_alloc(arena, descriptor->sizeof_message, 1);
    protobuf_c_message_init(descriptor, (void *)list);
    const ProtobufCFieldDescriptor *field = &descriptor->fields[0];
    size_t step = size_of(field->type);
    char *items = nadi_arena_zalloc(arena, a->count, step);
    for (size_t i = 0; i < a->count; i++)
        store(items + i * step, field->type, &a->list[i], arena);
    memcpy(list + field->quantifier_offset, &a->count, sizeof a->count);
    memcpy(list + field->offset, &items, sizeof items);
    return list;
}

static Chakra__AttributeProto **make_attrs(const struct nadi_write_attr *attrs, size_t count,
                                           struct nadi_arena *arena)
{
    Chakra__AttributeProto **made = nadi_arena_alloc(arena, count, sizeof(void *));
    for (size_t i = 0; i < count; i++) {
        const struct nadi_write_attr *a = &attrs[i];
        Chakra__AttributeProto *p = NADI_ARENA_NEW(arena, Chakra__AttributeProto, 1);
        chakra__attribute_proto__init(p);
        made[i] = p;
        if (a->name)
            p->name = nadi_arena_strdup(arena, a->name);
        if (a->member == NADI_MEMBER_NONE)
            continue;
        const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(
            &chakra__attribute_proto__descriptor, a->member);
        NADI_ASSERT(field && a->member > 2);
        p->value_case = (Chakra__AttributeProto__ValueCase)a->member;
        void *to = (char *)p + field->offset;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
            void *list = make_list(a, field->descriptor, arena);
            memcpy(to, &list, sizeof list);
        } else {
            store(to, field->type, &a->value, arena);
        }
    }
    return made;
}

static Chakra__IOInfo *make_io(const struct nadi_write_io *io, struct nadi_arena *arena)
{
    if (!io->values && !io->shapes && !io->types)
        return NULL;
    Chakra__IOInfo *p = NADI_ARENA_NEW(arena, Chakra__IOInfo, 1);
    chakra__ioinfo__init(p);
    if (io->values)
        p->values = nadi_arena_strdup(arena, io->values);
    if (io->shapes)
        p->shapes = nadi_arena_strdup(arena, io->shapes);
    if (io->types)
        p->types = nadi_arena_strdup(arena, io->types);
    return p;
}

static uint64_t *copy_deps(const uint64_t *deps, size_t count, struct nadi_arena *arena)
{
    uint64_t *copy = NADI_ARENA_NEW(arena, uint64_t, count);
    if (count)
        memcpy(copy, deps, count * sizeof(*deps));
    return copy;
}

void nadi_trace_writer_metadata(struct nadi_trace_writer *w,
                                const struct nadi_write_metadata *metadata)
{
    struct nadi_arena arena;
    Chakra__GlobalMetadata p;
    nadi_arena_init(&arena);
    chakra__global_metadata__init(&p);
    if (metadata->version)
        p.version = nadi_arena_strdup(&arena, metadata->version);
    p.n_attr = metadata->attr_count;
    p.attr = make_attrs(metadata->attrs, metadata->attr_count, &arena);
    put_frame(w, &p.base);
    nadi_arena_release(&arena);
}

void nadi_trace_writer_node(struct nadi_trace_writer *w, const struct nadi_write_node *node)
{
    struct nadi_arena arena;
    Chakra__Node p;
    nadi_arena_init(&arena);
    chakra__node__init(&p);
    p.id = node->id;
    if (node->name)
        p.name = nadi_arena_strdup(&arena, node->name);
    p.type = (Chakra__NodeType)node->type;
    p.n_data_deps = node->data_dep_count;
    p.data_deps = copy_deps(node->data_deps, node->data_dep_count, &arena);
    p.n_ctrl_deps = node->ctrl_dep_count;
    p.ctrl_deps = copy_deps(node->ctrl_deps, node->ctrl_dep_count, &arena);
    p.start_time_micros = node->start_time_micros;
    p.duration_micros = node->duration_micros;
    p.inputs = make_io(&node->inputs, &arena);
    p.outputs = make_io(&node->outputs, &arena);
    p.n_attr = node->attr_count;
    p.attr = make_attrs(node->attrs, node->attr_count, &arena);
    put_frame(w, &p.base);
    nadi_arena_release(&arena);
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
