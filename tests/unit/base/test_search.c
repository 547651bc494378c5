/* Tests of search: NADI_BISECT against a walk from the first on. */
#include "base/base.h"
#include "base/search.h"

#include <setjmp.h>

#include <cmocka.h>

static void finds_what_a_walk_finds(void **state)
{
    const uint32_t items[] = {2, 2, 3, 7, 7, 7, 9};
    (void)state;
    for (uint32_t from = 0; from <= 7; from++) {
        for (uint32_t to = from; to <= 7; to++) {
            for (uint32_t key = 0; key <= 10; key++) {
                uint32_t walked = from;
                while (walked < to && items[walked] < key)
                    walked++;
                NADI_BISECT(uint32_t, found, from, to, i, items[i] < key);
                assert_int_equal(found, walked);
            }
        }
    }
}

static void of_nothing_it_is_the_beginning(void **state)
{
    (void)state;
    NADI_BISECT(size_t, empty, 5, 5, i, i < 9);
    assert_int_equal(empty, 5);
    NADI_BISECT(uint32_t, reversed, 1, 0, i, i < 9);
    assert_int_equal(reversed, 1);
    NADI_BISECT(uint64_t, far, UINT64_MAX - 8, UINT64_MAX, i, i < UINT64_MAX - 1);
    assert_true(far == UINT64_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_walk_finds),
        cmocka_unit_test(of_nothing_it_is_the_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
