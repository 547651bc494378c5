/* fault: cables that fail and come back.
 *
 * When a cable goes down, what is on it and what waits for it is lost, pauses on it are forgotten,
 * and flows are routed anew; packets that are on their way find the next port from where they are.
 * A flow whose way is cut repeats after its timeout. When the cable comes back, flows are routed
 * anew again. */
#include "network/packet/queue.h"
#include "network/packet/routes.h"

static void take_down(struct nadi_pkt *net, uint32_t port_index)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    port->down = 1;
    port->paused = 0;
    if (port->is_host)
        net->nics[port->owner].quiet_until = 0;
    for (uint32_t class = 0; class < NADI_PKT_CLASSES; class ++) {
        struct nadi_pkt_queue *q = nadi_pkt_queue(net, port_index, class);
        q->pausing = 0;
        if (q->tail == NADI_NONE)
            continue;
        for (uint32_t at = q->head; at != q->sent; at = nadi_pkt_after(net, at))
            net->packets[at].word |= NADI_PKT_LOST;
    }
    nadi_pkt_switch_flush(net, port_index);
}

static void route_anew(struct nadi_pkt *net)
{
    net->rerouted = net->looks_up = true;
    for (uint32_t flow = 0; flow < net->flow_count; flow++)
        if (net->flows[flow].live && !net->flows[flow].finished)
            nadi_pkt_routes_again(net, flow);
}

void nadi_pkt_fault(struct nadi_pkt *net, uint32_t index)
{
    const struct nadi_fault *fault = &net->config.faults[index];
    const struct nadi_graph *g = net->graph;
    for (uint32_t p = g->first_port[fault->a]; p < g->first_port[fault->a + 1]; p++) {
        if (g->ports[p].peer != fault->b)
            continue;
        const uint32_t ends[] = {p, net->ports[p].peer};
        for (uint32_t i = 0; i < 2; i++) {
            if (fault->up)
                net->ports[ends[i]].down = 0;
            else if (!net->ports[ends[i]].down)
                take_down(net, ends[i]);
            nadi_pkt_routes_set(net->routes, ends[i], !fault->up);
        }
        for (uint32_t i = 0; i < 2; i++)
            if (net->ports[ends[i]].is_host)
                nadi_pkt_nic_kick(net, net->ports[ends[i]].owner);
    }
    route_anew(net);
}

void nadi_pkt_faults_schedule(struct nadi_pkt *net)
{
    for (size_t i = 0; i < net->config.fault_count; i++)
        nadi_pkt_schedule(net, nadi_pkt_new_cell(net, NADI_PKT_FAULT, (uint32_t)i, 0),
                          net->config.faults[i].at / net->tick);
}
