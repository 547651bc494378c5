/* net: one rank's share of a model: its layers as lists of operations.
 *
 * Equal layers share one list (a kind). A pipeline may split the body; the part before it
 * (embedding) belongs to the first stage, the part after it (output head, loss) to the last. A
 * shape of all ones gives the whole model, which is how parameters are counted. */
#ifndef NADI_MODEL_NET_H
#define NADI_MODEL_NET_H

#include "model/model.h"
#include "model/op.h"

enum nadi_context { /* how context parallelism treats attention; in the order of the schema's words
                     */
                    NADI_CONTEXT_RING,
                    NADI_CONTEXT_ALL_GATHER,
                    NADI_CONTEXT_ULYSSES,
};

struct nadi_shape {
    uint32_t tp, cp, ep, etp; /* degrees; at least 1 */
    uint32_t ranks;           /* all of them: DLRM spreads its tables over them */
    bool etp_is_tp;           /* an expert's slices lie with the ranks of a tensor group */
    bool sequence_parallel;   /* norms and residuals by tokens within tp */
    bool flash;               /* fused attention that keeps no scores */
    uint32_t fused_loss;      /* key `fused-cross-entropy` of the plan */
    bool dense_scores;        /* masked ones are computed too */
    bool inference;           /* nothing is kept, no loss */
    bool grouped_experts;     /* one kernel for the products of all experts */
    enum nadi_context context;
    uint64_t batch;         /* samples of a micro-batch */
    uint64_t tokens;        /* of a sequence, over all context ranks */
    uint64_t target_tokens; /* encoder-decoder: of the decoder's sequence */
    uint64_t cached;        /* inference: tokens that are in the cache already */
    double expert_load;     /* tokens of this rank's experts over the mean; 1: balanced */
    double capacity;        /* an expert takes at most this times its mean; 0: everything */
    uint32_t activation_bytes;
    uint32_t gathered_bytes; /* of what tensor parallelism gathers for 8-bit products */
};

struct nadi_layer_kind {
    const char *name; /* static: "attention + mlp" */
    struct nadi_op *ops;
    uint32_t op_count;
};

struct nadi_net {
    struct nadi_arena arena;
    struct nadi_layer_kind *kinds;
    uint32_t kind_count;
    uint32_t *layers; /* kind of each layer */
    uint32_t layer_count;
    uint32_t body_first, body_count;
    uint64_t boundary_bytes; /* activations that pass from one stage to the next */
};

/* The whole model on one rank: all degrees 1, one sequence of `tokens`, fused attention. */
struct nadi_shape nadi_shape_whole(uint64_t tokens);

/* The shape's degrees must divide evenly (nadi_plan_check reports violations to the user). */
void nadi_net_build(struct nadi_net *net, const struct nadi_model *m,
                    const struct nadi_shape *shape);
void nadi_net_release(struct nadi_net *net);

static inline const struct nadi_layer_kind *nadi_net_layer(const struct nadi_net *net,
                                                           uint32_t layer)
{
    return &net->kinds[net->layers[layer]];
}

struct nadi_kept {     /* activations of one micro-batch in one layer */
    uint64_t input;    /* elements that are inputs of matrix products */
    uint64_t elements; /* other elements of activation width */
    uint64_t bytes;
};

struct nadi_sums {                                   /* over a layer's operations */
    double forward_flops, attention_flops;           /* the second is part of the first */
    uint64_t weights, expert_weights, table_weights; /* the latter two are parts of the first */
    struct nadi_kept kept, kept_core;                /* the second is part of the first */
};
struct nadi_sums nadi_layer_sums(const struct nadi_layer_kind *kind);

/* Forward FLOPs of a micro-batch on this rank. `full` counts every score of attention, masked or
 * not, as Megatron-LM and PaLM do when they state utilisation, but none beyond a window; else what
 * is computed. */
double nadi_net_flops(const struct nadi_net *net, bool full);

#endif
