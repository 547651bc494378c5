/* hf: well-known models against the sizes that are published of them, to one per cent. Only what
 * decides the size is given of each configuration. */
#include "support/configs.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static const struct {
    const char *name;
    double published;
    const char *text;
} models[] = {
    {"mamba-2.8b-hf", 2768e6,
     "{'model_type': 'mamba', 'architectures': ['MambaForCausalLM'], 'vocab_size': 50280, "
     "'hidden_size': 2560, 'state_size': 16, 'num_hidden_layers': 64, 'conv_kernel': 4, "
     "'expand': 2, 'intermediate_size': 5120, 'time_step_rank': 160, 'use_bias': false, "
     "'use_conv_bias': true}"},
    {"mamba-130m", 129.1e6,
     "{'d_model': 768, 'n_layer': 24, 'vocab_size': 50277, 'ssm_cfg': {}, 'rms_norm': "
     "true, 'residual_in_fp32': true, 'fused_add_norm': true, 'pad_vocab_size_multiple': "
     "8}"},
    {"mamba2-2.7b", 2700e6,
     "{'d_model': 2560, 'd_intermediate': 0, 'n_layer': 64, 'vocab_size': 50277, "
     "'ssm_cfg': {'layer': 'Mamba2'}, 'attn_layer_idx': [], 'attn_cfg': {}, 'rms_norm': "
     "true, 'residual_in_fp32': true, 'fused_add_norm': true, 'pad_vocab_size_multiple': "
     "16, 'tie_embeddings': true}"},
    {"falcon-mamba-7b", 7270e6,
     "{'model_type': 'falcon_mamba', 'architectures': ['FalconMambaForCausalLM'], "
     "'vocab_size': 65024, 'hidden_size': 4096, 'state_size': 16, 'num_hidden_layers': "
     "64, 'conv_kernel': 4, 'expand': 16, 'intermediate_size': 8192, 'time_step_rank': "
     "256, 'tie_word_embeddings': false}"},
    {"codestral-mamba-7b", 7285e6,
     "{'model_type': 'mamba2', 'architectures': ['Mamba2ForCausalLM'], 'vocab_size': "
     "32768, 'hidden_size': 4096, 'num_heads': 128, 'head_dim': 64, 'state_size': 128, "
     "'expand': 2, 'n_groups': 8, 'chunk_size': 256, 'num_hidden_layers': 64, "
     "'conv_kernel': 4, 'use_bias': false, 'use_conv_bias': true, 'tie_word_embeddings': "
     "false}"},
    {"jamba-v0.1", 5.157e10,
     "{'model_type': 'jamba', 'architectures': ['JambaForCausalLM'], 'vocab_size': 65536, "
     "'hidden_size': 4096, 'intermediate_size': 14336, 'num_hidden_layers': 32, "
     "'num_attention_heads': 32, 'num_key_value_heads': 8, 'attn_layer_offset': 4, "
     "'attn_layer_period': 8, 'expert_layer_offset': 1, 'expert_layer_period': 2, "
     "'mamba_conv_bias': true, 'mamba_d_conv': 4, 'mamba_d_state': 16, 'mamba_dt_rank': "
     "256, 'mamba_expand': 2, 'mamba_proj_bias': false, 'num_experts': 16, "
     "'num_experts_per_tok': 2, 'tie_word_embeddings': false, 'n_ctx': 262144, "
     "'use_mamba_kernels': true}"},
    {"jamba-1.5-large", 3.986e11,
     "{'model_type': 'jamba', 'architectures': ['JambaForCausalLM'], 'vocab_size': 65536, "
     "'hidden_size': 8192, 'intermediate_size': 24576, 'num_hidden_layers': 72, "
     "'num_attention_heads': 64, 'num_key_value_heads': 8, 'attn_layer_offset': 4, "
     "'attn_layer_period': 8, 'expert_layer_offset': 1, 'expert_layer_period': 2, "
     "'mamba_conv_bias': true, 'mamba_d_conv': 4, 'mamba_d_state': 16, 'mamba_dt_rank': "
     "512, 'mamba_expand': 2, 'mamba_proj_bias': false, 'num_experts': 16, "
     "'num_experts_per_tok': 2, 'tie_word_embeddings': false}"},
    {"bamba-9b", 9780e6,
     "{'model_type': 'bamba', 'architectures': ['BambaForCausalLM'], 'vocab_size': "
     "128256, 'hidden_size': 4096, 'intermediate_size': 14336, 'num_hidden_layers': 32, "
     "'num_attention_heads': 32, 'num_key_value_heads': 8, 'attn_layer_indices': [9, 18, "
     "27], 'attn_rotary_emb': 64, 'mamba_n_heads': 128, 'mamba_d_head': 64, "
     "'mamba_n_groups': 1, 'mamba_d_state': 128, 'mamba_d_conv': 4, 'mamba_expand': 2, "
     "'mamba_chunk_size': 256, 'mamba_conv_bias': true, 'mamba_proj_bias': false, "
     "'tie_word_embeddings': false}"},
    {"falcon-h1-34b", 3.364e10,
     "{'model_type': 'falcon_h1', 'architectures': ['FalconH1ForCausalLM'], 'vocab_size': "
     "261120, 'hidden_size': 5120, 'intermediate_size': 21504, 'num_hidden_layers': 72, "
     "'num_attention_heads': 20, 'num_key_value_heads': 4, 'head_dim': 128, "
     "'mamba_d_ssm': 4096, 'mamba_n_heads': 32, 'mamba_d_head': 128, 'mamba_n_groups': 2, "
     "'mamba_d_state': 256, 'mamba_d_conv': 4, 'mamba_expand': 2, 'mamba_chunk_size': "
     "128, 'mamba_conv_bias': true, 'mamba_proj_bias': false, 'mamba_rms_norm': false, "
     "'mamba_norm_before_gate': false, 'tie_word_embeddings': false}"},
    {"falcon-h1-0.5b", 521e6,
     "{'model_type': 'falcon_h1', 'architectures': ['FalconH1ForCausalLM'], 'vocab_size': "
     "32784, 'hidden_size': 1024, 'intermediate_size': 2048, 'num_hidden_layers': 36, "
     "'num_attention_heads': 8, 'num_key_value_heads': 2, 'head_dim': 64, 'mamba_d_ssm': "
     "1536, 'mamba_n_heads': 24, 'mamba_d_head': 64, 'mamba_n_groups': 1, "
     "'mamba_d_state': 128, 'mamba_d_conv': 4, 'mamba_expand': 2, 'mamba_chunk_size': "
     "128, 'mamba_rms_norm': false, 'tie_word_embeddings': false}"},
    {"granite-4.0-h-tiny", 6940e6,
     "{'model_type': 'granitemoehybrid', 'architectures': "
     "['GraniteMoeHybridForCausalLM'], 'vocab_size': 100352, 'hidden_size': 1536, "
     "'intermediate_size': 512, 'num_hidden_layers': 40, 'num_attention_heads': 12, "
     "'num_key_value_heads': 4, 'num_local_experts': 64, 'num_experts_per_tok': 6, "
     "'shared_intermediate_size': 1024, 'layer_types': ['mamba', 'mamba', 'mamba', "
     "'mamba', 'mamba', 'attention', 'mamba', 'mamba', 'mamba', 'mamba', 'mamba', "
     "'mamba', 'mamba', 'mamba', 'mamba', 'attention', 'mamba', 'mamba', 'mamba', "
     "'mamba', 'mamba', 'mamba', 'mamba', 'mamba', 'mamba', 'attention', 'mamba', "
     "'mamba', 'mamba', 'mamba', 'mamba', 'mamba', 'mamba', 'mamba', 'mamba', "
     "'attention', 'mamba', 'mamba', 'mamba', 'mamba'], 'mamba_n_heads': 48, "
     "'mamba_d_head': 64, 'mamba_n_groups': 1, 'mamba_d_state': 128, 'mamba_d_conv': 4, "
     "'mamba_expand': 2, 'mamba_chunk_size': 256, 'mamba_conv_bias': true, "
     "'mamba_proj_bias': false, 'position_embedding_type': 'nope', 'tie_word_embeddings': "
     "true}"},
    {"qwen3-next-80b", 7.967e10,
     "{'model_type': 'qwen3_next', 'architectures': ['Qwen3NextForCausalLM'], "
     "'vocab_size': 151936, 'hidden_size': 2048, 'intermediate_size': 5120, "
     "'num_hidden_layers': 48, 'num_attention_heads': 16, 'num_key_value_heads': 2, "
     "'head_dim': 256, 'full_attention_interval': 4, 'linear_conv_kernel_dim': 4, "
     "'linear_key_head_dim': 128, 'linear_num_key_heads': 16, 'linear_num_value_heads': "
     "32, 'linear_value_head_dim': 128, 'num_experts': 512, 'num_experts_per_tok': 10, "
     "'moe_intermediate_size': 512, 'shared_expert_intermediate_size': 512, "
     "'decoder_sparse_step': 1, 'mlp_only_layers': [], 'tie_word_embeddings': false}"},
    {"kimi-linear-48b", 4.912e10,
     "{'model_type': 'kimi_linear', 'architectures': ['KimiLinearForCausalLM'], "
     "'vocab_size': 163840, 'hidden_size': 2304, 'intermediate_size': 9216, "
     "'num_hidden_layers': 27, 'num_attention_heads': 32, 'num_key_value_heads': 32, "
     "'kv_lora_rank': 512, 'q_lora_rank': null, 'qk_nope_head_dim': 128, "
     "'qk_rope_head_dim': 64, 'v_head_dim': 128, 'head_dim': 72, 'num_experts': 256, "
     "'num_experts_per_token': 8, 'num_shared_experts': 1, 'moe_intermediate_size': 1024, "
     "'first_k_dense_replace': 1, 'moe_layer_freq': 1, 'mla_use_nope': true, "
     "'linear_attn_config': {'full_attn_layers': [4, 8, 12, 16, 20, 24, 27], "
     "'kda_layers': [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, "
     "26], 'head_dim': 128, 'num_heads': 32, 'short_conv_kernel_size': 4}, "
     "'tie_word_embeddings': false}"},
    {"minimax-text-01", 4.561e11,
     "{'model_type': 'minimax_text_01', 'architectures': ['MiniMaxText01ForCausalLM'], "
     "'vocab_size': 200064, 'hidden_size': 6144, 'intermediate_size': 9216, "
     "'num_hidden_layers': 80, 'num_attention_heads': 64, 'num_key_value_heads': 8, "
     "'head_dim': 128, 'attn_type_list': [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, "
     "0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, "
     "0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, "
     "0, 0, 0, 0, 0, 0, 0, 1], 'num_local_experts': 32, 'num_experts_per_tok': 2, "
     "'shared_intermediate_size': 0, 'postnorm': true, 'rotary_dim': 64}"},
    {"lfm2-1.2b", 1170e6,
     "{'model_type': 'lfm2', 'architectures': ['Lfm2ForCausalLM'], 'vocab_size': 65536, "
     "'hidden_size': 2048, 'num_hidden_layers': 16, 'num_attention_heads': 32, "
     "'num_key_value_heads': 8, 'block_auto_adjust_ff_dim': true, 'block_dim': 2048, "
     "'block_ff_dim': 12288, 'block_ffn_dim_multiplier': 1.0, 'block_multiple_of': 256, "
     "'conv_L_cache': 3, 'conv_bias': false, 'conv_dim': 2048, 'full_attn_idxs': [2, 5, "
     "8, 10, 12, 14], 'block_use_swiglu': true}"},
    {"lfm2-350m", 354e6,
     "{'model_type': 'lfm2', 'architectures': ['Lfm2ForCausalLM'], 'vocab_size': 65536, "
     "'hidden_size': 1024, 'num_hidden_layers': 16, 'num_attention_heads': 16, "
     "'num_key_value_heads': 8, 'block_auto_adjust_ff_dim': true, 'block_dim': 1024, "
     "'block_ff_dim': 6656, 'block_ffn_dim_multiplier': 1.0, 'block_multiple_of': 256, "
     "'conv_L_cache': 3, 'conv_bias': false, 'full_attn_idxs': [2, 5, 8, 10, 12, 14]}"},
    {"lfm2-8b-a1b", 8340e6,
     "{'model_type': 'lfm2_moe', 'architectures': ['Lfm2MoeForCausalLM'], 'vocab_size': "
     "65536, 'hidden_size': 2048, 'intermediate_size': 7168, 'num_hidden_layers': 24, "
     "'num_attention_heads': 32, 'num_key_value_heads': 8, 'num_dense_layers': 2, "
     "'num_experts': 32, 'num_experts_per_tok': 4, 'moe_intermediate_size': 1792, "
     "'use_expert_bias': true, 'conv_L_cache': 3, 'conv_bias': false, 'layer_types': "
     "['conv', 'conv', 'full_attention', 'conv', 'conv', 'conv', 'full_attention', "
     "'conv', 'conv', 'conv', 'full_attention', 'conv', 'conv', 'conv', 'full_attention', "
     "'conv', 'conv', 'conv', 'full_attention', 'conv', 'conv', 'full_attention', 'conv', "
     "'conv']}"},
    {"recurrentgemma-2b", 2680e6,
     "{'model_type': 'recurrent_gemma', 'architectures': ['RecurrentGemmaForCausalLM'], "
     "'vocab_size': 256000, 'hidden_size': 2560, 'intermediate_size': 15360, "
     "'num_hidden_layers': 26, 'num_attention_heads': 10, 'num_key_value_heads': 1, "
     "'lru_width': 2560, 'attention_window_size': 2048, 'conv1d_width': 4, 'block_types': "
     "['recurrent', 'recurrent', 'attention'], 'head_dim': 256}"},
    {"rwkv-4-3b", 2985e6,
     "{'model_type': 'rwkv', 'architectures': ['RwkvForCausalLM'], 'vocab_size': 50277, "
     "'hidden_size': 2560, 'attention_hidden_size': 2560, 'intermediate_size': 10240, "
     "'num_hidden_layers': 32, 'rescale_every': 6, 'context_length': 1024, "
     "'tie_word_embeddings': false}"},
    {"rwkv-6-7b", 7635e6,
     "{'model_type': 'rwkv6', 'architectures': ['Rwkv6ForCausalLM'], 'vocab_size': 65536, "
     "'hidden_size': 4096, 'attention_hidden_size': 4096, 'head_size': 64, "
     "'head_size_divisor': 8, 'num_hidden_layers': 32, 'rescale_every': 6, "
     "'intermediate_size': null, 'tie_word_embeddings': false}"},
    {"rwkv7-1.5b", 1527e6,
     "{'model_type': 'rwkv7', 'architectures': ['RWKV7ForCausalLM'], 'vocab_size': 65536, "
     "'hidden_size': 2048, 'head_dim': 64, 'num_hidden_layers': 24, 'intermediate_size': "
     "8192, 'decay_low_rank_dim': 96, 'a_low_rank_dim': 96, 'v_low_rank_dim': 64, "
     "'gate_low_rank_dim': 256, 'tie_word_embeddings': false}"},
    {"openelm-270m", 271.5e6,
     "{'model_type': 'openelm', 'architectures': ['OpenELMForCausalLM'], 'vocab_size': "
     "32000, 'model_dim': 1280, 'head_dim': 64, 'num_transformer_layers': 16, "
     "'num_query_heads': [12, 12, 12, 12, 12, 16, 16, 16, 16, 16, 16, 16, 20, 20, 20, "
     "20], 'num_kv_heads': [3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5], "
     "'ffn_multipliers': [0.5, 0.73, 0.97, 1.2, 1.43, 1.67, 1.9, 2.13, 2.37, 2.6, 2.83, "
     "3.07, 3.3, 3.53, 3.77, 4.0], 'ffn_dim_divisor': 256, 'ffn_with_glu': true, "
     "'normalize_qk_projections': true, 'share_input_output_layers': true, "
     "'num_gqa_groups': 4, 'qkv_multipliers': [0.5, 1.0], 'max_context_length': 2048, "
     "'rope_max_length': 4096}"},
    {"longcat-flash", 5.619e11,
     "{'model_type': 'longcat_flash', 'architectures': ['LongcatFlashForCausalLM'], "
     "'vocab_size': 131072, 'hidden_size': 6144, 'ffn_hidden_size': 12288, "
     "'expert_ffn_hidden_size': 2048, 'num_layers': 28, 'num_attention_heads': 64, "
     "'kv_lora_rank': 512, 'q_lora_rank': 1536, 'qk_rope_head_dim': 64, "
     "'qk_nope_head_dim': 128, 'v_head_dim': 128, 'n_routed_experts': 512, 'moe_topk': "
     "12, 'zero_expert_num': 256, 'zero_expert_type': 'identity', 'mla_scale_q_lora': "
     "true, 'mla_scale_kv_lora': true, 'attention_method': 'MLA'}"},
    {"gemma-3n-e4b(text)", 6870e6,
     "{'model_type': 'gemma3n_text', 'architectures': ['Gemma3nForCausalLM'], "
     "'vocab_size': 262400, 'vocab_size_per_layer_input': 262144, 'hidden_size': 2048, "
     "'hidden_size_per_layer_input': 256, 'intermediate_size': [16384, 16384, 16384, "
     "16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, "
     "16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, "
     "16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384], 'num_hidden_layers': 35, "
     "'num_attention_heads': 8, 'num_key_value_heads': 2, 'head_dim': 256, "
     "'altup_num_inputs': 4, 'laurel_rank': 64, 'num_kv_shared_layers': 15, "
     "'sliding_window': 512, 'layer_types': ['sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'sliding_attention', 'sliding_attention', 'sliding_attention', "
     "'full_attention', 'sliding_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'sliding_attention', 'sliding_attention', 'sliding_attention', "
     "'full_attention'], 'activation_sparsity_pattern': [0.95, 0.95, 0.95, 0.95, 0.95, "
     "0.95, 0.95, 0.95, 0.95, 0.95, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, "
     "0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]}"},
    {"albert-base-v2", 11.68e6,
     "{'model_type': 'albert', 'architectures': ['AlbertModel'], 'vocab_size': "
     "30000, 'embedding_size': 128, 'hidden_size': 768, 'num_hidden_layers': 12, "
     "'num_hidden_groups': 1, 'inner_group_num': 1, 'num_attention_heads': 12, "
     "'intermediate_size': 3072, 'max_position_embeddings': 512, 'type_vocab_size': 2}"},
    {"albert-xxlarge-v2", 222.6e6,
     "{'model_type': 'albert', 'architectures': ['AlbertModel'], 'vocab_size': "
     "30000, 'embedding_size': 128, 'hidden_size': 4096, 'num_hidden_layers': 12, "
     "'num_hidden_groups': 1, 'inner_group_num': 1, 'num_attention_heads': 64, "
     "'intermediate_size': 16384, 'max_position_embeddings': 512, 'type_vocab_size': 2}"},
    {"electra-base-disc", 109.5e6,
     "{'model_type': 'electra', 'architectures': ['ElectraForPreTraining'], 'vocab_size': "
     "30522, 'embedding_size': 768, 'hidden_size': 768, 'num_hidden_layers': 12, "
     "'num_attention_heads': 12, 'intermediate_size': 3072, 'max_position_embeddings': "
     "512, 'type_vocab_size': 2}"},
    {"electra-small-disc", 13.55e6,
     "{'model_type': 'electra', 'architectures': ['ElectraForPreTraining'], 'vocab_size': "
     "30522, 'embedding_size': 128, 'hidden_size': 256, 'num_hidden_layers': 12, "
     "'num_attention_heads': 4, 'intermediate_size': 1024, 'max_position_embeddings': "
     "512, 'type_vocab_size': 2}"},
    {"deberta-v3-base", 183.8e6,
     "{'model_type': 'deberta-v2', 'vocab_size': 128100, 'hidden_size': 768, "
     "'num_hidden_layers': 12, 'num_attention_heads': 12, 'intermediate_size': 3072, "
     "'max_position_embeddings': 512, 'relative_attention': true, 'position_buckets': "
     "256, 'norm_rel_ebd': 'layer_norm', 'share_att_key': true, 'pos_att_type': "
     "'p2c|c2p', 'type_vocab_size': 0, 'position_biased_input': false, "
     "'max_relative_positions': -1}"},
    {"deberta-v3-large", 434e6,
     "{'model_type': 'deberta-v2', 'vocab_size': 128100, 'hidden_size': 1024, "
     "'num_hidden_layers': 24, 'num_attention_heads': 16, 'intermediate_size': 4096, "
     "'max_position_embeddings': 512, 'relative_attention': true, 'position_buckets': "
     "256, 'norm_rel_ebd': 'layer_norm', 'share_att_key': true, 'pos_att_type': "
     "'p2c|c2p', 'type_vocab_size': 0, 'position_biased_input': false, "
     "'max_relative_positions': -1}"},
    {"deberta-base", 138.6e6,
     "{'model_type': 'deberta', 'vocab_size': 50265, 'hidden_size': 768, "
     "'num_hidden_layers': 12, 'num_attention_heads': 12, 'intermediate_size': 3072, "
     "'max_position_embeddings': 512, 'relative_attention': true, 'pos_att_type': "
     "'c2p|p2c', 'type_vocab_size': 0, 'position_biased_input': false, "
     "'max_relative_positions': -1}"},
    {"deberta-v2-xlarge", 884.6e6,
     "{'model_type': 'deberta-v2', 'vocab_size': 128100, 'hidden_size': 1536, "
     "'num_hidden_layers': 24, 'num_attention_heads': 24, 'intermediate_size': 6144, "
     "'max_position_embeddings': 512, 'relative_attention': true, 'position_buckets': "
     "256, 'norm_rel_ebd': 'layer_norm', 'share_att_key': true, 'pos_att_type': "
     "'p2c|c2p', 'type_vocab_size': 0, 'position_biased_input': false, "
     "'max_relative_positions': -1, 'conv_kernel_size': 3, 'conv_act': 'gelu'}"},
    {"mpnet-base", 109.5e6,
     "{'model_type': 'mpnet', 'architectures': ['MPNetForMaskedLM'], 'vocab_size': 30527, "
     "'hidden_size': 768, 'num_hidden_layers': 12, 'num_attention_heads': 12, "
     "'intermediate_size': 3072, 'max_position_embeddings': 514, "
     "'relative_attention_num_buckets': 32}"},
    {"modernbert-base", 149.7e6,
     "{'model_type': 'modernbert', 'architectures': ['ModernBertForMaskedLM'], "
     "'vocab_size': 50368, 'hidden_size': 768, 'intermediate_size': 1152, "
     "'num_hidden_layers': 22, 'num_attention_heads': 12, 'global_attn_every_n_layers': "
     "3, 'local_attention': 128, 'max_position_embeddings': 8192, 'attention_bias': "
     "false, 'mlp_bias': false, 'norm_bias': false}"},
    {"modernbert-large", 395.9e6,
     "{'model_type': 'modernbert', 'architectures': ['ModernBertForMaskedLM'], "
     "'vocab_size': 50368, 'hidden_size': 1024, 'intermediate_size': 2624, "
     "'num_hidden_layers': 28, 'num_attention_heads': 16, 'global_attn_every_n_layers': "
     "3, 'local_attention': 128, 'max_position_embeddings': 8192}"},
    {"nomic-embed-v1.5", 136.7e6,
     "{'model_type': 'nomic_bert', 'architectures': ['NomicBertModel'], 'vocab_size': "
     "30528, 'n_embd': 768, 'n_inner': 3072, 'n_layer': 12, 'n_head': 12, 'n_positions': "
     "8192, 'activation_function': 'swiglu', 'qkv_proj_bias': false, 'mlp_fc1_bias': "
     "false, 'mlp_fc2_bias': false, 'type_vocab_size': 2, 'pad_vocab_size_multiple': 64, "
     "'prenorm': false, 'parallel_block': false}"},
    {"xlnet-base", 116.7e6,
     "{'model_type': 'xlnet', 'architectures': ['XLNetLMHeadModel'], 'vocab_size': 32000, "
     "'d_model': 768, 'n_layer': 12, 'n_head': 12, 'd_inner': 3072, 'd_head': 64, "
     "'untie_r': true, 'bi_data': false}"},
    {"esm2-650m", 652.4e6,
     "{'model_type': 'esm', 'architectures': ['EsmForMaskedLM'], 'vocab_size': 33, "
     "'hidden_size': 1280, 'num_hidden_layers': 33, 'num_attention_heads': 20, "
     "'intermediate_size': 5120, 'max_position_embeddings': 1026, "
     "'position_embedding_type': 'rotary', 'emb_layer_norm_before': false, "
     "'token_dropout': true, 'is_folding_model': false}"},
    {"bart-large", 406.3e6,
     "{'model_type': 'bart', 'architectures': ['BartModel'], 'vocab_size': 50265, "
     "'d_model': 1024, 'encoder_layers': 12, 'decoder_layers': 12, 'encoder_ffn_dim': "
     "4096, 'decoder_ffn_dim': 4096, 'encoder_attention_heads': 16, "
     "'decoder_attention_heads': 16, 'max_position_embeddings': 1024, "
     "'num_hidden_layers': 12, 'normalize_embedding': true}"},
    {"bart-base", 139.4e6,
     "{'model_type': 'bart', 'architectures': ['BartModel'], 'vocab_size': 50265, "
     "'d_model': 768, 'encoder_layers': 6, 'decoder_layers': 6, 'encoder_ffn_dim': 3072, "
     "'decoder_ffn_dim': 3072, 'encoder_attention_heads': 12, 'decoder_attention_heads': "
     "12, 'max_position_embeddings': 1024, 'num_hidden_layers': 6}"},
    {"mbart-large-50", 610.9e6,
     "{'model_type': 'mbart', 'architectures': ['MBartForConditionalGeneration'], "
     "'vocab_size': 250054, 'd_model': 1024, 'encoder_layers': 12, 'decoder_layers': 12, "
     "'encoder_ffn_dim': 4096, 'decoder_ffn_dim': 4096, 'encoder_attention_heads': 16, "
     "'decoder_attention_heads': 16, 'max_position_embeddings': 1024, "
     "'num_hidden_layers': 12}"},
    {"pegasus-large", 570.8e6,
     "{'model_type': 'pegasus', 'architectures': ['PegasusForConditionalGeneration'], "
     "'vocab_size': 96103, 'd_model': 1024, 'encoder_layers': 16, 'decoder_layers': 16, "
     "'encoder_ffn_dim': 4096, 'decoder_ffn_dim': 4096, 'encoder_attention_heads': 16, "
     "'decoder_attention_heads': 16, 'max_position_embeddings': 1024, "
     "'num_hidden_layers': 16}"},
    {"nllb-200-3.3B", 3345e6,
     "{'model_type': 'm2m_100', 'architectures': ['M2M100ForConditionalGeneration'], "
     "'vocab_size': 256206, 'd_model': 2048, 'encoder_layers': 24, 'decoder_layers': 24, "
     "'encoder_ffn_dim': 8192, 'decoder_ffn_dim': 8192, 'encoder_attention_heads': 16, "
     "'decoder_attention_heads': 16, 'max_position_embeddings': 1024, "
     "'num_hidden_layers': 24}"},
    {"opus-mt-en-de", 74.4e6,
     "{'model_type': 'marian', 'architectures': ['MarianMTModel'], 'vocab_size': 58101, "
     "'d_model': 512, 'encoder_layers': 6, 'decoder_layers': 6, 'encoder_ffn_dim': 2048, "
     "'decoder_ffn_dim': 2048, 'encoder_attention_heads': 8, 'decoder_attention_heads': "
     "8, 'max_position_embeddings': 512, 'num_hidden_layers': 6, "
     "'static_position_embeddings': true}"},
    {"whisper-large-v3", 1544e6,
     "{'model_type': 'whisper', 'architectures': ['WhisperForConditionalGeneration'], "
     "'vocab_size': 51866, 'd_model': 1280, 'encoder_layers': 32, 'decoder_layers': 32, "
     "'encoder_ffn_dim': 5120, 'decoder_ffn_dim': 5120, 'encoder_attention_heads': 20, "
     "'decoder_attention_heads': 20, 'num_mel_bins': 128, 'max_source_positions': 1500, "
     "'max_target_positions': 448, 'num_hidden_layers': 32}"},
    {"whisper-tiny", 37.76e6,
     "{'model_type': 'whisper', 'architectures': ['WhisperForConditionalGeneration'], "
     "'vocab_size': 51865, 'd_model': 384, 'encoder_layers': 4, 'decoder_layers': 4, "
     "'encoder_ffn_dim': 1536, 'decoder_ffn_dim': 1536, 'encoder_attention_heads': 6, "
     "'decoder_attention_heads': 6, 'num_mel_bins': 80, 'max_source_positions': 1500, "
     "'max_target_positions': 448}"},
    {"switch-base-8", 619e6,
     "{'model_type': 'switch_transformers', 'architectures': "
     "['SwitchTransformersForConditionalGeneration'], 'vocab_size': 32128, 'd_model': "
     "768, 'd_kv': 64, 'd_ff': 3072, 'num_layers': 12, 'num_decoder_layers': 12, "
     "'num_heads': 12, 'num_experts': 8, 'encoder_sparse_step': 2, 'decoder_sparse_step': "
     "2, 'num_sparse_encoder_layers': 6, 'num_sparse_decoder_layers': 6, "
     "'expert_capacity': 64}"},
    {"vit-base-16-224", 86.57e6,
     "{'model_type': 'vit', 'architectures': ['ViTForImageClassification'], "
     "'hidden_size': 768, 'num_hidden_layers': 12, 'num_attention_heads': 12, "
     "'intermediate_size': 3072, 'image_size': 224, 'patch_size': 16, 'num_channels': 3, "
     "'qkv_bias': true, 'num_labels': 1000}"},
    {"vit-large-16-224", 304.3e6,
     "{'model_type': 'vit', 'architectures': ['ViTForImageClassification'], "
     "'hidden_size': 1024, 'num_hidden_layers': 24, 'num_attention_heads': 16, "
     "'intermediate_size': 4096, 'image_size': 224, 'patch_size': 16, 'num_labels': 1000}"},
    {"vit-base-in21k", 86.39e6,
     "{'model_type': 'vit', 'architectures': ['ViTModel'], 'hidden_size': 768, "
     "'num_hidden_layers': 12, 'num_attention_heads': 12, 'intermediate_size': 3072, "
     "'image_size': 224, 'patch_size': 16}"},
    {"deit-base-dist", 87.34e6,
     "{'model_type': 'deit', 'architectures': ['DeiTForImageClassificationWithTeacher'], "
     "'hidden_size': 768, 'num_hidden_layers': 12, 'num_attention_heads': 12, "
     "'intermediate_size': 3072, 'image_size': 224, 'patch_size': 16, 'num_labels': 1000}"},
    {"beit-base", 86.5e6,
     "{'model_type': 'beit', 'architectures': ['BeitForImageClassification'], "
     "'hidden_size': 768, 'num_hidden_layers': 12, 'num_attention_heads': 12, "
     "'intermediate_size': 3072, 'image_size': 224, 'patch_size': 16, "
     "'use_relative_position_bias': true, 'use_absolute_position_embeddings': false, "
     "'use_shared_relative_position_bias': false, 'use_mean_pooling': true, 'num_labels': "
     "1000}"},
    {"dinov2-base", 86.58e6,
     "{'model_type': 'dinov2', 'architectures': ['Dinov2Model'], 'hidden_size': 768, "
     "'num_hidden_layers': 12, 'num_attention_heads': 12, 'mlp_ratio': 4, 'image_size': "
     "518, 'patch_size': 14, 'use_swiglu_ffn': false}"},
    {"dinov2-giant", 1136e6,
     "{'model_type': 'dinov2', 'architectures': ['Dinov2Model'], 'hidden_size': 1536, "
     "'num_hidden_layers': 40, 'num_attention_heads': 24, 'mlp_ratio': 4, 'image_size': "
     "518, 'patch_size': 14, 'use_swiglu_ffn': true}"},
    {"clip-vit-l-14(vision)", 303.2e6,
     "{'model_type': 'clip_vision_model', 'architectures': ['CLIPVisionModel'], "
     "'hidden_size': 1024, 'intermediate_size': 4096, 'num_hidden_layers': 24, "
     "'num_attention_heads': 16, 'image_size': 224, 'patch_size': 14}"},
    {"siglip-so400m(vision)", 428.2e6,
     "{'model_type': 'siglip_vision_model', 'architectures': ['SiglipVisionModel'], "
     "'hidden_size': 1152, 'intermediate_size': 4304, 'num_hidden_layers': 27, "
     "'num_attention_heads': 16, 'image_size': 384, 'patch_size': 14}"},
    {"llava-1.5-7b", 7063e6,
     "{'model_type': 'llava', 'architectures': ['LlavaForConditionalGeneration'], "
     "'text_config': {'model_type': 'llama', 'vocab_size': 32064, "
     "'max_position_embeddings': 4096}, 'vision_config': {'model_type': "
     "'clip_vision_model', 'hidden_size': 1024, 'intermediate_size': 4096, "
     "'num_hidden_layers': 24, 'num_attention_heads': 16, 'image_size': 336, "
     "'patch_size': 14, 'projection_dim': 768, 'vocab_size': 32000}, "
     "'projector_hidden_act': 'gelu', 'vision_feature_layer': -2}"},
    {"qwen2-vl-7b", 8291e6,
     "{'model_type': 'qwen2_vl', 'architectures': ['Qwen2VLForConditionalGeneration'], "
     "'vocab_size': 152064, 'hidden_size': 3584, 'intermediate_size': 18944, "
     "'num_hidden_layers': 28, 'num_attention_heads': 28, 'num_key_value_heads': 4, "
     "'max_window_layers': 28, 'sliding_window': 32768, 'use_sliding_window': false, "
     "'vision_config': {'depth': 32, 'embed_dim': 1280, 'mlp_ratio': 4, 'num_heads': 16, "
     "'in_chans': 3, 'hidden_size': 3584, 'patch_size': 14, 'spatial_merge_size': 2, "
     "'spatial_patch_size': 14, 'temporal_patch_size': 2}, 'tie_word_embeddings': false}"},
    {"qwen2.5-vl-7b", 8292e6,
     "{'model_type': 'qwen2_5_vl', 'architectures': "
     "['Qwen2_5_VLForConditionalGeneration'], 'vocab_size': 152064, 'hidden_size': 3584, "
     "'intermediate_size': 18944, 'num_hidden_layers': 28, 'num_attention_heads': 28, "
     "'num_key_value_heads': 4, 'max_window_layers': 28, 'sliding_window': 32768, "
     "'use_sliding_window': false, 'vision_config': {'depth': 32, 'hidden_act': 'silu', "
     "'hidden_size': 1280, 'intermediate_size': 3420, 'num_heads': 16, 'in_chans': 3, "
     "'out_hidden_size': 3584, 'patch_size': 14, 'spatial_merge_size': 2, "
     "'spatial_patch_size': 14, 'window_size': 112, 'fullatt_block_indexes': [7, 15, 23, "
     "31], 'tokens_per_second': 2, 'temporal_patch_size': 2}, 'tie_word_embeddings': "
     "false}"},
    {"gemma-3-4b-it", 4300e6,
     "{'model_type': 'gemma3', 'architectures': ['Gemma3ForConditionalGeneration'], "
     "'text_config': {'model_type': 'gemma3_text', 'hidden_size': 2560, "
     "'intermediate_size': 10240, 'num_hidden_layers': 34, 'num_attention_heads': 8, "
     "'num_key_value_heads': 4, 'head_dim': 256, 'sliding_window': 1024, 'vocab_size': "
     "262208}, 'vision_config': {'model_type': 'siglip_vision_model', 'hidden_size': "
     "1152, 'intermediate_size': 4304, 'num_hidden_layers': 27, 'num_attention_heads': "
     "16, 'image_size': 896, 'patch_size': 14, 'vision_use_head': false}, "
     "'mm_tokens_per_image': 256}"},
    {"paligemma-3b-224", 2923e6,
     "{'model_type': 'paligemma', 'architectures': ['PaliGemmaForConditionalGeneration'], "
     "'projection_dim': 2048, 'hidden_size': 2048, 'vocab_size': 257216, 'text_config': "
     "{'model_type': 'gemma', 'hidden_size': 2048, 'intermediate_size': 16384, "
     "'num_attention_heads': 8, 'num_hidden_layers': 18, 'num_key_value_heads': 1, "
     "'num_image_tokens': 256, 'vocab_size': 257216}, 'vision_config': {'model_type': "
     "'siglip_vision_model', 'hidden_size': 1152, 'intermediate_size': 4304, "
     "'num_attention_heads': 16, 'num_hidden_layers': 27, 'num_image_tokens': 256, "
     "'patch_size': 14, 'projection_dim': 2048, 'vision_use_head': false}}"},
    {"pixtral-12b", 1.268e10,
     "{'model_type': 'llava', 'architectures': ['LlavaForConditionalGeneration'], "
     "'text_config': {'model_type': 'mistral', 'hidden_size': 5120, 'head_dim': 128, "
     "'intermediate_size': 14336, 'num_hidden_layers': 40, 'num_key_value_heads': 8, "
     "'num_attention_heads': 32, 'sliding_window': null, 'vocab_size': 131072}, "
     "'vision_config': {'model_type': 'pixtral', 'head_dim': 64, 'hidden_act': 'silu', "
     "'image_size': 1024, 'is_composition': true, 'patch_size': 16, 'rope_theta': "
     "10000.0, 'tie_word_embeddings': false}, 'projector_hidden_act': 'gelu'}"},
    {"mistral-small-3.1-24b", 2.401e10,
     "{'model_type': 'mistral3', 'architectures': ['Mistral3ForConditionalGeneration'], "
     "'text_config': {'model_type': 'mistral', 'hidden_size': 5120, 'head_dim': 128, "
     "'intermediate_size': 32768, 'num_hidden_layers': 40, 'num_key_value_heads': 8, "
     "'num_attention_heads': 32, 'vocab_size': 131072, 'sliding_window': null}, "
     "'vision_config': {'model_type': 'pixtral', 'hidden_size': 1024, "
     "'intermediate_size': 4096, 'num_hidden_layers': 24, 'num_attention_heads': 16, "
     "'head_dim': 64, 'image_size': 1540, 'patch_size': 14}, 'multimodal_projector_bias': "
     "false, 'spatial_merge_size': 2}"},
    {"internvl2-8b", 8075e6,
     "{'model_type': 'internvl_chat', 'architectures': ['InternVLChatModel'], "
     "'llm_config': {'model_type': 'internlm2', 'architectures': "
     "['InternLM2ForCausalLM'], 'hidden_size': 4096, 'intermediate_size': 14336, "
     "'num_hidden_layers': 32, 'num_attention_heads': 32, 'num_key_value_heads': 8, "
     "'vocab_size': 92553, 'bias': false, 'tie_word_embeddings': false}, 'vision_config': "
     "{'model_type': 'intern_vit_6b', 'architectures': ['InternVisionModel'], "
     "'hidden_size': 1024, 'intermediate_size': 4096, 'num_hidden_layers': 24, "
     "'num_attention_heads': 16, 'image_size': 448, 'patch_size': 14, 'qkv_bias': true, "
     "'qk_normalization': false, 'norm_type': 'layer_norm'}, 'downsample_ratio': 0.5}"},
    {"smolvlm-instruct", 2246e6,
     "{'model_type': 'idefics3', 'architectures': ['Idefics3ForConditionalGeneration'], "
     "'scale_factor': 3, 'text_config': {'model_type': 'llama', 'hidden_size': 2048, "
     "'intermediate_size': 8192, 'num_hidden_layers': 24, 'num_attention_heads': 32, "
     "'num_key_value_heads': 32, 'vocab_size': 49155}, 'vision_config': {'model_type': "
     "'idefics3', 'hidden_size': 1152, 'intermediate_size': 4304, 'num_hidden_layers': "
     "27, 'num_attention_heads': 16, 'image_size': 384, 'patch_size': 14}, "
     "'tie_word_embeddings': false}"},
    {"qwen2-audio-7b", 8397e6,
     "{'model_type': 'qwen2_audio', 'architectures': "
     "['Qwen2AudioForConditionalGeneration'], 'audio_config': {'model_type': "
     "'qwen2_audio_encoder', 'd_model': 1280, 'encoder_layers': 32, 'encoder_ffn_dim': "
     "5120, 'encoder_attention_heads': 20, 'num_mel_bins': 128, 'max_source_positions': "
     "1500}, 'text_config': {'model_type': 'qwen2', 'hidden_size': 4096, "
     "'intermediate_size': 11008, 'num_hidden_layers': 32, 'num_attention_heads': 32, "
     "'num_key_value_heads': 32, 'vocab_size': 156032, 'use_sliding_window': false}}"},
    {"qwen3-vl-8b", 8767e6,
     "{'model_type': 'qwen3_vl', 'architectures': ['Qwen3VLForConditionalGeneration'], "
     "'text_config': {'model_type': 'qwen3_vl_text', 'hidden_size': 4096, "
     "'intermediate_size': 12288, 'num_hidden_layers': 36, 'num_attention_heads': 32, "
     "'num_key_value_heads': 8, 'head_dim': 128, 'vocab_size': 151936}, 'vision_config': "
     "{'model_type': 'qwen3_vl', 'deepstack_visual_indexes': [8, 16, 24], 'depth': 27, "
     "'hidden_size': 1152, 'intermediate_size': 4304, 'num_heads': 16, 'in_channels': 3, "
     "'num_position_embeddings': 2304, 'out_hidden_size': 4096, 'patch_size': 16, "
     "'spatial_merge_size': 2, 'temporal_patch_size': 2}, 'tie_word_embeddings': false}"},
    {"clip-vit-l-14", 4.276e8,
     "{'model_type': 'clip', 'architectures': ['CLIPModel'], 'projection_dim': 768, "
     "'logit_scale_init_value': 2.6592, 'text_config': {'hidden_size': 768, "
     "'intermediate_size': 3072, 'num_attention_heads': 12, 'num_hidden_layers': 12, "
     "'projection_dim': 768, 'vocab_size': 49408, 'max_position_embeddings': 77, "
     "'model_type': 'clip_text_model'}, 'vision_config': {'hidden_size': 1024, "
     "'intermediate_size': 4096, 'num_attention_heads': 16, 'num_hidden_layers': 24, "
     "'patch_size': 14, 'image_size': 224, 'projection_dim': 768, 'model_type': "
     "'clip_vision_model'}}"},
    {"clip-vit-b-32", 1.5128e8,
     "{'model_type': 'clip', 'architectures': ['CLIPModel'], 'projection_dim': 512, "
     "'text_config': {'hidden_size': 512, 'intermediate_size': 2048, "
     "'num_attention_heads': 8, 'num_hidden_layers': 12, 'vocab_size': 49408, "
     "'max_position_embeddings': 77}, 'vision_config': {'hidden_size': 768, "
     "'intermediate_size': 3072, 'num_attention_heads': 12, 'num_hidden_layers': 12, "
     "'patch_size': 32, 'image_size': 224}}"},
    {"siglip-so400m-384", 8.7796e8,
     "{'model_type': 'siglip', 'architectures': ['SiglipModel'], 'text_config': "
     "{'hidden_size': 1152, 'intermediate_size': 4304, 'model_type': 'siglip_text_model', "
     "'num_attention_heads': 16, 'num_hidden_layers': 27}, 'vision_config': "
     "{'hidden_size': 1152, 'image_size': 384, 'intermediate_size': 4304, 'model_type': "
     "'siglip_vision_model', 'num_attention_heads': 16, 'num_hidden_layers': 27, "
     "'patch_size': 14}}"},
    {"siglip-base-224", 2.0316e8,
     "{'model_type': 'siglip', 'architectures': ['SiglipModel'], 'text_config': "
     "{'model_type': 'siglip_text_model', 'hidden_size': 768, 'intermediate_size': 3072, "
     "'num_attention_heads': 12, 'num_hidden_layers': 12}, 'vision_config': "
     "{'model_type': 'siglip_vision_model'}}"},
    {"wav2vec2-base-960h", 9.44e7,
     "{'model_type': 'wav2vec2', 'architectures': ['Wav2Vec2ForCTC'], 'vocab_size': 32, "
     "'hidden_size': 768, 'num_hidden_layers': 12, 'num_attention_heads': 12, "
     "'intermediate_size': 3072, 'conv_bias': false, 'conv_dim': [512, 512, 512, 512, "
     "512, 512, 512], 'conv_kernel': [10, 3, 3, 3, 3, 2, 2], 'conv_stride': [5, 2, 2, 2, "
     "2, 2, 2], 'feat_extract_norm': 'group', 'do_stable_layer_norm': false, "
     "'num_conv_pos_embedding_groups': 16, 'num_conv_pos_embeddings': 128, "
     "'num_feat_extract_layers': 7}"},
    {"wav2vec2-xls-r-300m", 3.154e8,
     "{'model_type': 'wav2vec2', 'architectures': ['Wav2Vec2Model'], 'vocab_size': 32, "
     "'hidden_size': 1024, 'num_hidden_layers': 24, 'num_attention_heads': 16, "
     "'intermediate_size': 4096, 'conv_bias': true, 'conv_dim': [512, 512, 512, 512, 512, "
     "512, 512], 'conv_kernel': [10, 3, 3, 3, 3, 2, 2], 'conv_stride': [5, 2, 2, 2, 2, 2, "
     "2], 'feat_extract_norm': 'layer', 'do_stable_layer_norm': true}"},
    {"hubert-large", 3.154e8,
     "{'model_type': 'hubert', 'architectures': ['HubertModel'], 'hidden_size': 1024, "
     "'num_hidden_layers': 24, 'num_attention_heads': 16, 'intermediate_size': 4096, "
     "'conv_bias': true, 'feat_extract_norm': 'layer', 'do_stable_layer_norm': true}"},
    {"longformer-base", 1.4866e8,
     "{'model_type': 'longformer', 'architectures': ['LongformerForMaskedLM'], "
     "'attention_mode': 'longformer', 'attention_window': [512, 512, 512, 512, 512, 512, "
     "512, 512, 512, 512, 512, 512], 'vocab_size': 50265, 'hidden_size': 768, "
     "'num_hidden_layers': 12, 'num_attention_heads': 12, 'intermediate_size': 3072, "
     "'max_position_embeddings': 4098, 'type_vocab_size': 1}"},
    {"bigbird-roberta-base", 1.275e8,
     "{'model_type': 'big_bird', 'architectures': ['BigBirdForPreTraining'], "
     "'attention_type': 'block_sparse', 'block_size': 64, 'num_random_blocks': 3, "
     "'use_bias': true, 'vocab_size': 50358, 'hidden_size': 768, 'num_hidden_layers': 12, "
     "'num_attention_heads': 12, 'intermediate_size': 3072, 'max_position_embeddings': "
     "4096, 'type_vocab_size': 2, 'rescale_embeddings': false}"},
    {"opt-350m", 3.312e8,
     "{'model_type': 'opt', 'architectures': ['OPTForCausalLM'], 'vocab_size': 50272, "
     "'hidden_size': 1024, 'word_embed_proj_dim': 512, 'num_hidden_layers': 24, "
     "'num_attention_heads': 16, 'ffn_dim': 4096, 'max_position_embeddings': 2048, "
     "'do_layer_norm_before': false}"},
    {"hunyuan-large", 3.889e11,
     "{'model_type': 'hunyuan_v1_moe', 'architectures': ['HunYuanMoEV1ForCausalLM'], "
     "'vocab_size': 128512, 'hidden_size': 6400, 'intermediate_size': 18304, "
     "'num_hidden_layers': 64, 'num_attention_heads': 80, 'num_key_value_heads': 8, "
     "'num_experts': 16, 'moe_topk': 1, 'num_shared_expert': 1, 'use_cla': true, "
     "'cla_share_factor': 2, 'use_qk_norm': true, 'tie_word_embeddings': true, "
     "'use_mixed_mlp_moe': true}"},
    {"zamba2-7b", 7.357e9,
     "{'model_type': 'zamba2', 'architectures': ['Zamba2ForCausalLM'], 'vocab_size': "
     "32000, 'hidden_size': 3584, 'num_hidden_layers': 81, 'num_mem_blocks': 2, "
     "'attention_hidden_size': 7168, 'attention_head_dim': 224, 'num_attention_heads': "
     "32, 'num_key_value_heads': 32, 'intermediate_size': 14336, 'ffn_hidden_size': "
     "14336, 'hybrid_layer_ids': [6, 11, 17, 23, 29, 35, 41, 47, 53, 59, 65, 71, 77], "
     "'adapter_rank': 128, 'use_shared_attention_adapter': false, "
     "'use_shared_mlp_adapter': true, 'n_mamba_heads': 112, 'mamba_headdim': 64, "
     "'mamba_ngroups': 2, 'mamba_d_state': 64, 'mamba_d_conv': 4, 'mamba_expand': 2, "
     "'chunk_size': 256, 'add_bias_linear': false, 'use_conv_bias': true}"},
    {"llama-3.2-11b-vision", 1.067e10,
     "{'model_type': 'mllama', 'architectures': ['MllamaForConditionalGeneration'], "
     "'text_config': {'model_type': 'mllama_text_model', 'vocab_size': 128256, "
     "'hidden_size': 4096, 'intermediate_size': 14336, 'num_hidden_layers': 40, "
     "'num_attention_heads': 32, 'num_key_value_heads': 8, 'cross_attention_layers': [3, "
     "8, 13, 18, 23, 28, 33, 38], 'tie_word_embeddings': false}, 'vision_config': "
     "{'model_type': 'mllama_vision_model', 'hidden_size': 1280, 'attention_heads': 16, "
     "'intermediate_size': 5120, 'num_hidden_layers': 32, 'num_global_layers': 8, "
     "'image_size': 560, 'patch_size': 14, 'max_num_tiles': 4, 'max_aspect_ratio_id': 8, "
     "'vision_output_dim': 7680, 'intermediate_layers_indices': [3, 7, 15, 23, 30]}}"},

    {"swin-tiny", 2.829e7,
     "{'model_type': 'swin', 'architectures': ['SwinForImageClassification'], 'depths': "
     "[2, 2, 6, 2], 'num_heads': [3, 6, 12, 24], 'embed_dim': 96, 'hidden_size': 768, "
     "'num_layers': 4, 'window_size': 7, 'mlp_ratio': 4.0, 'image_size': 224, "
     "'patch_size': 4, 'num_channels': 3, 'qkv_bias': true, 'use_absolute_embeddings': "
     "false, 'num_labels': 1000}"},
};

static void published(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        struct nadi_model m;
        struct nadi_diags diags;
        if (!nadi_test_config_parse(&m, models[i].text, &diags))
            fail_msg("%s: %s", models[i].name, diags.items[0].message);
        const double counted = nadi_model_parameters(&m).all;
        if (fabs(counted / models[i].published - 1) > 0.01)
            fail_msg("%s: %.0f parameters, published %.0f", models[i].name, counted,
                     models[i].published);
        nadi_test_config_drop(&m, &diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
