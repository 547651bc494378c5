/* model: the shape of a neural network, checked; nothing about how it is run.
 *
 * Made from a description (YAML, keys in settings/schema_model.c) or from the `config.json` that is
 * published beside the weights. Absent numbers are filled in (key heads, width of the feed-forward
 * layer), so users of the value need no defaults of their own. All counts are below 2^31, and their
 * products are checked where they are computed (nadi_count_parameters). Ownership: strings live in
 * the model's arena. */
#ifndef NADI_MODEL_MODEL_H
#define NADI_MODEL_MODEL_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"

enum nadi_model_family { /* in the order of the schema's words */
                         NADI_FAMILY_DECODER,
                         NADI_FAMILY_ENCODER,
                         NADI_FAMILY_ENCODER_DECODER,
                         NADI_FAMILY_DLRM,
                         NADI_FAMILY_CNN,
                         NADI_FAMILY_RNN,
                         NADI_FAMILY_MLP,
                         NADI_FAMILY_SHAPES,
};

enum nadi_positions {
    NADI_POSITIONS_NONE,
    NADI_POSITIONS_ROTARY,
    NADI_POSITIONS_LEARNED,
    NADI_POSITIONS_RELATIVE,
};

enum nadi_model_head {
    NADI_HEAD_LM,
    NADI_HEAD_NONE,
    NADI_HEAD_POOLER,
};

enum nadi_bias_flag {
    NADI_BIAS_QKV = 1 << 0,
    NADI_BIAS_OUTPUT = 1 << 1,
    NADI_BIAS_MLP = 1 << 2,
    NADI_BIAS_NORM = 1 << 3,
    NADI_BIAS_HEAD = 1 << 4,
};

enum nadi_qk_norm { /* of queries and keys */
                    NADI_QK_NORM_NONE,
                    NADI_QK_NORM_HEAD,  /* one weight a width, for all heads */
                    NADI_QK_NORM_WHOLE, /* each head has its weights */
                    NADI_QK_NORM_PLAIN, /* without weights */
};

enum nadi_layer_flag {
    NADI_LAYER_EXPERTS = 1 << 0,
    NADI_LAYER_WINDOWED = 1 << 1,
};

struct nadi_widths { /* a list of layer widths */
    const uint64_t *items;
    uint32_t count;
};

struct nadi_model {
    struct nadi_arena arena;
    const char *name, *source; /* source: NULL when not said */
    enum nadi_model_family family;
    double published, activated; /* parameters as the source counts them; 0: not said */
    double beside;               /* parameters of a part that is counted and not simulated */

    /* transformers and rnn */
    uint32_t layers, decoder_layers;
    uint32_t hidden, heads, kv_heads, head_dim, ffn, vocab;
    bool gated, causal, tied;
    enum nadi_positions positions;
    uint32_t max_positions, token_types;
    enum nadi_model_head head;
    bool layernorm; /* else RMS norm */
    uint32_t norms_per_layer;
    bool plain_norms; /* norms without weights */
    bool final_norm, embedding_norm, dropout;
    enum nadi_qk_norm qk_norm;
    unsigned biases; /* enum nadi_bias_flag */
    bool latent;     /* multi-head latent attention; head_dim is then the part without positions */
    uint32_t query_rank, kv_rank, rope_dim, value_dim;
    uint32_t window, full_every;
    bool chunked; /* a token attends to its own chunk of `window` tokens, not to the last ones */
    bool sinks;

    /* mixture of experts: experts is 0 in a dense model */
    uint32_t experts, top_k, expert_ffn, shared_experts, dense_layers, expert_every;
    uint32_t expert_groups, group_limit; /* 0: a token goes to any */
    uint64_t shared_ffn;                 /* width of all shared experts together */
    bool router_bias, shared_gate;
    const uint8_t *layer_flags; /* enum nadi_layer_flag of each layer; NULL: by the counts above */

    /* the other families */
    struct nadi_widths embedding_rows, bottom_mlp, top_mlp; /* DLRM */
    uint32_t embedding_dim, lookups;
    uint32_t image, channels, classes; /* cnn */
    bool bottleneck;
    struct nadi_widths stages, widths, dense;
    struct nadi_shape_lists { /* of each layer; positions, inputs and filters are there */
        struct nadi_widths positions, inputs, windows, strides, filters, norms, times;
    } shapes;
};

/* A name of the catalogue ("llama3-8b") or, when it has a '/' or ends with .yaml, .yml or .json, a
 * path. A document with "model_type" or "architectures" is read as a published config.json. The
 * caller releases the model in both cases. */
bool nadi_model_open(struct nadi_model *m, const char *name_or_path,
                     struct nadi_diags *diags) NADI_MUST_USE;
/* The same with values replaced; changes may be NULL. */
struct nadi_doc_changes;
bool nadi_model_open_changed(struct nadi_model *m, const char *name_or_path,
                             const struct nadi_doc_changes *changes,
                             struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_model_parse(struct nadi_model *m, const char *path, const void *text, size_t bytes,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_model_release(struct nadi_model *m);

static inline bool nadi_model_is_transformer(const struct nadi_model *m)
{
    return m->family <= NADI_FAMILY_ENCODER_DECODER;
}

/* What stands in a block of a transformer: enum nadi_layer_flag. */
unsigned nadi_model_layer(const struct nadi_model *m, uint32_t layer);

const char *nadi_family_name(enum nadi_model_family family);

/* Parameters of the whole model, and those that one token passes (the same unless there are
 * experts or parts that are not simulated; embeddings count whole). */
struct nadi_parameters {
    double all, activated, embedding;
};
struct nadi_parameters nadi_model_parameters(const struct nadi_model *m);

/* Rows of the vocabulary on each of tp ranks. A split one is padded, so that all have the same and
 * rows of logits are whole pieces of 16 bytes. */
static inline uint64_t nadi_vocab_rows(uint32_t vocab, uint32_t tp)
{
    enum { ROWS = 8 };
    return tp == 1 ? vocab : ((uint64_t)vocab + (uint64_t)tp * ROWS - 1) / (tp * ROWS) * ROWS;
}

#endif
