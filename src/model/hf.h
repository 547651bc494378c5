/* hf: the config.json that is published with a model's weights (Hugging Face's keys).
 *
 * Read by key; model_type decides the defaults of absent keys. The types are in one table
 * (hf_rules.h); an unknown model_type is refused, and so are unknown keys about the network's
 * shape. */
#ifndef NADI_MODEL_HF_H
#define NADI_MODEL_HF_H

#include "format/doc.h"
#include "model/model.h"

bool nadi_hf_is_config(const struct nadi_doc *doc);
/* Fills what the description would fill; strings are copied. */
bool nadi_hf_fill(struct nadi_model *m, const struct nadi_doc *doc,
                  struct nadi_diags *diags) NADI_MUST_USE;

#endif
