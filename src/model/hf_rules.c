#include "model/hf_rules.h"

#include "base/str.h"

#define ALL_BIASES            (NADI_BIAS_QKV | NADI_BIAS_OUTPUT | NADI_BIAS_MLP | NADI_BIAS_NORM)
#define ATTENTION_BIASES      (NADI_BIAS_QKV | NADI_BIAS_OUTPUT)
#define ROTARY                .positions = NADI_POSITIONS_ROTARY
#define LIKE_LLAMA            ROTARY, .flags = NADI_HF_GATED
#define LIKE_LLAMA_WITH(more) ROTARY, .flags = NADI_HF_GATED | (more)

static const struct nadi_hf_rule rules[] = {
    /* ---- Llama and what is built as it is ---- */
    {.types = "llama Yi aquila xverse skywork",
     .classes = "llama yi aquila xverse skywork mobilellama",
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
    {.types = "granitemoehybrid",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .special = nadi_hf_granite_hybrid},
    {.types = "exaone", LIKE_LLAMA},
    {.types = "exaone4",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM | NADI_HF_WINDOW),
     .windowed_every = 4,
     .absent = "sliding_window=4096"},
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
    {.types = "bitnet", LIKE_LLAMA_WITH(NADI_HF_TIED), .norms = 4},
    {.types = "hunyuan_v1_dense",
     .classes = "hunyuandensev1 hunyuan",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}}},
    {.types = "hunyuan_v1_moe",
     .classes = "hunyuanmoev1 hunyuan",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM | NADI_HF_EXPERTS),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}}},
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
    {.types = "hf_olmo olmo_1", .classes = "olmo", ROTARY, .special = nadi_hf_old_olmo},
    {.types = "olmo2",
     LIKE_LLAMA_WITH(NADI_HF_QK_NORM_WHOLE),
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
    {.types = "grok-1", .classes = "grok1", LIKE_LLAMA_WITH(NADI_HF_EXPERTS), .norms = 4},
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
    {.types = "qwen3 qwen3_vl_text",
     LIKE_LLAMA_WITH(NADI_HF_WINDOW | NADI_HF_WINDOW_SWITCH | NADI_HF_QK_NORM),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .absent = "vocab_size=151936 hidden_size=4096 intermediate_size=22016 num_hidden_layers=32 "
               "num_attention_heads=32 num_key_value_heads=32 head_dim=128 sliding_window=4096 "
               "use_sliding_window=false max_window_layers=28"},
    {.types = "qwen3_moe qwen3_vl_moe_text",
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
    {.types = "deepseek_v3 kimi_k2 glm4_moe_lite",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_LATENT | NADI_HF_ROUTER_BIAS),
     .absent = "vocab_size=129280 hidden_size=7168 intermediate_size=18432 num_hidden_layers=61 "
               "num_attention_heads=128 moe_intermediate_size=2048 moe_layer_freq=1 "
               "kv_lora_rank=512 q_lora_rank=1536 qk_rope_head_dim=64 v_head_dim=128 "
               "qk_nope_head_dim=128"},
    {.types = "dots1",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS | NADI_HF_QK_NORM | NADI_HF_ROUTER_BIAS | NADI_HF_WINDOW |
                     NADI_HF_WINDOW_SWITCH),
     .bias = {{"attention_bias", ATTENTION_BIASES, false}},
     .absent = "use_sliding_window=false moe_layer_freq=1"},
    {.types = "bailing_moe",
     LIKE_LLAMA_WITH(NADI_HF_EXPERTS),
     .bias = {{"use_qkv_bias", NADI_BIAS_QKV, false},
              {"use_bias", NADI_BIAS_OUTPUT | NADI_BIAS_MLP, false}}},
    {.types = "bailing_moe_v2",
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
    {.types = "glm4_moe glm4v_moe_text",
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
               "num_attention_heads=64 sliding_window=4096"},
    /* ---- GPT and what is built as it is ---- */
    {.types = "gpt2",
     .positions = NADI_POSITIONS_LEARNED,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED,
     .biases = ALL_BIASES,
     .absent = "vocab_size=50257 n_positions=1024 n_embd=768 n_layer=12 n_head=12",
     .special = nadi_hf_gpt_bigcode},
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
    /* ---- encoders, and encoders with decoders ---- */
    {.types = "bert roberta xlm-roberta camembert",
     .classes = "bert roberta xlmroberta camembert",
     .family = NADI_FAMILY_ENCODER,
     .positions = NADI_POSITIONS_LEARNED,
     .head = NADI_HEAD_POOLER,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED | NADI_HF_EMBEDDING_NORM | NADI_HF_NO_FINAL_NORM,
     .biases = ALL_BIASES},
    {.types = "distilbert",
     .family = NADI_FAMILY_ENCODER,
     .positions = NADI_POSITIONS_LEARNED,
     .head = NADI_HEAD_NONE,
     .flags = NADI_HF_LAYERNORM | NADI_HF_TIED | NADI_HF_EMBEDDING_NORM | NADI_HF_NO_FINAL_NORM,
     .biases = ALL_BIASES,
     .special = nadi_hf_distilbert},
    {.types = "t5 mt5 umt5",
     .family = NADI_FAMILY_ENCODER_DECODER,
     .positions = NADI_POSITIONS_RELATIVE,
     .flags = NADI_HF_TIED,
     .absent = "vocab_size=32128 d_model=512 d_kv=64 d_ff=2048 num_layers=6 num_heads=8",
     .special = nadi_hf_t5},
    /* ---- what is known, and not modelled ---- */
    {.types = "mamba mamba2 falcon_mamba",
     .refused = "state-space layers (Mamba)",
     .keys = "state_size ssm_cfg expand conv_kernel time_step_rank"},
    {.types = "jamba bamba zamba zamba2 falcon_h1 nemotron_h plamo2 nemotronh",
     .refused = "state-space layers (Mamba) between or beside layers of attention",
     .keys = "hybrid_override_pattern layers_block_type mamba_d_state mamba_num_heads mamba_expand "
             "mamba_d_conv mamba_d_ssm ssm_state_size attn_layer_period attn_layer_offset "
             "attn_layer_indices expert_layer_period"},
    {.types = "rwkv rwkv4 rwkv5 rwkv6 rwkv7 rwkv_hybrid",
     .refused = "recurrent layers (RWKV)",
     .keys = "attention_hidden_size rescale_every head_size"},
    {.types = "recurrent_gemma",
     .refused = "recurrent layers (RG-LRU)",
     .keys = "block_types _block_types lru_width conv1d_width"},
    {.types = "nemotron-nas deci",
     .refused = "layers of different widths, some without attention",
     .keys = "block_configs num_key_value_heads_per_layer"},
    {.types = "openelm",
     .refused = "layers of different widths and numbers of heads",
     .keys = "num_query_heads num_kv_heads ffn_multipliers"},
    {.types = "qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text kimi_linear kimi_k3 "
              "minimax minimax_text_01 "
              "MiniMaxText01 bailing_moe_linear bailing_hybrid olmo_hybrid",
     .refused = "linear attention",
     .keys = "full_attention_interval linear_num_key_heads linear_num_value_heads "
             "linear_attn_config attn_type_list layer_group_size layer_types"},
    {.types = "deepseek_v32 glm_moe_dsa deepseek_v4",
     .refused = "sparse attention with an indexer",
     .keys = "index_n_heads index_head_dim index_topk compress_ratios"},
    {.types = "minimax_m3 minimax_m3_vl minimax_m3_vl_text",
     .refused = "sparse attention",
     .keys = "sparse_attention_config"},
    {.types = "mimo_v2_flash step3p5 step3p7 step3_text",
     .refused = "layers of attention with different heads, or factorised attention",
     .keys = "swa_num_attention_heads swa_head_dim hybrid_layer_pattern attention_other_setting "
             "share_q_dim num_attention_groups"},
    {.types = "gemma3n gemma3n_text gemma4 gemma4_text",
     .refused = "embeddings of each layer, and layers with different heads",
     .keys = "hidden_size_per_layer_input vocab_size_per_layer_input altup_num_inputs laurel_rank "
             "num_kv_shared_layers global_head_dim attention_k_eq_v"},
    {.types = "mllama mllama_text_model",
     .refused = "layers of cross attention to pictures",
     .keys = "cross_attention_layers"},
    {.types = "lfm2 lfm2_moe",
     .refused = "layers of short convolutions",
     .keys = "layer_types conv_L_cache full_attn_idxs"},
    {.types = "longcat_flash",
     .refused = "layers with two attentions and experts that do nothing",
     .keys = "zero_expert_num num_layers"},
    {.types = "phi3small phi4flash",
     .refused = "block-sparse attention, or state-space layers",
     .keys = "blocksparse_num_local_blocks dense_attention_every_n_layers mb_per_layer"},
    {.types = "phi4mm phi4_multimodal",
     .refused = "adapters for pictures and speech in every layer",
     .keys = "vision_lora speech_lora audio_config"},
    {.types = "hunyuan",
     .refused = "keys and values shared between layers",
     .keys = "use_cla cla_share_factor"},
    {.types = "albert",
     .refused = "weights shared between layers",
     .keys = "num_hidden_groups embedding_size"},
    {.types = "deberta deberta-v2",
     .refused = "attention to relative positions with weights of its own",
     .keys = "relative_attention pos_att_type position_buckets"},
    {.types = "whisper wav2vec2 hubert seamless_m4t speecht5",
     .refused = "convolutions over sound",
     .keys = "num_mel_bins encoder_layers conv_dim"},
    {.types = "vit clip clip_vision_model clip_text_model siglip siglip_vision_model dinov2 deit "
              "swin blip beit convnext",
     .refused = "networks over pictures",
     .keys = "patch_size image_size vision_config"},
    {.types = "longt5 switch_transformers led longformer big_bird reformer bigbird_pegasus",
     .refused = "sparse or local attention of its own kind, or experts in part of the layers",
     .keys = "local_radius attention_window num_sparse_encoder_layers block_size"},
};

/* They hold a language model and hand it vectors of pictures or sounds as tokens. */
static const struct {
    const char *types, *language;
} containers[] = {
    {"llava llava_next llava_next_video vipllava video_llava llava_llama", "llama"},
    {"llava_mistral mistral3 idefics2", "mistral"},
    {"paligemma", "gemma"},
    {"gemma3 shieldgemma2", "gemma3_text"},
    {"llama4", "llama4_text"},
    {"idefics3 smolvlm voxtral ultravox", "llama"},
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
    {"internvl_chat ovis multi_modality pixtral exaone4_5", ""},
};

bool nadi_hf_has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; length && !strchr(word, ' ') && (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

const char *nadi_hf_container(const char *model_type)
{
    for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++)
        if (nadi_hf_has_word(containers[i].types, model_type))
            return containers[i].language;
    return NULL;
}

const struct nadi_hf_rule *nadi_hf_rule_at(size_t index)
{
    return index < sizeof(rules) / sizeof(rules[0]) ? &rules[index] : NULL;
}

const struct nadi_hf_rule *nadi_hf_rule_find(const char *model_type)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (nadi_hf_has_word(rules[i].types, model_type))
            return &rules[i];
    return NULL;
}
