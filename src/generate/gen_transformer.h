/* gen_transformer: one training step of a transformer on a grid of tensor-, data- and
 * pipeline-parallel ranks (Shoeybi et al. 2019; Narayanan et al. 2021).
 *
 * The step. A stage has layers / pipeline layers, each an attention and an MLP part. A part is a
 * compute node and, with several tensor ranks, an all-reduce of the activations on group "tp".
 * Micro-batches pass the stages in the order one-forward-one-backward: stage s starts with up to
 * pipeline - 1 - s forward passes, then takes turns, then ends with the backward passes that are
 * left. Between stages go activations and their gradients, a SEND and a RECV each. After the last
 * backward pass the gradients of every layer are all-reduced on group "dp"; then one optimizer
 * node. A backward pass takes twice the time of a forward one. The first stage also has the
 * embedding, the last one the loss.
 *
 * Durations follow from operations at 55 % of 312 TFLOP/s and do not vary, so that all ranks of a
 * stage are alike; one rank can be made slower. About 8 * layers / pipeline * micro_batches nodes a
 * rank. Ranks: tensor is innermost, then data, then pipeline.
 *
 * Written are either a manifest with one trace a stage, peers as distances, or one trace a rank
 * with absolute peers and a groups file. The same options give the same bytes. */
#ifndef NADI_GENERATE_GEN_TRANSFORMER_H
#define NADI_GENERATE_GEN_TRANSFORMER_H

#include "base/base.h"
#include "base/diag.h"
#include "format/out.h"

struct nadi_gen_transformer {
    uint32_t tensor, data, pipeline; /* their product, the ranks: 2 to 2^26 */
    uint32_t layers;                 /* a multiple of pipeline */
    uint32_t micro_batches;
    uint32_t width;     /* of the model; a multiple of tensor */
    uint32_t sequence;  /* tokens of a micro-batch */
    uint32_t slow_rank; /* NADI_NONE: none */
    uint32_t slow_by;   /* percent that its compute nodes take longer */
    bool files;         /* one trace a rank, absolute peers, groups.json */
    enum nadi_coding coding;
};

/* 4 x 4 x 4 ranks, 16 layers of width 4096, 8 micro-batches of 2048 tokens, a manifest. */
void nadi_gen_transformer_init(struct nadi_gen_transformer *g);

/* Into a folder, which is made if need be: workload.yml and stage.<stage>.et, or workload.<rank>.et
 * and groups.json; and system.json, network.yml, memory.json. */
bool nadi_gen_transformer_folder(const struct nadi_gen_transformer *g, const char *folder,
                                 struct nadi_diags *diags) NADI_MUST_USE;

/* gen_transformer_step.c: the nodes of one rank of a stage; rank NADI_NONE: peers as distances. */
struct nadi_trace_writer;
void nadi_gen_transformer_step(const struct nadi_gen_transformer *g, struct nadi_trace_writer *w,
                               uint32_t stage, uint32_t rank, bool slow);

#endif
