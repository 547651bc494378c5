/* share: weighted max-min fair shares of links by demands.
 *
 * A demand crosses a list of links with a weight w; its rate is w times its level. Levels are
 * max-min fair: no level can be raised without lowering one that is not higher (Bertsekas and
 * Gallager, Data Networks, 2nd ed., section 6.5.2). Each active demand is held by a bottleneck, a
 * link without spare capacity on which no level is higher, or by its own limit. Levels are found by
 * progressive filling: all rise together, the links that fill up first hold their demands.
 *
 * Changes are collected; nadi_share_solve finds new levels where they matter. All demands that a
 * link holds have the link's level. It goes through the links that a change has made too full, or
 * not full, and those that these touch in their turn, the lowest level first: each takes the
 * demands above its new level and gives away those that another link keeps below it. When no link
 * is left all are max-min fair, and these levels are unique. Where that takes more looks at demands
 * than all of them have hops, four times, or a quarter of the active ones has changed, the whole
 * neighbourhood is filled anew. A solve that changes the levels of F demands of h hops costs O(F h)
 * and some looks at the members of their links, or less: a link that holds many knows which links
 * these cross, each once (share_cross.c), and demands that only follow their holder need not be
 * listed. A filling costs O(F h + L log L) for all F that are connected by L links. */
#ifndef NADI_SHARING_SHARE_H
#define NADI_SHARING_SHARE_H

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

/* Asks memory for what a change of the demand will touch: itself, later its route, later the links
 * on it. Changes nothing. */
enum nadi_share_part { NADI_SHARE_DEMAND, NADI_SHARE_PATH, NADI_SHARE_LINKS };
void nadi_share_expect(const struct nadi_share *s, uint32_t demand, enum nadi_share_part part);

/* The active demands that have changed themselves, or have a new level or another holder; valid
 * until the next call of anything. */
size_t nadi_share_solve(struct nadi_share *s, const uint32_t **demands);
/* The same in parts, for callers that need not look at each demand of a link whose level changes:
 * find solves and gives the links that have another level; follow lists the demands that the link
 * holds among the changed ones; without it changed gives only those that have changed themselves or
 * have another holder. */
size_t nadi_share_find(struct nadi_share *s, const uint32_t **links);
void nadi_share_follow(struct nadi_share *s, uint32_t link);
size_t nadi_share_changed(const struct nadi_share *s, const uint32_t **demands);
/* The demands that a link holds: how many, and the i-th; one that crosses the link more than once
 * may be there as often. */
uint32_t nadi_share_held(const struct nadi_share *s, uint32_t link);
uint32_t nadi_share_held_demand(const struct nadi_share *s, uint32_t link, uint32_t i);
/* Is no demand active, and all settled? Then solves to come depend on the past by *reached alone.
 */
bool nadi_share_rests(const struct nadi_share *s, double *reached);
/* The link that holds the demand at its level; NADI_NONE: its own limit does. */
uint32_t nadi_share_held_by(const struct nadi_share *s, uint32_t demand);
/* Active demands that cross the link. */
uint32_t nadi_share_active(const struct nadi_share *s, uint32_t link);
double nadi_share_level(const struct nadi_share *s, uint32_t demand);
uint32_t nadi_share_hops(const struct nadi_share *s, uint32_t demand);
uint32_t nadi_share_link(const struct nadi_share *s, uint32_t demand, uint32_t hop);

#endif
