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

/* The graph must outlive the network; the config is copied, but not its faults. NULL with an error
 * in diags when the two do not fit (buffers smaller than the headroom they promise). */
struct nadi_pkt *nadi_pkt_create(const struct nadi_graph *graph,
                                 const struct nadi_packet_config *config, struct nadi_diags *diags);
void nadi_pkt_destroy(struct nadi_pkt *net); /* NULL is allowed */

/* Handles events up to and including tick `until`, at most `most` of them. True when nothing more
 * is due up to then. */
bool nadi_pkt_run(struct nadi_pkt *net, nadi_time until, uint64_t most);

/* Calls hooks.start at a tick >= now. */
void nadi_pkt_schedule_start(struct nadi_pkt *net, nadi_time at);

/* Ticks that the flow would take in an empty network, to its last byte's arrival. Exact mode: the
 * HPCC simulator's estimate, round trip + bytes with 48-byte headers / slowest rate. */
nadi_time nadi_pkt_alone(struct nadi_pkt *net, uint32_t flow);

static inline nadi_time nadi_pkt_to_ticks(const struct nadi_pkt *net, nadi_time ps)
{
    return ps / net->tick;
}

#endif
