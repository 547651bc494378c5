/* threads: those that share the work of a call.
 *
 * Each runs in a guard of its own (base/guard.h) with a heap of its own, which becomes part of the
 * caller's when it has ended: threads never wait for each other's memory, and what one of them
 * allocated the caller may free later. A failure in a thread goes on in the caller once all have
 * ended. They take no signals of the host's process. */
#ifndef NADI_BASE_THREADS_H
#define NADI_BASE_THREADS_H

#include "base/base.h"

/* One a core, at most `most`. */
unsigned nadi_threads_cores(unsigned most);

/* Runs work(context, 0), ... work(context, count - 1), each in a thread of its own, of which the
 * calling one is the first. Threads that cannot be had are missing, and nothing is done for them.
 */
void nadi_threads_run(unsigned count, void (*work)(void *, unsigned), void *context);
/* The same, but all of them or none: then false. For threads that wait for each other. */
bool nadi_threads_together(unsigned count, void (*work)(void *, unsigned),
                           void *context) NADI_MUST_USE;

#endif
