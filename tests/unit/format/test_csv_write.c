/* csv_write: quoting, and rows that read back. */
#include "base/str.h"
#include "format/csv_write.h"

#include "support/csv_read.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static void rows(void **state)
{
    struct nadi_str s = NADI_STR_INIT;
    struct nadi_csv csv = {.out = &s};
    (void)state;
    nadi_csv_header(&csv, "a,b,c");
    nadi_csv_u64(&csv, 7);
    nadi_csv_double(&csv, 0.5);
    nadi_csv_empty(&csv);
    nadi_csv_end_row(&csv);
    nadi_csv_text(&csv, "plain");
    nadi_csv_text(&csv, "x, \"y\"\nz");
    nadi_csv_double(&csv, (double)NAN);
    nadi_csv_end_row(&csv);
    assert_string_equal(nadi_str_get(&s), "a,b,c\n7,0.5,\nplain,\"x, \"\"y\"\"\nz\",\n");
    nadi_str_release(&s);
}

static void any_text_is_read_back(void **state)
{
    static const char *const texts[] = {"",     "\"",   ",",          "\r\n",
                                        "\"\"", "a\"b", "gr\xc3\xbc", "x,\"\n\",y"};
    struct nadi_str s = NADI_STR_INIT;
    struct nadi_csv csv = {.out = &s};
    struct csv_table t;
    const size_t count = sizeof(texts) / sizeof(*texts);
    (void)state;
    nadi_csv_header(&csv, "text,number");
    for (size_t i = 0; i < count; i++) {
        nadi_csv_text(&csv, texts[i]);
        nadi_csv_u64(&csv, i);
        nadi_csv_end_row(&csv);
    }
    csv_read(&t, nadi_str_get(&s));
    assert_int_equal(t.rows, count + 1);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(csv_at(&t, i + 1, "text"), texts[i]);
        assert_int_equal(csv_u64(&t, i + 1, "number"), i);
    }
    csv_release(&t);
    nadi_str_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(any_text_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
