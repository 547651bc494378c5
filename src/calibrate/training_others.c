/* training_others: MosaicML's, AMD's and Google's published runs.
 *
 * MosaicML: PyTorch FSDP; FULL_SHARD is zero 3, SHARD_GRAD_OP gathers parameters once a step and
 * reduces gradients once a micro-batch (zero 2); precision DEFAULT reduces gradients in 32 bits,
 * PURE in 16. AMD's logs do not name the device: 256 GB of memory are an MI325X. */
#include "base/str.h"
#include "calibrate/training_rows.h"

static double of(const struct nadi_training_reader *r, const char *column)
{
    return nadi_row_number(r, column);
}

void nadi_read_mosaic(struct nadi_training_reader *r)
{
    const char *section = nadi_row_text(r, "section");
    const bool h100 = nadi_text_has(section, "H100"), small = nadi_text_has(section, "40GB");
    const char *cluster = h100                                 ? "dgx-h100"
                          : small                              ? "a100-40gb-1600g"
                          : nadi_text_has(section, "800 Gbps") ? "a100-80gb-800g"
                                                               : "a100-80gb-1600g";
    const char *precision = nadi_text_has(nadi_row_text(r, "Precision"), "fp8") ? "fp8" : "bf16";
    const bool all = nadi_str_equal(nadi_row_text(r, "Sharding Strategy"), "FULL_SHARD");
    const bool pure = nadi_str_equal(nadi_row_text(r, "MP Mode"), "PURE");
    const bool again = nadi_str_equal(nadi_row_text(r, "Activation Checkpointing"), "True");
    const bool away = nadi_str_equal(nadi_row_text(r, "Activation CPUOffload"), "True");
    const double gpus = of(r, "# GPUs"), s = of(r, "SeqLen (T)");
    nadi_row_add(
        r,
        (struct nadi_training_row){
            .source = h100 ? "MosaicML FSDP, H100" : "MosaicML FSDP, A100",
            .label = nadi_row_printf(r, "MPT %s, %.0f x %s, %.0f tokens%s",
                                     nadi_row_text(r, "Model"), gpus,
                                     h100    ? "H100"
                                     : small ? "A100 40 GB"
                                             : "A100",
                                     s, nadi_str_equal(precision, "fp8") ? ", fp8" : ""),
            .model = nadi_row_printf(r, "mpt-%s", nadi_row_text(r, "Model")),
            .framework = "llm-foundry",
            .cluster = cluster,
            .settings = nadi_row_printf(
                r,
                "ranks=%.0f batch=%.0f micro-batch=%.0f sequence=%.0f precision=%s zero=%d "
                "gradient-bytes=%d recompute=%s framework=llm-foundry%s",
                gpus, of(r, "GlobalBatchSize"), of(r, "MicroBatchSize"), s, precision, all ? 3 : 2,
                pure ? 2 : 4, again ? "full" : "none", away ? " offload=[activations]" : ""),
            .step_s = of(r, "GlobalBatchSize") * s / of(r, "Throughput (T/s)"),
        });
}

static double at_least_one(double value)
{
    return value > 1 ? value : 1;
}

static bool is_true(const struct nadi_training_reader *r, const char *column)
{
    return nadi_str_equal(nadi_row_text(r, column), "True");
}

void nadi_read_primus(struct nadi_training_reader *r)
{
    const char *log = nadi_row_text(r, "log");
    const char *model =
        nadi_text_has(log, "mixtral-8x7B")                                       ? "mixtral-8x7b"
        : nadi_text_has(log, "mixtral-8x22")                                     ? "mixtral-8x22b"
        : nadi_text_has(log, "llama2-70B")                                       ? "llama2-70b"
        : nadi_text_has(log, "llama2-7B")                                        ? "llama2-7b"
        : nadi_text_has(log, "llama3-8B") || nadi_text_has(log, "llama3.1-8B")   ? "llama3-8b"
        : nadi_text_has(log, "llama3-70B") || nadi_text_has(log, "llama3.1-70B") ? "llama3-70b"
                                                                                 : NULL;
    const bool fp8 = *nadi_row_text(r, "fp8") && !nadi_str_equal(nadi_row_text(r, "fp8"), "None");
    const double gpus = of(r, "world_size");
    const bool again = nadi_str_equal(nadi_row_text(r, "recompute_granularity"), "full");
    nadi_row_add(
        r,
        (struct nadi_training_row){
            .source = "AMD Primus, MI325X",
            .label = nadi_row_printf(r, "%s, %.0f x MI325X, %s", model ? model : log, gpus,
                                     fp8 ? "fp8" : "bf16"),
            .model = model,
            .cluster = "mi325x",
            .framework = "primus",
            .settings = nadi_row_printf(
                r,
                "tp=%.0f pp=%.0f cp=%.0f ep=%.0f vp=%.0f ranks=%.0f batch=%.0f micro-batch=%.0f "
                "sequence=%.0f precision=%s recompute=%s zero=%d overlap-gradients=%d "
                "overlap-parameters=%d framework=primus",
                of(r, "tensor_model_parallel_size"), of(r, "pipeline_model_parallel_size"),
                of(r, "context_parallel_size"), at_least_one(of(r, "expert_model_parallel_size")),
                at_least_one(of(r, "virtual_pipeline_model_parallel_size")), gpus,
                of(r, "global_batch_size"), of(r, "micro_batch_size"), of(r, "seq_length"),
                fp8 ? "fp8" : "bf16", again ? "full" : "none",
                is_true(r, "use_distributed_optimizer"), is_true(r, "overlap_grad_reduce"),
                is_true(r, "overlap_param_gather")),
            .step_s = of(r, "median_iter_ms") / 1e3,
            .left_out = model ? NULL : "no model of the catalogue is the log's",
        });
}

void nadi_read_tpu(struct nadi_training_reader *r)
{
    nadi_row_add(r, (struct nadi_training_row){
                        .source = "MaxText, TPU",
                        .label = nadi_row_printf(r, "%s, %.0f x %s", nadi_row_text(r, "model"),
                                                 of(r, "chips"), nadi_row_text(r, "tpu")),
                        .fate = NADI_ROW_UNDER_SPECIFIED,
                        .left_out = "sharding and batch",
                    });
}
