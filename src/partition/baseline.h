/* baseline: what a partition is held against.
 *
 *   direct     channels in the given order, in equal blocks; every layer's outputs to all who read
 *              them; the weights as they are
 *   one        everything on worker 0; the inputs are sent there
 *   tensor     as direct, but layers whose inputs are more than their outputs are summed
 *              (placement.h): columns and rows in turns, as in Megatron-LM; the weights as they are
 *   magnitude  as direct, without the transfers whose weights are smallest, down to so many bytes
 *   graph      the same of units that a balanced partition of their graph places (graph.h)
 */
#ifndef NADI_PARTITION_BASELINE_H
#define NADI_PARTITION_BASELINE_H

#include "partition/partition.h"

enum nadi_baseline {
    NADI_BASELINE_DIRECT,
    NADI_BASELINE_ONE,
    NADI_BASELINE_TENSOR,
    NADI_BASELINE_MAGNITUDE,
    NADI_BASELINE_GRAPH,
    NADI_BASELINES
};

/* Does it only place, and change no weight? */
bool nadi_baseline_keeps_weights(enum nadi_baseline kind);
const char *nadi_baseline_name(enum nadi_baseline kind);
/* bytes: of magnitude and graph, at most. The result has no fidelities. */
void nadi_baseline_run(const struct nadi_partition *p, const struct nadi_nn *nn,
                       enum nadi_baseline kind, uint64_t bytes, struct nadi_partitioned *result);

/* The fewest bytes, within a hundredth of those of the placement as it is, that keep an accuracy of
 * at least `least` on `chosen`. */
void nadi_baseline_search(const struct nadi_partition *p, const struct nadi_nn *nn,
                          enum nadi_baseline kind, const struct nadi_nn_samples *chosen,
                          double least, struct nadi_partitioned *result);

#endif
