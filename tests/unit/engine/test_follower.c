/* A model with an event queue of its own beside the engine: one order, and who may run ahead. */
#include "engine/engine.h"

#include <setjmp.h>

#include <cmocka.h>

struct log {
    struct nadi_engine *e;
    uint32_t kind_a, kind_pump;
    char text[256];
    uint32_t scheduled;
    nadi_time horizon;
};

static void note(struct log *l, const char *word, uint64_t number)
{
    const size_t used = strlen(l->text);
    snprintf(l->text + used, sizeof(l->text) - used, "%s%" PRIu64 " ", word, number);
}

static void on_scheduled(void *context, uint32_t event, nadi_time at)
{
    struct log *l = context;
    (void)event, (void)at;
    l->scheduled++;
}

static void on_reached(void *context, uint32_t event)
{
    struct log *l = context;
    (void)event;
    note(l, "reach@", (uint64_t)nadi_engine_now(l->e));
}

static void on_a(void *context, const struct nadi_event *event)
{
    struct log *l = context;
    note(l, "a", event->a);
    note(l, "@", (uint64_t)nadi_engine_now(l->e));
}

static void on_pump(void *context, const struct nadi_event *event)
{
    struct log *l = context;
    l->horizon = nadi_engine_horizon(l->e);
    note(l, "pump@", (uint64_t)nadi_engine_now(l->e));
    if (!event->a)
        return;
    nadi_engine_call(l->e, event->a, l->kind_a, 100, 0, 0);
    nadi_engine_schedule(l->e, event->a, 0, l->kind_a, 101, 0, 0); /* at what is now the present */
}

static void setup(struct log *l)
{
    *l = (struct log){.e = nadi_engine_create(4)};
    l->kind_a = nadi_engine_add_kind(l->e, on_a, l);
    l->kind_pump = nadi_engine_add_kind(l->e, on_pump, l);
    const struct nadi_engine_follower follower = {
        .context = l, .pump = l->kind_pump, .scheduled = on_scheduled, .reached = on_reached};
    nadi_engine_follow(l->e, &follower);
}

/* Actor 2's two events at 50 are one group; the pump is not told of. */
static void groups_are_reached_once(void **state)
{
    struct log l;
    (void)state;
    setup(&l);
    nadi_engine_schedule(l.e, 50, 2, l.kind_a, 1, 0, 0);
    nadi_engine_schedule(l.e, 50, NADI_NONE, l.kind_pump, 0, 0, 0);
    nadi_engine_schedule(l.e, 50, NADI_NONE, l.kind_a, 2, 0, 0);
    nadi_engine_schedule(l.e, 50, 2, l.kind_a, 3, 0, 0);
    assert_int_equal(l.scheduled, 3);
    assert_false(nadi_engine_run(l.e, 1000, 1000));
    assert_string_equal(l.text, "reach@50 a1 @50 a3 @50 pump@50 reach@50 a2 @50 ");
    assert_true(l.horizon == 50); /* event 2 was still to come */
    nadi_engine_destroy(l.e);
}

static void running_ahead(void **state)
{
    struct log l;
    (void)state;
    setup(&l);
    nadi_engine_schedule(l.e, 10, NADI_NONE, l.kind_pump, 70, 0, 0);
    nadi_engine_schedule(l.e, 90, 1, l.kind_a, 5, 0, 0);
    assert_false(nadi_engine_run(l.e, 1000, 95));
    assert_string_equal(l.text, "pump@10 a100 @70 reach@70 a101 @70 reach@90 a5 @90 ");
    assert_true(l.horizon == 90);
    nadi_engine_count(l.e, 7);
    assert_int_equal(nadi_engine_events(l.e), 4 + 7);
    nadi_engine_destroy(l.e);
}

static void the_end_bounds_the_horizon(void **state)
{
    struct log l;
    (void)state;
    setup(&l);
    nadi_engine_schedule(l.e, 10, NADI_NONE, l.kind_pump, 0, 0, 0);
    nadi_engine_schedule(l.e, 90, NADI_NONE, l.kind_a, 5, 0, 0);
    assert_false(nadi_engine_run(l.e, 1, 60));
    assert_true(l.horizon == 60);
    nadi_engine_destroy(l.e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_reached_once),
        cmocka_unit_test(running_ahead),
        cmocka_unit_test(the_end_bounds_the_horizon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
