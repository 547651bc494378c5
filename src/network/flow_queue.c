/* flow_queue: the messages of a connection flow one after the other, in the order in which they
 * could begin, as those of a queue pair do. A pair has few connections: they are a list. */
#include "base/mem.h"
#include "network/flow_inside.h"

uint32_t nadi_flow_queue(struct flow *f, uint32_t pair, uint64_t connection)
{
    if (!f->config.in_flight || !connection)
        return NADI_NONE;
    uint32_t i = f->first_queue.items[pair];
    while (i != NADI_NONE && f->queues.items[i].connection != connection)
        i = f->queues.items[i].next;
    if (i != NADI_NONE)
        return i;
    const struct queue q = {.connection = connection,
                            .head = NADI_NONE,
                            .tail = NADI_NONE,
                            .next = f->first_queue.items[pair]};
    NADI_PUSH(&f->queues, q);
    f->first_queue.items[pair] = (uint32_t)f->queues.count - 1;
    return (uint32_t)f->queues.count - 1;
}

bool nadi_flow_enqueue(struct flow *f, uint32_t transfer)
{
    struct transfer *t = &f->transfers.items[transfer];
    if (t->queue == NADI_NONE)
        return false;
    struct queue *q = &f->queues.items[t->queue];
    if (q->flowing < f->config.in_flight) {
        q->flowing++;
        return false;
    }
    t->next = NADI_NONE;
    if (q->head == NADI_NONE)
        q->head = transfer;
    else
        f->transfers.items[q->tail].next = transfer;
    q->tail = transfer;
    return true;
}

uint32_t nadi_flow_dequeue(struct flow *f, uint32_t queue)
{
    if (queue == NADI_NONE)
        return NADI_NONE;
    struct queue *q = &f->queues.items[queue];
    const uint32_t first = q->head;
    if (first == NADI_NONE)
        q->flowing--;
    else
        q->head = f->transfers.items[first].next;
    return first;
}

struct nadi_flow_waiting nadi_flow_waiting(const struct flow *f, uint32_t pair)
{
    struct nadi_flow_waiting all = {0};
    for (uint32_t i = f->first_queue.items[pair]; i != NADI_NONE; i = f->queues.items[i].next)
        for (uint32_t t = f->queues.items[i].head; t != NADI_NONE; t = f->transfers.items[t].next) {
            all.messages++;
            all.bytes += (double)f->transfers.items[t].bytes;
        }
    return all;
}
