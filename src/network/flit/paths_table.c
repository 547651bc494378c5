/* paths_table: routes of any graph, by platform/routing.h, with classes against deadlock. */
#include "base/diag.h"
#include "base/mem.h"
#include "network/flit/channel_order.h"
#include "network/flit/paths_state.h"

/* No route is longer, not even over a switch that Valiant's draws. */
static uint32_t longest_route(const struct nadi_graph *g)
{
    uint32_t *distance = NADI_NEW(uint32_t, g->node_count);
    uint32_t *queue = NADI_NEW(uint32_t, g->node_count);
    uint32_t most = 0;
    for (uint32_t n = 0; n < g->node_count; n = n + g->node_count / 8 + 1) {
        nadi_graph_distances(g, n, distance, queue);
        for (uint32_t i = 0; i < g->node_count; i++)
            most = distance[i] != NADI_NONE && distance[i] > most ? distance[i] : most;
    }
    nadi_mem_free(distance);
    nadi_mem_free(queue);
    return 4 * most + 4;
}

static bool is_valiant(const struct nadi_routing_config *routing)
{
    return routing && routing->scheme == NADI_ROUTE_VALIANT;
}

bool nadi_flit_table_init(struct nadi_flit_paths *p, const struct nadi_routing_config *routing,
                          struct nadi_diags *diags)
{
    const struct nadi_graph *g = p->w->graph;
    const bool valiant = p->config->routing == NADI_FLIT_VALIANT;
    const struct nadi_routing_config own = {
        .scheme = valiant ? NADI_ROUTE_VALIANT : NADI_ROUTE_ECMP, .seed = p->config->seed};
    if (p->config->routing == NADI_FLIT_ADAPTIVE || p->config->routing == NADI_FLIT_WEST_FIRST ||
        (routing && routing->scheme == NADI_ROUTE_ADAPTIVE))
        return nadi_error(diags, "flit/routing", NADI_NOWHERE,
                          "use dimension-order, table or valiant",
                          "network model flit: adaptive routing is for meshes, tori and HyperX");
    if (valiant && !g->switch_count)
        return nadi_error(
            diags, "flit/routing", NADI_NOWHERE,
            "use dimension-order, or hyperx, whose NPUs have routers",
            "network model flit: Valiant's routing goes by a router, and this network "
            "has none");
    p->routing = nadi_routing_create(g, routing && !valiant ? routing : &own);
    p->port_of = NADI_NEW(uint32_t, 2 * (size_t)g->link_count + 1);
    for (uint32_t n = 0; n < g->node_count; n++)
        for (uint32_t i = g->first_port[n]; i < g->first_port[n + 1]; i++)
            p->port_of[nadi_graph_channel(g, n, i)] = i;
    p->longest = longest_route(g);
    /* Valiant goes two such paths, one after the other. */
    uint32_t classes;
    p->rank = nadi_flit_channel_order(g, p->port_of, &classes);
    p->classes = p->config->dateline ? classes * (valiant || is_valiant(routing) ? 2 : 1) : 1;
    return true;
}

/* The graph's port at the router of an NPU whose cable is on board; NADI_NONE: it is not. */
static uint32_t on_board(const struct nadi_graph *g, uint32_t npu)
{
    const uint32_t first = g->first_port[g->hosts[npu]];
    return g->links[g->ports[first].link].dim == NADI_NONE ? first : NADI_NONE;
}

/* To oneself: to the first switch and back. */
static uint32_t find_own(const struct nadi_flit_paths *p, uint32_t npu, uint32_t *steps)
{
    const struct nadi_graph *g = p->w->graph;
    const uint32_t out = g->first_port[g->hosts[npu]];
    const struct nadi_graph_port *at = &g->ports[out];
    if (g->nodes[at->peer].kind == NADI_GRAPH_HOST)
        return 0;
    steps[0] = nadi_flit_step(p->w->graph_port[out], NADI_FLIT_ANY_CLASS);
    steps[1] = nadi_flit_step(p->w->graph_port[g->first_port[at->peer] + at->peer_port],
                              NADI_FLIT_ANY_CLASS);
    return 2;
}

uint32_t nadi_flit_table_find(struct nadi_flit_paths *p, uint32_t src, uint32_t dst, uint64_t flow,
                              uint32_t *steps)
{
    const struct nadi_graph *g = p->w->graph;
    uint32_t count = 0, class = 0;
    if (src == dst)
        return find_own(p, src, steps);
    if (!nadi_routing_find(p->routing, src, dst, flow, &p->route) || !p->route.count ||
        p->route.count + 2 > p->longest)
        return 0;
    const uint32_t *route = p->route.items;
    const uint32_t from = on_board(g, src), to = on_board(g, dst);
    const uint32_t last = p->port_of[route[p->route.count - 1]];
    if (from != NADI_NONE)
        steps[count++] = nadi_flit_step(
            nadi_flit_own_channel(p, from, g->ports[from].peer, p->port_of[route[0]]),
            NADI_FLIT_ANY_CLASS);
    for (size_t i = 0; i < p->route.count; i++) {
        const bool last_step = i + 1 == p->route.count && to == NADI_NONE;
        class +=
            i && !last_step && p->config->dateline && p->rank[route[i]] < p->rank[route[i - 1]];
        steps[count++] = nadi_flit_step(p->w->graph_port[p->port_of[route[i]]], class);
    }
    if (class >= p->classes)
        return 0;
    if (to != NADI_NONE) {
        const uint32_t router = g->ports[to].peer;
        const uint32_t in = g->first_port[router] + g->ports[last].peer_port;
        steps[count++] = nadi_flit_step(
            nadi_flit_own_channel(p, g->first_port[router] + g->ports[to].peer_port, router, in),
            NADI_FLIT_ANY_CLASS);
    } else
        steps[count - 1] |= NADI_FLIT_ANY_CLASS;
    return count;
}
