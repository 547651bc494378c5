/* cmd_model: what the `nadi model` commands share. */
#ifndef NADI_CLI_CMD_MODEL_H
#define NADI_CLI_CMD_MODEL_H

#include <nadi/model.h>

#include "cli/command.h"

struct nadi_cli_model {
    const char *plan, *settings, *cluster, *memory, *format;
};

extern const struct nadi_setting nadi_cli_model_inputs[]; /* offsets into struct nadi_cli_model */

void nadi_cli_model_apply(const struct nadi_cli_model *values, const char *model,
                          struct nadi_model_setup *setup);

#endif
