#include "model/hf.h"

#include "base/str.h"
#include "model/hf_class.h"

/* The encoder of pictures that every Llama 4 has and its published totals count: 34 layers of width
 * 1408 and 5632, patches of 3 x 14 x 14 at 24 x 24 places and one more, 5632 x 4096, 4096 x 4096
 * and 4096 x 5120 behind them. */
enum { LLAMA4_VISION = 871932416 };

static const char *text_at(const struct nadi_doc_node *map, const char *key)
{
    const struct nadi_doc_node *node = nadi_doc_find(map, key);
    return node && node->kind == NADI_DOC_SCALAR ? node->text : "";
}

/* ---- filling ------------------------------------------------------------------------------- */

static void fill_norms(struct nadi_model *m, struct nadi_hf_config *c,
                       const struct nadi_hf_rule *rule)
{
    const bool wanted =
        nadi_hf_truth(c, "use_qk_norm qk_layernorm qk_norm", !(rule->flags & NADI_HF_QK_NORM_IF));
    m->norms_per_layer = rule->norms ? rule->norms : 2;
    m->layernorm = rule->flags & NADI_HF_LAYERNORM;
    m->embedding_norm = rule->flags & NADI_HF_EMBEDDING_NORM;
    m->final_norm = !(rule->flags & NADI_HF_NO_FINAL_NORM);
    if (wanted && rule->flags & NADI_HF_QK_NORM)
        m->qk_norm = NADI_QK_NORM_HEAD;
    else if (wanted && rule->flags & NADI_HF_QK_NORM_WHOLE)
        m->qk_norm = NADI_QK_NORM_WHOLE;
}

static bool fill_attention(struct nadi_model *m, struct nadi_hf_config *c,
                           const struct nadi_hf_rule *rule)
{
    if (!(rule->flags & NADI_HF_LISTS) || !nadi_hf_list(c, "num_kv_heads"))
        m->kv_heads = nadi_hf_number(c, "num_key_value_heads num_kv_heads n_head_kv", 0);
    m->head_dim = nadi_hf_number(c, "head_dim attention_head_dim", 0);
    if (!(rule->flags & NADI_HF_LATENT))
        return true;
    m->kv_rank = nadi_hf_number(c, "kv_lora_rank", 0);
    m->query_rank = nadi_hf_number(c, "q_lora_rank", 0);
    m->rope_dim = nadi_hf_number(c, "qk_rope_head_dim", 0);
    m->value_dim = nadi_hf_number(c, "v_head_dim", 0);
    const uint32_t nope = nadi_hf_number(c, "qk_nope_head_dim", 0);
    (void)nadi_hf_find(c, "qk_head_dim"); /* the sum of two of these */
    m->latent = m->kv_rank && nadi_hf_truth(c, "use_mla", true);
    if (!m->latent) {
        m->kv_rank = m->query_rank = m->rope_dim = m->value_dim = 0;
        return true;
    }
    m->head_dim = nope;
    m->kv_heads = 0;
    const struct nadi_doc_node *bias = nadi_hf_find(c, "attention_bias");
    return !bias || !nadi_hf_is_true(bias) ||
           nadi_hf_refuse(c, bias, "latent attention with biases");
}

static void fill_experts(struct nadi_model *m, struct nadi_hf_config *c,
                         const struct nadi_hf_rule *rule)
{
    if (!(rule->flags & NADI_HF_EXPERTS))
        return;
    const bool has_width =
        nadi_hf_find(c, "moe_intermediate_size") && nadi_hf_number(c, "moe_intermediate_size", 0);
    m->experts = nadi_hf_no_null(
        c, "num_local_experts n_routed_experts num_experts num_routed_experts moe_num_experts",
        has_width);
    m->top_k = nadi_hf_number(c,
                              "num_experts_per_tok num_experts_per_token experts_per_token "
                              "num_selected_experts moe_k moe_topk moe_top_k top_k_experts",
                              0);
    m->expert_ffn = nadi_hf_no_null(c, "moe_intermediate_size", m->experts > 0);
    m->shared_experts = nadi_hf_number(
        c, "n_shared_experts num_shared_experts num_shared_expert moe_num_shared_experts", 0);
    const uint32_t width = nadi_hf_number(c,
                                          "shared_expert_intermediate_size "
                                          "moe_shared_expert_intermediate_size "
                                          "shared_intermediate_size",
                                          0);
    m->shared_ffn = (uint64_t)width * (m->shared_experts ? m->shared_experts : 1);
    m->router_bias = rule->flags & NADI_HF_ROUTER_BIAS;
    if (strcmp(nadi_hf_text(c, "topk_method"), "noaux_tc") == 0)
        m->router_bias = true;
    (void)nadi_hf_find(c, "use_routing_bias use_moe_router_bias");
    m->shared_gate = rule->flags & NADI_HF_SHARED_GATE;
}

/* ---- what differs from layer to layer ------------------------------------------------------ */

struct layer_lists {
    const struct nadi_doc_node *frequency, *kinds, *dense; /* of experts, item by item */
    const struct nadi_doc_node *types;                     /* of attention */
    uint32_t first, every, step;
    const char *pattern; /* "LLLG" */
    uint32_t windowed_every, first_windowed;
};

static void read_expert_keys(struct layer_lists *l, struct nadi_hf_config *c)
{
    l->first = nadi_hf_number(c, "first_k_dense_replace", 0);
    l->step = nadi_hf_number(c, "decoder_sparse_step", 1);
    l->frequency = nadi_hf_list(c, "moe_layer_freq is_moe_layer");
    l->every = l->frequency ? 1 : nadi_hf_number(c, "moe_layer_freq", 1);
    l->dense = nadi_hf_list(c, "mlp_only_layers");
    l->kinds = nadi_hf_list(c, "mlp_layer_types");
}

static bool has_experts(struct nadi_hf_config *c, const struct layer_lists *l, uint32_t i,
                        const struct nadi_doc_node *frequency, const struct nadi_doc_node *kind)
{
    if (kind)
        return kind->kind == NADI_DOC_SCALAR && strcmp(kind->text, "dense") != 0;
    if (frequency)
        return nadi_hf_is_true(frequency);
    return i >= l->first && i % l->every == 0 && (i + 1) % l->step == 0 &&
           !nadi_hf_lists_number(c, l->dense, i);
}

static void read_window_keys(struct nadi_model *m, struct layer_lists *l, struct nadi_hf_config *c,
                             const struct nadi_hf_rule *rule)
{
    l->types = nadi_hf_list(c, "layer_types");
    const uint32_t first = nadi_hf_number(c, "max_window_layers", 0);
    if (!(rule->flags & NADI_HF_WINDOW))
        return;
    l->first_windowed = rule->flags & NADI_HF_WINDOW_SWITCH ? first : 0;
    const bool wanted =
        nadi_hf_truth(c, "use_sliding_window", !(rule->flags & NADI_HF_WINDOW_SWITCH));
    const uint32_t window = nadi_hf_number(c, "sliding_window sliding_window_size", 0);
    const struct nadi_doc_node *pattern =
        nadi_hf_find(c, "sliding_window_pattern _sliding_window_pattern");
    const bool text = pattern && pattern->kind == NADI_DOC_SCALAR && pattern->quoted;
    l->pattern = text ? pattern->text : "";
    l->windowed_every = text ? 0
                             : nadi_hf_number(c, "sliding_window_pattern _sliding_window_pattern",
                                              rule->windowed_every);
    m->window = wanted ? window : 0;
}

static bool is_windowed(const struct nadi_model *m, const struct layer_lists *l, uint32_t i,
                        const struct nadi_doc_node *type)
{
    if (!m->window)
        return false;
    if (type)
        return strcmp(type->text, "sliding_attention") == 0 ||
               strcmp(type->text, "chunked_attention") == 0;
    if (*l->pattern)
        return i + 1 < m->layers && l->pattern[i % strlen(l->pattern)] == 'L';
    if (l->windowed_every)
        return (i + 1) % l->windowed_every != 0;
    return i >= l->first_windowed;
}

static bool check_types(struct nadi_hf_config *c, const struct layer_lists *l,
                        const struct nadi_hf_rule *rule)
{
    static const char known[] =
        "full_attention sliding_attention chunked_attention attention global_attention "
        "deepseek_sparse_attention";
    const char *more = rule->words ? rule->words : "";
    for (const struct nadi_doc_node *t = l->types ? l->types->first : NULL; t; t = t->next) {
        if (t->kind == NADI_DOC_SCALAR &&
            (nadi_hf_has_word(known, t->text) || nadi_hf_has_word(more, t->text)))
            continue;
        return (c->ok = nadi_error(c->diags, "model/unmodelled", nadi_doc_place(c->doc, t), NULL,
                                   "model_type '%s' has layers of '%s' in 'layer_types', which are "
                                   "not modelled",
                                   c->type, t->kind == NADI_DOC_SCALAR ? t->text : "a list"));
    }
    return true;
}

/* Lists with an item a layer must have as many. */
static bool check_length(struct nadi_hf_config *c, const struct nadi_doc_node *list,
                         uint32_t layers)
{
    if (!list || list->count == layers)
        return true;
    return (c->ok = nadi_error(c->diags, "model/config", nadi_doc_place(c->doc, list), NULL,
                               "'%s' has %" PRIu32 " items, and there are %" PRIu32 " layers",
                               nadi_doc_key(list), list->count, layers));
}

static bool fill_layers(struct nadi_model *m, struct nadi_hf_config *c,
                        const struct nadi_hf_rule *rule)
{
    struct layer_lists l = {.every = 1, .step = 1, .pattern = ""};
    if (rule->flags & NADI_HF_EXPERTS)
        read_expert_keys(&l, c);
    read_window_keys(m, &l, c, rule);
    if (!check_types(c, &l, rule) || !check_length(c, l.types, m->layers) ||
        !nadi_hf_has_only(c, l.kinds, "dense sparse moe hash_moe") ||
        !nadi_hf_has_only(c, l.frequency, "0 1 true false") ||
        !check_length(c, l.kinds, m->layers) || !check_length(c, l.frequency, m->layers))
        return false;
    if (!l.every || !l.step)
        return (c->ok = nadi_error(c->diags, "model/config", NADI_IN_FILE(c->doc->path), NULL,
                                   "'moe_layer_freq' and 'decoder_sparse_step' are at least 1"));
    if (m->family == NADI_FAMILY_ENCODER_DECODER || (!m->experts && !m->window))
        return true;
    uint8_t *flags = NADI_ARENA_ZNEW(&m->arena, uint8_t, m->layers);
    const struct nadi_doc_node *type = l.types ? l.types->first : NULL;
    const struct nadi_doc_node *kind = l.kinds ? l.kinds->first : NULL;
    const struct nadi_doc_node *frequency = l.frequency ? l.frequency->first : NULL;
    for (uint32_t i = 0; i < m->layers; i++) {
        if (m->experts && has_experts(c, &l, i, frequency, kind))
            flags[i] |= NADI_LAYER_EXPERTS;
        if (is_windowed(m, &l, i, type))
            flags[i] |= NADI_LAYER_WINDOWED;
        type = type ? type->next : NULL;
        kind = kind ? kind->next : NULL;
        frequency = frequency ? frequency->next : NULL;
    }
    m->layer_flags = flags;
    return true;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool fill_sizes(struct nadi_model *m, struct nadi_hf_config *c,
                       const struct nadi_hf_rule *rule)
{
    const struct nadi_doc_node *list = nadi_hf_list(c, "layers_block_type");
    m->layers =
        nadi_hf_number(c,
                       "num_hidden_layers n_layer n_layers num_layers num_transformer_layers depth "
                       "encoder_layers",
                       list ? list->count : 0);
    m->hidden = nadi_hf_number(c, "hidden_size n_embd d_model n_embed model_dim", 0);
    if (!(rule->flags & NADI_HF_LISTS) || !nadi_hf_list(c, "num_heads"))
        m->heads =
            nadi_hf_number(c, "num_attention_heads n_head n_heads num_heads attention_heads", 0);
    if (!(rule->flags & NADI_HF_LISTS) || !nadi_hf_list(c, "intermediate_size"))
        m->ffn =
            nadi_hf_no_null(c, "intermediate_size n_inner ffn_dim d_ff dff ffn_hidden_size", false);
    m->vocab = nadi_hf_number(c, "vocab_size", 0);
    m->max_positions = nadi_hf_number(
        c, "max_position_embeddings n_positions n_ctx max_seq_len max_sequence_length", 0);
    if (rule->flags & NADI_HF_SHIFTED)
        m->max_positions += 2;
    m->lookups = m->expert_every = 1;
    if (m->family == NADI_FAMILY_ENCODER)
        m->token_types = nadi_hf_number(c, "type_vocab_size", 0);
    if (m->layers > NADI_MODEL_MOST_LAYERS)
        return (c->ok = nadi_error(c->diags, "model/config", NADI_IN_FILE(c->doc->path), NULL,
                                   "%" PRIu32 " layers; at most %d are read", m->layers,
                                   NADI_MODEL_MOST_LAYERS));
    return true;
}

static void fill_biases(struct nadi_model *m, struct nadi_hf_config *c,
                        const struct nadi_hf_rule *rule)
{
    m->biases = rule->biases;
    for (size_t i = 0; i < sizeof(rule->bias) / sizeof(rule->bias[0]) && rule->bias[i].key; i++)
        if (nadi_hf_truth(c, rule->bias[i].key, rule->bias[i].absent))
            m->biases |= rule->bias[i].biases;
}

/* "vision": the tokens of a picture see each other whole, those of words do not. */
static bool is_causal(struct nadi_hf_config *c)
{
    const char *word = nadi_hf_text(c, "use_bidirectional_attention");
    return nadi_str_equal(word, "vision") ||
           (!nadi_str_equal(word, "all") &&
            !nadi_hf_truth(c, "use_bidirectional_attention", false));
}

static bool fill(struct nadi_model *m, struct nadi_hf_config *c, const struct nadi_hf_rule *rule)
{
    m->family = rule->family;
    m->positions = rule->positions;
    m->head = rule->head;
    m->gated = rule->flags & NADI_HF_GATED;
    m->sinks = rule->flags & NADI_HF_SINKS;
    m->causal = is_causal(c);
    m->tied = nadi_hf_truth(c, "tie_word_embeddings", rule->flags & NADI_HF_TIED);
    if (!fill_sizes(m, c, rule))
        return false;
    fill_norms(m, c, rule);
    fill_biases(m, c, rule);
    fill_experts(m, c, rule);
    return fill_attention(m, c, rule) && fill_layers(m, c, rule) &&
           (!rule->special || rule->special(m, c));
}

/* What the class says about the output layer; false with an error where it is not known. */
static bool check_class(struct nadi_model *m, struct nadi_hf_config *c,
                        const struct nadi_hf_rule *rule)
{
    char plain[128];
    enum nadi_hf_class kind = NADI_HF_CLASS_UNKNOWN;
    const char *name = nadi_hf_class_of(c->map);
    if (!*name)
        return true;
    nadi_hf_plain_name(name, plain);
    if (nadi_hf_rule_fits(rule, plain, &kind) == 0 && m->family != NADI_FAMILY_ENCODER)
        return nadi_error(
            c->diags, "model/type", nadi_doc_place(c->doc, nadi_doc_find(c->map, "architectures")),
            "where its layers are those of the type, leave 'architectures' out of a copy of the "
            "file",
            "the class '%s' is not known of model_type '%s'", name, c->type);
    if (m->family != NADI_FAMILY_ENCODER && kind == NADI_HF_CLASS_WITHOUT_HEAD &&
        !(rule->flags & NADI_HF_MODEL_HAS_HEAD))
        m->head = NADI_HEAD_NONE;
    return !(rule->flags & NADI_HF_OF_WORDS) || nadi_hf_word_head(m, c);
}

/* An encoder of pictures and one of words; the first is simulated. */
static bool has_two_towers(const struct nadi_doc_node *root)
{
    return nadi_hf_has_word("clip siglip siglip2", text_at(root, "model_type"));
}

/* The language model within a model of pictures or sounds. */
static const struct nadi_doc_node *language_part(const struct nadi_doc_node *root)
{
    static const char *const names[] = {"text_config", "llm_config", "language_config"};
    if (has_two_towers(root)) {
        const struct nadi_doc_node *tower = nadi_doc_find(root, "vision_config");
        return tower && tower->kind == NADI_DOC_MAP ? tower : NULL;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct nadi_doc_node *part = nadi_doc_find(root, names[i]);
        if (part && part->kind == NADI_DOC_MAP)
            return part;
    }
    return NULL;
}

/* "vision_config", "visual", "img_processor", or the name of an encoder: "mm_vision_tower". */
static bool is_other_part(const struct nadi_doc_node *node)
{
    const char *key = nadi_doc_key(node);
    if (node->kind == NADI_DOC_SCALAR)
        return nadi_str_equal(key, "mm_vision_tower") && *node->text &&
               !nadi_str_equal(node->text, "null");
    return node->kind == NADI_DOC_MAP &&
           (nadi_str_starts(key, "vision") || nadi_str_starts(key, "audio") ||
            nadi_str_starts(key, "visual") || nadi_str_equal(key, "img_processor"));
}

static bool has_other_part(const struct nadi_doc_node *root)
{
    for (const struct nadi_doc_node *node = root->first; node; node = node->next)
        if (is_other_part(node))
            return true;
    return false;
}

static void note_part(struct nadi_hf_config *c, const struct nadi_model *m,
                      const struct nadi_doc_node *root)
{
    struct nadi_str others = NADI_STR_INIT;
    for (const struct nadi_doc_node *node = root->first; node; node = node->next)
        if (node != c->map && is_other_part(node))
            nadi_str_printf(&others, "%s'%s'",
                            others.length ? ", " : "; not: ", nadi_doc_key(node));
    if (has_two_towers(root))
        nadi_note(c->diags, "model/part", NADI_IN_FILE(c->doc->path), NULL,
                  "only the encoder of pictures ('%s') is simulated; that of words is %scounted",
                  c->type, m->beside > 0 ? "" : "not ");
    else if (m->beside > 0)
        nadi_note(
            c->diags, "model/part", NADI_IN_FILE(c->doc->path), NULL,
            "only the language model ('%s') is simulated; its encoder of pictures or sounds is "
            "counted",
            c->type);
    else
        nadi_note(c->diags, "model/part", NADI_IN_FILE(c->doc->path), NULL,
                  "only the language model ('%s') is counted and simulated%s", c->type,
                  nadi_str_get(&others));
    nadi_str_release(&others);
}

static void note_further_layers(struct nadi_hf_config *c)
{
    const struct nadi_doc_node *node =
        nadi_hf_find(c, "num_nextn_predict_layers num_mtp_modules mtp_num_hidden_layers");
    if (node && node->kind == NADI_DOC_SCALAR && strcmp(node->text, "0") != 0 &&
        nadi_doc_classify(c->doc, node, NULL) == NADI_DOC_INTEGER)
        nadi_note(c->diags, "model/part", nadi_doc_key_place(c->doc, node), NULL,
                  "the layers that predict further tokens ('%s') are neither counted nor simulated",
                  nadi_doc_key(node));
}

static void name_model(struct nadi_model *m, const struct nadi_hf_config *c,
                       const struct nadi_doc_node *root, bool part)
{
    const char *name = text_at(root, "_name_or_path");
    if (!*name)
        name = text_at(root, "model_type");
    if (!*name)
        name = c->type;
    const char *what = has_two_towers(root) ? "encoder of pictures" : "language model";
    m->name = part ? nadi_arena_printf(&m->arena, "%s (its %s)", name, what)
                   : nadi_arena_strdup(&m->arena, name);
    m->source = nadi_arena_strdup(&m->arena, c->doc->path);
}

/* Where the rule comes from: the type of the map, what the model around it takes, or the class. */
static const struct nadi_hf_rule *find_rule(struct nadi_hf_config *c,
                                            const struct nadi_doc_node *root, bool part)
{
    const char *outer = text_at(root, "model_type"), *own = text_at(c->map, "model_type");
    const struct nadi_hf_rule *rule = nadi_hf_rule_find(outer);
    const char *language = nadi_hf_container(outer);
    const struct nadi_doc_node *at = nadi_doc_find(root, "model_type");
    if (part && rule && rule->refused) {
        c->type = outer;
        nadi_hf_refuse_mechanism(c, rule);
        return NULL;
    }
    if (part && !language && rule)
        language = outer; /* its own keys, as a part */
    if (part && !language) {
        nadi_hf_refuse_type(c, at, outer);
        return NULL;
    }
    if ((part && !*own) || (!part && !rule && language))
        own = language;
    c->type = own;
    rule = nadi_hf_rule_find(own);
    const struct nadi_hf_rule *other = nadi_hf_rule_of_override(nadi_hf_class_of(c->map));
    if (other)
        rule = other;
    if (!rule && !*own && !part && nadi_doc_find(root, "ssm_cfg")) {
        c->type = "mamba_ssm";
        rule = nadi_hf_rule_find(c->type);
    }
    if (!rule && !*own && *nadi_hf_class_of(c->map)) {
        c->type = nadi_hf_class_of(c->map);
        rule = nadi_hf_rule_of_class(c->type);
    }
    if (!rule)
        nadi_hf_refuse_type(c, nadi_doc_find(c->map, "model_type"), c->type);
    else if (rule->refused)
        nadi_hf_refuse_mechanism(c, rule);
    return rule && !rule->refused ? rule : NULL;
}

bool nadi_hf_is_config(const struct nadi_doc *doc)
{
    return doc->root && doc->root->kind == NADI_DOC_MAP &&
           (nadi_doc_find(doc->root, "model_type") || nadi_doc_find(doc->root, "architectures") ||
            nadi_doc_find(doc->root, "ssm_cfg"));
}

bool nadi_hf_fill(struct nadi_model *m, const struct nadi_doc *doc, struct nadi_diags *diags)
{
    struct nadi_hf_config c = {.doc = doc, .map = doc->root, .diags = diags, .ok = true};
    const struct nadi_doc_node *part = language_part(doc->root);
    if (part)
        c.map = part;
    const char *outer = text_at(doc->root, "model_type");
    const struct nadi_hf_rule *rule = find_rule(&c, doc->root, part);
    if (!rule)
        return false;
    const struct nadi_doc_node *map = c.map;
    c.absent = rule->absent;
    c.ignored = rule->ignored;
    m->family = rule->family;
    const bool beside = part || has_other_part(doc->root);
    name_model(m, &c, doc->root, beside);
    if (!fill(m, &c, rule) || !c.ok)
        return false;
    c.map = map;
    if (!nadi_hf_check_activations(&c, m->gated))
        return false;
    const struct nadi_doc_node *tie = nadi_doc_find(doc->root, "tie_word_embeddings");
    if (part && tie && tie->kind == NADI_DOC_SCALAR)
        m->tied = nadi_hf_is_true(tie);
    const bool outer_class = !part && nadi_hf_container(outer);
    if (!outer_class && !check_class(m, &c, rule))
        return false;
    note_further_layers(&c);
    if (!nadi_hf_check_unread(&c, map))
        return false;
    if (beside)
        m->beside = strcmp(outer, "llama4") == 0
                        ? LLAMA4_VISION
                        : nadi_hf_pictures(&c, doc->root, outer, m->hidden);
    if (beside)
        note_part(&c, m, doc->root);
    return c.ok;
}

bool nadi_hf_fill_part(struct nadi_model *m, const struct nadi_doc *doc,
                       const struct nadi_doc_node *part, const char *type)
{
    struct nadi_diags diags; /* what is not read is not counted, and said */
    struct nadi_hf_config c = {.doc = doc, .map = part, .diags = &diags, .ok = true};
    const char *own = text_at(part, "model_type");
    const struct nadi_hf_rule *rule = nadi_hf_rule_find(own);
    *m = (struct nadi_model){.name = type, .family = NADI_FAMILY_ENCODER};
    nadi_arena_init(&m->arena);
    nadi_diags_init(&diags);
    if (!rule || rule->refused || rule->family != NADI_FAMILY_ENCODER)
        rule = nadi_hf_rule_find(own = type);
    bool ok = rule && !rule->refused;
    if (ok) {
        c.type = own;
        c.absent = rule->absent;
        c.ignored = rule->ignored;
        ok = fill(m, &c, rule) && c.ok;
        c.map = part;
        ok = ok && nadi_hf_check_unread(&c, part) && nadi_model_check(m, doc->path, &diags);
    }
    nadi_diags_release(&diags);
    return ok;
}
