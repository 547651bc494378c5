/* Steps of models, pinned: what a rank has in its memory, what its graphs say, and how long the
 * step takes. A row that moves is an answer that moves; the messages are the rows as they are now.
 */
#include "explore/model_inputs.h"
#include "model/figures.h"
#include "sim/run.h"
#include "support/digest.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

struct row {
    const char *model, *cluster, *settings;
    double memory;   /* logarithms of all parts of all ranks of the pipeline, with their places */
    uint64_t digest; /* of all stages' graphs, the groups and the settings */
    uint64_t step_ns, events;
    double figures;
};

static const struct row rows[] = {
    {"mlp-mnist", NULL, "dp=2 batch=64 micro-batch=32", 429.385717871, UINT64_C(0xb30ee09bcfd36027),
     0, 0, 0},
    {"bloom-176b", NULL, "tp=4 pp=12 batch=48 micro-batch=1", 8884.55676745,
     UINT64_C(0x264e2210369f30fa), 0, 0, 0},
    {"nemotron4-15b", NULL, "tp=2 batch=2", 670.294154946, UINT64_C(0x4e8fda9e80aaaab2), 0, 0, 0},
    {"kimi-k2", NULL, "tp=8 etp=1 ep=16 dp=4 pp=4 batch=16 zero=1", 2692.7422354,
     UINT64_C(0xa1d50e8675d2c375), 0, 0, 0},
    {"llama3-8b", "dgx-h100", "tp=8 batch=16 micro-batch=2", 637.482482849,
     UINT64_C(0x6f2cac04c9c6c307), 583439095, 210, 260.605894091},
    {"llama3-8b", "dgx-h100", "tp=2 pp=4 dp=2 batch=16 schedule=gpipe sequence-parallel=0 zero=1",
     2711.19250164, UINT64_C(0xe9116e31ab4677c5), 326689971, 3044, 266.829144331},
    {"llama3-8b", "dgx-a100",
     "tp=2 pp=4 vp=2 batch=8 schedule=interleaved recompute=selective attention-kernel=plain",
     2694.88600989, UINT64_C(0x517073316fe97ba1), 803838103, 9124, 258.669137963},
    {"llama3-8b", "dgx-h100", "dp=16 batch=32 zero=3 prefetch=2 micro-batch=2", 678.486040625,
     UINT64_C(0x198b6a7e36ceba75), 381114357, 663, 268.498828836},
    {"llama3-8b", "dgx-h100", "dp=8 batch=16 zero=2 bucket=500MB overlap-gradients=0",
     672.473292653, UINT64_C(0x4f2d007f328b123b), 544654529, 31, 265.553256996},
    {"llama3-8b", "dgx-h100",
     "dp=8 batch=8 zero=3 overlap-parameters=0 detail=kernel sequence=2048", 673.556000442,
     UINT64_C(0x5012e7d37421a678), 213845069, 189, 264.990678656},
    {"llama3-8b", "dgx-h100", "cp=4 tp=2 batch=2 sequence=32768", 683.229003274,
     UINT64_C(0xe2af7b4cef234c5a), 1249584054, 292, 436.694343247},
    {"llama3-8b", "dgx-h100",
     "cp=4 tp=2 batch=2 sequence=16384 context=all-gather precision=fp8 detail=kernel",
     668.646833361, UINT64_C(0x782ac990fd671ada), 438313123, 302, 270.561028157},
    {"llama3-8b", "dgx-h100", "cp=8 batch=2 sequence=16384 context=ulysses order=[cp,tp,dp,pp]",
     674.911038195, UINT64_C(0xcd79c65df65a468), 590379802, 175, 449.783989581},
    {"llama3-8b", "dgx-h100", "pp=4 batch=16 schedule=zb-h1 stage-layers=[9,8,8,7]", 2734.96128815,
     UINT64_C(0x86b8d91374327cc5), 903897026, 369, 267.747082196},
    {"llama3-8b", "dgx-h100", "pp=4 dp=2 batch=16 schedule=dualpipe", 2772.41117478,
     UINT64_C(0xf7c31d6a0aa64f6f), 482842172, 684, 433.660083599},
    {"llama3-8b", "dgx-h100", "pp=2 tp=4 batch=8 recompute=full recompute-layers=5 tp-overlap=0.5",
     1272.67550757, UINT64_C(0x7b99596c4c77d574), 303025354, 3914, 259.866350235},
    {"llama3-8b", "dgx-h100", "pp=4 tp=2 batch=8 schedule=zb-h1", 2668.74070873,
     UINT64_C(0xaf66403488ccfff0), 289003201, 8237, 265.124720766},
    {"llama3-8b", "dgx-h100", "pp=4 tp=2 batch=16 schedule=dualpipe", 2703.37458425,
     UINT64_C(0x644c694bb257607f), 458794817, 16030, 267.356071321},
    {"llama3-8b", "dgx-h100", "tp=8 batch=4 tp-overlap=1", 625.005833694,
     UINT64_C(0x673d3a79655293ba), 141984723, 211, 259.042734357},
    {"llama3-8b", "dgx-h100", "tp=4 dp=2 batch=4 mode=prefill sequence=4096 chunk=1024",
     474.843999264, UINT64_C(0x23ab15e7f971bde1), 97537408, 288, 253.326520406},
    {"llama3-8b", "dgx-h100", "tp=4 pp=2 batch=4 mode=decode sequence=4096 steps=5", 803.885283844,
     UINT64_C(0x7d967d573e1ac91f), 20620350, 845, 202.957297296},
    {"llama3-70b", "dgx-b200",
     "tp=8 pp=4 dp=2 batch=32 precision=fp4 optimizer=sgd reserve=0 fragmentation=0", 1399.79921254,
     UINT64_C(0x89adc883743f4d02), 666955964, 12019, 259.529700763},
    {"gpt2-xl", "dgx-v100", "tp=5 pp=2 batch=8 precision=fp16 optimizer=momentum", 1187.18760031,
     UINT64_C(0xfc1b916fd19ed879), 215936755, 18860, 243.361146618},
    {"mixtral-8x7b", "dgx-h100", "dp=16 ep=8 batch=32 micro-batch=2 zero=1", 683.747192312,
     UINT64_C(0x92b5cd7395f49d55), 659591512, 337, 442.524622794},
    {"mixtral-8x7b", "dgx-h100", "tp=2 dp=4 batch=8 sequence=1024", 656.851092911,
     UINT64_C(0x38b81f34168aaa1d), 825805887, 915, 452.096242451},
    {"mixtral-8x7b", "dgx-h100", "tp=4 ep=2 dp=4 cp=2 batch=8 order=[tp,dp,cp,pp]", 643.487096275,
     UINT64_C(0xc6faa7b40c53446e), 1543680916, 1365, 443.432956483},
    {"llama3-8b", "dgx-h100", "tp=2 pp=2 dp=2 batch=8 order=[pp,dp,tp,cp]", 1306.38949367,
     UINT64_C(0xc313ba70945b4651), 290955702, 2460, 264.6708597},
    {"mixtral-8x7b", "dgx-h100",
     "tp=2 etp=2 ep=4 dp=8 batch=16 capacity=1.25 detail=kernel sequence=1024", 652.670011878,
     UINT64_C(0x77bbd48d50197589), 742779025, 1693, 431.438861516},
    {"mixtral-8x7b", "dgx-h100", "dp=8 ep=8 batch=8 skew=0.5", 683.705981429,
     UINT64_C(0x9e1b696f83c5269e), 604804702, 62, 444.433882985},
    {"deepseek-v3", "dgx-h200", "tp=8 etp=1 ep=32 dp=8 pp=2 batch=32", 1326.43469452,
     UINT64_C(0xfbb0af88cf1e3318), 1965993957, 8147, 439.750387207},
    {"deepseek-v3", "dgx-h200", "tp=8 etp=8 mode=decode sequence=1000 steps=3", 403.974191483,
     UINT64_C(0xcfde8be26d4ea5b8), 42517055, 108, 379.346562796},
    {"deepseek-v2", "gb200-nvl72", "dp=8 ep=8 batch=16 mode=prefill sequence=2048", 509.105047589,
     UINT64_C(0xa2cda8c95e9badcc), 212647936, 32, 273.08222413},
    {"gpt-oss-120b", "dgx-b200", "tp=4 dp=2 batch=8 mode=prefill sequence=8192", 513.94310138,
     UINT64_C(0x174640693d0087b4), 169806584, 156, 269.252580519},
    {"gemma2-9b", "tpu-v5p", "dp=4 tp=4 batch=16", 651.750334524, UINT64_C(0x7f184a1dac60498b),
     498022962, 7060, 265.989983369},
    {"grok-1", "mi300x", "tp=8 etp=8 batch=8 recompute=full", 640.695960956,
     UINT64_C(0x19a5e2beaa15079d), 3907729447, 221, 463.80424799},
    {"t5-11b", "dgx-a100", "tp=8 batch=8 pp=2", 1280.60271266, UINT64_C(0x41be31bb6ee610c0),
     796225631, 23540, 257.306723427},
    {"bert-large", "tpu-v4", "dp=16 batch=64 micro-batch=4", 613.181465807,
     UINT64_C(0x3e386210693c41b7), 46911484, 385, 253.59330502},
    {"dlrm", "dgx-a100", "dp=8 batch=4096 micro-batch=512", 521.184464155,
     UINT64_C(0x4b85226d20a2706d), 559546, 19, 239.237087466},
    {"gnmt", "dgx-v100", "dp=8 batch=256 micro-batch=32", 673.745976013,
     UINT64_C(0x3df55a1747295b41), 2942498361, 29, 239.043838609},
    {"resnet50", "dgx-a100", "dp=8 batch=256 micro-batch=32 precision=tf32", 614.399700489,
     UINT64_C(0xd6705d01dfea3eab), 21593748, 75, 237.551585544},
    {"vgg16", "dgx-v100", "dp=8 batch=128 micro-batch=16 precision=fp32", 614.887415149,
     UINT64_C(0xb50c18cdacc7d216), 142125640, 44, 234.524505878},
    {"turing-nlg-17b", "dgx-v100", "tp=4 dp=4 batch=16 zero=3 execution=streaming micro-batch=4",
     550.449102918, UINT64_C(0x9745482d0728a0a5), 3032051802, 5476, 247.670318087},
    {"megatron-22b", "dgx-a100", "tp=8 dp=2 batch=8 offload=[optimizer,activations] micro-batch=2",
     614.93649675, UINT64_C(0x836082318adba95a), 2712028338, 5086, 250.29353741},
    {"opt-175b", "a100-80gb-1600g",
     "tp=8 pp=8 dp=2 batch=64 zero=1 recompute=selective attention-kernel=flash-dense",
     5575.73867556, UINT64_C(0x9b1e3f284a6cd896), 8152203323, 35526, 264.05128508},
    {"palm-540b", "tpu-v4", "tp=16 dp=4 batch=16 kernels=auto", 670.521684058,
     UINT64_C(0xa359e412221316cf), 12331599523, 4893, 466.093668571},
    {"qwen3-30b-a3b", "h100-nccl", "tp=4 ep=4 dp=4 batch=8", 652.678520951,
     UINT64_C(0xb471837739ed7257), 612323521, 3029, 428.298387971},
    {"llama2-13b", "a100-nccl", "tp=8 dp=2 batch=16 kernels=tiles", 624.088271397,
     UINT64_C(0x4fa5367af3d454f1), 1492853591, 757, 258.756601786},
    {"mpt-7b", "dgx-a100", "dp=8 batch=8 kernels=roofline", 666.287765586,
     UINT64_C(0xfb4d83bdb6146044), 418716663, 104, 443.142507719},
    {"mistral-7b", "dgx-h200", "tp=8 batch=2 mode=decode sequence=20000 steps=2", 375.423301529,
     UINT64_C(0x26990979c5c74474), 7817996, 38, 195.350525839},
    {"gemma-7b", "tpu-v5e", "dp=4 tp=4 batch=8", 650.163702615, UINT64_C(0x5fba4a9f353d2135),
     559724896, 3652, 429.32023575},
};

static void digest_graphs(uint64_t *digest, const struct nadi_model_step *step)
{
    for (uint32_t stage = 0; stage < step->study->plan.pp; stage++) {
        struct nadi_trace *t = nadi_step_trace(step, stage);
        digest_trace(digest, t);
        nadi_trace_destroy(t);
    }
}

static void digest_inputs(uint64_t *digest, const struct nadi_inputs *in)
{
    for (size_t i = 0; i < in->setting_count; i++) {
        digest_text(digest, in->settings[i].key);
        digest_text(digest, in->settings[i].value);
    }
    for (size_t i = 0; i < in->groups.count; i++) {
        const struct nadi_group *g = &in->groups.items[i];
        digest_text(digest, g->name);
        for (uint32_t k = 0; g->members && k < g->size; k++)
            digest_u64(digest, g->members[k]);
    }
}

static double memory_of(struct nadi_study *s)
{
    struct nadi_memory memory;
    double sum = 0;
    nadi_memory_estimate(&memory, &s->plan, &s->model, &s->net, &s->schedule, &s->arena);
    for (uint32_t r = 0; r < memory.count; r++) {
        const struct nadi_rank_memory *m = &memory.ranks[r];
        for (int part = 0; part < NADI_MEMORY_PARTS; part++)
            sum += (part + 1 + 0.1 * r) * log(1 + m->parts[part]);
        sum += log(1 + m->remote) + 0.5 * m->in_flight + 0.01 * m->peak_action;
    }
    return sum + memory.worst;
}

static struct row measure(const struct row *q)
{
    struct nadi_study study;
    struct nadi_model_step step;
    struct nadi_diags diags;
    struct row r = *q;
    nadi_diags_init(&diags);
    const struct nadi_study_setup setup = {
        .model = q->model, .settings = q->settings, .cluster = q->cluster};
    if (!nadi_study_open(&study, &setup, &diags) || !nadi_step_init(&step, &study, &diags))
        fail_msg("%s %s: %s", q->model, q->settings, diags.items[0].message);
    r.memory = memory_of(&study);
    r.digest = DIGEST_INIT;
    digest_graphs(&r.digest, &step);
    if (q->cluster) {
        struct nadi_inputs in;
        struct nadi_result result;
        const struct nadi_run_options options = {.network_model = &nadi_network_unaware,
                                                 .injection_scale = 1,
                                                 .compute_scale = 1,
                                                 .comm_scale = 1};
        if (!nadi_model_inputs(&in, &step, &options, &diags))
            fail_msg("%s %s: %s", q->model, q->settings, diags.items[0].message);
        digest_inputs(&r.digest, &in);
        nadi_simulate(&in, NULL, &result);
        r.step_ns = result.outcome == NADI_OUTCOME_DONE ? result.end_ns : 0;
        r.events = result.events + result.events_spared;
        const struct nadi_step_figures f = nadi_step_figures(&study, r.step_ns);
        r.figures = log(f.step_s) + 2 * log(f.tokens_per_s) + 3 * log(f.model_flops) +
                    4 * log(f.model_share) + 5 * f.bubble + 6 * log(f.memory_bytes) +
                    7 * log(1 + f.missing_bytes) + f.memory_rank;
        nadi_result_release(&result);
        nadi_inputs_release(&in);
    }
    nadi_step_release(&step);
    nadi_study_close(&study);
    nadi_diags_release(&diags);
    return r;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static void pinned(void **state)
{
    bool all = true;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *q = &rows[i], r = measure(q);
        const bool same = near(r.memory, q->memory) && r.digest == q->digest &&
                          r.step_ns == q->step_ns && r.events == q->events &&
                          near(r.figures, q->figures);
        if (!same)
            print_error("{\"%s\", %s%s%s, \"%s\", %.12g, UINT64_C(0x%" PRIx64 "), %" PRIu64
                        ", %" PRIu64 ", %.12g},\n",
                        r.model, r.cluster ? "\"" : "", r.cluster ? r.cluster : "NULL",
                        r.cluster ? "\"" : "", r.settings, r.memory, r.digest, r.step_ns, r.events,
                        r.figures);
        all &= same;
    }
    assert_true(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pinned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
