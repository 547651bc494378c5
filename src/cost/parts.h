/* parts: what a network is made of, counted by kind, role and layer.
 *
 * A graph is counted as it is: nodes that forward are switches, whose ports are their cables; an
 * NPU has a NIC for every cable to a switch, nodes of the role `nic` are NICs, and cables to them
 * or to PCIe switches are traces of a board. What joins only NPUs of one block of `block`
 * neighbours (a server of the catalogue) is inside it and counted as such. Routers on board are
 * their NPU.
 *
 * A list of dimensions says nothing of switches. A Switch dimension of n is counted as the smallest
 * tree of k-port switches that keeps its bandwidth:
 *
 *   n <= k       one switch, which several groups share while ports are left
 *   n <= k^2/2   leaves with k/(1+o) ports up (o: oversubscription), spines
 *   n <= k^3/4   leaves, aggregation, cores
 *
 * Rings, grids and cliques are cables between NPUs, without NICs.
 *
 * Layer 0 are the cables of NPUs, layer 1 those between their switches and the next, ... */
#ifndef NADI_COST_PARTS_H
#define NADI_COST_PARTS_H

#include "cost/prices.h"
#include "platform/graph.h"
#include "platform/topology.h"

enum { NADI_NEED_RATES = 4 };

struct nadi_need {
    enum nadi_part_kind kind;
    const char *role; /* "leaf", "npu - leaf"; never NULL */
    uint64_t count;
    uint32_t layer; /* of a cable: see above; of a switch: its level */
    struct {
        double bits_per_s;
        uint32_t ports;
    } rates[NADI_NEED_RATES]; /* a switch: its ports by rate; others: the first, one port */
    const struct nadi_priced_part *part; /* already chosen; NULL: not yet */
};

struct nadi_needs {
    struct nadi_arena arena;
    struct nadi_need *items;
    size_t count, capacity;
    uint64_t npus;
    uint64_t inside_switches, inside_cables; /* of servers */
    uint64_t servers; /* blocks that NPUs are in; of dimensions maybe not with all of theirs */
};

void nadi_needs_init(struct nadi_needs *n);
void nadi_needs_release(struct nadi_needs *n);

/* block: NPUs of a server, 0 or 1: none. O(nodes + links). */
void nadi_needs_of_graph(struct nadi_needs *n, const struct nadi_graph *g, uint32_t block);
/* The same of dimensions (finished): dimensions within a block are inside. `prices` has the
 * switches that trees are built of; the cheapest tree is taken. */
void nadi_needs_of_dims(struct nadi_needs *n, const struct nadi_topology *t, uint32_t block,
                        const struct nadi_prices *prices);

/* Switches within servers and racks, which only parts of their own role can be; cables to them are
 * traces of boards and backplanes. */
static inline bool nadi_role_is_scale_up(const char *role)
{
    return strcmp(role, "nvswitch") == 0;
}

/* Ports of `bits_per_s` each that a link of such a rate takes. */
uint32_t nadi_ports_for(double link_bits_per_s, double bits_per_s);

/* A tree of k-port switches over n ports; false: three levels are not enough. */
struct nadi_switch_tree {
    uint32_t levels;
    uint64_t switches[3]; /* by level */
    uint64_t cables[3];   /* below each level */
};
bool nadi_switch_tree_of(struct nadi_switch_tree *t, uint64_t n, uint32_t k,
                         double oversubscription) NADI_MUST_USE;

#endif
