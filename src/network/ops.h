/* ops: a network model's identity: its name, what it can do, and its functions (network.h).
 *
 * Nobody compares names or models: who wants to know what a model can do asks for that. */
#ifndef NADI_NETWORK_OPS_H
#define NADI_NETWORK_OPS_H

#include "base/base.h"
#include "base/time.h"
#include "network/models.h"
#include "platform/topology.h"

struct nadi_diags;
struct nadi_link_state;
struct nadi_message;
struct nadi_network;
struct nadi_network_counter;
struct nadi_network_sent;
struct nadi_network_setup;
struct nadi_str;
struct nadi_network_counts;

typedef void nadi_network_visit_fn(void *context, const struct nadi_network_counter *counter);
struct nadi_counted_flow {
    uint32_t src, dst; /* NPUs */
    uint32_t number;   /* among those of the pair, for platform/routing.h */
    uint32_t hops;
    const uint32_t *channels; /* of its route in the graph as it was given; NULL: not known */
};
typedef void nadi_counted_flow_fn(void *context, const struct nadi_counted_flow *flow);

/* What a link takes at the least, as the model rounds it: of a message's b bytes the last has left
 * after b / bytes_per_ns - early_ns and arrives latency_ns later. */
struct nadi_link_least {
    double bytes_per_ns; /* INFINITY: they take no time */
    double latency_ns, early_ns;
};

struct nadi_network_ops {
    const char *name;
    const char *summary; /* what it assumes, one paragraph */
    /* What it can do. */
    bool has_contention;    /* when one message is sent can matter to another: collectives go
                               message by message (executor `message`) */
    bool has_links;         /* sees each link: runs on graphs; links may change, and carry traffic
                               of others. Else a dimension is all there is */
    bool needs_graph;       /* dimensions become a graph first */
    bool store_and_forward; /* a message takes its links one after another, whole */
    bool whole_routes;   /* a message takes one route (packet: unless each packet takes its own) */
    bool truncates;      /* on dimensions times are cut to whole ns, as in the reference */
    bool can_fold;       /* one rank's messages may stand for those of all: network/uniform.h */
    bool in_order;       /* messages of one instant are served in the order of events: folded,
                            that is followed (engine/sequence.h) */
    bool has_conflicts;  /* counts flows that switches cannot route beside each other */
    bool has_packets;    /* takes a packet file, and has figures of packets */
    bool has_flits;      /* takes a flit file */
    bool has_loads;      /* takes a loadstore file */
    bool no_switch_ends; /* messages cannot begin or end at switches: no collectives in them */
    double rounding_ns;  /* a whole message may be so much early, its time being rounded */
    double early_ns;     /* and so much on each link, parts of it being rounded */
    /* Never later than this one, and runs at any rate. NULL: it does itself. */
    const struct nadi_network_ops *relaxed;
    /* Does the network fit the model? Says why not. NULL: all do. */
    bool (*accepts)(const struct nadi_network_setup *setup, struct nadi_diags *diags);
    /* Of link i of the graph, and of limited node k as least[link_count + k]. NULL: what the graph
     * says, but for early_ns. */
    void (*least)(const struct nadi_network_setup *setup, struct nadi_link_least *least);
    struct nadi_network *(*create)(const struct nadi_network_setup *setup);
    /* Frees what the state holds, but not its base and itself. */
    void (*release)(struct nadi_network *net);
    uint32_t (*route)(struct nadi_network *net, uint32_t src, uint32_t dst);
    /* The route over one link between an NPU and a switch or two switches: a channel of the graph,
     * or nadi_network_switch_link. It never changes: while the link is down messages wait for it.
     */
    uint32_t (*over)(struct nadi_network *net, uint32_t link);
    void (*send)(struct nadi_network *net, const struct nadi_message *message);
    /* Calls `visit` for each dimension's sum (links false) or each link that the model has (links
     * true), in a fixed order. From then on `usage` is whole. */
    void (*counters)(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                     void *context);
    /* Calls `visit` for each flow that had a way of its own by platform/routing.h. NULL: none has.
     */
    void (*flows)(const struct nadi_network *net, nadi_counted_flow_fn *visit, void *context);
    /* What was sent so far, where it is not counted in the base. NULL: it is. */
    void (*sent)(const struct nadi_network *net, struct nadi_network_sent *sum);
    /* Links change, all at once; messages on their way find other ways where theirs is down. Only
     * with a graph; NULL: the model has no links that could. */
    void (*change)(struct nadi_network *net, const struct nadi_link_state *states, size_t count);
    /* Sends a message at `ready`, not before now, as it is: nothing that happens until then changes
     * it. So a message that meets nobody on its way costs one event. Not where links change, loads
     * choose routes, or it is recorded what messages do. False: it can only be sent then. NULL: all
     * are. */
    bool (*send_ahead)(struct nadi_network *net, const struct nadi_message *message,
                       nadi_time ready);
    /* What a message takes that meets no other on its way: `wait` after it is sent it has its
     * links, which it then holds for `takes`; one behind it in its connection has to wait for that.
     * False: it cannot be told. And so many of them are sent and have arrived. NULL, both: messages
     * that meet nobody are like all others. */
    bool (*alone)(struct nadi_network *net, uint32_t route, uint64_t bytes, nadi_time *wait,
                  nadi_time *takes);
    void (*count_alone)(struct nadi_network *net, uint32_t route, uint64_t bytes,
                        uint64_t messages);
    /* Messages that wait because there is no route at present; *src, *dst: of one of them that had
     * none when it was sent, if there is one. NULL: never. */
    uint64_t (*stranded)(const struct nadi_network *net, uint32_t *src, uint32_t *dst);
    /* Where messages wait for ever because their route has more links than the model can follow:
     * says so; NULL: not therefore. NULL: never. */
    const char *(*too_far)(const struct nadi_network *net);
    /* What a user must know of the run, a sentence without its end; nothing: `out` stays empty.
     * NULL: never anything. */
    void (*remark)(const struct nadi_network *net, struct nadi_str *out);
    /* Is something on its way that ends beyond the clock's range, and for which no event is
     * pending? NULL: never. */
    bool (*endless)(const struct nadi_network *net);
    /* Was anything sent more than once, so that it may go on when all messages have arrived? NULL:
     * never. */
    bool (*repeats)(const struct nadi_network *net);
    /* Folded: why equal messages may not have ended together after all. NULL, both: they have. */
    const char *(*unlike)(const struct nadi_network *net);
    /* What repeats is fast-forwarded where no message is on its way (workload/fast_forward.h).
     * False: the model is not at rest; else it adds to `state` all of its state but counters that
     * what is to come depends on, in a form that time does not change. NULL: there is always more
     * of it. */
    bool (*rest)(struct nadi_network *net, struct nadi_network_counts *state);
    /* The counters, and adding to each so many times what it has more than it had then. */
    void (*count)(struct nadi_network *net, struct nadi_network_counts *counts);
    void (*repeat)(struct nadi_network *net, const uint64_t *then, uint64_t times);
    /* Of a run in parts (struct nadi_border), which the model can then be run in: adds what another
     * part has sent. NULL: messages of different parts can meet. */
    void (*join)(struct nadi_network *net, const struct nadi_network *other);
    /* The least time, ps, from sending to arrival between NPUs whose coordinates differ in the
     * dimension, and in no lower one. With `join`. */
    nadi_time (*least_delay)(const struct nadi_topology *topology, uint32_t dim);
};

struct nadi_network_counts {
    uint64_t *items;
    size_t count, capacity;
};

#define NADI_NETWORK_DECLARE(name, does) extern const struct nadi_network_ops nadi_network_##name;
NADI_NETWORK_MODELS(NADI_NETWORK_DECLARE, )
#undef NADI_NETWORK_DECLARE

/* All models, NULL-terminated. */
extern const struct nadi_network_ops *const nadi_network_models[];
const struct nadi_network_ops *nadi_network_find(const char *name); /* NULL if none */
/* What `auto` chooses between: the cheapest, right where no two messages want one link at a time,
 * and the cheapest of those that let messages share links. */
extern const struct nadi_network_ops *const nadi_network_default;
extern const struct nadi_network_ops *const nadi_network_sharing;

#endif
