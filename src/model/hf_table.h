/* hf_table: what the rows of the tables of architectures have in common. Private to hf_rules. */
#ifndef NADI_MODEL_HF_TABLE_H
#define NADI_MODEL_HF_TABLE_H

#include "model/hf_rules.h"

#define ALL_BIASES            (NADI_BIAS_QKV | NADI_BIAS_OUTPUT | NADI_BIAS_MLP | NADI_BIAS_NORM)
#define ATTENTION_BIASES      (NADI_BIAS_QKV | NADI_BIAS_OUTPUT)
#define ROTARY                .positions = NADI_POSITIONS_ROTARY
#define LIKE_LLAMA            ROTARY, .flags = NADI_HF_GATED
#define LIKE_LLAMA_WITH(more) ROTARY, .flags = NADI_HF_GATED | (more)

#define LIKE_BERT(end)                                                                             \
    .family = NADI_FAMILY_ENCODER, .positions = NADI_POSITIONS_LEARNED, .head = (end),             \
    .flags = NADI_HF_LAYERNORM | NADI_HF_TIED | NADI_HF_EMBEDDING_NORM | NADI_HF_NO_FINAL_NORM |   \
             NADI_HF_OF_WORDS,                                                                     \
    .biases = ALL_BIASES
#define LIKE_BART(places, more)                                                                    \
    .family = NADI_FAMILY_ENCODER_DECODER, .positions = (places),                                  \
    .flags = NADI_HF_LAYERNORM | NADI_HF_TIED | (more), .biases = ALL_BIASES
#define OF_PICTURES(more)                                                                          \
    .family = NADI_FAMILY_ENCODER, .positions = NADI_POSITIONS_LEARNED, .head = NADI_HEAD_NONE,    \
    .flags = NADI_HF_LAYERNORM | (more), .biases = ALL_BIASES | NADI_BIAS_EMBEDDING

#endif
