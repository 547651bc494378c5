/* wire: what packets take on cables: their frames, and how long each takes. */
#ifndef NADI_NETWORK_PACKET_WIRE_H
#define NADI_NETWORK_PACKET_WIRE_H

#include "base/time.h"
#include "network/packet/config.h"

struct nadi_pkt_frames {                                 /* sizes in bytes */
    uint16_t data_overhead, header, ack, cnp, pull, pfc; /* header: of trimmed data */
    uint16_t gap; /* preamble and gap between frames: on the wire, not in buffers */
};

struct nadi_pkt_frames nadi_pkt_frames_of(const struct nadi_packet_config *c);

static inline nadi_time nadi_pkt_tick_of(const struct nadi_packet_config *c)
{
    return c->exact ? NADI_PS_PER_NS : 1;
}

/* Of putting bytes and a gap on a cable, to the nearest tick. Halves are rounded down in exact
 * mode, where the HPCC simulator's binary fractions of a second lie below them. */
static inline uint64_t nadi_pkt_wire_ticks(bool exact, uint64_t bytes, uint64_t rate)
{
    const uint64_t ticks_per_s = exact ? UINT64_C(1000000000) : UINT64_C(1000000000000);
    return (2 * bytes * 8 * ticks_per_s + rate - exact) / (2 * rate);
}

/* Of a cable's latency, to the nearest tick. */
static inline nadi_time nadi_pkt_latency_ticks(nadi_time tick, nadi_time ps)
{
    return nadi_time_add(ps, tick / 2) / tick;
}

/* nadi_network_ops.least */
struct nadi_network_setup;
struct nadi_link_least;
void nadi_packet_least(const struct nadi_network_setup *setup, struct nadi_link_least *least);

#endif
