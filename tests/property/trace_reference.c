/* Our codec beside protobuf-c, where that is installed. Random nodes with attributes of every kind
 * and width, dependencies packed and not, unknown fields, ids in any order, in each coding: every
 * field that a trace keeps must be what protobuf-c reads from the same bytes. The rules of
 * conversion are written a second time here, on protobuf-c's structures. What our writer made,
 * protobuf-c must write again byte for byte. Damaged files are read without it. */
#include "base/mem.h"
#include "base/rng.h"
#include "support/between.h"
#include "support/random_trace.h"
#include "support/trace_expect.h"
#include "support/wire_put.h"
#include "trace/write.h"

#include <setjmp.h>

#include <cmocka.h>

#ifdef NADI_HAVE_PROTOBUF_C
#include <chakra.pb-c.h>
#else
#include "support/skip.h"
#endif

enum { CASES = 400, MOST_NODES = 60, MOST_ATTRS = 14, MOST_DEPS = 6 };

static const uint32_t scalars[] = {
    NADI_MEMBER_DOUBLE,  NADI_MEMBER_FLOAT,   NADI_MEMBER_INT32,    NADI_MEMBER_INT64,
    NADI_MEMBER_UINT32,  NADI_MEMBER_UINT64,  NADI_MEMBER_SINT32,   NADI_MEMBER_SINT64,
    NADI_MEMBER_FIXED32, NADI_MEMBER_FIXED64, NADI_MEMBER_SFIXED32, NADI_MEMBER_SFIXED64,
    NADI_MEMBER_BOOL,    NADI_MEMBER_STRING,  NADI_MEMBER_BYTES,
};
enum { SCALARS = sizeof(scalars) / sizeof(scalars[0]), FIRST_INTEGER = 2, INTEGERS = 11 };

static uint64_t draw_bits(struct nadi_rng *r)
{
    return nadi_rng_u64(r) >> nadi_rng_below(r, 64);
}

static const char *draw_text(struct nadi_rng *r, struct nadi_arena *arena)
{
    static const char *const odd[] = {"", "0", "group \xc3\xa9\xe2\x82\xac", "a\tb", "twelve"};
    if (nadi_rng_below(r, 3) == 0)
        return odd[nadi_rng_below(r, 5)];
    return nadi_arena_printf(arena, "text.%" PRIu64, nadi_rng_below(r, 1000));
}

static struct nadi_write_value draw_value(struct nadi_rng *r, struct nadi_arena *arena)
{
    const char *text = draw_text(r, arena);
    return (struct nadi_write_value){.bits = draw_bits(r),
                                     .real = (double)rng_between(r, -1000, 1000) / 8,
                                     .text = text,
                                     .text_bytes = strlen(text)};
}

static struct nadi_write_attr draw_list(struct nadi_rng *r, struct nadi_arena *arena,
                                        uint32_t scalar)
{
    size_t count = nadi_rng_below(r, 5);
    struct nadi_write_value *list = NADI_ARENA_ZNEW(arena, struct nadi_write_value, count);
    for (size_t i = 0; i < count; i++)
        list[i] = draw_value(r, arena);
    return (struct nadi_write_attr){.member = scalar + 1, .list = list, .count = count};
}

/* Any kind at all, for names that nobody reads. */
static struct nadi_write_attr draw_any(struct nadi_rng *r, struct nadi_arena *arena)
{
    uint32_t scalar = scalars[nadi_rng_below(r, SCALARS)];
    switch (nadi_rng_below(r, 5)) {
    case 0:
        return draw_list(r, arena, scalar);
    case 1:
        return (struct nadi_write_attr){0};
    default:
        return (struct nadi_write_attr){.member = scalar, .value = draw_value(r, arena)};
    }
}

static struct nadi_write_attr draw_integer(struct nadi_rng *r, struct nadi_arena *arena)
{
    return (struct nadi_write_attr){.member = scalars[FIRST_INTEGER + nadi_rng_below(r, INTEGERS)],
                                    .value = draw_value(r, arena)};
}

/* 0 or more in every width. */
static struct nadi_write_attr draw_size(struct nadi_rng *r, struct nadi_arena *arena)
{
    struct nadi_write_attr a = draw_integer(r, arena);
    a.value.bits &=
        nadi_rng_below(r, 2) && (a.member == NADI_MEMBER_INT64 || a.member == NADI_MEMBER_UINT64 ||
                                 a.member == NADI_MEMBER_SINT64)
            ? (uint64_t)INT64_MAX
            : (uint64_t)INT32_MAX;
    return a;
}

static struct nadi_write_attr draw_u32(struct nadi_rng *r, struct nadi_arena *arena)
{
    struct nadi_write_attr a = draw_integer(r, arena);
    a.value.bits = nadi_rng_below(r, 2) ? (uint64_t)rng_between(r, INT32_MIN, INT32_MAX)
                                        : (uint32_t)a.value.bits;
    bool is_unsigned = a.member == NADI_MEMBER_UINT64 || a.member == NADI_MEMBER_FIXED64;
    if (is_unsigned)
        a.value.bits &= UINT32_MAX;
    return a;
}

/* A readable attribute for the type, or any attribute that it does not read. */
static struct nadi_write_attr draw_attr(struct nadi_rng *r, struct nadi_arena *arena, uint32_t type)
{
    static const char *const names[] = {"is_cpu_op", "num_ops",  "tensor_size",   "comm_type",
                                        "comm_size", "comm_src", "comm_dst",      "comm_tag",
                                        "pg_name",   "inputs",   "comm_priority", "involved_dim",
                                        "outputs",   "num_op",   "comm_sized",    ""};
    const char *name = names[nadi_rng_below(r, sizeof(names) / sizeof(names[0]))];
    bool comm = type >= NADI_NODE_SEND, coll = type == NADI_NODE_COLL;
    struct nadi_write_attr a = draw_any(r, arena);
    if (strcmp(name, "is_cpu_op") == 0)
        a = draw_integer(r, arena);
    else if (strcmp(name, "num_ops") == 0 && type == NADI_NODE_COMP)
        a = draw_size(r, arena);
    else if (strcmp(name, "tensor_size") == 0 && type >= NADI_NODE_MEM_LOAD && !comm)
        a = draw_size(r, arena);
    else if (strcmp(name, "comm_size") == 0 && comm)
        a = draw_size(r, arena);
    else if (strcmp(name, "comm_type") == 0 && coll) {
        a = draw_integer(r, arena);
        a.value.bits %= NADI_COLLECTIVE_KINDS;
    } else if (strcmp(name, "comm_type") == 0 && type >= NADI_NODE_MEM_LOAD && !comm)
        name = "comm_typed"; /* of a memory node it is one of two: unit.trace has them */
    else if (strcmp(name, "comm_priority") == 0 && coll)
        a = draw_u32(r, arena);
    else if (strncmp(name, "comm_", 5) == 0 && strlen(name) == 8 && comm)
        a = draw_u32(r, arena);
    else if (strcmp(name, "pg_name") == 0 && coll) {
        a.member = nadi_rng_below(r, 2) ? NADI_MEMBER_STRING : NADI_MEMBER_BYTES;
        a.value = draw_value(r, arena);
    } else if (strcmp(name, "involved_dim") == 0 && coll)
        a = draw_list(r, arena, NADI_MEMBER_BOOL);
    a.name = name;
    return a;
}

/* Fields that no schema of today knows, in every wire type. */
static void put_unknown(struct nadi_rng *r, struct nadi_str *message)
{
    uint32_t number = (uint32_t)rng_between(r, 40, 5000);
    switch (nadi_rng_below(r, 5)) {
    case 0:
        wire_put_number(message, number, nadi_rng_u64(r));
        break;
    case 1:
        wire_put_text(message, number, "unknown");
        break;
    case 2:
        wire_put_fixed(message, number, nadi_rng_u64(r), 8);
        break;
    case 3:
        wire_put_fixed(message, number, nadi_rng_u64(r), 4);
        break;
    default:
        break;
    }
}

/* An attribute that no writer would make: unknown fields, a comment, two members of the oneof, the
 * name in the middle. */
static void put_odd_attr(struct nadi_rng *r, struct nadi_str *message)
{
    struct nadi_str attr = NADI_STR_INIT;
    wire_put_number(&attr, NADI_MEMBER_INT64, draw_bits(r) >> 1);
    put_unknown(r, &attr);
    wire_put_text(&attr, 1, nadi_rng_below(r, 2) ? "num_ops" : "tensor_size");
    wire_put_text(&attr, 2, "a comment");
    static const uint32_t longer[] = {NADI_MEMBER_UINT32, NADI_MEMBER_UINT64, NADI_MEMBER_BOOL};
    switch (nadi_rng_below(r, 3)) {
    case 0:
        wire_put_fixed(&attr, NADI_MEMBER_FIXED32, draw_bits(r), 4);
        break;
    case 1:
        wire_put_number(&attr, NADI_MEMBER_SINT64, draw_bits(r) >> 1 << 1); /* 0 or more */
        break;
    default: /* more bits than the type has */
        wire_put_number(&attr, longer[nadi_rng_below(r, 3)], draw_bits(r));
        break;
    }
    wire_put_message(message, 10, &attr);
    nadi_str_release(&attr);
}

struct drawn {
    struct nadi_arena arena;
    struct nadi_str file; /* plain */
    size_t nodes;
    uint64_t ids[MOST_NODES];
};

static void draw_ids(struct nadi_rng *r, struct drawn *d)
{
    uint64_t step = UINT64_C(1) << nadi_rng_below(r, 50);
    uint64_t id = nadi_rng_below(r, 3) ? nadi_rng_below(r, 100) : nadi_rng_u64(r) >> 1;
    d->nodes = nadi_rng_below(r, MOST_NODES) + 1;
    for (size_t i = 0; i < d->nodes; i++) {
        d->ids[i] = id;
        id += 1 + nadi_rng_below(r, step);
    }
}

/* Dependencies on nodes before it in the list of ids: no cycle. */
static size_t draw_deps(struct nadi_rng *r, const struct drawn *d, size_t node, uint64_t *deps)
{
    size_t count = node ? nadi_rng_below(r, MOST_DEPS) : 0;
    for (size_t i = 0; i < count; i++)
        deps[i] = d->ids[nadi_rng_below(r, node)];
    return count;
}

static void put_node(struct nadi_rng *r, struct drawn *d, size_t i)
{
    uint64_t data[MOST_DEPS], ctrl[MOST_DEPS];
    struct nadi_write_attr attrs[MOST_ATTRS];
    uint32_t type = (uint32_t)nadi_rng_below(r, NADI_NODE_TYPES);
    struct nadi_write_node node = {.id = d->ids[i],
                                   .name = draw_text(r, &d->arena),
                                   .type = type,
                                   .start_time_micros = nadi_rng_u64(r),
                                   .duration_micros = draw_bits(r) / 1000,
                                   .data_deps = data,
                                   .ctrl_deps = ctrl,
                                   .attrs = attrs};
    node.data_dep_count = draw_deps(r, d, i, data);
    node.ctrl_dep_count = draw_deps(r, d, i, ctrl);
    if (nadi_rng_below(r, 4) == 0) {
        node.inputs.values = draw_text(r, &d->arena);
        node.outputs.shapes = draw_text(r, &d->arena);
    }
    node.attr_count = nadi_rng_below(r, MOST_ATTRS + 1);
    for (size_t k = 0; k < node.attr_count; k++)
        attrs[k] = draw_attr(r, &d->arena, type);
    /* Written as a file of its own, so that fields can be added before and after. */
    struct nadi_str frame = NADI_STR_INIT, message = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(&frame, NADI_CODING_PLAIN);
    nadi_trace_writer_node(w, &node);
    assert_true(nadi_trace_writer_close(w, &diags));
    size_t header = 0;
    while ((unsigned char)frame.text[header++] >= 0x80)
        ;
    put_unknown(r, &message);
    if (type == NADI_NODE_COMP && nadi_rng_below(r, 3) == 0)
        put_odd_attr(r, &message);
    if (i && nadi_rng_below(r, 3) == 0)
        wire_put_number(&message, 4, d->ids[nadi_rng_below(r, i)]); /* not packed */
    nadi_str_add_bytes(&message, frame.text + header, frame.length - header);
    if (i && nadi_rng_below(r, 3) == 0)
        wire_put_number(&message, 5, d->ids[nadi_rng_below(r, i)]);
    put_unknown(r, &message);
    wire_put_frame(&d->file, &message);
    nadi_str_release(&frame);
    nadi_str_release(&message);
    nadi_diags_release(&diags);
}

static void draw_file(struct nadi_rng *r, struct drawn *d)
{
    size_t order[MOST_NODES];
    *d = (struct drawn){0};
    nadi_arena_init(&d->arena);
    draw_ids(r, d);
    wire_put_hex(&d->file, "030a0178");
    for (size_t i = 0; i < d->nodes; i++)
        order[i] = i;
    if (nadi_rng_below(r, 2)) {
        for (size_t i = d->nodes; i > 1; i--) {
            size_t k = nadi_rng_below(r, i), swap = order[k];
            order[k] = order[i - 1];
            order[i - 1] = swap;
        }
    }
    for (size_t i = 0; i < d->nodes; i++)
        put_node(r, d, order[i]);
}

#ifdef NADI_HAVE_PROTOBUF_C

static const Chakra__AttributeProto *find_attr(const Chakra__Node *n, const char *name)
{
    for (size_t i = 0; i < n->n_attr; i++) {
        if (strcmp(n->attr[i]->name, name) == 0)
            return n->attr[i];
    }
    return NULL;
}

static uint64_t integer_of(const Chakra__AttributeProto *a)
{
    switch ((int)a->value_case) {
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_INT32_VAL:
        return (uint64_t)a->int32_val;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_INT64_VAL:
        return (uint64_t)a->int64_val;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_UINT32_VAL:
        return a->uint32_val;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_UINT64_VAL:
        return a->uint64_val;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_SINT32_VAL:
        return (uint64_t)a->sint32_val;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_SINT64_VAL:
        return (uint64_t)a->sint64_val;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_FIXED32_VAL:
        return a->fixed32_val;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_FIXED64_VAL:
        return a->fixed64_val;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_SFIXED32_VAL:
        return (uint64_t)a->sfixed32_val;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_SFIXED64_VAL:
        return (uint64_t)a->sfixed64_val;
    default:
        assert_int_equal(a->value_case, CHAKRA__ATTRIBUTE_PROTO__VALUE_BOOL_VAL);
        return a->bool_val ? 1 : 0;
    }
}

/* The value in protobuf-c of an attribute, and its flag when there is one. */
static uint64_t reference_integer(const Chakra__Node *n, const char *name, unsigned flag,
                                  unsigned *flags)
{
    const Chakra__AttributeProto *a = find_attr(n, name);
    if (!a)
        return 0;
    *flags |= flag;
    return integer_of(a);
}

static void compare_group(const struct nadi_trace *t, const struct nadi_trace_comm *c,
                          const Chakra__Node *n)
{
    const Chakra__AttributeProto *group = find_attr(n, "pg_name");
    assert_int_equal(c->group == NADI_NONE, group == NULL);
    if (!group)
        return;
    const char *text = nadi_trace_string(t, c->group);
    if (group->value_case == CHAKRA__ATTRIBUTE_PROTO__VALUE_STRING_VAL) {
        assert_string_equal(text, group->string_val);
    } else {
        assert_int_equal(strlen(text), group->bytes_val.len);
        assert_memory_equal(text, group->bytes_val.data ? (const char *)group->bytes_val.data : "",
                            strlen(text));
    }
}

static void compare_involved(const struct nadi_trace_comm *c, const Chakra__Node *n)
{
    const Chakra__AttributeProto *a = find_attr(n, "involved_dim");
    uint32_t bits = a ? 0 : UINT32_MAX;
    size_t count = a ? a->bool_list->n_values : 0;
    for (size_t i = 0; i < count; i++)
        bits |= a->bool_list->values[i] ? 1u << i : 0;
    assert_int_equal(c->involved, bits);
    assert_int_equal(c->involved_count, count);
}

/* The root of a collective that has one; the ends of others are not kept. */
static void compare_root(const struct nadi_trace *t, uint32_t i, const Chakra__Node *n,
                         unsigned *flags)
{
    const struct nadi_trace_comm *c = nadi_trace_comm(t, i);
    bool from = t->collective[i] == NADI_BROADCAST || t->collective[i] == NADI_SCATTER;
    bool to = t->collective[i] == NADI_REDUCE || t->collective[i] == NADI_GATHER;
    uint64_t src = from ? reference_integer(n, "comm_src", NADI_NODE_HAS_SRC, flags) : 0;
    uint64_t dst = to ? reference_integer(n, "comm_dst", NADI_NODE_HAS_DST, flags) : 0;
    assert_int_equal(c->src, (uint32_t)src);
    assert_int_equal(c->dst, (uint32_t)dst);
}

static void compare_comm(const struct nadi_trace *t, uint32_t i, const Chakra__Node *n,
                         unsigned *flags)
{
    const struct nadi_trace_comm *c = nadi_trace_comm(t, i);
    assert_non_null(c);
    assert_int_equal(t->bytes[i], reference_integer(n, "comm_size", NADI_NODE_HAS_BYTES, flags));
    if (t->type[i] == NADI_NODE_COLL) {
        unsigned none = 0;
        assert_int_equal(t->collective[i],
                         reference_integer(n, "comm_type", NADI_NODE_HAS_KIND, flags));
        assert_int_equal(c->priority,
                         (int32_t)(uint32_t)reference_integer(n, "comm_priority", 0, &none));
        compare_group(t, c, n);
        compare_involved(c, n);
        compare_root(t, i, n, flags);
        return;
    }
    assert_int_equal(c->src, (uint32_t)reference_integer(n, "comm_src", NADI_NODE_HAS_SRC, flags));
    assert_int_equal(c->dst, (uint32_t)reference_integer(n, "comm_dst", NADI_NODE_HAS_DST, flags));
    assert_int_equal(c->tag, (uint32_t)reference_integer(n, "comm_tag", NADI_NODE_HAS_TAG, flags));
}

static void compare_deps(const struct nadi_trace *t, uint32_t i, const Chakra__Node *n)
{
    uint32_t k = t->dep_start[i];
    for (size_t j = 0; j < n->n_data_deps + n->n_ctrl_deps; j++) {
        uint64_t id = j < n->n_data_deps ? n->data_deps[j] : n->ctrl_deps[j - n->n_data_deps];
        bool repeated = false;
        for (uint32_t before = t->dep_start[i]; before < k; before++)
            repeated = repeated || t->id[t->deps[before]] == id;
        if (!repeated)
            assert_int_equal(t->id[t->deps[k++]], id);
    }
    assert_int_equal(k, t->dep_start[i + 1]);
}

static void compare_metadata(const struct nadi_trace *t, uint32_t i, const Chakra__Node *n)
{
    const char *text = NULL;
    for (uint32_t k = 0; k < t->metadata_count; k++) {
        if (t->metadata_node[k] == i)
            text = nadi_trace_string(t, t->metadata_text[k]);
    }
    bool has = t->type[i] == NADI_NODE_METADATA && n->inputs && *n->inputs->values;
    assert_int_equal(text != NULL, has);
    if (has)
        assert_string_equal(text, n->inputs->values);
}

static void compare_node(const struct nadi_trace *t, uint32_t i, const Chakra__Node *n)
{
    unsigned flags = 0;
    assert_int_equal(t->id[i], n->id);
    assert_string_equal(nadi_trace_name(t, i), n->name);
    assert_int_equal(t->type[i], n->type);
    assert_int_equal(t->duration_ns[i], n->duration_micros * 1000);
    if (reference_integer(n, "is_cpu_op", 0, &flags))
        flags |= NADI_NODE_IS_CPU;
    if (t->type[i] >= NADI_NODE_SEND) {
        compare_comm(t, i, n, &flags);
    } else {
        assert_int_equal(t->comm[i], NADI_NONE);
        bool comp = t->type[i] == NADI_NODE_COMP;
        bool sized = t->type[i] >= NADI_NODE_MEM_LOAD;
        assert_int_equal(t->ops[i],
                         comp ? reference_integer(n, "num_ops", NADI_NODE_HAS_OPS, &flags) : 0);
        assert_int_equal(t->bytes[i],
                         sized ? reference_integer(n, "tensor_size", NADI_NODE_HAS_BYTES, &flags)
                               : 0);
    }
    assert_int_equal(t->flags[i], flags);
    compare_deps(t, i, n);
    compare_metadata(t, i, n);
}

static void compare_children(const struct nadi_trace *t)
{
    uint32_t total = t->dep_start[t->node_count];
    assert_int_equal(t->child_start[t->node_count], total);
    for (uint32_t i = 0; i < t->node_count; i++) {
        for (uint32_t k = t->child_start[i]; k < t->child_start[i + 1]; k++) {
            uint32_t child = t->children[k], found = 0;
            assert_true(k == t->child_start[i] || t->children[k - 1] < child);
            for (uint32_t j = t->dep_start[child]; j < t->dep_start[child + 1]; j++)
                found += t->deps[j] == i;
            assert_int_equal(found, 1);
        }
    }
}

/* The length in front of a message, which p then points to. */
static size_t frame_bytes(const uint8_t **p)
{
    size_t bytes = 0;
    unsigned shift = 0;
    do {
        bytes |= (size_t)(**p & 0x7f) << shift;
        shift += 7;
    } while (*(*p)++ >= 0x80);
    return bytes;
}

static void compare(const struct nadi_trace *t, const struct drawn *d)
{
    const uint8_t *p = (const uint8_t *)d->file.text + 4, *end = p - 4 + d->file.length;
    assert_int_equal(t->node_count, d->nodes);
    for (uint32_t position = 0; p < end; position++) {
        uint64_t offset = (uint64_t)(p - (const uint8_t *)d->file.text);
        const size_t bytes = frame_bytes(&p);
        Chakra__Node *n = chakra__node__unpack(NULL, bytes, p);
        assert_non_null(n);
        uint32_t i = 0;
        while (i < t->node_count && t->file_index[i] != position)
            i++;
        assert_true(i < t->node_count);
        assert_int_equal(t->offset[i], offset);
        compare_node(t, i, n);
        chakra__node__free_unpacked(n, NULL);
        p += bytes;
    }
    for (uint32_t i = 1; i < t->node_count; i++)
        assert_true(t->id[i] > t->id[i - 1]);
    compare_children(t);
}

static void our_decoder_and_protobuf_c_agree(void **state)
{
    (void)state;
    struct nadi_rng r;
    nadi_rng_init(&r, 20260801, "trace twin");
    for (unsigned k = 0; k < CASES; k++) {
        struct drawn d;
        struct nadi_str stored = NADI_STR_INIT;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        draw_file(&r, &d);
        struct nadi_out *sink = nadi_out_memory(&stored, (enum nadi_coding)(k % 3));
        nadi_out_bytes(sink, d.file.text, d.file.length);
        assert_true(nadi_out_close(sink, &diags));
        struct nadi_trace *t = trace_expect_read(&stored, 0);
        compare(t, &d);
        nadi_trace_destroy(t);
        nadi_str_release(&stored);
        nadi_str_release(&d.file);
        nadi_arena_release(&d.arena);
        nadi_diags_release(&diags);
    }
}

static void compare_packed(const ProtobufCMessage *m, const uint8_t *data, size_t bytes)
{
    assert_non_null(m);
    assert_int_equal(protobuf_c_message_get_packed_size(m), bytes);
    uint8_t *packed = NADI_NEW(uint8_t, bytes + 1);
    protobuf_c_message_pack(m, packed);
    assert_memory_equal(packed, data, bytes);
    nadi_mem_free(packed);
}

static void our_writer_and_protobuf_c_agree(void **state)
{
    (void)state;
    struct nadi_rng r;
    nadi_rng_init(&r, 20261122, "writer and protobuf-c");
    for (unsigned k = 0; k < CASES; k++) {
        struct nadi_str file = NADI_STR_INIT;
        random_trace_any(&r, &file);
        const uint8_t *p = (const uint8_t *)file.text, *end = p + file.length;
        for (bool first = true; p < end; first = false) {
            const size_t bytes = frame_bytes(&p);
            ProtobufCMessage *m = protobuf_c_message_unpack(
                first ? &chakra__global_metadata__descriptor : &chakra__node__descriptor, NULL,
                bytes, p);
            compare_packed(m, p, bytes);
            protobuf_c_message_free_unpacked(m, NULL);
            p += bytes;
        }
        nadi_str_release(&file);
    }
}

#else

static void our_decoder_and_protobuf_c_agree(void **state)
{
    (void)state;
    skip_because("protobuf-c and protoc-c are not installed");
}

#define our_writer_and_protobuf_c_agree our_decoder_and_protobuf_c_agree

#endif

/* Whatever happens to a file, the answer is a trace or a diagnostic. */
static void every_cut_and_every_flip_is_survived(void **state)
{
    (void)state;
    struct nadi_rng r;
    nadi_rng_init(&r, 7, "trace damage");
    for (unsigned k = 0; k < 6; k++) {
        struct drawn d;
        draw_file(&r, &d);
        size_t most = d.file.length < 1500 ? d.file.length : 1500;
        for (size_t at = 0; at < 2 * most; at++) {
            struct nadi_diags diags;
            nadi_diags_init(&diags);
            bool cut = at < most;
            char kept = d.file.text[at % most];
            if (!cut)
                d.file.text[at % most] = (char)(kept ^ (1 << nadi_rng_below(&r, 8)));
            struct nadi_trace *t = nadi_trace_parse(
                "test.et", d.file.text, cut ? at : d.file.length, NADI_TRACE_KEEP_IO, &diags);
            assert_int_equal(t == NULL, diags.errors > 0);
            nadi_trace_destroy(t);
            d.file.text[at % most] = kept;
            nadi_diags_release(&diags);
        }
        nadi_str_release(&d.file);
        nadi_arena_release(&d.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_decoder_and_protobuf_c_agree),
        cmocka_unit_test(our_writer_and_protobuf_c_agree),
        cmocka_unit_test(every_cut_and_every_flip_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
