/* flow_ends: a binary heap of pairs by the end of their first message to end. */
#include "base/mem.h"
#include "network/flow_inside.h"

static void place(struct flow *f, size_t slot, uint32_t pair)
{
    f->heap.items[slot] = pair;
    f->pairs.items[pair].slot = (uint32_t)slot;
}

static void sift_up(struct flow *f, size_t i)
{
    const uint32_t moved = f->heap.items[i];
    const nadi_time end = f->pairs.items[moved].end;
    while (i > 0) {
        const size_t parent = (i - 1) / 2;
        if (f->pairs.items[f->heap.items[parent]].end <= end)
            break;
        place(f, i, f->heap.items[parent]);
        i = parent;
    }
    place(f, i, moved);
}

static void sift_down(struct flow *f, size_t i)
{
    const uint32_t moved = f->heap.items[i];
    const nadi_time end = f->pairs.items[moved].end;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= f->heap.count)
            break;
        if (child + 1 < f->heap.count &&
            f->pairs.items[f->heap.items[child + 1]].end < f->pairs.items[f->heap.items[child]].end)
            child++;
        if (f->pairs.items[f->heap.items[child]].end >= end)
            break;
        place(f, i, f->heap.items[child]);
        i = child;
    }
    place(f, i, moved);
}

void nadi_flow_take_out(struct flow *f, uint32_t pair)
{
    const uint32_t slot = f->pairs.items[pair].slot;
    if (slot == NADI_NONE)
        return;
    f->pairs.items[pair].slot = NADI_NONE;
    const uint32_t last = f->heap.items[--f->heap.count];
    if (slot == f->heap.count)
        return;
    place(f, slot, last);
    sift_up(f, slot);
    sift_down(f, f->pairs.items[last].slot);
}

void nadi_flow_set_end(struct flow *f, uint32_t pair, nadi_time end)
{
    struct pair *p = &f->pairs.items[pair];
    const nadi_time before = p->end;
    p->end = end;
    if (p->slot == NADI_NONE) {
        NADI_PUSH(&f->heap, pair);
        sift_up(f, f->heap.count - 1);
    } else if (end < before)
        sift_up(f, p->slot);
    else
        sift_down(f, p->slot);
}
