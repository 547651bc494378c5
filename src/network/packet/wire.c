#include "network/packet/wire.h"

#include "base/map.h"
#include "base/mem.h"
#include "network/network.h"
#include "network/packet/cc.h"
#include "platform/graph.h"

#include <math.h>

/* RoCEv2 frames. Counted in buffers: Ethernet 14 + FCS 4, IPv4 20, UDP 8, BTH 12, ICRC 4; an ACK
 * adds AETH 4, as does a pull, a CNP 16 reserved bytes; PFC and trimmed packets are least frames
 * of 64. Telemetry: INT as in HPCC. On the wire each frame also costs preamble 8 and gap 12. Exact
 * mode: the HPCC simulator's headers with a link header of 2 bytes. */
struct nadi_pkt_frames nadi_pkt_frames_of(const struct nadi_packet_config *c)
{
    static const uint16_t exact_extra[] = {
        [NADI_TELEMETRY_NONE] = 0,
        [NADI_TELEMETRY_TIME] = 8,
        [NADI_TELEMETRY_INT] = 42,
        [NADI_TELEMETRY_PINT] = 2,
    };
    const uint16_t extra = exact_extra[c->cc->telemetry];
    if (c->exact)
        return (struct nadi_pkt_frames){
            .data_overhead = (uint16_t)(36 + extra),
            .ack = (uint16_t)(22 + (12 + extra > 26 ? 12 + extra : 26)),
            .header = 36,
            .cnp = 48,
            .pull = 48,
            .pfc = 31,
        };
    const uint16_t carried = c->cc->telemetry == NADI_TELEMETRY_TIME   ? 0
                             : c->cc->telemetry == NADI_TELEMETRY_PINT ? 1
                                                                       : extra;
    return (struct nadi_pkt_frames){
        .data_overhead = (uint16_t)(62 + carried),
        .ack = (uint16_t)(66 + carried),
        .header = 64,
        .cnp = 78,
        .pull = 66,
        .pfc = 64,
        .gap = (uint16_t)c->gap_bytes,
    };
}

/* A message goes in full packets and one of the rest, which may be rounded down by more than its
 * share of a full one. */
static struct nadi_link_least least_of(const struct nadi_packet_config *c, uint64_t rate)
{
    const struct nadi_pkt_frames frames = nadi_pkt_frames_of(c);
    const uint64_t overhead = (uint64_t)frames.data_overhead + frames.gap;
    const double tick_ns = nadi_time_in_ns(nadi_pkt_tick_of(c));
    const double full = (double)nadi_pkt_wire_ticks(c->exact, c->payload_bytes + overhead, rate);
    double early = 0;
    for (uint32_t rest = 1; rest < c->payload_bytes; rest++)
        early = fmax(early, full * rest / c->payload_bytes -
                                (double)nadi_pkt_wire_ticks(c->exact, rest + overhead, rate));
    return (struct nadi_link_least){.bytes_per_ns = c->payload_bytes / (full * tick_ns),
                                    .early_ns = early * tick_ns};
}

void nadi_packet_least(const struct nadi_network_setup *setup, struct nadi_link_least *least)
{
    const struct nadi_graph *g = setup->graph;
    const struct nadi_packet_config *c = setup->packet;
    const nadi_time tick = nadi_pkt_tick_of(c);
    struct nadi_map64 known; /* rate -> the first that has it */
    nadi_map64_init(&known, 0);
    for (uint32_t i = 0; i < g->link_count + g->limited_count; i++) {
        const bool link = i < g->link_count;
        const uint64_t rate =
            link ? g->links[i].bits_per_s : g->nodes[g->limited[i - g->link_count]].forward_bits_s;
        bool added;
        const uint32_t first = *nadi_map64_put(&known, rate, i, &added);
        least[i] = added ? least_of(c, rate) : least[first];
        const nadi_time latency = link ? nadi_pkt_latency_ticks(tick, g->links[i].latency) : 0;
        least[i].latency_ns = nadi_time_in_ns(nadi_time_mul(latency, (uint64_t)tick));
    }
    nadi_map64_release(&known);
}
