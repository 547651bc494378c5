/* graph: a network as nodes and the cables between them.
 *
 * A cable is full duplex: it is one directed link each way, both with the same bandwidth, latency
 * and loss. Ports of a node are numbered from 0 in the order in which its cables were added. A host
 * is an end point (an NPU with its NIC); NPU k is the k-th host added. Switches forward; hosts do
 * not. Several cables between one pair are allowed.
 *
 * Built with add_node and add_link, closed by finish; read-only afterwards. Everything lives in the
 * graph's arena. Bandwidth is in bit/s because packet models must divide by it exactly. */
#ifndef NADI_PLATFORM_GRAPH_H
#define NADI_PLATFORM_GRAPH_H

#include "base/arena.h"
#include "base/base.h"

enum nadi_graph_kind {
    NADI_GRAPH_NONE,
    NADI_GRAPH_HOST,
    NADI_GRAPH_SWITCH,
};

struct nadi_graph_node {
    enum nadi_graph_kind kind;
    uint32_t host;    /* NPU number of a host, NADI_NONE for a switch */
    const char *name; /* NULL: its number */
};

struct nadi_graph_link { /* a cable */
    uint32_t a, b;       /* its ends, a != b */
    uint64_t bits_per_s; /* each way, > 0 */
    nadi_time latency;   /* propagation, ps */
    double loss;         /* probability that a packet is lost, 0 <= loss < 1 */
    uint32_t dim;        /* dimension of the network that it belongs to; 0 where there is one */
};

struct nadi_graph_port { /* where a cable meets a node */
    uint32_t link;
    uint32_t peer;      /* node at the other end */
    uint32_t peer_port; /* port number there */
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
};

void nadi_graph_init(struct nadi_graph *g);
void nadi_graph_release(struct nadi_graph *g);

/* Return the new index. name may be NULL; it is copied. */
uint32_t nadi_graph_add_node(struct nadi_graph *g, enum nadi_graph_kind kind, const char *name);
uint32_t nadi_graph_add_link(struct nadi_graph *g, struct nadi_graph_link link);

/* Numbers the ports. O(nodes + links). Once. */
void nadi_graph_finish(struct nadi_graph *g);

static inline uint32_t nadi_graph_degree(const struct nadi_graph *g, uint32_t node)
{
    return g->first_port[node + 1] - g->first_port[node];
}

/* Hops from `to` to every node, over switches only (hosts are end points); NADI_NONE where there is
 * no way. distance and queue have node_count entries. O(nodes + links). Returns the number of nodes
 * reached: queue holds them in order of discovery, neighbours in order of ports. */
uint32_t nadi_graph_distances(const struct nadi_graph *g, uint32_t to, uint32_t *distance,
                              uint32_t *queue);

#endif
