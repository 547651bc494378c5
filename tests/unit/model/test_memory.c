/* memory: ZeRO's rules, Megatron's published figures, and what a schedule holds. */
#include "model/memory.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#include "model/study.h"

static void near(double got, double wanted, double tolerance)
{
    if (fabs(got - wanted) > tolerance * fabs(wanted))
        fail_msg("got %.10g, wanted %.10g", got, wanted);
}

static void open_study(struct nadi_study *s, const char *model, const char *settings)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_study_open(s, &(struct nadi_study_setup){.model = model, .settings = settings},
                         &diags))
        fail_msg("%s: %s", settings, diags.items[0].message);
    nadi_diags_release(&diags);
}

static struct nadi_memory estimate(struct nadi_study *s)
{
    struct nadi_memory memory;
    nadi_memory_estimate(&memory, &s->plan, &s->model, &s->net, &s->schedule, &s->arena);
    return memory;
}

static double states(const struct nadi_rank_memory *r)
{
    return r->parts[NADI_MEMORY_PARAMETERS] + r->parts[NADI_MEMORY_GRADIENTS] +
           r->parts[NADI_MEMORY_OPTIMIZER];
}

/* Rajbhandari et al. 2020, figure 1: 7.5e9 parameters on 64 replicas take 120, 31.4, 16.6 and 1.9
 * GB; 2 + 2 + 12 bytes, of which 12 / N, 14 / N and 16 / N are left. */
static void zero(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 64; n *= 4) {
        for (uint32_t stage = 0; stage <= 3; stage++) {
            char settings[96];
            struct nadi_study s;
            snprintf(settings, sizeof(settings), "dp=%u zero=%u gradient-bytes=2 batch=%u", n,
                     stage, n);
            open_study(&s, "megatron-7.5b", settings);
            const struct nadi_memory memory = estimate(&s);
            const double psi = nadi_model_parameters(&s.model).all, d = n;
            const double bytes[] = {16, 4 + 12 / d, 2 + 14 / d, 16 / d};
            near((double)memory.ranks[0].weights, psi, 1e-12);
            near(states(&memory.ranks[0]), bytes[stage] * psi, 1e-9);
            nadi_study_close(&s);
        }
    }
}

/* Experts are sharded over the ranks that have the same ones, the rest over all replicas. */
static void zero_with_experts(void **state)
{
    struct nadi_study s;
    (void)state;
    open_study(&s, "mixtral-8x7b", "dp=16 ep=8 zero=1 batch=16 gradient-bytes=4");
    const struct nadi_memory memory = estimate(&s);
    const struct nadi_rank_memory *r = &memory.ranks[0];
    const double expert = 32 * 3.0 * 4096 * 14336; /* one of eight */
    near((double)r->expert_weights, expert, 1e-12);
    const double dense = (double)r->weights - expert;
    near(dense + 8 * expert, 46702792704.0, 1e-12);
    near(states(r), 6 * (dense + expert) + 12 * (dense / 16 + expert / 2), 1e-9);
    nadi_study_close(&s);
}

/* Korthikanti et al. 2022, figure 1, in GiB as the public validation file of Calculon has them:
 * parameters and optimizer at 18 bytes, and activations, both of the blocks alone. */
static void published_figure(void **state)
{
    static const struct {
        const char *model, *settings;
        double states, plain, selective;
    } cases[] = {
        {"megatron-22b", "tp=8 batch=4 micro-batch=4", 45.5625, 59.25, 9.5625},
        {"gpt3-175b", "tp=8 pp=8 vp=3 batch=64", 45.5625, 66.84375, 12.3515625},
        {"megatron-530b", "tp=8 pp=35 vp=3 batch=280", 31.640625, 114.0234375, 23.076171875},
        {"megatron-1t", "tp=8 pp=64 batch=512", 32.958984375, 131.25, 26.5625},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int selective = 0; selective < 2; selective++) {
            char settings[200];
            struct nadi_study s;
            snprintf(settings, sizeof(settings), "%s attention-kernel=plain %s", cases[i].settings,
                     selective ? "recompute=selective" : "sequence-parallel=0");
            open_study(&s, cases[i].model, settings);
            const struct nadi_memory memory = estimate(&s);
            const struct nadi_rank_memory *r = &memory.ranks[0];
            /* ours have the embedding, its dropout mask and, without stages, the output head */
            const double gib = 1073741824.0;
            near(states(&memory.ranks[memory.count / 2]) / gib, cases[i].states, 0.06);
            near(r->parts[NADI_MEMORY_ACTIVATIONS] / gib,
                 selective ? cases[i].selective : cases[i].plain, 0.035);
            nadi_study_close(&s);
        }
    }
}

/* Full recomputation keeps 2 s b h (/ t) a layer (same paper, table 2). */
static void full_recomputation(void **state)
{
    struct nadi_study s;
    (void)state;
    open_study(&s, "megatron-22b", "tp=8 batch=4 micro-batch=4 recompute=full");
    const struct nadi_memory memory = estimate(&s);
    const double sbh = 2048.0 * 4 * 6144;
    const double ends = sbh / 8 + 4 * sbh / 8 * (1 + 51200.0 / 6144);
    near(memory.ranks[0].parts[NADI_MEMORY_ACTIVATIONS], 48 * 2 * sbh / 8 + ends, 1e-12);
    nadi_study_close(&s);
    open_study(&s, "megatron-22b", "tp=8 batch=4 micro-batch=4 recompute=full recompute-layers=12");
    const struct nadi_memory part = estimate(&s);
    const struct nadi_sums sums = nadi_layer_sums(nadi_net_layer(&s.net, 1));
    near(part.ranks[0].parts[NADI_MEMORY_ACTIVATIONS],
         12 * 2 * sbh / 8 + 36 * nadi_kept_bytes(&s.plan, &sums.kept) + ends, 1e-12);
    nadi_study_close(&s);
}

/* Llama 3 8B: the largest layer is the head of 128256 rows and the norm before it; a block has four
 * products of attention, three of the MLP and two norms. */
static const double head = 128256.0 * 4096 + 4096;
static const double block = 4096.0 * (4096 + 1024 + 1024 + 4096 + 3 * 14336) + 2 * 4096;

/* ZeRO-3 holds the layer at work and so many gathered ahead, 2 bytes a parameter. Next to the
 * largest layer are blocks: it is there once. */
static void gathered_ahead(void **state)
{
    double kept = 0;
    (void)state;
    for (uint32_t ahead = 0; ahead <= 4; ahead++) {
        char settings[96];
        struct nadi_study s;
        snprintf(settings, sizeof(settings), "dp=8 batch=8 zero=%u prefetch=%u gradient-bytes=4",
                 ahead ? 3 : 2, ahead ? ahead - 1 : 1);
        open_study(&s, "llama3-8b", settings);
        const double buffers = estimate(&s).ranks[0].parts[NADI_MEMORY_BUFFERS];
        if (ahead == 0)
            kept = buffers;
        else
            near(buffers - kept, 2 * (head + (ahead - 1) * block), 1e-12);
        nadi_study_close(&s);
    }
    /* streamed weights: inference gathers no gradients */
    for (uint32_t ahead = 0; ahead <= 2; ahead++) {
        char settings[96];
        struct nadi_study s;
        snprintf(settings, sizeof(settings), "mode=prefill %s prefetch=%u",
                 ahead ? "execution=streaming" : "", ahead ? ahead - 1 : 1);
        open_study(&s, "llama3-8b", settings);
        const double buffers = estimate(&s).ranks[0].parts[NADI_MEMORY_BUFFERS];
        if (ahead == 0)
            kept = buffers;
        else
            near(buffers - kept, 2 * (head + (ahead - 1) * block), 1e-12);
        nadi_study_close(&s);
    }
    /* parameters in a tier: of what is interleaved only the part that is away is gathered; the
     * gradients stay, all of them */
    for (uint32_t ahead = 0; ahead <= 3; ahead++) {
        static const char *const modes[] = {"mode=prefill", "gradient-bytes=4"};
        for (size_t mode = 0; mode < 2; mode++) {
            char settings[96];
            struct nadi_study s;
            double buffers[2];
            for (int placed = 0; placed < 2; placed++) {
                if (placed)
                    snprintf(settings, sizeof(settings),
                             "%s prefetch=%u place={parameters: a} interleave=0.25", modes[mode],
                             ahead);
                else
                    snprintf(settings, sizeof(settings), "%s", modes[mode]);
                open_study(&s, "llama3-8b", settings);
                buffers[placed] = estimate(&s).ranks[0].parts[NADI_MEMORY_BUFFERS];
                nadi_study_close(&s);
            }
            near(buffers[1] - buffers[0], 0.25 * 2 * (head + ahead * block), 1e-12);
        }
    }
}

/* ZeRO-2 and 3 hold one layer's gradients before they are reduced, or a bucket's, 4 bytes each. */
static void before_reduced(void **state)
{
    static const struct {
        const char *settings;
        double bytes;
    } cases[] = {{"zero=1", 0},
                 {"zero=1 bucket=8GB", 0},
                 {"zero=2", 4 * head},
                 {"zero=2 bucket=8GB", 8e9},
                 {"zero=2 bucket=1TB", 4 * 8030261248.0}};
    double least = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char settings[96];
        struct nadi_study s;
        snprintf(settings, sizeof(settings), "dp=8 batch=8 gradient-bytes=4 %s", cases[i].settings);
        open_study(&s, "llama3-8b", settings);
        const double buffers = estimate(&s).ranks[0].parts[NADI_MEMORY_BUFFERS];
        least = i ? least : buffers;
        near(buffers - least, cases[i].bytes, 1e-12);
        nadi_study_close(&s);
    }
}

/* Parts with the host: the bytes that a run has with the device beside what stays, none of them
 * lost to the allocator. The update's buckets and what passes need are not there at one time. */
static double beside(const char *settings, double stays, double *remote)
{
    char with[160];
    struct nadi_study s;
    snprintf(with, sizeof(with), "dp=8 gradient-bytes=4 fragmentation=0 %s", settings);
    open_study(&s, "llama3-8b", with);
    const struct nadi_rank_memory r = estimate(&s).ranks[0];
    *remote = r.remote;
    nadi_study_close(&s);
    return r.total - stays * 8030261248.0 - 2147483648.0;
}

static void offload(void **state)
{
    const double all = 8030261248.0;
    double remote, none;
    (void)state;
    const double passes = beside("batch=8", 18, &none);
    near(none + 1, 1, 1e-12);
    /* of 8 buckets of states two, or of as many as are asked for */
    near(beside("batch=8 offload=optimizer", 6, &remote), 12 * all * 2 / 8, 1e-9);
    near(remote, 12 * all, 1e-9);
    near(beside("batch=8 offload=optimizer bucket=10GB", 6, &remote), 12 * all * 2 / 10, 1e-9);
    near(beside("batch=8 offload=optimizer bucket=200GB", 6, &remote), 12 * all, 1e-9);
    near(beside("batch=8 offload=optimizer bucket=1GB", 6, &remote), passes, 1e-9);
    /* gradients of the layer at work and of the one that leaves, and the sum that is added to */
    near(beside("batch=8 offload=gradients", 14, &remote), passes + 4 * (head + block), 1e-9);
    near(beside("batch=16 offload=gradients", 14, &remote), passes + 4 * (2 * head + block), 1e-9);
    near(beside("batch=8 offload=gradients bucket=4GB", 14, &remote), passes + 2 * 4e9, 1e-9);
    near(beside("batch=8 zero=2 offload=gradients", 2 + 12 / 8.0, &remote),
         passes + 4 * head + 4 * (head + block) / 8, 1e-9); /* all before, a share behind */
    near(remote, 4 * all / 8, 1e-9);
    near(beside("batch=8 execution=streaming bucket=1GB", 0, &remote),
         passes + (2 + 4) * (head + block), 1e-9);
    near(remote, 18 * all, 1e-9);
    /* with all in one bucket: states, gradients and parameters */
    near(beside("batch=8 execution=streaming bucket=200GB", 0, &remote), 18 * all, 1e-9);
}

/* What a part needs on the device is at most the part: GPT-2's embedding is half of its stage. */
static void less_than_all(void **state)
{
    static const char *const ends[] = {"", "pp=2"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        double total[2];
        for (int away = 0; away < 2; away++) {
            char settings[96];
            struct nadi_study s;
            snprintf(settings, sizeof(settings), "batch=2 sequence=256 %s %s", ends[i],
                     away ? "offload=parameters prefetch=4" : "");
            open_study(&s, "gpt2", settings);
            total[away] = estimate(&s).ranks[0].total;
            nadi_study_close(&s);
        }
        assert_true(total[1] < total[0]);
    }
}

/* Llama 3 8B: 8 heads of keys and values of 128, 32 layers, 2 bytes: 128 KiB a token. */
static void cache(void **state)
{
    struct nadi_study s;
    (void)state;
    open_study(&s, "llama3-8b", "mode=decode sequence=8000 steps=192 batch=16 micro-batch=16");
    const struct nadi_memory memory = estimate(&s);
    near(memory.ranks[0].parts[NADI_MEMORY_CACHE], 16 * 8192 * 131072.0, 1e-12);
    assert_true(memory.ranks[0].parts[NADI_MEMORY_OPTIMIZER] < 1);
    nadi_study_close(&s);
    /* DeepSeek-V3 caches 512 + 64 numbers a token and layer */
    open_study(&s, "deepseek-v3", "mode=decode sequence=1000 steps=24 tp=8 etp=8");
    const struct nadi_memory latent = estimate(&s);
    near(latent.ranks[0].parts[NADI_MEMORY_CACHE], 1024 * 61 * 576 * 2.0, 1e-12);
    nadi_study_close(&s);
}

/* Of what lies in tiers a share stays with the device; nothing is lost. */
static void interleaved(void **state)
{
    static const char *const plans[][3] = {
        {"dp=2 batch=64", "{tables: a}", "dlrm"},
        {"dp=4 batch=16 zero=2", "{optimizer: a, gradients: b, parameters: a, activations: b}",
         "llama3-8b"},
        {"tp=4 batch=16 mode=decode steps=3", "{cache: a}", "llama3-8b"},
        {"tp=4 batch=16 mode=prefill", "{cache: a, parameters: b}", "llama3-8b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
        char settings[192];
        struct nadi_study s, all, part;
        open_study(&s, plans[i][2], plans[i][0]);
        snprintf(settings, sizeof(settings), "%s place=%s", plans[i][0], plans[i][1]);
        open_study(&all, plans[i][2], settings);
        snprintf(settings, sizeof(settings), "%s place=%s interleave=0.25", plans[i][0],
                 plans[i][1]);
        open_study(&part, plans[i][2], settings);
        const struct nadi_rank_memory here = *estimate(&s).ranks, away = *estimate(&all).ranks,
                                      shared = *estimate(&part).ranks;
        assert_true(away.remote > 0);
        near(shared.remote, 0.25 * away.remote, 1e-12);
        for (int k = 0; k < NADI_PLACED_PARTS; k++)
            near(shared.placed[k], 0.25 * away.placed[k], 1e-12);
        double kept = 0, without = 0;
        for (int k = 0; k <= NADI_MEMORY_CACHE; k++) {
            kept += shared.parts[k];
            without += here.parts[k];
        }
        /* two layers' activations that lie in a tier are with the device, too */
        const bool twice = strstr(plans[i][1], "activations");
        near(kept + shared.remote,
             without + (twice ? 0.25 * away.parts[NADI_MEMORY_ACTIVATIONS] : 0), 1e-12);
        nadi_study_close(&s);
        nadi_study_close(&all);
        nadi_study_close(&part);
    }
}

static void curve(void **state)
{
    struct nadi_study s;
    (void)state;
    open_study(&s, "gpt3-175b", "tp=8 pp=8 batch=64");
    const struct nadi_memory memory = estimate(&s);
    for (uint32_t r = 0; r < 8; r++) {
        double most = 0;
        const double *bytes =
            nadi_memory_activations(&s.plan, &s.model, &s.net, &s.schedule, r, &s.arena);
        for (uint32_t i = 0; i < s.schedule.lists[r].count; i++)
            most = bytes[i] > most ? bytes[i] : most;
        near(most, memory.ranks[r].parts[NADI_MEMORY_ACTIVATIONS], 1e-12);
        assert_true(fabs(bytes[s.schedule.lists[r].count - 1]) < 1);
        assert_int_equal(memory.ranks[r].in_flight, 8 - r);
    }
    nadi_study_close(&s);
}

/* Rows of DLRM's tables change in place: neither gradients nor states of them. */
static void tables_in_place(void **state)
{
    struct nadi_study s;
    (void)state;
    open_study(&s, "dlrm", "dp=8 batch=8");
    const struct nadi_memory memory = estimate(&s);
    const struct nadi_rank_memory *r = &memory.ranks[0];
    const double dense = (double)(r->weights - r->expert_weights);
    assert_true(r->expert_weights > 100 * (uint64_t)dense);
    near(r->parts[NADI_MEMORY_PARAMETERS], 2.0 * (double)r->weights, 1e-12);
    near(r->parts[NADI_MEMORY_GRADIENTS], 4 * dense, 1e-12);
    near(r->parts[NADI_MEMORY_OPTIMIZER], 12 * dense, 1e-12);
    nadi_study_close(&s);
}

/* Rows of tables in a tier that are loaded ahead: 26 tables, 128 elements of 4 bytes a sample. */
static void rows_ahead(void **state)
{
    struct nadi_study s, ahead;
    (void)state;
    open_study(&s, "dlrm", "batch=64 micro-batch=32 place={tables: a} interleave=0.5");
    open_study(&ahead, "dlrm",
               "batch=64 micro-batch=32 place={tables: a} interleave=0.5 prefetch-rows=3");
    const double none = estimate(&s).ranks[0].parts[NADI_MEMORY_BUFFERS];
    const double three = estimate(&ahead).ranks[0].parts[NADI_MEMORY_BUFFERS];
    near(three - none, 3 * 0.5 * 32 * 26 * 128 * 4, 1e-12);
    nadi_study_close(&s);
    nadi_study_close(&ahead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero),
        cmocka_unit_test(zero_with_experts),
        cmocka_unit_test(published_figure),
        cmocka_unit_test(full_recomputation),
        cmocka_unit_test(gathered_ahead),
        cmocka_unit_test(before_reduced),
        cmocka_unit_test(offload),
        cmocka_unit_test(less_than_all),
        cmocka_unit_test(cache),
        cmocka_unit_test(interleaved),
        cmocka_unit_test(curve),
        cmocka_unit_test(tables_in_place),
        cmocka_unit_test(rows_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
