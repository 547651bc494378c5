/* stage: the layers of a stage of the pipeline, and sums over them. */
#ifndef NADI_MODEL_STAGE_H
#define NADI_MODEL_STAGE_H

#include "model/net.h"
#include "model/plan.h"

struct nadi_pipeline_stage {
    uint32_t first, count; /* layers of the net; ends included in the first and last stage */
    bool is_first, is_last;
};

struct nadi_pipeline_stage nadi_stage_of(const struct nadi_model_plan *p,
                                         const struct nadi_net *net, uint32_t stage);

/* Bytes that each weight of the operation has in memory; body: of a layer between the ends. */
double nadi_weight_bytes(const struct nadi_model_plan *p, const struct nadi_op *op, bool body);

/* Parameters on one rank, each of the plan's `parameter_bytes`. Where inference has narrow weights,
 * what is wider counts for as many as take its place. */
struct nadi_stage_weights {
    uint64_t dense, expert; /* the copy of the embedding is dense */
    uint64_t beyond;        /* of dense, what wider parameters count for beyond themselves */
};
struct nadi_stage_weights nadi_stage_weights(const struct nadi_model *m, const struct nadi_net *net,
                                             const struct nadi_pipeline_stage *stage,
                                             const struct nadi_model_plan *p);

/* Has the last stage a copy of the embedding, for the head to multiply with? It is one more
 * parameter of the head, whose gradients both ends add up. */
bool nadi_plan_copies_embedding(const struct nadi_model_plan *p, const struct nadi_model *m);
/* The copy's parameters, and bytes of their gradients that the ends exchange: all of them, or where
 * nothing else is kept, a replica's share. */
uint64_t nadi_copied_weights(const struct nadi_model *m, uint32_t tp);
double nadi_copied_gradients(const struct nadi_model_plan *p, const struct nadi_model *m);

/* Of one layer of the pipeline, the head's with the copy. */
struct nadi_stage_weights nadi_pipeline_layer_weights(const struct nadi_model_plan *p,
                                                      const struct nadi_model *m,
                                                      const struct nadi_net *net, uint32_t layer);

/* Bytes that one layer keeps of one micro-batch, after recomputation; `position` counts the body
 * layers of the stage from 0 (the ends never are recomputed: pass NADI_NONE). */
double nadi_layer_kept(const struct nadi_model_plan *p, const struct nadi_net *net,
                       const struct nadi_layer_kind *kind, uint32_t position);
bool nadi_layer_recomputed(const struct nadi_model_plan *p, uint32_t position);
/* How many operations of such a layer are done again, from the first on. */
uint32_t nadi_layer_again(const struct nadi_model_plan *p, const struct nadi_layer_kind *kind);
/* Bytes of a layer's activations without recomputation. */
double nadi_kept_bytes(const struct nadi_model_plan *p, const struct nadi_kept *kept);
/* The position for the functions above. */
uint32_t nadi_body_position(const struct nadi_net *net, const struct nadi_pipeline_stage *stage,
                            uint32_t layer);

#endif
