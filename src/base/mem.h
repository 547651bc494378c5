/* mem: the only place that calls malloc.
 *
 * Every size passes an overflow-checked count * size. A failed allocation jumps to the innermost
 * guard (base/guard.h): a simulation with half its state is of no use, and a null check after each
 * allocation would be untested code. Loaders refuse inputs whose size would exhaust memory.
 *
 * Inside a guard each allocation is in the guard's heap (base/hold.h) until it is freed. */
#ifndef NADI_BASE_MEM_H
#define NADI_BASE_MEM_H

#include "base/base.h"

/* Fails as an allocation does: another library has no memory. */
_Noreturn void nadi_mem_lacking(const char *library);
/* The same if this much memory is not available: before calling a library that does not survive a
 * failed allocation. */
void nadi_mem_headroom(size_t bytes, const char *library);
/* Like zalloc of one, but NULL when memory is out. */
void *nadi_mem_try(size_t size) NADI_MUST_USE;
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

/* The same for items of 16, 32, 64, ... bytes with random access: none crosses a cache line. */
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
