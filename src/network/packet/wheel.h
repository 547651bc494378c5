/* wheel: the packet model's event queue, a calendar of short slots with a heap behind it.
 *
 * An event is a number that means something to the caller. Order is by time; of events of one time
 * those below `ordered` come first, by number, and the others behind them in scheduling order
 * (`ordered` 0: all, as in the engine); those from `last` on behind all that are below it. Times
 * are ticks. A slot is 2^shift ticks wide and holds its events in scheduling order, in blocks that
 * are recycled; when its turn comes they are copied to the open list and sorted there, unless they
 * are in order anyway. Events beyond the last slot wait in a heap and move into the wheel as soon
 * as it reaches them, before anything can be scheduled directly to their time.
 *
 * O(1) to schedule and to take, O(log n) for events beyond the wheel. Memory is read and written in
 * order: what an event is about may lie anywhere, the queue itself does not. */
#ifndef NADI_NETWORK_PACKET_WHEEL_H
#define NADI_NETWORK_PACKET_WHEEL_H

#include "base/time.h"

/* An event, and in the upper half the offset of its time in the slot, in ticks: one word, because
 * it is moved more often than looked at. The last word of a block: the next block's place. */
typedef uint64_t nadi_pkt_due;

struct nadi_pkt_slot { /* places in dues, NONE when empty; tail: of the next entry */
    uint32_t head, tail;
};

struct nadi_pkt_late { /* an event beyond the wheel */
    nadi_time at;
    uint64_t order;
    uint32_t event;
};

struct nadi_pkt_pending { /* events with their times */
    struct nadi_pkt_late *items;
    size_t count, capacity;
};

struct nadi_pkt_wheel {
    nadi_time now;      /* of the event taken last */
    nadi_time base;     /* beginning of the open slot */
    nadi_time open_end; /* of the open slot */
    nadi_time horizon;  /* end of the wheel: base + slots */
    nadi_time late_at;  /* of the first late event, NADI_TIME_NEVER without one */
    nadi_pkt_due *open; /* events of the open slot */
    uint32_t open_at, open_count;
    uint32_t mask, shift;
    uint32_t ordered, last;
    uint64_t offset_mask; /* of a time in its slot */
    uint64_t reach;       /* horizon - open_end */
    struct nadi_pkt_slot *slots;
    nadi_pkt_due *dues; /* blocks */
    /* Entries of a block - 1, a power of two - 1; the last one says where the next block is. Long
     * where a slot is one tick, as then many events share it and the end of a block surprises. */
    uint32_t block_last;
    uint32_t free_block; /* place of its first entry */
    uint32_t pending;    /* slots with events, without the open one */
    uint64_t *bits;      /* one a slot: not empty */
    size_t due_capacity, open_capacity;
    nadi_pkt_due *merged; /* as large as open; for sorting it, as is: */
    uint32_t *runs;
    struct nadi_pkt_late *late;
    size_t late_count, late_capacity;
    uint64_t late_order;
};

/* Slots of 2^shift ticks that cover at least `span` ticks. `last`: no event is; it may be set
 * before any is added. */
void nadi_pkt_wheel_init(struct nadi_pkt_wheel *w, uint32_t shift, nadi_time span,
                         uint32_t ordered);
void nadi_pkt_wheel_release(struct nadi_pkt_wheel *w);

void nadi_pkt_wheel_add_late(struct nadi_pkt_wheel *w, nadi_time at, uint32_t event);
void nadi_pkt_wheel_add_open(struct nadi_pkt_wheel *w, nadi_time at, uint32_t event);
/* A block more for a slot that has none or a full one: the place of its first entry. */
uint32_t nadi_pkt_wheel_extend(struct nadi_pkt_wheel *w, struct nadi_pkt_slot *s);
/* Opens the slot of the next event if that is not later than `until`: false otherwise. */
bool nadi_pkt_wheel_advance(struct nadi_pkt_wheel *w, nadi_time until);
/* Time of the next event, NADI_TIME_NEVER if none: exact, and O(slots) at worst. */
nadi_time nadi_pkt_wheel_next_time(const struct nadi_pkt_wheel *w);

/* All pending events, as they lie: O(slots + events); and sorted into the order in which they will
 * be taken. */
void nadi_pkt_wheel_list(const struct nadi_pkt_wheel *w, struct nadi_pkt_pending *list);
void nadi_pkt_pending_sort(struct nadi_pkt_pending *list);
/* Forgets all events and goes to `now`. */
void nadi_pkt_wheel_restart(struct nadi_pkt_wheel *w, nadi_time now);

/* To a slot that is not the open one. An empty slot's tail looks like the end of a block. */
static inline void nadi_pkt_wheel_append(struct nadi_pkt_wheel *w, nadi_time at, uint32_t event)
{
    struct nadi_pkt_slot *s = &w->slots[(uint32_t)(at >> w->shift) & w->mask];
    uint32_t tail = s->tail;
    if (NADI_UNLIKELY((tail & w->block_last) == w->block_last))
        tail = nadi_pkt_wheel_extend(w, s);
    w->dues[tail] = event | ((uint64_t)at & w->offset_mask) << 32;
    s->tail = tail + 1;
}

/* at >= now. */
static inline void nadi_pkt_wheel_add(struct nadi_pkt_wheel *w, nadi_time at, uint32_t event)
{
    if (NADI_LIKELY((uint64_t)at - (uint64_t)w->open_end < w->reach))
        nadi_pkt_wheel_append(w, at, event);
    else if (at >= w->horizon)
        nadi_pkt_wheel_add_late(w, at, event);
    else
        nadi_pkt_wheel_add_open(w, at, event);
}

/* The next event, or NADI_NONE when none is due up to `until`; moves the clock. */
static inline uint32_t nadi_pkt_wheel_take(struct nadi_pkt_wheel *w, nadi_time until)
{
    if (w->open_at == w->open_count && !nadi_pkt_wheel_advance(w, until))
        return NADI_NONE;
    const nadi_pkt_due due = w->open[w->open_at];
    const nadi_time at = w->base + (nadi_time)(due >> 32);
    if (NADI_UNLIKELY(at > until))
        return NADI_NONE;
    w->now = at;
    w->open_at++;
    return (uint32_t)due;
}

/* The same of events before that one of `at`, by time and number. */
static inline uint32_t nadi_pkt_wheel_take_before(struct nadi_pkt_wheel *w, nadi_time at,
                                                  uint32_t event)
{
    if (w->open_at == w->open_count && !nadi_pkt_wheel_advance(w, at))
        return NADI_NONE;
    const nadi_pkt_due due = w->open[w->open_at];
    const nadi_time due_at = w->base + (nadi_time)(due >> 32);
    if (due_at > at || (due_at == at && (uint32_t)due >= event))
        return NADI_NONE;
    return nadi_pkt_wheel_take(w, at);
}

#endif
