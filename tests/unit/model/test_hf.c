/* hf: published configurations. A small one of each architecture against the sum of its tensors,
 * written out by hand from the layers' definitions. */
#include "model/hf_rules.h"
#include "model/net.h"
#include "support/configs.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

static const struct nadi_test_config families[] = {
    {"{'model_type': 'llama'," BASE ", 'head_dim': 16, 'attention_bias': true, 'mlp_bias': true, "
     "'tie_word_embeddings': true}",
     271936, 271936},
    {"{'model_type': 'Yi'," BASE ", 'architectures': ['YiForCausalLM']}", 292416, 292416},
    {"{'model_type': 'llama'," BASE ", 'architectures': ['LlamaForSequenceClassification']}",
     228416, 228416},
    {"{'model_type': 'mistral'," BASE ", 'sliding_window': null}", 292416, 292416},
    {"{'model_type': 'mixtral'," BASE ", 'num_local_experts': 8, 'num_experts_per_tok': 2}",
     1154624, 417344},
    {"{'model_type': 'llama4_text'," BASE
     ", 'head_dim': 16, 'intermediate_size_mlp': 320, 'num_local_experts': 8, "
     "'num_experts_per_tok': 1, 'interleave_moe_layer_step': 2, 'use_qk_norm': true, "
     "'attention_chunk_size': 8192}",
     887360, 457280},
    {"{'model_type': 'internlm', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'intermediate_size': 160, 'vocab_size': 1000, 'bias': "
     "true}",
     318016, 318016},
    {"{'model_type': 'internlm2'," BASE ", 'bias': false}", 292416, 292416},
    {"{'model_type': 'internlm3'," BASE ", 'bias': true, 'qkv_bias': false}", 294208, 294208},
    {"{'model_type': 'baichuan', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'intermediate_size': 160, 'vocab_size': 1000, "
     "'model_max_length': 4096}",
     316992, 316992},
    {"{'model_type': 'orion'," BASE "}", 292992, 292992},
    {"{'model_type': 'minicpm'," BASE "}", 228416, 228416},
    {"{'model_type': 'minicpm'," BASE ", 'num_experts': 8, 'num_experts_per_tok': 2}", 1090624,
     353344},
    {"{'model_type': 'minicpm3'," BASE
     ", 'q_lora_rank': 48, 'kv_lora_rank': 32, 'qk_nope_head_dim': 8, "
     "'qk_rope_head_dim': 4}",
     260480, 260480},
    {"{'model_type': 'smollm3'," BASE
     ", 'use_sliding_window': false, 'no_rope_layers': [1, 1, 1, 0]}",
     228416, 228416},
    {"{'model_type': 'seed_oss'," BASE ", 'head_dim': 16, 'attention_out_bias': false}", 334144,
     334144},
    {"{'model_type': 'granite'," BASE ", 'mlp_bias': true}", 293952, 293952},
    {"{'model_type': 'granitemoe'," BASE ", 'num_local_experts': 8, 'num_experts_per_tok': 2}",
     1154624, 417344},
    {"{'model_type': 'granitemoeshared'," BASE
     ", 'num_local_experts': 8, 'num_experts_per_tok': 2, 'shared_intermediate_size': "
     "96}",
     1228352, 491072},
    {"{'model_type': 'granitemoehybrid'," BASE
     ", 'layer_types': ['attention', 'attention', 'attention', 'attention'], "
     "'num_local_experts': 0, 'shared_intermediate_size': 96, 'mamba_d_state': 128, "
     "'mamba_n_heads': 64}",
     243264, 243264},
    {"{'model_type': 'exaone', 'hidden_size': 64, 'num_attention_heads': 8, "
     "'num_key_value_heads': 2, 'intermediate_size': 160, 'vocab_size': 1000, "
     "'num_layers': 4}",
     292416, 292416},
    {"{'model_type': 'exaone4'," BASE
     ", 'head_dim': 16, 'sliding_window': 128, 'sliding_window_pattern': 'LLLG'}",
     333504, 333504},
    {"{'model_type': 'arcee'," BASE ", 'mlp_bias': true}", 252352, 252352},
    {"{'model_type': 'apertus'," BASE "}", 251520, 251520},
    {"{'model_type': 'nemotron'," BASE ", 'head_dim': 16}", 292992, 292992},
    {"{'model_type': 'hunyuan_v1_dense'," BASE
     ", 'architectures': ['HunYuanDenseV1ForCausalLM'], 'head_dim': 16, "
     "'use_qk_norm': true}",
     333504, 333504},
    {"{'model_type': 'hunyuan_v1_moe'," BASE
     ", 'head_dim': 16, 'num_experts': 8, 'moe_topk': [2, 2, 2, 2], "
     "'num_shared_expert': [1, 1, 1, 1], 'moe_intermediate_size': [160, 160, 160, "
     "160], 'tie_word_embeddings': true}",
     1254592, 517312},
    {"{'model_type': 'ernie4_5'," BASE ", 'head_dim': 16, 'use_bias': false}", 269376, 269376},
    {"{'model_type': 'ernie4_5_moe'," BASE
     ", 'moe_num_experts': 8, 'moe_k': 2, 'moe_intermediate_size': 48, "
     "'moe_num_shared_experts': 2, 'moe_layer_start_index': 1, 'moe_layer_end_index': "
     "-1}",
     414296, 248408},
    {"{'model_type': 'olmo', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'num_key_value_heads': 8, 'intermediate_size': 160, "
     "'vocab_size': 1000, 'clip_qkv': 8.0}",
     316416, 316416},
    {"{'model_type': 'hf_olmo', 'd_model': 64, 'n_heads': 8, 'n_layers': 4, "
     "'mlp_hidden_size': 320, 'vocab_size': 980, 'embedding_size': 1000, "
     "'weight_tying': false, 'activation_type': 'swiglu', 'layer_norm_with_affine': "
     "false, 'rope': true}",
     316416, 316416},
    {"{'model_type': 'olmo2'," BASE "}", 292736, 292736},
    {"{'model_type': 'olmo3'," BASE ", 'sliding_window': 128, 'layer_types': ['sliding_attention', "
     "'sliding_attention', 'sliding_attention', 'full_attention']}",
     292736, 292736},
    {"{'model_type': 'olmoe'," BASE ", 'num_experts': 8, 'num_experts_per_tok': 2}", 1154944,
     417664},
    {"{'model_type': 'arctic'," BASE
     ", 'num_local_experts': 8, 'num_experts_per_tok': 2, 'moe_layer_frequency': 1, "
     "'parallel_attn_mlp_res': true, 'use_residual': true}",
     1204032, 466752},
    {"{'model_type': 'grok-1'," BASE ", 'num_experts': 8, 'num_experts_per_tok': 2}", 1155136,
     417856},
    {"{'model_type': 'minimax_m2'," BASE
     ", 'head_dim': 16, 'num_local_experts': 8, 'num_experts_per_tok': 2, "
     "'attn_type_list': [1, 1, 1, 1], 'use_routing_bias': true, 'qk_norm_type': "
     "'per_layer'}",
     1196256, 458976},
    {"{'model_type': 'dbrx', 'd_model': 64, 'n_heads': 8, 'n_layers': 4, "
     "'vocab_size': 1000, 'max_seq_len': 2048, 'tie_word_embeddings': false, "
     "'attn_config': {'kv_n_heads': 2, 'clip_qkv': 8}, 'ffn_config': "
     "{'ffn_hidden_size': 160, 'moe_num_experts': 8, 'moe_top_k': 2}}",
     1154624, 417344},
    {"{'model_type': 'gpt_oss'," BASE
     ", 'head_dim': 16, 'num_local_experts': 8, 'num_experts_per_tok': 2, "
     "'sliding_window': 128}",
     1208960, 462464},
    {"{'model_type': 'qwen', 'hidden_size': 64, 'num_hidden_layers': 4, "
     "'num_attention_heads': 8, 'kv_channels': 8, 'intermediate_size': 320, "
     "'vocab_size': 1000, 'no_bias': true, 'tie_word_embeddings': false}",
     317760, 317760},
    {"{'model_type': 'qwen2'," BASE
     ", 'use_sliding_window': false, 'sliding_window': 131072, 'max_window_layers': "
     "28}",
     292800, 292800},
    {"{'model_type': 'mimo'," BASE ", 'attention_bias': true, 'num_nextn_predict_layers': 0}",
     292800, 292800},
    {"{'model_type': 'qwen2_moe'," BASE
     ", 'num_experts': 8, 'num_experts_per_tok': 2, 'moe_intermediate_size': 48, "
     "'shared_expert_intermediate_size': 96, 'decoder_sparse_step': 1, "
     "'mlp_only_layers': [2]}",
     478848, 312960},
    {"{'model_type': 'qwen3'," BASE ", 'head_dim': 16}", 333504, 333504},
    {"{'model_type': 'qwen3_moe'," BASE
     ", 'head_dim': 16, 'num_experts': 8, 'num_experts_per_tok': 2, "
     "'moe_intermediate_size': 48, 'decoder_sparse_step': 2}",
     420544, 309952},
    {"{'model_type': 'deepseek', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'num_key_value_heads': 8, 'intermediate_size': 160, "
     "'vocab_size': 1000, 'n_routed_experts': 8, 'num_experts_per_tok': 2, "
     "'n_shared_experts': 2, 'moe_intermediate_size': 48, 'first_k_dense_replace': 1, "
     "'moe_layer_freq': 1}",
     502848, 336960},
    {"{'model_type': 'deepseek_v2'," BASE
     ", 'q_lora_rank': null, 'kv_lora_rank': 32, 'qk_nope_head_dim': 8, "
     "'qk_rope_head_dim': 4, 'v_head_dim': 16, 'n_routed_experts': 8, "
     "'num_experts_per_tok': 2, 'n_shared_experts': 2, 'moe_intermediate_size': 48, "
     "'first_k_dense_replace': 1, 'moe_layer_freq': 1}",
     528576, 362688},
    {"{'model_type': 'deepseek_v3'," BASE
     ", 'q_lora_rank': 48, 'kv_lora_rank': 32, 'qk_nope_head_dim': 8, "
     "'qk_rope_head_dim': 4, 'v_head_dim': 16, 'num_experts_per_tok': 2, "
     "'moe_intermediate_size': 48, 'first_k_dense_replace': 2, 'topk_method': "
     "'noaux_tc', 'n_routed_experts': 8, 'n_shared_experts': 1}",
     454544, 343952},
    {"{'model_type': 'deepseek_v3'," BASE
     ", 'q_lora_rank': 48, 'kv_lora_rank': 32, 'qk_nope_head_dim': 8, "
     "'qk_rope_head_dim': 4, 'v_head_dim': 16, 'num_experts_per_tok': 2, "
     "'moe_intermediate_size': 48, 'first_k_dense_replace': 2, 'topk_method': "
     "'noaux_tc', 'num_routed_experts': 8, 'num_shared_experts': 1}",
     454544, 343952},
    {"{'model_type': 'dots1'," BASE
     ", 'head_dim': 16, 'n_routed_experts': 8, 'num_experts_per_tok': 2, "
     "'n_shared_experts': 2, 'moe_intermediate_size': 48, 'first_k_dense_replace': 1}",
     519384, 353496},
    {"{'model_type': 'bailing_moe'," BASE
     ", 'num_experts': 8, 'num_experts_per_tok': 2, 'num_shared_experts': 2, "
     "'moe_intermediate_size': 48, 'first_k_dense_replace': 0, 'use_bias': false, "
     "'use_qkv_bias': false}",
     540224, 319040},
    {"{'model_type': 'bailing_moe_v2'," BASE
     ", 'head_dim': 16, 'num_experts': 8, 'num_experts_per_tok': 2, "
     "'num_shared_experts': 1, 'moe_intermediate_size': 48, "
     "'moe_shared_expert_intermediate_size': 48, 'first_k_dense_replace': 1, "
     "'use_qk_norm': true}",
     491736, 325848},
    {"{'model_type': 'chatglm', 'architectures': ['ChatGLMModel'], 'num_layers': 4, "
     "'hidden_size': 64, 'num_attention_heads': 8, 'kv_channels': 8, "
     "'multi_query_attention': true, 'multi_query_group_num': 2, 'ffn_hidden_size': "
     "160, 'padded_vocab_size': 1000, 'add_qkv_bias': true, 'add_bias_linear': false, "
     "'rmsnorm': true, 'tie_word_embeddings': false}",
     292800, 292800},
    {"{'model_type': 'chatglm', 'num_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'inner_hidden_size': 256, 'vocab_size': 1000, "
     "'position_encoding_2d': true}",
     264064, 264064},
    {"{'model_type': 'glm'," BASE ", 'head_dim': 16, 'attention_bias': true}", 334144, 334144},
    {"{'model_type': 'glm4'," BASE ", 'head_dim': 16, 'attention_bias': true}", 334656, 334656},
    {"{'model_type': 'glm4_moe'," BASE
     ", 'head_dim': 16, 'attention_bias': true, 'use_qk_norm': true, "
     "'n_routed_experts': 8, 'num_experts_per_tok': 2, 'n_shared_experts': 1, "
     "'moe_intermediate_size': 48, 'first_k_dense_replace': 1}",
     492504, 326616},
    {"{'model_type': 'gemma'," BASE ", 'head_dim': 16}", 269376, 269376},
    {"{'model_type': 'gemma2'," BASE ", 'head_dim': 16}", 269888, 269888},
    {"{'model_type': 'gemma3_text'," BASE ", 'head_dim': 16}", 270016, 270016},
    {"{'model_type': 'phi', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'num_key_value_heads': null, 'intermediate_size': "
     "160, 'vocab_size': 1000}",
     279016, 279016},
    {"{'model_type': 'phi-msft', 'architectures': ['PhiForCausalLM'], 'n_embd': 64, "
     "'n_layer': 4, 'n_head': 8, 'n_inner': null, 'vocab_size': 1000}",
     328552, 328552},
    {"{'model_type': 'phi3'," BASE ", 'sliding_window': 2047}", 292416, 292416},
    {"{'model_type': 'phimoe'," BASE
     ", 'attention_bias': true, 'lm_head_bias': true, 'num_local_experts': 8, "
     "'num_experts_per_tok': 2}",
     1156840, 419560},
    {"{'model_type': 'cohere'," BASE ", 'use_qk_norm': true}", 228480, 228480},
    {"{'model_type': 'cohere2'," BASE ", 'sliding_window': 128, 'head_dim': 16}", 269120, 269120},
    {"{'model_type': 'gpt2', 'n_inner': null, 'n_embd': 64, 'n_layer': 4, 'n_head': "
     "8, 'vocab_size': 1000, 'n_positions': 512}",
     296832, 296832},
    {"{'model_type': 'openai-gpt', 'n_embd': 64, 'n_layer': 4, 'n_head': 8, "
     "'vocab_size': 1000, 'n_positions': 512}",
     296704, 296704},
    {"{'model_type': 'gpt_bigcode', 'n_inner': 160, 'n_embd': 64, 'n_layer': 4, "
     "'n_head': 8, 'vocab_size': 1000, 'n_positions': 512}",
     218176, 218176},
    {"{'model_type': 'jais', 'n_inner': 160, 'n_embd': 64, 'n_layer': 4, 'n_head': 8, "
     "'vocab_size': 1000, 'n_positions': 512}",
     256128, 256128},
    {"{'model_type': 'gpt_neo', 'num_layers': 4, 'hidden_size': 64, 'num_heads': 8, "
     "'intermediate_size': null, 'vocab_size': 1000, 'max_position_embeddings': 512, "
     "'attention_types': [[['global', 'local'], 2]]}",
     296064, 296064},
    {"{'model_type': 'gptj', 'n_embd': 64, 'n_layer': 4, 'n_head': 8, 'vocab_size': "
     "1000, 'n_positions': 512}",
     327528, 327528},
    {"{'model_type': 'codegen', 'n_ctx': 512, 'n_embd': 64, 'n_layer': 4, 'n_head': "
     "8, 'vocab_size': 1000, 'n_positions': 512}",
     327528, 327528},
    {"{'model_type': 'gpt_neox', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'intermediate_size': 160, 'vocab_size': 1000, "
     "'use_parallel_residual': true}",
     278528, 278528},
    {"{'word_embed_proj_dim': 64, 'model_type': 'opt', 'hidden_size': 64, "
     "'num_hidden_layers': 4, 'num_attention_heads': 8, 'ffn_dim': 160, 'vocab_size': "
     "1000, 'max_position_embeddings': 512}",
     247424, 247424},
    {"{'enable_bias': false, 'layer_norm_elementwise_affine': false, 'model_type': "
     "'opt', 'hidden_size': 64, 'num_hidden_layers': 4, 'num_attention_heads': 8, "
     "'ffn_dim': 160, 'vocab_size': 1000, 'max_position_embeddings': 512}",
     244352, 244352},
    {"{'model_type': 'biogpt', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'intermediate_size': 160, 'vocab_size': 1000, "
     "'max_position_embeddings': 512}",
     247424, 247424},
    {"{'model_type': 'xglm', 'd_model': 64, 'num_layers': 4, 'attention_heads': 8, "
     "'ffn_dim': 160, 'vocab_size': 1000}",
     214528, 214528},
    {"{'model_type': 'bloom', 'hidden_size': 64, 'n_layer': 4, 'n_head': 8, "
     "'vocab_size': 1000}",
     264192, 264192},
    {"{'model_type': 'falcon', 'multi_query': true, 'hidden_size': 64, "
     "'num_hidden_layers': 4, 'num_attention_heads': 8, 'vocab_size': 1000}",
     232576, 232576},
    {"{'model_type': 'falcon', 'new_decoder_architecture': true, 'num_kv_heads': 2, "
     "'hidden_size': 64, 'num_hidden_layers': 4, 'num_attention_heads': 8, "
     "'vocab_size': 1000}",
     237184, 237184},
    {"{'model_type': 'falcon', 'new_decoder_architecture': true, 'num_kv_heads': 2, "
     "'num_ln_in_parallel_attn': 1, 'ffn_hidden_size': 160, 'tie_word_embeddings': "
     "false, 'hidden_size': 64, 'num_hidden_layers': 4, 'num_attention_heads': 8, "
     "'vocab_size': 1000}",
     251520, 251520},
    {"{'model_type': 'falcon', 'multi_query': false, 'alibi': true, 'bias': true, "
     "'parallel_attn': false, 'hidden_size': 64, 'num_hidden_layers': 4, "
     "'num_attention_heads': 8, 'vocab_size': 1000}",
     264064, 264064},
    {"{'model_type': 'RefinedWeb', 'architectures': ['RWForCausalLM'], 'hidden_size': "
     "64, 'n_layer': 4, 'n_head': 8, 'n_head_kv': 2, 'vocab_size': 1000}",
     237184, 237184},
    {"{'attn_config': {'alibi': true, 'attn_type': 'multihead_attention'}, 'no_bias': "
     "true, 'model_type': 'mpt', 'd_model': 64, 'n_heads': 8, 'n_layers': 4, "
     "'expansion_ratio': 4, 'vocab_size': 1000, 'max_seq_len': 512}",
     261184, 261184},
    {"{'attn_config': {'alibi': false, 'kv_n_heads': 2, 'attn_type': "
     "'grouped_query_attention'}, 'no_bias': false, 'learned_pos_emb': true, "
     "'model_type': 'mpt', 'd_model': 64, 'n_heads': 8, 'n_layers': 4, "
     "'expansion_ratio': 4, 'vocab_size': 1000, 'max_seq_len': 512}",
     271872, 271872},
    {"{'model_type': 'stablelm', 'num_hidden_layers': 4, 'hidden_size': 64, "
     "'num_attention_heads': 8, 'num_key_value_heads': 8, 'intermediate_size': 160, "
     "'vocab_size': 1000, 'use_qkv_bias': true}",
     318336, 318336},
    {"{'model_type': 'stablelm'," BASE ", 'use_parallel_residual': true, 'qk_layernorm': true}",
     292800, 292800},
    {"{'model_type': 'starcoder2'," BASE
     ", 'use_bias': true, 'mlp_type': 'default', 'sliding_window': 128}",
     189568, 189568},
    /* for the pooler its dense layer, and a norm and a bias a word: 2 x 64 + 1000 */
    {"{'model_type': 'bert', 'architectures': ['BertForMaskedLM'], "
     "'num_hidden_layers': 4, 'hidden_size': 64, 'num_attention_heads': 8, "
     "'intermediate_size': 160, 'vocab_size': 1000, 'max_position_embeddings': 512, "
     "'type_vocab_size': 2}",
     252712, 252712},
    {"{'model_type': 'bert', 'architectures': ['BertModel'], "
     "'num_hidden_layers': 4, 'hidden_size': 64, 'num_attention_heads': 8, "
     "'intermediate_size': 160, 'vocab_size': 1000, 'max_position_embeddings': 512, "
     "'type_vocab_size': 2}",
     251584, 251584},
    {"{'model_type': 'distilbert', 'dim': 64, 'hidden_dim': 160, 'n_layers': 4, "
     "'n_heads': 8, 'vocab_size': 1000, 'max_position_embeddings': 512}",
     247296, 247296},
    {"{'model_type': 't5', 'd_model': 64, 'd_kv': 16, 'd_ff': 160, 'num_layers': 4, "
     "'num_heads': 8, 'vocab_size': 1000}",
     622976, 622976},
    {"{'model_type': 't5', 'feed_forward_proj': 'gated-gelu', 'tie_word_embeddings': "
     "false, 'num_decoder_layers': 2, 'd_model': 64, 'd_kv': 16, 'd_ff': 160, "
     "'num_layers': 4, 'num_heads': 8, 'vocab_size': 1000}",
     576000, 576000},
    {"{'model_type': 'mt5', 'feed_forward_proj': 'gated-gelu', 'd_model': 64, 'd_kv': "
     "16, 'd_ff': 160, 'num_layers': 4, 'num_heads': 8, 'vocab_size': 1000}",
     768896, 768896},
    {"{'model_type': 'cohere2'," BASE
     ", 'sliding_window': 128, 'layer_switch': 4, 'order_of_interleaved_layers': "
     "'local_attn_first', 'use_parallel_block': true}",
     228160, 228160},
    {"{'model_type': 'hunyuan_v1_dense'," BASE
     ", 'attention_head_dim': 16, 'use_cla': false, 'cla_share_factor': 2, "
     "'dense_list': [64, 0], 'org_vocab_size': 990}",
     333504, 333504},
    {"{'model_type': 'hunyuan_v1_moe'," BASE ", 'num_experts': 8, 'moe_topk': 2}", 1277568, 540288},
    {"{'model_type': 'solar_open'," BASE
     ", 'head_dim': 16, 'n_routed_experts': 8, 'num_experts_per_tok': 2, "
     "'n_shared_experts': 1, 'moe_intermediate_size': 48, 'first_k_dense_replace': 1, "
     "'n_group': 1, 'norm_topk_prob': true, 'routed_scaling_factor': 1.0}",
     491608, 325720},
    {"{'model_type': 'youtu_llm'," BASE
     ", 'q_lora_rank': 48, 'kv_lora_rank': 32, 'qk_nope_head_dim': 8, "
     "'qk_rope_head_dim': 4, 'v_head_dim': 16, 'tie_word_embeddings': true}",
     285056, 285056},
};

/* The tables one after the other; NULL: beyond their end. */
static const struct nadi_test_config *config_at(size_t index)
{
    enum { OWN = sizeof(families) / sizeof(families[0]) };
    return index < OWN                          ? &families[index]
           : index < OWN + nadi_test_more_count ? &nadi_test_more_configs[index - OWN]
                                                : NULL;
}

static void counts(void **state)
{
    const struct nadi_test_config *f;
    (void)state;
    for (size_t i = 0; (f = config_at(i)); i++) {
        struct nadi_model m;
        struct nadi_diags diags;
        if (!nadi_test_config_parse(&m, f->text, &diags))
            fail_msg("%s: %s", f->text, diags.items[0].message);
        assert_int_equal(diags.count, 0);
        const struct nadi_parameters p = nadi_model_parameters(&m);
        if (fabs(p.all - f->all) > 0.5 || fabs(p.activated - f->activated) > 0.5)
            fail_msg("%s: %.0f and %.0f parameters, wanted %.0f and %.0f", f->text, p.all,
                     p.activated, f->all, f->activated);
        nadi_test_config_drop(&m, &diags);
    }
}

/* Is each word of the list in the page, as `word`? */
static void check_documented(const char *page, const char *types)
{
    while (*types) {
        char quoted[80];
        const size_t length = strcspn(types, " ");
        snprintf(quoted, sizeof(quoted), "`%.*s`", (int)length, types);
        if (!strstr(page, quoted))
            fail_msg("docs/guide/models.md does not have %s", quoted);
        types += length;
        types += strspn(types, " ");
    }
}

/* Each type that is read is counted above, or is built as one that is, and is in the table of the
 * guide. */
static void every_type(void **state)
{
    const struct nadi_hf_rule *rule;
    struct nadi_diags diags;
    char *page;
    size_t bytes;
    (void)state;
    nadi_diags_init(&diags);
    assert_true(
        nadi_file_read(NADI_TEST_DIR "/../docs/guide/models.md", "page", &page, &bytes, &diags));
    for (size_t r = 0; (rule = nadi_hf_rule_at(r)); r++) {
        bool found = rule->refused != NULL;
        if (!found)
            check_documented(page, rule->types);
        for (size_t i = 0; config_at(i) && !found; i++) {
            char type[64];
            const char *at = strstr(config_at(i)->text, "'model_type': '");
            at = at ? at + 15 : "mamba_ssm'"; /* the one without a type */
            snprintf(type, sizeof(type), "%.*s", (int)strcspn(at, "'"), at);
            found = nadi_hf_rule_find(type) == rule;
        }
        const bool elsewhere = nadi_hf_has_word("helium bitnet persimmon eagle3", rule->types);
        if (!found && !elsewhere)
            fail_msg("no small configuration of '%s'", rule->types);
    }
    nadi_mem_free(page);
    nadi_diags_release(&diags);
}

static double flops_of_class(const char *name)
{
    struct nadi_model m;
    struct nadi_diags diags;
    struct nadi_net net;
    char text[400];
    snprintf(text, sizeof(text),
             "{'model_type': 'bert', 'architectures': ['%s'], 'num_hidden_layers': 4, "
             "'hidden_size': 64, 'num_attention_heads': 8, 'intermediate_size': 160, "
             "'vocab_size': 1000, 'max_position_embeddings': 512, 'type_vocab_size': 2}",
             name);
    assert_true(nadi_test_config_parse(&m, text, &diags));
    const struct nadi_shape s = nadi_shape_whole(16);
    nadi_net_build(&net, &m, &s);
    const double flops = nadi_net_flops(&net, true);
    nadi_net_release(&net);
    nadi_test_config_drop(&m, &diags);
    return flops;
}

/* An encoder's output layer over words: 64 x 64 and 64 x 1000 for each of 16 tokens, for which the
 * pooler's product of one token is left out. */
static void word_heads(void **state)
{
    static const char *const with[] = {"BertForMaskedLM", "BertForPreTraining", "BertLMHeadModel"};
    const double without = flops_of_class("BertModel");
    (void)state;
    for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++)
        assert_int_equal((int64_t)(flops_of_class(with[i]) - without),
                         2 * 16 * (64 * 64 + 64 * 1000) - 2 * 64 * 64);
    assert_int_equal((int64_t)flops_of_class("BertForTokenClassification"), (int64_t)without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word_heads),
        cmocka_unit_test(counts),
        cmocka_unit_test(every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
