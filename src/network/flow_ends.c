/* flow_ends: a binary heap of pairs by the end of their first message to end. Ends lie in the heap
 * and places in an array of their own: pairs are too large to be looked at on the way. */
#include "base/mem.h"
#include "network/flow_inside.h"

static inline void place(struct pair_ends *heap, struct pair_places *slots, size_t slot,
                         struct pair_end entry)
{
    heap->items[slot] = entry;
    slots->items[entry.pair] = (uint32_t)slot;
}

static inline void sift_up(struct pair_ends *heap, struct pair_places *slots, size_t i)
{
    const struct pair_end moved = heap->items[i];
    while (i > 0) {
        const size_t parent = (i - 1) / 2;
        if (heap->items[parent].end <= moved.end)
            break;
        place(heap, slots, i, heap->items[parent]);
        i = parent;
    }
    place(heap, slots, i, moved);
}

static inline void sift_down(struct pair_ends *heap, struct pair_places *slots, size_t i)
{
    const struct pair_end moved = heap->items[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && heap->items[child + 1].end < heap->items[child].end)
            child++;
        if (heap->items[child].end >= moved.end)
            break;
        place(heap, slots, i, heap->items[child]);
        i = child;
    }
    place(heap, slots, i, moved);
}

static inline void remove_end(struct pair_ends *heap, struct pair_places *slots, uint32_t pair)
{
    const uint32_t slot = slots->items[pair];
    if (slot == NADI_NONE)
        return;
    slots->items[pair] = NADI_NONE;
    const struct pair_end last = heap->items[--heap->count];
    if (slot == heap->count)
        return;
    place(heap, slots, slot, last);
    sift_up(heap, slots, slot);
    sift_down(heap, slots, slots->items[last.pair]);
}

static inline void put_end(struct pair_ends *heap, struct pair_places *slots, uint32_t pair,
                           nadi_time end)
{
    const struct pair_end entry = {end, pair};
    const uint32_t slot = slots->items[pair];
    if (slot == NADI_NONE) {
        NADI_PUSH(heap, entry);
        sift_up(heap, slots, heap->count - 1);
        return;
    }
    const nadi_time before = heap->items[slot].end;
    heap->items[slot] = entry;
    if (end < before)
        sift_up(heap, slots, slot);
    else
        sift_down(heap, slots, slot);
}

void nadi_flow_take_out(struct flow *f, uint32_t pair)
{
    remove_end(&f->heap, &f->slots, pair);
}

void nadi_flow_remove_end(struct pair_ends *heap, struct pair_places *slots, uint32_t pair)
{
    remove_end(heap, slots, pair);
}

void nadi_flow_set_end(struct flow *f, uint32_t pair, nadi_time end)
{
    put_end(&f->heap, &f->slots, pair, end);
}

void nadi_flow_put_end(struct pair_ends *heap, struct pair_places *slots, uint32_t pair,
                       nadi_time end)
{
    put_end(heap, slots, pair, end);
}

/* The earliest end is at the top, the next ones are near it and come up: each place asks for what
 * the place before it has asked the address of. */
void nadi_flow_expect_ends(const struct flow *f)
{
    const struct pair_end *ends = f->heap.items;
    if (f->heap.count < 8)
        return;
    for (size_t i = 3; i < 7; i++) {
        __builtin_prefetch(&f->pairs.items[ends[i].pair]);
        nadi_share_expect(f->share, ends[i].pair, NADI_SHARE_DEMAND);
    }
    for (size_t i = 1; i < 3; i++) {
        __builtin_prefetch(&f->transfers.items[f->pairs.items[ends[i].pair].head]);
        nadi_share_expect(f->share, ends[i].pair, NADI_SHARE_PATH);
    }
    nadi_share_expect(f->share, ends[0].pair, NADI_SHARE_LINKS);
}

/* ---- the messages of a pair: a pairing heap ------------------------------------------------ */

static bool ends_before(const struct transfer *a, const struct transfer *b)
{
    if (a->full < b->full || b->full < a->full)
        return a->full < b->full;
    return a->number < b->number;
}

uint32_t nadi_flow_meld(struct flow *f, uint32_t a, uint32_t b)
{
    struct transfer *items = f->transfers.items;
    const bool swapped = ends_before(&items[b], &items[a]);
    const uint32_t root = swapped ? b : a, later = swapped ? a : b;
    items[later].next = items[root].child;
    items[root].child = later;
    return root;
}

/* Children two by two, then these pairs from the last one to the first: O(log n) amortised. */
uint32_t nadi_flow_without_root(struct flow *f, uint32_t root)
{
    struct transfer *items = f->transfers.items;
    uint32_t left = items[root].child, pairs = NADI_NONE, tree = NADI_NONE;
    while (left != NADI_NONE) {
        uint32_t a = left;
        const uint32_t b = items[a].next;
        left = b == NADI_NONE ? NADI_NONE : items[b].next;
        if (b != NADI_NONE)
            a = nadi_flow_meld(f, a, b);
        items[a].next = pairs;
        pairs = a;
    }
    while (pairs != NADI_NONE) {
        const uint32_t next = items[pairs].next;
        items[pairs].next = NADI_NONE;
        tree = tree == NADI_NONE ? pairs : nadi_flow_meld(f, tree, pairs);
        pairs = next;
    }
    return tree;
}
