#include "model/hf_rules.h"

#include "base/str.h"
#include "model/hf_table.h"

static const struct nadi_hf_rule rules[] = {
    /* ---- Llama and what is built as it is ---- */
    {.types = "llama code_llama Yi aquila xverse skywork telechat3 iquestcoder",
     .classes = "llama yi aquila xverse skywork telechat3 mobilellama iquestcoder",
     LIKE_LLAMA,
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"mlp_bias", NADI_BIAS_MLP, false}},
     .absent = "vocab_size=32000 hidden_size=4096 intermediate_size=11008 num_hidden_layers=32 "
               "num_attention_heads=32"},
    {.types = "llama4_text llama4",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .absent = "vocab_size=202048 hidden_size=5120 intermediate_size=8192 "
               "intermediate_size_mlp=16384 num_hidden_layers=48 num_attention_heads=40 "
               "num_key_value_heads=8 head_dim=128 num_local_experts=16 num_experts_per_tok=1 "
               "interleave_moe_layer_step=1 attention_chunk_size=8192 use_qk_norm=true "
               "no_rope_layer_interval=4",
     .special = nadi_hf_llama4},
    {.types = "mistral ministral ministral3",
     LIKE_LLAMA_WITH(NADI_HF_WINDOW),
     .absent = "vocab_size=32000 hidden_size=4096 intermediate_size=14336 num_hidden_layers=32 "
               "num_attention_heads=32 num_key_value_heads=8 sliding_window=4096"},
    {.types = "cwm",
     LIKE_LLAMA_WITH(NADI_HF_WINDOW),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"mlp_bias", NADI_BIAS_MLP, false}},
     .windowed_every = 4,
     .absent = "sliding_window=8192"},
    {.types = "hyperclovax",
     LIKE_LLAMA,
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"mlp_bias", NADI_BIAS_MLP, false}},
     .special = nadi_hf_hyperclovax},
    {.types = "mixtral",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_WINDOW),
     .absent = "vocab_size=32000 hidden_size=4096 intermediate_size=14336 num_hidden_layers=32 "
               "num_attention_heads=32 num_key_value_heads=8 num_local_experts=8 "
               "num_experts_per_tok=2"},
    {.types = "internlm", LIKE_LLAMA, .bias = {{"bias", ATTENTION_BIASES, true}}},
    {.types = "internlm2", LIKE_LLAMA, .bias = {{"bias", ATTENTION_BIASES, false}}},
    {.types = "internlm3",
     LIKE_LLAMA,
     .bias = {{"qkv_bias", NADI_BIAS_QKV, false},
              {"bias", NADI_BIAS_OUTPUT | NADI_BIAS_MLP, false}}},
    {.types = "baichuan", LIKE_LLAMA, .special = nadi_hf_baichuan},
    {.types = "orion",
     LIKE_LLAMA_WITH(NADI_HF_LAYERNORM),
     .biases = NADI_BIAS_NORM,
     .bias = {{"attention_bias", ATTENTION_BIASES, false}}},
    {.types = "minicpm",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_TIED),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}}},
    {.types = "minicpm3", LIKE_LLAMA_WITH(NADI_HF_LATENT | NADI_HF_TIED)},
    {.types = "smollm3",
     LIKE_LLAMA_WITH(NADI_HF_TIED | NADI_HF_WINDOW | NADI_HF_WINDOW_SWITCH),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"mlp_bias", NADI_BIAS_MLP, false}},
     .absent = "use_sliding_window=false"},
    {.types = "helium",
     LIKE_LLAMA,
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"mlp_bias", NADI_BIAS_MLP, false}}},
    {.types = "seed_oss",
     LIKE_LLAMA,
     .bias = {{"attention_bias", NADI_BIAS_QKV, true},
              {"attention_out_bias", NADI_BIAS_OUTPUT, false},
              {"mlp_bias", NADI_BIAS_MLP, false}}},
    {.types = "granite",
     LIKE_LLAMA,
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"mlp_bias", NADI_BIAS_MLP, false}},
     .absent = "vocab_size=32000 hidden_size=4096 intermediate_size=11008 num_hidden_layers=32 "
               "num_attention_heads=32"},
    {.types = "granitemoe granitemoeshared",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}}},
    {.types = "exaone", LIKE_LLAMA},
    {.types = "exaone4 exaone4_5_text",
     .classes = "exaone4",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM | NADI_HF_WINDOW),
     .windowed_every = 4,
     .absent = "sliding_window=4096"},
    {.types = "exaone_moe",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM | NADI_HF_WINDOW | NADI_HF_EXPERTS | NADI_HF_ROUTER_BIAS),
     .windowed_every = 4,
     .absent = "sliding_window=4096 first_k_dense_replace=1 num_shared_experts=1"},
    {.types = "hy_v3",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM | NADI_HF_EXPERTS | NADI_HF_ROUTER_BIAS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"mlp_bias", NADI_BIAS_MLP, false}},
     .absent = "vocab_size=120832 hidden_size=4096 intermediate_size=13312 num_hidden_layers=80 "
               "num_attention_heads=64 num_key_value_heads=8 head_dim=128 num_experts=192 "
               "num_experts_per_tok=8 num_shared_experts=1 moe_intermediate_size=1536 "
               "first_k_dense_replace=1",
     .ignored = "enable_moe_fp32_combine"},
    {.types = "afmoe",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM | NADI_HF_WINDOW | NADI_HF_EXPERTS | NADI_HF_ROUTER_BIAS),
     .norms = 4,
     .windowed_every = 4,
     .absent = "head_dim=128 sliding_window=1024 num_dense_layers=1 num_experts=64 "
               "num_experts_per_tok=6 num_shared_experts=2 moe_intermediate_size=1408",
     .ignored = "num_expert_groups num_limited_groups",
     .special = nadi_hf_afmoe},
    {.types = "laguna",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM | NADI_HF_WINDOW | NADI_HF_EXPERTS | NADI_HF_ROUTER_BIAS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .absent = "vocab_size=100352 intermediate_size=8192 num_hidden_layers=40 "
               "num_attention_heads=48 num_key_value_heads=8 head_dim=128 num_experts=256 "
               "num_experts_per_tok=8 moe_intermediate_size=512 "
               "shared_expert_intermediate_size=512 sliding_window=512 first_k_dense_replace=1",
     .ignored = "moe_apply_router_weight_on_input moe_router_logit_softcapping",
     .special = nadi_hf_laguna},
    {.types = "arcee",
     ROTARY,
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"mlp_bias", NADI_BIAS_MLP, false}}},
    {.types = "apertus",
     ROTARY,
     .flags = NADI_HF_QK_NORM,
     .bias = {{"attention_bias", ATTENTION_BIASES, false}}},
    {.types = "nemotron",
     ROTARY,
     .flags = NADI_HF_LAYERNORM,
     .biases = NADI_BIAS_NORM,
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"mlp_bias", NADI_BIAS_MLP, false}}},
    {.types = "jais2",
     ROTARY,
     .flags = NADI_HF_LAYERNORM,
     .biases = NADI_BIAS_NORM,
     .bias = {{"attention_bias", ATTENTION_BIASES, true}, {"mlp_bias", NADI_BIAS_MLP, true}}},
    {.types = "bitnet", LIKE_LLAMA_WITH(NADI_HF_TIED), .norms = 4},
    {.types = "hunyuan_v1_dense",
     .classes = "hunyuandensev1 hunyuan",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .special = nadi_hf_hunyuan},
    {.types = "hunyuan_v1_moe",
     .classes = "hunyuanmoev1 hunyuan",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM | NADI_HF_EXPERTS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .absent = "num_shared_expert=1",
     .special = nadi_hf_hunyuan},
    {.types = "ernie4_5",
     LIKE_LLAMA_WITH(NADI_HF_TIED),
     .bias = {{"use_bias", ATTENTION_BIASES | NADI_BIAS_MLP, false}}},
    {.types = "ernie4_5_moe",
     LIKE_LLAMA_WITH(NADI_HF_TIED | NADI_HF_EXPERTS | NADI_HF_ROUTER_BIAS),
     .bias = {{"use_bias", ATTENTION_BIASES | NADI_BIAS_MLP, false}},
     .absent = "moe_layer_start_index=1 moe_layer_interval=1",
     .special = nadi_hf_ernie_moe},
    {.types = "olmo",
     LIKE_LLAMA_WITH(NADI_HF_LAYERNORM),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .special = nadi_hf_olmo},
    {.types = "hf_olmo olmo_1 llada",
     .classes = "olmo llada",
     ROTARY,
     .ignored = "block_group_size block_type",
     .special = nadi_hf_old_olmo},
    {.types = "olmo2",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM_WHOLE),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}}},
    {.types = "flex_olmo",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM_WHOLE | NADI_HF_EXPERTS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}}},
    {.types = "olmo3",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM_WHOLE | NADI_HF_WINDOW),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .windowed_every = 4,
     .absent = "sliding_window=4096"},
    {.types = "olmoe",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM_WHOLE | NADI_HF_EXPERTS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}}},
    {.types = "arctic",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .special = nadi_hf_arctic},
    {.types = "grok-1",
     .classes = "grok1 grok1model",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS),
     .norms = 4},
    {.types = "minimax_m2",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM_WHOLE | NADI_HF_EXPERTS | NADI_HF_ROUTER_BIAS),
     .special = nadi_hf_minimax_m2},
    {.types = "dbrx",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_LAYERNORM),
     .special = nadi_hf_dbrx},
    {.types = "gpt_oss",
     LIKE_LLAMA_WITH(NADI_HF_SINKS | NADI_HF_ROUTER_BIAS | NADI_HF_EXPERTS | NADI_HF_WINDOW),
     .biases = NADI_BIAS_MLP,
     .bias = {{"attention_bias", ATTENTION_BIASES, true}},
     .windowed_every = 2,
     .absent = "vocab_size=201088 hidden_size=2880 intermediate_size=2880 num_hidden_layers=36 "
               "num_attention_heads=64 num_key_value_heads=8 head_dim=64 num_local_experts=128 "
               "num_experts_per_tok=4 sliding_window=128"},
    /* ---- Qwen ---- */
    {.types = "qwen", LIKE_LLAMA, .biases = NADI_BIAS_QKV, .special = nadi_hf_qwen1},
    {.types = "qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text",
     LIKE_LLAMA_WITH(NADI_HF_WINDOW | NADI_HF_WINDOW_SWITCH),
     .biases = NADI_BIAS_QKV,
     .absent = "vocab_size=151936 hidden_size=4096 intermediate_size=22016 num_hidden_layers=32 "
               "num_attention_heads=32 num_key_value_heads=32 sliding_window=4096 "
               "use_sliding_window=false max_window_layers=28"},
    {.types = "Dream",
     LIKE_LLAMA_WITH(NADI_HF_WINDOW | NADI_HF_WINDOW_SWITCH | NADI_HF_MODEL_HAS_HEAD),
     .biases = NADI_BIAS_QKV,
     .absent = "sliding_window=4096 use_sliding_window=false max_window_layers=28"},
    {.types = "mimo",
     LIKE_LLAMA_WITH(NADI_HF_WINDOW | NADI_HF_WINDOW_SWITCH),
     .bias = {{"attention_bias", NADI_BIAS_QKV, true}},
     .absent = "use_sliding_window=false max_window_layers=28"},
    {.types = "qwen2_moe",
     LIKE_LLAMA_WITH(NADI_HF_WINDOW | NADI_HF_WINDOW_SWITCH | NADI_HF_EXPERTS |
                     NADI_HF_SHARED_GATE),
     .bias = {{"qkv_bias", NADI_BIAS_QKV, true}},
     .absent = "sliding_window=4096 use_sliding_window=false max_window_layers=28 "
               "decoder_sparse_step=1 moe_intermediate_size=1408 num_experts_per_tok=4 "
               "shared_expert_intermediate_size=5632 num_experts=60"},
    {.types = "qwen3 qwen3_vl_text sdar",
     .ignored = "block_size",
     LIKE_LLAMA_WITH(NADI_HF_WINDOW | NADI_HF_WINDOW_SWITCH | NADI_HF_QK_NORM),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .absent = "vocab_size=151936 hidden_size=4096 intermediate_size=22016 num_hidden_layers=32 "
               "num_attention_heads=32 num_key_value_heads=32 head_dim=128 sliding_window=4096 "
               "use_sliding_window=false max_window_layers=28"},
    {.types = "qwen3_moe qwen3_vl_moe_text sdar_moe",
     .ignored = "block_size",
     LIKE_LLAMA_WITH(NADI_HF_WINDOW | NADI_HF_WINDOW_SWITCH | NADI_HF_QK_NORM | NADI_HF_EXPERTS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .absent = "sliding_window=4096 use_sliding_window=false max_window_layers=28 "
               "decoder_sparse_step=1 num_experts=128 num_experts_per_tok=8 "
               "moe_intermediate_size=768"},
    /* ---- DeepSeek and what is built as it is ---- */
    {.types = "deepseek",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}}},
    {.types = "deepseek_v2",
     .classes = "deepseek",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_LATENT),
     .absent = "vocab_size=102400 hidden_size=4096 intermediate_size=11008 num_hidden_layers=30 "
               "num_attention_heads=32 moe_intermediate_size=1407 moe_layer_freq=1 "
               "kv_lora_rank=512 q_lora_rank=1536 qk_rope_head_dim=64 v_head_dim=128 "
               "qk_nope_head_dim=128"},
    {.types = "deepseek_v3 kimi_k2 glm4_moe_lite youtu_llm",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_LATENT | NADI_HF_ROUTER_BIAS),
     .absent = "vocab_size=129280 hidden_size=7168 intermediate_size=18432 num_hidden_layers=61 "
               "num_attention_heads=128 moe_intermediate_size=2048 moe_layer_freq=1 "
               "kv_lora_rank=512 q_lora_rank=1536 qk_rope_head_dim=64 v_head_dim=128 "
               "qk_nope_head_dim=128"},
    {.types = "mistral4",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_LATENT),
     .absent = "vocab_size=131072 hidden_size=4096 intermediate_size=12288 num_hidden_layers=36 "
               "num_attention_heads=32 moe_intermediate_size=2048 n_shared_experts=1 "
               "n_routed_experts=128 num_experts_per_tok=4 kv_lora_rank=256 q_lora_rank=1024 "
               "qk_rope_head_dim=64 v_head_dim=128 qk_nope_head_dim=64"},
    {.types = "dots1",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_QK_NORM | NADI_HF_ROUTER_BIAS | NADI_HF_WINDOW |
                     NADI_HF_WINDOW_SWITCH),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .absent = "use_sliding_window=false moe_layer_freq=1"},
    {.types = "bailing_moe",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS),
     .bias = {{"use_qkv_bias", NADI_BIAS_QKV, false},
              {"use_bias", NADI_BIAS_OUTPUT | NADI_BIAS_MLP, false}}},
    {.types = "bailing_moe_v2 llada2_moe",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_QK_NORM | NADI_HF_ROUTER_BIAS),
     .bias = {{"use_qkv_bias", NADI_BIAS_QKV, false},
              {"use_bias", NADI_BIAS_OUTPUT | NADI_BIAS_MLP, false}}},
    /* ---- GLM ---- */
    {.types = "chatglm",
     .classes = "chatglm",
     LIKE_LLAMA_WITH(NADI_HF_MODEL_HAS_HEAD),
     .special = nadi_hf_chatglm},
    {.types = "glm", LIKE_LLAMA, .bias = {{"attention_bias", NADI_BIAS_QKV, true}}},
    {.types = "glm4 glm4v_text",
     LIKE_LLAMA,
     .bias = {{"attention_bias", NADI_BIAS_QKV, false}},
     .norms = 4},
    {.types = "glm4_moe glm4v_moe_text solar_open",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_ROUTER_BIAS | NADI_HF_QK_NORM | NADI_HF_QK_NORM_IF),
     .bias = {{"attention_bias", NADI_BIAS_QKV, false}}},
    /* ---- Gemma ---- */
    {.types = "gemma",
     LIKE_LLAMA_WITH(NADI_HF_TIED),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .absent = "vocab_size=256000 hidden_size=3072 intermediate_size=24576 num_hidden_layers=28 "
               "num_attention_heads=16 num_key_value_heads=16 head_dim=256"},
    {.types = "gemma2",
     LIKE_LLAMA_WITH(NADI_HF_TIED | NADI_HF_WINDOW),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .norms = 4,
     .windowed_every = 2,
     .absent = "vocab_size=256000 hidden_size=2304 intermediate_size=9216 num_hidden_layers=26 "
               "num_attention_heads=8 num_key_value_heads=4 head_dim=256 sliding_window=4096"},
    {.types = "vaultgemma",
     LIKE_LLAMA_WITH(NADI_HF_TIED | NADI_HF_WINDOW),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .windowed_every = 2,
     .absent = "vocab_size=256000 hidden_size=2304 intermediate_size=9216 num_hidden_layers=26 "
               "num_attention_heads=8 num_key_value_heads=4 head_dim=256 sliding_window=4096"},
    {.types = "gemma3_text gemma3",
     .classes = "gemma3 gemma3text",
     LIKE_LLAMA_WITH(NADI_HF_TIED | NADI_HF_WINDOW | NADI_HF_QK_NORM),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .norms = 4,
     .windowed_every = 6,
     .absent = "vocab_size=262208 hidden_size=2304 intermediate_size=9216 num_hidden_layers=26 "
               "num_attention_heads=8 num_key_value_heads=4 head_dim=256 sliding_window=4096"},
    /* ---- Phi ---- */
    {.types = "phi phi-msft",
     ROTARY,
     .flags = NADI_HF_LAYERNORM | NADI_HF_QK_NORM | NADI_HF_QK_NORM_IF,
     .biases = ALL_BIASES | NADI_BIAS_HEAD,
     .norms = 1,
     .absent = "vocab_size=51200 hidden_size=2048 intermediate_size=8192 num_hidden_layers=24 "
               "num_attention_heads=32"},
    {.types = "phi3 phi3_v",
     .classes = "phi3 phi3v",
     LIKE_LLAMA_WITH(NADI_HF_WINDOW),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"lm_head_bias", NADI_BIAS_HEAD, false}},
     .absent = "vocab_size=32064 hidden_size=3072 intermediate_size=8192 num_hidden_layers=32 "
               "num_attention_heads=32"},
    {.types = "phimoe",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_WINDOW | NADI_HF_LAYERNORM),
     .biases = NADI_BIAS_NORM,
     .bias = {{"attention_bias", ATTENTION_BIASES, false}, {"lm_head_bias", NADI_BIAS_HEAD, false}},
     .absent = "num_local_experts=16 num_experts_per_tok=2"},
    /* ---- Cohere ---- */
    {.types = "cohere",
     LIKE_LLAMA_WITH(NADI_HF_TIED | NADI_HF_LAYERNORM | NADI_HF_QK_NORM_WHOLE | NADI_HF_QK_NORM_IF),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .norms = 1,
     .absent = "vocab_size=256000 hidden_size=8192 intermediate_size=22528 num_hidden_layers=40 "
               "num_attention_heads=64"},
    {.types = "cohere2",
     LIKE_LLAMA_WITH(NADI_HF_TIED | NADI_HF_LAYERNORM | NADI_HF_WINDOW),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .norms = 1,
     .windowed_every = 4,
     .absent = "vocab_size=256000 hidden_size=8192 intermediate_size=22528 num_hidden_layers=40 "
               "num_attention_heads=64 sliding_window=4096",
     .ignored = "order_of_interleaved_layers layer_switch use_parallel_block"},
    /* ---- GPT and what is built as it is ---- */
    {.types = "gpt2 gpt-sw3",
     .classes = "gpt2",
     .positions = NADI_POSITIONS_LEARNED,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED,
     .biases = ALL_BIASES,
     .absent = "vocab_size=50257 n_positions=1024 n_embd=768 n_layer=12 n_head=12",
     .special = nadi_hf_gpt_bigcode},
    {.types = "ctrl",
     .positions = NADI_POSITIONS_NONE,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED,
     .biases = ALL_BIASES | NADI_BIAS_HEAD,
     .absent = "vocab_size=246534 n_embd=1280 dff=8192 n_layer=48 n_head=16"},
    {.types = "openai-gpt",
     .positions = NADI_POSITIONS_LEARNED,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED | NADI_HF_NO_FINAL_NORM,
     .biases = ALL_BIASES},
    {.types = "gpt_bigcode",
     .positions = NADI_POSITIONS_LEARNED,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED,
     .biases = ALL_BIASES,
     .absent = "multi_query=true",
     .special = nadi_hf_gpt_bigcode},
    {.types = "jais",
     .positions = NADI_POSITIONS_NONE,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED | NADI_HF_GATED,
     .biases = ALL_BIASES},
    {.types = "gpt_neo",
     .positions = NADI_POSITIONS_LEARNED,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED,
     .biases = NADI_BIAS_OUTPUT | NADI_BIAS_MLP | NADI_BIAS_NORM,
     .absent = "window_size=256",
     .special = nadi_hf_gpt_neo},
    {.types = "gptj codegen",
     ROTARY,
     .flags = NADI_HF_LAYERNORM,
     .biases = NADI_BIAS_MLP | NADI_BIAS_NORM | NADI_BIAS_HEAD,
     .norms = 1},
    {.types = "gpt_neox",
     ROTARY,
     .flags = NADI_HF_LAYERNORM,
     .biases = NADI_BIAS_MLP | NADI_BIAS_NORM,
     .bias = {{"attention_bias", ATTENTION_BIASES, true}}},
    {.types = "opt",
     .positions = NADI_POSITIONS_LEARNED,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED | NADI_HF_SHIFTED,
     .bias = {{"enable_bias", ATTENTION_BIASES | NADI_BIAS_MLP, true},
              {"layer_norm_elementwise_affine", NADI_BIAS_NORM, true}},
     .absent = "vocab_size=50272 hidden_size=768 num_hidden_layers=12 ffn_dim=3072 "
               "max_position_embeddings=2048 num_attention_heads=12",
     .special = nadi_hf_opt},
    {.types = "biogpt",
     .positions = NADI_POSITIONS_LEARNED,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED | NADI_HF_SHIFTED,
     .biases = ALL_BIASES},
    {.types = "xglm",
     .positions = NADI_POSITIONS_NONE,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED,
     .biases = ALL_BIASES},
    {.types = "bloom",
     .positions = NADI_POSITIONS_NONE,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED | NADI_HF_EMBEDDING_NORM,
     .biases = ALL_BIASES},
    {.types = "falcon RefinedWeb RefinedWebModel",
     .classes = "falcon rw",
     ROTARY,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED,
     .biases = NADI_BIAS_NORM,
     .bias = {{"bias", ATTENTION_BIASES | NADI_BIAS_MLP, false}},
     .special = nadi_hf_falcon},
    {.types = "mpt",
     .positions = NADI_POSITIONS_NONE,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED,
     .absent = "n_layers=24 d_model=2048 n_heads=16 expansion_ratio=4 max_seq_len=2048 "
               "vocab_size=50368 no_bias=true",
     .special = nadi_hf_mpt},
    {.types = "stablelm stablelm_epoch",
     .classes = "stablelm stablelmepoch",
     LIKE_LLAMA_WITH(NADI_HF_LAYERNORM | NADI_HF_QK_NORM_WHOLE | NADI_HF_QK_NORM_IF),
     .biases = NADI_BIAS_NORM,
     .bias = {{"use_qkv_bias", NADI_BIAS_QKV, false}},
     .special = nadi_hf_stablelm},
    {.types = "starcoder2",
     ROTARY,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED | NADI_HF_WINDOW,
     .biases = NADI_BIAS_NORM,
     .bias = {{"use_bias", ATTENTION_BIASES | NADI_BIAS_MLP, true}},
     .special = nadi_hf_starcoder2},
    {.types = "persimmon",
     ROTARY,
     .flags = NADI_HF_LAYERNORM | NADI_HF_QK_NORM,
     .biases = ALL_BIASES},
};

/* They hold a language model and hand it vectors of pictures or sounds as tokens. */
static const struct {
    const char *types, *language;
} containers[] = {
    {"llava llava_next llava_next_video vipllava video_llava llava_llama", "llama"},
    {"llava_mistral mistral3 idefics2", "mistral"},
    {"paligemma", "gemma"},
    {"gemma3 shieldgemma2", "gemma3_text"},
    {"gemma3n", "gemma3n_text"},
    {"lfm2_vl", "lfm2"},
    {"llama4", "llama4_text"},
    {"mllama", "mllama_text_model"},
    {"idefics3 smolvlm voxtral ultravox granitevision", "llama"},
    {"llava_onevision qwen2_audio internvl got_ocr2", "qwen2"},
    {"qwen2_vl", "qwen2_vl"},
    {"qwen2_5_vl", "qwen2_5_vl"},
    {"qwen3_vl", "qwen3_vl_text"},
    {"qwen3_vl_moe", "qwen3_vl_moe_text"},
    {"kimi_vl kimi_k25", "deepseek_v3"},
    {"deepseek_vl_v2", "deepseek_v2"},
    {"aya_vision cohere2_vision", "cohere2"},
    {"glm4v", "glm4v_text"},
    {"glm4v_moe", "glm4v_moe_text"},
    {"blip-2 instructblip", "opt"},
    {"fuyu", "persimmon"},
    {"clip", "clip_vision_model"},
    {"siglip siglip2", "siglip_vision_model"},
    {"internvl_chat intern_s1 ovis multi_modality pixtral exaone4_5", ""},
};

const char *nadi_hf_container(const char *model_type)
{
    for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++)
        if (nadi_hf_has_word(containers[i].types, model_type))
            return containers[i].language;
    return NULL;
}

const struct nadi_hf_rule *nadi_hf_rule_at(size_t index)
{
    enum { OWN = sizeof(rules) / sizeof(rules[0]) };
    return index < OWN                        ? &rules[index]
           : index < OWN + nadi_hf_more_count ? &nadi_hf_more_rules[index - OWN]
                                              : NULL;
}

const struct nadi_hf_rule *nadi_hf_rule_find(const char *model_type)
{
    const struct nadi_hf_rule *rule;
    for (size_t i = 0; (rule = nadi_hf_rule_at(i)); i++)
        if (nadi_hf_has_word(rule->types, model_type))
            return rule;
    return NULL;
}

/* Classes that take the configuration of a known model_type and build something else of it. */
static const struct {
    const char *classes, *type;
} overrides[] = {
    {"LlamaForCausalLMEagle3 PEagleDraftModel", "eagle3"},
    {"DFlashDraftModel DSparkDraftModel DominoDraftModel", "draft-model"},
};

const struct nadi_hf_rule *nadi_hf_rule_of_override(const char *class_name)
{
    for (size_t i = 0; i < sizeof(overrides) / sizeof(overrides[0]); i++)
        if (nadi_hf_has_word(overrides[i].classes, class_name))
            return nadi_hf_rule_find(overrides[i].type);
    return NULL;
}
