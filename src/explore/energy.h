/* energy: the joules of what a run's network carried: its links' traffic (sim/result.h) by a
 * catalogue's coefficients (cost/energy.h). */
#ifndef NADI_EXPLORE_ENERGY_H
#define NADI_EXPLORE_ENERGY_H

#include "base/diag.h"
#include "inputs/inputs.h"
#include "sim/result.h"

/* Can a run of these inputs be told in joules by the catalogue that its options name, if they name
 * one? False with an error. */
bool nadi_energy_check(const struct nadi_inputs *in, struct nadi_diags *diags) NADI_MUST_USE;

/* After a run, where that is so: fills the joules of links, dimensions and of all. O(links). */
void nadi_energy_find(const struct nadi_inputs *in, struct nadi_result *r);

#endif
