/* usage: what each link carries over time, in a fixed number of buckets of equal width. The width
 * doubles whenever the run outgrows them, so memory is known beforehand: links x buckets x 12
 * bytes. */
#ifndef NADI_NETWORK_USAGE_H
#define NADI_NETWORK_USAGE_H

#include "base/time.h"

enum { NADI_USAGE_BUCKETS = 64 };

enum nadi_usage_depth { /* what a model counts at a link beside the bytes */
                        NADI_DEPTH_NONE,
                        NADI_DEPTH_MESSAGES,    /* aware: that wait for it */
                        NADI_DEPTH_FLOWS,       /* flow: pairs whose messages share it */
                        NADI_DEPTH_QUEUE_BYTES, /* packet: in the queue before it, when the model
                                                   looks */
};

struct nadi_usage {
    uint32_t link_count;
    nadi_time width; /* of a bucket, ps */
    nadi_time end;   /* of the last that was carried */
    double *bytes;   /* [link * NADI_USAGE_BUCKETS + bucket] */
    enum nadi_usage_depth depth_of;
    uint32_t *depth; /* likewise: the most at one time */
};

struct nadi_usage *nadi_usage_create(uint32_t link_count,
                                     enum nadi_usage_depth depth_of) NADI_MUST_USE;
void nadi_usage_destroy(struct nadi_usage *u); /* NULL is allowed */

/* `bytes` went over the link at an even rate from one time to another; not counted where that is
 * never. */
void nadi_usage_add(struct nadi_usage *u, uint32_t link, nadi_time from, nadi_time to,
                    double bytes);
void nadi_usage_deep(struct nadi_usage *u, uint32_t link, nadi_time from, nadi_time to,
                     uint32_t depth);

#endif
