/* The list of executors and their table agree. */
#include "executor/executors.h"

#include <setjmp.h>

#include <cmocka.h>

static void names(void **state)
{
    (void)state;
#define CHECK(executor)                                                                            \
    assert_string_equal(nadi_executor_##executor.name, #executor);                                 \
    assert_ptr_equal(nadi_executor_find(#executor), &nadi_executor_##executor);
    NADI_EXECUTORS(CHECK, )
#undef CHECK
    assert_null(nadi_executor_find("auto"));
    for (size_t i = 0; nadi_executors[i]; i++) {
        assert_non_null(nadi_executors[i]->summary);
        assert_true(nadi_executors[i]->solves_phases || !nadi_executors[i]->folds);
        assert_false(nadi_executors[i]->keyed); /* not on the command line */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
