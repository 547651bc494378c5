/* telemetry: what a switch port writes into a packet as it leaves, and how a sender reads it.
 *
 * A hop of INT is one word, as in HPCC (Li et al., SIGCOMM 2019): time 24 bits of ns, bytes sent 20
 * bits of 128 B, queue 17 bits of 80 B, rate code 3 bits; a packet has room for 5 hops. */
#ifndef NADI_NETWORK_PACKET_TELEMETRY_H
#define NADI_NETWORK_PACKET_TELEMETRY_H

#include "network/packet/queue.h"

enum {
    NADI_INT_HOPS = 5,
    NADI_INT_TIME_BITS = 24,
    NADI_INT_BYTES_BITS = 20,
    NADI_INT_QUEUE_BITS = 17,
    NADI_INT_BYTES_UNIT = 128,
    NADI_INT_QUEUE_UNIT = 80,
};

/* A packet's record of INT stays where it is while the packet and its ACK move; who it belongs to,
 * and how many hops are in it, moves with them. The first word of a free record: the next one. */
enum {
    NADI_INT_RECORD_BITS = 28,
    NADI_INT_NARROW = 4, /* words of a record; one that is too short for a way: */
    NADI_INT_WIDE = 8,
};

static inline uint64_t *nadi_pkt_int_record(const struct nadi_pkt *net, uint32_t place)
{
    return net->ints + (size_t)(place & ((1U << NADI_INT_RECORD_BITS) - 1)) * net->int_words;
}

static inline uint32_t nadi_pkt_int_hops(uint32_t place)
{
    return place >> NADI_INT_RECORD_BITS;
}

/* A record of INT for the packet that begins its way. */
static inline void nadi_pkt_new_int(struct nadi_pkt *net, uint32_t at)
{
    if (NADI_UNLIKELY(net->free_int == NADI_NONE))
        nadi_pkt_more_ints(net);
    const uint32_t record = net->free_int;
    net->free_int = (uint32_t)*nadi_pkt_int_record(net, record);
    net->int_of[at] = record;
}

/* The packet goes no further: its record of INT is free unless an answer has it. */
static inline void nadi_pkt_free_int(struct nadi_pkt *net, uint32_t at)
{
    if (NADI_LIKELY(!net->int_of) || net->int_of[at] == NADI_NONE)
        return;
    const uint32_t record = net->int_of[at] & ((1U << NADI_INT_RECORD_BITS) - 1);
    *nadi_pkt_int_record(net, record) = net->free_int;
    net->free_int = record;
}

/* To the packet's copy, or to its answer. */
static inline void nadi_pkt_move_telemetry(struct nadi_pkt *net, uint32_t from, uint32_t to)
{
    if (NADI_LIKELY(!net->carries))
        return;
    if (net->int_of) {
        net->int_of[to] = net->int_of[from];
        net->int_of[from] = NADI_NONE;
    } else if (net->stamps)
        net->stamps[to] = net->stamps[from];
    else if (net->powers)
        net->powers[to] = net->powers[from];
}

/* The multiple is 1 as a rule; a division by what the compiler knows costs much less. */
static inline uint64_t nadi_int_units(uint64_t bytes, uint64_t unit, uint64_t multiple)
{
    return multiple == 1 ? bytes / unit : bytes / (unit * multiple);
}

/* Answers among the data are passed over without a branch, which could not be foretold: what they
 * would report goes into the first record, which nobody has. */
static inline void nadi_pkt_add_int(struct nadi_pkt *net, uint32_t port_index, uint32_t at,
                                    uint64_t before)
{
    const struct nadi_pkt_port *port = &net->ports[port_index];
    const uint32_t word = net->packets[at].word, place = net->int_of[at];
    const uint64_t multiple = net->config.hpcc.int_multiple;
    const uint64_t now = (uint64_t)net->wheel.now;
    const uint64_t ns = net->config.exact ? now : now / 1000;
    const uint64_t time = ns & ((1U << NADI_INT_TIME_BITS) - 1);
    const uint64_t sent =
        nadi_int_units(before, NADI_INT_BYTES_UNIT, multiple) & ((1U << NADI_INT_BYTES_BITS) - 1);
    const uint64_t queue =
        nadi_int_units(nadi_pkt_queued_bytes(net, port_index), NADI_INT_QUEUE_UNIT, multiple) &
        ((1U << NADI_INT_QUEUE_BITS) - 1);
    const uint32_t hop = nadi_pkt_hop(word) - 2; /* host, first switch, ... */
    const uint32_t slot = hop < NADI_INT_HOPS ? hop : hop % NADI_INT_HOPS;
    if (NADI_UNLIKELY(slot >= net->int_words))
        nadi_pkt_widen_ints(net);
    const uint32_t hops = hop < NADI_INT_HOPS ? hop + 1 : NADI_INT_HOPS + 1;
    const uint32_t data = -(uint32_t)(nadi_pkt_kind(word) == NADI_PKT_DATA); /* a mask */
    const uint32_t record = place & data & ((1U << NADI_INT_RECORD_BITS) - 1);
    nadi_pkt_int_record(net, record)[slot] =
        (uint64_t)port->code | time << 3 | sent << (3 + NADI_INT_TIME_BITS) |
        queue << (3 + NADI_INT_TIME_BITS + NADI_INT_BYTES_BITS);
    net->int_of[at] = (place & ~data) | ((record | hops << NADI_INT_RECORD_BITS) & data);
}

void nadi_pkt_add_pint(struct nadi_pkt *net, uint32_t port_index, uint32_t at);

/* INT and PINT: called as a packet of a data class leaves the port. */
static inline void nadi_pkt_telemetry_add(struct nadi_pkt *net, uint32_t port, uint32_t at,
                                          uint32_t bytes)
{
    if (net->int_of) {
        const uint64_t before = net->sent[port].bytes;
        net->sent[port].bytes += bytes;
        nadi_pkt_add_int(net, port, at, before);
    } else if (net->pints)
        nadi_pkt_add_pint(net, port, at);
}

/* A control frame leaves the port: it reports nothing, but is told of by those behind it. */
static inline void nadi_pkt_telemetry_count(struct nadi_pkt *net, uint32_t port, uint32_t bytes)
{
    net->sent[port].bytes += bytes;
    if (net->pints) {
        net->pints[port].at = net->wheel.now;
        net->pints[port].bytes = bytes;
    }
}

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
/* ns3_pint.c: exact mode's average of a port that a packet leaves, and the power that it travels as
 * in units of 1/512. */
enum { NADI_NS3_PINT_UNITS = 512 };
double nadi_ns3_pint_average(struct nadi_pkt *net, const struct nadi_pkt_pint *p, uint64_t rate,
                             uint32_t queued_bytes);
uint8_t nadi_ns3_pint_encode(struct nadi_pkt *net, double u);
/* The utilisation that a byte of PINT stands for. */
double nadi_pint_decode(const struct nadi_pkt *net, uint8_t power);

#endif
