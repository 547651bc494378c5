/* Runs of the engine: any number of kinds, stops in the middle of a time step, halts. */
#include "engine/engine.h"

#include <setjmp.h>

#include <cmocka.h>

struct log {
    struct nadi_engine *e;
    uint32_t kind, halts_at; /* halts_at: handled so far; 0: never */
    char text[4096];
};

static void on_event(void *context, const struct nadi_event *event)
{
    struct log *l = context;
    const size_t used = strlen(l->text);
    snprintf(l->text + used, sizeof(l->text) - used, "%" PRIu32 "/%" PRIu32 "@%" PRId64 " ",
             event->actor, event->a, nadi_engine_now(l->e));
    if (event->a < 100) /* goes on in this step and in a later one */
        nadi_engine_schedule(l->e, nadi_engine_now(l->e), event->actor, l->kind, event->a + 100, 0,
                             0);
    if (event->a < 50)
        nadi_engine_schedule(l->e, nadi_engine_now(l->e) + 10, event->a % 3, l->kind, event->a + 50,
                             0, 0);
    if (l->halts_at && nadi_engine_events(l->e) + 1 == l->halts_at) {
        nadi_engine_halt(l->e, "number %d", 1);
        nadi_engine_halt(l->e, "number %d", 2);
    }
}

static void run(struct log *l, uint64_t events, uint32_t halts_at, uint32_t *calls)
{
    *l = (struct log){.e = nadi_engine_create(4), .halts_at = halts_at};
    l->kind = nadi_engine_add_kind(l->e, on_event, l);
    for (uint32_t i = 0; i < 8; i++)
        nadi_engine_schedule(l->e, 10 + i / 4, i % 4 < 3 ? i % 4 : NADI_NONE, l->kind, i, 0, 0);
    bool more = true;
    for (*calls = 0; more && *calls < 100; ++*calls) {
        const uint64_t before = nadi_engine_events(l->e);
        more = nadi_engine_run(l->e, events, 1000);
        assert_true(nadi_engine_events(l->e) - before <= events);
        assert_true(!more || nadi_engine_pending(l->e));
    }
    assert_false(more);
}

static void stops_change_nothing(void **state)
{
    (void)state;
    struct log whole, l;
    uint32_t calls;
    run(&whole, 1000, 0, &calls);
    assert_int_equal(calls, 1);
    assert_null(nadi_engine_halted(whole.e));
    assert_false(nadi_engine_pending(whole.e));
    for (uint64_t events = 1; events < 40; events++) {
        run(&l, events, 0, &calls);
        assert_string_equal(l.text, whole.text);
        assert_int_equal(nadi_engine_events(l.e), nadi_engine_events(whole.e));
        assert_true(calls >= nadi_engine_events(whole.e) / events);
        nadi_engine_destroy(l.e);
    }
    nadi_engine_destroy(whole.e);
}

static void a_halt_ends_the_run(void **state)
{
    (void)state;
    struct log l;
    uint32_t calls;
    run(&l, 1000, 5, &calls);
    assert_int_equal(nadi_engine_events(l.e), 5);
    assert_string_equal(nadi_engine_halted(l.e), "number 1");
    assert_true(nadi_engine_pending(l.e));
    assert_false(nadi_engine_run(l.e, 1000, 1000));
    assert_int_equal(nadi_engine_events(l.e), 5);
    nadi_engine_destroy(l.e);
}

struct long_work {
    struct nadi_engine *e;
    uint32_t done, looks; /* looks until the end is asked for */
};

static bool end_asked(void *context)
{
    struct long_work *w = context;
    return w->looks == 0 || --w->looks == 0;
}

static void on_long_work(void *context, const struct nadi_event *event)
{
    struct long_work *w = context;
    (void)event;
    while (w->done < 10) {
        w->done++;
        if (nadi_engine_must_end(w->e))
            return;
    }
}

static void work_within_an_event_breaks_off(void **state)
{
    (void)state;
    for (uint32_t looks = 1; looks < 13; looks += 3) {
        struct long_work w = {.e = nadi_engine_create(1), .looks = looks};
        const uint32_t kind = nadi_engine_add_kind(w.e, on_long_work, &w);
        assert_false(nadi_engine_must_end(w.e)); /* nobody is asked */
        nadi_engine_set_end(w.e, end_asked, &w);
        nadi_engine_schedule(w.e, 5, NADI_NONE, kind, 0, 0, 0);
        const bool more = nadi_engine_run(w.e, 1000, 1000);
        assert_int_equal(w.done, looks < 10 ? looks : 10);
        assert_int_equal(more, looks <= 10); /* though nothing is pending */
        if (more) {
            nadi_engine_schedule(w.e, 6, NADI_NONE, kind, 0, 0, 0);
            assert_true(nadi_engine_run(w.e, 1000, 1000));
            assert_int_equal(nadi_engine_events(w.e), 1);
        }
        nadi_engine_destroy(w.e);
    }
}

static void on_last(void *context, const struct nadi_event *event)
{
    struct nadi_engine *e = context;
    if (event->a == 2)
        nadi_engine_finish(e);
    assert_int_equal(nadi_engine_horizon(e), 10);
}

/* What is at the same instant is run, however the run is cut, and nothing later, nor at another
 * call. */
static void a_run_that_is_finished_ends_with_the_instant(void **state)
{
    (void)state;
    for (uint64_t events = 1; events <= 5; events++) {
        struct nadi_engine *e = nadi_engine_create(1);
        const uint32_t kind = nadi_engine_add_kind(e, on_last, e);
        nadi_engine_schedule(e, 5, NADI_NONE, kind, 1, 0, 0);
        nadi_engine_schedule(e, 10, NADI_NONE, kind, 2, 0, 0);
        nadi_engine_schedule(e, 10, NADI_NONE, kind, 3, 0, 0);
        nadi_engine_schedule(e, 20, NADI_NONE, kind, 4, 0, 0);
        for (uint32_t call = 0; nadi_engine_run(e, events, 1000); call++)
            assert_true(call < 4);
        assert_true(nadi_engine_finished(e));
        assert_false(nadi_engine_run(e, 1000, 1000));
        assert_int_equal(nadi_engine_events(e), 3);
        assert_int_equal(nadi_engine_now(e), 10);
        nadi_engine_destroy(e);
    }
}

static void on_kind(void *context, const struct nadi_event *event)
{
    uint32_t *seen = context;
    *seen += event->a;
}

static void any_number_of_kinds(void **state)
{
    (void)state;
    enum { KINDS = 100 };
    uint32_t seen[KINDS] = {0}, kinds[KINDS];
    struct nadi_engine *e = nadi_engine_create(1);
    for (uint32_t i = 0; i < KINDS; i++) {
        kinds[i] = nadi_engine_add_kind(e, on_kind, &seen[i]);
        nadi_engine_schedule(e, i, NADI_NONE, kinds[i], i + 1, 0, 0);
    }
    assert_false(nadi_engine_run(e, 1000, 1000));
    for (uint32_t i = 0; i < KINDS; i++)
        assert_int_equal(seen[i], i + 1);
    nadi_engine_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_change_nothing),
        cmocka_unit_test(a_halt_ends_the_run),
        cmocka_unit_test(a_run_that_is_finished_ends_with_the_instant),
        cmocka_unit_test(work_within_an_event_breaks_off),
        cmocka_unit_test(any_number_of_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
