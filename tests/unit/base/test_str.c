/* str: words that were probably meant. */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const words[] = {"bandwidth", "latency", "oversubscription", "switch-delay",
                                    "switch-buffer"};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static const char *nearest(const char *word)
{
    const char *found = nadi_str_nearest(word, words, WORDS);
    return found ? found : "none";
}

static void slips(void **state)
{
    (void)state;
    assert_string_equal(nearest("bandwith"), "bandwidth");
    assert_string_equal(nearest("LATENCY"), "latency");
    assert_string_equal(nearest("latnecy"), "latency");
    assert_string_equal(nearest("colour"), "none");
}

static void beginnings(void **state)
{
    (void)state;
    assert_string_equal(nearest("oversub"), "oversubscription");
    assert_string_equal(nearest("oversubscribed"), "oversubscription");
    assert_string_equal(nearest("over"), "none");             /* too short */
    assert_string_equal(nearest("switch-"), "none");          /* two go on like that */
    assert_string_equal(nearest("overheads-of-all"), "none"); /* most of the word is another */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips),
        cmocka_unit_test(beginnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
