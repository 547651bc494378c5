#include "trace/mem.h"

#include "base/search.h"

const char *const nadi_mem_op_words[NADI_MEM_OPS + 1] = {"LOAD",  "STORE", "COPY",
                                                         "ALLOC", "FREE",  "MISS"};

const char *const nadi_mem_role_words[NADI_MEM_ROLES + 1] = {
    "KV_CACHE_OFFLOAD",         "KV_CACHE_PREFETCH",
    "KV_CACHE_DISAGG_TRANSFER", "WEIGHT_OFFLOAD",
    "WEIGHT_PREFETCH",          "MOE_EXPERT_FETCH",
    "LORA_ADAPTER_SWAP",        "ACTIVATION_CHECKPOINT",
    "ACTIVATION_OFFLOAD",       "GRADIENT_OFFLOAD",
    "OPTIMIZER_OFFLOAD",        "EMBEDDING_LOOKUP",
    "CAPACITY_EVICTION",        "OTHER",
};

const struct nadi_trace_mem *nadi_trace_mem(const struct nadi_trace *t, uint32_t node)
{
    NADI_BISECT(uint32_t, low, 0, t->mem_count, i, t->mems[i].node < node);
    return low < t->mem_count && t->mems[low].node == node ? &t->mems[low] : NULL;
}
