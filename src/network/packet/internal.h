/* internal: the state of the packet model, shared by the files of this folder.
 *
 * Ticks are nanoseconds in exact mode and picoseconds otherwise. Everything that can be an event or
 * wait in a queue is a cell: a packet, the end of a port's transmission, a timer. The first
 * port_count cells belong to the ports (ends of transmissions); the others are recycled.
 *
 * A port is one end of a cable; what leaves it arrives at its peer. Packets carry their flow's
 * number and how many hops they have made; the ports of the way there and back were found when the
 * flow began (routes.h), so that switches neither hash nor look up.
 *
 * Order of one transmission, which ties depend on: end of transmission is scheduled before the
 * arrival at the peer. */
#ifndef NADI_NETWORK_PACKET_INTERNAL_H
#define NADI_NETWORK_PACKET_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "base/rng.h"
#include "network/packet/cc.h"
#include "network/packet/config.h"
#include "network/packet/wheel.h"
#include "platform/graph.h"

enum {
    NADI_PKT_CLASSES = 8, /* 0 is the control class */
    NADI_PKT_TIMERS = 3,  /* a flow, for its congestion control */
    NADI_PKT_RTO = NADI_PKT_TIMERS,
};

enum nadi_pkt_kind {
    NADI_PKT_FREE,
    NADI_PKT_DATA,
    NADI_PKT_ACK,
    NADI_PKT_NACK,
    NADI_PKT_CNP,
    NADI_PKT_PFC,
    NADI_PKT_TX_DONE,    /* cell = port */
    NADI_PKT_NIC_TIMER,  /* port = NIC */
    NADI_PKT_FLOW_TIMER, /* flow, seq = which */
    NADI_PKT_FLOW_START, /* the next ones of the list */
    NADI_PKT_FLOW_BEGIN, /* flow, seq = how often to come back */
    NADI_PKT_MARKER,     /* flow, seq: as given to schedule_marker */
    NADI_PKT_DEAD_TIMER, /* was cancelled */
};

enum {                      /* flags */
       NADI_PKT_MARKED = 1, /* ECN */
       NADI_PKT_ECHO = 2,   /* ACK: the packet that it answers was marked */
       NADI_PKT_PAUSE = 4,  /* PFC: pause, else resume */
};

struct nadi_pkt_cell {
    struct nadi_pkt_event event; /* with the kind and the hops made */
    uint32_t flow;
    uint32_t seq;  /* data: number of the packet; ACK: packets received in order */
    uint32_t port; /* on the wire: where it arrives; in a switch: where it came in */
    uint16_t bytes;
    uint8_t class;
    uint8_t flags;
};

struct nadi_pkt_port {
    uint32_t peer, node;
    uint32_t owner; /* NIC of a host's port, switch of a switch's */
    uint8_t is_host;
    uint8_t busy;
    uint8_t paused;  /* classes that the peer paused */
    uint8_t pausing; /* classes that this port has paused at the peer */
    uint8_t backlog; /* classes with packets waiting */
    uint8_t last;    /* class served last */
    uint8_t rate;    /* index of its transmission times */
    uint8_t shift;   /* pause threshold = free pool >> shift */
    uint32_t queued_bytes;
    uint32_t headroom_bytes; /* limit */
    nadi_time latency;
    uint64_t sent_bytes; /* data classes only */
    uint64_t sent_packets, wire_bytes;
    nadi_time busy_ticks;
};

struct nadi_pkt_queue { /* of one class of one port */
    uint32_t head, tail;
    uint32_t bytes, peak_bytes;
};

struct nadi_pkt_ingress { /* buffer held by what came in at one port in one class */
    uint32_t used_bytes, headroom_bytes;
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
    nadi_time timer_at;
};

struct nadi_pkt_flow {
    uint32_t packets;        /* in all */
    uint32_t next, una;      /* next to send; first not acknowledged */
    uint32_t window_packets; /* in flight at most; 0: any number */
    uint32_t nic, slot;
    uint16_t payload_bytes; /* of the last packet; the others are full */
    uint16_t gap_bytes;     /* size of the packet that pacing counts from */
    uint8_t class;
    bool finished, removed; /* acknowledged; out of the NIC's list */
    uint64_t rate, line_rate;
    uint64_t window_bytes; /* at line rate; 0: no window */
    nadi_time base_rtt;
    uint32_t live; /* cells that name it */
    uint32_t timers[NADI_PKT_TIMERS + 1];
    nadi_time progress_at; /* last advance of una, for the RTO */
};

struct nadi_pkt_receiver { /* the other end of a flow */
    uint32_t expected;     /* packets received in order */
    uint32_t nacked;       /* expected packet of the last NACK */
    nadi_time nack_at;     /* until then no second one */
    nadi_time notify_at;   /* until then no second CNP */
    uint32_t unacked_bytes;
};

struct nadi_pkt_info { /* what is not needed to move packets */
    uint32_t src, dst; /* NPUs */
    uint16_t sport, dport;
    uint64_t bytes;
    nadi_time start;
    uint32_t user; /* the caller's */
};

struct nadi_pkt_int { /* telemetry of one data packet */
    uint64_t hop[5];
    uint32_t hops;
};

struct nadi_pkt_pint { /* PINT: a port's moving average */
    double u;
    nadi_time at; /* last departure */
    uint32_t bytes;
};

struct nadi_pkt_frames { /* sizes in bytes */
    uint16_t data_overhead, ack, cnp, pfc;
    uint16_t gap; /* preamble and gap between frames: on the wire, not in buffers */
};

struct nadi_pkt_totals {
    uint64_t events;
    uint64_t data_sent, data_received; /* packets, first transmissions and others */
    uint64_t data_bytes_sent, data_bytes_received;
    uint64_t acks_sent, acks_received;
    uint64_t dropped_full, dropped_loss; /* packets: no buffer; a cable's loss or a link down */
    uint64_t marked;
    uint64_t pauses, resumes; /* PFC frames received */
    uint64_t retransmitted;   /* packets */
    uint64_t timeouts;
};

struct nadi_pkt;

/* What happens outside: each may be NULL. */
struct nadi_pkt_hooks {
    void *context;
    /* The flow's last byte has been acknowledged (exact) or has arrived (default). */
    void (*finished)(void *context, struct nadi_pkt *net, uint32_t flow);
    void (*pfc)(void *context, const struct nadi_pkt *net, uint32_t port, bool pause);
    void (*marker)(void *context, struct nadi_pkt *net, uint32_t a, uint32_t b);
    /* Flows of a list that are due now. */
    void (*start)(void *context, struct nadi_pkt *net);
};

struct nadi_pkt {
    struct nadi_pkt_wheel wheel;
    struct nadi_packet_config config;
    const struct nadi_graph *graph;
    const struct nadi_cc_ops *cc;
    nadi_time tick; /* ps */
    struct nadi_arena arena;
    struct nadi_pkt_frames frames;
    struct nadi_rng rng;
    /* cells */
    struct nadi_pkt_cell *cells;
    size_t cell_capacity;
    uint32_t cell_count, free_cell;
    struct nadi_pkt_int *ints; /* by cell, where telemetry is INT */
    uint8_t *powers;           /* by cell, where it is PINT */
    nadi_time *stamps;         /* by cell, where it is TIME */
    /* network */
    struct nadi_pkt_port *ports;
    struct nadi_pkt_queue *queues;    /* [port * CLASSES + class] */
    struct nadi_pkt_ingress *ingress; /* [port * CLASSES + class] */
    struct nadi_pkt_switch *switches;
    struct nadi_pkt_pint *pints; /* by port, where telemetry is PINT */
    double *pint_values;         /* by power */
    struct nadi_pkt_nic *nics;
    uint32_t port_count, switch_count, nic_count;
    uint32_t **tx_ticks; /* [rate][bytes] */
    uint64_t *rates;
    const struct nadi_ecn_row **ecn; /* by rate; NULL: never marks */
    uint32_t rate_count;
    /* flows */
    struct nadi_pkt_flow *flows;
    struct nadi_pkt_receiver *receivers;
    struct nadi_pkt_info *infos;
    char *cc_state;
    uint32_t *paths; /* [flow * 2 * path_hops], there and back */
    uint32_t path_hops;
    size_t flow_capacity;
    uint32_t flow_count, free_flow, open_flows;
    struct nadi_map64 sports; /* src << 32 | dst -> flows begun so far */
    struct nadi_pkt_routes *routes;
    nadi_time longest_rtt; /* with window_global */
    uint64_t largest_bdp;
    struct nadi_pkt_hooks hooks;
    struct nadi_pkt_totals totals;
};

/* --- cells: build.c --- */

void nadi_pkt_more_cells(struct nadi_pkt *net);

/* The array of cells may move. */
static inline uint32_t nadi_pkt_new_cell(struct nadi_pkt *net)
{
    if (NADI_UNLIKELY(net->free_cell == NADI_NONE))
        nadi_pkt_more_cells(net);
    const uint32_t cell = net->free_cell;
    net->free_cell = net->cells[cell].event.next;
    return cell;
}

static inline void nadi_pkt_free_cell(struct nadi_pkt *net, uint32_t cell)
{
    net->cells[cell].event.kind = NADI_PKT_FREE;
    net->cells[cell].event.next = net->free_cell;
    net->free_cell = cell;
}

static inline void nadi_pkt_schedule(struct nadi_pkt *net, uint32_t cell, nadi_time at)
{
    nadi_pkt_wheel_add(&net->wheel, &net->cells[cell].event, at, cell);
}

/* --- links --- */

static inline nadi_time nadi_pkt_tx_ticks(const struct nadi_pkt *net,
                                          const struct nadi_pkt_port *port, uint32_t bytes)
{
    return net->tx_ticks[port->rate][bytes];
}

/* Puts a packet on the idle port's cable. */
static inline void nadi_pkt_transmit(struct nadi_pkt *net, uint32_t port_index, uint32_t cell)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    struct nadi_pkt_cell *packet = &net->cells[cell];
    const nadi_time ticks = nadi_pkt_tx_ticks(net, port, packet->bytes);
    const nadi_time end = net->wheel.now + ticks;
    port->busy = 1;
    port->busy_ticks += ticks;
    port->sent_packets++;
    port->wire_bytes += packet->bytes;
    packet->port = port->peer;
    nadi_pkt_schedule(net, port_index, end);
    nadi_pkt_schedule(net, cell, end + port->latency);
}

static inline struct nadi_pkt_queue *nadi_pkt_queue(struct nadi_pkt *net, uint32_t port,
                                                    uint32_t class)
{
    return &net->queues[port * NADI_PKT_CLASSES + class];
}

static inline void nadi_pkt_enqueue(struct nadi_pkt *net, uint32_t port, uint32_t class,
                                    uint32_t cell)
{
    struct nadi_pkt_queue *q = nadi_pkt_queue(net, port, class);
    struct nadi_pkt_cell *packet = &net->cells[cell];
    packet->event.next = NADI_NONE;
    if (q->head == NADI_NONE) {
        q->head = cell;
        net->ports[port].backlog |= (uint8_t)(1U << class);
    } else
        net->cells[q->tail].event.next = cell;
    q->tail = cell;
    q->bytes += packet->bytes;
    if (q->bytes > q->peak_bytes)
        q->peak_bytes = q->bytes;
    net->ports[port].queued_bytes += packet->bytes;
}

/* The queue must not be empty. */
static inline uint32_t nadi_pkt_dequeue(struct nadi_pkt *net, uint32_t port, uint32_t class)
{
    struct nadi_pkt_queue *q = nadi_pkt_queue(net, port, class);
    const uint32_t cell = q->head;
    const struct nadi_pkt_cell *packet = &net->cells[cell];
    q->head = packet->event.next;
    if (q->head == NADI_NONE)
        net->ports[port].backlog &= (uint8_t) ~(1U << class);
    q->bytes -= packet->bytes;
    net->ports[port].queued_bytes -= packet->bytes;
    return cell;
}

/* --- nic.c: what a host sends --- */

/* Sends the next thing if the port is idle; else remembers when to look again. */
void nadi_pkt_nic_kick(struct nadi_pkt *net, uint32_t nic);
void nadi_pkt_nic_timer(struct nadi_pkt *net, uint32_t cell);
void nadi_pkt_nic_add(struct nadi_pkt *net, uint32_t nic, uint32_t flow);
/* After a change of next, una, packets or window. */
void nadi_pkt_nic_refresh(struct nadi_pkt *net, uint32_t flow);
/* The rate of packets from now on. rescale: also the gap that runs now. */
void nadi_pkt_set_rate(struct nadi_pkt *net, uint32_t flow, uint64_t rate, bool rescale);

/* --- host.c: what a host receives --- */

void nadi_pkt_host_receive(struct nadi_pkt *net, uint32_t cell);
/* At any node: on any port. */
void nadi_pkt_receive_pfc(struct nadi_pkt *net, uint32_t cell);

/* --- switch.c --- */

void nadi_pkt_switch_receive(struct nadi_pkt *net, uint32_t cell);
/* Sends the next packet of an idle switch port. */
void nadi_pkt_switch_send(struct nadi_pkt *net, uint32_t port);
/* Pauses or resumes a class at the port's peer. */
void nadi_pkt_send_pfc(struct nadi_pkt *net, uint32_t port, uint32_t class, bool pause);

/* --- flow.c --- */

struct nadi_pkt_flow_spec {
    uint32_t src, dst; /* NPUs, different */
    uint8_t class;
    uint16_t dport;
    uint64_t bytes;
    uint32_t user;
};

/* Begins a flow now (exact mode: at the end of this time); returns its number, NADI_NONE when there
 * is no way. */
uint32_t nadi_pkt_flow_start(struct nadi_pkt *net, const struct nadi_pkt_flow_spec *spec);

void nadi_pkt_set_timer(struct nadi_pkt *net, uint32_t flow, uint32_t which, nadi_time delay);
void nadi_pkt_cancel_timer(struct nadi_pkt *net, uint32_t flow, uint32_t which);
void nadi_pkt_flow_timer(struct nadi_pkt *net, uint32_t cell);
void nadi_pkt_flow_begin(struct nadi_pkt *net, uint32_t cell);
/* One cell fewer names the flow: recycles it when it was the last one and the flow is over. */
void nadi_pkt_flow_unref(struct nadi_pkt *net, uint32_t flow);
void nadi_pkt_flow_finish(struct nadi_pkt *net, uint32_t flow);
void *nadi_pkt_cc_state(const struct nadi_pkt *net, uint32_t flow);

/* --- routes.c --- */

struct nadi_pkt_routes *nadi_pkt_routes_create(const struct nadi_pkt *net);
void nadi_pkt_routes_destroy(struct nadi_pkt_routes *r);
/* Fills the flow's two paths. False when there is no way. */
bool nadi_pkt_routes_find(struct nadi_pkt *net, uint32_t flow);
/* Round trip (without queues), ticks, and the least rate on the first shortest way. */
void nadi_pkt_routes_rtt(struct nadi_pkt *net, uint32_t src, uint32_t dst, nadi_time *rtt,
                         uint64_t *rate);

static inline uint32_t nadi_pkt_path_port(const struct nadi_pkt *net, uint32_t flow, bool back,
                                          uint32_t hop)
{
    return net->paths[((size_t)flow * 2 + back) * net->path_hops + hop];
}

#endif
