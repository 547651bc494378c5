/* schema_model: the keys of a model description. Read in src/model/describe.c. */
#include "settings/schema_more.h"

static const char *const families[] = {
    "decoder", "encoder", "encoder-decoder", "dlrm", "cnn", "rnn", "mlp", "shapes", NULL,
};
static const char *const attentions[] = {"grouped", "latent", NULL};
static const char *const positions[] = {"none", "rotary", "learned", "relative", NULL};
static const char *const norms[] = {"layernorm", "rmsnorm", NULL};
static const char *const biases[] = {"qkv", "output", "mlp", "norm", "head", NULL};
static const char *const heads[] = {"lm", "none", "pooler", NULL};
static const char *const blocks[] = {"bottleneck", "plain", NULL};

#define COUNT(called, default_value, text)                                                         \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .preset = default_value, .max = 1e9,            \
        .doc = text                                                                                \
    }
#define SWITCH(called, default_value, text)                                                        \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_SWITCH, .preset = default_value, .doc = text             \
    }
#define LIST(called, text)                                                                         \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .list = true, .min = 1, .max = 1e10,            \
        .absent = "none", .doc = text                                                              \
    }

static const struct nadi_setting model_keys[] = {
    {.name = "family",
     .type = NADI_TYPE_WORD,
     .words = families,
     .required = true,
     .doc = "Kind of network; decides which of the other keys are read. encoder-decoder is a "
            "transformer with both; rnn is a recurrent translator (GNMT), shapes any network of "
            "convolutions."},
    {.name = "name", .type = NADI_TYPE_TEXT, .preset = "model", .doc = "Name in results."},
    {.name = "source",
     .type = NADI_TYPE_TEXT,
     .absent = "not said",
     .doc = "Where the shape was published."},
    {.name = "also",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .absent = "its name alone",
     .doc = "Further names by which tables of runs call it (`nadi validate training`)."},
    {.name = "published",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .max = 1e18,
     .absent = "not compared",
     .doc = "Number of parameters that the source gives, for comparison with the counted one."},
    {.name = "activated",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .max = 1e18,
     .absent = "not compared",
     .doc = "Mixture of experts: parameters that one token passes, as the source gives them."},

    COUNT("layers", "0",
          "Transformer blocks (of the encoder, where there is one); rnn: layers of the encoder."),
    COUNT("decoder-layers", "0", "Encoder-decoder and rnn: layers of the decoder."),
    COUNT("hidden", "0", "Width of the residual stream."),
    COUNT("heads", "0", "Attention heads."),
    COUNT("kv-heads", "0",
          "Key and value heads; fewer than heads is grouped-query attention. 0: as many as heads."),
    COUNT("head-dim", "0",
          "Width of a head; for latent attention its part without positions. 0: hidden / heads."),
    COUNT("ffn", "0", "Width of the feed-forward layer. 0: 4 x hidden."),
    SWITCH("gated", "0", "1: the feed-forward layer has a gate (SwiGLU, GeGLU): three matrices."),
    SWITCH("causal", "1", "Decoder: a token sees only those before it."),
    COUNT("vocab", "0", "Entries of the vocabulary."),
    SWITCH("tied", "0", "1: the output layer shares the embedding's weights."),
    {.name = "positions",
     .type = NADI_TYPE_WORD,
     .words = positions,
     .preset = "rotary",
     .doc = "How positions enter: not at all (or ALiBi), rotary, a learned table of max-positions "
            "rows, or relative biases (32 buckets a head)."},
    COUNT("max-positions", "0", "Rows of the learned position table."),
    COUNT("token-types", "0", "Rows of a token type embedding (BERT)."),
    {.name = "head",
     .type = NADI_TYPE_WORD,
     .words = heads,
     .preset = "lm",
     .doc = "What follows the blocks: a language model's output layer, nothing, or BERT's pooler."},
    {.name = "norm",
     .type = NADI_TYPE_WORD,
     .words = norms,
     .preset = "rmsnorm",
     .doc = "Normalisation; a layernorm has a bias where biases has the word norm."},
    COUNT("norms-per-layer", "2", "Normalisations of width hidden in a block."),
    SWITCH("final-norm", "1", "A normalisation before the output layer."),
    SWITCH("embedding-norm", "0", "A normalisation after the embedding."),
    SWITCH("qk-norm", "0", "A normalisation of each query and key head."),
    {.name = "biases",
     .type = NADI_TYPE_WORD,
     .list = true,
     .words = biases,
     .absent = "no biases",
     .doc = "Which layers have biases: query-key-value, attention output, mlp, norm, output head."},
    SWITCH("dropout", "0",
           "1: dropout after attention weights, attention and feed-forward, whose masks are kept."),

    {.name = "attention",
     .type = NADI_TYPE_WORD,
     .words = attentions,
     .preset = "grouped",
     .doc = "grouped covers multi-head and multi-query; latent is DeepSeek's low-rank form."},
    COUNT("query-rank", "0", "Latent attention: rank of the queries. 0: not compressed."),
    COUNT("kv-rank", "0", "Latent attention: rank of keys and values, which is what is cached."),
    COUNT("rope-dim", "0", "Latent attention: width of the rotary part of a head."),
    COUNT("value-dim", "0", "Latent attention: width of a value head. 0: head-dim."),
    COUNT("window", "0", "Tokens that a token looks back. 0: all."),
    COUNT("full-every", "0", "One layer without window in this many. 0: none."),

    COUNT("experts", "0", "Experts of a mixture-of-experts layer. 0: dense."),
    COUNT("top-k", "1", "Experts that a token goes to."),
    COUNT("expert-ffn", "0", "Width of an expert. 0: ffn."),
    COUNT("shared-experts", "0", "Experts that every token goes to, besides top-k."),
    COUNT("dense-layers", "0", "This many first layers are dense."),
    COUNT("expert-every", "1", "One layer with experts in this many, the others dense."),
    COUNT("expert-groups", "0", "Groups of experts; a token's lie in `group-limit` of them."),
    COUNT("group-limit", "0", "Of the expert-groups those that a token may go to. 0: all."),
    SWITCH("router-bias", "0", "A bias for each expert in the router."),
    SWITCH("shared-gate", "0", "A gate of its own before the shared experts."),
    SWITCH("sinks", "0", "A learned attention sink for each head."),

    LIST("embedding-rows", "DLRM: rows of each embedding table."),
    COUNT("embedding-dim", "0", "DLRM: width of an embedding. rnn: 0 for hidden."),
    COUNT("lookups", "1", "DLRM: rows that a sample looks up in a table, summed up."),
    LIST("bottom-mlp", "DLRM: widths from the dense features to embedding-dim."),
    LIST("top-mlp", "DLRM: widths after the interaction, down to 1."),

    COUNT("image", "224", "cnn: pixels of a side."),
    COUNT("channels", "3", "cnn: channels of the image."),
    COUNT("classes", "1000", "cnn: outputs."),
    {.name = "block",
     .type = NADI_TYPE_WORD,
     .words = blocks,
     .preset = "bottleneck",
     .doc = "cnn: bottleneck residual blocks (1x1, 3x3, 1x1; after a 7x7 stem) as in ResNet, or "
            "plain 3x3 convolutions as in VGG."},
    LIST("stages", "cnn: blocks (or convolutions) of each stage; a stage halves the image."),
    LIST("widths", "cnn: channels of the 3x3 convolutions of each stage. mlp: width of each "
                   "layer, input first."),
    LIST("dense", "cnn: widths of dense layers before the last one."),

    LIST("layer-positions", "shapes: pixels or voxels of each layer's output, for a sample."),
    LIST("layer-inputs", "shapes: channels that each layer reads."),
    LIST("layer-filters", "shapes: channels that each layer writes."),
    LIST("layer-windows", "shapes: positions of a kernel, like 9 or 27; default 1 for all."),
    LIST("layer-strides", "shapes: positions of the input for each of the output, like 4 or 8; "
                          "default 1 for all."),
    {.name = "layer-norms",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .max = 1,
     .absent = "1 for all",
     .doc = "shapes: 1: a normalisation follows the layer."},
    LIST("layer-times", "shapes: how many such layers there are; default 1 for all."),
};

const struct nadi_schema nadi_model_schema = {
    .name = "model",
    .title = "model description",
    .option = "nadi model",
    .syntax = NADI_DOC_YAML,
    .doc = "The shape of a neural network, without anything about how it is run. A "
           "`config.json` as published with the weights is read as well. `nadi model list` names "
           "the descriptions that come with the program.",
    .example = "family: decoder\n"
               "name: GPT-3 175B\n"
               "layers: 96\n"
               "hidden: 12288\n"
               "heads: 96\n"
               "ffn: 49152\n"
               "vocab: 50257\n"
               "tied: true\n"
               "positions: learned\n"
               "max-positions: 2048\n"
               "norm: layernorm\n"
               "biases: [qkv, output, mlp, norm]\n",
    .keys = model_keys,
    .count = sizeof(model_keys) / sizeof(model_keys[0]),
};
