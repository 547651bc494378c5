/* queue: the queues of ports, and putting packets on cables. A queue is a chain of chunks of
 * packets; internal.h says what its three places mean. All of it is run for every hop of every
 * packet. */
#ifndef NADI_NETWORK_PACKET_QUEUE_H
#define NADI_NETWORK_PACKET_QUEUE_H

#include "network/packet/internal.h"

static inline struct nadi_pkt_queue *nadi_pkt_queue(struct nadi_pkt *net, uint32_t port,
                                                    uint32_t class)
{
    return &net->queues[port * NADI_PKT_CLASSES + class];
}

/* What waits at a port in the classes of a backlog. */
static inline uint32_t nadi_pkt_waiting_bytes(const struct nadi_pkt *net, uint32_t port,
                                              uint32_t backlog)
{
    const struct nadi_pkt_queue *queues = &net->queues[port * NADI_PKT_CLASSES];
    uint32_t bytes = 0;
    for (; NADI_UNLIKELY(backlog); backlog &= backlog - 1)
        bytes += queues[__builtin_ctz(backlog)].bytes;
    return bytes;
}

static inline uint32_t nadi_pkt_queued_bytes(const struct nadi_pkt *net, uint32_t port)
{
    return nadi_pkt_waiting_bytes(net, port, net->ports[port].backlog);
}

static inline bool nadi_pkt_waiting(const struct nadi_pkt_queue *q)
{
    return q->sent != q->tail;
}

/* The first place of an empty chunk; the arrays of packets may move. */
static inline uint32_t nadi_pkt_new_chunk(struct nadi_pkt *net)
{
    if (NADI_UNLIKELY(net->free_chunk == NADI_NONE))
        nadi_pkt_more_chunks(net);
    const uint32_t first = net->free_chunk;
    net->free_chunk = net->next_chunk[first / NADI_PKT_CHUNK];
    return first;
}

static inline uint32_t nadi_pkt_after(const struct nadi_pkt *net, uint32_t at)
{
    return (at + 1) % NADI_PKT_CHUNK ? at + 1 : net->next_chunk[at / NADI_PKT_CHUNK];
}

/* Puts a copy of the packet behind the queue's last one; returns its place. */
static inline uint32_t nadi_pkt_push(struct nadi_pkt *net, uint32_t queue,
                                     struct nadi_pkt_packet packet)
{
    struct nadi_pkt_queue *q = &net->queues[queue];
    if (NADI_UNLIKELY(q->tail == NADI_NONE))
        q->head = q->sent = q->tail = nadi_pkt_new_chunk(net);
    const uint32_t at = q->tail;
    net->packets[at] = packet;
    if ((at + 1) % NADI_PKT_CHUNK)
        q->tail = at + 1;
    else {
        const uint32_t next = nadi_pkt_new_chunk(net);
        net->next_chunk[at / NADI_PKT_CHUNK] = next;
        q->tail = next;
    }
    return at;
}

/* Forgets the packet that has arrived. */
static inline void nadi_pkt_pop(struct nadi_pkt *net, uint32_t queue)
{
    struct nadi_pkt_queue *q = &net->queues[queue];
    const uint32_t at = q->head, next = nadi_pkt_after(net, at);
    if ((at + 1) % NADI_PKT_CHUNK == 0) {
        const uint32_t first = at + 1 - NADI_PKT_CHUNK;
        net->next_chunk[first / NADI_PKT_CHUNK] = net->free_chunk;
        net->free_chunk = first;
    }
    /* An empty one goes back to its chunk's begin, which is in the cache; without a branch, which
     * could not be foretold. */
    const uint32_t back = next == q->tail ? next % NADI_PKT_CHUNK : 0;
    q->head = next - back;
    q->sent -= back;
    q->tail -= back;
}

/* Pushes a packet that waits; returns its place. */
static inline uint32_t nadi_pkt_enqueue(struct nadi_pkt *net, uint32_t port_index, uint32_t class,
                                        struct nadi_pkt_packet packet)
{
    const uint32_t bytes = nadi_pkt_bytes(packet.word),
                   queue = port_index * NADI_PKT_CLASSES + class;
    const uint32_t at = nadi_pkt_push(net, queue, packet);
    struct nadi_pkt_queue *q = &net->queues[queue];
    struct nadi_pkt_port *port = &net->ports[port_index];
    port->backlog |= (uint16_t)(1U << class);
    q->bytes += bytes;
    q->peak_bytes = nadi_max_u32(q->peak_bytes, q->bytes);
    return at;
}

/* The queue's first waiting packet, at `at` and of so many bytes, no longer waits; it must be put
 * on the cable. Returns what still waits in the queue. */
static inline uint32_t nadi_pkt_dequeue(struct nadi_pkt *net, struct nadi_pkt_port *port,
                                        struct nadi_pkt_queue *q, uint32_t class, uint32_t at,
                                        uint32_t bytes)
{
    const uint32_t next = nadi_pkt_after(net, at), rest = q->bytes - bytes;
    q->sent = next;
    q->bytes = rest;
    port->backlog &= (uint16_t) ~((uint32_t)(next == q->tail) << class);
    return rest;
}

/* The event of a packet's arrival from a queue of the port. */
static inline uint32_t nadi_pkt_arrival(const struct nadi_pkt_port *port, uint32_t queue,
                                        uint32_t word)
{
    const uint32_t kind = (uint32_t)port->to_host << nadi_pkt_backwards(word);
    return queue | kind << NADI_PKT_EVENT_SHIFT;
}

/* A cable that loses packets may lose this one. */
void nadi_pkt_draw_loss(struct nadi_pkt *net, uint32_t port, uint32_t at);

/* Puts a packet that left its queue, with its word, on the idle port's cable. */
static inline void nadi_pkt_transmit(struct nadi_pkt *net, uint32_t port_index, uint32_t class,
                                     uint32_t at, uint32_t word)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    const uint32_t bytes = nadi_pkt_bytes(word);
    const struct nadi_pkt_ticks ticks = port->ticks[bytes];
    const nadi_time now = net->wheel.now, end = nadi_time_add(now, ticks.busy);
    const nadi_time arrival = nadi_time_add(nadi_time_add(now, ticks.arrives), port->latency);
    const uint32_t queue = port_index * NADI_PKT_CLASSES + class;
    const uint32_t event = nadi_pkt_arrival(port, queue, word);
    const uint32_t done = port_index | port->done;
    struct nadi_pkt_port_sent *sent = &net->sent[port_index];
    net->moved_at = now;
    port->busy = 1;
    sent->busy_ticks += ticks.busy;
    sent->packets++;
    sent->wire_bytes += bytes;
    nadi_pkt_wheel_add(&net->wheel, end, done);
    if (NADI_UNLIKELY(port->special) && nadi_pkt_transmit_special(net, queue, at, arrival))
        return;
    nadi_pkt_wheel_add(&net->wheel, arrival, event);
}

#endif
