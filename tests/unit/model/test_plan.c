/* plan, ranks: what is completed, what is refused, and who is in which group. */
#include "model/plan.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/ranks.h"

static bool resolve(struct nadi_model_plan *p, struct nadi_model *m, const char *model,
                    const char *settings, struct nadi_diags *diags)
{
    nadi_diags_init(diags);
    assert_true(nadi_model_open(m, model, diags));
    return nadi_plan_read(p, NULL, settings, diags) && nadi_plan_resolve(p, m, diags);
}

static void drop(struct nadi_model_plan *p, struct nadi_model *m, struct nadi_diags *diags)
{
    nadi_plan_release(p);
    nadi_model_release(m);
    nadi_diags_release(diags);
}

static void completed(void **state)
{
    struct nadi_model_plan p;
    struct nadi_model m;
    struct nadi_diags diags;
    (void)state;
    assert_true(resolve(&p, &m, "llama3-405b",
                        "ranks=1024, tp=8 pp=16; vp=4 batch=512 sequence=8192", &diags));
    assert_int_equal(p.dp, 8);
    assert_int_equal(p.schedule, NADI_SCHEDULE_INTERLEAVED);
    assert_int_equal(p.stage_count, 64);
    uint32_t layers = 0;
    for (uint32_t i = 0; i < 64; i++)
        layers += p.stage_layers[i];
    assert_int_equal(layers, 126);
    for (uint32_t i = 1; i < 63; i++) /* as Llama 3 was run (arXiv 2407.21783, section 3.3.2) */
        assert_int_equal(p.stage_layers[i], 2);
    assert_int_equal(p.stage_layers[0], 1);
    assert_int_equal(p.stage_layers[63], 1);
    assert_int_equal(p.micro_batches, 64);
    assert_int_equal(p.parameter_bytes, 2);
    assert_int_equal(p.optimizer_bytes, 12);
    drop(&p, &m, &diags);
    /* embedding and head are stages of their own */
    assert_true(resolve(&p, &m, "llama3-405b", "tp=8 pp=16 vp=8 batch=16", &diags));
    assert_int_equal(p.stage_layers[0] + p.stage_layers[127], 0);
    assert_int_equal(p.stage_layers[1], 1);
    assert_int_equal(p.tokens, 2048);
    drop(&p, &m, &diags);
    assert_true(resolve(&p, &m, "gpt2", "batch=1", &diags));
    assert_int_equal(p.tokens, 1024);
    assert_int_equal(diags.count, 0);
    drop(&p, &m, &diags);
    assert_true(resolve(&p, &m, "gpt2", "sequence=1025", &diags));
    assert_int_equal(diags.count, 1);
    drop(&p, &m, &diags);
    assert_true(resolve(&p, &m, "deepseek-v3", "tp=2 cp=2 dp=16 ep=32 pp=1", &diags));
    assert_int_equal(p.etp, 1);
    assert_int_equal(p.edp, 2);
    drop(&p, &m, &diags);
    assert_true(resolve(&p, &m, "llama3-8b", "precision=fp32 order=[dp,tp,cp,pp]", &diags));
    assert_int_equal(p.parameter_bytes, 4);
    assert_int_equal(p.optimizer_bytes, 8);
    assert_int_equal(p.order[0], NADI_DEGREE_DP);
    drop(&p, &m, &diags);
}

static void refused(void **state)
{
    static const struct {
        const char *model, *settings, *code, *says;
    } cases[] = {
        {"llama3-8b", "tp=3", "plan/impossible", "attention heads"},
        {"bert-base", "mode=decode", "plan/impossible", "does not generate"},
        {"bert-base", "mode=prefill sequence=512 chunk=64", "plan/impossible", "in chunks"},
        {"llama3-8b", "tp=8 ranks=12", "plan/impossible", "does not divide the 12 ranks"},
        {"llama3-8b", "tp=8 dp=2 ranks=32", "plan/impossible", "but ranks is 32"},
        {"llama3-8b", "tp=0", "plan/impossible", "'tp' must be at least 1"},
        {"llama3-8b", "dp=8 batch=12", "plan/impossible", "near ones are 8 and 16"},
        {"llama3-8b", "pp=35", "plan/impossible", "32 layers"},
        {"llama3-8b", "pp=4 vp=2 batch=6", "plan/impossible", "multiple of pp"},
        {"llama3-8b", "vp=2", "plan/impossible", "no pipeline"},
        {"llama3-8b", "pp=4 schedule=zb-h1 vp=2", "plan/impossible", "for the interleaved"},
        {"llama3-8b", "pp=3 schedule=dualpipe", "plan/impossible", "even number of stages"},
        {"llama3-8b", "pp=4 schedule=dualpipe batch=6", "plan/impossible", "at least 2 x pp"},
        {"llama3-8b", "pp=2 stage-layers=[16,15]", "plan/impossible", "sums up to 31"},
        {"llama3-8b", "pp=2 stage-layers=[32]", "plan/impossible", "1 entries, not 2"},
        {"llama3-8b", "ep=2", "plan/impossible", "no experts"},
        {"llama3-8b", "cp=3 sequence=1024", "plan/impossible", "the sequence"},
        {"llama3-8b", "cp=16 sequence=4096 context=ulysses", "plan/impossible", "key-value heads"},
        {"llama3-8b", "mode=prefill steps=2", "plan/impossible", "not for prefill"},
        {"llama3-8b", "zero=4", "plan/impossible", "0 to 3"},
        {"llama3-8b", "mode=decode cp=2", "plan/impossible", "cannot be split"},
        {"mixtral-8x7b", "ep=16 dp=16", "plan/impossible", "the experts"},
        {"mixtral-8x7b", "ep=8 dp=4", "plan/impossible", "does not divide tp x cp x dp"},
        {"mixtral-8x7b", "tp=2 sequence-parallel=0", "plan/impossible", "sequence parallelism"},
        {"resnet50", "tp=2", "plan/impossible", "data parallelism only"},
        {"resnet50", "mode=decode", "plan/impossible", "only trained"},
        {"llama3-8b", "dp=2 skew=1", "plan/impossible", "'skew' is for experts"},
        {"llama3-8b", "dp=2 capacity=2", "plan/impossible", "'capacity' is for experts"},
        {"llama3-8b", "tp=2 etp=2", "plan/impossible", "'etp' is for experts"},
        {"llama3-8b", "expert-products=grouped", "plan/impossible", "the model has none"},
        {"llama3-8b", "dispatch=once-a-node", "plan/impossible", "the model has none"},
        {"llama3-8b", "dispatch-overlap=1", "plan/impossible", "the model has none"},
        {"llama3-8b", "dispatch-processors=8", "plan/impossible", "the model has none"},
        {"mixtral-8x7b", "dp=8 skew=1", "plan/impossible", "ep is 1"},
        {"mixtral-8x7b", "dp=8 ep=8 skew=1 capacity=2", "plan/impossible", "all the same"},
        {"mixtral-8x7b", "dp=8 dispatch=once-a-node", "plan/impossible", "ep is 1"},
        {"mixtral-8x7b", "dp=8 dispatch-overlap=1", "plan/impossible", "ep is 1"},
        {"mixtral-8x7b", "dp=8 ep=8 dispatch-processors=8", "plan/impossible", "none are"},
        {"llama3-8b", "chunk=512", "plan/impossible", "'chunk' is for prefill"},
        {"llama3-8b", "target-sequence=512", "plan/impossible", "encoder-decoder"},
        {"llama3-8b", "context=ulysses", "plan/impossible", "cp is 1"},
        {"llama3-8b", "dp=8 schedule=gpipe", "plan/impossible", "pp is 1"},
        {"llama3-8b", "recompute-layers=4", "plan/impossible", "computed again"},
        {"llama3-8b", "recompute=selective recompute-layers=4", "plan/impossible", "as a whole"},
        {"llama3-8b", "recompute-stops=1", "plan/impossible", "computed again"},
        {"llama3-8b", "tp=2 narrow-transfers=1", "plan/impossible", "fp8 or fp4"},
        {"llama3-8b", "precision=fp8 narrow-transfers=1", "plan/impossible", "tp is 1"},
        {"llama3-8b", "tp-overlap=0.5", "plan/impossible", "tp is 1"},
        {"llama3-8b", "dp=2 prefetch=4", "plan/impossible", "nothing is"},
        {"llama3-8b", "dp=2 zero=2 overlap-parameters=0 prefetch=4", "plan/impossible",
         "nothing is"},
        {"llama3-8b", "dp=2 offload=[optimizer] prefetch=4", "plan/impossible", "nothing is"},
        {"llama3-8b", "mode=decode prefetch=4", "plan/impossible", "nothing is"},
        {"llama3-8b", "mode=decode backward-launch=0.5", "plan/impossible", "for training"},
        {"llama3-8b", "mode=decode cuda-graphs=1 kernels-an-operation=3", "plan/impossible",
         "from graphs"},
        {"resnet50", "sequence=512", "plan/impossible", "the model has none"},
        {"resnet50", "attention-kernel=plain", "plan/impossible", "the model has not"},
        {"llama3-8b", "order=[tp,dp]", "plan/order", "each once"},
        {"llama3-8b", "order=[tp,tp,dp,pp]", "plan/order", "each once"},
        {"llama3-8b", "tp", "plan/setting", "no value for 'tp'"},
        {"llama3-8b", "tpp=2", "schema/unknown-key", "did you mean"},
        {"llama3-8b", "tp=two", "schema/type", "'tp'"},
        {"llama3-8b", "schedule=1f2b", "schema/word", "1f1b"},
        {"llama3-8b", "tp=2 tp=4", "doc/", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_model_plan p;
        struct nadi_model m;
        struct nadi_diags diags;
        if (resolve(&p, &m, cases[i].model, cases[i].settings, &diags))
            fail_msg("%s is accepted", cases[i].settings);
        const struct nadi_diag *d = &diags.items[0];
        if (strncmp(d->code, cases[i].code, strlen(cases[i].code)) != 0 ||
            !strstr(d->message, cases[i].says))
            fail_msg("%s: [%s] %s", cases[i].settings, d->code, d->message);
        drop(&p, &m, &diags);
    }
}

/* What is switched off, or has its default, asks for nothing; nor do a framework's habits, or a key
 * beside others of which several values are tried. The plan that is written leaves it out. */
static void idle(void **state)
{
    static const char *const fine[] = {"skew=0 capacity=0 chunk=0 prefetch=1 context=ring",
                                       "dp=2 zero=1 prefetch=4",
                                       "dp=2 zero=2 prefetch=0",
                                       "dp=2 zero=3 overlap-parameters=0 prefetch=0",
                                       "framework=megatron-core",
                                       "framework=torchtitan tp=2",
                                       "framework=automodel mode=prefill sequence-parallel=0"};
    struct nadi_model_plan p;
    struct nadi_model m;
    struct nadi_diags diags;
    (void)state;
    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
        if (!resolve(&p, &m, "llama3-8b", fine[i], &diags))
            fail_msg("%s: %s", fine[i], diags.items[0].message);
        struct nadi_str text = NADI_STR_INIT;
        nadi_plan_write(&p, "", &text);
        assert_null(strstr(nadi_str_get(&text), "narrow-transfers"));
        assert_null(strstr(nadi_str_get(&text), "dispatch"));
        nadi_str_release(&text);
        drop(&p, &m, &diags);
    }
    assert_false(resolve(&p, &m, "llama3-8b", "dp=4 prefetch=4 skew=1", &diags));
    assert_int_equal(diags.count, 2);
    nadi_diags_release(&diags);
    nadi_diags_init(&diags);
    p.varied = nadi_plan_bit("zero") | nadi_plan_bit("ep");
    assert_false(nadi_plan_resolve(&p, &m, &diags)); /* no model that is tried has experts */
    assert_int_equal(diags.count, 1);
    drop(&p, &m, &diags);
}

/* Serving programs run all experts in one kernel, training a kernel each unless it says so. */
static void products_of_experts(void **state)
{
    static const struct {
        const char *settings;
        bool grouped;
    } cases[] = {
        {"dp=8", false},
        {"dp=8 expert-products=grouped", true},
        {"dp=8 mode=decode", true},
        {"dp=8 mode=prefill", true},
        {"dp=8 mode=decode expert-products=each", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_model_plan p;
        struct nadi_model m;
        struct nadi_diags diags;
        assert_true(resolve(&p, &m, "mixtral-8x7b", cases[i].settings, &diags));
        assert_int_equal(nadi_plan_shape(&p, &m).grouped_experts, cases[i].grouped);
        drop(&p, &m, &diags);
    }
}

/* Every axis cuts the ranks into groups of its size; members name the same group, once. */
static void check_axis(const struct nadi_grid *g, enum nadi_axis axis)
{
    const uint32_t size = nadi_grid_size(g, axis);
    uint32_t *members = NADI_NEW(uint32_t, g->ranks);
    for (uint32_t rank = 0; size > 1 && rank < g->ranks; rank++) {
        const uint32_t group = nadi_grid_group(g, axis, rank);
        if (group == NADI_NONE)
            continue;
        nadi_grid_members(g, axis, rank, members);
        bool found = false;
        for (uint32_t i = 0; i < size; i++) {
            assert_true(members[i] < g->ranks && (i == 0 || members[i] > members[i - 1]));
            assert_int_equal(nadi_grid_group(g, axis, members[i]), group);
            found |= members[i] == rank;
        }
        assert_true(found);
    }
    nadi_mem_free(members);
}

static void groups(void **state)
{
    static const char *const orders[] = {"[tp,cp,dp,pp]", "[pp,dp,cp,tp]", "[dp,tp,pp,cp]"};
    (void)state;
    for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++) {
        char settings[128];
        struct nadi_model_plan p;
        struct nadi_model m;
        struct nadi_diags diags;
        struct nadi_grid g;
        snprintf(settings, sizeof(settings), "tp=2 cp=2 dp=4 pp=2 ep=4 etp=2 order=%s", orders[o]);
        assert_true(resolve(&p, &m, "mixtral-8x7b", settings, &diags));
        nadi_grid_init(&g, &p, &m);
        for (enum nadi_axis axis = NADI_AXIS_TP; axis < NADI_AXES; axis++)
            check_axis(&g, axis);
        drop(&p, &m, &diags);
    }
}

static void megatron_order(void **state)
{
    struct nadi_model_plan p;
    struct nadi_model m;
    struct nadi_diags diags;
    struct nadi_grid g;
    uint32_t members[16];
    (void)state;
    assert_true(resolve(&p, &m, "gpt2", "tp=2 dp=4 pp=2", &diags));
    nadi_grid_init(&g, &p, &m);
    nadi_grid_members(&g, NADI_AXIS_TP, 5, members);
    assert_int_equal(members[0], 4);
    assert_int_equal(members[1], 5);
    nadi_grid_members(&g, NADI_AXIS_DP, 5, members);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(members[i], 1 + 2 * i);
    assert_int_equal(nadi_grid_stage_rank(&g, 5, 1), 13);
    nadi_grid_members(&g, NADI_AXIS_TIED, 13, members);
    assert_int_equal(members[0], 5);
    assert_int_equal(members[1], 13);
    drop(&p, &m, &diags);
}

static void skewed_routing(void **state)
{
    (void)state;
    assert_true(fabs(nadi_expert_load(64, 8, 0) - 1) < 1e-12);
    assert_true(fabs(nadi_expert_load(8, 8, 1) - 8 / (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0 + 1 / 5.0 +
                                                      1 / 6.0 + 1 / 7.0 + 1 / 8.0)) < 1e-12);
    assert_true(nadi_expert_load(64, 8, 1) < nadi_expert_load(64, 16, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completed),      cmocka_unit_test(refused),
        cmocka_unit_test(idle),           cmocka_unit_test(products_of_experts),
        cmocka_unit_test(groups),         cmocka_unit_test(megatron_order),
        cmocka_unit_test(skewed_routing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
