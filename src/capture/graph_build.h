/* graph_build: the corrected graph of a capture.
 *
 * Nodes: the slices of the processor's timeline (slices shorter than the resolution are added to
 * the next one unless something hangs on them), the works of the device with what delays them, a
 * node for each part of a communication. Edges, each from what happened before to what happened
 * after: program     a slice and the one before it on its thread; what a burst hangs on or waited
 * for launch      device work and the slice that ends with its launch stream      device work and
 * the one before it on its stream sync        waits for device work; streams that wait for each
 * other group       a collective and the one before it in its process group Nodes are numbered in
 * order of their start, so an edge goes from a smaller number to a greater one: there is no cycle
 * by construction. An edge that would not is a contradiction of the capture and is dropped and
 * named. O(n log n). */
#ifndef NADI_CAPTURE_GRAPH_BUILD_H
#define NADI_CAPTURE_GRAPH_BUILD_H

#include "capture/comm.h"
#include "capture/delay.h"

enum nadi_edge_kind {
    NADI_EDGE_PROGRAM,
    NADI_EDGE_LAUNCH,
    NADI_EDGE_STREAM,
    NADI_EDGE_SYNC,
    NADI_EDGE_GROUP,
    NADI_EDGE_KINDS
};

struct nadi_built_node {
    int64_t from, dur; /* ns */
    uint32_t slice;    /* of the timeline; NADI_NONE: device work or communication */
    uint32_t work;     /* of the device, or NADI_NONE */
    uint32_t part;     /* of the communication, or NADI_NONE */
    uint32_t parent;   /* node of the operator above or that launched it, or NADI_NONE */
    bool is_delay;     /* what is kept in front of `work` */
};

struct nadi_built_graph {
    struct {
        struct nadi_built_node *items; /* in order of number; node i has id i + 1 */
        size_t count, capacity;
    } nodes;
    uint32_t *dep_start; /* nodes + 1 entries */
    uint32_t *deps;      /* ascending, no duplicates */
    uint64_t edges[NADI_EDGE_KINDS], dropped[NADI_EDGE_KINDS];
    int64_t begin, end; /* of the capture: the first start and the last end */
};

struct nadi_graph_sources {
    const struct nadi_timeline *timeline;
    const struct nadi_capture_device *device;
    const struct nadi_sync *sync;
    const struct nadi_comm *comm;
    const struct nadi_delays *delays;
    const char *path; /* for messages */
    int64_t resolution_ns;
};

void nadi_built_graph_make(struct nadi_built_graph *g, const struct nadi_graph_sources *sources,
                           struct nadi_diags *diags);
void nadi_built_graph_release(struct nadi_built_graph *g);

#endif
