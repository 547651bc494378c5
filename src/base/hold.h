/* hold: what the work of a guard has allocated and holds, freed at once after a failure.
 *
 * Inside a guard (base/guard.h) each allocation of base/mem.h is in the guard's heap, a list, until
 * it is freed, at a cost of 32 bytes. Other resources that must be released after a failure (open
 * files, handles of other libraries) are entered in the heap as holds. */
#ifndef NADI_BASE_HOLD_H
#define NADI_BASE_HOLD_H

#include "base/base.h"

#include <dirent.h>
#include <pthread.h>

struct nadi_block {                    /* before each allocation */
    struct nadi_block *before, *after; /* of a ring; itself when alone */
    struct nadi_heap *heap;            /* whose ring; NULL: nobody's */
    uint64_t kind;                     /* how it was allocated */
};

struct nadi_heap {
    struct nadi_block ring; /* newest first */
    pthread_mutex_t lock;
    bool shared; /* threads besides the owner's may touch the ring */
};

void nadi_heap_init(struct nadi_heap *h); /* empty; *h stays where it is */
/* Releases all holds, the newest first, and then frees everything in it. */
void nadi_heap_release(struct nadi_heap *h);
/* Removes everything from the heap: its users must free it. */
void nadi_heap_leave(struct nadi_heap *h);
void nadi_heap_move(struct nadi_heap *from, struct nadi_heap *to);
/* Sets whether other threads may use its allocations; true if that changed. */
bool nadi_heap_share(struct nadi_heap *h, bool shared);

/* Puts p (from nadi_mem_alloc, or NULL) into another heap. */
void nadi_mem_move(void *p, struct nadi_heap *to);

/* After a failure, `thing` is released by drop(thing). Before it is released normally, call
 * nadi_unhold with the result of nadi_hold; NULL is allowed. `thing` must not lie on the stack. */
struct nadi_hold *nadi_hold(void *thing, void (*drop)(void *)) NADI_MUST_USE;
struct nadi_hold *nadi_hold_fd(int fd) NADI_MUST_USE;       /* close; -1 is fine */
struct nadi_hold *nadi_hold_file(FILE *file) NADI_MUST_USE; /* fclose; NULL is fine */
struct nadi_hold *nadi_hold_folder(DIR *dir) NADI_MUST_USE; /* closedir; NULL is fine */
void nadi_unhold(struct nadi_hold *hold);

#endif
