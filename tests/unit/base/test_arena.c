/* An arena's objects: aligned, apart, and in sanitized builds with a gap behind each, so that
 * overruns are seen. */
#include "base/arena.h"

#include <setjmp.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

static const size_t sizes[] = {0, 1, 5, 8, 16, 17, 100, 2000, 5000, 100001, 3, 1 << 20, 7};
enum { OBJECTS = sizeof(sizes) / sizeof(sizes[0]) };

static void each_object_is_its_own(void **state)
{
    (void)state;
    struct nadi_arena arena;
    unsigned char *objects[OBJECTS];
    nadi_arena_init(&arena);
    for (int i = 0; i < OBJECTS; i++) {
        objects[i] = nadi_arena_alloc(&arena, sizes[i], 1);
        assert_int_equal((uintptr_t)objects[i] % 16, 0);
        memset(objects[i], i + 1, sizes[i]);
    }
    for (int i = 0; i < OBJECTS; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(objects[i][k], i + 1);
    nadi_arena_release(&arena);
}

#ifdef __SANITIZE_ADDRESS__
static void an_overrun_is_seen(void **state)
{
    (void)state;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    for (int i = 0; i < OBJECTS; i++) {
        const char *object = nadi_arena_alloc(&arena, sizes[i], 1);
        assert_null(__asan_region_is_poisoned((void *)(uintptr_t)object, sizes[i]));
        for (size_t beyond = 0; beyond < 32; beyond++)
            assert_true(__asan_address_is_poisoned(object + sizes[i] + beyond));
    }
    nadi_arena_release(&arena);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_object_is_its_own),
#ifdef __SANITIZE_ADDRESS__
        cmocka_unit_test(an_overrun_is_seen),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
