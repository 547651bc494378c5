/* command: a sub-command is a row of data: its name, what it is for, its options and the function
 * that runs it.
 *
 * commands.c holds the one table; help and docs/reference/commands.md are generated from it. A name
 * may be two words ("gen demo"). A function gets the words after the command's name and returns
 * the exit code. Only this room writes to the terminal: results to standard output, everything
 * else to standard error. */
#ifndef NADI_CLI_COMMAND_H
#define NADI_CLI_COMMAND_H

#include "base/base.h"
#include "cli/options.h"

#include <nadi/nadi.h>

enum nadi_exit { /* the rest are the values of enum nadi_status */
                 NADI_EXIT_DONE = 0,
                 NADI_EXIT_USAGE = 2,
                 NADI_EXIT_INPUT = 3,
                 NADI_EXIT_INTERNAL = 70,
};

struct nadi_command {
    const char *name;
    const char *group;    /* heading in the list of commands */
    const char *summary;  /* one line */
    const char *words;    /* "[KEY]", or NULL */
    const char *about;    /* paragraphs of the command's own help, each line ends with '\n' */
    const char *examples; /* command lines, each ends with '\n' */
    const struct nadi_option_group *options; /* ends with one without a heading */
    int max_words;
    int (*run)(const struct nadi_command *self, int count, char **arguments);
};

/* Ends with a row without a name. */
extern const struct nadi_command nadi_commands[];

/* The command that `words` begin with, *used words of them (1 or 2); NULL if none. */
const struct nadi_command *nadi_command_find(int count, const char *const *words, int *used);
/* "nadi: error: no command 'rum', did you mean 'run'?" on standard error. */
void nadi_command_complain(int count, const char *const *words);

/* Whole help of one command on standard output. */
void nadi_help_command(const struct nadi_command *command);
/* The commands whose first of two words this is, likewise; false when there are none. */
bool nadi_help_family(const char *word);

/* The end of a generator: prints and destroys the messages and returns the exit code. What is wrong
 * was an option unless a file could not be written. */
struct nadi_diags;
int nadi_gen_end(enum nadi_status status, struct nadi_diags *messages);

int nadi_cmd_run(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_check(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_gen_collective(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_gen_demo(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_gen_transformer(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_gen_pattern(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_flows(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_report(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_diff(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_query(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_collective_check(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_collective_convert(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_collective_synth(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_collective_bench(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_topo(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_validate_training(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_validate_compute(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_validate_all(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_repro(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_fit(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_validate_collectives(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_explain(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_version(const struct nadi_command *self, int count, char **arguments);
int nadi_cmd_help(const struct nadi_command *self, int count, char **arguments);

extern const struct nadi_option_group nadi_run_groups[];
extern const struct nadi_option_group nadi_check_groups[];
extern const struct nadi_option_group nadi_collective_synth_groups[];
extern const struct nadi_option_group nadi_collective_bench_groups[];
extern const struct nadi_option_group nadi_collective_check_groups[];
extern const struct nadi_option_group nadi_collective_convert_groups[];
extern const struct nadi_option_group nadi_gen_collective_groups[];
extern const struct nadi_option_group nadi_gen_demo_groups[];
extern const struct nadi_option_group nadi_gen_transformer_groups[];
extern const struct nadi_option_group nadi_gen_collectives_groups[];
extern const struct nadi_option_group nadi_gen_ring_groups[];
extern const struct nadi_option_group nadi_gen_pairs_groups[];
extern const struct nadi_option_group nadi_gen_incast_groups[];
extern const struct nadi_option_group nadi_gen_all_to_all_groups[];
extern const struct nadi_option_group nadi_gen_overlap_groups[];
extern const struct nadi_option_group nadi_gen_memory_groups[];
extern const struct nadi_option_group nadi_gen_pipeline_groups[];
extern const struct nadi_option_group nadi_flows_groups[];
extern const struct nadi_option_group nadi_report_groups[];
extern const struct nadi_option_group nadi_diff_groups[];
extern const struct nadi_option_group nadi_query_groups[];
extern const struct nadi_option_group nadi_topo_groups[];
extern const struct nadi_option_group nadi_validate_training_groups[];
extern const struct nadi_option_group nadi_validate_compute_groups[];
extern const struct nadi_option_group nadi_repro_groups[];
extern const struct nadi_option_group nadi_fit_groups[];
extern const struct nadi_option_group nadi_validate_collectives_groups[];
extern const struct nadi_option_group nadi_explain_groups[];
extern const struct nadi_option_group nadi_help_groups[];
extern const struct nadi_option_group nadi_version_groups[];

#endif
