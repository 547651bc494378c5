/* describe, hf: what is read, and what is said about what cannot be. */
#include "model/model.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/str.h"

static void parse(struct nadi_model *m, const char *path, const char *text,
                  struct nadi_diags *diags, bool wanted)
{
    nadi_diags_init(diags);
    const bool ok = nadi_model_parse(m, path, text, strlen(text), diags);
    if (ok != wanted)
        fail_msg("%s: %s", path, diags->count ? diags->items[0].message : "no message");
}

static void defaults(void **state)
{
    struct nadi_model m;
    struct nadi_diags diags;
    (void)state;
    parse(&m, "tiny.yaml", "family: decoder\nlayers: 2\nhidden: 64\nheads: 4\nvocab: 100\n", &diags,
          true);
    assert_int_equal(diags.count, 0);
    assert_int_equal(m.kv_heads, 4);
    assert_int_equal(m.head_dim, 16);
    assert_int_equal(m.ffn, 256);
    assert_true(m.causal);
    /* 2 layers of 12 h^2 and 2 norms, two vocabularies, a norm */
    const struct nadi_parameters p = nadi_model_parameters(&m);
    assert_true(fabs(p.all - (2 * (12 * 64 * 64 + 2 * 64) + 2 * 6400 + 64)) < 0.5);
    nadi_model_release(&m);
    nadi_diags_release(&diags);
}

static void mistakes(void **state)
{
    static const struct {
        const char *text, *code, *says;
    } cases[] = {
        {"family: decoder\nhidden: 64\nheads: 4\nvocab: 10\n", "model/missing", "'layers'"},
        {"family: decoder\nlayers: 1\nhidden: 65\nheads: 4\nvocab: 10\n", "model/shape",
         "multiple"},
        {"family: decoder\nlayers: 1\nhidden: 64\nheads: 4\nkv-heads: 3\nvocab: 10\n",
         "model/shape", "'kv-heads'"},
        {"family: decoder\nlayers: 1\nhidden: 64\nheads: 4\nvocab: 10\nexperts: 4\ntop-k: 8\n",
         "model/shape", "'top-k'"},
        {"family: decoder\nlayers: 1\nhidden: 64\nheads: 4\nvocab: 10\nattention: latent\n",
         "model/missing", "'kv-rank'"},
        {"family: decoder\nlayers: 1\nhidden: 64\nheads: 4\nvocab: 10\npositions: learned\n",
         "model/missing", "'max-positions'"},
        {"family: encoder-decoder\nlayers: 1\nhidden: 64\nheads: 4\nvocab: 10\n", "model/missing",
         "'decoder-layers'"},
        {"family: cnn\nstages: [2, 2]\nwidths: [64]\n", "model/shape", "differ"},
        {"family: dlrm\nembedding-rows: [10]\nembedding-dim: 8\nbottom-mlp: [4, 16]\n"
         "top-mlp: [1]\n",
         "model/shape", "must end"},
        {"family: mlp\nwidths: [10]\n", "model/shape", "'widths'"},
        {"family: transformer\n", "schema/word", "family"},
        {"layers: 1\n", "schema/missing", "family"},
        {"family: decoder\nlayers: many\n", "schema/type", "layers"},
        {"- 1\n", "schema/map", "map"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_model m;
        struct nadi_diags diags;
        parse(&m, "m.yaml", cases[i].text, &diags, false);
        assert_true(diags.errors >= 1);
        assert_string_equal(diags.items[0].code, cases[i].code);
        if (!strstr(diags.items[0].message, cases[i].says))
            fail_msg("'%s' does not say %s", diags.items[0].message, cases[i].says);
        nadi_model_release(&m);
        nadi_diags_release(&diags);
    }
}

/* The keys of published configurations, shortened to what matters; the counts are of the weights.
 */
static void published_configs(void **state)
{
    static const struct {
        const char *text;
        double parameters;
    } cases[] = {
        {"{\"model_type\": \"gpt2\", \"n_layer\": 12, \"n_embd\": 768, \"n_head\": 12,"
         " \"n_positions\": 1024, \"vocab_size\": 50257, \"n_inner\": null}",
         124439808},
        {"{\"model_type\": \"llama\", \"num_hidden_layers\": 32, \"hidden_size\": 4096,"
         " \"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"intermediate_size\": 14336,"
         " \"vocab_size\": 128256, \"tie_word_embeddings\": false, \"attention_bias\": false}",
         8030261248},
        {"{\"model_type\": \"mixtral\", \"num_hidden_layers\": 32, \"hidden_size\": 4096,"
         " \"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"intermediate_size\": 14336,"
         " \"vocab_size\": 32000, \"num_local_experts\": 8, \"num_experts_per_tok\": 2,"
         " \"sliding_window\": null}",
         46702792704},
        {"{\"model_type\": \"qwen2\", \"num_hidden_layers\": 28, \"hidden_size\": 3584,"
         " \"num_attention_heads\": 28, \"num_key_value_heads\": 4, \"intermediate_size\": 18944,"
         " \"vocab_size\": 152064, \"use_sliding_window\": false, \"sliding_window\": 131072}",
         7615616512},
        {"{\"model_type\": \"gemma\", \"num_hidden_layers\": 28, \"hidden_size\": 3072,"
         " \"num_attention_heads\": 16, \"num_key_value_heads\": 16, \"head_dim\": 256,"
         " \"intermediate_size\": 24576, \"vocab_size\": 256000}",
         8537680896},
        {"{\"model_type\": \"bert\", \"num_hidden_layers\": 24, \"hidden_size\": 1024,"
         " \"num_attention_heads\": 16, \"intermediate_size\": 4096, \"vocab_size\": 30522,"
         " \"max_position_embeddings\": 512, \"type_vocab_size\": 2}",
         335141888},
        {"{\"model_type\": \"t5\", \"num_layers\": 24, \"d_model\": 1024, \"num_heads\": 16,"
         " \"d_kv\": 64, \"d_ff\": 4096, \"vocab_size\": 32128}",
         737668096},
        {"{\"model_type\": \"bloom\", \"n_layer\": 70, \"hidden_size\": 14336, \"n_head\": 112,"
         " \"vocab_size\": 250880}",
         176247271424},
        {"{\"model_type\": \"deepseek_v2\", \"num_hidden_layers\": 60, \"hidden_size\": 5120,"
         " \"num_attention_heads\": 128, \"num_key_value_heads\": 128, \"q_lora_rank\": 1536,"
         " \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64,"
         " \"v_head_dim\": 128, \"intermediate_size\": 12288, \"moe_intermediate_size\": 1536,"
         " \"n_routed_experts\": 160, \"n_shared_experts\": 2, \"num_experts_per_tok\": 6,"
         " \"first_k_dense_replace\": 1, \"moe_layer_freq\": 1, \"vocab_size\": 102400}",
         235741434880},
        {"{\"model_type\": \"gemma3\", \"vision_config\": {\"model_type\": "
         "\"siglip_vision_model\", \"hidden_size\": 1152, \"intermediate_size\": 4304,"
         " \"num_hidden_layers\": 27, \"num_attention_heads\": 16, \"image_size\": 896,"
         " \"patch_size\": 14, \"vision_use_head\": false}, \"text_config\": {"
         "\"model_type\": \"gemma3_text\", \"num_hidden_layers\": 34, \"hidden_size\": 2560,"
         " \"num_attention_heads\": 8, \"num_key_value_heads\": 4, \"head_dim\": 256,"
         " \"intermediate_size\": 10240, \"vocab_size\": 262208, \"sliding_window\": 1024}}",
         4300079472},
        {"{\"model_type\": \"gpt_oss\", \"num_hidden_layers\": 24, \"hidden_size\": 2880,"
         " \"num_attention_heads\": 64, \"num_key_value_heads\": 8, \"head_dim\": 64,"
         " \"intermediate_size\": 2880, \"num_local_experts\": 32, \"num_experts_per_tok\": 4,"
         " \"vocab_size\": 201088, \"attention_bias\": true, \"sliding_window\": 128}",
         20914757184},
        {"{\"model_type\": \"qwen2_moe\", \"num_hidden_layers\": 24, \"hidden_size\": 2048,"
         " \"num_attention_heads\": 16, \"num_key_value_heads\": 16, \"intermediate_size\": 5632,"
         " \"moe_intermediate_size\": 1408, \"shared_expert_intermediate_size\": 5632,"
         " \"num_experts\": 60, \"num_experts_per_tok\": 4, \"vocab_size\": 151936}",
         14315784192},
        {"{\"model_type\": \"gptj\", \"n_layer\": 28, \"n_embd\": 4096, \"n_head\": 16,"
         " \"n_inner\": null, \"vocab_size\": 50400, \"n_positions\": 2048}",
         6050882784},
        {"{\"model_type\": \"falcon\", \"num_hidden_layers\": 32, \"hidden_size\": 4544,"
         " \"num_attention_heads\": 71, \"multi_query\": true, \"vocab_size\": 65024}",
         6921720704},
        {"{\"model_type\": \"cohere\", \"num_hidden_layers\": 40, \"hidden_size\": 8192,"
         " \"num_attention_heads\": 64, \"num_key_value_heads\": 64, \"intermediate_size\": 22528,"
         " \"vocab_size\": 256000}",
         34980831232},
        {"{\"model_type\": \"glm4\", \"num_hidden_layers\": 40, \"hidden_size\": 4096,"
         " \"num_attention_heads\": 32, \"num_key_value_heads\": 2, \"head_dim\": 128,"
         " \"intermediate_size\": 13696, \"vocab_size\": 151552, \"attention_bias\": true}",
         9400279040},
        {"{\"model_type\": \"starcoder2\", \"num_hidden_layers\": 30, \"hidden_size\": 3072,"
         " \"num_attention_heads\": 24, \"num_key_value_heads\": 2, \"intermediate_size\": 12288,"
         " \"vocab_size\": 49152, \"sliding_window\": 4096}",
         3030371328},
        {"{\"model_type\": \"roberta\", \"num_hidden_layers\": 12, \"hidden_size\": 768,"
         " \"num_attention_heads\": 12, \"intermediate_size\": 3072, \"vocab_size\": 50265,"
         " \"max_position_embeddings\": 514, \"type_vocab_size\": 1}",
         124645632},
        /* the class stands for the type */
        {"{\"architectures\": [\"Qwen3ForCausalLM\"], \"num_hidden_layers\": 28,"
         " \"hidden_size\": 1024, \"num_attention_heads\": 16, \"num_key_value_heads\": 8,"
         " \"head_dim\": 128, \"intermediate_size\": 3072, \"vocab_size\": 151936,"
         " \"tie_word_embeddings\": true}",
         596049920},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_model m;
        struct nadi_diags diags;
        parse(&m, "config.json", cases[i].text, &diags, true);
        assert_int_equal(diags.warnings, 0);
        const double counted = nadi_model_parameters(&m).all;
        if (fabs(counted - cases[i].parameters) > 0.5)
            fail_msg("case %zu: %.0f parameters, wanted %.0f", i, counted, cases[i].parameters);
        nadi_model_release(&m);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(published_configs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
