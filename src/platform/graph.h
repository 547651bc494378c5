/* graph: a network as nodes and the cables between them.
 *
 * A cable is full duplex, one directed link each way, both with the same bandwidth, latency and
 * loss, unless it is marked one-way. Ports of a node are numbered from 0 in the order in which its
 * cables were added. A host is an end point (an NPU with its NIC); NPU k is the k-th host added.
 * Switches forward; hosts do not. Several cables between one pair are allowed.
 *
 * A channel is what a message occupies on its way: channel 2 i is link i from a to b, 2 i + 1 the
 * same link from b to a, and those from 2 link_count on are the nodes that can forward only so much
 * in all (a PCIe switch, a NIC, an oversubscribed hub), in the order of their numbers.
 *
 * Built with add_node and add_link, closed by finish; read-only afterwards. Role, number, level,
 * group and capacity of a node may be set between add_node and finish. Everything lives in the
 * graph's arena. Bandwidth is in bit/s because packet models must divide by it exactly. */
#ifndef NADI_PLATFORM_GRAPH_H
#define NADI_PLATFORM_GRAPH_H

#include "base/arena.h"
#include "base/base.h"
#include "platform/topology.h"

enum nadi_graph_kind {
    NADI_GRAPH_NONE,
    NADI_GRAPH_HOST,
    NADI_GRAPH_SWITCH,
};

/* Role of a switch that is an I/O controller: with one cable, at the edge (platform/io_trees.h). */
#define NADI_ROLE_IO "io"

struct nadi_graph_node {
    enum nadi_graph_kind kind;
    uint32_t host;           /* NPU number of a host, NADI_NONE for a switch */
    const char *name;        /* NULL: role and number */
    const char *role;        /* "npu", "leaf", "spine", ...; never NULL */
    uint32_t number;         /* among the nodes of its role */
    uint32_t level;          /* layer in drawings, hosts are on 0 */
    uint32_t group;          /* pod, group or plane; NADI_NONE where there are none */
    uint64_t forward_bits_s; /* what it forwards in all, bit/s; 0: as much as its links carry */
    double in_switch_bytes_per_ns, in_switch_latency_ns; /* as in platform/topology.h */
    uint32_t planes; /* equal switches that this one stands for: platform/graph_stripe.h */
    uint32_t
        middle; /* made of micro-switches with so many middle networks: fabric/fred.h; 0: not */
};

struct nadi_graph_link { /* a cable */
    uint32_t a, b;       /* its ends, a != b */
    uint64_t bits_per_s; /* each way, > 0 */
    nadi_time latency;   /* propagation, ps */
    double loss;         /* probability that a packet is lost, 0 <= loss < 1 */
    uint32_t dim;        /* dimension of the network that it belongs to; 0 where there is one;
                            NADI_NONE: on board, between an NPU and its own router */
    bool one_way;        /* only from a to b */
};

struct nadi_graph_port { /* where a cable meets a node */
    uint32_t link;
    uint32_t peer;      /* node at the other end */
    uint32_t peer_port; /* port number there */
};

/* A graph that is a product of dimensions: router r of the shape is node first_router + r, and the
 * ports of a Switch dimension's hub are in the order of the coordinate, `parallel_cables` each. */
struct nadi_graph_product {
    struct nadi_topology shape; /* of the routers; no Mesh or Torus of several axes */
    uint32_t first_router;
    uint32_t parallel_cables[NADI_MAX_DIMS]; /* parallel cables between two neighbours */
};

struct nadi_graph {
    struct nadi_arena arena;
    struct nadi_graph_node *nodes;
    struct nadi_graph_link *links;
    uint32_t *hosts; /* node of each NPU */
    uint32_t node_count, link_count, host_count;
    size_t node_capacity, link_capacity, host_capacity;
    /* after finish: ports of node n are ports[first_port[n]] .. ports[first_port[n + 1] - 1] */
    uint32_t *first_port;
    struct nadi_graph_port *ports;
    uint32_t *limited; /* nodes with forward_bits_s */
    uint32_t limited_count;
    uint32_t *switches; /* node of each switch, in the order of the nodes */
    uint32_t switch_count;
    uint32_t *owner;    /* by node: see nadi_graph_owner */
    uint32_t dim_count; /* largest dim of a link, and 1 */
    bool of_topology;   /* its dims are those of the list of dimensions that it was made of */
    const struct nadi_graph_product *product; /* NULL: just a graph */
    uint32_t alike; /* all NPUs see the network as one of the first so many does; 0: not known */
};

void nadi_graph_init(struct nadi_graph *g);
void nadi_graph_release(struct nadi_graph *g);

/* Return the new index. name may be NULL; it is copied. The role is "npu" or "switch". */
uint32_t nadi_graph_add_node(struct nadi_graph *g, enum nadi_graph_kind kind, const char *name);
uint32_t nadi_graph_add_link(struct nadi_graph *g, struct nadi_graph_link link);

/* Numbers the ports. O(nodes + links). Once. */
void nadi_graph_finish(struct nadi_graph *g);

/* The NPU (its node) on whose board a router sits, or the node itself. */
static inline uint32_t nadi_graph_owner(const struct nadi_graph *g, uint32_t node)
{
    return g->owner[node];
}

static inline uint32_t nadi_graph_degree(const struct nadi_graph *g, uint32_t node)
{
    return g->first_port[node + 1] - g->first_port[node];
}

/* May port `port` of a node send? Not at the far end of a one-way link. */
static inline bool nadi_graph_sends(const struct nadi_graph *g, uint32_t node, uint32_t port)
{
    const struct nadi_graph_link *link = &g->links[g->ports[port].link];
    return !link->one_way || link->a == node;
}

/* The channel by which `node` sends out of `port` (an index of ports). */
static inline uint32_t nadi_graph_channel(const struct nadi_graph *g, uint32_t node, uint32_t port)
{
    const uint32_t link = g->ports[port].link;
    return 2 * link + (g->links[link].a != node);
}

static inline uint32_t nadi_graph_channel_count(const struct nadi_graph *g)
{
    return 2 * g->link_count + g->limited_count;
}

static inline bool nadi_graph_channel_is_link(const struct nadi_graph *g, uint32_t channel)
{
    return channel < 2 * g->link_count;
}

/* Its place in what a network model says of links (network/ops.h): each link both ways, then the
 * nodes that forward only so much. */
static inline uint32_t nadi_graph_channel_place(const struct nadi_graph *g, uint32_t channel)
{
    return nadi_graph_channel_is_link(g, channel) ? channel / 2 : channel - g->link_count;
}

/* bit/s, and ps (0 for a node). */
uint64_t nadi_graph_channel_rate(const struct nadi_graph *g, uint32_t channel);
nadi_time nadi_graph_channel_latency(const struct nadi_graph *g, uint32_t channel);
/* Its two ends; both are the node itself where the channel is one. */
void nadi_graph_channel_ends(const struct nadi_graph *g, uint32_t channel, uint32_t *from,
                             uint32_t *to);
/* The channel of a node that forwards only so much; NADI_NONE for others. O(log nodes). */
uint32_t nadi_graph_node_channel(const struct nadi_graph *g, uint32_t node);

/* The most equal switches that a node stands for; 1: each stands for itself. O(nodes). */
uint32_t nadi_graph_planes(const struct nadi_graph *g);

/* Name of a node: its own, or role and number ("leaf 3"); in `buffer` where it has none. */
const char *nadi_graph_node_name(const struct nadi_graph *g, uint32_t node,
                                 char buffer[48]) NADI_MUST_USE;
/* "npu - leaf": the roles that the first link of a dimension joins, routers on board being their
 * NPU; "" where there is none. O(links). */
const char *nadi_graph_dim_name(const struct nadi_graph *g, uint32_t dim, char buffer[64]);

/* Hops to `to` from every node, over switches only (hosts are end points); NADI_NONE where there is
 * no route. distance and queue have node_count entries. O(nodes + links). Returns the number of
 * nodes reached: queue holds them in order of discovery, neighbours in order of ports. */
uint32_t nadi_graph_distances(const struct nadi_graph *g, uint32_t to, uint32_t *distance,
                              uint32_t *queue);

#endif
