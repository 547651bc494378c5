#include "network/packet/forwarding.h"

#include "base/mem.h"
#include "network/packet/routes.h"
#include "network/packet/telemetry.h"

/* ---- routes ---------------------------------------------------------------------------------- */

static uint32_t inside_of(const struct nadi_pkt *net, uint32_t node)
{
    return net->inside ? net->inside[node] : NADI_NONE;
}

/* The port towards the packet's destination; NADI_NONE when there is no route. */
static uint32_t look_up(struct nadi_pkt *net, uint32_t node, const struct nadi_pkt_packet *packet,
                        bool first)
{
    const bool back = nadi_pkt_backwards(packet->word);
    const uint32_t hop = nadi_pkt_hop(packet->word);
    uint32_t out =
        hop < net->path_hops ? nadi_pkt_path_port(net, packet->flow, back, hop) : NADI_NONE;
    if (net->spraying)
        out = nadi_pkt_routes_spray(net, node, packet->flow, back, packet->seq, first);
    else if (out >= net->port_count || net->ports[out].node != node || net->ports[out].down ||
             out == inside_of(net, node))
        out = nadi_pkt_routes_step(net, node, packet->flow, back);
    return out == NADI_NONE || net->ports[out].down ? NADI_NONE : out;
}

/* ---- classes ------------------------------------------------------------------------------- */

/* One more class comes in at the port, besides the flows' own, which was provided for when the
 * network was built: its reserve and headroom leave the pool, as far as there is one. */
static void provide(struct nadi_pkt *net, uint32_t port, uint32_t class)
{
    struct nadi_pkt_switch *s = &net->switches[net->ports[port].owner];
    const int64_t needs =
        (int64_t)net->ports[port].headroom_bytes + (int64_t)net->config.reserve_bytes;
    s->pool_bytes -= needs < s->pool_bytes ? needs : s->pool_bytes;
    net->classes_in[port] |= (uint8_t)(1U << class);
    net->disturbances++;
}

static uint32_t class_behind(struct nadi_pkt *net, uint32_t flow, uint32_t in, uint32_t out)
{
    const uint32_t class = in % NADI_PKT_CLASSES, port = in / NADI_PKT_CLASSES;
    if (!net->up || class == 0)
        return class;
    if (class != net->flows[flow].class && !(net->classes_in[port] >> class & 1))
        provide(net, port, class);
    return class + (class + 1 < NADI_PKT_CLASSES && net->up[port] && net->up[out]);
}

bool nadi_pkt_route_turns(const struct nadi_pkt *net, uint32_t flow, bool back)
{
    for (uint32_t hop = 1; net->up && !net->inside; hop++) {
        const uint32_t in = net->ports[nadi_pkt_path_port(net, flow, back, hop - 1)].peer;
        if (net->ports[in].is_host)
            break;
        if (net->up[in] && net->up[nadi_pkt_path_port(net, flow, back, hop)])
            return true;
    }
    return false;
}

/* ---- nodes that forward only so much ------------------------------------------------------- */

/* NPUs have cables without a dimension to routers on board only, which reduce nothing. */
static bool is_end_of(const struct nadi_graph *g, uint32_t node, uint32_t host)
{
    const struct nadi_graph_port *port = &g->ports[g->first_port[host]];
    return port->peer == node && g->links[port->link].dim == NADI_NONE &&
           g->nodes[node].in_switch_bytes_per_ns > 0;
}

uint32_t nadi_pkt_server_of(const struct nadi_pkt *net, uint32_t node, uint32_t src, uint32_t dst)
{
    const uint32_t server = inside_of(net, node);
    const bool own = server != NADI_NONE &&
                     (is_end_of(net->graph, node, src) || is_end_of(net->graph, node, dst));
    return own ? NADI_NONE : server;
}

/* The packet leaves the server: what a port's way out would do to it. */
static void leave_server(struct nadi_pkt *net, uint32_t server, uint32_t at)
{
    const uint32_t queued = nadi_pkt_queued_bytes(net, server);
    if (nadi_pkt_should_mark(net, server, queued)) {
        net->packets[at].word |= NADI_PKT_MARKED;
        net->totals.marked++;
    }
    if (net->carries)
        nadi_pkt_telemetry_add(net, server, at, net->packets[at].word, queued);
}

struct nadi_pkt_forwarding nadi_pkt_forwarding_find(struct nadi_pkt *net, uint32_t port,
                                                    uint32_t at, uint32_t queue)
{
    struct nadi_pkt_packet *packet = &net->packets[at];
    const struct nadi_pkt_info *info = &net->infos[packet->flow];
    const uint32_t *hosts = net->graph->hosts, node = net->ports[port].node;
    const uint32_t server = nadi_pkt_server_of(net, node, hosts[info->src], hosts[info->dst]);
    const uint32_t from = queue / NADI_PKT_CLASSES;
    const bool served = server != NADI_NONE && from == server;
    struct nadi_pkt_forwarding p = {.held = served, .in = packet->in};
    if (served)
        leave_server(net, server, at);
    else { /* hosts send answers before data, whatever their class */
        const uint32_t class = (net->ports[from].is_host ? packet->in : queue) % NADI_PKT_CLASSES;
        p.in = port * NADI_PKT_CLASSES + class;
        p.out = server;
        if (server != NADI_NONE && class != 0 && !nadi_pkt_backwards(packet->word))
            return p;
        if (server != NADI_NONE)
            packet->word += NADI_PKT_HOP; /* past the server */
    }
    p.out = look_up(net, node, packet, net->ports[p.in / NADI_PKT_CLASSES].to_host);
    p.class = p.out == NADI_NONE ? 0 : class_behind(net, packet->flow, p.in, p.out);
    return p;
}

/* ---- the order of nodes -------------------------------------------------------------------- */

struct order {
    const struct nadi_graph *g;
    uint32_t *from_hosts; /* [node] hops */
    uint32_t *from_top;   /* [node] hops, within its part of the network */
    uint32_t *queue;
};

/* Breadth first from the `found` nodes in the queue over switches that were not seen. */
static void spread(const struct order *o, uint32_t *distance, uint32_t found)
{
    for (uint32_t i = 0; i < found; i++) {
        const uint32_t node = o->queue[i];
        for (uint32_t p = o->g->first_port[node]; p < o->g->first_port[node + 1]; p++) {
            const uint32_t peer = o->g->ports[p].peer;
            if (distance[peer] != NADI_NONE || o->g->nodes[peer].kind == NADI_GRAPH_HOST)
                continue;
            distance[peer] = distance[node] + 1;
            o->queue[found++] = peer;
        }
    }
}

static void measure(const struct order *o)
{
    const struct nadi_graph *g = o->g;
    for (uint32_t n = 0; n < g->node_count; n++)
        o->from_hosts[n] = o->from_top[n] = NADI_NONE;
    uint32_t most = 0;
    for (uint32_t h = 0; h < g->host_count; h++) {
        o->queue[h] = g->hosts[h];
        o->from_hosts[g->hosts[h]] = 0;
    }
    spread(o, o->from_hosts, g->host_count);
    for (uint32_t n = 0; n < g->node_count; n++)
        if (o->from_hosts[n] != NADI_NONE && o->from_hosts[n] > most)
            most = o->from_hosts[n];
    for (; most > 0; most--) /* a top for each part, the highest there is */
        for (uint32_t n = 0; n < g->node_count; n++)
            if (o->from_hosts[n] == most && o->from_top[n] == NADI_NONE) {
                o->queue[0] = n;
                o->from_top[n] = 0;
                spread(o, o->from_top, 1);
            }
}

static bool is_above(const struct order *o, uint32_t a, uint32_t b)
{
    if (o->from_hosts[a] != o->from_hosts[b])
        return o->from_hosts[a] > o->from_hosts[b];
    return o->from_top[a] != o->from_top[b] ? o->from_top[a] < o->from_top[b] : a < b;
}

void nadi_pkt_forwarding_order(struct nadi_pkt *net)
{
    const struct nadi_graph *g = net->graph;
    const uint32_t ports = g->first_port[g->node_count];
    if (net->config.exact)
        return;
    const struct order o = {
        .g = g,
        .from_hosts = NADI_NEW(uint32_t, g->node_count),
        .from_top = NADI_NEW(uint32_t, g->node_count),
        .queue = NADI_NEW(uint32_t, g->node_count),
    };
    measure(&o);
    net->up = NADI_ARENA_ZNEW(&net->arena, uint8_t, ports);
    net->classes_in = NADI_ARENA_ZNEW(&net->arena, uint8_t, ports);
    for (uint32_t n = 0; n < g->node_count; n++)
        for (uint32_t p = g->first_port[n]; p < g->first_port[n + 1]; p++)
            net->up[p] = is_above(&o, g->ports[p].peer, n);
    nadi_mem_free(o.from_hosts);
    nadi_mem_free(o.from_top);
    nadi_mem_free(o.queue);
}
