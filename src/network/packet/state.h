/* state: what the packet model consists of: ports, packets, switches, hosts, flows.
 *
 * Ticks are nanoseconds in exact mode and picoseconds otherwise.
 *
 * A port is one end of a cable; what leaves it arrives at its peer. Each class of a port has one
 * queue in which packets lie in order: from head on those on the cable, from sent on those that
 * wait. A packet is copied once a hop, from one queue to the next; queues are chains of chunks, so
 * that memory is walked in order. Packets carry their flow's number and how many hops they have
 * made; the ports of the route there and back were found when the flow began (routes.h), so that
 * switches neither hash nor look up, but for packets that are sprayed.
 *
 * An event is a number: the end of a port's transmission, the arrival of the head of a queue, or a
 * cell (a timer or the like). Events of one time, exact mode: in the order in which they were
 * scheduled; of one transmission the end before the arrival at the peer. Otherwise by number, cells
 * behind them in the order in which they were scheduled, markers last: what happens at a node does
 * not depend on what is scheduled elsewhere. Nor do random numbers, of which each port draws its
 * own. */
#ifndef NADI_NETWORK_PACKET_STATE_H
#define NADI_NETWORK_PACKET_STATE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/rng.h"
#include "network/packet/cc.h"
#include "network/packet/config.h"
#include "network/packet/ns3_streams.h"
#include "network/packet/wheel.h"
#include "network/packet/wire.h"
#include "platform/graph.h"

#define NADI_PKT_MOST_RATE UINT64_C(1000000000000000000) /* bits/s that schemes ask for */

enum {
    NADI_PKT_CLASSES = 8, /* 0 is the control class */
    NADI_PKT_TIMERS = 3,  /* a flow, for its congestion control */
    NADI_PKT_RTO = NADI_PKT_TIMERS,
    NADI_PKT_CHUNK = 32, /* packets */
    NADI_PKT_MAX_HOPS = 1023,
};

enum nadi_pkt_kind {
    NADI_PKT_DATA,
    NADI_PKT_TRIMMED, /* data whose payload was cut off */
    NADI_PKT_PFC,     /* seq: class; flag: pause or resume */
    NADI_PKT_ACK = 4, /* from here on: from the flow's destination to its source */
    NADI_PKT_NACK,
    NADI_PKT_CNP,
    NADI_PKT_PULL,
};

/* A packet's word: bytes, hops made (the one on the cable included), kind and flags. Written and
 * read as a whole, which is faster than members of a few bits. */
enum {
    NADI_PKT_BYTES_BITS = 14,
    NADI_PKT_HOP = 1 << NADI_PKT_BYTES_BITS,
    NADI_PKT_KIND_SHIFT = 24,
    NADI_PKT_MARKED = 1 << 27, /* ECN */
    NADI_PKT_ECHO = 1 << 28,   /* ACK: the packet that it answers was marked */
    NADI_PKT_PAUSE = 1 << 28,  /* PFC: pause, else resume */
    NADI_PKT_LINK = 1 << 29,   /* PFC: goes no further than its cable */
    NADI_PKT_LOST = 1 << 30,   /* will not arrive */
    NADI_PKT_TURNS_SHIFT = 31, /* its route turns up again: forwarding.h */
};

struct nadi_pkt_packet {
    uint32_t flow;
    uint32_t seq; /* data: number of the packet; ACK: packets received in order, or, with selective
                     recovery, the one received; PULL: granted so far */
    uint32_t in;  /* port * CLASSES + class: where it came in, and its class */
    uint32_t word;
};

static inline uint32_t nadi_pkt_word(uint32_t bytes, uint32_t hop, enum nadi_pkt_kind kind)
{
    return bytes | hop << NADI_PKT_BYTES_BITS | (uint32_t)kind << NADI_PKT_KIND_SHIFT;
}

static inline uint32_t nadi_pkt_bytes(uint32_t word)
{
    return word & (NADI_PKT_HOP - 1);
}

static inline uint32_t nadi_pkt_hop(uint32_t word)
{
    return word >> NADI_PKT_BYTES_BITS & NADI_PKT_MAX_HOPS;
}

static inline enum nadi_pkt_kind nadi_pkt_kind(uint32_t word)
{
    return (enum nadi_pkt_kind)(word >> NADI_PKT_KIND_SHIFT & 7);
}

static inline bool nadi_pkt_backwards(uint32_t word)
{
    return word >> NADI_PKT_KIND_SHIFT & NADI_PKT_ACK;
}

/* In the upper bits of an event. Kinds say as much as is known when an event is scheduled: what its
 * handler would have to look up is where the processor cannot foretell the branch. */
enum nadi_pkt_event_kind {
    NADI_PKT_EVENT_AT_SWITCH, /* arrival of the head of a queue */
    NADI_PKT_EVENT_DATA_AT_HOST,
    NADI_PKT_EVENT_ANSWER_AT_HOST,
    NADI_PKT_EVENT_SWITCH_DONE, /* end of a port's transmission */
    NADI_PKT_EVENT_HOST_DONE,
    NADI_PKT_EVENT_CELL,
    NADI_PKT_EVENT_MARKER, /* a cell that comes behind all others of its time; not in exact mode */
    NADI_PKT_EVENT_SHIFT = 29,
};

/* Behind the number of every event of packets and timers. */
#define NADI_PKT_BEHIND_PACKETS ((uint32_t)NADI_PKT_EVENT_MARKER << NADI_PKT_EVENT_SHIFT)

enum { NADI_PKT_EVENT_INDEX = (1 << NADI_PKT_EVENT_SHIFT) - 1 };

enum nadi_pkt_cell_kind {
    NADI_PKT_FREE,
    NADI_PKT_NIC_TIMER,  /* a: NIC */
    NADI_PKT_PULL_TIMER, /* a: NIC */
    NADI_PKT_NIC_PAUSE,  /* a: NIC; b: class, or CLASSES to be ready for a pause again */
    NADI_PKT_FLOW_TIMER, /* a: flow, b: which */
    NADI_PKT_FLOW_START, /* the next ones of the list */
    NADI_PKT_FLOW_BEGIN, /* a: flow, b: how often to come back */
    NADI_PKT_FAULT,      /* a: index of the configuration's fault */
    NADI_PKT_MARKER,     /* a, b: as given to schedule_marker */
    NADI_PKT_HELD_TIMER, /* a flow's, as above, that waits for its NIC's cable: not in the wheel */
    NADI_PKT_DEAD_TIMER, /* was cancelled; */
    NADI_PKT_DEAD_NIC_TIMER, /* was replaced by an earlier one; a: NIC */
};

struct nadi_pkt_cell {
    uint32_t next; /* free list */
    enum nadi_pkt_cell_kind kind;
    uint32_t a, b;
};

enum {
    NADI_PKT_LOSES = 1,  /* its cable loses packets */
    NADI_PKT_ABROAD = 2, /* its peer is another part's: parts.h */
};

/* Small numbers are not of a character type, whose stores would make the compiler read every
 * pointer again. All that packets touch: one cache line. */
struct nadi_pkt_port {
    uint32_t peer;
    uint32_t owner;   /* NIC of a host's port, switch of a switch's */
    uint16_t rate;    /* index of its transmission times */
    uint16_t shift;   /* pause threshold = free pool >> shift */
    uint16_t paused;  /* classes that the peer paused */
    uint16_t backlog; /* classes with packets waiting */
    uint16_t last;    /* class served last */
    uint16_t is_host, busy, down;
    uint16_t special;        /* NADI_PKT_LOSES, NADI_PKT_ABROAD: what happens seldom */
    uint16_t to_host;        /* its peer is a host's */
    uint16_t code;           /* of its rate in telemetry */
    uint32_t headroom_bytes; /* limit */
    uint32_t mark_above;     /* ECN's kmin; UINT32_MAX: never marks */
    uint32_t node;
    uint32_t done; /* kind of the event at a transmission's end, where an event has it */
    const struct nadi_pkt_ticks *ticks; /* by bytes of a packet */
    nadi_time latency;
};

/* What putting a packet on a cable takes, and how long it then is, without the cable's latency,
 * until the peer may go on with it: a switch that cuts through does so before it has all of it. */
struct nadi_pkt_ticks {
    uint32_t busy, arrives;
};

struct nadi_pkt_port_sent { /* what left a port, for INT and the tables */
    uint64_t bytes;         /* by switches, where packets report it */
    uint64_t wire_bytes;
    uint64_t packets;
    nadi_time busy_ticks;
};

struct nadi_pkt_ingress { /* buffer held by what came in at one port in one class */
    uint32_t used_bytes, headroom_bytes;
};

/* Of one class of one port: what leaves, in places of packets, NONE before the first; and what came
 * in, wherever it waits. 32 bytes, so that two share a cache line. */
struct nadi_pkt_queue {
    uint32_t head;              /* the next one to arrive */
    uint32_t sent;              /* the next one to leave */
    uint32_t tail;              /* of the next one to come */
    uint32_t bytes, peak_bytes; /* waiting */
    struct nadi_pkt_ingress held;
    uint32_t pausing; /* what comes in is paused at the peer */
};

struct nadi_pkt_switch {
    int64_t pool_bytes;   /* what is shared: buffer - headrooms - reserves */
    int64_t shared_bytes; /* of it, in use */
};

struct nadi_pkt_nic {
    uint32_t port;
    uint32_t count, capacity;
    uint32_t *flows;  /* by slot */
    nadi_time *avail; /* by slot: when pacing allows the next packet */
    uint8_t *classes; /* by slot */
    uint64_t *open;   /* a bit a slot: something to send and the window allows it */
    uint64_t *done;   /* a bit a slot: everything acknowledged */
    uint32_t last;    /* slot served last */
    uint32_t timer;   /* cell, NADI_NONE when not armed */
    uint32_t fired;   /* timers so far */
    nadi_time timer_at;
    nadi_time quiet_until; /* before that no flow may send, unless something changes */
    /* receiver-driven: flows that are owed pulls take turns */
    uint32_t *owed; /* ring of flows, a power of two */
    uint32_t owed_first, owed_count, owed_capacity;
    bool pulling; /* a pull was sent less than a packet's time ago */
    /* of a host's first NIC, for all of them: */
    bool pausing;    /* an injected pause is on, or was a short time ago */
    uint32_t pauses; /* injected so far */
};

/* Two cache lines; where no scheme changes rates, packets touch only the first. */
struct nadi_pkt_flow {
    uint32_t packets;        /* in all, of all its messages */
    uint32_t next, una;      /* next to send; first not acknowledged */
    uint32_t window_packets; /* in flight at most; 0: any number */
    uint32_t in_flight;      /* selective: sent, and neither acknowledged nor given up */
    uint32_t repeats;        /* selective: packets to send again */
    uint32_t credits;        /* receiver-driven: packets that may be sent */
    uint32_t nic, slot;
    uint32_t live;          /* cells that name it */
    uint16_t payload_bytes; /* of the last packet; the others are full, but for the last of each
                               earlier message */
    uint16_t gap_bytes;     /* size of the packet that pacing counts from */
    uint16_t gap_of_bytes;  /* with gap_rate: what gap_ticks was computed for */
    uint8_t class;
    bool finished : 1;     /* everything acknowledged */
    bool removed : 1;      /* out of the NIC's list */
    bool abandoned : 1;    /* after too many timeouts */
    bool turns : 1;        /* its route turns up again: forwarding.h; */
    bool turns_back : 1;   /* its answers' */
    bool at_path_rate : 1; /* line_rate is not the NIC's but that of the route's slowest cable */
    bool carries_on : 1;   /* it carries further messages: nadi_pkt_flow_append */
    uint64_t rate;
    nadi_time progress_at; /* last advance of una, for the RTO */
    uint64_t line_rate;
    uint64_t window_bytes; /* at line rate; 0: no window */
    nadi_time base_rtt;
    nadi_time gap_ticks; /* the gap computed last */
    uint64_t gap_rate;   /* 0: none yet */
    uint32_t timeouts;   /* in a row */
    uint32_t pulled;     /* receiver-driven: pulls that arrived */
    uint32_t timers[NADI_PKT_TIMERS + 1];
};

struct nadi_pkt_receiver { /* the other end of a flow */
    uint32_t expected;     /* packets received in order */
    uint32_t end;          /* of them, with which the message that arrives now is complete */
    uint32_t nacked;       /* expected packet of the last NACK */
    nadi_time nack_at;     /* until then no second one */
    nadi_time notify_at;   /* until then no second CNP */
    uint32_t unacked_bytes;
    uint32_t arrived, trimmed; /* receiver-driven: packets */
    uint32_t granted, owed;    /* receiver-driven: pulls sent; to be sent */
    bool waiting;              /* in the NIC's ring */
};

struct nadi_pkt_message {   /* of a flow that carries several */
    uint32_t begin, end;    /* packets before it, and with it */
    uint32_t next;          /* of the flow, or of the free list */
    uint32_t user;          /* the caller's */
    uint16_t payload_bytes; /* of its last packet */
    uint64_t bytes;
    nadi_time start;
};

struct nadi_pkt_info { /* what is not needed to move packets */
    uint32_t src, dst; /* NPUs */
    uint16_t sport, dport;
    uint64_t bytes; /* of the message that arrives now, as `start` and `user` */
    nadi_time start;
    uint64_t load_bytes; /* of all its messages that have not arrived */
    /* with `watched`: the port at which one of its packets found most bytes before it */
    uint32_t crowded_port, crowded_bytes;
    uint32_t user;       /* the caller's */
    uint32_t queue_pair; /* of whom to tell when all was sent; NADI_NONE: of nobody */
    uint32_t next_idle;  /* with a queue pair: of its flows that have nothing to send, while */
    bool idle;           /* it is one of them: the caller's */
    /* where it carries several messages: the first that is not acknowledged, the one that arrives
     * now, the last */
    uint32_t first, arriving, last;
};

/* A bit a packet, of those from `begin` words on: a ring of words, as many as are in flight. */
struct nadi_pkt_bits {
    uint64_t *words;
    uint32_t begin, capacity; /* words; a power of two, or 0 */
};

struct nadi_pkt_track {                 /* selective recovery */
    struct nadi_pkt_bits received;      /* of those from the receiver's `expected` on */
    struct nadi_pkt_bits acked, repeat; /* of those from the sender's `una` on */
    uint32_t looked;                    /* packets below were acknowledged, or found missing once */
};

struct nadi_pkt_pint { /* PINT: a port's moving average */
    double u;
    double per_byte; /* 1 / (B T), of */
    uint32_t rate;   /* this index + 1; 0: none yet */
    nadi_time at;    /* last departure */
    uint32_t bytes;
    uint32_t power; /* the largest that is not above u */
};

struct nadi_pkt_totals {
    uint64_t events;
    uint64_t data_sent, data_received; /* packets, first transmissions and others */
    uint64_t data_bytes_sent, data_bytes_received;
    uint64_t acks_sent, acks_received;
    uint64_t dropped_full, dropped_loss; /* packets: no buffer; a cable's loss or a link down */
    uint64_t trimmed, pulls;
    uint64_t marked;
    uint64_t pauses, resumes;     /* PFC frames received */
    uint64_t retransmitted;       /* packets */
    uint64_t timeouts, abandoned; /* flows given up after too many of them */
};

struct nadi_pkt;

/* What happens outside: each may be NULL. */
struct nadi_pkt_hooks {
    void *context;
    /* The flow's last byte has been acknowledged (exact) or has arrived (default). */
    void (*finished)(void *context, struct nadi_pkt *net, uint32_t flow);
    /* Of a flow with a queue pair. The last of its packets leaves (again, where some are repeated);
     * it is over, everything acknowledged or given up. */
    void (*sent)(void *context, struct nadi_pkt *net, uint32_t flow);
    void (*closed)(void *context, struct nadi_pkt *net, uint32_t flow);
    void (*pfc)(void *context, const struct nadi_pkt *net, uint32_t port, bool pause);
    void (*marker)(void *context, struct nadi_pkt *net, uint32_t a, uint32_t b);
    /* An event of a queue in which there is no packet. */
    void (*empty)(void *context, struct nadi_pkt *net, uint32_t event);
    /* Flows of a list that are due now. */
    void (*start)(void *context, struct nadi_pkt *net);
    /* A cable went down or came back by the configuration's faults. */
    void (*changed)(void *context, struct nadi_pkt *net);
};

struct nadi_pkt {
    struct nadi_pkt_wheel wheel;
    struct nadi_packet_config config;
    const struct nadi_graph *graph;
    const struct nadi_cc_ops *cc;
    nadi_time tick; /* ps */
    struct nadi_arena arena;
    struct nadi_pkt_frames frames;
    struct nadi_rng *rngs;            /* by port: what happens elsewhere shifts nobody's numbers */
    struct nadi_ns3_streams *streams; /* exact mode: ns-3's numbers instead of them */
    /* cells */
    struct nadi_pkt_cell *cells;
    size_t cell_capacity;
    uint32_t free_cell;
    /* packets */
    struct nadi_pkt_packet *packets;
    uint32_t *next_chunk; /* by chunk: place of the next one's first packet */
    size_t packet_capacity;
    uint32_t free_chunk;
    bool carries;     /* packets carry one of: */
    uint32_t *int_of; /* by packet, where telemetry is INT: its record and how many hops it has */
    uint64_t *ints;   /* records of int_words hops each: telemetry.h */
    size_t int_capacity;
    uint32_t int_words, free_int;
    uint32_t int_plain; /* hops below need no care */
    uint8_t *powers;    /* by packet, where it is PINT */
    nadi_time *stamps;  /* by packet, where it is TIME */
    /* network */
    struct nadi_pkt_port *ports;
    struct nadi_pkt_port_sent *sent; /* by port */
    float *losses;                   /* by port: probability */
    struct nadi_pkt_queue *queues;   /* [port * CLASSES + class] */
    struct nadi_pkt_switch *switches;
    double coded_rates[8];       /* bit/s, by the code in telemetry */
    nadi_time *int_origins;      /* by port: what its reports' times count from; NULL: from 0 */
    struct nadi_pkt_pint *pints; /* by port, where telemetry is PINT */
    double *pint_values;         /* by power */
    double pint_per_tick;        /* 1 / T */
    struct nadi_pkt_nic *nics;
    uint32_t port_count, switch_count, nic_count;
    struct nadi_pkt_ticks **tx_ticks; /* [rate][bytes] of cables whose peer takes packets whole */
    struct nadi_pkt_ticks *no_ticks;  /* [bytes], all 0 */
    struct nadi_pkt_onward *onward;   /* cut_through.c: of the others, the latest first */
    uint64_t *rates;
    const struct nadi_ecn_row **ecn; /* by rate; NULL: never marks */
    uint32_t rate_count;
    bool watched;        /* where flows find others before them is noted */
    bool rerouted;       /* some paths may be stale */
    bool looks_up;       /* switches look for routes: forwarding.h */
    uint8_t *up;         /* by port of the graph: it leads up; NULL: exact mode */
    uint8_t *classes_in; /* by port of the graph, classes that came in, but for flows' own */
    uint32_t *inside;    /* by node: its port to its own server; NULL: no node has one */
    bool selective, spraying, trimming; /* recovery and routes, as the scheme or the user wants */
    /* flows */
    struct nadi_pkt_flow *flows;
    struct nadi_pkt_receiver *receivers;
    struct nadi_pkt_info *infos;
    struct nadi_pkt_track *tracks; /* where recovery is selective */
    struct {
        struct nadi_pkt_message *items;
        size_t count, capacity;
    } messages;
    uint32_t free_message; /* its place + 1; 0: none */
    char *cc_state;
    size_t state_bytes;             /* of it, a flow */
    uint32_t *paths;                /* [flow * 2 * path_hops], there and back */
    uint32_t path_hops, path_shift; /* 2^path_shift */
    size_t flow_capacity;
    uint32_t flow_count, free_flow, open_flows;
    struct nadi_map64 sports; /* src << 32 | dst -> flows begun so far */
    struct nadi_pkt_routes *routes;
    nadi_time longest_rtt; /* with window_global */
    uint64_t largest_bdp;
    struct nadi_pkt_hooks hooks;
    struct nadi_pkt_totals totals;
    /* What happened besides packets that were sent, arrived and were acknowledged. */
    uint64_t disturbances;
    struct nadi_pkt_fast_forward *fast_forward; /* fast_forward.h; may be NULL */
    nadi_time former_latency;                   /* the longest that a cable had before it changed */
    struct nadi_pkt_outbox *out; /* of a replica, by part; NULL: the network is whole */
    const uint32_t *part_of;     /* of a replica: by node */
    bool stood_still;            /* a flow was given up because nothing moved any more */
    nadi_time moved_at;          /* the last time that a packet was put on a cable */
    uint32_t arriving;           /* queue whose head arrives at a host as data, or did last */
    /* Of parts that are told from each other (recall.h): how often one did what depends on more
     * than itself, by part, and the part of each port. NULL: nobody asks. */
    uint64_t *irregular;
    const uint32_t *irregular_of;
    uint32_t recalling;    /* parts in which packets move but are not simulated */
    nadi_time still_after; /* so long without any: nothing moves any more */
};

#endif
