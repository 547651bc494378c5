/* heap: binary heaps in a list {items, count, capacity}, the first of all items in front.
 *
 * before(a, b), of pointers to two items, is a strict order: of items that it does not order any
 * may come first. O(log n) a push or pop. Heaps whose items know their places keep those
 * themselves: network/flow_ends.c, memory/traffic_ends.c. */
#ifndef NADI_BASE_HEAP_H
#define NADI_BASE_HEAP_H

#include "base/mem.h"

#define NADI_HEAP_PUSH(heap, value, before)                                                        \
    do {                                                                                           \
        NADI_RESERVE((heap), (heap)->count + 1);                                                   \
        size_t at_ = (heap)->count++;                                                              \
        for (; at_ > 0 && before(&(value), &(heap)->items[(at_ - 1) / 2]); at_ = (at_ - 1) / 2)    \
            (heap)->items[at_] = (heap)->items[(at_ - 1) / 2];                                     \
        (heap)->items[at_] = (value);                                                              \
    } while (0)

/* The first item leaves; there must be one. */
#define NADI_HEAP_DROP(heap, before)                                                               \
    do {                                                                                           \
        const size_t left_ = --(heap)->count;                                                      \
        size_t at_ = 0;                                                                            \
        for (size_t child_ = 1; child_ < left_; child_ = 2 * at_ + 1) {                            \
            if (child_ + 1 < left_ && before(&(heap)->items[child_ + 1], &(heap)->items[child_]))  \
                child_++;                                                                          \
            if (!before(&(heap)->items[child_], &(heap)->items[left_]))                            \
                break;                                                                             \
            (heap)->items[at_] = (heap)->items[child_];                                            \
            at_ = child_;                                                                          \
        }                                                                                          \
        (heap)->items[at_] = (heap)->items[left_];                                                 \
    } while (0)

/* Likewise, and `top` is set to it. */
#define NADI_HEAP_POP(heap, top, before)                                                           \
    do {                                                                                           \
        (top) = (heap)->items[0];                                                                  \
        NADI_HEAP_DROP(heap, before);                                                              \
    } while (0)

struct nadi_heap32 { /* numbers, the least first */
    uint32_t *items;
    size_t count, capacity;
};

static inline bool nadi_heap32_before(const uint32_t *a, const uint32_t *b)
{
    return *a < *b;
}

static inline void nadi_heap32_push(struct nadi_heap32 *heap, uint32_t value)
{
    NADI_HEAP_PUSH(heap, value, nadi_heap32_before);
}

static inline uint32_t nadi_heap32_pop(struct nadi_heap32 *heap)
{
    uint32_t least;
    NADI_HEAP_POP(heap, least, nadi_heap32_before);
    return least;
}

#endif
