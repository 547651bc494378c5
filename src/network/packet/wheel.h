/* wheel: the packet model's event queue, a calendar of short slots with a heap behind it.
 *
 * Order is (time, scheduling order), as in the engine. An event is a cell, known by its index; the
 * caller keeps the cells in an array that begins each with struct nadi_pkt_event. Times are ticks.
 * A slot is 2^shift ticks wide and holds a list in scheduling order; a slot wider than one tick is
 * sorted (stably) when its turn comes. Events beyond the last slot wait in a heap and move into
 * the wheel as soon as it reaches them, before anything can be scheduled directly to their time.
 *
 * O(1) to schedule and to take, O(log n) for events beyond the wheel. */
#ifndef NADI_NETWORK_PACKET_WHEEL_H
#define NADI_NETWORK_PACKET_WHEEL_H

#include "base/base.h"

struct nadi_pkt_event { /* first member of every cell */
    uint32_t next;
    uint16_t offset; /* of its time in the slot, ticks */
    uint8_t kind;    /* the caller's, as is what follows */
    uint8_t hop;
};

struct nadi_pkt_slot {
    uint32_t head, tail;
};

struct nadi_pkt_late { /* an event beyond the wheel */
    nadi_time at;
    uint64_t order;
    uint32_t cell;
};

struct nadi_pkt_wheel {
    nadi_time now;     /* of the event taken last */
    nadi_time base;    /* beginning of the open slot */
    nadi_time horizon; /* end of the wheel: base + slots */
    nadi_time late_at; /* of the first late event, NADI_TIME_MAX without one */
    struct nadi_pkt_slot *slots;
    uint64_t *bits; /* one a slot: not empty */
    uint32_t mask, shift;
    uint32_t pending; /* events in slots, the open one included */
    char *cells;
    size_t cell_bytes;
    struct nadi_pkt_late *late;
    size_t late_count, late_capacity;
    uint64_t late_order;
    uint32_t *scratch_cells; /* for sorting a slot */
    size_t scratch_capacity;
};

/* Slots of 2^shift ticks that cover at least `span` ticks. */
void nadi_pkt_wheel_init(struct nadi_pkt_wheel *w, uint32_t shift, nadi_time span);
void nadi_pkt_wheel_release(struct nadi_pkt_wheel *w);

/* Where the cells are now; to be told whenever the array moves. */
static inline void nadi_pkt_wheel_cells(struct nadi_pkt_wheel *w, void *cells, size_t cell_bytes)
{
    w->cells = cells;
    w->cell_bytes = cell_bytes;
}

void nadi_pkt_wheel_add_late(struct nadi_pkt_wheel *w, nadi_time at, uint32_t cell);
void nadi_pkt_wheel_add_open(struct nadi_pkt_wheel *w, struct nadi_pkt_event *event, nadi_time at,
                             uint32_t cell);
/* Opens the slot of the next event if that is not later than `until`: false otherwise. */
bool nadi_pkt_wheel_advance(struct nadi_pkt_wheel *w, nadi_time until);
/* Time of the next event, NADI_TIME_MAX if none: exact, and O(slots) at worst. */
nadi_time nadi_pkt_wheel_next_time(const struct nadi_pkt_wheel *w);

/* `event` is the cell's own; at >= now. */
static inline void nadi_pkt_wheel_add(struct nadi_pkt_wheel *w, struct nadi_pkt_event *event,
                                      nadi_time at, uint32_t cell)
{
    if (NADI_UNLIKELY(at >= w->horizon)) {
        nadi_pkt_wheel_add_late(w, at, cell);
        return;
    }
    const uint32_t slot = (uint32_t)(at >> w->shift) & w->mask;
    event->offset = (uint16_t)(at & (((nadi_time)1 << w->shift) - 1));
    event->next = NADI_NONE;
    w->pending++;
    struct nadi_pkt_slot *s = &w->slots[slot];
    if (s->head == NADI_NONE) {
        s->head = s->tail = cell;
        w->bits[slot >> 6] |= UINT64_C(1) << (slot & 63);
    } else if (NADI_UNLIKELY(w->shift && at - w->base < (nadi_time)1 << w->shift))
        nadi_pkt_wheel_add_open(w, event, at, cell);
    else {
        ((struct nadi_pkt_event *)(void *)(w->cells + s->tail * w->cell_bytes))->next = cell;
        s->tail = cell;
    }
}

/* The next event's cell, or NADI_NONE when none is due up to `until`; moves the clock. */
static inline uint32_t nadi_pkt_wheel_take(struct nadi_pkt_wheel *w, nadi_time until)
{
    struct nadi_pkt_slot *s = &w->slots[(uint32_t)(w->base >> w->shift) & w->mask];
    if (s->head == NADI_NONE) {
        if (!nadi_pkt_wheel_advance(w, until))
            return NADI_NONE;
        s = &w->slots[(uint32_t)(w->base >> w->shift) & w->mask];
    }
    const uint32_t cell = s->head;
    const struct nadi_pkt_event *event = (const void *)(w->cells + cell * w->cell_bytes);
    const nadi_time at = w->base + event->offset;
    if (NADI_UNLIKELY(at > until))
        return NADI_NONE;
    w->now = at;
    s->head = event->next;
    w->pending--;
    return cell;
}

#endif
