#include "model/hf.h"

#include "base/str.h"

struct family { /* what an absent key means */
    const char *type;
    enum nadi_family family;
    enum nadi_positions positions;
    enum nadi_model_head head;
    unsigned biases;
    uint32_t norms_per_layer;
    bool layernorm, gated, tied, qk_norm, embedding_norm, no_final_norm, shared_gate, sinks;
};

#define ALL_BIASES (NADI_BIAS_QKV | NADI_BIAS_OUTPUT | NADI_BIAS_MLP | NADI_BIAS_NORM)

static const struct family families[] = {
    /* the first one stands for unknown types */
    {.type = "llama", .positions = NADI_POSITIONS_ROTARY, .gated = true},
    {.type = "mistral", .positions = NADI_POSITIONS_ROTARY, .gated = true},
    {.type = "mixtral", .positions = NADI_POSITIONS_ROTARY, .gated = true},
    {.type = "phi3", .positions = NADI_POSITIONS_ROTARY, .gated = true},
    {.type = "qwen2", .positions = NADI_POSITIONS_ROTARY, .gated = true, .biases = NADI_BIAS_QKV},
    {.type = "qwen2_moe",
     .positions = NADI_POSITIONS_ROTARY,
     .gated = true,
     .biases = NADI_BIAS_QKV,
     .shared_gate = true},
    {.type = "qwen3", .positions = NADI_POSITIONS_ROTARY, .gated = true, .qk_norm = true},
    {.type = "qwen3_moe", .positions = NADI_POSITIONS_ROTARY, .gated = true, .qk_norm = true},
    {.type = "gemma", .positions = NADI_POSITIONS_ROTARY, .gated = true, .tied = true},
    {.type = "gemma2",
     .positions = NADI_POSITIONS_ROTARY,
     .gated = true,
     .tied = true,
     .norms_per_layer = 4},
    {.type = "gemma3",
     .positions = NADI_POSITIONS_ROTARY,
     .gated = true,
     .tied = true,
     .qk_norm = true,
     .norms_per_layer = 4},
    {.type = "gemma3_text",
     .positions = NADI_POSITIONS_ROTARY,
     .gated = true,
     .tied = true,
     .qk_norm = true,
     .norms_per_layer = 4},
    {.type = "glm4", .positions = NADI_POSITIONS_ROTARY, .gated = true, .norms_per_layer = 4},
    {.type = "granite", .positions = NADI_POSITIONS_ROTARY, .gated = true},
    {.type = "gpt_oss",
     .positions = NADI_POSITIONS_ROTARY,
     .gated = true,
     .biases = NADI_BIAS_QKV | NADI_BIAS_OUTPUT | NADI_BIAS_MLP,
     .sinks = true},
    {.type = "cohere",
     .positions = NADI_POSITIONS_ROTARY,
     .gated = true,
     .tied = true,
     .layernorm = true,
     .norms_per_layer = 1},
    {.type = "starcoder2",
     .positions = NADI_POSITIONS_ROTARY,
     .biases = ALL_BIASES,
     .layernorm = true,
     .tied = true},
    {.type = "falcon",
     .positions = NADI_POSITIONS_ROTARY,
     .biases = NADI_BIAS_NORM,
     .layernorm = true,
     .tied = true,
     .norms_per_layer = 1},
    {.type = "gptj",
     .positions = NADI_POSITIONS_ROTARY,
     .biases = NADI_BIAS_MLP | NADI_BIAS_NORM | NADI_BIAS_HEAD,
     .layernorm = true,
     .norms_per_layer = 1},
    {.type = "deepseek_v2", .positions = NADI_POSITIONS_ROTARY, .gated = true},
    {.type = "deepseek_v3", .positions = NADI_POSITIONS_ROTARY, .gated = true},
    {.type = "gpt2",
     .positions = NADI_POSITIONS_LEARNED,
     .biases = ALL_BIASES,
     .layernorm = true,
     .tied = true},
    {.type = "gpt_neox",
     .positions = NADI_POSITIONS_ROTARY,
     .biases = ALL_BIASES,
     .layernorm = true},
    {.type = "opt",
     .positions = NADI_POSITIONS_LEARNED,
     .biases = ALL_BIASES,
     .layernorm = true,
     .tied = true},
    {.type = "bloom",
     .positions = NADI_POSITIONS_NONE,
     .biases = ALL_BIASES,
     .layernorm = true,
     .tied = true,
     .embedding_norm = true},
    {.type = "mpt", .positions = NADI_POSITIONS_NONE, .layernorm = true, .tied = true},
    {.type = "bert",
     .family = NADI_FAMILY_ENCODER,
     .positions = NADI_POSITIONS_LEARNED,
     .head = NADI_HEAD_POOLER,
     .biases = ALL_BIASES,
     .layernorm = true,
     .tied = true,
     .embedding_norm = true,
     .no_final_norm = true},
    {.type = "roberta",
     .family = NADI_FAMILY_ENCODER,
     .positions = NADI_POSITIONS_LEARNED,
     .head = NADI_HEAD_POOLER,
     .biases = ALL_BIASES,
     .layernorm = true,
     .tied = true,
     .embedding_norm = true,
     .no_final_norm = true},
    {.type = "t5",
     .family = NADI_FAMILY_ENCODER_DECODER,
     .positions = NADI_POSITIONS_RELATIVE,
     .tied = true},
};

struct reader {
    const struct nadi_doc *doc;
    const struct nadi_doc_node *map; /* the root, or what it has under text_config */
    struct nadi_diags *diags;
    bool ok;
};

/* The first of the names (separated by blanks) that the file has, not null; NULL if none. */
static const struct nadi_doc_node *find(const struct reader *r, const char *names)
{
    while (*names) {
        char key[64];
        size_t length = strcspn(names, " ");
        NADI_ASSERT(length < sizeof(key));
        memcpy(key, names, length);
        key[length] = '\0';
        const struct nadi_doc_node *node = nadi_doc_find(r->map, key);
        if (node && node->kind == NADI_DOC_SCALAR &&
            nadi_doc_classify(r->doc, node, NULL) != NADI_DOC_NULL)
            return node;
        names += length;
        names += strspn(names, " ");
    }
    return NULL;
}

static uint32_t number(struct reader *r, const char *names, uint32_t absent)
{
    const struct nadi_doc_node *node = find(r, names);
    double value;
    char found[96];
    if (!node)
        return absent;
    if (nadi_doc_classify(r->doc, node, &value) == NADI_DOC_INTEGER && value >= 0 && value <= 1e9)
        return (uint32_t)value;
    r->ok = nadi_error(r->diags, "model/config", nadi_doc_place(r->doc, node), NULL,
                       "'%s' must be a whole number up to 1e9, found %s", nadi_doc_key(node),
                       nadi_doc_describe(r->doc, node, found));
    return absent;
}

static bool truth(const struct reader *r, const char *names, bool absent)
{
    const struct nadi_doc_node *node = find(r, names);
    return node ? nadi_str_equal(node->text, "true") : absent;
}

static const char *text(const struct reader *r, const char *names)
{
    const struct nadi_doc_node *node = find(r, names);
    return node ? node->text : "";
}

/* "LlamaForCausalLM" begins with "llama", underscores aside; how long the type is, or 0. */
static size_t names_type(const char *architecture, const char *type)
{
    size_t length = 0;
    for (; *type; type++) {
        if (*type == '_')
            continue;
        if ((architecture[length] | 0x20) != *type)
            return 0;
        length++;
    }
    return length;
}

/* By the name of the class, where there is no type: the longest that fits. */
static const struct family *family_of_class(const struct reader *r)
{
    const struct nadi_doc_node *list = nadi_doc_find(r->map, "architectures");
    const struct family *best = NULL;
    size_t most = 0;
    if (!list || list->kind != NADI_DOC_LIST || !list->first ||
        list->first->kind != NADI_DOC_SCALAR)
        return NULL;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        const size_t length = names_type(list->first->text, families[i].type);
        if (length > most)
            best = &families[i];
        most = nadi_max_u64(length, most);
    }
    return best;
}

static const struct family *family_of(const struct reader *r)
{
    const char *type = text(r, "model_type");
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (strcmp(families[i].type, type) == 0)
            return &families[i];
    const struct family *by_class = *type ? NULL : family_of_class(r);
    if (by_class)
        return by_class;
    nadi_warning(r->diags, "model/type", NADI_IN_FILE(r->doc->path),
                 "write a model description where that is wrong",
                 "model_type '%s' is not known: taken as '%s'", type, families[0].type);
    return &families[0];
}

/* Every how many layers one without a window, where the file does not say. */
static uint32_t windowed_of(const struct family *f)
{
    if (strcmp(f->type, "gemma2") == 0 || strcmp(f->type, "gpt_oss") == 0)
        return 2;
    return nadi_str_starts(f->type, "gemma3") ? 6 : 0;
}

static void fill_attention(struct nadi_model *m, struct reader *r, const struct family *f)
{
    m->kv_heads = number(r, "num_key_value_heads num_kv_heads", 0);
    if (truth(r, "multi_query", false) && !truth(r, "new_decoder_architecture", false))
        m->kv_heads = 1;
    m->head_dim = number(r, "head_dim d_kv qk_nope_head_dim", 0);
    m->kv_rank = number(r, "kv_lora_rank", 0);
    m->latent = m->kv_rank > 0;
    if (m->latent) {
        m->query_rank = number(r, "q_lora_rank", 0);
        m->rope_dim = number(r, "qk_rope_head_dim", 0);
        m->value_dim = number(r, "v_head_dim", 0);
        m->head_dim = number(r, "qk_nope_head_dim", m->head_dim);
        m->kv_heads = 0;
    }
    if (truth(r, "use_sliding_window", true))
        m->window = number(r, "sliding_window", 0);
    m->full_every = m->window ? number(r, "sliding_window_pattern", windowed_of(f)) : 0;
    if (truth(r, "attention_bias", false))
        m->biases |= NADI_BIAS_QKV | (strcmp(f->type, "glm4") == 0 ? 0 : NADI_BIAS_OUTPUT);
}

static void fill_experts(struct nadi_model *m, struct reader *r, const struct family *f)
{
    m->experts = number(r, "num_local_experts n_routed_experts num_experts", 0);
    if (!m->experts)
        return;
    m->top_k = number(r, "num_experts_per_tok", 1);
    m->expert_ffn = number(r, "moe_intermediate_size", 0);
    m->shared_experts = number(r, "n_shared_experts", 0);
    uint32_t shared = number(r, "shared_expert_intermediate_size", 0);
    if (shared && m->expert_ffn)
        m->shared_experts = shared / m->expert_ffn;
    m->dense_layers = number(r, "first_k_dense_replace", 0);
    m->expert_every = number(r, "decoder_sparse_step moe_layer_freq", 1);
    m->router_bias = strcmp(text(r, "topk_method"), "noaux_tc") == 0 || f->sinks;
    m->shared_gate = f->shared_gate;
}

static void fill_rows(struct nadi_model *m, struct reader *r, const struct family *f)
{
    m->vocab = number(r, "vocab_size", 0);
    m->max_positions =
        number(r, "max_position_embeddings n_positions n_ctx max_seq_len max_sequence_length", 0);
    if (strcmp(f->type, "opt") == 0)
        m->max_positions += 2; /* its table begins with two rows that no token uses */
    m->token_types = number(r, "type_vocab_size", 0);
    m->tied = truth(r, "tie_word_embeddings", f->tied);
}

bool nadi_hf_is_config(const struct nadi_doc *doc)
{
    return doc->root && doc->root->kind == NADI_DOC_MAP &&
           (nadi_doc_find(doc->root, "model_type") || nadi_doc_find(doc->root, "architectures"));
}

bool nadi_hf_fill(struct nadi_model *m, const struct nadi_doc *doc, struct nadi_diags *diags)
{
    struct reader r = {.doc = doc, .map = doc->root, .diags = diags, .ok = true};
    const struct nadi_doc_node *part = nadi_doc_find(doc->root, "text_config");
    if (part && part->kind == NADI_DOC_MAP)
        r.map = part; /* of a model that takes pictures too: its language model */
    const struct family *f = family_of(&r);
    const char *name = text(&r, "_name_or_path");
    m->name = nadi_arena_strdup(&m->arena, *name ? name : f->type);
    m->source = nadi_arena_strdup(&m->arena, doc->path);
    m->family = f->family;
    m->positions = f->positions;
    m->head = f->head;
    m->biases = f->biases;
    m->norms_per_layer = f->norms_per_layer ? f->norms_per_layer : 2;
    m->layernorm = f->layernorm;
    m->qk_norm = f->qk_norm;
    m->sinks = f->sinks;
    m->embedding_norm = f->embedding_norm;
    m->final_norm = !f->no_final_norm;
    m->causal = true;
    m->gated = f->gated || nadi_str_starts(text(&r, "feed_forward_proj"), "gated");
    m->layers = number(&r, "num_hidden_layers n_layer n_layers num_layers", 0);
    if (f->family == NADI_FAMILY_ENCODER_DECODER)
        m->decoder_layers = number(&r, "num_decoder_layers", m->layers);
    m->hidden = number(&r, "hidden_size n_embd d_model", 0);
    m->heads = number(&r, "num_attention_heads n_head n_heads num_heads", 0);
    m->ffn = number(&r, "intermediate_size n_inner ffn_dim d_ff", 0);
    m->lookups = 1;
    fill_rows(m, &r, f);
    fill_attention(m, &r, f);
    fill_experts(m, &r, f);
    return r.ok;
}
