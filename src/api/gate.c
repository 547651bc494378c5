#include "api/gate.h"
#include "base/hold.h"

#include <signal.h>

struct call {
    const struct nadi_gate *gate;
    struct nadi_diags *diags;
    struct nadi_arena arena;         /* of the arguments' copies */
    struct nadi_originals originals; /* of a call without a handle */
    enum nadi_status status;
};

struct handing_over {
    struct nadi_diags *to;
    const struct nadi_diags *from;
};

static void work(void *context)
{
    struct call *c = context;
    const struct nadi_gate *g = c->gate;
    nadi_arena_init(&c->arena);
    if (g->messages && g->messages->stop)
        nadi_guard_stop_by(g->messages->stop);
    if (!nadi_guard_originals())
        nadi_guard_originals_in(g->handle ? &g->handle->originals : &c->originals);
    nadi_arguments_empty(g->members, g->arguments);
    c->status = nadi_arguments_check(g->name, g->members, g->arguments, &c->arena, c->diags)
                    ? g->work(g->arguments, c->diags)
                    : NADI_STATUS_INPUT;
    nadi_arena_release(&c->arena);
}

static void hand_over(void *context)
{
    const struct handing_over *h = context;
    nadi_diags_append(h->to, h->from);
}

static enum nadi_status say_failure(const struct nadi_gate *g, struct nadi_diags *to,
                                    const struct nadi_failure *failure)
{
    const bool is_bug = failure->kind == NADI_FAILURE_BUG;
    const bool stopped = failure->kind == NADI_FAILURE_STOPPED;
    if (to && to->spare && is_bug)
        nadi_diags_add_spare(to, "internal/bug",
                             "this is a defect in nadi; please report it with the inputs", "%s: %s",
                             g->name, failure->text);
    else if (to && to->spare && stopped)
        nadi_diags_add_spare(to, "limit/interrupted",
                             "it was not done, and what it was to write is missing or not complete",
                             "%s: %s", g->name, failure->text);
    else if (to && to->spare)
        nadi_diags_add_spare(to, "limit/memory",
                             "use fewer ranks or chunks, a folding executor, or a larger machine",
                             "%s: out of memory: %s", g->name, failure->text);
    return is_bug ? NADI_STATUS_BUG : NADI_STATUS_LIMIT;
}

/* All that the handle kept is gone; its list says why. */
static void empty(struct nadi_handle *h, enum nadi_status failed)
{
    nadi_heap_release(&h->heap);
    nadi_diags_init(&h->diags);
    h->diags.spare = &h->spare;
    h->failed = failed;
}

/* The list is the handle's own, and so is the memory. */
static enum nadi_status keep(const struct nadi_gate *g)
{
    struct call c = {.gate = g, .diags = &g->handle->diags};
    struct nadi_failure failure;
    if (nadi_guard_run(&g->handle->heap, work, &c, &failure))
        return c.status;
    empty(g->handle, failure.kind == NADI_FAILURE_BUG ? NADI_STATUS_BUG : NADI_STATUS_LIMIT);
    return say_failure(g, &g->handle->diags, &failure);
}

static enum nadi_status pass(const struct nadi_gate *g)
{
    struct nadi_heap heap;
    struct nadi_diags said;
    struct nadi_failure failure, late;
    struct call c = {.gate = g, .diags = &said};
    const struct handing_over h = {g->messages, &said};
    nadi_heap_init(&heap);
    nadi_diags_init(&said);
    nadi_originals_init(&c.originals);
    const bool whole = nadi_guard_run(&heap, work, &c, &failure);
    nadi_originals_release(&c.originals);
    if (!whole) { /* what it said may be half said */
        nadi_heap_release(&heap);
        nadi_arguments_empty(g->members, g->arguments);
        return say_failure(g, g->messages, &failure);
    }
    struct nadi_heap *owner = g->handle ? &g->handle->heap : NULL;
    if (g->messages && !nadi_guard_run(owner, hand_over, (void *)(uintptr_t)&h, &late)) {
        nadi_heap_release(&heap);
        nadi_arguments_empty(g->members, g->arguments);
        return say_failure(g, g->messages, &late);
    }
    nadi_diags_release(&said);
    nadi_heap_leave(&heap); /* the results */
    return c.status;
}

/* From inside another call. */
static enum nadi_status join(const struct nadi_gate *g)
{
    struct nadi_diags unheard;
    struct call c = {.gate = g, .diags = g->messages ? g->messages : &unheard};
    nadi_diags_init(&unheard);
    work(&c);
    nadi_diags_release(&unheard);
    return c.status;
}

/* Of the two those that were let through until now and did not wait. */
static sigset_t hold_back(void)
{
    static const int raised[] = {SIGPIPE, SIGXFSZ};
    sigset_t both, before, pending, ours;
    sigemptyset(&both);
    sigemptyset(&ours);
    for (size_t i = 0; i < sizeof(raised) / sizeof(*raised); i++)
        sigaddset(&both, raised[i]);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &both, &before);
    for (size_t i = 0; i < sizeof(raised) / sizeof(*raised); i++)
        if (!sigismember(&before, raised[i]) && !sigismember(&pending, raised[i]))
            sigaddset(&ours, raised[i]);
    return ours;
}

static void let_through(const sigset_t *ours)
{
    const struct timespec now = {0};
    while (sigtimedwait(ours, NULL, &now) > 0)
        continue;
    pthread_sigmask(SIG_UNBLOCK, ours, NULL);
}

enum nadi_status nadi_gate(const struct nadi_gate *g)
{
    if (nadi_guard_heap())
        return join(g);
    if (g->handle && g->handle->failed)
        return g->handle->failed;
    if (nadi_guard_is_open()) /* the program's own */
        return g->keeps ? keep(g) : pass(g);
    const sigset_t ours = hold_back();
    const enum nadi_status status = g->keeps ? keep(g) : pass(g);
    let_through(&ours);
    return status;
}

enum nadi_status nadi_gate_handle(const char *name, const struct nadi_field *members,
                                  void *arguments,
                                  enum nadi_status (*done_by)(void *, struct nadi_diags *),
                                  struct nadi_handle *h, bool keeps)
{
    return h ? nadi_gate(&(struct nadi_gate){.name = name,
                                             .members = members,
                                             .arguments = arguments,
                                             .work = done_by,
                                             .messages = &h->diags,
                                             .handle = h,
                                             .keeps = keeps})
             : NADI_STATUS_INPUT;
}

enum nadi_status nadi_out_of_order(struct nadi_diags *diags, const char *what)
{
    nadi_error(diags, "argument/order", NADI_NOWHERE, NULL, "%s", what);
    return NADI_STATUS_INPUT;
}

void nadi_handle_init(struct nadi_handle *h)
{
    h->inside = nadi_guard_heap() != NULL;
    nadi_heap_init(&h->heap);
    nadi_diags_init(&h->diags);
    h->diags.spare = &h->spare;
    nadi_originals_init(&h->originals);
}

void nadi_handle_release(struct nadi_handle *h)
{
    nadi_originals_release(&h->originals);
    nadi_diags_release(&h->diags);
    nadi_heap_leave(&h->heap);
}
