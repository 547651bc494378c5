/* doc: trees with places, and a message for every text that is not one. */
#include "base/mem.h"
#include "base/str.h"
#include "format/doc.h"

#include <setjmp.h>

#include <cmocka.h>

static void parse(struct nadi_doc *doc, enum nadi_doc_syntax syntax, const char *text)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_doc_parse(doc, "f", text, strlen(text), syntax, &diags))
        fail_msg("%s", diags.items[0].message);
    assert_int_equal(diags.count, 0);
    nadi_diags_release(&diags);
}

static void assert_place(const struct nadi_doc_node *n, const char *key, uint32_t key_line,
                         uint32_t key_column, uint32_t line, uint32_t column)
{
    assert_non_null(n);
    const struct nadi_place place = nadi_doc_key_place(&(const struct nadi_doc){.path = "f"}, n);
    assert_string_equal(nadi_doc_key(n), key);
    assert_int_equal(place.line, key_line);
    assert_int_equal(place.column, key_column);
    assert_int_equal(n->line, line);
    assert_int_equal(n->column, column);
}

static void json_places(void **state)
{
    (void)state;
    struct nadi_doc doc;
    parse(&doc, NADI_DOC_JSON,
          "{\n  \"a\": 1,\n  \"b\" : [\"x\", 2.5],\n\t\"c\": {\"d\": null}}\n");
    const struct nadi_doc_node *a = doc.root->first, *b = a->next, *c = b->next;
    assert_int_equal(doc.root->kind, NADI_DOC_MAP);
    assert_int_equal(doc.root->count, 3);
    assert_place(a, "a", 2, 3, 2, 8);
    assert_place(b, "b", 3, 3, 3, 9);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->first->column, 10);
    assert_true(b->first->quoted);
    assert_string_equal(b->first->text, "x");
    assert_int_equal(b->first->next->column, 15);
    assert_null(b->first->next->next);
    assert_place(c, "c", 4, 2, 4, 7);
    assert_place(c->first, "d", 4, 8, 4, 13);
    assert_null(c->next);
    nadi_doc_release(&doc);
}

static void yaml_places(void **state)
{
    (void)state;
    struct nadi_doc doc;
    parse(&doc, NADI_DOC_YAML, "# comment\ntopology: [ Ring, 'Switch' ]\nnpus:\n  - 8\n  - 0x10\n");
    const struct nadi_doc_node *t = nadi_doc_find(doc.root, "topology");
    const struct nadi_doc_node *n = nadi_doc_find(doc.root, "npus");
    assert_place(t, "topology", 2, 1, 2, 11);
    assert_int_equal(t->first->column, 13);
    assert_int_equal(t->first->next->column, 19);
    assert_place(n, "npus", 3, 1, 4, 3);
    assert_int_equal(n->first->next->line, 5);
    assert_null(nadi_doc_find(doc.root, "latency"));
    struct nadi_place place = nadi_doc_key_place(&doc, n);
    assert_string_equal(place.file, "f");
    assert_int_equal(place.line, 3);
    assert_int_equal(nadi_doc_place(&doc, n).line, 4);
    nadi_doc_release(&doc);
}

static void texts_are_decoded(void **state)
{
    (void)state;
    struct nadi_doc doc;
    parse(&doc, NADI_DOC_JSON, "\xef\xbb\xbf{\"a\": \"\\u00e4\\n\\\"\\\\ \\ud83d\\ude00\"}");
    assert_string_equal(doc.root->first->text, "\xc3\xa4\n\"\\ \xf0\x9f\x98\x80");
    nadi_doc_release(&doc);
    parse(&doc, NADI_DOC_YAML, "a: |\n  two\n  lines\nb: plain text\n");
    assert_string_equal(doc.root->first->text, "two\nlines\n");
    assert_true(doc.root->first->quoted);
    assert_string_equal(doc.root->first->next->text, "plain text");
    nadi_doc_release(&doc);
}

static void aliases_share(void **state)
{
    (void)state;
    struct nadi_doc doc;
    parse(&doc, NADI_DOC_YAML,
          "a: &x [1, 2]\nb: *x\nc: &y 7\nd: *y\ne: &x 3\nf: *x\ng: &z \"8\"\nh: *z\n");
    const struct nadi_doc_node *b = nadi_doc_find(doc.root, "b");
    assert_place(b, "b", 2, 1, 2, 4);
    assert_int_equal(b->kind, NADI_DOC_LIST);
    assert_int_equal(b->count, 2);
    assert_string_equal(b->first->next->text, "2");
    assert_string_equal(nadi_doc_find(doc.root, "d")->text, "7");
    assert_string_equal(nadi_doc_find(doc.root, "f")->text, "3");
    assert_int_equal(nadi_doc_classify(&doc, nadi_doc_find(doc.root, "d"), NULL), NADI_DOC_INTEGER);
    assert_int_equal(nadi_doc_classify(&doc, nadi_doc_find(doc.root, "h"), NULL), NADI_DOC_TEXT);
    assert_int_equal(doc.root->count, 8);
    nadi_doc_release(&doc);
}

static void hash_is_of_the_bytes(void **state)
{
    (void)state;
    struct nadi_doc doc;
    parse(&doc, NADI_DOC_JSON, "3");
    assert_int_equal(doc.sha256[0], 0x4e); /* SHA-256 of "3" begins 4e07408562bedb8b */
    assert_int_equal(doc.sha256[1], 0x07);
    nadi_doc_release(&doc);
}

static void scalars_are_classified(void **state)
{
    (void)state;
    static const struct {
        enum nadi_doc_syntax syntax;
        const char *text;
        enum nadi_doc_scalar kind;
        double number;
    } cases[] = {
        {NADI_DOC_JSON, "12", NADI_DOC_INTEGER, 12},
        {NADI_DOC_JSON, "-12", NADI_DOC_INTEGER, -12},
        {NADI_DOC_JSON, "1.5e3", NADI_DOC_REAL, 1500},
        {NADI_DOC_JSON, "99999999999999999999", NADI_DOC_REAL, 1e20},
        {NADI_DOC_JSON, "true", NADI_DOC_BOOL, 1},
        {NADI_DOC_JSON, "false", NADI_DOC_BOOL, 0},
        {NADI_DOC_JSON, "null", NADI_DOC_NULL, 0},
        {NADI_DOC_JSON, "\"12\"", NADI_DOC_TEXT, 0},
        {NADI_DOC_JSON, "[1]", NADI_DOC_SCALAR_NONE, 0},
        {NADI_DOC_YAML, "0x10", NADI_DOC_INTEGER, 16},
        {NADI_DOC_JSON, "1e999", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "0o10", NADI_DOC_INTEGER, 8},
        {NADI_DOC_YAML, "-0x10", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "010", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "-010", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "+0010", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "007", NADI_DOC_INTEGER, 7},
        {NADI_DOC_YAML, "00", NADI_DOC_INTEGER, 0},
        {NADI_DOC_YAML, "010.5", NADI_DOC_REAL, 10.5},
        {NADI_DOC_YAML, "1_000", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "1:30", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "0b11", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "1e3", NADI_DOC_REAL, 1000},
        {NADI_DOC_YAML, "1.0", NADI_DOC_REAL, 1},
        {NADI_DOC_YAML, "1e999", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "yes", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "2024-01-02", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "0x1p3", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "nan", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "+5", NADI_DOC_INTEGER, 5},
        {NADI_DOC_YAML, ".5", NADI_DOC_REAL, 0.5},
        {NADI_DOC_YAML, "08", NADI_DOC_INTEGER, 8},
        {NADI_DOC_YAML, "~", NADI_DOC_NULL, 0},
        {NADI_DOC_YAML, "True", NADI_DOC_BOOL, 1},
        {NADI_DOC_YAML, "50GB/s", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "1-2", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "inf", NADI_DOC_TEXT, 0},
        {NADI_DOC_YAML, "{}", NADI_DOC_SCALAR_NONE, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_doc doc;
        double number = 0;
        parse(&doc, cases[i].syntax, cases[i].text);
        enum nadi_doc_scalar kind = nadi_doc_classify(&doc, doc.root, &number);
        if (kind != cases[i].kind || number < cases[i].number || number > cases[i].number)
            fail_msg("%s: kind %d, number %g", cases[i].text, (int)kind, number);
        nadi_doc_release(&doc);
    }
}

/* What two versions of YAML read in two ways is told with both. */
static void two_ways(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"010", "'010' (8 in YAML 1.1, 10 in YAML 1.2)"},
        {"\"010\"", "'010' (8 in YAML 1.1, 10 in YAML 1.2)"},
        {"-017", "'-017' (-15 in YAML 1.1, -17 in YAML 1.2)"},
        {"1_000", "'1_000' (1000 in YAML 1.1, a text in YAML 1.2)"},
        {"0o17", "the number 0o17"},
        {"0b11", "'0b11' (3 in YAML 1.1, a text in YAML 1.2)"},
        {"-0x10", "'-0x10' (-16 in YAML 1.1, a text in YAML 1.2)"},
        {"1:30", "'1:30' (90 in YAML 1.1, a text in YAML 1.2)"},
        {"190:20:30", "'190:20:30' (685230 in YAML 1.1, a text in YAML 1.2)"},
        {"off", "'off' (false in YAML 1.1, a text in YAML 1.2)"},
        {"1:99", "the text \"1:99\""},
        {"1-2", "the text \"1-2\""},
        {"12", "the number 12"},
        {"9999999999999999999999999999", "the number 9999999999999999999999999999"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_doc doc;
        char found[96];
        parse(&doc, NADI_DOC_YAML, cases[i][0]);
        assert_string_equal(nadi_doc_describe(&doc, doc.root, found), cases[i][1]);
        assert_int_equal(nadi_doc_two_ways(&doc, doc.root), cases[i][1][0] == '\'');
        nadi_doc_release(&doc);
    }
}

static void integers_are_exact(void **state)
{
    (void)state;
    struct nadi_doc doc;
    int64_t value = 0;
    parse(&doc, NADI_DOC_JSON, "9007199254740993");
    assert_true(nadi_doc_integer(&doc, doc.root, &value));
    assert_int_equal(value, INT64_C(9007199254740993));
    nadi_doc_release(&doc);
    parse(&doc, NADI_DOC_JSON, "9223372036854775808");
    assert_false(nadi_doc_integer(&doc, doc.root, &value));
    nadi_doc_release(&doc);
}

static void infinities_in_yaml_only(void **state)
{
    (void)state;
    struct nadi_doc doc;
    double number = 0;
    parse(&doc, NADI_DOC_YAML, ".inf");
    assert_int_equal(nadi_doc_classify(&doc, doc.root, &number), NADI_DOC_REAL);
    assert_true(number > 1e308);
    nadi_doc_release(&doc);
    parse(&doc, NADI_DOC_YAML, "-.inf");
    assert_int_equal(nadi_doc_classify(&doc, doc.root, &number), NADI_DOC_REAL);
    assert_true(number < -1e308);
    nadi_doc_release(&doc);
    parse(&doc, NADI_DOC_YAML, ".nan");
    assert_int_equal(nadi_doc_classify(&doc, doc.root, &number), NADI_DOC_REAL);
    assert_true(!(number > 0) && !(number <= 0));
    nadi_doc_release(&doc);
}

static void values_are_described(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"[1, 2]", "a list of 2"},
        {"{a: 1}", "a map of 1"},
        {"~", "nothing"},
        {"true", "'true'"},
        {"2.5", "the number 2.5"},
        {"7", "the number 7"},
        {"ring", "the text \"ring\""},
        {"'7'", "the text \"7\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_doc doc;
        char buffer[96];
        parse(&doc, NADI_DOC_YAML, cases[i][0]);
        assert_string_equal(nadi_doc_describe(&doc, doc.root, buffer), cases[i][1]);
        nadi_doc_release(&doc);
    }
}

static void refused(enum nadi_doc_syntax syntax, const char *text, size_t bytes, const char *code,
                    uint32_t line, uint32_t column, const char *says)
{
    struct nadi_doc doc;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_false(nadi_doc_parse(&doc, "f", text, bytes, syntax, &diags));
    assert_true(diags.errors >= 1);
    const struct nadi_diag *d = &diags.items[0];
    if (strcmp(d->code, code) != 0 || d->place.line != line || d->place.column != column ||
        !strstr(d->message, says))
        fail_msg("%s:%u:%u: %s", d->code, d->place.line, d->place.column, d->message);
    nadi_diags_release(&diags);
}

static void json_syntax_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *says;
    } cases[] = {
        {"{\"a\": 1,}", 1, 8, "a comma with nothing after it"},
        {"{\"a\": 01}", 1, 7, "not a JSON value"},
        {"{a: 1}", 1, 2, "not a JSON value"},
        {"{'a': 1}", 1, 2, "double quotes, not single"},
        {"{\"a\": 1 // c\n}", 1, 9, "comments are not JSON"},
        {"{ # c\n}", 1, 3, "comments are not JSON"},
        {"{\"a\": NaN}", 1, 7, "not a JSON value"},
        {"{\"a\": +1}", 1, 7, "not a JSON value"},
        {"{\"a\": .5}", 1, 7, "not a JSON value"},
        {"{\"a\": 1\n", 1, 8, "a comma or a closing bracket is missing"},
        {"{\"a\": [1, 2}", 1, 12, "closing bracket of the wrong kind"},
        {"{\"a\": 1\n \"b\": 2}", 2, 2, "a comma or a closing bracket is missing"},
        {"{\"a\": 1\r\n \"b\"  2}", 2, 2, "a comma or a closing bracket is missing"},
        {"{\"a\": \"x\ny\"}", 1, 7, "not closed on its line"},
        {"{\"a\": \"x", 1, 7, "not closed on its line"},
        {"{\"a\": \"x\ty\"}", 1, 9, "a control character"},
        {"[1,\r\n \"\xc3\xa4\", x]", 2, 7, "not a JSON value"},
        {"[1x]", 1, 2, "not a JSON value"},
        {"[nullx]", 1, 2, "not a JSON value"},
        {"[1.]", 1, 2, "not a JSON value"},
        {"[1 2]", 1, 4, "a comma or a closing bracket"},
        {"[,1]", 1, 2, "a value is missing"},
        {"{\"a\": }", 1, 7, "a value is missing"},
        {"[", 1, 2, "a value is missing: the file ends"},
        {"]", 1, 1, "a value is missing"},
        {"{\"a\": 1} 2", 1, 10, "something follows the end"},
        {"{\"a\": 1}{}", 1, 9, "something follows the end"},
        {"{\"a\": \"\\q\"}", 1, 9, "escape"},
        {"{\"a\"}", 1, 5, "the ':' and the value of the key are missing"},
        {"{:1}", 1, 2, "a key is missing"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refused(NADI_DOC_JSON, cases[i].text, strlen(cases[i].text), "doc/syntax", cases[i].line,
                cases[i].column, cases[i].says);
}

static void yaml_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code;
        uint32_t line, column;
        const char *says;
    } cases[] = {
        {"a: [1, 2\nb: 3\n", "doc/syntax", 2, 5, "without a closing bracket"},
        {"a:\n\t- 1\n", "doc/syntax", 2, 1, "tab"},
        {"a: \"x\n", "doc/syntax", 1, 5, "without closing quote"},
        {"a: 1\n---\nb: 2\n", "doc/several", 2, 1, "second document"},
        {"a: *y\n", "doc/alias", 1, 4, "'*y' has no anchor"},
        {"a: &x [*x]\n", "doc/alias", 1, 8, "'*x' has no anchor"},
        {"? [a, b]\n: c\n", "doc/key", 1, 3, "cannot be a key"},
        {"a: &x 1\n*x : 2\n", "doc/key", 2, 1, "cannot be a key"},
        {"a: 1\nb: 2\na: 3\n", "doc/duplicate-key", 3, 1, "'a' was already given in line 1"},
        {"# nothing\n", "doc/empty", 0, 0, "empty"},
        {"", "doc/empty", 0, 0, "empty"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refused(NADI_DOC_YAML, cases[i].text, strlen(cases[i].text), cases[i].code, cases[i].line,
                cases[i].column, cases[i].says);
}

/* Of a file that is one long list of small numbers. */
static void memory_is_in_proportion(void **state)
{
    (void)state;
    enum { VALUES = 200000 };
    struct nadi_str s = NADI_STR_INIT;
    struct nadi_doc doc;
    nadi_str_add(&s, "[1");
    for (int i = 1; i < VALUES; i++)
        nadi_str_add(&s, ",1");
    nadi_str_add(&s, "]");
    parse(&doc, NADI_DOC_JSON, s.text);
    assert_int_equal(doc.root->count, VALUES);
    assert_true(doc.arena.total_bytes < 48 * VALUES + 2 * s.length + (1 << 20));
    nadi_doc_release(&doc);
    nadi_str_release(&s);
}

static void many_duplicate_keys(void **state)
{
    (void)state;
    struct nadi_str s = NADI_STR_INIT;
    for (int i = 0; i < 40; i++)
        nadi_str_printf(&s, "k%d: 1\n", i % 39);
    refused(NADI_DOC_YAML, s.text, s.length, "doc/duplicate-key", 40, 1, "'k0' was already given");
    nadi_str_release(&s);
}

static void excerpts_have_a_caret(void **state)
{
    (void)state;
    static const char text[] = "{\n \"\xc3\xa4\": 1,}";
    refused(NADI_DOC_JSON, text, sizeof(text) - 1, "doc/syntax", 2, 8,
            "\n     \"\xc3\xa4\": 1,}\n           ^");
}

static void long_lines_are_cut(void **state)
{
    (void)state;
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_add(&s, "{\"");
    for (int i = 0; i < 1000; i++)
        nadi_str_add_char(&s, 'x');
    nadi_str_add(&s, "\": 1,}");
    struct nadi_doc doc;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_false(nadi_doc_parse(&doc, "f", s.text, s.length, NADI_DOC_JSON, &diags));
    assert_true(strlen(diags.items[0].message) < 300);
    assert_non_null(strstr(diags.items[0].message, "\": 1,}\n"));
    assert_non_null(strstr(diags.items[0].message, "\n    ...xxx"));
    nadi_diags_release(&diags);
    nadi_str_release(&s);
}

static void not_text(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t count;
        const char *says;
    } cases[] = {
        {"{\"a\": \0}", 8, "byte 0x00"},
        {"a: \xff", 4, "byte 0xff"},
        {"a: \xc3", 4, "byte 0xc3"},         /* cut in a character */
        {"a: \xe0\x80\x80", 6, "byte 0xe0"}, /* overlong */
        {"a: \xed\xa0\x80", 6, "byte 0xed"}, /* surrogate */
        {"a: \xf5\x80\x80\x80", 7, "byte 0xf5"},
        {"a: \x01", 4, "byte 0x01"},
        {"\x1f\x8b\x08", 3, "a gzip file"},
        {"\xff\xfe{\0", 4, "UTF-16"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        /* An exact copy, so that reading past the end is seen. */
        char *exact = nadi_mem_alloc(cases[i].count, 1);
        memcpy(exact, cases[i].bytes, cases[i].count);
        refused(NADI_DOC_YAML, exact, cases[i].count, "doc/not-text", 0, 0, cases[i].says);
        nadi_mem_free(exact);
    }
    refused(NADI_DOC_JSON, "{\"a\": \"\\u0000\"}", 15, "doc/nul", 1, 7, "NUL");
}

static void deep_nesting(void **state)
{
    (void)state;
    struct nadi_str s = NADI_STR_INIT;
    for (int i = 0; i < 100000; i++)
        nadi_str_add_char(&s, '[');
    refused(NADI_DOC_JSON, s.text, s.length, "doc/too-deep", 1, NADI_DOC_MAX_DEPTH + 1,
            "64 levels");
    refused(NADI_DOC_YAML, s.text, s.length, "doc/too-deep", 1, NADI_DOC_MAX_DEPTH + 1,
            "64 levels");
    nadi_str_release(&s);
}

static void alias_bomb(void **state)
{
    (void)state;
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_add(&s, "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 30; i++) {
        nadi_str_printf(&s, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            nadi_str_printf(&s, "%s*a%d", k ? ", " : "", i - 1);
        nadi_str_add(&s, "]\n");
    }
    refused(NADI_DOC_YAML, s.text, s.length, "doc/too-large", 8, 15, "more than 33554432 values");
    nadi_str_release(&s);
}

static void syntax_follows_the_name(void **state)
{
    (void)state;
    assert_int_equal(nadi_doc_syntax_of("x.json", NADI_DOC_YAML), NADI_DOC_JSON);
    assert_int_equal(nadi_doc_syntax_of("x.yml", NADI_DOC_JSON), NADI_DOC_YAML);
    assert_int_equal(nadi_doc_syntax_of("x.yaml", NADI_DOC_JSON), NADI_DOC_YAML);
    assert_int_equal(nadi_doc_syntax_of("x.cfg", NADI_DOC_JSON), NADI_DOC_JSON);
    assert_int_equal(nadi_doc_syntax_of("x.cfg", NADI_DOC_YAML), NADI_DOC_YAML);
}

static void unreadable_files(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"/tmp", "file/is-folder"},
        {"/nonexistent/file", "file/missing"},
        {"/dev/zero", "file/unreadable"},
    };
    for (size_t i = 0; i < 3; i++) {
        struct nadi_doc doc;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        assert_false(nadi_doc_read(&doc, cases[i][0], "system file", NADI_DOC_JSON, &diags));
        assert_string_equal(diags.items[0].code, cases[i][1]);
        assert_non_null(strstr(diags.items[0].message, "system file"));
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_places),
        cmocka_unit_test(yaml_places),
        cmocka_unit_test(texts_are_decoded),
        cmocka_unit_test(aliases_share),
        cmocka_unit_test(hash_is_of_the_bytes),
        cmocka_unit_test(scalars_are_classified),
        cmocka_unit_test(two_ways),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(infinities_in_yaml_only),
        cmocka_unit_test(values_are_described),
        cmocka_unit_test(json_syntax_errors),
        cmocka_unit_test(yaml_errors),
        cmocka_unit_test(memory_is_in_proportion),
        cmocka_unit_test(many_duplicate_keys),
        cmocka_unit_test(excerpts_have_a_caret),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(not_text),
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(alias_bomb),
        cmocka_unit_test(syntax_follows_the_name),
        cmocka_unit_test(unreadable_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
