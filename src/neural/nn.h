/* nn: a neural network with its weights: layers in the order of their computation, each with
 * earlier ones as inputs.
 *
 * A layer's output has channels, and height x width positions in each: 1 x 1 for features, the
 * tokens of a sequence in height. Layers that mix channels are dense, conv and softmax; all others
 * (sums, pools, activations, attention by heads) leave a channel, or a head, what it is. A norm
 * needs two sums over all channels, no channel itself.
 *
 * Activations of a batch lie channel by channel, in a channel position by position, in a position
 * sample by sample, so that inner loops run over samples. Sums are formed in the order of the input
 * channels, and a weight of 0 is passed over: the result of a channel depends on what it reads
 * alone, bit for bit, wherever it is computed. Sums of norms are whole numbers of 2^-24, which have
 * no order. */
#ifndef NADI_NEURAL_NN_H
#define NADI_NEURAL_NN_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "neural/tensors.h"

enum nadi_nn_kind {
    NADI_NN_DENSE, /* also per position: a convolution of 1 x 1 */
    NADI_NN_CONV,
    NADI_NN_ADD,
    NADI_NN_CONCAT,
    NADI_NN_GATE, /* channels of the first input times their unit's channel of the second */
    NADI_NN_MAX_POOL,
    NADI_NN_MEAN_POOL,
    NADI_NN_FLATTEN,   /* positions become channels */
    NADI_NN_NORM,      /* over the channels of each position */
    NADI_NN_SOFTMAX,   /* over the channels of each position */
    NADI_NN_ATTENTION, /* inputs: queries, keys, values */
    NADI_NN_INPUT,
    NADI_NN_KINDS
};

enum nadi_nn_activation {
    NADI_NN_PLAIN,
    NADI_NN_RELU,
    NADI_NN_GELU,
    NADI_NN_TANH,
    NADI_NN_SIGMOID,
};

#define NADI_NN_HIDDEN (-1e4F)

enum { NADI_NN_MOST_INPUTS = 16, NADI_NN_MOST_LAYERS = 4096 };

struct nadi_nn_layer {
    const char *name;
    enum nadi_nn_kind kind;
    enum nadi_nn_activation activation;
    uint32_t inputs[NADI_NN_MOST_INPUTS], input_count; /* layers */
    uint32_t channels, height, width;                  /* of the output */
    uint32_t kernel[2], stride, padding, groups;       /* conv, pools; kernel 0: all */
    uint32_t heads;                                    /* attention */
    uint32_t unit; /* dense, conv: outputs that move as one; gate: of a gate */
    bool causal;   /* attention: to earlier positions only */
    const char *weights_name, *bias_name, *mask_name;
    float *weights; /* dense, conv: channels x inputs of the group x kernel */
    float *bias;    /* channels; NULL: none. norm: weights and bias, both or none */
    float *mask;    /* attention: added to the scores, of each head or (mask_heads 1) of all:
                     * positions x positions; NADI_NN_HIDDEN and less hides; NULL: none */
    uint32_t mask_heads;
    double epsilon; /* norm */
    struct nadi_place place;
};

struct nadi_nn {
    struct nadi_arena arena;
    struct nadi_nn_layer *layers; /* the first is the input, the last the output */
    uint32_t count;
    unsigned threads; /* that run large layers; 0: one. The bits do not depend on it */
    bool by_position; /* samples in files have all channels of a position, then those of the next */
};

void nadi_nn_init(struct nadi_nn *nn);
void nadi_nn_release(struct nadi_nn *nn);

/* Appends a layer, whose shape follows from its inputs; NULL with an error that names it. Channels
 * of dense and conv are given. */
struct nadi_nn_layer *nadi_nn_add(struct nadi_nn *nn, const struct nadi_nn_layer *layer,
                                  struct nadi_diags *diags);
/* The same with weights and bias of its own, zeros. */
struct nadi_nn_layer *nadi_nn_add_weighted(struct nadi_nn *nn, const struct nadi_nn_layer *layer,
                                           struct nadi_diags *diags);
/* A copy with weights of its own. */
void nadi_nn_copy(struct nadi_nn *to, const struct nadi_nn *from);

/* Has the kind weights that mix channels? */
static inline bool nadi_nn_mixes(enum nadi_nn_kind kind)
{
    return kind == NADI_NN_DENSE || kind == NADI_NN_CONV;
}

static inline size_t nadi_nn_positions(const struct nadi_nn_layer *l)
{
    return (size_t)l->height * l->width;
}

/* Of one output channel: input channels it may read x kernel. */
size_t nadi_nn_fan_in(const struct nadi_nn *nn, const struct nadi_nn_layer *l);
size_t nadi_nn_weight_count(const struct nadi_nn *nn, const struct nadi_nn_layer *l);
size_t nadi_nn_bias_count(const struct nadi_nn_layer *l);
size_t nadi_nn_mask_count(const struct nadi_nn_layer *l);
/* Does every position see one at least, of itself and those that `causal` leaves? */
bool nadi_nn_mask_is_good(const struct nadi_nn_layer *l);
const char *nadi_nn_kind_name(enum nadi_nn_kind kind);

/* ---- running it ------------------------------------------------------------------------------ */

/* Sums of a norm over the channels, of each position and sample. */
struct nadi_nn_sums {
    int64_t *sum, *square;
};

/* One layer's part: `inputs` and `output` are whole activations, of which only the channels of
 * `mine` (NULL: all) are computed; what else is there is not touched. Norms need the sums. */
void nadi_nn_compute(const struct nadi_nn *nn, uint32_t layer, const float *const *inputs,
                     float *output, uint32_t samples, const uint8_t *mine,
                     const struct nadi_nn_sums *sums);
/* Adds the channels of `mine` to a norm's sums. */
void nadi_nn_add_sums(const struct nadi_nn *nn, uint32_t layer, const float *input,
                      uint32_t samples, const uint8_t *mine, struct nadi_nn_sums *sums);

/* Activations of every layer of a batch; from the heap. */
struct nadi_nn_run {
    float **of;
    uint32_t count, samples;
};
/* x: samples x (channels, positions), as files have them. */
void nadi_nn_forward(const struct nadi_nn *nn, const float *x, uint32_t samples,
                     struct nadi_nn_run *run);
void nadi_nn_run_release(struct nadi_nn_run *run);
/* Files' order to that of a batch. */
void nadi_nn_interleave(const float *x, size_t values, uint32_t samples, float *to);

/* Samples whose largest output is that of the label. */
uint32_t nadi_nn_count_right(const struct nadi_nn *nn, const struct nadi_nn_run *run,
                             const float *labels);

#endif
