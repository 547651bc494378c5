/* coverage: how much of a capture got into the trace, and what did not and why. Figures only, so
 * that the capture itself can go. */
#ifndef NADI_CAPTURE_COVERAGE_H
#define NADI_CAPTURE_COVERAGE_H

#include "base/str.h"
#include "capture/capture.h"

enum { NADI_COVERAGE_SAMPLES = 3, NADI_COVERAGE_LIKE = 5 };

struct nadi_coverage_like { /* kernels of one name */
    char name[96];
    uint64_t count;
    int64_t time_ns;
};

struct nadi_coverage {
    uint32_t rank;
    char schema[40], linked_by[64];
    uint64_t host_ops, profile_ops, linked_ops; /* operators; without a host trace 0, n, 0 */
    uint64_t works[NADI_ORPHAN_REASONS];        /* device work by why it has no launch */
    int64_t work_ns[NADI_ORPHAN_REASONS];
    char orphan[NADI_COVERAGE_SAMPLES][96]; /* names of some that have none */
    uint32_t orphans;
    uint64_t kernels, by_time; /* work with a cost, and that without shapes */
    int64_t kernel_ns, by_time_ns;
    uint64_t collectives, sends, receives, comm_unknown, peers_unknown;
    uint64_t comm_bytes, sizeless; /* sizeless: collectives and messages of unknown size */
    int64_t comm_ns;
    /* Kernels that look like communication and were not taken for it, those of most time first. */
    struct nadi_coverage_like like[NADI_COVERAGE_LIKE];
    uint32_t likes;
    uint64_t like_count; /* kernels, of all names */
    int64_t like_ns;
    uint64_t waits, joins;        /* calls that block; waits for another thread */
    int64_t waited_ns, joined_ns; /* time that is a dependency now, not compute */
    int64_t gap_ns, own_ns;       /* of the processor: between operators; all */
    int64_t span_ns, device_ns;
    int64_t skew_ns;
    uint64_t delays, unexplained; /* idle time kept in front of device work */
    int64_t delay_ns, unexplained_ns;
    uint64_t said, inferred; /* edges between streams */
    uint64_t nodes, edges[NADI_EDGE_KINDS], dropped[NADI_EDGE_KINDS];
    uint32_t threads, streams, groups, world;
};

void nadi_coverage_of(struct nadi_coverage *c, const struct nadi_capture *capture);

/* For people, a paragraph a rank; as JSON, {"ranks": [{...}]}. */
void nadi_coverage_text(const struct nadi_coverage *ranks, size_t count, struct nadi_str *out);
void nadi_coverage_json(const struct nadi_coverage *ranks, size_t count, struct nadi_str *out);

#endif
