/* model_options: settings of a run that one network model reads and no other. */
#ifndef NADI_INPUTS_MODEL_OPTIONS_H
#define NADI_INPUTS_MODEL_OPTIONS_H

#include "inputs/inputs.h"

struct nadi_model_option {
    const char *name, *model, *about;
    const char *hint; /* "network-model: MODEL" */
};

/* NULL: every model reads it. */
const struct nadi_model_option *nadi_model_option_find(const char *name);

/* Are all that the options have those of their network model? */
bool nadi_model_options_check(const struct nadi_run_options *options,
                              struct nadi_diags *diags) NADI_MUST_USE;

#endif
