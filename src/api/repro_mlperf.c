/* repro_mlperf: the models of MLPerf Training that the catalogue has, on its clusters, beside
 * submitted results of NVIDIA. Nothing decides: a submission is a whole run, with its start,
 * evaluations and input, and a prediction is of steps.
 *
 * From the logs in github.com/mlcommons/training_results_v2.1 and v3.0 unless said. GPT-3: minutes
 * of the run; tokens until the target is reached are those of the reference's convergence points,
 * in evaluations of 24,576 sequences (24, 26 and 26). BERT: samples between the evaluations; its
 * sequences of up to 512 tokens are half padding, which the submission leaves out, so 256. ResNet,
 * SSD, Mask R-CNN and U-Net: the throughput that the logs say. From the logs in
 * training_results_v0.7 (dgxa100_ngc20.06_pytorch, result_0): DLRM: a step of 3.27 ms with 55,296
 * samples; GNMT: a step of 89 ms with 3,072 pairs, of 28 and 28 tokens by its tokens a second.
 * Those of v0.7 ran on DGX A100 with 40 GB, whose memory is slower than the catalogue's cluster of
 * 80 GB. */
#include "api/repro.h"

#include <nadi/nadi.h>

#include <math.h>

#include "explore/model_inputs.h"
#include "format/doc_change.h"
#include "model/study.h"

static const double tokens_of_evaluation = 24576.0 * 2048;

static const struct row {
    const char *label, *model, *cluster, *settings;
    double published;   /* minutes where `evaluations`, else samples/s; NAN: none was read */
    double evaluations; /* until the target is reached */
    const char *device; /* of the submission, where it is not the cluster's; or NULL */
} rows[] = {
    {"GPT-3 175B, 512 H100, v3.0", "gpt3-175b", "dgx-h100",
     "tp=4 pp=8 vp=12 dp=16 batch=2048 micro-batch=1 sequence=2048 precision=fp8 zero=1 "
     "framework=megatron-core",
     64.264, 24, NULL},
    {"GPT-3 175B, 768 H100, v3.0", "gpt3-175b", "dgx-h100",
     "tp=4 pp=8 vp=12 dp=24 batch=3072 micro-batch=1 sequence=2048 precision=fp8 zero=1 "
     "framework=megatron-core",
     44.824, 26, NULL},
    {"GPT-3 175B, 1536 H100, v3.0", "gpt3-175b", "dgx-h100",
     "tp=4 pp=8 vp=12 dp=48 batch=3072 micro-batch=1 sequence=2048 precision=fp8 zero=1 "
     "framework=megatron-core",
     23.611, 26, NULL},
    {"BERT-large, 8 A100, v2.1", "bert-large", "dgx-a100",
     "dp=8 batch=448 micro-batch=56 sequence=256 precision=fp16", 2435.6, 0, NULL},
    {"ResNet-50, 64 H100, v3.0", "resnet50", "dgx-h100", "dp=64 batch=25600 precision=fp16", 294500,
     0, NULL},
    {"DLRM, 8 A100, v0.7", "dlrm", "dgx-a100", "dp=8 batch=55296 precision=fp16", 16.9e6, 0,
     "a100-sxm-40gb"},
    {"GNMT, 8 A100, v0.7", "gnmt", "dgx-a100",
     "dp=8 batch=3072 sequence=28 target-sequence=28 precision=fp16", 34500, 0, "a100-sxm-40gb"},
    {"SSD300 ResNet-34, 8 A100, v0.7", "ssd-resnet34", "dgx-a100", "dp=8 batch=912 precision=fp16",
     9760, 0, "a100-sxm-40gb"},
    {"Mask R-CNN, 8 A100, v2.1", "mask-rcnn", "dgx-a100", "dp=8 batch=96 precision=fp16", 732.1, 0,
     NULL},
    {"U-Net 3D, 24 H100, v2.1", "unet3d", "dgx-h100", "dp=24 batch=24 precision=fp16", 1430, 0,
     NULL},
};

bool nadi_repro_mlperf(struct nadi_repro *r)
{
    double errors = 0;
    uint32_t compared = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        struct nadi_study study;
        uint64_t ns = 0;
        const struct nadi_run_options options = nadi_model_plain_options();
        const struct nadi_doc_change device = {"cluster", "device", row->device};
        const struct nadi_doc_changes changes = {&device, 1};
        const struct nadi_study_setup setup = {.model = row->model,
                                               .cluster = row->cluster,
                                               .settings = row->settings,
                                               .changes = row->device ? &changes : NULL};
        const bool ok = nadi_model_study(&study, &setup, r->diags) &&
                        nadi_model_time(&study, &options, &ns, r->diags);
        const double tokens = ok ? nadi_study_step_tokens(&study) : 0;
        const double samples = ok ? (double)study.plan.batch : 0;
        nadi_study_close(&study);
        if (!ok)
            return false;
        const double seconds = (double)ns / 1e9;
        const double ours = row->evaluations > 0
                                ? row->evaluations * tokens_of_evaluation / tokens * seconds / 60
                                : samples / seconds;
        nadi_repro_beside(r, row->label, row->published, ours,
                          row->evaluations > 0 ? "min" : "1/s");
        if (isnan(row->published))
            continue;
        /* of the rate: a time that is too short is one that is too high */
        const double ratio = row->evaluations > 0 ? row->published / ours : ours / row->published;
        errors += fabs(ratio - 1);
        compared++;
    }
    nadi_repro_beside(r, "mean error of the throughput", NAN, 100 * errors / compared, "%");
    return true;
}
