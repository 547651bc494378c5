/* base64: the vectors of RFC 4648, both ways, and what is not base64. */
#include "format/base64.h"

#include <setjmp.h>

#include <cmocka.h>

static void both_ways(void **state)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xfb\xff\xbf", "+/+/"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_str text = NADI_STR_INIT, bytes = NADI_STR_INIT;
        nadi_base64_add(&text, cases[i].bytes, strlen(cases[i].bytes));
        assert_string_equal(nadi_str_get(&text), cases[i].text);
        assert_true(nadi_base64_decode(&bytes, cases[i].text, strlen(cases[i].text)));
        assert_string_equal(nadi_str_get(&bytes), cases[i].bytes);
        nadi_str_release(&text);
        nadi_str_release(&bytes);
    }
}

static void what_is_not(void **state)
{
    static const char *const texts[] = {
        "Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm 9", "Zm9*", "Z=g="};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct nadi_str bytes = NADI_STR_INIT;
        if (nadi_base64_decode(&bytes, texts[i], strlen(texts[i])))
            fail_msg("%s was taken", texts[i]);
        nadi_str_release(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(what_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
