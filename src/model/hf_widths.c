/* Architectures whose layers differ in width, heads or halves, or have weights beside the usual.
 * Each is called after the keys that all have. */
#include "base/str.h"
#include "model/hf_layers.h"
#include "model/hf_rules.h"

static uint32_t to_multiple(double value, uint32_t multiple)
{
    const uint64_t v = value > 0 && value < NADI_HF_MOST_COUNT ? (uint64_t)value : 0;
    return (uint32_t)((v + multiple - 1) / multiple * multiple);
}

static double real_at(const struct nadi_hf_config *c, const struct nadi_doc_node *node)
{
    double value = 0;
    return node && nadi_doc_classify(c->doc, node, &value) != NADI_DOC_TEXT ? value : 0;
}

static bool is_set(const struct nadi_doc_node *map, const char *key)
{
    const struct nadi_doc_node *node = nadi_doc_find(map, key);
    return node && nadi_hf_is_true(node);
}

/* ---- from neural architecture search ------------------------------------------------------- */

/* What a block's half is replaced by: nothing, or a square matrix behind its norm. */
static bool replaced(struct nadi_model *m, struct nadi_model *view,
                     const struct nadi_doc_node *half)
{
    const bool none = is_set(half, "no_op"), linear = is_set(half, "replace_with_linear");
    if (!none && !linear)
        return false;
    view->norms_per_layer--;
    if (linear) {
        nadi_hf_side(m, view, "matrix instead", view->hidden, view->hidden, NADI_PROJECTION_WHOLE);
        view->side_weights += view->hidden; /* its norm */
    }
    return true;
}

bool nadi_hf_nemotron_nas(struct nadi_model *m, struct nadi_hf_config *c)
{
    enum { MULTIPLE = 256 };
    const struct nadi_doc_node *blocks = nadi_hf_list(c, "block_configs");
    const struct nadi_doc_node *block = blocks ? blocks->first : NULL;
    if (!blocks || blocks->count != m->layers)
        return nadi_hf_refuse(c, blocks, "another number of blocks than layers");
    for (uint32_t i = 0; i < m->layers; i++, block = block->next) {
        struct nadi_model view = *m;
        const struct nadi_doc_node *attention = nadi_doc_find(block, "attention");
        const struct nadi_doc_node *ffn = nadi_doc_find(block, "ffn");
        if (!attention || !ffn)
            return nadi_hf_refuse(c, blocks, "a block without 'attention' or 'ffn'");
        view.no_attention = replaced(m, &view, attention);
        view.no_mlp = replaced(m, &view, ffn);
        const double group = real_at(c, nadi_doc_find(attention, "n_heads_in_group"));
        const double width = real_at(c, nadi_doc_find(ffn, "ffn_mult")) * 2 * m->hidden / 3;
        if (!view.no_attention && group >= 1)
            view.kv_heads = (uint32_t)(m->heads / group);
        if (!view.no_attention && (!view.kv_heads || m->heads % view.kv_heads != 0))
            return nadi_hf_refuse(c, blocks, "a group of heads that does not divide them");
        if (!view.no_mlp)
            view.ffn = to_multiple(width, MULTIPLE);
        nadi_hf_place(m, i, &view);
    }
    return true;
}

bool nadi_hf_deci(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *heads = nadi_hf_list(c, "num_key_value_heads_per_layer");
    if (nadi_doc_find(c->map, "block_configs"))
        return nadi_hf_nemotron_nas(m, c);
    for (uint32_t i = 0; heads && i < m->layers; i++) {
        struct nadi_model view = *m;
        view.kv_heads = nadi_hf_number_at(c, heads, i);
        nadi_hf_place(m, i, &view);
    }
    return true;
}

/* arXiv 2404.14619: heads and widths grow with the layers. */
bool nadi_hf_openelm(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *queries = nadi_hf_list(c, "num_query_heads");
    const struct nadi_doc_node *keys = nadi_hf_list(c, "num_kv_heads");
    const struct nadi_doc_node *widths = nadi_hf_list(c, "ffn_multipliers");
    const uint32_t multiple = nadi_hf_number(c, "ffn_dim_divisor", 256);
    m->gated = nadi_hf_truth(c, "ffn_with_glu", true);
    m->tied = nadi_hf_truth(c, "share_input_output_layers", true);
    m->qk_norm =
        nadi_hf_truth(c, "normalize_qk_projections", true) ? NADI_QK_NORM_HEAD : NADI_QK_NORM_NONE;
    (void)nadi_hf_find(c, "num_gqa_groups qkv_multipliers max_context_length rope_max_length");
    if (!queries || !keys || !widths || !multiple)
        return nadi_hf_refuse(c, NULL, "without lists of heads and widths of the layers");
    const struct nadi_doc_node *width = widths->first;
    for (uint32_t i = 0; i < m->layers; i++) {
        struct nadi_model view = *m;
        view.heads = nadi_hf_number_at(c, queries, i);
        view.kv_heads = nadi_hf_number_at(c, keys, i);
        /* The nearest multiple, or the next where that is more than a tenth below. */
        const double wanted = real_at(c, width) * m->hidden;
        if (!(wanted > 0) || wanted + multiple > NADI_HF_MOST_COUNT)
            return nadi_hf_wrong(c, widths, "a list of positive numbers, one of each layer");
        view.ffn = (uint32_t)((wanted + multiple / 2.0) / multiple) * multiple;
        if (view.ffn < 0.9 * wanted)
            view.ffn += multiple;
        nadi_hf_place(m, i, &view);
        width = width ? width->next : NULL;
    }
    m->heads = nadi_hf_number_at(c, queries, 0);
    m->kv_heads = nadi_hf_number_at(c, keys, 0);
    return true;
}

/* ---- other heads in layers with a window --------------------------------------------------- */

static void place_windowed(struct nadi_model *m, const struct nadi_model *view)
{
    for (uint32_t i = 0; i < m->layers; i++)
        if (nadi_model_layer(m, i) & NADI_LAYER_WINDOWED)
            nadi_hf_place(m, i, view);
}

bool nadi_hf_mimo_v2(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *pattern = nadi_hf_list(c, "hybrid_layer_pattern");
    m->value_dim = nadi_hf_number(c, "v_head_dim", 0);
    struct nadi_model view = *m;
    view.heads = nadi_hf_number(c, "swa_num_attention_heads", m->heads);
    view.kv_heads = nadi_hf_number(c, "swa_num_key_value_heads", m->kv_heads);
    view.head_dim = nadi_hf_number(c, "swa_head_dim", m->head_dim);
    view.value_dim = nadi_hf_number(c, "swa_v_head_dim", m->value_dim);
    view.sinks = nadi_hf_truth(c, "add_swa_attention_sink_bias", false);
    m->sinks = nadi_hf_truth(c, "add_full_attention_sink_bias", false);
    (void)nadi_hf_find(c, "attention_chunk_size hybrid_block_size");
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++) {
        flags[i] &= (uint8_t)~NADI_LAYER_WINDOWED;
        if (m->window && nadi_hf_bit_at(c, pattern, i))
            flags[i] |= NADI_LAYER_WINDOWED;
    }
    place_windowed(m, &view);
    return true;
}

bool nadi_hf_step3p5(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *map = c->map;
    const char *experts = nadi_hf_text(c, "moe_layers_enum");
    const uint32_t groups = nadi_hf_number(c, "num_attention_groups", 0);
    const uint32_t width = nadi_hf_number(c, "share_expert_dim share_expert_dims", 0);
    m->kv_heads = groups ? groups : m->kv_heads;
    m->shared_ffn = width ? width : m->shared_ffn;
    if (nadi_hf_truth(c, "use_head_wise_attn_gate", false))
        m->gate_dim = 1;
    struct nadi_model view = *m;
    if (nadi_hf_enter(c, "attention_other_setting")) {
        view.heads = nadi_hf_number(c, "num_attention_heads", m->heads);
        view.kv_heads = nadi_hf_number(c, "num_attention_groups", m->kv_heads);
        view.head_dim = nadi_hf_number(c, "head_dim", m->head_dim);
        (void)nadi_hf_find(c, "attention_type true_head_dim");
    }
    c->map = map;
    (void)nadi_hf_find(c, "swiglu_limits swiglu_limits_shared use_moe moe_every_n_layer "
                          "partial_rotary_factors yarn_only_types need_fp32_gate");
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; *experts && i < m->layers; i++)
        flags[i] &= (uint8_t)~NADI_LAYER_EXPERTS;
    while (*experts) { /* "3,4,5" */
        uint32_t layer = 0;
        size_t length = strcspn(experts, ", ");
        char number[16] = "";
        if (length < sizeof(number))
            memcpy(number, experts, length);
        if (nadi_str_to_u32(number, NADI_MODEL_MOST_LAYERS, &layer) && layer < m->layers)
            flags[layer] |= NADI_LAYER_EXPERTS;
        experts += length;
        experts += strspn(experts, ", ");
    }
    place_windowed(m, &view);
    return true;
}

/* Llama 3.2: some layers attend to a picture of all tiles, behind gates. */
bool nadi_hf_mllama(struct nadi_model *m, struct nadi_hf_config *c)
{
    enum { MORE_ROWS = 8, TILES = 4, PATCHES = 1601 };
    const struct nadi_doc_node *layers = nadi_hf_list(c, "cross_attention_layers");
    struct nadi_model view = *m;
    view.picture_tokens = TILES * PATCHES;
    view.qk_norm = NADI_QK_NORM_HEAD;
    view.side_weights = 2;
    m->once_weights = MORE_ROWS * (uint64_t)m->hidden;
    for (uint32_t i = 0; i < m->layers; i++)
        if (nadi_hf_lists_number(c, layers, i))
            nadi_hf_place(m, i, &view);
    return true;
}

/* ---- Gemma --------------------------------------------------------------------------------- */

/* A row of each token for each layer (PLE): the gate in and the way out of a layer; the tables and
 * what projects the first row to all layers. */
static void per_layer_inputs(struct nadi_model *m, struct nadi_hf_config *c, uint32_t absent)
{
    const uint64_t width = nadi_hf_number(c, "hidden_size_per_layer_input", absent);
    const uint64_t rows = nadi_hf_number(c, "vocab_size_per_layer_input", 262144);
    if (!width)
        return;
    nadi_hf_side(m, m, "layer input gate", m->hidden, width, NADI_PROJECTION_WHOLE);
    nadi_hf_side(m, m, "layer input", width, m->hidden, NADI_PROJECTION_WHOLE);
    m->side_weights += m->hidden;
    m->layer_rows = rows;
    m->layer_row_width = m->layers * width;
    m->once_weights += width; /* a norm */
}

/* Layers from `first` on read the keys and values of earlier ones. */
static uint32_t first_borrower(const struct nadi_model *m, struct nadi_hf_config *c,
                               uint32_t absent)
{
    const uint32_t shared = nadi_hf_number(c, "num_kv_shared_layers", absent);
    return shared < m->layers ? m->layers - shared : m->layers;
}

bool nadi_hf_gemma4(struct nadi_model *m, struct nadi_hf_config *c)
{
    const bool moe = nadi_hf_truth(c, "enable_moe_block", false);
    const uint32_t first = first_borrower(m, c, 0);
    struct nadi_model full = *m;
    m->causal = full.causal = true; /* pictures see themselves whole: a matter of few tokens */
    per_layer_inputs(m, c, 0);
    (void)nadi_hf_find(c, "num_experts top_k_experts");
    if (moe && m->experts) {
        m->expert_ffn = nadi_hf_number(c, "moe_intermediate_size expert_intermediate_size", 0);
        m->shared_ffn = m->ffn;
        m->norms_per_layer = 7;
        m->side_weights += m->hidden + m->experts; /* scales of the router */
    } else {
        m->experts = m->top_k = 0;
        (void)nadi_hf_find(c, "moe_intermediate_size expert_intermediate_size");
    }
    const uint32_t keys = nadi_hf_number(c, "num_global_key_value_heads", 0);
    const uint32_t dim = nadi_hf_number(c, "global_head_dim", m->head_dim);
    full = *m;
    full.kv_heads = keys ? keys : m->kv_heads;
    full.head_dim = dim ? dim : m->head_dim;
    full.values_are_keys = nadi_hf_truth(c, "attention_k_eq_v", false);
    const bool wide = nadi_hf_truth(c, "use_double_wide_mlp", false);
    for (uint32_t i = 0; i < m->layers; i++) {
        struct nadi_model view = nadi_model_layer(m, i) & NADI_LAYER_WINDOWED ? *m : full;
        view.borrowed_kv = i >= first;
        view.ffn = wide && i >= first ? nadi_hf_times(c, 2, m->ffn) : m->ffn;
        nadi_hf_place(m, i, &view);
    }
    if (m->experts) {
        uint8_t *flags = nadi_hf_flags(m);
        for (uint32_t i = 0; i < m->layers; i++)
            flags[i] |= NADI_LAYER_EXPERTS;
    }
    return true;
}

/* Alternating updates of several streams (arXiv 2301.13310) and a narrow residual beside attention;
 * weights of keys and values are there in all layers. */
bool nadi_hf_gemma3n(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t h = m->hidden, streams = nadi_hf_number(c, "altup_num_inputs", 4);
    const uint64_t rank = nadi_hf_number(c, "laurel_rank", 64);
    const struct nadi_doc_node *widths = nadi_hf_list(c, "intermediate_size");
    per_layer_inputs(m, c, 256);
    nadi_hf_side(m, m, "narrow residual down", h, rank, NADI_PROJECTION_WHOLE);
    nadi_hf_side(m, m, "narrow residual up", rank, h, NADI_PROJECTION_WHOLE);
    nadi_hf_side(m, m, "stream router", h, streams, NADI_PROJECTION_WHOLE);
    nadi_hf_side(m, m, "stream prediction", streams, streams * streams, NADI_PROJECTION_WHOLE);
    nadi_hf_side(m, m, "stream correction", streams, streams, NADI_PROJECTION_WHOLE);
    m->side_weights += 3 * h; /* norms of the narrow residual and the router, a scale */
    if (streams > 1)
        m->once_weights += 2 * (streams - 1) * h * h; /* into the streams and out of them */
    (void)nadi_hf_find(c, "activation_sparsity_pattern altup_active_idx altup_coef_clip "
                          "altup_correct_scale altup_lr_multiplier");
    const uint32_t first = first_borrower(m, c, 15);
    for (uint32_t i = 0; i < m->layers; i++) {
        struct nadi_model view = *m;
        view.ffn = widths ? nadi_hf_number_at(c, widths, i) : m->ffn;
        if (i >= first) { /* the weights are there, and nobody uses them */
            view.borrowed_kv = true;
            view.side_weights += 2 * h * m->kv_heads * m->head_dim + m->head_dim;
        }
        nadi_hf_place(m, i, &view);
    }
    return true;
}

/* ---- DeepSeek ------------------------------------------------------------------------------ */

static void index_keys(struct nadi_model *m, struct nadi_hf_config *c)
{
    m->index_heads = nadi_hf_number(c, "index_n_heads", 64);
    m->index_dim = nadi_hf_number(c, "index_head_dim", 128);
    m->index_top = nadi_hf_number(c, "index_topk", 2048);
}

/* Sparse attention by an index; a layer may take the choice of an earlier one. */
bool nadi_hf_sparse_latent(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *types = nadi_hf_list(c, "indexer_types");
    index_keys(m, c);
    (void)nadi_hf_find(c, "index_topk_freq index_topk_pattern index_skip_topk_offset head_dim "
                          "index_share_for_mtp_iteration indexer_rope_interleave");
    struct nadi_model view = *m;
    view.index_heads = view.index_dim = 0;
    if (!nadi_hf_has_only(c, types, "full shared"))
        return false;
    for (uint32_t i = 0; types && i < m->layers; i++)
        if (nadi_str_equal(nadi_hf_word_at(types, i), "shared"))
            nadi_hf_place(m, i, &view);
    return true;
}

/* MiniMax-M3: blocks of keys, the best by an index of one head a group. */
bool nadi_hf_minimax_m3(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *map = c->map, *sparse = NULL;
    const uint32_t dense = nadi_hf_number(c, "dense_intermediate_size", 0);
    m->expert_ffn = m->expert_ffn ? m->expert_ffn : m->ffn;
    m->ffn = dense ? dense : m->ffn;
    (void)nadi_hf_find(c, "qk_norm_type use_gemma_norm attention_output_gate");
    struct nadi_model view = *m;
    if (nadi_hf_enter(c, "sparse_attention_config")) {
        sparse = nadi_hf_list(c, "sparse_attention_freq");
        view.index_heads = nadi_hf_number(c, "sparse_num_index_heads", 4);
        view.index_dim = nadi_hf_number(c, "sparse_index_dim", 128);
        view.index_plain = true;
        view.index_top = nadi_hf_times(c, nadi_hf_number(c, "sparse_topk_blocks", 16),
                                       nadi_hf_number(c, "sparse_block_size", 128));
        (void)nadi_hf_find(c, "sparse_disable_index_value sparse_init_block sparse_local_block "
                              "sparse_score_type use_sparse_attention");
    }
    c->map = map;
    for (uint32_t i = 0; sparse && i < m->layers; i++)
        if (nadi_hf_bit_at(c, sparse, i))
            nadi_hf_place(m, i, &view);
    return true;
}

/* How many tokens of a layer are one mean, 0: none; and whether an index chooses among the means.
 * Either a number of each layer, 4 with an index, or a word of each and a number of each word. */
struct pooling {
    const struct nadi_doc_node *ratios, *types;
    uint32_t sparse, heavy;
};

static struct pooling pooling_of(struct nadi_hf_config *c)
{
    const struct nadi_doc_node *map = c->map;
    struct pooling p = {.ratios = nadi_hf_list(c, "compress_ratios"),
                        .types = nadi_hf_list(c, "layer_types")};
    p.sparse = nadi_hf_number(c, "compress_rate_csa", 4);
    p.heavy = nadi_hf_number(c, "compress_rate_hca", 128);
    if (nadi_hf_enter(c, "compress_rates")) {
        p.sparse = nadi_hf_number(c, "compressed_sparse_attention", p.sparse);
        p.heavy = nadi_hf_number(c, "heavily_compressed_attention", p.heavy);
    }
    c->map = map;
    return p;
}

static void pool(struct nadi_model *view, struct nadi_hf_config *c, const struct pooling *p,
                 uint32_t layer)
{
    bool sparse = layer >= 2 && layer % 2 == 1; /* two heavy ones, then in turns */
    if (p->types) {
        const char *word = nadi_hf_word_at(p->types, layer);
        sparse = nadi_str_equal(word, "compressed_sparse_attention");
        view->pool = sparse                                                 ? p->sparse
                     : nadi_str_equal(word, "heavily_compressed_attention") ? p->heavy
                                                                            : 0;
    } else if (p->ratios) {
        view->pool = nadi_hf_number_at(c, p->ratios, layer);
        sparse = view->pool == 4;
    } else {
        view->pool = sparse ? p->sparse : p->heavy;
    }
    view->pool_top = sparse ? view->index_top : 0;
    view->index_top = 0;
    if (!sparse)
        view->index_heads = view->index_dim = 0;
}

/* One head of keys, which are the values, of the last tokens and of means of tokens. */
bool nadi_hf_deepseek_v4(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct pooling p = pooling_of(c);
    index_keys(m, c);
    m->query_rank = nadi_hf_number(c, "q_lora_rank", 0);
    m->output_rank = nadi_hf_number(c, "o_lora_rank", 0);
    m->output_groups = nadi_hf_number(c, "o_groups", 0);
    m->streams = nadi_hf_number(c, "hc_mult", 4);
    m->values_are_keys = m->one_kv = m->sinks = true;
    m->side_weights += m->head_dim; /* the keys' norm */
    m->expert_ffn = m->expert_ffn ? m->expert_ffn : m->ffn;
    (void)nadi_hf_find(c, "num_hash_layers n_hash_layers hc_eps hc_sinkhorn_iters qk_rope_head_dim "
                          "compress_rope_theta");
    if ((p.ratios && p.ratios->count < m->layers) || !m->query_rank || !m->output_rank ||
        !m->output_groups || m->heads % m->output_groups != 0)
        return nadi_hf_refuse(c, p.ratios,
                              "without 'o_groups' that divide the heads, ranks, or a "
                              "ratio of each layer");
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++) {
        struct nadi_model view = *m;
        pool(&view, c, &p, i);
        flags[i] = NADI_LAYER_EXPERTS | (m->window ? NADI_LAYER_WINDOWED : 0);
        nadi_hf_place(m, i, &view);
    }
    return true;
}

/* arXiv 2509.01322: two blocks a layer, experts beside the first one's feed-forward layer, some of
 * which do nothing. */
bool nadi_hf_longcat(struct nadi_model *m, struct nadi_hf_config *c)
{
    m->idle_experts = nadi_hf_number(c, "zero_expert_num", 0);
    m->expert_ffn = nadi_hf_number(c, "expert_ffn_hidden_size moe_intermediate_size", 0);
    (void)nadi_hf_find(c, "zero_expert_type mla_scale_q_lora mla_scale_kv_lora attention_method");
    m->shared_ffn = m->ffn;
    m->layers *= 2;
    m->layer_flags = NULL;
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i += 2)
        flags[i] = NADI_LAYER_EXPERTS;
    return true;
}

/* ---- draft models of speculative decoding -------------------------------------------------- */

/* EAGLE-3 (arXiv 2503.01840): one layer, whose attention reads a token's row beside three states of
 * the target, projected to one; an output layer of the words that are drafted. */
bool nadi_hf_eagle3(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t h = m->hidden, target = nadi_hf_number(c, "target_hidden_size", m->hidden);
    const uint32_t words = nadi_hf_number(c, "draft_vocab_size", m->vocab);
    m->mixer_input = 2 * m->hidden;
    const bool parallel =
        strcmp(nadi_hf_word_at(nadi_doc_find(c->map, "architectures"), 0), "PEagleDraftModel") == 0;
    m->once_weights = 3 * (target ? target : h) * (h + (parallel ? 1 : 0)); /* a mask's state */
    if (nadi_hf_truth(c, "fc_norm", false))
        m->once_weights += 3 * (target ? target : h);
    m->side_weights = h; /* a norm of the state beside that of the row */
    m->tied = false;
    m->head_rows = words;
    struct nadi_model later = *m; /* as in Llama */
    later.mixer_input = 0;
    later.side_weights = 0;
    for (uint32_t i = 1; i < m->layers; i++)
        nadi_hf_place(m, i, &later);
    return true;
}
