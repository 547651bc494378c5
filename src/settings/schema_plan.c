/* schema_plan: the keys of a plan: how a model is run. Read in src/model/plan_read.c. */
#include "base/compute_models.h"
#include "settings/schema_more.h"

static const char *const modes[] = {"train", "prefill", "decode", NULL};
static const char *const axes[] = {"tp", "cp", "dp", "pp", NULL};
static const char *const contexts[] = {"ring", "all-gather", "ulysses", NULL};
static const char *const schedules[] = {"1f1b", "gpipe", "interleaved", "zb-h1", "dualpipe", NULL};
static const char *const recomputes[] = {"none", "selective", "full", NULL};
static const char *const precisions[] = {"bf16", "fp16", "fp8", "fp4", "tf32", "fp32", NULL};
static const char *const kernels[] = {"flash", "plain", "flash-dense", "flash-portable", NULL};
static const char *const dispatches[] = {"all-to-all", "once-a-node", NULL};
static const char *const expert_products[] = {"auto", "grouped", "each", NULL};
static const char *const optimizers[] = {"adam", "momentum", "sgd", NULL};
static const char *const executions[] = {"stationary", "streaming", NULL};
static const char *const remotes[] = {"whole", "shards", "in-switch", NULL};
static const char *const offloads[] = {"optimizer", "gradients", "parameters", "activations", NULL};
static const char *const kernel_models[] = {"auto", NADI_COMPUTE_MODEL_WORDS NULL};
static const char *const details[] = {"block", "kernel", "layer", NULL};

#define DEGREE(called, default_value, text)                                                        \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .preset = default_value, .max = 1 << 24,        \
        .doc = text                                                                                \
    }
#define COUNT(called, default_value, text)                                                         \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .preset = default_value, .max = 1e9,            \
        .doc = text                                                                                \
    }
#define SWITCH(called, default_value, text)                                                        \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_SWITCH, .preset = default_value, .doc = text             \
    }
#define WORD(called, table, default_value, text)                                                   \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_WORD, .words = table, .preset = default_value,           \
        .doc = text                                                                                \
    }

static const struct nadi_setting plan_keys[] = {
    {.name = "framework",
     .type = NADI_TYPE_TEXT,
     .absent = "the defaults below",
     .doc = "Training framework whose habits are the defaults of all other keys: a name of the "
            "catalogue (`nadi model list`) or the path of a file with keys of this table. "
            "docs/models/frameworks.md."},
    {.name = "source",
     .type = NADI_TYPE_TEXT,
     .absent = "not said",
     .doc = "In a framework's file: what it is, and where its habits are described."},
    WORD("mode", modes, "train",
         "train: whole training steps. prefill: the prompts of a batch through the network. "
         "decode: one token after another with a key-value cache."),
    DEGREE("ranks", "0", "Accelerators. 0: as many as the degrees need."),
    DEGREE("tp", "1", "Tensor parallelism: ranks that split every layer's matrices."),
    DEGREE("pp", "1", "Pipeline parallelism: stages."),
    DEGREE("dp", "0", "Data parallelism: replicas. 0: what ranks leaves, else 1."),
    DEGREE("cp", "1", "Context parallelism: ranks that split every sequence."),
    DEGREE("ep", "1",
           "Expert parallelism: ranks over which the experts are distributed, taken from the ranks "
           "of data, context and tensor parallelism."),
    DEGREE("etp", "0", "Tensor parallelism within an expert. 0: tp without ep, 1 with it."),
    DEGREE("vp", "1", "Virtual stages of a rank, for the interleaved schedule."),
    {.name = "order",
     .type = NADI_TYPE_WORD,
     .list = true,
     .words = axes,
     .absent = "tp, cp, dp, pp",
     .doc = "Which parallelism is innermost on the topology: neighbouring ranks differ in the "
            "first one. All four, each once; experts follow the order of the rest without pp."},
    SWITCH("sequence-parallel", "1",
           "With tp above 1: norms, dropout and residuals are split by tokens, and all-reduces "
           "become reduce-scatter and all-gather."),
    WORD("context", contexts, "ring",
         "With cp above 1: keys and values are passed around a ring during the attention, are "
         "gathered before it, or heads are exchanged for tokens by all-to-all (Ulysses)."),
    WORD("schedule", schedules, "1f1b",
         "Order of the micro-batches in a pipeline; with vp above 1 it is interleaved. zb-h1 "
         "splits the backward pass in two (zero bubble); dualpipe feeds from both ends: a rank has "
         "the stage of the rank at the other end, too, and both are replicas of each other."),
    {.name = "stage-layers",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .max = 1e6,
     .absent = "as even as possible; stages with the embedding or the head get less",
     .doc = "Layers of each of the pp x vp stages in order, for an uneven split."},

    COUNT("batch", "0",
          "Sequences (samples) of a step over all replicas. 0: one micro-batch each."),
    COUNT("micro-batch", "0",
          "Sequences (samples) that a replica works on at once. 0: 1 in training and prefill of "
          "transformers; of other models and in decode all that a replica has of the batch, with a "
          "pipeline in at least pp parts."),
    COUNT("sequence", "0",
          "Tokens of a sequence; decode: tokens in the cache at the start. 0: 2048, or all "
          "positions of a model that has learned fewer."),
    COUNT("target-sequence", "0", "Tokens on the decoder's side. 0: as sequence."),
    COUNT("steps", "1", "Training steps, or tokens that decode produces."),
    COUNT("chunk", "0", "prefill: tokens that go through at once. 0: the whole prompt."),

    COUNT("zero", "0",
          "ZeRO stage: 1 splits optimizer states over the replicas, 2 gradients too, 3 parameters "
          "too (FSDP). 1 is Megatron-LM's distributed optimizer."),
    COUNT("prefetch", "1",
          "Layers whose parameters are gathered or loaded ahead, and keys and values that lie in a "
          "tier: zero 3 in every pass, 1 and 2 with overlap-parameters in a step's first."),
    COUNT(
        "prefetch-rows", "0",
        "Of a DLRM whose tables lie in a tier: micro-batches whose rows are loaded ahead, of this "
        "step and the next ones. What those before them change later is on the device."),
    SWITCH("overlap-gradients", "1", "Gradients are reduced during the backward pass."),
    SWITCH("overlap-parameters", "1",
           "zero 1 and 2: parameters are gathered during the next forward pass."),
    {.name = "bucket",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .preset = "0",
     .max = 1e15,
     .absent = "one per layer; eight of what is placed",
     .doc =
         "Gradients are collected in buckets of at least this size before they are reduced. What "
         "is placed moves for the optimizer in buckets of at most this size, and in 64 at most."},
    WORD("recompute", recomputes, "none",
         "What the backward pass computes again: nothing, the attention core, or whole layers."),
    COUNT("recompute-layers", "0", "recompute full: number of layers of each stage. 0: all."),
    SWITCH(
        "recompute-stops", "0",
        "recompute full: a layer is computed again only up to the last result that its gradients "
        "need, so that the last product is left out (early stop of PyTorch's checkpoints)."),
    WORD("precision", precisions, "bf16",
         "Of matrix products; activations have two bytes but for tf32 and fp32."),
    {.name = "parameter-bytes",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .max = 1e9,
     .doc =
         "Bytes of a parameter in memory. 0: 2, or 4 with tf32 and fp32; in inference 1 with fp8 "
         "and 0.5625 with fp4 (NVFP4, with its scales). In inference what embeddings, the head "
         "and norms have is 2 at least, and products read weights so wide: 0.5 with bf16 is "
         "quantisation of weights alone."},
    {.name = "cache-bytes",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .max = 8,
     .doc = "Inference: bytes of each number of the keys and values that are kept. 0: as they are "
            "computed, 2, or 4 with tf32 and fp32; 1 is a cache in fp8."},
    COUNT("gradient-bytes", "0",
          "Bytes of a gradient in memory and in reductions. 0: 4 as in Megatron-LM with bf16; the "
          "ZeRO papers have 2."),
    WORD("optimizer", optimizers, "adam",
         "States of a parameter: adam 12 bytes (with a 32-bit copy of the parameter), momentum 8, "
         "sgd 4; without the copy where parameters have 32 bits. `optimizer-state-bytes` and "
         "`master-weights` say otherwise."),
    COUNT("optimizer-state-bytes", "0",
          "Bytes of each state of the optimizer (adam has two, momentum one). 0: 4; 2 as in "
          "DeepSeek-V3 and where all is in bf16; 1 as 8-bit optimizers have."),
    SWITCH("master-weights", "1",
           "The optimizer updates a 32-bit copy of parameters that have fewer bits; 0: it updates "
           "the parameters themselves (all in bf16)."),
    WORD("attention-kernel", kernels, "flash",
         "flash: fused attention that keeps no scores and leaves out masked ones. plain: separate "
         "kernels. flash-portable: fused, but not in the device's own instructions "
         "(FlashAttention-2 on H100). flash-dense: that, and computes masked scores too."),
    {.name = "fused-cross-entropy",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .max = 2,
     .doc =
         "The loss over the vocabulary. 1: one pass over the logits in each direction, with what "
         "it needs in between in 32 bits. 0: each of its operations is a kernel of its own. 2: "
         "nothing in between is written, and the logits' gradient takes their place "
         "(torch.compile, Liger kernels)."},
    SWITCH("padded-products", "0",
           "Matrices whose rows are no multiple of 16 bytes are padded before they are multiplied "
           "(torch.compile); 0: such products are slower."),
    WORD("kernels", kernel_models, "auto",
         "How long kernels take: roofline, tiles (and waves), systolic (the device's array). auto: "
         "systolic where the device has an array, else tiles. docs/models/kernels.md."),
    SWITCH("narrow-transfers", "0",
           "With fp8 and fp4, what tensor parallelism gathers for a product is converted first: a "
           "byte an activation (Transformer Engine)."),
    {.name = "host-launch",
     NADI_A_LATENCY,
     .preset = "8000",
     .max = 1e9,
     .doc = "Time that the host needs for one kernel, Python and launch together, on a CPU with "
            "the cluster's `host-speed` of 1. Kernels that the host launches more slowly than the "
            "device runs them wait for it. 0: the host is not simulated."},
    {.name = "kernels-an-operation",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .max = 100,
     .doc = "Kernels that the framework launches for one operation of the step: above 1 where "
            "operations are not fused."},
    {.name = "backward-launch",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .max = 1,
     .doc = "What one kernel of the backward pass costs the host, relative to one of the forward "
            "pass: below 1 where C++ launches it (PyTorch's autograd) and Python the others."},
    {.name = "element-traffic",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .min = 1,
     .max = 100,
     .doc = "Bytes that operations on elements (norms, activations, rotary positions, residuals) "
            "move through memory, relative to one fused kernel each: above 1 where every step of "
            "them is a kernel of its own, as in PyTorch without torch.compile."},
    SWITCH("host-ahead", "1",
           "The host launches kernels ahead of the device; 0: it waits between transfers for what "
           "it has launched (logging, timers, checks for overflow)."),
    SWITCH("cuda-graphs", "0",
           "The kernels of a layer are captured once and launched together: the host costs "
           "nothing. In inference 1, unless `host-launch` or `kernels-an-operation` is given."),
    {.name = "tp-overlap",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .max = 1,
     .doc = "Share of a tensor-parallel transfer that hides behind the work up to the next one "
            "(split and pipelined, as Megatron-LM's tp-comm-overlap). What the ranks of `etp` "
            "gather and add up around their experts is not: it is part of the dispatch."},
    SWITCH("tp-async", "1",
           "The transfer of an input's gradient runs beside the product of the weights' gradient "
           "(Megatron-LM since September 2021); 0: nothing runs beside it."),
    WORD("dispatch", dispatches, "all-to-all",
         "How tokens go to their experts. all-to-all: once for each expert. once-a-node: once to "
         "each node that has one of them, which hands copies on inside (DeepEP, HybridEP)."),
    WORD("expert-products", expert_products, "auto",
         "How the products of a rank's experts run. grouped: one kernel for all of them, whose "
         "tiles fill waves together (fused kernels of serving programs). each: a kernel for every "
         "expert, one after another. auto: grouped in prefill and decode, each in training."),
    {.name = "dispatch-overlap",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .max = 1,
     .doc = "Share of the transfers of experts that hides behind work (of another micro-batch, as "
            "long as the kernels up to the next transfer)."},
    {.name = "dispatch-processors",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = 1e6,
     .doc = "Processors of the device that work on transfers of experts while these are hidden: "
            "the others' share of the device's rate is what computation gets."},
    {.name = "capacity",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .max = 1e6,
     .absent = "no token is dropped",
     .doc = "Experts: tokens an expert takes at most, relative to the mean."},
    {.name = "skew",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .max = 10,
     .absent = "balanced",
     .doc = "Experts: the i-th most popular one gets tokens in proportion to 1 / i^skew."},
    {.name = "offload",
     .type = NADI_TYPE_WORD,
     .list = true,
     .or_one = true,
     .words = offloads,
     .absent = "nothing",
     .doc = "What is kept in the host's (or remote) memory and fetched when needed."},
    {.name = "place",
     .type = NADI_TYPE_MAP,
     .absent = "all lies in the device's memory, but for what `offload` says",
     .doc = "Tier of the memory file that a part lies in: `{optimizer: host, activations: cxl, "
            "experts: nvme}`. Parts: parameters, gradients, optimizer, activations, experts (their "
            "parameters; only those that tokens go to are loaded), cache (keys and values of "
            "inference), tables (rows of a DLRM; those that are looked up are moved). `hbm` and "
            "`G1` are the device's own memory. Needs `--memory`; not with `offload`."},
    {.name = "interleave",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .max = 1,
     .above_min = true,
     .beyond = "for the interleaved schedule of a pipeline: vp=2",
     .doc = "Share of every placed part that lies in its tier, page by page; the rest stays with "
            "the device."},
    WORD("execution", executions, "stationary",
         "stationary: weights stay on their rank. streaming: weights come from remote memory "
         "layer by layer and gradients go back there; ranks hold activations only."),
    WORD("remote-parameters", remotes, "whole",
         "What replicas share, where parameters are streamed or offloaded. whole: every rank has "
         "its own copy in remote memory (where this is not said, what ZeRO splits is split "
         "there, too). shards: every rank has its shard there, loads it and "
         "gathers the others' over the network; gradients are reduce-scattered, then each shard is "
         "stored (ZeRO-Infinity). in-switch: there is one copy; the switches of a memory pool copy "
         "it to all ranks and add up gradients (HIERARCHICAL_POOL)."),
    WORD("detail", details, "block",
         "Nodes of a trace: one for all kernels between two communications (block), for those of "
         "one layer (layer, the default with `--layers`), or for every kernel."),
    {.name = "reserve",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .preset = "2147483648",
     .max = 1e15,
     .doc = "Memory that is never free: the device's context, libraries' work space, buffers of "
            "the communication library."},
    {.name = "fragmentation",
     .type = NADI_TYPE_NUMBER,
     .preset = "0.04",
     .max = 1,
     .doc = "Share of activations and buffers that the allocator loses."},
};

const struct nadi_schema nadi_plan_schema = {
    .name = "plan",
    .title = "plan",
    .option = "--plan",
    .syntax = NADI_DOC_YAML,
    .doc = "How a model is run: degrees of parallelism, batch, schedule, precision, what is "
           "sharded, recomputed and overlapped. Every key can be given on the command line too, "
           "as `--set \"tp=8 pp=4\"`.",
    .example = "tp: 8\n"
               "pp: 16\n"
               "vp: 8\n"
               "dp: 8\n"
               "batch: 1536\n"
               "sequence: 2048\n"
               "zero: 1\n"
               "recompute: selective\n",
    .keys = plan_keys,
    .count = sizeof(plan_keys) / sizeof(plan_keys[0]),
};
