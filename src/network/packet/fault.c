/* fault: cables that fail, come back and change.
 *
 * When a cable goes down, what is on it and what waits for it is lost, pauses on it are forgotten,
 * and flows are routed anew; packets that are on their way find the next port from where they are.
 * A flow whose route is cut repeats after its timeout. When the cable comes back, flows are routed
 * anew again. A new rate or latency holds for what is put on the cable from then on; buffers keep
 * their headroom, and the windows of flows on their way stay. */
#include "base/mem.h"
#include "network/packet/routes.h"
#include "network/packet/telemetry.h"

void nadi_pkt_draw_loss(struct nadi_pkt *net, uint32_t port, uint32_t at)
{
    if (nadi_pkt_kind(net->packets[at].word) != NADI_PKT_PFC &&
        nadi_rng_unit(&net->rngs[port]) < (double)net->losses[port])
        net->packets[at].word |= NADI_PKT_LOST;
}

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

/* One direction of a cable; false when it is so already. */
static bool set_down(struct nadi_pkt *net, uint32_t port, bool down)
{
    if (net->ports[port].down == down)
        return false;
    if (down)
        take_down(net, port);
    else {
        net->ports[port].down = 0;
        if (net->ports[port].is_host)
            nadi_pkt_flows_go_on(net, net->ports[port].owner);
    }
    nadi_pkt_routes_set(net->routes, port, down);
    return true;
}

void nadi_pkt_fault(struct nadi_pkt *net, uint32_t index)
{
    const struct nadi_fault *fault = &net->config.faults[index];
    const struct nadi_graph *g = net->graph;
    for (uint32_t p = g->first_port[fault->a]; p < g->first_port[fault->a + 1]; p++) {
        if (g->ports[p].peer != fault->b)
            continue;
        const uint32_t ends[] = {p, net->ports[p].peer};
        for (uint32_t i = 0; i < 2; i++)
            (void)set_down(net, ends[i], !fault->up);
        for (uint32_t i = 0; i < 2; i++)
            if (net->ports[ends[i]].is_host)
                nadi_pkt_nic_kick(net, net->ports[ends[i]].owner);
    }
    net->disturbances++;
    route_anew(net);
    if (net->hooks.changed)
        net->hooks.changed(net->hooks.context, net);
}

void nadi_pkt_faults_schedule(struct nadi_pkt *net)
{
    for (size_t i = 0; i < net->config.fault_count; i++)
        nadi_pkt_schedule(net, nadi_pkt_new_cell(net, NADI_PKT_FAULT, (uint32_t)i, 0),
                          net->config.faults[i].at / net->tick);
}

static void set_line_rate(struct nadi_pkt *net, uint32_t flow, uint64_t rate)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (f->line_rate == rate)
        return;
    const uint64_t next = f->rate == f->line_rate ? rate : nadi_min_u64(f->rate, rate);
    f->line_rate = rate;
    nadi_pkt_set_rate(net, flow, next, false);
    nadi_pkt_nic_refresh(net, flow);
}

/* Flows that are on their way keep their share of the NIC's rate. */
static void set_nic_rate(struct nadi_pkt *net, uint32_t nic_index, uint64_t rate)
{
    const struct nadi_pkt_nic *nic = &net->nics[nic_index];
    for (uint32_t i = 0; i < nic->count; i++)
        if (!net->flows[nic->flows[i]].at_path_rate)
            set_line_rate(net, nic->flows[i], rate);
}

/* And those that go at the rate of their route's slowest cable, whichever has changed. */
static void set_path_rates(struct nadi_pkt *net)
{
    for (uint32_t i = 0; i < net->nic_count; i++)
        for (uint32_t slot = 0; slot < net->nics[i].count; slot++) {
            const uint32_t flow = net->nics[i].flows[slot];
            nadi_time rtt;
            uint64_t slowest;
            if (!net->flows[flow].at_path_rate)
                continue;
            nadi_pkt_routes_own_rtt(net, flow, &rtt, &slowest);
            set_line_rate(net, flow, slowest);
        }
}

static void set_cable(struct nadi_pkt *net, uint32_t port_index, const struct nadi_pkt_cable *c)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    if (net->rates[port->rate] != c->bits_per_s) {
        nadi_pkt_set_port_rate(net, port_index, c->bits_per_s);
        if (port->is_host)
            set_nic_rate(net, port->owner, net->rates[port->rate]);
    }
    net->former_latency = nadi_max_i64(net->former_latency, port->latency);
    port->latency = c->latency;
    net->still_after = nadi_max_i64(net->still_after, nadi_pkt_still_after(net, port_index));
}

void nadi_pkt_cables_change(struct nadi_pkt *net, const struct nadi_pkt_cable *cables, size_t count)
{
    const struct nadi_graph *g = net->graph;
    uint32_t *port_of = NADI_NEW(uint32_t, 2 * (size_t)g->link_count); /* by channel of a link */
    bool cut = false;
    net->disturbances++;
    for (uint32_t n = 0; n < g->node_count; n++)
        for (uint32_t p = g->first_port[n]; p < g->first_port[n + 1]; p++)
            port_of[nadi_graph_channel(g, n, p)] = p;
    for (size_t i = 0; i < count; i++)
        set_cable(net, port_of[cables[i].channel], &cables[i]);
    nadi_pkt_cut_through(net);
    for (size_t i = 0; i < count; i++)
        cut |= set_down(net, port_of[cables[i].channel], cables[i].down);
    nadi_pkt_int_init(net); /* codes of new rates */
    if (cut)
        route_anew(net);
    set_path_rates(net);
    for (size_t i = 0; i < count; i++) {
        const struct nadi_pkt_port *port = &net->ports[port_of[cables[i].channel]];
        if (port->is_host) {
            net->nics[port->owner].quiet_until = 0;
            nadi_pkt_nic_wake(net, port->owner);
        }
    }
    nadi_mem_free(port_of);
}
