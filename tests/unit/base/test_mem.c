/* mem: sizes that cannot be are never handed out, whatever their product wraps to; arrays grow and
 * keep what they have. */
#include "base/mem.h"
#include "base/pool.h"

#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static bool handed_out(void *(*get)(size_t, size_t), size_t count, size_t size)
{
    const pid_t child = fork();
    int status = 0;
    assert_true(child >= 0);
    if (child == 0) {
        (void)!freopen("/dev/null", "w", stderr);
        void *volatile p = get(count, size);
        _exit(p ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void *again(size_t count, size_t size)
{
    return nadi_mem_realloc(nadi_mem_alloc(1, 1), count, size);
}

static void too_much(void **state)
{
    static const size_t cases[][2] = {{SIZE_MAX, 2},
                                      {SIZE_MAX / 2 + 1, 2},
                                      {(size_t)1 << 63, 4},
                                      {SIZE_MAX, 1},
                                      {(size_t)1 << 32, (size_t)1 << 32},
                                      {(size_t)PTRDIFF_MAX + 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_false(handed_out(nadi_mem_alloc, cases[i][0], cases[i][1]));
        assert_false(handed_out(nadi_mem_zalloc, cases[i][0], cases[i][1]));
        assert_false(handed_out(again, cases[i][0], cases[i][1]));
    }
    assert_true(handed_out(nadi_mem_alloc, 0, 8));
    assert_true(handed_out(nadi_mem_alloc, 1000, 8));
}

static void grows(void **state)
{
    size_t capacity = 0;
    uint32_t *items = NULL;
    (void)state;
    for (uint32_t i = 0; i < 10000; i++) {
        if (i >= capacity) {
            const size_t before = capacity;
            items = nadi_mem_grow(items, &capacity, i + 1, sizeof(*items));
            assert_true(capacity >= i + 1 && capacity >= 2 * before && capacity <= 2 * before + 8);
        }
        items[i] = i * 7;
    }
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(items[i], i * 7);
    uint32_t *copy = nadi_mem_copy(items, 10000, sizeof(*items));
    assert_memory_equal(copy, items, 10000 * sizeof(*items));
    assert_true(copy != items);
    nadi_mem_free(copy);
    nadi_mem_free(items);
    char *zero = nadi_mem_zalloc(1000, 3);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(zero[i], 0);
    nadi_mem_free(zero);
}

struct item {
    uint32_t value, next;
};

/* What was given back is taken before the array grows, the latest first; a list keeps its order. */
static void pools(void **state)
{
    (void)state;
    NADI_POOL_OF(struct item) pool = {.free = NADI_NONE};
    struct nadi_fifo list = {NADI_NONE, NADI_NONE};
    uint32_t at;
    for (uint32_t i = 0; i < 100; i++) {
        NADI_POOL_TAKE(&pool, next, at);
        assert_int_equal(at, i);
        pool.items[at].value = i;
        NADI_FIFO_PUSH(&list, &pool, at);
    }
    for (uint32_t i = 0; i < 60; i++) {
        NADI_FIFO_POP(&list, &pool, at);
        assert_int_equal(pool.items[at].value, i);
        NADI_POOL_GIVE(&pool, next, at);
    }
    for (uint32_t i = 60; i-- > 0;) {
        NADI_POOL_TAKE(&pool, next, at);
        assert_int_equal(at, i);
    }
    NADI_POOL_TAKE(&pool, next, at);
    assert_int_equal(at, 100);
    assert_int_equal(list.head, 60);
    nadi_mem_free(pool.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(too_much), cmocka_unit_test(grows),
                                       cmocka_unit_test(pools)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
