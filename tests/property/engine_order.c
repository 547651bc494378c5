/* The engine against a slow model that keeps the rule as it is written: a list for each actor and
 * time, at the place of its first event; events of no actor stand alone. */
#include "base/mem.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "support/between.h"

#include <setjmp.h>

#include <cmocka.h>

enum { CASES = 3000, ACTORS = 5, MOST = 400 };

struct item { /* an event of the model */
    nadi_time at;
    uint32_t actor, name;
    uint64_t entry; /* order of its list, or of itself */
    uint64_t order;
    bool done;
};

struct world {
    struct nadi_rng rng;
    struct nadi_engine *engine;
    uint32_t kind, named;
    struct item items[MOST];
    uint64_t order;
    uint32_t engine_log[MOST], model_log[MOST];
    uint32_t engine_count, model_count;
    uint32_t running; /* actor whose list the model walks, or NADI_NONE */
    nadi_time now;
};

/* What event `name` schedules: the same for both, drawn from its name. */
static uint32_t children(const struct world *w, uint32_t name, nadi_time *delay, uint32_t *actor)
{
    struct nadi_rng r = {w->rng.state + name};
    uint32_t count = (uint32_t)nadi_rng_below(&r, 3);
    for (uint32_t i = 0; i < count; i++) {
        delay[i] = rng_between(&r, 0, 3) * 1000;
        actor[i] = nadi_rng_below(&r, 3) == 0 ? NADI_NONE : (uint32_t)nadi_rng_below(&r, ACTORS);
    }
    return count;
}

static void on_event(void *context, const struct nadi_event *event)
{
    struct world *w = context;
    nadi_time delay[3];
    uint32_t actor[3];
    w->engine_log[w->engine_count++] = event->a;
    uint32_t count = children(w, event->a, delay, actor);
    for (uint32_t i = 0; i < count && w->named < MOST; i++)
        nadi_engine_schedule(w->engine, nadi_engine_now(w->engine) + delay[i], actor[i], w->kind,
                             w->named++, 0, 0);
}

static void model_schedule(struct world *w, nadi_time at, uint32_t actor, uint32_t name)
{
    struct item *x = &w->items[name];
    *x = (struct item){.at = at, .actor = actor, .name = name, .order = w->order};
    x->entry = w->order++;
    for (uint32_t i = 0; i < name && actor != NADI_NONE; i++) {
        const struct item *y = &w->items[i];
        /* an open list: one of its events is still to come, or its last one runs right now */
        bool open = !y->done || (w->running == actor && at == w->now);
        if (y->actor == actor && y->at == at && open && y->entry < x->entry &&
            (!y->done || y->entry == w->items[w->model_log[w->model_count - 1]].entry))
            x->entry = y->entry;
    }
}

static struct item *model_next(struct world *w, uint32_t named)
{
    struct item *best = NULL;
    for (uint32_t i = 0; i < named; i++) {
        struct item *x = &w->items[i];
        if (x->done)
            continue;
        if (!best || x->at < best->at || (x->at == best->at && x->entry < best->entry) ||
            (x->at == best->at && x->entry == best->entry && x->order < best->order))
            best = x;
    }
    return best;
}

static void model_run(struct world *w, uint32_t first)
{
    uint32_t named = first;
    for (struct item *x = model_next(w, named); x; x = model_next(w, named)) {
        nadi_time delay[3];
        uint32_t actor[3];
        w->now = x->at;
        w->running = x->actor;
        x->done = true;
        w->model_log[w->model_count++] = x->name;
        uint32_t count = children(w, x->name, delay, actor);
        for (uint32_t i = 0; i < count && named < MOST; i++) {
            model_schedule(w, w->now + delay[i], actor[i], named);
            named++;
        }
        w->running = NADI_NONE;
    }
}

static void same_order(void **state)
{
    (void)state;
    struct world *w = NADI_ZNEW(struct world, 1);
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        *w = (struct world){.running = NADI_NONE, .now = -1};
        nadi_rng_init(&w->rng, seed, "engine");
        w->engine = nadi_engine_create(ACTORS);
        w->kind = nadi_engine_add_kind(w->engine, on_event, w);
        struct nadi_rng r = w->rng;
        uint32_t first = 1 + (uint32_t)nadi_rng_below(&r, 60);
        for (uint32_t i = 0; i < first; i++) {
            nadi_time at = rng_between(&r, 0, 5) * 1000;
            uint32_t actor =
                nadi_rng_below(&r, 3) == 0 ? NADI_NONE : (uint32_t)nadi_rng_below(&r, ACTORS);
            nadi_engine_schedule(w->engine, at, actor, w->kind, i, 0, 0);
            model_schedule(w, at, actor, i);
        }
        w->named = first;
        while (nadi_engine_run(w->engine, 1, NADI_TIME_MAX))
            continue;
        model_run(w, first);
        if (w->engine_count != w->model_count ||
            memcmp(w->engine_log, w->model_log, w->model_count * sizeof(uint32_t)) != 0)
            fail_msg("seed %" PRIu64 ": the order differs", seed);
        assert_int_equal(nadi_engine_events(w->engine), w->model_count);
        nadi_engine_destroy(w->engine);
    }
    nadi_mem_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
