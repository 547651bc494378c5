/* model_queue_pairs: which flow carries a message, and when (model.c). */
#include "base/mem.h"
#include "network/packet/lone.h"
#include "network/packet/messages.h"
#include "network/packet/model_inside.h"
#include "network/packet/recall.h"

enum { CLASS = 3, PORT = 100 };

/* NPU or switch as a host of the packets' network. */
static uint32_t host_of(const struct packet *p, uint32_t end)
{
    return end < p->npu_count ? end : p->ends->host[end - p->npu_count];
}

uint32_t nadi_pkt_queue_pair_of(struct packet *p, const struct nadi_message *m)
{
    if (p->connections.in_flight == NADI_IN_FLIGHT_ANY || !m->connection)
        return NADI_NONE;
    const uint32_t fresh = (uint32_t)p->pairs.count;
    const uint32_t pair = *nadi_map64_put(&p->pairs, (uint64_t)m->src << 32 | m->dst, fresh, NULL);
    const uint32_t connection = nadi_connections_find(&p->connections, pair, m->connection);
    if (connection == p->queue_pairs.count) {
        const struct queue_pair queue_pair = {
            .idle = NADI_NONE,
            .part = NADI_NONE,
            .sport = nadi_pkt_next_port(p->net, host_of(p, m->src), host_of(p, m->dst))};
        NADI_PUSH(&p->queue_pairs, queue_pair);
    }
    return connection;
}

/* Behind what an open flow of the message's connection carries, where that is possible. */
static bool append(struct packet *p, uint32_t index, struct queue_pair *queue_pair)
{
    const uint32_t flow = queue_pair->idle;
    if (flow == NADI_NONE)
        return false;
    struct nadi_pkt_info *info = &p->net->infos[flow];
    info->idle = false; /* now: a short message is sent at once */
    queue_pair->idle = info->next_idle;
    if (nadi_pkt_flow_append(p->net, flow, p->deliveries.items[index].bytes, index))
        return true;
    info->idle = true;
    queue_pair->idle = flow;
    return false;
}

struct nadi_pkt_flow_spec nadi_pkt_queue_pair_spec(const struct packet *p, uint32_t index)
{
    const struct delivery *d = &p->deliveries.items[index];
    struct nadi_pkt_flow_spec spec = {
        .src = host_of(p, d->src),
        .dst = host_of(p, d->dst),
        .class = CLASS,
        .dport = PORT,
        .bytes = d->bytes,
        .user = index,
        .at_path_rate = d->src >= p->npu_count,
    };
    if (d->connection != NADI_NONE) {
        spec.has_queue_pair = true;
        spec.queue_pair = d->connection;
        spec.sport = p->queue_pairs.items[d->connection].sport;
    }
    return spec;
}

static void note_busy(const struct packet *p, struct queue_pair *q, uint64_t bytes)
{
    if (q->busy_bytes == 0)
        q->busy_since = p->net->wheel.now;
    q->busy_packets += nadi_pkt_packets_of(p->net, bytes);
    q->busy_bytes = nadi_count_add(q->busy_bytes, bytes);
}

void nadi_pkt_queue_pair_inject(struct packet *p, uint32_t index)
{
    const struct delivery *d = &p->deliveries.items[index];
    struct queue_pair *queue_pair =
        d->connection == NADI_NONE ? NULL : &p->queue_pairs.items[d->connection];
    if (queue_pair && p->base.log)
        note_busy(p, queue_pair, d->bytes);
    if (queue_pair && append(p, index, queue_pair))
        return;
    const struct nadi_pkt_flow_spec spec = nadi_pkt_queue_pair_spec(p, index);
    if (nadi_pkt_flow_start(p->net, &spec) == NADI_NONE)
        NADI_PUSH(&p->stranded, index);
    else if (p->recall && queue_pair)
        nadi_pkt_recall_opened(p, d->connection);
    else if (p->lone && queue_pair)
        nadi_pkt_lone_opened(p, d->connection);
}

/* The share of the time that a connection has had something to send in which others held it up. */
static double share_of_others(const struct packet *p, const struct queue_pair *q, uint32_t flow)
{
    const struct nadi_pkt *net = p->net;
    const double took = (double)(net->wheel.now - q->busy_since);
    const double frames = (double)q->busy_bytes +
                          (double)q->busy_packets * (net->frames.data_overhead + net->frames.gap);
    nadi_time rtt;
    uint64_t slowest;
    nadi_pkt_routes_own_rtt(net, flow, &rtt, &slowest);
    const double alone = frames * 8e12 / ((double)slowest * (double)net->tick);
    return took > alone ? 1 - alone / took : 0;
}

void nadi_pkt_queue_pair_waited(struct packet *p, uint32_t index, uint32_t flow)
{
    const struct delivery *d = &p->deliveries.items[index];
    nadi_time shared = 0;
    if (!nadi_message_logged(p->base.log, d->kind))
        return;
    const nadi_time waited =
        nadi_pkt_to_ps(p->net, p->net->wheel.now) - p->base.log->entries.items[d->a].sent;
    struct queue_pair *q = &p->queue_pairs.items[d->connection];
    if (flow == NADI_NONE)
        q->busy_packets = q->busy_bytes = 0;
    else if (!p->net->config.exact && p->net->infos[flow].crowded_bytes > 0) {
        shared = nadi_time_trunc((double)waited * share_of_others(p, q, flow));
        nadi_message_log_wait(p->base.log, d->a, p->net->infos[flow].crowded_port, shared);
    }
    nadi_message_log_queued(p->base.log, d->a, waited - shared);
}

/* A flow has handed its last packet to the cable: the connection's next message goes. */
void nadi_pkt_queue_pair_sent(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct packet *p = context;
    struct nadi_pkt_info *info = &net->infos[flow];
    if (info->idle)
        return; /* it was a repeated one */
    const uint32_t connection = info->queue_pair;
    struct queue_pair *queue_pair = &p->queue_pairs.items[connection];
    info->idle = true;
    info->next_idle = queue_pair->idle;
    queue_pair->idle = flow;
    const uint32_t next = nadi_connections_leave(&p->connections, connection);
    if (next == NADI_NONE) {
        queue_pair->busy_packets = queue_pair->busy_bytes = 0;
        return;
    }
    nadi_pkt_queue_pair_waited(p, next, flow);
    nadi_pkt_queue_pair_inject(p, next);
}

/* One that was given up before it had sent everything keeps its connection: like a queue pair in
 * its error state. */
void nadi_pkt_queue_pair_closed(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct packet *p = context;
    struct nadi_pkt_info *info = &net->infos[flow];
    if (p->recall)
        nadi_pkt_recall_closed(p, info->queue_pair);
    if (p->lone)
        nadi_pkt_lone_closed(p, info->queue_pair);
    if (!info->idle)
        return;
    uint32_t *at = &p->queue_pairs.items[info->queue_pair].idle;
    while (*at != flow)
        at = &net->infos[*at].next_idle;
    *at = info->next_idle;
    info->idle = false;
}

uint64_t nadi_pkt_queue_pair_stranded(const struct packet *p)
{
    const struct nadi_connections *c = &p->connections;
    uint64_t count = p->stranded.count;
    for (size_t i = 0; i < p->stranded.count; i++) {
        const uint32_t connection = p->deliveries.items[p->stranded.items[i]].connection;
        uint32_t m = connection == NADI_NONE ? NADI_NONE : c->list.items[connection].head;
        for (; m != NADI_NONE; m = nadi_connections_behind(c, m))
            count++;
    }
    return count;
}
