/* store_inside: what the readers of a store share. */
#ifndef NADI_SWEEP_STORE_INSIDE_H
#define NADI_SWEEP_STORE_INSIDE_H

#include "format/database.h"
#include "sweep/store.h"

/* NULL with an error when the file is no store. */
struct nadi_database *nadi_store_read(const char *path, struct nadi_diags *diags) NADI_MUST_USE;
/* Is the file empty, or a database without tables: one whose sweep was killed as it began? */
bool nadi_store_is_blank(const char *path);
/* The value of a key of the table `sweep`, owned by the caller; NULL: none. diags: NULL where it
 * may be no store. */
char *nadi_store_value(struct nadi_database *db, const char *key,
                       struct nadi_diags *diags) NADI_MUST_USE;
/* A column that points are compared by: a figure, or a derived one. */
struct nadi_store_column {
    const char *name, *label, *unit;
    int better; /* -1: less is better, 1: more is, 0: that is not known */
};
enum { NADI_STORE_COLUMNS = NADI_SWEEP_FIGURES + NADI_SPACE_MOST_DERIVED };
/* Figures and derived ones in the order of the table `points`; returns how many. This and the next
 * two add an error where the store cannot be read. */
uint32_t nadi_store_columns(struct nadi_database *db, struct nadi_arena *arena,
                            struct nadi_store_column columns[NADI_STORE_COLUMNS],
                            struct nadi_diags *diags);
/* The objectives, indices of those columns; returns how many. */
uint32_t nadi_store_objectives(struct nadi_database *db, const struct nadi_store_column *columns,
                               uint32_t column_count, uint32_t objectives[NADI_STORE_COLUMNS],
                               struct nadi_diags *diags);
/* Those columns themselves. */
uint32_t nadi_store_objective_columns(struct nadi_database *db, struct nadi_arena *arena,
                                      struct nadi_store_column objectives[NADI_STORE_COLUMNS],
                                      struct nadi_diags *diags);
struct nadi_store_variable {
    const char *name, *unit;
};
/* Those that are drawn: what follows from others moves with them. How many there are; an error is
 * in diags. */
uint32_t nadi_store_variables(struct nadi_database *db, struct nadi_arena *arena,
                              struct nadi_store_variable variables[NADI_SPACE_MOST_VARIABLES],
                              struct nadi_diags *diags);
/* How many points ended how, in a line. */
void nadi_store_counts(struct nadi_database *db, struct nadi_str *out, struct nadi_diags *diags);
/* A name of a column, in quotes. */
void nadi_store_add_name(struct nadi_str *sql, const char *name);

#endif
