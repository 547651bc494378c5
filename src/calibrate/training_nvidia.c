/* training_nvidia: figures that NVIDIA publishes for its frameworks: NeMo, Megatron-Bridge and the
 * DGX Cloud benchmarking recipes.
 *
 * Assumed for all: sequence parallelism with tensor parallelism, a distributed optimizer (zero 1)
 * with overlap, overlap of tensor-parallel transfers, flash attention, balanced routing of experts.
 * Where a table of the recipes has no degrees, those of the other tables for the same model. JAX
 * runs (MaxText, Paxml) shard fully (zero 3); Paxml recomputes every layer, MaxText keeps part of
 * each layer's products, which counts as every second layer. GPT-OSS has a fused attention with
 * sinks since the release 26.06, but for the one with a note about it. */
#include "calibrate/training_rows.h"
#include "model/model.h"

#include <math.h>

static double of(const struct nadi_training_reader *r, const char *column)
{
    return nadi_row_number(r, column);
}

struct known { /* a word in the source's name to the catalogue's */
    const char *word, *model;
    double sequence;
};

static const struct known models[] = {
    {"GPT3-5B", "gpt3-5b", 2048},
    {"GPT5B", "gpt3-5b", 2048},
    {"GPT3-20B", "gpt3-20b", 2048},
    {"GPT3-175B", "gpt3-175b", 2048},
    {"GPT175B", "gpt3-175b", 2048},
    {"NeMo Megatron", "gpt3-175b", 2048},
    {"LLAMA2-70B", "llama2-70b", 4096},
    {"LLama2 70b", "llama2-70b", 4096},
    {"LLAMA2-7B", "llama2-7b", 4096},
    {"LLAMA2-13B", "llama2-13b", 4096},
    {"Nemotron-8B", NULL, 4096},
    {"Nemotron-22B", NULL, 4096},
    {"Nemotron-340B", "nemotron4-340b", 4096},
    {"Nemotron4 15b", "nemotron4-15b", 4096},
    {"Nemotron4 340b", "nemotron4-340b", 4096},
    {"405b", "llama3-405b", 8192},
    {"LLAMA3-8B", "llama3-8b", 8192},
    {"LLAMA3_8B", "llama3-8b", 8192},
    {"LLAMA3-70B", "llama3-70b", 8192},
    {"LLAMA3_70B", "llama3-70b", 8192},
    {"Llama 3.1 8b", "llama3-8b", 8192},
    {"Llama 3.1 70b", "llama3-70b", 8192},
    {"Llama3 70b", "llama3-70b", 8192},
    {"Llama3 8b", "llama3-8b", 8192},
    {"Grok", "grok-1", 8192},
    {"GPT OSS 120B", "gpt-oss-120b", 4096},
    {"Kimi_K2", "kimi-k2", 4096},
    {"DeepSeek", "deepseek-v3", 4096},
    {"QWEN3_30B", "qwen3-30b-a3b", 4096},
    {"QWEN3_235B", "qwen3-235b-a22b", 4096},
    {"Qwen3 30B", "qwen3-30b-a3b", 4096},
    {"Qwen3 235B", "qwen3-235b-a22b", 4096},
};

static const struct known *find_model(const char *name)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (nadi_text_has(name, models[i].word))
            return &models[i];
    return NULL;
}

struct layout {
    double tp, pp, cp, vp, ep, micro_batch;
    bool sharded; /* fully */
};

static const char *precision_of(const char *text)
{
    if (nadi_text_has(text, "FP4"))
        return "fp4";
    return nadi_text_has(text, "FP8") ? "fp8" : "bf16";
}

static char *settings(struct nadi_training_reader *r, const struct layout *l, double gpus,
                      double batch, double sequence, const char *precision)
{
    if (l->sharded)
        return nadi_row_printf(
            r, "ranks=%.0f batch=%.0f micro-batch=%.0f sequence=%.0f precision=%s zero=3", gpus,
            batch, l->micro_batch > 0 ? l->micro_batch : 1, sequence, precision);
    return nadi_row_printf(r,
                           "tp=%.0f pp=%.0f cp=%.0f vp=%.0f ep=%.0f ranks=%.0f batch=%.0f "
                           "micro-batch=%.0f sequence=%.0f precision=%s zero=1 tp-overlap=0.7",
                           l->tp > 0 ? l->tp : 1, l->pp > 0 ? l->pp : 1, l->cp > 0 ? l->cp : 1,
                           l->vp > 0 ? l->vp : 1, l->ep > 0 ? l->ep : 1, gpus, batch,
                           l->micro_batch > 0 ? l->micro_batch : 1, sequence, precision);
}

void nadi_read_nemo(struct nadi_training_reader *r)
{
    const char *name = nadi_row_text(r, "model");
    const struct known *known = find_model(name);
    const struct layout l = {.tp = of(r, "TP"),
                             .pp = of(r, "PP"),
                             .cp = of(r, "CP"),
                             .vp = of(r, "VP"),
                             .micro_batch = of(r, "MBS")};
    const double gpus = of(r, "gpus"), batch = of(r, "GBS"), s = of(r, "seq_len");
    nadi_row_add(r,
                 (struct nadi_training_row){
                     .source = "NeMo 24.07, H100, fp8",
                     .label = nadi_row_printf(r, "%s, %.0f x H100, fp8", name, gpus),
                     .model = known ? known->model : NULL,
                     .cluster = "dgx-h100",
                     .settings = settings(r, &l, gpus, batch, s, "fp8"),
                     .step_s = batch * s / (of(r, "tokens_per_s_per_gpu") * gpus),
                     .left_out = known && known->model ? NULL : "the model's shape is not public",
                 });
}

/* ---- DGX Cloud recipes --------------------------------------------------------------------- */

static struct layout recipe_layout(const char *model, const char *text)
{
    struct layout l = {.tp = nadi_text_number(text, "TP=", 0),
                       .pp = nadi_text_number(text, "PP=", 0),
                       .cp = nadi_text_number(text, "CP=", 1),
                       .vp = nadi_text_number(text, "VP=", 1),
                       .micro_batch = nadi_text_number(text, "MBS=", 1)};
    if (nadi_text_has(text, "maxtext") || nadi_text_has(text, "paxml")) {
        l.sharded = true;
        l.micro_batch = nadi_text_number(text, "MBS=", 2);
        return l;
    }
    if (l.tp > 0)
        return l;
    if (strcmp(model, "llama3-70b") == 0)
        return (struct layout){.tp = 4, .pp = 4, .cp = 2, .vp = 5};
    if (strcmp(model, "llama3-8b") == 0)
        return (struct layout){.tp = 1, .pp = 1, .cp = 2};
    if (strcmp(model, "llama3-405b") == 0)
        return (struct layout){.tp = 8, .pp = 9, .cp = 2, .vp = 7};
    if (strcmp(model, "gpt3-175b") == 0)
        return (struct layout){.tp = 4, .pp = 8, .vp = 12};
    if (strcmp(model, "nemotron4-15b") == 0)
        return (struct layout){.tp = 4, .micro_batch = 4};
    if (strcmp(model, "nemotron4-340b") == 0)
        return (struct layout){.tp = 8, .pp = 8, .vp = 12};
    return (struct layout){.tp = 0};
}

static const char *why_not(const struct nadi_training_reader *r, const char *text,
                           const struct known *known, const struct layout *l)
{
    const char *section = nadi_row_text(r, "file");
    if (nadi_text_has(text, "LORA") || nadi_text_has(text, "Finetuning") ||
        nadi_text_has(section, "ft_"))
        return "fine-tuning on packed sequences";
    if (!known || !known->model)
        return "the model is not in the catalogue";
    if (strcmp(known->model, "grok-1") == 0)
        return "the degrees are not in the table, and few-device rows have fewer layers";
    if (!l->sharded && !(l->tp > 0))
        return "the degrees are not in the table";
    return NULL;
}

static uint32_t layers_of(const char *model)
{
    struct nadi_model m;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    const uint32_t layers = nadi_model_open(&m, model, &diags) ? m.layers : 0;
    nadi_model_release(&m);
    nadi_diags_release(&diags);
    return layers;
}

void nadi_read_dgxc(struct nadi_training_reader *r)
{
    const char *text = nadi_row_text(r, "model_precision");
    const char *system = nadi_row_text(r, "system_config");
    const struct known *known = find_model(text);
    const bool blackwell = nadi_text_has(system, "GB200");
    const double step = of(r, "train_step_time_s"), rate = of(r, "throughput_tokens_per_s");
    const double gpus = nadi_text_number(system, "Throughput on ", of(r, "system_config"));
    const double s = known ? known->sequence : 1;
    const double batch = nadi_text_number(system, "GBS=", floor(step * rate / s + 0.5));
    const struct layout l = recipe_layout(known && known->model ? known->model : "", text);
    char *keys = settings(r, &l, gpus, batch, s, precision_of(text));
    if (l.sharded && nadi_text_has(text, "maxtext") && known && known->model)
        keys = nadi_row_printf(r, "%s recompute=full recompute-layers=%u", keys,
                               layers_of(known->model) / 2);
    else if (l.sharded)
        keys = nadi_row_printf(r, "%s recompute=full", keys);
    nadi_row_add(r, (struct nadi_training_row){
                        .source = l.sharded ? "DGX Cloud recipes, JAX" : "DGX Cloud recipes",
                        .label = nadi_row_printf(r, "%.22s, %.0f x %s, %s", text, gpus,
                                                 blackwell ? "GB200" : "H100", precision_of(text)),
                        .model = known ? known->model : NULL,
                        .cluster = blackwell ? "gb200-nvl72" : "dgx-h100",
                        .settings = keys,
                        .step_s = step,
                        .left_out = why_not(r, text, known, &l),
                    });
}

/* ---- Megatron-Bridge ----------------------------------------------------------------------- */

static const char *cluster_of(const char *system)
{
    static const struct {
        const char *word, *cluster;
    } known[] = {{"GB300", "gb300-nvl72"},
                 {"GB200", "gb200-nvl72"},
                 {"B300", "dgx-b300"},
                 {"B200", "dgx-b200"},
                 {"H100", "dgx-h100"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (nadi_text_has(system, known[i].word))
            return known[i].cluster;
    return NULL;
}

static bool fused_sinks(const struct nadi_training_reader *r)
{
    return of(r, "release") > 26.055 &&
           !nadi_text_has(nadi_row_text(r, "Model TFLOP / sec / GPU"), "note");
}

void nadi_read_bridge(struct nadi_training_reader *r)
{
    const char *first = nadi_row_text(r, "model_or_system"), *named = nadi_row_text(r, "Model");
    const char *name = *named ? named : first;
    const char *system = *named ? first : nadi_row_text(r, "System");
    const char *precision =
        precision_of(*nadi_row_text(r, "Precision") ? nadi_row_text(r, "Precision") : "FP8");
    const struct known *known = find_model(name);
    const struct layout l = {.tp = of(r, "TP"),
                             .pp = of(r, "PP"),
                             .cp = of(r, "CP"),
                             .vp = of(r, "VP"),
                             .ep = of(r, "EP"),
                             .micro_batch = of(r, "MBS"),
                             .sharded = of(r, "FSDP") > 1};
    const double gpus = of(r, "#-GPUs"), batch = of(r, "GBS"), s = of(r, "Sequence Length");
    const bool other = !nadi_text_has(nadi_row_text(r, "section"), "Pre-Training");
    char *keys = settings(r, &l, gpus, batch, s, precision);
    if (nadi_text_has(name, "GPT OSS") && !fused_sinks(r))
        keys = nadi_row_printf(r, "%s attention-kernel=plain", keys);
    nadi_row_add(
        r, (struct nadi_training_row){
               .source = nadi_row_printf(r, "Megatron-Bridge, %s", cluster_of(system)),
               .label = nadi_row_printf(
                   r, "%s, %.0f x %s, %s", nadi_text_has(name, "Model: ") ? name + 7 : name, gpus,
                   nadi_text_has(system, "DGX-") ? strstr(system, "DGX-") + 4 : system, precision),
               .model = known ? known->model : NULL,
               .cluster = cluster_of(system),
               .settings = keys,
               .step_s = batch * s / (of(r, "Tokens / sec / GPU") * gpus),
               .left_out = other                     ? "fine-tuning"
                           : !known || !known->model ? "the model is not in the catalogue"
                           : !cluster_of(system)     ? "the system is not in the catalogue"
                                                     : NULL,
           });
}
