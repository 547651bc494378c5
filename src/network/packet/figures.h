/* figures: what a finished run on the packet model counted, for results. */
#ifndef NADI_NETWORK_PACKET_FIGURES_H
#define NADI_NETWORK_PACKET_FIGURES_H

#include "network/usage.h"

struct nadi_network;

struct nadi_packet_figures {
    uint64_t data_packets, retransmitted, dropped, trimmed, timeouts, abandoned;
    uint64_t marks;                              /* ECN, on packets of any kind */
    uint64_t pauses, resumes;                    /* PFC frames received */
    uint64_t peak_queue_bytes;                   /* of one class of one port */
    double mean_peak_queue_bytes;                /* of the switch ports that carried something */
    uint64_t paused_ns;                          /* of all ports together */
    double pause_bucket_ns;                      /* width, of the next two */
    double paused_over_time[NADI_USAGE_BUCKETS]; /* ns, of all ports together */
    double pauses_over_time[NADI_USAGE_BUCKETS]; /* pause frames */
    uint32_t blocked_ports;                      /* of switches: packets wait for a pause to end */
    uint32_t blocked_node;                       /* of the first */
    uint64_t skipped_events; /* of all events, those passed over: fast_forward.h */
    uint64_t timed;          /* messages that were timed, not simulated: lone.h */
    uint64_t recalled;       /* messages that were delivered from memory: recall.h */
};

/* The network must be of the packet model. Before its counters and its usage are read:
 * pauses that have not ended count up to now, and so does what links have carried. */
void nadi_packet_figures_get(struct nadi_network *net, struct nadi_packet_figures *figures);

#endif
