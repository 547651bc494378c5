/* plan_idle: keys of a plan that ask for something that does not happen.
 *
 * One table says of each key when it has an effect. A key whose condition does not hold is refused
 * where the user asks for more than its default, so that a slip (a chunk without mode=prefill) is
 * not taken for an answer; of a framework's habits it is left out in silence. What is merely
 * switched off, or has one part (tp=1, zero among one replica), asks for nothing and is no error.
 * Where the key of a condition is one of several values that are tried (a search, a sweep), those
 * without an effect are as good as absent. */
#include "model/plan_idle.h"

struct row {
    const char *key;
    bool asked;          /* for more than the default */
    bool works;          /* it has an effect */
    const char *depends; /* keys that the condition reads, one blank apart; "": the model alone */
    const char *hint;
    const char *text; /* what is missing, behind the key's name */
};

static bool is_varied(const struct nadi_model_plan *p, const char *depends)
{
    for (const char *at = depends; *at;) {
        char key[32];
        const size_t length = strcspn(at, " ");
        snprintf(key, sizeof(key), "%.*s", (int)length, at);
        if (p->varied & nadi_plan_bit(key))
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

static bool check(struct nadi_model_plan *p, const struct row *rows, size_t count,
                  struct nadi_diags *diags)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        const struct row *r = &rows[i];
        if (!r->asked || r->works)
            continue;
        const nadi_plan_keys bit = nadi_plan_bit(r->key);
        p->idle |= bit;
        if ((p->said & bit) && !is_varied(p, r->depends))
            ok = nadi_error(diags, "plan/impossible", NADI_IN_FILE("plan"), r->hint, "'%s' %s",
                            r->key, r->text);
    }
    return ok;
}

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static bool of_training(struct nadi_model_plan *p, const struct nadi_model *m,
                        struct nadi_diags *diags)
{
    static const char replicas[] = "set dp or cp above 1, or leave it out";
    static const char once[] = "dp cp ep offload place execution mode";
    static const char hint[] = "leave it out, or set mode to train";
    static const char none[] =
        "is for training: inference has no gradients, states or backward pass";
    static const char graphs[] = "mode cuda-graphs host-launch kernels-an-operation";
    const bool train = p->mode == NADI_MODE_TRAIN;
    const bool wide = nadi_plan_parameter_bytes(p) >= 4;
    const bool full = p->recompute == NADI_RECOMPUTE_FULL;
    const bool stored = p->streaming || (p->offload & NADI_OFFLOAD_GRADIENTS);
    const bool sent = !train || stored || nadi_plan_replicas(p, false) > 1 ||
                      (m->experts && nadi_plan_replicas(p, true) > 1);
    const struct row rows[] = {
        {"zero", p->zero > 0, train, "mode", hint, none},
        {"recompute", p->recompute != NADI_RECOMPUTE_NONE, train, "mode", hint, none},
        {"optimizer", p->optimizer != NADI_OPTIMIZER_ADAM, train, "mode", hint, none},
        {"optimizer-state-bytes", p->state_bytes > 0, train, "mode", hint, none},
        {"optimizer-state-bytes", p->state_bytes > 0, !train || p->optimizer != NADI_OPTIMIZER_SGD,
         "mode optimizer", "leave it out, or set optimizer to adam or momentum",
         "is for optimizers with states, and sgd has none"},
        {"master-weights", !p->master_weights, train, "mode", hint, none},
        {"master-weights", !p->master_weights, !train || !wide, "mode precision parameter-bytes",
         "leave it out, or set parameter-bytes to 2",
         "says whether parameters of fewer than 32 bits have a copy of 32, and these have 32"},
        {"cache-bytes", p->cache_bytes > 0, !train, "mode",
         "leave it out, or set mode to prefill or decode",
         "is for inference: training keeps no cache"},
        {"cache-bytes", p->cache_bytes > 0, train || nadi_model_is_transformer(m), "mode",
         "leave it out", "is for keys and values, which the model has not"},
        {"bucket", p->bucket_bytes > 0, train, "mode", hint, none},
        {"bucket", p->bucket_bytes > 0, sent || (p->offload & NADI_OFFLOAD_OPTIMIZER), once,
         replicas,
         "collects gradients that leave the device, but there is one replica and all stay"},
        {"gradient-bytes", p->gradient_bytes > 0, train, "mode", hint, none},
        {"overlap-gradients", !p->overlap_gradients, train, "mode", hint, none},
        {"overlap-parameters", !p->overlap_parameters, train, "mode", hint,
         "is for training: in inference no replica changes parameters that others need"},
        {"tp-async", !p->tp_async, train, "mode", hint, none},
        {"fused-cross-entropy", p->fused_loss != 1, train, "mode", hint,
         "is for training: inference computes no loss"},
        {"backward-launch", p->backward_launch < 1, train, "mode", hint, none},
        {"kernels-an-operation", p->kernels_an_op > 1, !p->cuda_graphs, graphs,
         "set cuda-graphs to 0, or leave it out",
         "says how many kernels the host launches, but they are launched from graphs"},
        {"host-ahead", !p->host_ahead, !p->cuda_graphs, graphs,
         "give host-launch, or set cuda-graphs to 0, or leave it out",
         "says when the host launches kernels, but they are launched from graphs"},
        {"recompute-layers", p->recompute_layers > 0, full, "recompute mode",
         "add recompute=full, or leave it out",
         "says how many layers are computed again as a whole, and none are"},
        {"recompute-stops", p->recompute_stops, full, "recompute mode",
         "add recompute=full, or leave it out",
         "says where layers that are computed again end, and none are"},
    };
    return check(p, rows, COUNT(rows), diags);
}

static bool of_experts(struct nadi_model_plan *p, const struct nadi_model *m,
                       struct nadi_diags *diags)
{
    static const char hint[] = "leave it out";
    static const char ep[] = "set ep above 1, or leave it out";
    static const char none[] = "is for experts, but the model has none";
    static const char here[] = "is for experts on several ranks, but ep is 1";
    const bool experts = m->experts > 0, sent = !experts || p->ep > 1;
    const struct row rows[] = {
        {"etp", p->etp > 0, experts, "", hint, none},
        {"capacity", p->capacity > 0, experts, "", hint, none},
        {"skew", p->skew > 0, experts, "", hint, none},
        {"skew", p->skew > 0, sent, "ep", ep,
         "loads some ranks more than others, but ep is 1: each has all experts"},
        {"skew", p->skew > 0, !(p->capacity > 0), "capacity", "leave one of them out",
         "says how much more an expert gets than others, but capacity gives all the same"},
        {"expert-products", p->expert_products != NADI_EXPERTS_AUTO, experts, "", hint, none},
        {"dispatch", p->once_a_node, experts, "", hint, none},
        {"dispatch", p->once_a_node, sent, "ep", ep, here},
        {"dispatch-overlap", p->dispatch_overlap > 0, experts, "", hint, none},
        {"dispatch-overlap", p->dispatch_overlap > 0, sent, "ep", ep, here},
        {"dispatch-processors", p->dispatch_processors > 0, experts, "", hint, none},
        {"dispatch-processors", p->dispatch_processors > 0,
         sent && (!experts || p->dispatch_overlap > 0), "ep dispatch-overlap",
         "set dispatch-overlap (and ep above 1), or leave it out",
         "work on transfers of experts that are hidden, and none are"},
    };
    return check(p, rows, COUNT(rows), diags);
}

/* Does anything come ahead of the layer that it is for? ZeRO 1 and 2 gather parameters once a step,
 * unless all are there before it begins. */
static bool fetches_ahead(const struct nadi_model_plan *p)
{
    const uint32_t loaded = NADI_OFFLOAD_PARAMETERS | NADI_OFFLOAD_EXPERTS | NADI_OFFLOAD_CACHE;
    const bool gathered = p->zero == 3 || (p->zero > 0 && p->overlap_parameters);
    return (p->mode == NADI_MODE_TRAIN && gathered) || p->streaming || (p->offload & loaded);
}

/* Has the family sequences of tokens? */
static bool has_tokens(const struct nadi_model *m)
{
    return nadi_model_is_transformer(m) || m->family == NADI_FAMILY_RNN;
}

static bool of_work(struct nadi_model_plan *p, const struct nadi_model *m, struct nadi_diags *diags)
{
    static const char tp[] = "set tp above 1, or leave it out";
    const bool narrow = p->precision == NADI_FP8 || p->precision == NADI_FP4;
    const bool plain = !p->flash || p->portable;
    const struct row rows[] = {
        {"sequence", p->tokens > 0 || !has_tokens(m), has_tokens(m), "", "leave it out",
         "is the length of a sequence, but the model has none"},
        {"target-sequence", p->target_tokens > 0,
         m->family == NADI_FAMILY_ENCODER_DECODER || m->family == NADI_FAMILY_RNN, "",
         "leave it out; `sequence` is the length of all",
         "is for an encoder-decoder, which the model is not"},
        {"chunk", p->chunk > 0, p->mode == NADI_MODE_PREFILL, "mode",
         "set mode to prefill, or leave it out", "is for prefill"},
        {"sequence-parallel", !p->sequence_parallel && p->tp > 1,
         p->mode != NADI_MODE_DECODE || m->experts > 0, "mode tp", "leave it out",
         "says how tokens of a sequence are split, but decode has one token a sequence"},
        {"context", p->context != NADI_CONTEXT_RING, p->cp > 1, "cp",
         "set cp above 1, or leave it out", "says how ranks share a sequence, but cp is 1"},
        {"schedule", p->schedule != NADI_SCHEDULE_1F1B, p->pp > 1, "pp",
         "set pp above 1, or leave it out", "is the order of a pipeline, but pp is 1"},
        {"schedule",
         p->schedule != NADI_SCHEDULE_1F1B && p->schedule != NADI_SCHEDULE_INTERLEAVED && p->pp > 1,
         p->mode == NADI_MODE_TRAIN, "mode", "leave it out, or set mode to train",
         "is the order of forward and backward passes, and inference has forward passes only"},
        {"prefetch", p->prefetch != 1, fetches_ahead(p),
         "zero overlap-parameters execution offload place mode",
         "shard parameters (zero 3, or 1 and 2 with overlap-parameters) or place them elsewhere, "
         "or leave it out",
         "says how many layers are fetched ahead, but nothing is"},
        {"attention-kernel", plain, nadi_model_is_transformer(m), "", "leave it out",
         "is for attention, which the model has not"},
        {"tp-overlap", p->tp_overlap > 0, p->tp > 1, "tp", tp,
         "hides transfers of tensor parallelism, but tp is 1"},
        {"narrow-transfers", p->narrow_transfers, narrow, "precision",
         "set precision to fp8 or fp4, or leave it out",
         "sends what is computed in fp8 or fp4 in 8 bits, but nothing is"},
        {"narrow-transfers", p->narrow_transfers, !narrow || p->tp > 1, "tp", tp,
         "is for transfers of tensor parallelism, but tp is 1"},
    };
    return check(p, rows, COUNT(rows), diags);
}

bool nadi_plan_check_idle(struct nadi_model_plan *p, const struct nadi_model *m,
                          struct nadi_diags *diags)
{
    p->idle = 0;
    const bool training = of_training(p, m, diags), experts = of_experts(p, m, diags);
    return of_work(p, m, diags) && training && experts;
}
