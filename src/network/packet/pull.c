/* pull: receivers that tell senders when to send (NDP, Handley et al., SIGCOMM 2017; EQDS, Olteanu
 * et al., NSDI 2022).
 *
 * A flow sends a bandwidth-delay product unasked; each further packet, first or repeated, needs a
 * pull. A receiving NIC sends its pulls one full packet's time apart, whichever flow they are for,
 * so that what they call for fills its cable and no more. Flows take turns. How many pulls a flow
 * is owed:
 *
 *   clocked by arrivals (NDP):   one for each packet or trimmed header that arrives
 *   by demand and credit (EQDS): all that it still needs, arrived or not, while no more than a
 *                                bandwidth-delay product of pulled packets is on its way; what was
 *                                sent unasked does not count
 *
 * and never more than it still has to send. */
#include "base/mem.h"
#include "network/packet/internal.h"

/* Packets that the sender may still be told to send. */
static uint32_t needed(const struct nadi_pkt *net, uint32_t flow)
{
    const struct nadi_pkt_receiver *r = &net->receivers[flow];
    const uint64_t must = (uint64_t)net->flows[flow].packets + r->trimmed;
    const uint64_t may = (uint64_t)r->granted + nadi_pkt_initial_packets(net, flow);
    return must > may ? (uint32_t)(must - may) : 0;
}

static uint32_t owed(const struct nadi_pkt *net, uint32_t flow)
{
    const struct nadi_pkt_receiver *r = &net->receivers[flow];
    uint32_t most = needed(net, flow);
    if (r->expected == net->flows[flow].packets)
        return 0;
    if (net->cc->arrival_clocked)
        return r->owed < most ? r->owed : most;
    const uint32_t initial = nadi_pkt_initial_packets(net, flow);
    const uint32_t answered = r->arrived > initial ? r->arrived - initial : 0;
    const uint32_t flying = r->granted > answered ? r->granted - answered : 0;
    const uint32_t room = flying < initial ? initial - flying : 0;
    return room < most ? room : most;
}

static void push(struct nadi_pkt_nic *nic, uint32_t flow)
{
    if (nic->owed_count == nic->owed_capacity) {
        const uint32_t old = nic->owed_capacity, capacity = old ? old * 2 : 8;
        nic->owed = nadi_mem_realloc(nic->owed, capacity, sizeof(*nic->owed));
        for (uint32_t i = 0; i < nic->owed_first; i++) /* the wrapped part goes behind */
            nic->owed[old + i] = nic->owed[i];
        nic->owed_capacity = capacity;
    }
    nic->owed[(nic->owed_first + nic->owed_count++) & (nic->owed_capacity - 1)] = flow;
}

static uint32_t pop(struct nadi_pkt_nic *nic)
{
    const uint32_t flow = nic->owed[nic->owed_first];
    nic->owed_first = (nic->owed_first + 1) & (nic->owed_capacity - 1);
    nic->owed_count--;
    return flow;
}

/* Sends the next pull if one is due. */
static void pull(struct nadi_pkt *net, uint32_t nic_index)
{
    struct nadi_pkt_nic *nic = &net->nics[nic_index];
    const struct nadi_pkt_port *port = &net->ports[nic->port];
    while (!nic->pulling && nic->owed_count) {
        const uint32_t flow = pop(nic);
        struct nadi_pkt_receiver *r = &net->receivers[flow];
        if (owed(net, flow) == 0) {
            r->waiting = false;
            nadi_pkt_flow_unref(net, flow);
            continue;
        }
        r->granted++;
        r->owed -= r->owed > 0;
        net->totals.pulls++;
        nadi_pkt_send_back(net, flow, NADI_PKT_PULL, r->granted, 0);
        push(nic, flow);
        nic->pulling = true;
        const uint32_t bytes = net->config.payload_bytes + net->frames.data_overhead;
        nadi_pkt_schedule(net, nadi_pkt_new_cell(net, NADI_PKT_PULL_TIMER, nic_index, 0),
                          nadi_time_add(net->wheel.now, port->ticks[bytes].busy));
        nadi_pkt_nic_kick(net, nic_index);
    }
}

void nadi_pkt_pull_arrival(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_receiver *r = &net->receivers[flow];
    const uint32_t nic = net->ports[nadi_pkt_path_port(net, flow, true, 0)].owner;
    r->owed++;
    if (!r->waiting && owed(net, flow)) {
        r->waiting = true;
        net->flows[flow].live++;
        push(&net->nics[nic], flow);
    }
    pull(net, nic);
}

void nadi_pkt_pull_timer(struct nadi_pkt *net, uint32_t cell)
{
    const uint32_t nic = net->cells[cell].a;
    nadi_pkt_free_cell(net, cell);
    net->nics[nic].pulling = false;
    pull(net, nic);
}
