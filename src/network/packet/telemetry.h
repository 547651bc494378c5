/* telemetry: what a switch port writes into a packet as it leaves, and how a sender reads it.
 *
 * A hop of INT is one word, as in HPCC (Li et al., SIGCOMM 2019): time 24 bits of ns, bytes sent 20
 * bits of 128 B, queue 17 bits of 80 B, rate code 3 bits; a packet has room for 5 hops. */
#ifndef NADI_NETWORK_PACKET_TELEMETRY_H
#define NADI_NETWORK_PACKET_TELEMETRY_H

#include "network/packet/internal.h"

enum {
    NADI_INT_HOPS = 5,
    NADI_INT_TIME_BITS = 24,
    NADI_INT_BYTES_BITS = 20,
    NADI_INT_QUEUE_BITS = 17,
    NADI_INT_BYTES_UNIT = 128,
    NADI_INT_QUEUE_UNIT = 80,
};

/* INT and PINT: called as a packet of a data class leaves the port, which has counted its bytes. */
void nadi_pkt_telemetry_add(struct nadi_pkt *net, uint32_t port, uint32_t at, uint32_t bytes);

static inline uint64_t nadi_int_field(uint64_t word, uint32_t shift, uint32_t bits)
{
    return word >> shift & ((UINT64_C(1) << bits) - 1);
}

static inline uint64_t nadi_int_time(uint64_t word)
{
    return nadi_int_field(word, 3, NADI_INT_TIME_BITS);
}

static inline uint64_t nadi_int_sent(uint64_t word)
{
    return nadi_int_field(word, 3 + NADI_INT_TIME_BITS, NADI_INT_BYTES_BITS);
}

static inline uint64_t nadi_int_queue(uint64_t word)
{
    return nadi_int_field(word, 3 + NADI_INT_TIME_BITS + NADI_INT_BYTES_BITS, NADI_INT_QUEUE_BITS);
}

/* bit/s; exact mode and networks of more than 8 rates know 25, 50, 100, 200, 400, 1200 and 2400
 * Gb/s, and take the nearest one below. */
static inline double nadi_int_rate(const struct nadi_pkt *net, uint64_t word)
{
    return net->coded_rates[nadi_int_field(word, 0, 3)];
}

/* The codes of the ports' rates. */
void nadi_pkt_int_init(struct nadi_pkt *net);
/* Makes the ports' averages. */
void nadi_pint_init(struct nadi_pkt *net);
/* The utilisation that a byte of PINT stands for. */
double nadi_pint_decode(const struct nadi_pkt *net, uint8_t power);

#endif
