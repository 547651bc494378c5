/* cost: time, FLOPs and bytes of a net's operations on a device.
 *
 * An operation has three parts: the forward pass, the gradient of its inputs and the gradient of
 * its weights; a schedule may separate the last two. A matrix product with weights has one product
 * in each; products without weights and everything else do all their backward work in the second.
 * The weights' gradient is accumulated over micro-batches in the gradient's own width, which costs
 * one more read and write of memory. With 8-bit products the operands are converted first: read in
 * 16 bits, written in 8 (twice, the second copy transposed, for the other product of the backward
 * pass). The embedding and the head stay in 16 bits.
 *
 * Ring attention (arXiv 2310.01889) is a kernel for each block of keys. Causal, each rank holds an
 * early and a late part of the sequence, so that of every block but its own it needs a half, whole:
 * all queries over half of the keys, or half of the queries over all. Each block after the first
 * adds its result, scaled anew, to those before: two read, one written; backward so the gradient of
 * the queries.
 *
 * Without a device all times are 0; FLOPs and bytes are computed. */
#ifndef NADI_MODEL_COST_H
#define NADI_MODEL_COST_H

#include "compute/kernel.h"
#include "model/net.h"
#include "model/plan.h"

enum nadi_cost_part { NADI_COST_FORWARD, NADI_COST_INPUT, NADI_COST_WEIGHT, NADI_COST_PARTS };

struct nadi_work {
    double ns, flops, bytes;
    double kernels; /* that the host launches; backward ones by what they cost it */
};

struct nadi_op_cost {
    struct nadi_work part[NADI_COST_PARTS];
};

/* costs[kind][op], in the arena. compute: NULL for no device. */
struct nadi_op_cost **nadi_costs_make(const struct nadi_net *net, const struct nadi_model_plan *p,
                                      const struct nadi_compute *compute, struct nadi_arena *arena);

/* What a host of this speed (0: none) takes to launch one kernel of a training step; 0: it launches
 * nothing. */
double nadi_host_kernel_ns(const struct nadi_model_plan *p, double host_speed);
/* Has any pass of a layer as much work for the host as for the device, but for a tenth? Else the
 * host, which runs ahead, is never late. costs: of nadi_costs_make. */
bool nadi_host_is_late(const struct nadi_net *net, struct nadi_op_cost *const *costs,
                       double kernel_ns);

/* The kernels of one operation, in the order in which they are timed. */
typedef void nadi_kernel_visit(void *context, enum nadi_cost_part part,
                               const struct nadi_kernel *kernel, double ns);
/* body: a layer of the body, not the embedding or the head. */
void nadi_op_kernels(const struct nadi_op *op, bool body, const struct nadi_model_plan *p,
                     const struct nadi_compute *compute, nadi_kernel_visit *visit, void *context);

/* The optimizer's step on so many parameters. */
struct nadi_work nadi_optimizer_cost(const struct nadi_model_plan *p, double parameters,
                                     const struct nadi_compute *compute);

#endif
