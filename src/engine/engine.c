/* engine: events in lists by time, and the steps that run them. */
#include "engine/engine_inside.h"

#include "base/mem.h"
#include "engine/lineage.h"
#include "engine/sequence.h"

nadi_time nadi_engine_horizon(const struct nadi_engine *e)
{
    if (e->events[e->current.head].next != NADI_NONE)
        return e->now;
    return e->heap_count && e->heap[0].at < e->until ? e->heap[0].at : e->until;
}

bool nadi_engine_is_last(const struct nadi_engine *e)
{
    return e->events[e->current.head].next == NADI_NONE &&
           (e->heap_count == 0 || e->heap[0].at > e->now);
}

void nadi_engine_call(struct nadi_engine *e, nadi_time at, uint32_t kind, uint32_t a, uint32_t b,
                      uint32_t c)
{
    const struct nadi_event event = {
        .next = NADI_NONE, .actor = NADI_NONE, .kind = kind, .a = a, .b = b, .c = c};
    NADI_ASSERT(at >= e->now && at <= nadi_engine_horizon(e));
    if (at > e->now)
        e->step++; /* groups of the time before are closed */
    e->now = at;
    e->kinds[kind].handler(e->kinds[kind].context, &event);
    e->handled++;
}

void nadi_engine_pass(struct nadi_engine *e, const struct nadi_event *event, uint32_t kind,
                      uint32_t a, uint32_t b, uint32_t c)
{
    struct nadi_event passed = *event;
    passed.kind = kind;
    passed.a = a;
    passed.b = b;
    passed.c = c;
    e->kinds[kind].handler(e->kinds[kind].context, &passed);
}

void nadi_engine_count(struct nadi_engine *e, int64_t events)
{
    e->handled += (uint64_t)events;
}

static void heap_push(struct nadi_engine *e, struct heap_entry entry)
{
    if (e->heap_count == e->heap_capacity)
        e->heap = nadi_mem_grow(e->heap, &e->heap_capacity, e->heap_count + 1, sizeof(*e->heap));
    size_t i = e->heap_count++;
    while (i > 0) {
        size_t parent = (i - 1) / HEAP_ARITY;
        if (!nadi_heap_before(e, &entry, &e->heap[parent]))
            break;
        e->heap[i] = e->heap[parent];
        i = parent;
    }
    e->heap[i] = entry;
}

/* The first of so many entries. Which has the least time is chosen without a branch: none is
 * likely. */
static inline size_t first_of(const struct nadi_engine *e, const struct heap_entry *all,
                              size_t count)
{
    size_t best = 0, equal = 0;
    nadi_time least = all[0].at;
    for (size_t k = 1; k < count; k++) {
        const nadi_time at = all[k].at;
        best = at < least ? k : best;
        least = at < least ? at : least;
    }
    for (size_t k = 0; k < count; k++)
        equal += all[k].at == least;
    for (size_t k = best + 1; NADI_UNLIKELY(equal > 1) && k < count; k++)
        if (nadi_heap_before(e, &all[k], &all[best]))
            best = k;
    return best;
}

static void heap_pop(struct nadi_engine *e)
{
    const struct heap_entry last = e->heap[--e->heap_count];
    const size_t count = e->heap_count;
    size_t i = 0;
    for (;;) {
        const size_t child = i * HEAP_ARITY + 1;
        if (child >= count)
            break;
        const struct heap_entry *children = &e->heap[child];
        const size_t best = child + (NADI_LIKELY(child + HEAP_ARITY <= count)
                                         ? first_of(e, children, HEAP_ARITY)
                                         : first_of(e, children, count - child));
        if (!nadi_heap_before(e, &e->heap[best], &last))
            break;
        e->heap[i] = e->heap[best];
        i = best;
    }
    e->heap[i] = last;
}

static uint32_t new_event(struct nadi_engine *e)
{
    uint32_t index = e->free_events.head;
    if (NADI_LIKELY(index != NADI_NONE)) {
        e->free_events.head = e->events[index].next;
        if (e->free_events.head == NADI_NONE)
            e->free_events.tail = NADI_NONE;
        return index;
    }
    if (e->event_count == e->event_capacity)
        e->events = nadi_mem_grow(e->events, &e->event_capacity, (size_t)e->event_count + 1,
                                  sizeof(*e->events));
    return e->event_count++;
}

static uint32_t new_list(struct nadi_engine *e, nadi_time at, uint32_t source)
{
    uint32_t index = e->free_list;
    if (index != NADI_NONE)
        e->free_list = e->lists[index].head;
    else {
        if (e->list_count == e->list_capacity)
            e->lists = nadi_mem_grow(e->lists, &e->list_capacity, (size_t)e->list_count + 1,
                                     sizeof(*e->lists));
        index = e->list_count++;
    }
    e->lists[index] = (struct list){.head = NADI_NONE, .tail = NADI_NONE, .order = e->order++};
    heap_push(e, (struct heap_entry){.at = at, .list = index, .source = source});
    return index;
}

static void append(struct nadi_engine *e, struct list *l, uint32_t event)
{
    e->events[event].next = NADI_NONE;
    if (l->tail == NADI_NONE)
        l->head = event;
    else
        e->events[l->tail].next = event;
    l->tail = event;
}

static void insert_after(struct nadi_engine *e, struct list *l, uint32_t place, uint32_t event)
{
    e->events[event].next = e->events[place].next;
    e->events[place].next = event;
    if (l->tail == place)
        l->tail = event;
}

/* Into the time step that runs now: to the actor's group if it is still open, else to the end. */
static void schedule_now(struct nadi_engine *e, uint32_t actor, uint32_t event)
{
    if (actor == NADI_NONE) {
        append(e, &e->current, event);
        return;
    }
    struct mark *m = &e->marks[actor];
    if (m->step == e->step)
        insert_after(e, &e->current, m->tail, event);
    else
        append(e, &e->current, event);
    *m = (struct mark){e->step, event};
}

static size_t cache_slot(nadi_time at)
{
    return (size_t)((uint64_t)at * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CACHE_BITS));
}

static void tell_scheduled(const struct nadi_engine *e, uint32_t event, nadi_time at)
{
    if (e->sequence)
        nadi_sequence_scheduled(e->sequence, event, e->events[event].actor,
                                at == e->now && e->running);
    if (e->lineage)
        nadi_lineage_scheduled(e->lineage, event);
    if (e->follower.scheduled && e->events[event].kind != e->follower.pump)
        e->follower.scheduled(e->follower.context, event, at);
}

void nadi_engine_schedule(struct nadi_engine *e, nadi_time at, uint32_t actor, uint32_t kind,
                          uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t event = new_event(e);
    e->events[event] = (struct nadi_event){.actor = actor, .kind = kind, .a = a, .b = b, .c = c};
    NADI_ASSERT(at >= e->now);
    if (NADI_UNLIKELY(e->watched))
        tell_scheduled(e, event, at);
    if (at == e->now && e->running) {
        schedule_now(e, actor, event);
        return;
    }
    size_t slot = cache_slot(at);
    if (NADI_UNLIKELY(e->cache_time[slot] != at)) {
        e->cache_list[slot] = new_list(e, at, 0);
        e->cache_time[slot] = at;
    }
    append(e, &e->lists[e->cache_list[slot]], event);
}

void nadi_engine_deliver(struct nadi_engine *e, nadi_time at, struct nadi_lineage_cause cause,
                         uint32_t kind, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t event = new_event(e), source = nadi_cause_part(cause) + 1;
    e->events[event] =
        (struct nadi_event){.actor = NADI_NONE, .kind = kind, .a = a, .b = b, .c = c};
    NADI_ASSERT(at > e->now);
    nadi_lineage_caused(e->lineage, event, cause);
    struct abroad *last = &e->abroad[cache_slot(at + source) % ABROAD_SLOTS];
    if (last->at != at || last->source != source)
        *last = (struct abroad){at, new_list(e, at, source), source};
    append(e, &e->lists[last->list], event);
}

static void append_list(const struct nadi_engine *e, struct list *to, const struct list *more)
{
    if (to->tail == NADI_NONE)
        *to = *more;
    else {
        e->events[to->tail].next = more->head;
        to->tail = more->tail;
    }
}

/* Two lists, each in the order of its causes, as one. */
static struct list merge(struct nadi_engine *e, struct list a, struct list b)
{
    struct list all = {.head = NADI_NONE, .tail = NADI_NONE};
    const struct nadi_lineage_cause *causes = e->lineage->causes.items;
    while (a.head != NADI_NONE && b.head != NADI_NONE) {
        struct list *first =
            nadi_lineage_before(e->lineage, causes[b.head], causes[a.head]) ? &b : &a;
        const uint32_t event = first->head;
        first->head = e->events[event].next;
        append(e, &all, event);
    }
    append_list(e, &all, a.head != NADI_NONE ? &a : &b);
    return all;
}

/* Lists of this time from other parts, which the heap has in any order, into `current`. */
static void merge_abroad(struct nadi_engine *e, const struct list *from)
{
    for (uint32_t p = 0; p < e->lineage->part_count; p++)
        if (from[p].head != NADI_NONE)
            e->current = merge(e, e->current, from[p]);
}

/* Takes all lists of the earliest time into `current`. */
static void open_step(struct nadi_engine *e)
{
    struct list from[NADI_LINEAGE_PARTS];
    nadi_time at = e->heap[0].at;
    bool any = false;
    e->now = at;
    e->step++;
    e->current = (struct list){.head = NADI_NONE, .tail = NADI_NONE};
    for (uint32_t p = 0; NADI_UNLIKELY(e->lineage != NULL) && p < e->lineage->part_count; p++)
        from[p] = e->current;
    while (e->heap_count && e->heap[0].at == at) {
        uint32_t index = e->heap[0].list;
        const uint32_t source = e->heap[0].source;
        struct list *l = &e->lists[index];
        append_list(e, NADI_LIKELY(source == 0) ? &e->current : &from[source - 1], l);
        any |= source != 0;
        l->head = e->free_list;
        e->free_list = index;
        heap_pop(e);
    }
    if (e->cache_time[cache_slot(at)] == at)
        e->cache_time[cache_slot(at)] = -1;
    if (NADI_UNLIKELY(any))
        merge_abroad(e, from);
}

/* Moves every actor's events behind its first one. One pass over the step's events. */
static void group_by_actor(struct nadi_engine *e)
{
    struct nadi_event *events = e->events;
    uint32_t previous = NADI_NONE;
    for (uint32_t i = e->current.head, next; i != NADI_NONE; i = next) {
        next = events[i].next;
        uint32_t actor = events[i].actor;
        if (actor == NADI_NONE) {
            previous = i;
            continue;
        }
        struct mark *m = &e->marks[actor];
        if (m->step != e->step || m->tail == previous) {
            *m = (struct mark){e->step, i};
            previous = i;
            continue;
        }
        events[previous].next = next;
        if (e->current.tail == i)
            e->current.tail = previous;
        insert_after(e, &e->current, m->tail, i);
        m->tail = i;
    }
}

/* Asks memory for the next steps' first events, and lets the kind of the very next one ask for what
 * it will touch. */
static void look_ahead(const struct nadi_engine *e)
{
    if (e->heap_count <= HEAP_ARITY)
        return;
    for (size_t i = 1; i <= HEAP_ARITY; i++)
        __builtin_prefetch(&e->events[e->lists[e->heap[i].list].head]);
    const struct nadi_event *next = &e->events[e->lists[e->heap[0].list].head];
    const struct kind *kind = &e->kinds[next->kind];
    if (kind->expect)
        kind->expect(kind->context, next);
}

static void begin_step(struct nadi_engine *e)
{
    open_step(e);
    look_ahead(e);
    if (NADI_UNLIKELY(e->sequence != NULL))
        nadi_sequence_step(e->sequence, e->events, e->current.head);
    if (NADI_UNLIKELY(e->lineage != NULL))
        nadi_lineage_step(e->lineage, e->now);
    group_by_actor(e);
    e->running = true;
    e->group = NADI_NONE;
}

/* An event is about to run, behind one of the actor `group`. */
static void tell_reached(const struct nadi_engine *e, uint32_t index,
                         const struct nadi_event *event, uint32_t group)
{
    const bool continues = event->actor != NADI_NONE && event->actor == group;
    if (e->sequence)
        nadi_sequence_reached(e->sequence, index, continues);
    if (e->lineage && !continues)
        nadi_lineage_turn(e->lineage, index);
    if (e->follower.reached && event->kind != e->follower.pump && !continues)
        e->follower.reached(e->follower.context, index);
}

/* To its end, or until the present run is over. */
static void run_step(struct nadi_engine *e)
{
    uint32_t group = e->group;
    while (e->current.head != NADI_NONE && e->handled < e->stop) {
        uint32_t index = e->current.head;
        struct nadi_event event = e->events[index];
        if (NADI_UNLIKELY(e->watched))
            tell_reached(e, index, &event, group);
        group = event.actor;
        e->kinds[event.kind].handler(e->kinds[event.kind].context, &event);
        e->handled++;
        if (event.actor != NADI_NONE && e->marks[event.actor].tail == index) {
            e->marks[event.actor].step = 0;
            group = NADI_NONE;
        }
        e->current.head = e->events[index].next;
        if (e->current.head == NADI_NONE)
            e->current.tail = NADI_NONE;
        append(e, &e->free_events, index);
    }
    e->group = group;
    e->running = e->current.head != NADI_NONE;
}

bool nadi_engine_run(struct nadi_engine *e, uint64_t max_events, nadi_time until)
{
    e->stop = e->halted[0] || e->broken_off ? 0 : e->handled + max_events;
    e->until = e->finished && e->now < until ? e->now : until;
    if (e->running)
        run_step(e);
    while (e->heap_count && e->handled < e->stop && e->heap[0].at <= e->until &&
           e->pause != PAUSE_NOW) {
        if (NADI_UNLIKELY(e->pause == PAUSE_NEXT))
            e->pause = PAUSE_NOW;
        begin_step(e);
        run_step(e);
    }
    return !e->halted[0] &&
           (e->running || e->broken_off || (e->heap_count && e->heap[0].at <= e->until));
}

void nadi_engine_yield(struct nadi_engine *e)
{
    e->stop = 0;
}
