#include "base/mem.h"
#include "base/hold.h"

#include "base/guard.h"

#include <unistd.h>

enum { MEMORY, LINES, HOLD }; /* kind of a block */
enum { LINE = 64 };           /* bytes of a cache line, before and between those of LINES */

struct nadi_hold {
    void *thing;
    int fd; /* if there is no thing */
    void (*drop)(void *);
};

/* ---- heaps --------------------------------------------------------------------------------- */

void nadi_heap_init(struct nadi_heap *h)
{
    *h = (struct nadi_heap){.lock = PTHREAD_MUTEX_INITIALIZER};
    h->ring.before = h->ring.after = &h->ring;
}

bool nadi_heap_share(struct nadi_heap *h, bool shared)
{
    if (h->shared == shared)
        return false;
    h->shared = shared;
    return true;
}

static void unlink_block(struct nadi_block *b)
{
    struct nadi_heap *h = b->heap;
    if (!h)
        return;
    if (h->shared)
        pthread_mutex_lock(&h->lock);
    b->before->after = b->after;
    b->after->before = b->before;
    if (h->shared)
        pthread_mutex_unlock(&h->lock);
}

static void *link_block(struct nadi_block *b, struct nadi_heap *h)
{
    b->heap = h;
    if (!h) {
        b->before = b->after = b;
        return b + 1;
    }
    if (h->shared)
        pthread_mutex_lock(&h->lock);
    b->before = &h->ring;
    b->after = h->ring.after;
    b->after->before = b;
    h->ring.after = b;
    if (h->shared)
        pthread_mutex_unlock(&h->lock);
    return b + 1;
}

static struct nadi_block *block_of(void *p)
{
    return (struct nadi_block *)p - 1;
}

static void free_block(struct nadi_block *b)
{
    free(b->kind == LINES ? (char *)(b + 1) - LINE : (char *)b);
}

static void drop(const struct nadi_hold *hold)
{
    if (hold->drop)
        hold->drop(hold->thing);
    else if (hold->fd >= 0)
        close(hold->fd);
}

void nadi_heap_release(struct nadi_heap *h)
{
    for (struct nadi_block *b = h->ring.after; b != &h->ring; b = b->after)
        if (b->kind == HOLD) /* while there is still what it reads: the name of a file */
            drop((const struct nadi_hold *)(b + 1));
    while (h->ring.after != &h->ring) {
        struct nadi_block *b = h->ring.after;
        unlink_block(b);
        free_block(b);
    }
}

void nadi_heap_leave(struct nadi_heap *h)
{
    while (h->ring.after != &h->ring) {
        struct nadi_block *b = h->ring.after;
        unlink_block(b);
        (void)link_block(b, NULL);
    }
}

void nadi_heap_move(struct nadi_heap *from, struct nadi_heap *to)
{
    while (from->ring.before != &from->ring) { /* the oldest first: the order stays */
        struct nadi_block *b = from->ring.before;
        unlink_block(b);
        (void)link_block(b, to);
    }
}

void nadi_mem_move(void *p, struct nadi_heap *to)
{
    if (!p)
        return;
    unlink_block(block_of(p));
    (void)link_block(block_of(p), to);
}

/* ---- allocations --------------------------------------------------------------------------- */

static _Noreturn void exhausted(size_t count, size_t size)
{
    struct nadi_failure failure = {.kind = NADI_FAILURE_MEMORY};
    if (size == 1)
        snprintf(failure.text, sizeof(failure.text), "%zu bytes of memory cannot be had", count);
    else
        snprintf(failure.text, sizeof(failure.text), "%zu x %zu bytes of memory cannot be had",
                 count, size);
    nadi_guard_raise(&failure);
}

void nadi_mem_lacking(const char *library)
{
    struct nadi_failure failure = {.kind = NADI_FAILURE_MEMORY};
    snprintf(failure.text, sizeof(failure.text), "%s has no memory", library);
    nadi_guard_raise(&failure);
}

void nadi_mem_headroom(size_t bytes, const char *library)
{
#ifdef __SANITIZE_ADDRESS__ /* what is large is mapped and poisoned each time */
    enum { CHEAP = 1 << 14, MUCH = 4 << 20 };
    bytes = bytes < MUCH ? CHEAP : bytes;
#endif
    void *volatile room = malloc(bytes); /* or the compiler sees that nobody needs it */
    if (!room)
        nadi_mem_lacking(library);
    free(room);
}

/* Systems promise more than they have, and end a process that takes it. */
static bool is_more_than_there_is(size_t bytes)
{
    const size_t asked_from = (size_t)1 << 30;
    const long pages = bytes < asked_from ? 0 : sysconf(_SC_PHYS_PAGES);
    return pages > 0 && bytes / (size_t)sysconf(_SC_PAGESIZE) > (size_t)pages;
}

/* With the block before them, and room to begin at a line. */
static size_t checked(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)PTRDIFF_MAX - 2 * LINE ||
        is_more_than_there_is(bytes))
        exhausted(count, size);
    return (bytes ? bytes : 1) + sizeof(struct nadi_block);
}

void *nadi_mem_alloc(size_t count, size_t size)
{
    struct nadi_heap *heap = nadi_guard_look();
    struct nadi_block *b = malloc(checked(count, size));
    if (!b)
        exhausted(count, size);
    b->kind = MEMORY;
    return link_block(b, heap);
}

void *nadi_mem_zalloc(size_t count, size_t size)
{
    struct nadi_heap *heap = nadi_guard_look();
    struct nadi_block *b = calloc(1, checked(count, size));
    if (!b)
        exhausted(count, size);
    return link_block(b, heap);
}

void *nadi_mem_try(size_t size)
{
    struct nadi_block *b = calloc(1, checked(1, size));
    return b ? link_block(b, nadi_guard_heap()) : NULL;
}

void *nadi_mem_realloc(void *old, size_t count, size_t size)
{
    if (!old)
        return nadi_mem_alloc(count, size);
    const size_t bytes = checked(count, size);
    (void)nadi_guard_look();
    struct nadi_block *b = block_of(old);
    struct nadi_heap *h = b->heap;
    unlink_block(b);
    struct nadi_block *moved = realloc(b, bytes);
    if (!moved) {
        (void)link_block(b, h);
        exhausted(count, size);
    }
    return link_block(moved, h);
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
    if (!p)
        return;
    unlink_block(block_of(p));
    free_block(block_of(p));
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
    const size_t next = grown(*capacity, want);
    void *p = nadi_mem_realloc(items, next, size);
    *capacity = next; /* not before: a failure leaves the array as it was */
    return p;
}

void *nadi_mem_grow_lines(void *items, size_t *capacity, size_t want, size_t size)
{
    const size_t before = *capacity, next = grown(before, want);
    struct nadi_heap *heap = nadi_guard_look();
    const size_t bytes = checked(next, size) + LINE;
    char *room = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
    if (!room)
        exhausted(next, size);
    struct nadi_block *b = (struct nadi_block *)(void *)(room + LINE) - 1;
    b->kind = LINES;
    void *p = link_block(b, heap);
    if (before)
        memcpy(p, items, before * size);
    nadi_mem_free(items);
    *capacity = next;
    return p;
}

/* ---- holds --------------------------------------------------------------------------------- */

static struct nadi_hold *hold(struct nadi_hold what)
{
    struct nadi_hold *h = nadi_mem_try(sizeof(*h));
    if (!h) {
        drop(&what);
        exhausted(1, sizeof(*h));
    }
    *h = what;
    block_of(h)->kind = HOLD;
    return h;
}

struct nadi_hold *nadi_hold(void *thing, void (*drop_it)(void *))
{
    return hold((struct nadi_hold){.thing = thing, .drop = drop_it});
}

struct nadi_hold *nadi_hold_fd(int fd)
{
    return hold((struct nadi_hold){.fd = fd});
}

static void close_file(void *file)
{
    if (file)
        fclose(file);
}

struct nadi_hold *nadi_hold_file(FILE *file)
{
    return nadi_hold(file, close_file);
}

static void close_folder(void *dir)
{
    if (dir)
        closedir(dir);
}

struct nadi_hold *nadi_hold_folder(DIR *dir)
{
    return nadi_hold(dir, close_folder);
}

void nadi_unhold(struct nadi_hold *h)
{
    nadi_mem_free(h);
}
