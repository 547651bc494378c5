/* step_memory: nodes that move what is offloaded, streamed or placed into tiers. */
#include "base/mem.h"
#include "base/time.h"
#include "model/memory.h"
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
    case NADI_OFFLOAD_TABLES:
        return NADI_MEM_EMBEDDING_LOOKUP;
    case NADI_OFFLOAD_CACHE:
        return load ? NADI_MEM_KV_PREFETCH : NADI_MEM_KV_OFFLOAD;
    }
    return NADI_MEM_OTHER;
}

uint64_t *nadi_emit_kept_by(struct nadi_emit *e, uint32_t micro, uint32_t layer)
{
    const size_t at = (size_t)micro * e->variant->net.layer_count + layer;
    NADI_RESERVE(&e->kept, at + 1);
    while (e->kept.count <= at)
        e->kept.items[e->kept.count++] = 0;
    return &e->kept.items[at];
}

const char *nadi_emit_tier(const struct nadi_emit *e, enum nadi_offload_flag flag)
{
    for (uint32_t i = 0; i < NADI_PLACED_PARTS; i++)
        if (flag == 1u << i && e->p->place[i])
            return e->p->place[i];
    return nadi_plan_away(e->p) & flag ? e->s->study->host_tier : NULL;
}

uint64_t nadi_emit_memory(struct nadi_emit *e, const char *name, const struct nadi_emit_move *move,
                          const uint64_t *after, size_t count)
{
    const bool load = move->op == NADI_MEM_LOADS;
    const char *tier = nadi_emit_tier(e, move->flag);
    const double share = tier ? e->p->interleave : 1;
    const uint64_t bytes =
        share < 1 ? nadi_max_u64(1, nadi_count_round((double)move->bytes * share)) : move->bytes;
    const uint64_t id = nadi_trace_build_memory(
        &e->build, name, load ? NADI_NODE_MEM_LOAD : NADI_NODE_MEM_STORE, bytes, after, count);
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

/* ---- tables -------------------------------------------------------------------------------- */

/* Of the rows that a micro-batch looks up; 0: the layer has no tables in a tier. */
static uint64_t looked_up(const struct nadi_emit *e)
{
    const struct nadi_layer_kind *kind = nadi_net_layer(&e->variant->net, e->layer);
    if (!nadi_emit_tier(e, NADI_OFFLOAD_TABLES) || nadi_layer_sums(kind).table_weights == 0)
        return 0;
    return nadi_memory_rows(e->p, &e->s->study->model);
}

/* Micro-batches are numbered through all steps. */
static uint32_t number_of(const struct nadi_emit *e)
{
    return e->step * e->s->study->schedule.micro_batches + e->micro;
}

/* The last store of changed rows that a load for this micro-batch waits for: what those between
 * them change is on the device. 0: none. */
static uint64_t stored_before(struct nadi_emit *e, uint32_t number)
{
    uint64_t stored = 0;
    const uint32_t ahead = number < e->p->prefetch_rows ? number : e->p->prefetch_rows;
    uint32_t k = number - ahead;
    for (k = k < e->rows.stored ? k : e->rows.stored; k > 0 && !stored; k--)
        stored = *nadi_emit_kept_by(e, k - 1, e->layer);
    return stored;
}

static uint64_t *load_of(struct nadi_emit *e, uint32_t number)
{
    while (e->rows.count <= number)
        NADI_PUSH(&e->rows, 0);
    return &e->rows.items[number];
}

void nadi_emit_look_up(struct nadi_emit *e)
{
    const struct nadi_emit_move move = {
        .op = NADI_MEM_LOADS, .flag = NADI_OFFLOAD_TABLES, .bytes = looked_up(e)};
    const uint32_t own = number_of(e);
    const uint32_t steps = e->p->mode == NADI_MODE_PREFILL ? 1 : e->p->steps;
    const uint32_t count = steps * e->s->study->schedule.micro_batches;
    if (move.bytes == 0)
        return;
    const bool early = *load_of(e, own) > 0;
    nadi_emit_flush(e);
    const struct nadi_front before = e->front;
    for (uint32_t k = own; k < count && k - own <= e->p->prefetch_rows; k++) {
        const uint64_t stored = stored_before(e, k);
        if (*load_of(e, k))
            continue;
        e->front = before;
        nadi_emit_join(e, stored);
        if (k > own) /* the nearest first */
            nadi_emit_join(e, *load_of(e, k - 1));
        *load_of(e, k) = nadi_emit_memory(e, "look up rows", &move, e->front.ids, e->front.count);
    }
    e->front = before;
    if (early)
        nadi_emit_join(e, *load_of(e, own));
    else
        nadi_emit_follow(e, *load_of(e, own));
}

void nadi_emit_put_rows(struct nadi_emit *e)
{
    const struct nadi_emit_move move = {
        .op = NADI_MEM_STORES, .flag = NADI_OFFLOAD_TABLES, .bytes = looked_up(e)};
    if (move.bytes == 0)
        return;
    nadi_emit_flush(e);
    if (e->rows.stored <= number_of(e))
        e->rows.stored = number_of(e) + 1;
    *nadi_emit_kept_by(e, number_of(e), e->layer) =
        nadi_emit_memory(e, "store changed rows", &move, e->front.ids, e->front.count);
}
