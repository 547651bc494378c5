/* hf_class: which row of the table a configuration is built by, and the refusals where it is none.
 * Private to hf. */
#ifndef NADI_MODEL_HF_CLASS_H
#define NADI_MODEL_HF_CLASS_H

#include "model/hf_rules.h"

enum nadi_hf_class { /* whether it has the output layer */
                     NADI_HF_CLASS_UNKNOWN,
                     NADI_HF_CLASS_WITH_HEAD,
                     NADI_HF_CLASS_WITHOUT_HEAD,
};

/* Letters and digits of a class or type, in lower case: "Qwen2_5_VL" and "qwen2_5_vl" are one. */
void nadi_hf_plain_name(const char *name, char plain[128]);
/* Length of the name in the rule that a class (as a plain name) begins with; 0: none. */
size_t nadi_hf_rule_fits(const struct nadi_hf_rule *rule, const char *class_name,
                         enum nadi_hf_class *kind);
/* The class that a map says, "" where it says none; its rule, NULL where there is none. */
const char *nadi_hf_class_of(const struct nadi_doc_node *map);
const struct nadi_hf_rule *nadi_hf_rule_of_class(const char *class_name);

/* Errors; always false. */
bool nadi_hf_refuse_type(struct nadi_hf_config *c, const struct nadi_doc_node *at,
                         const char *type);
bool nadi_hf_refuse_mechanism(struct nadi_hf_config *c, const struct nadi_hf_rule *rule);

#endif
