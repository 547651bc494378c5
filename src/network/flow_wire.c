/* flow_wire: what packets add to a fluid (`flow-packet`): headers, and that a switch stores
 * each before it forwards it. A message of s bytes in packets of p over links of rates C_i takes
 *
 *     sum of latencies + (min(s, p) + 62) (sum of 1 / C_i - 1 / min C) + (s + 62 ceil(s / p)) / min
 * C
 *
 * alone: the packets of one message stand in line at the slowest link only. */
#include "network/flow_inside.h"

uint64_t nadi_flow_on_wire(const struct flow *f, uint64_t bytes)
{
    if (!f->config.packet_bytes || !bytes)
        return bytes;
    const uint64_t packets = (bytes - 1) / f->config.packet_bytes + 1;
    return nadi_count_add(bytes, nadi_count_mul(packets, NADI_FLOW_HEADER_BYTES));
}

double nadi_flow_forwarding_ns(const struct flow *f, const struct nadi_fabric_path *r,
                               uint64_t bytes)
{
    if (!f->config.packet_bytes || r->hops < 2)
        return 0;
    const uint64_t packet = nadi_count_add(f->config.packet_bytes, NADI_FLOW_HEADER_BYTES);
    double ns_per_byte = -1 / r->bytes_per_ns;
    for (uint32_t i = 0; i < r->hops; i++)
        ns_per_byte += 1 / f->fabric.items[r->links[i]].bytes_per_ns;
    return ns_per_byte > 0 ? (double)nadi_min_u64(bytes, packet) * ns_per_byte : 0;
}
