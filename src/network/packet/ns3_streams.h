/* ns3_streams: the random numbers of ns-3, for exact mode.
 *
 * ns-3 draws from MRG32k3a (L'Ecuyer, Operations Research 1999), whose sequence is cut into streams
 * 2^127 numbers apart and those into runs 2^76 apart. Each new source of random numbers there takes
 * the next stream. The HPCC simulator makes a new source for every decision whether to mark a
 * packet and for every pause frame, and uses its first number alone: so what counts is how many
 * sources there were before. */
#ifndef NADI_NETWORK_PACKET_NS3_STREAMS_H
#define NADI_NETWORK_PACKET_NS3_STREAMS_H

#include "base/base.h"

struct nadi_ns3_half { /* one of the generator's two recurrences, modulo 2^32 - modulus_gap */
    uint64_t modulus_gap;
    uint64_t jump[3][3]; /* to the next stream */
    uint64_t state[3];
};

struct nadi_ns3_streams {
    struct nadi_ns3_half a, b;
};

/* ns-3's seed 1 and the given run, with `used` streams taken. */
void nadi_ns3_streams_init(struct nadi_ns3_streams *s, uint64_t run, uint64_t used);

/* The first number of the next stream, in (0, 1). */
double nadi_ns3_streams_next(struct nadi_ns3_streams *s);

/* Takes a stream whose numbers do not matter. */
void nadi_ns3_streams_skip(struct nadi_ns3_streams *s);

#endif
