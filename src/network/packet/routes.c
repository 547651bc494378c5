/* routes: shortest paths and ECMP.
 *
 * A tree holds, for every switch, the ports on shortest paths to one root; it is built when first
 * needed. The root is the switch of hosts with a single cable (all of them share one tree), else
 * the host itself. A flow's path is found once by walking the tree; which of several ports a switch
 * takes is the hash of platform/routing.h, by the flow's number among those of its pair. ACKs hash
 * their own, reversed ends.
 *
 * Where each flow has one route (all routings but adaptive), it is that of platform/routing.h, as
 * in the other models, until a link goes down.
 *
 * A route through a node that forwards only so much leads over its server (forwarding.h).
 *
 * Exact mode: the hash is MurmurHash3 (Appleby, public domain) of the flow's addresses with the
 * switch's number as seed, modulo the count of ports. Neighbours are visited in order of node
 * number, and of parallel cables only the last one counts. A host with several cables has them in
 * the order in which the search from the destination finds their switches, and hashes with ns-3's
 * own seed. Otherwise: in order of ports.
 */
#include "network/packet/routes.h"

#include "base/mem.h"
#include "network/packet/forwarding.h"
#include "network/packet/packet.h"
#include "network/packet/routes_inside.h"

#define NS3_HASH_SEED 0x8badf00dU /* of its hash functions where none is given */

static uint32_t rotl(uint32_t x, int r)
{
    return x << r | x >> (32 - r);
}

static uint32_t murmur3(const uint32_t *words, uint32_t count, uint32_t seed)
{
    uint32_t h = seed;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t k = rotl(words[i] * 0xcc9e2d51U, 15) * 0x1b873593U;
        h = rotl(h ^ k, 13) * 5 + 0xe6546b64U;
    }
    h ^= count * 4;
    h = (h ^ h >> 16) * 0x85ebca6bU;
    h = (h ^ h >> 13) * 0xc2b2ae35U;
    return h ^ h >> 16;
}

uint32_t nadi_pkt_address(uint32_t node)
{
    return 0x0b000001U + (node / 256 << 16) + (node % 256 << 8);
}

/* The neighbour, and which ways its cable leads. */
uint32_t nadi_pkt_root_of(const struct nadi_pkt *net, uint32_t host)
{
    const struct nadi_graph *g = net->graph;
    const struct nadi_graph_port *port = &g->ports[g->first_port[host]];
    if (nadi_graph_degree(g, host) == 1 && g->nodes[port->peer].kind == NADI_GRAPH_SWITCH)
        return port->peer;
    return host;
}

struct walk { /* from one host towards another */
    const struct nadi_pkt *net;
    const struct nadi_pkt_tree *tree;
    uint32_t node, dst;
    uint32_t hash[3];  /* exact: of the flow's addresses */
    uint64_t key;      /* else */
    bool first_choice; /* always the first choice instead of the hash's */
    bool adaptive;     /* the least loaded choice */
};

/* The hash's choice, or where it is adaptive that with the least load, of equal ones the first from
 * the hash's on. */
static uint32_t choose(const struct walk *w, const uint32_t *choices, uint32_t count)
{
    if (w->first_choice || count == 1)
        return choices[0];
    const bool host = w->net->graph->nodes[w->node].kind == NADI_GRAPH_HOST;
    const uint32_t first = w->net->config.exact
                               ? murmur3(w->hash, 3, host ? NS3_HASH_SEED : w->node) % count
                               : nadi_routing_pick(w->key, w->node, count);
    if (!w->adaptive)
        return choices[first];
    uint32_t best = choices[first];
    double least = -1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t port = choices[(first + i) % count];
        const double load =
            (double)w->net->routes->load[port] / (double)w->net->rates[w->net->ports[port].rate];
        if (least < 0 || load < least) {
            least = load;
            best = port;
        }
    }
    return best;
}

/* When the search found the switch that a host's port leads to. */
static uint32_t found_at(const struct walk *w, uint32_t port)
{
    const uint32_t s = w->net->routes->switch_of[w->net->graph->ports[port].peer];
    return s != NADI_NONE ? w->tree->rank[s] : 0;
}

/* Which of a host's cables: those that have a shortest path, of them those of the lowest dimension,
 * as platform/routing.h has it (not in exact mode), by the hash. */
static uint32_t host_port(const struct walk *w, uint32_t host)
{
    const struct nadi_graph *g = w->net->graph;
    const struct nadi_pkt_routes *r = w->net->routes;
    uint32_t choices[64], count = 0;
    uint64_t least = UINT64_MAX; /* hops, then dimension */
    for (uint32_t k = r->first[host]; k < r->first[host + 1]; k++) {
        const uint32_t port = r->order[k], peer = g->ports[port].peer;
        const uint32_t s = r->switch_of[peer];
        const uint32_t hops = peer == w->dst ? 0 : s != NADI_NONE ? w->tree->hops[s] : UINT16_MAX;
        const uint32_t dim = w->net->config.exact ? 0 : g->links[g->ports[port].link].dim;
        const uint64_t rank = (uint64_t)hops << 32 | dim;
        if (r->closed[port] & (DOWN | NO_OUT) || hops == UINT16_MAX || rank > least)
            continue;
        if (rank < least)
            count = 0;
        least = rank;
        if (count == 64)
            continue;
        uint32_t at = count++;
        for (; w->tree->rank && at > 0 && found_at(w, choices[at - 1]) > found_at(w, port); at--)
            choices[at] = choices[at - 1];
        choices[at] = port;
    }
    if (!count)
        return NADI_NONE;
    return choose(w, choices, count);
}

/* The port that the walk takes next; NADI_NONE when there is no route. */
static uint32_t next_port(const struct walk *w)
{
    const struct nadi_graph *g = w->net->graph;
    const uint32_t s = w->net->routes->switch_of[w->node];
    if (s == NADI_NONE)
        return host_port(w, w->node);
    if (w->node == w->tree->root) {
        const struct nadi_graph_port *last = &g->ports[g->first_port[w->dst]];
        const uint32_t port = g->first_port[w->node] + last->peer_port;
        return w->net->routes->closed[port] & (DOWN | NO_OUT) ? NADI_NONE : port;
    }
    const uint32_t *choices = w->tree->ports + w->tree->first[s];
    const uint32_t count = w->tree->first[s + 1] - w->tree->first[s];
    if (!count)
        return NADI_NONE;
    return choose(w, choices, count);
}

static void longer_paths(struct nadi_pkt *net)
{
    const uint32_t old = net->path_hops, hops = old * 2;
    uint32_t *paths = NADI_NEW(uint32_t, net->flow_capacity * 2 * hops);
    for (size_t i = 0; i < net->flow_capacity * 2; i++) {
        memcpy(paths + i * hops, net->paths + i * old, old * sizeof(*paths));
        memset(paths + i * hops + old, 0xff, old * sizeof(*paths)); /* NONE */
    }
    nadi_mem_free(net->paths);
    net->paths = paths;
    net->path_hops = hops;
    net->path_shift++;
}

/* Of a flow among those of its pair. */
static uint64_t number_of(const struct nadi_pkt_info *info)
{
    return (uint16_t)(info->sport - NADI_PKT_FIRST_PORT);
}

static struct walk walk_of(const struct nadi_pkt *net, uint32_t flow, bool back)
{
    const struct nadi_pkt_info *info = &net->infos[flow];
    const uint32_t *hosts = net->graph->hosts;
    const uint32_t src = hosts[back ? info->dst : info->src];
    const uint32_t dst = hosts[back ? info->src : info->dst];
    const uint32_t sport = back ? info->dport : info->sport;
    const uint32_t dport = back ? info->sport : info->dport;
    return (struct walk){
        .net = net,
        .tree = nadi_pkt_tree_to(net, nadi_pkt_root_of(net, dst)),
        .node = src,
        .dst = dst,
        .hash = {nadi_pkt_address(src), nadi_pkt_address(dst), sport | dport << 16},
        .key = nadi_routing_key(net->routes->seed, back ? info->dst : info->src,
                                back ? info->src : info->dst, number_of(info)),
        .first_choice = net->config.spreading == NADI_SPREADING_NONE,
        .adaptive = net->routes->load && !back,
    };
}

static uint32_t *ports_of(const struct nadi_pkt *net, uint32_t flow, bool back)
{
    return net->paths + ((size_t)flow * 2 + back) * net->path_hops;
}

static bool set_hop(struct nadi_pkt *net, uint32_t flow, bool back, uint32_t hop, uint32_t port)
{
    net->routes->too_far |= port != NADI_NONE && hop == NADI_PKT_MAX_HOPS;
    if (port == NADI_NONE || hop == NADI_PKT_MAX_HOPS)
        return false;
    while (hop >= net->path_hops)
        longer_paths(net);
    ports_of(net, flow, back)[hop] = port;
    return true;
}

/* Over the server of a node that has one; false when the route is too long. */
static bool pass_server(struct nadi_pkt *net, uint32_t flow, bool back, uint32_t *hop,
                        uint32_t node)
{
    const struct nadi_pkt_info *info = &net->infos[flow];
    const uint32_t *hosts = net->graph->hosts;
    const uint32_t server = nadi_pkt_server_of(net, node, hosts[info->src], hosts[info->dst]);
    return server == NADI_NONE || set_hop(net, flow, back, (*hop)++, server);
}

/* There is nothing behind the route's last hop: packets that were led off it count their hops on.
 */
static bool end_path(struct nadi_pkt *net, uint32_t flow, bool back, uint32_t hops)
{
    for (uint32_t hop = hops; hop < net->path_hops; hop++)
        ports_of(net, flow, back)[hop] = NADI_NONE;
    return true;
}

/* Follows the hash from where the walk is; hop: of the next port. */
static bool find_from(struct nadi_pkt *net, uint32_t flow, bool back, struct walk w, uint32_t hop)
{
    for (; w.node != w.dst; hop++) {
        if (!pass_server(net, flow, back, &hop, w.node))
            return false;
        const uint32_t port = next_port(&w);
        if (!set_hop(net, flow, back, hop, port))
            return false;
        w.node = net->graph->ports[port].peer;
    }
    return end_path(net, flow, back, hop);
}

void nadi_pkt_set_routing(struct nadi_pkt *net, const struct nadi_routing_config *config)
{
    net->routes->seed = config->seed;
    if (!net->config.exact && net->config.spreading != NADI_SPREADING_NONE &&
        config->scheme != NADI_ROUTE_NONE && config->scheme != NADI_ROUTE_ADAPTIVE)
        net->routes->given = nadi_routing_create(net->graph, config);
    if (!net->config.exact && config->scheme == NADI_ROUTE_ADAPTIVE)
        net->routes->load = NADI_ZNEW(uint64_t, net->port_count);
}

/* The flow's bytes come to, or go from, the load of its route. */
static void add_load(struct nadi_pkt *net, uint32_t flow, bool comes)
{
    const uint64_t bytes = net->infos[flow].load_bytes;
    for (uint32_t hop = 0; net->routes->load && hop < net->path_hops; hop++) {
        const uint32_t port = nadi_pkt_path_port(net, flow, false, hop);
        net->routes->load[port] += comes ? bytes : -bytes;
        if (net->ports[port].to_host)
            break;
    }
}

void nadi_pkt_routes_load(struct nadi_pkt *net, uint32_t flow, int64_t bytes)
{
    if (!net->routes->load)
        return;
    add_load(net, flow, false);
    net->infos[flow].load_bytes += (uint64_t)bytes;
    add_load(net, flow, true);
}

/* A port of the node that leads to a node beside it; link NONE: over any cable. */
static uint32_t port_to(const struct nadi_graph *g, uint32_t node, uint32_t peer, uint32_t link)
{
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++)
        if (link == NADI_NONE ? g->ports[p].peer == peer : g->ports[p].link == link)
            return p;
    return NADI_NONE;
}

/* The route of platform/routing.h, which leaves out the cables on board at its ends. */
static bool find_given(struct nadi_pkt *net, uint32_t flow, bool back)
{
    const struct nadi_graph *g = net->graph;
    const struct nadi_pkt_info *info = &net->infos[flow];
    const uint32_t src = back ? info->dst : info->src, dst = back ? info->src : info->dst;
    struct nadi_route *route = &net->routes->route;
    uint32_t node = g->hosts[src], hop = 0;
    if (!nadi_routing_find(net->routes->given, src, dst, number_of(info), route))
        return false;
    for (size_t i = 0; i <= route->count; i++) {
        uint32_t from = g->hosts[dst], to = NADI_NONE;
        if (i < route->count && !nadi_graph_channel_is_link(g, route->items[i]))
            continue;
        if (i < route->count)
            nadi_graph_channel_ends(g, route->items[i], &from, &to);
        if (node != from && (!pass_server(net, flow, back, &hop, node) ||
                             !set_hop(net, flow, back, hop++, port_to(g, node, from, NADI_NONE))))
            return false;
        if (i < route->count &&
            (!pass_server(net, flow, back, &hop, from) ||
             !set_hop(net, flow, back, hop++, port_to(g, from, to, route->items[i] / 2))))
            return false;
        node = to;
    }
    return end_path(net, flow, back, hop);
}

static bool find_one(struct nadi_pkt *net, uint32_t flow, bool back)
{
    if (net->routes->given && !net->rerouted)
        return find_given(net, flow, back);
    return find_from(net, flow, back, walk_of(net, flow, back), 0);
}

/* Both ends keep the cable that they began with. A cut route stays, as a whole: packets on it are
 * lost. */
void nadi_pkt_routes_again(struct nadi_pkt *net, uint32_t flow)
{
    const uint32_t hops = net->path_hops;
    uint32_t *kept = NADI_NEW(uint32_t, hops);
    add_load(net, flow, false);
    for (uint32_t back = 0; back < 2; back++) {
        struct walk w = walk_of(net, flow, back);
        w.node = net->graph->ports[nadi_pkt_path_port(net, flow, back, 0)].peer;
        memcpy(kept, ports_of(net, flow, back), hops * sizeof(*kept));
        if (!find_from(net, flow, back, w, 1)) {
            memcpy(ports_of(net, flow, back), kept, hops * sizeof(*kept));
            (void)end_path(net, flow, back, hops);
        }
    }
    add_load(net, flow, true);
    nadi_mem_free(kept);
}

uint32_t nadi_pkt_routes_step(struct nadi_pkt *net, uint32_t node, uint32_t flow, bool back)
{
    struct walk w = walk_of(net, flow, back);
    w.node = node;
    return next_port(&w);
}

uint32_t nadi_pkt_routes_spray(struct nadi_pkt *net, uint32_t node, uint32_t flow, bool back,
                               uint32_t seq, bool first)
{
    const struct nadi_pkt_info *info = &net->infos[flow];
    const uint32_t dst = net->graph->hosts[back ? info->src : info->dst];
    const struct nadi_pkt_routes *r = net->routes;
    const uint32_t root = nadi_pkt_root_of(net, dst);
    struct walk w = {.net = net, .tree = nadi_pkt_tree_to(net, root), .node = node, .dst = dst};
    const uint32_t s = r->switch_of[node];
    if (node == root || s == NADI_NONE)
        return next_port(&w);
    const uint32_t *choices = w.tree->ports + w.tree->first[s];
    const uint32_t count = w.tree->first[s + 1] - w.tree->first[s];
    if (count < 2)
        return count ? choices[0] : NADI_NONE;
    const uint32_t words[2] = {info->src << 16 ^ info->dst ^ info->sport, seq};
    /* The first switch deals a flow's packets out in turn; later ones choose by number. */
    const uint32_t key =
        first ? murmur3(words, 1, net->config.seed & UINT32_MAX) + seq : murmur3(words, 2, node);
    return choices[key % count];
}

const char *nadi_pkt_too_far(const struct nadi_pkt *net)
{
    const struct nadi_pkt_routes *r = net->routes;
    return r->too_far || (r->given && nadi_routing_too_far(r->given))
               ? "the route of a message has more than 1,023 links: packets count no more hops"
               : NULL;
}

bool nadi_pkt_routes_find(struct nadi_pkt *net, uint32_t flow)
{
    if (!find_one(net, flow, false) || !find_one(net, flow, true))
        return false;
    net->flows[flow].turns = nadi_pkt_route_turns(net, flow, false);
    net->flows[flow].turns_back = nadi_pkt_route_turns(net, flow, true);
    add_load(net, flow, true);
    return true;
}

/* Adds a port of the route to what is told of it. */
static void add_hop(const struct nadi_pkt *net, uint32_t port, bool back, nadi_time *rtt,
                    uint64_t *rate)
{
    const uint64_t port_rate = net->rates[net->ports[port].rate];
    nadi_time hop;
    if (!back)
        *rate = nadi_min_u64(*rate, port_rate);
    if (net->config.exact)
        hop = nadi_time_add(
            nadi_time_mul(net->ports[port].latency, 2),
            (nadi_time)(net->config.payload_bytes * UINT64_C(8000000000) / port_rate));
    else
        hop = nadi_pkt_time_of(net, port,
                               back ? net->frames.ack
                                    : net->config.payload_bytes + net->frames.data_overhead);
    *rtt = nadi_time_add(*rtt, hop);
}

void nadi_pkt_routes_rtt(struct nadi_pkt *net, uint32_t src, uint32_t dst, nadi_time *rtt,
                         uint64_t *rate)
{
    const uint32_t ends[] = {net->graph->hosts[src], net->graph->hosts[dst]};
    *rtt = 0;
    *rate = UINT64_MAX;
    for (uint32_t back = 0; back < (net->config.exact ? 1 : 2); back++) {
        struct walk w = {
            .net = net,
            .tree = nadi_pkt_tree_to(net, nadi_pkt_root_of(net, ends[!back])),
            .node = ends[back],
            .dst = ends[!back],
            .first_choice = true,
        };
        while (w.node != w.dst) {
            const uint32_t port = next_port(&w);
            if (port == NADI_NONE) {
                *rtt = 0;
                *rate = 0;
                return;
            }
            const uint32_t server = nadi_pkt_server_of(net, w.node, ends[0], ends[1]);
            if (server != NADI_NONE)
                add_hop(net, server, back, rtt, rate);
            add_hop(net, port, back, rtt, rate);
            w.node = net->graph->ports[port].peer;
        }
    }
}
