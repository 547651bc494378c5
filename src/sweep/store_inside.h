/* store_inside: what the readers of a store share. */
#ifndef NADI_SWEEP_STORE_INSIDE_H
#define NADI_SWEEP_STORE_INSIDE_H

#include "format/database.h"
#include "sweep/store.h"

/* NULL with an error when the file is no store. */
struct nadi_database *nadi_store_read(const char *path, struct nadi_diags *diags) NADI_MUST_USE;
/* The value of a key of the table `sweep`, owned by the caller; NULL: none. */
char *nadi_store_value(struct nadi_database *db, const char *key) NADI_MUST_USE;
/* The objectives, of nadi_sweep_figures; returns how many. */
uint32_t nadi_store_objectives(struct nadi_database *db, uint32_t *objectives);
/* A name of a column, in quotes. */
void nadi_store_add_name(struct nadi_str *sql, const char *name);

#endif
