/* model: the shape of a neural network, checked; nothing about how it is run.
 *
 * Made from a description (YAML, keys in format/schema_model.c) or from the `config.json` that is
 * published beside the weights. Absent numbers are filled in (heads of keys, width of the
 * feed-forward layer), so the users of the value need no rules of their own. All counts are below
 * 2^31 and their products are checked where they are formed (nadi_count_parameters).
 * Ownership: strings live in the model's arena. */
#ifndef NADI_MODEL_MODEL_H
#define NADI_MODEL_MODEL_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"

enum nadi_family { /* in the order of the schema's words */
                   NADI_FAMILY_DECODER,
                   NADI_FAMILY_ENCODER,
                   NADI_FAMILY_ENCODER_DECODER,
                   NADI_FAMILY_DLRM,
                   NADI_FAMILY_CNN,
                   NADI_FAMILY_RNN,
                   NADI_FAMILY_MLP,
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

struct nadi_widths { /* a list of layer widths */
    const uint64_t *items;
    uint32_t count;
};

struct nadi_model {
    struct nadi_arena arena;
    const char *name, *source; /* source: NULL when not said */
    enum nadi_family family;
    double published, activated; /* parameters as the source counts them; 0: not said */

    /* transformers and rnn */
    uint32_t layers, decoder_layers;
    uint32_t hidden, heads, kv_heads, head_dim, ffn, vocab;
    bool gated, causal, tied;
    enum nadi_positions positions;
    uint32_t max_positions, token_types;
    enum nadi_model_head head;
    bool layernorm; /* else RMS norm */
    uint32_t norms_per_layer;
    bool final_norm, embedding_norm, qk_norm, dropout;
    unsigned biases; /* enum nadi_bias_flag */
    bool latent;     /* multi-head latent attention; head_dim is then the part without positions */
    uint32_t query_rank, kv_rank, rope_dim, value_dim;
    uint32_t window, full_every;
    bool sinks;

    /* mixture of experts: experts is 0 in a dense model */
    uint32_t experts, top_k, expert_ffn, shared_experts, dense_layers, expert_every;
    bool router_bias, shared_gate;

    /* the other families */
    struct nadi_widths embedding_rows, bottom_mlp, top_mlp; /* DLRM */
    uint32_t embedding_dim, lookups;
    uint32_t image, channels, classes; /* cnn */
    bool bottleneck;
    struct nadi_widths stages, widths, dense;
};

/* A name of the catalogue ("llama3-8b") or, when it has a '/' or ends with .yaml, .yml or .json, a
 * path. A document with "model_type" or "architectures" is read as a published config.json. The
 * caller releases the model in both cases. */
bool nadi_model_open(struct nadi_model *m, const char *name_or_path,
                     struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_model_parse(struct nadi_model *m, const char *path, const void *text, size_t bytes,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_model_release(struct nadi_model *m);

static inline bool nadi_model_is_transformer(const struct nadi_model *m)
{
    return m->family <= NADI_FAMILY_ENCODER_DECODER;
}

const char *nadi_family_name(enum nadi_family family);

/* Parameters of the whole model, and those that one token passes (the same unless there are
 * experts; embeddings count whole). */
struct nadi_parameters {
    double all, activated, embedding;
};
struct nadi_parameters nadi_model_parameters(const struct nadi_model *m);

#endif
