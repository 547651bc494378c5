/* sanitizer_memory: what AddressSanitizer allocates for itself. Its own allocator writes to a whole
 * megabyte for each size that it is first asked for: more than half of the time of a sanitized
 * program that does little. Here pieces are taken one behind the other, and only the newest is
 * taken back; they are few, but for the texts of a report. The memory is mapped, since global data
 * would be searched for pointers to the heap at the end. The linker binds the sanitizer's calls to
 * __wrap_ and these names; with the names of another compiler's, which has
 * none of these (weak), nothing calls these functions.
 *
 * The program's own allocations before the sanitizer has started, which are aligned to a word, must
 * be in the sanitizer's own allocator: it looks whether they are. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHE  "PNS_30SizeClassAllocator32LocalCacheINS_20SizeClassAllocator32INS_4AP32EEEEE"
#define TAKE   "_ZN11__sanitizer13InternalAllocEm" CACHE "m"
#define ZEROED "_ZN11__sanitizer14InternalCallocEmm" CACHE
#define FREE   "_ZN11__sanitizer12InternalFreeEPv" CACHE

void *take(size_t bytes, void *cache, size_t alignment) __asm__("__wrap_" TAKE);
__attribute__((weak)) void *their_take(size_t bytes, void *cache,
                                       size_t alignment) __asm__("__real_" TAKE);
void *take_zeroed(size_t count, size_t bytes, void *cache) __asm__("__wrap_" ZEROED);
void give_back(void *p, void *cache) __asm__("__wrap_" FREE);
__attribute__((weak)) void their_give_back(void *p, void *cache) __asm__("__real_" FREE);

static const size_t room = (size_t)1 << 28; /* of which pages are taken as they are used */
static const size_t unit = 16;
static const size_t large = (size_t)1 << 16;

static char *begin, *at; /* the room; what is free of it */
static char *newest, *newest_from;
static bool locked;

static void lock(void)
{
    while (__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE))
        syscall(SYS_sched_yield);
}

static void unlock(void)
{
    __atomic_clear(&locked, __ATOMIC_RELEASE);
}

/* NULL: no room. */
static void *next_piece(size_t bytes, size_t alignment)
{
    if (!begin) {
        void *mapped = mmap(NULL, room, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED)
            return NULL;
        begin = at = mapped;
    }
    const size_t gap = (alignment - (uintptr_t)at % alignment) % alignment;
    const size_t left = room - (size_t)(at - begin);
    if (left < gap || left - gap < bytes)
        return NULL;
    newest_from = at;
    newest = at + gap;
    at = newest + bytes;
    return newest;
}

void *take(size_t bytes, void *cache, size_t alignment)
{
    if (alignment == sizeof(void *))
        return their_take(bytes < large ? large : bytes, cache, alignment);
    lock();
    void *p = next_piece(bytes, alignment > unit ? alignment : unit);
    unlock();
    return p ? p : their_take(bytes, cache, alignment);
}

void *take_zeroed(size_t count, size_t bytes, void *cache)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all))
        __builtin_trap();
    return memset(take(all, cache, sizeof(void *)), 0, all);
}

void give_back(void *p, void *cache)
{
    if (!p || (uintptr_t)p - (uintptr_t)begin >= room) {
        their_give_back(p, cache);
        return;
    }
    lock();
    if (p == newest)
        at = newest_from;
    unlock();
}

/* The sanitizer's table of call stacks is 4 MB of global data, of which each allocation's stack
 * touches a page somewhere. As large pages it comes at once: a seventh of the time of a short run.
 * A kernel before Linux 6.1 leaves it as it is. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

extern char __bss_start[], _end[]; /* NOLINT: set by the linker */

__attribute__((constructor(101))) static void take_large_pages(void)
{
    const uintptr_t size = (uintptr_t)2 << 20,
                    first = ((uintptr_t)__bss_start + size - 1) / size * size;
    for (char *p = __bss_start + (first - (uintptr_t)__bss_start);
         (uintptr_t)p + size <= (uintptr_t)_end; p += size)
        (void)madvise(p, size, MADV_COLLAPSE);
}
