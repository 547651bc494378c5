/* network: how long a message takes. One table of operations; a model is the table and its state.
 *
 * A message is delivered by an engine event of the sender's choosing (kind, a, b, c): the model
 * schedules it at the arrival time, on no actor. Bytes sent equal bytes delivered; nothing is lost.
 * Messages may also begin or end at a switch that takes part in collectives: such a message goes
 * over one link, which the caller names (`over`), and its src or dst is npu_count + k for switch k.
 * `route` names the way from src to dst for models where that takes time to find: it is constant
 * during a run, so callers that send often between the same pair keep it. */
#ifndef NADI_NETWORK_NETWORK_H
#define NADI_NETWORK_NETWORK_H

#include "base/base.h"
#include "engine/engine.h"
#include "platform/topology.h"

struct nadi_network;
struct nadi_graph;
struct nadi_packet_config;
struct nadi_flow_config;
struct nadi_routing_config;
struct nadi_message_log;

enum { NADI_IN_FLIGHT_ANY = 0x7fffffff }; /* any number, all share */

struct nadi_network_setup { /* all must outlive the network */
    const struct nadi_topology *topology;
    const struct nadi_graph *graph; /* NULL: the dimensions say it; packet has one always */
    const struct nadi_packet_config *packet;   /* packet only */
    const struct nadi_routing_config *routing; /* in graphs; NULL: dimension order */
    const struct nadi_flow_config *flow;       /* flow only; NULL: no overheads, no window */
    uint32_t in_flight; /* flow, packet: messages of a connection that are sent at once; 0: one */
    struct nadi_engine *engine;
    struct nadi_message_log *log; /* NULL: nobody asks what messages waited for */
    bool record_usage;            /* what links carry over time */
    bool to_switches;             /* packet: messages begin and end at switches too */
    bool uniform;                 /* flow, without a graph: see network/uniform.h */
};

struct nadi_network_counter { /* of one link, or of one dimension */
    uint32_t dim;
    uint32_t from, to; /* NPU, or npu_count + k for switch k; NADI_NONE on a dimension's sum */
    uint64_t messages, bytes;
    uint64_t busy_ns;      /* needed for the bytes; aware: the link was taken */
    uint64_t wait_ns;      /* aware: of all messages, for the link */
    uint32_t most_waiting; /* aware: messages, at one time */
    uint32_t number;       /* of a link in the model's usage and log */
    /* packet; a dimension's sum has the largest queue: */
    uint64_t peak_queue_bytes; /* that waited for the link in one class; of a switch */
    uint64_t pauses;           /* PFC frames that stopped its sender, */
    uint64_t paused_ns;        /* and for how long they did */
    double bytes_per_ns;       /* of a link; 0: not told */
};

struct nadi_link_state { /* from now on */
    uint32_t link;       /* channel of the graph */
    double bytes_per_ns, latency_ns;
    bool down; /* of both links of a cable */
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
    double weight;          /* flow: shares links as so many messages do; 0 is 1 */
};

struct nadi_usage;

typedef void nadi_network_visit_fn(void *context, const struct nadi_network_counter *counter);

struct nadi_network_ops {
    const char *name;
    const char *summary; /* what it assumes, one paragraph */
    bool has_contention; /* messages meet: when one is sent can matter to another */
    struct nadi_network *(*create)(const struct nadi_network_setup *setup);
    void (*destroy)(struct nadi_network *net);
    uint32_t (*route)(struct nadi_network *net, uint32_t src, uint32_t dst);
    /* The route over one link between an NPU and a switch or two switches: a channel of the graph,
     * or nadi_network_switch_link. It never changes: while the link is down messages wait for it.
     */
    uint32_t (*over)(struct nadi_network *net, uint32_t link);
    void (*send)(struct nadi_network *net, const struct nadi_message *message);
    /* Calls `visit` for each dimension's sum (links false) or each link that the model has (links
     * true), in a fixed order. */
    void (*counters)(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                     void *context);
    /* What links carry over time, in the order in which `counters` visits links; NULL where that
     * was not asked for or the model does not know. Until the network is destroyed. */
    const struct nadi_usage *(*usage)(const struct nadi_network *net);
    /* What was sent so far, each message once, however many links it crosses. */
    void (*sent)(const struct nadi_network *net, uint64_t *messages, uint64_t *bytes);
    /* Links change, all at once; messages on their way find other ways where theirs is down. Only
     * with a graph; NULL: the model has no links that could. */
    void (*change)(struct nadi_network *net, const struct nadi_link_state *states, size_t count);
    /* Messages that wait because there is no way at present; *src, *dst: of one of them that had
     * none when it was sent, if there is one. NULL: never. */
    uint64_t (*stranded)(const struct nadi_network *net, uint32_t *src, uint32_t *dst);
    /* Where messages wait for ever because their way has more links than the model can follow: says
     * so; NULL: not therefore. NULL: never. */
    const char *(*too_far)(const struct nadi_network *net);
    /* Is something on its way that ends beyond the clock's range, and for which no event is
     * pending? NULL: never. */
    bool (*endless)(const struct nadi_network *net);
};

struct nadi_network {
    const struct nadi_network_ops *ops; /* always the first member of a model's state */
};

extern const struct nadi_network_ops nadi_network_unaware;
extern const struct nadi_network_ops nadi_network_aware;
extern const struct nadi_network_ops nadi_network_flow;
extern const struct nadi_network_ops nadi_network_packet;

/* All models, NULL-terminated. */
extern const struct nadi_network_ops *const nadi_network_models[];
const struct nadi_network_ops *nadi_network_find(const char *name); /* NULL if none */

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
