/* routes_trees: the ports on shortest paths to a root, for every switch. */
#include "base/mem.h"
#include "network/packet/routes_inside.h"

static uint64_t rank_of(const struct nadi_graph *g, const uint8_t *closed, uint32_t port)
{
    return (uint64_t)g->ports[port].peer << 8 | closed[port];
}

/* Visits the neighbours of a node in order of number, each once, by the last of its cables. */
static uint32_t sort_ports(const struct nadi_graph *g, const uint8_t *closed, uint32_t *order,
                           uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t port = order[i];
        uint32_t at = i;
        for (; at > 0 && rank_of(g, closed, order[at - 1]) > rank_of(g, closed, port); at--)
            order[at] = order[at - 1];
        order[at] = port;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i + 1 == count || rank_of(g, closed, order[i]) != rank_of(g, closed, order[i + 1]))
            order[kept++] = order[i];
    return kept;
}

struct nadi_pkt_routes *nadi_pkt_routes_create(const struct nadi_pkt *net)
{
    const struct nadi_graph *g = net->graph;
    struct nadi_pkt_routes *r = NADI_ZNEW(struct nadi_pkt_routes, 1);
    const uint32_t nodes = g->node_count, ports = g->first_port[nodes];
    r->tree_of = NADI_NEW(uint32_t, nodes);
    r->order = NADI_NEW(uint32_t, ports);
    r->first = NADI_NEW(uint32_t, (size_t)nodes + 1);
    r->switch_of = NADI_NEW(uint32_t, nodes);
    r->closed = NADI_ZNEW(uint8_t, ports);
    r->distance = NADI_NEW(uint32_t, nodes);
    r->queue = NADI_NEW(uint32_t, nodes);
    uint32_t used = 0, switches = 0;
    for (uint32_t n = 0; n < nodes; n++) {
        r->tree_of[n] = NADI_NONE;
        r->switch_of[n] = g->nodes[n].kind == NADI_GRAPH_SWITCH ? switches++ : NADI_NONE;
        r->first[n] = used;
        const uint32_t degree = nadi_graph_degree(g, n);
        for (uint32_t p = 0; p < degree; p++) {
            const uint32_t port = g->first_port[n] + p;
            const struct nadi_graph_link *link = &g->links[g->ports[port].link];
            r->order[used + p] = port;
            r->closed[port] = !link->one_way ? 0 : link->a == n ? NO_IN : NO_OUT;
        }
        used += net->config.exact ? sort_ports(g, r->closed, r->order + used, degree) : degree;
    }
    r->first[nodes] = used;
    return r;
}

static void drop_trees(struct nadi_pkt_routes *r)
{
    for (size_t i = 0; i < r->count; i++) {
        r->tree_of[r->items[i].root] = NADI_NONE;
        nadi_mem_free(r->items[i].first);
        nadi_mem_free(r->items[i].ports);
        nadi_mem_free(r->items[i].hops);
        nadi_mem_free(r->items[i].rank);
    }
    r->count = 0;
}

void nadi_pkt_routes_destroy(struct nadi_pkt_routes *r)
{
    if (!r)
        return;
    drop_trees(r);
    nadi_routing_destroy(r->given);
    nadi_mem_free(r->load);
    nadi_mem_free(r->route.items);
    nadi_mem_free(r->items);
    nadi_mem_free(r->tree_of);
    nadi_mem_free(r->order);
    nadi_mem_free(r->first);
    nadi_mem_free(r->switch_of);
    nadi_mem_free(r->closed);
    nadi_mem_free(r->distance);
    nadi_mem_free(r->queue);
    nadi_mem_free(r);
}

void nadi_pkt_routes_set(struct nadi_pkt_routes *r, uint32_t port, bool down)
{
    r->closed[port] = (uint8_t)((r->closed[port] & ~DOWN) | (down ? DOWN : 0));
    drop_trees(r);
}

/* Breadth first from the root; hosts are end points. Returns the number of nodes found. */
static uint32_t search(const struct nadi_graph *g, struct nadi_pkt_routes *r, uint32_t root)
{
    uint32_t found = 0;
    for (uint32_t n = 0; n < g->node_count; n++)
        r->distance[n] = NADI_NONE;
    r->distance[root] = 0;
    r->queue[found++] = root;
    for (uint32_t i = 0; i < found; i++) {
        const uint32_t node = r->queue[i];
        if (i > 0 && g->nodes[node].kind != NADI_GRAPH_SWITCH)
            continue;
        for (uint32_t k = r->first[node]; k < r->first[node + 1]; k++) {
            const uint32_t peer = g->ports[r->order[k]].peer;
            if (r->closed[r->order[k]] & (DOWN | NO_IN) || r->distance[peer] != NADI_NONE)
                continue;
            r->distance[peer] = r->distance[node] + 1;
            r->queue[found++] = peer;
        }
    }
    return found;
}

/* Calls for each (switch, port towards the root), switches' ports in order of discovery. */
static void each_path(const struct nadi_graph *g, const struct nadi_pkt_routes *r, uint32_t found,
                      struct nadi_pkt_tree *t, uint32_t *fill)
{
    for (uint32_t i = 0; i < found; i++) {
        const uint32_t node = r->queue[i];
        if (i > 0 && g->nodes[node].kind != NADI_GRAPH_SWITCH)
            continue;
        for (uint32_t k = r->first[node]; k < r->first[node + 1]; k++) {
            const struct nadi_graph_port *port = &g->ports[r->order[k]];
            const uint32_t from = r->switch_of[port->peer];
            if (from == NADI_NONE || r->closed[r->order[k]] & (DOWN | NO_IN) ||
                r->distance[port->peer] != r->distance[node] + 1)
                continue;
            if (fill)
                t->ports[fill[from]++] = g->first_port[port->peer] + port->peer_port;
            else
                t->first[from + 1]++;
        }
    }
}

/* The hash chooses among a switch's ports in order, as platform/routing.h does. */
static void sort_choices(struct nadi_pkt_tree *t, uint32_t switches)
{
    for (uint32_t s = 0; s < switches; s++)
        for (uint32_t i = t->first[s] + 1; i < t->first[s + 1]; i++) {
            const uint32_t port = t->ports[i];
            uint32_t at = i;
            for (; at > t->first[s] && t->ports[at - 1] > port; at--)
                t->ports[at] = t->ports[at - 1];
            t->ports[at] = port;
        }
}

const struct nadi_pkt_tree *nadi_pkt_tree_to(const struct nadi_pkt *net, uint32_t root)
{
    struct nadi_pkt_routes *r = net->routes;
    const struct nadi_graph *g = net->graph;
    if (r->tree_of[root] != NADI_NONE)
        return &r->items[r->tree_of[root]];
    struct nadi_pkt_tree t = {.root = root};
    t.first = NADI_ZNEW(uint32_t, (size_t)net->switch_count + 1);
    const uint32_t found = search(g, r, root);
    each_path(g, r, found, &t, NULL);
    for (uint32_t s = 0; s < net->switch_count; s++)
        t.first[s + 1] += t.first[s];
    t.ports = NADI_NEW(uint32_t, t.first[net->switch_count]);
    uint32_t *fill = NADI_NEW(uint32_t, (size_t)net->switch_count + 1);
    memcpy(fill, t.first, net->switch_count * sizeof(*fill));
    each_path(g, r, found, &t, fill);
    nadi_mem_free(fill);
    if (!net->config.exact)
        sort_choices(&t, net->switch_count);
    t.hops = NADI_NEW(uint16_t, net->switch_count);
    for (uint32_t n = 0; n < g->node_count; n++)
        if (r->switch_of[n] != NADI_NONE)
            t.hops[r->switch_of[n]] =
                r->distance[n] < NADI_PKT_MAX_HOPS ? (uint16_t)r->distance[n] : UINT16_MAX;
    for (uint32_t i = 0; i < found; i++)
        net->routes->too_far |= r->distance[r->queue[i]] >= NADI_PKT_MAX_HOPS;
    if (net->config.exact) {
        t.rank = NADI_ZNEW(uint32_t, net->switch_count);
        for (uint32_t i = 0; i < found; i++)
            if (r->switch_of[r->queue[i]] != NADI_NONE)
                t.rank[r->switch_of[r->queue[i]]] = i;
    }
    r->tree_of[root] = (uint32_t)r->count;
    NADI_PUSH(r, t);
    return &r->items[r->count - 1];
}
