/* components: which ranks have still to do with one another where a run's first part has stopped.
 *
 * Ranks that no group and no message that is left joins are simulated one after the other: each
 * component fits the cache, and its memory is used again. Small ones go together. */
#ifndef NADI_SIM_COMPONENTS_H
#define NADI_SIM_COMPONENTS_H

#include "executor/fold.h"
#include "inputs/inputs.h"
#include "workload/workload.h"

struct nadi_components {
    uint32_t count;
    uint32_t *start; /* count + 1 places in ranks */
    uint32_t *ranks; /* by component, ascending in each */
};

/* `stopped` is of actors of `fold`. O(ranks * groups and peers that are left of a rank). */
struct nadi_components nadi_components_find(const struct nadi_inputs *in,
                                            const struct nadi_workload *stopped,
                                            const struct nadi_fold *fold) NADI_MUST_USE;
void nadi_components_release(struct nadi_components *c);

#endif
