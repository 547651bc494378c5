/* traffic: what crosses between workers when a placed network runs, and what each one computes.
 *
 * After a layer is computed each worker sends the channels that rows elsewhere read with a weight
 * that is not zero, once to each worker, in one message for each pair. Where a layer is summed
 * (placement.h) its inputs stay, and each worker sends its part of an output to the output's
 * worker, which adds them up, in one message for each pair too. Norms add up sums of 16 bytes for
 * each position at the first worker that has channels, which gives them back. A softmax over
 * channels needs them all. The outputs go to worker 0. */
#ifndef NADI_PARTITION_TRAFFIC_H
#define NADI_PARTITION_TRAFFIC_H

#include "partition/placement.h"

enum { NADI_SUM_BYTES = 16 };

struct nadi_channel_transfer { /* a channel to one worker */
    uint32_t layer, channel, from, to;
};

struct nadi_pair_traffic { /* what a worker sends another one of a layer */
    uint32_t layer, from, to;
    bool sums; /* a norm's sums, parts of outputs; else outputs */
    uint64_t bytes;
};

struct nadi_layer_traffic {
    uint64_t transfers, messages, bytes; /* of its outputs, of a norm's sums, of parts */
    uint64_t sum_messages, sum_bytes;    /* of sums and parts */
    uint64_t macs, weights;              /* weights that are not zero */
};

struct nadi_placed_traffic {
    struct nadi_channel_transfer *items; /* by layer, channel, worker */
    size_t count, capacity;
    struct nadi_layer_traffic *layers;
    struct nadi_layer_traffic all;
    uint64_t *macs, *weights; /* of each worker */
    uint64_t *layer_macs;     /* layers x workers */
    struct {                  /* by layer, sums first, sender, receiver */
        struct nadi_pair_traffic *items;
        size_t count, capacity;
    } pairs;
    uint32_t workers, layer_count;
};

/* element_bytes: of an activation that is sent. */
void nadi_traffic_of(const struct nadi_nn *nn, const struct nadi_placement *p,
                     uint32_t element_bytes, struct nadi_placed_traffic *t);
void nadi_traffic_release(struct nadi_placed_traffic *t);

/* Largest over mean of the workers' numbers; 1 where all are 0. */
double nadi_traffic_imbalance(const uint64_t *of_worker, uint32_t workers);
/* The worker that adds up a norm's sums, and whether another one takes part. */
uint32_t nadi_traffic_summing(const struct nadi_nn *nn, const struct nadi_placement *p,
                              uint32_t layer, uint8_t *takes_part);

#endif
