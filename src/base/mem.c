#include "base/mem.h"

static _Noreturn void exhausted(size_t count, size_t size)
{
    fprintf(stderr,
            "nadi: error[limit/memory]: cannot allocate %zu x %zu bytes; use fewer ranks, "
            "chunks or a folding executor\n",
            count, size);
    exit(5);
}

static size_t checked(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)PTRDIFF_MAX)
        exhausted(count, size);
    return bytes ? bytes : 1;
}

void *nadi_mem_alloc(size_t count, size_t size)
{
    void *p = malloc(checked(count, size));
    if (!p)
        exhausted(count, size);
    return p;
}

void *nadi_mem_zalloc(size_t count, size_t size)
{
    void *p = calloc(1, checked(count, size));
    if (!p)
        exhausted(count, size);
    return p;
}

void *nadi_mem_realloc(void *old, size_t count, size_t size)
{
    void *p = realloc(old, checked(count, size));
    if (!p)
        exhausted(count, size);
    return p;
}

void *nadi_mem_copy(const void *items, size_t count, size_t size)
{
    void *p = nadi_mem_alloc(count, size);
    if (count > 0)
        memcpy(p, items, count * size);
    return p;
}

void nadi_mem_free(void *p)
{
    free(p);
}

static size_t grown(size_t capacity, size_t want)
{
    size_t next = capacity ? capacity : 8;
    while (next < want)
        next = next > SIZE_MAX / 2 ? want : next * 2;
    return next;
}

void *nadi_mem_grow(void *items, size_t *capacity, size_t want, size_t size)
{
    *capacity = grown(*capacity, want);
    return nadi_mem_realloc(items, *capacity, size);
}

void *nadi_mem_grow_lines(void *items, size_t *capacity, size_t want, size_t size)
{
    const size_t line = 64, before = *capacity;
    *capacity = grown(before, want);
    const size_t bytes = checked(*capacity, size);
    void *p = aligned_alloc(line, (bytes + line - 1) / line * line);
    if (!p)
        exhausted(*capacity, size);
    if (before)
        memcpy(p, items, before * size);
    free(items);
    return p;
}

_Noreturn void nadi_bug(const char *file, int line, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "nadi: BUG at %s:%d: ", file, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\nThis is a defect in nadi; please report it with the inputs.\n", stderr);
    abort();
}
