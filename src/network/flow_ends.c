/* flow_ends: a binary heap of pairs by the end of their first message to end. Ends lie in the heap
 * and places in an array of their own: pairs are too large to be looked at on the way. */
#include "base/mem.h"
#include "network/flow_inside.h"

static void place(struct flow *f, size_t slot, struct pair_end entry)
{
    f->heap.items[slot] = entry;
    f->slots.items[entry.pair] = (uint32_t)slot;
}

static void sift_up(struct flow *f, size_t i)
{
    const struct pair_end moved = f->heap.items[i];
    while (i > 0) {
        const size_t parent = (i - 1) / 2;
        if (f->heap.items[parent].end <= moved.end)
            break;
        place(f, i, f->heap.items[parent]);
        i = parent;
    }
    place(f, i, moved);
}

static void sift_down(struct flow *f, size_t i)
{
    const struct pair_end moved = f->heap.items[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= f->heap.count)
            break;
        if (child + 1 < f->heap.count && f->heap.items[child + 1].end < f->heap.items[child].end)
            child++;
        if (f->heap.items[child].end >= moved.end)
            break;
        place(f, i, f->heap.items[child]);
        i = child;
    }
    place(f, i, moved);
}

void nadi_flow_take_out(struct flow *f, uint32_t pair)
{
    const uint32_t slot = f->slots.items[pair];
    if (slot == NADI_NONE)
        return;
    f->slots.items[pair] = NADI_NONE;
    const struct pair_end last = f->heap.items[--f->heap.count];
    if (slot == f->heap.count)
        return;
    place(f, slot, last);
    sift_up(f, slot);
    sift_down(f, f->slots.items[last.pair]);
}

void nadi_flow_set_end(struct flow *f, uint32_t pair, nadi_time end)
{
    const struct pair_end entry = {end, pair};
    const uint32_t slot = f->slots.items[pair];
    if (slot == NADI_NONE) {
        NADI_PUSH(&f->heap, entry);
        sift_up(f, f->heap.count - 1);
        return;
    }
    const nadi_time before = f->heap.items[slot].end;
    f->heap.items[slot] = entry;
    if (end < before)
        sift_up(f, slot);
    else
        sift_down(f, slot);
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
