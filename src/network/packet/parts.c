#include "network/packet/parts.h"

#include "base/mem.h"
#include "network/packet/telemetry.h"

static const uint32_t many = UINT32_C(1) << 31; /* references: flows are not recycled */

void nadi_pkt_outbox_clear(struct nadi_pkt_outbox *box)
{
    box->count = box->words.count = 0;
    box->first = NADI_TIME_MAX;
}

void nadi_pkt_outbox_release(struct nadi_pkt_outbox *box)
{
    nadi_mem_free(box->items);
    nadi_mem_free(box->words.items);
}

/* The record of INT goes into the box, whatever of it the packet has filled so far. */
static void post_record(struct nadi_pkt *net, struct nadi_pkt_outbox *box, uint32_t at,
                        struct nadi_pkt_parcel *parcel)
{
    const uint32_t place = net->int_of[at];
    if (place == NADI_NONE)
        return;
    const uint64_t *record = nadi_pkt_int_record(net, place);
    parcel->words = (uint16_t)nadi_min_u32(net->int_words, NADI_INT_HOPS);
    parcel->hops = (uint16_t)nadi_pkt_int_hops(place);
    for (uint32_t i = 0; i < parcel->words; i++)
        NADI_PUSH(&box->words, record[i]);
    nadi_pkt_free_int(net, at);
}

static void post(struct nadi_pkt *net, uint32_t queue, uint32_t at, nadi_time arrival)
{
    const uint32_t peer = net->ports[queue / NADI_PKT_CLASSES].peer;
    struct nadi_pkt_outbox *box = &net->out[net->part_of[net->ports[peer].node]];
    struct nadi_pkt_parcel parcel = {
        .arrival = arrival,
        .packet = net->packets[at],
        .queue = queue,
    };
    if (nadi_pkt_kind(parcel.packet.word) == NADI_PKT_PFC)
        parcel.value = 0; /* it carries nothing */
    else if (net->int_of)
        post_record(net, box, at, &parcel);
    else if (net->stamps)
        parcel.value = (uint64_t)net->stamps[at];
    else if (net->powers)
        parcel.value = net->powers[at];
    NADI_PUSH(box, parcel);
    box->first = arrival < box->first ? arrival : box->first;
    nadi_pkt_pop(net, queue);
}

bool nadi_pkt_transmit_special(struct nadi_pkt *net, uint32_t queue, uint32_t at, nadi_time arrival)
{
    const uint32_t port = queue / NADI_PKT_CLASSES, special = net->ports[port].special;
    if (special & NADI_PKT_LOSES)
        nadi_pkt_draw_loss(net, port, at);
    if (!(special & NADI_PKT_ABROAD))
        return false;
    post(net, queue, at, arrival);
    return true;
}

static void take_record(struct nadi_pkt *net, uint32_t at, const struct nadi_pkt_parcel *parcel,
                        const uint64_t *words)
{
    nadi_pkt_new_int(net, at);
    if (parcel->words > net->int_words)
        nadi_pkt_widen_ints(net);
    memcpy(nadi_pkt_int_record(net, net->int_of[at]), words, parcel->words * sizeof(*words));
    net->int_of[at] |= (uint32_t)parcel->hops << NADI_INT_RECORD_BITS;
}

void nadi_pkt_deliver(struct nadi_pkt *net, const struct nadi_pkt_outbox *box)
{
    const uint64_t *words = box->words.items;
    for (size_t i = 0; i < box->count; i++) {
        const struct nadi_pkt_parcel *p = &box->items[i];
        const uint32_t at = nadi_pkt_push(net, p->queue, p->packet);
        net->queues[p->queue].sent = nadi_pkt_after(net, at);
        if (net->int_of)
            net->int_of[at] = NADI_NONE;
        if (p->words) {
            take_record(net, at, p, words);
            words += p->words;
        }
        if (net->stamps)
            net->stamps[at] = (nadi_time)p->value;
        if (net->powers)
            net->powers[at] = (uint8_t)p->value;
        const struct nadi_pkt_port *port = &net->ports[p->queue / NADI_PKT_CLASSES];
        nadi_pkt_wheel_add(&net->wheel, p->arrival,
                           nadi_pkt_arrival(port, p->queue, p->packet.word));
    }
}

void nadi_pkt_share_flows(struct nadi_pkt *to, const struct nadi_pkt *from)
{
    const size_t count = from->flow_count;
    if (to != from) {
        to->flows = nadi_pkt_lines(count, sizeof(*to->flows));
        to->receivers = NADI_NEW(struct nadi_pkt_receiver, count);
        memcpy(to->flows, from->flows, count * sizeof(*to->flows));
        memcpy(to->receivers, from->receivers, count * sizeof(*to->receivers));
        if (to->selective)
            to->tracks = NADI_ZNEW(struct nadi_pkt_track, count);
        if (to->state_bytes)
            to->cc_state = nadi_pkt_lines(count, to->state_bytes);
        to->infos = from->infos;
        to->paths = from->paths;
        to->path_hops = from->path_hops;
        to->path_shift = from->path_shift;
        to->looks_up = from->looks_up;
        to->flow_capacity = to->flow_count = (uint32_t)count;
    }
    for (size_t f = 0; f < count; f++)
        to->flows[f].live = many;
}

void nadi_pkt_forget_flows(struct nadi_pkt *to)
{
    to->infos = NULL;
    to->paths = NULL;
}
