#include "network/packet/wheel.h"

#include "base/mem.h"

enum { SORTED = 8 }; /* events that are sorted one by one */

void nadi_pkt_wheel_init(struct nadi_pkt_wheel *w, uint32_t shift, nadi_time span, uint32_t ordered)
{
    uint32_t slots = 64;
    while ((nadi_time)slots << shift < span)
        slots *= 2;
    *w = (struct nadi_pkt_wheel){
        .mask = slots - 1,
        .shift = shift,
        .ordered = ordered,
        .last = UINT32_MAX,
        .offset_mask = (UINT64_C(1) << shift) - 1,
        .open_end = (nadi_time)1 << shift,
        .horizon = (nadi_time)slots << shift,
        .reach = (uint64_t)(slots - 1) << shift,
        .late_at = NADI_TIME_NEVER,
        .slots = NADI_NEW(struct nadi_pkt_slot, slots),
        .bits = NADI_ZNEW(uint64_t, slots / 64),
        .block_last = shift ? 15 : 63,
        .free_block = NADI_NONE,
    };
    for (uint32_t i = 0; i < slots; i++)
        w->slots[i] = (struct nadi_pkt_slot){NADI_NONE, NADI_NONE};
}

void nadi_pkt_wheel_release(struct nadi_pkt_wheel *w)
{
    nadi_mem_free(w->slots);
    nadi_mem_free(w->bits);
    nadi_mem_free(w->dues);
    nadi_mem_free(w->open);
    nadi_mem_free(w->merged);
    nadi_mem_free(w->runs);
    nadi_mem_free(w->late);
}

static uint32_t new_block(struct nadi_pkt_wheel *w)
{
    if (w->free_block == NADI_NONE) {
        const size_t old = w->due_capacity;
        const size_t block = w->block_last + 1, capacity = (old + old / 2 + 1024) / block * block;
        NADI_ASSERT(capacity < NADI_NONE);
        w->dues = nadi_mem_realloc(w->dues, capacity, sizeof(*w->dues));
        w->due_capacity = capacity;
        for (size_t i = capacity; i > old; i -= block) {
            w->dues[i - 1] = w->free_block;
            w->free_block = (uint32_t)(i - block);
        }
    }
    const uint32_t first = w->free_block;
    w->free_block = (uint32_t)w->dues[first + w->block_last];
    return first;
}

uint32_t nadi_pkt_wheel_extend(struct nadi_pkt_wheel *w, struct nadi_pkt_slot *s)
{
    const uint32_t block = new_block(w);
    if (s->tail == NADI_NONE) {
        const size_t slot = (size_t)(s - w->slots);
        s->head = block;
        w->bits[slot >> 6] |= UINT64_C(1) << (slot & 63);
        w->pending++;
    } else
        w->dues[s->tail] = block;
    return block;
}

static bool before(const struct nadi_pkt_late *x, const struct nadi_pkt_late *y)
{
    return x->at < y->at || (x->at == y->at && x->order < y->order);
}

void nadi_pkt_wheel_add_late(struct nadi_pkt_wheel *w, nadi_time at, uint32_t event)
{
    const struct nadi_pkt_late entry = {at, w->late_order++, event};
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
    w->late_at = w->late_count ? w->late[0].at : NADI_TIME_NEVER;
    return top;
}

static void reserve_open(struct nadi_pkt_wheel *w, size_t count)
{
    if (count <= w->open_capacity)
        return;
    w->open = nadi_mem_grow(w->open, &w->open_capacity, count, sizeof(*w->open));
    w->merged = nadi_mem_realloc(w->merged, w->open_capacity, sizeof(*w->merged));
    w->runs = nadi_mem_realloc(w->runs, w->open_capacity + 1, sizeof(*w->runs));
}

/* Must x wait for y? Of one time only if y's number counts, or x comes last: x is larger then. */
static inline bool behind(const struct nadi_pkt_wheel *w, nadi_pkt_due x, nadi_pkt_due y)
{
    return x > y && (x >> 32 > y >> 32 || (uint32_t)y < w->ordered ||
                     ((uint32_t)x >= w->last && (uint32_t)y < w->last));
}

/* Into the slot that is being emptied, behind everything that is not later. */
void nadi_pkt_wheel_add_open(struct nadi_pkt_wheel *w, nadi_time at, uint32_t event)
{
    const nadi_pkt_due due = event | (uint64_t)(at - w->base) << 32;
    if (w->open_at == w->open_count)
        w->open_at = w->open_count = 0;
    reserve_open(w, (size_t)w->open_count + 1);
    uint32_t i = w->open_count++;
    for (; i > w->open_at && behind(w, w->open[i - 1], due); i--)
        w->open[i] = w->open[i - 1];
    w->open[i] = due;
}

/* Beginning of the next slot that is not empty, behind the open one; NADI_TIME_NEVER if none. */
static nadi_time next_slot(const struct nadi_pkt_wheel *w)
{
    if (!w->pending)
        return NADI_TIME_NEVER;
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

static void free_block(struct nadi_pkt_wheel *w, uint32_t first)
{
    w->dues[first + w->block_last] = w->free_block;
    w->free_block = first;
}

/* Stable; the first `sorted` are in order. A slot is narrow, so that it holds a few events. */
static void insertion_sort(const struct nadi_pkt_wheel *w, nadi_pkt_due *items, uint32_t sorted,
                           uint32_t count)
{
    for (uint32_t i = sorted; i < count; i++) {
        const nadi_pkt_due due = items[i];
        uint32_t k = i;
        for (; k > 0 && behind(w, items[k - 1], due); k--)
            items[k] = items[k - 1];
        items[k] = due;
    }
}

static void merge(const struct nadi_pkt_wheel *w, const nadi_pkt_due *from, nadi_pkt_due *to,
                  uint32_t middle, uint32_t end)
{
    uint32_t a = 0, b = middle, i = 0;
    while (a < middle && b < end) {
        const bool second = behind(w, from[a], from[b]);
        to[i++] = second ? from[b] : from[a];
        a += !second;
        b += second;
    }
    memcpy(to + i, from + a, (middle - a) * sizeof(*to));
    memcpy(to + i + (middle - a), from + b, (end - b) * sizeof(*to));
}

/* Cuts the open list into pieces that are in order: what is, and a few more made so. Where each one
 * begins. */
static uint32_t find_runs(struct nadi_pkt_wheel *w)
{
    uint32_t runs = 0, at = 0;
    while (at < w->open_count) {
        const uint32_t first = at++;
        while (at < w->open_count && !behind(w, w->open[at - 1], w->open[at]))
            at++;
        if (at - first < SORTED) {
            const uint32_t least = (uint32_t)nadi_min_u64(SORTED, w->open_count - first);
            insertion_sort(w, w->open + first, at - first, least);
            at = first + least;
        }
        w->runs[runs++] = first;
    }
    w->runs[runs] = w->open_count;
    return runs;
}

static void swap_open(struct nadi_pkt_wheel *w)
{
    nadi_pkt_due *other = w->open;
    w->open = w->merged;
    w->merged = other;
}

/* A network that runs in step has as many events of one time as it has ports; much of them is in
 * order. O(n log runs). */
static void merge_sort(struct nadi_pkt_wheel *w)
{
    for (uint32_t runs = find_runs(w); runs > 1; runs = (runs + 1) / 2) {
        for (uint32_t i = 0; i < runs; i += 2) {
            const uint32_t first = w->runs[i], end = w->runs[nadi_min_u64(i + 2, runs)];
            const uint32_t middle = w->runs[i + 1];
            merge(w, w->open + first, w->merged + first, middle - first, end - first);
            w->runs[i / 2] = first;
        }
        w->runs[(runs + 1) / 2] = w->open_count;
        swap_open(w);
    }
}

static void sort_open(struct nadi_pkt_wheel *w)
{
    if (w->open_count <= 2 * SORTED)
        insertion_sort(w, w->open, 1, w->open_count);
    else
        merge_sort(w);
}

/* Moves a slot's entries to the open list and frees its blocks. */
static void open_slot(struct nadi_pkt_wheel *w, struct nadi_pkt_slot *s)
{
    const uint32_t entries = w->block_last;
    uint32_t count = 0, block = s->head;
    for (; s->tail - block > entries; count += entries) {
        const uint32_t next = (uint32_t)w->dues[block + entries];
        reserve_open(w, (size_t)count + entries);
        memcpy(w->open + count, w->dues + block, entries * sizeof(*w->open));
        free_block(w, block);
        block = next;
    }
    const uint32_t rest = s->tail - block;
    reserve_open(w, (size_t)count + rest);
    memcpy(w->open + count, w->dues + block, rest * sizeof(*w->open));
    count += rest;
    free_block(w, block);
    s->head = s->tail = NADI_NONE;
    w->open_at = 0;
    w->open_count = count;
    w->pending--;
    if (w->shift || w->ordered)
        sort_open(w);
}

bool nadi_pkt_wheel_advance(struct nadi_pkt_wheel *w, nadi_time until)
{
    nadi_time at = next_slot(w);
    if (w->late_at < at)
        at = w->late_at & ~(((nadi_time)1 << w->shift) - 1);
    if (at > until || at == NADI_TIME_NEVER)
        return false;
    w->base = at;
    w->open_end = nadi_time_add(at, (nadi_time)1 << w->shift);
    w->horizon = nadi_time_add(at, (nadi_time)(w->mask + 1) << w->shift);
    while (w->late_at < w->horizon) {
        const struct nadi_pkt_late late = take_late(w);
        nadi_pkt_wheel_append(w, late.at, late.event);
    }
    const uint32_t slot = (uint32_t)(at >> w->shift) & w->mask;
    w->bits[slot >> 6] &= ~(UINT64_C(1) << (slot & 63));
    open_slot(w, &w->slots[slot]);
    return true;
}

nadi_time nadi_pkt_wheel_next_time(const struct nadi_pkt_wheel *w)
{
    if (w->open_at < w->open_count)
        return w->base + (nadi_time)(w->open[w->open_at] >> 32);
    const nadi_time base = next_slot(w);
    if (base == NADI_TIME_NEVER)
        return w->late_at;
    const struct nadi_pkt_slot *s = &w->slots[(uint32_t)(base >> w->shift) & w->mask];
    nadi_time first = NADI_TIME_NEVER;
    for (uint32_t i = s->head; i != s->tail;) {
        if ((i & w->block_last) == w->block_last) {
            i = (uint32_t)w->dues[i];
            continue;
        }
        const nadi_time at = base + (nadi_time)(w->dues[i++] >> 32);
        first = at < first ? at : first;
    }
    return first < w->late_at ? first : w->late_at;
}

/* Of one time: by number where that counts, else by `scheduled`. */
static void list_one(const struct nadi_pkt_wheel *w, struct nadi_pkt_pending *list, nadi_time at,
                     uint32_t event, uint64_t scheduled)
{
    const uint64_t order = event < w->ordered ? event
                           : event < w->last  ? ((uint64_t)1 << 32) + scheduled
                                              : ((uint64_t)1 << 62) + scheduled;
    const struct nadi_pkt_late entry = {at, order, event};
    NADI_PUSH(list, entry);
}

static void list_slot(const struct nadi_pkt_wheel *w, const struct nadi_pkt_slot *s, nadi_time base,
                      struct nadi_pkt_pending *list)
{
    for (uint32_t i = s->head; i != s->tail;) {
        if ((i & w->block_last) == w->block_last) {
            i = (uint32_t)w->dues[i];
            continue;
        }
        const nadi_pkt_due due = w->dues[i++];
        list_one(w, list, base + (nadi_time)(due >> 32), (uint32_t)due, list->count);
    }
}

void nadi_pkt_wheel_list(const struct nadi_pkt_wheel *w, struct nadi_pkt_pending *list)
{
    const uint32_t open = (uint32_t)(w->base >> w->shift) & w->mask;
    list->count = 0;
    for (uint32_t i = w->open_at; i < w->open_count; i++)
        list_one(w, list, w->base + (nadi_time)(w->open[i] >> 32), (uint32_t)w->open[i],
                 list->count);
    for (uint32_t i = 1; i <= w->mask && w->pending; i++) {
        const struct nadi_pkt_slot *s = &w->slots[(open + i) & w->mask];
        if (s->head != NADI_NONE)
            list_slot(w, s, w->base + ((nadi_time)i << w->shift), list);
    }
    for (size_t i = 0; i < w->late_count; i++)
        list_one(w, list, w->late[i].at, w->late[i].event, w->late[i].order);
}

static int by_order(const void *x, const void *y)
{
    return before(x, y) ? -1 : before(y, x);
}

void nadi_pkt_pending_sort(struct nadi_pkt_pending *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof(*list->items), by_order);
}

void nadi_pkt_wheel_restart(struct nadi_pkt_wheel *w, nadi_time now)
{
    const size_t block = w->block_last + 1;
    w->now = now;
    w->base = now & ~(nadi_time)w->offset_mask;
    w->open_end = nadi_time_add(w->base, (nadi_time)1 << w->shift);
    w->horizon = nadi_time_add(w->base, (nadi_time)(w->mask + 1) << w->shift);
    w->open_at = w->open_count = 0;
    w->late_count = 0;
    w->late_at = NADI_TIME_NEVER;
    w->pending = 0;
    memset(w->bits, 0, (w->mask + 1) / 8);
    for (uint32_t i = 0; i <= w->mask; i++)
        w->slots[i] = (struct nadi_pkt_slot){NADI_NONE, NADI_NONE};
    w->free_block = NADI_NONE;
    for (size_t i = w->due_capacity; i > 0; i -= block)
        free_block(w, (uint32_t)(i - block));
}
