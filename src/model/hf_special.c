/* hf_special: architectures whose keys say something in a way of their own. Each is called after
 * the keys that all have. */
#include "base/str.h"
#include "model/hf_layers.h"
#include "model/hf_rules.h"

static uint8_t *new_flags(struct nadi_model *m)
{
    uint8_t *flags = NADI_ARENA_ZNEW(&m->arena, uint8_t, m->layers);
    m->layer_flags = flags;
    return flags;
}

bool nadi_hf_baichuan(struct nadi_model *m, struct nadi_hf_config *c)
{
    if (!nadi_hf_find(c, "max_position_embeddings"))
        m->positions = NADI_POSITIONS_NONE; /* 13B has ALiBi */
    return true;
}

bool nadi_hf_chatglm(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t inner = nadi_hf_number(c, "inner_hidden_size", 0);
    if (inner) { /* the first version */
        m->ffn = inner;
        m->gated = false;
        m->layernorm = true;
        m->biases = NADI_BIAS_QKV | NADI_BIAS_OUTPUT | NADI_BIAS_MLP | NADI_BIAS_NORM;
        m->tied = true;
        return true;
    }
    m->vocab = nadi_hf_number(c, "padded_vocab_size", m->vocab);
    m->head_dim = nadi_hf_number(c, "kv_channels", 0);
    const uint32_t groups = nadi_hf_number(c, "multi_query_group_num", 0);
    m->kv_heads = nadi_hf_truth(c, "multi_query_attention", false) ? groups : 0;
    if (nadi_hf_truth(c, "add_qkv_bias", false))
        m->biases |= NADI_BIAS_QKV;
    if (nadi_hf_truth(c, "add_bias_linear", false))
        m->biases |= NADI_BIAS_QKV | NADI_BIAS_OUTPUT | NADI_BIAS_MLP;
    m->layernorm = !nadi_hf_truth(c, "rmsnorm", true);
    if (m->layernorm)
        m->biases |= NADI_BIAS_NORM;
    return true;
}

bool nadi_hf_dbrx(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *map = c->map;
    m->kv_heads = 1;
    m->ffn = 3584;
    m->experts = 4;
    m->top_k = 1;
    if (nadi_hf_enter(c, "attn_config"))
        m->kv_heads = nadi_hf_number(c, "kv_n_heads", m->kv_heads);
    c->map = map;
    if (nadi_hf_enter(c, "ffn_config")) {
        m->ffn = nadi_hf_number(c, "ffn_hidden_size", m->ffn);
        m->experts = nadi_hf_number(c, "moe_num_experts", m->experts);
        m->top_k = nadi_hf_number(c, "moe_top_k", m->top_k);
    }
    c->map = map;
    return true;
}

bool nadi_hf_ernie_moe(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t start = nadi_hf_number(c, "moe_layer_start_index", 0);
    const uint32_t interval = nadi_hf_number(c, "moe_layer_interval", 1);
    uint32_t end = m->layers - 1;
    if (strcmp(nadi_hf_text(c, "moe_layer_end_index"), "-1") != 0)
        end = nadi_hf_number(c, "moe_layer_end_index", end);
    if (!m->experts || !interval)
        return true;
    uint8_t *flags = new_flags(m);
    for (uint32_t i = start; i <= end && i < m->layers; i++)
        flags[i] = (i + 1) % interval == 0 ? NADI_LAYER_EXPERTS : 0;
    return true;
}

bool nadi_hf_falcon(struct nadi_model *m, struct nadi_hf_config *c)
{
    const bool old = strcmp(c->type, "RefinedWeb") == 0; /* 40B before it had a key for that */
    const bool grouped = nadi_hf_truth(c, "new_decoder_architecture", old);
    const bool one = nadi_hf_truth(c, "multi_query", true);
    const bool beside = nadi_hf_truth(c, "parallel_attn", true);
    const uint32_t norms = nadi_hf_number(c, "num_ln_in_parallel_attn", 0);
    m->norms_per_layer = !beside ? 2 : !grouped ? 1 : norms ? norms : 2;
    m->kv_heads = grouped ? m->kv_heads : one ? 1 : 0;
    if (nadi_hf_truth(c, "alibi", false))
        m->positions = NADI_POSITIONS_NONE;
    return true;
}

bool nadi_hf_gpt_bigcode(struct nadi_model *m, struct nadi_hf_config *c)
{
    if (nadi_hf_truth(c, "multi_query", false) ||
        strcmp(nadi_hf_text(c, "attention_head_type"), "multiquery") == 0)
        m->kv_heads = 1;
    return true;
}

/* attention_types: [[["global", "local"], 12]] is twelve times the two; or attention_layers has the
 * word of each layer. */
static bool local_layer(const struct nadi_doc_node *types, uint32_t layer)
{
    for (const struct nadi_doc_node *t = types->first; t; t = t->next) {
        uint32_t times;
        if (t->kind != NADI_DOC_LIST || t->count != 2 || t->first->kind != NADI_DOC_LIST ||
            !t->first->count || t->first->next->kind != NADI_DOC_SCALAR ||
            !nadi_str_to_u32(t->first->next->text, NADI_MODEL_MOST_LAYERS, &times))
            return false;
        if (layer / t->first->count >= times) {
            layer -= times * t->first->count;
            continue;
        }
        const struct nadi_doc_node *word = t->first->first;
        for (uint32_t i = layer % t->first->count; i > 0; i--)
            word = word->next;
        return word->kind == NADI_DOC_SCALAR && strcmp(word->text, "local") == 0;
    }
    return false;
}

bool nadi_hf_gpt_neo(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *layers = nadi_hf_list(c, "attention_layers");
    const struct nadi_doc_node *types = nadi_hf_list(c, "attention_types");
    if (!nadi_hf_has_only(c, layers, "global local"))
        return false;
    const struct nadi_doc_node *word = layers ? layers->first : NULL;
    m->window = nadi_hf_number(c, "window_size", 0);
    uint8_t *flags = new_flags(m);
    for (uint32_t i = 0; i < m->layers && m->window; i++) {
        const bool local = word    ? word->kind == NADI_DOC_SCALAR && !strcmp(word->text, "local")
                           : types ? local_layer(types, i)
                                   : i % 2 == 1;
        flags[i] = local ? NADI_LAYER_WINDOWED : 0;
        word = word ? word->next : NULL;
    }
    return true;
}

bool nadi_hf_hunyuan(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t factor = nadi_hf_number(c, "cla_share_factor", 2);
    struct nadi_model later = *m; /* of so many layers the first has keys and values */
    later.borrowed_kv = true;
    if (!nadi_hf_truth(c, "use_cla", false) || !factor)
        return true;
    for (uint32_t i = 0; i < m->layers; i++)
        if (i % factor)
            nadi_hf_place(m, i, &later);
    return true;
}

/* Beside the experts a dense layer of width hidden, with a norm of its own. */
bool nadi_hf_arctic(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t every = nadi_hf_number(c, "moe_layer_frequency", 2);
    if (nadi_hf_truth(c, "use_residual", true) && nadi_hf_truth(c, "parallel_attn_mlp_res", true)) {
        m->shared_ffn = m->hidden;
        m->norms_per_layer = 3;
    }
    if (!m->experts || !every)
        return true;
    uint8_t *flags = new_flags(m);
    for (uint32_t i = 0; i < m->layers; i++)
        flags[i] = (i + 1) % every == 0 ? NADI_LAYER_EXPERTS : 0;
    return true;
}

/* Chunks of tokens with rotary positions; every few layers all tokens without positions. */
bool nadi_hf_llama4(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *rotary = nadi_hf_list(c, "no_rope_layers");
    const struct nadi_doc_node *experts = nadi_hf_list(c, "moe_layers");
    const struct nadi_doc_node *types = nadi_hf_list(c, "layer_types");
    const uint32_t step = nadi_hf_number(c, "interleave_moe_layer_step", 1);
    const uint32_t whole = nadi_hf_number(c, "no_rope_layer_interval", 4);
    const struct nadi_doc_node *type = types ? types->first : NULL;
    const struct nadi_doc_node *is_rotary = rotary ? rotary->first : NULL;
    m->shared_ffn = m->expert_ffn = m->ffn;
    m->ffn = nadi_hf_number(c, "intermediate_size_mlp", 0);
    m->window = nadi_hf_number(c, "attention_chunk_size", 0);
    m->chunked = true;
    if (nadi_hf_truth(c, "use_qk_norm", true))
        m->qk_norm = NADI_QK_NORM_PLAIN;
    uint8_t *flags = new_flags(m);
    for (uint32_t i = 0; i < m->layers; i++) {
        const bool moe = experts ? nadi_hf_lists_number(c, experts, i)
                                 : step && m->experts && (i + 1) % step == 0;
        const bool chunk = type        ? strcmp(type->text, "chunked_attention") == 0
                           : is_rotary ? nadi_hf_is_true(is_rotary)
                                       : !whole || (i + 1) % whole != 0;
        flags[i] = (uint8_t)((moe ? NADI_LAYER_EXPERTS : 0) |
                             (chunk && m->window ? NADI_LAYER_WINDOWED : 0));
        type = type ? type->next : NULL;
        is_rotary = is_rotary ? is_rotary->next : NULL;
    }
    return true;
}

bool nadi_hf_minimax_m2(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *types = nadi_hf_list(c, "attn_type_list");
    (void)nadi_hf_find(c, "qk_norm_type");
    for (const struct nadi_doc_node *t = types ? types->first : NULL; t; t = t->next)
        if (!nadi_hf_is_true(t))
            return nadi_hf_refuse(c, types, "linear attention in some layers");
    m->expert_ffn = m->ffn;
    return true;
}

bool nadi_hf_mpt(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *map = c->map;
    const bool learned = nadi_hf_truth(c, "learned_pos_emb", true);
    bool otherwise = true; /* positions enter in attention */
    if (nadi_hf_enter(c, "attn_config")) {
        const char *type = nadi_hf_text(c, "attn_type");
        const uint32_t heads = nadi_hf_number(c, "kv_n_heads", 0);
        const bool rotary = nadi_hf_truth(c, "rope", false);
        const struct nadi_doc_node *norm = nadi_hf_find(c, "qk_ln qk_gn");
        otherwise = nadi_hf_truth(c, "alibi", false) || rotary;
        m->kv_heads = strcmp(type, "multiquery_attention") == 0 ? 1 : heads;
        m->positions = rotary ? NADI_POSITIONS_ROTARY : NADI_POSITIONS_NONE;
        if (norm && nadi_hf_is_true(norm))
            return nadi_hf_refuse(c, norm, "a norm of queries and keys");
    }
    c->map = map;
    if (nadi_hf_enter(c, "ffn_config")) {
        const struct nadi_doc_node *type = nadi_hf_find(c, "ffn_type");
        if (type && strcmp(nadi_hf_text(c, "ffn_type"), "mptmlp") != 0)
            return nadi_hf_refuse(c, type, "another feed-forward layer");
    }
    c->map = map;
    if (learned && !otherwise)
        m->positions = NADI_POSITIONS_LEARNED;
    if (!nadi_hf_truth(c, "no_bias", true))
        m->biases = NADI_BIAS_QKV | NADI_BIAS_OUTPUT | NADI_BIAS_MLP | NADI_BIAS_NORM;
    const uint64_t ffn = (uint64_t)m->hidden * nadi_hf_number(c, "expansion_ratio", 4);
    if (ffn > NADI_HF_MOST_COUNT)
        return nadi_hf_refuse(c, nadi_hf_find(c, "expansion_ratio"), "wider than 1e9");
    m->ffn = (uint32_t)ffn;
    return true;
}

bool nadi_hf_olmo(struct nadi_model *m, struct nadi_hf_config *c)
{
    (void)c;
    m->plain_norms = true;
    return true;
}

/* Before it was in the library: widths of both halves of the gate, the padded vocabulary. */
bool nadi_hf_old_olmo(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t ratio = nadi_hf_number(c, "mlp_ratio", 4);
    const uint32_t width = nadi_hf_number(c, "mlp_hidden_size", 0);
    const uint32_t rows = nadi_hf_number(c, "embedding_size", 0);
    const bool one = nadi_hf_truth(c, "multi_query_attention", false);
    const struct nadi_doc_node *norms = nadi_hf_find(c, "attention_layer_norm");
    if (norms && nadi_hf_is_true(norms))
        return nadi_hf_refuse(c, norms, "a norm of queries and keys");
    m->kv_heads = nadi_hf_number(c, "n_kv_heads", one ? 1 : 0);
    if (!nadi_hf_gate(c, "activation_type", "swiglu", &m->gated))
        return false;
    const bool apart = strcmp(c->type, "llada") == 0; /* the gate is a matrix of its own */
    const uint64_t both = (width ? width : ratio * m->hidden) << apart;
    m->gated |= apart;
    if (both > NADI_HF_MOST_COUNT)
        return nadi_hf_refuse(c, nadi_hf_find(c, "mlp_ratio"), "wider than 1e9");
    m->ffn = (uint32_t)(both / (m->gated ? 2 : 1));
    m->vocab = rows ? rows : m->vocab;
    m->tied = nadi_hf_truth(c, "weight_tying", true);
    m->layernorm = strcmp(nadi_hf_text(c, "layer_norm_type"), "rms") != 0;
    m->plain_norms = !nadi_hf_truth(c, "layer_norm_with_affine", true);
    if (nadi_hf_truth(c, "include_bias", false))
        m->biases = NADI_BIAS_QKV | NADI_BIAS_OUTPUT | NADI_BIAS_MLP | NADI_BIAS_NORM;
    if (!nadi_hf_truth(c, "rope", true))
        m->positions = NADI_POSITIONS_NONE;
    return true;
}

bool nadi_hf_opt(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t embedding = nadi_hf_number(c, "word_embed_proj_dim", m->hidden);
    m->final_norm = nadi_hf_truth(c, "do_layer_norm_before", true) &&
                    !nadi_hf_truth(c, "_remove_final_layer_norm", false);
    m->plain_norms = !(m->biases & NADI_BIAS_NORM);
    if (embedding && embedding != m->hidden)
        m->embedding_dim = embedding;
    return true;
}

/* The width of both halves of the gate. */
bool nadi_hf_qwen1(struct nadi_model *m, struct nadi_hf_config *c)
{
    m->ffn /= 2;
    m->head_dim = nadi_hf_number(c, "kv_channels", 0);
    m->vocab = nadi_hf_number(c, "padded_vocab_size", m->vocab);
    (void)nadi_hf_find(c, "no_bias");
    return true;
}

bool nadi_hf_starcoder2(struct nadi_model *m, struct nadi_hf_config *c)
{
    m->gated = strcmp(nadi_hf_text(c, "mlp_type"), "gated") == 0;
    return true;
}

bool nadi_hf_stablelm(struct nadi_model *m, struct nadi_hf_config *c)
{
    if (nadi_hf_truth(c, "use_parallel_residual", false))
        m->norms_per_layer = 1;
    return true;
}

/* "ACTIVATION" or "gated-ACTIVATION". */
static bool t5_gate(struct nadi_model *m, struct nadi_hf_config *c)
{
    static const char known[] = "gelu gelu_10 gelu_accurate gelu_fast gelu_new gelu_python "
                                "gelu_pytorch_tanh laplace leaky_relu linear mish quick_gelu relu "
                                "relu2 relu6 sigmoid silu swish tanh";
    const char *found = nadi_hf_text(c, "feed_forward_proj"), gated[] = "gated-";
    const struct nadi_doc_node *node = nadi_hf_find(c, "feed_forward_proj");
    m->gated = nadi_str_starts(found, gated);
    return !node || nadi_hf_has_word(known, found + (m->gated ? strlen(gated) : 0)) ||
           nadi_hf_refuse(c, node, "neither an activation nor 'gated-' and one");
}

bool nadi_hf_t5(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t buckets = nadi_hf_number(c, "relative_attention_num_buckets", 32);
    const uint32_t layers = nadi_hf_number(c, "num_decoder_layers", 0);
    const struct nadi_doc_node *decoder = nadi_hf_find(c, "num_decoder_layers");
    if (!layers && decoder && decoder->kind == NADI_DOC_SCALAR &&
        nadi_doc_classify(c->doc, decoder, NULL) != NADI_DOC_NULL)
        return nadi_hf_refuse(c, decoder, "the encoder alone");
    if (!t5_gate(m, c))
        return false;
    m->decoder_layers = layers ? layers : m->layers;
    m->head_dim = nadi_hf_number(c, "d_kv", 0);
    (void)nadi_hf_find(c, "relative_attention_max_distance");
    if (!nadi_hf_find(c, "tie_word_embeddings"))
        m->tied = strcmp(c->type, "t5") == 0 || strcmp(c->type, "switch_transformers") == 0;
    return buckets == 32 || nadi_hf_refuse(c, nadi_hf_find(c, "relative_attention_num_buckets"),
                                           "another number of buckets than 32");
}

bool nadi_hf_distilbert(struct nadi_model *m, struct nadi_hf_config *c)
{
    m->hidden = nadi_hf_number(c, "dim", 768);
    m->ffn = nadi_hf_number(c, "hidden_dim", 3072);
    return true;
}
