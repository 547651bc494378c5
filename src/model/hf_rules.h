/* hf_rules: one table of the architectures whose config.json is read: the parts of a layer of each
 * model_type, the keys that change it, and the defaults of its class.
 *
 * Other types are refused. Types whose layers are not modelled are in the table too, with the
 * mechanism and its keys, so that the refusal can give the reason. docs/guide/models.md shows the
 * same table (a test compares them). */
#ifndef NADI_MODEL_HF_RULES_H
#define NADI_MODEL_HF_RULES_H

#include "model/hf_config.h"

enum nadi_hf_flag {
    NADI_HF_GATED = 1 << 0,          /* three matrices in the feed-forward layer */
    NADI_HF_LAYERNORM = 1 << 1,      /* else RMS norm */
    NADI_HF_TIED = 1 << 2,           /* unless tie_word_embeddings says otherwise */
    NADI_HF_QK_NORM = 1 << 3,        /* of each head, with weights that all heads share */
    NADI_HF_QK_NORM_WHOLE = 1 << 4,  /* of all heads, each with its weights */
    NADI_HF_EXPERTS = 1 << 5,        /* keys of experts are read */
    NADI_HF_LATENT = 1 << 6,         /* latent attention where kv_lora_rank is given */
    NADI_HF_WINDOW = 1 << 7,         /* sliding_window and its pattern are read */
    NADI_HF_WINDOW_SWITCH = 1 << 8,  /* only where use_sliding_window is true */
    NADI_HF_EMBEDDING_NORM = 1 << 9, /* after the embedding */
    NADI_HF_NO_FINAL_NORM = 1 << 10,
    NADI_HF_SHARED_GATE = 1 << 11, /* before the shared experts */
    NADI_HF_SINKS = 1 << 12,
    NADI_HF_ROUTER_BIAS = 1 << 13,
    NADI_HF_MODEL_HAS_HEAD = 1 << 14, /* the class ...Model is the one with the output layer */
    NADI_HF_SHIFTED = 1 << 15,        /* the position table begins with two rows of no token */
    NADI_HF_QK_NORM_IF = 1 << 16,     /* one of the two norms, only where its key is true */
    NADI_HF_LISTS = 1 << 17,          /* heads and widths may be lists, which `special` reads */
    NADI_HF_OF_WORDS = 1 << 18, /* an encoder whose class says whether it has an output layer */
};

struct nadi_hf_bias {
    const char *key;
    unsigned biases; /* enum nadi_bias_flag: there where the key is true */
    bool absent;
};

struct nadi_hf_rule {
    const char *types;   /* model_type, blanks between several */
    const char *classes; /* further beginnings of class names, as in `types`; may be NULL */
    enum nadi_model_family family;
    enum nadi_positions positions;
    enum nadi_model_head head;
    unsigned flags;  /* enum nadi_hf_flag */
    unsigned biases; /* that are always there */
    struct nadi_hf_bias bias[3];
    uint32_t norms;          /* of width hidden in a layer; 0: 2 */
    uint32_t windowed_every; /* of so many layers the last one has no window; 0: all have one */
    const char *absent;      /* "key=value ..." of the class */
    const char *ignored;     /* keys that sound like the shape and change nothing; may be NULL */
    const char *words;       /* further words of layer_types, which `special` reads; may be NULL */
    /* What is read in a way of its own, after the rest; may be NULL. */
    bool (*special)(struct nadi_model *m, struct nadi_hf_config *c);
    const char *refused; /* the mechanism that is not modelled; NULL: it is read */
    const char *keys;    /* refused: keys that speak of it */
};

/* The tables: hf_rules and hf_rules_more. */
extern const struct nadi_hf_rule nadi_hf_more_rules[];
extern const size_t nadi_hf_more_count;

/* The rule of a class that is built otherwise than its model_type; NULL: there is none. */
const struct nadi_hf_rule *nadi_hf_rule_of_override(const char *class_name);
/* NULL: not in the table. */
const struct nadi_hf_rule *nadi_hf_rule_find(const char *model_type);
const struct nadi_hf_rule *nadi_hf_rule_at(size_t index);

/* The type of language model that a model of pictures or sounds holds unless it says so, as a part
 * under text_config and the like, and whose layers it does not change; NULL: it is no such model.
 */
const char *nadi_hf_container(const char *model_type);

/* hf_hybrid, hf_linear, hf_widths: layers of other kinds and sizes */
bool nadi_hf_bamba(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_deci(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_deepseek_v4(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_eagle3(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_falcon_h1(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_gemma3n(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_gemma4(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_granite_hybrid(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_jamba(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_kimi_linear(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_lfm2(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_longcat(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_mimo_v2(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_minimax(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_minimax_m3(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_mllama(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_nemotron_h(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_nemotron_nas(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_old_mamba(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_only_mamba(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_only_mamba2(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_openelm(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_qwen_next(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_recurrent_gemma(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_rwkv4(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_rwkv56(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_rwkv7(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_sparse_latent(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_step3p5(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_zamba2(struct nadi_model *m, struct nadi_hf_config *c);

/* hf_recent: architectures of 2025 and later that add little to known ones */
bool nadi_hf_afmoe(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_bailing_linear(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_deepseek_vision(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_dinov3(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_gte(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_hyperclovax(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_laguna(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_sees_all(struct nadi_model *m, struct nadi_hf_config *c);

/* hf_encoders, hf_pictures: encoders, and encoders with decoders */
bool nadi_hf_albert(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_bart(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_beit(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_clip_text(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_clip_vision(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_deberta(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_dinov2(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_electra(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_esm(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_gemma4_vision(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_intern_vit(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_glm4v_vision(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_moonvit(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_mllama_vision(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_modernbert(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_mpnet(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_nomic_bert(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_pixtral_vision(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_qwen2_vision(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_qwen25_vision(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_qwen3_vision(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_siglip_vision(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_sound_encoder(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_swin(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_switch(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_vit(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_big_bird(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_ernie(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_layoutlm(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_longformer(struct nadi_model *m, struct nadi_hf_config *c);
/* Encoders of words: the output layer that the class has, with its dense layer; in place of the
 * pooler where it only guesses words. A decoder of this type is refused. */
bool nadi_hf_word_head(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_wav2vec2(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_whisper(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_xlnet(struct nadi_model *m, struct nadi_hf_config *c);

/* Parameters of the encoder of pictures or sounds of a model of `type`, and of what projects its
 * result to the width `to`; 0: they are not modelled. */
double nadi_hf_pictures(struct nadi_hf_config *c, const struct nadi_doc_node *root,
                        const char *type, double to);
/* hf_towers: the same of encoders that the file names and does not describe. */
double nadi_hf_towers(struct nadi_hf_config *c, const struct nadi_doc_node *root, const char *type,
                      double to);
/* hf: a part of a configuration as a model of its own, by its model_type or `type`; false where it
 * is not modelled. The caller releases the model in both cases. */
bool nadi_hf_fill_part(struct nadi_model *m, const struct nadi_doc *doc,
                       const struct nadi_doc_node *part, const char *type);

/* hf_special: the architectures with keys of their own */
bool nadi_hf_baichuan(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_chatglm(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_distilbert(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_dbrx(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_ernie_moe(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_falcon(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_gpt_bigcode(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_gpt_neo(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_hunyuan(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_arctic(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_llama4(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_minimax_m2(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_mpt(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_old_olmo(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_olmo(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_opt(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_qwen1(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_starcoder2(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_stablelm(struct nadi_model *m, struct nadi_hf_config *c);
bool nadi_hf_t5(struct nadi_model *m, struct nadi_hf_config *c);

#endif
