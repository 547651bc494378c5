/* threads: threads that share the work of a call.
 *
 * Each runs in a guard (base/guard.h) and a heap of its own, which becomes part of the caller's
 * when the thread ends: threads never contend for a heap, and the caller may free their allocations
 * later. A failure in a thread is raised in the caller once all have ended. They block the signals
 * of the host's process. */
#ifndef NADI_BASE_THREADS_H
#define NADI_BASE_THREADS_H

#include "base/base.h"

/* One per core that the process may use (`taskset`), at most `most`. */
unsigned nadi_threads_cores(unsigned most);

/* Runs work(context, 0), ... work(context, count - 1), each in a thread of its own; the calling
 * thread is the first. Work of threads that cannot be created is not done: what there is to do is
 * taken from a counter, never shared out by the threads' numbers. */
void nadi_threads_run(unsigned count, void (*work)(void *, unsigned), void *context);
/* The same, but all of them or none: then false. For threads that wait for each other. */
bool nadi_threads_together(unsigned count, void (*work)(void *, unsigned),
                           void *context) NADI_MUST_USE;

#endif
