/* Architectures with state-space layers (Mamba, Mamba-2), alone, between layers of attention or
 * beside them. Each is called after the keys that all have. */
#include "base/str.h"
#include "model/hf_layers.h"
#include "model/hf_rules.h"

static uint32_t default_rank(const struct nadi_model *m)
{
    return (m->hidden + 15) / 16;
}

/* Nothing but state: heads are those of the state, for those who divide them. */
static void only_state(struct nadi_model *m, const struct nadi_recurrent *r)
{
    m->recurrent = r;
    m->no_attention = m->no_mlp = true;
    m->heads = m->kv_heads = r->heads;
    m->head_dim = r->value_dim;
    m->norms_per_layer = 1;
    m->positions = NADI_POSITIONS_NONE;
}

bool nadi_hf_only_mamba(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t inner = nadi_hf_times(c, m->hidden, nadi_hf_number(c, "expand", 2));
    const struct nadi_mamba s = {
        .inner = m->ffn ? m->ffn : inner,
        .state = nadi_hf_number(c, "state_size", 16),
        .conv = nadi_hf_number(c, "conv_kernel d_conv", 4),
        .rank = nadi_hf_auto(c, "time_step_rank", default_rank(m)),
        .bias = nadi_hf_truth(c, "use_bias", false),
        .conv_bias = nadi_hf_truth(c, "use_conv_bias", true),
    };
    only_state(m, nadi_hf_mamba(m, &s));
    return true;
}

bool nadi_hf_only_mamba2(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t inner = nadi_hf_times(c, m->hidden, nadi_hf_number(c, "expand", 2));
    const uint32_t dim = nadi_hf_number(c, "head_dim", 64);
    const struct nadi_mamba2 s = {
        .heads = nadi_hf_number(c, "num_heads", dim ? inner / dim : 0),
        .head_dim = dim,
        .groups = nadi_hf_number(c, "n_groups", 8),
        .state = nadi_hf_number(c, "state_size", 128),
        .conv = nadi_hf_number(c, "conv_kernel", 4),
        .chunk = nadi_hf_number(c, "chunk_size", 256),
        .bias = nadi_hf_truth(c, "use_bias", false),
        .conv_bias = nadi_hf_truth(c, "use_conv_bias", true),
        .norm = true,
    };
    (void)nadi_hf_find(c, "intermediate_size time_step_rank");
    only_state(m, nadi_hf_mamba2(m, &s));
    return true;
}

/* The first Mamba files, before the library: ssm_cfg, a padded vocabulary. */
bool nadi_hf_old_mamba(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *map = c->map;
    const uint32_t multiple = nadi_hf_number(c, "pad_vocab_size_multiple", 8);
    struct nadi_mamba s = {
        .inner = nadi_hf_times(c, m->hidden, 2), .state = 16, .conv = 4, .conv_bias = true};
    struct nadi_mamba2 s2 = {.head_dim = 64,
                             .groups = 1,
                             .state = 128,
                             .conv = 4,
                             .chunk = 256,
                             .conv_bias = true,
                             .norm = true};
    const struct nadi_doc_node *attention = nadi_hf_list(c, "attn_layer_idx");
    s.rank = default_rank(m);
    bool second = false;
    if (nadi_hf_enter(c, "ssm_cfg")) {
        second = nadi_str_equal(nadi_hf_text(c, "layer"), "Mamba2");
        s.state = nadi_hf_number(c, "d_state", s.state);
        s2.state = nadi_hf_number(c, "d_state", s2.state);
        s2.groups = nadi_hf_number(c, "ngroups", 1);
        s2.head_dim = nadi_hf_number(c, "headdim", s2.head_dim);
    }
    c->map = map;
    if (attention)
        return nadi_hf_refuse(c, attention, "layers of attention in the format before the library");
    if (m->ffn)
        return nadi_hf_refuse(c, nadi_hf_find(c, "d_intermediate"), "feed-forward layers");
    s2.heads = s2.head_dim ? s.inner / s2.head_dim : 0;
    if (multiple)
        m->vocab = (m->vocab + multiple - 1) / multiple * multiple;
    only_state(m, second ? nadi_hf_mamba2(m, &s2) : nadi_hf_mamba(m, &s));
    return true;
}

bool nadi_hf_jamba(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t period = nadi_hf_number(c, "attn_layer_period", 8);
    const uint32_t offset = nadi_hf_number(c, "attn_layer_offset", 4);
    const uint32_t every = nadi_hf_number(c, "expert_layer_period", 2);
    const uint32_t first = nadi_hf_number(c, "expert_layer_offset", 1);
    const struct nadi_mamba s = {
        .inner = nadi_hf_times(c, m->hidden, nadi_hf_number(c, "mamba_expand", 2)),
        .state = nadi_hf_number(c, "mamba_d_state", 16),
        .conv = nadi_hf_number(c, "mamba_d_conv", 4),
        .rank = nadi_hf_auto(c, "mamba_dt_rank", default_rank(m)),
        .bias = nadi_hf_truth(c, "mamba_proj_bias", false),
        .conv_bias = nadi_hf_truth(c, "mamba_conv_bias", true),
        .norms = nadi_hf_truth(c, "mamba_inner_layernorms", true),
    };
    const struct nadi_model view = nadi_hf_with_state(m, nadi_hf_mamba(m, &s));
    uint8_t *flags = nadi_hf_flags(m);
    if (m->experts < 2)
        m->experts = m->top_k = 0;
    for (uint32_t i = 0; i < m->layers; i++) {
        flags[i] = m->experts && every && i % every == first ? NADI_LAYER_EXPERTS : 0;
        if (!period || i % period != offset)
            nadi_hf_place(m, i, &view);
    }
    return true;
}

/* Mamba-2 by keys that begin with mamba_: Bamba, Granite, Falcon-H1. */
static struct nadi_mamba2 mamba_keys(const struct nadi_model *m, struct nadi_hf_config *c)
{
    struct nadi_mamba2 s = {
        .heads = nadi_hf_number(c, "mamba_n_heads", 128),
        .groups = nadi_hf_number(c, "mamba_n_groups", 1),
        .state = nadi_hf_number(c, "mamba_d_state", 256),
        .conv = nadi_hf_number(c, "mamba_d_conv", 4),
        .chunk = nadi_hf_number(c, "mamba_chunk_size", 256),
        .bias = nadi_hf_truth(c, "mamba_proj_bias", false),
        .conv_bias = nadi_hf_truth(c, "mamba_conv_bias", true),
        .norm = true,
    };
    const uint32_t expand = nadi_hf_number(c, "mamba_expand", 2);
    const uint32_t inner = nadi_hf_number(c, "mamba_d_ssm", nadi_hf_times(c, m->hidden, expand));
    s.head_dim = nadi_hf_auto(c, "mamba_d_head", s.heads ? inner / s.heads : 0);
    return s;
}

bool nadi_hf_bamba(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *attention = nadi_hf_list(c, "attn_layer_indices");
    const struct nadi_mamba2 s = mamba_keys(m, c);
    const struct nadi_model view = nadi_hf_with_state(m, nadi_hf_mamba2(m, &s));
    (void)nadi_hf_find(c, "attn_rotary_emb");
    for (uint32_t i = 0; i < m->layers; i++)
        if (!nadi_hf_lists_number(c, attention, i))
            nadi_hf_place(m, i, &view);
    return true;
}

bool nadi_hf_granite_hybrid(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *types = nadi_hf_list(c, "layer_types layers_block_type");
    const struct nadi_mamba2 s = mamba_keys(m, c);
    if (!m->experts) {
        m->ffn = nadi_hf_number(c, "shared_intermediate_size", 0);
        m->shared_ffn = 0;
    }
    if (strcmp(nadi_hf_text(c, "position_embedding_type"), "rope") != 0)
        m->positions = NADI_POSITIONS_NONE;
    const struct nadi_model view = nadi_hf_with_state(m, nadi_hf_mamba2(m, &s));
    for (uint32_t i = 0; i < m->layers; i++)
        if (!types || nadi_str_equal(nadi_hf_word_at(types, i), "mamba"))
            nadi_hf_place(m, i, &view);
    return true;
}

/* Both in every layer, side by side. */
bool nadi_hf_falcon_h1(struct nadi_model *m, struct nadi_hf_config *c)
{
    struct nadi_mamba2 s = mamba_keys(m, c);
    s.norm = nadi_hf_truth(c, "mamba_rms_norm", false);
    (void)nadi_hf_find(c, "mamba_norm_before_gate mamba_use_mlp mlp_expansion_factor "
                          "attn_layer_indices ssm_multipliers mlp_multipliers");
    m->recurrent = nadi_hf_mamba2(m, &s);
    return true;
}

/* A letter a layer, each with one half only: M state, * attention, - feed-forward, E experts. */
bool nadi_hf_nemotron_h(struct nadi_model *m, struct nadi_hf_config *c)
{
    const char *pattern = nadi_hf_text(c, "hybrid_override_pattern");
    const struct nadi_doc_node *words = nadi_hf_list(c, "layers_block_type");
    const struct nadi_mamba2 s = {
        .heads = nadi_hf_number(c, "mamba_num_heads", 128),
        .head_dim = nadi_hf_number(c, "mamba_head_dim", 64),
        .groups = nadi_hf_number(c, "n_groups mamba_n_groups", 8),
        .state = nadi_hf_number(c, "ssm_state_size mamba_state_dim", 128),
        .conv = nadi_hf_number(c, "conv_kernel mamba_d_conv", 4),
        .chunk = nadi_hf_number(c, "chunk_size mamba_chunk_size", 128),
        .bias = nadi_hf_truth(c, "mamba_proj_bias use_bias", false),
        .conv_bias = nadi_hf_truth(c, "use_conv_bias", true),
        .norm = true,
    };
    (void)nadi_hf_find(c, "expand mtp_hybrid_override_pattern mtp_layers_block_type "
                          "moe_shared_expert_overlap");
    m->head_dim = nadi_hf_number(c, "head_dim attention_head_dim", 128);
    m->expert_hidden = nadi_hf_number(c, "moe_latent_size", 0);
    m->norms_per_layer = 1;
    m->positions = NADI_POSITIONS_NONE;
    const struct nadi_model mlp = nadi_hf_mlp_only(m);
    struct nadi_model attention = *m, state = nadi_hf_with_state(m, nadi_hf_mamba2(m, &s));
    attention.no_mlp = state.no_mlp = true;
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++) {
        const char *word = nadi_hf_word_at(words, i);
        const char letter = words ? word[0] : i < strlen(pattern) ? pattern[i] : '\0';
        const bool experts = letter == 'E' || nadi_str_equal(word, "moe");
        const bool is_state = letter == 'M' || nadi_str_equal(word, "mamba");
        const bool is_mlp = letter == '-' || nadi_str_equal(word, "mlp");
        if (!experts && !is_state && !is_mlp && letter != '*' && letter != 'a')
            return nadi_hf_refuse(
                c, nadi_hf_find(c, "hybrid_override_pattern layers_block_type"),
                "a layer of another kind than M, *, - and E, or fewer of them than layers");
        flags[i] = experts ? NADI_LAYER_EXPERTS : 0;
        nadi_hf_place(m, i, is_state ? &state : experts || is_mlp ? &mlp : &attention);
    }
    return true;
}

/* ---- shared blocks ------------------------------------------------------------------------- */

/* Weights of a state's products and vectors. */
static uint64_t state_weights(const struct nadi_recurrent *r)
{
    uint64_t sum =
        r->own + r->common + r->conv_channels * (r->conv_width + (r->conv_bias ? 1U : 0U));
    for (uint32_t i = 0; i < r->projection_count; i++)
        sum += r->projections[i].from * r->projections[i].to;
    return sum;
}

/* Narrow products that tell the uses of a shared block apart. */
static uint64_t adapters(struct nadi_model *m, struct nadi_model *view, struct nadi_hf_config *c)
{
    const uint64_t rank = nadi_hf_number(c, "adapter_rank", 128), h = view->hidden;
    const uint64_t wide = (uint64_t)view->heads * view->head_dim;
    uint64_t sum = 0;
    if (nadi_hf_truth(c, "use_shared_mlp_adapter", true)) {
        nadi_hf_side(m, view, "adapter down", h, rank, NADI_PROJECTION_WHOLE);
        nadi_hf_side(m, view, "adapter up", rank, 2ULL * view->ffn, 0);
        sum += h * rank + rank * 2 * view->ffn;
    }
    for (int i = 0; i < 3 && nadi_hf_truth(c, "use_shared_attention_adapter", false); i++) {
        nadi_hf_side(m, view, "adapter down", view->mixer_input, rank, NADI_PROJECTION_WHOLE);
        nadi_hf_side(m, view, "adapter up", rank, wide, 0);
        sum += view->mixer_input * rank + rank * wide;
    }
    return sum;
}

/* Zamba2 (arXiv 2411.15242): before some layers of state a block of attention and feed-forward
 * layer, one of a few, reads the layer's input beside the embedding. */
bool nadi_hf_zamba2(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *ids = nadi_hf_list(c, "hybrid_layer_ids");
    const struct nadi_doc_node *words = nadi_hf_list(c, "layers_block_type");
    const uint32_t blocks = nadi_hf_number(c, "num_mem_blocks", 1);
    if (!nadi_hf_has_only(c, words, "hybrid mamba"))
        return false;
    const uint32_t inner = nadi_hf_times(c, m->hidden, nadi_hf_number(c, "mamba_expand", 2));
    const uint64_t h = m->hidden;
    struct nadi_mamba2 s = {
        .heads = nadi_hf_number(c, "n_mamba_heads", 8),
        .groups = nadi_hf_number(c, "mamba_ngroups", 1),
        .state = nadi_hf_number(c, "mamba_d_state", 64),
        .conv = nadi_hf_number(c, "mamba_d_conv", 4),
        .chunk = nadi_hf_number(c, "chunk_size", 256),
        .bias = nadi_hf_truth(c, "add_bias_linear", false),
        .conv_bias = nadi_hf_truth(c, "use_conv_bias", true),
        .norm = true,
    };
    s.head_dim = nadi_hf_number(c, "mamba_headdim", s.heads ? inner / s.heads : 0);
    (void)nadi_hf_find(c, "attention_hidden_size kv_channels use_mem_rope use_long_context");
    m->mixer_input = nadi_hf_times(c, 2, m->hidden);
    if (!m->head_dim && m->heads)
        m->head_dim = m->mixer_input / m->heads;
    m->gated = true;
    const struct nadi_recurrent *state = nadi_hf_mamba2(m, &s);
    struct nadi_model plain = nadi_hf_with_state(m, state), hybrid = *m;
    plain.no_mlp = true;
    plain.norms_per_layer = 1;
    hybrid.recurrent = state;
    hybrid.norms_per_layer = 3;
    nadi_hf_side(m, &hybrid, "shared block's output", h, h, NADI_PROJECTION_WHOLE);
    const uint64_t own = adapters(m, &hybrid, c) + h * h + h + state_weights(state);
    hybrid.side_weights = h; /* the first norm is twice as wide */
    struct nadi_model again = hybrid;
    again.shared_weights = true;
    again.side_weights = 0;
    again.split_weights = own;
    uint32_t uses = 0;
    for (uint32_t i = 0; i < m->layers; i++) {
        const bool both = words ? nadi_str_equal(nadi_hf_word_at(words, i), "hybrid")
                                : nadi_hf_lists_number(c, ids, i);
        nadi_hf_place(m, i, !both ? &plain : uses < blocks ? &hybrid : &again);
        uses += both;
    }
    return true;
}
