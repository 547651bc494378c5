/* json_write: what comes out is JSON, and means what was said. */
#include "format/json_write.h"

#include "support/json_read.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static void layout(void **state)
{
    struct nadi_str s = NADI_STR_INIT;
    struct nadi_json j;
    (void)state;
    nadi_json_begin(&j, &s);
    nadi_json_object(&j, NULL);
    nadi_json_u64(&j, "a", UINT64_MAX);
    nadi_json_array(&j, "list");
    nadi_json_row(&j, NULL);
    nadi_json_bool(&j, "yes", true);
    nadi_json_row_array(&j, "pair");
    nadi_json_double(&j, NULL, 0.1);
    nadi_json_null(&j, NULL);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_object(&j, "empty");
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    assert_string_equal(nadi_str_get(&s), "{\n"
                                          "  \"a\": 18446744073709551615,\n"
                                          "  \"list\": [\n"
                                          "    {\"yes\": true, \"pair\": [0.1, null]}\n"
                                          "  ],\n"
                                          "  \"empty\": {}\n"
                                          "}\n");
    nadi_str_release(&s);
}

static void one_string(const char *value, const char *written)
{
    struct nadi_str s = NADI_STR_INIT, want = NADI_STR_INIT;
    struct nadi_json j;
    nadi_json_begin(&j, &s);
    nadi_json_string(&j, NULL, value);
    nadi_json_finish(&j);
    nadi_str_printf(&want, "%s\n", written);
    assert_string_equal(nadi_str_get(&s), nadi_str_get(&want));
    nadi_str_release(&s);
    nadi_str_release(&want);
}

static void strings(void **state)
{
    (void)state;
    one_string(NULL, "null");
    one_string("", "\"\"");
    one_string("a \"b\" \\ c/d", "\"a \\\"b\\\" \\\\ c/d\"");
    one_string("line\nend\ttab\x01\x7f", "\"line\\nend\\ttab\\u0001\\u007f\"");
    one_string("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
               "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80\"");
    /* a lone byte, an overlong slash, a surrogate and a cut sequence */
    one_string("\xff", "\"\xef\xbf\xbd\"");
    one_string("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    one_string("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    one_string("\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void not_finite_is_null(void **state)
{
    struct nadi_str s = NADI_STR_INIT;
    struct nadi_json j;
    (void)state;
    nadi_json_begin(&j, &s);
    nadi_json_row_array(&j, NULL);
    nadi_json_double(&j, NULL, (double)NAN);
    nadi_json_double(&j, NULL, (double)-INFINITY);
    nadi_json_double(&j, NULL, 1e300);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    assert_string_equal(nadi_str_get(&s), "[null, null, 1e+300]\n");
    nadi_str_release(&s);
}

/* Every byte value survives a round through a foreign reader, as itself or as U+FFFD. */
static void any_byte_is_read_back(void **state)
{
    (void)state;
    for (int c = 1; c < 256; c++) {
        const char value[] = {'<', (char)c, '>', '\0'};
        const char *want = c < 0x80 ? value : "<\xef\xbf\xbd>";
        struct nadi_str s = NADI_STR_INIT;
        struct nadi_json j;
        nadi_json_begin(&j, &s);
        nadi_json_object(&j, NULL);
        nadi_json_string(&j, "v", value);
        nadi_json_close(&j);
        nadi_json_finish(&j);
        struct fy_document *doc = json_read(nadi_str_get(&s));
        assert_non_null(doc);
        assert_string_equal(json_at(doc, "/v"), want);
        fy_document_destroy(doc);
        nadi_str_release(&s);
    }
}

/* Sequences that are cut off, and NUL, which a terminated text cannot hold. */
static void bytes_of_a_length(void **state)
{
    static const char text[] = "a\0\xe2\x82";
    struct nadi_str s = NADI_STR_INIT;
    (void)state;
    nadi_json_add_text(&s, text, sizeof(text) - 1);
    assert_string_equal(nadi_str_get(&s), "\"a\\u0000\xef\xbf\xbd\xef\xbf\xbd\"");
    nadi_str_clear(&s);
    nadi_json_add_text(&s, "\xe2\x82\xac", 2); /* what follows is not looked at */
    assert_string_equal(nadi_str_get(&s), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    nadi_str_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout),
        cmocka_unit_test(strings),
        cmocka_unit_test(not_finite_is_null),
        cmocka_unit_test(bytes_of_a_length),
        cmocka_unit_test(any_byte_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
