/* flows: one simulation of a plain list of flows over a graph: no workload, no collectives.
 *
 * Times are ps. A flow's completion is when its last byte arrives; in the exact mode of the packet
 * model, when the sender has the last byte's acknowledgement, as in the HPCC simulator. */
#ifndef NADI_FLOWS_FLOWS_H
#define NADI_FLOWS_FLOWS_H

#include "base/arena.h"
#include "base/diag.h"
#include "flows/flow_samples.h"
#include "network/flit/config.h"
#include "network/flow.h"
#include "network/flow_list.h"
#include "network/loadstore/config.h"
#include "network/packet/config.h"
#include "network/packet/packet.h"
#include "platform/graph.h"
#include "platform/routing.h"
#include "platform/spread.h"
#include "platform/topology.h"

struct nadi_flow_done {
    uint32_t flow; /* index in the list */
    uint16_t sport;
    nadi_time start, duration;
    nadi_time alone; /* the HPCC simulator's estimate for an empty network */
};

struct nadi_pfc_event { /* a pause or resume frame, where and when it was received */
    nadi_time at;
    uint32_t node;
    uint32_t port; /* of the node, from 1 */
    bool is_switch, pause;
};

struct nadi_flows_options {       /* what the command line says; paths may be NULL where optional */
    const char *flows, *topology; /* NULL: as the configuration says */
    const char *config;           /* NULL: defaults */
    const char *cc;               /* NULL: as the configuration says */
    const char *model;            /* NULL: packet; or flow, aware */
    const char *compat;           /* "ns3" or NULL */
    uint64_t seed;                /* 0: as the configuration says */
    uint32_t threads;             /* that run parts of the network at once; 0, 1: none */
    nadi_time sample;             /* ps between two samples of queues, links and flows; 0: none */
    size_t max_rows;              /* of each kind of sample */
};

struct nadi_flows_inputs {
    struct nadi_arena arena;
    struct nadi_graph graph;
    struct nadi_flow_list flows;
    struct nadi_packet_config config;
    const struct nadi_network_ops *model; /* NULL or packet: packets */
    struct nadi_topology topology;        /* the other models */
    struct nadi_routing_config routing;
    struct nadi_flow_config flow;
    struct nadi_flit_config flit;           /* defaults */
    struct nadi_loadstore_config loadstore; /* likewise */
    const volatile int *stop;               /* may be NULL; nonzero: stop soon */
    uint32_t threads;                       /* > 1: as many parts of the network at most, at once */
    uint64_t max_pfc_events;                /* kept; all are counted */
    nadi_time sample;
    size_t max_rows;
};

struct nadi_port_total {
    uint64_t packets, bytes; /* put on the cable, headers included */
    uint64_t peak_bytes;     /* longest queue of one class */
    nadi_time busy;          /* transmitting, ps */
};

struct nadi_flows_result {
    struct nadi_flow_done
        *done; /* in order of completion; of one time: of number (exact mode: events) */
    size_t done_count, done_capacity;
    struct nadi_pfc_event *pfc;
    size_t pfc_count, pfc_capacity;
    uint64_t pfc_total;
    struct nadi_port_total *ports; /* by port of the graph */
    uint32_t port_count;
    const struct nadi_hash_spread_link *spread; /* by channel of the graph; NULL: nothing hashes */
    struct nadi_hash_spread *hashes;            /* whose that is */
    uint32_t hashed_links, collisions;
    struct nadi_samples samples;
    struct nadi_pkt_totals totals;
    uint64_t hops; /* packets put on cables */
    nadi_time end;
    double wall_s;
    bool complete;                        /* every flow is done */
    bool beyond;                          /* not so within the clock's range */
    uint32_t blocked_ports, blocked_node; /* as in struct nadi_packet_figures */
};

/* Reads and checks all inputs. False with errors in diags. The caller releases `in` in both cases.
 */
bool nadi_flows_load(struct nadi_flows_inputs *in, const struct nadi_flows_options *options,
                     struct nadi_diags *diags) NADI_MUST_USE;
void nadi_flows_inputs_release(struct nadi_flows_inputs *in);

/* An error when packets wait for each other's buffers in a circle: ports > 0. */
void nadi_sim_explain_blocked(uint32_t ports, uint32_t node, struct nadi_diags *diags);

/* False with an error in diags when the inputs do not fit together. The caller releases `result` in
 * both cases. */
bool nadi_flows_simulate(const struct nadi_flows_inputs *in, struct nadi_flows_result *result,
                         struct nadi_diags *diags) NADI_MUST_USE;
/* flows_packets.c: for packets. Fills an empty result. */
bool nadi_flows_simulate_packets(const struct nadi_flows_inputs *in,
                                 struct nadi_flows_result *result,
                                 struct nadi_diags *diags) NADI_MUST_USE;
/* flows_messages.c: for the other models. Fills an empty result; false with an error where the
 * model cannot go on. */
bool nadi_flows_simulate_messages(const struct nadi_flows_inputs *in,
                                  struct nadi_flows_result *result,
                                  struct nadi_diags *diags) NADI_MUST_USE;
/* flows_spread.c: of ECMP. */
void nadi_flows_count_spread(const struct nadi_flows_inputs *in, struct nadi_flows_result *result);
void nadi_flows_result_release(struct nadi_flows_result *result);

#endif
