#include "base/thread.h"

bool nadi_thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
    pthread_attr_t with;
    if (pthread_attr_init(&with) != 0)
        return false;
    const bool started = pthread_attr_setstacksize(&with, NADI_STACK_BYTES) == 0 &&
                         pthread_create(thread, &with, run, context) == 0;
    pthread_attr_destroy(&with);
    return started;
}
