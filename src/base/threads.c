#include "base/threads.h"
#include "base/hold.h"

#include "base/guard.h"
#include "base/mem.h"
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

struct crew {
    void (*work)(void *, unsigned);
    void *context;
    struct nadi_heap *heap;           /* of the caller; may be NULL */
    const volatile int *stop;         /* likewise */
    struct nadi_originals *originals; /* likewise */
    pthread_mutex_t gate;             /* closed until it is known how many there are */
    bool cancelled;
};

struct member {
    struct crew *crew;
    unsigned index;
    pthread_t id;
    struct nadi_heap heap;
    struct nadi_failure failure;
};

unsigned nadi_threads_cores(unsigned most)
{
    cpu_set_t allowed;
    const long cores = sched_getaffinity(0, sizeof(allowed), &allowed) == 0
                           ? CPU_COUNT(&allowed)
                           : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (unsigned long)cores < most ? (unsigned)cores : most;
}

static void work(void *argument)
{
    const struct member *m = argument;
    if (nadi_guard_is_open()) {
        nadi_guard_stop_by(m->crew->stop);
        nadi_guard_originals_in(m->crew->originals);
    }
    m->crew->work(m->crew->context, m->index);
}

static void *start(void *argument)
{
    struct member *m = argument;
    pthread_mutex_lock(&m->crew->gate);
    const bool cancelled = m->crew->cancelled;
    pthread_mutex_unlock(&m->crew->gate);
    if (!cancelled)
        nadi_guard_run(m->crew->heap ? &m->heap : NULL, work, m, &m->failure);
    return NULL;
}

/* Those that say what the thread itself did wrong cannot wait. */
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

/* Threads for members 1, 2, ...; how many there are. */
static unsigned start_others(struct member *members, unsigned count)
{
    unsigned started = 0;
    sigset_t before;
    block_signals(&before);
    while (started + 1 < count) {
        struct member *m = &members[started + 1];
        if (!nadi_thread_start(&m->id, start, m))
            break;
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static bool run(struct crew *crew, unsigned wanted, bool together)
{
    const unsigned count = wanted ? wanted : 1;
    struct member *members = NADI_ZNEW(struct member, count);
    struct nadi_failure failure = {NADI_FAILURE_NONE, ""};
    crew->heap = nadi_guard_heap();
    crew->stop = nadi_guard_stopped_by();
    crew->originals = nadi_guard_originals();
    const bool alone = crew->heap && nadi_heap_share(crew->heap, true);
    for (unsigned i = 0; i < count; i++) {
        members[i].crew = crew;
        members[i].index = i;
        nadi_heap_init(&members[i].heap);
        (void)nadi_heap_share(&members[i].heap, true);
    }
    pthread_mutex_lock(&crew->gate);
    const unsigned started = start_others(members, count);
    crew->cancelled = together && started + 1 < count;
    pthread_mutex_unlock(&crew->gate);
    if (!crew->cancelled && crew->heap)
        nadi_guard_try(work, &members[0], &failure);
    else if (!crew->cancelled)
        work(&members[0]);
    for (unsigned i = 1; i <= started; i++) {
        pthread_join(members[i].id, NULL);
        if (crew->heap)
            nadi_heap_move(&members[i].heap, crew->heap);
        if (failure.kind == NADI_FAILURE_NONE)
            failure = members[i].failure;
    }
    if (alone)
        (void)nadi_heap_share(crew->heap, false);
    nadi_mem_free(members);
    if (failure.kind != NADI_FAILURE_NONE)
        nadi_guard_raise(&failure);
    return !crew->cancelled;
}

void nadi_threads_run(unsigned count, void (*each)(void *, unsigned), void *context)
{
    struct crew crew = {.work = each, .context = context, .gate = PTHREAD_MUTEX_INITIALIZER};
    (void)run(&crew, count, false);
}

bool nadi_threads_together(unsigned count, void (*each)(void *, unsigned), void *context)
{
    struct crew crew = {.work = each, .context = context, .gate = PTHREAD_MUTEX_INITIALIZER};
    return run(&crew, count, true);
}
