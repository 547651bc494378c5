#include "network/packet/messages.h"

#include "base/mem.h"

static uint32_t new_message(struct nadi_pkt *net, const struct nadi_pkt_message *message)
{
    if (!net->free_message) {
        NADI_PUSH(&net->messages, *message);
        return (uint32_t)net->messages.count - 1;
    }
    const uint32_t place = net->free_message - 1;
    net->free_message = net->messages.items[place].next;
    net->messages.items[place] = *message;
    return place;
}

/* The message that was alone. */
static void note_first(struct nadi_pkt *net, uint32_t flow)
{
    const struct nadi_pkt_flow *f = &net->flows[flow];
    struct nadi_pkt_info *info = &net->infos[flow];
    const struct nadi_pkt_message only = {
        .end = f->packets,
        .next = NADI_NONE,
        .user = info->user,
        .payload_bytes = f->payload_bytes,
        .bytes = info->bytes,
        .start = info->start,
    };
    info->first = info->arriving = info->last = new_message(net, &only);
    net->flows[flow].carries_on = true;
}

/* Is the message that arrived last complete, and another one behind it? */
static void turn(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_info *info = &net->infos[flow];
    struct nadi_pkt_receiver *r = &net->receivers[flow];
    const uint32_t next = net->messages.items[info->arriving].next;
    if (r->expected < r->end || next == NADI_NONE)
        return;
    const struct nadi_pkt_message *m = &net->messages.items[next];
    nadi_pkt_routes_load(net, flow, -(int64_t)info->bytes);
    if (info->crowded_bytes)
        info->crowded_bytes = 1; /* where others of its messages waited, until it finds more */
    info->arriving = next;
    info->user = m->user;
    info->bytes = m->bytes;
    info->start = m->start;
    r->end = m->end;
}

bool nadi_pkt_flow_append(struct nadi_pkt *net, uint32_t flow, uint64_t bytes, uint32_t user)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    const uint32_t payload = net->config.payload_bytes;
    const uint64_t packets = bytes ? (bytes - 1) / payload + 1 : 1;
    if (net->cc->receiver_driven || packets >= UINT32_MAX - f->packets)
        return false;
    if (!f->carries_on)
        note_first(net, flow);
    const struct nadi_pkt_message message = {
        .begin = f->packets,
        .end = f->packets + (uint32_t)packets,
        .next = NADI_NONE,
        .user = user,
        .payload_bytes = (uint16_t)(bytes - (packets - 1) * payload),
        .bytes = bytes,
        .start = net->wheel.now,
    };
    const uint32_t place = new_message(net, &message);
    struct nadi_pkt_info *info = &net->infos[flow];
    net->messages.items[info->last].next = place;
    info->last = place;
    f->packets = message.end;
    f->payload_bytes = message.payload_bytes;
    net->disturbances++;
    nadi_pkt_routes_load(net, flow, (int64_t)bytes);
    turn(net, flow);
    nadi_pkt_nic_refresh(net, flow);
    nadi_pkt_nic_wake(net, f->nic);
    return true;
}

uint32_t nadi_pkt_flow_find_payload(const struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    const struct nadi_pkt_info *info = &net->infos[flow];
    const struct nadi_pkt_message *m = &net->messages.items[info->last];
    if (seq >= m->begin)
        return net->config.payload_bytes;
    m = &net->messages.items[info->arriving];
    if (seq < m->begin)
        m = &net->messages.items[info->first];
    while (seq >= m->end)
        m = &net->messages.items[m->next];
    return seq + 1 == m->end ? m->payload_bytes : net->config.payload_bytes;
}

uint32_t nadi_pkt_message_begin(const struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    uint32_t place = net->flows[flow].carries_on ? net->infos[flow].first : NADI_NONE;
    if (place == NADI_NONE)
        return 0;
    while (net->messages.items[place].end <= seq && net->messages.items[place].next != NADI_NONE)
        place = net->messages.items[place].next;
    return net->messages.items[place].begin;
}

void nadi_pkt_flow_turn(struct nadi_pkt *net, uint32_t flow)
{
    if (!net->flows[flow].carries_on)
        return;
    net->disturbances++;
    turn(net, flow);
}

void nadi_pkt_flow_forget(struct nadi_pkt *net, uint32_t flow)
{
    const struct nadi_pkt_flow *f = &net->flows[flow];
    struct nadi_pkt_info *info = &net->infos[flow];
    if (!f->carries_on)
        return;
    while (info->first != NADI_NONE &&
           (f->live == 0 ||
            (net->messages.items[info->first].end <= f->una && info->first != info->arriving))) {
        const uint32_t place = info->first;
        info->first = net->messages.items[place].next;
        net->messages.items[place].next = net->free_message;
        net->free_message = place + 1;
    }
}
