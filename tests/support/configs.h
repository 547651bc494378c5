/* configs: small published configurations in tests. */
#ifndef NADI_TESTS_CONFIGS_H
#define NADI_TESTS_CONFIGS_H

#include "model/model.h"

/* What most of them share. Their texts have ' for ". */
#define BASE                                                                                       \
    "'num_hidden_layers': 4, 'hidden_size': 64, 'num_attention_heads': 8, "                        \
    "'num_key_value_heads': 2, 'intermediate_size': 160, 'vocab_size': 1000"

struct nadi_test_config {
    const char *text;
    double all, activated; /* parameters */
};
extern const struct nadi_test_config nadi_test_more_configs[];
extern const size_t nadi_test_more_count;

/* Both are to be dropped in either case. */
bool nadi_test_config_parse(struct nadi_model *m, const char *text, struct nadi_diags *diags);
void nadi_test_config_drop(struct nadi_model *m, struct nadi_diags *diags);

#endif
