#include "base/guard.h"

#include <locale.h>
#include <setjmp.h>

struct guard {
    jmp_buf back;
    struct guard *outer;
    struct nadi_heap *heap;
    struct nadi_failure *failure;
    const volatile int *stop;         /* NULL: nothing ends its work */
    struct nadi_originals *originals; /* NULL: not noted */
    locale_t host;                    /* what the thread had before; 0: an outer guard knows it */
};

static _Thread_local struct guard *innermost;

struct nadi_originals *nadi_guard_originals(void)
{
    return innermost ? innermost->originals : NULL;
}

void nadi_guard_originals_in(struct nadi_originals *o)
{
    NADI_ASSERT(innermost);
    innermost->originals = o;
}

/* Its locals do not change behind setjmp: after a failure they are as they were. */
static bool run(struct guard *g, void (*work)(void *), void *context)
{
    g->outer = innermost;
    g->originals = nadi_guard_originals();
    innermost = g;
    g->failure->kind = NADI_FAILURE_NONE;
    if (setjmp(g->back) == 0)
        work(context);
    innermost = g->outer;
    return g->failure->kind == NADI_FAILURE_NONE;
}

bool nadi_guard_run(struct nadi_heap *heap, void (*work)(void *), void *context,
                    struct nadi_failure *failure)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) {
        *failure = (struct nadi_failure){NADI_FAILURE_MEMORY, "no memory for the locale \"C\""};
        return false;
    }
    struct guard g = {.heap = heap, .failure = failure, .host = uselocale(plain)};
    const bool whole = run(&g, work, context);
    uselocale(g.host);
    freelocale(plain);
    return whole;
}

bool nadi_guard_try(void (*work)(void *), void *context, struct nadi_failure *failure)
{
    struct guard g = {
        .heap = nadi_guard_heap(), .failure = failure, .stop = nadi_guard_stopped_by()};
    return run(&g, work, context);
}

void nadi_guard_raise(const struct nadi_failure *failure)
{
    struct guard *g = innermost;
    if (!g) {
        fprintf(stderr, "nadi: %s\n", failure->text);
        abort();
    }
    *g->failure = *failure;
    longjmp(g->back, 1);
}

void nadi_guard_stop_by(const volatile int *stop)
{
    NADI_ASSERT(innermost);
    innermost->stop = stop;
}

const volatile int *nadi_guard_stopped_by(void)
{
    return innermost ? innermost->stop : NULL;
}

struct nadi_heap *nadi_guard_look(void)
{
    static const struct nadi_failure stopped = {NADI_FAILURE_STOPPED, "interrupted"};
    if (!innermost)
        return NULL;
    if (NADI_UNLIKELY(innermost->stop && *innermost->stop))
        nadi_guard_raise(&stopped);
    return innermost->heap;
}

void nadi_guard_outside(void (*work)(void *), void *context)
{
    struct guard *inside = innermost, *first = inside;
    while (first && !first->host)
        first = first->outer;
    const locale_t plain = uselocale(first ? first->host : (locale_t)0);
    innermost = NULL;
    work(context);
    innermost = inside;
    uselocale(plain);
}

bool nadi_guard_is_open(void)
{
    return innermost != NULL;
}

struct nadi_heap *nadi_guard_heap(void)
{
    return innermost ? innermost->heap : NULL;
}

void nadi_bug(const char *file, int line, const char *format, ...)
{
    struct nadi_failure failure = {.kind = NADI_FAILURE_BUG};
    va_list args;
    const int used = snprintf(failure.text, sizeof(failure.text), "BUG at %.100s:%d: ", file, line);
    va_start(args, format);
    vsnprintf(failure.text + used, sizeof(failure.text) - (size_t)used, format, args);
    va_end(args);
    nadi_guard_raise(&failure);
}
