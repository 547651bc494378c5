/* XML as a tree of elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "format/xml.h"

static struct nadi_xml *parsed(const char *text)
{
    struct nadi_xml_error error = {0};
    struct nadi_xml *root = nadi_xml_parse(text, strlen(text), &error);
    assert_string_equal(error.text, "");
    assert_non_null(root);
    return root;
}

static void refused(const char *text, uint32_t line, const char *what)
{
    struct nadi_xml_error error = {0};
    assert_null(nadi_xml_parse(text, strlen(text), &error));
    assert_string_equal(error.text, what);
    assert_int_equal(error.line, line);
}

static void elements_attributes_and_lines(void **state)
{
    (void)state;
    struct nadi_xml *root =
        parsed("<?xml version=\"1.0\"?>\n<!-- <c/> -->\n<a x='1' y=\"&lt;&#x41;\">text\n"
               "<b\n  z=''/><c><d/></c>\n</a>\n");
    assert_string_equal(root->name, "a");
    assert_int_equal(root->line, 3);
    assert_string_equal(nadi_xml_attribute(root, "x"), "1");
    assert_string_equal(nadi_xml_attribute(root, "y"), "<A");
    assert_null(nadi_xml_attribute(root, "z"));
    const struct nadi_xml *b = root->first, *c = b->next;
    assert_string_equal(b->name, "b");
    assert_int_equal(b->line, 4);
    assert_null(b->first);
    assert_string_equal(nadi_xml_attribute(b, "z"), "");
    assert_string_equal(c->name, "c");
    assert_int_equal(c->line, 5);
    assert_string_equal(c->first->name, "d");
    assert_ptr_equal(c->first->parent, c);
    assert_ptr_equal(root->last, c);
    assert_null(c->next);
    nadi_xml_free(root);
}

static void texts_larger_than_a_piece(void **state)
{
    (void)state;
    enum { ELEMENTS = 200000 };
    struct nadi_str text = {0};
    nadi_str_add(&text, "<a>\n");
    for (int i = 0; i < ELEMENTS; i++)
        nadi_str_printf(&text, "<b i='%d'/>\n", i);
    nadi_str_add(&text, "</a>");
    struct nadi_xml *root = parsed(nadi_str_get(&text));
    uint32_t count = 0;
    for (const struct nadi_xml *b = root->first; b; b = b->next) {
        int64_t i;
        assert_true(nadi_str_to_i64(nadi_xml_attribute(b, "i"), &i));
        assert_int_equal(i, count);
        assert_int_equal(b->line, count + 2);
        count++;
    }
    assert_int_equal(count, ELEMENTS);
    nadi_xml_free(root);
    nadi_str_release(&text);
}

static void what_is_not_well_formed(void **state)
{
    (void)state;
    refused("", 1, "no element found");
    refused("<a>\n<b>\n", 3, "<b> of line 2 does not end before it");
    refused("<a>\n<b>\n</a>", 3, "<b> of line 2 does not end before it");
    refused("<a x='1' x='2'/>", 1, "duplicate attribute");
    refused("<a>&unknown;</a>", 1, "undefined entity");
    refused("<a/>\n<a/>", 2, "junk after document element");
}

static void entities_that_grow(void **state)
{
    (void)state;
    struct nadi_str text = {0};
    nadi_str_add(&text, "<!DOCTYPE a [<!ENTITY e0 'ten bytes.'>");
    for (int i = 1; i < 10; i++) {
        nadi_str_printf(&text, "<!ENTITY e%d '", i);
        for (int k = 0; k < 10; k++)
            nadi_str_printf(&text, "&e%d;", i - 1);
        nadi_str_add(&text, "'>");
    }
    nadi_str_add(&text, "]><a>&e9;</a>");
    refused(nadi_str_get(&text), 1,
            "limit on input amplification factor (from DTD and entities) breached");
    nadi_str_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_attributes_and_lines),
        cmocka_unit_test(texts_larger_than_a_piece),
        cmocka_unit_test(what_is_not_well_formed),
        cmocka_unit_test(entities_that_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
