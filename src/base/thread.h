/* thread: threads with a stack of their own size, whatever the environment allows the first one
 * (`ulimit -s`). */
#ifndef NADI_BASE_THREAD_H
#define NADI_BASE_THREAD_H

#include "base/base.h"

#include <pthread.h>

enum { NADI_STACK_BYTES = 8 << 20 }; /* taken page by page, when they are touched */

/* False when the system gives no more threads; else pthread_join ends it. */
bool nadi_thread_start(pthread_t *thread, void *(*run)(void *context), void *context) NADI_MUST_USE;

#endif
