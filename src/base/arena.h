/* arena: memory that is freed all at once.
 *
 *   struct nadi_arena arena; nadi_arena_init(&arena); ... nadi_arena_release(&arena);
 *
 * Blocks double up to 1 MiB. Every object is 16-byte aligned. Under AddressSanitizer each object
 * has a gap behind it, so overruns are still seen. Not thread safe: one arena, one owner.
 */
#ifndef NADI_BASE_ARENA_H
#define NADI_BASE_ARENA_H

#include "base/base.h"

struct nadi_arena {
    struct nadi_arena_block *blocks; /* newest first */
    char *at, *end;                  /* free part of the newest block */
    size_t next_block_bytes;
    size_t total_bytes; /* taken from the system so far, without such gaps */
};

void nadi_arena_init(struct nadi_arena *a);
void nadi_arena_release(struct nadi_arena *a);
/* Moves its blocks into another heap (base/mem.h). */
struct nadi_heap;
void nadi_arena_move(struct nadi_arena *a, struct nadi_heap *to);

/* Never return NULL; see base/mem.h. A failure leaves the arena as it was. zalloc clears. */
void *nadi_arena_alloc(struct nadi_arena *a, size_t count, size_t size) NADI_MUST_USE;
void *nadi_arena_zalloc(struct nadi_arena *a, size_t count, size_t size) NADI_MUST_USE;
char *nadi_arena_strdup(struct nadi_arena *a, const char *s) NADI_MUST_USE;
char *nadi_arena_strndup(struct nadi_arena *a, const char *s, size_t length) NADI_MUST_USE;
char *nadi_arena_printf(struct nadi_arena *a, const char *format, ...) NADI_PRINTF(2, 3);
char *nadi_arena_vprintf(struct nadi_arena *a, const char *format, va_list args) NADI_PRINTF(2, 0);

#define NADI_ARENA_NEW(a, type, count)  ((type *)nadi_arena_alloc((a), (count), sizeof(type)))
#define NADI_ARENA_ZNEW(a, type, count) ((type *)nadi_arena_zalloc((a), (count), sizeof(type)))

#endif
