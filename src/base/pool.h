/* pool: arrays whose items come and go, named by index; what was given back is taken first, the
 * latest before all others. FIFOs of such items. All chain items by an index that lies in them. */
#ifndef NADI_BASE_POOL_H
#define NADI_BASE_POOL_H

#include "base/mem.h"

#define NADI_POOL_OF(type)                                                                         \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, capacity;                                                                    \
        uint32_t free; /* NADI_NONE: none; to begin with */                                        \
    }

/* Takes an item: sets `index`. It holds what it held before, or nothing yet. `link`: the items'
 * member, a uint32_t, that chains free ones. */
#define NADI_POOL_TAKE_BY(grow, pool, link, index)                                                 \
    do {                                                                                           \
        if ((pool)->free != NADI_NONE) {                                                           \
            (index) = (pool)->free;                                                                \
            (pool)->free = (pool)->items[(index)].link;                                            \
        } else {                                                                                   \
            if ((pool)->count == (pool)->capacity)                                                 \
                (pool)->items = grow((pool)->items, &(pool)->capacity, (pool)->count + 1,          \
                                     sizeof(*(pool)->items));                                      \
            (index) = (uint32_t)(pool)->count++;                                                   \
        }                                                                                          \
    } while (0)
#define NADI_POOL_TAKE(pool, link, index) NADI_POOL_TAKE_BY(nadi_mem_grow, pool, link, index)
/* The same of items that must not cross cache lines. */
#define NADI_POOL_TAKE_LINES(pool, link, index)                                                    \
    NADI_POOL_TAKE_BY(nadi_mem_grow_lines, pool, link, index)
#define NADI_POOL_GIVE(pool, link, index)                                                          \
    do {                                                                                           \
        (pool)->items[(index)].link = (pool)->free;                                                \
        (pool)->free = (index);                                                                    \
    } while (0)

struct nadi_fifo { /* of a pool's items, by their member `next`; both NADI_NONE: empty */
    uint32_t head, tail;
};

#define NADI_FIFO_PUSH(list, pool, index)                                                          \
    do {                                                                                           \
        (pool)->items[(index)].next = NADI_NONE;                                                   \
        if ((list)->tail == NADI_NONE)                                                             \
            (list)->head = (index);                                                                \
        else                                                                                       \
            (pool)->items[(list)->tail].next = (index);                                            \
        (list)->tail = (index);                                                                    \
    } while (0)
#define NADI_FIFO_POP(list, pool, index)                                                           \
    do {                                                                                           \
        (index) = (list)->head;                                                                    \
        (list)->head = (pool)->items[(index)].next;                                                \
        if ((list)->head == NADI_NONE)                                                             \
            (list)->tail = NADI_NONE;                                                              \
    } while (0)

#endif
