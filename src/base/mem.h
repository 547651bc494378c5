/* mem: the only place that calls malloc.
 *
 * Every size passes an overflow-checked count * size. Memory that cannot be had ends the process
 * with one line and exit code 5 (limit reached): a simulation with half its state is no use, and a
 * null check after each allocation would be untested code. Inputs whose size would exhaust memory
 * are refused by the loaders before it comes to that. */
#ifndef NADI_BASE_MEM_H
#define NADI_BASE_MEM_H

#include "base/base.h"

/* Never return NULL. A count or size of 0 gives a valid unique pointer. */
void *nadi_mem_alloc(size_t count, size_t size) NADI_MUST_USE;
void *nadi_mem_zalloc(size_t count, size_t size) NADI_MUST_USE;
void *nadi_mem_realloc(void *old, size_t count, size_t size) NADI_MUST_USE;
void nadi_mem_free(void *p);
/* A copy of an array, which may be NULL where it has no items. */
void *nadi_mem_copy(const void *items, size_t count, size_t size) NADI_MUST_USE;

#define NADI_NEW(type, count)  ((type *)nadi_mem_alloc((count), sizeof(type)))
#define NADI_ZNEW(type, count) ((type *)nadi_mem_zalloc((count), sizeof(type)))

/* Makes room for `want` elements in a growable array by doubling; *capacity is updated. */
void *nadi_mem_grow(void *items, size_t *capacity, size_t want, size_t size) NADI_MUST_USE;

/* The same for items of 16, 32, 64, ... bytes that are looked at one here, one there: none lies
 * across two cache lines. */
void *nadi_mem_grow_lines(void *items, size_t *capacity, size_t want, size_t size) NADI_MUST_USE;

/* Growable array idiom: struct { T *items; size_t count, capacity; } v; NADI_PUSH(&v, value); */
#define NADI_RESERVE(v, want)                                                                      \
    do {                                                                                           \
        if ((size_t)(want) > (v)->capacity)                                                        \
            (v)->items =                                                                           \
                nadi_mem_grow((v)->items, &(v)->capacity, (size_t)(want), sizeof(*(v)->items));    \
    } while (0)
#define NADI_PUSH_LINES(v, value)                                                                  \
    do {                                                                                           \
        if ((v)->count == (v)->capacity)                                                           \
            (v)->items = nadi_mem_grow_lines((v)->items, &(v)->capacity, (v)->count + 1,           \
                                             sizeof(*(v)->items));                                 \
        (v)->items[(v)->count++] = (value);                                                        \
    } while (0)
#define NADI_PUSH(v, value)                                                                        \
    do {                                                                                           \
        NADI_RESERVE((v), (v)->count + 1);                                                         \
        (v)->items[(v)->count++] = (value);                                                        \
    } while (0)

#endif
