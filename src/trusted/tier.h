/* tier: a trusted pool as a tier of memory: what a transfer of many pages takes.
 *
 * The engine runs as a shadow with random accesses, reads and then writes. From what they spend:
 *
 *   rate      a page over the time that the slowest server works for it; at most the pages in
 *             flight over the latency of one
 *   latency   of an access of a page, less page / rate
 *
 * So one page takes what an access takes, and n pages n - 1 times the slowest server's work more,
 * as in a pipeline. What a provider stores beside the pages (tags, slots of Path ORAM) is capacity
 * that nobody can use. */
#ifndef NADI_TRUSTED_TIER_H
#define NADI_TRUSTED_TIER_H

#include "trusted/timing.h"

struct nadi_trusted_tier {
    double latency_ns; /* the larger of both directions' */
    double read_bytes_per_ns, write_bytes_per_ns;
    double stored_per_byte;                  /* bytes of the provider for a byte that can be used */
    struct nadi_trusted_count reads, writes; /* of NADI_TIER_SAMPLES accesses each */
};

enum { NADI_TIER_SAMPLES = 500, NADI_TIER_FRAMES_MOST = 1 << 22 };

/* b: options and times; threads: pages in flight, 0: any number. Deterministic by b->seed. */
enum nadi_trust nadi_trusted_tier_measure(const struct nadi_trusted_bench *b,
                                          struct nadi_trusted_tier *t) NADI_MUST_USE;

/* Pages that can be used of so many bytes of the provider; 0: not even one. */
uint64_t nadi_trusted_tier_pages(const struct nadi_trusted_options *o, uint64_t stored_bytes);

#endif
