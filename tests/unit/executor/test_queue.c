/* Queues in order of priority against a sorted list: drawn insertions, and removals at any place.
 */
#include "executor/internal.h"

#include "base/rng.h"
#include "support/between.h"

#include <setjmp.h>

#include <cmocka.h>

enum { MOST = 200 };

static void draw(struct nadi_rng *rng, struct waiting *w)
{
    *w = (struct waiting){.next = NADI_NONE,
                          .priority = (int64_t)rng_between(rng, 0, 3) - 1,
                          .key = (uint64_t)rng_between(rng, 0, 1)};
}

static bool is_before(const struct waiting *a, const struct waiting *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->key <= b->key;
}

static void expect(const struct nadi_system *s, const struct queue *q, const uint32_t *want,
                   uint32_t count)
{
    uint32_t at = q->head, last = NADI_NONE;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(at, want[i]);
        last = at;
        at = s->waiting.items[at].next;
    }
    assert_int_equal(at, NADI_NONE);
    assert_int_equal(q->tail, last);
}

static void remove_at(struct nadi_system *s, struct queue *q, uint32_t number, uint32_t index)
{
    struct queue_place place = nadi_queue_first(q);
    while (number-- > 0)
        nadi_queue_next(s, &place);
    assert_int_equal(place.at, index);
    nadi_queue_remove(s, q, &place);
}

static void drawn(void **state)
{
    (void)state;
    struct nadi_rng rng;
    nadi_rng_init(&rng, 1, "queue");
    for (uint32_t round = 0; round < 200; round++) {
        struct waiting items[MOST];
        uint32_t order[MOST], count = 0;
        struct nadi_system s = {.waiting.items = items};
        struct queue q = {.head = NADI_NONE, .tail = NADI_NONE};
        for (uint32_t next = 0; next < MOST;) {
            if (count > 0 && rng_between(&rng, 0, 2) == 0) {
                const uint32_t at = (uint32_t)rng_between(&rng, 0, round % 2 ? 0 : count - 1);
                remove_at(&s, &q, at, order[at]);
                count--;
                memmove(order + at, order + at + 1, (count - at) * sizeof(*order));
            } else {
                uint32_t at = 0;
                draw(&rng, &items[next]);
                while (at < count && is_before(&items[order[at]], &items[next]))
                    at++;
                memmove(order + at + 1, order + at, (count - at) * sizeof(*order));
                order[at] = next;
                count++;
                nadi_queue_insert(&s, &q, next++);
            }
            expect(&s, &q, order, count);
        }
    }
}

/* Minutes, if each looked at all chunks before it. */
static void many_alike(void **state)
{
    (void)state;
    enum { CHUNKS = 1 << 20 };
    struct waiting *items = NADI_ZNEW(struct waiting, CHUNKS);
    struct nadi_system s = {.waiting.items = items};
    struct queue q = {.head = NADI_NONE, .tail = NADI_NONE};
    for (uint32_t i = 0; i < CHUNKS; i++) {
        items[i].priority = i / (CHUNKS / 4) + i % 2 * 10; /* the latest first, two in turns */
        nadi_queue_insert(&s, &q, i);
    }
    assert_int_equal(q.head, CHUNKS / 4 * 3 + 1);
    assert_int_equal(q.tail, CHUNKS / 4 - 2);
    nadi_mem_free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn),
        cmocka_unit_test(many_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
