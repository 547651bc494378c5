/* run_db: a run as an SQLite file, run.db: what `nadi report`, `nadi diff`, `nadi query` and the
 * Python package read. The schema is documented in docs/guide/database.md; a test holds the two
 * against each other. Linear in what is written, about a million rows a second. */
#ifndef NADI_REPORT_RUN_DB_H
#define NADI_REPORT_RUN_DB_H

#include "base/diag.h"
#include "inputs/inputs.h"
#include "report/detail.h"
#include "sim/result.h"
#include "why/sensitivity.h"
#include "why/why.h"

/* The SQL that makes the tables, appended to out. */
void nadi_run_db_schema(struct nadi_str *out);

struct nadi_run_db {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    const struct nadi_why *why;
    const struct nadi_sensitivities *sensitivities; /* NULL: none were asked for */
    const struct nadi_detail *detail;               /* NULL: everything */
    const char *summary; /* the text of summary.json but for its index of files */
};

bool nadi_run_db_write(const struct nadi_run_db *run, const char *path,
                       struct nadi_diags *diags) NADI_MUST_USE;

#endif
