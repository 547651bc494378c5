/* packet: RoCE packets over a graph of switches. The inner interface: create, start flows, run.
 *
 * Model: NICs with one queue pair a flow, windows, pacing and packets; store-and-forward switches
 * with a shared buffer, PFC and ECN; every packet acknowledged. docs/models/packet.md has it in
 * full. Exact mode (config.exact) follows the HPCC simulator to the nanosecond.
 *
 * The model has its own event queue and clock (in ticks: ns in exact mode, else ps) and runs as far
 * as it is told. One event is one start or end of a packet's hop or a timer. */
#ifndef NADI_NETWORK_PACKET_PACKET_H
#define NADI_NETWORK_PACKET_PACKET_H

#include "base/diag.h"
#include "network/packet/internal.h"
#include "platform/routing.h"

/* The graph must outlive the network; the config is copied, but not its faults. NULL with an error
 * in diags when the two do not fit (buffers smaller than the headroom they promise). */
struct nadi_pkt *nadi_pkt_create(const struct nadi_graph *graph,
                                 const struct nadi_packet_config *config, struct nadi_diags *diags);
void nadi_pkt_destroy(struct nadi_pkt *net); /* NULL is allowed */

/* Before the first flow: routes in dimension order, the first of the shortest, or Valiant's;
 * adaptive: where a flow begins, each node's least loaded port of the shortest paths. Exact mode
 * and all other schemes: ECMP. Sprayed packets take shortest paths. */
void nadi_pkt_set_routing(struct nadi_pkt *net, const struct nadi_routing_config *config);

/* Handles events up to and including tick *until, which a hook may bring nearer meanwhile; at most
 * `most` of them. True when nothing more is due up to then. */
bool nadi_pkt_run(struct nadi_pkt *net, const nadi_time *until, uint64_t most);

/* Handles the next event if it comes before that number of tick `at`: false where none does. */
bool nadi_pkt_step_before(struct nadi_pkt *net, nadi_time at, uint32_t event);

/* Moves the clock forward to a tick up to which everything has been handled. */
static inline void nadi_pkt_set_clock(struct nadi_pkt *net, nadi_time now)
{
    if (now > net->wheel.now)
        net->wheel.now = now;
}

/* Calls hooks.start at a tick >= now. */
void nadi_pkt_schedule_start(struct nadi_pkt *net, nadi_time at);

/* Calls hooks.marker with a and b at a tick >= now: behind all that packets and timers do then; in
 * exact mode in the order in which all is scheduled. */
void nadi_pkt_schedule_marker(struct nadi_pkt *net, nadi_time at, uint32_t a, uint32_t b);

/* Ticks that the flow would take in an empty network, to its last byte's arrival. Exact mode: the
 * HPCC simulator's estimate, round trip + bytes with 48-byte headers / slowest rate. */
nadi_time nadi_pkt_alone(struct nadi_pkt *net, uint32_t flow);

/* Ports of switches whose packets wait for a pause to end; the node of the first one. When nothing
 * moves any more these are a PFC deadlock: buffers that wait for each other in a circle. */
uint32_t nadi_pkt_blocked_ports(const struct nadi_pkt *net, uint32_t *node);

/* Flows had no route because it has more links than packets can count: says so; NULL: none. */
const char *nadi_pkt_too_far(const struct nadi_pkt *net);

/* To the nearest one. */
static inline nadi_time nadi_pkt_to_ps(const struct nadi_pkt *net, nadi_time ticks)
{
    return nadi_time_mul(ticks, (uint64_t)net->tick);
}

/* Is something due, and the first of it beyond the clock's range? */
static inline bool nadi_pkt_is_endless(const struct nadi_pkt *net)
{
    const nadi_time next = nadi_pkt_wheel_next_time(&net->wheel);
    const bool none = nadi_time_is_never(next) && net->wheel.late_count == 0;
    return !none && nadi_time_is_never(nadi_pkt_to_ps(net, next));
}

static inline nadi_time nadi_pkt_to_ticks(const struct nadi_pkt *net, nadi_time ps)
{
    return nadi_pkt_latency_ticks(net->tick, ps);
}

#endif
