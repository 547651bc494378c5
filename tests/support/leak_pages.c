/* leak_pages: the search for leaks at the end of a sanitized program looks only at global data that
 * was ever written.
 *
 * LeakSanitizer reads all global data of the program, page by page. Most of it is 4 MB of its own
 * that nothing was written to, and each of these pages has to be made first: half of the time of a
 * program that does little. LeakSanitizer learns where global data lies from dl_iterate_phdr, which
 * the linker binds to __wrap_dl_iterate_phdr here. From the beginning of the search on, that gives
 * segments that can be written as their parts that were (/proc/self/pagemap): the others hold no
 * pointer to the heap. Where the kernel does not tell, all is read.
 *
 * It runs while all threads are stopped: no allocation, and system calls directly. */
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int visitor(struct dl_phdr_info *info, size_t size, void *data);

int __lsan_is_turned_off(void); /* NOLINT: the sanitizer's own names, and the linker's */
int __real_dl_iterate_phdr(visitor *visit, void *data); /* NOLINT */
int __wrap_dl_iterate_phdr(visitor *visit, void *data); /* NOLINT */

enum { PAGES = 512, MOST_SEGMENTS = 256 };

struct search {
    visitor *visit;
    void *data;
    int map;        /* /proc/self/pagemap */
    uintptr_t page; /* bytes */
};

struct segments {
    ElfW(Phdr) items[MOST_SEGMENTS];
    ElfW(Half) count;
};

static bool begun;

/* Called once, when the search begins. */
int __lsan_is_turned_off(void) /* NOLINT */
{
    begun = true;
    return 0;
}

static bool add(struct segments *s, const ElfW(Phdr) * segment)
{
    if (s->count == MOST_SEGMENTS)
        return false;
    s->items[s->count++] = *segment;
    return true;
}

/* Adds the part of the segment from an address to another. */
static bool add_part(struct segments *s, const ElfW(Phdr) * segment, uintptr_t base, uintptr_t from,
                     uintptr_t to)
{
    ElfW(Phdr) part = *segment;
    part.p_vaddr = from - base;
    part.p_memsz = to - from;
    return add(s, &part);
}

/* Adds the parts of a segment whose pages are in memory or swapped out. */
static bool add_written(const struct search *search, struct segments *s, const ElfW(Phdr) * segment,
                        uintptr_t base)
{
    uint64_t pages[PAGES];
    const uintptr_t begin = base + segment->p_vaddr, end = begin + segment->p_memsz,
                    size = search->page;
    uintptr_t from = 0; /* of the part that `at` may go on; 0: none */
    for (uintptr_t at = begin - begin % size; at < end;) {
        const uintptr_t left = (end - at + size - 1) / size;
        const long got =
            syscall(SYS_pread64, search->map, pages, (left < PAGES ? left : PAGES) * sizeof(*pages),
                    at / size * sizeof(*pages));
        if (got < (long)sizeof(*pages))
            return false;
        for (long i = 0; i < got / (long)sizeof(*pages); i++, at += size) {
            const bool there = pages[i] >> 62 != 0;
            if (!there && from && !add_part(s, segment, base, from, at))
                return false;
            from = !there ? 0 : from ? from : at < begin ? begin : at;
        }
    }
    return !from || add_part(s, segment, base, from, end);
}

static int visit_written(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct search *search = data;
    struct segments s = {.count = 0};
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const bool writable = segment->p_type == PT_LOAD && segment->p_flags & PF_W;
        if (!(writable ? add_written(search, &s, segment, info->dlpi_addr) : add(&s, segment)))
            return search->visit(info, size, search->data);
    }
    struct dl_phdr_info written = *info;
    written.dlpi_phdr = s.items;
    written.dlpi_phnum = s.count;
    return search->visit(&written, size, search->data);
}

int __wrap_dl_iterate_phdr(visitor *visit, void *data) /* NOLINT */
{
    struct search search = {
        .visit = visit, .data = data, .map = -1, .page = (uintptr_t)sysconf(_SC_PAGESIZE)};
    if (begun)
        search.map = (int)syscall(SYS_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (search.map < 0)
        return __real_dl_iterate_phdr(visit, data);
    const int result = __real_dl_iterate_phdr(visit_written, &search);
    syscall(SYS_close, search.map);
    return result;
}
