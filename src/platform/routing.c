#include "platform/routing.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "platform/routing_state.h"

enum { TABLE_LIMIT = 256 << 20 };

static const char *const names[] = {"",     "shortest", "dimension-order",
                                    "ecmp", "valiant",  "adaptive"};

enum nadi_route_scheme nadi_route_scheme_find(const char *name)
{
    for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++)
        if (nadi_str_equal(names[i], name))
            return (enum nadi_route_scheme)i;
    return NADI_ROUTE_NONE;
}

const char *nadi_route_scheme_name(enum nadi_route_scheme scheme)
{
    return names[scheme];
}

struct nadi_routing *nadi_routing_create(const struct nadi_graph *g,
                                         const struct nadi_routing_config *config)
{
    NADI_ASSERT(config->scheme != NADI_ROUTE_NONE && g->first_port);
    struct nadi_routing *r = NADI_ZNEW(struct nadi_routing, 1);
    r->g = g;
    r->config = *config;
    r->table_limit = config->table_limit ? config->table_limit : TABLE_LIMIT;
    r->down = NADI_ZNEW(bool, g->link_count);
    nadi_routing_prepare(r);
    return r;
}

void nadi_routing_destroy(struct nadi_routing *r)
{
    if (!r)
        return;
    nadi_routing_drop_tables(r);
    nadi_mem_free(r->down);
    nadi_mem_free(r->first_cable);
    nadi_mem_free(r->cables);
    nadi_mem_free(r->far_slots);
    nadi_mem_free(r->steps);
    nadi_mem_free(r->component);
    nadi_mem_free(r->slot);
    nadi_mem_free(r->members);
    nadi_mem_free(r->first_member);
    nadi_mem_free(r->tables);
    nadi_mem_free(r->built);
    nadi_mem_free(r->queue);
    nadi_mem_free(r->choices);
    nadi_mem_free(r->target.roots);
    nadi_mem_free(r->middle.roots);
    nadi_mem_free(r->detour.items);
    nadi_mem_free(r->here.items);
    nadi_mem_free(r->next.items);
    nadi_mem_free(r->place);
    nadi_mem_free(r);
}

void nadi_routing_set_down(struct nadi_routing *r, uint32_t link, bool down)
{
    if (r->down[link] == down)
        return;
    r->down[link] = down;
    r->down_count += down ? 1U : UINT32_MAX;
    nadi_routing_drop_tables(r);
}

void nadi_routing_set_own_load(struct nadi_routing *r, double load)
{
    r->own_load = load;
}

static void add_root(struct nadi_routing *r, struct nadi_routing_target *t, uint32_t node)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->roots[i].node == node)
            return;
    const struct nadi_routing_root root = {
        .node = node,
        .distances = nadi_routing_uses_tables(r) ? nadi_routing_table(r, node) : NULL,
    };
    if (t->count == t->capacity)
        t->roots = nadi_mem_grow(t->roots, &t->capacity, t->count + 1, sizeof(*t->roots));
    t->roots[t->count++] = root;
}

static void aim_at_host(struct nadi_routing *r, struct nadi_routing_target *t, uint32_t host)
{
    const struct nadi_graph *g = r->g;
    if (r->table_bytes > r->table_limit)
        nadi_routing_drop_tables(r); /* nobody holds one here */
    t->host = host;
    t->count = 0;
    for (uint32_t p = g->first_port[host]; p < g->first_port[host + 1]; p++) {
        const struct nadi_graph_port *port = &g->ports[p];
        if (g->nodes[port->peer].kind == NADI_GRAPH_SWITCH &&
            nadi_routing_open(r, port->peer, g->first_port[port->peer] + port->peer_port))
            add_root(r, t, port->peer);
    }
}

struct walk {
    struct nadi_routing *r;
    const struct nadi_routing_target *target;
    uint64_t key;
    uint32_t node;        /* where it is */
    uint32_t first, last; /* switches passed */
    uint32_t hops;        /* those on board not counted */
    double load;          /* the largest on the way */
    bool busy;            /* something else is on the way */
    struct nadi_route *route;
};

/* Ports of a host: straight to the target, or to the switches nearest to it; of equals those of the
 * lowest dimension. */
static uint32_t host_choices(const struct walk *w)
{
    const struct nadi_graph *g = w->r->g;
    uint32_t count = 0;
    uint64_t least = (uint64_t)NADI_FAR << 32;
    for (uint32_t p = g->first_port[w->node]; p < g->first_port[w->node + 1]; p++) {
        const uint32_t peer = g->ports[p].peer;
        uint32_t distance = NADI_FAR;
        if (!nadi_routing_open(w->r, w->node, p))
            continue;
        if (peer == w->target->host)
            distance = 0;
        else if (g->nodes[peer].kind == NADI_GRAPH_SWITCH)
            distance = nadi_routing_distance(w->r, w->target, peer) + 1;
        w->r->too_far |= distance >= NADI_FAR && !nadi_routing_uses_tables(w->r);
        const uint64_t rank = (uint64_t)distance << 32 | g->links[g->ports[p].link].dim;
        if (distance >= NADI_FAR || rank > least)
            continue;
        if (rank < least)
            count = 0;
        least = rank;
        w->r->choices[count++] = p;
    }
    return count;
}

/* Ports of a switch that the target host hangs on. */
static uint32_t last_choices(const struct walk *w)
{
    const struct nadi_graph *g = w->r->g;
    uint32_t count = 0;
    /* The host's few cables, seen from the other end. */
    for (uint32_t p = g->first_port[w->target->host]; p < g->first_port[w->target->host + 1]; p++) {
        const struct nadi_graph_port *port = &g->ports[p];
        const uint32_t back = g->first_port[port->peer] + port->peer_port;
        if (port->peer == w->node && nadi_routing_open(w->r, w->node, back))
            w->r->choices[count++] = back;
    }
    return count;
}

/* Of a router on the board of an NPU: ports of the lowest dimension, as an NPU's own. Where all
 * lead straight to routers of other NPUs (a torus or mesh), the order of dimensions is one scheme
 * of several. */
static uint32_t lowest_dimension(const struct nadi_routing *r, uint32_t node, uint32_t count)
{
    const struct nadi_graph *g = r->g;
    uint32_t kept = 0, least = NADI_NONE;
    bool direct = r->config.scheme > NADI_ROUTE_DIMENSION_ORDER;
    if (nadi_graph_owner(g, node) == node)
        return count;
    for (uint32_t i = 0; i < count; i++) {
        const struct nadi_graph_port *port = &g->ports[r->choices[i]];
        least = g->links[port->link].dim < least ? g->links[port->link].dim : least;
        direct = direct && nadi_graph_owner(g, port->peer) != port->peer;
    }
    if (direct)
        return count;
    for (uint32_t i = 0; i < count; i++)
        if (g->links[g->ports[r->choices[i]].link].dim == least)
            r->choices[kept++] = r->choices[i];
    return kept;
}

static uint32_t table_choices(const struct walk *w, uint32_t distance)
{
    const struct nadi_routing *r = w->r;
    uint32_t count = 0;
    if (w->target->count == 1 && nadi_routing_all_open(r)) { /* most of all calls */
        const uint16_t *table = w->target->roots[0].distances;
        for (uint32_t c = r->first_cable[w->node]; c < r->first_cable[w->node + 1]; c++) {
            r->choices[count] = r->cables[c]; /* stays where the distance is right */
            count += table[r->far_slots[c]] + 1U == distance;
        }
        return count;
    }
    for (uint32_t c = r->first_cable[w->node]; c < r->first_cable[w->node + 1]; c++) {
        const uint32_t port = r->cables[c];
        if (nadi_routing_open(r, w->node, port) &&
            nadi_routing_distance(r, w->target, r->g->ports[port].peer) + 1 == distance)
            r->choices[count++] = port;
    }
    return count;
}

static uint32_t choices_of(const struct walk *w)
{
    struct nadi_routing *r = w->r;
    const struct nadi_routing_target *t = w->target;
    if (r->g->nodes[w->node].kind == NADI_GRAPH_HOST)
        return host_choices(w);
    if (!nadi_routing_uses_tables(r)) {
        if (w->node == t->roots[0].node)
            return last_choices(w);
        const bool lowest = r->config.scheme <= NADI_ROUTE_DIMENSION_ORDER;
        return nadi_routing_product_choices(r, w->node, t->roots[0].node, lowest, r->choices);
    }
    const uint32_t distance = nadi_routing_distance(r, t, w->node);
    if (distance == 0)
        return last_choices(w);
    return distance == NADI_FAR ? 0 : lowest_dimension(r, w->node, table_choices(w, distance));
}

/* Time to send what waits for a channel, and what is asked for: loads of uneven links compare. */
static double load_of(const struct nadi_routing *r, uint32_t channel)
{
    if (!r->config.loads)
        return 0;
    return (r->config.loads[channel] + r->own_load) /
           (double)nadi_graph_channel_rate(r->g, channel);
}

/* Keeps the choices with the least load; returns how many. */
static uint32_t least_loaded(const struct walk *w, uint32_t count)
{
    const struct nadi_routing *r = w->r;
    double least = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t port = r->choices[i];
        const double load = load_of(r, nadi_graph_channel(r->g, w->node, port));
        if (kept && load > least)
            continue;
        if (kept && load < least)
            kept = 0;
        least = load;
        r->choices[kept++] = port;
    }
    return kept;
}

uint64_t nadi_routing_key(uint64_t seed, uint32_t src, uint32_t dst, uint64_t flow)
{
    const uint64_t of_seed = nadi_hash_u64(seed ^ UINT64_C(0x6e61646920726f75));
    const uint64_t of_pair = nadi_hash_u64(of_seed ^ ((uint64_t)src << 32 | dst));
    return nadi_hash_u64(of_pair + nadi_hash_u64(flow));
}

uint32_t nadi_routing_pick(uint64_t key, uint32_t node, uint32_t count)
{
    const uint64_t hash = nadi_hash_u64(key ^ (node + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15));
    return (uint32_t)((hash >> 32) * count >> 32);
}

/* Do links of a dimension lead from a node to one other and to it from one other? */
static bool is_between_two(const struct nadi_graph *g, uint32_t node, uint32_t dim)
{
    uint32_t to = NADI_NONE, from = NADI_NONE;
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
        const struct nadi_graph_link *link = &g->links[g->ports[p].link];
        uint32_t *peer = link->a == node ? &to : &from;
        if (link->dim != dim || g->nodes[g->ports[p].peer].kind == NADI_GRAPH_HOST)
            continue;
        if (*peer != NADI_NONE && *peer != g->ports[p].peer)
            return false;
        *peer = g->ports[p].peer;
    }
    return to != NADI_NONE && from != NADI_NONE && to != from;
}

/* Dimensions ascending; of a ring's two ways, if they are as short, the one that its links name
 * first (clockwise). */
static uint32_t in_order(const struct walk *w, uint32_t count)
{
    const struct nadi_graph *g = w->r->g;
    const uint32_t *choices = w->r->choices;
    uint32_t found = choices[0];
    for (uint32_t i = 1; i < count; i++)
        if (g->links[g->ports[choices[i]].link].dim < g->links[g->ports[found].link].dim)
            found = choices[i];
    const struct nadi_graph_link *link = &g->links[g->ports[found].link];
    if (link->a == w->node)
        return found;
    for (uint32_t i = 0; i < count; i++) {
        const struct nadi_graph_port *port = &g->ports[choices[i]];
        if (g->links[port->link].dim == link->dim && g->links[port->link].a == w->node &&
            is_between_two(g, w->node, link->dim) && is_between_two(g, port->peer, link->dim) &&
            is_between_two(g, g->ports[found].peer, link->dim))
            return choices[i];
    }
    return found;
}

static uint32_t choose(const struct walk *w, uint32_t count)
{
    const struct nadi_routing *r = w->r;
    if (r->config.scheme == NADI_ROUTE_DIMENSION_ORDER)
        return in_order(w, count);
    if (r->config.scheme <= NADI_ROUTE_SHORTEST)
        return r->choices[0];
    if (r->config.scheme == NADI_ROUTE_ADAPTIVE)
        count = least_loaded(w, count);
    if (count == 1)
        return r->choices[0];
    return r->choices[nadi_routing_pick(w->key, w->node, count)];
}

static void pass(struct walk *w, uint32_t channel)
{
    struct nadi_route *route = w->route;
    const double load = load_of(w->r, channel);
    w->load = load > w->load ? load : w->load;
    w->busy |= w->r->config.loads && w->r->config.loads[channel] > 0;
    NADI_PUSH(route, channel);
}

/* On to the target; false when there is no route. */
static bool walk_to(struct walk *w, const struct nadi_routing_target *target)
{
    const struct nadi_graph *g = w->r->g;
    const uint32_t end = target->host != NADI_NONE ? target->host : target->roots[0].node;
    w->target = target;
    while (w->node != end) {
        const uint32_t count = choices_of(w);
        if (!count)
            return false;
        const uint32_t port = choose(w, count);
        const uint32_t own = nadi_graph_node_channel(g, w->node);
        if (own != NADI_NONE && g->nodes[w->node].kind == NADI_GRAPH_SWITCH)
            pass(w, own);
        const struct nadi_routing_step step = w->r->steps[port];
        if (step.channel != NADI_NONE) {
            pass(w, step.channel);
            w->hops++;
        }
        w->node = step.peer;
        if (w->node != target->host && g->nodes[w->node].kind == NADI_GRAPH_SWITCH) {
            w->last = w->node;
            w->first = w->first == NADI_NONE ? w->node : w->first;
        }
    }
    return true;
}

static struct walk begin(struct nadi_routing *r, uint32_t node, uint64_t key,
                         struct nadi_route *route)
{
    route->count = 0;
    return (struct walk){
        .r = r, .key = key, .node = node, .first = NADI_NONE, .last = NADI_NONE, .route = route};
}

/* A switch to go by, drawn from the part of the network that the direct route goes through;
 * NADI_NONE where the direct route is through one switch, or none. At least two of its switches
 * have more than one cable: those of the direct route. */
static uint32_t draw_middle(const struct walk *direct)
{
    const struct nadi_routing *r = direct->r;
    const struct nadi_graph *g = r->g;
    if (direct->first == direct->last)
        return NADI_NONE;
    uint64_t hash = nadi_hash_u64(direct->key ^ UINT64_C(0x7661));
    if (g->product)
        return g->product->first_router +
               (uint32_t)((hash >> 32) * g->product->shape.npu_count >> 32);
    const uint32_t part = r->component[direct->first];
    const uint32_t size = r->first_member[part + 1] - r->first_member[part];
    uint32_t middle;
    do {
        middle = r->members[r->first_member[part] + (uint32_t)((hash >> 32) * size >> 32)];
        hash = nadi_hash_u64(hash);
    } while (nadi_graph_degree(g, middle) == 1); /* an I/O controller forwards nothing */
    return middle;
}

static bool detour(struct nadi_routing *r, struct walk *w, uint32_t middle)
{
    r->middle.host = NADI_NONE;
    r->middle.count = 0;
    add_root(r, &r->middle, middle);
    return walk_to(w, &r->middle) && walk_to(w, &r->target);
}

static void take(struct nadi_route *route, struct nadi_route *better)
{
    const struct nadi_route old = *route;
    *route = *better;
    *better = old;
}

bool nadi_routing_find(struct nadi_routing *r, uint32_t src, uint32_t dst, uint64_t flow,
                       struct nadi_route *route)
{
    const enum nadi_route_scheme scheme = r->config.scheme;
    const uint64_t key = nadi_routing_key(r->config.seed, src, dst, flow);
    NADI_ASSERT(src < r->g->host_count && dst < r->g->host_count && src != dst);
    aim_at_host(r, &r->target, r->g->hosts[dst]);
    struct walk direct = begin(r, r->g->hosts[src], key, route);
    if (!walk_to(&direct, &r->target)) {
        route->count = 0;
        return false;
    }
    if (scheme != NADI_ROUTE_VALIANT && scheme != NADI_ROUTE_ADAPTIVE)
        return true;
    if (scheme == NADI_ROUTE_ADAPTIVE && !direct.busy)
        return true;
    const uint32_t middle = draw_middle(&direct);
    if (middle == NADI_NONE)
        return true;
    struct walk other = begin(r, r->g->hosts[src], key, &r->detour);
    const bool found = detour(r, &other, middle);
    if (found &&
        (scheme == NADI_ROUTE_VALIANT || direct.load * direct.hops > other.load * other.hops))
        take(route, &r->detour);
    return true;
}

/* Nodes are met once a hop. */
static void come_to(struct nadi_routing *r, uint32_t node, double part)
{
    if (r->place[node] == NADI_NONE) {
        const struct nadi_routing_part fresh = {.node = node};
        r->place[node] = (uint32_t)r->next.count;
        NADI_PUSH(&r->next, fresh);
    }
    r->next.items[r->place[node]].part += part;
}

static void leave_hop(struct nadi_routing *r)
{
    const struct nadi_routing_parts done = r->here;
    r->here = r->next;
    r->next = done;
    r->next.count = 0;
    for (size_t i = 0; i < r->here.count; i++)
        r->place[r->here.items[i].node] = NADI_NONE;
}

void nadi_routing_parts(struct nadi_routing *r, uint32_t src, uint32_t dst,
                        nadi_routing_part_fn *on_part, void *context)
{
    const struct nadi_graph *g = r->g;
    struct walk w = {.r = r, .target = &r->target};
    if (!r->place) {
        r->place = NADI_NEW(uint32_t, g->node_count);
        memset(r->place, 0xff, g->node_count * sizeof(*r->place));
    }
    aim_at_host(r, &r->target, g->hosts[dst]);
    r->here.count = 0;
    NADI_PUSH(&r->here, ((struct nadi_routing_part){.node = g->hosts[src], .part = 1}));
    for (uint32_t hop = 0; r->here.count > 0; hop++) {
        for (size_t i = 0; i < r->here.count; i++) {
            w.node = r->here.items[i].node;
            const uint32_t count = w.node == g->hosts[dst] ? 0 : choices_of(&w);
            const double part = r->here.items[i].part / count;
            for (uint32_t k = 0; k < count; k++) {
                const struct nadi_routing_step step = r->steps[r->choices[k]];
                if (step.channel != NADI_NONE)
                    on_part(context, hop, step.channel, part);
                come_to(r, step.peer, part);
            }
        }
        leave_hop(r);
    }
}

/* Of the roots of the target the one that is nearest to the node; NADI_NONE: several are, or
 * none. */
static uint32_t only_root(const struct walk *w)
{
    const struct nadi_routing_target *t = w->target;
    const uint32_t least = nadi_routing_distance(w->r, t, w->node);
    uint32_t found = NADI_NONE;
    for (size_t i = 0; i < t->count && least != NADI_FAR; i++) {
        const struct nadi_routing_target one = {.host = t->host, .roots = &t->roots[i], .count = 1};
        if (nadi_routing_distance(w->r, &one, w->node) != least)
            continue;
        if (found != NADI_NONE)
            return NADI_NONE;
        found = t->roots[i].node;
    }
    return found;
}

bool nadi_routing_between(struct nadi_routing *r, uint32_t src, uint32_t dst,
                          struct nadi_routing_between *b)
{
    const struct nadi_graph *g = r->g;
    struct walk w = {.r = r, .target = &r->target, .node = g->hosts[src]};
    aim_at_host(r, &r->target, g->hosts[dst]);
    if (host_choices(&w) != 1)
        return false;
    const struct nadi_routing_step out = r->steps[r->choices[0]];
    if (g->nodes[out.peer].kind != NADI_GRAPH_SWITCH)
        return false;
    w.node = out.peer;
    const uint32_t root = only_root(&w);
    if (root == NADI_NONE)
        return false;
    w.node = root;
    if (last_choices(&w) != 1)
        return false;
    *b = (struct nadi_routing_between){
        .first = out.peer,
        .last = root,
        .out = out.channel,
        .in = r->steps[r->choices[0]].channel,
    };
    return true;
}

bool nadi_routing_too_far(const struct nadi_routing *r)
{
    return r->too_far;
}

uint32_t nadi_routing_hops(struct nadi_routing *r, uint32_t src, uint32_t dst)
{
    const struct nadi_graph *g = r->g;
    const uint32_t host = g->hosts[src];
    uint32_t least = NADI_NONE;
    aim_at_host(r, &r->target, g->hosts[dst]);
    for (uint32_t p = g->first_port[host]; p < g->first_port[host + 1]; p++) {
        const uint32_t peer = g->ports[p].peer;
        if (!nadi_routing_open(r, host, p))
            continue;
        if (peer == g->hosts[dst])
            return 1;
        if (g->nodes[peer].kind != NADI_GRAPH_SWITCH)
            continue;
        const uint32_t distance = nadi_routing_distance(r, &r->target, peer);
        if (distance != NADI_FAR && distance + 2 < least)
            least = distance + 2;
    }
    return least;
}
