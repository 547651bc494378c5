/* wiring: a graph as routers, hosts and channels, in cycles.
 *
 * Every switch is a router, every host an end point. A cable is a pair of ports, one at each end:
 * what a port sends arrives at its peer. A host on the board of its router has one channel for each
 * of the router's cables, or one in all: config.h. */
#ifndef NADI_NETWORK_FLIT_WIRING_H
#define NADI_NETWORK_FLIT_WIRING_H

#include "network/flit/config.h"
#include "platform/graph.h"

enum {
    NADI_FLIT_CYCLE_BITS = 16,      /* fraction bits of a period */
    NADI_FLIT_MOST_PORTS = 16 << 20 /* x channels and bits of a class fit 32 bits */
};

struct nadi_flit_port {
    uint32_t node;    /* whose it is */
    uint32_t peer;    /* port at the other end */
    uint32_t delay;   /* cycles of the channel out of it */
    uint32_t flight;  /* cycles until a flit sent over it has arrived: those and the flit's own */
    uint32_t channel; /* of the graph: out of it */
    uint64_t
        period; /* cycles between two flits out of it, with NADI_FLIT_CYCLE_BITS fraction bits */
};

struct nadi_flit_wiring {
    const struct nadi_graph *graph;
    struct nadi_flit_port *ports;
    uint32_t *first_port;     /* by node, and the end */
    uint32_t *graph_port;     /* by port of the graph: the first here */
    uint32_t *channel_counts; /* by port of the graph: how many here */
    uint32_t node_count, port_count;
    uint32_t most_ports;              /* of a router */
    uint32_t most_delay, most_flight; /* of a channel */
    uint32_t buffer_flits;            /* of a virtual channel */
    double clock_ghz;
};

/* The graph must outlive it. False, with a diagnostic: a channel would take more than
 * NADI_FLIT_MOST_DELAY cycles or be faster than the clock. O(nodes + cables). */
struct nadi_diags;
bool nadi_flit_wire(struct nadi_flit_wiring *w, const struct nadi_graph *g,
                    const struct nadi_flit_config *config, struct nadi_diags *diags) NADI_MUST_USE;
/* By its wish, or a flit a cycle over the fastest link. */
double nadi_flit_clock_ghz(const struct nadi_flit_config *config, const struct nadi_graph *g);
/* nadi_network_ops.least */
struct nadi_link_least;
void nadi_flit_least(const struct nadi_flit_config *config, const struct nadi_graph *g,
                     struct nadi_link_least *least);
void nadi_flit_unwire(struct nadi_flit_wiring *w);

static inline bool nadi_flit_is_host(const struct nadi_flit_wiring *w, uint32_t node)
{
    return w->graph->nodes[node].kind == NADI_GRAPH_HOST;
}

#endif
