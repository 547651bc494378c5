/* synth_table: a plan as steps.
 *
 * An NPU has queues for each channel that it sends or receives by, as many as it has messages there
 * at once. A message is a step in a queue of its sender, which keeps the order of the plan, and one
 * in a queue of its receiver. It waits for the receives that brought what it carries: a step waits
 * for one queue, so that more of them are steps of their own before it. */
#include "base/mem.h"
#include "synthesize/synth.h"

struct queue {
    nadi_time busy; /* until then */
    uint32_t next;  /* of the same NPU and channel */
    uint32_t number, steps;
    uint32_t slot;    /* sending: among those of its channel; receiving: of the senders' queues */
    uint32_t *waited; /* sending: steps of the NPU's queues that it has waited for */
    uint32_t waited_count;
};

struct arrival { /* of a chunk at an NPU */
    uint32_t next;
    uint32_t queue, steps; /* number of the queue; its steps once it is there */
};

struct writer {
    const struct nadi_synth *s;
    const struct nadi_synth_net *net;
    struct nadi_table *table;
    uint32_t chunks;
    uint32_t *sending, *receiving; /* by channel: first queue */
    uint32_t *queue_count;         /* by NPU */
    struct {
        struct queue *items;
        size_t count, capacity;
    } queues;
    uint32_t *arrived; /* first arrival: by NPU and chunk; all-to-all: by chunk */
    struct {
        struct arrival *items;
        size_t count, capacity;
    } arrivals;
};

static uint32_t *arrived(struct writer *w, uint32_t npu, uint32_t chunk)
{
    const bool moves = w->s->kind == NADI_ALL_TO_ALL; /* a chunk is in one place */
    return &w->arrived[moves ? chunk : (size_t)npu * w->chunks + chunk];
}

/* A queue of the NPU at the channel that is free when the message starts, made if there is none.
 * Messages from one NPU into one queue must keep their order: they come from one queue, `slot`
 * (NADI_NONE: any). */
static uint32_t free_queue(struct writer *w, uint32_t *first, uint32_t npu,
                           const struct nadi_synth_send *send, uint32_t slot)
{
    uint32_t *at = first, count = 0;
    for (; *at != NADI_NONE; at = &w->queues.items[*at].next, count++)
        if (w->queues.items[*at].busy <= send->start &&
            (slot == NADI_NONE || w->queues.items[*at].slot == slot))
            break;
    if (*at == NADI_NONE) {
        const uint32_t index = (uint32_t)w->queues.count;
        const struct queue queue = {.next = NADI_NONE,
                                    .number = w->queue_count[npu]++,
                                    .slot = slot == NADI_NONE ? count : slot};
        *at = index;
        NADI_PUSH(&w->queues, queue);
        w->queues.items[index].busy = send->end;
        return index;
    }
    w->queues.items[*at].busy = send->end;
    return *at;
}

/* Has the queue waited for so many steps of another one? Notes that it has now. */
static bool waited(struct queue *l, uint32_t queue, uint32_t steps)
{
    if (queue >= l->waited_count) {
        const uint32_t count = queue + 8;
        l->waited = nadi_mem_realloc(l->waited, count, sizeof(uint32_t));
        memset(l->waited + l->waited_count, 0, (count - l->waited_count) * sizeof(uint32_t));
        l->waited_count = count;
    }
    if (l->waited[queue] >= steps)
        return true;
    l->waited[queue] = steps;
    return false;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

struct need {
    uint32_t queue, steps;
};

/* What the chunks of a message arrived by and has not been waited for: the last step of each queue.
 */
static uint32_t find_needs(struct writer *w, const struct nadi_synth_send *send, uint32_t from,
                           struct queue *l, struct need **needs, size_t *capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < send->count; i++) {
        const uint32_t chunk = w->s->plan.chunks.items[send->first + i];
        for (uint32_t a = *arrived(w, from, chunk); a != NADI_NONE; a = w->arrivals.items[a].next) {
            const struct arrival *at = &w->arrivals.items[a];
            if (waited(l, at->queue, at->steps))
                continue;
            uint32_t k = 0;
            while (k < count && (*needs)[k].queue != at->queue)
                k++;
            if (k == *capacity) {
                *capacity = 2 * *capacity;
                *needs = nadi_mem_realloc(*needs, *capacity, sizeof(**needs));
            }
            (*needs)[k] = (struct need){at->queue, at->steps};
            count += k == count;
        }
    }
    return count;
}

static void send_chunks(struct writer *w, const struct nadi_synth_send *send)
{
    uint32_t *chunks = NADI_NEW(uint32_t, send->count);
    memcpy(chunks, &w->s->plan.chunks.items[send->first], send->count * sizeof(*chunks));
    qsort(chunks, send->count, sizeof(*chunks), by_number);
    for (uint32_t i = 0; i < send->count; i++)
        nadi_table_send(w->table, chunks[i], 1);
    nadi_mem_free(chunks);
}

static void write_message(struct writer *w, size_t index, struct need **needs, size_t *capacity)
{
    const struct nadi_synth_send *send = &w->s->plan.sends.items[index];
    const struct nadi_synth_pair *p = &w->net->pairs[send->pair];
    const uint32_t *path = &w->net->channels[p->first_channel];
    const bool adds = index < w->s->reducing;
    const uint32_t out = free_queue(w, &w->sending[path[0]], p->from, send, NADI_NONE);
    const uint32_t in = free_queue(w, &w->receiving[path[p->channel_count - 1]], p->to, send,
                                   w->queues.items[out].slot);
    struct queue *from = &w->queues.items[out], *to = &w->queues.items[in];
    const uint32_t count = find_needs(w, send, p->from, from, needs, capacity);
    struct nadi_step *step;
    for (uint32_t i = 0; i + 1 < count; i++) {
        step = nadi_table_add(w->table, p->from, from->number);
        step->wait_queue = (int)(*needs)[i].queue;
        step->wait_steps = (*needs)[i].steps;
        from->steps++;
    }
    step = nadi_table_add(w->table, p->from, from->number);
    if (count > 0) {
        step->wait_queue = (int)(*needs)[count - 1].queue;
        step->wait_steps = (*needs)[count - 1].steps;
    }
    step->to = p->to;
    step->to_queue = to->number;
    from->steps++;
    send_chunks(w, send);
    step = nadi_table_add(w->table, p->to, to->number);
    step->from = p->from;
    step->reduces = adds;
    to->steps++;
    for (uint32_t i = 0; i < send->count; i++) {
        uint32_t *first = arrived(w, p->to, w->s->plan.chunks.items[send->first + i]);
        const struct arrival arrival = {
            .next = adds ? *first : NADI_NONE, .queue = to->number, .steps = to->steps};
        *first = (uint32_t)w->arrivals.count;
        NADI_PUSH(&w->arrivals, arrival);
    }
}

static uint32_t *nones(size_t count)
{
    uint32_t *list = NADI_NEW(uint32_t, count);
    memset(list, 0xff, count * sizeof(uint32_t));
    return list;
}

void nadi_synth_table(const struct nadi_synth *s, const struct nadi_synth_net *net,
                      struct nadi_table *table)
{
    const bool exchange = s->kind == NADI_ALL_TO_ALL;
    struct writer w = {.s = s, .net = net, .table = table};
    w.chunks = s->n * s->policy.per * (exchange ? s->n : 1);
    const struct nadi_table_shape shape = {.kind = s->kind, .n = s->n, .blocks = w.chunks};
    nadi_table_init(table, &shape);
    w.sending = nones(net->channel_count);
    w.receiving = nones(net->channel_count);
    w.queue_count = NADI_ZNEW(uint32_t, s->n);
    w.arrived = nones(exchange ? w.chunks : (size_t)s->n * w.chunks);
    size_t capacity = 16;
    struct need *needs = NADI_NEW(struct need, capacity);
    for (size_t i = 0; i < s->plan.sends.count; i++)
        if (s->plan.sends.items[i].count > 0)
            write_message(&w, i, &needs, &capacity);
    nadi_table_finish(table);
    nadi_mem_free(needs);
    nadi_mem_free(w.sending);
    nadi_mem_free(w.receiving);
    nadi_mem_free(w.queue_count);
    nadi_mem_free(w.arrived);
    nadi_mem_free(w.arrivals.items);
    for (size_t i = 0; i < w.queues.count; i++)
        nadi_mem_free(w.queues.items[i].waited);
    nadi_mem_free(w.queues.items);
}
