/* cut: how long the slow links of a network are busy with what has to cross them.
 *
 * Without its slowest links a graph falls into islands: the NVLink of one server, say, when the
 * slowest are those to and between switches. What the ranks of an island send to ranks of others
 * leaves over its slow links, by whatever routes and over whichever ranks: no run is shorter than
 * that takes, all collectives among all ranks together. Private to bound/. */
#ifndef NADI_BOUND_CUT_H
#define NADI_BOUND_CUT_H

#include "collective/plan.h"
#include "platform/graph.h"

struct nadi_bound_cut;

/* The first `ranks` NPUs of the graph. NULL: no two of them are on an island. */
struct nadi_bound_cut *nadi_bound_cut_create(const struct nadi_graph *g,
                                             uint32_t ranks) NADI_MUST_USE;
void nadi_bound_cut_destroy(struct nadi_bound_cut *c); /* NULL is fine */

/* For one chunk of a phase among all ranks, on the island where it takes least: ns. Each message
 * carries `spared` bytes for nothing. O(ranks), of direct O(ranks^2), where these are few. */
uint64_t nadi_bound_cut_phase_ns(const struct nadi_bound_cut *c, const struct nadi_phase *p,
                                 uint64_t spared);

#endif
