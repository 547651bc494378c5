/* flow_case: messages over a small network of any model, and when they arrive. */
#ifndef NADI_TESTS_FLOW_CASE_H
#define NADI_TESTS_FLOW_CASE_H

#include "network/flow.h"
#include "network/network.h"
#include "platform/graph.h"

struct flow_case_message {
    nadi_time at, arrived; /* arrived -1: not yet */
    uint32_t src, dst;
    uint64_t bytes;
    double weight;       /* 0: 1 */
    uint64_t connection; /* 0: one of its own */
    enum nadi_urgency urgency;
    uint32_t op;        /* of struct nadi_message */
    uint32_t shared_by; /* likewise */
    uint32_t over; /* 1 + the channel that it goes over alone, to or from a switch; 0: a route */
};

struct flow_case {
    struct nadi_topology topology; /* of a graph: one Switch dimension of its hosts */
    struct nadi_graph graph;
    struct nadi_flow_config config;
    const struct nadi_routing_config *routing;     /* NULL: the model's choice */
    const struct nadi_packet_config *packet;       /* for the model packet */
    const struct nadi_flit_config *flit;           /* for the model flit */
    const struct nadi_loadstore_config *loadstore; /* for the model loadstore */
    uint32_t in_flight;                            /* of struct nadi_network_setup */
    bool record_usage;                             /* likewise */
    struct nadi_engine *engine;
    struct nadi_network *net;
    uint32_t kind_send, kind_arrived, kind_change;
    struct nadi_link_state changes[8];
    uint32_t change_count;
    struct flow_case_message *messages;
    size_t count, capacity;
};

/* An empty graph; add nodes and links with the two below (bytes a ns, ns), or set the topology. */
void flow_case_init(struct flow_case *c);
void flow_case_link(struct flow_case *c, uint32_t a, uint32_t b, double bytes_per_ns,
                    double latency_ns);
void flow_case_release(struct flow_case *c);
/* One dimension more. */
void flow_case_dim(struct flow_case *c, enum nadi_dim_kind kind, uint32_t npus, double bytes_per_ns,
                   double latency_ns);
void flow_case_open(struct flow_case *c, const struct nadi_network_ops *model);
/* The same; false: the model refuses it, with an error. */
bool flow_case_may_open(struct flow_case *c, const struct nadi_network_ops *model,
                        struct nadi_diags *diags);
uint32_t flow_case_send(struct flow_case *c, double at_ns, uint32_t src, uint32_t dst,
                        uint64_t bytes);
void flow_case_run(struct flow_case *c);
/* At a time the graph's channel is as said; at most 8. */
void flow_case_change(struct flow_case *c, double at_ns, struct nadi_link_state state);
/* From sending to arrival, ns. */
double flow_case_ns(const struct flow_case *c, uint32_t message);

/* Leaf-spine: hosts of `host_rate`, leaves joined to every spine by one cable of `up_rate`. Node
 * numbers: hosts first. */
void flow_case_leaf_spine(struct flow_case *c, uint32_t leaves, uint32_t hosts_a_leaf,
                          uint32_t spines, double host_rate, double up_rate, double latency_ns);

#endif
