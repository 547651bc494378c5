/* describe: a model description (YAML) to a model, and what every model must satisfy. */
#include "base/time.h"
#include "model/hf.h"
#include "model/model.h"
#include "platform/catalogue.h"

const char *nadi_family_name(enum nadi_model_family family)
{
    static const char *const names[] = {
        "decoder", "encoder", "encoder-decoder", "dlrm", "cnn", "rnn", "mlp", "shapes",
    };
    return names[family];
}

static uint32_t count_of(const struct nadi_schema_values *v, const char *key)
{
    return (uint32_t)nadi_schema_integer(v, key); /* the schema allows up to 1e9 */
}

static bool switch_of(const struct nadi_schema_values *v, const char *key)
{
    return nadi_schema_integer(v, key) == 1;
}

static struct nadi_widths list_of(struct nadi_model *m, const struct nadi_schema_values *v,
                                  const char *key)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    uint64_t *items = NADI_ARENA_NEW(&m->arena, uint64_t, value->count);
    for (uint32_t i = 0; i < value->count; i++)
        items[i] = (uint64_t)value->items[i].integer;
    return (struct nadi_widths){items, value->count};
}

static const char *text_of(struct nadi_model *m, const struct nadi_schema_values *v,
                           const char *key)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? nadi_arena_strdup(&m->arena, value->items[0].text) : NULL;
}

static void fill_transformer(struct nadi_model *m, const struct nadi_schema_values *v)
{
    m->layers = count_of(v, "layers");
    m->decoder_layers = count_of(v, "decoder-layers");
    m->hidden = count_of(v, "hidden");
    m->heads = count_of(v, "heads");
    m->kv_heads = count_of(v, "kv-heads");
    m->head_dim = count_of(v, "head-dim");
    m->ffn = count_of(v, "ffn");
    m->gated = switch_of(v, "gated");
    m->causal = switch_of(v, "causal");
    m->vocab = count_of(v, "vocab");
    m->tied = switch_of(v, "tied");
    m->positions = (enum nadi_positions)nadi_schema_word(v, "positions");
    m->max_positions = count_of(v, "max-positions");
    m->token_types = count_of(v, "token-types");
    m->head = (enum nadi_model_head)nadi_schema_word(v, "head");
    m->layernorm = nadi_schema_word(v, "norm") == 0;
    m->norms_per_layer = count_of(v, "norms-per-layer");
    m->final_norm = switch_of(v, "final-norm");
    m->embedding_norm = switch_of(v, "embedding-norm");
    m->qk_norm = switch_of(v, "qk-norm") ? NADI_QK_NORM_HEAD : NADI_QK_NORM_NONE;
    m->dropout = switch_of(v, "dropout");
    const struct nadi_schema_value *biases = nadi_schema_get(v, "biases");
    for (uint32_t i = 0; i < biases->count; i++)
        m->biases |= 1u << biases->items[i].word;
    m->latent = nadi_schema_word(v, "attention") == 1;
    m->query_rank = count_of(v, "query-rank");
    m->kv_rank = count_of(v, "kv-rank");
    m->rope_dim = count_of(v, "rope-dim");
    m->value_dim = count_of(v, "value-dim");
    m->window = count_of(v, "window");
    m->full_every = count_of(v, "full-every");
    m->experts = count_of(v, "experts");
    m->top_k = count_of(v, "top-k");
    m->expert_ffn = count_of(v, "expert-ffn");
    m->shared_experts = count_of(v, "shared-experts");
    m->dense_layers = count_of(v, "dense-layers");
    m->expert_every = count_of(v, "expert-every");
    m->expert_groups = count_of(v, "expert-groups");
    m->group_limit = count_of(v, "group-limit");
    m->router_bias = switch_of(v, "router-bias");
    m->shared_gate = switch_of(v, "shared-gate");
    m->sinks = switch_of(v, "sinks");
}

static void fill_others(struct nadi_model *m, const struct nadi_schema_values *v)
{
    m->embedding_rows = list_of(m, v, "embedding-rows");
    m->embedding_dim = count_of(v, "embedding-dim");
    m->lookups = count_of(v, "lookups");
    m->bottom_mlp = list_of(m, v, "bottom-mlp");
    m->top_mlp = list_of(m, v, "top-mlp");
    m->image = count_of(v, "image");
    m->channels = count_of(v, "channels");
    m->classes = count_of(v, "classes");
    m->bottleneck = nadi_schema_word(v, "block") == 0;
    m->stages = list_of(m, v, "stages");
    m->widths = list_of(m, v, "widths");
    m->dense = list_of(m, v, "dense");
    m->shapes.positions = list_of(m, v, "layer-positions");
    m->shapes.inputs = list_of(m, v, "layer-inputs");
    m->shapes.windows = list_of(m, v, "layer-windows");
    m->shapes.strides = list_of(m, v, "layer-strides");
    m->shapes.filters = list_of(m, v, "layer-filters");
    m->shapes.norms = list_of(m, v, "layer-norms");
    m->shapes.times = list_of(m, v, "layer-times");
}

struct need { /* a number that a family cannot do without */
    const char *key;
    uint64_t value;
};

struct check {
    struct nadi_model *m;
    const char *path;
    struct nadi_diags *diags;
};

static bool need_all(const struct check *c, const struct need *needs, size_t count)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        if (needs[i].value == 0)
            ok = nadi_error(c->diags, "model/missing", NADI_IN_FILE(c->path), NULL,
                            "a model of family %s needs '%s' of at least 1",
                            nadi_family_name(c->m->family), needs[i].key);
    return ok;
}
#define NEED(c, ...)                                                                               \
    need_all((c), (const struct need[]){__VA_ARGS__},                                              \
             sizeof((const struct need[]){__VA_ARGS__}) / sizeof(struct need))

static bool refuse(const struct check *c, const char *hint, const char *text)
{
    return nadi_error(c->diags, "model/shape", NADI_IN_FILE(c->path), hint, "%s", text);
}

static bool check_latent(const struct check *c)
{
    struct nadi_model *m = c->m;
    if (!m->value_dim)
        m->value_dim = m->head_dim;
    return NEED(c, {"kv-rank", m->kv_rank}, {"rope-dim", m->rope_dim});
}

static bool check_experts(const struct check *c)
{
    struct nadi_model *m = c->m;
    if (!m->expert_ffn)
        m->expert_ffn = m->ffn;
    if (!m->shared_ffn)
        m->shared_ffn = (uint64_t)m->shared_experts * m->expert_ffn;
    if (!NEED(c, {"top-k", m->top_k}, {"expert-every", m->expert_every}))
        return false;
    if (m->top_k > m->experts)
        return refuse(c, NULL, "'top-k' is more than 'experts'");
    if (m->dense_layers > m->layers)
        return refuse(c, NULL, "'dense-layers' is more than 'layers'");
    return true;
}

unsigned nadi_model_layer(const struct nadi_model *m, uint32_t layer)
{
    if (m->layer_flags)
        return m->layer_flags[layer];
    const bool experts =
        m->experts && layer >= m->dense_layers && (layer + 1) % m->expert_every == 0;
    const bool windowed = m->window && !(m->full_every && (layer + 1) % m->full_every == 0);
    return (experts ? (unsigned)NADI_LAYER_EXPERTS : 0) |
           (windowed ? (unsigned)NADI_LAYER_WINDOWED : 0);
}

static bool check_attention(const struct check *c)
{
    struct nadi_model *m = c->m;
    if (!NEED(c, {"heads", m->heads}))
        return false;
    if (!m->kv_heads)
        m->kv_heads = m->heads;
    if (!m->head_dim && m->hidden % m->heads != 0)
        return refuse(c, "give 'head-dim'", "'hidden' is not a multiple of 'heads'");
    if (!m->head_dim)
        m->head_dim = m->hidden / m->heads;
    if (m->kv_heads > m->heads || m->heads % m->kv_heads != 0)
        return refuse(c, NULL, "'heads' is not a multiple of 'kv-heads'");
    return !m->latent || check_latent(c);
}

static bool check_recurrent(const struct check *c)
{
    const struct nadi_recurrent *r = c->m->recurrent;
    const bool state = r->kind != NADI_STATE_NONE;
    return !state || NEED(c, {"heads of recurrent layers", r->heads},
                          {"groups of recurrent layers", r->groups},
                          {"state size", (uint64_t)r->key_dim * r->value_dim},
                          {"chunk", r->kind == NADI_STATE_SCAN ? 1 : r->chunk});
}

/* The model itself or a view. */
static bool check_layers(const struct check *c)
{
    struct nadi_model *m = c->m;
    bool ok = m->no_attention || check_attention(c);
    if (!m->ffn)
        m->ffn = 4 * m->hidden;
    if (m->experts)
        ok &= check_experts(c);
    if (m->recurrent)
        ok &= check_recurrent(c);
    return ok;
}

/* A layer of experts has some. */
static bool check_kinds(const struct check *c)
{
    for (uint32_t i = 0; i < c->m->layers; i++)
        if (nadi_model_layer(c->m, i) & NADI_LAYER_EXPERTS && !nadi_model_view(c->m, i)->experts)
            return refuse(c, NULL, "a layer is one of experts, but 'experts' is 0");
    return true;
}

static bool check_transformer(const struct check *c)
{
    struct nadi_model *m = c->m;
    bool ok = NEED(c, {"layers", m->layers}, {"hidden", m->hidden},
                   {"vocab", m->vocab + (uint64_t)m->patch});
    if (m->family == NADI_FAMILY_ENCODER_DECODER)
        ok &= NEED(c, {"decoder-layers", m->decoder_layers});
    if ((uint64_t)m->layers + m->decoder_layers > NADI_MODEL_MOST_LAYERS)
        return refuse(c, NULL, "a model has at most 100000 layers");
    if (!ok || !check_layers(c))
        return false;
    for (uint32_t i = 0; i < m->view_count; i++)
        ok &= check_layers(&(struct check){&m->views[i], c->path, c->diags});
    ok &= check_kinds(c);
    if (m->positions == NADI_POSITIONS_LEARNED)
        ok &= NEED(c, {"max-positions", m->max_positions});
    m->causal = m->causal && m->family != NADI_FAMILY_ENCODER;
    for (uint32_t i = 0; i < m->view_count; i++)
        m->views[i].causal = m->causal;
    return ok;
}

static bool check_dlrm(const struct check *c)
{
    const struct nadi_model *m = c->m;
    bool ok = NEED(c, {"embedding-rows", m->embedding_rows.count},
                   {"embedding-dim", m->embedding_dim}, {"bottom-mlp", m->bottom_mlp.count},
                   {"top-mlp", m->top_mlp.count}, {"lookups", m->lookups});
    if (ok && m->bottom_mlp.items[m->bottom_mlp.count - 1] != m->embedding_dim)
        return refuse(c, NULL, "'bottom-mlp' must end with 'embedding-dim'");
    return ok;
}

static bool check_cnn(const struct check *c)
{
    const struct nadi_model *m = c->m;
    bool ok = NEED(c, {"stages", m->stages.count}, {"image", m->image}, {"classes", m->classes},
                   {"channels", m->channels});
    if (ok && m->stages.count != m->widths.count)
        return refuse(c, "one width a stage", "'stages' and 'widths' differ in length");
    return ok;
}

enum { MOST_LAYERS = 10000 };

#define MOST_VALUES 1000000000000000ULL

/* Weights, values that are read and that are written, of one sample. */
static bool check_sizes(const struct check *c, uint32_t i)
{
    const struct nadi_shape_lists *l = &c->m->shapes;
    const uint64_t window = l->windows.count ? l->windows.items[i] : 1;
    const uint64_t stride = l->strides.count ? l->strides.items[i] : 1;
    const uint64_t inputs = l->inputs.items[i], filters = l->filters.items[i];
    const uint64_t positions = l->positions.items[i];
    return (nadi_count_mul(nadi_count_mul(inputs, window), filters) <= MOST_VALUES &&
            nadi_count_mul(nadi_count_mul(positions, inputs), stride) <= MOST_VALUES &&
            nadi_count_mul(positions, filters) <= MOST_VALUES) ||
           nadi_error(c->diags, "model/shape", NADI_IN_FILE(c->path), NULL,
                      "layer %u has more than 10^15 weights, or values of a sample", i);
}

static bool check_shapes(const struct check *c)
{
    const struct nadi_shape_lists *l = &c->m->shapes;
    const struct {
        const char *key;
        uint32_t count;
    } lists[] = {{"layer-inputs", l->inputs.count},   {"layer-filters", l->filters.count},
                 {"layer-windows", l->windows.count}, {"layer-strides", l->strides.count},
                 {"layer-norms", l->norms.count},     {"layer-times", l->times.count}};
    uint64_t all = 0;
    if (!NEED(c, {"layer-positions", l->positions.count}, {"layer-inputs", l->inputs.count},
              {"layer-filters", l->filters.count}))
        return false;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (lists[i].count && lists[i].count != l->positions.count)
            return nadi_error(c->diags, "model/shape", NADI_IN_FILE(c->path), "one number a layer",
                              "'layer-positions' has %u numbers, '%s' %u", l->positions.count,
                              lists[i].key, lists[i].count);
    for (uint32_t i = 0; i < l->times.count; i++)
        all += l->times.items[i];
    for (uint32_t i = 0; i < l->positions.count; i++)
        if (!check_sizes(c, i))
            return false;
    return all <= MOST_LAYERS || refuse(c, NULL, "'layer-times' makes more than 10000 layers");
}

static bool check_model(const struct check *c)
{
    struct nadi_model *m = c->m;
    switch (m->family) {
    case NADI_FAMILY_DECODER:
    case NADI_FAMILY_ENCODER:
    case NADI_FAMILY_ENCODER_DECODER:
        return check_transformer(c);
    case NADI_FAMILY_DLRM:
        return check_dlrm(c);
    case NADI_FAMILY_CNN:
        return check_cnn(c);
    case NADI_FAMILY_RNN:
        if (!m->embedding_dim)
            m->embedding_dim = m->hidden;
        return NEED(c, {"layers", m->layers}, {"decoder-layers", m->decoder_layers},
                    {"hidden", m->hidden}, {"vocab", m->vocab});
    case NADI_FAMILY_MLP:
        if (m->widths.count < 2)
            return refuse(c, "for example: widths: [784, 512, 10]",
                          "'widths' needs an input and at least one layer");
        return true;
    case NADI_FAMILY_SHAPES:
        return check_shapes(c);
    }
    NADI_BUG("family %d", (int)m->family);
}

bool nadi_model_check(struct nadi_model *m, const char *path, struct nadi_diags *diags)
{
    return check_model(&(struct check){m, path, diags});
}

static bool fill(struct nadi_model *m, const struct nadi_doc *doc, struct nadi_diags *diags)
{
    struct nadi_schema_values v;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    bool ok = nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_MODEL), doc, true, &arena, diags);
    if (ok) {
        m->family = (enum nadi_model_family)nadi_schema_word(&v, "family");
        m->name = text_of(m, &v, "name");
        m->source = text_of(m, &v, "source");
        m->published = nadi_schema_number(&v, "published");
        m->activated = nadi_schema_number(&v, "activated");
        fill_transformer(m, &v);
        fill_others(m, &v);
    }
    nadi_arena_release(&arena);
    return ok;
}

static void start(struct nadi_model *m)
{
    *m = (struct nadi_model){0};
    nadi_arena_init(&m->arena);
}

static bool from_doc(struct nadi_model *m, struct nadi_doc *doc, struct nadi_diags *diags)
{
    const char *path = nadi_arena_strdup(&m->arena, doc->path);
    bool ok = nadi_hf_is_config(doc) ? nadi_hf_fill(m, doc, diags) : fill(m, doc, diags);
    nadi_doc_release(doc);
    return ok && nadi_model_check(m, path, diags);
}

bool nadi_model_parse(struct nadi_model *m, const char *path, const void *text, size_t bytes,
                      struct nadi_diags *diags)
{
    struct nadi_doc doc;
    start(m);
    return nadi_doc_parse(&doc, path, text, bytes, nadi_doc_syntax_python(path, NADI_DOC_YAML),
                          diags) &&
           from_doc(m, &doc, diags);
}

bool nadi_model_open_changed(struct nadi_model *m, const char *name,
                             const struct nadi_doc_changes *changes, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    start(m);
    return nadi_catalogue_doc_changed(&doc, "models", name, changes, diags) &&
           from_doc(m, &doc, diags);
}

bool nadi_model_open(struct nadi_model *m, const char *name, struct nadi_diags *diags)
{
    return nadi_model_open_changed(m, name, NULL, diags);
}

void nadi_model_release(struct nadi_model *m)
{
    nadi_arena_release(&m->arena);
    *m = (struct nadi_model){0};
}
