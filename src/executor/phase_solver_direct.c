/* phase_solver_direct: the packet engine of a direct phase on a private clock.
 *
 * The rule of window.h, for all participants of one ring or, in lockstep, for one
 * that stands for all. Within one tick receives and credits commute, with one exception: in an
 * all-reduce a credit that meets the arrival of the last message of the first half in the same
 * tick. That case is reported as undecided. */
#include "base/heap.h"
#include "base/mem.h"
#include "executor/internal.h"
#include "executor/phase_solver.h"

enum what { RECEIVED, CREDIT };

struct entry {
    int64_t at;
    uint32_t order;
    uint32_t participant;
    uint32_t what;
};

struct participant {
    struct nadi_window window;
    int64_t crossed;  /* tick at which the last message of the first half came; -1: not yet */
    int64_t credited; /* tick of its last credit event while the first half was incomplete */
    bool ended;
};

struct table {
    const struct nadi_phase_solver *m;
    uint32_t participants;
    struct participant *all;
    int64_t *met; /* [participant * sends + step]: when its receive of that step was posted; -1 */
    struct {
        struct entry *items;
        size_t count, capacity;
    } heap;
    uint32_t order;
    int64_t *end;
    bool undecided;
};

static bool before(const struct entry *x, const struct entry *y)
{
    return x->at < y->at || (x->at == y->at && x->order < y->order);
}

static void push(struct table *t, int64_t at, uint32_t participant, enum what what)
{
    struct entry e = {at, t->order++, participant, what};
    NADI_HEAP_PUSH(&t->heap, e, before);
}

static struct entry pop(struct table *t)
{
    struct entry top;
    NADI_HEAP_POP(&t->heap, top, before);
    return top;
}

static void prepare(struct table *t, uint32_t i, int64_t now)
{
    const struct nadi_phase_solver *m = t->m;
    uint32_t packet = t->all[i].window.prepared++;
    const int64_t stage = nadi_time_add(m->endpoint_ns, nadi_phase_solver_reduce(m, packet));
    push(t, nadi_time_add(now, stage), i, CREDIT);
}

static int64_t received(const struct nadi_phase_solver *m, uint32_t from, int64_t sent, uint32_t to,
                        int64_t posted)
{
    return nadi_phase_solver_received(m, from, sent, to, posted, m->phase->message_bytes);
}

/* Step k of i sends to its destination and posts the receive from its source. The step number is
 * the same at both ends of a message. */
static void exchange(struct table *t, uint32_t i, uint32_t k, int64_t now)
{
    const struct nadi_phase_solver *m = t->m;
    const struct nadi_phase *p = m->phase;
    uint32_t to = nadi_phase_destination(p, i, k, m->clockwise);
    uint32_t from = nadi_phase_destination(p, i, k, !m->clockwise);
    if (t->participants == 1) {
        push(t, received(m, from, now, 0, now), 0, RECEIVED);
        return;
    }
    t->met[(size_t)i * p->sends + k] = now;
    int64_t there = t->met[(size_t)to * p->sends + k];
    if (there >= 0)
        push(t, received(m, i, now, to, there), to, RECEIVED);
    int64_t sent = t->met[(size_t)from * p->sends + k];
    if (sent >= 0 && from != i)
        push(t, received(m, from, sent, i, now), i, RECEIVED);
}

static void try_send(struct table *t, uint32_t i, int64_t now)
{
    uint32_t k;
    if (nadi_window_send(&t->all[i].window, t->m->phase, &k))
        exchange(t, i, k, now);
}

static void on_credit(struct table *t, uint32_t i, int64_t now)
{
    const struct nadi_phase *p = t->m->phase;
    struct participant *x = &t->all[i];
    x->window.credit++;
    const uint32_t tries = nadi_window_tries(&x->window, p);
    if (nadi_window_is_second_half(&x->window, p)) {
        bool stage_takes_time = t->m->endpoint_ns > 0 || t->m->reduce_ns > 0;
        if (x->crossed == now && stage_takes_time && x->window.sent == p->n - 1)
            t->undecided = true;
        if (tries == 0)
            x->credited = now;
    }
    for (uint32_t j = 0; j < tries; j++)
        try_send(t, i, now);
    if (nadi_window_ended(&x->window, p)) {
        x->ended = true;
        t->end[i] = now;
    }
}

static void on_received(struct table *t, uint32_t i, int64_t now)
{
    struct participant *x = &t->all[i];
    if (++x->window.arrived == t->m->phase->n - 1) {
        x->crossed = now;
        if (x->credited == now)
            t->undecided = true;
    }
    prepare(t, i, now);
}

bool nadi_phase_solver_direct(const struct nadi_phase_solver *m, uint32_t participants,
                              const int64_t *start, int64_t *end)
{
    const struct nadi_phase *p = m->phase;
    struct table t = {.m = m, .participants = participants, .end = end};
    t.all = NADI_ZNEW(struct participant, participants);
    if (participants > 1) {
        t.met = NADI_NEW(int64_t, (size_t)participants * p->sends);
        memset(t.met, 0xff, (size_t)participants * p->sends * sizeof(*t.met));
    }
    for (uint32_t i = 0; i < participants; i++) {
        t.all[i].crossed = t.all[i].credited = -1;
        for (uint32_t k = 0; k < p->first; k++)
            prepare(&t, i, start[i]);
    }
    while (t.heap.count && !t.undecided) {
        struct entry e = pop(&t);
        if (e.what == RECEIVED)
            on_received(&t, e.participant, e.at);
        else
            on_credit(&t, e.participant, e.at);
    }
    for (uint32_t i = 0; i < participants; i++)
        t.undecided |= !t.all[i].ended;
    nadi_mem_free(t.heap.items);
    nadi_mem_free(t.met);
    nadi_mem_free(t.all);
    return !t.undecided;
}
