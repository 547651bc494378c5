/* plan_read: a plan file and settings of the command line to a plan. */
#include "base/str.h"
#include "compute/kernel.h"
#include "format/doc_change.h"
#include "model/plan.h"
#include "model/set_words.h"
#include "platform/catalogue.h"
#include "settings/schema.h"

static const char settings_name[] = "--set";

/* "tp=8 pp=4, offload=[a,b]" as a YAML map. */
static bool settings_to_yaml(const char *settings, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_set_word word;
    nadi_str_add(out, "{");
    for (const char *at = settings; nadi_set_next(&at, &word, diags);) {
        if (!word.key) {
            nadi_str_add(out, "}");
            return true;
        }
        nadi_str_add(out, out->length > 1 ? ", " : "");
        nadi_str_add_bytes(out, word.key, word.key_length);
        nadi_str_add(out, ": ");
        nadi_str_add_bytes(out, word.value, word.value_length);
    }
    return false;
}

static uint32_t count_of(const struct nadi_schema_values *v, const char *key)
{
    return (uint32_t)nadi_schema_integer(v, key);
}

static bool switch_of(const struct nadi_schema_values *v, const char *key)
{
    return nadi_schema_integer(v, key) == 1;
}

static bool fill_order(struct nadi_model_plan *p, const struct nadi_schema_values *v,
                       struct nadi_diags *diags)
{
    const struct nadi_schema_value *order = nadi_schema_get(v, "order");
    bool seen[NADI_DEGREES] = {false};
    for (uint32_t i = 0; i < NADI_DEGREES; i++)
        p->order[i] = (enum nadi_degree)i;
    if (order->count == 0)
        return true;
    for (uint32_t i = 0; i < order->count && i < NADI_DEGREES; i++) {
        p->order[i] = (enum nadi_degree)order->items[i].word;
        seen[p->order[i]] = true;
    }
    for (uint32_t i = 0; i < NADI_DEGREES; i++)
        if (!seen[i] || order->count != NADI_DEGREES)
            return nadi_error(diags, "plan/order", nadi_doc_place(v->doc, order->node),
                              "for example [tp, cp, dp, pp]",
                              "'order' must name tp, cp, dp and pp, each once");
    return true;
}

static void fill_stages(struct nadi_model_plan *p, const struct nadi_schema_values *v)
{
    const struct nadi_schema_value *stages = nadi_schema_get(v, "stage-layers");
    p->stage_count = stages->count;
    if (!stages->count)
        return;
    p->stage_layers = NADI_ARENA_NEW(&p->arena, uint32_t, stages->count);
    for (uint32_t i = 0; i < stages->count; i++)
        p->stage_layers[i] = (uint32_t)stages->items[i].integer;
}

static void fill_parallel(struct nadi_model_plan *p, const struct nadi_schema_values *v)
{
    p->mode = (enum nadi_mode)nadi_schema_word(v, "mode");
    p->ranks = count_of(v, "ranks");
    p->tp = count_of(v, "tp");
    p->pp = count_of(v, "pp");
    p->dp = count_of(v, "dp");
    p->cp = count_of(v, "cp");
    p->ep = count_of(v, "ep");
    p->etp = count_of(v, "etp");
    p->vp = count_of(v, "vp");
    p->sequence_parallel = switch_of(v, "sequence-parallel");
    p->context = (enum nadi_context)nadi_schema_word(v, "context");
    p->schedule = (enum nadi_schedule_kind)nadi_schema_word(v, "schedule");
    p->batch = count_of(v, "batch");
    p->micro_batch = count_of(v, "micro-batch");
    p->tokens = count_of(v, "sequence");
    p->target_tokens = count_of(v, "target-sequence");
    p->steps = count_of(v, "steps");
    p->chunk = count_of(v, "chunk");
}

const char *const nadi_placed_part_words[NADI_PLACED_PARTS + 1] = {
    "optimizer", "gradients", "parameters", "activations", "experts", "cache", "tables"};

/* "hbm" and "G1" are the device's own memory: what is placed there stays. */
static bool fill_place(struct nadi_model_plan *p, const struct nadi_schema_values *v,
                       const struct nadi_doc *doc, struct nadi_diags *diags)
{
    const struct nadi_schema_value *place = nadi_schema_get(v, "place");
    if (!place->node)
        return true;
    if (nadi_schema_get(v, "offload")->count)
        return nadi_error(diags, "plan/place", nadi_doc_place(doc, place->node),
                          "offload: [optimizer] is place: {optimizer: host}",
                          "'place' and 'offload' say the same thing twice: give one of them");
    for (const struct nadi_doc_node *n = place->node->first; n; n = n->next) {
        uint32_t part = 0;
        while (part < NADI_PLACED_PARTS &&
               strcmp(nadi_placed_part_words[part], nadi_doc_key(n)) != 0)
            part++;
        if (part == NADI_PLACED_PARTS || n->kind != NADI_DOC_SCALAR)
            return nadi_error(diags, "plan/place", nadi_doc_key_place(doc, n),
                              "optimizer, gradients, parameters, activations, experts, cache "
                              "or tables, each with the name of a tier",
                              "'place' cannot put '%.60s' anywhere", nadi_doc_key(n));
        if (strcmp(n->text, "hbm") == 0 || strcmp(n->text, "G1") == 0)
            continue;
        p->offload |= 1u << part;
        p->place[part] = nadi_arena_strdup(&p->arena, n->text);
    }
    return true;
}

static void fill_rest(struct nadi_model_plan *p, const struct nadi_schema_values *v)
{
    p->zero = count_of(v, "zero");
    p->prefetch = count_of(v, "prefetch");
    p->prefetch_rows = count_of(v, "prefetch-rows");
    p->overlap_gradients = switch_of(v, "overlap-gradients");
    p->overlap_parameters = switch_of(v, "overlap-parameters");
    p->bucket_bytes = nadi_schema_number(v, "bucket");
    p->recompute = (enum nadi_recompute)nadi_schema_word(v, "recompute");
    p->recompute_layers = count_of(v, "recompute-layers");
    p->recompute_stops = switch_of(v, "recompute-stops");
    p->precision = (enum nadi_precision)nadi_schema_word(v, "precision");
    p->parameter_bytes = nadi_schema_number(v, "parameter-bytes");
    p->cache_bytes = nadi_schema_number(v, "cache-bytes");
    p->gradient_bytes = count_of(v, "gradient-bytes");
    p->optimizer = (enum nadi_optimizer)nadi_schema_word(v, "optimizer");
    p->state_bytes = count_of(v, "optimizer-state-bytes");
    p->master_weights = switch_of(v, "master-weights");
    p->flash = nadi_schema_word(v, "attention-kernel") != 1;
    p->dense_scores = nadi_schema_word(v, "attention-kernel") == 2;
    p->portable = nadi_schema_word(v, "attention-kernel") >= 2;
    p->narrow_transfers = switch_of(v, "narrow-transfers");
    p->once_a_node = nadi_schema_word(v, "dispatch") == 1;
    p->expert_products = (enum nadi_expert_products)nadi_schema_word(v, "expert-products");
    p->dispatch_overlap = nadi_schema_number(v, "dispatch-overlap");
    p->dispatch_processors = count_of(v, "dispatch-processors");
    p->fused_loss = count_of(v, "fused-cross-entropy");
    p->padded_products = switch_of(v, "padded-products");
    const char *kernels = nadi_schema_get(v, "kernels")->items[0].text;
    p->kernels = nadi_str_equal(kernels, "auto") ? NULL : nadi_compute_model_find(NULL, kernels);
    p->tp_overlap = nadi_schema_number(v, "tp-overlap");
    p->tp_async = switch_of(v, "tp-async");
    p->host_launch_ns = nadi_schema_number(v, "host-launch");
    p->kernels_an_op = nadi_schema_number(v, "kernels-an-operation");
    p->backward_launch = nadi_schema_number(v, "backward-launch");
    p->element_traffic = nadi_schema_number(v, "element-traffic");
    p->host_ahead = switch_of(v, "host-ahead");
    p->cuda_graphs = switch_of(v, "cuda-graphs");
    p->capacity = nadi_schema_number(v, "capacity");
    p->skew = nadi_schema_number(v, "skew");
    const struct nadi_schema_value *offload = nadi_schema_get(v, "offload");
    for (uint32_t i = 0; i < offload->count; i++)
        p->offload |= 1u << offload->items[i].word;
    p->interleave = nadi_schema_number(v, "interleave");
    p->streaming = nadi_schema_word(v, "execution") == 1;
    p->remote_parameters = (enum nadi_remote_parameters)nadi_schema_word(v, "remote-parameters");
    p->detail = (enum nadi_step_detail)nadi_schema_word(v, "detail");
    p->reserve_bytes = nadi_schema_number(v, "reserve");
    p->fragmentation = nadi_schema_number(v, "fragmentation");
}

struct source { /* a document and its values */
    struct nadi_doc doc;
    struct nadi_schema_values values;
    bool is_open;
};

static bool check_source(struct source *s, struct nadi_arena *arena, struct nadi_diags *diags)
{
    return nadi_schema_check(&s->values, nadi_schema_of(NADI_SCHEMA_PLAN),
                             s->is_open ? &s->doc : NULL, true, arena, diags);
}

static bool open_settings(struct source *s, const char *settings, struct nadi_diags *diags)
{
    struct nadi_str yaml = NADI_STR_INIT;
    s->is_open =
        settings_to_yaml(settings, &yaml, diags) &&
        nadi_doc_parse(&s->doc, settings_name, yaml.text, yaml.length, NADI_DOC_YAML, diags);
    nadi_str_release(&yaml);
    return s->is_open;
}

/* Settings replace what the file says, key by key. */
static void overlay(struct nadi_schema_values *values, const struct nadi_schema_values *over)
{
    for (size_t i = 0; i < values->schema->count; i++)
        if (over->items[i].node)
            values->items[i] = over->items[i];
}

/* The framework that settings or file name; its keys are defaults of theirs. */
static bool open_framework(struct source *s, const struct source *base, const struct source *over,
                           struct nadi_arena *arena, struct nadi_diags *diags)
{
    const struct nadi_schema_values *v =
        nadi_schema_is_set(&over->values, "framework") ? &over->values : &base->values;
    const struct nadi_schema_value *name = nadi_schema_get(v, "framework");
    if (name->count) {
        s->is_open = nadi_catalogue_doc(&s->doc, "frameworks", name->items[0].text, diags);
        if (!s->is_open)
            return false;
    }
    if (!check_source(s, arena, diags))
        return false;
    if (!nadi_schema_is_set(&s->values, "framework"))
        return true;
    const struct nadi_schema_value *inner = nadi_schema_get(&s->values, "framework");
    return nadi_error(diags, "plan/framework", nadi_doc_place(&s->doc, inner->node), "leave it out",
                      "a framework's file cannot name another framework");
}

static nadi_plan_keys given_keys(const struct nadi_schema_values *v)
{
    nadi_plan_keys given = 0;
    NADI_ASSERT(v->schema->count <= 128);
    for (size_t i = 0; i < v->schema->count; i++)
        given |= (nadi_plan_keys)(v->items[i].node != 0) << i;
    return given;
}

nadi_plan_keys nadi_plan_bit(const char *key)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_PLAN);
    for (size_t i = 0; i < schema->count; i++)
        if (nadi_str_equal(schema->keys[i].name, key))
            return (nadi_plan_keys)1 << i;
    NADI_BUG("no key '%s'", key);
}

bool nadi_plan_has(const struct nadi_model_plan *p, const char *key)
{
    return p->given & nadi_plan_bit(key);
}

bool nadi_plan_says(const struct nadi_model_plan *p, const char *key)
{
    return p->said & nadi_plan_bit(key);
}

bool nadi_plan_read(struct nadi_model_plan *p, const char *file, const char *settings,
                    struct nadi_diags *diags)
{
    return nadi_plan_read_changed(p, file, settings, NULL, diags);
}

bool nadi_plan_read_changed(struct nadi_model_plan *p, const char *file, const char *settings,
                            const struct nadi_doc_changes *changes, struct nadi_diags *diags)
{
    *p = (struct nadi_model_plan){0};
    nadi_arena_init(&p->arena);
    struct nadi_arena arena;
    struct source base = {0}, over = {0}, under = {0};
    bool ok = true;
    nadi_arena_init(&arena);
    if (file)
        ok = base.is_open =
            nadi_doc_read(&base.doc, file, "plan", nadi_doc_syntax_of(file, NADI_DOC_YAML), diags);
    if (ok && (settings || nadi_doc_changes_any(changes, "plan")))
        ok = open_settings(&over, settings ? settings : "", diags) &&
             nadi_doc_change(&over.doc, changes, "plan", diags);
    ok = ok && check_source(&base, &arena, diags) && check_source(&over, &arena, diags) &&
         open_framework(&under, &base, &over, &arena, diags);
    if (ok) {
        struct nadi_schema_values *v = &under.values;
        overlay(v, &base.values);
        overlay(v, &over.values);
        v->doc = nadi_schema_is_set(&over.values, "order")   ? &over.doc
                 : nadi_schema_is_set(&base.values, "order") ? &base.doc
                                                             : v->doc;
        const struct nadi_schema_value *framework = nadi_schema_get(v, "framework");
        if (framework->count)
            p->framework = nadi_arena_strdup(&p->arena, framework->items[0].text);
        fill_parallel(p, v);
        fill_rest(p, v);
        fill_stages(p, v);
        p->given = given_keys(v);
        p->said = given_keys(&base.values) | given_keys(&over.values);
        if (p->mode != NADI_MODE_TRAIN && !nadi_plan_says(p, "cuda-graphs"))
            p->cuda_graphs =
                !nadi_plan_says(p, "host-launch") && !nadi_plan_says(p, "kernels-an-operation");
        ok = fill_order(p, v, diags) &&
             fill_place(p, v,
                        nadi_schema_is_set(&over.values, "place")   ? &over.doc
                        : nadi_schema_is_set(&base.values, "place") ? &base.doc
                                                                    : &under.doc,
                        diags);
    }
    if (under.is_open)
        nadi_doc_release(&under.doc);
    if (base.is_open)
        nadi_doc_release(&base.doc);
    if (over.is_open)
        nadi_doc_release(&over.doc);
    nadi_arena_release(&arena);
    return ok;
}

void nadi_plan_release(struct nadi_model_plan *p)
{
    nadi_arena_release(&p->arena);
    *p = (struct nadi_model_plan){0};
}
