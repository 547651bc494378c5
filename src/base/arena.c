#include "base/arena.h"

#include "base/hold.h"
#include "base/mem.h"

struct nadi_arena_block {
    struct nadi_arena_block *next;
    uint64_t pad; /* keeps the data that follow 16-byte aligned */
};

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_SANITIZED 1
#endif
#endif
#ifdef ARENA_SANITIZED
#include <sanitizer/asan_interface.h>
enum { GAP = 32 }; /* bytes after each object that nobody may touch */
#else
#define ASAN_POISON_MEMORY_REGION(from, size)   ((void)(from), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(from, size) ((void)(from), (void)(size))
enum { GAP = 0 };
#endif

enum {
    FIRST_BLOCK_BYTES = 4096,
    LARGEST_BLOCK_BYTES = 1 << 20,
    ALIGNMENT = 16,
};

void nadi_arena_init(struct nadi_arena *a)
{
    *a = (struct nadi_arena){.next_block_bytes = FIRST_BLOCK_BYTES};
}

void nadi_arena_release(struct nadi_arena *a)
{
    struct nadi_arena_block *b = a->blocks;
    while (b) {
        struct nadi_arena_block *next = b->next;
        nadi_mem_free(b);
        b = next;
    }
    nadi_arena_init(a);
}

void nadi_arena_move(struct nadi_arena *a, struct nadi_heap *to)
{
    for (struct nadi_arena_block *b = a->blocks; b; b = b->next)
        nadi_mem_move(b, to);
}

static void *add_block(struct nadi_arena *a, size_t data_bytes)
{
    struct nadi_arena_block *b = nadi_mem_alloc(1, sizeof(*b) + data_bytes);
    b->next = a->blocks;
    a->blocks = b;
    a->total_bytes += sizeof(*b) + data_bytes;
    return b + 1;
}

void *nadi_arena_alloc(struct nadi_arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)PTRDIFF_MAX / 2)
        return nadi_mem_alloc(count, size); /* fails */
    const size_t room = ((bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1)) + GAP;
    if ((size_t)(a->end - a->at) < room) {
        if (room > a->next_block_bytes / 2) {
            char *alone = add_block(a, room);
            a->total_bytes -= GAP;
            ASAN_POISON_MEMORY_REGION(alone + bytes, room - bytes);
            return alone;
        }
        a->at = add_block(a, a->next_block_bytes);
        a->end = a->at + a->next_block_bytes;
        ASAN_POISON_MEMORY_REGION(a->at, a->next_block_bytes);
        if (a->next_block_bytes < LARGEST_BLOCK_BYTES)
            a->next_block_bytes *= 2;
    }
    void *p = a->at;
    a->at += room;
    a->total_bytes -= GAP;
    ASAN_UNPOISON_MEMORY_REGION(p, bytes);
    return p;
}

void *nadi_arena_zalloc(struct nadi_arena *a, size_t count, size_t size)
{
    void *p = nadi_arena_alloc(a, count, size);
    memset(p, 0, count * size);
    return p;
}

char *nadi_arena_strndup(struct nadi_arena *a, const char *s, size_t length)
{
    char *p = nadi_arena_alloc(a, length + 1, 1);
    if (length) /* s may be NULL then */
        memcpy(p, s, length);
    p[length] = '\0';
    return p;
}

char *nadi_arena_strdup(struct nadi_arena *a, const char *s)
{
    return nadi_arena_strndup(a, s, strlen(s));
}

char *nadi_arena_vprintf(struct nadi_arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    NADI_ASSERT(length >= 0);
    char *p = nadi_arena_alloc(a, (size_t)length + 1, 1);
    vsnprintf(p, (size_t)length + 1, format, again);
    va_end(again);
    return p;
}

char *nadi_arena_printf(struct nadi_arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *p = nadi_arena_vprintf(a, format, args);
    va_end(args);
    return p;
}
