/* plan_write: a plan as the file that gives it again. */
#include "base/str.h"
#include "base/time.h"
#include "compute/kernel.h"
#include "model/plan.h"
#include "settings/schema.h"

struct writer {
    const struct nadi_schema *schema;
    struct nadi_str *out;
    nadi_plan_keys idle; /* keys that have no effect: of a framework's habits */
};

static const struct nadi_setting *key_of(const struct writer *w, const char *key)
{
    for (size_t i = 0; i < w->schema->count; i++)
        if (nadi_str_equal(w->schema->keys[i].name, key))
            return &w->schema->keys[i];
    NADI_BUG("no key '%s'", key);
}

static void text(const struct writer *w, const char *key, const char *value)
{
    const char *preset = key_of(w, key)->preset;
    if (w->idle & nadi_plan_bit(key))
        return;
    if (!preset || !nadi_str_equal(preset, value))
        nadi_str_printf(w->out, "%s: %s\n", key, value);
}

static void count(const struct writer *w, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    text(w, key, digits);
}

static void number(const struct writer *w, const char *key, double value)
{
    char digits[32];
    snprintf(digits, sizeof(digits), "%.17g", value);
    for (int precision = 1; precision < 17; precision++) { /* the shortest that is the same */
        char shorter[32];
        double same;
        snprintf(shorter, sizeof(shorter), "%.*g", precision, value);
        if (nadi_str_take_double(shorter, &same) && !(same < value) && !(same > value)) {
            snprintf(digits, sizeof(digits), "%s", shorter);
            break;
        }
    }
    text(w, key, digits);
}

static void word(const struct writer *w, const char *key, uint32_t value)
{
    text(w, key, key_of(w, key)->words[value]);
}

/* bits: which words of the table. */
static void words(const struct writer *w, const char *key, unsigned bits)
{
    const char *const *table = key_of(w, key)->words;
    if (!bits)
        return;
    nadi_str_printf(w->out, "%s: [", key);
    for (unsigned i = 0, any = 0; table[i]; i++)
        if (bits >> i & 1)
            nadi_str_printf(w->out, "%s%s", any++ ? ", " : "", table[i]);
    nadi_str_add(w->out, "]\n");
}

static void order(const struct writer *w, const struct nadi_model_plan *p)
{
    const char *const *table = key_of(w, "order")->words;
    bool usual = true;
    for (uint32_t i = 0; i < NADI_DEGREES; i++)
        usual &= p->order[i] == (enum nadi_degree)i;
    if (usual)
        return;
    nadi_str_add(w->out, "order: [");
    for (uint32_t i = 0; i < NADI_DEGREES; i++)
        nadi_str_printf(w->out, "%s%s", i ? ", " : "", table[p->order[i]]);
    nadi_str_add(w->out, "]\n");
}

static void stages(const struct writer *w, const struct nadi_model_plan *p)
{
    if (!nadi_plan_has(p, "stage-layers"))
        return;
    nadi_str_add(w->out, "stage-layers: [");
    for (uint32_t i = 0; i < p->stage_count; i++)
        nadi_str_printf(w->out, "%s%u", i ? ", " : "", p->stage_layers[i]);
    nadi_str_add(w->out, "]\n");
}

static void parallel(const struct writer *w, const struct nadi_model_plan *p)
{
    word(w, "mode", p->mode);
    count(w, "ranks", p->ranks);
    nadi_str_printf(w->out, "tp: %u\ncp: %u\npp: %u\n", p->tp, p->cp, p->pp);
    count(w, "vp", p->vp);
    count(w, "dp", p->dp);
    count(w, "ep", p->ep);
    if (p->ep > 1 || p->etp != p->tp)
        count(w, "etp", p->etp);
    order(w, p);
    text(w, "sequence-parallel", p->sequence_parallel ? "1" : "0");
    word(w, "context", p->context);
    if (p->schedule != NADI_SCHEDULE_INTERLEAVED) /* which follows from vp */
        word(w, "schedule", p->schedule);
    stages(w, p);
    count(w, "batch", p->batch);
    count(w, "micro-batch", p->micro_batch);
    count(w, "sequence", p->tokens);
    if (p->target_tokens != p->tokens)
        count(w, "target-sequence", p->target_tokens);
    count(w, "steps", p->steps);
    count(w, "chunk", p->chunk);
}

/* What is offloaded, as `place` where that names the tiers. */
static void place(const struct writer *w, const struct nadi_model_plan *p)
{
    bool any = false;
    for (uint32_t i = 0; i < NADI_PLACED_PARTS; i++) {
        if (!p->place[i])
            continue;
        nadi_str_printf(w->out, "%s%s: \"%s\"", any ? ", " : "place: {", nadi_placed_part_words[i],
                        p->place[i]);
        any = true;
    }
    if (any)
        nadi_str_add(w->out, "}\n");
    else
        words(w, "offload", p->offload);
    number(w, "interleave", p->interleave);
}

void nadi_plan_write(const struct nadi_model_plan *p, const char *head, struct nadi_str *out)
{
    const struct writer all = {nadi_schema_of(NADI_SCHEMA_PLAN), out, p->idle};
    const struct writer *w = &all;
    nadi_str_add(out, head);
    parallel(w, p);
    count(w, "zero", p->zero);
    count(w, "prefetch", p->prefetch);
    count(w, "prefetch-rows", p->prefetch_rows);
    text(w, "overlap-gradients", p->overlap_gradients ? "1" : "0");
    text(w, "overlap-parameters", p->overlap_parameters ? "1" : "0");
    number(w, "bucket", p->bucket_bytes);
    word(w, "recompute", p->recompute);
    count(w, "recompute-layers", p->recompute_layers);
    text(w, "recompute-stops", p->recompute_stops ? "1" : "0");
    word(w, "precision", p->precision);
    number(w, "parameter-bytes", p->parameter_bytes);
    number(w, "cache-bytes", p->cache_bytes);
    count(w, "gradient-bytes", p->mode == NADI_MODE_TRAIN ? p->gradient_bytes : 0);
    word(w, "optimizer", p->optimizer);
    count(w, "optimizer-state-bytes", p->state_bytes);
    text(w, "master-weights", p->master_weights ? "1" : "0");
    word(w, "attention-kernel", p->dense_scores ? 2 : p->portable ? 3 : p->flash ? 0 : 1);
    count(w, "fused-cross-entropy", p->fused_loss);
    text(w, "padded-products", p->padded_products ? "1" : "0");
    text(w, "kernels", p->kernels ? p->kernels->name : "auto");
    text(w, "narrow-transfers", p->narrow_transfers ? "1" : "0");
    count(w, "host-launch", nadi_count_round(p->host_launch_ns));
    number(w, "kernels-an-operation", p->kernels_an_op);
    number(w, "backward-launch", p->backward_launch);
    number(w, "element-traffic", p->element_traffic);
    text(w, "host-ahead", p->host_ahead ? "1" : "0");
    text(w, "cuda-graphs", p->cuda_graphs ? "1" : "0");
    number(w, "tp-overlap", p->tp_overlap);
    text(w, "tp-async", p->tp_async ? "1" : "0");
    word(w, "dispatch", p->once_a_node);
    word(w, "expert-products", p->expert_products);
    number(w, "dispatch-overlap", p->dispatch_overlap);
    count(w, "dispatch-processors", p->dispatch_processors);
    number(w, "capacity", p->capacity);
    number(w, "skew", p->skew);
    place(w, p);
    word(w, "execution", p->streaming);
    word(w, "remote-parameters", p->remote_parameters);
    word(w, "detail", p->detail);
    number(w, "reserve", p->reserve_bytes);
    number(w, "fragmentation", p->fragmentation);
}
