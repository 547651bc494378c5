/* price: what a point of a sweep costs and draws, where a catalogue is named. */
#ifndef NADI_SWEEP_PRICE_H
#define NADI_SWEEP_PRICE_H

#include "inputs/inputs.h"
#include "sweep/point.h"

struct nadi_cluster;

/* Fills the figures of `row` from NADI_SWEEP_CAPITAL on, from its step and its tokens where it has
 * them. What the catalogue lacks makes them unknown, and an error of an objective. */
bool nadi_point_price(struct nadi_point_row *row, const struct nadi_space *space,
                      const struct nadi_run_options *options, const struct nadi_cluster *cluster,
                      struct nadi_diags *diags) NADI_MUST_USE;

/* Does a variable change prices alone? */
bool nadi_point_is_price(const struct nadi_space_variable *v);

#endif
