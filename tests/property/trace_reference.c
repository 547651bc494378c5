/* Our codec beside protobuf-c, where that is installed. Random nodes with attributes of every kind
 * and width, dependencies packed and not, unknown fields, ids in any order, in each coding: every
 * field that a trace keeps must be what protobuf-c reads from the same bytes. The rules of
 * conversion are written a second time here, on protobuf-c's structures. What our writer made,
 * protobuf-c must write again byte for byte. Damaged files are read without it. */
#include "base/mem.h"
#include "support/cases.h"
#include "support/drawn_trace.h"
#include "support/random_trace.h"
#include "support/trace_expect.h"
#include "trace/write.h"

#include <setjmp.h>

#include <cmocka.h>

#ifdef NADI_HAVE_PROTOBUF_C
#include <chakra.pb-c.h>
#else
#include "support/skip.h"
#endif

enum { CASES = CASES_OF(400) };

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

static void compare(const struct nadi_trace *t, const struct drawn_trace *d)
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
        struct drawn_trace d;
        struct nadi_str stored = NADI_STR_INIT;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        drawn_trace(&r, &d);
        struct nadi_out *sink = nadi_out_memory(&stored, (enum nadi_coding)(k % 3));
        nadi_out_bytes(sink, d.file.text, d.file.length);
        assert_true(nadi_out_close(sink, &diags));
        struct nadi_trace *t = trace_expect_doubled(&stored, 0);
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
        struct drawn_trace d;
        drawn_trace(&r, &d);
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
