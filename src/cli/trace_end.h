/* trace_end: how the `nadi trace` commands end. */
#ifndef NADI_CLI_TRACE_END_H
#define NADI_CLI_TRACE_END_H

#include "cli/command.h"

#include <nadi/trace.h>

/* nadi_terminal_end for a command that may write something else to standard output: then the report
 * goes to standard error. */
int nadi_trace_end_beside(enum nadi_status status, char *report, struct nadi_diags *messages,
                          bool quiet, const char *output);

#endif
