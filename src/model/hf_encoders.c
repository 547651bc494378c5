/* Encoders of words, and encoders with decoders, that have keys or weights of their own. Each is
 * called after the keys that all have. */
#include "base/str.h"
#include "model/hf_layers.h"
#include "model/hf_rules.h"

/* The class ends so: the output layer over words, with its dense layer; or no pooler. */
static bool class_ends(const struct nadi_hf_config *c, const char *end)
{
    const struct nadi_doc_node *classes = nadi_doc_find(c->map, "architectures");
    return classes && classes->kind == NADI_DOC_LIST &&
           nadi_str_ends(nadi_hf_word_at(classes, 0), end);
}

bool nadi_hf_word_head(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t h = m->hidden;
    const struct nadi_doc_node *decodes = nadi_hf_find(c, "is_decoder");
    /* the dense layer and the pair of sentences, beside the words; no class has both of others */
    const bool both = m->head == NADI_HEAD_POOLER && class_ends(c, "ForPreTraining") &&
                      strcmp(c->type, "splinter") != 0;
    if (decodes && nadi_hf_truth(c, "is_decoder", false))
        return nadi_hf_refuse(c, decodes, "a decoder of this type");
    if (!both && !class_ends(c, "ForMaskedLM") && !class_ends(c, "LMHeadModel") &&
        !class_ends(c, "ForCausalLM"))
        return true;
    m->once_weights += both ? h * h + h + 2 * h + 2 : 0;
    m->head = NADI_HEAD_LM;
    m->output_dense = true;
    m->biases |= NADI_BIAS_HEAD;
    return true;
}

/* arXiv 1909.11942: one layer's weights, or a few, for all layers; a narrow embedding. */
bool nadi_hf_albert(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t groups = nadi_hf_number(c, "num_hidden_groups", 1);
    const struct nadi_doc_node *inner = nadi_hf_find(c, "inner_group_num");
    m->embedding_dim = nadi_hf_number(c, "embedding_size", 128);
    m->biases |= NADI_BIAS_EMBEDDING;
    if (inner && nadi_hf_number(c, "inner_group_num", 1) != 1)
        return nadi_hf_refuse(c, inner, "several layers a group");
    if (!groups || groups > m->layers)
        return nadi_hf_refuse(c, nadi_hf_find(c, "num_hidden_groups"), "more groups than layers");
    struct nadi_model later = *m;
    later.shared_weights = true;
    for (uint32_t i = 0; i < m->layers; i++) /* layers of a group follow one another */
        if (i > 0 && (uint64_t)i * groups / m->layers == (i - 1ULL) * groups / m->layers)
            nadi_hf_place(m, i, &later);
    (void)nadi_hf_find(c, "net_structure_type gap_size down_scale_factor num_memory_blocks");
    return true;
}

/* arXiv 2003.10555: a narrow embedding in small ones, no pooler. */
bool nadi_hf_electra(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t narrow = nadi_hf_number(c, "embedding_size", 128);
    (void)nadi_hf_find(c, "summary_use_proj summary_last_dropout summary_type");
    if (narrow != m->hidden) {
        m->embedding_dim = narrow;
        m->biases |= NADI_BIAS_EMBEDDING;
    }
    if (class_ends(c, "ForPreTraining"))
        m->once_weights = (uint64_t)m->hidden * m->hidden + 2ULL * m->hidden + 1;
    return true;
}

/* arXiv 2006.03654, 2111.09543: distances have a table and, unless they share those of queries and
 * keys, matrices; the first version has fewer biases. */
bool nadi_hf_deberta(struct nadi_model *m, struct nadi_hf_config *c)
{
    const bool first = strcmp(c->type, "deberta") == 0;
    const bool relative = nadi_hf_truth(c, "relative_attention", false);
    const bool shared = nadi_hf_truth(c, "share_att_key", false);
    const uint32_t buckets = nadi_hf_number(c, "position_buckets", 0);
    const uint64_t h = m->hidden;
    const struct nadi_doc_node *types = nadi_hf_find(c, "pos_att_type");
    char kinds[64] = "";
    if (types && types->kind == NADI_DOC_LIST)
        snprintf(kinds, sizeof(kinds), "%s %s", nadi_hf_word_at(types, 0),
                 nadi_hf_word_at(types, 1));
    else
        snprintf(kinds, sizeof(kinds), "%s", nadi_hf_text(c, "pos_att_type"));
    const bool to_position = strstr(kinds, "c2p"), from_position = strstr(kinds, "p2c");
    const uint32_t most = nadi_str_equal(nadi_hf_text(c, "max_relative_positions"), "-1")
                              ? m->max_positions
                              : nadi_hf_number(c, "max_relative_positions", 0);
    const struct nadi_doc_node *talking = nadi_hf_find(c, "talking_head");
    if (talking && nadi_hf_is_true(talking))
        return nadi_hf_refuse(c, talking, "products between heads");
    if (!nadi_hf_truth(c, "position_biased_input", true))
        m->positions = NADI_POSITIONS_NONE;
    if (first)
        m->biases |= NADI_BIAS_NOT_KEYS;
    const struct nadi_doc_node *size = nadi_hf_find(c, "embedding_size");
    if (size && nadi_hf_number(c, "embedding_size", m->hidden) != m->hidden)
        m->embedding_dim = nadi_hf_number(c, "embedding_size", m->hidden);
    const uint32_t kernel = nadi_hf_number(c, "conv_kernel_size", 0);
    if (kernel)
        m->once_weights += kernel * h * h + 3 * h;
    (void)nadi_hf_find(c, "pooler_hidden_size conv_act conv_groups");
    if (!relative)
        return true;
    const uint32_t span = buckets && !first ? buckets : most ? most : m->max_positions;
    m->relative_span = 2 * span;
    m->relative_kinds = (to_position ? 1U : 0U) + (from_position ? 1U : 0U);
    m->once_weights += 2ULL * span * h;
    if (strstr(nadi_hf_text(c, "norm_rel_ebd"), "layer_norm"))
        m->once_weights += 2 * h;
    if (!shared && to_position)
        m->side_weights += h * h + (first ? 0 : h);
    if (!shared && from_position)
        m->side_weights += h * h + h;
    return true;
}

/* One table of distances for all layers. */
bool nadi_hf_mpnet(struct nadi_model *m, struct nadi_hf_config *c)
{
    m->once_weights = (uint64_t)nadi_hf_number(c, "relative_attention_num_buckets", 32) * m->heads;
    return true;
}

/* arXiv 2412.13663: windows in all but every third layer; the first layer has no first norm. */
bool nadi_hf_modernbert(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t every = nadi_hf_number(c, "global_attn_every_n_layers", 3);
    const struct nadi_doc_node *types = nadi_hf_list(c, "layer_types");
    m->window = nadi_hf_number(c, "local_attention sliding_window", 128);
    if (nadi_hf_truth(c, "attention_bias", false))
        m->biases |= NADI_BIAS_QKV | NADI_BIAS_OUTPUT;
    if (nadi_hf_truth(c, "mlp_bias", false))
        m->biases |= NADI_BIAS_MLP;
    if (nadi_hf_truth(c, "norm_bias", false))
        m->biases |= NADI_BIAS_NORM;
    (void)nadi_hf_find(c, "embedding_dropout sparse_prediction sparse_pred_ignore_index "
                          "reference_compile repad_logits_with_grad");
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++) {
        const bool full = types ? nadi_str_equal(nadi_hf_word_at(types, i), "full_attention")
                                : !every || i % every == 0;
        flags[i] = full ? 0 : NADI_LAYER_WINDOWED;
    }
    struct nadi_model first = *m;
    first.norms_per_layer = 1;
    if (m->layers)
        nadi_hf_place(m, 0, &first);
    if (class_ends(c, "ForMaskedLM") || m->family == NADI_FAMILY_DECODER) {
        m->head = NADI_HEAD_LM;
        m->output_dense = true;
        m->biases |= NADI_BIAS_HEAD;
        m->once_weights -= m->hidden; /* its dense layer has no bias */
    }
    return true;
}

/* nomic-embed: BERT with rotary positions and gated feed-forward layers. */
bool nadi_hf_nomic_bert(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t multiple = nadi_hf_number(c, "pad_vocab_size_multiple", 1);
    const bool fc1 = nadi_hf_truth(c, "mlp_fc1_bias", false);
    const bool fc2 = nadi_hf_truth(c, "mlp_fc2_bias", false);
    const bool experts = nadi_hf_number(c, "num_experts", 0) > 0;
    (void)nadi_hf_find(c, "prenorm parallel_block parallel_block_tied_norm dense_seq_output "
                          "mlp_block_size fused_bias_fc max_trained_positions use_rms_norm "
                          "ffn_div moe_every_n_layers moe_normalize_expert_weights "
                          "moe_impl moe_resid_pdrop rotary_emb_interleaved");
    if (experts || fc1 != fc2)
        return nadi_hf_refuse(c, nadi_hf_find(c, "num_experts mlp_fc1_bias"),
                              "experts, or a bias in one half of the feed-forward layer");
    if (fc1)
        m->biases |= NADI_BIAS_MLP;
    if (nadi_hf_truth(c, "qkv_proj_bias", true))
        m->biases |= NADI_BIAS_QKV | NADI_BIAS_OUTPUT;
    if (!nadi_hf_gate(c, "activation_function", "gelu", &m->gated))
        return false;
    if (multiple)
        m->vocab = (m->vocab + multiple - 1) / multiple * multiple;
    return true;
}

/* arXiv 1906.08237: queries and keys against relative places; biases of heads instead of layers. */
bool nadi_hf_xlnet(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t h = m->hidden;
    m->ffn = nadi_hf_number(c, "d_inner", 4 * m->hidden);
    m->head_dim = nadi_hf_number(c, "d_head", 0);
    m->side_weights = 3 * h + 2 * h; /* biases of three kinds of score, of two segments */
    nadi_hf_side(m, m, "relative places", h, h, 0);
    m->once_weights = h; /* of a mask */
    (void)nadi_hf_find(c, "mem_len reuse_len clamp_len bi_data same_length untie_r ff_activation "
                          "attn_type use_mems_eval use_mems_train start_n_top end_n_top");
    return true;
}

/* Protein models (ESM-2): norms at the layers' beginnings; a small head over contacts. */
bool nadi_hf_esm(struct nadi_model *m, struct nadi_hf_config *c)
{
    if (strcmp(nadi_hf_text(c, "position_embedding_type"), "rotary") == 0)
        m->positions = NADI_POSITIONS_ROTARY;
    m->embedding_norm = nadi_hf_truth(c, "emb_layer_norm_before", false);
    m->token_types = 0;
    const struct nadi_doc_node *fold = nadi_hf_find(c, "is_folding_model");
    (void)nadi_hf_find(c, "esmfold_config vocab_list token_dropout");
    if (fold && nadi_hf_is_true(fold))
        return nadi_hf_refuse(c, fold, "the folding trunk");
    if (class_ends(c, "ForMaskedLM") || m->family == NADI_FAMILY_DECODER) {
        m->head = NADI_HEAD_LM;
        m->output_dense = true;
        m->once_weights += m->vocab; /* the output's bias */
    }
    m->once_weights += (uint64_t)m->layers * m->heads + 1;
    return true;
}

/* ---- encoders with decoders ---------------------------------------------------------------- */

struct both { /* a number of the encoder and of the decoder */
    const char *encoder, *decoder;
};

static bool same_in_both(struct nadi_hf_config *c, const struct both *keys)
{
    const struct nadi_doc_node *a = nadi_hf_find(c, keys->encoder);
    const struct nadi_doc_node *b = nadi_hf_find(c, keys->decoder);
    if (a && b && a->kind == NADI_DOC_SCALAR && b->kind == NADI_DOC_SCALAR)
        return strcmp(a->text, b->text) == 0 ||
               nadi_hf_refuse(c, b, "another number than the encoder's");
    return true;
}

/* BART and those built of it. */
bool nadi_hf_bart(struct nadi_model *m, struct nadi_hf_config *c)
{
    static const struct both keys[] = {
        {"encoder_ffn_dim", "decoder_ffn_dim"},
        {"encoder_attention_heads", "decoder_attention_heads"},
    };
    const uint32_t layers = nadi_hf_number(c, "encoder_layers", 0);
    m->layers = layers ? layers : m->layers;
    m->decoder_layers = nadi_hf_number(c, "decoder_layers", m->layers);
    m->ffn = nadi_hf_number(c, "encoder_ffn_dim", m->ffn);
    m->heads = nadi_hf_number(c, "encoder_attention_heads num_attention_heads", m->heads);
    m->kv_heads = 0;
    (void)nadi_hf_find(c, "encoder_layerdrop decoder_layerdrop extra_pos_embeddings "
                          "static_position_embeddings normalize_embedding "
                          "add_final_layer_norm normalize_before");
    if (m->experts)
        return nadi_hf_refuse(c, nadi_hf_find(c, "num_experts"), "experts");
    return same_in_both(c, &keys[0]) && same_in_both(c, &keys[1]);
}

/* arXiv 2212.04356: two convolutions over frames of sound, half as many tokens; keys have no bias.
 */
bool nadi_hf_whisper(struct nadi_model *m, struct nadi_hf_config *c)
{
    enum { KERNEL = 3 };
    if (!nadi_hf_bart(m, c))
        return false;
    nadi_hf_front(m, &(struct nadi_projection){
                         .name = "frames",
                         .from = KERNEL * (uint64_t)nadi_hf_number(c, "num_mel_bins", 80),
                         .to = m->hidden,
                         .times = 2,
                         .flags = NADI_PROJECTION_BIAS | NADI_PROJECTION_WHOLE});
    m->patch = nadi_hf_times(c, KERNEL, m->hidden);
    m->biases |= NADI_BIAS_EMBEDDING | NADI_BIAS_NOT_KEYS;
    m->max_positions = m->fixed_tokens = nadi_hf_number(c, "max_source_positions", 1500);
    m->target_positions = nadi_hf_number(c, "max_target_positions", 448);
    (void)nadi_hf_find(c, "apply_spec_augment mask_feature_length mask_feature_min_masks "
                          "mask_feature_prob mask_time_length mask_time_min_masks mask_time_prob "
                          "median_filter_width use_weighted_layer_sum classifier_proj_size");
    if (class_ends(c, "Encoder"))
        return nadi_hf_refuse(c, nadi_doc_find(c->map, "architectures"), "the encoder alone");
    return true;
}

/* The encoder of sound within another model. */
bool nadi_hf_sound_encoder(struct nadi_model *m, struct nadi_hf_config *c)
{
    if (!nadi_hf_whisper(m, c))
        return false;
    m->family = NADI_FAMILY_ENCODER;
    m->head = NADI_HEAD_NONE;
    m->decoder_layers = 0;
    return true;
}

/* arXiv 2006.11477, 2106.07447: convolutions over samples, each a product of rows that its strides
 * leave, and one over tokens in groups for the places. */
bool nadi_hf_wav2vec2(struct nadi_model *m, struct nadi_hf_config *c)
{
    static const uint32_t kernels[] = {10, 3, 3, 3, 3, 2, 2}, strides[] = {5, 2, 2, 2, 2, 2, 2};
    const struct nadi_doc_node *dims = nadi_hf_list(c, "conv_dim");
    const struct nadi_doc_node *kernel = nadi_hf_list(c, "conv_kernel");
    const struct nadi_doc_node *stride = nadi_hf_list(c, "conv_stride");
    const uint32_t groups = nadi_hf_number(c, "num_conv_pos_embedding_groups", 16);
    const uint32_t count = kernel ? kernel->count : 7;
    const uint64_t reach = nadi_hf_number(c, "num_conv_pos_embeddings", 128), h = m->hidden;
    const bool all = strcmp(nadi_hf_text(c, "feat_extract_norm"), "layer") == 0;
    const bool bias = nadi_hf_truth(c, "conv_bias", false);
    uint32_t from = 1, times = 1;
    if ((dims && dims->count < count) || (stride && stride->count < count))
        return nadi_hf_refuse(c, dims ? dims : stride, "fewer than the convolutions");
    if (count > 16 || !groups || h % groups || (kernel && stride && stride->count != count))
        return nadi_hf_refuse(c, kernel, "with more than 16 convolutions, or uneven ones");
    for (uint32_t i = 1; i < count; i++)
        times = nadi_hf_times(c, times,
                              stride ? nadi_hf_number_at(c, stride, i) : strides[i < 7 ? i : 6]);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t width = kernel ? nadi_hf_number_at(c, kernel, i) : kernels[i < 7 ? i : 6];
        const uint32_t to = dims ? nadi_hf_number_at(c, dims, i) : 512;
        const uint32_t next = i + 1 == count ? 1
                              : stride       ? nadi_hf_number_at(c, stride, i + 1)
                                             : strides[i < 6 ? i + 1 : 6];
        nadi_hf_front(m, &(struct nadi_projection){.name = "convolution",
                                                   .from = nadi_hf_times(c, from, width),
                                                   .to = to,
                                                   .times = times,
                                                   .flags = NADI_PROJECTION_WHOLE |
                                                            (bias ? NADI_PROJECTION_BIAS : 0)});
        m->once_weights += i == 0 || all ? 2ULL * to : 0; /* a norm */
        from = to;
        times /= i + 1 < count && next ? next : 1;
    }
    m->patch = from;
    m->biases |= NADI_BIAS_EMBEDDING;
    m->once_weights += 2ULL * from + h + reach; /* a norm; of a mask; scales of the next */
    m->places = (struct nadi_projection){.name = "places",
                                         .from = h / groups * reach,
                                         .to = h / groups,
                                         .blocks = groups,
                                         .flags = NADI_PROJECTION_BIAS};
    m->labels = class_ends(c, "ForCTC") ? m->vocab : 0;
    return true;
}

/* arXiv 1912.13318: tables of left, upper, width and height of a word's box. */
bool nadi_hf_layoutlm(struct nadi_model *m, struct nadi_hf_config *c)
{
    m->once_weights = 4ULL * nadi_hf_number(c, "max_2d_position_embeddings", 1024) * m->hidden;
    return true;
}

/* Ernie 2.0: a row of the task, where it is wanted. */
bool nadi_hf_ernie(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t tasks = nadi_hf_number(c, "task_type_vocab_size", 3);
    m->once_weights = nadi_hf_truth(c, "use_task_id", false) ? tasks * m->hidden : 0;
    return true;
}

/* arXiv 2004.05150: a window, and products of their own for tokens that see all. */
bool nadi_hf_longformer(struct nadi_model *m, struct nadi_hf_config *c)
{
    static const char *const names[] = {"global queries", "global keys", "global values"};
    m->window = nadi_hf_number(c, "attention_window", 512);
    (void)nadi_hf_find(c, "attention_mode sep_token_id ignore_attention_mask");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        nadi_hf_side(m, m, names[i], m->hidden, m->hidden, NADI_PROJECTION_BIAS);
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++)
        flags[i] = m->window ? NADI_LAYER_WINDOWED : 0;
    return true;
}

/* arXiv 2007.14062: of blocks the two ends, three neighbours and some at random. */
bool nadi_hf_big_bird(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t block = nadi_hf_number(c, "block_size", 64);
    const uint32_t random = nadi_hf_number(c, "num_random_blocks", 3);
    const bool sparse = strcmp(nadi_hf_text(c, "attention_type"), "original_full") != 0;
    m->window = sparse ? nadi_hf_times(c, block, 2 + 3 + (uint64_t)random) : 0;
    if (!nadi_hf_truth(c, "use_bias", true))
        m->biases &= ~(unsigned)NADI_BIAS_QKV;
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++)
        flags[i] = m->window ? NADI_LAYER_WINDOWED : 0;
    return true;
}

/* arXiv 2101.03961: experts in every so many layers, one for a token. */
bool nadi_hf_switch(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t every = nadi_hf_number(c, "encoder_sparse_step", 2);
    const uint32_t step = nadi_hf_number(c, "decoder_sparse_step", every);
    (void)nadi_hf_find(c, "num_sparse_encoder_layers num_sparse_decoder_layers expert_capacity "
                          "add_router_probs batch_prioritized_routing");
    m->expert_ffn = m->ffn;
    m->top_k = 1;
    if (!nadi_hf_t5(m, c))
        return false;
    if (every != step || m->decoder_layers != m->layers)
        return nadi_hf_refuse(c, nadi_hf_find(c, "decoder_sparse_step num_decoder_layers"),
                              "another number than the encoder's");
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++)
        flags[i] = every && i % every == 1 % every ? NADI_LAYER_EXPERTS : 0;
    return true;
}
