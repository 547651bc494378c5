/* steady: the state of a packet network as seen from its clock and from what each flow has had
 * acknowledged: two states are equal when the network goes on alike from both. */
#ifndef NADI_NETWORK_PACKET_STEADY_H
#define NADI_NETWORK_PACKET_STEADY_H

#include "network/packet/internal.h"

struct nadi_pkt_state {
    uint64_t *items;
    size_t count, capacity;
};

/* Writes the state down. Pending cells other than the NICs' own timers are left out: they come at a
 * time of their own. O(ports + flows + packets on their way). */
void nadi_pkt_state_write(const struct nadi_pkt *net, struct nadi_pkt_state *state);

/* Is the present state the one that was written down? Ends at the first difference. */
bool nadi_pkt_state_same(const struct nadi_pkt *net, const struct nadi_pkt_state *state);

/* Does a pending event belong to the state, and not to a time of its own? */
static inline bool nadi_pkt_event_moves(const struct nadi_pkt *net, uint32_t event)
{
    return event >> NADI_PKT_EVENT_SHIFT != NADI_PKT_EVENT_CELL ||
           net->cells[event & NADI_PKT_EVENT_INDEX].kind == NADI_PKT_NIC_TIMER;
}

#endif
