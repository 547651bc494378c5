/* The writer's bytes, held against what protobuf's own libraries make of the same messages: one
 * message whose bytes stand here, and the digest of many drawn ones, taken when protobuf-c wrote
 * traces. */
#include "base/sha256.h"
#include "support/random_trace.h"
#include "support/wire_put.h"

#include <setjmp.h>

#include <cmocka.h>

static void every_odd_case_has_its_bytes(void **state)
{
    (void)state;
    static const struct nadi_write_value numbers[] = {{.bits = UINT64_MAX}, {.bits = 300}};
    static const struct nadi_write_value texts[] = {{.text = ""}, {.text = "ab"}};
    const struct nadi_write_attr attrs[] = {
        {.name = NULL},                                               /* neither name nor value */
        {.name = "", .member = NADI_MEMBER_STRING, .value.text = ""}, /* an empty value is one */
        {.name = "a", .member = NADI_MEMBER_BYTES, .value.text = "\x00\xff", .value.text_bytes = 2},
        {.name = "b", .member = NADI_MEMBER_INT32, .value.bits = UINT64_MAX},
        {.name = "c", .member = NADI_MEMBER_UINT32, .value.bits = UINT64_MAX},
        {.name = "d", .member = NADI_MEMBER_SINT32, .value.bits = (uint64_t)INT64_C(-2)},
        {.name = "e", .member = NADI_MEMBER_SINT64, .value.bits = (uint64_t)INT64_C(-2)},
        {.name = "f", .member = NADI_MEMBER_BOOL, .value.bits = 7},
        {.name = "g", .member = NADI_MEMBER_FLOAT, .value.real = 0.5},
        {.name = "h", .member = NADI_MEMBER_DOUBLE, .value.real = 0.5},
        {.name = "i", .member = NADI_MEMBER_SFIXED32, .value.bits = UINT64_MAX},
        {.name = "j", .member = NADI_MEMBER_INT32 + 1, .list = numbers, .count = 2},
        {.name = "k", .member = NADI_MEMBER_STRING_LIST, .list = texts, .count = 2},
        {.name = "l", .member = NADI_MEMBER_DOUBLE + 1}, /* an empty list is one */
    };
    static const uint64_t deps[] = {0, 128};
    const struct nadi_write_node node = {
        .id = 1,
        .name = "",
        .type = 0x80000000, /* an enumeration is a signed number of 32 bits */
        .data_deps = deps,
        .data_dep_count = 2,
        .inputs.values = "",
        .outputs.types = "t",
        .attrs = attrs,
        .attr_count = sizeof(attrs) / sizeof(attrs[0]),
    };
    struct nadi_str file = NADI_STR_INIT, wanted = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(&file, NADI_CODING_PLAIN);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = ""});
    nadi_trace_writer_node(w, &(struct nadi_write_node){.id = 0});
    nadi_trace_writer_node(w, &node);
    assert_true(nadi_trace_writer_close(w, &diags));
    wire_put_hex(&wanted, "00 00 a901"
                          "0801 18 80808080f8ffffffff01 2a 03 008001 4200 4a03 1a0174"
                          "5200 5203 ea0100 5208 0a0161 fa010200ff"
                          "520e 0a0162 38 ffffffffffffffffff01"
                          "5209 0a0163 58 ffffffff0f 5205 0a0164 7803 5206 0a0165 880103"
                          "5206 0a0166 d80101 5208 0a0167 2d 0000003f"
                          "520c 0a0168 19 000000000000e03f 5209 0a0169 bd01 ffffffff"
                          "5213 0a016a 420e 0a0c ffffffffffffffffff01 ac02"
                          "520c 0a016b f20106 0a00 0a026162 5205 0a016c 2200");
    assert_int_equal(file.length, wanted.length);
    assert_memory_equal(file.text, wanted.text, wanted.length);
    nadi_str_release(&file);
    nadi_str_release(&wanted);
    nadi_diags_release(&diags);
}

static void drawn_traces_have_the_bytes_of_protobuf(void **state)
{
    enum { TRACES = 300 };
    static const char wanted[] = "bb68a493747cf4e4fcd1b1ab8c4ffb7ece1cc287020b64939003f376ad551d8c";
    struct nadi_rng r;
    struct nadi_sha256 digest;
    uint8_t hash[32];
    char text[65];
    (void)state;
    nadi_rng_init(&r, 20261122, "writer");
    nadi_sha256_begin(&digest);
    for (unsigned i = 0; i < TRACES; i++) {
        struct nadi_str file = NADI_STR_INIT;
        random_trace_any(&r, &file);
        nadi_sha256_add(&digest, file.text, file.length);
        nadi_str_release(&file);
    }
    nadi_sha256_end(&digest, hash);
    nadi_sha256_hex(hash, text);
    assert_string_equal(text, wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_odd_case_has_its_bytes),
        cmocka_unit_test(drawn_traces_have_the_bytes_of_protobuf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
