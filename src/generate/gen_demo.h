/* gen_demo: the shipped example, one data-parallel training step of a 1.3-billion-parameter model.
 *
 * The model: GPT-like, 24 layers of width 2048 with 12 width^2 parameters each and an embedding of
 * 50304 tokens that is also the output matrix, in 16-bit numbers: 1.31 billion parameters. The
 * step: 4 sequences of 2048 tokens a rank. The host loads the batch; then forward and backward of
 * every layer, in two parts each; when a layer's gradients are there, an all-reduce of their bytes
 * starts and overlaps the backward pass of the layers below; the layer's Adam step waits for it. At
 * the end rank 0 alone writes a checkpoint on its host while the others stand idle.
 *
 * Durations follow from operation counts at 55 % of 312 TFLOP/s, those of the Adam steps from bytes
 * moved at 80 % of 2.039 TB/s; each is varied by up to 1 % (seeded by rank), and rank 5 is 4 %
 * slower, as clusters are. The compute nodes also carry num_ops and tensor_size, for the roofline
 * model. The cluster: as many servers with one accelerator each around a switch, 100 Gb/s a card.
 * The same options give the same bytes. */
#ifndef NADI_GENERATE_GEN_DEMO_H
#define NADI_GENERATE_GEN_DEMO_H

#include "base/base.h"
#include "base/diag.h"
#include "format/out.h"

struct nadi_gen_demo {
    uint32_t ranks;  /* 2 to 65536; the network file is made for as many */
    uint32_t layers; /* 1 to 10000 */
    enum nadi_coding coding;
};

/* 8 ranks, 24 layers, plain. */
void nadi_gen_demo_init(struct nadi_gen_demo *g);

/* Everything into a folder, which is made if need be: workload.<rank>.et, system.json, network.yml,
 * memory.json. */
bool nadi_gen_demo_folder(const struct nadi_gen_demo *g, const char *folder,
                          struct nadi_diags *diags) NADI_MUST_USE;

#endif
