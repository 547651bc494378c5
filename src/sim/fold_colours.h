/* fold_colours: see fold.h. Private to the files fold*.c. */
#ifndef NADI_SIM_FOLD_COLOURS_H
#define NADI_SIM_FOLD_COLOURS_H

#include "sim/folding.h"

/* Stable colours of ranks, numbers from 0, and of the groups that are used. False where there are
 * more than `most`. */
bool nadi_fold_refine(struct nadi_folding *f, uint32_t most) NADI_MUST_USE;

/* Are the group's members of one colour, in places that are alike? */
bool nadi_fold_is_single(const struct nadi_fold_group *info);

#endif
