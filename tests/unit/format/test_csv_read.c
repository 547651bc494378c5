/* csv_read: quotes, comments, short rows, faults with their line. */
#include "format/csv_read.h"

#include <setjmp.h>

#include <cmocka.h>

static void reads(void **state)
{
    static const char text[] = "# about\na, b ,\"c, d\"\n1,2,3\n\n\"x \"\"y\"\"\",\"two\nlines\"\n"
                               "# end\n 7 , 8,9";
    struct nadi_diags diags;
    struct nadi_csv_table t;
    (void)state;
    nadi_diags_init(&diags);
    assert_true(nadi_csv_parse(&t, "t.csv", text, sizeof(text) - 1, &diags));
    assert_int_equal(t.column_count, 3);
    assert_int_equal(t.row_count, 3);
    assert_string_equal(t.header[2], "c, d");
    assert_int_equal(nadi_csv_column(&t, "B"), 1);
    assert_int_equal(nadi_csv_column(&t, "none"), NADI_NONE);
    assert_string_equal(nadi_csv_field(&t, 0, 2), "3");
    assert_string_equal(nadi_csv_field(&t, 1, 0), "x \"y\"");
    assert_string_equal(nadi_csv_field(&t, 1, 1), "two\nlines");
    assert_string_equal(nadi_csv_field(&t, 1, 2), "");
    assert_string_equal(nadi_csv_field(&t, 2, 0), "7");
    assert_string_equal(nadi_csv_field(&t, 2, NADI_NONE), "");
    assert_int_equal(t.lines[0], 3);
    assert_int_equal(t.lines[2], 8);
    nadi_csv_release(&t);
    nadi_diags_release(&diags);
}

static void line_ends(void **state)
{
    static const char text[] = "a,b\r\n1,2\r\n\r\n3,\r\n";
    struct nadi_diags diags;
    struct nadi_csv_table t;
    (void)state;
    nadi_diags_init(&diags);
    assert_true(nadi_csv_parse(&t, "t.csv", text, sizeof(text) - 1, &diags));
    assert_int_equal(t.row_count, 2);
    assert_string_equal(t.header[1], "b");
    assert_string_equal(nadi_csv_field(&t, 0, 1), "2");
    assert_string_equal(nadi_csv_field(&t, 1, 1), "");
    nadi_csv_release(&t);
    nadi_diags_release(&diags);
}

static void faults(void **state)
{
    static const struct {
        const char *text;
        uint32_t line;
    } cases[] = {{"", 0}, {"# only\n\n", 0}, {"a,b\n1,2\n1,2,3\n", 3}, {"a,b\n\n\"1,2\n", 3}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_diags diags;
        struct nadi_csv_table t;
        nadi_diags_init(&diags);
        assert_false(nadi_csv_parse(&t, "t.csv", cases[i].text, strlen(cases[i].text), &diags));
        assert_int_equal(diags.errors, 1);
        assert_int_equal(diags.items[0].place.line, cases[i].line);
        nadi_csv_release(&t);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(line_ends),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
