/* step: the graph of one rank's work: forward, backward, optimizer, and communication.
 *
 * Ranks that differ only in data, tensor, context or expert coordinates do the same, so there is
 * one graph per rank of the pipeline, with families of groups (model/comm_groups.h) and peers as
 * distances.
 *
 *   compute  nodes form a chain in the schedule's order; what lies between two transfers is one
 *            node (detail block) or every kernel is (detail kernel), with its time on the device,
 *            its FLOPs and its bytes
 *   tensor   transfers hold up the chain, but for the share that tp-overlap hides and for those of
 *            the backward pass that run beside the gradient of a weight (Megatron-LM)
 *   context  a ring pass runs beside the attention, all but its last block: the hops of an
 *            all-gather (forward), twice the bytes backward
 *   pipeline a send follows the pass whose result it carries, a receive is posted when the rank
 *            comes to the pass that needs it; tags count (step, micro-batch, stage, direction)
 *   replicas gradients follow the backward pass of their layers, by buckets; parameters that are
 *            sharded are gathered `prefetch` layers ahead
 *   remote   what is offloaded or streamed is loaded ahead in the same way and stored behind
 *
 * Inference is the forward part: prompts (prefill, optionally in chunks) or `steps` tokens
 * (decode), each of which starts when the last stage has sent the token before.
 *
 * Node ids rise in the order of the schedule and break ties. O(nodes). */
#ifndef NADI_MODEL_STEP_H
#define NADI_MODEL_STEP_H

#include "compute/kernel.h"
#include "model/comm_groups.h"
#include "model/study.h"
#include "trace/trace.h"

struct nadi_step_variant { /* one shape of the work: in inference it changes as the cache grows */
    struct nadi_net net;
    struct nadi_op_cost **costs; /* by kind and operation */
};

/* How the study's plan times kernels on the device of its cluster. Where the fullest rank needs a
 * second memory, all take what is touched there from it. Stays where it is: the members point at
 * each other. */
struct nadi_step_compute {
    struct nadi_device devices[2];          /* with the bandwidths of the memories together */
    struct nadi_compute kernels, optimizer; /* on these */
    struct nadi_measured *measured;         /* NULL: none */
};
/* False with an error; the caller releases it in both cases. */
bool nadi_step_compute_init(struct nadi_step_compute *c, const struct nadi_study *study,
                            struct nadi_diags *diags) NADI_MUST_USE;
void nadi_step_compute_release(struct nadi_step_compute *c);
/* For another footprint than that of the study. */
void nadi_step_compute_expand(struct nadi_step_compute *c, const struct nadi_study *study,
                              const struct nadi_expanded *expanded);

struct nadi_model_step {
    struct nadi_arena arena;
    const struct nadi_study *study;
    struct nadi_step_compute compute;
    bool has_device;
    struct nadi_comm_groups comm_groups;
    double host_kernel_ns; /* of the host, for one kernel; 0: it is never late */
    struct nadi_step_variant *variants;
    uint32_t variant_count;
    struct nadi_trace *const *traces; /* graphs that are made already, by rank of the pipeline, and
                                         stay; NULL: they are made for whom needs them */
};

/* The study's cluster, if it has one, gives times and levels; else times are 0. False with an error
 * when the device's measured table cannot be read. The caller releases the step in both cases. */
bool nadi_step_init(struct nadi_model_step *s, const struct nadi_study *study,
                    struct nadi_diags *diags) NADI_MUST_USE;
void nadi_step_release(struct nadi_model_step *s);

/* The graph of a rank of the pipeline; the caller destroys it. */
struct nadi_trace *nadi_step_trace(const struct nadi_model_step *s,
                                   uint32_t stage_rank) NADI_MUST_USE;
/* The graph of an NPU that takes no part: one node that takes no time. */
struct nadi_trace *nadi_step_idle_trace(void) NADI_MUST_USE;

/* Does any graph load or store remote memory? */
bool nadi_step_uses_remote(const struct nadi_model_plan *p);

#endif
