/* simulate: what `nadi run` and `nadi model run` share: their options of output, and one
 * simulation, or one a network model side by side. */
#ifndef NADI_CLI_SIMULATE_H
#define NADI_CLI_SIMULATE_H

#include "cli/options.h"

#include <nadi/nadi.h>

struct nadi_cli_outputs {
    const char *out, *format, *ranks, *timeline;
    struct nadi_range timeline_ranks, timeline_window;
    double hidden_factor;
    bool ops, layers, db, sensitivity, five_column, link_usage, quiet;
};

extern const struct nadi_setting nadi_cli_outputs[]; /* offsets into struct nadi_cli_outputs */

/* Are there options that say nothing without another one? Says so. */
bool nadi_cli_outputs_agree(const char *command, const struct nadi_cli_outputs *o,
                            const struct nadi_given *given) NADI_MUST_USE;

struct nadi_cli_simulation {
    const struct nadi_cli_outputs *outputs;
    const struct nadi_given *given; /* with "network-model": one, or several with commas between */
    const void *command;
    enum nadi_status (*load)(const void *command, struct nadi_job *job);
    /* The result, of a run that may have ended early. */
    void (*print)(const void *command, const struct nadi_job *job, enum nadi_status status);
};

/* Loads, runs, writes and prints. The command's exit code. */
int nadi_cli_simulate(const struct nadi_cli_simulation *s);

#endif
