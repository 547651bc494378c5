/* training_nvidia: figures that NVIDIA publishes for its frameworks: NeMo, Megatron-Bridge, the DGX
 * Cloud benchmarking recipes, and its submissions to MLPerf.
 *
 * Assumed for all: what examples/frameworks says of the framework, and balanced routing of experts.
 * Where a row has no degrees, the recipes of its release (examples/recipes), which also say what
 * the release does otherwise. JAX runs (MaxText, Paxml) shard fully; MaxText keeps part of each
 * layer's products, which counts as every second layer. */
#include "calibrate/training_spec.h"

#include "base/str.h"

/* Tokens of a sequence where a table does not say, which its README does. */
static double usual_sequence(const char *text)
{
    if (nadi_text_has(text, "Llama3") || nadi_text_has(text, "Llama 3") ||
        nadi_text_has(text, "Grok"))
        return 8192;
    return nadi_text_has(text, "GPT") || nadi_text_has(text, "NeMo Megatron") ? 2048 : 4096;
}

void nadi_read_nemo(struct nadi_training_reader *r)
{
    struct nadi_training_spec s = {.source = "NeMo 24.07, H100, fp8",
                                   .model = nadi_row_text(r, "model"),
                                   .system = "H100",
                                   .precision = "fp8",
                                   .framework = "megatron-core",
                                   .release = "24.07"};
    nadi_spec_take(r, &s, NADI_SPEC_RANKS, "gpus");
    nadi_spec_take(r, &s, NADI_SPEC_BATCH, "GBS");
    nadi_spec_take(r, &s, NADI_SPEC_MICRO_BATCH, "MBS");
    nadi_spec_take(r, &s, NADI_SPEC_SEQUENCE, "seq_len");
    nadi_spec_take(r, &s, NADI_SPEC_TP, "TP");
    nadi_spec_take(r, &s, NADI_SPEC_PP, "PP");
    nadi_spec_take(r, &s, NADI_SPEC_CP, "CP");
    nadi_spec_take(r, &s, NADI_SPEC_VP, "VP");
    nadi_spec_take(r, &s, NADI_SPEC_RANK_TOKENS_PER_S, "tokens_per_s_per_gpu");
    nadi_spec_add(r, &s);
}

/* ---- DGX Cloud recipes --------------------------------------------------------------------- */

static void degrees_in(struct nadi_training_spec *s, const char *text)
{
    static const struct {
        const char *key;
        enum nadi_spec_number number;
    } keys[] = {{"TP=", NADI_SPEC_TP},           {"PP=", NADI_SPEC_PP},
                {"CP=", NADI_SPEC_CP},           {"VP=", NADI_SPEC_VP},
                {"MBS=", NADI_SPEC_MICRO_BATCH}, {"SEQ=", NADI_SPEC_SEQUENCE}};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        s->numbers[keys[i].number] = nadi_text_number(text, keys[i].key, 0);
}

/* The recipes' framework, by the name of the workload and its release. */
static const char *framework_of(const char *text, const char *file)
{
    if (nadi_text_has(text, "maxtext"))
        return "maxtext";
    if (nadi_text_has(text, "paxml"))
        return "paxml";
    return nadi_text_has(file, "torchtitan") ? "torchtitan" : "megatron-core";
}

void nadi_read_dgxc(struct nadi_training_reader *r)
{
    const char *text = nadi_row_text(r, "model_precision");
    const char *system = nadi_row_text(r, "system_config"), *file = nadi_row_text(r, "file");
    const bool jax = nadi_text_has(text, "maxtext") || nadi_text_has(text, "paxml");
    struct nadi_training_spec s = {.source = jax ? "DGX Cloud recipes, JAX" : "DGX Cloud recipes",
                                   .model = text,
                                   .system = nadi_row_printf(r, "%s %s", system, text),
                                   .precision = nadi_spec_precision(text),
                                   .framework = framework_of(text, file),
                                   .release = nadi_row_text(r, "tag"),
                                   .recipes = "dgxc",
                                   .sharded = jax,
                                   .needs_degrees = true};
    degrees_in(&s, text);
    s.numbers[NADI_SPEC_RANKS] =
        nadi_text_number(system, "Throughput on ", nadi_row_number(r, "system_config"));
    s.numbers[NADI_SPEC_BATCH] = nadi_text_number(system, "GBS=", 0);
    if (jax && !(s.numbers[NADI_SPEC_MICRO_BATCH] > 0))
        s.numbers[NADI_SPEC_MICRO_BATCH] = 2;
    nadi_spec_take(r, &s, NADI_SPEC_STEP_S, "train_step_time_s");
    nadi_spec_take(r, &s, NADI_SPEC_TOKENS_PER_S, "throughput_tokens_per_s");
    s.usual_sequence = usual_sequence(text);
    s.label = nadi_row_printf(r, "%.22s, %.0f x %s, %s", text, s.numbers[NADI_SPEC_RANKS],
                              nadi_text_has(s.system, "GB200") ? "GB200" : "H100", s.precision);
    s.half_recomputed = nadi_text_has(text, "maxtext");
    if (nadi_text_has(text, "LORA") || nadi_text_has(text, "Finetuning") ||
        nadi_text_has(file, "ft_"))
        s.unsupported = "fine-tuning on packed sequences";
    nadi_spec_add(r, &s);
}

/* ---- Megatron-Bridge ----------------------------------------------------------------------- */

void nadi_read_bridge(struct nadi_training_reader *r)
{
    const char *first = nadi_row_text(r, "model_or_system"), *named = nadi_row_text(r, "Model");
    const char *system = *named ? first : nadi_row_text(r, "System");
    const char *precision = nadi_row_text(r, "Precision");
    struct nadi_training_spec s = {
        .model = *named ? named : first,
        .system = system,
        .precision = nadi_spec_precision(*precision ? precision : "FP8"),
        .framework = "megatron-core",
        .release = nadi_row_text(r, "release"),
        .recipes = "bridge",
        .sharded = nadi_row_number(r, "FSDP") > 1,
    };
    nadi_spec_take(r, &s, NADI_SPEC_RANKS, "#-GPUs");
    nadi_spec_take(r, &s, NADI_SPEC_BATCH, "GBS");
    nadi_spec_take(r, &s, NADI_SPEC_MICRO_BATCH, "MBS");
    nadi_spec_take(r, &s, NADI_SPEC_SEQUENCE, "Sequence Length");
    nadi_spec_take(r, &s, NADI_SPEC_TP, "TP");
    nadi_spec_take(r, &s, NADI_SPEC_PP, "PP");
    nadi_spec_take(r, &s, NADI_SPEC_CP, "CP");
    nadi_spec_take(r, &s, NADI_SPEC_VP, "VP");
    nadi_spec_take(r, &s, NADI_SPEC_EP, "EP");
    nadi_spec_take(r, &s, NADI_SPEC_RANK_TOKENS_PER_S, "Tokens / sec / GPU");
    if (!nadi_text_has(nadi_row_text(r, "section"), "Pre-Training"))
        s.unsupported = "fine-tuning";
    const char *name = nadi_text_has(s.model, "Model: ") ? s.model + 7 : s.model;
    const char *machine = strcasestr(system, "DGX-");
    s.source = nadi_row_printf(r, "Megatron-Bridge, %s", machine ? machine + 4 : system);
    s.label = nadi_row_printf(r, "%s, %.0f x %s, %s", name, s.numbers[NADI_SPEC_RANKS],
                              machine ? machine + 4 : system, s.precision);
    nadi_spec_add(r, &s);
}

/* ---- MLPerf -------------------------------------------------------------------------------- */

/* "results/dgxh100_n64_nemo/gpt3/result_0.txt": nodes of 8. */
void nadi_read_mlperf(struct nadi_training_reader *r)
{
    const char *file = nadi_row_text(r, "file");
    const double nodes = nadi_text_number(file, "_n", 0);
    struct nadi_training_spec s = {.source = "MLPerf Training, GPT-3 175B",
                                   .model = "GPT-3 175B",
                                   .system = nadi_text_has(file, "h100") ? "H100" : file,
                                   .precision = "fp8",
                                   .framework = "megatron-core",
                                   .release = nadi_row_text(r, "round"),
                                   .recipes = "mlperf",
                                   .needs_degrees = true};
    s.numbers[NADI_SPEC_RANKS] = 8 * nodes;
    nadi_spec_take(r, &s, NADI_SPEC_BATCH, "global_batch_size");
    nadi_spec_take(r, &s, NADI_SPEC_SEQUENCE, "seq_len");
    nadi_spec_take(r, &s, NADI_SPEC_TOKENS_PER_S, "tokens_per_s_median");
    s.label = nadi_row_printf(r, "GPT-3 175B, MLPerf %s, %.0f x H100", s.release, 8 * nodes);
    nadi_spec_add(r, &s);
}
