#include "network/fabric.h"

#include "base/mem.h"
#include "base/time.h"
#include "network/uniform.h"

#include <math.h>

/* ---- links of dimensions ------------------------------------------------------------------- */

static uint32_t links_of(const struct nadi_topology *t, uint32_t d)
{
    if (t->dims[d].kind == NADI_DIM_FULLY_CONNECTED)
        return t->npu_count * t->dims[d].npus; /* one column for each peer, its own unused */
    return t->npu_count * 2;
}

/* Link `local` of dimension d. */
static struct nadi_fabric_link link_of_dim(const struct nadi_topology *t, uint32_t d,
                                           uint32_t local)
{
    const uint32_t n = t->dims[d].npus, stride = t->stride[d];
    const bool mesh = t->dims[d].kind == NADI_DIM_FULLY_CONNECTED;
    const uint32_t rank = mesh ? local / n : local / 2;
    const uint32_t a = nadi_topology_coordinate(t, rank, d);
    const uint32_t base = rank - a * stride;
    struct nadi_fabric_link l = {
        .bytes_per_ns = t->dims[d].bytes_per_ns,
        .latency_ns = t->dims[d].latency_ns,
        .dim = d,
        .from = rank,
    };
    if (mesh) {
        l.to = base + local % n * stride;
        l.exists = l.to != rank;
    } else if (t->dims[d].kind == NADI_DIM_SWITCH) {
        const uint32_t hub = t->npu_count + base; /* one switch a group, named by its lowest rank */
        l.from = local & 1 ? hub : rank;
        l.to = local & 1 ? rank : hub;
        l.exists = n > 1;
    } else {
        l.to = base + (local & 1 ? (a ? a - 1 : n - 1) : (a + 1 == n ? 0 : a + 1)) * stride;
        l.exists = n > 2 || (n == 2 && !(local & 1)); /* a ring of two has one link each way */
    }
    return l;
}

static void init_dims(struct nadi_fabric *l)
{
    const struct nadi_topology *t = l->topology;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        l->first_of_dim[d] = l->count;
        l->count += links_of(t, d);
    }
    l->first_of_dim[t->dim_count] = l->count;
    l->items = NADI_NEW(struct nadi_fabric_link, l->count);
    for (uint32_t d = 0; d < t->dim_count; d++)
        for (uint32_t i = l->first_of_dim[d]; i < l->first_of_dim[d + 1]; i++)
            l->items[i] = link_of_dim(t, d, i - l->first_of_dim[d]);
}

/* ---- links of a graph ---------------------------------------------------------------------- */

static void init_graph(struct nadi_fabric *l)
{
    const struct nadi_graph *g = l->graph;
    uint32_t *name = NADI_NEW(uint32_t, g->node_count);
    uint32_t switches = 0;
    for (uint32_t n = 0; n < g->node_count; n++)
        name[n] =
            g->nodes[n].kind == NADI_GRAPH_HOST ? g->nodes[n].host : g->host_count + switches++;
    l->count = nadi_graph_channel_count(g);
    l->items = NADI_NEW(struct nadi_fabric_link, l->count);
    for (uint32_t i = 0; i < l->count; i++) {
        const bool cable = nadi_graph_channel_is_link(g, i);
        uint32_t from, to;
        nadi_graph_channel_ends(g, i, &from, &to);
        l->items[i] = (struct nadi_fabric_link){
            .bytes_per_ns = (double)nadi_graph_channel_rate(g, i) / 8e9,
            .latency_ns = nadi_time_in_ns(nadi_graph_channel_latency(g, i)),
            .dim = cable ? g->links[i / 2].dim : g->links[g->ports[g->first_port[from]].link].dim,
            .from = name[from],
            .to = name[to],
            .exists = !cable || !(i & 1) || !g->links[i / 2].one_way,
        };
    }
    nadi_mem_free(name);
}

void nadi_fabric_init(struct nadi_fabric *l, const struct nadi_topology *topology,
                      const struct nadi_graph *graph, const struct nadi_routing_config *routing)
{
    static const struct nadi_routing_config in_order = {.scheme = NADI_ROUTE_DIMENSION_ORDER};
    static const struct nadi_routing_config hashed = {.scheme = NADI_ROUTE_ECMP};
    if (!routing)
        routing = graph && graph->product ? &in_order : &hashed;
    *l = (struct nadi_fabric){
        .topology = topology, .graph = graph, .npu_count = topology->npu_count};
    nadi_arena_init(&l->arena);
    nadi_map64_init(&l->index, 1024);
    nadi_map64_init(&l->by_flow, 0);
    l->hashes =
        graph && (routing->scheme == NADI_ROUTE_ECMP || routing->scheme == NADI_ROUTE_VALIANT);
    if (graph) {
        struct nadi_routing_config config = *routing;
        init_graph(l);
        if (config.scheme == NADI_ROUTE_ADAPTIVE) {
            config.loads = l->loads = NADI_ZNEW(double, l->count);
            nadi_map64_init(&l->paths, 1024);
        }
        l->routing = nadi_routing_create(graph, &config);
    } else
        init_dims(l);
}

void nadi_fabric_release(struct nadi_fabric *l)
{
    nadi_routing_destroy(l->routing);
    nadi_mem_free(l->found.items);
    if (l->loads)
        nadi_map64_release(&l->paths);
    nadi_mem_free(l->loads);
    nadi_mem_free(l->kept.items);
    nadi_map64_release(&l->index);
    nadi_map64_release(&l->by_flow);
    nadi_mem_free(l->routes);
    nadi_mem_free(l->items);
    nadi_arena_release(&l->arena);
}

/* ---- routes -------------------------------------------------------------------------------- */

/* The links from src to dst in dimension order. Writes as many as `out` has when it is not NULL;
 * returns their number. */
static uint32_t walk_dims(const struct nadi_fabric *l, uint32_t src, uint32_t dst, uint32_t *out)
{
    const struct nadi_topology *t = l->topology;
    uint32_t hops = 0, at = src;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const uint32_t n = t->dims[d].npus, stride = t->stride[d], first = l->first_of_dim[d];
        uint32_t a = nadi_topology_coordinate(t, at, d);
        const uint32_t b = nadi_topology_coordinate(t, dst, d);
        if (a == b)
            continue;
        const uint32_t base = at - a * stride, end = base + b * stride;
        if (t->dims[d].kind == NADI_DIM_FULLY_CONNECTED) {
            if (out)
                out[hops] = first + at * n + b;
            hops++;
        } else if (t->dims[d].kind == NADI_DIM_SWITCH) {
            if (out) {
                out[hops] = first + at * 2;
                out[hops + 1] = first + end * 2 + 1;
            }
            hops += 2;
        } else {
            const uint32_t clockwise = b >= a ? b - a : b + n - a;
            const bool forward = clockwise <= n - clockwise;
            for (; a != b; a = forward ? (a + 1 == n ? 0 : a + 1) : (a ? a - 1 : n - 1)) {
                if (out)
                    out[hops] = first + (base + a * stride) * 2 + !forward;
                hops++;
            }
        }
        at = end;
    }
    return hops;
}

static const uint32_t *keep(struct nadi_fabric *l, const uint32_t *links, uint32_t hops)
{
    uint32_t *kept = NADI_ARENA_NEW(&l->arena, uint32_t, hops);
    if (hops)
        memcpy(kept, links, hops * sizeof(*kept));
    return kept;
}

/* Routes of adaptive routing come again and again: one copy each. Two that share a hash are kept
 * beside each other. */
static const uint32_t *keep_once(struct nadi_fabric *l, uint32_t route, const uint32_t *links,
                                 uint32_t hops)
{
    bool added;
    const uint64_t hash = nadi_hash_bytes(links, hops * sizeof(*links)) ^ nadi_hash_u64(route);
    const uint32_t at = *nadi_map64_put(&l->paths, hash, (uint32_t)l->kept.count, &added);
    if (added) {
        const uint32_t *kept = keep(l, links, hops);
        NADI_PUSH(&l->kept, kept);
        return kept;
    }
    if (memcmp(l->kept.items[at], links, hops * sizeof(*links)) == 0)
        return l->kept.items[at];
    return keep(l, links, hops);
}

static void use_links(struct nadi_fabric *l, struct nadi_fabric_path *r, const uint32_t *links)
{
    r->links = links;
    r->changes++;
    r->latency_ns = 0;
    r->bytes_per_ns = (double)INFINITY;
    for (uint32_t i = 0; i < r->hops; i++) {
        const struct nadi_fabric_link *link = &l->items[links[i]];
        r->latency_ns += link->latency_ns;
        if (link->bytes_per_ns < r->bytes_per_ns)
            r->bytes_per_ns = link->bytes_per_ns;
    }
}

/* One link for each kind, and whose each one was. */
static void fold_links(const struct nadi_fabric *l, const struct nadi_fabric_path *r,
                       uint32_t *links)
{
    const struct nadi_topology *shape = &l->uniform->shape;
    for (uint32_t i = 0; i < r->hops; i++) {
        links[r->hops + i] = nadi_uniform_place(shape, r->src, nadi_uniform_npu(l, links[i]));
        links[i] = nadi_uniform_link(l, links[i]);
    }
    links[2 * r->hops] = nadi_uniform_place(shape, r->src, r->dst);
}

/* The same in a graph, where a link that alike NPUs share stands there once for each. */
static void fold_route(struct nadi_fabric *l, struct nadi_fabric_path *r)
{
    const uint32_t *share = l->uniform->links->share;
    const uint32_t hops = r->hops;
    uint32_t all = 0, at = hops;
    for (uint32_t i = 0; i < hops; i++)
        all += share[l->found.items[i]];
    uint32_t *links = NADI_ARENA_NEW(&l->arena, uint32_t, all + hops + 1);
    memcpy(links, l->found.items, hops * sizeof(*links));
    fold_links(l, r, links);
    use_links(l, r, links); /* its latency and rate are those of the way itself */
    if (all == hops)
        return;
    for (uint32_t i = 0; i < hops; i++)
        for (uint32_t k = 1; k < share[l->found.items[i]]; k++)
            links[at++] = links[i];
    r->hops = all;
}

static void find(struct nadi_fabric *l, struct nadi_fabric_path *r)
{
    r->version = l->version;
    r->broken = false;
    if (r->src == NADI_NONE) {
        r->broken = l->items[r->dst].down;
        r->hops = !r->broken;
        use_links(l, r, keep(l, &r->dst, r->hops));
    } else if (l->graph) {
        r->broken = !nadi_routing_find(l->routing, r->src, r->dst, r->flow, &l->found);
        r->hops = r->broken ? 0 : (uint32_t)l->found.count;
        if (l->uniform && !r->broken)
            fold_route(l, r);
        else
            use_links(l, r, keep(l, l->found.items, r->hops));
    } else {
        r->hops = walk_dims(l, r->src, r->dst, NULL);
        const uint32_t places = l->uniform ? r->hops + 1 : 0;
        uint32_t *links = NADI_ARENA_NEW(&l->arena, uint32_t, r->hops + places);
        walk_dims(l, r->src, r->dst, links);
        if (l->uniform)
            fold_links(l, r, links);
        use_links(l, r, links);
    }
}

static void add_route(struct nadi_fabric *l, const struct nadi_fabric_path *fresh)
{
    if (l->route_count == l->route_capacity)
        l->routes = nadi_mem_grow_lines(l->routes, &l->route_capacity, l->route_count + 1,
                                        sizeof(*l->routes));
    l->routes[l->route_count] = *fresh;
    find(l, &l->routes[l->route_count++]);
}

uint32_t nadi_fabric_route(struct nadi_fabric *l, uint32_t src, uint32_t dst)
{
    bool added;
    const uint32_t index =
        *nadi_map64_put(&l->index, (uint64_t)src << 32 | dst, (uint32_t)l->route_count, &added);
    const struct nadi_fabric_path fresh = {.src = src, .dst = dst};
    if (added)
        add_route(l, &fresh);
    return index;
}

uint32_t nadi_fabric_route_of(struct nadi_fabric *l, uint32_t route, uint64_t connection)
{
    struct nadi_fabric_path *first = &l->routes[route];
    if (!l->hashes || !connection || first->src == NADI_NONE)
        return route;
    if (!first->connection) {
        first->connection = connection;
        first->flows = 1;
    }
    if (first->connection == connection)
        return route;
    const struct nadi_fabric_path fresh = {
        .src = first->src, .dst = first->dst, .connection = connection, .flow = first->flows};
    uint64_t key = nadi_hash_u64(connection) ^ route;
    for (;; key++) {
        bool added;
        const uint32_t at = *nadi_map64_put(&l->by_flow, key, (uint32_t)l->route_count, &added);
        if (added) {
            first->flows++;
            add_route(l, &fresh);
            return at;
        }
        const struct nadi_fabric_path *r = &l->routes[at];
        if (r->src == fresh.src && r->dst == fresh.dst && r->connection == connection)
            return at;
    }
}

bool nadi_fabric_knows(const struct nadi_fabric *l, uint32_t route, uint64_t connection)
{
    const struct nadi_fabric_path *first = &l->routes[route];
    if (!l->hashes || !connection || first->src == NADI_NONE || first->connection == connection)
        return true;
    for (uint64_t key = nadi_hash_u64(connection) ^ route;; key++) {
        const uint32_t at = nadi_map64_find(&l->by_flow, key);
        if (at == NADI_NONE)
            return false;
        const struct nadi_fabric_path *r = &l->routes[at];
        if (r->src == first->src && r->dst == first->dst && r->connection == connection)
            return true;
    }
}

uint32_t nadi_fabric_over(struct nadi_fabric *l, uint32_t link)
{
    if (!l->graph) {
        const uint32_t dim = link / 2 / l->npu_count, npu = link / 2 % l->npu_count;
        link = l->first_of_dim[dim] + npu * 2 + link % 2;
    }
    return nadi_fabric_route(l, NADI_NONE, link);
}

const struct nadi_fabric_path *nadi_fabric_path(struct nadi_fabric *l, uint32_t route)
{
    struct nadi_fabric_path *r = &l->routes[route];
    if (NADI_UNLIKELY(r->version != l->version))
        find(l, r);
    return r;
}

const struct nadi_fabric_path *nadi_fabric_choose(struct nadi_fabric *l, uint32_t route,
                                                  uint64_t bytes)
{
    struct nadi_fabric_path *r = &l->routes[route];
    if (!l->loads || r->src == NADI_NONE)
        return nadi_fabric_path(l, route);
    nadi_routing_set_own_load(l->routing, (double)bytes);
    const bool found = nadi_routing_find(l->routing, r->src, r->dst, 0, &l->found);
    const uint32_t hops = found ? (uint32_t)l->found.count : 0;
    const bool same =
        r->version == l->version && r->broken == !found && r->hops == hops &&
        (hops == 0 || memcmp(r->links, l->found.items, hops * sizeof(*r->links)) == 0);
    if (same)
        return r;
    r->version = l->version;
    r->broken = !found;
    r->hops = hops;
    use_links(l, r, hops ? keep_once(l, route, l->found.items, hops) : NULL);
    return r;
}

struct flow_visit {
    nadi_counted_flow_fn *visit;
    void *context;
    uint32_t flow;
};

static void visit_flow(void *context, uint32_t src, uint32_t dst)
{
    const struct flow_visit *v = context;
    const struct nadi_counted_flow flow = {.src = src, .dst = dst, .number = v->flow};
    v->visit(v->context, &flow);
}

static void visit_known(const struct flow_visit *v, const struct nadi_fabric_path *r)
{
    const struct nadi_counted_flow flow = {
        .src = r->src, .dst = r->dst, .number = r->flow, .hops = r->hops, .channels = r->links};
    v->visit(v->context, &flow);
}

void nadi_fabric_flows(const struct nadi_fabric *l, nadi_counted_flow_fn *visit, void *context)
{
    struct flow_visit v = {.visit = visit, .context = context};
    for (size_t i = 0; l->graph && i < l->route_count; i++) {
        const struct nadi_fabric_path *r = &l->routes[i];
        v.flow = r->flow;
        if (r->src == NADI_NONE || r->dst >= l->npu_count)
            continue;
        if (l->uniform)
            nadi_uniform_each(l, r->src, r->dst, visit_flow, &v);
        else if (l->version || r->broken)
            visit_flow(&v, r->src, r->dst);
        else
            visit_known(&v, r);
    }
}

const char *nadi_fabric_too_far(const struct nadi_fabric *l)
{
    return l->routing && nadi_routing_too_far(l->routing)
               ? "the route of a message has more than 65,534 links: the model follows no longer "
                 "ones"
               : NULL;
}

void nadi_fabric_change(struct nadi_fabric *l, const struct nadi_link_state *states, size_t count)
{
    NADI_ASSERT(l->graph);
    l->version++;
    for (size_t i = 0; i < count; i++) {
        struct nadi_fabric_link *link = &l->items[states[i].link];
        link->bytes_per_ns = states[i].bytes_per_ns;
        link->latency_ns = states[i].latency_ns;
        if (link->down == states[i].down)
            continue;
        const uint32_t cable = states[i].link / 2;
        l->items[2 * cable].down = l->items[2 * cable + 1].down = states[i].down;
        nadi_routing_set_down(l->routing, cable, states[i].down);
    }
}

struct tallied {
    const struct nadi_fabric *fabric;
    const struct nadi_fabric_tally *tallies;
};

static bool counter_of(const void *of, uint32_t i, struct nadi_network_counter *one)
{
    const struct tallied *t = of;
    const struct nadi_fabric_link *link = &t->fabric->items[i];
    if (!link->exists)
        return false;
    const struct nadi_fabric_tally *tally = &t->tallies[i];
    *one = (struct nadi_network_counter){
        .dim = link->dim,
        .from = link->from,
        .to = link->to,
        .messages = tally->messages,
        .bytes = tally->bytes,
        .wire_bytes = tally->wire_bytes,
        .busy_ns = nadi_time_to_ns(tally->busy),
        .wait_ns = nadi_time_to_ns(tally->wait),
        .most_waiting = tally->most_waiting,
        .number = i,
        .channel = i,
        .bytes_per_ns = link->bytes_per_ns,
    };
    return true;
}

void nadi_fabric_counters(const struct nadi_fabric *f, const struct nadi_fabric_tally *tallies,
                          bool links, nadi_network_visit_fn *visit, void *context)
{
    const struct tallied all = {f, tallies};
    const uint32_t dims =
        f->graph && !f->graph->of_topology ? f->graph->dim_count : f->topology->dim_count;
    nadi_network_visit_dims(dims, f->count, counter_of, &all, links, visit, context);
}
