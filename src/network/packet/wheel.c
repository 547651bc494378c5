#include "network/packet/wheel.h"

#include "base/mem.h"

static struct nadi_pkt_event *event_of(const struct nadi_pkt_wheel *w, uint32_t cell)
{
    return (void *)(w->cells + cell * w->cell_bytes);
}

void nadi_pkt_wheel_init(struct nadi_pkt_wheel *w, uint32_t shift, nadi_time span)
{
    uint32_t slots = 64;
    while ((nadi_time)slots << shift < span)
        slots *= 2;
    *w = (struct nadi_pkt_wheel){
        .mask = slots - 1,
        .shift = shift,
        .horizon = (nadi_time)slots << shift,
        .late_at = NADI_TIME_MAX,
        .slots = NADI_NEW(struct nadi_pkt_slot, slots),
        .bits = NADI_ZNEW(uint64_t, slots / 64),
    };
    for (uint32_t i = 0; i < slots; i++)
        w->slots[i].head = NADI_NONE;
}

void nadi_pkt_wheel_release(struct nadi_pkt_wheel *w)
{
    nadi_mem_free(w->slots);
    nadi_mem_free(w->bits);
    nadi_mem_free(w->late);
    nadi_mem_free(w->scratch_cells);
}

static bool before(const struct nadi_pkt_late *x, const struct nadi_pkt_late *y)
{
    return x->at < y->at || (x->at == y->at && x->order < y->order);
}

void nadi_pkt_wheel_add_late(struct nadi_pkt_wheel *w, nadi_time at, uint32_t cell)
{
    const struct nadi_pkt_late entry = {at, w->late_order++, cell};
    if (w->late_count == w->late_capacity)
        w->late = nadi_mem_grow(w->late, &w->late_capacity, w->late_count + 1, sizeof(*w->late));
    size_t i = w->late_count++;
    for (; i > 0 && before(&entry, &w->late[(i - 1) / 2]); i = (i - 1) / 2)
        w->late[i] = w->late[(i - 1) / 2];
    w->late[i] = entry;
    w->late_at = w->late[0].at;
}

static struct nadi_pkt_late take_late(struct nadi_pkt_wheel *w)
{
    const struct nadi_pkt_late top = w->late[0], last = w->late[--w->late_count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= w->late_count)
            break;
        if (child + 1 < w->late_count && before(&w->late[child + 1], &w->late[child]))
            child++;
        if (!before(&w->late[child], &last))
            break;
        w->late[i] = w->late[child];
        i = child;
    }
    if (w->late_count)
        w->late[i] = last;
    w->late_at = w->late_count ? w->late[0].at : NADI_TIME_MAX;
    return top;
}

/* Into the slot that is being emptied, behind everything that is not later. */
void nadi_pkt_wheel_add_open(struct nadi_pkt_wheel *w, struct nadi_pkt_event *event, nadi_time at,
                             uint32_t cell)
{
    struct nadi_pkt_slot *s = &w->slots[(uint32_t)(at >> w->shift) & w->mask];
    uint32_t previous = NADI_NONE, i = s->head;
    for (; i != NADI_NONE && event_of(w, i)->offset <= event->offset; i = event_of(w, i)->next)
        previous = i;
    event->next = i;
    if (previous == NADI_NONE)
        s->head = cell;
    else
        event_of(w, previous)->next = cell;
    if (i == NADI_NONE)
        s->tail = cell;
}

/* Slots from the open one's successor to the next that is not empty; NADI_TIME_MAX if none. */
static nadi_time next_slot(const struct nadi_pkt_wheel *w)
{
    if (!w->pending)
        return NADI_TIME_MAX;
    const uint32_t open = (uint32_t)(w->base >> w->shift) & w->mask;
    const uint32_t words = (w->mask + 1) / 64;
    uint32_t slot = (open + 1) & w->mask;
    uint64_t bits = w->bits[slot >> 6] >> (slot & 63) << (slot & 63);
    for (uint32_t word = slot >> 6;; word = (word + 1) & (words - 1), bits = w->bits[word])
        if (bits) {
            slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            break;
        }
    return w->base + ((nadi_time)((slot - open) & w->mask) << w->shift);
}

/* Stable merge sort of a slot's list by offset. */
static void sort_slot(struct nadi_pkt_wheel *w, struct nadi_pkt_slot *s)
{
    size_t n = 0;
    for (uint32_t i = s->head; i != NADI_NONE; i = event_of(w, i)->next) {
        if (n == w->scratch_capacity)
            w->scratch_cells = nadi_mem_grow(w->scratch_cells, &w->scratch_capacity, n + 1,
                                             sizeof(*w->scratch_cells));
        /* Insertion: a slot is narrow, so that it holds a few events, mostly in order. */
        const uint16_t offset = event_of(w, i)->offset;
        size_t at = n++;
        for (; at > 0 && event_of(w, w->scratch_cells[at - 1])->offset > offset; at--)
            w->scratch_cells[at] = w->scratch_cells[at - 1];
        w->scratch_cells[at] = i;
    }
    s->head = w->scratch_cells[0];
    s->tail = w->scratch_cells[n - 1];
    for (size_t k = 0; k + 1 < n; k++)
        event_of(w, w->scratch_cells[k])->next = w->scratch_cells[k + 1];
    event_of(w, s->tail)->next = NADI_NONE;
}

/* A late event to the end of its slot, which is not the one being emptied. */
static void append(struct nadi_pkt_wheel *w, nadi_time at, uint32_t cell)
{
    const uint32_t slot = (uint32_t)(at >> w->shift) & w->mask;
    struct nadi_pkt_slot *s = &w->slots[slot];
    struct nadi_pkt_event *event = event_of(w, cell);
    event->offset = (uint16_t)(at & (((nadi_time)1 << w->shift) - 1));
    event->next = NADI_NONE;
    if (s->head == NADI_NONE)
        s->head = cell;
    else
        event_of(w, s->tail)->next = cell;
    s->tail = cell;
    w->bits[slot >> 6] |= UINT64_C(1) << (slot & 63);
    w->pending++;
}

bool nadi_pkt_wheel_advance(struct nadi_pkt_wheel *w, nadi_time until)
{
    const uint32_t open = (uint32_t)(w->base >> w->shift) & w->mask;
    const nadi_time width = (nadi_time)1 << w->shift;
    w->bits[open >> 6] &= ~(UINT64_C(1) << (open & 63));
    nadi_time at = next_slot(w);
    if (w->late_at != NADI_TIME_MAX && w->late_at < at)
        at = w->late_at & ~(width - 1);
    if (at > until)
        return false;
    w->base = at;
    w->horizon = at + ((nadi_time)(w->mask + 1) << w->shift);
    while (w->late_at < w->horizon) {
        const struct nadi_pkt_late late = take_late(w);
        append(w, late.at, late.cell);
    }
    struct nadi_pkt_slot *s = &w->slots[(uint32_t)(at >> w->shift) & w->mask];
    if (w->shift && s->head != s->tail)
        sort_slot(w, s);
    return true;
}

nadi_time nadi_pkt_wheel_next_time(const struct nadi_pkt_wheel *w)
{
    const struct nadi_pkt_slot *open = &w->slots[(uint32_t)(w->base >> w->shift) & w->mask];
    if (open->head != NADI_NONE)
        return w->base + event_of(w, open->head)->offset;
    const nadi_time base = next_slot(w);
    if (base == NADI_TIME_MAX)
        return w->late_at;
    nadi_time first = NADI_TIME_MAX;
    for (uint32_t i = w->slots[(uint32_t)(base >> w->shift) & w->mask].head; i != NADI_NONE;
         i = event_of(w, i)->next)
        if (base + event_of(w, i)->offset < first)
            first = base + event_of(w, i)->offset;
    return first < w->late_at ? first : w->late_at;
}
