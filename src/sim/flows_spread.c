/* flows_spread: how the hashes of ECMP spread the flows of a list over links that are equally
 * short. */
#include "base/map.h"
#include "network/network.h"
#include "sim/flows.h"

/* By hash of the pair and the flow's number in it: not packet by packet, not as ns-3 does. */
static bool hashes_flows(const struct nadi_inputs *in)
{
    const struct nadi_packet_config *c = &in->packet;
    if (in->routing.scheme != NADI_ROUTE_ECMP || in->graph.node_count == 0)
        return false;
    if (!in->options.network_model->has_packets)
        return in->options.network_model->flows != NULL;
    return !c->exact && !nadi_packet_config_sprays(c) && c->spreading == NADI_SPREADING_FLOW;
}

void nadi_flows_count_spread(const struct nadi_inputs *in, struct nadi_result *result)
{
    struct nadi_map64 numbers; /* src << 32 | dst -> flows so far */
    if (!hashes_flows(in))
        return;
    struct nadi_hash_spread *spread = nadi_hash_spread_create(&in->graph, &in->routing);
    nadi_map64_init(&numbers, 64);
    for (size_t i = 0; i < in->flows->list.count; i++) {
        const struct nadi_flow_spec *f = &in->flows->list.items[i];
        uint32_t *number = nadi_map64_put(&numbers, (uint64_t)f->src << 32 | f->dst, 0, NULL);
        if (f->src != f->dst && *number <= UINT16_MAX)
            nadi_hash_spread_add(spread, f->src, f->dst, (*number)++);
    }
    nadi_map64_release(&numbers);
    const struct nadi_hash_spread_link *links = nadi_hash_spread_finish(spread);
    result->listed->spread = links;
    result->listed->hashes = spread;
    result->spread.counted = true;
    for (uint32_t c = 0; c < nadi_graph_channel_count(&in->graph); c++) {
        result->spread.links += links[c].even > 0;
        result->spread.collisions += nadi_hash_spread_collides(&links[c]);
    }
}
