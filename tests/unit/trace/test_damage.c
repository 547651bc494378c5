/* Every way in which a trace can be wrong: code, byte offset and words of the first diagnostic. */
#include "support/trace_expect.h"
#include "support/wire_put.h"

#include <setjmp.h>

#include <cmocka.h>

#define META  "030a0178"           /* GlobalMetadata with version "x", 4 bytes */
#define NODE1 "08080112026e311804" /* id 1, "n1", COMP_NODE; 9 bytes */
#define NODE2 "08080212026e321804" /* id 2, "n2" */

struct damage {
    const char *what;
    const char *hex;
    struct trace_fault fault;
};

static void check_all(const struct damage *damages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct nadi_str file = NADI_STR_INIT;
        wire_put_hex(&file, damages[i].hex);
        trace_expect_fault(&file, NADI_TRACE_KEEP_IO, damages[i].fault);
        nadi_str_release(&file);
    }
}
#define CHECK_ALL(damages) check_all(damages, sizeof(damages) / sizeof((damages)[0]))

static void the_tables_own_nodes_are_fine(void **state)
{
    (void)state;
    struct nadi_str file = NADI_STR_INIT;
    wire_put_hex(&file, META NODE1 NODE2);
    struct nadi_trace *t = trace_expect_read(&file, 0);
    assert_int_equal(t->node_count, 2);
    assert_string_equal(nadi_trace_name(t, 1), "n2");
    nadi_trace_destroy(t);
    nadi_str_release(&file);
}

static void not_a_trace(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {"empty", "", {"trace/empty-file", 0, "the file is empty", NULL}},
        {"text",
         "68656c6c6f20776f726c640a",
         {"trace/not-chakra", 0, "not a Chakra ET (first bytes 68 65 6c 6c 6f 20 77 6f \"hello wo",
          NULL}},
        {"one odd byte", "41", {"trace/not-chakra", 0, "41 \"A\"", NULL}},
        {"zeros",
         "0000000000",
         {"trace/empty-message", 1, "message 2 at byte 1 has length 0", NULL}},
        {"JSON", "7b22736368656d61223a2022312e302e32227d", {"trace/not-chakra", 0, "7b 22", NULL}},
        {"first message is noise",
         "08 9999999999999999 " NODE1,
         {"trace/not-chakra", 0, NULL, NULL}},
        {"only unknown fields", "02 7801 " NODE1, {"trace/not-chakra", 0, NULL, NULL}},
        {"an endless length",
         "ffffffffffff",
         {"trace/bad-length", 0, "more than 34359738368", NULL}},
    };
    CHECK_ALL(damages);
}

static void truncated(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {"in the metadata",
         "030a01",
         {"trace/truncated", 0, "message 1 at byte 0 announces 3 bytes, 2 left (file truncated?)",
          NULL}},
        {"in a node",
         META NODE1 "08080212",
         {"trace/truncated", 13, "message 3 at byte 13 announces 8 bytes, 3 left (file truncated?)",
          NULL}},
        {"right after a length",
         META "08",
         {"trace/truncated", 4, "message 2 at byte 4 announces 8 bytes, 0 left", NULL}},
        {"in a length",
         META "8080",
         {"trace/truncated", 4, "ends inside the length of message 2 at byte 4", NULL}},
        {"a length beyond the limit",
         META "8080808008",
         {"trace/bad-length", 4, "announces 2147483648 bytes; a message holds at most 2147483647",
          NULL}},
        {"a length of six bytes", META "ffffffffff01", {"trace/bad-length", 4, "more than", NULL}},
        {"a node of length 0",
         META NODE1 "00" NODE2,
         {"trace/empty-message", 13, "message 3 at byte 13 has length 0", NULL}},
    };
    CHECK_ALL(damages);
}

static void bad_wire(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {"a group",
         META "03 0801 63",
         {"trace/bad-message", 7, "message 2 at byte 4: field 12 has wire type 3 (start of group)",
          NULL}},
        {"field number 0",
         META "02 0001",
         {"trace/bad-message", 5, "has a field whose number is not allowed", NULL}},
        {"a field that is cut",
         META "04 0801 1205",
         {"trace/bad-message", 7, "inside a field", NULL}},
        {"id as text",
         META "03 0a0131",
         {"trace/bad-message", 5,
          "id (field 1) is stored as a length and bytes where a varint is wanted", NULL}},
        {"name as a number", META "02 1001", {"trace/bad-message", 5, "name (field 2)", NULL}},
        {"deps as 32-bit values",
         META "05 2d01000000",
         {"trace/bad-message", 5, "data_deps", NULL}},
        {"packed deps cut",
         META "04 2202 01 80",
         {"trace/bad-message", NADI_NO_OFFSET, "ends inside a number", NULL}},
        {"attribute name as number",
         META "04 5202 0801",
         {"trace/bad-message", 7, "an attribute's name", NULL}},
        {"int64_val as text",
         META "05 5203 4a0131",
         {"trace/bad-message", 7, "int64_val (field 9) is stored as a length and bytes", NULL}},
        {"inputs.values as a number",
         META "04 4202 0801",
         {"trace/bad-message", 7, "inputs.values", NULL}},
        {"bool_list cut inside a number",
         META "1a 0801 1807 5214 0a0c696e766f6c7665645f64696d e201 03 0a0180",
         {"trace/bad-message", 9, "\"involved_dim\" is damaged", "1"}},
    };
    CHECK_ALL(damages);
}

static void other_schemas(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {"no metadata",
         NODE1 NODE2,
         {"trace/no-metadata", 0, "first message is a Node where GlobalMetadata must stand", NULL}},
        {"version 0.0.2",
         "070a05302e302e32" NODE1,
         {"trace/old-schema", 0, "written with Chakra schema 0.0.2", NULL}},
        {"schema attribute of 0.0.1",
         "1d121b 0a06736368656d61 ea0110312e302d6368616b72612e302e302e31" NODE1,
         {"trace/old-schema", 0, NULL, NULL}},
        {"old node first",
         "0e 0801 1803 5a08 0a0161 1001 2a0178",
         {"trace/old-schema", 0, "first message follows an old Chakra schema", NULL}},
        {"old node: attributes in field 11",
         META "09 0801 5a05 0a0161 1001",
         {"trace/old-schema", 7, "message 2 at byte 4 is a node of an old Chakra schema", NULL}},
        {"old node: texts in field 6",
         META "05 0801 320161",
         {"trace/old-schema", 7, "fields 6 and 7 are texts", NULL}},
        {"old attribute with a type number",
         META "09 0801 5205 0a0161 1001",
         {"trace/old-schema", NADI_NO_OFFSET, "type number", NULL}},
        {"storage node of a fork",
         META "07 0801 1808 12 0173",
         {"trace/node-type", 4, "node type 8 (STORAGE_NODE) exists only in forks", "1 \"s\""}},
        {"checkpoint node", META "04 0801 180a", {"trace/node-type", 4, "CHECKPOINT_NODE", "1"}},
        {"type 11", META "04 0801 180b", {"trace/node-type", 4, "node type 11 is not", "1"}},
        {"type -1",
         META "0d 0801 18ffffffffffffffffff01",
         {"trace/node-type", 4, "node type -1 is not", "1"}},
    };
    CHECK_ALL(damages);
}

static void bad_graph(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {"metadata only", META, {"trace/no-nodes", 4, "not a single node", NULL}},
        {"the same id twice",
         META NODE1 NODE2 NODE1,
         {"trace/duplicate-id", 22,
          "id 1 is used twice: by \"n1\" at byte 4 and by \"n1\" at byte 22", "1 \"n1\""}},
        {"a dependency that is not there",
         META NODE1 "04 0802 284d",
         {"trace/dangling-dependency", 13, "depends on id 77, which no node of the file has", "2"}},
        {"a huge dependency",
         META NODE1 "0d 0802 20ffffffffffffffffff01",
         {"trace/dangling-dependency", 13, "id 18446744073709551615", "2"}},
        {"a node after itself",
         META "04 0801 2801",
         {"trace/self-dependency", 4, "depends on itself", "1"}},
        {"two in a circle",
         META "09 0801 12026e31 2a0102 09 0802 12026e32 220101",
         {"trace/cycle", NADI_NO_OFFSET,
          "cycle of 2 nodes: 1 \"n1\" -> 2 \"n2\" -> 1 \"n1\"; 2 of 2 nodes", "1 \"n1\""}},
    };
    CHECK_ALL(damages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_own_nodes_are_fine),
        cmocka_unit_test(not_a_trace),
        cmocka_unit_test(truncated),
        cmocka_unit_test(bad_wire),
        cmocka_unit_test(other_schemas),
        cmocka_unit_test(bad_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
