/* run_db: a run as an SQLite file, run.db: what `nadi report`, `nadi diff`, `nadi query` and the
 * Python package read. Its tables stand in columns_*.c, from which docs/reference/results.md is
 * generated. Linear in what is written, about a million rows a second. */
#ifndef NADI_REPORT_RUN_DB_H
#define NADI_REPORT_RUN_DB_H

#include "base/diag.h"
#include "report/columns.h"

/* The SQL that makes the tables, appended to `out`. */
void nadi_run_db_schema(struct nadi_str *out);

bool nadi_run_db_write(const struct nadi_result_data *run, const char *path,
                       struct nadi_diags *diags) NADI_MUST_USE;

#endif
