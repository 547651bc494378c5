/* Encoders that a file names instead of describing them, and those of Gemma 3n: what they add to
 * the parameters of the language model. */
#include "base/str.h"
#include "model/hf_layers.h"
#include "model/hf_rules.h"

#include <ctype.h>
#include <stdio.h>

/* ---- by name: "openai/clip-vit-large-patch14-336", "siglip_large_patch16_384" ---------------- */

static const struct {
    const char *family, *size, *type;
    unsigned hidden, layers, heads, ffn, image;
} towers[] = {
    {"clip", "base", "clip_vision_model", 768, 12, 12, 3072, 224},
    {"clip", "large", "clip_vision_model", 1024, 24, 16, 4096, 224},
    {"clip", "huge", "clip_vision_model", 1280, 32, 16, 5120, 224},
    {"siglip", "base", "siglip_vision_model", 768, 12, 12, 3072, 224},
    {"siglip", "large", "siglip_vision_model", 1024, 24, 16, 4096, 256},
    {"siglip", "so400m", "siglip_vision_model", 1152, 27, 16, 4304, 384},
};

/* Of one word of a name, in small letters; false at the end. */
static bool next_part(const char **at, char part[32])
{
    *at += strspn(*at, "-_/ ");
    const size_t length = strcspn(*at, "-_/ ");
    if (!length)
        return false;
    snprintf(part, 32, "%.*s", (int)length, *at);
    for (char *p = part; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    *at += length;
    return true;
}

static double tower_of(const char *name, double *width)
{
    char part[32], family[32] = "", size[32] = "", json[400];
    uint32_t patch = 0, image = 0, number;
    for (const char *at = name; next_part(&at, part);) {
        if (nadi_hf_has_word("clip siglip", part))
            memcpy(family, part, sizeof(part));
        else if (nadi_hf_has_word("base large huge so400m", part))
            memcpy(size, part, sizeof(part));
        else if (nadi_str_starts(part, "patch") && nadi_str_to_u32(part + 5, 64, &number))
            patch = number;
        else if (patch && nadi_str_to_u32(part, 2048, &number))
            image = number;
    }
    for (size_t i = 0; patch && i < sizeof(towers) / sizeof(towers[0]); i++) {
        if (strcmp(towers[i].family, family) != 0 || strcmp(towers[i].size, size) != 0)
            continue;
        struct nadi_model m;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        const int bytes =
            snprintf(json, sizeof(json),
                     "{\"model_type\": \"%s\", \"hidden_size\": %u, \"num_hidden_layers\": %u, "
                     "\"num_attention_heads\": %u, \"intermediate_size\": %u, \"patch_size\": %u, "
                     "\"image_size\": %u}",
                     towers[i].type, towers[i].hidden, towers[i].layers, towers[i].heads,
                     towers[i].ffn, patch, image ? image : towers[i].image);
        const bool ok = nadi_model_parse(&m, name, json, (size_t)bytes, &diags);
        const double count = ok ? nadi_model_parameters(&m).all : 0;
        *width = towers[i].hidden;
        nadi_model_release(&m);
        nadi_diags_release(&diags);
        return count;
    }
    return 0;
}

static const char *text_of(const struct nadi_doc_node *map, const char *key)
{
    const struct nadi_doc_node *node = map ? nadi_doc_find(map, key) : NULL;
    return node && node->kind == NADI_DOC_SCALAR ? node->text : "";
}

/* LLaVA of its authors; Phi-3 with pictures, which projects 2 x 2 patches. */
static double named(const struct nadi_doc_node *root, double to)
{
    const struct nadi_doc_node *processor = nadi_doc_find(root, "img_processor");
    const char *kind = text_of(root, "mm_projector_type");
    double width = 0, count;
    if (processor && processor->kind == NADI_DOC_MAP) {
        const char *name = text_of(processor, "model_name");
        if (!*name && strcmp(text_of(processor, "name"), "clip_vision_model") == 0)
            name = "clip-vit-large-patch14-336";
        count = tower_of(name, &width);
        return count > 0 ? count + 4 * width * to + to + to * to + to : 0;
    }
    const bool two = nadi_str_equal(kind, "mlp2x_gelu");
    count = tower_of(text_of(root, "mm_vision_tower"), &width);
    if (!two && *kind && !nadi_str_equal(kind, "linear"))
        return 0;
    return count > 0 ? count + width * to + to + (two ? to * to + to : 0) : 0;
}

/* ---- Gemma 3n ------------------------------------------------------------------------------ */

/* Conformers (arXiv 2005.08100) behind two convolutions over the spectrum. */
static double conformer(struct nadi_hf_config *c)
{
    const struct nadi_doc_node *channels = nadi_hf_list(c, "sscp_conv_channel_size");
    const double h = nadi_hf_number(c, "hidden_size", 1536);
    const double layers = nadi_hf_number(c, "conf_num_hidden_layers", 12);
    const double heads = nadi_hf_number(c, "conf_num_attention_heads", 8);
    const double kernel = nadi_hf_number(c, "conf_conv_kernel_size", 5);
    const double bins = nadi_hf_number(c, "input_feat_size", 128);
    const double first = channels ? nadi_hf_number_at(c, channels, 0) : 128;
    const double second = channels ? nadi_hf_number_at(c, channels, 1) : 32;
    const double layer = 24 * h * h + kernel * h + 10 * h + (heads > 0 ? h / heads : 0);
    return layers * layer + 9 * first + first + 9 * first * second + second + bins / 4 * second * h;
}

/* Rows of the encoder's own tokens, norms, and a product to the language model. */
static double embedder(struct nadi_hf_config *c, double to)
{
    const double h = nadi_hf_number(c, "hidden_size", 2048);
    return nadi_hf_number(c, "vocab_size", 128) * h + 2 * h + h * to;
}

static double gemma3n(struct nadi_hf_config *c, const struct nadi_doc_node *root, double to)
{
    enum { MOBILENET_V5_300M = 294284096 }; /* timm's mobilenetv5_300m_enc */
    const struct nadi_doc_node *map = c->map;
    double count = 0;
    c->map = root;
    if (nadi_hf_enter(c, "audio_config"))
        count += conformer(c) + embedder(c, to);
    c->map = root;
    if (nadi_hf_enter(c, "vision_config")) {
        const bool known = nadi_str_equal(nadi_hf_text(c, "architecture"), "mobilenetv5_300m_enc");
        count = known ? count + MOBILENET_V5_300M + embedder(c, to) : 0;
    }
    c->map = map;
    return count;
}

double nadi_hf_towers(struct nadi_hf_config *c, const struct nadi_doc_node *root, const char *type,
                      double to)
{
    return nadi_str_equal(type, "gemma3n") ? gemma3n(c, root, to) : named(root, to);
}
