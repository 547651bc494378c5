/* engine_control: the engine between its events: its making, its clock, who follows it, how it
 * ends. */
#include "base/mem.h"
#include "engine/engine_inside.h"

struct nadi_engine *nadi_engine_create(uint32_t actor_count)
{
    struct nadi_engine *e = NADI_ZNEW(struct nadi_engine, 1);
    e->marks = NADI_ZNEW(struct mark, actor_count);
    e->free_events = (struct list){.head = NADI_NONE, .tail = NADI_NONE};
    e->free_list = NADI_NONE;
    e->current = (struct list){.head = NADI_NONE, .tail = NADI_NONE};
    e->group = NADI_NONE;
    for (size_t i = 0; i < CACHE_SLOTS; i++)
        e->cache_time[i] = -1;
    return e;
}

void nadi_engine_destroy(struct nadi_engine *e)
{
    if (!e)
        return;
    nadi_mem_free(e->events);
    nadi_mem_free(e->lists);
    nadi_mem_free(e->heap);
    nadi_mem_free(e->marks);
    nadi_mem_free(e->abroad);
    nadi_mem_free(e->kinds);
    nadi_mem_free(e);
}

uint32_t nadi_engine_add_kind(struct nadi_engine *e, nadi_event_fn *handler, void *context)
{
    if (e->kind_count == e->kind_capacity)
        e->kinds = nadi_mem_grow(e->kinds, &e->kind_capacity, e->kind_count + 1, sizeof(*e->kinds));
    e->kinds[e->kind_count] = (struct kind){.handler = handler, .context = context};
    return (uint32_t)e->kind_count++;
}

void nadi_engine_expect(struct nadi_engine *e, uint32_t kind, nadi_event_fn *expect)
{
    e->kinds[kind].expect = expect;
}

nadi_time nadi_engine_now(const struct nadi_engine *e)
{
    return e->now;
}

int64_t nadi_engine_now_ns(const struct nadi_engine *e)
{
    return e->now / NADI_PS_PER_NS;
}

nadi_time nadi_engine_after(const struct nadi_engine *e, nadi_time delay)
{
    return nadi_time_add(e->now, delay);
}

nadi_time nadi_engine_after_ns(const struct nadi_engine *e, uint64_t ns)
{
    return nadi_time_add(e->now, nadi_time_from_ns(ns));
}

uint64_t nadi_engine_events(const struct nadi_engine *e)
{
    return e->handled;
}

void nadi_engine_follow(struct nadi_engine *e, const struct nadi_engine_follower *follower)
{
    e->follower = *follower;
    e->watched = true;
}

void nadi_engine_set_sequence(struct nadi_engine *e, struct nadi_sequence *sequence)
{
    e->sequence = sequence;
    e->watched = true;
}

struct nadi_sequence *nadi_engine_sequence(const struct nadi_engine *e)
{
    return e->sequence;
}

void nadi_engine_set_lineage(struct nadi_engine *e, struct nadi_lineage *lineage)
{
    e->lineage = lineage;
    e->watched = true;
    e->abroad = NADI_NEW(struct abroad, ABROAD_SLOTS);
    for (size_t i = 0; i < ABROAD_SLOTS; i++)
        e->abroad[i].at = -1;
}

struct nadi_lineage *nadi_engine_lineage(const struct nadi_engine *e)
{
    return e->lineage;
}

nadi_time nadi_engine_next_time(const struct nadi_engine *e)
{
    return e->running ? e->now : e->heap_count ? e->heap[0].at : NADI_TIME_NEVER;
}

void nadi_engine_join(struct nadi_engine *e, const struct nadi_engine *other)
{
    e->now = nadi_max_i64(e->now, other->now);
    e->handled += other->handled;
    e->broken_off |= other->broken_off;
}

bool nadi_engine_pending(const struct nadi_engine *e)
{
    return e->heap_count > 0 || e->current.head != NADI_NONE;
}

void nadi_engine_finish(struct nadi_engine *e)
{
    e->finished = true;
    e->until = e->now < e->until ? e->now : e->until;
}

bool nadi_engine_finished(const struct nadi_engine *e)
{
    return e->finished;
}

void nadi_engine_set_end(struct nadi_engine *e, nadi_engine_end_fn *asked, void *context)
{
    e->end_asked = asked;
    e->end_context = context;
}

bool nadi_engine_must_end(struct nadi_engine *e)
{
    if (!e->broken_off && e->end_asked && e->end_asked(e->end_context)) {
        e->broken_off = true;
        e->stop = 0;
    }
    return e->broken_off;
}

void nadi_engine_pause(struct nadi_engine *e)
{
    e->pause = e->running ? PAUSE_NOW : PAUSE_NEXT;
}

bool nadi_engine_paused(struct nadi_engine *e)
{
    const bool paused = e->pause == PAUSE_NOW && !e->running;
    if (paused)
        e->pause = GO_ON;
    return paused;
}

static int by_order(const void *x, const void *y, void *engine)
{
    const struct heap_entry *a = x, *b = y;
    return nadi_heap_before(engine, a, b) ? -1 : nadi_heap_before(engine, b, a);
}

void nadi_engine_visit(struct nadi_engine *e, nadi_pending_fn *visit, void *context)
{
    NADI_ASSERT(!e->running);
    /* a sorted array is a heap */
    if (e->heap_count > 1)
        qsort_r(e->heap, e->heap_count, sizeof(*e->heap), by_order, e);
    for (size_t i = 0; i < e->heap_count; i++)
        for (uint32_t k = e->lists[e->heap[i].list].head; k != NADI_NONE; k = e->events[k].next)
            if (!e->follower.scheduled || e->events[k].kind != e->follower.pump)
                visit(context, e->heap[i].at, k, &e->events[k]);
}

void nadi_engine_fast_forward(struct nadi_engine *e, nadi_time by)
{
    NADI_ASSERT(!e->running && (!e->follower.scheduled || e->follower.moved));
    e->now = nadi_time_add(e->now, by);
    for (size_t i = 0; i < e->heap_count; i++)
        e->heap[i].at = nadi_time_add(e->heap[i].at, by);
    for (size_t i = 0; i < CACHE_SLOTS; i++)
        e->cache_time[i] = -1;
    if (e->follower.moved)
        e->follower.moved(e->follower.context, by);
}

static void halt(struct nadi_engine *e, bool refused, const char *format, va_list args)
{
    if (e->halted[0])
        return;
    vsnprintf(e->halted, sizeof(e->halted), format, args);
    e->refused = refused;
    e->stop = 0;
}

void nadi_engine_halt(struct nadi_engine *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    halt(e, false, format, args);
    va_end(args);
}

void nadi_engine_refuse(struct nadi_engine *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    halt(e, true, format, args);
    va_end(args);
}

bool nadi_engine_refused(const struct nadi_engine *e)
{
    return e->refused;
}

const char *nadi_engine_halted(const struct nadi_engine *e)
{
    return e->halted[0] ? e->halted : NULL;
}
