#include "why/route_latency.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "platform/routing.h"

struct cost { /* of a route */
    uint64_t latency_ns;
    double forwarding; /* ns a byte */
};

struct nadi_route_latencies {
    const struct nadi_inputs *in;
    const struct nadi_lower_bounds *bounds;
    struct nadi_routing *routing; /* of a graph, else NULL */
    struct nadi_route route;
    struct nadi_map64 known; /* src << 32 | dst -> index of `routes` */
    struct {
        struct cost *items;
        size_t count, capacity;
    } routes;
};

struct nadi_route_latencies *nadi_route_latencies_create(const struct nadi_inputs *in,
                                                         const struct nadi_lower_bounds *bounds)
{
    const struct nadi_routing_config config = {.scheme = NADI_ROUTE_SHORTEST};
    struct nadi_route_latencies *w = NADI_ZNEW(struct nadi_route_latencies, 1);
    w->in = in;
    w->bounds = bounds;
    if (in->has_graph)
        w->routing = nadi_routing_create(&in->graph, &config);
    nadi_map64_init(&w->known, 64);
    return w;
}

void nadi_route_latencies_destroy(struct nadi_route_latencies *w)
{
    if (!w)
        return;
    nadi_routing_destroy(w->routing);
    nadi_map64_release(&w->known);
    nadi_mem_free(w->route.items);
    nadi_mem_free(w->routes.items);
    nadi_mem_free(w);
}

static struct cost cost_of_graph(struct nadi_route_latencies *w, uint32_t src, uint32_t dst)
{
    const struct nadi_graph *g = &w->in->graph;
    nadi_time latency = 0;
    double all = 0, slowest = 0;
    if (src >= g->host_count || dst >= g->host_count ||
        !nadi_routing_find(w->routing, src, dst, 0, &w->route))
        return (struct cost){0};
    for (size_t i = 0; i < w->route.count; i++) {
        const uint32_t channel = w->route.items[i];
        const double byte = 8e9 / (double)nadi_graph_channel_rate(g, channel);
        latency = nadi_time_add(latency, nadi_graph_channel_latency(g, channel));
        all += byte;
        slowest = byte > slowest ? byte : slowest;
    }
    return (struct cost){nadi_time_to_ns(latency), all - slowest};
}

static double forwarding_of_dims(const struct nadi_topology *t, uint32_t src, uint32_t dst)
{
    double all = 0, slowest = 0;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const uint32_t a = nadi_topology_coordinate(t, src, d),
                       b = nadi_topology_coordinate(t, dst, d);
        if (a == b)
            continue;
        const double byte = 1 / t->dims[d].bytes_per_ns;
        all += nadi_dim_hops(&t->dims[d], a, b) * byte;
        slowest = byte > slowest ? byte : slowest;
    }
    return all - slowest;
}

static struct cost cost_of(struct nadi_route_latencies *w, uint32_t src, uint32_t dst)
{
    if (w->routing)
        return cost_of_graph(w, src, dst);
    return (struct cost){nadi_lower_bound_message(w->bounds, src, dst, 0),
                         forwarding_of_dims(&w->in->topology, src, dst)};
}

static struct cost find(struct nadi_route_latencies *w, uint32_t src, uint32_t dst)
{
    bool added;
    if (src == dst || src >= w->in->rank_count || dst >= w->in->rank_count)
        return (struct cost){0};
    const uint32_t next = (uint32_t)w->routes.count;
    const uint32_t at = *nadi_map64_put(&w->known, (uint64_t)src << 32 | dst, next, &added);
    if (added)
        NADI_PUSH(&w->routes, cost_of(w, src, dst));
    return w->routes.items[at];
}

uint64_t nadi_route_latency(struct nadi_route_latencies *w, uint32_t src, uint32_t dst)
{
    return find(w, src, dst).latency_ns;
}

double nadi_route_forwarding(struct nadi_route_latencies *w, uint32_t src, uint32_t dst)
{
    return find(w, src, dst).forwarding;
}
