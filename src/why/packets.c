#include "why/packets.h"

#include "network/flow.h"
#include "network/packet/config.h"

#include <math.h>

double nadi_packets_of_message(uint64_t bytes, double forwarding, double moving_ns)
{
    const double payload = fmin((double)bytes, NADI_PACKET_PAYLOAD);
    if (bytes == 0)
        return 0;
    return (payload + NADI_FLOW_HEADER_BYTES) * forwarding +
           moving_ns * NADI_FLOW_HEADER_BYTES / payload;
}

/* As if each message of the mean rank waited for the one before it. */
static double bound(const struct nadi_result *r)
{
    double hops = 0, passing = 0;
    uint64_t communicating = 0;
    uint32_t ranks = 0; /* that communicate */
    for (size_t i = 0; i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        if (l->messages == 0 || !(l->bytes_per_ns > 0))
            continue;
        const double mean = (double)l->bytes / (double)l->messages;
        hops += (double)l->messages;
        passing += (double)l->messages * fmin(mean, NADI_PACKET_PAYLOAD) / l->bytes_per_ns;
    }
    for (uint32_t i = 0; i < r->rank_count; i++) {
        const struct nadi_rank_result *x = nadi_result_rank(r, i);
        communicating = nadi_max_u64(communicating, x->true_exposed_comm_ns);
        ranks += x->comm_ns > 0;
    }
    if (hops <= (double)r->messages || ranks == 0)
        return 0;
    const double all = passing * (1 - (double)r->messages / hops) / ranks +
                       (double)communicating * NADI_FLOW_HEADER_BYTES / NADI_PACKET_PAYLOAD;
    return fmin(all, (double)communicating);
}

struct nadi_packets_left nadi_packets_left_out(const struct nadi_inputs *in,
                                               const struct nadi_result *r,
                                               const struct nadi_why *why)
{
    struct nadi_packets_left left = {.payload = NADI_PACKET_PAYLOAD};
    if (in->options.network_model != nadi_network_sharing || in->flow.packet_bytes ||
        in->system.library || in->system.replay_only || !r->messages)
        return left;
    left.is_bound = !why || why->why_not || isnan(why->packets_ns);
    left.ns = left.is_bound ? bound(r) : why->packets_ns;
    return left;
}
