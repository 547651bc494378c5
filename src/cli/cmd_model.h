/* cmd_model: what the `nadi model` commands share. */
#ifndef NADI_CLI_CMD_MODEL_H
#define NADI_CLI_CMD_MODEL_H

#include <nadi/model.h>

#include "cli/command.h"

struct nadi_cli_model {
    const char *plan, *settings, *cluster, *format;
};

extern const struct nadi_option nadi_cli_model_inputs[]; /* offsets into struct nadi_cli_model */

void nadi_cli_model_apply(const struct nadi_cli_model *values, const char *model,
                          struct nadi_model_setup *setup);

int nadi_cmd_model_list(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_model_flops(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_model_kernels(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_model_memory(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_model_run(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_model_trace(const struct nadi_command *self, int count, char **arguments);

extern const struct nadi_option_group nadi_model_run_groups[];
extern const struct nadi_option_group nadi_model_trace_groups[];
extern const struct nadi_option_group nadi_model_list_groups[];
extern const struct nadi_option_group nadi_model_report_groups[];
extern const struct nadi_option_group nadi_model_memory_groups[];

#endif
