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
    {"mlp-mnist", NULL, "dp=2 batch=64 micro-batch=32", 429.385717871, UINT64_C(0xf4d975924a08be11),
     0, 0, 0},
    {"bloom-176b", NULL, "tp=4 pp=12 batch=48 micro-batch=1", 8884.55676745,
     UINT64_C(0x85cab6fa90a9e92d), 0, 0, 0},
    {"nemotron4-15b", NULL, "tp=2 batch=2", 670.294154946, UINT64_C(0x8f89be0f46a11a3a), 0, 0, 0},
    {"kimi-k2", NULL, "tp=8 etp=1 ep=16 dp=4 pp=4 batch=16 zero=1", 2692.7422354,
     UINT64_C(0xa1d50e8675d2c375), 0, 0, 0},
    {"llama3-8b", "dgx-h100", "tp=8 batch=16 micro-batch=2", 637.482482849,
     UINT64_C(0xb1422976cbd27cbc), 586231431, 9449, 260.56769747},
    {"llama3-8b", "dgx-h100", "tp=2 pp=4 dp=2 batch=16 schedule=gpipe sequence-parallel=0 zero=1",
     2711.19250164, UINT64_C(0x783639e3766e2543), 317102491, 4563, 267.067436997},
    {"llama3-8b", "dgx-a100",
     "tp=2 pp=4 vp=2 batch=8 schedule=interleaved recompute=selective attention-kernel=plain",
     2694.88600989, UINT64_C(0xe504ae27c9227632), 801707559, 9733, 258.690369825},
    {"llama3-8b", "dgx-h100", "dp=16 batch=32 zero=3 prefetch=2 micro-batch=2", 679.944812124,
     UINT64_C(0xa3bfca8774b7f534), 375103217, 1973, 268.82042596},
    {"llama3-8b", "dgx-h100", "dp=8 batch=16 zero=2 bucket=500MB overlap-gradients=0",
     664.513830487, UINT64_C(0xc870c4571e460c75), 532818441, 109, 265.450472025},
    {"llama3-8b", "dgx-h100",
     "dp=8 batch=8 zero=3 overlap-parameters=0 detail=kernel sequence=2048", 674.626511491,
     UINT64_C(0x78dab77b79e2281e), 208267511, 1080, 265.308650839},
    {"llama3-8b", "dgx-h100", "cp=4 tp=2 batch=2 sequence=32768", 683.229003274,
     UINT64_C(0xdc86c64967957cdd), 1278329274, 2967, 436.512397394},
    {"llama3-8b", "dgx-h100",
     "cp=4 tp=2 batch=2 sequence=16384 context=all-gather precision=fp8 detail=kernel",
     668.646833361, UINT64_C(0x154016082ad30067), 454127299, 3767, 270.277476114},
    {"llama3-8b", "dgx-h100", "cp=8 batch=2 sequence=16384 context=ulysses order=[cp,tp,dp,pp]",
     674.911038195, UINT64_C(0xf945c4aaf43914a), 597366521, 874, 449.689871173},
    {"llama3-8b", "dgx-h100", "pp=4 batch=16 schedule=zb-h1 stage-layers=[9,8,8,7]", 2734.96128815,
     UINT64_C(0x95b4ceb60b8ef992), 882204874, 373, 267.941411253},
    {"llama3-8b", "dgx-h100", "pp=4 dp=2 batch=16 schedule=dualpipe", 2772.41117478,
     UINT64_C(0x558ccb0b7726fc1a), 459721535, 342, 434.052634693},
    {"llama3-8b", "dgx-h100", "pp=2 tp=4 batch=8 recompute=full recompute-layers=5 tp-overlap=0.5",
     1272.67550757, UINT64_C(0x9334caf2913838ad), 298536156, 15160, 259.985753655},
    {"llama3-8b", "dgx-h100", "pp=4 tp=2 batch=8 schedule=zb-h1", 2668.74070873,
     UINT64_C(0x783e4040afb32545), 281570953, 9020, 265.333147126},
    {"llama3-8b", "dgx-h100", "pp=4 tp=2 batch=16 schedule=dualpipe", 2703.37458425,
     UINT64_C(0x8550cf720631ed66), 439939820, 18930, 267.691792469},
    {"llama3-8b", "dgx-h100", "tp=8 batch=4 tp-overlap=1", 625.005833694,
     UINT64_C(0x9c12a690a28d744b), 140870371, 4741, 259.105769192},
    {"llama3-8b", "dgx-h100", "tp=4 dp=2 batch=4 mode=prefill sequence=4096 chunk=1024",
     474.843999264, UINT64_C(0x810b76b4471e1298), 99998016, 3648, 253.127205449},
    {"llama3-8b", "dgx-h100", "tp=4 pp=2 batch=4 mode=decode sequence=4096 steps=5", 803.885283844,
     UINT64_C(0x65ec60653994d242), 20620350, 1997, 202.957297296},
    {"llama3-70b", "dgx-b200",
     "tp=8 pp=4 dp=2 batch=32 precision=fp4 optimizer=sgd reserve=0 fragmentation=0", 1399.79921254,
     UINT64_C(0xffd7db9658709445), 657341301, 46959, 259.645866004},
    {"gpt2-xl", "dgx-v100", "tp=5 pp=2 batch=8 precision=fp16 optimizer=momentum", 1187.18372402,
     UINT64_C(0x3ac0b27240d7cfd8), 210463771, 14116, 243.566415993},
    {"mixtral-8x7b", "dgx-h100", "dp=16 ep=8 batch=32 micro-batch=2 zero=1", 683.747192312,
     UINT64_C(0x9fb5430a5b4a1648), 1013237244, 3221, 439.090343162},
    {"mixtral-8x7b", "dgx-h100", "tp=2 dp=4 batch=8 sequence=1024", 656.851092911,
     UINT64_C(0xae7f424dc0217994), 826083304, 2391, 452.093555423},
    {"mixtral-8x7b", "dgx-h100", "tp=4 ep=2 dp=4 cp=2 batch=8 order=[tp,dp,cp,pp]", 643.487096275,
     UINT64_C(0x9cbdd48d7e8abd19), 1542531557, 2977, 443.43891516},
    {"llama3-8b", "dgx-h100", "tp=2 pp=2 dp=2 batch=8 order=[pp,dp,tp,cp]", 1306.38949367,
     UINT64_C(0x5bb2f2222c59d23c), 282721546, 4828, 264.900528115},
    {"mixtral-8x7b", "dgx-h100",
     "tp=2 etp=2 ep=4 dp=8 batch=16 capacity=1.25 detail=kernel sequence=1024", 652.670011878,
     UINT64_C(0x41904f3cb86f785f), 744356541, 4513, 431.421889112},
    {"mixtral-8x7b", "dgx-h100", "dp=8 ep=8 batch=8 skew=0.5", 683.705981429,
     UINT64_C(0xdf37351df76ad983), 609133303, 488, 444.376830723},
    {"deepseek-v3", "dgx-h200", "tp=8 etp=1 ep=32 dp=8 pp=2 batch=32", 1326.43469452,
     UINT64_C(0xdfaee7b091839afc), 2019260516, 14311, 439.536519885},
    {"deepseek-v3", "dgx-h200", "tp=8 etp=8 mode=decode sequence=1000 steps=3", 433.084801599,
     UINT64_C(0xf456073593176098), 173648914, 2328, 368.089836827},
    {"deepseek-v2", "gb200-nvl72", "dp=8 ep=8 batch=16 mode=prefill sequence=2048", 509.105047589,
     UINT64_C(0xaced9277a103a0a4), 244306100, 710, 271.971951876},
    {"gpt-oss-120b", "dgx-b200", "tp=4 dp=2 batch=8 mode=prefill sequence=8192", 513.94310138,
     UINT64_C(0x9fee42444e5e501), 438603752, 2048, 262.970885027},
    {"gemma2-9b", "tpu-v5p", "dp=4 tp=4 batch=16", 651.750334524, UINT64_C(0x67ed300ff8c6b062),
     493509513, 25996, 266.062815762},
    {"grok-1", "mi300x", "tp=8 etp=8 batch=8 recompute=full", 640.695960956,
     UINT64_C(0x547edc14667038d5), 4043051383, 25353, 463.531902402},
    {"t5-11b", "dgx-a100", "tp=8 batch=8 pp=2", 1280.60271266, UINT64_C(0x2797718646652825),
     804278476, 17628, 257.226219662},
    {"bert-large", "tpu-v4", "dp=16 batch=64 micro-batch=4", 613.181465807,
     UINT64_C(0x5a58c68fa461966b), 47591599, 756, 253.478155042},
    {"dlrm", "dgx-a100", "dp=8 batch=4096 micro-batch=512", 521.184464155,
     UINT64_C(0x257c7f6f2f76d7eb), 405110, 14, 241.82082431},
    {"gnmt", "dgx-v100", "dp=8 batch=256 micro-batch=32", 673.745976013,
     UINT64_C(0x1d1f34d294cd34e1), 2944997743, 29, 239.037046229},
    {"resnet50", "dgx-a100", "dp=8 batch=256 micro-batch=32 precision=tf32", 614.399700489,
     UINT64_C(0x5404c2b9be4d2f48), 22003637, 56, 237.401154108},
    {"vgg16", "dgx-v100", "dp=8 batch=128 micro-batch=16 precision=fp32", 614.887415149,
     UINT64_C(0xe2ff6681b0fea595), 151479719, 44, 234.014583535},
    {"turing-nlg-17b", "dgx-v100", "tp=4 dp=4 batch=16 zero=3 execution=streaming micro-batch=4",
     549.503089433, UINT64_C(0xc37ed5c4300f48d0), 3973028288, 3714, 245.464602431},
    {"megatron-22b", "dgx-a100", "tp=8 dp=2 batch=8 offload=[optimizer,activations] micro-batch=2",
     597.652646916, UINT64_C(0x4af912fc719e1488), 3554742750, 4005, 247.417086135},
    {"opt-175b", "a100-80gb-1600g",
     "tp=8 pp=8 dp=2 batch=64 zero=1 recompute=selective attention-kernel=flash-dense",
     5575.73811752, UINT64_C(0x17ba6a8a3ce8bca0), 8113349071, 113186, 264.089429471},
    {"palm-540b", "tpu-v4", "tp=16 dp=4 batch=16 kernels=auto", 670.521684058,
     UINT64_C(0x8c4d420fe2370a0a), 12313794769, 28867, 466.105227572},
    {"qwen3-30b-a3b", "h100-nccl", "tp=4 ep=4 dp=4 batch=8", 652.678520951,
     UINT64_C(0xaa0ef1ffc67c1ebf), 621896796, 2003, 428.174280897},
    {"llama2-13b", "a100-nccl", "tp=8 dp=2 batch=16 kernels=tiles", 624.088271397,
     UINT64_C(0x39e0b2829bfac675), 1511426711, 7251, 258.657685015},
    {"mpt-7b", "dgx-a100", "dp=8 batch=8 kernels=roofline", 666.287765586,
     UINT64_C(0x1843beecbeceaa55), 418716663, 104, 443.142507719},
    {"mistral-7b", "dgx-h200", "tp=8 batch=2 mode=decode sequence=20000 steps=2", 375.423301529,
     UINT64_C(0x4837b27b4ea706b3), 7981556, 392, 198.06709796},
    {"gemma-7b", "tpu-v5e", "dp=4 tp=4 batch=8", 650.163702615, UINT64_C(0x29c402d87c75f8f8),
     556746182, 8620, 429.362923409},
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
        r.events = result.events;
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
