/* Tests of heap: what comes out is sorted, whatever goes in between. */
#include "base/heap.h"
#include "base/rng.h"

#include <setjmp.h>

#include <cmocka.h>

struct item {
    uint32_t key, number;
};

static bool before(const struct item *a, const struct item *b)
{
    return a->key < b->key || (a->key == b->key && a->number < b->number);
}

/* Pushes and pops drawn at random, against the least of a list that is walked. */
static void pops_the_first(void **state)
{
    struct {
        struct item *items;
        size_t count, capacity;
    } heap = {0}, list = {0};
    struct nadi_rng rng;
    (void)state;
    nadi_rng_init(&rng, 7, "heap");
    for (uint32_t i = 0; i < 4000; i++) {
        const struct item pushed = {(uint32_t)(nadi_rng_below(&rng, 50)), i};
        if (list.count == 0 || nadi_rng_below(&rng, 9) < 5) {
            NADI_HEAP_PUSH(&heap, pushed, before);
            NADI_PUSH(&list, pushed);
            continue;
        }
        size_t least = 0;
        for (size_t k = 1; k < list.count; k++)
            least = before(&list.items[k], &list.items[least]) ? k : least;
        struct item top;
        NADI_HEAP_POP(&heap, top, before);
        assert_int_equal(top.key, list.items[least].key);
        assert_int_equal(top.number, list.items[least].number);
        list.items[least] = list.items[--list.count];
        assert_int_equal(heap.count, list.count);
    }
    nadi_mem_free(heap.items);
    nadi_mem_free(list.items);
}

static void of_numbers_the_least(void **state)
{
    struct nadi_heap32 heap = {0};
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        nadi_heap32_push(&heap, i * 3 % 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(nadi_heap32_pop(&heap), i);
    assert_int_equal(heap.count, 0);
    nadi_mem_free(heap.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pops_the_first),
        cmocka_unit_test(of_numbers_the_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
