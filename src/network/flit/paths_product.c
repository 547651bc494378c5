/* paths_product: routes in a product of dimensions: dimension order, Valiant, adaptive. */
#include "base/diag.h"
#include "base/mem.h"
#include "network/flit/paths_state.h"

static uint32_t slots_of(const struct nadi_dim *dim)
{
    return dim->kind == NADI_DIM_FULLY_CONNECTED ? dim->npus : dim->kind == NADI_DIM_SWITCH ? 1 : 2;
}

static bool is_ring(const struct nadi_dim *dim)
{
    return dim->kind == NADI_DIM_RING || dim->kind == NADI_DIM_RING_ONE_WAY;
}

static uint32_t router_node(const struct nadi_flit_paths *p, uint32_t router)
{
    return p->product->first_router + router;
}

static bool is_router(const struct nadi_flit_paths *p, uint32_t node)
{
    const struct nadi_graph_product *of = p->product;
    return node >= of->first_router && node < of->first_router + of->shape.npu_count;
}

static void set_next(struct nadi_flit_paths *p, uint32_t router, uint32_t slot, uint32_t port)
{
    uint32_t *next = &p->next[(size_t)router * p->slots + slot];
    if (*next == NADI_NONE) /* the first of parallel cables */
        *next = port;
}

/* Enters a router's port into its dimension's slot. */
static void enter_port(struct nadi_flit_paths *p, uint32_t router, uint32_t port)
{
    const struct nadi_graph *g = p->w->graph;
    const struct nadi_topology *shape = &p->product->shape;
    const uint32_t peer = g->ports[port].peer;
    if (g->nodes[peer].kind == NADI_GRAPH_HOST ||
        !nadi_graph_sends(g, router_node(p, router), port))
        return;
    if (!is_router(p, peer)) { /* a hub: its first and last ports differ in its dimension */
        const uint32_t *first = &g->first_port[peer];
        const uint32_t a = g->ports[first[0]].peer - p->product->first_router;
        const uint32_t b = g->ports[first[1] - 1].peer - p->product->first_router;
        set_next(p, router, p->slot_of[nadi_topology_lowest_difference(shape, a, b)], port);
        return;
    }
    const uint32_t other = peer - p->product->first_router;
    const uint32_t d = nadi_topology_lowest_difference(shape, router, other);
    const uint32_t n = shape->dims[d].npus, x = nadi_topology_coordinate(shape, router, d);
    const uint32_t y = nadi_topology_coordinate(shape, other, d);
    if (shape->dims[d].kind == NADI_DIM_FULLY_CONNECTED) {
        set_next(p, router, p->slot_of[d] + y, port);
        return;
    }
    if (y == x + 1 || (is_ring(&shape->dims[d]) && y == (x + 1) % n))
        set_next(p, router, p->slot_of[d], port);
    if (x == y + 1 || (is_ring(&shape->dims[d]) && x == (y + 1) % n))
        set_next(p, router, p->slot_of[d] + 1, port);
}

static uint32_t most_hops(const struct nadi_dim *dim)
{
    const uint32_t n = dim->npus;
    if (dim->kind == NADI_DIM_FULLY_CONNECTED)
        return 1;
    if (dim->kind == NADI_DIM_SWITCH)
        return 2;
    return dim->kind == NADI_DIM_RING ? n / 2 : n - 1;
}

static bool check_west_first(const struct nadi_flit_paths *p, struct nadi_diags *diags)
{
    const struct nadi_topology *s = &p->product->shape;
    if (s->dim_count == 2 && s->dims[0].kind == NADI_DIM_MESH && s->dims[1].kind == NADI_DIM_MESH)
        return true;
    return nadi_error(diags, "flit/routing", NADI_NOWHERE,
                      "use dimension-order or adaptive, or a mesh of two dimensions",
                      "network model flit: routing west-first is for meshes of two dimensions");
}

bool nadi_flit_product_init(struct nadi_flit_paths *p, struct nadi_diags *diags)
{
    const struct nadi_topology *shape = &p->w->graph->product->shape;
    const enum nadi_flit_routing routing = p->config->routing;
    p->product = p->w->graph->product;
    p->ring_classes = 1;
    uint32_t hops = 0;
    for (uint32_t d = 0; d < shape->dim_count; d++) {
        p->slot_of[d] = p->slots;
        p->slots += slots_of(&shape->dims[d]);
        hops += shape->dims[d].npus > 1 ? most_hops(&shape->dims[d]) : 0;
        if (p->config->dateline && is_ring(&shape->dims[d]) && shape->dims[d].npus > 2)
            p->ring_classes = 2;
    }
    p->longest = (routing == NADI_FLIT_VALIANT ? 2 * hops : hops) + 2;
    p->classes = p->ring_classes;
    if (routing == NADI_FLIT_VALIANT && p->config->dateline)
        p->classes *= 2;
    p->adaptive = routing == NADI_FLIT_ADAPTIVE || routing == NADI_FLIT_WEST_FIRST;
    if (p->adaptive) /* the injection; both ways of each dimension, and the escape */
        p->longest = 2 * shape->dim_count + 2;
    if (routing == NADI_FLIT_ADAPTIVE)
        p->classes++;
    if (routing == NADI_FLIT_WEST_FIRST && !check_west_first(p, diags))
        return false;
    const struct nadi_graph *g = p->w->graph;
    p->next = NADI_NEW(uint32_t, (size_t)shape->npu_count * p->slots);
    for (size_t i = 0; i < (size_t)shape->npu_count * p->slots; i++)
        p->next[i] = NADI_NONE;
    for (uint32_t r = 0; r < shape->npu_count; r++) {
        const uint32_t node = router_node(p, r);
        for (uint32_t port = g->first_port[node]; port < g->first_port[node + 1]; port++)
            enter_port(p, r, port);
    }
    return true;
}

/* ---- one path ------------------------------------------------------------------------------ */

struct walk {
    const struct nadi_flit_paths *p;
    uint32_t *steps;
    uint32_t count, router, in_port; /* in_port: of the graph, by which the router was reached */
    uint32_t first_class;
    uint64_t draw;
};

/* One of the parallel cables of a dimension. */
static uint32_t cable_of(const struct walk *w, uint32_t first, uint32_t dim)
{
    const uint32_t cables = w->p->product->parallel_cables[dim];
    return cables == 1 ? first : first + (uint32_t)(nadi_flit_hash(w->draw, ~dim) % cables);
}

static void go(struct walk *w, uint32_t graph_port, uint32_t class)
{
    const struct nadi_graph_port *at = &w->p->w->graph->ports[graph_port];
    w->steps[w->count++] = nadi_flit_step(w->p->w->graph_port[graph_port], w->first_class + class);
    w->in_port = w->p->w->graph->first_port[at->peer] + at->peer_port;
}

/* Up (true) or down along a ring or line from x to y? Ties by the draw. */
static bool goes_up(const struct nadi_dim *dim, uint32_t x, uint32_t y, uint64_t draw)
{
    const uint32_t n = dim->npus, up = y > x ? y - x : y + n - x;
    if (dim->kind == NADI_DIM_MESH)
        return y > x;
    if (dim->kind == NADI_DIM_RING_ONE_WAY)
        return true;
    return up * 2 == n ? draw & 1 : up * 2 < n;
}

static void walk_line(struct walk *w, uint32_t d, uint32_t x, uint32_t y)
{
    const struct nadi_topology *shape = &w->p->product->shape;
    const struct nadi_dim *dim = &shape->dims[d];
    const uint32_t n = dim->npus;
    const bool up = goes_up(dim, x, y, nadi_flit_hash(w->draw, d) >> 7);
    uint32_t class = 0;
    while (x != y) {
        const size_t slot = (size_t)w->router * w->p->slots + w->p->slot_of[d] + !up;
        const uint32_t z = up ? (x + 1) % n : (x + n - 1) % n;
        go(w, cable_of(w, w->p->next[slot], d), class);
        if (up ? z < x : z > x) /* over the wrap-around */
            class = w->p->ring_classes - 1;
        w->router += (z - x) * shape->stride[d];
        x = z;
    }
}

/* Over a hub or a direct cable. */
static void walk_across(struct walk *w, uint32_t d, uint32_t x, uint32_t y)
{
    const struct nadi_topology *shape = &w->p->product->shape;
    const struct nadi_graph *g = w->p->w->graph;
    const bool hub = shape->dims[d].kind == NADI_DIM_SWITCH;
    const size_t slot = (size_t)w->router * w->p->slots + w->p->slot_of[d] + (hub ? 0 : y);
    go(w, cable_of(w, w->p->next[slot], d), 0);
    if (hub) {
        const uint32_t node = g->ports[w->p->next[slot]].peer;
        const uint32_t first = g->first_port[node] + y * w->p->product->parallel_cables[d];
        go(w, cable_of(w, first, d), 0);
    }
    w->router += (y - x) * shape->stride[d];
}

static void walk_to(struct walk *w, uint32_t router)
{
    const struct nadi_topology *shape = &w->p->product->shape;
    for (uint32_t d = 0; d < shape->dim_count; d++) {
        const uint32_t x = nadi_topology_coordinate(shape, w->router, d);
        const uint32_t y = nadi_topology_coordinate(shape, router, d);
        const enum nadi_dim_kind kind = shape->dims[d].kind;
        if (x == y)
            continue;
        if (kind == NADI_DIM_FULLY_CONNECTED || kind == NADI_DIM_SWITCH)
            walk_across(w, d, x, y);
        else
            walk_line(w, d, x, y);
    }
}

/* The port of the graph at a host's router that leads to the host. */
static uint32_t port_to_host(const struct nadi_flit_paths *p, uint32_t npu)
{
    const struct nadi_graph *g = p->w->graph;
    const struct nadi_graph_port *at = &g->ports[g->first_port[g->hosts[npu]]];
    return g->first_port[at->peer] + at->peer_port;
}

static uint32_t router_of(const struct nadi_flit_paths *p, uint32_t npu)
{
    const struct nadi_graph *g = p->w->graph;
    return g->ports[g->first_port[g->hosts[npu]]].peer - p->product->first_router;
}

uint32_t nadi_flit_product_find(const struct nadi_flit_paths *p, uint32_t src, uint32_t dst,
                                uint64_t flow, uint32_t *steps)
{
    const struct nadi_graph *g = p->w->graph;
    const uint32_t from = router_of(p, src), to = router_of(p, dst);
    const uint32_t inject = g->first_port[g->hosts[src]];
    const uint64_t pair = (uint64_t)src << 32 | dst;
    struct walk w = {.p = p,
                     .steps = steps,
                     .count = 1,
                     .router = from,
                     .in_port = NADI_NONE,
                     .draw = nadi_flit_hash(nadi_flit_hash(p->config->seed, pair), flow)};
    if (p->adaptive) {
        const uint32_t channels = p->w->channel_counts[inject];
        steps[0] = nadi_flit_step(p->w->graph_port[inject] + (uint32_t)(w.draw % channels),
                                  NADI_FLIT_ANY_CLASS);
        return 1;
    }
    if (p->config->routing == NADI_FLIT_VALIANT) {
        walk_to(&w, (uint32_t)(nadi_flit_hash(w.draw, 1) % p->product->shape.npu_count));
        w.first_class = p->config->dateline ? p->ring_classes : 0;
        w.draw = nadi_flit_hash(w.draw, 2);
    }
    walk_to(&w, to);
    const uint32_t network = w.count == 1 ? NADI_NONE : nadi_flit_step_port(steps[1]);
    uint32_t first_port = NADI_NONE;
    if (network != NADI_NONE) /* back to the graph's number */
        for (uint32_t i = g->first_port[router_node(p, from)]; first_port == NADI_NONE; i++)
            if (p->w->graph_port[i] == network)
                first_port = i;
    steps[0] = nadi_flit_step(nadi_flit_own_channel(p, inject, router_node(p, from), first_port),
                              NADI_FLIT_ANY_CLASS);
    steps[w.count++] = nadi_flit_step(
        nadi_flit_own_channel(p, port_to_host(p, dst), router_node(p, to), w.in_port),
        NADI_FLIT_ANY_CLASS);
    return w.count;
}

/* ---- adaptive ------------------------------------------------------------------------------ */

/* Before a packet's wrap-around, or after it (and where it has none)? */
static uint32_t escape_class(const struct nadi_flit_paths *p, const struct nadi_dim *dim,
                             uint32_t x, uint32_t y, bool up)
{
    const bool ahead = is_ring(dim) && (up ? y < x : y > x);
    return ahead ? 0 : p->ring_classes - 1;
}

struct choosing {
    const struct nadi_flit_paths *p;
    uint32_t router;
    uint32_t *steps;
    uint32_t count, escape;
};

static void offer(struct choosing *c, uint32_t slot, uint32_t class)
{
    const uint32_t port = c->p->next[(size_t)c->router * c->p->slots + slot];
    const uint32_t at = c->p->w->graph_port[port];
    const uint32_t free = c->p->config->routing == NADI_FLIT_WEST_FIRST ? 0 : c->p->classes - 1;
    if (c->escape == NADI_NONE)
        c->escape = nadi_flit_step(at, class);
    c->steps[c->count++] = nadi_flit_step(at, free);
}

static void offer_dim(struct choosing *c, uint32_t d, uint32_t x, uint32_t y)
{
    const struct nadi_dim *dim = &c->p->product->shape.dims[d];
    const uint32_t slot = c->p->slot_of[d];
    if (dim->kind == NADI_DIM_FULLY_CONNECTED || dim->kind == NADI_DIM_SWITCH) {
        offer(c, slot + (dim->kind == NADI_DIM_SWITCH ? 0 : y), 0);
        return;
    }
    const bool up = goes_up(dim, x, y, 1), tie = !goes_up(dim, x, y, 0) && up;
    offer(c, slot + !up, escape_class(c->p, dim, x, y, up));
    if (tie)
        offer(c, slot + up, 0);
}

/* From a hub: down to the router with the target's coordinate. */
static uint32_t from_hub(const struct nadi_flit_paths *p, uint32_t hub, uint32_t to)
{
    const struct nadi_graph *g = p->w->graph;
    const struct nadi_topology *shape = &p->product->shape;
    const uint32_t first = g->first_port[hub], last = g->first_port[hub + 1] - 1;
    const uint32_t d =
        nadi_topology_lowest_difference(shape, g->ports[first].peer - p->product->first_router,
                                        g->ports[last].peer - p->product->first_router);
    const uint32_t at = nadi_topology_coordinate(shape, to, d) * p->product->parallel_cables[d];
    return p->w->graph_port[first + at];
}

uint32_t nadi_flit_paths_choices(const struct nadi_flit_paths *p, uint32_t node, uint32_t dst,
                                 uint32_t in_port, uint32_t *steps)
{
    const struct nadi_topology *shape = &p->product->shape;
    const uint32_t to = router_of(p, dst);
    if (!is_router(p, node)) {
        const uint32_t at = from_hub(p, node, to);
        steps[0] = nadi_flit_step(at, p->classes - 1);
        steps[1] = nadi_flit_step(at, 0);
        return 2;
    }
    struct choosing c = {
        .p = p, .router = node - p->product->first_router, .steps = steps, .escape = NADI_NONE};
    if (c.router == to) {
        const uint32_t host = port_to_host(p, dst), channels = p->w->channel_counts[host];
        const uint32_t place = channels == 1 ? 0 : (in_port - p->w->first_port[node]) % channels;
        steps[0] = nadi_flit_step(p->w->graph_port[host] + place, NADI_FLIT_ANY_CLASS);
        return 1;
    }
    for (uint32_t d = 0; d < shape->dim_count; d++) {
        const uint32_t x = nadi_topology_coordinate(shape, c.router, d);
        const uint32_t y = nadi_topology_coordinate(shape, to, d);
        if (x == y)
            continue;
        offer_dim(&c, d, x, y);
        if (p->config->routing == NADI_FLIT_WEST_FIRST && d == 0 && y < x)
            break; /* west first, alone */
    }
    steps[c.count++] = c.escape;
    return c.count;
}
