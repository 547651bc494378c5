/* host: what arrives at a host. Data is answered with ACKs or NACKs; those move the sender on. */
#include "network/packet/messages.h"
#include "network/packet/telemetry.h"

enum { PAUSE_NS = 10000, PAUSE_AGAIN_NS = 1000000 }; /* of injected pauses, in exact ns */

static inline uint32_t send_back(struct nadi_pkt *net, uint32_t port, uint32_t flow,
                                 enum nadi_pkt_kind kind, uint32_t seq, uint32_t flags)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    const uint32_t bytes = kind == NADI_PKT_CNP    ? net->frames.cnp
                           : kind == NADI_PKT_PULL ? net->frames.pull
                                                   : net->frames.ack;
    const bool first = kind >= NADI_PKT_CNP || (net->config.ack_first && !net->config.exact);
    const struct nadi_pkt_packet packet = {
        .flow = flow,
        .seq = seq,
        .in = port * NADI_PKT_CLASSES + (first ? 0U : f->class),
        .word =
            nadi_pkt_word(bytes, 1, kind) | flags | (uint32_t)f->turns_back << NADI_PKT_TURNS_SHIFT,
    };
    f->live++;
    net->totals.acks_sent += kind == NADI_PKT_ACK || kind == NADI_PKT_NACK;
    const uint32_t at = nadi_pkt_enqueue(net, port, 0, packet);
    if (net->int_of)
        net->int_of[at] = NADI_NONE; /* until it takes over that of what it answers */
    return at;
}

uint32_t nadi_pkt_send_back(struct nadi_pkt *net, uint32_t flow, enum nadi_pkt_kind kind,
                            uint32_t seq, uint32_t flags)
{
    const uint32_t port = nadi_pkt_path_port(net, flow, true, 0); /* the way back begins here */
    return send_back(net, port, flow, kind, seq, flags);
}

static NADI_SELDOM void notify(struct nadi_pkt *net, uint32_t flow, uint32_t flags)
{
    struct nadi_pkt_receiver *r = &net->receivers[flow];
    if (net->wheel.now < r->notify_at)
        return;
    r->notify_at = nadi_time_add(net->wheel.now, net->config.dcqcn.notify_interval / net->tick);
    nadi_pkt_send_back(net, flow, NADI_PKT_CNP, 0, flags);
}

/* Answers the data packet at `at`; its mark and telemetry travel back. */
static inline void answer(struct nadi_pkt *net, uint32_t at, enum nadi_pkt_kind kind, uint32_t seq)
{
    const uint32_t word = net->packets[at].word, flow = net->packets[at].flow;
    const uint32_t port = nadi_pkt_path_port(net, flow, true, 0);
    uint32_t flags = word & NADI_PKT_MARKED ? NADI_PKT_ECHO : 0;
    if (net->cc->notifies && net->config.dcqcn.notify_interval) {
        if (NADI_UNLIKELY(flags))
            notify(net, flow, flags);
        flags = 0;
    }
    const uint32_t to = send_back(net, port, flow, kind, seq, flags);
    if (net->carries) {
        nadi_pkt_move_telemetry(net, at, to);
        if (net->int_of && nadi_pkt_kind(word) == NADI_PKT_DATA)
            nadi_pkt_close_int(net, to, nadi_pkt_hop(word) - 1);
    }
    nadi_pkt_nic_wake(net, net->ports[port].owner);
}

static void delivered(struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    net->totals.data_bytes_received += nadi_pkt_flow_payload(net, flow, seq);
}

/* A message of the flow is complete. */
static void finish_here(struct nadi_pkt *net, uint32_t flow)
{
    if (!net->config.exact && net->hooks.finished)
        net->hooks.finished(net->hooks.context, net, flow);
    nadi_pkt_flow_turn(net, flow);
}

/* Is it time for an ACK? The HPCC simulator answers every packet from the interval's length on, and
 * before it those that end a chunk. */
static bool due(const struct nadi_pkt *net, const struct nadi_pkt_receiver *r)
{
    const struct nadi_packet_config *c = &net->config;
    if (!c->exact)
        return r->unacked_bytes >= c->ack_interval_bytes;
    const uint64_t received = (uint64_t)r->expected * c->payload_bytes;
    return received >= c->ack_interval_bytes || (c->chunk_bytes && received % c->chunk_bytes == 0);
}

static void receive_in_order(struct nadi_pkt *net, uint32_t flow, uint32_t at)
{
    struct nadi_pkt_receiver *r = &net->receivers[flow];
    delivered(net, flow, r->expected);
    const bool last = ++r->expected == r->end;
    r->unacked_bytes += net->config.payload_bytes;
    if (last || due(net, r)) {
        r->unacked_bytes = 0;
        answer(net, at, NADI_PKT_ACK, r->expected);
    }
    if (last)
        finish_here(net, flow);
}

/* The packet with which the chunk of another one begins. Messages begin one. */
static uint32_t chunk_begin(const struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    const uint32_t chunk = net->config.chunk_bytes, payload = net->config.payload_bytes;
    const uint32_t begin = nadi_pkt_message_begin(net, flow, seq);
    if (chunk <= payload)
        return seq;
    return begin + (uint32_t)((uint64_t)(seq - begin) * payload / chunk * chunk / payload);
}

static NADI_SELDOM void receive_gap(struct nadi_pkt *net, uint32_t flow, uint32_t at)
{
    struct nadi_pkt_receiver *r = &net->receivers[flow];
    if (net->wheel.now < r->nack_at && r->nacked == r->expected)
        return;
    r->nack_at = nadi_time_add(net->wheel.now, net->config.nack_interval / net->tick);
    r->nacked = r->expected;
    if (net->config.back_to_chunk)
        r->expected = chunk_begin(net, flow, r->expected);
    if (net->config.recovery != NADI_RECOVERY_NONE)
        answer(net, at, NADI_PKT_NACK, r->expected);
}

/* Every packet counts for itself, in any order. */
static NADI_SELDOM void receive_selective(struct nadi_pkt *net, uint32_t flow, uint32_t at,
                                          bool trimmed)
{
    struct nadi_pkt_receiver *r = &net->receivers[flow];
    const uint32_t seq = net->packets[at].seq;
    const bool fresh = !trimmed && nadi_pkt_track_receive(net, flow, seq);
    if (fresh)
        delivered(net, flow, seq);
    r->arrived++;
    r->trimmed += trimmed;
    answer(net, at, trimmed ? NADI_PKT_NACK : NADI_PKT_ACK, seq);
    if (net->cc->receiver_driven)
        nadi_pkt_pull_arrival(net, flow);
    while (fresh && net->receivers[flow].expected >= net->receivers[flow].end) {
        const uint32_t end = net->receivers[flow].end;
        finish_here(net, flow);
        if (net->receivers[flow].end == end)
            break;
    }
}

/* The first NIC of another one's host, which counts pauses for all of them. */
static struct nadi_pkt_nic *first_nic(const struct nadi_pkt *net, uint32_t nic)
{
    const uint32_t node = net->ports[net->nics[nic].port].node;
    return &net->nics[net->ports[net->graph->first_port[node]].owner];
}

/* A NIC that plays dead for a while: NIC_TOTAL_PAUSE_TIME of the HPCC simulator. */
static void inject_pause(struct nadi_pkt *net, uint32_t flow)
{
    const uint32_t port = nadi_pkt_path_port(net, flow, true, 0), class = net->flows[flow].class;
    struct nadi_pkt_nic *first = first_nic(net, net->ports[port].owner);
    if (first->pausing || first->pauses >= net->config.nic_pauses)
        return;
    first->pausing = true;
    first->pauses++;
    nadi_pkt_send_pfc(net, port, class, true);
    nadi_pkt_schedule(net,
                      nadi_pkt_new_cell(net, NADI_PKT_NIC_PAUSE, net->ports[port].owner, class),
                      net->wheel.now + PAUSE_NS * (NADI_PS_PER_NS / net->tick));
}

void nadi_pkt_nic_pause(struct nadi_pkt *net, uint32_t cell)
{
    const uint32_t nic = net->cells[cell].a, class = net->cells[cell].b;
    nadi_pkt_free_cell(net, cell);
    if (class == NADI_PKT_CLASSES) {
        first_nic(net, nic)->pausing = false;
        return;
    }
    nadi_pkt_send_pfc(net, net->nics[nic].port, class, false);
    nadi_pkt_schedule(net, nadi_pkt_new_cell(net, NADI_PKT_NIC_PAUSE, nic, NADI_PKT_CLASSES),
                      net->wheel.now + PAUSE_AGAIN_NS * (NADI_PS_PER_NS / net->tick));
}

void nadi_pkt_receive_data(struct nadi_pkt *net, uint32_t at)
{
    const struct nadi_pkt_packet packet = net->packets[at];
    const uint32_t expected = net->receivers[packet.flow].expected;
    const bool trimmed = nadi_pkt_kind(packet.word) == NADI_PKT_TRIMMED;
    net->totals.data_received += !trimmed;
    if (NADI_UNLIKELY(net->config.nic_pauses))
        inject_pause(net, packet.flow);
    if (NADI_UNLIKELY(net->selective))
        receive_selective(net, packet.flow, at, trimmed);
    else if (NADI_LIKELY(packet.seq == expected && !trimmed))
        receive_in_order(net, packet.flow, at);
    else if (packet.seq >= expected)
        receive_gap(net, packet.flow, at);
    else if (net->config.rto)
        answer(net, at, NADI_PKT_ACK, expected); /* the ACK may have been lost */
    nadi_pkt_free_int(net, at);
    nadi_pkt_flow_unref(net, packet.flow);
}

static void take_cumulative(struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (seq <= f->una)
        return;
    f->una = seq;
    if (f->next < f->una)
        f->next = f->una;
}

/* Going back to chunks: what an ACK says counts for whole chunks, as the receiver may go back. */
static uint32_t taken(const struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    return net->config.back_to_chunk && seq < net->flows[flow].packets ? chunk_begin(net, flow, seq)
                                                                       : seq;
}

/* Moves the sender on; what congestion control is told: packets acknowledged so far. */
static uint32_t take_answer(struct nadi_pkt *net, const struct nadi_pkt_packet *packet)
{
    const uint32_t flow = packet->flow, before = net->flows[flow].una;
    if (nadi_pkt_kind(packet->word) == NADI_PKT_CNP)
        return before;
    if (net->flows[flow].finished)
        return packet->seq;
    if (!net->selective)
        take_cumulative(net, flow, taken(net, flow, packet->seq));
    else if (nadi_pkt_kind(packet->word) == NADI_PKT_ACK)
        nadi_pkt_track_ack(net, flow, packet->seq);
    else
        nadi_pkt_track_lost(net, flow, packet->seq);
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (f->una != before) {
        f->progress_at = net->wheel.now;
        f->timeouts = 0;
        if (f->carries_on)
            nadi_pkt_flow_forget(net, flow);
    }
    return net->selective ? f->una : packet->seq;
}

static void receive_ack(struct nadi_pkt *net, uint32_t at)
{
    const struct nadi_pkt_packet packet = net->packets[at];
    const uint32_t flow = packet.flow;
    if (NADI_UNLIKELY(net->config.exact && net->flows[flow].finished)) {
        nadi_pkt_free_int(net, at); /* its queue pair is gone */
        nadi_pkt_flow_unref(net, flow);
        return;
    }
    const struct nadi_cc_ack ack = {
        .seq = take_answer(net, &packet),
        .packet = at,
        .negative = nadi_pkt_kind(packet.word) == NADI_PKT_NACK,
        .marked = packet.word & NADI_PKT_ECHO,
        .mark_alone = nadi_pkt_kind(packet.word) == NADI_PKT_CNP,
    };
    net->totals.acks_received += !ack.mark_alone;
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (f->una >= f->packets && !f->finished)
        nadi_pkt_flow_finish(net, flow);
    f = &net->flows[flow]; /* flows that begin at that moment may move the array */
    if (ack.negative && !f->finished && !net->selective) {
        net->totals.retransmitted += f->next - f->una;
        f->next = f->una;
    }
    net->cc->on_ack(net, flow, &ack);
    nadi_pkt_free_int(net, at);
    nadi_pkt_nic_refresh(net, flow);
    const uint32_t nic = net->flows[flow].nic;
    nadi_pkt_flow_unref(net, flow);
    nadi_pkt_nic_wake(net, nic);
}

/* Pulls are counted: one that was lost is made up for by the next. */
static void receive_pull(struct nadi_pkt *net, uint32_t at)
{
    const struct nadi_pkt_packet packet = net->packets[at];
    struct nadi_pkt_flow *f = &net->flows[packet.flow];
    if (packet.seq > f->pulled && !f->finished) {
        f->credits += packet.seq - f->pulled;
        f->pulled = packet.seq;
        nadi_pkt_nic_refresh(net, packet.flow);
    }
    const uint32_t nic = f->nic;
    nadi_pkt_flow_unref(net, packet.flow);
    nadi_pkt_nic_kick(net, nic);
}

void nadi_pkt_receive_pfc(struct nadi_pkt *net, uint32_t port_index, uint32_t at)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    const uint16_t bit = (uint16_t)(1U << net->packets[at].seq);
    const bool pause = net->packets[at].word & NADI_PKT_PAUSE;
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
    port->paused &= (uint16_t)~bit;
    if (port->is_host)
        net->nics[port->owner].quiet_until = 0;
    if (port->busy)
        return;
    if (port->is_host)
        nadi_pkt_nic_kick(net, port->owner);
    else
        nadi_pkt_switch_send(net, port_index);
}

/* What an answer will touch lies far apart: it is asked for all at once. */
static inline void ask_for_sender(const struct nadi_pkt *net, uint32_t at)
{
    const uint32_t flow = net->packets[at].flow;
    if (!net->cc_state)
        return;
    __builtin_prefetch(&net->flows[flow].line_rate);
    __builtin_prefetch(nadi_pkt_cc_state(net, flow));
    if (net->int_of)
        __builtin_prefetch(nadi_pkt_int_record(net, net->int_of[at]));
}

void nadi_pkt_receive_answer(struct nadi_pkt *net, uint32_t at)
{
    ask_for_sender(net, at);
    if (NADI_LIKELY(nadi_pkt_kind(net->packets[at].word) != NADI_PKT_PULL))
        receive_ack(net, at);
    else
        receive_pull(net, at);
}
