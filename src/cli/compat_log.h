/* compat_log: the lines under the reference's names: on standard output and, appended, in log.log
 * (all) and err.log (errors) of the logging folder. Each line gets the date in front, local time:
 * "[2026-11-21 09:30:00.123] ". */
#ifndef NADI_CLI_COMPAT_LOG_H
#define NADI_CLI_COMPAT_LOG_H

#include "base/base.h"

#include <nadi/nadi.h>

struct nadi_compat_log {
    FILE *all, *errors;
};

/* Makes the folder. False when it cannot be written to, which was said on standard error. */
bool nadi_compat_log_open(struct nadi_compat_log *log, const char *folder);
/* Lines, each ends with '\n': to standard output and log.log. */
void nadi_compat_log_lines(struct nadi_compat_log *log, const char *lines);
/* The errors among the messages to both files; the terminal has them already. */
void nadi_compat_log_errors(struct nadi_compat_log *log, const struct nadi_diags *messages);
/* False when something could not be written, which was said. */
bool nadi_compat_log_close(struct nadi_compat_log *log);

#endif
