/* sync: what waits for what between processor and device and between streams.
 *
 * A profile taken with CUDA synchronisation events says it (cuda_sync). Where it does not, it is
 * inferred: a blocking call waits for the work whose end it saw; a kernel of a communication
 * library waits for what was launched before it on the stream that the thread computes on; after a
 * cudaStreamWaitEvent the next work of the thread waits for the communication launched before.
 * Inferred edges that the times contradict are not made. O(n log n). */
#ifndef NADI_CAPTURE_SYNC_H
#define NADI_CAPTURE_SYNC_H

#include "capture/device.h"

/* The device's clock and the processor's agree to about this. */
#define NADI_CLOCK_SLIP_NS INT64_C(1000)

struct nadi_sync_edge {
    uint32_t node; /* slice (WAIT) or work that waits */
    uint32_t work; /* for this */
};

struct nadi_sync_edges {
    struct nadi_sync_edge *items; /* ascending by node */
    size_t count, capacity;
};

struct nadi_sync {
    struct nadi_sync_edges waits;   /* node: a slice of the timeline */
    struct nadi_sync_edges streams; /* node: a work */
    uint64_t said, inferred;        /* edges between streams by where they come from */
};

/* Also sets the own time of the WAIT slices: what they take after the work they waited for. */
void nadi_sync_find(struct nadi_sync *s, struct nadi_timeline *t,
                    const struct nadi_capture_device *d);
void nadi_sync_release(struct nadi_sync *s);

/* First edge of a node, for loops `for (i = first; i < count && items[i].node == node; i++)`. */
size_t nadi_sync_first(const struct nadi_sync_edges *edges, uint32_t node);

#endif
