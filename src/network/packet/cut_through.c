/* cut_through: when a switch may go on with a packet that comes in.
 *
 * It begins to send a packet as soon as it has its header, unless its way out is faster than its
 * way in: then so late that the packet's end does not leave before it has come. Which way a packet
 * takes is not known when it leaves for the switch, so the fastest of the switch's cables counts:
 * with rates C in and F there, s bytes may go on after max(header / C, s / C - s / F). Nothing
 * waits for less than all of a packet that an NPU takes, or the router of an NPU, which passes it
 * on in no time. Off with `switching: store-and-forward`, and in exact mode. */
#include "network/packet/internal.h"

struct nadi_pkt_onward { /* transmissions at a rate to a switch, whose fastest cable has a rate */
    struct nadi_pkt_onward *next;
    uint16_t rate, fastest;
    struct nadi_pkt_ticks *ticks; /* [bytes] */
};

static const struct nadi_pkt_ticks *ticks_of(struct nadi_pkt *net, uint16_t rate, uint16_t fastest)
{
    if (net->rates[fastest] < net->rates[rate])
        fastest = rate; /* the header is all that counts */
    for (const struct nadi_pkt_onward *o = net->onward; o; o = o->next)
        if (o->rate == rate && o->fastest == fastest)
            return o->ticks;
    const uint32_t sizes = nadi_pkt_sizes(net);
    const struct nadi_pkt_ticks *in = net->tx_ticks[rate], *out = net->tx_ticks[fastest];
    struct nadi_pkt_onward *o = NADI_ARENA_NEW(&net->arena, struct nadi_pkt_onward, 1);
    *o = (struct nadi_pkt_onward){net->onward, rate, fastest,
                                  NADI_ARENA_NEW(&net->arena, struct nadi_pkt_ticks, sizes)};
    net->onward = o;
    for (uint32_t bytes = 0; bytes < sizes; bytes++) {
        const uint32_t busy = in[bytes].busy, header = in[net->frames.header].busy;
        const uint32_t later = nadi_max_u32(header, busy - out[bytes].busy);
        o->ticks[bytes] = (struct nadi_pkt_ticks){busy, nadi_min_u32(busy, later)};
    }
    return o->ticks;
}

void nadi_pkt_cut_through(struct nadi_pkt *net)
{
    const struct nadi_graph *g = net->graph;
    if (net->config.exact || net->config.switching == NADI_SWITCHING_STORE)
        return;
    for (uint32_t n = 0; n < g->node_count; n++) {
        const uint32_t first = g->first_port[n], end = g->first_port[n + 1];
        uint32_t fastest = first;
        bool routes_npu = false;
        for (uint32_t p = first; p < end; p++) {
            routes_npu |= nadi_pkt_is_on_board(net, p);
            if (net->rates[net->ports[p].rate] > net->rates[net->ports[fastest].rate])
                fastest = p;
        }
        if (g->nodes[n].kind == NADI_GRAPH_HOST || routes_npu)
            continue;
        for (uint32_t p = first; p < end; p++) {
            struct nadi_pkt_port *in = &net->ports[net->ports[p].peer];
            in->ticks = ticks_of(net, in->rate, net->ports[fastest].rate);
        }
    }
}
