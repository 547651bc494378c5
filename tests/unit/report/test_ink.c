/* ink, markup: bars to an eighth of a cell, colours only where they are asked for, escapes. */
#include "report/ink.h"
#include "report/markup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void bar_is(double share, const char *expected)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_ink_bar(&s, false, NADI_INK_BLUE, share, 4);
    assert_string_equal(nadi_str_get(&s), expected);
    nadi_str_release(&s);
}

static void bars(void **state)
{
    (void)state;
    bar_is(0, "····");
    bar_is(-1, "····");
    bar_is(0.5, "██··");
    bar_is(0.25 + 1.0 / 32, "█▏··");
    bar_is(1 - 1.0 / 32, "███▉");
    bar_is(2, "████");
}

static void colours(void **state)
{
    struct nadi_str s = NADI_STR_INIT;
    (void)state;
    nadi_ink_bar(&s, true, NADI_INK_BLUE, 0.5, 2);
    assert_string_equal(nadi_str_get(&s), "\x1b[34m█\x1b[2m·\x1b[0m");
    nadi_str_clear(&s);
    nadi_ink_text(&s, true, NADI_INK_BOLD, "a");
    nadi_ink_text(&s, false, NADI_INK_BOLD, "b");
    assert_string_equal(nadi_str_get(&s), "\x1b[1ma\x1b[0mb");
    nadi_str_release(&s);
}

static void markup(void **state)
{
    struct nadi_str s = NADI_STR_INIT;
    (void)state;
    nadi_markup_add(&s, "a<b> & \"c\"\n\td\x01");
    assert_string_equal(nadi_str_get(&s), "a&lt;b&gt; &amp; &quot;c&quot;\n\td ");
    nadi_str_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars),
        cmocka_unit_test(colours),
        cmocka_unit_test(markup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
