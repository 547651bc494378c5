/* json_line: RFC 8259 strictly, with the place and the reason of what is not JSON. */
#include "format/json_line.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static bool parse(struct nadi_json_line *line, char *copy, const char *text, size_t bytes)
{
    memcpy(copy, text, bytes);
    return nadi_json_line_parse(line, copy, bytes);
}

/* Escapes become UTF-8 where they stand: one, two, three and four bytes at both ends of their
 * range.
 */
static void texts(void **state)
{
    static const struct {
        const char *json, *text;
        size_t bytes;
    } cases[] = {
        {"\"\"", "", 0},
        {"\"a/b\"", "a/b", 3},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8},
        {"\"\\u0000\"", "\0", 1},
        {"\"\\u007f\"", "\x7f", 1},
        {"\"\\u0080\"", "\xc2\x80", 2},
        {"\"\\u00E9\\u07ff\"", "\xc3\xa9\xdf\xbf", 4},
        {"\"\\u0800\"", "\xe0\xa0\x80", 3},
        {"\"\\u20aC\\uD7fF\\ue000\\uffff\"", "\xe2\x82\xac\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
         12},
        {"\"\\ud800\\udc00\"", "\xf0\x90\x80\x80", 4},
        {"\"\\uD83D\\uDE00x\"", "\xf0\x9f\x98\x80x", 5},
        {"\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf", 4},
        {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9},
        {"\"\xc3\xa9\\n\xe2\x82\xac\"", "\xc3\xa9\n\xe2\x82\xac", 6},
    };
    struct nadi_json_line line = {0};
    char copy[128];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (!parse(&line, copy, cases[i].json, strlen(cases[i].json)))
            fail_msg("%s: %s", cases[i].json, line.fault);
        assert_int_equal(line.items[0].kind, NADI_JSON_STRING);
        assert_int_equal(line.items[0].bytes, cases[i].bytes);
        assert_memory_equal(line.items[0].text, cases[i].text, cases[i].bytes);
    }
    nadi_json_line_release(&line);
}

static void faults(void **state)
{
    static const struct {
        const char *json;
        uint32_t column;
        const char *fault;
    } cases[] = {
        {"\"abc", 5, "the text has no end"},
        {"\"abc\\", 6, "the text has no end"},
        {"\"a\tb\"", 3, "a control character in a text must be escaped"},
        {"\"a\x1f\"", 3, "a control character in a text must be escaped"},
        {"\"\\x\"", 3, "unknown escape after the backslash"},
        {"\"\\u12\"", 6, "four hexadecimal digits must follow \\u"},
        {"\"\\u12g4\"", 6, "four hexadecimal digits must follow \\u"},
        {"\"\\u00:0\"", 6, "four hexadecimal digits must follow \\u"},
        {"\"\\ud800\"", 8, "half of a surrogate pair"},
        {"\"\\ud800\\n\"", 8, "half of a surrogate pair"},
        {"\"\\ud800xu0000\"", 8, "half of a surrogate pair"},
        {"\"\\udc00\\udc00\"", 8, "half of a surrogate pair"},
        {"\"\\ud800\\ud800\"", 14, "half of a surrogate pair"},
        {"\"\\ud800\\ue000\"", 14, "half of a surrogate pair"},
        {"\"\\ud800\\u00\"", 12, "four hexadecimal digits must follow \\u"},
        {"\"\xff\"", 2, "the text is not UTF-8"},
        {"\"a\xc3\"", 3, "the text is not UTF-8"},
        {"\"\xc0\x80\"", 2, "the text is not UTF-8"},
        {"\"\xed\xa0\x80\"", 2, "the text is not UTF-8"},
        {"\"\xf4\x90\x80\x80\"", 2, "the text is not UTF-8"},
        {"-", 2, "a digit is wanted"},
        {"-x", 2, "a digit is wanted"},
        {"01", 2, "a number must not begin with 0"},
        {"-00", 3, "a number must not begin with 0"},
        {"1.", 3, "a digit is wanted"},
        {"1.e5", 3, "a digit is wanted"},
        {"1e", 3, "a digit is wanted"},
        {"1e+", 4, "a digit is wanted"},
        {"1 2", 3, "something follows the value on the same line"},
        {"nul", 1, "a value is wanted: a text in quotes, a number, true, false, null, [ or {"},
        {"", 1, "a value is wanted: a text in quotes, a number, true, false, null, [ or {"},
        {"[1,]", 4, "a value is wanted: a text in quotes, a number, true, false, null, [ or {"},
        {"[1", 3, "the list has no end"},
        {"[1 2]", 4, "a comma or ] is wanted"},
        {"[1}", 3, "a comma or ] is wanted"},
        {"{\"a\":1", 7, "the object has no end"},
        {"{\"a\":1 \"b\":2}", 8, "a comma or } is wanted"},
        {"{\"a\" 1}", 6, "a colon is wanted after the key"},
        {"{\"a\"", 5, "a colon is wanted after the key"},
        {"{a:1}", 2, "a key in quotes is wanted"},
        {"{\"a\":1,}", 8, "a key in quotes is wanted"},
        {"{", 2, "a key in quotes is wanted"},
    };
    struct nadi_json_line line = {0};
    char copy[128];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (parse(&line, copy, cases[i].json, strlen(cases[i].json)))
            fail_msg("%s was taken", cases[i].json);
        if (strcmp(line.fault, cases[i].fault) != 0 || line.fault_column != cases[i].column)
            fail_msg("%s: %s, column %u", cases[i].json, line.fault, line.fault_column);
    }
    nadi_json_line_release(&line);
}

static void depth(void **state)
{
    struct nadi_json_line line = {0};
    char text[2 * NADI_JSON_LINE_DEPTH + 4];
    (void)state;
    for (size_t deep = NADI_JSON_LINE_DEPTH; deep <= NADI_JSON_LINE_DEPTH + 1; deep++) {
        memset(text, '[', deep);
        memset(text + deep, ']', deep);
        assert_int_equal(nadi_json_line_parse(&line, text, 2 * deep), deep == NADI_JSON_LINE_DEPTH);
    }
    assert_string_equal(line.fault, "nested too deeply");
    assert_int_equal(line.fault_column, NADI_JSON_LINE_DEPTH + 1);
    /* side by side is not deep */
    size_t at = 0;
    text[at++] = '[';
    while (at < sizeof(text) - 4) {
        memcpy(text + at, "[],", 3);
        at += 3;
    }
    text[at - 1] = ']';
    assert_true(nadi_json_line_parse(&line, text, at));
    nadi_json_line_release(&line);
}

static const struct nadi_json_item *item(const struct nadi_json_line *line, uint32_t parent,
                                         uint32_t nth)
{
    uint32_t at = line->items[parent].first;
    while (nth-- > 0)
        at = line->items[at].next;
    assert_int_not_equal(at, 0);
    return &line->items[at];
}

static void tree(void **state)
{
    static const char text[] =
        " {\"a\": [1, -2.5e+3 ,true],\t\"b c\":{}, \"d\":null,\"a\":false, \"e\": []} \r\n";
    struct nadi_json_line line = {0};
    char copy[128];
    (void)state;
    for (int again = 0; again < 2; again++) {
        assert_true(parse(&line, copy, text, sizeof(text) - 1));
        assert_null(line.fault);
        assert_int_equal(line.count, 9);
        assert_int_equal(line.items[0].kind, NADI_JSON_OBJECT);
        assert_int_equal(line.items[0].count, 5);
        assert_int_equal(line.items[0].column, 2);
        const struct nadi_json_item *a = item(&line, 0, 0), *b = item(&line, 0, 1);
        assert_true(nadi_json_key_is(a, "a"));
        assert_false(nadi_json_key_is(a, "ab"));
        assert_false(nadi_json_key_is(&line.items[0], "a"));
        assert_int_equal(a->kind, NADI_JSON_ARRAY);
        assert_int_equal(a->count, 3);
        assert_int_equal(a->column, 8);
        const uint32_t at = (uint32_t)(a - line.items);
        assert_int_equal(item(&line, at, 1)->bytes, 7);
        assert_int_equal(item(&line, at, 1)->column, 12);
        assert_int_equal(item(&line, at, 2)->kind, NADI_JSON_TRUE);
        assert_int_equal(item(&line, at, 2)->next, 0);
        assert_true(nadi_json_key_is(b, "b c"));
        assert_int_equal(b->kind, NADI_JSON_OBJECT);
        assert_int_equal(b->count, 0);
        assert_int_equal(item(&line, 0, 2)->kind, NADI_JSON_NULL);
        assert_int_equal(item(&line, 0, 3)->kind, NADI_JSON_FALSE);
        assert_true(nadi_json_key_is(item(&line, 0, 3), "a"));
        assert_int_equal(item(&line, 0, 4)->first, 0);
    }
    assert_true(parse(&line, copy, "\"word\"", 6));
    assert_true(nadi_json_text_is(&line.items[0], "word"));
    assert_false(nadi_json_text_is(&line.items[0], "words"));
    assert_false(nadi_json_text_is(&line.items[0], "wor"));
    nadi_json_line_release(&line);
}

static void numbers(void **state)
{
    static const struct {
        const char *text;
        bool is_u64, is_i64, is_double;
        uint64_t u64;
        int64_t i64;
        double number;
    } cases[] = {
        {"0", true, true, true, 0, 0, 0},
        {"-0", false, true, true, 0, 0, 0},
        {"7", true, true, true, 7, 7, 7},
        {"-7", false, true, true, 0, -7, -7},
        {"9223372036854775807", true, true, true, INT64_MAX, INT64_MAX, 0x1p63},
        {"9223372036854775808", true, false, true, UINT64_C(1) << 63, 0, 0x1p63},
        {"-9223372036854775808", false, true, true, 0, INT64_MIN, -0x1p63},
        {"-9223372036854775809", false, false, true, 0, 0, -0x1p63},
        {"18446744073709551615", true, false, true, UINT64_MAX, 0, 0x1p64},
        {"18446744073709551616", false, false, true, 0, 0, 0x1p64},
        {"99999999999999999999999", false, false, true, 0, 0, 99999999999999999999999.0},
        {"2.5", false, false, true, 0, 0, 2.5},
        {"1e3", false, false, true, 0, 0, 1000},
        {"-1.25E-2", false, false, true, 0, 0, -0.0125},
        {"1e999", false, false, false, 0, 0, 0},
        {"0.000000000000000000000000000000000000000000000000000000000000000000000001", false, false,
         true, 0, 0, 1e-72},
        {"\"7\"", false, false, false, 0, 0, 0},
        {"true", false, false, false, 0, 0, 0},
    };
    struct nadi_json_line line = {0};
    char copy[128];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t u64 = 0;
        int64_t i64 = 0;
        double number = 0;
        assert_true(parse(&line, copy, cases[i].text, strlen(cases[i].text)));
        assert_int_equal(nadi_json_item_u64(&line.items[0], &u64), cases[i].is_u64);
        assert_int_equal(nadi_json_item_i64(&line.items[0], &i64), cases[i].is_i64);
        assert_int_equal(nadi_json_item_double(&line.items[0], &number), cases[i].is_double);
        if (cases[i].is_u64)
            assert_true(u64 == cases[i].u64);
        if (cases[i].is_i64)
            assert_true(i64 == cases[i].i64);
        if (cases[i].is_double)
            assert_true(fabs(number - cases[i].number) <= 1e-15 * fabs(cases[i].number));
    }
    nadi_json_line_release(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts), cmocka_unit_test(faults),  cmocka_unit_test(depth),
        cmocka_unit_test(tree),  cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
