#include "trace/mem.h"

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
    uint32_t low = 0, high = t->mem_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (t->mems[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->mem_count && t->mems[low].node == node ? &t->mems[low] : NULL;
}
