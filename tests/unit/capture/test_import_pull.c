/* The tokenizer, the interned names and the Python forms: every kind of value, every kind of fault,
 * escapes, exact times, and the same answers with the text in a small window. */
#include "capture/names.h"
#include "capture/repr.h"
#include "format/json_pull.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROOM = 4096 };

struct padded { /* text with the zeros that the tokenizer wants behind it */
    char bytes[ROOM + NADI_PULL_PAD];
};

static struct nadi_pull scan_text(struct padded *p, const char *text)
{
    size_t bytes = strlen(text);
    assert_true(bytes < ROOM);
    memset(p, 0, sizeof(*p));
    memcpy(p->bytes, text, bytes);
    return nadi_pull_of(p->bytes, bytes);
}

static void objects_and_lists(void **state)
{
    (void)state;
    struct padded p;
    struct nadi_pull s =
        scan_text(&p, " {\"a\" : 1, \"b\":[ ],\t\"c\":[{\"x\":[1,2]} , \"]}\\\"\"],\n\"d\":null}");
    struct nadi_view key, text;
    struct nadi_value v;
    assert_true(nadi_pull_open(&s, '{'));
    assert_true(nadi_pull_key(&s, &key) && NADI_VIEW_IS(key, "a"));
    assert_true(nadi_pull_value(&s, &v) && v.kind == NADI_VALUE_NUMBER);
    assert_true(nadi_pull_key(&s, &key) && NADI_VIEW_IS(key, "b"));
    assert_true(nadi_pull_open(&s, '[') && !nadi_pull_item(&s) && !s.fault);
    assert_true(nadi_pull_key(&s, &key) && NADI_VIEW_IS(key, "c"));
    assert_true(nadi_pull_skip(&s, &text));
    assert_int_equal(text.bytes, strlen("[{\"x\":[1,2]} , \"]}\\\"\"]"));
    assert_true(nadi_pull_key(&s, &key) && NADI_VIEW_IS(key, "d"));
    assert_true(nadi_pull_value(&s, &v) && v.kind == NADI_VALUE_NULL);
    assert_false(nadi_pull_key(&s, &key));
    assert_null(s.fault);
    assert_ptr_equal(s.at, s.end);
}

static void faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ran_out;
    } cases[] = {
        {"", true},          {"[1 2]", false},      {"[1,]", false},       {"{\"a\" 1}", false},
        {"{\"a\":}", false}, {"[\"ab", true},       {"[\"a\nb\"]", false}, {"[1", true},
        {"{1:2}", false},    {"[[1}]", false},      {"{\"a\":[1}", false}, {"[tru]", false},
        {"[1.2.3]", false},  {"[--1]", false},      {"[1e]", false},       {"[\"a\\", true},
        {"[,1]", false},     {"{\"a\":1,}", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct padded p;
        struct nadi_pull s = scan_text(&p, cases[i].text);
        struct nadi_str out = NADI_STR_INIT;
        assert_false(nadi_repr(&s, &out));
        assert_non_null(s.fault);
        if (s.ran_out != cases[i].ran_out)
            fail_msg("'%s': %s", cases[i].text, s.fault);
        nadi_str_release(&out);
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    for (size_t depth = NADI_PULL_DEPTH - 1; depth <= NADI_PULL_DEPTH + 1; depth++) {
        struct padded p;
        char text[2 * NADI_PULL_DEPTH + 3] = "";
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        struct nadi_pull s = scan_text(&p, text);
        struct nadi_view v;
        assert_int_equal(nadi_pull_skip(&s, &v), depth <= NADI_PULL_DEPTH);
        s = scan_text(&p, text);
        struct nadi_str out = NADI_STR_INIT;
        assert_int_equal(nadi_repr(&s, &out), depth <= NADI_PULL_DEPTH);
        nadi_str_release(&out);
    }
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t number;
    } integers[] = {
        {"0", true, 0},
        {"-17", true, -17},
        {"9223372036854775807", true, INT64_MAX},
        {"18446744073709551615", true, -1}, /* ids use all 64 bits */
        {"18446744073709551616", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"12.9", true, 12},
        {"\"34\"", true, 34},
        {"\"x\"", false, 0},
        {"null", false, 0},
    };
    static const struct {
        const char *text;
        bool good;
        int64_t ns;
    } times[] = {
        {"1.5", true, 1500},
        {"1712867402348256.789", true, 1712867402348256789},
        {"4458676416882.142", true, 4458676416882142},
        {"0.0019", true, 1},
        {"-2.25", true, -2250},
        {"3", true, 3000},
        {"1e3", true, 1000000},
        {"99999999999999999", false, 0},
        {"\"1\"", false, 0},
    };
    struct padded p;
    struct nadi_value v;
    int64_t n = 0;
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        struct nadi_pull s = scan_text(&p, integers[i].text);
        s.end = p.bytes + ROOM; /* the last byte of a text is never a number's */
        assert_true(nadi_pull_value(&s, &v));
        assert_int_equal(nadi_value_integer(&v, &n), integers[i].good);
        if (integers[i].good)
            assert_int_equal(n, integers[i].number);
    }
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        struct nadi_pull s = scan_text(&p, times[i].text);
        s.end = p.bytes + ROOM;
        assert_true(nadi_pull_value(&s, &v));
        assert_int_equal(nadi_value_micros(&v, &n), times[i].good);
        if (times[i].good)
            assert_int_equal(n, times[i].ns);
    }
}

static void escapes(void **state)
{
    (void)state;
    static const struct {
        const char *json, *plain;
    } cases[] = {
        {"a\\n\\t\\\"\\\\\\/b", "a\n\t\"\\/b"},
        {"\\u0041\\u00e9\\u20ac", "A\xc3\xa9\xe2\x82\xac"},
        {"\\ud83d\\ude00!", "\xf0\x9f\x98\x80!"},
        {"\\ud83d!", "\\ud83d!"}, /* half a pair stays as it is */
        {"\\u12", "\\u12"},
        {"\\q", "\\q"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char plain[64];
        struct nadi_view v = {cases[i].json, (uint32_t)strlen(cases[i].json), true};
        size_t bytes = nadi_view_unescape(v, plain);
        plain[bytes] = '\0';
        assert_string_equal(plain, cases[i].plain);
        assert_true(bytes <= v.bytes);
    }
}

static void python_forms(void **state)
{
    (void)state;
    static const struct {
        const char *json, *python;
    } cases[] = {
        {"[]", "[]"},
        {"[[1,2],\n  [ 3 ]]", "[[1, 2], [3]]"},
        {"{\"a\": [true, false, null]}", "{'a': [True, False, None]}"},
        {"[0.900000,-0.010000,0.000010,1.000000,-0.0]", "[0.9, -0.01, 1e-05, 1.0, -0.0]"},
        {"[1e16,123456789012345680000.0,1234567890123456.7]",
         "[1e+16, 1.2345678901234568e+20, 1234567890123456.8]"},
        {"[0.1000000000000000055511151231257827,5e-324,1e400,-1e400]", "[0.1, 5e-324, inf, -inf]"},
        {"[0.0001, 100.0, 12.50, 1e5, NaN, Infinity]", "[0.0001, 100.0, 12.5, 100000.0, nan, inf]"},
        {"[18446744073709551615, -5, -0]", "[18446744073709551615, -5, 0]"},
        {"[\"cuda:0\", \"it's\", \"a\\\"b\", \"'\\\"\"]", "['cuda:0', \"it's\", 'a\"b', '\\'\"']"},
        {"[\"\\n\\u0001\\u007f\\u00a0\\u00e9\\\\\"]", "['\\n\\x01\\x7f\\xa0\xc3\xa9\\\\']"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct padded p;
        struct nadi_pull s = scan_text(&p, cases[i].json);
        struct nadi_str out = NADI_STR_INIT;
        assert_true(nadi_repr(&s, &out));
        assert_string_equal(out.text, cases[i].python);
        nadi_str_release(&out);
    }
}

/* U+CODE in a list of strings, as JSON writes it (`plain`: as it is) and Python. */
static void put_code(uint32_t code, bool plain, bool escaped, char text[40])
{
    char utf8[8] = {0}, *to = utf8;
    if (code < 0x80)
        *to++ = (char)code;
    else if (code < 0x800)
        *to++ = (char)(0xc0 | code >> 6);
    else if (code < 0x10000)
        *to++ = (char)(0xe0 | code >> 12);
    else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 63));
    }
    if (code >= 0x800)
        *to++ = (char)(0x80 | (code >> 6 & 63));
    if (code >= 0x80)
        *to++ = (char)(0x80 | (code & 63));
    if (plain)
        snprintf(text, 40, "['%s']", utf8);
    else if (escaped)
        snprintf(text, 40,
                 code < 0x100     ? "['\\x%02" PRIx32 "']"
                 : code < 0x10000 ? "['\\u%04" PRIx32 "']"
                                  : "['\\U%08" PRIx32 "']",
                 code);
    else if (code < 0x10000)
        snprintf(text, 40, "[\"\\u%04" PRIx32 "\"]", code);
    else
        snprintf(text, 40, "[\"\\u%04" PRIx32 "\\u%04" PRIx32 "\"]", 0xd7c0 + (code >> 10),
                 0xdc00 + (code & 0x3ff));
}

/* What Python's isprintable() is false of, by its own table (14.0): the ends of each range and what
 * lies next to them. */
static void unprintable_characters(void **state)
{
    static const uint32_t ranges[][2] = {
        {0x80, 0xa0},       {0xad, 0xad},       {0x600, 0x605},       {0x61c, 0x61c},
        {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},       {0x8e2, 0x8e2},
        {0x1680, 0x1680},   {0x180e, 0x180e},   {0x2000, 0x200f},     {0x2028, 0x202f},
        {0x205f, 0x2064},   {0x2066, 0x206f},   {0x3000, 0x3000},     {0xe000, 0xf8ff},
        {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd},   {0x110cd, 0x110cd},
        {0x13430, 0x13438}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},   {0xe0001, 0xe0001},
        {0xe0020, 0xe007f}, {0xf0000, 0xffffd}, {0x100000, 0x10fffd},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        for (uint32_t k = 0; k < 4; k++) {
            static const int at[] = {-1, 0, 0, 1};
            const uint32_t code = ranges[i][k / 2] + (uint32_t)at[k];
            const bool escaped = k == 1 || k == 2;
            char json[40], python[40];
            struct padded p;
            struct nadi_str out = NADI_STR_INIT;
            if (code == 0x7f || code == 0xdfff)
                continue; /* a control that has its own way, half a character */
            put_code(code, false, false, json);
            put_code(code, !escaped, escaped, python);
            struct nadi_pull s = scan_text(&p, json);
            assert_true(nadi_repr(&s, &out));
            assert_string_equal(out.text, python);
            nadi_str_release(&out);
        }
}

static void names(void **state)
{
    (void)state;
    struct nadi_names n;
    nadi_names_init(&n);
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < 5000; i++) {
            char text[40];
            snprintf(text, sizeof(text), "name of a kernel %u", i * 7919);
            assert_int_equal(nadi_names_put_text(&n, text), i);
        }
    assert_int_equal(n.count, 5000);
    assert_string_equal(nadi_names_get(&n, 1), "name of a kernel 7919");
    struct nadi_view escaped = {"name\\u0020of a kernel 0", 23, true};
    assert_int_equal(nadi_names_put(&n, escaped), 0);
    assert_int_equal(nadi_names_find(&n, "name of a kernel 0", 18), 0);
    assert_int_equal(nadi_names_find(&n, "name of a kernel", 16), NADI_NONE);
    assert_int_equal(nadi_names_put_text(&n, ""), 5000);
    nadi_names_release(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_lists),
        cmocka_unit_test(faults),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(numbers),
        cmocka_unit_test(escapes),
        cmocka_unit_test(python_forms),
        cmocka_unit_test(unprintable_characters),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
