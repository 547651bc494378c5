/* memory: what MEM_LOAD and MEM_STORE nodes access: tiers (tiers.h), or remote memory as the
 * analytical reference models it.
 *
 *   service time = latency + trunc(bytes / bandwidth)   ns
 *
 * PER_NPU: no contention. PER_NODE: a FIFO server for each group of NPUs. POOL: one FIFO server for
 * all. Load and store cost the same.
 *
 * HIERARCHY: a hierarchical pool (pool/pool.h). Its NPUs are taken to transfer together, as the
 * ranks of a training step do: a request takes what the pool needs for all NPUs at once, and each
 * NPU has one request at a time, in order. With `same` the data are the same for all. */
#ifndef NADI_MEMORY_MEMORY_H
#define NADI_MEMORY_MEMORY_H

#include "pool/pool.h"

struct nadi_tiers;

enum nadi_memory_kind {
    NADI_MEMORY_NONE, /* NO_MEMORY_EXPANSION: a memory node in a trace is an input error */
    NADI_MEMORY_PER_NODE,
    NADI_MEMORY_PER_NPU,
    NADI_MEMORY_POOL,
    NADI_MEMORY_HIERARCHY,
    NADI_MEMORY_TIERS, /* of `tiers` */
};

struct nadi_memory_config {
    enum nadi_memory_kind kind;
    uint64_t latency_ns;
    uint64_t bytes_per_ns; /* = GB/s, decimal; 0: latency only */
    uint32_t node_count;   /* PER_NODE: servers */
    uint32_t npus_per_node;
    const struct nadi_tiers *tiers;
    struct nadi_pool pool; /* HIERARCHY: latency_ns and bytes_per_ns are then those of an NPU */
};

/* Service time of one request, ns; not of tiers. */
uint64_t nadi_memory_service_ns(const struct nadi_memory_config *config, uint64_t bytes, bool same);

#endif
