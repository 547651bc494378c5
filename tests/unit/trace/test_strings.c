/* Names of nodes as they come and as they are kept. */
#include "trace/strings.h"

#include "base/mem.h"
#include "base/str.h"
#include "support/trace_expect.h"
#include "support/wire_put.h"

#include <setjmp.h>

#include <cmocka.h>

/* A trace of one node with this name. */
static struct nadi_trace *read_name(const char *name, size_t bytes)
{
    struct nadi_str file = NADI_STR_INIT, node = NADI_STR_INIT;
    wire_put_hex(&file, "030a0178");
    wire_put_number(&node, 1, 1);
    wire_put_bytes(&node, 2, name, bytes);
    wire_put_frame(&file, &node);
    struct nadi_trace *t = trace_expect_read(&file, 0);
    nadi_str_release(&file);
    nadi_str_release(&node);
    return t;
}

static void names_become_clean_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        size_t bytes;
        const char *out;
    } cases[] = {
        {"plain name", 10, "plain name"},
        {"", 0, ""},
        {"\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 14,
         "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"tab\tline\r\n", 10, "tab\tline\r\n"},
        {"nul\0inside", 10, "nul?inside"},
        {"\x1b[31mred\x7f", 9, "?[31mred?"},
        {"\xff\xfe", 2, "??"},
        {"cut \xe2\x82", 6, "cut ??"},
        {"cut \xe2\0\x82", 7, "cut ???"},
        {"\xc0\xaf\xed\xa0\x80", 5, "?????"}, /* overlong; a surrogate */
        {"\xf4\x90\x80\x80", 4, "????"},      /* beyond the last code point */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_trace *t = read_name(cases[i].in, cases[i].bytes);
        assert_string_equal(nadi_trace_name(t, 0), cases[i].out);
        nadi_trace_destroy(t);
    }
}

static void repeated_strings_share_their_bytes(void **state)
{
    (void)state;
    struct nadi_trace trace = {0};
    struct nadi_trace_strings *s = NADI_NEW(struct nadi_trace_strings, 1);
    struct nadi_frame m = {.path = "test.et"};
    uint32_t first, again, prefix, longer;
    nadi_trace_strings_init(s, &trace);
    assert_true(nadi_trace_strings_add(s, &m, (const uint8_t *)"aten::add", 9, &first));
    assert_true(nadi_trace_strings_add(s, &m, (const uint8_t *)"aten::add", 9, &again));
    assert_true(nadi_trace_strings_add(s, &m, (const uint8_t *)"aten::add", 8, &prefix));
    assert_true(nadi_trace_strings_add(s, &m, (const uint8_t *)"aten::add_", 10, &longer));
    assert_int_equal(first, 1);
    assert_int_equal(again, 1);
    assert_string_equal(trace.strings + prefix, "aten::ad");
    assert_string_equal(trace.strings + longer, "aten::add_");
    for (uint32_t i = 0; i < 3000; i++) { /* more than the cache holds */
        char name[32];
        uint32_t offset;
        size_t bytes = (size_t)snprintf(name, sizeof name, "name %u", i % 1500);
        assert_true(nadi_trace_strings_add(s, &m, (const uint8_t *)name, bytes, &offset));
        assert_string_equal(trace.strings + offset, name);
    }
    nadi_mem_free(trace.strings);
    nadi_mem_free(s);
}

static void more_than_offsets_can_say(void **state)
{
    (void)state;
    struct nadi_trace trace = {0};
    struct nadi_diags diags;
    struct nadi_trace_strings *s = NADI_NEW(struct nadi_trace_strings, 1);
    struct nadi_frame m = {.path = "test.et", .offset = 77, .diags = &diags};
    uint32_t offset;
    nadi_diags_init(&diags);
    nadi_trace_strings_init(s, &trace);
    trace.strings_bytes = UINT32_MAX - 4; /* as if so many were there */
    assert_false(nadi_trace_strings_add(s, &m, (const uint8_t *)"name", 4, &offset));
    assert_string_equal(diags.items[0].code, "trace/too-large");
    assert_int_equal(diags.items[0].place.offset, 77);
    nadi_diags_release(&diags);
    nadi_mem_free(trace.strings);
    nadi_mem_free(s);
}

static void quotes_fit_their_room(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t room;
        const char *quoted;
    } cases[] = {
        {"name", 32, " \"name\""},
        {"0123456789", 17, " \"0123456789\""},
        {"0123456789", 16, " \"012345678...\""},
        {"line\nend", 32, " \"line end\""},
        {"a\xe2\x82\xac", 10, " \"a...\""}, /* not in the middle of a character */
        {"anything", 8, " \"a...\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char to[64];
        memset(to, 'x', sizeof to);
        nadi_trace_quote(to, cases[i].room, (const uint8_t *)cases[i].text, strlen(cases[i].text));
        assert_string_equal(to, cases[i].quoted);
        assert_int_equal(to[cases[i].room], 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_clean_utf8),
        cmocka_unit_test(repeated_strings_share_their_bytes),
        cmocka_unit_test(more_than_offsets_can_say),
        cmocka_unit_test(quotes_fit_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
