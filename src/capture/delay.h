/* delay: time in front of device work that nothing in the capture accounts for.
 *
 * Work is ready when its launch has returned, the work in front of it on its stream and what it
 * waits for on others are over. If it begins later than that by little, the device's own overhead
 * or the latency of the launch is kept as time. If it begins later by much, more than
 * NADI_LATENCY_NS, another stream's work that ended just then explains it, and becomes an edge;
 * else the whole time is kept: nothing else in the trace keeps streams apart. Kept times shorter
 * than the resolution are added up along the stream. O(works x streams x log). */
#ifndef NADI_CAPTURE_DELAY_H
#define NADI_CAPTURE_DELAY_H

#include "capture/sync.h"

#define NADI_LATENCY_NS INT64_C(20000)

struct nadi_delays {
    int64_t *ns;          /* by work: kept in front of it, 0: nothing */
    int64_t *from;        /* when the work was ready, where ns is not 0 */
    uint64_t kept;        /* works that have one */
    uint64_t unexplained; /* ... of more than the latency */
    int64_t kept_ns, unexplained_ns;
    int64_t begin; /* of the capture: the first slice or work */
};

/* Adds edges to `sync` where another stream explains a delay. */
void nadi_delays_find(struct nadi_delays *delays, struct nadi_sync *sync,
                      const struct nadi_timeline *t, const struct nadi_capture_device *d,
                      int64_t resolution_ns);
void nadi_delays_release(struct nadi_delays *delays);

#endif
