#include "bound/lower_bound_graph.h"

#include "base/join.h"
#include "base/mem.h"
#include "base/time.h"

#include <math.h>

struct exit {       /* the cables between an NPU and one part, or one other NPU */
    uint32_t part;  /* node that stands for it; from node_count on: a cable between two NPUs */
    double out, in; /* bytes/ns, of all cables together */
    double one_out, one_in;               /* of what a message goes over: of the best, or of all */
    double out_latency_ns, in_latency_ns; /* the least of them */
};

struct nadi_lower_bound_graph {
    bool store_and_forward, whole;
    uint32_t node_count;          /* of the graph */
    struct nadi_routing *routing; /* NULL: no NPU forwards, or too many would be asked for */
    bool one_hop;                 /* some NPUs are next to each other */
    uint32_t *first; /* by NPU: exits[first[npu]] .. exits[first[npu + 1] - 1], by part */
    bool *forwards;  /* by NPU: it has a router of its own, which may be next to another one's */
    struct {
        struct exit *items;
        size_t count, capacity;
    } exits;
    double most_out, most_one_out, most_one_in, least_latency_ns;
    double fastest;  /* of a cable, bytes/ns */
    double capacity; /* of all cables, both ways */
    uint64_t spared_bytes;
    uint64_t pair_hops; /* of all pairs of the first pair_count NPUs, together */
    uint32_t pair_count;
};

/* Below 0 where a message may be as early as that. */
static double latency_of(const struct nadi_link_least *link)
{
    return link->latency_ns - link->early_ns;
}

/* ---- parts --------------------------------------------------------------------------------- */

static uint32_t part_of(uint32_t *parts, uint32_t node)
{
    while (parts[node] != node)
        node = parts[node] = parts[parts[node]];
    return node;
}

/* By node, a chain to the node that stands for its part. */
static uint32_t *find_parts(const struct nadi_graph *g)
{
    uint32_t *parts = NADI_NEW(uint32_t, g->node_count);
    for (uint32_t node = 0; node < g->node_count; node++)
        parts[node] = node;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const uint32_t a = g->links[i].a, b = g->links[i].b;
        if (g->nodes[a].kind == NADI_GRAPH_SWITCH && g->nodes[b].kind == NADI_GRAPH_SWITCH)
            parts[part_of(parts, a)] = part_of(parts, b);
    }
    return parts;
}

enum { MOST_ROUTED = 2000000 }; /* pairs times links that are looked at */

/* ---- routes of a ring --------------------------------------------------------------------------
 */

struct edge {
    double rate;
    uint32_t a, b;
};

static int faster_first(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->rate < y->rate) - (x->rate > y->rate);
}

/* The fastest links first, those on board at once: neighbours that are joined by then have a route
 * with no slower link, any other route has one. */
static double narrowest(const struct nadi_graph *g, const struct nadi_link_least *links,
                        uint32_t count)
{
    uint32_t *above = NADI_NEW(uint32_t, g->node_count);
    struct edge *edges = NADI_NEW(struct edge, g->link_count);
    uint32_t used = 0, joined = 0, next = 0;
    double rate = 0;
    for (uint32_t node = 0; node < g->node_count; node++)
        above[node] = node;
    for (uint32_t i = 0; i < g->link_count; i++)
        if (g->links[i].dim == NADI_NONE)
            nadi_join(above, g->links[i].a, g->links[i].b);
        else
            edges[used++] = (struct edge){links[i].bytes_per_ns, g->links[i].a, g->links[i].b};
    if (used > 0)
        qsort(edges, used, sizeof(*edges), faster_first);
    while (joined < count && next < used) {
        rate = edges[next].rate;
        for (; next < used && !(edges[next].rate < rate); next++)
            nadi_join(above, edges[next].a, edges[next].b);
        while (joined < count && nadi_joined(above, g->hosts[joined]) ==
                                     nadi_joined(above, g->hosts[(joined + 1) % count]))
            joined++;
    }
    nadi_mem_free(above);
    nadi_mem_free(edges);
    return joined == count ? rate : 0;
}

/* Of the channels, while messages go round one way; INFINITY: there is no way. */
static double fullest_ns(const struct nadi_graph *g, const struct nadi_link_least *links,
                         struct nadi_routing *routing, uint32_t count, bool clockwise,
                         uint32_t *pairs)
{
    struct nadi_route route = {0};
    double most = 0;
    memset(pairs, 0, nadi_graph_channel_count(g) * sizeof(*pairs));
    for (uint32_t i = 0; i < count && isfinite(most); i++) {
        const uint32_t next = (i + 1) % count;
        if (!nadi_routing_find(routing, clockwise ? i : next, clockwise ? next : i, 0, &route))
            most = INFINITY;
        for (size_t k = 0; k < route.count; k++) {
            const uint32_t channel = route.items[k];
            const uint32_t at = nadi_graph_channel_place(g, channel);
            if (links[at].bytes_per_ns > 0)
                most = fmax(most, ++pairs[channel] / links[at].bytes_per_ns);
        }
    }
    nadi_mem_free(route.items);
    return most;
}

double nadi_lower_bound_graph_round(const struct nadi_graph *g, const struct nadi_link_least *links,
                                    const struct nadi_routing_config *routing, uint32_t count)
{
    const double rate = narrowest(g, links, count), least = rate > 0 ? 1 / rate : 0;
    if (!routing || (!g->product && (uint64_t)count * g->link_count > MOST_ROUTED))
        return least;
    struct nadi_routing *r = nadi_routing_create(g, routing);
    uint32_t *pairs = NADI_NEW(uint32_t, nadi_graph_channel_count(g));
    const double there = fullest_ns(g, links, r, count, true, pairs);
    const double back = fullest_ns(g, links, r, count, false, pairs);
    nadi_mem_free(pairs);
    nadi_routing_destroy(r);
    return isfinite(fmin(there, back)) ? fmax(least, fmin(there, back)) : least;
}

/* ---- the exits of an NPU ------------------------------------------------------------------- */

static struct exit *exit_to(struct nadi_lower_bound_graph *f, uint32_t from, uint32_t part)
{
    for (size_t i = from; i < f->exits.count; i++)
        if (f->exits.items[i].part == part)
            return &f->exits.items[i];
    NADI_RESERVE(&f->exits, f->exits.count + 1);
    struct exit *e = &f->exits.items[f->exits.count++];
    *e = (struct exit){.part = part, .out_latency_ns = INFINITY, .in_latency_ns = INFINITY};
    return e;
}

static void add_cables(struct nadi_lower_bound_graph *f, const struct nadi_graph *g,
                       const struct nadi_link_least *links, uint32_t *parts, uint32_t npu,
                       uint32_t node)
{
    const uint32_t own = g->hosts[npu];
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
        const uint32_t link = g->ports[p].link, peer = g->ports[p].peer;
        if (g->links[link].dim == NADI_NONE) { /* on board */
            if (node == own && nadi_graph_owner(g, peer) == own) {
                f->forwards[npu] = true;
                add_cables(f, g, links, parts, npu, peer);
            }
            continue;
        }
        const bool between_npus =
            g->nodes[node].kind == NADI_GRAPH_HOST && g->nodes[peer].kind == NADI_GRAPH_HOST;
        const uint32_t through = g->nodes[peer].kind == NADI_GRAPH_HOST ? node : peer;
        const uint32_t part = between_npus ? g->node_count + link : part_of(parts, through);
        struct exit *e = exit_to(f, f->first[npu], part);
        const double rate = links[link].bytes_per_ns;
        const double latency_ns = latency_of(&links[link]);
        f->one_hop |= between_npus || nadi_graph_owner(g, peer) != peer;
        if (!g->links[link].one_way || g->links[link].a == node) {
            e->out += rate;
            e->one_out = f->whole ? fmax(e->one_out, rate) : e->out;
            e->out_latency_ns = fmin(e->out_latency_ns, latency_ns);
        }
        if (!g->links[link].one_way || g->links[link].b == node) {
            e->in += rate;
            e->one_in = f->whole ? fmax(e->one_in, rate) : e->in;
            e->in_latency_ns = fmin(e->in_latency_ns, latency_ns);
        }
    }
}

static int by_part(const void *a, const void *b)
{
    const struct exit *x = a, *y = b;
    return (x->part > y->part) - (x->part < y->part);
}

static void look_at_cables(struct nadi_lower_bound_graph *f, const struct nadi_graph *g,
                           const struct nadi_link_least *links, double rounding_ns)
{
    double spared = 0;
    f->least_latency_ns = INFINITY;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const double rate = links[i].bytes_per_ns, early = rounding_ns + links[i].early_ns;
        if (g->links[i].dim == NADI_NONE) /* on board */
            continue;
        f->fastest = fmax(f->fastest, rate);
        f->capacity += g->links[i].one_way ? rate : 2 * rate;
        f->least_latency_ns = fmin(f->least_latency_ns, latency_of(&links[i]));
        if (early > 0)
            spared = fmax(spared, early * rate + 1);
    }
    f->spared_bytes = nadi_count_trunc(spared);
}

enum {
    MOST_NODES = 4096, /* of a graph that is no product, where NPUs forward */
    MOST_PAIRED = 1024 /* NPUs whose pairs are looked at */
};

struct nadi_lower_bound_graph *nadi_lower_bound_graph_create(const struct nadi_graph *g,
                                                             const struct nadi_link_least *links,
                                                             const struct nadi_network_ops *model,
                                                             bool whole)
{
    struct nadi_lower_bound_graph *f = NADI_ZNEW(struct nadi_lower_bound_graph, 1);
    uint32_t *parts = find_parts(g);
    f->store_and_forward = model->store_and_forward;
    f->whole = whole;
    f->node_count = g->node_count;
    look_at_cables(f, g, links, model->rounding_ns);
    f->first = NADI_ZNEW(uint32_t, g->host_count + 1);
    f->forwards = NADI_ZNEW(bool, g->host_count);
    NADI_RESERVE(&f->exits, 1); /* also where there are no cables: an address to count from */
    for (uint32_t npu = 0; npu < g->host_count; npu++) {
        double out = 0, one_out = 0, one_in = 0;
        f->first[npu] = (uint32_t)f->exits.count;
        add_cables(f, g, links, parts, npu, g->hosts[npu]);
        f->first[npu + 1] = (uint32_t)f->exits.count;
        struct exit *own = f->exits.items + f->first[npu];
        const size_t count = f->exits.count - f->first[npu];
        if (count > 0)
            qsort(own, count, sizeof(*own), by_part);
        for (size_t i = 0; i < count; i++) {
            out += own[i].out;
            one_out = f->whole ? fmax(one_out, own[i].one_out) : one_out + own[i].one_out;
            one_in = f->whole ? fmax(one_in, own[i].one_in) : one_in + own[i].one_in;
        }
        f->most_out = fmax(f->most_out, out);
        f->most_one_out = fmax(f->most_one_out, one_out);
        f->most_one_in = fmax(f->most_one_in, one_in);
    }
    nadi_mem_free(parts);
    const struct nadi_routing_config shortest = {.scheme = NADI_ROUTE_SHORTEST};
    bool forward = false;
    for (uint32_t npu = 0; npu < g->host_count; npu++)
        forward |= f->forwards[npu];
    if (forward && (g->product || g->node_count <= MOST_NODES))
        f->routing = nadi_routing_create(g, &shortest);
    return f;
}

void nadi_lower_bound_graph_destroy(struct nadi_lower_bound_graph *f)
{
    if (!f)
        return;
    nadi_routing_destroy(f->routing);
    nadi_mem_free(f->first);
    nadi_mem_free(f->forwards);
    nadi_mem_free(f->exits.items);
    nadi_mem_free(f);
}

/* ---- times --------------------------------------------------------------------------------- */

/* Sums of rates are rounded: never more than what the cables take. */
static double serial_ns(uint64_t bytes, double rate)
{
    return (double)bytes / rate * (1 - 1e-12);
}

/* Over the cables of one NPU and, at least hops - 1 cables later, over those of another, which are
 * the same for one hop. */
static uint64_t path_ns(const struct nadi_lower_bound_graph *f, const struct exit *sum,
                        uint32_t hops, uint64_t bytes)
{
    const double first = serial_ns(bytes, sum->one_out), last = serial_ns(bytes, sum->one_in);
    if (hops <= 1)
        return nadi_count_trunc(fmin(sum->out_latency_ns, sum->in_latency_ns) + fmax(first, last));
    const double between = (hops - 2) * f->least_latency_ns;
    if (!f->store_and_forward)
        return nadi_count_trunc(sum->out_latency_ns + between + sum->in_latency_ns +
                                fmax(first, last));
    const uint64_t ends = nadi_count_add(nadi_count_trunc(sum->out_latency_ns + first),
                                         nadi_count_trunc(sum->in_latency_ns + last));
    return nadi_count_add(
        ends, nadi_count_mul(hops - 2,
                             nadi_count_trunc(f->least_latency_ns + serial_ns(bytes, f->fastest))));
}

/* Cables of a shortest path between two NPUs that forward, those on board not counted; at least. */
static uint32_t forwarded_hops(const struct nadi_lower_bound_graph *f, uint32_t src, uint32_t dst)
{
    const uint32_t hops = f->routing ? nadi_routing_hops(f->routing, src, dst) : 0;
    const uint32_t on_board = f->forwards[src] + f->forwards[dst];
    return hops != NADI_NONE && hops > on_board ? hops - on_board : 1;
}

uint64_t nadi_lower_bound_graph_busy_ns(struct nadi_lower_bound_graph *f, uint32_t count,
                                        uint64_t bytes)
{
    if (!f->routing || count > MOST_PAIRED)
        return 0;
    if (f->pair_count != count) {
        f->pair_count = count;
        f->pair_hops = 0;
        for (uint32_t dst = 0; dst < count; dst++)
            for (uint32_t src = 0; src < count; src++)
                f->pair_hops += src == dst ? 0 : forwarded_hops(f, src, dst);
    }
    return nadi_count_trunc(serial_ns(bytes, f->capacity) * (double)f->pair_hops);
}

struct nadi_lower_bound_route nadi_lower_bound_graph_route(const struct nadi_lower_bound_graph *f,
                                                           uint32_t src, uint32_t dst,
                                                           uint64_t bytes)
{
    struct exit sum = {.out_latency_ns = INFINITY, .in_latency_ns = INFINITY};
    const bool forward = f->forwards[src] || f->forwards[dst];
    bool one_hop = false;
    const struct exit *a = f->exits.items + f->first[src], *b = f->exits.items + f->first[dst];
    const struct exit *a_end = f->exits.items + f->first[src + 1];
    const struct exit *b_end = f->exits.items + f->first[dst + 1];
    while (a < a_end && b < b_end) {
        if (a->part != b->part) {
            const bool behind = a->part < b->part;
            a += behind;
            b += !behind;
            continue;
        }
        sum.out += a->out;
        sum.in += b->in;
        sum.one_out = f->whole ? fmax(sum.one_out, a->one_out) : sum.out;
        sum.one_in = f->whole ? fmax(sum.one_in, b->one_in) : sum.in;
        sum.out_latency_ns = fmin(sum.out_latency_ns, a->out_latency_ns);
        sum.in_latency_ns = fmin(sum.in_latency_ns, b->in_latency_ns);
        one_hop |= a->part >= f->node_count;
        a++;
        b++;
    }
    if (!(sum.out > 0) || !(sum.in > 0))
        return (struct nadi_lower_bound_route){0};
    return (struct nadi_lower_bound_route){
        .ns = path_ns(f, &sum,
                      one_hop   ? 1
                      : forward ? forwarded_hops(f, src, dst)
                                : 2,
                      bytes),
        .serial_ns = nadi_count_trunc(serial_ns(bytes, fmin(sum.out, sum.in))),
    };
}

uint64_t nadi_lower_bound_graph_least_ns(const struct nadi_lower_bound_graph *f, uint64_t bytes)
{
    const struct exit best = {.one_out = f->most_one_out,
                              .one_in = f->most_one_in,
                              .out_latency_ns = f->least_latency_ns,
                              .in_latency_ns = f->least_latency_ns};
    return f->most_one_out > 0 && f->most_one_in > 0 ? path_ns(f, &best, f->one_hop ? 1 : 2, bytes)
                                                     : 0;
}

uint64_t nadi_lower_bound_graph_spared_bytes(const struct nadi_lower_bound_graph *f)
{
    return f->spared_bytes;
}

uint64_t nadi_lower_bound_graph_leave_ns(const struct nadi_lower_bound_graph *f, uint64_t bytes)
{
    return f->most_out > 0 ? nadi_count_trunc(serial_ns(bytes, f->most_out)) : 0;
}
