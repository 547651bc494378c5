/* partition: a trained network taken apart, layer by layer, in the order of computation.
 *
 * Each mixing layer is cut (cut.h) with the Gram matrix of the inputs that reach it in the network
 * as changed so far, towards the outputs that the given network had: what earlier layers lost is
 * made up for where it can be, biases included. Layers that read the same and lie in one space
 * (queries, keys, values) are cut together. Costs are relative: mu = 1 makes all transfers of a
 * layer as dear as all of its output's energy, lambda = 1 all of its weights.
 *
 * For a loss of accuracy that is allowed, mu is searched by bisection: the largest one that keeps
 * it on samples that the cut did not see. */
#ifndef NADI_PARTITION_PARTITION_H
#define NADI_PARTITION_PARTITION_H

#include "neural/train.h"
#include "partition/graph.h"
#include "partition/traffic.h"

enum nadi_partition_cost {
    NADI_PARTITION_TRANSFERS,
    NADI_PARTITION_WEIGHTS,
};

struct nadi_partition {
    uint32_t workers;
    enum nadi_input_place input;
    enum nadi_partition_cost cost;
    double lambda, mu;
    const double *shares;  /* of workers; NULL: equal */
    const double *factors; /* of lambda and mu, of each layer; NULL: 1 */
    bool diagonal;         /* inputs count as independent */
    uint32_t rounds, element_bytes;
    unsigned threads;
    enum nadi_graph_by graph; /* of the baseline graph */
};

struct nadi_partition_layer {
    double fidelity; /* |W'x - y| / |y|, of the calibration samples; 0 of layers without weights */
};

struct nadi_partitioned {
    struct nadi_nn nn;
    struct nadi_placement placement;
    struct nadi_placed_traffic traffic;
    struct nadi_partition_layer *layers;
    double mu;
};

/* samples: calibration; may be NULL or none: then inputs count as independent and equal. */
void nadi_partition_run(const struct nadi_partition *p, const struct nadi_nn *nn,
                        const struct nadi_nn_samples *samples, struct nadi_partitioned *result);
void nadi_partitioned_release(struct nadi_partitioned *r);

/* The largest mu, within a factor of 1.1, whose accuracy on `chosen` is at least `least`; false:
 * not even the smallest that is tried keeps it, and the result is that one. */
bool nadi_partition_search(const struct nadi_partition *p, const struct nadi_nn *nn,
                           const struct nadi_nn_samples *samples,
                           const struct nadi_nn_samples *chosen, double least,
                           struct nadi_partitioned *result);

/* Labels from a network's own answers, in place. */
void nadi_partition_label(const struct nadi_nn *nn, struct nadi_nn_samples *samples);
/* The same of a batch that was run. */
void nadi_partition_label_by(const struct nadi_nn *nn, const struct nadi_nn_run *run,
                             float *labels);

#endif
