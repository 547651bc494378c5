#include "inputs/trace_files.h"

#include "base/guard.h"
#include "base/hold.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/originals.h"
#include "base/sha256.h"
#include "base/str.h"
#include "base/threads.h"
#include "format/inflate.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    uint32_t index;
    uint64_t bytes;
    uint64_t sample; /* hash of a few pieces */
    bool hashed;     /* another file has as many bytes and the same sample */
    bool known;      /* its hash is */
    uint8_t hash[32];
    uint32_t same_as; /* index of the file to parse: itself or an earlier equal one */
};

enum { PIECES = 3, PIECE = 2048 };

struct first { /* the first file, if it is small */
    size_t bytes;
    char content[PIECES * PIECE];
    uint8_t hash[32];
};

struct work {
    const struct first *first; /* NULL while it is being read */
    const char *const *paths;
    struct file *files; /* by index */
    uint32_t count;
    unsigned flags;
    struct nadi_trace **traces;
    struct nadi_diags *diags; /* one a file, so that the order of messages is fixed */
    void (*step)(struct work *w, uint32_t index);
    atomic_uint next;
};

static void worker(void *argument, unsigned thread)
{
    struct work *w = argument;
    (void)thread;
    for (uint32_t i; (i = atomic_fetch_add(&w->next, 1)) < w->count;)
        w->step(w, i);
}

static void run_parallel(struct work *w, void (*step)(struct work *, uint32_t))
{
    enum { MOST = 64 };
    const uint32_t cores = nadi_threads_cores(MOST);
    w->step = step;
    atomic_store(&w->next, 0);
    nadi_threads_run(cores < w->count ? cores : w->count, worker, w);
}

/* The hash of a small file. Those of most ranks are often equal: then it is known already. */
static void hash_small(const struct work *w, struct file *f, const char *content)
{
    if (w->first && f->bytes == w->first->bytes &&
        memcmp(content, w->first->content, f->bytes) == 0)
        memcpy(f->hash, w->first->hash, sizeof(f->hash));
    else
        nadi_sha256(content, f->bytes, f->hash);
}

/* A few KiB from the start, the middle and the end: files that differ mostly differ there, and then
 * they are read once only. A small file is hashed whole at once. Returns the bytes in `buffer`. */
static size_t sample_into(const struct work *w, uint32_t index, char buffer[PIECES * PIECE])
{
    struct file *f = &w->files[index];
    struct stat about;
    size_t count = 0;
    int fd = open(w->paths[index], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;
    f->bytes = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    if (f->bytes > 0 && f->bytes <= PIECES * PIECE) {
        ssize_t got = read(fd, buffer, f->bytes);
        f->known = f->hashed = got == (ssize_t)f->bytes;
        count = f->known ? f->bytes : 0;
        if (f->known)
            hash_small(w, f, buffer);
    } else if (f->bytes > 0) {
        uint64_t last = f->bytes - PIECE;
        for (uint64_t i = 0; i < PIECES; i++) {
            ssize_t got = pread(fd, buffer + count, PIECE, (off_t)(last / (PIECES - 1) * i));
            count += got > 0 ? (size_t)got : 0;
        }
        f->sample = nadi_hash_bytes(buffer, count);
    }
    close(fd);
    if (f->bytes > 0)
        nadi_originals_read(&about);
    return count;
}

static void sample_file(struct work *w, uint32_t index)
{
    char buffer[PIECES * PIECE];
    if (index > 0)
        (void)sample_into(w, index, buffer);
}

static void hash_file(struct work *w, uint32_t index)
{
    struct file *f = &w->files[index];
    if (!f->hashed || f->known)
        return;
    /* When it cannot be read, parsing it says why. */
    f->hashed = nadi_inflate_hash_file(w->paths[index], f->hash, &f->bytes);
}

static void parse_file(struct work *w, uint32_t index)
{
    if (w->files[index].same_as == index)
        w->traces[index] = nadi_trace_read(w->paths[index], w->flags, &w->diags[index]);
}

static int by_content(const void *a, const void *b)
{
    const struct file *x = *(const struct file *const *)a, *y = *(const struct file *const *)b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    if (x->sample != y->sample)
        return x->sample < y->sample ? -1 : 1;
    if (x->hashed != y->hashed)
        return x->hashed < y->hashed ? -1 : 1;
    int order = x->hashed ? memcmp(x->hash, y->hash, sizeof(x->hash)) : 0;
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

/* Only files that another one may be equal to need a hash of all their bytes. */
static void mark_candidates(struct file **order, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (order[i]->bytes == order[i - 1]->bytes && order[i]->sample == order[i - 1]->sample &&
            order[i]->bytes > 0)
            order[i]->hashed = order[i - 1]->hashed = true;
}

static void mark_equal_contents(struct file **order, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct file *a = order[i - 1];
        struct file *b = order[i];
        if (a->hashed && b->hashed && a->bytes == b->bytes &&
            memcmp(a->hash, b->hash, sizeof(a->hash)) == 0)
            b->same_as = a->same_as;
    }
}

static void find_equal_files(struct work *w)
{
    struct file **order = NADI_NEW(struct file *, w->count);
    for (uint32_t i = 0; i < w->count; i++) {
        w->files[i] = (struct file){.index = i, .same_as = i};
        order[i] = &w->files[i];
    }
    struct first first;
    first.bytes = w->count > 0 ? sample_into(w, 0, first.content) : 0;
    if (w->count > 0 && w->files[0].known) {
        memcpy(first.hash, w->files[0].hash, sizeof(first.hash));
        w->first = &first;
    }
    run_parallel(w, sample_file);
    qsort(order, w->count, sizeof(*order), by_content);
    mark_candidates(order, w->count);
    run_parallel(w, hash_file);
    qsort(order, w->count, sizeof(*order), by_content);
    mark_equal_contents(order, w->count);
    w->first = NULL;
    nadi_mem_free(order);
}

bool nadi_trace_files_read(const char *const *paths, uint32_t count, unsigned flags,
                           struct nadi_trace **traces, struct nadi_trace ***owned,
                           uint32_t *owned_count, struct nadi_diags *diags)
{
    struct work w = {.paths = paths, .count = count, .flags = flags, .traces = traces};
    bool ok = true;
    w.files = NADI_ZNEW(struct file, count);
    w.diags = NADI_NEW(struct nadi_diags, count);
    for (uint32_t i = 0; i < count; i++) {
        traces[i] = NULL;
        nadi_diags_init(&w.diags[i]);
    }
    find_equal_files(&w);
    run_parallel(&w, parse_file);
    *owned = NADI_NEW(struct nadi_trace *, count);
    *owned_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        nadi_diags_append(diags, &w.diags[i]);
        nadi_diags_release(&w.diags[i]);
        uint32_t source = w.files[i].same_as;
        if (source == i && traces[i])
            (*owned)[(*owned_count)++] = traces[i];
        traces[i] = traces[source];
        ok &= traces[i] != NULL;
    }
    nadi_mem_free(w.diags);
    nadi_mem_free(w.files);
    return ok;
}

/* ---- kept ----------------------------------------------------------------------------------- */

struct keeping {
    struct nadi_trace_keep *k;
    const char *const *paths;
    const char *key;
    uint32_t count;
    unsigned flags;
    bool ok;
};

/* In the keeper's heap. */
static void read_kept(void *context)
{
    struct keeping *w = context;
    struct nadi_trace_keep *k = w->k;
    struct nadi_diags ignored;
    nadi_diags_init(&ignored);
    k->traces = NADI_NEW(struct nadi_trace *, w->count);
    w->ok = nadi_trace_files_read(w->paths, w->count, w->flags, k->traces, &k->owned,
                                  &k->owned_count, &ignored);
    nadi_diags_release(&ignored);
    if (w->ok)
        k->key = nadi_mem_copy(w->key, strlen(w->key) + 1, 1);
}

void nadi_trace_keep_release(struct nadi_trace_keep *k)
{
    if (k->key)
        nadi_heap_release(&k->heap);
    k->key = NULL;
}

static bool keep(struct keeping *w)
{
    struct nadi_failure failure = {.kind = NADI_FAILURE_NONE};
    nadi_trace_keep_release(w->k);
    nadi_heap_init(&w->k->heap);
    const bool done = nadi_guard_run(&w->k->heap, read_kept, w, &failure);
    if (!done || !w->ok) {
        w->k->key = NULL;
        nadi_heap_release(&w->k->heap);
    }
    if (!done)
        nadi_guard_raise(&failure);
    return w->ok;
}

bool nadi_trace_keep_read(struct nadi_trace_keep *k, const char *const *paths, uint32_t count,
                          unsigned flags, struct nadi_trace **traces, struct nadi_trace ***owned,
                          uint32_t *owned_count, uint32_t *lent, struct nadi_diags *diags)
{
    struct nadi_str key = NADI_STR_INIT;
    nadi_str_printf(&key, "%u", flags);
    for (uint32_t i = 0; k && i < count; i++)
        nadi_str_printf(&key, "\n%s", paths[i]);
    struct keeping w = {k, paths, nadi_str_get(&key), count, flags, false};
    const bool there = k && k->key && strcmp(k->key, w.key) == 0;
    const bool kept = there || (k && keep(&w));
    nadi_str_release(&key);
    *lent = 0;
    if (!kept) /* its errors are told then */
        return nadi_trace_files_read(paths, count, flags, traces, owned, owned_count, diags);
    k->kept += there;
    memcpy(traces, k->traces, count * sizeof(*traces));
    *owned = nadi_mem_copy(k->owned, k->owned_count, sizeof(struct nadi_trace *));
    *lent = *owned_count = k->owned_count;
    return true;
}
