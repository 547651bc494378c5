/* trace_commands: the sub-commands of `nadi trace`, one file each, for the table in commands.c. */
#ifndef NADI_CLI_TRACE_COMMANDS_H
#define NADI_CLI_TRACE_COMMANDS_H

#include "cli/command.h"

#include <nadi/trace.h>

/* nadi_terminal_end for a command that may write something else to standard output: then the report
 * goes to standard error. */
int nadi_trace_end_beside(enum nadi_status status, char *report, struct nadi_diags *messages,
                          bool quiet, const char *output);

int nadi_cmd_trace_import(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_link(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_convert(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_check(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_show(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_pack(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_from_text(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_graph(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_timeline(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_info(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_slice(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_filter(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_merge(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_repair(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_anonymize(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_dedup(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_trace_diff(const struct nadi_command *self, int count, char **arguments);

extern const struct nadi_option_group nadi_trace_import_groups[];
extern const struct nadi_option_group nadi_trace_link_groups[];
extern const struct nadi_option_group nadi_trace_convert_groups[];
extern const struct nadi_option_group nadi_trace_check_groups[];
extern const struct nadi_option_group nadi_trace_show_groups[];
extern const struct nadi_option_group nadi_trace_pack_groups[];
extern const struct nadi_option_group nadi_trace_from_text_groups[];
extern const struct nadi_option_group nadi_trace_graph_groups[];
extern const struct nadi_option_group nadi_trace_timeline_groups[];
extern const struct nadi_option_group nadi_trace_info_groups[];
extern const struct nadi_option_group nadi_trace_slice_groups[];
extern const struct nadi_option_group nadi_trace_filter_groups[];
extern const struct nadi_option_group nadi_trace_merge_groups[];
extern const struct nadi_option_group nadi_trace_repair_groups[];
extern const struct nadi_option_group nadi_trace_anonymize_groups[];
extern const struct nadi_option_group nadi_trace_dedup_groups[];
extern const struct nadi_option_group nadi_trace_diff_groups[];

#endif
