/* share: weighted max-min fair shares of links by demands.
 *
 * A demand crosses a list of links with a weight w; its rate is w times its level. Levels are
 * max-min fair: no level can be raised without lowering one that is not higher (Bertsekas and
 * Gallager, Data Networks, 2nd ed., section 6.5.2). Each active demand is held by a bottleneck, a
 * link without spare capacity on which no level is higher, or by its own limit. Levels are found by
 * progressive filling: all rise together, the links that fill up first hold their demands.
 *
 * Changes are collected; nadi_share_solve finds new levels where they can matter. It starts with
 * the demands that changed, those that they push down on their own links, and those whose
 * bottleneck has got room; fills this set while all others keep their levels; and takes in whoever
 * has lost its bottleneck or stands above one that is held, until nobody does: then all are max-min
 * fair, and these levels are unique. Where more than a quarter of the active demands was filled
 * so, everybody joins at once who is connected by links and not below the lowest level that a
 * change can reach. Filling a set of F demands of h hops on L links costs O(F h + members of the
 * links), and O(log L) for each link that fills up after others. */
#ifndef NADI_NETWORK_SHARE_H
#define NADI_NETWORK_SHARE_H

#include "base/base.h"

struct nadi_share;

/* capacity[link] >= 0, in any unit of rate; copied. */
struct nadi_share *nadi_share_create(uint32_t link_count, const double *capacity) NADI_MUST_USE;
void nadi_share_destroy(struct nadi_share *s); /* NULL is allowed */

/* A new demand, not active: weight 0, and without links. Numbers rise from 0. */
uint32_t nadi_share_add(struct nadi_share *s);
/* Only while the weight is 0. `links` has `hops` links, copied; one that is there k times carries
 * k times the rate. `limit` bounds the level, INFINITY: not. */
void nadi_share_set_links(struct nadi_share *s, uint32_t demand, const uint32_t *links,
                          uint32_t hops, double limit);
/* weight >= 0; with more than 0 the demand must have links. */
void nadi_share_set_weight(struct nadi_share *s, uint32_t demand, double weight);
void nadi_share_set_capacity(struct nadi_share *s, uint32_t link, double capacity);

/* Asks memory for what a change of the demand will touch: itself, later its way, later the links on
 * it. Changes nothing. */
enum nadi_share_part { NADI_SHARE_DEMAND, NADI_SHARE_WAY, NADI_SHARE_LINKS };
void nadi_share_expect(const struct nadi_share *s, uint32_t demand, enum nadi_share_part part);

/* The active demands that have changed themselves, or have a new level or another holder; valid
 * until the next call of anything. */
size_t nadi_share_solve(struct nadi_share *s, const uint32_t **demands);
/* The link that holds the demand at its level; NADI_NONE: its own limit does. */
uint32_t nadi_share_held_by(const struct nadi_share *s, uint32_t demand);
double nadi_share_level(const struct nadi_share *s, uint32_t demand);
uint32_t nadi_share_hops(const struct nadi_share *s, uint32_t demand);
uint32_t nadi_share_link(const struct nadi_share *s, uint32_t demand, uint32_t hop);

#endif
