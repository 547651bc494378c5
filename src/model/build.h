/* build: helpers of the files that build a family's layers. Private to net. */
#ifndef NADI_MODEL_BUILD_H
#define NADI_MODEL_BUILD_H

#include "base/mem.h"
#include "model/net.h"

struct nadi_build {
    struct nadi_net *net;
    const struct nadi_model *m;
    const struct nadi_shape *s;
    struct nadi_op_list ops; /* of the kind being written */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } layers;
    struct {
        struct nadi_layer_kind *items;
        size_t count, capacity;
    } kinds;
};

static inline uint64_t nadi_divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

void nadi_build_op(struct nadi_build *b, struct nadi_op op);
/* y = x W: m x k by k x n, with n biases where `bias`. */
void nadi_build_linear(struct nadi_build *b, const char *name, uint64_t m, uint64_t k, uint64_t n,
                       bool bias);
/* Reads `in` and writes `out` elements of activation width; backward reads `in` and `out` once more
 * (the gradient and what was kept) and writes `in`. */
void nadi_build_stream(struct nadi_build *b, const char *name, uint64_t in, uint64_t out,
                       uint64_t weights, uint64_t kept);
void nadi_build_comm(struct nadi_build *b, const char *name, enum nadi_axis axis,
                     struct nadi_transfer forward, struct nadi_transfer backward,
                     struct nadi_transfer regather);
struct nadi_op *nadi_build_last(struct nadi_build *b);
/* Closes the list of operations as a kind and returns its index. */
uint32_t nadi_build_kind(struct nadi_build *b, const char *name);
void nadi_build_layers(struct nadi_build *b, uint32_t kind, uint32_t count);

void nadi_build_transformer(struct nadi_build *b);
void nadi_build_dlrm(struct nadi_build *b);
void nadi_build_cnn(struct nadi_build *b);
void nadi_build_rnn(struct nadi_build *b);
void nadi_build_mlp(struct nadi_build *b);
void nadi_build_shapes(struct nadi_build *b);

/* parts of a transformer block */
struct nadi_tokens {        /* of one micro-batch on this rank */
    uint64_t all;           /* in attention and feed-forward layers */
    uint64_t own;           /* where sequence parallelism splits them further */
    uint64_t queries, keys; /* of one sequence in attention */
    uint64_t sequences;
};

/* Into and out of the part that is split by tensor parallelism. */
void nadi_build_enter(struct nadi_build *b, const char *name, const struct nadi_tokens *t);
void nadi_build_leave(struct nadi_build *b, const char *name, const struct nadi_tokens *t);
void nadi_build_mixer(struct nadi_build *b, const struct nadi_tokens *t, bool windowed);
void nadi_build_recurrent(struct nadi_build *b, const struct nadi_tokens *t);
void nadi_build_projection(struct nadi_build *b, const struct nadi_projection *p, uint64_t tokens);
void nadi_build_cross(struct nadi_build *b, const struct nadi_tokens *t,
                      const struct nadi_tokens *source);
void nadi_build_mlp_block(struct nadi_build *b, const struct nadi_tokens *t, uint64_t width);
void nadi_build_experts(struct nadi_build *b, const struct nadi_tokens *t);

#endif
