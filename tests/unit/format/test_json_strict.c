/* The tokenizer's strict side: RFC 8259, with the place and the reason of what is not JSON. */
#include "format/json_pull.h"

#include <setjmp.h>

#include <cmocka.h>

enum { ROOM = 128 };

static bool check(struct nadi_pull *s, char copy[ROOM + NADI_PULL_PAD], const char *text,
                  size_t bytes)
{
    memset(copy, 0, ROOM + NADI_PULL_PAD);
    memcpy(copy, text, bytes);
    *s = nadi_pull_of(copy, bytes);
    return nadi_pull_strict(s);
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
    struct nadi_pull s;
    char copy[ROOM + NADI_PULL_PAD];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_view view;
        char text[ROOM];
        size_t inner = 0, expected = 0;
        if (!check(&s, copy, cases[i].json, strlen(cases[i].json)))
            fail_msg("%s: %s", cases[i].json, s.fault);
        s = nadi_pull_of(copy + 1, strlen(cases[i].json) - 1);
        assert_true(nadi_pull_strict_string(&s, &view, &inner));
        assert_ptr_equal(s.at, s.end);
        for (const char *at = cases[i].json; *at; at++)
            expected += ((unsigned char)*at & 0xc0) == 0x80;
        assert_int_equal(inner, expected);
        assert_int_equal(nadi_view_unescape(view, text), cases[i].bytes);
        assert_memory_equal(text, cases[i].text, cases[i].bytes);
    }
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
        {"1\f", 2, "something follows the value"},
        {"[1,\v2]", 4, "a value is wanted: a text in quotes, a number, true, false, null, [ or {"},
        {"NaN", 1, "a value is wanted: a text in quotes, a number, true, false, null, [ or {"},
        {"nullx", 5, "something follows the value"},
        {"[[1]", 5, "the list has no end"},
        {"{\"a\":[}", 7,
         "a value is wanted: a text in quotes, a number, true, false, null, [ or {"},
        {"{\"a\":[1]]", 9, "a comma or } is wanted"},
        {"1.e5", 3, "a digit is wanted"},
        {"1e", 3, "a digit is wanted"},
        {"1e+", 4, "a digit is wanted"},
        {"1 2", 3, "something follows the value"},
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
    struct nadi_pull s;
    char copy[ROOM + NADI_PULL_PAD];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (check(&s, copy, cases[i].json, strlen(cases[i].json)))
            fail_msg("%s was taken", cases[i].json);
        if (strcmp(s.fault, cases[i].fault) != 0 || s.at != copy + cases[i].column - 1)
            fail_msg("%s: %s, column %td", cases[i].json, s.fault, s.at - copy + 1);
    }
}

static void depth(void **state)
{
    struct nadi_pull s;
    char text[2 * NADI_PULL_DEPTH + 4 + NADI_PULL_PAD];
    (void)state;
    for (size_t deep = NADI_PULL_DEPTH; deep <= NADI_PULL_DEPTH + 1; deep++) {
        memset(text, 0, sizeof text);
        memset(text, '[', deep);
        memset(text + deep, ']', deep);
        s = nadi_pull_of(text, 2 * deep);
        assert_int_equal(nadi_pull_strict(&s), deep == NADI_PULL_DEPTH);
    }
    assert_string_equal(s.fault, "nested too deeply");
    assert_ptr_equal(s.at, text + NADI_PULL_DEPTH);
    /* side by side is not deep */
    size_t at = 0;
    memset(text, 0, sizeof text);
    text[at++] = '[';
    while (at < 2 * NADI_PULL_DEPTH) {
        memcpy(text + at, "[],", 3);
        at += 3;
    }
    text[at - 1] = ']';
    s = nadi_pull_of(text, at);
    assert_true(nadi_pull_strict(&s));
}

static void sound_values(void **state)
{
    static const char *const values[] = {
        " {\"a\": [1, -2.5e+3 ,true],\t\"b c\":{}, \"d\":null,\"a\":false, \"e\": []} \r\n",
        "0",
        "-0",
        "-0.5",
        "10E-2",
        "1e5",
        "true",
        "[]",
        "[{},[[]],{\"\":[{}]}]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct nadi_pull s;
        char copy[ROOM + NADI_PULL_PAD];
        if (!check(&s, copy, values[i], strlen(values[i])))
            fail_msg("%s: %s", values[i], s.fault);
        assert_ptr_equal(s.at, s.end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(faults),
        cmocka_unit_test(depth),
        cmocka_unit_test(sound_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
