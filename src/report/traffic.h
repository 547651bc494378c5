/* traffic: the messages of a run together: how long those of a size took, and how much was on its
 * way at a time. From the messages that the network recorded (sim/result.h, `logged`), which are
 * all of them or none.
 *
 * A message takes from when it is sent to when its last byte arrives, with what it waits behind
 * earlier ones of its pair. Percentiles are values of the list: those below which that part of the
 * way from the first to the last lies. O(messages). */
#ifndef NADI_REPORT_TRAFFIC_H
#define NADI_REPORT_TRAFFIC_H

#include "sim/result.h"

enum { NADI_TRAFFIC_SIZES = 16, NADI_TRAFFIC_BUCKETS = 256 };

struct nadi_completions { /* messages of least_bytes <= size < below_bytes */
    uint64_t least_bytes, below_bytes;
    uint64_t messages;
    uint64_t p50_ns, p90_ns, p99_ns, max_ns;
};

struct nadi_traffic {
    const char *why_not;                               /* nothing is known: a sentence; else NULL */
    struct nadi_completions sizes[NADI_TRAFFIC_SIZES]; /* ascending; without empty ones */
    uint32_t size_count;
    double bucket_ns;
    uint32_t bucket_count;                        /* up to the end of the run */
    double in_flight_bytes[NADI_TRAFFIC_BUCKETS]; /* mean over the bucket, */
    double in_flight[NADI_TRAFFIC_BUCKETS];       /* of messages */
};

/* Only what was on its way; `t` holds nothing else then. */
void nadi_traffic_in_flight(const struct nadi_result *r, struct nadi_traffic *t);
void nadi_traffic_find(const struct nadi_result *r, struct nadi_traffic *t);

#endif
