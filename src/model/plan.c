/* plan: completing a plan and refusing what cannot work. */
#include "model/plan.h"

#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "compute/kernel.h"
#include "model/plan_idle.h"

const char *nadi_schedule_name(enum nadi_schedule_kind kind)
{
    static const char *const names[] = {"1f1b", "gpipe", "interleaved", "zb-h1", "dualpipe"};
    return names[kind];
}

struct resolve {
    struct nadi_model_plan *p;
    const struct nadi_model *m;
    struct nadi_diags *diags;
    bool ok;
};

static void refuse(struct resolve *r, const char *hint, const char *format, ...) NADI_PRINTF(3, 4);

static void refuse(struct resolve *r, const char *hint, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    r->ok = nadi_error(r->diags, "plan/impossible", NADI_IN_FILE("plan"), hint, "%s", text);
}

static void at_least_one(struct resolve *r, const char *key, uint64_t value)
{
    if (value == 0)
        refuse(r, NULL, "'%s' must be at least 1", key);
}

/* `whole` must be a multiple of `part`. */
static void divides(struct resolve *r, const char *part_name, uint64_t part, const char *whole_name,
                    uint64_t whole)
{
    if (part == 0 || whole % part != 0)
        refuse(r, NULL, "%s %" PRIu64 " does not divide %s %" PRIu64, part_name, part, whole_name,
               whole);
}

/* ---- degrees ------------------------------------------------------------------------------- */

static void check_family(struct resolve *r)
{
    const struct nadi_model_plan *p = r->p;
    const char *family = nadi_family_name(r->m->family);
    const bool transformer = nadi_model_is_transformer(r->m);
    const bool split = transformer || r->m->family == NADI_FAMILY_MLP;
    if (!split && (p->tp > 1 || p->pp > 1 || p->vp > 1))
        refuse(r, "use dp", "family %s is run with data parallelism only", family);
    if (!transformer && p->cp > 1)
        refuse(r, NULL, "family %s has no sequence that cp could split", family);
    if (p->ep > 1 && !r->m->experts)
        refuse(r, NULL, "ep %u, but the model has no experts", p->ep);
    if (!transformer && p->mode != NADI_MODE_TRAIN)
        refuse(r, NULL, "family %s is only trained here", family);
    if (r->m->family == NADI_FAMILY_ENCODER_DECODER && p->mode != NADI_MODE_TRAIN)
        refuse(r, NULL, "an encoder-decoder is only trained here");
    if (r->m->causal || !transformer)
        return;
    if (p->mode == NADI_MODE_DECODE)
        refuse(r, "use mode=prefill, a pass over the whole input",
               "tokens of this model see later ones: it does not generate them one by one");
    if (p->mode == NADI_MODE_PREFILL && p->chunk)
        refuse(r, "leave 'chunk' out",
               "tokens of this model see later ones: its input does not pass in chunks");
}

static void resolve_ranks(struct resolve *r)
{
    struct nadi_model_plan *p = r->p;
    at_least_one(r, "tp", p->tp);
    at_least_one(r, "pp", p->pp);
    at_least_one(r, "cp", p->cp);
    at_least_one(r, "ep", p->ep);
    at_least_one(r, "vp", p->vp);
    at_least_one(r, "steps", p->steps);
    if (!r->ok)
        return;
    const uint64_t model_ranks = (uint64_t)p->tp * p->pp * p->cp;
    if (p->dp == 0 && p->ranks) {
        if (p->ranks % model_ranks != 0)
            refuse(r, "change a degree or the number of ranks",
                   "tp x cp x pp = %" PRIu64 " does not divide the %u ranks", model_ranks,
                   p->ranks);
        p->dp = (uint32_t)(p->ranks / model_ranks);
    }
    if (p->dp == 0)
        p->dp = 1;
    const uint64_t all = model_ranks * p->dp;
    if (r->ok && p->ranks && p->ranks != all)
        refuse(r, "leave 'dp' or 'ranks' out", "tp x cp x dp x pp = %" PRIu64 ", but ranks is %u",
               all, p->ranks);
    if (all > INT32_MAX)
        refuse(r, NULL, "%" PRIu64 " ranks are too many", all);
    p->ranks = (uint32_t)all;
}

static void resolve_experts(struct resolve *r)
{
    struct nadi_model_plan *p = r->p;
    const uint64_t grid = (uint64_t)p->tp * p->cp * p->dp;
    if (p->etp == 0)
        p->etp = p->ep > 1 ? 1 : p->tp;
    p->edp = (uint32_t)(grid / ((uint64_t)p->etp * p->ep));
    if (!r->m->experts) {
        p->edp = r->m->family == NADI_FAMILY_DLRM ? 1 : p->dp * p->cp; /* tables have no copy */
        return;
    }
    if (p->edp == 0 || (uint64_t)p->etp * p->ep * p->edp != grid)
        refuse(r, "experts take their ranks from tensor, context and data parallelism",
               "etp x ep = %" PRIu64 " does not divide tp x cp x dp = %" PRIu64,
               (uint64_t)p->etp * p->ep, grid);
    divides(r, "ep", p->ep, "the experts", r->m->experts);
    divides(r, "etp", p->etp, "an expert's width", r->m->expert_ffn);
    if (p->tp > 1 && !p->sequence_parallel)
        refuse(r, "set sequence-parallel", "experts with tp above 1 need sequence parallelism");
}

static void check_heads(struct resolve *r, const struct nadi_model *m)
{
    const struct nadi_model_plan *p = r->p;
    divides(r, "tp", p->tp, "the attention heads", m->heads);
    if (m->kv_heads >= p->tp)
        divides(r, "tp", p->tp, "the key-value heads", m->kv_heads);
    else if (!m->latent)
        divides(r, "the number of key-value heads", m->kv_heads, "tp", p->tp);
    if (p->cp > 1 && p->context == NADI_CONTEXT_ULYSSES) {
        divides(r, "cp", p->cp, "the heads of a tensor rank", m->heads / p->tp);
        if (m->kv_heads / p->tp)
            divides(r, "cp", p->cp, "the key-value heads of a tensor rank", m->kv_heads / p->tp);
    }
}

static void check_recurrent(struct resolve *r, const struct nadi_recurrent *state)
{
    divides(r, "tp", r->p->tp, "the heads of recurrent layers", state->heads);
    if (r->p->cp > 1)
        refuse(r, "set cp=1",
               "recurrent layers ('%s') hand a state from token to token, which is "
               "not modelled over the ranks of context parallelism",
               state->name);
}

/* The model, or the view that some of its layers have. */
static void check_layers(struct resolve *r, const struct nadi_model *m)
{
    if (!m->no_attention)
        check_heads(r, m);
    if (m->recurrent)
        check_recurrent(r, m->recurrent);
    if (!m->no_mlp)
        divides(r, "tp", r->p->tp, "the feed-forward width", m->ffn);
    if (m->shared_ffn)
        divides(r, "tp", r->p->tp, "the shared experts' width", m->shared_ffn);
    if (m->index_top && r->p->cp > 1)
        refuse(r, "set cp=1",
               "an index of the best tokens is not modelled over the ranks of "
               "context parallelism");
    if ((m->token_share || m->tile) && (r->p->cp > 1 || r->p->pp > 1))
        refuse(r, "set cp=1 pp=1",
               "stages of a picture with different widths are not modelled over "
               "the ranks of context or pipeline parallelism");
    if (m->picture_tokens && r->p->cp > 1)
        refuse(r, "set cp=1",
               "attention to pictures is not modelled over the ranks of context "
               "parallelism");
    if (m->shared_weights && r->p->pp > 1)
        refuse(r, "set pp=1",
               "layers share their weights, whose copies on several stages are not "
               "modelled");
}

static void check_transformer(struct resolve *r)
{
    const struct nadi_model_plan *p = r->p;
    const struct nadi_model *m = r->m;
    bool used = m->layer_views == NULL;
    for (uint32_t i = 0; m->layer_views && i < m->layers; i++)
        used |= m->layer_views[i] == 0;
    if (used)
        check_layers(r, m);
    for (uint32_t i = 0; i < m->view_count; i++)
        check_layers(r, &m->views[i]);
    if (p->mode == NADI_MODE_DECODE && p->cp > 1)
        refuse(r, NULL, "one token cannot be split: cp must be 1 in decode");
    if (p->mode != NADI_MODE_DECODE)
        divides(r, "cp", p->cp, "the sequence", p->tokens);
    if (p->mode == NADI_MODE_PREFILL && p->steps > 1)
        refuse(r, "give more sequences in 'batch'",
               "steps is for train and decode, not for prefill");
    if (p->mode == NADI_MODE_PREFILL && p->chunk)
        divides(r, "chunk", p->chunk, "the sequence", p->tokens);
}

/* ---- pipeline ------------------------------------------------------------------------------ */

static uint32_t body_layers(const struct nadi_model *m)
{
    struct nadi_net net;
    struct nadi_shape whole = nadi_shape_whole(1);
    nadi_net_build(&net, m, &whole);
    const uint32_t count = net.body_count;
    nadi_net_release(&net);
    return count;
}

static void check_stages(struct resolve *r, uint32_t stages, uint32_t layers)
{
    const struct nadi_model_plan *p = r->p;
    uint64_t sum = 0;
    if (p->stage_count != stages) {
        refuse(r, "one number a stage, pp x vp of them", "'stage-layers' has %u entries, not %u",
               p->stage_count, stages);
        return;
    }
    for (uint32_t i = 0; i < stages; i++)
        sum += p->stage_layers[i];
    if (sum != layers)
        refuse(r, NULL, "'stage-layers' sums up to %" PRIu64 ", the model has %u layers", sum,
               layers);
}

/* What is left over goes to stages without embedding and head first, the earlier ones before. */
static void spread_layers(uint32_t *per_stage, uint32_t stages, uint32_t layers)
{
    uint32_t left = layers % stages;
    for (uint32_t i = 0; i < stages; i++)
        per_stage[i] = layers / stages;
    for (uint32_t i = 1; i + 1 < stages && left > 0; i++, left--)
        per_stage[i]++;
    for (uint32_t i = 0; i < stages && left > 0; i += stages > 1 ? stages - 1 : 1, left--)
        per_stage[i]++;
}

static void resolve_pipeline(struct resolve *r)
{
    struct nadi_model_plan *p = r->p;
    if (p->vp > 1 && p->schedule == NADI_SCHEDULE_1F1B)
        p->schedule = NADI_SCHEDULE_INTERLEAVED;
    if (p->schedule == NADI_SCHEDULE_INTERLEAVED && p->vp == 1)
        p->schedule = NADI_SCHEDULE_1F1B;
    if (p->vp > 1 && p->pp == 1)
        refuse(r, NULL, "vp is %u, but there is no pipeline", p->vp);
    if (p->vp > 1 && p->schedule != NADI_SCHEDULE_INTERLEAVED)
        refuse(r, "leave 'schedule' out", "vp is for the interleaved schedule, not for %s",
               nadi_schedule_name(p->schedule));
    const uint32_t stages = p->pp * p->vp, layers = body_layers(r->m);
    if (p->stage_layers) {
        check_stages(r, stages, layers);
        return;
    }
    /* embedding and head may each have a stage of their own */
    if (layers < stages && (layers + 2 < stages || !nadi_model_is_transformer(r->m)))
        refuse(r, NULL, "%u layers cannot be split into pp x vp = %u stages", layers, stages);
    p->stage_count = stages;
    p->stage_layers = NADI_ARENA_NEW(&p->arena, uint32_t, stages);
    spread_layers(p->stage_layers, stages, layers);
}

/* Samples that a replica works on at once where the plan does not say: a transformer's activations
 * leave room for few; all others work on what they have at once, in parts that fill the pipeline.
 */
static uint64_t usual_micro_batch(const struct nadi_model_plan *p, const struct nadi_model *m)
{
    enum { MOST_PARTS = 1 << 20 };
    const bool few = nadi_model_is_transformer(m) && p->mode != NADI_MODE_DECODE;
    if (few || p->batch == 0 || p->batch % p->dp != 0)
        return 1;
    const uint64_t share = p->batch / p->dp;
    for (uint64_t parts = p->pp; parts <= share && parts < MOST_PARTS; parts++)
        if (share % parts == 0)
            return share / parts;
    return 1;
}

static void resolve_batch(struct resolve *r)
{
    struct nadi_model_plan *p = r->p;
    if (!p->micro_batch)
        p->micro_batch = usual_micro_batch(p, r->m);
    const uint64_t unit = p->dp * p->micro_batch;
    if (p->batch == 0)
        p->batch = unit * (p->schedule == NADI_SCHEDULE_DUALPIPE ? 2 * p->pp : p->pp);
    if (p->batch % unit != 0)
        refuse(r, NULL,
               "batch %" PRIu64 " is not a multiple of dp x micro-batch = %" PRIu64 "; near ones "
               "are %" PRIu64 " and %" PRIu64,
               p->batch, unit, p->batch / unit * unit, (p->batch / unit + 1) * unit);
    p->micro_batches = p->batch / unit;
    if (p->mode != NADI_MODE_TRAIN)
        return;
    if (p->schedule == NADI_SCHEDULE_INTERLEAVED && p->micro_batches % p->pp != 0)
        refuse(r, NULL,
               "the interleaved schedule needs a multiple of pp = %u micro-batches, not %" PRIu64,
               p->pp, p->micro_batches);
    if (p->schedule == NADI_SCHEDULE_DUALPIPE && p->pp % 2 != 0)
        refuse(r, NULL, "dualpipe needs an even number of stages, not %u", p->pp);
    if (p->schedule == NADI_SCHEDULE_DUALPIPE &&
        (p->micro_batches % 2 != 0 || p->micro_batches < 2 * p->pp))
        refuse(r, NULL,
               "dualpipe needs an even number of at least 2 x pp micro-batches, not %" PRIu64,
               p->micro_batches);
}

/* ---- bytes --------------------------------------------------------------------------------- */

static void check_remote(struct resolve *r)
{
    const struct nadi_model_plan *p = r->p;
    if (p->remote_parameters == NADI_REMOTE_WHOLE)
        return;
    for (int part = 0; part < NADI_PLACED_PARTS; part++)
        if (p->place[part]) {
            refuse(r, "leave one of them out",
                   "'place' puts parts into tiers, 'remote-parameters' is of one remote memory");
            return;
        }
    if (!p->streaming && !(p->offload & NADI_OFFLOAD_PARAMETERS))
        refuse(r, "add execution=streaming or offload=[parameters]",
               "remote-parameters says how parameters come from remote memory, but they stay");
    else if (p->mode != NADI_MODE_TRAIN || p->zero != 3)
        refuse(r, "set zero to 3, in training",
               "what replicas share is kept once in remote memory: parameters must be sharded");
    else if (p->remote_parameters == NADI_REMOTE_IN_SWITCH &&
             (p->dp * p->cp != p->ranks || (r->m->experts && p->edp != 1)))
        refuse(r, "use dp (and cp, ep) only, with ep so large that each expert is on one rank",
               "the pool's switches copy to all ranks: all must hold the same parameters");
}

/* Of these inference has nothing. */
static void check_trained(struct resolve *r)
{
    static const int trained[] = {NADI_PLACED_OPTIMIZER, NADI_PLACED_GRADIENTS,
                                  NADI_PLACED_ACTIVATIONS};
    const struct nadi_model_plan *p = r->p;
    if (p->mode == NADI_MODE_TRAIN)
        return;
    for (size_t i = 0; i < sizeof(trained) / sizeof(trained[0]); i++)
        if (p->place[trained[i]])
            refuse(r, "leave it out, or set mode to train",
                   "place puts %s into a tier, but inference has none",
                   nadi_placed_part_words[trained[i]]);
        else if (p->offload & 1u << trained[i] && nadi_plan_says(p, "offload"))
            refuse(r, "leave it out, or set mode to train",
                   "offload moves %s to the host, but inference has none",
                   nadi_placed_part_words[trained[i]]);
}

/* Of a DLRM the tables, whose rows are changed in place. */
static void check_tables(struct resolve *r)
{
    static const int others[] = {NADI_PLACED_OPTIMIZER, NADI_PLACED_GRADIENTS,
                                 NADI_PLACED_PARAMETERS, NADI_PLACED_ACTIVATIONS};
    const struct nadi_model_plan *p = r->p;
    if (!nadi_model_updates_rows(r->m))
        return;
    if (p->streaming)
        refuse(r, "place={tables: TIER}, from which rows are looked up",
               "execution=streaming moves whole layers, and of a DLRM's tables single rows are "
               "looked up and changed where they lie");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (p->place[others[i]] || ((p->offload & 1u << others[i]) && nadi_plan_says(p, "offload")))
            refuse(r, "place={tables: TIER}, from which rows are looked up",
                   "%s of a DLRM cannot be placed: its tables can",
                   nadi_placed_part_words[others[i]]);
}

static void check_interleave(struct resolve *r)
{
    for (int part = 0; part < NADI_PLACED_PARTS; part++)
        if (r->p->place[part])
            return;
    if (r->p->interleave < 1)
        refuse(r, "say with 'place' which parts lie in which tiers",
               "interleave is the share of what lies in tiers, and nothing does");
}

/* Inference keeps weights as its products take them. FP4 as NVFP4, with a scale of a byte for 16.
 */
double nadi_plan_parameter_bytes(const struct nadi_model_plan *p)
{
    const double operand = nadi_kernel_operand_bytes(p->precision);
    if (p->parameter_bytes > 0)
        return p->parameter_bytes;
    if (p->mode == NADI_MODE_TRAIN)
        return fmax(operand, 2);
    return p->precision == NADI_FP4 ? 0.5625 : operand;
}

static void resolve_bytes(struct resolve *r)
{
    struct nadi_model_plan *p = r->p;
    const bool wide = p->precision == NADI_TF32 || p->precision == NADI_FP32;
    p->activation_bytes = wide ? 4 : 2;
    p->parameter_bytes = nadi_plan_parameter_bytes(p);
    if (!p->gradient_bytes)
        p->gradient_bytes = 4;
    const uint32_t copy = p->master_weights && p->parameter_bytes < 4 ? 4 : 0;
    const uint32_t state = p->state_bytes ? p->state_bytes : 4;
    p->optimizer_bytes = copy + (p->optimizer == NADI_OPTIMIZER_ADAM       ? 2 * state
                                 : p->optimizer == NADI_OPTIMIZER_MOMENTUM ? state
                                                                           : 0);
    if (p->zero > 3)
        refuse(r, NULL, "zero is %u; the stages are 0 to 3", p->zero);
    if (p->zero == 3 && p->pp > 1 && p->schedule == NADI_SCHEDULE_DUALPIPE)
        refuse(r, "use zero 1", "dualpipe holds two stages a rank and cannot shard parameters");
    if ((p->offload & NADI_OFFLOAD_EXPERTS) && !r->m->experts)
        refuse(r, NULL, "place puts experts into a tier, but the model has none");
    if ((p->offload & NADI_OFFLOAD_TABLES) && !nadi_model_updates_rows(r->m))
        refuse(r, NULL, "place puts tables into a tier, but the model has none");
    if (p->prefetch_rows && !(p->offload & NADI_OFFLOAD_TABLES))
        refuse(r, "say with place={tables: TIER} where the tables of a DLRM lie",
               "prefetch-rows loads rows of tables from a tier, and no tables lie in one");
    if ((p->offload & NADI_OFFLOAD_CACHE) &&
        (p->mode == NADI_MODE_TRAIN || !nadi_model_is_transformer(r->m)))
        refuse(r, "set mode to prefill or decode, of a transformer",
               "place puts keys and values into a tier, but nothing is cached");
    check_trained(r);
    check_tables(r);
    check_interleave(r);
    check_remote(r);
    if (p->mode != NADI_MODE_TRAIN)
        p->zero = 0;
}

enum { USUAL_TOKENS = 2048 };

static void resolve_tokens(struct resolve *r)
{
    struct nadi_model_plan *p = r->p;
    const bool learned = r->m->positions == NADI_POSITIONS_LEARNED;
    const uint64_t most = learned ? r->m->max_positions : UINT32_MAX;
    const uint64_t used = p->tokens + (p->mode == NADI_MODE_DECODE ? p->steps : 0);
    const uint32_t fixed = r->m->fixed_tokens;
    if (fixed && p->tokens && p->tokens != fixed)
        refuse(r, "leave 'sequence' out",
               "the model cuts its input into %" PRIu32 " tokens, not %" PRIu64, fixed, p->tokens);
    if (!p->tokens)
        p->tokens = fixed ? fixed : most < USUAL_TOKENS ? most : USUAL_TOKENS;
    else if (used > most)
        nadi_warning(r->diags, "plan/positions", NADI_IN_FILE("plan"),
                     "the model cannot tell later tokens apart; choose a shorter sequence",
                     "%" PRIu64 " tokens, but the model has %" PRIu64 " learned positions", used,
                     most);
    if (!p->target_tokens)
        p->target_tokens = r->m->target_positions ? r->m->target_positions : p->tokens;
}

bool nadi_plan_resolve(struct nadi_model_plan *p, const struct nadi_model *m,
                       struct nadi_diags *diags)
{
    struct resolve r = {p, m, diags, true};
    resolve_ranks(&r);
    if (!r.ok)
        return false;
    r.ok = nadi_plan_check_idle(p, m, diags);
    resolve_tokens(&r);
    p->sequence_parallel = p->sequence_parallel && p->tp > 1 && nadi_model_is_transformer(m);
    check_family(&r);
    if (nadi_model_is_transformer(m))
        check_transformer(&r);
    resolve_experts(&r);
    resolve_pipeline(&r);
    resolve_batch(&r);
    resolve_bytes(&r);
    return r.ok;
}

/* ---- shape --------------------------------------------------------------------------------- */

double nadi_expert_load(uint32_t experts, uint32_t ep, double skew)
{
    double *sums = NADI_ZNEW(double, ep), total = 0, most = 0;
    for (uint32_t i = 0; i < experts; i++) {
        const double share = pow((double)i + 1, -skew);
        const uint32_t turn = i / ep, place = i % ep;
        sums[turn % 2 == 0 ? place : ep - 1 - place] += share;
        total += share;
    }
    for (uint32_t i = 0; i < ep; i++)
        most = sums[i] > most ? sums[i] : most;
    nadi_mem_free(sums);
    return most * ep / total;
}

/* The ranks of a tensor group lie next to one another within a stage, as those of `etp` do. */
static bool etp_is_tp(const struct nadi_model_plan *p)
{
    const uint32_t degrees[NADI_DEGREES] = {
        [NADI_DEGREE_TP] = p->tp, [NADI_DEGREE_CP] = p->cp, [NADI_DEGREE_DP] = p->dp};
    for (uint32_t i = 0; i < NADI_DEGREES && p->order[i] != NADI_DEGREE_TP; i++)
        if (degrees[p->order[i]] > 1)
            return false;
    return p->etp == p->tp;
}

struct nadi_shape nadi_plan_shape(const struct nadi_model_plan *p, const struct nadi_model *m)
{
    struct nadi_shape s = {
        .tp = p->tp,
        .cp = p->cp,
        .ep = p->ep,
        .etp = p->etp,
        .etp_is_tp = etp_is_tp(p),
        .ranks = p->ranks,
        .sequence_parallel = p->sequence_parallel,
        .flash = p->flash,
        .fused_loss = p->fused_loss,
        .dense_scores = p->dense_scores,
        .inference = p->mode != NADI_MODE_TRAIN,
        .grouped_experts = p->expert_products == NADI_EXPERTS_GROUPED ||
                           (p->expert_products == NADI_EXPERTS_AUTO && p->mode != NADI_MODE_TRAIN),
        .context = p->context,
        .batch = p->micro_batch,
        .tokens = p->tokens,
        .target_tokens = p->target_tokens,
        .expert_load = 1,
        .capacity = p->capacity,
        .activation_bytes = p->activation_bytes,
        .gathered_bytes =
            p->narrow_transfers && (p->precision == NADI_FP8 || p->precision == NADI_FP4)
                ? 1
                : p->activation_bytes,
    };
    if (m->experts && p->skew > 0)
        s.expert_load = nadi_expert_load(m->experts, p->ep, p->skew);
    if (p->mode == NADI_MODE_PREFILL && p->chunk)
        s.tokens = p->chunk;
    if (p->mode == NADI_MODE_DECODE) {
        s.tokens = 1;
        s.cached = p->tokens;
        s.sequence_parallel = false; /* one token a sequence */
    }
    return s;
}

double nadi_plan_away_share(const struct nadi_model_plan *p, enum nadi_offload_flag flag)
{
    for (uint32_t part = 0; part < NADI_PLACED_PARTS; part++)
        if (flag == 1u << part && p->place[part])
            return p->interleave;
    return 1;
}

void nadi_plan_summary(const struct nadi_model_plan *p, struct nadi_str *out)
{
    const struct {
        const char *name;
        uint32_t degree;
    } degrees[] = {{"tp", p->tp}, {"cp", p->cp}, {"pp", p->pp}, {"dp", p->dp}, {"ep", p->ep}};
    bool any = false;
    for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++) {
        if (degrees[i].degree == 1)
            continue;
        nadi_str_printf(out, "%s%s %u", any ? ", " : "", degrees[i].name, degrees[i].degree);
        if (strcmp(degrees[i].name, "pp") == 0) {
            nadi_str_printf(out, " (%s", nadi_schedule_name(p->schedule));
            if (p->vp > 1)
                nadi_str_printf(out, ", %u stages a rank", p->vp);
            nadi_str_add_char(out, ')');
        }
        any = true;
    }
    if (!any)
        nadi_str_add(out, "no parallelism");
    if (p->zero)
        nadi_str_printf(out, ", zero %u", p->zero);
}
