/* run: takes events in order and hands each to its cause. */
#include "network/packet/packet.h"

static void tx_done(struct nadi_pkt *net, uint32_t port_index)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    port->busy = 0;
    if (port->is_host)
        nadi_pkt_nic_kick(net, port->owner);
    else if (port->backlog)
        nadi_pkt_switch_send(net, port_index);
}

static void arrive(struct nadi_pkt *net, uint32_t cell)
{
    if (net->ports[net->cells[cell].port].is_host)
        nadi_pkt_host_receive(net, cell);
    else
        nadi_pkt_switch_receive(net, cell);
}

static void handle(struct nadi_pkt *net, uint32_t cell)
{
    uint32_t a, b;
    switch ((enum nadi_pkt_kind)net->cells[cell].event.kind) {
    case NADI_PKT_TX_DONE:
        tx_done(net, cell);
        return;
    case NADI_PKT_DATA:
    case NADI_PKT_ACK:
    case NADI_PKT_NACK:
    case NADI_PKT_CNP:
        arrive(net, cell);
        return;
    case NADI_PKT_PFC:
        nadi_pkt_receive_pfc(net, cell);
        return;
    case NADI_PKT_NIC_TIMER:
        nadi_pkt_nic_timer(net, cell);
        return;
    case NADI_PKT_FLOW_TIMER:
        nadi_pkt_flow_timer(net, cell);
        return;
    case NADI_PKT_FLOW_START:
        nadi_pkt_free_cell(net, cell);
        net->hooks.start(net->hooks.context, net);
        return;
    case NADI_PKT_FLOW_BEGIN:
        nadi_pkt_flow_begin(net, cell);
        return;
    case NADI_PKT_MARKER:
        a = net->cells[cell].flow, b = net->cells[cell].seq;
        nadi_pkt_free_cell(net, cell);
        net->hooks.marker(net->hooks.context, net, a, b);
        return;
    case NADI_PKT_DEAD_TIMER:
        nadi_pkt_free_cell(net, cell);
        return;
    case NADI_PKT_FREE:
        break;
    }
    NADI_BUG("a free cell was scheduled");
}

bool nadi_pkt_run(struct nadi_pkt *net, const nadi_time *until, uint64_t most)
{
    for (uint64_t i = 0; i < most; i++) {
        const uint32_t cell = nadi_pkt_wheel_take(&net->wheel, *until);
        if (cell == NADI_NONE) {
            net->totals.events += i;
            return true;
        }
        handle(net, cell);
    }
    net->totals.events += most;
    return false;
}

void nadi_pkt_schedule_start(struct nadi_pkt *net, nadi_time at)
{
    const uint32_t cell = nadi_pkt_new_cell(net);
    net->cells[cell].event.kind = NADI_PKT_FLOW_START;
    nadi_pkt_schedule(net, cell, at);
}

void nadi_pkt_schedule_marker(struct nadi_pkt *net, nadi_time at, uint32_t a, uint32_t b)
{
    const uint32_t cell = nadi_pkt_new_cell(net);
    net->cells[cell].event.kind = NADI_PKT_MARKER;
    net->cells[cell].flow = a;
    net->cells[cell].seq = b;
    nadi_pkt_schedule(net, cell, at > net->wheel.now ? at : net->wheel.now);
}
