/* graph_rates: the dimensions of a graph, with what messages between neighbours in each of them
 * find on their way. */
#include "base/mem.h"
#include "base/time.h"
#include "platform/graph_file.h"
#include "platform/graph_stripe.h"

#include <math.h>

enum { MOST_PAIRS = 16 }; /* looked at in a dimension */

/* What one NPU can send in all, B/ns. */
static double rate_of_npu(const struct nadi_graph *g)
{
    double most = 0;
    for (uint32_t h = 0; h < g->host_count; h++) {
        double sum = 0;
        for (uint32_t p = g->first_port[g->hosts[h]]; p < g->first_port[g->hosts[h] + 1]; p++)
            sum += (double)g->links[g->ports[p].link].bits_per_s / 8e9;
        most = sum > most ? sum : most;
    }
    return most > 0 ? most : 1;
}

struct seen {                /* of routes */
    double rate, latency_ns; /* of the slowest link; the sum */
    uint32_t routes;
};

static void look_at(struct seen *s, const struct nadi_graph *g, struct nadi_routing *r,
                    uint32_t from, uint32_t to, struct nadi_route *route)
{
    if (!nadi_routing_find(r, from, to, 0, route))
        return;
    s->routes++;
    for (size_t k = 0; k < route->count; k++) {
        s->rate = fmin(s->rate, (double)nadi_graph_channel_rate(g, route->items[k]) / 8e9);
        s->latency_ns += nadi_time_in_ns(nadi_graph_channel_latency(g, route->items[k]));
    }
}

/* A switch's two links have the mean latency of the ring's routes, and the rate of their slowest
 * link. */
static void give_rates(struct nadi_topology *t, const struct nadi_graph *g)
{
    struct nadi_routing *r =
        nadi_routing_create(g, &(struct nadi_routing_config){.scheme = NADI_ROUTE_SHORTEST});
    struct nadi_route route = {0};
    uint32_t stride = 1;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        struct nadi_dim *dim = &t->dims[d];
        const uint32_t n = dim->npus, pairs = n < MOST_PAIRS ? n : MOST_PAIRS;
        struct seen s = {.rate = HUGE_VAL};
        for (uint32_t i = 0; i < pairs && n > 1; i++) {
            const uint32_t at = (uint32_t)((uint64_t)(i + 1) * n / pairs) - 1;
            look_at(&s, g, r, at * stride, (at + 1) % n * stride, &route);
        }
        if (s.routes > 0 && s.rate < HUGE_VAL) {
            dim->bytes_per_ns = s.rate;
            dim->latency_ns = s.latency_ns / s.routes / nadi_dim_hops(dim, 0, 1);
        }
        stride *= n;
    }
    nadi_mem_free(route.items);
    nadi_routing_destroy(r);
}

bool nadi_graph_file_topology(const struct nadi_graph_file *f, struct nadi_topology *t)
{
    const double rate = rate_of_npu(&f->graph);
    struct nadi_graph striped;
    *t = (struct nadi_topology){.dim_count = f->dim_count};
    for (uint32_t d = 0; d < f->dim_count; d++)
        t->dims[d] = (struct nadi_dim){
            .kind = NADI_DIM_SWITCH,
            .npus = f->dims[d],
            .bytes_per_ns = rate,
            .oversubscription = 1,
            .axes = 1,
        };
    if (!nadi_topology_finish(t))
        return false;
    const bool is_striped = f->stripe && nadi_graph_stripe(&f->graph, &striped);
    give_rates(t, is_striped ? &striped : &f->graph);
    if (is_striped)
        nadi_graph_release(&striped);
    return true;
}
