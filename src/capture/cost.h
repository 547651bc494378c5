/* cost: how much arithmetic and memory traffic an operator is, from its name and shapes.
 *
 *   matrix product     2 m n k                    per batch; a bias adds m n
 *   convolution        2 |output| |weight| / channels out; backward once per gradient asked for
 *   attention          4 b h s_q s_k d, half of it when causal; backward 5/2 of that
 *   normalisation      8 |x|, backward 12 |x|; softmax 5 |x|, backward 4 |x|
 *   pooling, reduction 1 per element read
 *   gather, scatter    1 per element taken or given; of the table only that is read or written
 *   anything else      1 per element of the largest tensor (an elementwise operator)
 *
 * Operations are FLOP (a multiply-add is two). Bytes are those of the tensors read and written,
 * each once: what passes between device and memory when caches hold nothing between operators. */
#ifndef NADI_CAPTURE_COST_H
#define NADI_CAPTURE_COST_H

#include "capture/host.h"
#include "capture/kineto.h"

enum nadi_cost_kind {
    NADI_COST_UNKNOWN = 0, /* no shapes are known */
    NADI_COST_MATMUL,
    NADI_COST_CONVOLUTION,
    NADI_COST_ATTENTION,
    NADI_COST_NORM,
    NADI_COST_SOFTMAX,
    NADI_COST_REDUCTION,
    NADI_COST_ELEMENTWISE,
    NADI_COST_COPY,
    NADI_COST_KINDS
};

struct nadi_cost {
    uint64_t ops, bytes;
    enum nadi_cost_kind kind;
};

/* "matmul", "convolution", ... */
const char *nadi_cost_name(enum nadi_cost_kind kind);

struct nadi_cost nadi_cost_of_node(const struct nadi_host *h, const struct nadi_host_node *node);
/* From "Input Dims" and "Input type" of the profile alone. */
struct nadi_cost nadi_cost_of_event(const struct nadi_kineto *k,
                                    const struct nadi_kineto_event *event);

/* Bytes of one element of a type as PyTorch names it ("float", "c10::Half", "BFloat16"), 0 if
 * unknown. */
uint64_t nadi_cost_type_bytes(struct nadi_view type);

/* Bytes of the tensors among a node's inputs or outputs. */
uint64_t nadi_cost_tensor_bytes(const struct nadi_host *h, const struct nadi_host_node *node,
                                const struct nadi_host_io *io);
/* ... and among the inputs that the profile says an operator had. */
uint64_t nadi_cost_event_bytes(const struct nadi_kineto *k, const struct nadi_kineto_event *event);

#endif
