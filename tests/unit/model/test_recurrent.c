/* recurrent, attention: layers with a state, an index, or borrowed keys: FLOPs against sums over
 * tokens and against the papers' products, states and caches in bytes, plans that are refused. */
#include "model/memory.h"
#include "support/configs.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static void near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-9 * fabs(wanted))
        fail_msg("got %.10g, wanted %.10g", got, wanted);
}

static void open_config(struct nadi_model *m, const char *text)
{
    struct nadi_diags diags;
    if (!nadi_test_config_parse(m, text, &diags))
        fail_msg("%s: %s", text, diags.items[0].message);
    nadi_diags_release(&diags);
}

/* Of the first layer, of operations whose name begins so; all where it is "". */
struct part {
    double flops, bytes;
};

static struct part part_of(const struct nadi_model *m, struct nadi_shape shape, const char *name)
{
    struct nadi_net net;
    struct part p = {0};
    nadi_net_build(&net, m, &shape);
    const struct nadi_layer_kind *kind = nadi_net_layer(&net, net.body_first);
    for (uint32_t i = 0; i < kind->op_count; i++) {
        if (strncmp(kind->ops[i].name, name, strlen(name)) != 0)
            continue;
        p.flops += nadi_op_flops(&kind->ops[i]);
        p.bytes += (double)kind->ops[i].bytes;
    }
    nadi_net_release(&net);
    return p;
}

static const char mamba2[] =
    "{'model_type': 'mamba2', 'num_hidden_layers': 2, 'hidden_size': 64, 'vocab_size': 1000, "
    "'num_heads': 16, 'head_dim': 8, 'n_groups': 2, 'state_size': 32, 'chunk_size': 128}";

/* Two chunks of 128 and one of 128 that is half empty: 16 heads of 8, 2 groups, a state of 32. */
static void chunks(void **state)
{
    const double q = 128, c = 3, heads = 16, p = 8, n = 32, groups = 2;
    struct nadi_model m;
    (void)state;
    open_config(&m, mamba2);
    const struct nadi_shape s = nadi_shape_whole(320);
    near(part_of(&m, s, "chunk scores").flops, 2 * c * groups * q * q * n);
    near(part_of(&m, s, "chunk values").flops, 2 * c * heads * q * q * p);
    near(part_of(&m, s, "chunk states").flops, 2 * c * heads * q * n * p);
    near(part_of(&m, s, "state outputs").flops, 2 * c * heads * q * n * p);
    near(part_of(&m, s, "state passing").bytes, 8 * c * heads * n * p);
    near(part_of(&m, s, "state input").flops, 2.0 * 320 * 64 * (2 * 128 + 2 * 64 + 16));
    near(part_of(&m, s, "short convolution").flops, 2.0 * 320 * (128 + 128) * 4);
    nadi_model_release(&m);
}

/* With the delta rule: Q x Q products of keys, the inverse, two solutions, what is known. */
static void delta(void **state)
{
    const double q = 64, c = 2, heads = 4, groups = 2, k = 8, v = 16;
    struct nadi_model m;
    (void)state;
    open_config(&m, "{'model_type': 'qwen3_5_text'," BASE
                    ", 'head_dim': 16, 'linear_num_key_heads': 2, 'linear_num_value_heads': 4, "
                    "'linear_key_head_dim': 8, 'linear_value_head_dim': 16}");
    const struct nadi_shape s = nadi_shape_whole(128);
    near(part_of(&m, s, "key products").flops, 2 * c * groups * q * q * k);
    near(part_of(&m, s, "triangular inverse").flops, 2 * c * heads * q * q * 22);
    near(part_of(&m, s, "solved keys").flops, 2 * c * heads * q * q * k);
    near(part_of(&m, s, "solved values").flops, 2 * c * heads * q * q * v);
    near(part_of(&m, s, "known values").flops, 2 * c * heads * q * k * v);
    nadi_model_release(&m);
}

/* One token reads and writes a state of 32 bits; a scan passes once over what it reads. */
static void tokens(void **state)
{
    struct nadi_shape s = nadi_shape_whole(1);
    struct nadi_model m;
    (void)state;
    s.inference = true;
    s.cached = 4096;
    s.batch = 3;
    open_config(&m, mamba2);
    near(part_of(&m, s, "state update").bytes, 3 * 2.0 * 4 * 16 * 8 * 32);
    assert_true(part_of(&m, s, "chunk").flops <= 0);
    nadi_model_release(&m);
    open_config(&m, "{'model_type': 'mamba', 'num_hidden_layers': 2, 'hidden_size': 64, "
                    "'vocab_size': 1000, 'state_size': 16, 'intermediate_size': 128}");
    near(part_of(&m, nadi_shape_whole(100), "scan").flops, 9.0 * 100 * 128 * 16);
    near(part_of(&m, nadi_shape_whole(100), "scan").bytes, 2.0 * 100 * (4 * 128 + 2 * 16));
    nadi_model_release(&m);
}

/* Two tensor ranks have half of a layer each: 16 heads, groups, channels. */
static void split(void **state)
{
    struct nadi_model m;
    (void)state;
    open_config(&m, mamba2);
    const struct nadi_shape whole = nadi_shape_whole(256);
    struct nadi_shape half = whole;
    half.tp = 2;
    near(2 * part_of(&m, half, "").flops, part_of(&m, whole, "").flops);
    nadi_model_release(&m);
}

/* Products beside a layer's halves, of two tensor ranks that split the tokens between them: all of
 * each is computed once. */
static void sides(void **state)
{
    static const struct {
        const char *config, *name;
        double flops; /* of 256 tokens */
    } cases[] = {
        {"{'model_type': 'rwkv', 'num_hidden_layers': 2, 'hidden_size': 64, 'vocab_size': 1000, "
         "'intermediate_size': 160}",
         "receptance", 2.0 * 256 * 64 * 64},
        {"{'model_type': 'xlnet', 'n_layer': 2, 'd_model': 64, 'n_head': 8, 'd_inner': 160, "
         "'vocab_size': 1000}",
         "relative places", 2.0 * 256 * 64 * 64},
        {"{'model_type': 'longformer', 'num_hidden_layers': 2, 'hidden_size': 64, "
         "'num_attention_heads': 8, 'intermediate_size': 160, 'vocab_size': 1000, "
         "'max_position_embeddings': 512, 'attention_window': 32}",
         "global", 3 * 2.0 * 256 * 64 * 64},
        {"{'model_type': 'zamba2'," BASE ", 'layers_block_type': ['hybrid', 'mamba', 'mamba', "
         "'mamba'], 'n_mamba_heads': 8, 'adapter_rank': 16}",
         "adapter", 2.0 * 256 * 16 * (64 + 2 * 160)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_model m;
        open_config(&m, cases[i].config);
        struct nadi_shape s = nadi_shape_whole(256);
        near(part_of(&m, s, cases[i].name).flops, cases[i].flops);
        s.tp = 2;
        s.sequence_parallel = true;
        near(2 * part_of(&m, s, cases[i].name).flops, cases[i].flops);
        nadi_model_release(&m);
    }
}

/* An index: all scores of its heads, and attention to the best 10; sums over 64 tokens. */
static void best_tokens(void **state)
{
    static const char index[] =
        "{'model_type': 'deepseek_v32'," BASE ", 'q_lora_rank': 48, 'kv_lora_rank': 32, "
        "'qk_nope_head_dim': 8, 'qk_rope_head_dim': 4, 'v_head_dim': 8, 'index_n_heads': 4, "
        "'index_head_dim': 16, 'index_topk': 10}";
    double seen = 0, all = 0;
    struct nadi_model m;
    (void)state;
    for (int i = 1; i <= 64; i++) {
        seen += i < 10 ? i : 10;
        all += i;
    }
    open_config(&m, index);
    const struct nadi_shape s = nadi_shape_whole(64);
    near(part_of(&m, s, "attention").flops - part_of(&m, s, "attention output").flops,
         2 * seen * 8 * (12 + 8));
    near(part_of(&m, s, "index scores").flops, 2 * all * 4 * 16);
    nadi_model_release(&m);
}

/* A window of 16 tokens and means of 4 tokens, of which the best 2; the sum is exact where a mean
 * is complete, and half a mean is counted at its beginning. */
static void means(void **state)
{
    double seen = 0;
    struct nadi_model m;
    (void)state;
    for (int i = 1; i <= 256; i++)
        seen += (i < 16 ? i : 16) + (i < 8 ? i / 4.0 : 2);
    open_config(&m, "{'model_type': 'deepseek_v4', 'num_hidden_layers': 1, 'hidden_size': 64, "
                    "'num_attention_heads': 8, 'num_key_value_heads': 1, 'head_dim': 16, "
                    "'vocab_size': 1000, 'q_lora_rank': 48, 'o_lora_rank': 32, 'o_groups': 2, "
                    "'sliding_window': 16, 'compress_ratios': [4], 'index_n_heads': 4, "
                    "'index_head_dim': 8, 'index_topk': 2, 'n_routed_experts': 4, "
                    "'num_experts_per_tok': 2, 'moe_intermediate_size': 48}");
    const struct nadi_shape s = nadi_shape_whole(256);
    near(part_of(&m, s, "attention").flops - part_of(&m, s, "attention output").flops -
             part_of(&m, s, "attention norm").flops,
         2 * seen * 8 * 32);
    struct nadi_model_plan p = {.tp = 1, .activation_bytes = 2};
    near(nadi_memory_layer_cache(&p, &m, 0, 256), 2.0 * (16 * 16 + 64 * 16 + 64 * 8));
    nadi_model_release(&m);
}

static const char pictures[] =
    "{'model_type': 'mllama_text_model', " BASE ", 'cross_attention_layers': [0, 2]}";

/* Layers that attend to the 4 x 1601 patches of a picture, however many words there are. */
static void picture(void **state)
{
    const double patches = 4 * 1601, words = 32;
    struct nadi_shape s = nadi_shape_whole(32);
    struct nadi_model_plan p = {.tp = 1, .activation_bytes = 2};
    struct nadi_model m;
    (void)state;
    open_config(&m, pictures);
    near(part_of(&m, s, "attention").flops, 2 * 2 * words * patches * 8 * 8 + 2 * words * 64 * 64);
    near(part_of(&m, s, "cross keys").flops, 2 * patches * 64 * 2 * 16);
    near(nadi_memory_layer_cache(&p, &m, 0, 4096), 2 * 2 * patches * 16);
    near(nadi_memory_layer_cache(&p, &m, 1, 4096), 2.0 * 2 * 4096 * 16);
    s.tokens = 1;
    s.inference = true;
    assert_true(part_of(&m, s, "cross keys").flops <= 0); /* they are in the cache */
    nadi_model_release(&m);
}

static void caches(void **state)
{
    struct nadi_model_plan p = {.tp = 2, .activation_bytes = 2};
    struct nadi_model m;
    (void)state;
    open_config(&m, mamba2); /* its state, and three tokens of 256 channels */
    near(nadi_memory_layer_cache(&p, &m, 0, 4096), (4.0 * 16 * 8 * 32 + 2.0 * 3 * 256) / 2);
    nadi_model_release(&m);
    open_config(&m, "{'model_type': 'gemma4_text'," BASE
                    ", 'head_dim': 8, 'global_head_dim': 16, 'num_global_key_value_heads': 2, "
                    "'num_kv_shared_layers': 1, 'sliding_window': 32, 'layer_types': "
                    "['sliding_attention', 'full_attention', 'full_attention', "
                    "'full_attention']}");
    near(nadi_memory_layer_cache(&p, &m, 0, 4096), 2.0 * 32 * 2 * 8);
    near(nadi_memory_layer_cache(&p, &m, 1, 4096), 2.0 * 4096 * 2 * 16);
    assert_true(nadi_memory_layer_cache(&p, &m, 3, 4096) <= 0); /* an earlier layer's */
    nadi_model_release(&m);
}

static void refused(void **state)
{
    static const struct {
        const char *config, *settings, *says;
    } cases[] = {
        {mamba2, "cp=2 sequence=512", "recurrent layers"},
        {mamba2, "tp=32", "heads of recurrent layers"},
        {pictures, "cp=2 sequence=512", "attention to pictures"},
        {"{'model_type': 'albert', 'num_hidden_layers': 4, 'hidden_size': 64, "
         "'num_attention_heads': 8, 'intermediate_size': 160, 'vocab_size': 1000}",
         "pp=2", "share their weights"},
        {"{'model_type': 'openelm', 'model_dim': 64, 'num_transformer_layers': 2, 'head_dim': 16, "
         "'vocab_size': 1000, 'num_query_heads': [4, 6], 'num_kv_heads': [2, 2], "
         "'ffn_multipliers': [1.0, 3.0]}",
         "tp=4", "attention heads 6"},
        {"{'model_type': 'swin', 'depths': [1, 1], 'num_heads': [4, 8], 'embed_dim': 32}", "pp=2",
         "different widths"},
        {"{'model_type': 'vit', " BASE "}", "sequence=50", "into 197 tokens"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_model m;
        struct nadi_model_plan p;
        struct nadi_diags diags;
        open_config(&m, cases[i].config);
        nadi_diags_init(&diags);
        assert_true(nadi_plan_read(&p, NULL, cases[i].settings, &diags));
        if (nadi_plan_resolve(&p, &m, &diags))
            fail_msg("%s is taken", cases[i].settings);
        if (!strstr(diags.items[0].message, cases[i].says))
            fail_msg("'%s' does not say %s", diags.items[0].message, cases[i].says);
        nadi_plan_release(&p);
        nadi_diags_release(&diags);
        nadi_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks), cmocka_unit_test(delta),       cmocka_unit_test(tokens),
        cmocka_unit_test(split),  cmocka_unit_test(best_tokens), cmocka_unit_test(means),
        cmocka_unit_test(caches), cmocka_unit_test(picture),     cmocka_unit_test(refused),
        cmocka_unit_test(sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
