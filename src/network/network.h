/* network: how long a message takes. One table of operations; a model is the table and its state.
 *
 * A message is delivered by an engine event of the sender's choosing (kind, a, b, c): the model
 * schedules it at the arrival time, on no actor. Bytes sent equal bytes delivered; nothing is lost.
 * Messages may also begin or end at a switch that takes part in collectives: such a message goes
 * over one link, which the caller names (`over`), and its src or dst is npu_count + k for switch k.
 * `route` names the route from src to dst for models where that takes time to find: it is constant
 * during a run, so callers that send often between the same pair keep it. */
#ifndef NADI_NETWORK_NETWORK_H
#define NADI_NETWORK_NETWORK_H

#include "base/base.h"
#include "base/time.h"
#include "engine/engine.h"
#include "network/ops.h"
#include "platform/topology.h"

struct nadi_network;
struct nadi_graph;
struct nadi_packet_config;
struct nadi_flit_config;
struct nadi_loadstore_config;
struct nadi_flow_config;
struct nadi_routing_config;
struct nadi_message_log;
struct nadi_uniform;

enum { NADI_IN_FLIGHT_ANY = 0x7fffffff }; /* any number, all share */

struct nadi_message;

/* Of a run whose ranks are in parts, each with a network of its own: what one of them knows. A
 * message goes to the part of its destination, which has sent it on from there. */
struct nadi_border {
    const uint8_t *part_of; /* by NPU */
    uint32_t part;          /* its own */
    void (*send)(void *context, const struct nadi_message *message, nadi_time arrival);
    void *context;
};

struct nadi_network_setup { /* all must outlive the network */
    const struct nadi_topology *topology;
    const struct nadi_graph *graph; /* NULL: the dimensions say it; packet has one always */
    const struct nadi_packet_config *packet;       /* packet only */
    const struct nadi_routing_config *routing;     /* in graphs; NULL: dimension order */
    const struct nadi_flow_config *flow;           /* flow only; NULL: no overheads, no window */
    const struct nadi_flit_config *flit;           /* flit only */
    const struct nadi_loadstore_config *loadstore; /* loadstore only */
    uint32_t in_flight; /* flow, packet: messages of a connection that are sent at once; 0: one */
    struct nadi_engine *engine;
    struct nadi_message_log *log;       /* NULL: nobody asks what messages waited for */
    bool record_usage;                  /* what links carry over time */
    double packet_error;                /* packet: lone.h; of 1 */
    bool all_packets;                   /* packet: each is simulated, nothing recalled */
    bool to_switches;                   /* packet: messages begin and end at switches too */
    bool few_senders;                   /* unaware: no table of all NPUs is worth its time */
    bool fabric_stops;                  /* fabric: a message that cannot be routed ends the run */
    const struct nadi_border *border;   /* models with `join`: NULL: all NPUs are here */
    const struct nadi_uniform *uniform; /* flow, aware, unaware: see network/uniform.h; NULL: each
                                           message stands for itself */
};

struct nadi_network_counter { /* of one link, or of one dimension */
    uint32_t dim;
    uint32_t from, to; /* NPU, or npu_count + k for switch k; NADI_NONE on a dimension's sum */
    uint64_t messages, bytes;
    uint64_t busy_ns;      /* needed for the bytes; aware: the link was taken */
    uint64_t wait_ns;      /* aware: of all messages, for the link */
    uint32_t most_waiting; /* aware: messages, at one time */
    uint32_t number;       /* of a link in the model's usage and log */
    uint32_t channel;      /* of a link in the graph; where the model tells flows */
    /* packet; a dimension's sum has the largest queue: */
    uint64_t peak_queue_bytes; /* that waited for the link in one class; of a switch */
    uint64_t pauses;           /* PFC frames that stopped its sender, */
    uint64_t paused_ns;        /* and for how long they did */
    double bytes_per_ns;       /* of a link; 0: not told */
    uint64_t flits;            /* flit */
    /* flit: cycles of packets that waited at the head of a buffer, in all, for want of a VC, of
     * room at the other end, of a turn; and the mean of flits in the buffers at the other end: */
    uint64_t no_vc_ns, no_credit_ns, lost_turn_ns;
    double held_flits;
    uint64_t wire_bytes; /* loadstore: of a link, all that went over it; others 0 */
};

/* What counter `index` of a model says; false: it says nothing. */
typedef bool nadi_network_counter_fn(const void *model, uint32_t index,
                                     struct nadi_network_counter *one);
/* `counters` of a model that has `count` of them: with `links` each one, dimension by dimension,
 * else their sums. */
void nadi_network_visit_dims(uint32_t dims, uint32_t count, nadi_network_counter_fn *get,
                             const void *model, bool links, nadi_network_visit_fn *visit,
                             void *context);

struct nadi_network_sent {
    uint64_t messages, bytes;
    uint64_t flits;                  /* flit: of their packets; others 0 */
    uint64_t conflicts, preemptions; /* fabric: times that one waited because a switch could not
                                        route it beside others; that one gave way */
};

struct nadi_link_state { /* from now on */
    uint32_t link;       /* channel of the graph */
    double bytes_per_ns, latency_ns;
    bool down; /* of both links of a cable */
};

enum nadi_urgency {                        /* of a message; fabric */
                    NADI_URGENCY_REPLICAS, /* DP: collectives of ranks that are no neighbours */
                    NADI_URGENCY_STAGES,   /* PP: from rank to rank */
                    NADI_URGENCY_MODEL,    /* MP: collectives of neighbouring ranks */
};

struct nadi_message {
    uint32_t src, dst;
    uint32_t route;  /* of (src, dst) */
    uint32_t copies; /* equal messages that this one stands for; more than 1 only in `unaware` */
    uint64_t bytes;
    uint32_t kind, a, b, c; /* the delivery event */
    uint32_t op;            /* 1 + the collective operation that it belongs to; 0: of none */
    uint64_t connection;    /* messages of one pair and one connection (a queue pair) go in order: a
                               number that the sender chooses; 0: one of its own */
    enum nadi_urgency urgency;
    double weight;      /* flow: shares links as so many messages do; 0 is 1 */
    uint32_t shared_by; /* to or from a switch, of an all-reduce of so many NPUs, each of which
                           loads its part of the sum and stores it again; else 0 */
    bool scattered;     /* folded: it goes elsewhere from each NPU, to one each; behind a switch */
};

/* Always the first member of a model's state. */
struct nadi_network {
    const struct nadi_network_ops *ops;
    struct nadi_engine *engine;
    const struct nadi_border *border; /* NULL: all NPUs are here */
    struct nadi_message_log *log;     /* NULL: nobody asks what messages waited for */
    struct nadi_usage *usage;      /* what links carry over time, in the order in which `counters`
                                      visits them; NULL: nobody asks, or the model does not know */
    struct nadi_network_sent sent; /* so far, each message once, however many links it crosses; */
    uint32_t copies;               /* each stands for so many */
};

/* The same of any model: nadi_network_ops.least. Links on board take no time. */
void nadi_network_least(const struct nadi_network_ops *ops, const struct nadi_network_setup *setup,
                        struct nadi_link_least *least);

/* For models: the state of `size` bytes, zeroed but for its base. */
void *nadi_network_new(const struct nadi_network_ops *ops, const struct nadi_network_setup *setup,
                       size_t size) NADI_MUST_USE;
static inline void nadi_network_count_sent(struct nadi_network *net, uint64_t bytes)
{
    net->sent.messages++;
    net->sent.bytes = nadi_count_add(net->sent.bytes, bytes);
}

void nadi_network_destroy(struct nadi_network *net);
/* What was sent so far. */
struct nadi_network_sent nadi_network_sent(const struct nadi_network *net);

/* In a list of dimensions: from an NPU to the switch of its group in dimension dim, or (down) to
 * the NPU from there. */
static inline uint32_t nadi_network_switch_link(const struct nadi_topology *t, uint32_t dim,
                                                uint32_t npu, bool down)
{
    return 2 * (dim * t->npu_count + npu) + down;
}

static inline uint32_t nadi_network_over(struct nadi_network *net, uint32_t link)
{
    return net->ops->over(net, link);
}

static inline uint32_t nadi_network_route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    return net->ops->route(net, src, dst);
}

static inline void nadi_network_send(struct nadi_network *net, const struct nadi_message *message)
{
    net->ops->send(net, message);
}

#endif
