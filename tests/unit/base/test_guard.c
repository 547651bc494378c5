/* guard: work ends where somebody asks for it, at its next allocation or look, in any of its
 * threads, and what it had is released. */
#include "base/guard.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/threads.h"

#include <setjmp.h>
#include <stdatomic.h>

#include <cmocka.h>

struct job {
    int stop;
    uint32_t stop_at; /* steps; 0: never */
    bool looks;       /* instead of allocations */
    atomic_uint steps;
    uint32_t dropped;
};

static void drop(void *context)
{
    ((struct job *)context)->dropped++;
}

static void step(struct job *j)
{
    if (atomic_fetch_add(&j->steps, 1) + 1 == j->stop_at)
        *(volatile int *)&j->stop = 1;
    if (j->looks)
        (void)nadi_guard_look();
    else
        nadi_mem_free(nadi_mem_alloc(1, 1));
}

static void work(void *context)
{
    struct job *j = context;
    nadi_guard_stop_by(&j->stop);
    struct nadi_hold *hold = nadi_hold(j, drop);
    for (uint32_t i = 0; i < 10; i++)
        step(j);
    nadi_unhold(hold);
}

static bool run(void (*what)(void *), struct job *j, struct nadi_failure *failure)
{
    struct nadi_heap heap;
    nadi_heap_init(&heap);
    const bool done = nadi_guard_run(&heap, what, j, failure);
    nadi_heap_release(&heap);
    return done;
}

static void work_ends_where_it_is(void **state)
{
    (void)state;
    for (uint32_t at = 0; at <= 11; at++)
        for (int looks = 0; looks < 2; looks++) {
            struct job j = {.stop_at = at, .looks = looks};
            struct nadi_failure failure;
            const bool ends = at > 0 && at <= 10;
            assert_int_equal(run(work, &j, &failure), !ends);
            assert_int_equal(failure.kind, ends ? NADI_FAILURE_STOPPED : NADI_FAILURE_NONE);
            assert_int_equal(j.steps, ends ? at : 10);
            assert_int_equal(j.dropped, ends);
        }
}

static void try_steps(void *context)
{
    for (uint32_t i = 0; i < 10; i++)
        step(context);
}

static void work_of_a_thread(void *context, unsigned index)
{
    struct nadi_failure failure;
    (void)index;
    if (!nadi_guard_try(try_steps, context, &failure)) /* as whoever has a lock does */
        nadi_guard_raise(&failure);
}

static void work_in_threads(void *context)
{
    nadi_guard_stop_by(&((struct job *)context)->stop);
    nadi_threads_run(4, work_of_a_thread, context);
}

static void threads_end_too(void **state)
{
    (void)state;
    struct job j = {.stop_at = 3};
    struct nadi_failure failure;
    assert_false(run(work_in_threads, &j, &failure));
    assert_int_equal(failure.kind, NADI_FAILURE_STOPPED);
    assert_true(j.steps >= 3 && j.steps <= 2 + 4); /* each at its next step at the latest */
    struct job whole = {.stop_at = 0};
    assert_true(run(work_in_threads, &whole, &failure));
    assert_int_equal(whole.steps, 40);
}

/* A guard of its own within the work is not ended, and outside all guards nothing is. */
static void others_go_on(void **state)
{
    (void)state;
    struct job j = {.stop = 1, .looks = true};
    struct nadi_failure failure;
    step(&j);
    assert_true(run(try_steps, &j, &failure));
    assert_int_equal(j.steps, 11);
    assert_null(nadi_guard_stopped_by());
}

struct named { /* something held, with a name that is allocated after it is */
    struct job *j;
    char *name;
};

static void drop_named(void *context)
{
    const struct named *n = context;
    n->j->dropped += strcmp(n->name, "a name") == 0;
}

static void work_with_a_name(void *context)
{
    enum { MAPPED = 1 << 20 }; /* so many bytes are gone when they are freed */
    struct named *n = NADI_ZNEW(struct named, 1);
    struct nadi_hold *hold = nadi_hold(n, drop_named);
    n->j = context;
    n->name = NADI_NEW(char, MAPPED);
    memcpy(n->name, "a name", sizeof("a name"));
    nadi_guard_stop_by(&n->j->stop);
    (void)nadi_guard_look();
    nadi_unhold(hold);
}

static void holds_are_dropped_before_memory(void **state)
{
    (void)state;
    struct job j = {.stop = 1};
    struct nadi_failure failure;
    assert_false(run(work_with_a_name, &j, &failure));
    assert_int_equal(j.dropped, 1);
}

/* Room for it is there: it allocates nothing. */
static void work_on_a_text(void *context)
{
    enum { LONG = 1 << 18 };
    struct job *j = context;
    struct nadi_str text = NADI_STR_INIT;
    while (text.length < LONG)
        nadi_str_add(&text, "a word ");
    nadi_str_clear(&text);
    nadi_guard_stop_by(&j->stop);
    for (; text.length < LONG / 2; j->steps++)
        nadi_str_add(&text, "a word ");
    nadi_str_release(&text);
}

static void long_texts_look(void **state)
{
    (void)state;
    struct job j = {.stop = 1}, whole = {.stop = 0};
    struct nadi_failure failure;
    assert_false(run(work_on_a_text, &j, &failure));
    assert_int_equal(j.steps, (1 << 16) / strlen("a word ")); /* at 64 KiB */
    assert_true(run(work_on_a_text, &whole, &failure));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_ends_where_it_is), cmocka_unit_test(threads_end_too),
        cmocka_unit_test(others_go_on), cmocka_unit_test(holds_are_dropped_before_memory),
        cmocka_unit_test(long_texts_look)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
