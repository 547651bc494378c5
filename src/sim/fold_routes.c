/* fold_routes: do shifts of a graph's NPUs map the routes of messages on each other, link by link?
 *
 * Every pair of ranks that may exchange a message is looked at: neighbours in the rings of the
 * groups and dimensions, all their members where an algorithm is direct, peers of messages. A shift
 * is good if the route from a to b goes over as many links as the route from a moved to b moved,
 * each of the same rate and latency, and if that makes one map of links onto links: nothing of the
 * graph itself needs to be known. Then every message, and what it meets, is moved with its ranks.
 */
#include "sim/fold_routes.h"

#include "base/mem.h"
#include "network/fabric.h"

enum { MOST_ROUTES = 1 << 18 };

struct nadi_fold_routes {
    const struct nadi_folding *f;
    struct nadi_fabric fabric;
    struct nadi_map64 routes; /* from << 32 | to -> the fabric's route */
    uint32_t *map, *back; /* link -> link, of the shift that is tried, and the other way round */
    bool one_way;         /* flows of a pair are hashed: each must have no choice */
    const char *why_not;
};

/* ---- the routes ---------------------------------------------------------------------------- */

struct only { /* is there one shortest route? */
    uint32_t channels;
    bool shared;
};

static void count_part(void *context, uint32_t hop, uint32_t channel, double part)
{
    struct only *o = context;
    (void)hop;
    (void)channel;
    o->channels++;
    o->shared |= part < 1;
}

static void look_at(struct nadi_fold_routes *r, uint32_t from, uint32_t to, uint32_t route)
{
    const struct nadi_fabric_path *path = nadi_fabric_path(&r->fabric, route);
    struct only only = {0};
    if (path->broken)
        r->why_not = "there is no route between two ranks";
    if (path->broken || !r->one_way)
        return;
    nadi_routing_parts(r->fabric.routing, from, to, count_part, &only);
    if (only.shared || only.channels != path->hops)
        r->why_not = "the routes of messages are chosen by hash";
}

static void add_route(struct nadi_fold_routes *r, uint32_t from, uint32_t to)
{
    bool added;
    if (from == to || r->why_not)
        return;
    uint32_t *route = nadi_map64_put(&r->routes, (uint64_t)from << 32 | to, 0, &added);
    if (!added)
        return;
    if (r->routes.count > MOST_ROUTES) {
        r->why_not = "messages go between too many pairs of ranks of the graph";
        return;
    }
    *route = nadi_fabric_route(&r->fabric, from, to);
    look_at(r, from, to, *route);
}

/* From local address `at` of `n` that are `stride` ranks or members apart, to those that the
 * algorithms send to. `group` NULL: ranks. */
static void add_ring(struct nadi_fold_routes *r, const struct nadi_group *group, uint32_t first,
                     uint32_t at, uint32_t n, uint32_t stride)
{
    const bool direct = r->f->direct;
    for (uint32_t by = 1; by < n && !r->why_not; by++) {
        const uint32_t to = first + (at + by) % n * stride, from = first + at * stride;
        if (by > 1 && by < n - 1 && !direct)
            by = n - 2;
        else
            add_route(r, group ? nadi_group_member(group, from) : from,
                      group ? nadi_group_member(group, to) : to);
    }
}

static void add_group(struct nadi_fold_routes *r, uint32_t index)
{
    const struct nadi_group *g = &r->f->in->groups.items[index];
    const struct nadi_topology *t = &r->f->in->topology;
    if (!r->f->groups[index].used)
        return;
    for (uint32_t i = 0; i < g->size && !r->f->groups[index].world; i++)
        add_ring(r, g, 0, i, g->size, 1);
    for (uint32_t d = 0; d < t->dim_count && r->f->groups[index].world; d++)
        for (uint32_t rank = 0; rank < t->npu_count; rank++) {
            const uint32_t at = nadi_topology_coordinate(t, rank, d);
            add_ring(r, NULL, rank - at * t->stride[d], at, t->dims[d].npus, t->stride[d]);
        }
}

static void add_routes(struct nadi_fold_routes *r)
{
    const struct nadi_folding *f = r->f;
    for (uint32_t g = 0; g < f->in->groups.count && !r->why_not; g++)
        add_group(r, g);
    for (uint32_t rank = 0; rank < f->rank_count && !r->why_not; rank++)
        for (size_t p = f->peer_start[rank]; p < f->peer_start[rank + 1]; p++)
            add_route(r, rank, f->peers[p]);
}

struct nadi_fold_routes *nadi_fold_routes_open(const struct nadi_folding *f)
{
    struct nadi_fold_routes *r = NADI_ZNEW(struct nadi_fold_routes, 1);
    const struct nadi_inputs *in = f->in;
    r->f = f;
    nadi_map64_init(&r->routes, (size_t)4 * f->rank_count);
    nadi_fabric_init(&r->fabric, &in->topology, &in->graph, in->has_graph ? &in->routing : NULL);
    r->map = NADI_NEW(uint32_t, r->fabric.count);
    r->back = NADI_NEW(uint32_t, r->fabric.count);
    r->one_way = r->fabric.hashes;
    if (r->fabric.loads || (in->has_graph && in->routing.scheme == NADI_ROUTE_VALIANT))
        r->why_not = "the routes of messages are drawn, or chosen by the loads of links";
    else if (f->halves)
        r->why_not = "members of halving-doubling are unlike each other in a graph";
    else
        add_routes(r);
    return r;
}

void nadi_fold_routes_close(struct nadi_fold_routes *r)
{
    if (!r)
        return;
    nadi_fabric_release(&r->fabric);
    nadi_map64_release(&r->routes);
    nadi_mem_free(r->map);
    nadi_mem_free(r->back);
    nadi_mem_free(r);
}

const char *nadi_fold_routes_why_not(const struct nadi_fold_routes *r)
{
    return r->why_not;
}

/* ---- shifts -------------------------------------------------------------------------------- */

static bool alike(const struct nadi_fabric_link *a, const struct nadi_fabric_link *b)
{
    return !(a->bytes_per_ns < b->bytes_per_ns || a->bytes_per_ns > b->bytes_per_ns ||
             a->latency_ns < b->latency_ns || a->latency_ns > b->latency_ns) &&
           a->dim == b->dim;
}

static bool map_link(struct nadi_fold_routes *r, uint32_t from, uint32_t to)
{
    if (r->map[from] == to)
        return true;
    if (r->map[from] != NADI_NONE || r->back[to] != NADI_NONE ||
        !alike(&r->fabric.items[from], &r->fabric.items[to]))
        return false;
    r->map[from] = to;
    r->back[to] = from;
    return true;
}

/* The route from..to, moved, is the route from `from` moved to `to` moved. */
static bool map_route(struct nadi_fold_routes *r, uint32_t route, uint32_t from, uint32_t to)
{
    const uint32_t other = nadi_map64_find(&r->routes, (uint64_t)from << 32 | to);
    if (other == NADI_NONE)
        return false;
    const struct nadi_fabric_path *a = &r->fabric.routes[route], *b = &r->fabric.routes[other];
    if (a->hops != b->hops)
        return false;
    for (uint32_t i = 0; i < a->hops; i++)
        if (!map_link(r, a->links[i], b->links[i]))
            return false;
    return true;
}

const uint32_t *nadi_fold_routes_map(struct nadi_fold_routes *r, const struct nadi_topology *t,
                                     uint32_t d, uint32_t by)
{
    memset(r->map, 0xff, r->fabric.count * sizeof(*r->map));
    memset(r->back, 0xff, r->fabric.count * sizeof(*r->back));
    for (uint32_t i = 0; i < r->fabric.route_count; i++) {
        const struct nadi_fabric_path *route = &r->fabric.routes[i];
        if (!map_route(r, i, nadi_topology_move(t, route->src, d, by),
                       nadi_topology_move(t, route->dst, d, by)))
            return NULL;
    }
    return r->map;
}

/* ---- kinds of links ------------------------------------------------------------------------ */

struct kinds {
    const struct nadi_topology *t;
    const uint32_t *period;
    uint32_t *const *maps; /* by dimension, link -> link moved by the period; NULL: not moved */
    struct nadi_uniform_links *links;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } orbit;
};

/* All links that shifts map `first` to. */
static void follow(struct kinds *k, uint32_t first)
{
    struct nadi_uniform_links *l = k->links;
    k->orbit.count = 0;
    l->kind[first] = first;
    l->npu[first] = 0;
    NADI_PUSH(&k->orbit, first);
    for (size_t i = 0; i < k->orbit.count; i++)
        for (uint32_t d = 0; d < k->t->dim_count; d++) {
            const uint32_t from = k->orbit.items[i];
            const uint32_t to = k->maps[d] ? k->maps[d][from] : from;
            if (to == NADI_NONE || l->kind[to] != NADI_NONE)
                continue;
            l->kind[to] = first;
            l->npu[to] = nadi_topology_move(k->t, l->npu[from], d, k->period[d]);
            NADI_PUSH(&k->orbit, to);
        }
}

struct nadi_uniform_links *nadi_fold_routes_links(struct nadi_fold_routes *r,
                                                  const struct nadi_topology *t,
                                                  const uint32_t *period, uint32_t *const *maps,
                                                  uint32_t alike_npus)
{
    const uint32_t count = r->fabric.count;
    struct nadi_uniform_links *l = NADI_ZNEW(struct nadi_uniform_links, 1);
    struct kinds k = {.t = t, .period = period, .maps = maps, .links = l};
    l->kind = NADI_NEW(uint32_t, count);
    l->npu = NADI_ZNEW(uint32_t, count);
    l->share = NADI_NEW(uint32_t, count);
    memset(l->kind, 0xff, count * sizeof(*l->kind));
    for (uint32_t i = 0; i < r->fabric.route_count; i++)
        for (uint32_t h = 0; h < r->fabric.routes[i].hops; h++) {
            const uint32_t link = r->fabric.routes[i].links[h];
            if (l->kind[link] != NADI_NONE)
                continue;
            follow(&k, link);
            for (size_t o = 0; o < k.orbit.count; o++)
                l->share[k.orbit.items[o]] = alike_npus / (uint32_t)k.orbit.count;
            l->shared |= k.orbit.count < alike_npus;
        }
    for (uint32_t i = 0; i < count; i++)
        if (l->kind[i] == NADI_NONE) {
            l->kind[i] = i;
            l->share[i] = 1;
        }
    nadi_mem_free(k.orbit.items);
    l->routes = r->routes;
    nadi_map64_init(&r->routes, 0);
    return l;
}
