#include "why/route_latency.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "platform/routing.h"

struct nadi_route_latencies {
    const struct nadi_inputs *in;
    const struct nadi_lower_bounds *bounds;
    struct nadi_routing *routing; /* of a graph, else NULL */
    struct nadi_route route;
    struct nadi_map64 known; /* src << 32 | dst -> index of `latencies` */
    struct {
        uint64_t *items;
        size_t count, capacity;
    } latencies;
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
    nadi_mem_free(w->latencies.items);
    nadi_mem_free(w);
}

static uint64_t latency_of(struct nadi_route_latencies *w, uint32_t src, uint32_t dst)
{
    const struct nadi_graph *g = &w->in->graph;
    nadi_time sum = 0;
    if (!w->routing)
        return nadi_lower_bound_message(w->bounds, src, dst, 0);
    if (src >= g->host_count || dst >= g->host_count ||
        !nadi_routing_find(w->routing, src, dst, 0, &w->route))
        return 0;
    for (size_t i = 0; i < w->route.count; i++)
        sum = nadi_time_add(sum, nadi_graph_channel_latency(g, w->route.items[i]));
    return nadi_time_to_ns(sum);
}

uint64_t nadi_route_latency(struct nadi_route_latencies *w, uint32_t src, uint32_t dst)
{
    bool added;
    if (src == dst || src >= w->in->rank_count || dst >= w->in->rank_count)
        return 0;
    const uint32_t next = (uint32_t)w->latencies.count;
    const uint32_t at = *nadi_map64_put(&w->known, (uint64_t)src << 32 | dst, next, &added);
    if (added)
        NADI_PUSH(&w->latencies, latency_of(w, src, dst));
    return w->latencies.items[at];
}
