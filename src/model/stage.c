#include "model/stage.h"

#include "base/time.h"

#include <math.h>

struct nadi_pipeline_stage nadi_stage_of(const struct nadi_model_plan *p,
                                         const struct nadi_net *net, uint32_t stage)
{
    struct nadi_pipeline_stage s = {
        .first = net->body_first,
        .count = p->stage_layers[stage],
        .is_first = stage == 0,
        .is_last = stage + 1 == p->stage_count,
    };
    for (uint32_t i = 0; i < stage; i++)
        s.first += p->stage_layers[i];
    if (s.is_first) {
        s.count += net->body_first;
        s.first = 0;
    }
    if (s.is_last)
        s.count = net->layer_count - s.first;
    return s;
}

/* A rank that mirrors another holds both ends. */
bool nadi_plan_copies_embedding(const struct nadi_model_plan *p, const struct nadi_model *m)
{
    return p->pp > 1 && !nadi_plan_mirrors(p) && m->tied && m->head == NADI_HEAD_LM &&
           nadi_model_is_transformer(m);
}

uint64_t nadi_copied_weights(const struct nadi_model *m, uint32_t tp)
{
    return nadi_vocab_rows(m->vocab, tp) * (m->embedding_dim ? m->embedding_dim : m->hidden);
}

double nadi_copied_gradients(const struct nadi_model_plan *p, const struct nadi_model *m)
{
    const bool moves = nadi_plan_away(p) & NADI_OFFLOAD_GRADIENTS;
    const bool split = p->zero >= 2 || (moves && p->zero > 0);
    return (double)nadi_copied_weights(m, p->tp) * p->gradient_bytes /
           (split ? nadi_plan_replicas(p, false) : 1);
}

/* What is not read by a layer's product is as wide as activations at least. */
static double other_bytes(const struct nadi_model_plan *p)
{
    return p->mode == NADI_MODE_TRAIN ? p->parameter_bytes
                                      : fmax(p->parameter_bytes, p->activation_bytes);
}

double nadi_weight_bytes(const struct nadi_model_plan *p, const struct nadi_op *op, bool body)
{
    return body && op->kind == NADI_OP_GEMM ? p->parameter_bytes : other_bytes(p);
}

/* What a layer's parameters, and those of the embedding's copy, count for beyond themselves. */
static uint64_t beyond(const struct nadi_model_plan *p, const struct nadi_net *net, uint32_t layer,
                       uint64_t copied)
{
    const struct nadi_layer_kind *kind = nadi_net_layer(net, layer);
    const bool body = layer - net->body_first < net->body_count;
    double more = (double)copied * (other_bytes(p) / p->parameter_bytes - 1);
    for (uint32_t i = 0; i < kind->op_count; i++)
        more += (double)kind->ops[i].weights *
                (nadi_weight_bytes(p, &kind->ops[i], body) / p->parameter_bytes - 1);
    return nadi_count_round(more);
}

struct nadi_stage_weights nadi_pipeline_layer_weights(const struct nadi_model_plan *p,
                                                      const struct nadi_model *m,
                                                      const struct nadi_net *net, uint32_t layer)
{
    const struct nadi_sums sums = nadi_layer_sums(nadi_net_layer(net, layer));
    const bool copies = layer + 1 == net->layer_count && nadi_plan_copies_embedding(p, m);
    const uint64_t copied = copies ? nadi_copied_weights(m, p->tp) : 0;
    const uint64_t more = beyond(p, net, layer, copied);
    return (struct nadi_stage_weights){
        .dense = sums.weights - sums.expert_weights + copied + more,
        .expert = sums.expert_weights,
        .beyond = more,
    };
}

struct nadi_stage_weights nadi_stage_weights(const struct nadi_model *m, const struct nadi_net *net,
                                             const struct nadi_pipeline_stage *stage,
                                             const struct nadi_model_plan *p)
{
    struct nadi_stage_weights w = {0};
    for (uint32_t i = stage->first; i < stage->first + stage->count; i++) {
        const struct nadi_stage_weights layer = nadi_pipeline_layer_weights(p, m, net, i);
        w.dense += layer.dense;
        w.expert += layer.expert;
        w.beyond += layer.beyond;
    }
    return w;
}

double nadi_kept_bytes(const struct nadi_model_plan *p, const struct nadi_kept *kept)
{
    const bool narrow = p->precision == NADI_FP8 || p->precision == NADI_FP4;
    const double input = narrow ? 1 : p->activation_bytes; /* kept as the product takes it */
    return input * (double)kept->input + (double)p->activation_bytes * (double)kept->elements +
           (double)kept->bytes;
}

uint32_t nadi_body_position(const struct nadi_net *net, const struct nadi_pipeline_stage *stage,
                            uint32_t layer)
{
    if (layer < net->body_first || layer >= net->body_first + net->body_count)
        return NADI_NONE;
    return layer - (stage->is_first ? net->body_first : stage->first);
}

bool nadi_layer_recomputed(const struct nadi_model_plan *p, uint32_t position)
{
    return p->recompute == NADI_RECOMPUTE_FULL && position != NADI_NONE &&
           (p->recompute_layers == 0 || position < p->recompute_layers);
}

uint32_t nadi_layer_again(const struct nadi_model_plan *p, const struct nadi_layer_kind *kind)
{
    uint32_t count = kind->op_count;
    while (p->recompute_stops && count > 0) {
        const struct nadi_op *last = &kind->ops[count - 1];
        if (last->kept_bytes > 0)
            break;
        count--;
        if (last->kept_input > 0 || last->kept > 0) /* what the one before made */
            break;
    }
    return count;
}

double nadi_layer_kept(const struct nadi_model_plan *p, const struct nadi_net *net,
                       const struct nadi_layer_kind *kind, uint32_t position)
{
    const struct nadi_sums sums = nadi_layer_sums(kind);
    if (nadi_layer_recomputed(p, position))
        return (double)net->boundary_bytes;
    double bytes = nadi_kept_bytes(p, &sums.kept);
    if (p->recompute == NADI_RECOMPUTE_SELECTIVE && position != NADI_NONE)
        bytes -= nadi_kept_bytes(p, &sums.kept_core);
    return bytes;
}
