/* inputs: the options that say what to simulate, shared by the commands that read the inputs. */
#ifndef NADI_CLI_INPUTS_H
#define NADI_CLI_INPUTS_H

#include "api/words.h"
#include "cli/options.h"

#include <nadi/nadi.h>

struct nadi_cli_inputs {
    const char *workload, *system, *network, *memory, *groups, *events;
    const char *network_model, *executor, *mismatch;
    uint32_t queues_per_dim;
    double injection_scale, compute_scale, comm_scale;
    bool rendezvous, lenient;
    const char *compat; /* "ns3" or NULL */
};

extern const struct nadi_setting nadi_cli_input_files[]; /* offsets into struct nadi_cli_inputs */
extern const struct nadi_setting nadi_cli_input_model[];

/* Rows of the commands that run a simulation; AT gives a field's place. */
#define NADI_CLI_MODELS_OPTION                                                                     \
    {                                                                                              \
        .name = "network-model", .type = NADI_TYPE_WORDS, .words = NADI_WORDS_CHOSEN_MODEL,        \
        .preset = "auto", AT(network_model),                                                       \
        .doc = "Messages " NADI_NETWORK_HELP "; auto: " NADI_NETWORK_AUTO                          \
               "; several, separated by commas: side by side"                                      \
    }
#define NADI_CLI_EXECUTOR_OPTION                                                                   \
    {                                                                                              \
        .name = "executor", .type = NADI_TYPE_WORD, .words = NADI_WORDS_EXECUTOR,                  \
        .preset = "auto", AT(executor),                                                            \
        .doc = "How collectives are simulated; auto takes the fastest that is exact"               \
    }
#define NADI_CLI_MISMATCH_OPTION                                                                   \
    {                                                                                              \
        .name = "mismatch", .type = NADI_TYPE_WORD, .words = NADI_ONE_OF("error", "warn"),         \
        .preset = "error", AT(mismatch),                                                           \
        .doc = "If members of a group issue different collectives: end the run, or match their "   \
               "messages as the reference does"                                                    \
    }
#define NADI_CLI_DB_OPTION                                                                         \
    {                                                                                              \
        .name = "db", .type = NADI_TYPE_FLAG, AT(db),                                              \
        .doc =                                                                                     \
            "Write all of a long run to run.db, collectives.csv and critical_path.csv, whatever "  \
            "their size; by default one of several equal ranks and collectives stands for all"     \
    }
#define NADI_CLI_SENSITIVITY_OPTION                                                                \
    {                                                                                              \
        .name = "sensitivity", .type = NADI_TYPE_FLAG, AT(sensitivity),                            \
        .doc = "Also sensitivities.csv: what more bandwidth, less latency, faster compute, ... "   \
               "would save; about 25 more simulations"                                             \
    }

void nadi_cli_inputs_apply(const struct nadi_cli_inputs *inputs, struct nadi_setup *setup);

/* Claims the folder of --out before the work rather than after it; nothing to do for NULL. False
 * when it cannot be had: that is then said. */
bool nadi_cli_claim(const char *folder, struct nadi_claim **claim) NADI_MUST_USE;

/* For people: the files that a job wrote into this folder. */
void nadi_cli_print_files(const char *folder, const struct nadi_job *job);

#endif
