/* Architectures of 2025 and later, and embedding models, that add little to known ones. Each is
 * called after the keys that all have. */
#include "base/str.h"
#include "model/hf_layers.h"
#include "model/hf_rules.h"

/* A gate of each head's result, wide as the head; the first layers are dense. */
bool nadi_hf_afmoe(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t dense = nadi_hf_number(c, "num_dense_layers", 0);
    const uint32_t every = nadi_hf_number(c, "global_attn_every_n_layers", 4);
    const bool listed = nadi_hf_find(c, "layer_types") != NULL;
    m->gate_dim = m->head_dim;
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++) {
        flags[i] &= (uint8_t) ~(i < dense ? NADI_LAYER_EXPERTS : 0);
        if (!listed)
            flags[i] &= (uint8_t) ~(every && (i + 1) % every == 0 ? NADI_LAYER_WINDOWED : 0);
    }
    return true;
}

/* One gate a head; layers with a window may have other heads. */
bool nadi_hf_laguna(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *heads = nadi_hf_list(c, "num_attention_heads_per_layer");
    const char *gate = nadi_hf_text(c, "gating");
    m->gate_dim = nadi_str_equal(gate, "per-element") ? m->head_dim : 1;
    if (!nadi_hf_find(c, "layer_types")) {
        m->window = 0;
        uint8_t *flags = nadi_hf_flags(m);
        for (uint32_t i = 0; i < m->layers; i++)
            flags[i] &= (uint8_t)~NADI_LAYER_WINDOWED;
    }
    for (uint32_t i = 0; heads && i < m->layers; i++) {
        struct nadi_model view = *m;
        view.heads = nadi_hf_number_at(c, heads, i);
        nadi_hf_place(m, i, &view);
    }
    return true;
}

bool nadi_hf_hyperclovax(struct nadi_model *m, struct nadi_hf_config *c)
{
    if (nadi_hf_truth(c, "use_post_norm", false))
        m->norms_per_layer = 4;
    return true;
}

/* A decoder's layers without a mask. */
bool nadi_hf_sees_all(struct nadi_model *m, struct nadi_hf_config *c)
{
    (void)c;
    m->causal = false;
    return true;
}

/* Lightning attention (arXiv 2401.04658) in all but the last layer of a group; its queries and keys
 * have the norms of the others. */
bool nadi_hf_bailing_linear(struct nadi_model *m, struct nadi_hf_config *c)
{
    enum { CHUNK = 64 };
    const uint32_t group = nadi_hf_number(c, "layer_group_size", 1);
    const uint32_t dim = m->head_dim ? m->head_dim : m->heads ? m->hidden / m->heads : 0;
    const uint64_t width = (uint64_t)m->heads * dim;
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "lightning block", NADI_STATE_CHUNKS);
    (void)nadi_hf_find(c, "group_norm_size");
    r->heads = r->groups = m->heads;
    r->key_dim = r->value_dim = dim;
    r->chunk = CHUNK;
    nadi_hf_project(r, "queries, keys, values", m->hidden, 3 * width, 0);
    nadi_hf_project(r, "gate", m->hidden, width, 0);
    r->own = r->norm_width = width;
    r->common = m->qk_norm ? 2ULL * dim : 0;
    nadi_hf_project(r, "state output", width, m->hidden,
                    NADI_PROJECTION_ROWS | NADI_PROJECTION_LAST);
    const struct nadi_model view = nadi_hf_with_state(m, r);
    for (uint32_t i = 0; group && i < m->layers; i++)
        if ((i + 1) % group != 0 && i < m->layers / group * group)
            nadi_hf_place(m, i, &view);
    return true;
}

/* GTE: BERT with rotary positions and gated feed-forward layers, of which only the way back has
 * biases. */
bool nadi_hf_gte(struct nadi_model *m, struct nadi_hf_config *c)
{
    const char *positions = nadi_hf_text(c, "position_embedding_type");
    const struct nadi_doc_node *classes = nadi_doc_find(c->map, "architectures");
    if (nadi_str_equal(positions, "absolute"))
        m->positions = NADI_POSITIONS_LEARNED;
    m->side_weights += m->hidden;
    (void)nadi_hf_find(c, "pack_qkv unpad_inputs logn_attention_scale layer_norm_type");
    return !nadi_str_ends(nadi_hf_word_at(classes, 0), "ForMaskedLM") ||
           nadi_hf_refuse(c, classes, "an output layer behind a dense one");
}

/* ---- encoders of pictures ------------------------------------------------------------------ */

static void patch_of(struct nadi_model *m, struct nadi_hf_config *c, uint32_t image)
{
    const uint32_t side = nadi_hf_number(c, "image_size", image);
    const uint32_t patch = nadi_hf_number(c, "patch_size", 16);
    const uint32_t channels = nadi_hf_number(c, "num_channels", 3);
    m->patch = nadi_hf_times(c, nadi_hf_times(c, channels, patch), patch);
    m->fixed_tokens = patch ? nadi_hf_times(c, side / patch, side / patch) : 0;
    m->head = NADI_HEAD_NONE;
}

/* arXiv 2508.10104: rotary positions, registers, scales of the residuals; keys without biases. */
bool nadi_hf_dinov3(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t h = m->hidden, registers = nadi_hf_number(c, "num_register_tokens", 0);
    const bool queries = nadi_hf_truth(c, "query_bias", true);
    const bool keys = nadi_hf_truth(c, "key_bias", false);
    const bool values = nadi_hf_truth(c, "value_bias", true);
    m->biases &= ~(unsigned)NADI_BIAS_QKV;
    if (!nadi_hf_truth(c, "proj_bias", true))
        m->biases &= ~(unsigned)NADI_BIAS_OUTPUT;
    if (!nadi_hf_truth(c, "mlp_bias", true))
        m->biases &= ~(unsigned)NADI_BIAS_MLP;
    m->gated = nadi_hf_truth(c, "use_gated_mlp", false);
    m->side_weights = (2ULL + queries + keys + values) * h;
    m->once_weights = (2 + registers) * h; /* of the picture, of masked patches */
    (void)nadi_hf_find(c, "layerscale_value drop_path_rate pos_embed_shift pos_embed_jitter "
                          "pos_embed_rescale out_indices out_features stage_names "
                          "reshape_hidden_states apply_layernorm");
    patch_of(m, c, 224);
    m->fixed_tokens += 1 + (uint32_t)registers;
    return true;
}

/* SigLIP with the keys of timm; its ending attends to the patches with one query. */
bool nadi_hf_deepseek_vision(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *ratio = nadi_hf_find(c, "mlp_ratio");
    double times = 4;
    if (ratio)
        nadi_doc_classify(c->doc, ratio, &times);
    m->layers = nadi_hf_number(c, "layers", 27);
    m->hidden = nadi_hf_number(c, "width", 1152);
    m->heads = nadi_hf_number(c, "heads", 16);
    if (!(times > 0 && times < 100) || m->hidden > 1 << 20 || m->layers > 1000)
        return nadi_hf_refuse(c, ratio, "wider or deeper than encoders of pictures are");
    m->ffn = (uint32_t)(times * m->hidden);
    const uint64_t h = m->hidden;
    m->once_weights = h + 4 * h * h + 4 * h + 2 * h + 2 * h * m->ffn + m->ffn + h;
    patch_of(m, c, 384);
    m->max_positions = m->fixed_tokens;
    return true;
}
