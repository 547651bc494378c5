/* guard: a place to come back to when memory runs out or a defect shows.
 *
 * Deep in a simulation nothing can be done about an allocation that fails, and a check after each
 * would be untested code. So the work of a call runs in a guard: base/mem.h and NADI_BUG leave for
 * the innermost one of the thread, which says what happened. What was allocated meanwhile lies in
 * the guard's heap, files and handles of other libraries in it as holds (base/mem.h): the owner of
 * the heap frees all of it at once. Work that left by a failure leaves its own data half made; they
 * must not be looked at any more, only their heap be released.
 *
 * A guard's work runs in the "C" locale, this thread's only: no number is read or written and no
 * letter looked at as the host's locale has it. Threads: each has guards of its own, see
 * base/threads.h. This is the one module with state of its own, a pointer a thread.
 * docs/decisions/0002-out-of-memory.md says why. */
#ifndef NADI_BASE_GUARD_H
#define NADI_BASE_GUARD_H

#include "base/base.h"

struct nadi_heap;

enum nadi_failure_kind {
    NADI_FAILURE_NONE,
    NADI_FAILURE_MEMORY, /* an allocation failed */
    NADI_FAILURE_BUG,    /* NADI_BUG or NADI_ASSERT */
};

struct nadi_failure {
    enum nadi_failure_kind kind;
    char text[232]; /* "80 x 1000000000000 bytes of memory cannot be had" */
};

/* Runs work(context); what it allocates is put into `heap` (NULL: belongs to nobody). False when
 * it was left by a failure, which *failure then says. The heap is left as it is. */
bool nadi_guard_run(struct nadi_heap *heap, void (*work)(void *), void *context,
                    struct nadi_failure *failure);
/* The same inside a guard, with its heap: for what must be done before a failure goes on to the
 * outer one (nadi_guard_raise). */
bool nadi_guard_try(void (*work)(void *), void *context, struct nadi_failure *failure);
/* Leaves for the innermost guard of this thread. Without one the process ends with a message: only
 * programs that do not come through the public interface are without. */
_Noreturn void nadi_guard_raise(const struct nadi_failure *failure);
/* Work of the host's that a guard's work calls: in the host's locale, outside all guards. */
void nadi_guard_outside(void (*work)(void *), void *context);

bool nadi_guard_is_open(void);
/* Of the innermost guard; NULL: none. */
struct nadi_heap *nadi_guard_heap(void);

#endif
