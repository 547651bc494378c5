/* Small configurations of layers that are not attention or differ in size, of encoders and of
 * pictures; each count is the sum of its tensors, written out by hand from the layers' definitions.
 */
#include "support/configs.h"

#define ENCODER                                                                                    \
    "'num_hidden_layers': 4, 'hidden_size': 64, 'num_attention_heads': 8, 'intermediate_size': "   \
    "160, 'vocab_size': 1000, 'max_position_embeddings': 32"
#define BOTH                                                                                       \
    "'vocab_size': 1000, 'd_model': 64, 'encoder_layers': 4, 'decoder_layers': 2, "                \
    "'encoder_ffn_dim': 160, 'decoder_ffn_dim': 160, 'encoder_attention_heads': 8, "               \
    "'decoder_attention_heads': 8"
#define PICTURES                                                                                   \
    "'num_hidden_layers': 4, 'hidden_size': 64, 'num_attention_heads': 8, 'intermediate_size': "   \
    "160, 'image_size': 32, 'patch_size': 8"

const struct nadi_test_config nadi_test_more_configs[] = {
    {"{'model_type': 'mamba', 'num_hidden_layers': 4, 'hidden_size': 64, 'vocab_size': "
     "1000, 'state_size': 8, 'time_step_rank': 'auto', 'intermediate_size': 128}",
     182592, 182592},
    {"{'model_type': 'mamba2', 'num_hidden_layers': 4, 'hidden_size': 64, 'vocab_size': "
     "1000, 'num_heads': 16, 'head_dim': 8, 'n_groups': 2, 'state_size': 16, "
     "'tie_word_embeddings': false}",
     251648, 251648},
    {"{'d_model': 64, 'n_layer': 4, 'vocab_size': 993, 'ssm_cfg': {'layer': 'Mamba2', "
     "'d_state': 16, 'headdim': 16}, 'attn_layer_idx': [], 'tie_embeddings': true}",
     176672, 176672},
    {"{'model_type': 'jamba', " BASE ", 'attn_layer_period': 4, 'attn_layer_offset': 2, "
     "'expert_layer_period': 2, 'expert_layer_offset': 1, 'num_experts': 4, "
     "'num_experts_per_tok': 2, 'mamba_d_state': 8, 'mamba_dt_rank': 'auto'}",
     535292, 412412},
    {"{'model_type': 'bamba', " BASE ", 'attn_layer_indices': [1], 'mamba_n_heads': 16, "
     "'mamba_d_head': 'auto', 'mamba_d_state': 16}",
     347568, 347568},
    {"{'model_type': 'falcon_h1', " BASE ", 'head_dim': 16, 'mamba_d_ssm': 96, 'mamba_n_heads': "
     "6, 'mamba_d_head': 16, 'mamba_d_state': 16, 'mamba_rms_norm': false}",
     419464, 419464},
    {"{'model_type': 'nemotron_h', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'num_key_value_heads': 2, 'head_dim': 16, "
     "'intermediate_size': 160, 'vocab_size': 1000, 'hybrid_override_pattern': 'M-*E', "
     "'mamba_num_heads': 4, 'mamba_head_dim': 16, 'n_groups': 2, 'ssm_state_size': 16, "
     "'n_routed_experts': 4, 'num_experts_per_tok': 2, 'moe_intermediate_size': 48, "
     "'n_shared_experts': 1, 'moe_shared_expert_intermediate_size': 96, "
     "'moe_latent_size': 32}",
     215564, 209420},
    {"{'model_type': 'granitemoehybrid', " BASE ", 'layer_types': ['mamba', 'mamba', 'mamba', "
     "'attention'], 'num_local_experts': 4, 'num_experts_per_tok': 2, "
     "'shared_intermediate_size': 96, 'mamba_n_heads': 16, 'mamba_d_head': 8, "
     "'mamba_d_state': 16, 'tie_word_embeddings': true}",
     726960, 481200},
    {"{'model_type': 'qwen3_next', " BASE ", 'head_dim': 16, 'linear_num_key_heads': 2, "
     "'linear_num_value_heads': 4, 'linear_key_head_dim': 8, 'linear_value_head_dim': 16, "
     "'num_experts': 4, 'num_experts_per_tok': 2, 'moe_intermediate_size': 48, "
     "'shared_expert_intermediate_size': 96, 'full_attention_interval': 2}",
     438960, 365232},
    {"{'model_type': 'qwen3_5_text', " BASE ", 'head_dim': 16, 'linear_num_key_heads': 2, "
     "'linear_num_value_heads': 4, 'linear_key_head_dim': 8, 'linear_value_head_dim': 16, "
     "'layer_types': ['linear_attention', 'linear_attention', 'linear_attention', "
     "'full_attention']}",
     325928, 325928},
    {"{'model_type': 'qwen3_5_moe_text', " BASE ", 'head_dim': 16, 'linear_num_key_heads': 2, "
     "'linear_num_value_heads': 4, 'linear_key_head_dim': 8, 'linear_value_head_dim': 16, "
     "'num_experts': 4, 'num_experts_per_tok': 2, 'moe_intermediate_size': 48, "
     "'shared_expert_intermediate_size': 96}",
     425512, 351784},
    {"{'model_type': 'kimi_linear', " BASE ", 'q_lora_rank': null, 'kv_lora_rank': 32, "
     "'qk_nope_head_dim': 8, 'qk_rope_head_dim': 4, 'v_head_dim': 8, 'num_experts': 4, "
     "'num_experts_per_token': 2, 'moe_intermediate_size': 48, 'num_shared_experts': 1, "
     "'first_k_dense_replace': 1, 'linear_attn_config': {'full_attn_layers': [4], "
     "'kda_layers': [1, 2, 3], 'num_heads': 4, 'head_dim': 16, 'short_conv_kernel_size': "
     "4}}",
     379752, 324456},
    {"{'model_type': 'minimax', " BASE ", 'head_dim': 16, 'attn_type_list': [0, 0, 0, 1], "
     "'num_local_experts': 4, 'num_experts_per_tok': 2}",
     764864, 519104},
    {"{'model_type': 'lfm2', " BASE ", 'full_attn_idxs': [1], 'block_ff_dim': 384, "
     "'block_multiple_of': 64}",
     321168, 321168},
    {"{'model_type': 'recurrent_gemma', " BASE ", 'lru_width': 48, 'attention_window_size': 32, "
     "'block_types': ['recurrent', 'recurrent', 'attention']}",
     168224, 168224},
    {"{'model_type': 'rwkv', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'attention_hidden_size': 96, 'intermediate_size': 160, 'vocab_size': 1000}",
     327936, 327936},
    {"{'model_type': 'rwkv5', 'num_hidden_layers': 4, 'hidden_size': 64, 'head_size': 16, "
     "'intermediate_size': 160, 'vocab_size': 1000}",
     312064, 312064},
    {"{'model_type': 'rwkv7', 'num_hidden_layers': 4, 'hidden_size': 64, 'head_dim': 16, "
     "'intermediate_size': 160, 'vocab_size': 1000, 'decay_low_rank_dim': 8, "
     "'a_low_rank_dim': 8, 'v_low_rank_dim': 4, 'gate_low_rank_dim': 16}",
     299008, 299008},
    {"{'model_type': 'nemotron-nas', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'vocab_size': 1000, 'block_configs': [{'attention': "
     "{'n_heads_in_group': 4, 'no_op': false, 'replace_with_linear': false}, 'ffn': "
     "{'ffn_mult': 4.5, 'no_op': false, 'replace_with_linear': false}}, {'attention': "
     "{'n_heads_in_group': null, 'no_op': true}, 'ffn': {'ffn_mult': 1.0}}, {'attention': "
     "{'n_heads_in_group': null, 'replace_with_linear': true}, 'ffn': {'no_op': true, "
     "'ffn_mult': null}}, {'attention': {'n_heads_in_group': 8}, 'ffn': "
     "{'replace_with_linear': true}}]}",
     254400, 254400},
    {"{'model_type': 'deci', " BASE ", 'num_key_value_heads_per_layer': [4, 2, 1, 8]}", 299584,
     299584},
    {"{'model_type': 'openelm', 'model_dim': 64, 'num_transformer_layers': 2, 'head_dim': "
     "16, 'vocab_size': 1000, 'num_query_heads': [4, 8], 'num_kv_heads': [2, 2], "
     "'ffn_multipliers': [1.0, 3.0], 'ffn_dim_divisor': 32}",
     146304, 146304},
    {"{'model_type': 'mimo_v2_flash', " BASE ", 'head_dim': 16, 'v_head_dim': 8, "
     "'sliding_window': 32, 'swa_num_attention_heads': 8, 'swa_num_key_value_heads': 4, "
     "'swa_head_dim': 16, 'swa_v_head_dim': 8, 'hybrid_layer_pattern': [0, 1, 1, 0], "
     "'moe_layer_freq': [0, 1, 1, 1], 'n_routed_experts': 4, 'num_experts_per_tok': 2, "
     "'moe_intermediate_size': 48, 'add_swa_attention_sink_bias': true}",
     338268, 282972},
    {"{'model_type': 'step3p5', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'num_attention_groups': 2, 'intermediate_size': 160, "
     "'vocab_size': 1000, 'head_dim': 16, 'sliding_window': 32, 'layer_types': "
     "['full_attention', 'sliding_attention', 'sliding_attention', 'full_attention'], "
     "'attention_other_setting': {'attention_type': 'sliding_attention', "
     "'num_attention_heads': 12, 'num_attention_groups': 4, 'head_dim': 16}, "
     "'use_head_wise_attn_gate': true, 'moe_layers_enum': '1,2,3', 'moe_num_experts': 4, "
     "'moe_top_k': 2, 'moe_intermediate_size': 48, 'share_expert_dim': 96}",
     435148, 379852},
    {"{'model_type': 'gemma3n_text', " BASE ", 'head_dim': 8, 'hidden_size_per_layer_input': 16, "
     "'vocab_size_per_layer_input': 900, 'laurel_rank': 8, 'altup_num_inputs': 4, "
     "'num_kv_shared_layers': 1}",
     329936, 329936},
    {"{'model_type': 'gemma4_text', " BASE ", 'head_dim': 8, 'global_head_dim': 16, "
     "'num_global_key_value_heads': 1, 'attention_k_eq_v': true, 'layer_types': "
     "['sliding_attention', 'sliding_attention', 'full_attention', 'full_attention'], "
     "'hidden_size_per_layer_input': 16, 'vocab_size_per_layer_input': 900, "
     "'num_kv_shared_layers': 1, 'use_double_wide_mlp': true}",
     343200, 343200},
    {"{'model_type': 'deepseek_v32', " BASE ", 'q_lora_rank': 48, 'kv_lora_rank': 32, "
     "'qk_nope_head_dim': 8, 'qk_rope_head_dim': 4, 'v_head_dim': 8, 'n_routed_experts': "
     "4, 'num_experts_per_tok': 2, 'n_shared_experts': 1, 'moe_intermediate_size': 48, "
     "'first_k_dense_replace': 1, 'index_n_heads': 4, 'index_head_dim': 16, 'index_topk': "
     "32}",
     388876, 333580},
    {"{'model_type': 'deepseek_v4', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'num_key_value_heads': 1, 'head_dim': 16, 'vocab_size': "
     "1000, 'q_lora_rank': 48, 'o_lora_rank': 32, 'o_groups': 2, 'hc_mult': 4, "
     "'sliding_window': 32, 'compress_ratios': [0, 4, 128, 4], 'index_n_heads': 4, "
     "'index_head_dim': 8, 'index_topk': 16, 'n_routed_experts': 4, "
     "'num_experts_per_tok': 2, 'n_shared_experts': 1, 'moe_intermediate_size': 48}",
     458765, 385037},
    {"{'model_type': 'deepseek_v4', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'num_key_value_heads': 1, 'head_dim': 16, 'vocab_size': "
     "1000, 'q_lora_rank': 48, 'o_lora_rank': 32, 'o_groups': 2, 'hc_mult': 4, "
     "'sliding_window': 32, 'compress_rates': {'compressed_sparse_attention': 8, "
     "'heavily_compressed_attention': 64}, 'layer_types': ['sliding_attention', "
     "'compressed_sparse_attention', 'heavily_compressed_attention', "
     "'compressed_sparse_attention'], 'mlp_layer_types': ['hash_moe', 'moe', 'moe', 'moe'], "
     "'index_n_heads': 4, "
     "'index_head_dim': 8, 'index_topk': 16, 'n_routed_experts': 4, "
     "'num_experts_per_tok': 2, 'n_shared_experts': 1, 'moe_intermediate_size': 48}",
     458765 - 640, 385037 - 640}, /* places in 64, not 128, and in 8, not 4 */
    {"{'model_type': 'minimax_m3', " BASE ", 'head_dim': 16, 'dense_intermediate_size': 320, "
     "'num_local_experts': 4, 'num_experts_per_tok': 2, 'n_shared_experts': 1, "
     "'shared_intermediate_size': 160, 'moe_layer_freq': [0, 1, 1, 1], "
     "'sparse_attention_config': {'sparse_attention_freq': [0, 0, 1, 1], "
     "'sparse_num_index_heads': 2, 'sparse_index_dim': 16, 'sparse_block_size': 16, "
     "'sparse_topk_blocks': 2}}",
     739852, 555532},
    {"{'model_type': 'longcat_flash', 'num_layers': 2, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'ffn_hidden_size': 160, 'expert_ffn_hidden_size': 48, "
     "'vocab_size': 1000, 'q_lora_rank': 48, 'kv_lora_rank': 32, 'qk_nope_head_dim': 8, "
     "'qk_rope_head_dim': 4, 'v_head_dim': 8, 'n_routed_experts': 4, 'moe_topk': 2, "
     "'zero_expert_num': 2}",
     398988, 349836},
    {"{'model_type': 'llama', 'architectures': ['LlamaForCausalLMEagle3'], "
     "'num_hidden_layers': 1, 'hidden_size': 64, 'num_attention_heads': 8, "
     "'num_key_value_heads': 2, 'intermediate_size': 160, 'vocab_size': 1000, "
     "'draft_vocab_size': 300}",
     142848, 142848},
    {"{'model_type': 'albert', " ENCODER ", 'type_vocab_size': 2, 'embedding_size': 16, "
     "'num_hidden_groups': 2}",
     97024, 97024},
    {"{'model_type': 'electra', 'architectures': ['ElectraForPreTraining'], " ENCODER ", "
     "'type_vocab_size': 2, 'embedding_size': 16}",
     172289, 172289},
    {"{'model_type': 'deberta-v2', " ENCODER ", 'type_vocab_size': 0, 'relative_attention': true, "
     "'position_buckets': 8, 'norm_rel_ebd': 'layer_norm', 'share_att_key': true, "
     "'pos_att_type': 'p2c|c2p', 'position_biased_input': false, 'conv_kernel_size': 3}",
     228160, 228160},
    {"{'model_type': 'deberta', " ENCODER ", 'type_vocab_size': 0, 'relative_attention': true, "
     "'pos_att_type': ['c2p', 'p2c'], 'position_biased_input': false}",
     251392, 251392},
    {"{'model_type': 'mpnet', " ENCODER "}", 220992, 220992},
    {"{'model_type': 'modernbert', 'architectures': ['ModernBertForMaskedLM'], " ENCODER "}",
     258152, 258152},
    {"{'model_type': 'nomic_bert', 'n_layer': 4, 'n_embd': 64, 'n_head': 8, 'n_inner': "
     "160, 'vocab_size': 993, 'pad_vocab_size_multiple': 8, 'type_vocab_size': 2, "
     "'activation_function': 'swiglu', 'qkv_proj_bias': false}",
     253696, 253696},
    {"{'model_type': 'xlnet', 'n_layer': 4, 'd_model': 64, 'n_head': 8, 'd_inner': 160, "
     "'vocab_size': 1000, 'untie_r': true}",
     231104, 231104},
    {"{'model_type': 'esm', 'position_embedding_type': 'rotary', " ENCODER "}", 214561, 214561},
    {"{'model_type': 'megatron-bert', " ENCODER ", 'type_vocab_size': 2}", 220864, 220864},
    {"{'model_type': 'bart', " BOTH ", 'max_position_embeddings': 32}", 327744, 327744},
    {"{'model_type': 'mbart', " BOTH ", 'max_position_embeddings': 32}", 328000, 328000},
    {"{'model_type': 'm2m_100', " BOTH ", 'max_position_embeddings': 32}", 323392, 323392},
    {"{'model_type': 'marian', " BOTH ", 'max_position_embeddings': 32}", 323136, 323136},
    {"{'model_type': 'blenderbot', " BOTH ", 'max_position_embeddings': 32}", 327488, 327488},
    {"{'model_type': 'whisper', " BOTH ", 'num_mel_bins': 8, 'max_source_positions': 30, "
     "'max_target_positions': 20}",
     340032, 340032},
    {"{'model_type': 'switch_transformers', 'vocab_size': 1000, 'd_model': 64, 'd_kv': 8, "
     "'d_ff': 160, 'num_layers': 4, 'num_decoder_layers': 4, 'num_heads': 8, "
     "'num_experts': 4, 'encoder_sparse_step': 2, 'decoder_sparse_step': 2}",
     673152, 427392},
    {"{'model_type': 'vit', 'architectures': ['ViTForImageClassification'], " PICTURES ", "
     "'id2label': {'0': 'a', '1': 'b', '2': 'c'}}",
     164227, 164227},
    {"{'model_type': 'deit', 'architectures': ['DeiTModel'], " PICTURES "}", 168320, 168320},
    {"{'model_type': 'beit', 'architectures': ['BeitModel'], " PICTURES ", "
     "'use_relative_position_bias': true}",
     165120, 165120},
    {"{'model_type': 'dinov2', 'architectures': ['Dinov2Model'], 'num_hidden_layers': 4, "
     "'hidden_size': 64, 'num_attention_heads': 8, 'image_size': 32, 'patch_size': 8, "
     "'mlp_ratio': 2, 'use_swiglu_ffn': true}",
     150336, 150336},
    {"{'model_type': 'clip_vision_model', " PICTURES "}", 164096, 164096},
    {"{'model_type': 'clip_text_model', 'architectures': ['CLIPTextModelWithProjection'], " ENCODER
     ", 'projection_dim': 32}",
     218624, 218624},
    {"{'model_type': 'siglip_vision_model', " PICTURES "}", 201440, 201440},
    {"{'model_type': 'pixtral_vision', " PICTURES "}", 201280, 201280},
    {"{'model_type': 'intern_vit_6b', " PICTURES ", 'qkv_bias': true, 'qk_normalization': true}",
     164928, 164928},
    {"{'model_type': 'qwen2_audio_encoder', 'd_model': 64, 'encoder_layers': 4, "
     "'encoder_ffn_dim': 160, 'encoder_attention_heads': 8, 'num_mel_bins': 8, "
     "'max_source_positions': 30}",
     166144, 166144},
    {"{'model_type': 'qwen2_vl_vision', 'depth': 4, 'embed_dim': 64, 'num_heads': 8, "
     "'mlp_ratio': 2, 'hidden_size': 96, 'patch_size': 4}",
     230624, 230624},
    {"{'model_type': 'qwen2_5_vl_vision', 'depth': 4, 'hidden_size': 64, 'num_heads': 8, "
     "'intermediate_size': 160, 'out_hidden_size': 96, 'patch_size': 4, "
     "'fullatt_block_indexes': [3]}",
     288160, 288160},
    {"{'model_type': 'qwen3_vl_vision', 'depth': 4, 'hidden_size': 64, 'num_heads': 8, "
     "'intermediate_size': 160, 'out_hidden_size': 96, 'patch_size': 4, "
     "'num_position_embeddings': 16, 'deepstack_visual_indexes': [1, 2]}",
     430176, 430176},
    {"{'model_type': 'gemma4_vision', " PICTURES ", 'head_dim': 8, 'position_embedding_size': 100}",
     214592, 214592},
    {"{'model_type': 'longformer', " ENCODER ", 'attention_window': [8, 8, 8, 8], "
     "'type_vocab_size': 1}",
     270720, 270720},
    {"{'model_type': 'big_bird', " ENCODER ", 'block_size': 2, 'type_vocab_size': 2}", 220864,
     220864},
    {"{'model_type': 'wav2vec2', 'architectures': ['Wav2Vec2ForCTC'], "
     "'num_hidden_layers': 4, 'hidden_size': 64, 'num_attention_heads': 8, "
     "'intermediate_size': 160, 'vocab_size': 30, 'conv_dim': [32, 48], 'conv_kernel': "
     "[10, 3], 'conv_stride': [5, 2], 'conv_bias': true, 'num_conv_pos_embeddings': 8, "
     "'num_conv_pos_embedding_groups': 4}",
     169110, 169110},
    {"{'model_type': 'zamba2', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'intermediate_size': 160, 'vocab_size': 1000, "
     "'attention_head_dim': 16, 'num_mem_blocks': 1, 'hybrid_layer_ids': [1, 3], "
     "'adapter_rank': 8, 'use_shared_attention_adapter': true, 'n_mamba_heads': 16, "
     "'mamba_headdim': 8, 'mamba_d_state': 16}",
     293696, 293696},
    {"{'model_type': 'moonvit', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'intermediate_size': 160, 'patch_size': 4, "
     "'init_pos_emb_height': 3, 'init_pos_emb_width': 5}",
     154624, 154624},
    {"{'model_type': 'glm4v_vision', 'depth': 4, 'hidden_size': 64, 'num_heads': 8, "
     "'intermediate_size': 160, 'out_hidden_size': 96, 'patch_size': 4, 'image_size': 8}",
     226528, 226528},
    {"{'model_type': 'mllama_text_model', " BASE ", 'cross_attention_layers': [1]}", 292946,
     292946},
    {"{'model_type': 'mllama_vision_model', 'num_hidden_layers': 3, 'num_global_layers': "
     "1, 'hidden_size': 64, 'attention_heads': 8, 'intermediate_size': 160, 'image_size': "
     "32, 'patch_size': 8, 'max_num_tiles': 2, 'max_aspect_ratio_id': 3}",
     172805, 172805},
    {"{'model_type': 'ctrl', 'n_layer': 4, 'n_embd': 64, 'n_head': 8, 'dff': 160, "
     "'vocab_size': 1000}",
     215528, 215528},
    {"{'model_type': 'layoutlm', " ENCODER ", 'type_vocab_size': 2, 'max_2d_position_embeddings': "
     "20}",
     225984, 225984},
    {"{'model_type': 'ernie', " ENCODER ", 'type_vocab_size': 2, 'use_task_id': true}", 221056,
     221056},
    {"{'model_type': 'swin', 'architectures': ['SwinForImageClassification'], 'depths': "
     "[1, 2], 'num_heads': [4, 8], 'embed_dim': 32, 'mlp_ratio': 2.0, 'window_size': 2, "
     "'image_size': 32, 'patch_size': 8, 'num_labels': 3}",
     90679, 90679},
    {"{'model_type': 'cwm', " BASE ", 'sliding_window': 128}", 292416, 292416},
    {"{'model_type': 'hyperclovax', " BASE ", 'use_post_norm': true}", 292928, 292928},
    {"{'model_type': 'exaone_moe', " BASE
     ", 'head_dim': 16, 'num_experts': 8, 'num_experts_per_tok': 2, 'moe_intermediate_size': 48, "
     "'num_shared_experts': 1, 'is_moe_layer': [false, true, true, true]}",
     491736, 325848},
    {"{'model_type': 'hy_v3', " BASE ", 'head_dim': 16, 'num_experts': 8, 'num_experts_per_tok': "
     "2, 'moe_intermediate_size': 48, 'num_shared_experts': 1}",
     491736, 325848},
    {"{'model_type': 'afmoe', " BASE
     ", 'head_dim': 16, 'num_dense_layers': 2, 'num_experts': 8, 'num_experts_per_tok': 2, "
     "'moe_intermediate_size': 48, 'num_shared_experts': 1}",
     472272, 361680},
    {"{'model_type': 'laguna', " BASE
     ", 'head_dim': 16, 'num_experts': 8, 'num_experts_per_tok': 2, 'moe_intermediate_size': 48, "
     "'shared_expert_intermediate_size': 96, 'num_attention_heads_per_layer': [8, 4, 4, 8]}",
     504536, 338648},
    {"{'model_type': 'jais2', " BASE "}", 253568, 253568},
    {"{'model_type': 'flex_olmo', " BASE ", 'num_experts': 8, 'num_experts_per_tok': 2}", 1154944,
     417664},
    {"{'model_type': 'Dream', " BASE ", 'architectures': ['DreamModel']}", 292800, 292800},
    {"{'model_type': 'mistral4', " BASE
     ", 'q_lora_rank': 32, 'kv_lora_rank': 16, 'qk_rope_head_dim': 4, 'qk_nope_head_dim': 8, "
     "'v_head_dim': 8, 'n_routed_experts': 8, 'num_experts_per_tok': 2, 'moe_intermediate_size': "
     "48, 'n_shared_experts': 1}",
     512768, 291584},
    {"{'model_type': 'vaultgemma', " BASE ", 'head_dim': 16}", 269376, 269376},
    {"{'model_type': 'bailing_moe_linear', " BASE
     ", 'head_dim': 16, 'layer_group_size': 2, 'first_k_dense_replace': 1, 'num_experts': 8, "
     "'num_experts_per_tok': 2, 'moe_intermediate_size': 48, 'num_shared_experts': 1}",
     532952, 367064},
    {"{'model_type': 'modernbert-decoder', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'intermediate_size': 160, 'vocab_size': 1000}",
     258152, 258152},
    {"{'model_type': 'eurobert', 'architectures': ['EuroBertModel'], " BASE "}", 228416, 228416},
    {"{'model_type': 'new', 'num_hidden_layers': 4, 'hidden_size': 64, 'num_attention_heads': 8, "
     "'intermediate_size': 160, 'vocab_size': 1000, 'type_vocab_size': 2}",
     254976, 254976},
    {"{'model_type': 'blenderbot-small', " BOTH ", 'max_position_embeddings': 32}", 327488, 327488},
    {"{'model_type': 'dinov3_vit', " PICTURES ", 'num_register_tokens': 4}", 163520, 163520},
    {"{'model_type': 'deepseek_vl_v2_vision', 'layers': 4, 'width': 64, 'heads': 8, 'mlp_ratio': "
     "2.5, 'image_size': 32, 'patch_size': 8}",
     201440, 201440},
};

const size_t nadi_test_more_count =
    sizeof(nadi_test_more_configs) / sizeof(nadi_test_more_configs[0]);
