/* cut: how long the slow links of a network are busy with what has to cross them.
 *
 * Without its slowest links a graph falls into islands: the NVLink of one server, say, when the
 * slowest are those to and between switches. What the ranks of an island send to ranks of others
 * leaves over its slow links, by whatever routes and over whichever ranks: no run is shorter than
 * that takes, all collectives among all ranks together. Private to bound/. */
#ifndef NADI_BOUND_CUT_H
#define NADI_BOUND_CUT_H

#include "collective/plan.h"
#include "network/ops.h"
#include "platform/graph.h"
#include "platform/groups.h"

struct nadi_bound_cut;

/* The first `ranks` NPUs of the graph; what its links take at the least. NULL: no two of them are
 * on an island. */
struct nadi_bound_cut *nadi_bound_cut_create(const struct nadi_graph *g,
                                             const struct nadi_link_least *links,
                                             uint32_t ranks) NADI_MUST_USE;
void nadi_bound_cut_destroy(struct nadi_bound_cut *c); /* NULL is fine */

/* For one chunk of a phase among all ranks, on the island where it takes least: ns. Each message
 * carries `spared` bytes for nothing. O(ranks), of direct O(ranks^2), where these are few. */
uint64_t nadi_bound_cut_phase_ns(const struct nadi_bound_cut *c, const struct nadi_phase *p,
                                 uint64_t spared);

/* What each member of a group (not of all ranks in order) sends out of its island at least, by a
 * ring or directly to all: 1 where both neighbours of every member are elsewhere, or else 0; the
 * least number of members elsewhere. O(members). */
struct nadi_bound_leaving {
    uint32_t ring, direct;
};
struct nadi_bound_leaving nadi_bound_cut_leaving(const struct nadi_bound_cut *c,
                                                 const struct nadi_group *g);

/* How long the slow links of the island are busy that need most time for what its ranks send out of
 * it: bytes[of[rank]] each. O(ranks). */
uint64_t nadi_bound_cut_leaving_ns(const struct nadi_bound_cut *c, const uint64_t *bytes,
                                   const uint32_t *of);

#endif
