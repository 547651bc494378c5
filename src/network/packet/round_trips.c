/* round_trips: a flow's own, the longest one of a network, and the largest bandwidth-delay product.
 */
#include "base/mem.h"
#include "network/packet/packet.h"
#include "network/packet/routes.h"

void nadi_pkt_routes_own_rtt(const struct nadi_pkt *net, uint32_t flow, nadi_time *rtt,
                             uint64_t *rate)
{
    const uint32_t bytes[] = {net->config.payload_bytes + net->frames.data_overhead,
                              net->frames.ack};
    *rtt = 0;
    *rate = UINT64_MAX;
    for (uint32_t back = 0; back < 2; back++)
        for (uint32_t hop = 0;; hop++) {
            const uint32_t port = nadi_pkt_path_port(net, flow, back, hop);
            *rtt = nadi_time_add(*rtt, nadi_pkt_time_of(net, port, bytes[back]));
            if (!back)
                *rate = nadi_min_u64(*rate, net->rates[net->ports[port].rate]);
            if (net->ports[port].to_host)
                break;
        }
}

nadi_time nadi_pkt_routes_wait(const struct nadi_pkt *net, uint32_t flow)
{
    const uint32_t bytes = net->config.payload_bytes + net->frames.data_overhead;
    nadi_time wait = 0;
    for (uint32_t back = 0; back < 2; back++)
        for (uint32_t hop = 0;; hop++) {
            const struct nadi_pkt_port *port =
                &net->ports[nadi_pkt_path_port(net, flow, back, hop)];
            if (back)
                wait = nadi_time_add(wait, nadi_time_add(port->latency, port->ticks[bytes].busy));
            else /* not where it stores packets anyhow */
                wait = nadi_time_add(wait, port->ticks[bytes].busy - port->ticks[bytes].arrives);
            if (port->to_host)
                break;
        }
    return wait;
}

struct end { /* a host that stands for all that hang at its root by like cables */
    uint32_t host, root;
    bool second; /* of its kind, for pairs inside of it */
};

/* Returns their number. O(hosts). */
static uint32_t unlike_ends(const struct nadi_pkt *net, struct end *ends)
{
    const struct nadi_graph *g = net->graph;
    uint32_t count = 0;
    struct nadi_map64 seen; /* root and kind of cable -> how many so far */
    nadi_map64_init(&seen, g->host_count);
    for (uint32_t h = 0; h < g->host_count; h++) {
        if (nadi_graph_degree(g, g->hosts[h]) == 0)
            continue; /* no route leads to it */
        const uint32_t root = nadi_pkt_root_of(net, g->hosts[h]);
        const struct nadi_pkt_port *port = &net->ports[g->first_port[g->hosts[h]]];
        const uint64_t cable = nadi_hash_u64((uint64_t)port->latency << 16 ^ port->rate);
        const uint64_t kind = (uint64_t)root << 32 | cable >> 32;
        uint32_t *like = nadi_map64_put(&seen, kind, 0, NULL);
        if (*like < 2)
            ends[count++] = (struct end){h, root, *like == 1};
        ++*like;
    }
    nadi_map64_release(&seen);
    return count;
}

void nadi_pkt_routes_longest(struct nadi_pkt *net, nadi_time *rtt, uint64_t *bdp)
{
    const uint64_t ticks_per_s = UINT64_C(1000000000000) / (uint64_t)net->tick;
    struct end *ends = NADI_NEW(struct end, net->graph->host_count);
    const uint32_t count = unlike_ends(net, ends);
    *rtt = 0;
    *bdp = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++) {
            nadi_time pair_rtt;
            uint64_t rate;
            if (i == k || ((ends[i].second || ends[k].second) && ends[i].root != ends[k].root))
                continue;
            nadi_pkt_routes_rtt(net, ends[i].host, ends[k].host, &pair_rtt, &rate);
            const uint64_t pair_bdp = nadi_count_mul_div((uint64_t)pair_rtt, rate, ticks_per_s) / 8;
            *rtt = pair_rtt > *rtt ? pair_rtt : *rtt;
            *bdp = nadi_max_u64(*bdp, pair_bdp);
        }
    nadi_mem_free(ends);
}
