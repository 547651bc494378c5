/* The words of files, the table of step generators and what reads them agree. */
#include "base/algorithm.h"
#include "base/str.h"
#include "collective/algorithms/algorithms.h"

#include <setjmp.h>

#include <cmocka.h>

static void check_row(const char *word, const struct nadi_program_ops *ops, bool dims, bool rooted,
                      bool all, bool barrier, bool uneven)
{
    const size_t stem = strcspn(word, "[");
    char text[64];
    uint32_t number;
    assert_int_equal(strlen(ops->name), stem);
    assert_memory_equal(ops->name, word, stem);
    assert_int_equal(word[stem] == '[', ops->number != NADI_NUMBER_NONE);
    assert_ptr_equal(nadi_program_read(ops->name, &number), ops);
    assert_int_equal(number, 0);
    snprintf(text, sizeof(text), "%s4", ops->name);
    assert_ptr_equal(nadi_program_read(text, &number), word[stem] ? ops : NULL);
    assert_true(!dims || ops->kinds & (1U << NADI_ALL_REDUCE | 1U << NADI_ALL_GATHER |
                                       1U << NADI_REDUCE_SCATTER | 1U << NADI_ALL_TO_ALL));
    if (rooted)
        assert_true(nadi_program_runs(ops, NADI_BROADCAST));
    if (all)
        assert_true(nadi_program_runs(ops, NADI_GATHER) && nadi_program_runs(ops, NADI_SCATTER));
    assert_true(!barrier || nadi_program_runs(ops, NADI_BARRIER));
    assert_true(!uneven || nadi_program_runs(ops, NADI_ALL_TO_ALL));
}

static void rows(void **state)
{
    (void)state;
#define CHECK(id, word, one, dims, rooted, all, bar, v)                                            \
    check_row(word, &nadi_algorithm_##id, dims, rooted, all, bar, v);
    NADI_GENERATORS(CHECK)
#undef CHECK
}

/* Every word that the keys take is read, with a number where it may have one. */
static void words(void **state)
{
    (void)state;
    static const char *const all[] = {NADI_WORDS_OF_DIMS NULL};
    struct nadi_algorithm_choice c;
    for (size_t i = 0; all[i]; i++) {
        const size_t stem = strcspn(all[i], "[");
        char text[64];
        snprintf(text, sizeof(text), "%.*s", (int)stem, all[i]);
        assert_true(nadi_algorithm_read(text, &c));
        assert_int_equal(c.flat, nadi_str_starts(text, "one"));
        assert_int_equal(c.window, 0);
        assert_int_equal(c.algorithm == NADI_ALGORITHM_PROGRAM, c.program != NULL);
        snprintf(text, sizeof(text), "%.*s12", (int)stem, all[i]);
        assert_int_equal(nadi_algorithm_read(text, &c), all[i][stem] == '[');
    }
    assert_true(nadi_algorithm_read("oneDirect3", &c));
    assert_int_equal(c.algorithm, NADI_ALGORITHM_DIRECT);
    assert_int_equal(c.window, 3);
    assert_true(c.flat && !c.program);
    assert_true(nadi_algorithm_read("doubleTree", &c));
    assert_ptr_equal(c.program, &nadi_algorithm_double_tree);
    assert_false(nadi_algorithm_read("direct0", &c));
    assert_false(nadi_algorithm_read("direct-1", &c));
    assert_false(nadi_algorithm_read("oneDoubleBinaryTree", &c));
    assert_false(nadi_algorithm_read("scatterGather", &c)); /* of broadcasts alone */
    assert_false(nadi_algorithm_read("", &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
