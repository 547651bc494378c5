/* hf: what is refused, what differs from layer to layer, and language models within others. */
#include "support/configs.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static void refusals(void **state)
{
    static const struct {
        const char *text, *code, *says;
    } cases[] = {
        /* never taken for another, however alike */
        {"{'model_type': 'brand_new', " BASE "}", "model/type", "'brand_new' is not known"},
        {"{'model_type': 'qwen9', " BASE "}", "model/type", "'qwen2'"},
        {"{'model_type': 'llama Yi', " BASE "}", "model/type", "not known"},
        {"{'model_type': '', " BASE "}", "model/type", "not known"},
        {"{'model_type': 'llama', 'architectures': ['LlamaForSomething'], " BASE "}", "model/type",
         "LlamaForSomething"},
        {"{'model_type': 'qwen3', 'architectures': ['DFlashDraftModel'], 'dflash_config': {'a': "
         "1}, " BASE "}",
         "model/unmodelled", "'dflash_config'"},
        {"{'model_type': 't5', 'architectures': ['T5EncoderModel'], 'd_model': 64}", "model/type",
         "'T5EncoderModel'"},
        {"{'model_type': 'gpt2', 'add_cross_attention': true}", "model/unmodelled",
         "'add_cross_attention'"},
        {"{'model_type': 'new_vl', 'text_config': {'model_type': 'llama', " BASE "}}", "model/type",
         "'new_vl'"},
        {"{'model_type': 'kimi_k3', 'text_config': {'model_type': 'kimi_linear', "
         "'attn_res_block_size': 3, " BASE "}}",
         "model/unmodelled", "'attn_res_block_size'"},
        {"{'model_type': 'nemotron_h', 'hybrid_override_pattern': 'M-M', 'time_step_limit': "
         "[0.0, Infinity], " BASE "}",
         "model/unmodelled", "'hybrid_override_pattern'"},
        {"{'model_type': 'nemotron_h', 'hybrid_override_pattern': 'M-Q*', " BASE "}",
         "model/unmodelled", "'hybrid_override_pattern'"},
        {"{'model_type': 'deepseek_v4', 'compress_ratios': [0, 4], " BASE "}", "model/unmodelled",
         "'compress_ratios'"},
        {"{'model_type': 'openelm', 'num_transformer_layers': 2, 'model_dim': 64}",
         "model/unmodelled", "lists of heads"},
        {"{'model_type': 'bart', 'encoder_ffn_dim': 160, 'decoder_ffn_dim': 320, 'd_model': 64, "
         "'encoder_layers': 2, 'decoder_layers': 2, 'encoder_attention_heads': 8, 'vocab_size': "
         "1000}",
         "model/unmodelled", "'decoder_ffn_dim'"},
        {"{'model_type': 'blip', 'text_config': {'a': 1}, 'vision_config': {'a': 1}}",
         "model/unmodelled", "two networks"},
        {"{'model_type': 'vit', 'patch_size': 0, " BASE "}", "model/unmodelled", "'patch_size'"},
        {"{'model_type': 'nemotron-nas', 'block_configs': [{}], " BASE "}", "model/unmodelled",
         "'block_configs'"},
        {"{'model_type': 'plamo2', 'mamba_d_state': 16, " BASE "}", "model/unmodelled",
         "'mamba_d_state'"},
        {"{'model_type': 'hf_olmo', 'd_model': 64, 'n_heads': 8, 'n_layers': 4, "
         "'mlp_hidden_size': 320, 'vocab_size': 980, 'activation_type': 'swigly'}",
         "model/unmodelled", "'activation_type'"},
        {"{'model_type': 'nomic_bert', 'n_embd': 64, 'n_head': 8, 'n_layer': 2, 'n_inner': 160, "
         "'vocab_size': 1000, 'n_positions': 128, 'activation_function': 'x'}",
         "model/unmodelled", "'activation_function'"},
        /* no number of a width that the class needs */
        {"{'model_type': 'mixtral', 'intermediate_size': null, 'num_hidden_layers': 4, "
         "'hidden_size': 64, "
         "'num_attention_heads': 8, 'vocab_size': 1000}",
         "model/config", "'intermediate_size' must be a whole number"},
        {"{'model_type': 'mixtral', 'num_local_experts': null, 'num_hidden_layers': 4, "
         "'hidden_size': 64, "
         "'num_attention_heads': 8, 'vocab_size': 1000}",
         "model/config", "'num_local_experts' must be a whole number"},
        {"{'model_type': 'qwen3_moe', 'moe_intermediate_size': null, 'num_hidden_layers': 4, "
         "'hidden_size': 64, "
         "'num_attention_heads': 8, 'vocab_size': 1000}",
         "model/config", "'moe_intermediate_size' must be a whole number"},
        {"{'model_type': 'deepseek_v3', 'moe_intermediate_size': null, 'num_hidden_layers': 4, "
         "'hidden_size': 64, "
         "'num_attention_heads': 8, 'vocab_size': 1000}",
         "model/config", "'moe_intermediate_size' must be a whole number"},
        {"{'model_type': 'deepseek_v3', 'n_routed_experts': null, 'moe_intermediate_size': 32, "
         "'num_hidden_layers': 4, "
         "'hidden_size': 64, "
         "'num_attention_heads': 8, 'vocab_size': 1000}",
         "model/config", "'n_routed_experts' must be a whole number"},
        /* T5: an activation, or gated- and one */
        {"{'model_type': 't5', 'd_model': 64, 'd_kv': 16, 'd_ff': 160, 'num_layers': 4, "
         "'num_heads': 8, 'vocab_size': 1000, 'feed_forward_proj': ['gated-gelu']}",
         "model/unmodelled", "'feed_forward_proj'"},
        {"{'model_type': 't5', 'd_model': 64, 'd_kv': 16, 'd_ff': 160, 'num_layers': 4, "
         "'num_heads': 8, 'vocab_size': 1000, 'feed_forward_proj': 5}",
         "model/unmodelled", "'feed_forward_proj'"},
        {"{'model_type': 't5', 'd_model': 64, 'd_kv': 16, 'd_ff': 160, 'num_layers': 4, "
         "'num_heads': 8, 'vocab_size': 1000, 'feed_forward_proj': 'silu-gated'}",
         "model/unmodelled", "'feed_forward_proj'"},
        {"{'model_type': 't5', 'd_model': 64, 'd_kv': 16, 'd_ff': 160, 'num_layers': 4, "
         "'num_heads': 8, 'vocab_size': 1000, 'feed_forward_proj': 'foo'}",
         "model/unmodelled", "'feed_forward_proj'"},
        {"{'model_type': 't5', 'd_model': 64, 'd_kv': 16, 'd_ff': 160, 'num_layers': 4, "
         "'num_heads': 8, 'vocab_size': 1000, 'feed_forward_proj': 'gated_gelu'}",
         "model/unmodelled", "'feed_forward_proj'"},
        {"{'model_type': 't5', 'd_model': 64, 'd_kv': 16, 'd_ff': 160, 'num_layers': 4, "
         "'num_heads': 8, 'vocab_size': 1000, 'feed_forward_proj': 'gated-'}",
         "model/unmodelled", "'feed_forward_proj'"},
        {"{'model_type': 't5', 'd_model': 64, 'd_kv': 16, 'd_ff': 160, 'num_layers': 4, "
         "'num_heads': 8, 'vocab_size': 1000, 'feed_forward_proj': null}",
         "model/unmodelled", "'feed_forward_proj'"},
        {"{'model_type': 't5', 'd_model': 64, 'd_kv': 16, 'd_ff': 160, 'num_layers': 4, "
         "'num_heads': 8, 'vocab_size': 1000, 'num_decoder_layers': 0}",
         "model/unmodelled", "'num_decoder_layers'"},
        {"{'model_type': 'bert', 'architectures': ['BertLMHeadModel'], 'is_decoder': true, " BASE
         "}",
         "model/unmodelled", "'is_decoder'"},
        /* keys that nobody read */
        {"{'model_type': 'llama', 'block_configs': [{'attention': 1}], " BASE "}",
         "model/unmodelled", "'block_configs'"},
        {"{'model_type': 'llama', 'mamba_d_state': 16, " BASE "}", "model/unmodelled",
         "'mamba_d_state'"},
        {"{'model_type': 'llama', 'num_experts': 8, " BASE "}", "model/unmodelled",
         "'num_experts'"},
        {"{'model_type': 'dbrx', 'ffn_config': {'ffn_hidden_size': 160, 'moe_new_width': 3}, "
         "'d_model': 64, 'n_heads': 8, 'n_layers': 4, 'vocab_size': 1000}",
         "model/unmodelled", "'moe_new_width'"},
        /* values of keys that are known */
        {"{'model_type': 'llama', 'num_hidden_layers': -2, 'hidden_size': 64}", "model/config",
         "whole number"},
        {"{'model_type': 'llama', 'num_hidden_layers': 4.5, 'hidden_size': 64}", "model/config",
         "whole number"},
        {"{'model_type': 'llama', 'num_hidden_layers': [1], 'hidden_size': 64}", "model/config",
         "whole number"},
        {"{'model_type': 'llama', 'tie_word_embeddings': [], " BASE "}", "model/config",
         "true or false"},
        {"{'model_type': 'llama', 'mlp_bias': 'x', " BASE "}", "model/config", "true or false"},
        {"{'model_type': 'llama', 'mlp_bias': 2, " BASE "}", "model/config", "true or false"},
        {"{'model_type': 'lfm2', 'full_attn_idxs': 'x', " BASE "}", "model/config", "a list"},
        {"{'model_type': 'kimi_linear', 'linear_attn_config': [1], " BASE "}", "model/config",
         "a map"},
        {"{'model_type': 'switch_transformers', 'd_model': 64, 'd_kv': 8, 'd_ff': 160, "
         "'num_layers': 4, 'num_heads': 8, 'vocab_size': 1000, 'num_experts': 0}",
         "model/shape", "'experts' is 0"},
        {"{'model_type': 'qwen3_moe', 'num_experts': 8, 'num_experts_per_tok': 2, "
         "'mlp_only_layers': ['x'], " BASE "}",
         "model/config", "whole numbers"},
        {"{'model_type': 'qwen3_moe', 'num_experts': 8, 'num_experts_per_tok': 2, "
         "'mlp_only_layers': [-1], " BASE "}",
         "model/config", "whole numbers"},
        {"{'model_type': 'deci', 'num_key_value_heads_per_layer': [4, 2, 1], " BASE "}",
         "model/config", "'num_key_value_heads_per_layer' must be"},
        {"{'model_type': 'minimax', 'num_local_experts': 8, 'num_experts_per_tok': 2, "
         "'attn_type_list': [0, 0, 2, 1], " BASE "}",
         "model/config", "0 and 1"},
        {"{'model_type': 'glm4_moe', 'n_routed_experts': 8, 'num_experts_per_tok': 2, "
         "'mlp_layer_types': ['dense', 'sparse', 'x', 'sparse'], " BASE "}",
         "model/config", "dense sparse"},
        {"{'model_type': 'deepseek', 'n_routed_experts': 8, 'num_experts_per_tok': 2, "
         "'moe_layer_freq': [0, 1, 7, 1], " BASE "}",
         "model/config", "'moe_layer_freq'"},
        {"{'model_type': 'deepseek', 'n_routed_experts': 8, 'num_experts_per_tok': 2, "
         "'moe_layer_freq': [0, 1, 1], " BASE "}",
         "model/config", "'moe_layer_freq' has 3 items, and there are 4 layers"},
        {"{'model_type': 'glm4_moe', 'n_routed_experts': 8, 'num_experts_per_tok': 2, "
         "'mlp_layer_types': ['dense', 'sparse', 'sparse', 'sparse', 'dense'], " BASE "}",
         "model/config", "'mlp_layer_types' has 5 items, and there are 4 layers"},
        {"{'model_type': 'recurrent_gemma', 'block_types': ['recurrent', 'x'], " BASE "}",
         "model/config", "attention recurrent"},
        {"{'model_type': 'zamba2', 'layers_block_type': ['hybrid', 'x', 'mamba', 'mamba'], " BASE
         "}",
         "model/config", "hybrid mamba"},
        {"{'model_type': 'kimi_linear', 'linear_attn_config': {'kda_layers': [1, 2, 3], "
         "'full_attn_layers': [3, 4]}, " BASE "}",
         "model/unmodelled", "both kinds"},
        {"{'model_type': 'kimi_linear', 'linear_attn_config': {'kda_layers': [1, 2], "
         "'full_attn_layers': [4]}, " BASE "}",
         "model/unmodelled", "neither"},
        {"{'model_type': 'gpt_neo', 'attention_layers': ['local', 'x', 'local', 'x'], " BASE "}",
         "model/config", "global local"},
        {"{'model_type': 'swin', 'depths': [2, 2], 'num_heads': [4]}", "model/unmodelled",
         "'depths'"},
        {"{'model_type': 'llama', 'num_hidden_layers': 1000000, 'hidden_size': 64}", "model/config",
         "at most"},
        {"{'model_type': 'marian', 'd_model': 64, 'encoder_layers': 2, 'decoder_layers': 100000, "
         "'encoder_ffn_dim': 160, 'decoder_ffn_dim': 160, 'encoder_attention_heads': 8, "
         "'decoder_attention_heads': 8, 'vocab_size': 1000}",
         "model/shape", "at most"},
        {"{'model_type': 'qwen3', 'layer_types': ['full_attention', 'full_attention', "
         "'linear_attention', 'full_attention'], " BASE "}",
         "model/unmodelled", "'linear_attention'"},
        {"{'model_type': 'qwen3', 'layer_types': ['full_attention'], " BASE "}", "model/config",
         "1 items, and there are 4 layers"},
        {"{'model_type': 'granitemoehybrid', 'layer_types': ['mamba', 'mamba', 'linear', "
         "'attention'], " BASE "}",
         "model/unmodelled", "'linear'"},
        {"{'model_type': 'llama', 'embedding_size': 32, " BASE "}", "model/unmodelled",
         "'embedding_size'"},
        {"{'model_type': 'hunyuan_v1_moe', 'num_experts': 8, 'moe_topk': [1, 2, 1, 1], " BASE "}",
         "model/unmodelled", "'moe_topk'"},
        {"{'model_type': 'minimax_m2', 'num_local_experts': 8, 'num_experts_per_tok': 2, "
         "'attn_type_list': [0, 1, 0, 1], " BASE "}",
         "model/unmodelled", "'attn_type_list'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_model m;
        struct nadi_diags diags;
        if (nadi_test_config_parse(&m, cases[i].text, &diags))
            fail_msg("%s is read", cases[i].text);
        assert_string_equal(diags.items[0].code, cases[i].code);
        if (!strstr(diags.items[0].message, cases[i].says))
            fail_msg("'%s' does not say %s", diags.items[0].message, cases[i].says);
        nadi_test_config_drop(&m, &diags);
    }
}

/* Which layers have a window (w), experts (e) or both (b). */
static void layers(void **state)
{
    static const struct {
        const char *text, *kinds;
        uint32_t window;
    } cases[] = {
        {"{'model_type': 'mistral', 'sliding_window': 128, " BASE "}", "wwww", 128},
        {"{'model_type': 'mistral', 'sliding_window': null, " BASE "}", "....", 0},
        {"{'model_type': 'mistral', " BASE "}", "wwww", 4096}, /* of the class */
        {"{'model_type': 'gemma2', " BASE "}", "w.w.", 4096},
        {"{'model_type': 'gpt_oss', 'num_local_experts': 2, 'num_experts_per_tok': 1, " BASE "}",
         "bebe", 128},
        {"{'model_type': 'gemma3_text', 'sliding_window_pattern': 3, " BASE "}", "ww.w", 4096},
        {"{'model_type': 'exaone4', 'sliding_window_pattern': 'LLLG', " BASE "}", "www.", 4096},
        {"{'model_type': 'exaone4', 'sliding_window_pattern': 'LG', " BASE "}", "w.w.", 4096},
        {"{'model_type': 'exaone4', 'sliding_window_pattern': 'L', " BASE "}", "www.", 4096},
        {"{'model_type': 'qwen2', 'use_sliding_window': true, 'sliding_window': 64, "
         "'max_window_layers': 3, " BASE "}",
         "...w", 64},
        {"{'model_type': 'qwen2', 'sliding_window': 64, 'max_window_layers': 3, " BASE "}", "....",
         0},
        {"{'model_type': 'olmo3', 'layer_types': ['full_attention', 'sliding_attention', "
         "'sliding_attention', 'full_attention'], " BASE "}",
         ".ww.", 4096},
        {"{'model_type': 'gpt_neo', 'num_layers': 4, 'hidden_size': 64, 'num_heads': 8, "
         "'vocab_size': 1000, 'max_position_embeddings': 64, 'attention_types': "
         "[[['global'], 1], [['local', 'global'], 2]]}",
         ".w.w", 256},
        {"{'model_type': 'gpt_neo', 'num_layers': 2, 'hidden_size': 64, 'num_heads': 8, "
         "'vocab_size': 1000, 'max_position_embeddings': 64, 'attention_layers': "
         "['local', 'global']}",
         "w.", 256},
        {"{'model_type': 'llama4_text', 'moe_layers': [0], " BASE "}", "bww.", 8192},
        {"{'model_type': 'llama4_text', 'interleave_moe_layer_step': 2, 'no_rope_layers': "
         "[0, 1, 1, 1], " BASE "}",
         ".bwb", 8192},
        {"{'model_type': 'deepseek', 'n_routed_experts': 4, 'num_experts_per_tok': 1, "
         "'moe_layer_freq': [0, 1, 0, 1], " BASE "}",
         ".e.e", 0},
        {"{'model_type': 'deepseek', 'n_routed_experts': 4, 'num_experts_per_tok': 1, "
         "'moe_layer_freq': 2, 'first_k_dense_replace': 1, " BASE "}",
         "..e.", 0},
        {"{'model_type': 'glm4_moe', 'n_routed_experts': 4, 'num_experts_per_tok': 1, "
         "'mlp_layer_types': ['dense', 'sparse', 'sparse', 'sparse'], " BASE "}",
         ".eee", 0},
        {"{'model_type': 'qwen3_moe', 'mlp_only_layers': [1], " BASE "}", "e.ee", 0},
        {"{'model_type': 'qwen3_moe', 'decoder_sparse_step': 2, " BASE "}", ".e.e", 0},
        {"{'model_type': 'arctic', 'num_local_experts': 4, 'num_experts_per_tok': 1, "
         "'moe_layer_frequency': 2, " BASE "}",
         ".e.e", 0},
        {"{'model_type': 'ernie4_5_moe', 'moe_num_experts': 4, 'moe_k': 1, "
         "'moe_layer_interval': 2, 'moe_layer_end_index': 1, " BASE "}",
         ".e..", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_model m;
        struct nadi_diags diags;
        char kinds[8] = "";
        if (!nadi_test_config_parse(&m, cases[i].text, &diags))
            fail_msg("%s: %s", cases[i].text, diags.items[0].message);
        for (uint32_t l = 0; l < m.layers; l++)
            kinds[l] = ".ewb"[nadi_model_layer(&m, l)];
        if (strcmp(kinds, cases[i].kinds) != 0)
            fail_msg("%s: layers %s, wanted %s", cases[i].text, kinds, cases[i].kinds);
        assert_int_equal(m.window, cases[i].window);
        nadi_test_config_drop(&m, &diags);
    }
}

/* A language model within another: its own keys, the whole's output layer, and a note. */
static void parts(void **state)
{
    struct nadi_model m;
    struct nadi_diags diags;
    const double layer = 2 * 64 * 64 + 2 * 64 * 16 + 3 * 64 * 160 + 2 * 64, body = 4 * layer + 64;
    (void)state;
    assert_true(nadi_test_config_parse(
        &m,
        "{'model_type': 'llava', 'tie_word_embeddings': true, 'vision_config': "
        "{'hidden_size': 32}, 'text_config': {" BASE "}}",
        &diags));
    assert_int_equal(diags.notes, 1);
    assert_non_null(strstr(diags.items[0].message, "not: 'vision_config'"));
    assert_string_equal(m.name, "llava (its language model)");
    assert_true(fabs(nadi_model_parameters(&m).all - (body + 64000)) < 0.5);
    nadi_test_config_drop(&m, &diags);
    assert_true(nadi_test_config_parse(
        &m,
        "{'model_type': 'internvl_chat', 'llm_config': {'model_type': 'internlm2', "
        "'architectures': ['InternLM2ForCausalLM'], " BASE "}}",
        &diags));
    assert_true(fabs(nadi_model_parameters(&m).all - (body + 128000)) < 0.5);
    nadi_test_config_drop(&m, &diags);
    /* what the published total of Llama 4 counts too */
    assert_true(
        nadi_test_config_parse(&m, "{'model_type': 'llama4', 'text_config': {" BASE "}}", &diags));
    assert_true(m.beside > 8e8);
    const struct nadi_parameters p = nadi_model_parameters(&m);
    assert_true(p.all - m.beside < 1e8 && p.activated < 1e8);
    nadi_test_config_drop(&m, &diags);
    /* two towers: that of pictures is simulated, that of words counted, with what projects both */
    assert_true(nadi_test_config_parse(
        &m,
        "{'model_type': 'clip', 'projection_dim': 16, 'text_config': {'num_hidden_layers': 1, "
        "'hidden_size': 64, 'num_attention_heads': 8, 'intermediate_size': 160, 'vocab_size': "
        "1000, 'max_position_embeddings': 32}, 'vision_config': {'num_hidden_layers': 1, "
        "'hidden_size': 64, 'num_attention_heads': 8, 'intermediate_size': 160, 'image_size': 32, "
        "'patch_size': 8}}",
        &diags));
    const double tower = 4 * (64 * 64 + 64) + 2 * 64 * 160 + 160 + 64 + 4 * 64 + 2 * 64;
    assert_int_equal(diags.notes, 1);
    assert_non_null(strstr(diags.items[0].message, "that of words is counted"));
    assert_true(fabs(m.beside - (tower + 1032 * 64 + 128 * 16 + 1)) < 0.5);
    assert_true(fabs(nadi_model_parameters(&m).all - m.beside -
                     (tower + 3 * 64 * 64 + 64 + 17 * 64 + 2 * 64)) < 0.5);
    nadi_test_config_drop(&m, &diags);
    /* encoders beside a language model that is described by the whole's own keys */
    static const char *const besides[] = {"'mm_vision_tower': 'openai/clip'", "'visual': {'a': 1}",
                                          "'img_processor': {'name': 'clip'}"};
    for (size_t i = 0; i < sizeof(besides) / sizeof(besides[0]); i++) {
        char text[512];
        snprintf(text, sizeof(text), "{'model_type': 'llama', %s, " BASE "}", besides[i]);
        assert_true(nadi_test_config_parse(&m, text, &diags));
        assert_int_equal(diags.notes, 1);
        assert_string_equal(m.name, "llama (its language model)");
        nadi_test_config_drop(&m, &diags);
    }
    assert_true(nadi_test_config_parse(
        &m, "{'model_type': 'llama', 'mm_vision_tower': null, " BASE "}", &diags));
    assert_int_equal(diags.notes, 0);
    nadi_test_config_drop(&m, &diags);
    /* layers that predict further tokens are left out, with a note */
    assert_true(nadi_test_config_parse(
        &m, "{'model_type': 'mimo', 'num_nextn_predict_layers': 1, " BASE "}", &diags));
    assert_int_equal(diags.notes, 1);
    nadi_test_config_drop(&m, &diags);
    /* a list of classes without a type */
    assert_true(
        nadi_test_config_parse(&m, "{'architectures': ['Qwen2MoeForCausalLM'], " BASE "}", &diags));
    assert_int_equal(m.experts, 60);
    nadi_test_config_drop(&m, &diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),
        cmocka_unit_test(layers),
        cmocka_unit_test(parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
