/* routing_product: shortest paths in a product of dimensions, without tables. */
#include "platform/routing_state.h"

static uint32_t router_of(const struct nadi_graph_product *p, uint32_t node)
{
    return node - p->first_router;
}

static bool is_router(const struct nadi_graph_product *p, uint32_t node)
{
    return node >= p->first_router && node < p->first_router + p->shape.npu_count;
}

uint32_t nadi_routing_product_distance(const struct nadi_graph *g, uint32_t a, uint32_t b)
{
    const struct nadi_graph_product *p = g->product;
    uint32_t hops = 0;
    a = router_of(p, a);
    b = router_of(p, b);
    for (uint32_t d = 0; d < p->shape.dim_count; d++) {
        const uint32_t x = nadi_topology_coordinate(&p->shape, a, d);
        const uint32_t y = nadi_topology_coordinate(&p->shape, b, d);
        if (x != y)
            hops += nadi_dim_hops(&p->shape.dims[d], x, y);
    }
    return hops;
}

/* The dimension of a router's port: that in which the peer differs, or that of the hub, which is
 * the one whose group the hub was made for. */
static uint32_t axis_of(const struct nadi_graph *g, uint32_t router, uint32_t port)
{
    const struct nadi_graph_product *p = g->product;
    const uint32_t peer = g->ports[port].peer;
    if (is_router(p, peer))
        return nadi_topology_lowest_difference(&p->shape, router, router_of(p, peer));
    /* The hub's first two groups of ports lead to routers that differ in its dimension only. */
    const uint32_t *first = &g->first_port[peer];
    const uint32_t r = router_of(p, g->ports[first[0]].peer);
    return nadi_topology_lowest_difference(&p->shape, r, router_of(p, g->ports[first[1] - 1].peer));
}

/* From a hub down to the router that has the target's coordinate. */
static uint32_t down_ports(const struct nadi_graph *g, uint32_t hub, uint32_t to, uint32_t *choices)
{
    const struct nadi_graph_product *p = g->product;
    const uint32_t first = g->first_port[hub], last = g->first_port[hub + 1] - 1;
    const uint32_t axis = nadi_topology_lowest_difference(
        &p->shape, router_of(p, g->ports[first].peer), router_of(p, g->ports[last].peer));
    const uint32_t parallel_cables = p->parallel_cables[axis];
    const uint32_t at = nadi_topology_coordinate(&p->shape, router_of(p, to), axis);
    for (uint32_t cable = 0; cable < parallel_cables; cable++)
        choices[cable] = first + at * parallel_cables + cable;
    return parallel_cables;
}

uint32_t nadi_routing_product_choices(const struct nadi_routing *r, uint32_t node, uint32_t to,
                                      bool lowest_only, uint32_t *choices)
{
    const struct nadi_graph *g = r->g;
    const struct nadi_graph_product *p = g->product;
    if (!is_router(p, node))
        return down_ports(g, node, to, choices);
    const uint32_t a = router_of(p, node), b = router_of(p, to);
    const uint32_t lowest = nadi_topology_lowest_difference(&p->shape, a, b);
    uint32_t count = 0;
    bool clockwise = false; /* the lowest dimension has a port that leads up */
    for (uint32_t port = g->first_port[node]; port < g->first_port[node + 1]; port++) {
        const struct nadi_graph_link *link = &g->links[g->ports[port].link];
        if (g->nodes[g->ports[port].peer].kind == NADI_GRAPH_HOST ||
            !nadi_graph_sends(g, node, port))
            continue;
        if (!is_router(p, g->ports[port].peer) && nadi_graph_degree(g, g->ports[port].peer) == 1)
            continue; /* an I/O controller leads nowhere */
        const uint32_t axis = axis_of(g, a, port);
        const uint32_t x = nadi_topology_coordinate(&p->shape, a, axis);
        const uint32_t y = nadi_topology_coordinate(&p->shape, b, axis);
        if (x == y || (lowest_only && axis != lowest))
            continue;
        const uint32_t peer = g->ports[port].peer;
        if (is_router(p, peer)) {
            const uint32_t z = nadi_topology_coordinate(&p->shape, router_of(p, peer), axis);
            const uint32_t rest = z == y ? 0 : nadi_dim_hops(&p->shape.dims[axis], z, y);
            if (rest + 1 != nadi_dim_hops(&p->shape.dims[axis], x, y))
                continue;
        }
        if (lowest_only && link->a == node && !clockwise) {
            clockwise = true; /* rings that are as short both ways: clockwise first */
            if (count)
                choices[count] = choices[0];
            choices[0] = port;
        } else
            choices[count] = port;
        count++;
    }
    return count;
}
