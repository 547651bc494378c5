/* lineage: engines of parts run every actor's events in the order in which one engine does. */
#include "engine/lineage.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/rng.h"
#include "engine/engine.h"

#include <setjmp.h>

#include <cmocka.h>

enum { ACTORS = 24, AHEAD = 3, EVENTS = 600, PARTS = 5 };

struct sent { /* to another part */
    nadi_time at;
    struct nadi_lineage_cause cause;
    uint32_t actor, value;
};

struct part {
    struct world *world;
    struct nadi_engine *engine;
    struct nadi_lineage lineage;
    uint32_t kind;
    struct sent out[PARTS][ACTORS * EVENTS];
    uint32_t out_count[PARTS];
};

struct world {
    uint32_t parts, salt;
    uint32_t part_of[ACTORS];
    uint64_t state[ACTORS]; /* of all events of the actor, in their order */
    uint32_t left[ACTORS];  /* events that it may still cause */
    struct part *part[PARTS];
};

/* What an actor does depends on all that happened to it before. Times are few, so that most events
 * meet others of their instant. */
static void on_event(void *context, const struct nadi_event *event)
{
    struct part *p = context;
    struct world *w = p->world;
    const uint32_t actor = event->a;
    uint64_t h = nadi_hash_u64(w->state[actor] * 31 + event->b + w->salt);
    w->state[actor] = h;
    for (uint32_t n = (uint32_t)(h % 4); n > 0 && w->left[actor] > 0; n--) {
        const nadi_time now = nadi_engine_now(p->engine);
        h = nadi_hash_u64(h);
        w->left[actor]--;
        const uint32_t other = (uint32_t)(h >> 8) % ACTORS, value = (uint32_t)(h >> 40);
        if (h % 3 == 0) {
            nadi_engine_schedule(p->engine, now + (nadi_time)(h >> 4 & 3), actor, p->kind, actor,
                                 value, 0);
        } else if (h % 3 == 1 || w->part_of[other] == p->lineage.part) {
            const bool near = h % 3 == 1; /* a message to itself may take no time */
            const nadi_time at =
                now + (near ? (nadi_time)(h >> 4 & 3) : AHEAD + (nadi_time)(h >> 4 & 1));
            nadi_engine_schedule(p->engine, at, NADI_NONE, p->kind, near ? actor : other, value, 0);
        } else {
            const uint32_t to = w->part_of[other];
            p->out[to][p->out_count[to]++] =
                (struct sent){now + AHEAD + (nadi_time)(h >> 4 & 1), nadi_lineage_take(&p->lineage),
                              other, value};
        }
    }
}

static void begin(struct world *w)
{
    for (uint32_t actor = 0; actor < ACTORS; actor++) {
        struct part *p = w->part[w->part_of[actor]];
        w->state[actor] = actor;
        w->left[actor] = EVENTS;
        nadi_lineage_begin_actor(&p->lineage, actor);
        for (uint32_t i = 0; i < 2; i++)
            nadi_engine_schedule(p->engine, actor % 2, actor % 3 ? actor : NADI_NONE, p->kind,
                                 actor, i, 0);
    }
}

static void deliver(struct world *w)
{
    for (uint32_t from = 0; from < w->parts; from++)
        for (uint32_t to = 0; to < w->parts; to++) {
            struct part *p = w->part[from];
            for (uint32_t i = 0; i < p->out_count[to]; i++)
                nadi_engine_deliver(w->part[to]->engine, p->out[to][i].at, p->out[to][i].cause,
                                    w->part[to]->kind, p->out[to][i].actor, p->out[to][i].value, 0);
            p->out_count[to] = 0;
        }
}

static uint64_t run_windows(struct world *w)
{
    struct nadi_lineage *lineages[PARTS];
    uint64_t events = 0;
    for (uint32_t p = 0; p < w->parts; p++)
        lineages[p] = &w->part[p]->lineage;
    for (;;) {
        nadi_time next = NADI_TIME_NEVER;
        for (uint32_t p = 0; p < w->parts; p++)
            if (nadi_engine_next_time(w->part[p]->engine) < next)
                next = nadi_engine_next_time(w->part[p]->engine);
        if (nadi_time_is_never(next))
            break;
        for (uint32_t p = w->parts; p-- > 0;) /* in any order */
            (void)nadi_engine_run(w->part[p]->engine, UINT32_MAX, next + AHEAD - 1);
        nadi_lineage_settle(lineages, w->parts);
        deliver(w);
    }
    for (uint32_t p = 0; p < w->parts; p++)
        events += nadi_engine_events(w->part[p]->engine);
    return events;
}

/* A number of all that happened. */
static uint64_t run(uint32_t parts, uint32_t salt)
{
    struct world w = {.parts = parts, .salt = salt};
    struct nadi_lineage *lineages[PARTS];
    uint64_t all = 0;
    for (uint32_t i = 0; i < parts; i++) {
        struct part *p = w.part[i] = NADI_ZNEW(struct part, 1);
        lineages[i] = &p->lineage;
        p->world = &w;
        p->engine = nadi_engine_create(ACTORS);
        p->kind = nadi_engine_add_kind(p->engine, on_event, p);
        nadi_lineage_init(&p->lineage, lineages, i, parts);
        nadi_engine_set_lineage(p->engine, &p->lineage);
    }
    for (uint32_t actor = 0; actor < ACTORS; actor++)
        w.part_of[actor] = salt % 2 ? actor % parts : actor * parts / ACTORS;
    begin(&w);
    all = run_windows(&w);
    for (uint32_t actor = 0; actor < ACTORS; actor++)
        all = nadi_hash_u64(all ^ w.state[actor]) + actor;
    for (uint32_t i = 0; i < parts; i++) {
        nadi_engine_destroy(w.part[i]->engine);
        nadi_lineage_release(&w.part[i]->lineage);
        nadi_mem_free(w.part[i]);
    }
    return all;
}

static void parts_are_the_whole(void **state)
{
    (void)state;
    for (uint32_t salt = 0; salt < 60; salt++) {
        const uint64_t whole = run(1, salt);
        for (uint32_t parts = 2; parts <= PARTS; parts++)
            assert_int_equal(run(parts, salt), whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
