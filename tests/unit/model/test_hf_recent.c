/* hf: models of 2025 and later, embedding models, and models of pictures whose encoder the file
 * only names, against the sizes that are published of them, to one per cent. Only what decides the
 * size is given of each configuration. */
#include "support/configs.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static const struct {
    const char *name;
    double published;
    const char *text;
} models[] = {
    {"aya-vision-8b", 8.63e9,
     "{'model_type': 'aya_vision', 'architectures': "
     "['AyaVisionForConditionalGeneration'], 'alignment_intermediate_size': 28672, "
     "'downsample_factor': 2, 'text_config': {'model_type': 'cohere2', 'vocab_size': "
     "256000, 'hidden_size': 4096, 'intermediate_size': 14336, 'num_hidden_layers': 32, "
     "'num_attention_heads': 32, 'num_key_value_heads': 8, 'head_dim': 128, "
     "'sliding_window': 4096}, 'vision_config': {'model_type': 'siglip_vision_model', "
     "'hidden_size': 1152, 'intermediate_size': 4304, 'num_hidden_layers': 27, "
     "'num_attention_heads': 16, 'image_size': 364, 'patch_size': 14, 'vision_use_head': "
     "false}}"},
    {"blenderbot_small-90M", 87.5e6,
     "{'model_type': 'blenderbot-small', 'architectures': "
     "['BlenderbotSmallForConditionalGeneration'], 'vocab_size': 54944, 'd_model': 512, "
     "'encoder_layers': 8, 'decoder_layers': 8, 'encoder_ffn_dim': 2048, "
     "'decoder_ffn_dim': 2048, 'encoder_attention_heads': 16, 'decoder_attention_heads': "
     "16, 'max_position_embeddings': 512}"},
    {"cwm", 32.6e9,
     "{'model_type': 'cwm', 'architectures': ['CwmForCausalLM'], 'vocab_size': 128256, "
     "'hidden_size': 6144, 'intermediate_size': 21504, 'num_hidden_layers': 64, "
     "'num_attention_heads': 48, 'num_key_value_heads': 8, 'head_dim': 128, "
     "'sliding_window': 8192, 'layer_types': ['full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention'], 'tie_word_embeddings': false}"},
    {"dinov3-vit7b", 6.716e9,
     "{'model_type': 'dinov3_vit', 'architectures': ['DINOv3ViTModel'], 'hidden_size': "
     "4096, 'intermediate_size': 8192, 'num_hidden_layers': 40, 'num_attention_heads': "
     "32, 'num_register_tokens': 4, 'image_size': 224, 'patch_size': 16, 'query_bias': "
     "false, 'key_bias': false, 'value_bias': false, 'proj_bias': true, 'mlp_bias': "
     "true, 'use_gated_mlp': true, 'layerscale_value': 1.0}"},
    {"dinov3-vitl16", 303.1e6,
     "{'model_type': 'dinov3_vit', 'architectures': ['DINOv3ViTModel'], 'hidden_size': "
     "1024, 'intermediate_size': 4096, 'num_hidden_layers': 24, 'num_attention_heads': "
     "16, 'num_register_tokens': 4, 'image_size': 224, 'patch_size': 16, 'query_bias': "
     "true, 'key_bias': false, 'value_bias': true, 'proj_bias': true, 'mlp_bias': true, "
     "'use_gated_mlp': false, 'layerscale_value': 1.0}"},
    {"dream", 7.62e9,
     "{'model_type': 'Dream', 'architectures': ['DreamModel'], 'vocab_size': 152064, "
     "'hidden_size': 3584, 'intermediate_size': 18944, 'num_hidden_layers': 28, "
     "'num_attention_heads': 28, 'num_key_value_heads': 4, 'use_sliding_window': false, "
     "'tie_word_embeddings': false, 'mask_token_id': 151666}"},
    {"ettin-decoder-150m", 149e6,
     "{'model_type': 'modernbert-decoder', 'architectures': "
     "['ModernBertDecoderForCausalLM'], 'vocab_size': 50368, 'hidden_size': 768, "
     "'intermediate_size': 1152, 'num_hidden_layers': 22, 'num_attention_heads': 12, "
     "'global_attn_every_n_layers': 3, 'local_attention': 128, 'decoder_bias': true, "
     "'classifier_bias': false}"},
    {"eurobert", 211.8e6,
     "{'model_type': 'eurobert', 'architectures': ['EuroBertModel'], 'vocab_size': "
     "128256, 'hidden_size': 768, 'intermediate_size': 3072, 'num_hidden_layers': 12, "
     "'num_attention_heads': 12, 'num_key_value_heads': 12}"},
    {"flexolmo", 33.27e9,
     "{'model_type': 'flex_olmo', 'architectures': ['FlexOlmoForCausalLM'], "
     "'vocab_size': 100352, 'hidden_size': 4096, 'intermediate_size': 11008, "
     "'num_hidden_layers': 32, 'num_attention_heads': 32, 'num_key_value_heads': 32, "
     "'num_experts': 7, 'num_experts_per_tok': 7}"},
    {"gemma-3n-E4B", 7.85e9,
     "{'model_type': 'gemma3n', 'architectures': ['Gemma3nForConditionalGeneration'], "
     "'text_config': {'model_type': 'gemma3n_text', 'vocab_size': 262400, "
     "'vocab_size_per_layer_input': 262144, 'hidden_size': 2048, "
     "'hidden_size_per_layer_input': 256, 'intermediate_size': [16384, 16384, 16384, "
     "16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, "
     "16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, "
     "16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384], "
     "'num_hidden_layers': 35, 'num_attention_heads': 8, 'num_key_value_heads': 2, "
     "'head_dim': 256, 'num_kv_shared_layers': 15, 'laurel_rank': 64, "
     "'altup_num_inputs': 4, 'sliding_window': 512, 'layer_types': ['sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'sliding_attention', 'full_attention', "
     "'sliding_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'sliding_attention', 'full_attention']}, "
     "'audio_config': {'model_type': 'gemma3n_audio', 'hidden_size': 1536, "
     "'conf_num_hidden_layers': 12, 'conf_num_attention_heads': 8, "
     "'conf_conv_kernel_size': 5, 'input_feat_size': 128, 'vocab_size': 128, "
     "'sscp_conv_channel_size': [128, 32]}, 'vision_config': {'model_type': "
     "'gemma3n_vision', 'architecture': 'mobilenetv5_300m_enc', 'hidden_size': 2048, "
     "'vocab_size': 128}}"},
    {"gte-base-en-v1.5", 136.8e6,
     "{'model_type': 'new', 'architectures': ['NewModel'], 'vocab_size': 30528, "
     "'hidden_size': 768, 'intermediate_size': 3072, 'num_hidden_layers': 12, "
     "'num_attention_heads': 12, 'max_position_embeddings': 8192, "
     "'position_embedding_type': 'rope', 'type_vocab_size': 0, 'pack_qkv': true, "
     "'unpad_inputs': false, 'layer_norm_type': 'layer_norm', 'logn_attention_scale': "
     "false}"},
    {"gte-multilingual-base", 305.4e6,
     "{'model_type': 'new', 'architectures': ['NewModel'], 'vocab_size': 250048, "
     "'hidden_size': 768, 'intermediate_size': 3072, 'num_hidden_layers': 12, "
     "'num_attention_heads': 12, 'max_position_embeddings': 8192, "
     "'position_embedding_type': 'rope', 'type_vocab_size': 1, 'pack_qkv': true, "
     "'unpad_inputs': false, 'layer_norm_type': 'layer_norm', 'logn_attention_scale': "
     "false}"},
    {"hy3", 295e9,
     "{'model_type': 'hy_v3', 'architectures': ['HYV3ForCausalLM'], "
     "'num_nextn_predict_layers': 1, 'enable_moe_fp32_combine': true}"},
    {"hyperclovax-14b", 14.75e9,
     "{'model_type': 'hyperclovax', 'architectures': ['HyperCLOVAXForCausalLM'], "
     "'vocab_size': 110592, 'hidden_size': 6144, 'intermediate_size': 14336, "
     "'num_hidden_layers': 38, 'num_attention_heads': 48, 'num_key_value_heads': 8, "
     "'head_dim': 128, 'use_post_norm': true, 'attention_bias': false, 'mlp_bias': "
     "false}"},
    {"intern-s1-mini", 8.5e9,
     "{'model_type': 'intern_s1', 'architectures': ['InternS1ForConditionalGeneration'], "
     "'text_config': {'model_type': 'qwen3', 'vocab_size': 153216, 'hidden_size': 4096, "
     "'intermediate_size': 12288, 'num_hidden_layers': 36, 'num_attention_heads': 32, "
     "'num_key_value_heads': 8, 'head_dim': 128, 'tie_word_embeddings': false}, "
     "'vision_config': {'model_type': 'intern_s1_vision', 'hidden_size': 1024, "
     "'intermediate_size': 4096, 'num_hidden_layers': 24, 'num_attention_heads': 16, "
     "'image_size': [448, 448], 'patch_size': [14, 14], 'attention_bias': true, "
     "'use_qk_norm': false, 'norm_type': 'layer_norm', 'hidden_act': 'gelu', "
     "'layer_scale_init_value': 0.1}}"},
    {"iquest", 39.9e9,
     "{'model_type': 'iquestcoder', 'architectures': ['IQuestCoderForCausalLM'], "
     "'vocab_size': 76800, 'hidden_size': 5120, 'intermediate_size': 27648, "
     "'num_hidden_layers': 80, 'num_attention_heads': 40, 'num_key_value_heads': 8, "
     "'head_dim': 128}"},
    {"k-exaone", 236e9,
     "{'model_type': 'exaone_moe', 'architectures': ['ExaoneMoEForCausalLM'], "
     "'vocab_size': 153600, 'hidden_size': 6144, 'intermediate_size': 18432, "
     "'num_hidden_layers': 48, 'num_attention_heads': 64, 'num_key_value_heads': 8, "
     "'head_dim': 128, 'moe_intermediate_size': 2048, 'num_experts': 128, "
     "'num_experts_per_tok': 8, 'num_shared_experts': 1, 'first_k_dense_replace': 1, "
     "'sliding_window': 128, 'sliding_window_pattern': 'LLLG', "
     "'num_nextn_predict_layers': 1, 'is_moe_layer': [false, true, true, true, true, "
     "true, true, true, true, true, true, true, true, true, true, true, true, true, "
     "true, true, true, true, true, true, true, true, true, true, true, true, true, "
     "true, true, true, true, true, true, true, true, true, true, true, true, true, "
     "true, true, true, true], 'layer_types': ['sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention'], 'tie_word_embeddings': false}"},
    {"laguna-xs.2", 33.2e9,
     "{'model_type': 'laguna', 'architectures': ['LagunaForCausalLM'], 'hidden_size': "
     "2048, 'layer_types': ['full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention', "
     "'sliding_attention']}"},
    {"lfm2-vl-1.6b", 1.585e9,
     "{'model_type': 'lfm2_vl', 'architectures': ['Lfm2VlForConditionalGeneration'], "
     "'downsample_factor': 2, 'projector_hidden_size': 2560, 'projector_hidden_act': "
     "'gelu', 'text_config': {'model_type': 'lfm2', 'vocab_size': 65536, 'hidden_size': "
     "2048, 'num_hidden_layers': 16, 'num_attention_heads': 32, 'num_key_value_heads': "
     "8, 'block_ff_dim': 12288, 'block_multiple_of': 256, 'block_ffn_dim_multiplier': "
     "1.0, 'block_auto_adjust_ff_dim': true, 'conv_L_cache': 3, 'full_attn_idxs': [2, 5, "
     "8, 10, 12, 14]}, 'vision_config': {'model_type': 'siglip2_vision_model', "
     "'hidden_size': 1152, 'intermediate_size': 4304, 'num_hidden_layers': 26, "
     "'num_attention_heads': 16, 'num_patches': 256, 'patch_size': 16, "
     "'vision_use_head': false}}"},
    {"llada2-mini", 16.26e9,
     "{'model_type': 'llada2_moe', 'architectures': ['LLaDA2MoeModelLM'], 'vocab_size': "
     "157184, 'hidden_size': 2048, 'intermediate_size': 5120, 'num_hidden_layers': 20, "
     "'num_attention_heads': 16, 'num_key_value_heads': 4, 'head_dim': 128, "
     "'moe_intermediate_size': 512, 'num_experts': 256, 'num_experts_per_tok': 8, "
     "'num_shared_experts': 1, 'first_k_dense_replace': 1, 'use_qk_norm': true, "
     "'tie_word_embeddings': false}"},
    {"llada", 8.02e9,
     "{'model_type': 'llada', 'architectures': ['LLaDAModelLM'], 'activation_type': "
     "'silu', 'alibi': false, 'attention_layer_norm': false, 'block_group_size': 1, "
     "'block_type': 'llama', 'd_model': 4096, 'embedding_size': 126464, 'include_bias': "
     "false, 'include_qkv_bias': false, 'layer_norm_type': 'rms', "
     "'layer_norm_with_affine': true, 'max_sequence_length': 4096, 'mlp_hidden_size': "
     "12288, 'mlp_ratio': 4, 'multi_query_attention': null, 'n_heads': 32, 'n_kv_heads': "
     "32, 'n_layers': 32, 'rope': true, 'vocab_size': 126464, 'weight_tying': false, "
     "'scale_logits': false}"},
    {"mistral-small-4", 119e9,
     "{'model_type': 'mistral3', 'architectures': ['Mistral3ForConditionalGeneration'], "
     "'text_config': {'model_type': 'mistral4'}, 'vision_config': {'model_type': "
     "'pixtral', 'hidden_size': 1024, 'num_hidden_layers': 24, 'intermediate_size': "
     "4096, 'num_attention_heads': 16, 'image_size': 1540, 'patch_size': 14, 'head_dim': "
     "64}, 'spatial_merge_size': 2}"},
    {"ring-mini-linear", 16.4e9,
     "{'model_type': 'bailing_moe_linear', 'architectures': "
     "['BailingMoeLinearV2ForCausalLM'], 'vocab_size': 157184, 'hidden_size': 2048, "
     "'intermediate_size': 5120, 'num_hidden_layers': 20, 'num_attention_heads': 16, "
     "'num_key_value_heads': 4, 'head_dim': 128, 'moe_intermediate_size': 512, "
     "'num_experts': 256, 'num_experts_per_tok': 8, 'num_shared_experts': 1, "
     "'first_k_dense_replace': 1, 'use_qk_norm': true, 'layer_group_size': 5, "
     "'group_norm_size': 4, 'linear_silu': false, 'tie_word_embeddings': false}"},
    {"trinity-mini", 26.1e9,
     "{'model_type': 'afmoe', 'architectures': ['AfmoeForCausalLM'], 'vocab_size': "
     "200192, 'hidden_size': 2048, 'intermediate_size': 6144, 'moe_intermediate_size': "
     "1024, 'num_hidden_layers': 32, 'num_dense_layers': 2, 'num_attention_heads': 32, "
     "'num_key_value_heads': 4, 'head_dim': 128, 'num_experts': 128, "
     "'num_experts_per_tok': 8, 'num_shared_experts': 1, 'global_attn_every_n_layers': "
     "4, 'sliding_window': 2048, 'layer_types': ['sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention', 'sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention'], "
     "'tie_word_embeddings': false, 'route_scale': 2.826, 'score_func': 'sigmoid', "
     "'num_expert_groups': 1, 'num_limited_groups': 1}"},
    {"vaultgemma", 1.04e9,
     "{'model_type': 'vaultgemma', 'architectures': ['VaultGemmaForCausalLM'], "
     "'vocab_size': 256000, 'hidden_size': 1152, 'intermediate_size': 6912, "
     "'num_hidden_layers': 26, 'num_attention_heads': 4, 'num_key_value_heads': 4, "
     "'head_dim': 256, 'sliding_window': 512, 'layer_types': ['full_attention', "
     "'full_attention', 'full_attention', 'full_attention', 'full_attention', "
     "'full_attention', 'full_attention', 'full_attention', 'full_attention', "
     "'full_attention', 'full_attention', 'full_attention', 'full_attention', "
     "'full_attention', 'full_attention', 'full_attention', 'full_attention', "
     "'full_attention', 'full_attention', 'full_attention', 'full_attention', "
     "'full_attention', 'full_attention', 'full_attention', 'full_attention', "
     "'full_attention']}"},
    {"llava-1.5-7b", 7.063e9,
     "{'model_type': 'llava', 'architectures': ['LlavaLlamaForCausalLM'], 'hidden_size': "
     "4096, 'intermediate_size': 11008, 'num_hidden_layers': 32, 'num_attention_heads': "
     "32, 'num_key_value_heads': 32, 'vocab_size': 32000, 'tie_word_embeddings': false, "
     "'mm_vision_tower': 'openai/clip-vit-large-patch14-336', 'mm_projector_type': "
     "'mlp2x_gelu', 'mm_hidden_size': 1024}"},
    {"phi-3-vision", 4.147e9,
     "{'model_type': 'phi3_v', 'architectures': ['Phi3VForCausalLM'], 'vocab_size': "
     "32064, 'hidden_size': 3072, 'intermediate_size': 8192, 'num_hidden_layers': 32, "
     "'num_attention_heads': 32, 'num_key_value_heads': 32, 'img_processor': "
     "{'image_dim_out': 1024, 'model_name': 'openai/clip-vit-large-patch14-336', 'name': "
     "'clip_vision_model', 'num_img_tokens': 144}}"},
    {"deepseek-vl2-tiny", 3.37e9,
     "{'model_type': 'deepseek_vl_v2', 'language_config': {'model_type': 'deepseek_v2', "
     "'architectures': ['DeepseekV2ForCausalLM'], 'hidden_size': 1280, "
     "'intermediate_size': 6848, 'moe_intermediate_size': 896, 'n_routed_experts': 64, "
     "'n_shared_experts': 2, 'num_attention_heads': 10, 'num_key_value_heads': 10, "
     "'num_experts_per_tok': 6, 'num_hidden_layers': 12, 'first_k_dense_replace': 1, "
     "'kv_lora_rank': null, 'q_lora_rank': null, 'qk_nope_head_dim': 0, "
     "'qk_rope_head_dim': 0, 'v_head_dim': 0, 'use_mla': false, 'vocab_size': 129280}, "
     "'vision_config': {'layers': 27, 'mlp_ratio': 3.7362, 'model_name': "
     "'siglip_so400m_patch14_384', 'model_type': 'vision', 'patch_size': 14, 'width': "
     "1152}}"},
    {"gemma-4-31b", 3.127e10,
     "{'model_type': 'gemma4', 'architectures': ['Gemma4ForConditionalGeneration'], "
     "'text_config': {'model_type': 'gemma4_text', 'vocab_size': 262144, 'hidden_size': "
     "5376, 'intermediate_size': 21504, 'num_hidden_layers': 60, 'num_attention_heads': "
     "32, 'num_key_value_heads': 16, 'num_global_key_value_heads': 4, 'head_dim': 256, "
     "'global_head_dim': 512, 'sliding_window': 1024, 'attention_k_eq_v': true, "
     "'use_bidirectional_attention': 'vision', 'hidden_size_per_layer_input': 0, "
     "'num_kv_shared_layers': 0, 'enable_moe_block': false}, 'vision_config': "
     "{'model_type': 'gemma4_vision', 'hidden_size': 1152, 'intermediate_size': 4304, "
     "'num_hidden_layers': 27, 'num_attention_heads': 16, 'num_key_value_heads': 16, "
     "'head_dim': 72, 'global_head_dim': 72, 'patch_size': 16, "
     "'position_embedding_size': 10240}}"},
    {"voxtral-mini-3b", 4.68e9,
     "{'model_type': 'voxtral', 'architectures': ['VoxtralForConditionalGeneration'], "
     "'text_config': {'model_type': 'llama', 'vocab_size': 131072, 'hidden_size': 3072, "
     "'intermediate_size': 8192, 'num_hidden_layers': 30, 'num_attention_heads': 32, "
     "'num_key_value_heads': 8, 'head_dim': 128}, 'audio_config': {'model_type': "
     "'voxtral_encoder', 'hidden_size': 1280, 'intermediate_size': 5120, 'num_hidden_layers': "
     "32, 'num_attention_heads': 20, 'num_mel_bins': 128, 'max_source_positions': 1500, "
     "'vocab_size': 51866}}"},
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
