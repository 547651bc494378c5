/* What `nadi trace check` finds in one file, fault by fault. */
#include "trace/audit.h"

#include "base/mem.h"
#include "support/wire_put.h"
#include "trace/links.h"
#include "trace/write.h"

#include <setjmp.h>

#include <cmocka.h>

struct spec {
    uint64_t id, start, duration;
    uint64_t data[4], ctrl[4];
    size_t data_count, ctrl_count;
    const char *stream; /* a digit */
    bool unnamed;
};

static void put_file(struct nadi_str *file, const struct spec *specs, size_t count)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(file, NADI_CODING_PLAIN);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    for (size_t i = 0; i < count; i++) {
        const struct spec *s = &specs[i];
        struct nadi_write_attr stream =
            nadi_write_int64("stream", s->stream ? s->stream[0] - '0' : 0);
        nadi_trace_writer_node(w, &(struct nadi_write_node){
                                      .id = s->id,
                                      .name = s->unnamed ? "" : "n",
                                      .type = NADI_NODE_COMP,
                                      .start_time_micros = s->start,
                                      .duration_micros = s->duration,
                                      .data_deps = s->data,
                                      .data_dep_count = s->data_count,
                                      .ctrl_deps = s->ctrl,
                                      .ctrl_dep_count = s->ctrl_count,
                                      .attrs = &stream,
                                      .attr_count = s->stream ? 1 : 0,
                                  });
    }
    assert_true(nadi_trace_writer_close(w, &diags));
    nadi_diags_release(&diags);
}

struct expected {
    const char *code;
    enum nadi_severity severity;
    const char *says; /* part of the message */
};

/* The audit of `file` must add exactly these. */
static void expect(const struct nadi_str *file, const struct expected *list, size_t count)
{
    struct nadi_diags diags;
    struct nadi_audit audit;
    bool sound = true;
    nadi_diags_init(&diags);
    nadi_audit_memory(&audit, "t.et", nadi_str_get(file), file->length, &diags);
    for (size_t i = 0; i < count && i < diags.count; i++) {
        assert_string_equal(diags.items[i].code, list[i].code);
        assert_int_equal(diags.items[i].severity, list[i].severity);
        if (!strstr(diags.items[i].message, list[i].says))
            fail_msg("'%s' does not say '%s'", diags.items[i].message, list[i].says);
        sound = sound && list[i].severity != NADI_ERROR;
    }
    assert_int_equal(diags.count, count);
    assert_int_equal(audit.sound, sound);
    nadi_diags_release(&diags);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EXPECT(file, ...)                                                                          \
    expect((file), (const struct expected[]){__VA_ARGS__},                                         \
           sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

static void graph_faults(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {.id = 1, .data = {9}, .data_count = 1},
        {.id = 2, .data = {2}, .data_count = 1},
        {.id = 3, .ctrl = {1, 1}, .ctrl_count = 2},
        {.id = 1},
        {.id = 4, .data = {3}, .data_count = 1, .ctrl = {3}, .ctrl_count = 1},
    };
    struct nadi_str file = NADI_STR_INIT;
    put_file(&file, specs, COUNT(specs));
    EXPECT(&file, {"trace/dangling-dependency", NADI_ERROR, "id 9"},
           {"trace/self-dependency", NADI_ERROR, "itself"},
           {"trace/double-dependency", NADI_WARNING, "id 1"},
           {"trace/duplicate-id", NADI_ERROR, "id 1 is used twice"});
    nadi_str_release(&file);
}

static void two_cycles_and_a_knot(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {.id = 1, .data = {2}, .data_count = 1},
        {.id = 2, .ctrl = {1}, .ctrl_count = 1, .unnamed = true},
        {.id = 3, .data = {4, 6}, .data_count = 2}, /* 3 -> 4 -> 3 and 3 -> 6 -> 5 -> 3 */
        {.id = 4, .data = {3}, .data_count = 1},
        {.id = 5, .data = {3}, .data_count = 1},
        {.id = 6, .data = {5}, .data_count = 1},
        {.id = 7, .data = {1, 3}, .data_count = 2}, /* waits for both, is in neither */
    };
    struct nadi_str file = NADI_STR_INIT;
    put_file(&file, specs, COUNT(specs));
    EXPECT(&file,
           {"trace/cycle", NADI_ERROR, "2 nodes wait for each other: 1 \"n\" -> 2 -> 1 \"n\""},
           {"trace/cycle", NADI_ERROR, "(4 nodes are knotted together there)"});
    nadi_str_release(&file);
}

/* A long cycle, found without recursion and shortened in the message. */
static void long_cycle(void **state)
{
    (void)state;
    enum { LENGTH = 300000 };
    struct spec *specs = NADI_ZNEW(struct spec, LENGTH);
    struct nadi_str file = NADI_STR_INIT;
    for (uint64_t i = 0; i < LENGTH; i++) {
        specs[i].id = i;
        specs[i].data[0] = (i + 1) % LENGTH;
        specs[i].data_count = 1;
    }
    put_file(&file, specs, LENGTH);
    EXPECT(&file, {"trace/cycle", NADI_ERROR, "(299992 more) -> "});
    nadi_mem_free(specs);
    nadi_str_release(&file);
}

static void many_of_a_kind(void **state)
{
    (void)state;
    enum { MANY = 25 };
    struct spec specs[MANY] = {0};
    struct nadi_str file = NADI_STR_INIT;
    for (uint64_t i = 0; i < MANY; i++) {
        specs[i].id = i;
        specs[i].data[0] = 1000 + i;
        specs[i].data_count = 1;
    }
    put_file(&file, specs, MANY);
    struct nadi_diags diags;
    struct nadi_audit audit;
    nadi_diags_init(&diags);
    nadi_audit_memory(&audit, "t.et", nadi_str_get(&file), file.length, &diags);
    assert_int_equal(diags.count, 21);
    assert_string_equal(diags.items[20].message, "5 more dependencies on nothing");
    nadi_diags_release(&diags);
    nadi_str_release(&file);
}

/* A cut file is said to be cut; the nodes that it lacks are not named one by one. */
static void cut_file(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {.id = 1, .data = {3}, .data_count = 1}, {.id = 2}, {.id = 3}};
    struct nadi_str file = NADI_STR_INIT;
    put_file(&file, specs, COUNT(specs));
    file.length -= 2;
    EXPECT(&file, {"trace/truncated", NADI_ERROR, "left (file truncated?)"});
    nadi_str_release(&file);
}

static void times_and_streams(void **state)
{
    (void)state;
    static const struct spec good[] = {
        {.id = 1, .start = 10, .duration = 5, .stream = "7"},
        {.id = 2, .start = 15, .duration = 5, .stream = "7", .data = {1}, .data_count = 1},
        {.id = 3, .start = 12, .duration = 9, .stream = "8"},
        {.id = 4, .start = 10, .duration = 90, .ctrl = {1}, .ctrl_count = 1}, /* no stream */
    };
    static const struct spec bad[] = {
        {.id = 1, .start = 10, .duration = 5, .stream = "7"},
        {.id = 2, .start = 14, .duration = 5, .stream = "8", .data = {1}, .data_count = 1},
        {.id = 3, .start = 14, .duration = 5, .stream = "7"},
        {.id = 4, .start = 9, .duration = 90, .ctrl = {1}, .ctrl_count = 1},
    };
    struct nadi_str file = NADI_STR_INIT;
    put_file(&file, good, COUNT(good));
    expect(&file, NULL, 0);
    nadi_str_clear(&file);
    put_file(&file, bad, COUNT(bad));
    EXPECT(&file, {"trace/time-order", NADI_WARNING, "starts at 14 us, before node 1 \"n\""},
           {"trace/time-order", NADI_WARNING, "starts at 9 us"},
           {"trace/stream-overlap", NADI_WARNING, "starts at 14 us on stream 7"});
    nadi_str_release(&file);
}

static void attributes(void **state)
{
    (void)state;
    struct nadi_str file = NADI_STR_INIT, node = NADI_STR_INIT, attr = NADI_STR_INIT;
    wire_put_text(&node, 1, "0.0.4");
    wire_put_frame(&file, &node);
    wire_put_number(&node, 1, 5);
    wire_put_number(&node, 3, NADI_NODE_COLL);
    wire_put_text(&attr, 1, "comm_size");
    wire_put_text(&attr, 29, "many");
    wire_put_message(&node, 10, &attr);
    wire_put_frame(&file, &node);
    wire_put_number(&node, 1, 6);
    wire_put_number(&node, 3, NADI_NODE_MEM_LOAD);
    wire_put_number(&node, 5, 5);
    wire_put_frame(&file, &node);
    EXPECT(
        &file, {"trace/attribute-kind", NADI_ERROR, "comm_size"},
        {"trace/missing-attribute", NADI_WARNING, "COMM_COLL_NODE without attribute \"comm_type\""},
        {"trace/missing-attribute", NADI_WARNING, "MEM_LOAD_NODE"});
    nadi_str_release(&file);
    nadi_str_release(&node);
    nadi_str_release(&attr);
}

static void order_is_by_file_among_the_free(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {.id = 30, .data = {10}, .data_count = 1}, {.id = 20}, {.id = 10}, {.id = 5}};
    static const uint32_t order[] = {1, 2, 0, 3};
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_diags diags;
    struct nadi_links links;
    nadi_diags_init(&diags);
    put_file(&file, specs, COUNT(specs));
    struct nadi_full *f = nadi_full_parse("t.et", nadi_str_get(&file), file.length, &diags);
    assert_non_null(f);
    nadi_links_build(&links, f);
    assert_true(nadi_links_order(&links));
    assert_memory_equal(links.order, order, sizeof order);
    nadi_links_release(&links);
    nadi_full_destroy(f);
    nadi_diags_release(&diags);
    nadi_str_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_faults), cmocka_unit_test(two_cycles_and_a_knot),
        cmocka_unit_test(long_cycle),   cmocka_unit_test(many_of_a_kind),
        cmocka_unit_test(cut_file),     cmocka_unit_test(times_and_streams),
        cmocka_unit_test(attributes),   cmocka_unit_test(order_is_by_file_among_the_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
