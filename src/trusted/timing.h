/* timing: how long accesses to a trusted pool take.
 *
 * The engine runs as a shadow and notes what each access spends (count.h), in its order; each note
 * is a stage that a server works on, one access after another as they arrive:
 *
 *   request    requester's engine, then the link: request_ns, bytes / link, link_ns
 *   validate   hit_ns; and miss_ns for each entry that is not in the validation cache
 *   DRAM       of the provider: bytes / dram, dram_ns
 *   reply      the link back: bytes / link, link_ns
 *   cipher     bytes / cipher, cipher_ns; works while a reply arrives and while a request leaves
 *   tree       node_ns for each node that is read or written, in the requester's host memory
 *   ORAM       oram_ns for each path: the stash
 *
 * Tags of the channel are computed while messages pass and take no time of their own. So a read at
 * level none takes request_ns + 2 link_ns + hit_ns + page / dram + dram_ns + max(page / link, page
 * / cipher) + cipher_ns + the tree's misses. Threads have one access in flight each.
 *
 * All pages were written before. No public text states any of these figures: all defaults are
 * illustrative. */
#ifndef NADI_TRUSTED_TIMING_H
#define NADI_TRUSTED_TIMING_H

#include "trusted/pages.h"
#include "trusted/pattern.h"

struct nadi_trusted_times { /* ns; bytes per ns, 0: without limit */
    double request_ns;
    double link_ns, link_bytes_per_ns; /* one direction */
    double hit_ns, miss_ns;
    double dram_ns, dram_bytes_per_ns;
    double cipher_ns, cipher_bytes_per_ns;
    double node_ns;
    double oram_ns;
    bool bare; /* messages and frames have the bytes of pages alone */
    /* The software that it is compared with. */
    double rdma_ns;                 /* of a page fetched by RDMA, besides page / link */
    double cpu_cipher_bytes_per_ns; /* of one core */
    uint64_t region_bytes;          /* of memory registered at a time */
};

/* Illustrative. */
void nadi_trusted_times_init(struct nadi_trusted_times *t);

struct nadi_trusted_bench {
    struct nadi_trusted_options options; /* of the engine; it runs as a shadow */
    struct nadi_trusted_times times;
    enum nadi_pattern_kind pattern;
    uint32_t threads, accesses, warm_up;
    double write_share;
    uint64_t seed;
};

struct nadi_trusted_result {
    struct nadi_trusted_count count; /* of the measured accesses */
    double mean_ns, p50_ns, p99_ns, most_ns, elapsed_ns;
    double part_ns[NADI_PARTS]; /* mean of an access; their sum is its mean */
    double busy_ns[NADI_PARTS]; /* what each part's server works for an access, mean */
    uint32_t stash_largest;
    uint64_t frames, storage_bytes, tree_bytes; /* provider; requester's host */
};

/* A time that is not a number of ns, or a pool that needs more frames than can be simulated. */
enum { NADI_TRUSTED_FRAMES_MOST = 1 << 25 };

void nadi_trusted_bench_init(struct nadi_trusted_bench *b);
enum nadi_trust nadi_trusted_bench_run(const struct nadi_trusted_bench *b,
                                       struct nadi_trusted_result *r) NADI_MUST_USE;

/* Without an engine: latency + bytes / bandwidth of the same link and memory. */
double nadi_plain_pool_ns(const struct nadi_trusted_times *t, uint64_t bytes);
/* By RDMA and software; encrypted: by a core. */
double nadi_rdma_ns(const struct nadi_trusted_times *t, uint64_t bytes, bool encrypted);
/* Bytes of whole regions that hold `bytes`. */
uint64_t nadi_region_bytes(const struct nadi_trusted_times *t, uint64_t bytes);

#endif
