/* queue: the chunks that wait at a rank for a dimension, in the order in which they begin: highest
 * priority first, then least key, then as they came.
 *
 * Chunks of one operation are alike, so the list is one of runs of alike chunks, and the first of a
 * run knows the last. Inserting costs the number of runs before it, not of chunks. */
#include "executor/internal.h"

void nadi_queues_init(struct queue *queues, size_t count)
{
    for (size_t i = 0; i < count; i++)
        queues[i] =
            (struct queue){.head = NADI_NONE, .tail = NADI_NONE, .inserted_at = -1, .taken_at = -1};
}

static bool are_alike(const struct waiting *a, const struct waiting *b)
{
    return a->priority == b->priority && a->key == b->key;
}

static bool goes_before(const struct waiting *a, const struct waiting *b)
{
    return !nadi_queue_overtakes(b->priority, b->key, a->priority, a->key);
}

void nadi_queue_insert(struct nadi_system *s, struct queue *q, uint32_t index)
{
    struct waiting *all = s->waiting.items;
    uint32_t run = NADI_NONE, at = q->head; /* the run before it; what comes after that */
    while (at != NADI_NONE && goes_before(&all[at], &all[index])) {
        run = at;
        at = all[all[run].run_end].next;
    }
    const uint32_t before = run == NADI_NONE ? NADI_NONE : all[run].run_end;
    all[index].next = at;
    all[index].run_end = index;
    if (run == NADI_NONE)
        q->head = index;
    else
        all[before].next = index;
    if (run != NADI_NONE && are_alike(&all[run], &all[index]))
        all[run].run_end = index;
    if (at == NADI_NONE)
        q->tail = index;
}

void nadi_queue_remove(struct nadi_system *s, struct queue *q, const struct queue_place *place)
{
    struct waiting *all = s->waiting.items;
    const uint32_t at = place->at, next = all[at].next;
    if (place->before == NADI_NONE)
        q->head = next;
    else
        all[place->before].next = next;
    if (q->tail == at)
        q->tail = place->before;
    if (place->run == at && all[at].run_end != at)
        all[next].run_end = all[at].run_end;
    else if (place->run != at && all[place->run].run_end == at)
        all[place->run].run_end = place->before;
}

struct queue_place nadi_queue_first(const struct queue *q)
{
    return (struct queue_place){.before = NADI_NONE, .run = q->head, .at = q->head};
}

void nadi_queue_next(const struct nadi_system *s, struct queue_place *place)
{
    const struct waiting *all = s->waiting.items;
    place->before = place->at;
    place->at = all[place->before].next;
    if (all[place->run].run_end == place->before)
        place->run = place->at;
}
