/* run: takes events in order and hands each to its cause. */
#include "network/packet/packet.h"
#include "network/packet/telemetry.h"

static void tx_done(struct nadi_pkt *net, uint32_t port_index)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    port->busy = 0;
    if (port->is_host)
        nadi_pkt_nic_kick(net, port->owner);
    else if (port->backlog)
        nadi_pkt_switch_send(net, port_index);
}

static void lose(struct nadi_pkt *net, uint32_t at)
{
    net->totals.dropped_loss++;
    if (nadi_pkt_kind(net->packets[at].word) == NADI_PKT_PFC)
        return;
    nadi_pkt_free_int(net, at);
    nadi_pkt_flow_unref(net, net->packets[at].flow);
}

/* The first packet of a queue has reached the other end of the cable. */
static void arrive(struct nadi_pkt *net, uint32_t queue)
{
    const uint32_t at = net->queues[queue].head;
    const uint32_t port = net->ports[queue / NADI_PKT_CLASSES].peer;
    const struct nadi_pkt_packet *packet = &net->packets[at];
    if (NADI_UNLIKELY(packet->word & NADI_PKT_LOST))
        lose(net, at);
    else if (nadi_pkt_kind(packet->word) == NADI_PKT_PFC)
        nadi_pkt_receive_pfc(net, port, at);
    else if (net->ports[port].is_host)
        nadi_pkt_host_receive(net, port, at);
    else
        nadi_pkt_switch_receive(net, port, at);
    nadi_pkt_pop(net, queue);
}

static void fire(struct nadi_pkt *net, uint32_t index)
{
    const struct nadi_pkt_cell cell = net->cells[index];
    switch (cell.kind) {
    case NADI_PKT_NIC_TIMER:
        nadi_pkt_nic_timer(net, index);
        return;
    case NADI_PKT_PULL_TIMER:
        nadi_pkt_pull_timer(net, index);
        return;
    case NADI_PKT_NIC_PAUSE:
        nadi_pkt_nic_pause(net, index);
        return;
    case NADI_PKT_FLOW_TIMER:
        nadi_pkt_flow_timer(net, index);
        return;
    case NADI_PKT_FLOW_START:
        nadi_pkt_free_cell(net, index);
        net->hooks.start(net->hooks.context, net);
        return;
    case NADI_PKT_FLOW_BEGIN:
        nadi_pkt_flow_begin(net, index);
        return;
    case NADI_PKT_FAULT:
        nadi_pkt_free_cell(net, index);
        nadi_pkt_fault(net, cell.a);
        return;
    case NADI_PKT_MARKER:
        nadi_pkt_free_cell(net, index);
        net->hooks.marker(net->hooks.context, net, cell.a, cell.b);
        return;
    case NADI_PKT_DEAD_TIMER:
        nadi_pkt_free_cell(net, index);
        return;
    case NADI_PKT_FREE:
        break;
    }
    NADI_BUG("a free cell was scheduled");
}

static void handle(struct nadi_pkt *net, uint32_t event)
{
    const uint32_t index = event & (((uint32_t)1 << NADI_PKT_EVENT_SHIFT) - 1);
    switch ((enum nadi_pkt_event_kind)(event >> NADI_PKT_EVENT_SHIFT)) {
    case NADI_PKT_EVENT_TX_DONE:
        tx_done(net, index);
        return;
    case NADI_PKT_EVENT_ARRIVE:
        arrive(net, index);
        return;
    case NADI_PKT_EVENT_CELL:
        fire(net, index);
        return;
    case NADI_PKT_EVENT_SHIFT:
        break;
    }
    NADI_BUG("no such event");
}

/* What the events to come will touch is asked for in time: in a large network that is more than the
 * nearest caches hold, and within a slot the order of events is known. In three steps, because each
 * says where to look next. */
static inline uint32_t arrival(const struct nadi_pkt_wheel *w, uint32_t ahead)
{
    const uint32_t event = (uint32_t)w->open[w->open_at + ahead];
    return event >> NADI_PKT_EVENT_SHIFT == NADI_PKT_EVENT_ARRIVE
               ? event & (((uint32_t)1 << NADI_PKT_EVENT_SHIFT) - 1)
               : NADI_NONE;
}

static inline void look_ahead(const struct nadi_pkt *net)
{
    const struct nadi_pkt_wheel *w = &net->wheel;
    enum { QUEUE = 8, PACKET = 5, FLOW = 2 };
    if (w->open_count - w->open_at <= QUEUE)
        return;
    const uint32_t far = arrival(w, QUEUE), middle = arrival(w, PACKET), near = arrival(w, FLOW);
    if (far != NADI_NONE)
        __builtin_prefetch(&net->queues[far]);
    if (middle != NADI_NONE) {
        const uint32_t head = net->queues[middle].head;
        __builtin_prefetch(&net->packets[head]);
        if (net->int_of)
            __builtin_prefetch(&net->int_of[head]);
    }
    if (near == NADI_NONE)
        return;
    const struct nadi_pkt_packet *packet = &net->packets[net->queues[near].head];
    const struct nadi_pkt_port *port = &net->ports[net->ports[near / NADI_PKT_CLASSES].peer];
    if (packet->flow >= net->flow_count)
        return;
    if (net->int_of)
        __builtin_prefetch(&net->ints[net->int_of[net->queues[near].head]]);
    if (!port->is_host) {
        __builtin_prefetch(
            &net->paths[((size_t)packet->flow * 2 + nadi_pkt_backwards(packet->word)) *
                        net->path_hops]);
        __builtin_prefetch(
            &net->queues[net->ports[near / NADI_PKT_CLASSES].peer * NADI_PKT_CLASSES +
                         packet->in % NADI_PKT_CLASSES]);
    } else if (nadi_pkt_backwards(packet->word)) {
        __builtin_prefetch(&net->flows[packet->flow]);
        __builtin_prefetch(&net->flows[packet->flow].line_rate);
        if (net->cc_state)
            __builtin_prefetch(nadi_pkt_cc_state(net, packet->flow));
    } else
        __builtin_prefetch(&net->receivers[packet->flow]);
}

bool nadi_pkt_run(struct nadi_pkt *net, const nadi_time *until, uint64_t most)
{
    for (uint64_t i = 0; i < most; i++) {
        const uint32_t event = nadi_pkt_wheel_take(&net->wheel, *until);
        if (event == NADI_NONE) {
            net->totals.events += i;
            return true;
        }
        look_ahead(net);
        handle(net, event);
    }
    net->totals.events += most;
    return false;
}

void nadi_pkt_schedule_start(struct nadi_pkt *net, nadi_time at)
{
    nadi_pkt_schedule(net, nadi_pkt_new_cell(net, NADI_PKT_FLOW_START, 0, 0), at);
}

void nadi_pkt_schedule_marker(struct nadi_pkt *net, nadi_time at, uint32_t a, uint32_t b)
{
    nadi_pkt_schedule(net, nadi_pkt_new_cell(net, NADI_PKT_MARKER, a, b),
                      at > net->wheel.now ? at : net->wheel.now);
}
