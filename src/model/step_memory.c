/* step_memory: nodes that move what is offloaded, streamed or placed into tiers. */
#include "model/step_emit.h"

/* By flag, what the memory extension of Chakra calls it. */
static enum nadi_mem_role role_of(enum nadi_offload_flag flag, bool load)
{
    switch (flag) {
    case NADI_OFFLOAD_OPTIMIZER:
        return NADI_MEM_OPTIMIZER_OFFLOAD;
    case NADI_OFFLOAD_GRADIENTS:
        return NADI_MEM_GRADIENT_OFFLOAD;
    case NADI_OFFLOAD_PARAMETERS:
        return load ? NADI_MEM_WEIGHT_PREFETCH : NADI_MEM_WEIGHT_OFFLOAD;
    case NADI_OFFLOAD_ACTIVATIONS:
        return NADI_MEM_ACTIVATION_OFFLOAD;
    case NADI_OFFLOAD_EXPERTS:
        return NADI_MEM_EXPERT_FETCH;
    }
    return NADI_MEM_OTHER;
}

const char *nadi_emit_tier(const struct nadi_emit *e, enum nadi_offload_flag flag)
{
    for (uint32_t i = 0; i < NADI_PLACED_PARTS; i++)
        if (flag == 1u << i)
            return e->p->place[i];
    return NULL;
}

uint64_t nadi_emit_memory(struct nadi_emit *e, const char *name, const struct nadi_emit_move *move,
                          const uint64_t *after, size_t count)
{
    const bool load = move->op == NADI_MEM_LOADS;
    const char *tier = nadi_emit_tier(e, move->flag);
    const uint64_t id =
        nadi_trace_build_memory(&e->build, name, load ? NADI_NODE_MEM_LOAD : NADI_NODE_MEM_STORE,
                                move->bytes, after, count);
    const struct nadi_build_mem mem = {
        .op = move->op,
        .role = (uint8_t)role_of(move->flag, load),
        .src = load ? tier : NULL,
        .dst = load ? NULL : tier,
        .block = move->block,
    };
    if (tier)
        nadi_trace_build_mem(&e->build, &mem);
    return id;
}
