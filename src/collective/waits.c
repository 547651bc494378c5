#include "collective/waits.h"

#include "base/mem.h"
#include "collective/program.h"

#define IN_NO_HEAP UINT64_MAX

/* The heaps are pairing heaps (M. L. Fredman et al., "The pairing heap: a new form of
 * self-adjusting heap", Algorithmica 1986); a queue is in one of them at most. */
struct queue {
    uint64_t key;         /* steps that it waits for, or its place among the woken */
    uint32_t child, next; /* in its heap */
    uint32_t waiting;     /* heap of those that wait for this queue */
    uint32_t ended, steps;
};

struct nadi_waits {
    uint32_t *open; /* queues that had not ended when they were last looked through */
    uint32_t count, open_count;
    uint32_t at_lowest; /* queues that have not ended, and are the least far */
    uint32_t woken;     /* heap, by sweep and queue */
    uint32_t from;      /* where the sweep has come to */
    uint64_t sweep;
    struct queue
        queues[]; /* one more at the end: all of them, as far as the least far; then `open` */
};

struct nadi_waits *nadi_waits_create(uint32_t queues)
{
    const size_t all = (size_t)queues + 1;
    struct nadi_waits *w =
        nadi_mem_alloc(1, sizeof(*w) + all * sizeof(struct queue) + queues * sizeof(uint32_t));
    *w = (struct nadi_waits){.open = (void *)&w->queues[all], .count = queues, .woken = NADI_NONE};
    for (uint32_t l = 0; l <= queues; l++)
        w->queues[l] = (struct queue){IN_NO_HEAP, NADI_NONE, NADI_NONE, NADI_NONE, 0, 0};
    w->queues[queues].ended = w->queues[queues].steps = UINT32_MAX;
    return w;
}

void nadi_waits_destroy(struct nadi_waits *w)
{
    nadi_mem_free(w);
}

/* ---- heaps ----------------------------------------------------------------------------------- */

static uint32_t meld(struct nadi_waits *w, uint32_t a, uint32_t b)
{
    if (a == NADI_NONE || b == NADI_NONE)
        return a == NADI_NONE ? b : a;
    const uint32_t top = w->queues[b].key < w->queues[a].key ? b : a, below = top == a ? b : a;
    w->queues[below].next = w->queues[top].child;
    w->queues[top].child = below;
    return top;
}

static void put(struct nadi_waits *w, uint32_t *heap, uint32_t queue, uint64_t key)
{
    w->queues[queue].key = key;
    w->queues[queue].child = w->queues[queue].next = NADI_NONE;
    *heap = meld(w, *heap, queue);
}

/* Takes the first one out: its children are melded in pairs, then the pairs. */
static uint32_t take(struct nadi_waits *w, uint32_t *heap)
{
    const uint32_t first = *heap;
    uint32_t pairs = NADI_NONE, rest = w->queues[first].child;
    while (rest != NADI_NONE) {
        const uint32_t a = rest, b = w->queues[a].next;
        rest = b == NADI_NONE ? NADI_NONE : w->queues[b].next;
        const uint32_t pair = meld(w, a, b);
        w->queues[pair].next = pairs;
        pairs = pair;
    }
    *heap = NADI_NONE;
    while (pairs != NADI_NONE) {
        const uint32_t next = w->queues[pairs].next;
        *heap = meld(w, *heap, pairs);
        pairs = next;
    }
    w->queues[first].key = IN_NO_HEAP;
    return first;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static bool has_ended(const struct queue *l, uint64_t steps)
{
    return l->ended >= steps || l->ended == l->steps;
}

static void wake(struct nadi_waits *w, uint32_t queue)
{
    put(w, &w->woken, queue, (w->sweep + (queue < w->from)) << 32 | queue);
}

static void wake_those_of(struct nadi_waits *w, struct queue *l)
{
    while (l->waiting != NADI_NONE && has_ended(l, w->queues[l->waiting].key))
        wake(w, take(w, &l->waiting));
}

/* Looks for the least far. Each step that ends pays for one look at its queue: at the next one all
 * queues are further than that. */
static void find_lowest(struct nadi_waits *w)
{
    uint32_t kept = 0, lowest = UINT32_MAX;
    for (uint32_t i = 0; i < w->open_count; i++) {
        const struct queue *l = &w->queues[w->open[i]];
        if (l->ended == l->steps)
            continue;
        w->open[kept++] = w->open[i];
        w->at_lowest = l->ended < lowest ? 1 : w->at_lowest + (l->ended == lowest);
        lowest = l->ended < lowest ? l->ended : lowest;
    }
    w->open_count = kept;
    w->queues[w->count].ended = lowest;
}

void nadi_waits_set(struct nadi_waits *w, uint32_t queue, uint32_t ended, uint32_t steps)
{
    const uint32_t lowest = nadi_waits_lowest(w);
    w->queues[queue].ended = ended;
    w->queues[queue].steps = steps;
    if (ended == steps)
        return;
    w->open[w->open_count++] = queue;
    w->at_lowest = ended < lowest ? 1 : w->at_lowest + (ended == lowest);
    w->queues[w->count].ended = ended < lowest ? ended : lowest;
}

uint32_t nadi_waits_lowest(const struct nadi_waits *w)
{
    return w->queues[w->count].ended;
}

bool nadi_waits_must(struct nadi_waits *w, uint32_t queue, int wait_queue, uint32_t steps)
{
    const bool all = wait_queue == NADI_ALL_QUEUES;
    const uint32_t target = all ? w->count : (uint32_t)wait_queue;
    if (w->queues[queue].key != IN_NO_HEAP)
        return true;
    if ((!all && target >= w->count) || has_ended(&w->queues[target], steps))
        return false;
    put(w, &w->queues[target].waiting, queue, steps);
    return true;
}

void nadi_waits_ended(struct nadi_waits *w, uint32_t queue)
{
    struct queue *l = &w->queues[queue];
    const bool was_least = l->ended == nadi_waits_lowest(w);
    NADI_ASSERT(l->ended < l->steps);
    l->ended++;
    wake_those_of(w, l);
    if (was_least && --w->at_lowest == 0) {
        find_lowest(w);
        wake_those_of(w, &w->queues[w->count]);
    }
}

void nadi_waits_wake_all(struct nadi_waits *w)
{
    for (uint32_t l = 0; l < w->count; l++)
        if (w->queues[l].key == IN_NO_HEAP)
            wake(w, l);
}

uint32_t nadi_waits_next(struct nadi_waits *w)
{
    if (w->woken == NADI_NONE) {
        w->from = 0;
        return NADI_NONE;
    }
    w->sweep = w->queues[w->woken].key >> 32;
    const uint32_t queue = take(w, &w->woken);
    w->from = queue + 1;
    return queue;
}
