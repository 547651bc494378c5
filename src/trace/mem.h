/* mem: what a memory node moves: the attributes chakra.mem.* of the Chakra memory extension.
 *
 * They stand on ordinary MEM_LOAD and MEM_STORE nodes. LOAD reads src_tier into dst_tier, STORE
 * writes, COPY goes between two tiers; ALLOC and FREE take and give back space of dst_tier, MISS is
 * a look at dst_tier that finds nothing. A tier is a name of the memory file, a class (G1 HBM, G2
 * host or CXL DRAM, G3 SSD, G3.5 pod bridge, G4 remote store), or class:medium:role. */
#ifndef NADI_TRACE_MEM_H
#define NADI_TRACE_MEM_H

#include "trace/trace.h"

#define NADI_MEM_ATTR       "chakra.mem."
#define NADI_MEM_ATTR_OP    NADI_MEM_ATTR "mem_op"
#define NADI_MEM_ATTR_ROLE  NADI_MEM_ATTR "mem_role"
#define NADI_MEM_ATTR_SRC   NADI_MEM_ATTR "src_tier"
#define NADI_MEM_ATTR_DST   NADI_MEM_ATTR "dst_tier"
#define NADI_MEM_ATTR_BYTES NADI_MEM_ATTR "bytes"
#define NADI_MEM_ATTR_BLOCK NADI_MEM_ATTR "block_id"
#define NADI_MEM_ATTR_REUSE NADI_MEM_ATTR "reuse_key"

enum nadi_mem_op {
    NADI_MEM_LOADS,
    NADI_MEM_STORES,
    NADI_MEM_COPIES,
    NADI_MEM_ALLOC,
    NADI_MEM_FREE,
    NADI_MEM_MISS,
    NADI_MEM_OPS
};

enum nadi_mem_role {
    NADI_MEM_KV_OFFLOAD,
    NADI_MEM_KV_PREFETCH,
    NADI_MEM_KV_TRANSFER,
    NADI_MEM_WEIGHT_OFFLOAD,
    NADI_MEM_WEIGHT_PREFETCH,
    NADI_MEM_EXPERT_FETCH,
    NADI_MEM_ADAPTER_SWAP,
    NADI_MEM_CHECKPOINT,
    NADI_MEM_ACTIVATION_OFFLOAD,
    NADI_MEM_GRADIENT_OFFLOAD,
    NADI_MEM_OPTIMIZER_OFFLOAD,
    NADI_MEM_EMBEDDING_LOOKUP,
    NADI_MEM_EVICTION,
    NADI_MEM_OTHER,
    NADI_MEM_ROLES
};

enum { NADI_MEM_NPU = UINT8_MAX }; /* no tier of the memory file: the NPU itself */

/* By op, by role; NULL-terminated. */
extern const char *const nadi_mem_op_words[NADI_MEM_OPS + 1];
extern const char *const nadi_mem_role_words[NADI_MEM_ROLES + 1];

/* What the node says; NULL: it has no such attributes. O(log nodes). */
const struct nadi_trace_mem *nadi_trace_mem(const struct nadi_trace *t, uint32_t node);

#endif
