/* training_recipes: degrees that a table of runs does not give, by release, model and machine.
 *
 * examples/recipes/<name>.csv has the columns since, model, precision, cluster, ranks,
 * framework (what a run must have; empty: anything), batch-a-rank (sequences of a step, divided by
 * the ranks) and layers, sequence, tp, ..., settings (what it then is). A
 * line holds from its release on, until a later one for the same run. */
#ifndef NADI_CALIBRATE_TRAINING_RECIPES_H
#define NADI_CALIBRATE_TRAINING_RECIPES_H

#include "format/csv_read.h"

struct nadi_recipe_query {
    const char *release; /* "v25.04", "25.04.01"; without a number: the newest */
    const char *model, *precision, *cluster, *framework;
    double ranks, batch; /* 0: not known */
};

/* NULL when no table is called so. In the arena; nothing is to be released. */
const struct nadi_csv_table *nadi_recipes_open(const char *name, struct nadi_arena *arena);
/* The line that holds; NADI_NONE: none. */
uint32_t nadi_recipe_find(const struct nadi_csv_table *table,
                          const struct nadi_recipe_query *query);
/* Its value; "": not said. */
const char *nadi_recipe_text(const struct nadi_csv_table *table, uint32_t line, const char *column);

#endif
