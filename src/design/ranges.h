/* ranges: designs of ranges without a step, by dividing them.
 *
 * A box is a choice from all lists and an interval of each range. Its bound takes the best value
 * that every key has at the box's corners for the times, the cheapest corner for prices, and leaves
 * it out where no corner keeps some constraint or limit. That is a bound as far as more of a
 * resource never makes a step longer, nor a cluster cheaper: bandwidth, FLOPS and memory as they
 * grow, latencies as they fall. Of other keys nothing is known: their boxes have no bound.
 *
 * The box with the highest bound is simulated at its best corner, then halved along its relatively
 * widest range, until the bound is within a thousandth of the best design, or `refine` designs are
 * added. Private to design. */
#ifndef NADI_DESIGN_RANGES_H
#define NADI_DESIGN_RANGES_H

#include "design/evaluate.h"

struct nadi_design_ranges;

/* Destroy it; `looking` outlives it. */
struct nadi_design_ranges *nadi_design_ranges_create(struct nadi_design_looking *looking);
void nadi_design_ranges_destroy(struct nadi_design_ranges *r);
/* Fills the answer's designs, count and best. False with an error. */
bool nadi_design_ranges_search(struct nadi_design_ranges *r,
                               struct nadi_diags *diags) NADI_MUST_USE;
/* By design and workload; the caller frees their rows. */
struct nadi_design_strategies *nadi_design_ranges_strategies(const struct nadi_design_ranges *r);
/* No design of the ranges is better; HUGE_VAL: not known. */
double nadi_design_ranges_bound(const struct nadi_design_ranges *r);

#endif
