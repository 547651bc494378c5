/* inputs: the options that say what to simulate, shared by the commands that read the inputs. */
#ifndef NADI_CLI_INPUTS_H
#define NADI_CLI_INPUTS_H

#include "api/run_settings.h"
#include "api/words.h"
#include "cli/options.h"

#include <nadi/nadi.h>

/* A job with these settings; network_model: instead of the one given, or NULL. Never NULL. */
struct nadi_job *nadi_cli_job(const struct nadi_given *given, const char *network_model);

/* Rows of the commands that run a simulation; AT gives a field's place. */
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

/* Claims the folder of --out before the work rather than after it; nothing to do for NULL. False
 * when it cannot be had: that is then said. */
bool nadi_cli_claim(const char *folder, struct nadi_claim **claim) NADI_MUST_USE;

/* For people: the files that a job wrote into this folder. */
void nadi_cli_print_files(const char *folder, const struct nadi_job *job);

#endif
