/* guard: recovery when memory runs out or a defect is found.
 *
 * Deep in a simulation nothing can be done about a failed allocation, and a check after each would
 * be untested code. So the work of a call runs in a guard: base/mem.h and NADI_BUG jump to the
 * innermost guard of the thread, which reports the failure. Memory allocated meanwhile is in the
 * guard's heap, together with files and handles of other libraries as holds (base/mem.h); the owner
 * of the heap frees all of it at once. Work that failed leaves its data incomplete: they must not
 * be used any more, only their heap be released.
 *
 * A guard's work runs in the "C" locale, of this thread only: numbers and letters do not depend on
 * the host's locale. Each thread has guards of its own, see base/threads.h. This is the only module
 * with state of its own, one pointer per thread (docs/decisions/0002-out-of-memory.md). */
#ifndef NADI_BASE_GUARD_H
#define NADI_BASE_GUARD_H

#include "base/base.h"

struct nadi_heap;
struct nadi_originals;

enum nadi_failure_kind {
    NADI_FAILURE_NONE,
    NADI_FAILURE_MEMORY, /* an allocation failed */
    NADI_FAILURE_BUG,    /* NADI_BUG or NADI_ASSERT */
    NADI_FAILURE_STOPPED /* asked for: nadi_guard_stop_by */
};

struct nadi_failure {
    enum nadi_failure_kind kind;
    char text[232]; /* "80 x 1000000000000 bytes of memory cannot be had" */
};

/* Runs work(context); its allocations are entered in `heap` (NULL: in none). False after a failure,
 * which is described in *failure. The heap is left as it is. */
bool nadi_guard_run(struct nadi_heap *heap, void (*work)(void *), void *context,
                    struct nadi_failure *failure);
/* The same inside a guard, with its heap: for cleanup before a failure is passed to the outer guard
 * (nadi_guard_raise). */
bool nadi_guard_try(void (*work)(void *), void *context, struct nadi_failure *failure);
/* Jumps to the innermost guard of this thread. Without one the process ends with a message; only
 * programs that bypass the public interface have none. */
_Noreturn void nadi_guard_raise(const struct nadi_failure *failure);
/* From now on *stop other than 0 ends the work of the innermost guard, and of those tried within it
 * and in its threads: it fails with STOPPED at its next allocation or nadi_guard_look. `stop` may
 * be written by another thread or a signal handler. NULL, as at first: nothing does. */
void nadi_guard_stop_by(const volatile int *stop);
const volatile int *nadi_guard_stopped_by(void);
/* For loops that do not allocate: raises where the work shall end. Its heap, as nadi_guard_heap. */
struct nadi_heap *nadi_guard_look(void);
/* A callback of the host, called from a guard's work: runs in the host's locale, outside all
 * guards. */
void nadi_guard_outside(void (*work)(void *), void *context);

/* From now on the work of the innermost guard, of those in it and of its threads notes there what
 * it reads and writes (base/originals.h). `o` outlives the work. */
void nadi_guard_originals_in(struct nadi_originals *o);
struct nadi_originals *nadi_guard_originals(void); /* NULL: nowhere */

bool nadi_guard_is_open(void);
/* Of the innermost guard; NULL: none. */
struct nadi_heap *nadi_guard_heap(void);

#endif
