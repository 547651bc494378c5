/* Encoders of pictures. Patches of a picture are the tokens; their number is fixed. Each is called
 * after the keys that all have. */
#include "base/str.h"
#include "model/hf_layers.h"
#include "model/hf_rules.h"

enum { ALL = NADI_BIAS_QKV | NADI_BIAS_OUTPUT | NADI_BIAS_MLP | NADI_BIAS_NORM };

/* Patches, their product, and a table of places with `more` rows of no patch. */
static bool patches(struct nadi_model *m, struct nadi_hf_config *c, uint32_t more)
{
    const uint32_t side = nadi_hf_number(c, "image_size", 224);
    const uint32_t patch = nadi_hf_number(c, "patch_size", 16);
    const uint32_t channels = nadi_hf_number(c, "num_channels in_channels in_chans", 3);
    if (!patch || side < patch || side / patch > 10000)
        return nadi_hf_refuse(c, nadi_hf_find(c, "patch_size image_size"),
                              "patches that are no part of the picture");
    m->patch = nadi_hf_times(c, nadi_hf_times(c, channels, patch), patch);
    m->fixed_tokens = side / patch * (side / patch) + more;
    m->max_positions = m->fixed_tokens;
    return true;
}

/* A list of names, or how many. */
static uint32_t label_count(struct nadi_hf_config *c)
{
    const struct nadi_doc_node *names = nadi_hf_find(c, "id2label");
    const uint32_t count = nadi_hf_number(c, "num_labels num_classes", 2);
    return names && names->kind == NADI_DOC_MAP ? names->count : count;
}

/* The classifier where the class has one; else the pooler where `pooler`. */
static void ending(struct nadi_model *m, struct nadi_hf_config *c, bool pooler)
{
    const struct nadi_doc_node *classes = nadi_doc_find(c->map, "architectures");
    const char *name = nadi_hf_word_at(classes, 0);
    const uint32_t labels = label_count(c);
    m->labels = strstr(name, "ForImageClassification") ? labels : 0;
    m->head = pooler && nadi_str_ends(name, "Model") ? NADI_HEAD_POOLER : NADI_HEAD_NONE;
}

/* arXiv 2010.11929, 2012.12877 (a token more, of the teacher). */
bool nadi_hf_vit(struct nadi_model *m, struct nadi_hf_config *c)
{
    const bool distilled = strcmp(c->type, "deit") == 0;
    if (!nadi_hf_truth(c, "qkv_bias", true))
        m->biases &= ~(unsigned)NADI_BIAS_QKV;
    m->once_weights = distilled ? 2 * m->hidden : m->hidden;
    (void)nadi_hf_find(c, "encoder_stride pooler_output_size pooler_act");
    ending(m, c, true);
    if (m->labels && distilled &&
        strstr(nadi_hf_word_at(nadi_doc_find(c->map, "architectures"), 0), "WithTeacher"))
        m->once_weights += (m->hidden + 1ULL) * m->labels;
    return patches(m, c, distilled ? 2 : 1);
}

/* arXiv 2106.08254: places by a table of distances in every layer, scales of the residuals. */
bool nadi_hf_beit(struct nadi_model *m, struct nadi_hf_config *c)
{
    const bool absolute = nadi_hf_truth(c, "use_absolute_position_embeddings", false);
    const bool own = nadi_hf_truth(c, "use_relative_position_bias", false);
    const bool shared = nadi_hf_truth(c, "use_shared_relative_position_bias", false);
    (void)nadi_hf_find(c, "use_auxiliary_head auxiliary_channels auxiliary_concat_input "
                          "auxiliary_num_convs out_indices pool_scales semantic_loss_ignore_index "
                          "layer_scale_init_value use_mask_token add_fpn reshape_hidden_states");
    if (!patches(m, c, 1))
        return false;
    const uint64_t side =
        nadi_hf_number(c, "image_size", 224) / nadi_hf_number(c, "patch_size", 16);
    const uint64_t rows = ((2 * side - 1) * (2 * side - 1) + 3) * m->heads;
    m->positions = absolute ? NADI_POSITIONS_LEARNED : NADI_POSITIONS_NONE;
    m->side_weights = 2ULL * m->hidden + (own ? rows : 0);
    m->once_weights = m->hidden + (shared ? rows : 0);
    m->final_norm = true; /* of the mean */
    ending(m, c, false);
    return true;
}

/* arXiv 2304.07193: scales of the residuals, a token for masked patches. */
bool nadi_hf_dinov2(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t ratio = nadi_hf_number(c, "mlp_ratio", 4);
    const uint32_t registers = nadi_hf_number(c, "num_register_tokens", 0);
    const struct nadi_doc_node *classes = nadi_doc_find(c->map, "architectures");
    m->ffn = nadi_hf_times(c, ratio, m->hidden);
    if (nadi_hf_truth(c, "use_swiglu_ffn", false)) {
        m->gated = true;
        m->ffn = (uint32_t)((m->ffn * 2ULL / 3 + 7) / 8 * 8);
    }
    if (!nadi_hf_truth(c, "qkv_bias", true))
        m->biases &= ~(unsigned)NADI_BIAS_QKV;
    (void)nadi_hf_find(c, "layerscale_value drop_path_rate out_indices out_features stage_names "
                          "reshape_hidden_states apply_layernorm use_mask_token");
    m->side_weights = 2ULL * m->hidden;
    m->once_weights = 2ULL * m->hidden + (uint64_t)registers * m->hidden;
    m->head = NADI_HEAD_NONE;
    if (strstr(nadi_hf_word_at(classes, 0), "ForImageClassification")) { /* of two halves */
        m->labels = label_count(c);
        m->once_weights += (uint64_t)m->hidden * m->labels;
    }
    return patches(m, c, 1);
}

/* One stage's view: `stage` counts from 0. */
static struct nadi_model swin_stage(const struct nadi_model *m, struct nadi_hf_config *c,
                                    const struct nadi_doc_node *heads, uint32_t stage)
{
    const uint32_t side = m->image >> stage, window = m->window < side ? m->window : side;
    struct nadi_model view = *m;
    view.heads = view.kv_heads = nadi_hf_number_at(c, heads, stage);
    view.hidden = m->hidden << stage;
    view.head_dim = view.heads ? view.hidden / view.heads : 0;
    view.ffn = m->ffn << stage;
    view.token_share = 1U << (2 * stage);
    view.tile = window * window;
    view.window = 0;
    view.side_weights = (2ULL * window - 1) * (2ULL * window - 1) * view.heads;
    return view;
}

/* arXiv 2103.14030: tiles of windows; between stages 2 x 2 patches become one, twice as wide. */
bool nadi_hf_swin(struct nadi_model *m, struct nadi_hf_config *c)
{
    enum { MOST_STAGES = 8, MOST_WIDTH = 1 << 20 };
    const struct nadi_doc_node *depths = nadi_hf_list(c, "depths");
    const struct nadi_doc_node *heads = nadi_hf_list(c, "num_heads");
    const bool table = nadi_hf_truth(c, "use_absolute_embeddings", false);
    m->hidden = nadi_hf_number(c, "embed_dim", 96);
    m->window = nadi_hf_number(c, "window_size", 7);
    m->ffn = nadi_hf_times(c, m->hidden, nadi_hf_number(c, "mlp_ratio", 4));
    (void)nadi_hf_find(c, "hidden_size num_layers encoder_stride out_features out_indices "
                          "stage_names path_norm drop_path_rate");
    if (!depths || !heads || depths->count != heads->count || depths->count > MOST_STAGES ||
        m->ffn > MOST_WIDTH || !m->window || m->window > 1024)
        return nadi_hf_refuse(c, depths, "without as many 'num_heads' as 'depths', or too wide");
    if (!nadi_hf_truth(c, "qkv_bias", true))
        m->biases &= ~(unsigned)NADI_BIAS_QKV;
    ending(m, c, false);
    if (!patches(m, c, 0))
        return false;
    m->positions = table ? NADI_POSITIONS_LEARNED : NADI_POSITIONS_NONE;
    m->image = nadi_hf_number(c, "image_size", 224) / nadi_hf_number(c, "patch_size", 4);
    m->layers = 0;
    for (uint32_t s = 0; s < depths->count; s++)
        m->layers += nadi_hf_number_at(c, depths, s);
    if (m->layers == 0 || m->layers > NADI_MODEL_MOST_LAYERS ||
        m->image >> (depths->count - 1) == 0)
        return nadi_hf_refuse(c, depths, "more stages than a picture has halves, or no layers");
    uint32_t layer = 0;
    for (uint32_t s = 0; s < depths->count; s++) {
        struct nadi_model view = swin_stage(m, c, heads, s);
        for (uint32_t i = nadi_hf_number_at(c, depths, s); i > 0; i--, layer++) {
            struct nadi_model first = view;
            if (s > 0 && i == nadi_hf_number_at(c, depths, s)) {
                const uint64_t from = 2ULL * view.hidden; /* four of half the width */
                nadi_hf_side(m, &first, "patch merging", from, view.hidden, NADI_PROJECTION_WHOLE);
                first.side_weights += 2 * from;
            }
            nadi_hf_place(m, layer, &first);
        }
    }
    m->heads = nadi_hf_number_at(c, heads, 0);
    m->window = m->image = 0;
    return true;
}

/* arXiv 2103.00020: a norm before the layers too. */
bool nadi_hf_clip_vision(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t width = nadi_hf_number(c, "projection_dim", 512);
    const struct nadi_doc_node *classes = nadi_doc_find(c->map, "architectures");
    m->once_weights = m->hidden;
    m->head = NADI_HEAD_NONE;
    if (strstr(nadi_hf_word_at(classes, 0), "WithProjection"))
        m->once_weights += m->hidden * width;
    return patches(m, c, 1);
}

bool nadi_hf_clip_text(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t width = nadi_hf_number(c, "projection_dim projection_size", 512);
    const struct nadi_doc_node *classes = nadi_doc_find(c->map, "architectures");
    m->head = NADI_HEAD_NONE;
    if (strcmp(c->type, "siglip_text_model") == 0) {
        const uint64_t out = nadi_hf_number(c, "projection_size", m->hidden);
        m->once_weights += m->hidden * out + out;
        if (!nadi_hf_find(c, "max_position_embeddings"))
            m->max_positions = 64;
        if (!nadi_hf_find(c, "vocab_size"))
            m->vocab = 32000;
    }
    if (strstr(nadi_hf_word_at(classes, 0), "WithProjection"))
        m->once_weights += m->hidden * width;
    return true;
}

/* arXiv 2303.15343: no token of a class; the ending attends to the patches with one query. */
bool nadi_hf_siglip_vision(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t h = m->hidden;
    const uint32_t rows = nadi_hf_number(c, "num_patches", 0);
    const bool plain = strncmp(c->type, "siglip", 6) != 0; /* Idefics' and others have no ending */
    (void)nadi_hf_find(c, "projection_dim num_image_tokens use_base_siglip size");
    m->head = NADI_HEAD_NONE;
    if (!plain && nadi_hf_truth(c, "vision_use_head", true))
        m->once_weights = h + 4 * h * h + 4 * h + 2 * h + 2 * h * m->ffn + m->ffn + h;
    if (!patches(m, c, 0))
        return false;
    if (rows)
        m->max_positions = m->fixed_tokens = rows;
    return true;
}

/* Pixtral: as Llama over patches, with a norm before the layers and none behind. */
bool nadi_hf_pixtral_vision(struct nadi_model *m, struct nadi_hf_config *c)
{
    (void)nadi_hf_find(c, "head_dim");
    m->head = NADI_HEAD_NONE;
    return patches(m, c, 0);
}

/* The widths that Qwen's encoders hand on, by several patches at once. */
struct merged {
    uint64_t in, out;
};

static struct merged merge(const struct nadi_model *m, struct nadi_hf_config *c, uint32_t out)
{
    const uint64_t side = nadi_hf_number(c, "spatial_merge_size", 2);
    return (struct merged){m->hidden * side * side, out};
}

/* Two products over merged patches. */
static uint64_t merger(const struct merged *w)
{
    return w->in * w->in + w->in + w->in * w->out + w->out;
}

static void frames(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t patch = nadi_hf_number(c, "patch_size spatial_patch_size", 14);
    const uint32_t deep = nadi_hf_number(c, "temporal_patch_size", 2);
    const uint32_t channels = nadi_hf_number(c, "in_channels in_chans", 3);
    (void)nadi_hf_find(c, "spatial_patch_size patch_size");
    m->head = NADI_HEAD_NONE;
    m->patch = nadi_hf_times(c, nadi_hf_times(c, nadi_hf_times(c, channels, patch), patch), deep);
}

/* arXiv 2409.12191 */
bool nadi_hf_qwen2_vision(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t width = nadi_hf_number(c, "embed_dim", 1280);
    const uint32_t ratio = nadi_hf_number(c, "mlp_ratio", 4);
    const struct merged w = {.out = nadi_hf_number(c, "hidden_size", 3584)};
    m->hidden = width;
    m->ffn = nadi_hf_times(c, width, ratio);
    frames(m, c);
    const struct merged both = merge(m, c, (uint32_t)w.out);
    m->once_weights = merger(&both);
    m->fixed_tokens = 1024;
    return true;
}

/* arXiv 2502.13923: windows, gated feed-forward layers. */
bool nadi_hf_qwen25_vision(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t out = nadi_hf_number(c, "out_hidden_size", 3584);
    const uint32_t window = nadi_hf_number(c, "window_size", 112);
    const uint32_t patch = nadi_hf_number(c, "patch_size spatial_patch_size", 14);
    const struct nadi_doc_node *whole = nadi_hf_list(c, "fullatt_block_indexes");
    frames(m, c);
    (void)nadi_hf_find(c, "tokens_per_second");
    const struct merged both = merge(m, c, out);
    m->once_weights = merger(&both);
    m->fixed_tokens = 1024;
    m->window = patch ? nadi_hf_times(c, window / patch, window / patch) : 0;
    uint8_t *flags = nadi_hf_flags(m);
    for (uint32_t i = 0; i < m->layers; i++)
        flags[i] = m->window && !nadi_hf_lists_number(c, whole, i) ? NADI_LAYER_WINDOWED : 0;
    return true;
}

/* Mergers also behind some layers. */
bool nadi_hf_qwen3_vision(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t out = nadi_hf_number(c, "out_hidden_size", 3584);
    const struct nadi_doc_node *deep = nadi_hf_list(c, "deepstack_visual_indexes");
    frames(m, c);
    const struct merged both = merge(m, c, out);
    m->max_positions = nadi_hf_number(c, "num_position_embeddings", 2304);
    m->fixed_tokens = m->max_positions;
    m->once_weights = merger(&both) + (deep ? deep->count : 0) * (merger(&both) + 2 * both.in);
    return true;
}

/* MoonViT: places by a table that is stretched, two products over merged patches. */
bool nadi_hf_moonvit(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint32_t rows = nadi_hf_times(c, nadi_hf_number(c, "init_pos_emb_height", 64),
                                        nadi_hf_number(c, "init_pos_emb_width", 64));
    (void)nadi_hf_find(c, "merge_kernel_size merge_type pos_emb_type init_pos_emb_time");
    if (!patches(m, c, 0))
        return false;
    m->max_positions = m->fixed_tokens = rows;
    m->head = NADI_HEAD_NONE;
    return true;
}

/* Llama 3.2: layers of two kinds, places of patches and of tiles by the picture's proportions. */
bool nadi_hf_mllama_vision(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t h = m->hidden, tiles = nadi_hf_number(c, "max_num_tiles", 4);
    const uint64_t ratios = nadi_hf_number(c, "max_aspect_ratio_id", 8) + 1ULL;
    const uint32_t more = nadi_hf_number(c, "num_global_layers", 8);
    (void)nadi_hf_find(c, "intermediate_layers_indices vision_output_dim supported_aspect_ratios");
    if (!patches(m, c, 1))
        return false;
    m->layers += more;
    m->head = NADI_HEAD_NONE;
    m->once_weights = h + 2 * h /* a norm before the layers */
                      + ratios * tiles * h * (m->max_positions + 2ULL) + 3 + 2ULL * more;
    return true;
}

/* GLM-4.1V: gated layers of the language model's width; patches are merged by a convolution, then a
 * gated layer. */
bool nadi_hf_glm4v_vision(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t h = m->hidden, out = nadi_hf_number(c, "out_hidden_size", 4096);
    const uint64_t wide = m->ffn, merged = nadi_hf_number(c, "spatial_merge_size", 2);
    const uint32_t side = nadi_hf_number(c, "image_size", 336);
    const uint32_t patch = nadi_hf_number(c, "patch_size", 14);
    frames(m, c);
    m->ffn = (uint32_t)out;
    m->max_positions = patch ? nadi_hf_times(c, side / patch, side / patch) : 0;
    m->fixed_tokens = m->max_positions;
    m->once_weights = h + h * merged * merged * out + out + out * out + 2 * out + 3 * out * wide;
    return true;
}

/* InternViT: scales of the residuals, norms of queries and keys in the large one. */
bool nadi_hf_intern_vit(struct nadi_model *m, struct nadi_hf_config *c)
{
    if (!nadi_hf_truth(c, "qkv_bias attention_bias", false))
        m->biases &= ~(unsigned)NADI_BIAS_QKV;
    if (nadi_hf_truth(c, "qk_normalization use_qk_norm", false))
        m->qk_norm = NADI_QK_NORM_WHOLE;
    m->layernorm = strcmp(nadi_hf_text(c, "norm_type"), "rms_norm") != 0;
    m->side_weights = 2ULL * m->hidden;
    m->once_weights = m->hidden;
    m->head = NADI_HEAD_NONE;
    (void)nadi_hf_find(c, "use_flash_attn shape drop_path_rate use_absolute_position_embeddings "
                          "use_mask_token use_mean_pooling layer_scale_init_value");
    return patches(m, c, 1);
}

/* Gemma 4: as its language model without windows; two tables of places. */
bool nadi_hf_gemma4_vision(struct nadi_model *m, struct nadi_hf_config *c)
{
    const uint64_t rows = nadi_hf_number(c, "position_embedding_size", 10240);
    (void)nadi_hf_find(c, "global_head_dim default_output_length image_seq_length video_seq_length "
                          "pooling_kernel_size standardize use_clipped_linears");
    m->head = NADI_HEAD_NONE;
    m->positions = NADI_POSITIONS_ROTARY;
    m->once_weights = 2 * rows * m->hidden;
    if (!patches(m, c, 0))
        return false;
    m->max_positions = 0;
    m->fixed_tokens = nadi_hf_times(c, 9, nadi_hf_number(c, "default_output_length", 280));
    return true;
}

/* ---- within other models ------------------------------------------------------------------- */

enum projector { /* from the encoder's width to the language model's */
                 NO_PROJECTOR,
                 ONE_PRODUCT, /* with biases */
                 ONE_PLAIN,
                 TWO_PRODUCTS,   /* with biases */
                 GEMMA_PRODUCT,  /* behind a norm */
                 MERGED_PRODUCT, /* of scale_factor^2 patches at once */
                 INTERN_PRODUCTS,
                 MOON_PRODUCTS,
                 WIDE_PRODUCT, /* of several layers' results */
                 MISTRAL_PRODUCTS,
                 SMALLER_PRODUCTS, /* of 2 x 2 patches */
                 LFM_PRODUCTS,
                 PLAIN_OF_FOUR, /* frames in a row */
                 GATED_PRODUCTS,
                 BOTH_PRODUCTS, /* of both towers to a common width, and a scale */
                 TWO_SCALES,
};

static const struct {
    const char *types, *part; /* of the model around; key of the encoder */
    const char *encoder;      /* its type where it does not say one */
    enum projector projector;
} encoders[] = {
    {"llava vipllava pixtral video_llava", "vision_config", "clip_vision_model", TWO_PRODUCTS},
    {"llava_next llava_next_video llava_onevision", "vision_config", "clip_vision_model",
     TWO_PRODUCTS},
    {"qwen2_vl", "vision_config", "qwen2_vl_vision", NO_PROJECTOR},
    {"qwen2_5_vl", "vision_config", "qwen2_5_vl_vision", NO_PROJECTOR},
    {"qwen3_vl qwen3_vl_moe qwen3_5 qwen3_5_moe", "vision_config", "qwen3_vl_vision", NO_PROJECTOR},
    {"gemma3 shieldgemma2", "vision_config", "siglip_vision_model", GEMMA_PRODUCT},
    {"paligemma", "vision_config", "siglip_vision_model", ONE_PRODUCT},
    {"idefics3 smolvlm", "vision_config", "idefics3_vision", MERGED_PRODUCT},
    {"mistral3", "vision_config", "pixtral_vision", MISTRAL_PRODUCTS},
    {"internvl_chat internvl intern_s1", "vision_config", "intern_vit_6b", INTERN_PRODUCTS},
    {"deepseek_vl_v2", "vision_config", "deepseek_vl_v2_vision", SMALLER_PRODUCTS},
    {"lfm2_vl", "vision_config", "siglip2_vision_model", LFM_PRODUCTS},
    {"aya_vision cohere2_vision", "vision_config", "siglip_vision_model", GATED_PRODUCTS},
    {"gemma4", "vision_config", "gemma4_vision", ONE_PLAIN},
    {"clip", "text_config", "clip_text_model", BOTH_PRODUCTS},
    {"siglip siglip2", "text_config", "siglip_text_model", TWO_SCALES},
    {"mllama", "vision_config", "mllama_vision_model", WIDE_PRODUCT},
    {"kimi_vl", "vision_config", "moonvit", MOON_PRODUCTS},
    {"glm4v glm4v_moe", "vision_config", "glm4v_vision", NO_PROJECTOR},
    {"voxtral", "audio_config", "voxtral_encoder", PLAIN_OF_FOUR},
    {"qwen2_audio", "audio_config", "qwen2_audio_encoder", ONE_PRODUCT},
};

static double two_products(double from, double to, bool bias)
{
    return from * to + to * to + (bias ? 2 * to : 0);
}

static double projector_of(const struct nadi_doc_node *root, struct nadi_hf_config *c,
                           enum projector kind, const struct nadi_model *encoder, double to)
{
    const double h = encoder->hidden;
    const struct nadi_doc_node *map = c->map;
    c->map = root;
    const double side = nadi_hf_number(c, "scale_factor pixel_shuffle_factor", 2);
    const double merged = nadi_hf_number(c, "spatial_merge_size", 2);
    const double width = nadi_hf_number(c, "projection_dim", 512);
    const bool bias = nadi_hf_truth(c, "multimodal_projector_bias", kind != MISTRAL_PRODUCTS);
    const double fewer = nadi_hf_number(c, "downsample_factor", 2);
    const double between =
        nadi_hf_number(c, "projector_hidden_size alignment_intermediate_size", 0);
    const bool norm = nadi_hf_truth(c, "projector_use_layernorm", true);
    c->map = map;
    switch (kind) {
    case BOTH_PRODUCTS:
        return (h + to) * width + 1;
    case TWO_SCALES:
        return 2;
    case NO_PROJECTOR:
        return 0;
    case ONE_PRODUCT:
        return h * to + to;
    case ONE_PLAIN:
        return h * to;
    case TWO_PRODUCTS:
        return two_products(h, to, bias);
    case GEMMA_PRODUCT:
        return h * to + h;
    case MERGED_PRODUCT:
        return h * side * side * to;
    case INTERN_PRODUCTS: /* of 2 x 2 patches, behind a norm */
        return 8 * h + two_products(4 * h, to, true);
    case WIDE_PRODUCT:
        return 6 * h * to + to;
    case MOON_PRODUCTS:
        return 2 * h + 16 * h * h + 4 * h + 4 * h * to + to;
    case SMALLER_PRODUCTS:
        return two_products(4 * h, to, true);
    case PLAIN_OF_FOUR:
        return two_products(4 * h, to, false);
    case LFM_PRODUCTS: /* of several patches, behind a norm */
        return fewer * fewer * h * (between + (norm ? 2 : 0)) + between + between * to + to;
    case GATED_PRODUCTS: /* of 2 x 2 patches to two halves */
        return fewer * fewer * h * between + between + between / 2 * to + to;
    case MISTRAL_PRODUCTS:
        return h + merged * merged * h * h + two_products(h, to, bias);
    }
    NADI_BUG("projector %d", (int)kind);
}

double nadi_hf_pictures(struct nadi_hf_config *c, const struct nadi_doc_node *root,
                        const char *type, double to)
{
    for (size_t i = 0; i < sizeof(encoders) / sizeof(encoders[0]); i++) {
        const struct nadi_doc_node *part = nadi_doc_find(root, encoders[i].part);
        if (!nadi_hf_has_word(encoders[i].types, type) || !part || part->kind != NADI_DOC_MAP)
            continue;
        struct nadi_model encoder;
        double count = 0;
        if (nadi_hf_fill_part(&encoder, c->doc, part, encoders[i].encoder))
            count = nadi_model_parameters(&encoder).all +
                    projector_of(root, c, encoders[i].projector, &encoder, to);
        nadi_model_release(&encoder);
        return count;
    }
    return nadi_hf_towers(c, root, type, to);
}
