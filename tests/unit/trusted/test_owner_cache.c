/* The validation cache hits where the stack distance within the frame's set says so. */
#include "base/rng.h"
#include "trusted/owner_cache.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Different frames of the same set since the last access to this one; NADI_NONE: never. */
static uint32_t stack_distance(const uint32_t *trace, uint32_t at, uint32_t sets)
{
    uint32_t seen[512], count = 0;
    for (uint32_t i = at; i-- > 0;) {
        bool is_new = trace[i] % sets == trace[at] % sets;
        if (trace[i] == trace[at])
            return count;
        for (uint32_t k = 0; is_new && k < count; k++)
            is_new = seen[k] != trace[i];
        if (is_new)
            seen[count++] = trace[i];
    }
    return NADI_NONE;
}

static void test_stack_distance(void **state)
{
    (void)state;
    enum { LENGTH = 2000 };
    static const uint32_t shapes[][2] = {{1, 1}, {8, 8}, {64, 8}, {64, 1}, {128, 128}, {96, 4}};
    for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
        struct nadi_owner_cache c;
        struct nadi_rng rng;
        uint32_t trace[LENGTH], hits = 0;
        nadi_owner_cache_init(&c, shapes[s][0], shapes[s][1]);
        nadi_rng_init(&rng, s, "distance");
        for (uint32_t i = 0; i < LENGTH; i++) {
            const uint32_t wide = nadi_rng_below(&rng, 3) ? 40 : 400;
            trace[i] = (uint32_t)nadi_rng_below(&rng, wide);
            const bool hit = nadi_owner_cache_find(&c, trace[i]);
            assert_int_equal(hit, stack_distance(trace, i, c.sets) < c.associativity);
            hits += hit;
        }
        assert_true(hits > 0 && hits < LENGTH);
        nadi_owner_cache_release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stack_distance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
