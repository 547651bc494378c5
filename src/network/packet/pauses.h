/* pauses: how often and for how long PFC held back each port, and all of them over time.
 *
 * Fed by the hook `pfc`. A port counts as paused from the first pause to the next resume, whichever
 * class they are of: messages of a simulation are all of one class. Times are picoseconds. */
#ifndef NADI_NETWORK_PACKET_PAUSES_H
#define NADI_NETWORK_PACKET_PAUSES_H

#include "network/usage.h"

struct nadi_pkt_port_pauses {
    uint64_t count;   /* pause frames received */
    nadi_time paused; /* in all, up to the last resume or settlement */
    nadi_time since;  /* -1: not paused */
};

enum { NADI_PAUSED_TIME, NADI_PAUSE_FRAMES }; /* rows of over_time: ps, and a number */

struct nadi_pkt_pauses {
    struct nadi_pkt_port_pauses *ports;
    struct nadi_usage *over_time;
    uint32_t port_count;
};

void nadi_pkt_pauses_init(struct nadi_pkt_pauses *p, uint32_t port_count);
void nadi_pkt_pauses_release(struct nadi_pkt_pauses *p);

/* A port was paused (again), or may go on. O(1), amortized. */
void nadi_pkt_pauses_note(struct nadi_pkt_pauses *p, uint32_t port, nadi_time at, bool pause);

/* Counts pauses that last up to then. */
void nadi_pkt_pauses_settle(struct nadi_pkt_pauses *p, nadi_time at);

#endif
