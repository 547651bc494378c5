/* nadi: memory beyond an NPU's own. */
#ifndef NADI_MEMORY_H
#define NADI_MEMORY_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A hierarchical memory pool: groups - out-node switches - in-node switches - NPUs. Each text is
 * one value or several with commas between; all combinations are computed, at most 1000. Values may
 * have units ("1MiB", "400Gbps", "2us"); bare bandwidths are GB/s of 10^9 bytes, sizes bytes,
 * latencies ns. */
struct nadi_pool_options {
    size_t size;
    const char *nodes;
    const char *npus;            /* of a node */
    const char *switches;        /* out-node switches, */
    const char *groups;          /* memory groups: a multiple of them */
    const char *group_bandwidth; /* of a group; */
    const char *out_bandwidth;   /* of an out-node switch's link to a node; */
    const char *npu_bandwidth;   /* of an in-node switch's link to an NPU */
    const char *group_latency, *out_latency, *npu_latency;
    const char *chunk;     /* bytes that a group moves at a time */
    const char *bytes;     /* that each NPU loads or stores */
    const char *data;      /* "private": each NPU its own; "shared": the same for all, copied and
                              added up in the switches; or both */
    const char *direction; /* "load", "store", or both */
    int form_only;         /* no simulation beside the closed form */
    const char *form;      /* "text", "json", "csv" */
};

void nadi_pool_options_init(struct nadi_pool_options *options);

/* Times by the closed form and by simulation, side by side. */
enum nadi_status nadi_memory_pool(const struct nadi_pool_options *options, char **report,
                                  struct nadi_diags *messages);

/* A trusted pool: pages of a provider whose host, and whose network, are not trusted. All times,
 * rates and sizes are illustrative, since no public text states them. */
struct nadi_trusted_bench_options {
    size_t size;
    uint32_t pages;
    uint32_t page_bytes;        /* a power of 2 from 64 to 2 MiB */
    const char *oblivious;      /* "none", "shuffle", "path-oram" */
    const char *pattern;        /* "seq", "random", "zipf", "hot" */
    uint32_t threads;           /* with an access in flight each */
    uint32_t accesses, warm_up; /* warm_up: accesses before the measured ones */
    double write_share;
    uint32_t owner_entries, owner_associativity; /* validation cache */
    uint32_t tree_arity;                         /* counter tree: 8, or 64 with split counters */
    uint32_t tree_cache;                         /* nodes */
    double dummies;      /* shuffle: reads of other frames, for each access */
    uint32_t bucket;     /* path-oram: blocks of a bucket (Z) */
    uint32_t top_levels; /* levels of buckets on chip */
    uint32_t labels;     /* of a block of the position map; 0: the map is on chip */
    double request_ns, link_ns, link_gbps; /* GB/s of 10^9 bytes, here and below */
    double hit_ns, miss_ns;
    double dram_ns, dram_gbps;
    double cipher_ns, cipher_gbps;
    double node_ns, oram_ns;
    double rdma_ns, cpu_cipher_gbps; /* software to compare with */
    uint64_t region_bytes;           /* that RDMA registers at a time */
    uint64_t seed;
    const char *form; /* "text", "json", "csv" */
};

void nadi_trusted_bench_options_init(struct nadi_trusted_bench_options *options);

/* What an access moves and the pool stores, before anything runs. */
enum nadi_status nadi_memory_trusted_plan(const struct nadi_trusted_bench_options *options,
                                          char **report, struct nadi_diags *messages);
/* Latency, bandwidth, and where the time goes. */
enum nadi_status nadi_memory_trusted_bench(const struct nadi_trusted_bench_options *options,
                                           char **report, struct nadi_diags *messages);

struct nadi_trusted_test_options {
    size_t size;
    const char *attacks;   /* attack: names with commas between; NULL: all */
    const char *oblivious; /* leak */
    uint32_t trials, accesses;
    uint64_t seed;
    const char *form; /* "text", "json", "csv" */
};

void nadi_trusted_test_options_init(struct nadi_trusted_test_options *options);

/* Attacks on engines that store, encrypt and check real bytes, with all defences and without the
 * one that is to stop them. *failed: how many were not stopped as expected, or did not succeed
 * without the defence. */
enum nadi_status nadi_memory_trusted_attack(const struct nadi_trusted_test_options *options,
                                            char **report, int *failed,
                                            struct nadi_diags *messages);
/* Does the link show which pages are used? *failed: 1 unless it is as documented of the level. */
enum nadi_status nadi_memory_trusted_leak(const struct nadi_trusted_test_options *options,
                                          char **report, int *failed, struct nadi_diags *messages);

/* One request of remote memory on each of some NPUs at once. */
struct nadi_memory_bench_options {
    size_t size;
    const char *memory;        /* memory file */
    const char *network;       /* as for a run; NULL: any, with as many NPUs as are asked for */
    const char *network_model; /* NULL: with a network the default, else any */
    const char *npus;          /* numbers of NPUs, "1,8,64": the first so many ask */
    const char *direction;     /* "load" or "store" */
    uint64_t first_bytes, last_bytes; /* of each request */
    double factor;                    /* from one size to the next, above 1 */
    const char *form;                 /* "text", "json", "csv" */
};

void nadi_memory_bench_options_init(struct nadi_memory_bench_options *options);

/* Times and bandwidths by number of NPUs and size. */
enum nadi_status nadi_memory_bench(const struct nadi_memory_bench_options *options, char **report,
                                   struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
