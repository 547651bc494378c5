/* layers: where the time of a rank went, by layer and pass.
 *
 * Layers and passes stand in the names of compute nodes: those of `nadi model` ("forward 3 layer 7
 * qkv"), of text workloads ("conv1 weight gradient") and of Chakra's text converter
 * ("COMP_NODE_conv1_BWD_WG"). Communication and memory nodes without them take those of a
 * neighbour: what is gathered, received or loaded belongs to the first node that waits for it, all
 * else to the last node that it waits for. Compute without them is of no layer.
 *
 * Of each trace the first rank that has spans is shown. Where several communications are in flight
 * beside no compute, the one that was issued first is the exposed one, so that the exposed times of
 * all rows add up to the rank's. */
#ifndef NADI_REPORT_LAYERS_H
#define NADI_REPORT_LAYERS_H

#include "base/arena.h"
#include "inputs/inputs.h"
#include "sim/result.h"

struct nadi_layer_row {
    uint32_t trace, rank;
    const char *layer, *pass; /* "": of nodes that no layer's are next to */
    uint64_t nodes;
    uint64_t start_ns, end_ns; /* of its first and last node */
    uint64_t compute_ns;
    uint64_t comm_ns; /* of all communications, one after the other */
    uint64_t exposed_ns;
    uint64_t all_reduce_ns, all_gather_ns, reduce_scatter_ns, all_to_all_ns;
    uint64_t other_collective_ns, message_ns;
    uint64_t comm_bytes;
    uint64_t memory_ns, memory_bytes;
};

struct nadi_layers {
    struct nadi_arena arena;
    struct nadi_layer_row *items; /* by trace, then in the order of their first nodes */
    size_t count, capacity;
};

/* None of traces that name no layers. O(nodes + spans log spans). */
void nadi_layers_find(struct nadi_layers *l, const struct nadi_inputs *in,
                      const struct nadi_result *r);
void nadi_layers_release(struct nadi_layers *l);

#endif
