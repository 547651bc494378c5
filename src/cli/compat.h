/* compat: the program under the names of the reference's two executables (links in build/compat).
 *
 * Takes their flags in their syntax and prints their lines, so that scripts run unchanged:
 *   - `--name=value` and `--name value`; the last one wins; a flag alone is true, `--flag=false` is
 *     false, and a word after a flag is not its value;
 *   - unknown options and stray words are ignored, as there, but with a warning;
 *   - a real number may be followed by anything (2x is 2), a whole one may be hexadecimal.
 * Differences, all documented in docs/reference-differences.md: exit codes are nadi's (a deadlock
 * is 4, a wrong command line 2), messages are nadi's and name their place, and a file whose path
 * holds the word "empty" is read when it exists. */
#ifndef NADI_CLI_COMPAT_H
#define NADI_CLI_COMPAT_H

#include "base/base.h"

struct nadi_compat {
    const char *program;
    const char *network_model;
};

/* By the last part of the path that the program was called by; NULL: an ordinary name. */
const struct nadi_compat *nadi_compat_find(const char *path);
int nadi_compat_run(const struct nadi_compat *compat, int count, char **arguments);

#endif
