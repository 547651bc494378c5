/* share_heap: a heap of links and demands, the lowest level first. */
#include "sharing/share_inside.h"

enum { ARITY = 4 };

void nadi_share_sift_down(struct heap *heap, size_t i)
{
    struct candidate *items = heap->items;
    const struct candidate moved = items[i];
    const size_t count = heap->count;
    for (;;) {
        const size_t first = ARITY * i + 1, end = first + ARITY < count ? first + ARITY : count;
        size_t child = first;
        for (size_t k = first + 1; k < end; k++)
            child = items[k].level < items[child].level ? k : child;
        if (first >= count || !(items[child].level < moved.level))
            break;
        items[i] = items[child];
        i = child;
    }
    items[i] = moved;
}

void nadi_share_push(struct heap *heap, struct candidate c)
{
    NADI_PUSH(heap, c);
    size_t i = heap->count - 1;
    while (i > 0 && c.level < heap->items[(i - 1) / ARITY].level) {
        heap->items[i] = heap->items[(i - 1) / ARITY];
        i = (i - 1) / ARITY;
    }
    heap->items[i] = c;
}

void nadi_share_pop(struct heap *heap)
{
    heap->items[0] = heap->items[--heap->count];
    if (heap->count)
        nadi_share_sift_down(heap, 0);
}

void nadi_share_make_heap(struct heap *heap)
{
    for (size_t i = (heap->count + ARITY - 2) / ARITY; i-- > 0;)
        nadi_share_sift_down(heap, i);
}
