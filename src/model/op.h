/* op: one operation of a layer on one rank, forward and backward, for one micro-batch.
 *
 * A layer is a list of these in forward order; everything else is derived from the list:
 * parameters, FLOPs, activations kept, collectives and their bytes, kernel times, graphs. All sizes
 * are those of one rank, after the division by the degrees of parallelism.
 *
 *   GEMM       count products (m x k) (k x n). With weights the backward pass has two: the input's
 *              gradient (m x n)(n x k) and the weight's (k x m)(m x n); without, also two.
 *   ATTENTION  fused: count = sequences x query heads, m queries over n keys, k = width of queries
 *              and keys, v = width of values, `share` of the m x n scores computed (causal: about
 *              one half), `counted` those within a window, masked or not; `readers` query heads
 * read the same keys and values. In `blocks` of keys, one kernel each, where those arrive one after
 * another (ring of context ranks). STREAM     passes over memory: `bytes` forward, `back_bytes`
 * backward; a recurrence also says its `flops`, which the memory's time covers. COMM `forward` and
 * `backward` transfers; `regather` is done in the backward pass before the weight's gradient
 * (sequence parallelism keeps only its shard of the input).
 *
 * Bytes of a transfer are what a node of the trace says: the whole buffer for all-reduce,
 * reduce-scatter and all-to-all, the rank's own shard for all-gather; for a ring pass the bytes of
 * one hop, of which there are size - 1. */
#ifndef NADI_MODEL_OP_H
#define NADI_MODEL_OP_H

#include "base/base.h"

enum nadi_op_kind {
    NADI_OP_GEMM,
    NADI_OP_ATTENTION,
    NADI_OP_STREAM,
    NADI_OP_COMM,
};

enum nadi_axis { /* whose group a transfer runs over; see model/ranks.h */
                 NADI_AXIS_NONE,
                 NADI_AXIS_TP,
                 NADI_AXIS_CP,
                 NADI_AXIS_DP,   /* ranks with the same dense weights: data x context */
                 NADI_AXIS_EP,   /* experts */
                 NADI_AXIS_ETP,  /* tensor parallelism within experts */
                 NADI_AXIS_EDP,  /* ranks with the same experts */
                 NADI_AXIS_TIED, /* first and last stage, which both hold the embedding */
                 NADI_AXIS_WORLD,
                 NADI_AXES
};

enum nadi_transfer_kind {
    NADI_TRANSFER_NONE,
    NADI_TRANSFER_ALL_REDUCE,
    NADI_TRANSFER_ALL_GATHER,
    NADI_TRANSFER_REDUCE_SCATTER,
    NADI_TRANSFER_ALL_TO_ALL,
    NADI_TRANSFER_RING, /* size - 1 hops to the next member, beside the attention that needs them */
};

struct nadi_transfer {
    enum nadi_transfer_kind kind;
    uint64_t bytes;
};

enum nadi_op_flag {
    NADI_OP_EXPERT = 1 << 0,   /* its weights are an expert's */
    NADI_OP_CORE = 1 << 1,     /* attention core: what selective recomputation does again */
    NADI_OP_NO_INPUT = 1 << 2, /* nothing before it wants a gradient */
    NADI_OP_TABLE = 1 << 3,    /* weights are embedding rows */
    NADI_OP_TIED = 1 << 4,     /* multiplies with the embedding's weights, has none itself */
    NADI_OP_IN_TURN = 1 << 5,  /* GEMM: a kernel for each of the count products, one by one */
};

struct nadi_op {
    const char *name; /* static */
    enum nadi_op_kind kind;
    unsigned flags; /* enum nadi_op_flag */
    uint64_t count, m, n, k, v;
    uint64_t rows;              /* GEMM: lengths of contiguous rows by |; 0: they are aligned */
    uint64_t input;             /* GEMM: elements of its left side; 0: count x m x k */
    double share;               /* ATTENTION */
    double counted;             /* ATTENTION: part of the scores that model FLOPs count */
    uint64_t readers;           /* ATTENTION: query heads that share keys and values; 0: 1 */
    uint32_t blocks;            /* ATTENTION: of keys; 0: 1 */
    uint64_t bytes, back_bytes; /* STREAM */
    double flops;               /* STREAM: forward */
    uint64_t weights;           /* parameters held by this rank, biases included */
    uint64_t kept_input, kept;  /* elements kept for backward: inputs of a GEMM; others */
    uint64_t kept_bytes;        /* what does not have the width of an activation: masks */
    enum nadi_axis axis;        /* COMM */
    struct nadi_transfer forward, backward, regather; /* COMM */
};

/* FLOPs of the forward pass; backward is twice that (2.5 times for fused attention, which
 * recomputes the scores; nadi_op_back_flops is what is executed). */
static inline double nadi_op_flops(const struct nadi_op *op)
{
    double products = 2.0 * (double)op->count * (double)op->m * (double)op->n;
    if (op->kind == NADI_OP_GEMM)
        return products * (double)op->k;
    if (op->kind == NADI_OP_ATTENTION)
        return products * (double)(op->k + op->v) * op->share;
    return op->flops;
}

static inline double nadi_op_back_flops(const struct nadi_op *op)
{
    if (op->kind == NADI_OP_GEMM && (op->flags & NADI_OP_NO_INPUT))
        return nadi_op_flops(op);
    return nadi_op_flops(op) * (op->kind == NADI_OP_ATTENTION ? 2.5 : 2);
}

struct nadi_op_list {
    struct nadi_op *items;
    size_t count, capacity;
};

#endif
