/* internal: what the files of the packet model ask of each other, on their common state (state.h).
 */
#ifndef NADI_NETWORK_PACKET_INTERNAL_H
#define NADI_NETWORK_PACKET_INTERNAL_H

#include "network/packet/state.h"

/* What is seldom run stays out of what always is, whose registers it would take. */
#define NADI_SELDOM __attribute__((noinline))

/* --- cells and packets: pools.c --- */

void nadi_pkt_more_cells(struct nadi_pkt *net);
void nadi_pkt_more_chunks(struct nadi_pkt *net);
void nadi_pkt_more_ints(struct nadi_pkt *net);
void nadi_pkt_widen_ints(struct nadi_pkt *net);
void nadi_pkt_pools_release(struct nadi_pkt *net);

/* Arrays that begin with a cache line, so that what is as large as one touches no second one:
 * zeroed; enlarged, with `used` objects kept; freed (NULL is allowed). */
void *nadi_pkt_lines(size_t count, size_t size) NADI_MUST_USE;
void *nadi_pkt_lines_grow(void *old, size_t used, size_t count, size_t size) NADI_MUST_USE;
void nadi_pkt_lines_free(void *lines);

/* The array of cells may move. */
static inline uint32_t nadi_pkt_new_cell(struct nadi_pkt *net, enum nadi_pkt_cell_kind kind,
                                         uint32_t a, uint32_t b)
{
    if (NADI_UNLIKELY(net->free_cell == NADI_NONE))
        nadi_pkt_more_cells(net);
    const uint32_t cell = net->free_cell;
    net->free_cell = net->cells[cell].next;
    net->cells[cell] = (struct nadi_pkt_cell){NADI_NONE, kind, a, b};
    return cell;
}

static inline void nadi_pkt_free_cell(struct nadi_pkt *net, uint32_t cell)
{
    net->cells[cell].kind = NADI_PKT_FREE;
    net->cells[cell].next = net->free_cell;
    net->free_cell = cell;
}

/* What happens at the port depends on a random number, or is told of by time. */
static inline void nadi_pkt_note_irregular(struct nadi_pkt *net, uint32_t port)
{
    if (net->irregular)
        net->irregular[net->irregular_of[port]]++;
}

/* Of putting bytes on a cable. */
static inline uint64_t nadi_pkt_ticks_of(const struct nadi_pkt *net, uint32_t bytes, uint64_t rate)
{
    return nadi_pkt_wire_ticks(net->config.exact, (uint64_t)bytes + net->frames.gap, rate);
}

/* What joins an NPU with its own router is no cable: packets take no time on it, as in the other
 * models, and a flow goes as fast as the cables behind it. Not in exact mode. */
static inline bool nadi_pkt_is_on_board(const struct nadi_pkt *net, uint32_t port)
{
    const struct nadi_graph *g = net->graph;
    return !net->config.exact && port < g->first_port[g->node_count] &&
           g->links[g->ports[port].link].dim == NADI_NONE;
}

static inline void nadi_pkt_schedule(struct nadi_pkt *net, uint32_t cell, nadi_time at)
{
    nadi_pkt_wheel_add(&net->wheel, at,
                       cell | (uint32_t)NADI_PKT_EVENT_CELL << NADI_PKT_EVENT_SHIFT);
}

/* --- nic.c: what a host sends --- */

/* Sends the next thing if the port is idle; else remembers when to look again. */
void nadi_pkt_nic_kick(struct nadi_pkt *net, uint32_t nic);
static inline void nadi_pkt_nic_wake(struct nadi_pkt *net, uint32_t nic) /* it is often busy */
{
    if (!net->ports[net->nics[nic].port].busy)
        nadi_pkt_nic_kick(net, nic);
}
void nadi_pkt_nic_timer(struct nadi_pkt *net, uint32_t cell);
void nadi_pkt_nic_add(struct nadi_pkt *net, uint32_t nic, uint32_t flow);
/* Is something left that window and credits allow to send? */
bool nadi_pkt_may_send(const struct nadi_pkt *net, const struct nadi_pkt_flow *f);
/* After a change of next, una, packets or window. */
void nadi_pkt_nic_refresh(struct nadi_pkt *net, uint32_t flow);
/* The rate of packets from now on. rescale: also the gap that runs now. The NIC must be refreshed
 * afterwards, as with the window: this is done once after all that a scheme does. */
void nadi_pkt_set_rate(struct nadi_pkt *net, uint32_t flow, uint64_t rate, bool rescale);

/* When the flow's NIC last sent a packet of it. */
nadi_time nadi_pkt_last_sent(struct nadi_pkt *net, uint32_t flow);

/* The window from now on, > 0 packets, for schemes that have one of their own. */
void nadi_pkt_set_window(struct nadi_pkt *net, uint32_t flow, uint32_t packets);

/* --- host.c: what a host receives; `at` is the packet's place --- */

void nadi_pkt_receive_data(struct nadi_pkt *net, uint32_t at);
void nadi_pkt_receive_answer(struct nadi_pkt *net, uint32_t at);
/* At any node: on any port. */
void nadi_pkt_receive_pfc(struct nadi_pkt *net, uint32_t port, uint32_t at);
/* Puts a control packet of the flow, from its destination to its source, into the NIC's queue and
 * sends it when the NIC is idle; returns its place. */
uint32_t nadi_pkt_send_back(struct nadi_pkt *net, uint32_t flow, enum nadi_pkt_kind kind,
                            uint32_t seq, uint32_t flags);
void nadi_pkt_nic_pause(struct nadi_pkt *net, uint32_t cell);

/* --- parts.c --- */

/* What a special port's cable does with a packet that will arrive at that time, from a queue of the
 * port; true when it goes to another part, and must not arrive in this one. */
bool nadi_pkt_transmit_special(struct nadi_pkt *net, uint32_t queue, uint32_t at,
                               nadi_time arrival);

/* --- switch.c --- */

/* The packet came over the cable in a class of its own: that of the queue it left. */
void nadi_pkt_switch_receive(struct nadi_pkt *net, uint32_t port, uint32_t at, uint32_t queue);
/* A packet that the switch holds, from port and class `in`, leaves it otherwise than by a port. */
void nadi_pkt_switch_let_go(struct nadi_pkt *net, uint32_t in, uint32_t bytes);
/* Is it to be marked as it leaves the port? */
bool nadi_pkt_should_mark(struct nadi_pkt *net, uint32_t port, uint32_t queued);
/* Sends the next packet of an idle switch port. */
void nadi_pkt_switch_send(struct nadi_pkt *net, uint32_t port);
/* Pauses or resumes a class at the port's peer. */
void nadi_pkt_send_pfc(struct nadi_pkt *net, uint32_t port, uint32_t class, bool pause);
/* Loses everything that waits at a port. */
void nadi_pkt_switch_flush(struct nadi_pkt *net, uint32_t port);

/* --- fault.c --- */

void nadi_pkt_faults_schedule(struct nadi_pkt *net);
void nadi_pkt_fault(struct nadi_pkt *net, uint32_t index);

struct nadi_pkt_cable { /* one direction, from now on */
    uint32_t channel;   /* of the graph: a link's */
    uint64_t bits_per_s;
    nadi_time latency; /* ticks */
    bool down;         /* of both directions */
};

/* Cables change, all at once. O(ports), and O(flows) when one goes down or comes back. */
void nadi_pkt_cables_change(struct nadi_pkt *net, const struct nadi_pkt_cable *cables,
                            size_t count);

/* --- build.c --- */

/* The rate of a port from now on; when more different ones than can be told apart were used
 * before, the nearest of those. */
void nadi_pkt_set_port_rate(struct nadi_pkt *net, uint32_t port, uint64_t bits_per_s);

/* A packet has fewer bytes. */
static inline uint32_t nadi_pkt_sizes(const struct nadi_pkt *net)
{
    return net->config.payload_bytes + net->frames.data_overhead + net->frames.ack + 64;
}

/* --- cut_through.c --- */

/* After the rates of ports were set: when switches may go on with what comes in. O(ports). */
void nadi_pkt_cut_through(struct nadi_pkt *net);

/* --- track.c: selective recovery --- */

void nadi_pkt_track_begin(struct nadi_pkt *net, uint32_t flow);
/* At the receiver: false when the packet was there before. Moves `expected`. */
bool nadi_pkt_track_receive(struct nadi_pkt *net, uint32_t flow, uint32_t seq);
/* At the sender. Moves `una`. */
void nadi_pkt_track_ack(struct nadi_pkt *net, uint32_t flow, uint32_t seq);
/* A packet is known to be lost. */
void nadi_pkt_track_lost(struct nadi_pkt *net, uint32_t flow, uint32_t seq);
/* Everything in flight is given up. */
void nadi_pkt_track_timeout(struct nadi_pkt *net, uint32_t flow);
/* The next packet to repeat; there must be one. */
uint32_t nadi_pkt_track_repeat(struct nadi_pkt *net, uint32_t flow);
void nadi_pkt_track_release(struct nadi_pkt *net);

/* --- pull.c: receivers that tell senders when to send --- */

/* Something of the flow has arrived at its destination. */
void nadi_pkt_pull_arrival(struct nadi_pkt *net, uint32_t flow);
void nadi_pkt_pull_timer(struct nadi_pkt *net, uint32_t cell);

/* --- flow.c --- */

struct nadi_pkt_flow_spec {
    uint32_t src, dst; /* NPUs, different */
    uint8_t class;
    uint16_t dport;
    uint64_t bytes;
    uint32_t user;
    bool at_path_rate;   /* starts at the rate of its slowest cable, not its NIC's */
    bool has_queue_pair; /* hooks tell of it by `queue_pair`, */
    uint32_t queue_pair;
    uint16_t sport; /* and it has this source port, of nadi_pkt_next_port */
};

enum { NADI_PKT_FIRST_PORT = 10000 };
uint16_t nadi_pkt_next_port(struct nadi_pkt *net, uint32_t src, uint32_t dst);

static inline uint64_t nadi_pkt_packets_of(const struct nadi_pkt *net, uint64_t bytes)
{
    return bytes ? (bytes - 1) / net->config.payload_bytes + 1 : 1;
}

/* Begins a flow now (exact mode: at the end of this time); returns its number, NADI_NONE when there
 * is no route. */
uint32_t nadi_pkt_flow_start(struct nadi_pkt *net, const struct nadi_pkt_flow_spec *spec);

/* The two halves of it, default mode: a flow that is there but has not begun, and its beginning. */
uint32_t nadi_pkt_flow_prepare(struct nadi_pkt *net, const struct nadi_pkt_flow_spec *spec);
void nadi_pkt_flow_open(struct nadi_pkt *net, uint32_t flow);
void nadi_pkt_flow_unprepare(struct nadi_pkt *net, uint32_t flow); /* it is not wanted after all */
/* A flow of another part, to this one, is about to begin. */
void nadi_pkt_flow_expect(struct nadi_pkt *net, uint32_t flow);

void nadi_pkt_set_timer(struct nadi_pkt *net, uint32_t flow, uint32_t which, nadi_time delay);
void nadi_pkt_cancel_timer(struct nadi_pkt *net, uint32_t flow, uint32_t which);
void nadi_pkt_flow_timer(struct nadi_pkt *net, uint32_t cell);
/* Timers that were held while the NIC's cable was down. */
void nadi_pkt_flows_go_on(struct nadi_pkt *net, uint32_t nic);
void nadi_pkt_flow_begin(struct nadi_pkt *net, uint32_t cell);
/* One cell fewer names the flow: recycles it when it was the last one and the flow is over. */
void nadi_pkt_flow_unref(struct nadi_pkt *net, uint32_t flow);
void nadi_pkt_flow_finish(struct nadi_pkt *net, uint32_t flow);
/* Receiver-driven: packets that a flow sends unasked, a bandwidth-delay product. */
uint32_t nadi_pkt_initial_packets(const struct nadi_pkt *net, uint32_t flow);
/* Of a scheme that has state. */
static inline void *nadi_pkt_cc_state(const struct nadi_pkt *net, uint32_t flow)
{
    return net->cc_state + flow * net->state_bytes;
}

/* --- routes.c --- */

struct nadi_pkt_routes *nadi_pkt_routes_create(const struct nadi_pkt *net);
void nadi_pkt_routes_destroy(struct nadi_pkt_routes *r);
/* Fills the flow's two paths. False when there is no route. */
bool nadi_pkt_routes_find(struct nadi_pkt *net, uint32_t flow);
/* The load of the flow's route has these bytes more or fewer. */
void nadi_pkt_routes_load(struct nadi_pkt *net, uint32_t flow, int64_t bytes);
/* Where a packet of the flow goes from a switch: by its flow's hash; sprayed, by its number.
 * NADI_NONE when there is no route. */
uint32_t nadi_pkt_routes_step(struct nadi_pkt *net, uint32_t node, uint32_t flow, bool back);
uint32_t nadi_pkt_routes_spray(struct nadi_pkt *net, uint32_t node, uint32_t flow, bool back,
                               uint32_t seq, bool first);
/* Round trip (without queues), ticks, and the least rate on the first shortest path, there and back
 * (exact mode: twice there). */
void nadi_pkt_routes_rtt(struct nadi_pkt *net, uint32_t src, uint32_t dst, nadi_time *rtt,
                         uint64_t *rate);
/* The same of the flow's own routes; not in exact mode. */
void nadi_pkt_routes_own_rtt(const struct nadi_pkt *net, uint32_t flow, nadi_time *rtt,
                             uint64_t *rate);
/* What the round trip grows by where at each port of the way there and back a data packet is being
 * sent, and for ACKs as many again of the cables. */
nadi_time nadi_pkt_routes_wait(const struct nadi_pkt *net, uint32_t flow);

static inline uint32_t nadi_pkt_path_port(const struct nadi_pkt *net, uint32_t flow, bool back,
                                          uint32_t hop)
{
    return net->paths[(((size_t)flow * 2 + back) << net->path_shift) + hop];
}

#endif
