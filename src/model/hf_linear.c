/* Architectures with linear attention, recurrences or short convolutions in some or all layers. */
#include "base/str.h"
#include "model/hf_layers.h"
#include "model/hf_rules.h"

enum { CHUNK = 64 }; /* tokens, of the delta rule's and of gated linear attention's kernels */

enum {
    ROWS_LAST = NADI_PROJECTION_ROWS | NADI_PROJECTION_LAST,
    BIAS = NADI_PROJECTION_BIAS,
    WHOLE = NADI_PROJECTION_WHOLE,
};

/* The layers of a word in `layer_types`; without it all but every `full`-th. */
static bool is_full(const struct nadi_doc_node *types, uint32_t full, uint32_t layer)
{
    if (types)
        return nadi_str_equal(nadi_hf_word_at(types, layer), "full_attention");
    return full && (layer + 1) % full == 0;
}

static const struct nadi_recurrent *gated_delta(struct nadi_model *m, struct nadi_hf_config *c)
{
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "gated delta-rule block", NADI_STATE_DELTA);
    r->groups = nadi_hf_number(c, "linear_num_key_heads", 16);
    r->heads = nadi_hf_number(c, "linear_num_value_heads", 32);
    r->key_dim = nadi_hf_number(c, "linear_key_head_dim", 128);
    r->value_dim = nadi_hf_number(c, "linear_value_head_dim", 128);
    r->chunk = CHUNK;
    const uint64_t keys = (uint64_t)r->groups * r->key_dim;
    const uint64_t values = (uint64_t)r->heads * r->value_dim;
    nadi_hf_project(r, "queries, keys, values, gate", m->hidden, 2 * keys + 2 * values, 0);
    nadi_hf_project(r, "decays and strengths", m->hidden, 2ULL * r->heads, 0);
    r->conv_channels = 2 * keys + values;
    r->conv_width = nadi_hf_number(c, "linear_conv_kernel_dim", 4);
    r->own = 2ULL * r->heads;
    r->common = r->value_dim;
    r->norm_width = values;
    nadi_hf_project(r, "state output", values, m->hidden, ROWS_LAST);
    return r;
}

bool nadi_hf_qwen_next(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *types = nadi_hf_list(c, "layer_types");
    const uint32_t full = nadi_hf_number(c, "full_attention_interval", 4);
    if (nadi_hf_truth(c, "attn_output_gate", true))
        m->gate_dim = m->head_dim;
    const struct nadi_model view = nadi_hf_with_state(m, gated_delta(m, c));
    for (uint32_t i = 0; i < m->layers; i++)
        if (!is_full(types, full, i))
            nadi_hf_place(m, i, &view);
    return true;
}

/* Kimi Delta Attention (arXiv 2510.26692): the delta rule with a decay a channel, by a product
 * through one head's width; so is the gate of the result. */
static const struct nadi_recurrent *kimi_delta(struct nadi_model *m, struct nadi_hf_config *c)
{
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "kimi delta block", NADI_STATE_DELTA);
    const uint32_t dim = nadi_hf_number(c, "head_dim", 128);
    r->heads = r->groups = nadi_hf_number(c, "num_heads", 32);
    r->key_dim = r->value_dim = dim;
    r->chunk = CHUNK;
    const uint64_t width = (uint64_t)r->heads * dim;
    nadi_hf_project(r, "queries, keys, values", m->hidden, 3 * width, 0);
    nadi_hf_project(r, "decay down", m->hidden, dim, WHOLE);
    nadi_hf_project(r, "decay up", dim, width, 0);
    nadi_hf_project(r, "strengths", m->hidden, r->heads, 0);
    nadi_hf_project(r, "gate down", m->hidden, dim, WHOLE);
    nadi_hf_project(r, "gate up", dim, width, 0);
    r->conv_channels = 3 * width;
    r->conv_width = nadi_hf_number(c, "short_conv_kernel_size", 4);
    r->own = width + r->heads;
    r->common = dim;
    r->norm_width = width;
    nadi_hf_project(r, "state output", width, m->hidden, ROWS_LAST);
    return r;
}

bool nadi_hf_kimi_linear(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *map = c->map;
    if (!nadi_hf_enter(c, "linear_attn_config"))
        return true;
    const struct nadi_doc_node *state_layers = nadi_hf_list(c, "kda_layers");
    const struct nadi_doc_node *full_layers = nadi_hf_list(c, "full_attn_layers");
    const struct nadi_model view = nadi_hf_with_state(m, kimi_delta(m, c));
    c->map = map;
    for (uint32_t i = 0; i < m->layers; i++) { /* the lists count from 1 */
        const bool is_state = nadi_hf_lists_number(c, state_layers, i + 1);
        if (full_layers && nadi_hf_lists_number(c, full_layers, i + 1) == is_state)
            return c->ok && nadi_hf_refuse(c, full_layers, "a layer of both kinds, or of neither");
        if (is_state)
            nadi_hf_place(m, i, &view);
    }
    return true;
}

/* Lightning attention (arXiv 2401.04658): fixed decays, a gate, a norm over all heads. */
bool nadi_hf_minimax(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *list = nadi_hf_list(c, "attn_type_list");
    const struct nadi_doc_node *types = nadi_hf_list(c, "layer_types");
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "lightning block", NADI_STATE_CHUNKS);
    const uint64_t width = (uint64_t)m->heads * m->head_dim;
    r->heads = r->groups = m->heads;
    r->key_dim = r->value_dim = m->head_dim;
    r->chunk = nadi_hf_number(c, "block_size", 256);
    nadi_hf_project(r, "queries, keys, values", m->hidden, 3 * width, 0);
    nadi_hf_project(r, "gate", m->hidden, width, 0);
    r->own = r->norm_width = width;
    nadi_hf_project(r, "state output", width, m->hidden, ROWS_LAST);
    m->expert_ffn = m->ffn;
    const struct nadi_model view = nadi_hf_with_state(m, r);
    for (uint32_t i = 0; i < m->layers; i++) {
        const bool full = list ? nadi_hf_bit_at(c, list, i) : is_full(types, types ? 0 : 2, i);
        if (!full)
            nadi_hf_place(m, i, &view);
    }
    return true;
}

/* LFM2: two gates around a convolution over a few tokens. */
bool nadi_hf_lfm2(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *types = nadi_hf_list(c, "layer_types");
    const struct nadi_doc_node *full = nadi_hf_list(c, "full_attn_idxs");
    const bool bias = nadi_hf_truth(c, "conv_bias", false);
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "convolution block", NADI_STATE_NONE);
    (void)nadi_hf_find(c, "conv_dim conv_dim_out block_dim block_mlp_init_scale "
                          "block_out_init_scale block_norm_eps block_use_swiglu "
                          "block_use_xavier_init conv_use_xavier_init");
    const uint32_t width = nadi_hf_number(c, "block_ff_dim", 0);
    const uint32_t multiple = nadi_hf_number(c, "block_multiple_of", 256);
    m->ffn = width ? width : m->ffn;
    if (nadi_hf_truth(c, "block_auto_adjust_ff_dim", !m->experts) && multiple) {
        const struct nadi_doc_node *by = nadi_hf_find(c, "block_ffn_dim_multiplier");
        double times = 1;
        if (by)
            nadi_doc_classify(c->doc, by, &times);
        const uint32_t wanted = (uint32_t)((times > 0 && times < 100 ? times : 1) *
                                           (double)(uint32_t)(2ULL * m->ffn / 3));
        m->ffn = (wanted + multiple - 1) / multiple * multiple;
    }
    m->dense_layers = nadi_hf_number(c, "num_dense_layers", 0);
    nadi_hf_project(r, "gates and input", m->hidden, 3ULL * m->hidden, bias ? BIAS : 0);
    r->conv_channels = m->hidden;
    r->conv_width = nadi_hf_number(c, "conv_L_cache", 3);
    r->conv_bias = bias;
    nadi_hf_project(r, "convolution output", m->hidden, m->hidden, ROWS_LAST | (bias ? BIAS : 0));
    const struct nadi_model view = nadi_hf_with_state(m, r);
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++) {
        flags[i] = m->experts && i >= m->dense_layers ? NADI_LAYER_EXPERTS : 0;
        if (full ? !nadi_hf_lists_number(c, full, i) : !is_full(types, 0, i))
            nadi_hf_place(m, i, &view);
    }
    return true;
}

/* Griffin (arXiv 2402.19427): two branches of lru_width, one through a convolution and a recurrence
 * whose two gates are products a head. */
bool nadi_hf_recurrent_gemma(struct nadi_model *m, struct nadi_hf_config *c)
{
    const struct nadi_doc_node *types = nadi_hf_list(c, "block_types _block_types");
    const uint64_t lru = nadi_hf_number(c, "lru_width", m->hidden);
    if (!nadi_hf_has_only(c, types, "attention recurrent"))
        return false;
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "recurrent block", NADI_STATE_SCAN);
    m->window = nadi_hf_number(c, "attention_window_size sliding_window", 2048);
    m->ffn /= 2; /* of both halves of the gate */
    r->heads = (uint32_t)lru;
    r->groups = 1;
    r->key_dim = r->value_dim = 1;
    nadi_hf_project(r, "two branches", m->hidden, 2 * lru, BIAS);
    const uint64_t wide = m->heads ? lru / m->heads : lru;
    nadi_hf_project(r, "input gate", wide, wide, BIAS);
    r->projections[r->projection_count - 1].blocks = m->heads;
    nadi_hf_project(r, "recurrence gate", wide, wide, BIAS);
    r->projections[r->projection_count - 1].blocks = m->heads;
    r->conv_channels = lru;
    r->conv_width = nadi_hf_number(c, "conv1d_width", 4);
    r->conv_bias = true;
    r->own = lru;
    nadi_hf_project(r, "state output", lru, m->hidden, ROWS_LAST | BIAS);
    const struct nadi_model view = nadi_hf_with_state(m, r);
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++) {
        const char *word = types && types->count ? nadi_hf_word_at(types, i % types->count)
                           : i % 3 == 2          ? "attention"
                                                 : "recurrent";
        flags[i] = m->window ? NADI_LAYER_WINDOWED : 0;
        if (!nadi_str_equal(word, "attention"))
            nadi_hf_place(m, i, &view);
    }
    return true;
}

/* ---- RWKV ---------------------------------------------------------------------------------- */

/* arXiv 2305.13048: a decayed mean of values a channel; the second half of a layer has a gate. */
bool nadi_hf_rwkv4(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t h = m->hidden, a = nadi_hf_number(c, "attention_hidden_size", m->hidden);
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "rwkv block", NADI_STATE_SCAN);
    r->heads = (uint32_t)a;
    r->groups = 1;
    r->key_dim = r->value_dim = 1;
    nadi_hf_project(r, "keys, values, receptance", h, 3 * a, 0);
    r->own = 2 * a;
    r->common = 3 * h;
    nadi_hf_project(r, "state output", a, h, ROWS_LAST);
    nadi_hf_side(m, m, "receptance", h, h, 0);
    m->side_weights = 2 * h;
    m->once_weights = 2 * h; /* a norm before the first layer */
    m->recurrent = r;
    m->no_attention = true;
    m->heads = m->kv_heads = r->heads;
    m->head_dim = 1;
    return true;
}

/* arXiv 2404.05892: a matrix a head. `lora`: mixtures of neighbours and decays by products through
 * a narrow width (RWKV-6). */
bool nadi_hf_rwkv56(struct nadi_model *m, struct nadi_hf_config *c)
{
    enum { MIX = 32, DECAY = 64 };
    const bool six = strcmp(c->type, "rwkv6") == 0;
    const uint64_t h = m->hidden, a = nadi_hf_number(c, "attention_hidden_size", m->hidden);
    const uint32_t dim = nadi_hf_number(c, "head_size", 64);
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "rwkv block", NADI_STATE_CHUNKS);
    r->heads = r->groups = dim ? (uint32_t)(a / dim) : 0;
    r->key_dim = r->value_dim = dim;
    r->chunk = CHUNK;
    nadi_hf_project(r, "receptance, keys, values, gate", h, 4 * a, 0);
    if (six) {
        const uint64_t decay = h >= 4096 ? 2 * DECAY : DECAY, mix = h >= 4096 ? 2 * MIX : MIX;
        nadi_hf_project(r, "mixtures down", h, 5 * mix, WHOLE);
        nadi_hf_project(r, "mixtures up", 5 * mix, h, WHOLE);
        nadi_hf_project(r, "decays down", h, decay, WHOLE);
        nadi_hf_project(r, "decays up", decay, a, 0);
    }
    r->own = 2 * a + 2 * a; /* decay, bonus; a norm a head */
    r->common = six ? 6 * h : 4 * h;
    nadi_hf_project(r, "state output", a, h, ROWS_LAST);
    nadi_hf_side(m, m, "receptance", h, h, 0);
    (void)nadi_hf_find(c, "head_size_divisor num_attention_heads");
    if (!m->ffn) /* 3.5 times, in whole 32s */
        m->ffn = (uint32_t)(h * 7 / 2 / 32 * 32);
    m->side_weights = 2 * h;
    m->once_weights = 2 * h;
    m->recurrent = r;
    m->no_attention = true;
    m->heads = m->kv_heads = r->heads;
    m->head_dim = dim;
    return true;
}

/* arXiv 2503.14456 as flash-linear-attention has it: a delta rule whose rates, values and gate go
 * through narrow widths; no gate in the second half. */
bool nadi_hf_rwkv7(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t h = m->hidden;
    const uint32_t dim = nadi_hf_number(c, "head_dim", 64);
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "rwkv block", NADI_STATE_DELTA);
    r->heads = r->groups = dim ? m->hidden / dim : 0;
    r->key_dim = r->value_dim = dim;
    r->chunk = CHUNK;
    nadi_hf_project(r, "receptance, keys, values", h, 3 * h, 0);
    static const struct {
        const char *down, *up, *key;
        unsigned flags;
    } narrow[] = {
        {"decays down", "decays up", "decay_low_rank_dim", BIAS},
        {"rates down", "rates up", "a_low_rank_dim", BIAS},
        {"values down", "values up", "v_low_rank_dim", BIAS},
        {"gate down", "gate up", "gate_low_rank_dim", 0},
    };
    for (size_t i = 0; i < sizeof(narrow) / sizeof(narrow[0]); i++) {
        const uint32_t rank = nadi_hf_number(c, narrow[i].key, 64);
        nadi_hf_project(r, narrow[i].down, h, rank, WHOLE);
        nadi_hf_project(r, narrow[i].up, rank, h, narrow[i].flags);
    }
    r->own = 3 * h + 2 * h; /* how keys and the bonus are weighted; a norm a head */
    r->common = 6 * h;
    nadi_hf_project(r, "state output", h, h, ROWS_LAST);
    (void)nadi_hf_find(c, "attn_mode num_heads value_dim hidden_ratio attn");
    m->side_weights = h;
    m->once_weights = 2 * h;
    m->recurrent = r;
    m->no_attention = true;
    m->heads = m->kv_heads = r->heads;
    m->head_dim = dim;
    return true;
}
