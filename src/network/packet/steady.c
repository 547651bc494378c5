#include "network/packet/steady.h"

#include "base/join.h"
#include "base/mem.h"
#include "network/packet/queue.h"
#include "network/packet/telemetry.h"

/* --- parts --- */

/* What stands for a port: itself at a host, one of its switch's otherwise. */
static uint32_t stand_in(const struct nadi_pkt *net, uint32_t port)
{
    const struct nadi_pkt_port *p = &net->ports[port];
    return p->is_host ? port : net->graph->first_port[p->node];
}

/* A port that no flow has touched yet stands for none. */
static void join(const struct nadi_pkt *net, uint32_t *root, uint32_t a, uint32_t b)
{
    const uint32_t ends[2] = {stand_in(net, a), stand_in(net, b)};
    for (uint32_t i = 0; i < 2; i++)
        if (root[ends[i]] == NADI_NONE)
            root[ends[i]] = ends[i];
    nadi_join(root, ends[0], ends[1]);
}

static void join_path(const struct nadi_pkt *net, uint32_t *root, uint32_t flow, bool back)
{
    const uint32_t first = nadi_pkt_path_port(net, flow, false, 0);
    for (uint32_t hop = 0;; hop++) {
        const uint32_t port = nadi_pkt_path_port(net, flow, back, hop);
        const uint32_t peer = net->ports[port].peer;
        join(net, root, first, port);
        join(net, root, first, peer);
        if (net->ports[peer].is_host)
            return;
    }
}

uint32_t nadi_pkt_parts_find(const struct nadi_pkt *net, uint32_t *root)
{
    uint32_t parts = 0;
    for (uint32_t p = 0; p < net->port_count; p++)
        root[p] = NADI_NONE;
    for (uint32_t i = 0; i < net->flow_count; i++)
        if (net->flows[i].live > 0) {
            join_path(net, root, i, false);
            join_path(net, root, i, true);
        }
    for (uint32_t p = 0; p < net->port_count; p++) {
        const uint32_t stand = stand_in(net, p);
        if (root[stand] == NADI_NONE)
            continue;
        root[p] = nadi_joined(root, stand);
        parts += root[p] == p;
    }
    return parts;
}

void nadi_pkt_part_list(const struct nadi_pkt *net, const uint32_t *root, uint32_t port,
                        struct nadi_pkt_part *part)
{
    part->flows.count = part->ports.count = 0;
    for (uint32_t i = 0; i < net->flow_count; i++)
        if (net->flows[i].live > 0 && root[nadi_pkt_path_port(net, i, false, 0)] == root[port])
            NADI_PUSH(&part->flows, i);
    for (uint32_t p = 0; p < net->port_count; p++)
        if (root[p] == root[port])
            NADI_PUSH(&part->ports, p);
}

/* --- state --- */

/* A time counts from now; once it is over it does not matter when it was. */
static void put_future(struct nadi_pkt_pen *p, nadi_time at)
{
    nadi_pkt_put(p, at > p->net->wheel.now ? (uint64_t)(at - p->net->wheel.now) : 0);
}

static void put_scheme(struct nadi_pkt_pen *p, uint32_t flow)
{
    const struct nadi_pkt *net = p->net;
    if (net->cc->write) {
        net->cc->write(net, flow, p);
        return;
    }
    const char *state = net->state_bytes ? nadi_pkt_cc_state(net, flow) : NULL;
    for (size_t i = 0; i < net->state_bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, state + i, nadi_min_u64(sizeof(word), net->state_bytes - i));
        nadi_pkt_put(p, word);
    }
}

static void put_flow(struct nadi_pkt_pen *p, uint32_t flow)
{
    const struct nadi_pkt *net = p->net;
    const struct nadi_pkt_flow *f = &net->flows[flow];
    const struct nadi_pkt_receiver *r = &net->receivers[flow];
    nadi_pkt_put_two(p, flow, f->live);
    nadi_pkt_put_two(p, f->next - f->una, r->expected - f->una);
    nadi_pkt_put_two(p, f->window_packets, f->timeouts);
    nadi_pkt_put(p, f->rate);
    nadi_pkt_put_two(p, f->gap_bytes, r->unacked_bytes);
    nadi_pkt_put(p,
                 (uint64_t)f->finished | (uint64_t)f->removed << 1 | (uint64_t)f->abandoned << 2);
    nadi_pkt_put(p, f->finished ? 0 : (uint64_t)(net->wheel.now - f->progress_at));
    put_future(p, r->nack_at);
    put_future(p, r->notify_at);
    if (r->nack_at > net->wheel.now)
        nadi_pkt_put(p, r->nacked);
    put_scheme(p, flow);
}

/* When pacing allows the next packet. Where a new rate moves it, it matters when it is over, too.
 */
static void put_avail(struct nadi_pkt_pen *p, const struct nadi_pkt_nic *nic, uint32_t slot)
{
    if (nadi_pkt_avail_matters(p->net, nic->flows[slot]))
        nadi_pkt_put(p, (uint64_t)(nic->avail[slot] - p->net->wheel.now));
    else
        put_future(p, nic->avail[slot]);
}

static void put_nic(struct nadi_pkt_pen *p, const struct nadi_pkt_nic *nic)
{
    nadi_pkt_put_two(p, nic->count, nic->last);
    nadi_pkt_put(p, nic->timer != NADI_NONE);
    if (nic->timer != NADI_NONE) { /* else nobody asks how long to be quiet */
        put_future(p, nic->timer_at);
        put_future(p, nic->quiet_until < NADI_TIME_MAX ? nic->quiet_until : 0);
    }
    for (uint32_t slot = 0; slot < nic->count && !p->differs; slot++) {
        nadi_pkt_put(p, nic->flows[slot]);
        put_avail(p, nic, slot);
    }
}

/* Of records of INT what is in them by now. */
static void put_telemetry(struct nadi_pkt_pen *p, uint32_t at, bool waits)
{
    const struct nadi_pkt *net = p->net;
    const uint32_t word = net->packets[at].word;
    if (nadi_pkt_kind(word) > NADI_PKT_NACK)
        return;
    if (net->stamps)
        nadi_pkt_put(p, (uint64_t)(net->wheel.now - net->stamps[at]));
    if (!net->int_of)
        return;
    const uint32_t hops = nadi_int_gathered(net, at, waits);
    nadi_pkt_put(p, hops);
    for (uint32_t i = 0; i < hops; i++)
        nadi_pkt_put(
            p, nadi_int_from_now(net, nadi_pkt_path_port(net, net->packets[at].flow, false, i + 1),
                                 nadi_pkt_int_record(net, net->int_of[at])[i]));
}

static void put_packets(struct nadi_pkt_pen *p, const struct nadi_pkt_queue *q)
{
    const struct nadi_pkt *net = p->net;
    bool waits = false;
    for (uint32_t at = q->head; at != q->tail && !p->differs; at = nadi_pkt_after(net, at)) {
        const struct nadi_pkt_packet *packet = &net->packets[at];
        const bool of_flow = packet->flow != NADI_NONE;
        nadi_pkt_put_two(p, packet->flow,
                         of_flow ? packet->seq - net->flows[packet->flow].una : packet->seq);
        nadi_pkt_put_two(p, packet->in, packet->word);
        waits |= at == q->sent;
        if (of_flow && net->carries)
            put_telemetry(p, at, waits);
        if (at == q->sent)
            nadi_pkt_put(p, NADI_NONE); /* from here on they wait */
    }
}

static void put_queue(struct nadi_pkt_pen *p, uint32_t queue)
{
    const struct nadi_pkt_queue *q = &p->net->queues[queue];
    if (q->head == q->tail && !q->held.used_bytes && !q->held.headroom_bytes && !q->pausing)
        return;
    nadi_pkt_put_two(p, queue, q->bytes);
    nadi_pkt_put_two(p, q->held.used_bytes, q->held.headroom_bytes);
    nadi_pkt_put(p, q->pausing);
    put_packets(p, q);
}

static void put_port(struct nadi_pkt_pen *p, uint32_t i)
{
    const struct nadi_pkt *net = p->net;
    const struct nadi_pkt_port *port = &net->ports[i];
    nadi_pkt_put(p, net->rngs[i].state);
    nadi_pkt_put(p, (uint64_t)port->paused | (uint64_t)port->backlog << 16 |
                        (uint64_t)port->last << 32 | (uint64_t)port->busy << 48);
    for (uint32_t c = 0; c < NADI_PKT_CLASSES; c++)
        put_queue(p, i * NADI_PKT_CLASSES + c);
    if (port->is_host)
        put_nic(p, &net->nics[port->owner]);
    else if (i == net->graph->first_port[port->node])
        nadi_pkt_put(p, (uint64_t)net->switches[port->owner].shared_bytes);
}

/* A cell's number says nothing: its NIC does. */
static void put_events(struct nadi_pkt_pen *p)
{
    const struct nadi_pkt *net = p->net;
    const uint32_t root = p->root[p->part->ports.items[0]];
    struct nadi_pkt_pending pending = {0};
    size_t kept = 0;
    nadi_pkt_wheel_list(&net->wheel, &pending);
    for (size_t i = 0; i < pending.count; i++) {
        const uint32_t port = nadi_pkt_event_port(net, pending.items[i].event);
        if (port != NADI_NONE && p->root[port] == root)
            pending.items[kept++] = pending.items[i];
    }
    pending.count = kept;
    nadi_pkt_pending_sort(&pending);
    for (size_t i = 0; i < kept && !p->differs; i++) {
        const struct nadi_pkt_late *late = &pending.items[i];
        const bool cell = late->event >> NADI_PKT_EVENT_SHIFT >= NADI_PKT_EVENT_CELL;
        nadi_pkt_put(p, (uint64_t)(late->at - net->wheel.now));
        if (cell)
            nadi_pkt_put(p, net->cells[late->event & NADI_PKT_EVENT_INDEX].kind);
        nadi_pkt_put_two(p, cell, cell ? nadi_pkt_event_port(net, late->event) : late->event);
    }
    nadi_mem_free(pending.items);
}

static void put_all(struct nadi_pkt_pen *p, bool whole)
{
    const struct nadi_pkt *net = p->net;
    for (size_t i = 0; i < p->part->flows.count && !p->differs; i++)
        put_flow(p, p->part->flows.items[i]);
    if (!whole)
        return;
    if (net->streams)
        nadi_pkt_put_two(p, (uint32_t)net->streams->a.state[0], (uint32_t)net->streams->b.state[0]);
    for (size_t i = 0; i < p->part->ports.count && !p->differs; i++)
        put_port(p, p->part->ports.items[i]);
    if (!p->differs)
        put_events(p);
}

void nadi_pkt_state_write(const struct nadi_pkt *net, const uint32_t *root,
                          const struct nadi_pkt_part *part, bool whole,
                          struct nadi_pkt_state *state)
{
    struct nadi_pkt_pen p = {.net = net, .root = root, .part = part, .write = state};
    state->count = 0;
    put_all(&p, whole);
    state->cost += state->count;
}

bool nadi_pkt_state_same(const struct nadi_pkt *net, const uint32_t *root,
                         const struct nadi_pkt_part *part, bool whole, struct nadi_pkt_state *state)
{
    struct nadi_pkt_pen p = {.net = net, .root = root, .part = part, .read = state};
    put_all(&p, whole);
    state->cost += p.at;
    return !p.differs && p.at == state->count;
}
