/* host: what arrives at a host. Data is answered with ACKs or NACKs; those move the sender on. */
#include "network/packet/internal.h"

/* Turns the received data packet into its answer: the cell, and with it telemetry, stays. */
static void answer(struct nadi_pkt *net, uint32_t cell, enum nadi_pkt_kind kind)
{
    struct nadi_pkt_cell *packet = &net->cells[cell];
    const uint32_t port =
        nadi_pkt_path_port(net, packet->flow, true, 0); /* the way back begins here */
    packet->event.kind = (uint8_t)kind;
    packet->event.hop = 1;
    packet->seq = net->receivers[packet->flow].expected;
    packet->bytes = net->frames.ack;
    packet->flags = packet->flags & NADI_PKT_MARKED ? NADI_PKT_ECHO : 0;
    if (net->config.ack_first && !net->config.exact)
        packet->class = 0;
    net->totals.acks_sent++;
    nadi_pkt_enqueue(net, port, 0, cell);
    nadi_pkt_nic_kick(net, net->ports[port].owner);
}

static void discard(struct nadi_pkt *net, uint32_t cell)
{
    const uint32_t flow = net->cells[cell].flow;
    nadi_pkt_free_cell(net, cell);
    nadi_pkt_flow_unref(net, flow);
}

static void receive_in_order(struct nadi_pkt *net, uint32_t cell)
{
    const uint32_t flow = net->cells[cell].flow;
    struct nadi_pkt_receiver *r = &net->receivers[flow];
    const bool last = ++r->expected == net->flows[flow].packets;
    r->unacked_bytes += net->config.payload_bytes;
    if (r->unacked_bytes >= net->config.ack_interval_bytes || last) {
        r->unacked_bytes = 0;
        answer(net, cell, NADI_PKT_ACK);
    } else
        discard(net, cell);
    if (last && !net->config.exact && net->hooks.finished)
        net->hooks.finished(net->hooks.context, net, flow);
}

static void receive_gap(struct nadi_pkt *net, uint32_t cell)
{
    struct nadi_pkt_receiver *r = &net->receivers[net->cells[cell].flow];
    if (net->wheel.now < r->nack_at && r->nacked == r->expected) {
        discard(net, cell);
        return;
    }
    r->nack_at = net->wheel.now + net->config.nack_interval / net->tick;
    r->nacked = r->expected;
    if (net->config.back_to_chunk) {
        const uint32_t chunk = net->config.chunk_bytes / net->config.payload_bytes;
        if (chunk > 1)
            r->expected = r->expected / chunk * chunk;
    }
    answer(net, cell, NADI_PKT_NACK);
}

static void receive_data(struct nadi_pkt *net, uint32_t cell)
{
    const struct nadi_pkt_cell *packet = &net->cells[cell];
    const struct nadi_pkt_receiver *r = &net->receivers[packet->flow];
    net->totals.data_received++;
    if (packet->seq == r->expected)
        receive_in_order(net, cell);
    else if (packet->seq > r->expected)
        receive_gap(net, cell);
    else if (net->config.rto)
        answer(net, cell, NADI_PKT_ACK); /* the ACK may have been lost */
    else
        discard(net, cell);
}

static void receive_ack(struct nadi_pkt *net, uint32_t cell)
{
    const struct nadi_pkt_cell *packet = &net->cells[cell];
    const uint32_t flow = packet->flow;
    struct nadi_pkt_flow *f = &net->flows[flow];
    const struct nadi_cc_ack ack = {
        .seq = packet->seq,
        .cell = cell,
        .negative = packet->event.kind == NADI_PKT_NACK,
        .marked = packet->flags & NADI_PKT_ECHO,
        .mark_alone = packet->event.kind == NADI_PKT_CNP,
    };
    net->totals.acks_received++;
    if (ack.seq > f->una) {
        f->una = ack.seq;
        f->progress_at = net->wheel.now;
        if (f->next < f->una)
            f->next = f->una;
    }
    if (f->una >= f->packets && !f->finished)
        nadi_pkt_flow_finish(net, flow);
    f = &net->flows[flow]; /* flows that begin at that moment may move the array */
    if (ack.negative && !f->finished) {
        net->totals.retransmitted += f->next - f->una;
        f->next = f->una;
    }
    net->cc->on_ack(net, flow, &ack);
    nadi_pkt_nic_refresh(net, flow);
    const uint32_t nic = net->flows[flow].nic;
    discard(net, cell);
    nadi_pkt_nic_kick(net, nic);
}

void nadi_pkt_receive_pfc(struct nadi_pkt *net, uint32_t cell)
{
    const uint32_t port_index = net->cells[cell].port;
    struct nadi_pkt_port *port = &net->ports[port_index];
    const uint8_t bit = (uint8_t)(1U << net->cells[cell].class);
    const bool pause = net->cells[cell].flags & NADI_PKT_PAUSE;
    nadi_pkt_free_cell(net, cell);
    if (net->hooks.pfc)
        net->hooks.pfc(net->hooks.context, net, port_index, pause);
    if (pause) {
        net->totals.pauses++;
        port->paused |= bit;
        return;
    }
    net->totals.resumes++;
    if (!(port->paused & bit))
        return;
    port->paused &= (uint8_t)~bit;
    if (port->busy)
        return;
    if (port->is_host)
        nadi_pkt_nic_kick(net, port->owner);
    else
        nadi_pkt_switch_send(net, port_index);
}

void nadi_pkt_host_receive(struct nadi_pkt *net, uint32_t cell)
{
    switch ((enum nadi_pkt_kind)net->cells[cell].event.kind) {
    case NADI_PKT_DATA:
        receive_data(net, cell);
        return;
    case NADI_PKT_ACK:
    case NADI_PKT_NACK:
    case NADI_PKT_CNP:
        receive_ack(net, cell);
        return;
    case NADI_PKT_PFC:
    case NADI_PKT_FREE:
    case NADI_PKT_TX_DONE:
    case NADI_PKT_NIC_TIMER:
    case NADI_PKT_FLOW_TIMER:
    case NADI_PKT_FLOW_START:
    case NADI_PKT_FLOW_BEGIN:
    case NADI_PKT_MARKER:
    case NADI_PKT_DEAD_TIMER:
        break;
    }
    NADI_BUG("no packet for a host");
}
