/* hf: the config.json that is published with a model's weights (Hugging Face's keys).
 *
 * Read by key, whatever else it holds; model_type decides what an absent key means. Families known:
 * gpt2, gpt_neox, opt, bloom, llama, mistral, mixtral, qwen2, qwen2_moe, qwen3, qwen3_moe, gemma,
 * gemma2, phi3, deepseek_v2, deepseek_v3, mpt, bert, t5; any other is taken as llama with a
 * warning. */
#ifndef NADI_MODEL_HF_H
#define NADI_MODEL_HF_H

#include "format/doc.h"
#include "model/model.h"

bool nadi_hf_is_config(const struct nadi_doc *doc);
/* Fills what the description would fill; strings are copied. */
bool nadi_hf_fill(struct nadi_model *m, const struct nadi_doc *doc,
                  struct nadi_diags *diags) NADI_MUST_USE;

#endif
