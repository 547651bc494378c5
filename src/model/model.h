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
    NADI_BIAS_NOT_KEYS = 1 << 5,  /* queries and values have one where QKV says so, keys none */
    NADI_BIAS_EMBEDDING = 1 << 6, /* of what projects patches or narrow rows to hidden */
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

enum nadi_state_kind {                    /* how the tokens of a recurrent layer mix */
                       NADI_STATE_NONE,   /* by its short convolution only */
                       NADI_STATE_SCAN,   /* element by element, one token after another */
                       NADI_STATE_CHUNKS, /* linear attention: by products within chunks */
                       NADI_STATE_DELTA,  /* the same, and keys replace what they had written */
};

enum nadi_projection_flag {
    NADI_PROJECTION_BIAS = 1 << 0,
    NADI_PROJECTION_WHOLE = 1 << 1, /* on every tensor rank; else its columns are split */
    NADI_PROJECTION_ROWS = 1 << 2,  /* else: its rows are */
    NADI_PROJECTION_LAST = 1 << 3,  /* after the state; else before */
};

struct nadi_projection {
    const char *name; /* static */
    uint64_t from, to;
    uint32_t blocks; /* along the diagonal, each from x to; 0: 1 */
    uint32_t times;  /* rows a token; 0: 1 */
    unsigned flags;  /* enum nadi_projection_flag */
};

enum { NADI_MOST_PROJECTIONS = 16 };

struct nadi_recurrent { /* a layer that keeps a state instead of keys and values */
    const char *name;   /* static */
    enum nadi_state_kind kind;
    uint32_t heads, groups; /* groups: heads of queries and keys */
    uint32_t key_dim, value_dim, chunk;
    struct nadi_projection projections[NADI_MOST_PROJECTIONS];
    uint32_t projection_count;
    uint64_t conv_channels; /* 0: no convolution over the last conv_width tokens */
    uint32_t conv_width;
    bool conv_bias;
    uint64_t norm_width;  /* before the output; 0: none */
    uint64_t own, common; /* further weights: split with the heads; on every tensor rank */
};

struct nadi_widths { /* a list of layer widths */
    const uint64_t *items;
    uint32_t count;
};

enum { NADI_MODEL_MOST_LAYERS = 100000 }; /* of a transformer, decoder layers included */

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
    uint32_t target_positions; /* encoder-decoder: of the decoder; 0: max_positions */
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
    uint32_t gate_dim;       /* of a gate on each head's result; 0: none */
    uint32_t mixer_input;    /* width that attention reads; 0: hidden */
    bool values_are_keys;    /* one projection for both */
    bool one_kv;             /* and one tensor in the cache */
    uint32_t pool, pool_top; /* besides its window a token sees means of `pool` tokens: all of
                              * them, or the best pool_top by an index */
    uint32_t output_groups, output_rank; /* the output projection by groups of heads, narrow */
    uint32_t streams;        /* residual streams that every half of a layer mixes; 0: one */
    uint32_t picture_tokens; /* keys and values are of so many tokens of a picture; 0: own */
    bool borrowed_kv;        /* keys and values are those of an earlier layer */
    uint32_t index_heads, index_dim, index_top; /* a token attends to the best of an index */
    bool index_plain;                           /* scores have no weight a head */
    uint32_t embedding_dim; /* of a token's row, where it is projected to hidden; also DLRM, RNN */
    const struct nadi_projection *side; /* of a block, beside its two halves */
    uint32_t side_count;
    uint64_t split_weights; /* of a block whose others are shared: its own, split by tensor ranks */
    uint64_t side_weights;  /* of a block: vectors that are not counted elsewhere */
    uint64_t once_weights;  /* of the model: tables and projections at its beginning */
    uint64_t layer_rows, layer_row_width;   /* a further table, of rows for all layers; and a
                                             * projection from hidden to the same width */
    uint32_t head_rows;                     /* of the output layer; 0: vocab */
    const struct nadi_recurrent *recurrent; /* beside attention, or instead of it */
    bool no_attention, no_mlp;
    bool shared_weights; /* of an earlier layer: they are counted there */
    /* Pictures or sound instead of words: values of a patch; products before that; and patches of
     * an input, 0: any. The targets of an encoder-decoder are words. */
    uint32_t patch, fixed_tokens;
    uint32_t token_share; /* of the tokens one in so many is left, merged from the others; 0: all */
    uint32_t tile;        /* attention within tiles of so many tokens; 0: none */
    const struct nadi_projection *front;
    uint32_t front_count;
    struct nadi_projection places; /* over neighbours, behind the patches; without a name: none */
    uint32_t labels;               /* of a classifier behind the layers; 0: none */
    bool output_dense; /* before the output layer: a square product, an activation, a norm */
    uint32_t relative_span, relative_kinds; /* products of queries or keys with so many distances */

    /* mixture of experts: experts is 0 in a dense model */
    uint32_t experts, top_k, expert_ffn, shared_experts, dense_layers, expert_every;
    uint32_t expert_groups, group_limit; /* 0: a token goes to any */
    uint64_t shared_ffn;                 /* width of all shared experts together */
    bool router_bias, shared_gate;
    uint32_t expert_hidden;     /* width that experts read and write; 0: hidden */
    uint32_t idle_experts;      /* that the router knows and that do nothing */
    const uint8_t *layer_flags; /* enum nadi_layer_flag of each layer; NULL: by the counts above */

    /* Layers with other sizes than the above: the view of each, 0 for this model itself and i + 1
     * for views[i], whose own fields about layers count. NULL: all are as above. */
    struct nadi_model *views;
    uint32_t view_count;
    uint16_t *layer_views;

    /* the other families */
    struct nadi_widths embedding_rows, bottom_mlp, top_mlp; /* DLRM */
    uint32_t lookups;
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
/* Fills in absent numbers; false with errors where some are missing or do not fit. */
bool nadi_model_check(struct nadi_model *m, const char *path, struct nadi_diags *diags);

static inline bool nadi_model_is_transformer(const struct nadi_model *m)
{
    return m->family <= NADI_FAMILY_ENCODER_DECODER;
}

/* What stands in a block of a transformer: enum nadi_layer_flag. */
unsigned nadi_model_layer(const struct nadi_model *m, uint32_t layer);

/* The sizes of a layer: the model itself or one of its views. */
static inline const struct nadi_model *nadi_model_view(const struct nadi_model *m, uint32_t layer)
{
    const uint32_t view = m->layer_views ? m->layer_views[layer] : 0;
    return view ? &m->views[view - 1] : m;
}

/* Has any layer a state instead of keys and values? */
static inline bool nadi_model_is_recurrent(const struct nadi_model *m)
{
    bool any = m->recurrent;
    for (uint32_t i = 0; i < m->view_count; i++)
        any |= m->views[i].recurrent != NULL;
    return any;
}

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
