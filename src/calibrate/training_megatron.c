/* training_megatron: runs of Megatron-LM that its papers and its README publish.
 *
 * Assumed where the source is silent: fused attention is not used on A100 in 2021 and 2022 (the
 * sources say so: masked softmax is a fused kernel of its own); the H100 table runs with a
 * distributed optimizer, overlap of tensor-parallel transfers, flash attention, micro-batches of
 * one sequence (two where neither tensor nor pipeline parallelism is used) and one layer a virtual
 * stage group of up to six stages. */
#include "calibrate/training_spec.h"

#include <math.h>

static char *gpt(struct nadi_training_reader *r, double layers, double hidden, double heads,
                 unsigned vocab)
{
    return nadi_row_printf(r,
                           "family: decoder\nname: GPT of width %.0f\nlayers: %.0f\nhidden: %.0f\n"
                           "heads: %.0f\nvocab: %u\npositions: learned\nmax-positions: 4096\n"
                           "tied: true\nnorm: layernorm\nbiases: [qkv, output, mlp, norm]\n"
                           "dropout: true\n",
                           hidden, layers, hidden, heads, vocab);
}

static double of(const struct nadi_training_reader *r, const char *column)
{
    return nadi_row_number(r, column);
}

/* Narayanan et al. 2021, equation 3, with full recomputation; FLOPs of a step. */
static double sc21_flops(double batch, double layers, double h)
{
    const double s = 2048, v = 51200;
    return 96 * batch * s * layers * h * h * (1 + s / (6 * h) + v / (16 * layers * h));
}

void nadi_read_sc21_table1(struct nadi_training_reader *r)
{
    const double tp = of(r, "TP"), pp = of(r, "PP"), gpus = of(r, "gpus"), l = of(r, "layers");
    const double batch = of(r, "global_batch"), per_stage = of(r, "layers_per_virtual_stage");
    const double vp = per_stage > 0 && pp > 1 ? l / pp / per_stage : 1;
    nadi_row_add(
        r, (struct nadi_training_row){
               .source = "Megatron-LM 2021, A100",
               .label = nadi_row_printf(r, "GPT %s, %.0f x A100", nadi_row_text(r, "model"), gpus),
               .model_text = gpt(r, l, of(r, "hidden"), of(r, "attention_heads"), 51200),
               .cluster = "dgx-a100",
               .framework = "megatron-lm-2021",
               .settings = nadi_row_printf(
                   r,
                   "tp=%.0f pp=%.0f vp=%.0f ranks=%.0f batch=%.0f micro-batch=%.0f sequence=2048 "
                   "precision=fp16 recompute=full sequence-parallel=0 framework=megatron-lm-2021",
                   tp, pp, vp, gpus, batch, of(r, "micro_batch")),
               .step_s = sc21_flops(batch, l, of(r, "hidden")) /
                         (of(r, "achieved_TFLOPs_per_gpu") * 1e12 * gpus),
           });
}

/* 96 = 8 x 12 and 280 = 8 x 35 ranks of one replica: tensor parallelism fills the server. */
void nadi_read_sc21_table2(struct nadi_training_reader *r)
{
    const bool big = of(r, "params_B") > 300,
               zero = nadi_text_has(nadi_row_text(r, "scheme"), "ZeRO");
    const double l = big ? 105 : 96, h = big ? 20480 : 12288, gpus = of(r, "gpus");
    const double batch = of(r, "global_batch");
    nadi_row_add(
        r, (struct nadi_training_row){
               .source = zero ? "ZeRO-3 2021, A100" : "Megatron-LM 2021, A100",
               .label = nadi_row_printf(r, "GPT %.1fB, %.0f x A100, %s", of(r, "params_B"), gpus,
                                        zero ? "ZeRO-3" : "tp 8 and pipeline"),
               .model_text = gpt(r, l, h, big ? 128 : 96, 51200),
               .cluster = "dgx-a100",
               .framework = zero ? "deepspeed-2021" : "megatron-lm-2021",
               .settings = nadi_row_printf(
                   r,
                   "%s ranks=%.0f batch=%.0f micro-batch=%.0f sequence=2048 precision=fp16 "
                   "recompute=full sequence-parallel=0",
                   zero  ? "framework=deepspeed-2021"
                   : big ? "tp=8 pp=35 framework=megatron-lm-2021"
                         : "tp=8 pp=12 framework=megatron-lm-2021",
                   gpus, batch, of(r, "micro_batch")),
               .step_s = sc21_flops(batch, l, h) / (of(r, "achieved_TFLOPs_per_gpu") * 1e12 * gpus),
           });
}

void nadi_read_seqpar_table5(struct nadi_training_reader *r)
{
    const bool full = nadi_text_has(nadi_row_text(r, "recompute"), "full");
    const double vp = of(r, "VP"), gpus = of(r, "gpus");
    nadi_row_add(
        r,
        (struct nadi_training_row){
            .source = "Megatron-LM 2022, A100",
            .label = nadi_row_printf(r, "GPT %s, %.0f x A100, %s", nadi_row_text(r, "model"), gpus,
                                     full ? "full recompute" : "selective, seq. par."),
            .model_text = gpt(r, of(r, "layers"), of(r, "hidden"), of(r, "attention_heads"), 51200),
            .cluster = "dgx-a100",
            .framework = "megatron-lm",
            .settings = nadi_row_printf(
                r,
                "tp=%.0f pp=%.0f vp=%.0f dp=%.0f batch=%.0f micro-batch=%.0f sequence=2048 "
                "precision=fp16 framework=megatron-lm %s",
                of(r, "TP"), of(r, "PP"), vp > 0 ? vp : 1, of(r, "DP"), of(r, "global_batch"),
                of(r, "micro_batch"),
                full ? "recompute=full sequence-parallel=0" : "recompute=selective"),
            .step_s = of(r, "iteration_time_s"),
        });
}

void nadi_read_a100_1024(struct nadi_training_reader *r)
{
    nadi_row_add(r, (struct nadi_training_row){
                        .source = "Megatron-LM 2021, A100",
                        .label = nadi_row_printf(r, "GPT-3 175B, %.0f x A100", of(r, "gpus")),
                        .model = "gpt3-175b",
                        .cluster = "dgx-a100",
                        .framework = "megatron-lm-2021",
                        .settings = nadi_row_printf(
                            r,
                            "tp=%.0f pp=%.0f ranks=%.0f batch=%.0f sequence=2048 precision=fp16 "
                            "recompute=full sequence-parallel=0 framework=megatron-lm-2021",
                            of(r, "TP"), of(r, "PP"), of(r, "gpus"), of(r, "global_batch")),
                        .step_s = of(r, "iteration_time_s"),
                    });
}

/* The deepest interleaving of up to six stages a rank that divides the layers. */
static double stages_a_rank(double layers, double pp)
{
    for (double v = 6; v > 1 && pp > 1; v--) {
        const double each = layers / pp / v;
        if (each >= 1 && each <= floor(each))
            return v;
    }
    return 1;
}

void nadi_read_h100_weak(struct nadi_training_reader *r)
{
    const double tp = of(r, "TP"), pp = of(r, "PP"), l = of(r, "layers"), h = of(r, "hidden");
    const double batch = of(r, "global_batch"), gpus = of(r, "gpus"), s = 4096, v = 131072;
    const double flops = 72 * batch * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
    nadi_row_add(
        r, (struct nadi_training_row){
               .source = "Megatron-Core 0.8, H100",
               .label = nadi_row_printf(r, "GPT %s, %.0f x H100", nadi_row_text(r, "model"), gpus),
               .model_text = gpt(r, l, h, of(r, "attention_heads"), 131072),
               .cluster = "dgx-h100",
               .settings = nadi_row_printf(
                   r,
                   "tp=%.0f pp=%.0f vp=%.0f ranks=%.0f batch=%.0f micro-batch=%d sequence=4096 "
                   "framework=megatron-core",
                   tp, pp, stages_a_rank(l, pp), gpus, batch, tp * pp > 1 ? 1 : 2),
               .step_s = flops / (of(r, "TFLOPs_per_gpu") * 1e12 * gpus),
           });
}

/* vTrain (arXiv 2312.12391). Several nodes: measured with Megatron-DeepSpeed, as its data/README.md
 * says, on the network of its config/validation. One node: sums of the times of single layers
 * (docs/validation.md), which keep what the backward pass needs. */
void nadi_read_vtrain(struct nadi_training_reader *r)
{
    const bool several = of(r, "# GPUs") > 8;
    struct nadi_training_spec s = {.source =
                                       several ? "vTrain, A100, several nodes" : "vTrain, A100",
                                   .framework = several ? "megatron-deepspeed" : "megatron-layers",
                                   .system = several ? "a100-80gb-150g" : "a100-80gb-node",
                                   .precision = "fp16"};
    s.numbers[NADI_SPEC_VOCAB] = 50257; /* not padded: vocab_size in its src/config.py */
    nadi_spec_columns(r, &s);
}
