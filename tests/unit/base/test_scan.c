/* scan: words, their places and their values. */
#include "base/scan.h"
#include "base/str.h"

#include <setjmp.h>

#include <cmocka.h>

struct fixture {
    char text[256];
    struct nadi_diags diags;
    struct nadi_scan scan;
};

static void begin(struct fixture *f, const char *text)
{
    snprintf(f->text, sizeof(f->text), "%s", text);
    nadi_diags_init(&f->diags);
    nadi_scan_init(&f->scan, "a.txt", "test/code", f->text, strlen(text), &f->diags);
}

static void words_and_places(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f, " one\ttwo # three\r\n\n  four");
    assert_true(nadi_scan_next(&f.scan));
    assert_string_equal(f.scan.word, "one");
    assert_int_equal(f.scan.place.line, 1);
    assert_int_equal(f.scan.place.column, 2);
    assert_true(nadi_scan_same_line(&f.scan));
    assert_string_equal(f.scan.word, "two");
    assert_int_equal(f.scan.place.column, 6);
    assert_false(nadi_scan_same_line(&f.scan));
    assert_true(nadi_scan_next(&f.scan));
    assert_string_equal(f.scan.word, "four");
    assert_int_equal(f.scan.place.line, 3);
    assert_int_equal(f.scan.place.column, 3);
    assert_false(nadi_scan_next(&f.scan));
    assert_string_equal(f.scan.word, "");
    nadi_diags_release(&f.diags);
}

static void values(void **state)
{
    struct fixture f;
    uint32_t whole;
    double real;
    (void)state;
    begin(&f, "7 0.25 400Gbps 0.001ms 2");
    assert_true(nadi_scan_u32(&f.scan, "count", 7, &whole));
    assert_int_equal(whole, 7);
    assert_true(nadi_scan_double(&f.scan, "share", 0, 1, &real));
    assert_true(real > 0.2499 && real < 0.2501);
    assert_true(nadi_scan_quantity(&f.scan, "rate", NADI_DIMENSION_RATE, 0.125, 1, 1e12, &real));
    assert_true(real > 5e10 - 1 && real < 5e10 + 1);
    assert_true(nadi_scan_quantity(&f.scan, "delay", NADI_DIMENSION_TIME, 1e9, 0, 1e12, &real));
    assert_true(real > 999.999 && real < 1000.001);
    assert_true(nadi_scan_quantity(&f.scan, "start", NADI_DIMENSION_TIME, 1e9, 0, 1e12, &real));
    assert_true(real > 2e9 - 1 && real < 2e9 + 1);
    assert_int_equal(f.diags.errors, 0);
    nadi_diags_release(&f.diags);
}

/* Where a line ends, the place stays at its last word: messages point there. */
static void end_of_a_line(void **state)
{
    static const char *const texts[] = {"key", "key ", "key\n", "key # why", "key\n7"};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct fixture f;
        begin(&f, texts[i]);
        assert_true(nadi_scan_next(&f.scan));
        assert_false(nadi_scan_same_line(&f.scan));
        assert_string_equal(f.scan.word, "key");
        assert_int_equal(f.scan.place.line, 1);
        assert_int_equal(f.scan.place.column, 1);
        nadi_diags_release(&f.diags);
    }
}

static void mistakes(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"8", "the count is '8'; allowed are whole numbers from 0 to 7"},
        {"-1", "the count is '-1'; allowed are whole numbers from 0 to 7"},
        {"x\x01y", "the count is 'x?y'; allowed are whole numbers from 0 to 7"},
        {"", "the file ends before the count"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        uint32_t whole;
        begin(&f, cases[i].text);
        assert_false(nadi_scan_u32(&f.scan, "count", 7, &whole));
        assert_int_equal(f.diags.errors, 1);
        assert_string_equal(f.diags.items[0].code, "test/code");
        assert_string_equal(f.diags.items[0].message, cases[i].message);
        nadi_diags_release(&f.diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_places),
        cmocka_unit_test(values),
        cmocka_unit_test(end_of_a_line),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
