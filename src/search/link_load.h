/* link_load: what the links of a cluster's graph carry where all groups of an axis send at once.
 *
 * A transfer alone (transfers.h) takes what its members' own links take. In a step all groups of
 * its axis are at it at about the same time, and where a graph has fewer cables between its
 * switches than to its NPUs, or a hash puts several flows on one of them (ECMP), the fullest link
 * decides: a ring's messages wait for the slowest of them, and an exchange ends with its last.
 * Routes are those of a connection's first flow (platform/routing.h). */
#ifndef NADI_SEARCH_LINK_LOAD_H
#define NADI_SEARCH_LINK_LOAD_H

#include "collective/choice.h"
#include "model/study.h"

struct nadi_link_load;

/* NULL where the cluster has no graph, or one that cannot be read. The study must outlive it. */
struct nadi_link_load *nadi_link_load_create(const struct nadi_study *study);
void nadi_link_load_destroy(struct nadi_link_load *l); /* NULL is allowed */

/* By which the cluster's ranks do a collective. */
const struct nadi_implementation *nadi_link_load_algorithms(const struct nadi_link_load *l,
                                                            enum nadi_collective_kind kind);

/* ns that the fullest link is busy when each rank sends one byte to the next member of its group,
 * or to every other one (`exchange`). Groups are `count` ranks that lie `apart` from each other,
 * and all ranks are in one. O(ranks x hops), of exchanges O(ranks x members x hops), of which at
 * most about 2^18 pairs are looked at, evenly spaced. */
double nadi_link_load_ns(struct nadi_link_load *l, uint32_t count, uint32_t apart, bool exchange);
/* ns a byte that the stages of a pipeline wait for each other when each rank sends to the one
 * `shift` further, the last ones to the first: of the ranks that follow each other so, the mean,
 * and of these lines the slowest, for which the others wait at the end of a step. O(ranks x hops),
 * once for each shift. */
double nadi_link_load_shift_ns(struct nadi_link_load *l, uint32_t shift);

#endif
