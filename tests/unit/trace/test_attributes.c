/* Which attribute of which kind means what on which node type, and what is refused. */
#include "support/trace_expect.h"
#include "support/wire_put.h"
#include "trace/write.h"

#include <setjmp.h>

#include <cmocka.h>

/* A file with one node, id 7 "n", of a type, with attributes. */
static void put_file(struct nadi_str *file, uint32_t type, const struct nadi_write_attr *attrs,
                     size_t count)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    nadi_str_clear(file);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(file, NADI_CODING_PLAIN);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    nadi_trace_writer_node(w, &(struct nadi_write_node){.id = 7,
                                                        .name = "n",
                                                        .type = type,
                                                        .duration_micros = 3,
                                                        .attrs = attrs,
                                                        .attr_count = count});
    assert_true(nadi_trace_writer_close(w, &diags));
    nadi_diags_release(&diags);
}

static struct nadi_trace *read_node(uint32_t type, const struct nadi_write_attr *attrs,
                                    size_t count, unsigned flags)
{
    struct nadi_str file = NADI_STR_INIT;
    put_file(&file, type, attrs, count);
    struct nadi_trace *t = trace_expect_read(&file, flags);
    nadi_str_release(&file);
    return t;
}

static void refuse_node(uint32_t type, const struct nadi_write_attr *attrs, size_t count,
                        const char *code, const char *says)
{
    struct nadi_str file = NADI_STR_INIT;
    put_file(&file, type, attrs, count);
    trace_expect_fault(&file, NADI_TRACE_KEEP_IO,
                       (struct trace_fault){code, NADI_NO_OFFSET, says, "7 \"n\""});
    nadi_str_release(&file);
}

/* Of the file's one node, which must be SEND, RECV or COLL. */
static struct nadi_trace_comm comm_of(const struct nadi_trace *t)
{
    const struct nadi_trace_comm *c = nadi_trace_comm(t, 0);
    NADI_ASSERT(c);
    return *c;
}

static struct nadi_write_attr number(const char *name, uint32_t member, uint64_t bits)
{
    return (struct nadi_write_attr){.name = name, .member = member, .value.bits = bits};
}

static void every_integer_width_is_a_size(void **state)
{
    (void)state;
    static const uint32_t members[] = {
        NADI_MEMBER_INT32,    NADI_MEMBER_INT64,    NADI_MEMBER_UINT32,  NADI_MEMBER_UINT64,
        NADI_MEMBER_SINT32,   NADI_MEMBER_SINT64,   NADI_MEMBER_FIXED32, NADI_MEMBER_FIXED64,
        NADI_MEMBER_SFIXED32, NADI_MEMBER_SFIXED64,
    };
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        struct nadi_write_attr attrs[] = {number("comm_size", members[i], 0x7fffffff),
                                          number("comm_type", members[i], 6)};
        struct nadi_trace *t = read_node(NADI_NODE_COLL, attrs, 2, 0);
        assert_int_equal(t->bytes[0], 0x7fffffff);
        assert_int_equal(t->collective[0], NADI_ALL_TO_ALL);
        assert_int_equal(t->flags[0], NADI_NODE_HAS_BYTES | NADI_NODE_HAS_KIND);
        nadi_trace_destroy(t);
    }
}

static void a_bool_is_an_integer(void **state)
{
    (void)state;
    struct nadi_write_attr attr = nadi_write_bool("comm_size", true);
    struct nadi_trace *t = read_node(NADI_NODE_SEND, &attr, 1, 0);
    assert_int_equal(t->bytes[0], 1);
    nadi_trace_destroy(t);
}

static void is_cpu_op_of_any_integer(void **state)
{
    (void)state;
    static const struct {
        uint32_t member;
        uint64_t bits;
        bool cpu;
    } cases[] = {
        {NADI_MEMBER_BOOL, 1, true},           {NADI_MEMBER_BOOL, 0, false},
        {NADI_MEMBER_INT32, UINT64_MAX, true}, {NADI_MEMBER_INT64, UINT64_C(1) << 40, true},
        {NADI_MEMBER_UINT64, 0, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_write_attr attr = number("is_cpu_op", cases[i].member, cases[i].bits);
        struct nadi_trace *t = read_node(NADI_NODE_COMP, &attr, 1, 0);
        assert_int_equal(t->flags[0] & NADI_NODE_IS_CPU, cases[i].cpu ? NADI_NODE_IS_CPU : 0);
        nadi_trace_destroy(t);
    }
}

static void send_has_what_it_has(void **state)
{
    (void)state;
    const struct nadi_write_attr attrs[] = {
        nadi_write_int64("comm_size", 4096),
        nadi_write_int32("comm_src", 3),
        nadi_write_int32("comm_dst", 5),
        nadi_write_int32("comm_tag", -1),
        nadi_write_string("pg_name", "ignored here"),
    };
    struct nadi_trace *t = read_node(NADI_NODE_SEND, attrs, 5, 0);
    struct nadi_trace_comm c = comm_of(t);
    assert_int_equal(t->flags[0], NADI_NODE_HAS_BYTES | NADI_NODE_HAS_SRC | NADI_NODE_HAS_DST |
                                      NADI_NODE_HAS_TAG);
    assert_int_equal(c.src, 3);
    assert_int_equal(c.dst, 5);
    assert_int_equal(c.tag, UINT32_MAX);
    assert_int_equal(c.group, NADI_NONE);
    assert_int_equal(t->duration_ns[0], 3000);
    nadi_trace_destroy(t);
    t = read_node(NADI_NODE_RECV, attrs + 2, 1, 0);
    assert_int_equal(t->flags[0], NADI_NODE_HAS_DST);
    nadi_trace_destroy(t);
}

static void collective_with_group_and_dimensions(void **state)
{
    (void)state;
    const struct nadi_write_value yes = {.bits = 1}, no = {.bits = 0};
    const struct nadi_write_value involved[] = {yes, no, yes};
    const struct nadi_write_attr attrs[] = {
        nadi_write_int64("comm_type", 7),
        nadi_write_int32("comm_priority", -4),
        {.name = "involved_dim", .member = NADI_MEMBER_BOOL_LIST, .list = involved, .count = 3},
        {.name = "pg_name",
         .member = NADI_MEMBER_BYTES,
         .value = {.text = "tensor", .text_bytes = 6}},
    };
    struct nadi_trace *t = read_node(NADI_NODE_COLL, attrs, 4, 0);
    struct nadi_trace_comm c = comm_of(t);
    assert_int_equal(t->collective[0], NADI_REDUCE_SCATTER);
    assert_int_equal(t->flags[0], NADI_NODE_HAS_KIND);
    assert_int_equal(c.priority, -4);
    assert_int_equal(c.involved, 5);
    assert_int_equal(c.involved_count, 3);
    assert_string_equal(nadi_trace_string(t, c.group), "tensor");
    nadi_trace_destroy(t);
    t = read_node(NADI_NODE_COLL, attrs, 1, 0);
    c = comm_of(t);
    assert_int_equal(c.involved, UINT32_MAX);
    assert_int_equal(c.involved_count, 0);
    assert_int_equal(c.group, NADI_NONE);
    assert_int_equal(c.priority, 0);
    nadi_trace_destroy(t);
}

static void the_first_attribute_of_a_name_wins(void **state)
{
    (void)state;
    const struct nadi_write_attr attrs[] = {
        nadi_write_uint64("num_ops", 11), nadi_write_uint64("num_ops", 22),
        nadi_write_uint64("tensor_size", 33), nadi_write_string("tensor_size", "unread")};
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    put_file(&file, NADI_NODE_COMP, attrs, 4);
    struct nadi_trace *t = nadi_trace_parse("test.et", nadi_str_get(&file), file.length, 0, &diags);
    assert_non_null(t);
    assert_int_equal(diags.count, 1);
    assert_string_equal(diags.items[0].code, "trace/attribute-twice");
    assert_int_equal(t->ops[0], 11);
    assert_int_equal(t->bytes[0], 33);
    assert_int_equal(t->flags[0], NADI_NODE_HAS_OPS | NADI_NODE_HAS_BYTES);
    nadi_trace_destroy(t);
    nadi_diags_release(&diags);
    nadi_str_release(&file);
}

static void the_equal_attribute_is_not_said(void **state)
{
    (void)state;
    const struct nadi_write_attr attrs[] = {nadi_write_uint64("num_ops", 11),
                                            nadi_write_uint64("num_ops", 11)};
    struct nadi_trace *t = read_node(NADI_NODE_COMP, attrs, 2, 0);
    assert_int_equal(t->ops[0], 11);
    nadi_trace_destroy(t);
}

static void the_last_member_of_the_oneof_wins(void **state)
{
    (void)state;
    struct nadi_str file = NADI_STR_INIT, attr = NADI_STR_INIT, node = NADI_STR_INIT;
    wire_put_hex(&file, "030a0178");
    wire_put_text(&attr, NADI_MEMBER_STRING, "five"); /* the name may come last */
    wire_put_number(&attr, NADI_MEMBER_INT64, 5);
    wire_put_text(&attr, 2, "a doc_string");
    wire_put_number(&attr, 99, 5); /* unknown */
    wire_put_text(&attr, 1, "num_ops");
    wire_put_number(&node, 1, 7);
    wire_put_number(&node, 3, NADI_NODE_COMP);
    wire_put_message(&node, 10, &attr);
    wire_put_frame(&file, &node);
    struct nadi_trace *t = trace_expect_read(&file, 0);
    assert_int_equal(t->ops[0], 5);
    nadi_trace_destroy(t);
    nadi_str_release(&file);
    nadi_str_release(&attr);
    nadi_str_release(&node);
}

static void wrong_kinds_are_refused(void **state)
{
    (void)state;
    const struct nadi_write_value one = {.bits = 1};
    const struct {
        uint32_t type;
        struct nadi_write_attr attr;
        const char *says;
    } cases[] = {
        {NADI_NODE_COLL, nadi_write_string("comm_size", "12"),
         "attribute \"comm_size\" holds string_val where an integer or bool is wanted"},
        {NADI_NODE_SEND,
         {.name = "comm_size", .member = NADI_MEMBER_FLOAT, .value.real = 12.0},
         "holds float_val"},
        {NADI_NODE_RECV,
         {.name = "comm_tag", .member = NADI_MEMBER_DOUBLE, .value.real = 1.0},
         "\"comm_tag\" holds double_val"},
        {NADI_NODE_MEM_LOAD,
         {.name = "tensor_size", .member = NADI_MEMBER_UINT64 + 1, .list = &one, .count = 1},
         "\"tensor_size\" holds uint64_list"},
        {NADI_NODE_COLL, {.name = "comm_type"}, "\"comm_type\" holds no value"},
        {NADI_NODE_COMP, nadi_write_string("is_cpu_op", "true"), "\"is_cpu_op\" holds string_val"},
        {NADI_NODE_COLL, nadi_write_int64("pg_name", 3),
         "\"pg_name\" holds int64_val where a string is wanted"},
        {NADI_NODE_COLL, nadi_write_bool("involved_dim", true),
         "\"involved_dim\" holds bool_val where a bool_list is wanted"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refuse_node(cases[i].type, &cases[i].attr, 1, "trace/attribute-kind", cases[i].says);
}

static void out_of_range_is_refused(void **state)
{
    (void)state;
    struct nadi_write_attr attr = nadi_write_int64("comm_size", -5);
    refuse_node(NADI_NODE_COLL, &attr, 1, "trace/attribute-range", "\"comm_size\" is -5, below 0");
    attr = nadi_write_int32("tensor_size", -1);
    refuse_node(NADI_NODE_MEM_STORE, &attr, 1, "trace/attribute-range", "is -1");
    attr = nadi_write_int64("comm_type", 10);
    refuse_node(NADI_NODE_COLL, &attr, 1, "trace/collective-type", "comm_type 10 is no collective");
    attr = nadi_write_int64("comm_type", -1);
    refuse_node(NADI_NODE_COLL, &attr, 1, "trace/collective-type", "comm_type -1 is");
    attr = nadi_write_uint64("comm_type", UINT64_MAX);
    refuse_node(NADI_NODE_COLL, &attr, 1, "trace/collective-type", "18446744073709551615");
}

/* What no run may read is no error, but a warning where some runs do. */
static void read_by_some_runs_only(void **state)
{
    (void)state;
    const struct {
        uint32_t type;
        struct nadi_write_attr attr;
        const char *code; /* of the warning, NULL: none */
    } cases[] = {
        {NADI_NODE_COMP, nadi_write_string("num_ops", "many"), "trace/attribute-kind"},
        {NADI_NODE_COMP, nadi_write_int64("num_ops", -1), "trace/attribute-range"},
        {NADI_NODE_COMP, nadi_write_string("tensor_size", "big"), "trace/attribute-kind"},
        {NADI_NODE_SEND, nadi_write_uint64("comm_dst", UINT64_C(1) << 32), "trace/attribute-range"},
        {NADI_NODE_COMP, nadi_write_string("comm_size", "unread"), NULL},
        {NADI_NODE_INVALID, nadi_write_string("tensor_size", "unread"), NULL},
        {NADI_NODE_SEND, nadi_write_int64("pg_name", 1), NULL},
        {NADI_NODE_COLL, nadi_write_string("comm_tag", "unread"), NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_str file = NADI_STR_INIT;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        put_file(&file, cases[i].type, &cases[i].attr, 1);
        struct nadi_trace *t =
            nadi_trace_parse("test.et", nadi_str_get(&file), file.length, 0, &diags);
        assert_non_null(t);
        assert_int_equal(diags.errors, 0);
        assert_int_equal(diags.warnings, cases[i].code ? 1 : 0);
        if (cases[i].code)
            assert_string_equal(diags.items[0].code, cases[i].code);
        assert_int_equal(t->flags[0] & (NADI_NODE_HAS_OPS | NADI_NODE_HAS_BYTES), 0);
        nadi_trace_destroy(t);
        nadi_diags_release(&diags);
        nadi_str_release(&file);
    }
}

static struct nadi_write_attr texts(const char *name, const struct nadi_write_value *list,
                                    size_t count)
{
    return (struct nadi_write_attr){
        .name = name, .member = NADI_MEMBER_STRING_LIST, .list = list, .count = count};
}

static void inputs_and_outputs(void **state)
{
    (void)state;
    static const struct nadi_write_value in[] = {
        {.text = "w"}, {.text = "1048576"}, {.text = "x"}, {.text = "512.0"}};
    static const struct nadi_write_value out[] = {{.text = "y"}, {.text = "0"}};
    const struct nadi_write_attr attrs[] = {texts("outputs", out, 2), texts("inputs", in, 4)};
    struct nadi_trace *t = read_node(NADI_NODE_COMP, attrs, 2, NADI_TRACE_KEEP_IO);
    assert_int_equal(t->io_count, 3);
    assert_int_equal(t->flags[0], NADI_NODE_HAS_IO);
    assert_string_equal(nadi_trace_string(t, t->io[1].name), "x");
    assert_int_equal(t->io[0].bytes, 1048576);
    assert_int_equal(t->io[1].bytes, 512);
    assert_false(t->io[1].is_output);
    assert_true(t->io[2].is_output);
    assert_int_equal(t->io[2].bytes, 0);
    nadi_trace_destroy(t);
    t = read_node(NADI_NODE_COMP, attrs, 2, 0);
    assert_int_equal(t->io_count, 0);
    assert_int_equal(t->flags[0], 0);
    nadi_trace_destroy(t);
    const struct nadi_write_attr not_lists[] = {nadi_write_string("inputs", "none"),
                                                texts("outputs", NULL, 0)};
    t = read_node(NADI_NODE_COMP, not_lists, 2, NADI_TRACE_KEEP_IO);
    assert_int_equal(t->io_count, 0);
    assert_int_equal(t->flags[0], NADI_NODE_HAS_IO);
    nadi_trace_destroy(t);
}

static void bad_inputs_and_outputs(void **state)
{
    (void)state;
    static const struct nadi_write_value odd[] = {{.text = "w"}, {.text = "1"}, {.text = "x"}};
    static const char *const sizes[] = {"", "-1", "1e6", "0x10", " 5", "18446744073709551616", "."};
    struct nadi_write_attr attr = texts("inputs", odd, 3);
    refuse_node(NADI_NODE_COMP, &attr, 1, "trace/io-list", "\"inputs\" has an odd number of texts");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct nadi_write_value pair[] = {{.text = "w"}, {.text = sizes[i]}};
        attr = texts("outputs", pair, 2);
        refuse_node(NADI_NODE_COMP, &attr, 1, "trace/io-list",
                    "\"outputs\" has a size that is no decimal number");
    }
}

static void metadata_nodes_keep_their_text(void **state)
{
    (void)state;
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(&file, NADI_CODING_PLAIN);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){0});
    /* ids in falling order: texts must follow their nodes */
    nadi_trace_writer_node(w, &(struct nadi_write_node){
                                  .id = 9,
                                  .type = NADI_NODE_METADATA,
                                  .inputs = {.values = "['[nine]']", .shapes = "s", .types = "t"}});
    nadi_trace_writer_node(w, &(struct nadi_write_node){.id = 8, .type = NADI_NODE_METADATA});
    nadi_trace_writer_node(w, &(struct nadi_write_node){
                                  .id = 4, .type = NADI_NODE_METADATA, .inputs.values = "four\n"});
    nadi_trace_writer_node(
        w, &(struct nadi_write_node){.id = 1, .type = NADI_NODE_COMP, .inputs.values = "unread"});
    assert_true(nadi_trace_writer_close(w, &diags));
    struct nadi_trace *t = trace_expect_read(&file, 0);
    assert_int_equal(t->metadata_count, 2);
    assert_int_equal(t->metadata_node[0], 1);
    assert_string_equal(nadi_trace_string(t, t->metadata_text[0]), "four\n");
    assert_int_equal(t->metadata_node[1], 3);
    assert_string_equal(nadi_trace_string(t, t->metadata_text[1]), "['[nine]']");
    nadi_trace_destroy(t);
    nadi_str_release(&file);
    nadi_diags_release(&diags);
}

static void durations_that_overflow(void **state)
{
    (void)state;
    struct nadi_str file = NADI_STR_INIT, node = NADI_STR_INIT;
    wire_put_hex(&file, "030a0178");
    wire_put_number(&node, 1, 7);
    wire_put_number(&node, 7, UINT64_MAX / 1000);
    wire_put_frame(&file, &node);
    struct nadi_trace *t = trace_expect_read(&file, 0);
    assert_int_equal(t->duration_ns[0], UINT64_MAX / 1000 * 1000);
    nadi_trace_destroy(t);
    wire_put_number(&node, 1, 8);
    wire_put_number(&node, 7, UINT64_MAX / 1000 + 1);
    wire_put_frame(&file, &node);
    trace_expect_fault(&file, 0,
                       (struct trace_fault){"trace/overflow", NADI_NO_OFFSET,
                                            "duration_micros 18446744073709552 is more", "8"});
    nadi_str_release(&file);
    nadi_str_release(&node);
}

/* The node's duration_micros is 3. */
static void nanoseconds_refine_microseconds(void **state)
{
    (void)state;
    static const struct {
        uint64_t nanos, ns;
        size_t warnings;
    } cases[] = {{3000, 3000, 0}, {3999, 3999, 0}, {4000, 3000, 1}, {2999, 3000, 1}, {0, 3000, 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct nadi_write_attr a = nadi_write_uint64("duration_nanos", cases[i].nanos);
        struct nadi_str file = NADI_STR_INIT;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        put_file(&file, NADI_NODE_COMP, &a, 1);
        struct nadi_trace *t = nadi_trace_parse("t.et", file.text, file.length, 0, &diags);
        assert_non_null(t);
        assert_int_equal(t->duration_ns[0], cases[i].ns);
        assert_int_equal(diags.warnings, cases[i].warnings);
        nadi_trace_destroy(t);
        nadi_diags_release(&diags);
        nadi_str_release(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integer_width_is_a_size),
        cmocka_unit_test(a_bool_is_an_integer),
        cmocka_unit_test(is_cpu_op_of_any_integer),
        cmocka_unit_test(send_has_what_it_has),
        cmocka_unit_test(collective_with_group_and_dimensions),
        cmocka_unit_test(the_first_attribute_of_a_name_wins),
        cmocka_unit_test(the_equal_attribute_is_not_said),
        cmocka_unit_test(the_last_member_of_the_oneof_wins),
        cmocka_unit_test(wrong_kinds_are_refused),
        cmocka_unit_test(out_of_range_is_refused),
        cmocka_unit_test(read_by_some_runs_only),
        cmocka_unit_test(inputs_and_outputs),
        cmocka_unit_test(bad_inputs_and_outputs),
        cmocka_unit_test(metadata_nodes_keep_their_text),
        cmocka_unit_test(durations_that_overflow),
        cmocka_unit_test(nanoseconds_refine_microseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
