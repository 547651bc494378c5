#include "search/link_load.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "explore/model_inputs.h"
#include "inputs/inputs.h"
#include "inputs/load.h"

enum { MOST_PAIRS = 1 << 18 };

struct nadi_link_load {
    struct nadi_inputs in;
    struct nadi_link_least *links;
    struct nadi_routing *routing;
    struct nadi_route route;
    uint32_t ranks;
    double *bytes; /* by channel */
    struct {
        struct shift {
            uint32_t ranks;
            double ns;
        } * items;
        size_t count, capacity;
    } shifts;
};

struct nadi_link_load *nadi_link_load_create(const struct nadi_study *study)
{
    if (!study->cluster.graph)
        return NULL;
    struct nadi_link_load *l = NADI_ZNEW(struct nadi_link_load, 1);
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    nadi_model_bare_inputs(&l->in, study, 1);
    l->in.options.network_model = nadi_network_sharing;
    l->ranks = study->plan.ranks;
    if (nadi_inputs_take_topology(&l->in, study->cluster.graph, NULL, &diags) &&
        l->in.graph.host_count >= l->ranks) {
        l->links = nadi_inputs_link_least(&l->in);
        l->routing = nadi_routing_create(&l->in.graph, &l->in.routing);
        l->bytes = NADI_NEW(double, nadi_graph_channel_count(&l->in.graph));
    }
    nadi_diags_release(&diags);
    if (l->routing)
        return l;
    nadi_link_load_destroy(l);
    return NULL;
}

void nadi_link_load_destroy(struct nadi_link_load *l)
{
    if (!l)
        return;
    nadi_routing_destroy(l->routing);
    nadi_inputs_release(&l->in);
    nadi_mem_free(l->route.items);
    nadi_mem_free(l->links);
    nadi_mem_free(l->bytes);
    nadi_mem_free(l->shifts.items);
    nadi_mem_free(l);
}

const struct nadi_implementation *nadi_link_load_algorithms(const struct nadi_link_load *l,
                                                            enum nadi_collective_kind kind)
{
    return &l->in.system.native[nadi_native_of(kind)];
}

static void clear(struct nadi_link_load *l)
{
    memset(l->bytes, 0, nadi_graph_channel_count(&l->in.graph) * sizeof(*l->bytes));
}

static void send(struct nadi_link_load *l, uint32_t from, uint32_t to, double bytes)
{
    if (!nadi_routing_find(l->routing, from, to, 0, &l->route))
        return;
    for (size_t i = 0; i < l->route.count; i++)
        l->bytes[l->route.items[i]] += bytes;
}

static double link_ns(const struct nadi_link_load *l, uint32_t channel)
{
    const double rate = l->links[nadi_graph_channel_place(&l->in.graph, channel)].bytes_per_ns;
    return rate > 0 ? l->bytes[channel] / rate : 0;
}

static double fullest_ns(const struct nadi_link_load *l)
{
    double most = 0;
    for (uint32_t i = 0; i < nadi_graph_channel_count(&l->in.graph); i++)
        most = fmax(most, link_ns(l, i));
    return most;
}

double nadi_link_load_ns(struct nadi_link_load *l, uint32_t count, uint32_t apart, bool exchange)
{
    const uint32_t others = exchange ? count - 1 : 1;
    const uint64_t pairs = (uint64_t)l->ranks * others;
    const uint32_t step = (uint32_t)((pairs + MOST_PAIRS - 1) / MOST_PAIRS);
    const uint32_t looked_at = (others + step - 1) / step;
    clear(l);
    for (uint32_t rank = 0; rank < l->ranks; rank++) {
        const uint32_t place = rank / apart % count, first = rank - place * apart;
        for (uint32_t k = 0; k < looked_at; k++) { /* ranks look at different ones */
            const uint32_t ahead = 1 + (k * step + rank % step) % others;
            send(l, rank, first + (place + ahead) % count * apart, (double)others / looked_at);
        }
    }
    return fullest_ns(l);
}

/* ns of a byte on the fullest link of its route. */
static double route_ns(struct nadi_link_load *l, uint32_t from, uint32_t to)
{
    double most = 0;
    if (!nadi_routing_find(l->routing, from, to, 0, &l->route))
        return 0;
    for (size_t i = 0; i < l->route.count; i++)
        most = fmax(most, link_ns(l, l->route.items[i]));
    return most;
}

double nadi_link_load_shift_ns(struct nadi_link_load *l, uint32_t shift)
{
    for (size_t i = 0; i < l->shifts.count; i++)
        if (l->shifts.items[i].ranks == shift)
            return l->shifts.items[i].ns;
    clear(l);
    for (uint32_t rank = 0; rank < l->ranks; rank++)
        send(l, rank, (rank + shift) % l->ranks, 1);
    const uint32_t lines = shift < l->ranks - shift ? shift : l->ranks - shift;
    struct shift found = {shift, 0};
    for (uint32_t line = 0; line < lines; line++) {
        double sum = 0;
        uint32_t count = 0;
        for (uint32_t rank = line; rank < l->ranks; rank += lines, count++)
            sum += route_ns(l, rank, (rank + shift) % l->ranks);
        found.ns = fmax(found.ns, sum / count);
    }
    NADI_PUSH(&l->shifts, found);
    return found.ns;
}
