/* energy: what traffic draws on its way: of a router so much a flit and a bit that passes it, of a
 * link so much a bit. The coefficients are the parts `router` and `link` of a catalogue (prices.h).
 *
 *   pJ of a hop = flits x pj-per-flit + bits x pj-per-bit, of the router that sends
 *               + bits x pj-per-bit, of the link
 *
 * and once more a router, where a packet leaves it for the NPU on whose board it is. Without
 * traffic every router and link draws its idle-watts, all the time. */
#ifndef NADI_COST_ENERGY_H
#define NADI_COST_ENERGY_H

#include "cost/prices.h"
#include "platform/graph.h"
#include "platform/topology.h"

struct nadi_energy {
    struct nadi_prices prices;
    const struct nadi_graph *graph;       /* NULL: the topology */
    const struct nadi_topology *topology; /* finished */
    uint32_t flit_bytes;                  /* 0: the network model counts bytes */
    bool has_boards;                      /* every NPU has a router on its board */
    double idle_watts;                    /* of all routers and links together */
    bool idle_made_up;                    /* no source gives some of it */
};

/* A catalogue with what this network has: false with an error that names what it lacks. The caller
 * releases it in both cases; graph and topology must outlive it. O(links x parts). */
bool nadi_energy_open(struct nadi_energy *e, const char *catalogue, const struct nadi_graph *g,
                      const struct nadi_topology *t, uint32_t flit_bytes,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_energy_release(struct nadi_energy *e);

struct nadi_energy_use { /* pJ */
    double routers, links;
    bool made_up; /* no source gives a coefficient that is in it */
};

/* Adds what crossed a link between two devices (an NPU, or npu_count + k for the k-th switch);
 * flits: where the network model counts them. */
void nadi_energy_add_link(const struct nadi_energy *e, uint32_t from, uint32_t to, uint64_t bytes,
                          uint64_t flits, struct nadi_energy_use *use);
/* Adds what left routers for the NPUs on whose boards they are. */
void nadi_energy_add_arrived(const struct nadi_energy *e, uint64_t bytes, uint64_t flits,
                             struct nadi_energy_use *use);
/* Instead of both: adds flits that left a node of the graph by a cable, also by one on a board. */
void nadi_energy_add_flits(const struct nadi_energy *e, const struct nadi_graph_link *cable,
                           uint32_t from, uint64_t flits, struct nadi_energy_use *use);

#endif
