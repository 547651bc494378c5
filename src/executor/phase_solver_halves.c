/* phase_solver_halves: direct phases without a window, in closed form.
 *
 * Everybody sends to everybody at once, as soon as its endpoint stage is over. In an all-reduce the
 * second half follows: each of the n - 1 receives of the first half becomes a credit one stage
 * later; the first credit after the last receive sends as many packets as there are credits, each
 * further one another packet. That holds as long as no receive of the second half becomes a credit
 * while credits of the first are missing; where one does, the packet engine is asked
 * (phase_solver_direct.c). O(n^2), and a sort of the credits behind the first that sends. */
#include "base/mem.h"
#include "executor/internal.h"
#include "executor/phase_solver.h"

struct sender {      /* the second half of one member */
    int64_t at;      /* its first packets leave, */
    uint32_t count;  /* so many; the others at: */
    size_t late;     /* from here on in `late`, ascending */
    int64_t crossed; /* the last receive of the first half */
};

struct halves {
    struct nadi_phase_solver *m;
    int64_t *there, *back; /* delays by clockwise distance; NULL: they depend on the place */
    int64_t *begin;        /* by member: the first half's sends and receives */
    struct sender *senders;
    struct {
        int64_t *items;
        size_t count, capacity;
    } late;
    int64_t stage; /* from a receive of the first half to its credit */
};

static void find_delays(struct halves *h)
{
    const struct nadi_phase_solver *m = h->m;
    if (!m->routes)
        return;
    h->there = NADI_ZNEW(int64_t, m->n);
    h->back = NADI_ZNEW(int64_t, m->n);
    for (uint32_t d = 1; d < m->n; d++) {
        h->there[d] = nadi_phase_solver_delay(m, 0, d, m->phase->message_bytes);
        h->back[d] = m->rendezvous ? nadi_phase_solver_delay(m, 0, m->n - d, CONTROL_BYTES) : 0;
    }
}

/* When a message that is sent at `sent` has been received, its receive being posted at `posted`. */
static inline int64_t received(const struct halves *h, uint32_t from, int64_t sent, uint32_t to,
                               int64_t posted)
{
    const struct nadi_phase_solver *m = h->m;
    uint32_t distance = to > from ? to - from : to + m->n - from;
    if (!h->there)
        return nadi_phase_solver_received(m, from, sent, to, posted, m->phase->message_bytes);
    return nadi_phase_solver_joined(m, sent, h->there[distance], posted, h->back[distance]);
}

static int64_t last_received(const struct halves *h, uint32_t to)
{
    int64_t last = INT64_MIN;
    for (uint32_t from = 0; from < h->m->n; from++)
        if (from != to)
            last = nadi_max_i64(last, received(h, from, h->begin[from], to, h->begin[to]));
    return last;
}

static void open_halves(struct halves *h, struct nadi_phase_solver *m)
{
    *h = (struct halves){.m = m};
    find_delays(h);
    h->begin = NADI_NEW(int64_t, m->n);
    for (uint32_t i = 0; i < m->n; i++)
        h->begin[i] = nadi_time_add(m->start[i], m->endpoint_ns);
}

static void close_halves(struct halves *h)
{
    nadi_mem_free(h->there);
    nadi_mem_free(h->back);
    nadi_mem_free(h->begin);
    nadi_mem_free(h->senders);
    nadi_mem_free(h->late.items);
}

void nadi_phase_solver_once(struct nadi_phase_solver *m)
{
    struct halves h;
    open_halves(&h, m);
    int64_t stage = nadi_time_add(m->endpoint_ns, nadi_phase_solver_reduce(m, m->phase->first));
    for (uint32_t i = 0; i < m->n; i++)
        m->end[i] = nadi_time_add(last_received(&h, i), stage);
    close_halves(&h);
}

/* ---- all-reduce ---------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* False: a credit falls on the instant of the last receive. */
static bool find_sender(struct halves *h, uint32_t i)
{
    struct sender *x = &h->senders[i];
    *x = (struct sender){.late = h->late.count, .crossed = last_received(h, i)};
    uint32_t before = 0;
    for (uint32_t from = 0; from < h->m->n; from++) {
        if (from == i)
            continue;
        int64_t came = received(h, from, h->begin[from], i, h->begin[i]);
        int64_t credit = nadi_time_add(came, h->stage);
        if (credit == x->crossed)
            return false;
        if (credit < x->crossed)
            before++;
        else
            NADI_PUSH(&h->late, credit);
    }
    size_t count = h->late.count - x->late;
    qsort(h->late.items + x->late, count, sizeof(*h->late.items), by_time);
    x->at = h->late.items[x->late]; /* at least the last receive's credit is there */
    x->count = before + 1;
    x->late++;
    return true;
}

static int64_t sent_at(const struct halves *h, uint32_t i, uint32_t packet)
{
    const struct sender *x = &h->senders[i];
    return packet < x->count ? x->at : h->late.items[x->late + packet - x->count];
}

/* False: a credit of the second half comes before all of the first are there. */
static bool find_end(struct halves *h, uint32_t i)
{
    struct nadi_phase_solver *m = h->m;
    const struct nadi_phase *p = m->phase;
    const struct sender *x = &h->senders[i];
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t k = 0; k < p->n - 1; k++) {
        uint32_t from = nadi_phase_destination(p, i, p->n - 1 + k, !m->clockwise);
        int64_t came = received(h, from, sent_at(h, from, k), i, sent_at(h, i, k));
        first = came < first ? came : first;
        last = nadi_max_i64(last, came);
    }
    int64_t stage = nadi_time_add(m->endpoint_ns, nadi_phase_solver_reduce(m, p->sends));
    m->end[i] = nadi_time_add(last, stage);
    return x->count == p->n - 1 ||
           nadi_time_add(first, stage) > nadi_time_add(x->crossed, h->stage);
}

enum nadi_phase_solver_outcome nadi_phase_solver_halves(struct nadi_phase_solver *m)
{
    const struct nadi_phase *p = m->phase;
    struct halves h;
    open_halves(&h, m);
    enum nadi_phase_solver_outcome outcome = NADI_PHASE_SOLVER_DONE;
    h.stage = nadi_time_add(m->endpoint_ns, nadi_phase_solver_reduce(m, p->first));
    h.senders = NADI_NEW(struct sender, p->n);
    if (h.stage == 0)
        outcome = NADI_PHASE_SOLVER_OTHER;
    for (uint32_t i = 0; i < p->n && outcome == NADI_PHASE_SOLVER_DONE; i++)
        if (!find_sender(&h, i))
            outcome = NADI_PHASE_SOLVER_UNDECIDED;
    for (uint32_t i = 0; i < p->n && outcome == NADI_PHASE_SOLVER_DONE; i++)
        if (!find_end(&h, i))
            outcome = NADI_PHASE_SOLVER_OTHER;
    close_halves(&h);
    return outcome;
}
