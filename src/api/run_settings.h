/* run_settings: the settings of a simulation, a row each, from which follow the options of `nadi
 * run`, `nadi check` and `nadi model run`, nadi_job_set, the keywords of Python, `nadi explain` and
 * the reference pages. To add one: a member of struct nadi_run_options, its row in run_settings.c,
 * and its use. */
#ifndef NADI_API_RUN_SETTINGS_H
#define NADI_API_RUN_SETTINGS_H

#include "inputs/model_options.h"
#include "settings/schema.h"

struct nadi_run_options;

#define NADI_MOST_SCALE  1e9
#define NADI_MOST_QUEUES 65536 /* of a dimension: each rank has them all */

/* Each ends with a row without a name. */
extern const struct nadi_setting nadi_run_files[], nadi_run_disturbances[], nadi_run_model[],
    nadi_run_system[], nadi_run_intervals[], nadi_run_cost[], nadi_run_energy[], nadi_run_limits[];
/* All of them, and those that commands do not show; ends with NULL. */
extern const struct nadi_schema *const nadi_run_tables[];

/* By its name, with '-' or '_' between words; NULL: there is none. */
const struct nadi_setting *nadi_run_setting(const char *name);
/* The names of all, for "did you mean"; `names` has room for NADI_RUN_NAMES. */
enum { NADI_RUN_NAMES = 64 };
size_t nadi_run_names(const char **names);
/* The defaults. */
void nadi_run_preset(struct nadi_run_options *options);
/* Sets one, of which the arena keeps the text. False with an error. */
bool nadi_run_set(struct nadi_run_options *options, const char *name, const char *text,
                  struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;

#endif
