/* step_cache: keys and values that lie in a tier.
 *
 * A pass of a layer reads those of all tokens before its own, which are loaded `prefetch` layers
 * ahead, over the borders of passes, micro-batches and steps; what it adds is stored behind it. A
 * load waits for the store of the same layer and micro-batch before it. */
#include "base/mem.h"
#include "base/time.h"
#include "model/memory.h"
#include "model/step_emit.h"

static bool is_away(const struct nadi_emit *e)
{
    return e->p->mode != NADI_MODE_TRAIN && nadi_emit_tier(e, NADI_OFFLOAD_CACHE);
}

/* Tokens of a sequence on this rank before the pass and after it. */
static void tokens_of(const struct nadi_model_plan *p, uint32_t step, uint32_t part,
                      uint64_t *before, uint64_t *after)
{
    if (p->mode == NADI_MODE_DECODE) {
        *before = p->tokens + step;
        *after = *before + 1;
    } else {
        const uint64_t piece = (p->chunk ? p->chunk : p->tokens) / p->cp;
        *before = part * piece;
        *after = *before + piece;
    }
}

/* Of a layer, of a micro-batch; the ends of the net have none. */
static uint64_t layer_bytes(const struct nadi_emit *e, uint32_t layer, uint64_t tokens)
{
    const struct nadi_net *net = &e->variant->net;
    if (layer < net->body_first || layer >= net->body_first + net->body_count)
        return 0;
    return nadi_count_trunc(
        nadi_memory_layer_cache(e->p, &e->s->study->model, layer - net->body_first, tokens) *
        (double)e->p->micro_batch);
}

static void plan_pass(struct nadi_emit *e, const struct nadi_action *a, uint32_t step,
                      uint32_t part)
{
    const struct nadi_study *study = e->s->study;
    const struct nadi_pipeline_stage stage = nadi_stage_of(
        e->p, &e->variant->net, nadi_schedule_stage(&study->schedule, e->rank, a->chunk));
    uint64_t before, after;
    tokens_of(e->p, step, part, &before, &after);
    for (uint32_t layer = stage.first; layer < stage.first + stage.count; layer++) {
        const struct nadi_cache_use use = {.bytes = layer_bytes(e, layer, before),
                                           .micro = a->micro,
                                           .layer = layer,
                                           .pass = step + part};
        if (use.bytes)
            NADI_PUSH(&e->cache, use);
    }
}

void nadi_emit_plan_cache(struct nadi_emit *e)
{
    const struct nadi_actions *list = &e->s->study->schedule.lists[e->rank];
    const bool decode = e->p->mode == NADI_MODE_DECODE;
    e->cache.count = e->cache.used = 0;
    if (!is_away(e))
        return;
    for (uint32_t step = 0; step < (decode ? e->p->steps : 1); step++)
        for (uint32_t i = 0; i < list->count; i++)
            for (uint32_t part = 0; part < (decode ? 1 : e->s->variant_count); part++)
                plan_pass(e, &list->items[i], step, part);
}

void nadi_emit_cache_room(struct nadi_emit *e)
{
    const struct nadi_study *study = e->s->study;
    const bool decode = e->p->mode == NADI_MODE_DECODE;
    if (!is_away(e))
        return;
    const uint64_t before = decode ? e->p->tokens + e->step : 0;
    const uint64_t after = decode ? before + 1 : nadi_memory_cached_tokens(e->p);
    const double had =
        nadi_memory_cache(e->p, &study->model, &e->variant->net, &study->schedule, e->rank, before);
    const double has =
        nadi_memory_cache(e->p, &study->model, &e->variant->net, &study->schedule, e->rank, after);
    const struct nadi_emit_move move = {
        .op = NADI_MEM_ALLOC, .flag = NADI_OFFLOAD_CACHE, .bytes = nadi_count_trunc(has - had)};
    nadi_emit_flush(e);
    if (move.bytes)
        nadi_emit_memory(e, "room for keys and values", &move, e->front.ids, e->front.count);
}

/* False: what it reads is stored by a pass that is not written yet. */
static bool issue(struct nadi_emit *e, struct nadi_cache_use *use)
{
    uint64_t after[NADI_FRONT + 1];
    uint64_t *stored = nadi_emit_kept_by(e, use->micro, use->layer);
    if (use->pass > 0 && *stored == 0)
        return false;
    use->issued = true;
    memcpy(after, e->front.ids, e->front.count * sizeof(*after));
    after[e->front.count] = *stored;
    const struct nadi_emit_move move = {
        .op = NADI_MEM_LOADS, .flag = NADI_OFFLOAD_CACHE, .bytes = use->bytes};
    use->id = nadi_emit_memory(e, "load keys and values", &move, after,
                               e->front.count + (*stored ? 1 : 0));
    *stored = 0; /* until the pass that this is for has stored its own */
    return true;
}

void nadi_emit_cache_load(struct nadi_emit *e, uint32_t part)
{
    const size_t at = e->cache.used;
    const struct nadi_cache_use *use = &e->cache.items[at];
    if (at == e->cache.count)
        return;
    const bool reads =
        use->layer == e->layer && use->micro == e->micro && use->pass == e->step + part;
    const size_t end = nadi_min_u64(e->cache.count, at + e->p->prefetch + reads);
    for (size_t i = at; i < end; i++) {
        if (e->cache.items[i].issued)
            continue;
        nadi_emit_flush(e);
        if (!issue(e, &e->cache.items[i]))
            break;
    }
    if (!reads)
        return;
    nadi_emit_flush(e);
    nadi_emit_join(e, e->cache.items[at].id);
    e->cache.used++;
}

void nadi_emit_cache_store(struct nadi_emit *e, uint32_t part)
{
    uint64_t before, after;
    if (!is_away(e))
        return;
    tokens_of(e->p, e->step, part, &before, &after);
    /* the window of a layer moves on: what is new is stored, whatever it replaces */
    const struct nadi_emit_move move = {.op = NADI_MEM_STORES,
                                        .flag = NADI_OFFLOAD_CACHE,
                                        .bytes = layer_bytes(e, e->layer, after - before)};
    nadi_emit_flush(e);
    if (move.bytes)
        *nadi_emit_kept_by(e, e->micro, e->layer) =
            nadi_emit_memory(e, "store keys and values", &move, e->front.ids, e->front.count);
}
