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
    NADI_INT_TIME_AT = 3, /* behind the code */
    NADI_INT_SENT_AT = NADI_INT_TIME_AT + NADI_INT_TIME_BITS,
    NADI_INT_QUEUE_AT = NADI_INT_SENT_AT + NADI_INT_BYTES_BITS,
    NADI_INT_BYTES_UNIT = 128,
    NADI_INT_QUEUE_UNIT = 80,
};

/* A packet's record of INT stays where it is while the packet and its ACK move; who it belongs to
 * moves with them, and with an ACK how many hops are in it, NADI_INT_HOPS + 1 if more were made.
 * The first word of a free record: the next one. */
enum {
    NADI_INT_RECORD_BITS = 28,
    NADI_INT_NARROW = 4, /* words of a record; one that is too short for a route: */
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

/* A record of INT for the packet that begins its route. */
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

/* The packet has been to so many switches: for the one that will read its record. */
static inline void nadi_pkt_close_int(struct nadi_pkt *net, uint32_t at, uint32_t hops)
{
    net->int_of[at] |= nadi_min_u32(hops, NADI_INT_HOPS + 1) << NADI_INT_RECORD_BITS;
}

static inline uint64_t nadi_int_word(const struct nadi_pkt *net, const struct nadi_pkt_port *port,
                                     nadi_time origin, uint64_t sent, uint64_t queue)
{
    const uint64_t now = (uint64_t)(net->wheel.now - origin);
    const uint64_t ns = net->config.exact ? now : now / 1000;
    const uint64_t time = ns & ((1U << NADI_INT_TIME_BITS) - 1);
    sent &= (1U << NADI_INT_BYTES_BITS) - 1;
    /* what the queue has too many goes over the end */
    return (uint64_t)port->code | time << NADI_INT_TIME_AT | sent << NADI_INT_SENT_AT |
           queue << NADI_INT_QUEUE_AT;
}

static inline nadi_time nadi_int_origin(const struct nadi_pkt *net, uint32_t port)
{
    return NADI_UNLIKELY(net->int_origins != NULL) ? net->int_origins[port] : 0;
}

/* Any multiple, any hop. */
void nadi_pkt_add_int_anyhow(struct nadi_pkt *net, uint32_t port, uint32_t at, uint64_t before,
                             uint32_t queued);

/* Answers among the data are passed over without a branch, which could not be foretold: what they
 * would report goes into the first record, which nobody has. */
static inline void nadi_pkt_add_int(struct nadi_pkt *net, uint32_t port_index, uint32_t at,
                                    uint32_t word, uint64_t before, uint32_t queued)
{
    const uint32_t hop = nadi_pkt_hop(word) - 2; /* host, first switch, ... */
    if (NADI_UNLIKELY(hop >= net->int_plain)) {
        nadi_pkt_add_int_anyhow(net, port_index, at, before, queued);
        return;
    }
    const uint64_t report =
        nadi_int_word(net, &net->ports[port_index], nadi_int_origin(net, port_index),
                      before / NADI_INT_BYTES_UNIT, queued / NADI_INT_QUEUE_UNIT);
    const uint32_t data = -(uint32_t)(nadi_pkt_kind(word) == NADI_PKT_DATA); /* a mask */
    nadi_pkt_int_record(net, net->int_of[at] & data)[hop] = report;
}

void nadi_pkt_add_pint(struct nadi_pkt *net, uint32_t port_index, uint32_t at, uint32_t queued);

/* INT and PINT: called as a packet of a data class leaves the port and `queued` bytes stay. */
static inline void nadi_pkt_telemetry_add(struct nadi_pkt *net, uint32_t port, uint32_t at,
                                          uint32_t word, uint32_t queued)
{
    if (net->int_of) {
        const uint64_t before = net->sent[port].bytes;
        net->sent[port].bytes = before + nadi_pkt_bytes(word);
        nadi_pkt_add_int(net, port, at, word, before, queued);
    } else if (net->pints)
        nadi_pkt_add_pint(net, port, at, queued);
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

static inline uint64_t nadi_int_queue(uint64_t word)
{
    return word >> NADI_INT_QUEUE_AT;
}

/* bit/s; exact mode and networks of more than 8 rates know 25, 50, 100, 200, 400, 1200 and 2400
 * Gb/s, and take the nearest one below. */
static inline double nadi_int_rate(const struct nadi_pkt *net, uint64_t word)
{
    return net->coded_rates[word & 7];
}

/* Nothing is under way over the port: what its telemetry counts by, and the random numbers that it
 * draws, begin anew, at this time. Numbers of equal seeds are equal. */
void nadi_pkt_telemetry_anew(struct nadi_pkt *net, uint32_t port, nadi_time at, uint64_t seed);

/* --- of a steady state: fast_forward.h --- */

/* Bytes and ticks that a report counts by. */
static inline uint64_t nadi_int_bytes_unit(const struct nadi_pkt *net)
{
    return NADI_INT_BYTES_UNIT * net->config.hpcc.int_multiple;
}

static inline nadi_time nadi_int_time_unit(const struct nadi_pkt *net)
{
    return net->config.exact ? 1 : NADI_PS_PER_NS / net->tick;
}

/* With time and bytes sent as they are from now on backwards. */
static inline uint64_t nadi_int_from_now(const struct nadi_pkt *net, uint32_t port, uint64_t word)
{
    const nadi_time since = net->wheel.now - nadi_int_origin(net, port);
    const uint64_t time = (uint64_t)(since / nadi_int_time_unit(net));
    const uint64_t sent = net->sent[port].bytes / nadi_int_bytes_unit(net);
    const uint64_t code = word & ((1U << NADI_INT_TIME_AT) - 1);
    return code |
           ((time - (word >> NADI_INT_TIME_AT)) & ((1U << NADI_INT_TIME_BITS) - 1))
               << NADI_INT_TIME_AT |
           ((sent - (word >> NADI_INT_SENT_AT)) & ((1U << NADI_INT_BYTES_BITS) - 1))
               << NADI_INT_SENT_AT |
           nadi_int_queue(word) << NADI_INT_QUEUE_AT;
}

/* The same report so many ticks and bytes later: whole units. */
static inline uint64_t nadi_int_later(const struct nadi_pkt *net, uint64_t word, nadi_time ticks,
                                      uint64_t bytes)
{
    const uint64_t time = (uint64_t)(ticks / nadi_int_time_unit(net));
    const uint64_t sent = bytes / nadi_int_bytes_unit(net);
    const uint64_t code = word & ((1U << NADI_INT_TIME_AT) - 1);
    return code |
           (((word >> NADI_INT_TIME_AT) + time) & ((1U << NADI_INT_TIME_BITS) - 1))
               << NADI_INT_TIME_AT |
           (((word >> NADI_INT_SENT_AT) + sent) & ((1U << NADI_INT_BYTES_BITS) - 1))
               << NADI_INT_SENT_AT |
           nadi_int_queue(word) << NADI_INT_QUEUE_AT;
}

/* How many reports the packet has by now: of a queue those that wait have none of their port. Of a
 * route with more hops than reports nobody reads any. */
static inline uint32_t nadi_int_gathered(const struct nadi_pkt *net, uint32_t at, bool waits)
{
    const uint32_t word = net->packets[at].word;
    if (net->int_of[at] == NADI_NONE)
        return 0;
    const uint32_t hops = nadi_pkt_kind(word) == NADI_PKT_DATA ? nadi_pkt_hop(word) - 1 - waits
                                                               : nadi_pkt_int_hops(net->int_of[at]);
    return hops > NADI_INT_HOPS ? 0 : hops;
}

/* The codes of the ports' rates. */
void nadi_pkt_int_init(struct nadi_pkt *net);
/* Makes the ports' averages. */
void nadi_pint_init(struct nadi_pkt *net);
/* The utilisation that a byte of PINT stands for. */
double nadi_pint_decode(const struct nadi_pkt *net, uint8_t power);

#endif
