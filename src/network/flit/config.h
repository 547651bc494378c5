/* config: what a flit-level network is made of. Defaults are those of BookSim 2: a router of four
 * stages, one cycle each, 8 flits of buffer a virtual channel. */
#ifndef NADI_NETWORK_FLIT_CONFIG_H
#define NADI_NETWORK_FLIT_CONFIG_H

#include "base/base.h"

enum nadi_flit_routing {
    NADI_FLIT_DIMENSION_ORDER, /* in a product of dimensions; elsewhere as `table` */
    NADI_FLIT_ADAPTIVE,        /* minimal, the output with most credits; an escape channel goes by
                                  dimension order (Duato, TPDS 1993) */
    NADI_FLIT_WEST_FIRST,      /* 2-D meshes: Glass, Ni, ISCA 1992 */
    NADI_FLIT_VALIANT,         /* by a router drawn at random, dimension order both times */
    NADI_FLIT_TABLE,           /* shortest paths of platform/routing.h, spread by flow */
};

enum {
    NADI_FLIT_MOST_VCS = 64,
    NADI_FLIT_MOST_DELAY = 1 << 20, /* cycles, of a channel */
    NADI_FLIT_MOST_BUFFER = UINT16_MAX,
};

struct nadi_flit_config {
    double clock_ghz;      /* 0: the fastest link's rate / flit_bytes */
    uint32_t flit_bytes;   /* >= 1 */
    uint32_t packet_flits; /* the most of a packet, >= 1 */
    uint32_t header_bytes; /* that a head flit carries, < flit_bytes * packet_flits */
    uint32_t vcs;          /* virtual channels of a channel, 1 .. 64 */
    uint32_t buffer_flits; /* of a virtual channel; 0: `least_buffer`, or more where the round
                              trip of the longest link needs it */
    uint32_t least_buffer;
    uint32_t routing_delay;   /* cycles */
    uint32_t vc_delay;        /* cycles; 0: in the cycle of switch allocation */
    uint32_t switch_delay;    /* cycles, >= 1 */
    uint32_t traversal_delay; /* cycles */
    uint32_t channel_delay;   /* cycles between routers; 0: the links' latency, at least 1 */
    uint32_t credit_delay;    /* cycles besides the channel's */
    uint32_t speedup;         /* crossbar inputs of an input port, >= 1 */
    uint64_t seed;            /* of ties, Valiant's routers, tables */
    enum nadi_flit_routing routing;
    bool cut_through; /* virtual cut-through: a head takes a channel that has room for its
                         whole packet */
    bool dateline;    /* channels are divided into classes so that no deadlock is possible */
    bool wait_for_tail_credit; /* a virtual channel is free again when its tail has left the next
                                  buffer, not when it was sent */
    bool no_fast_forward;      /* over steady states: for tests */
    bool one_port;             /* a host on its router's board injects one flit a cycle, not one for
                                  each of the router's cables */
};

#endif
