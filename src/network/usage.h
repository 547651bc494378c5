/* usage: what each link carries over time, in a fixed number of buckets of equal width. The width
 * doubles whenever the run outgrows them, so memory is known beforehand: links x buckets x 12
 * bytes. */
#ifndef NADI_NETWORK_USAGE_H
#define NADI_NETWORK_USAGE_H

#include "base/time.h"

enum { NADI_USAGE_BUCKETS = 64 };

struct nadi_usage {
    uint32_t link_count;
    nadi_time width;   /* of a bucket, ps */
    double *bytes;     /* [link * NADI_USAGE_BUCKETS + bucket] */
    uint32_t *waiting; /* likewise: most messages that waited at one time */
};

struct nadi_usage *nadi_usage_create(uint32_t link_count) NADI_MUST_USE;
void nadi_usage_destroy(struct nadi_usage *u); /* NULL is allowed */

/* `bytes` went over the link at an even rate from one time to another; not counted where that is
 * never. */
void nadi_usage_add(struct nadi_usage *u, uint32_t link, nadi_time from, nadi_time to,
                    double bytes);
void nadi_usage_waiting(struct nadi_usage *u, uint32_t link, nadi_time at, uint32_t waiting);

#endif
