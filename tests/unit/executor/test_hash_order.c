/* The iteration order of the reference's hash set, on sequences measured there. */
#include "executor/hash_order.h"

#include <setjmp.h>

#include <cmocka.h>

static void expect(const struct nadi_hash_set *s, const uint64_t *want, uint32_t count)
{
    uint64_t got[32];
    assert_int_equal(s->count, count);
    nadi_hash_set_list(s, got);
    assert_memory_equal(got, want, count * sizeof(*got));
}

static void ascending(void **state)
{
    (void)state;
    for (uint32_t last = 13; last <= 20; last += last == 13 ? 1 : 6) {
        uint64_t want[20];
        uint32_t at = 0;
        struct nadi_hash_set s;
        nadi_hash_set_init(&s);
        for (uint64_t id = 1; id <= last; id++)
            nadi_hash_set_insert(&s, id);
        /* the 14th element makes the set grow: what was there comes out reversed */
        for (uint64_t id = last; id > (last > 13 ? 13 : 0); id--)
            want[at++] = id;
        for (uint64_t id = 1; last > 13 && id <= 13; id++)
            want[at++] = id;
        expect(&s, want, last);
        nadi_hash_set_release(&s);
    }
}

static void collisions(void **state)
{
    (void)state;
    const uint64_t ids[] = {1, 14, 2, 27, 15};
    const uint64_t before[] = {15, 2, 27, 14, 1}, after[] = {15, 2, 40, 27, 1};
    struct nadi_hash_set s;
    nadi_hash_set_init(&s);
    for (size_t i = 0; i < 5; i++)
        nadi_hash_set_insert(&s, ids[i]);
    nadi_hash_set_insert(&s, 27); /* a duplicate changes nothing */
    expect(&s, before, 5);
    nadi_hash_set_erase(&s, 14);
    nadi_hash_set_erase(&s, 99);
    nadi_hash_set_insert(&s, 40);
    expect(&s, after, 5);
    nadi_hash_set_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ascending), cmocka_unit_test(collisions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
